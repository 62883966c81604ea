# SPDX-License-Identifier: Apache-2.0
# What got worse: the rule, two runs of a perturbed kernel, and the kept baseline of the CPU executor. The same plugins
# show that shards of different devices are not joined.
if(TARGET ug_report)
  ug_unit_test(test_report_diff ug_report LABELS report)
endif()
if(NOT TARGET ulpgate)
  return()
endif()
foreach(side steady perturbed)
  add_library(test_port_${side} MODULE plugins/perturb.c)
  target_link_libraries(test_port_${side} PRIVATE ug_abi m)
  set_target_properties(test_port_${side} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
endforeach()
target_compile_definitions(test_port_perturbed PRIVATE UG_PERTURB)
if(Python3_FOUND)
  add_test(NAME report.diff COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_diff.py
           $<TARGET_FILE:ulpgate> $<TARGET_FILE:test_port_steady> $<TARGET_FILE:test_port_perturbed>)
  set_tests_properties(report.diff PROPERTIES LABELS report)
  add_test(NAME audit.merge COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_merge.py
           $<TARGET_FILE:ulpgate> $<TARGET_FILE:test_port_steady> $<TARGET_FILE:test_port_perturbed>)
  set_tests_properties(audit.merge PROPERTIES LABELS audit TIMEOUT 300)
endif()

# The bits and errors of the tier smoke as they were last reviewed. When a change is meant:
#   cmake --build BUILD --target baseline-update
set(baseline ${PROJECT_SOURCE_DIR}/docs/audits/host/baseline.jsonl)
set(baseline_run ${CMAKE_CURRENT_BINARY_DIR}/audit/baseline.jsonl)
set(baseline_options run --tier smoke --kernel host:* --profile default -q --out ${baseline_run})
add_test(NAME baseline.host.run COMMAND ulpgate ${baseline_options})
set_tests_properties(baseline.host.run PROPERTIES LABELS "gate;host" FIXTURES_SETUP baseline_host TIMEOUT 900)
add_test(NAME baseline.host COMMAND ulpgate diff ${baseline} ${baseline_run})
set_tests_properties(baseline.host PROPERTIES LABELS "gate;host" FIXTURES_REQUIRED baseline_host)
add_custom_target(baseline-update
  COMMAND ulpgate ${baseline_options}
  COMMAND ulpgate diff --update ${baseline} ${baseline_run}
  DEPENDS ulpgate ulpgate_host
  COMMENT "Writing the baseline of the CPU executor anew; review it before it is kept"
  VERBATIM)

# What an H200 gave (docs/audits/h200): the CPU executor gives the same bits under its profile, and so does any device
# that is here, kernels with an approximate rsqrt excepted.
set(kept_device ${PROJECT_SOURCE_DIR}/docs/audits/h200/baseline.jsonl)
foreach(backend host cuda)
  if(NOT TARGET ulpgate_${backend})
    continue()
  endif()
  set(device_run ${CMAKE_CURRENT_BINARY_DIR}/audit/baseline-h200-${backend}.jsonl)
  add_test(NAME baseline.h200.${backend} COMMAND sh -c
    "\"$1\" run --tier smoke --kernel \"$2:*\" --profile h200 -q --out \"$4\" || exit $?
     \"$1\" diff --common \"$3\" \"$4\"" sh $<TARGET_FILE:ulpgate> ${backend} ${kept_device} ${device_run})
  set_tests_properties(baseline.h200.${backend} PROPERTIES LABELS "gate;${backend}" TIMEOUT 900 SKIP_RETURN_CODE 77)
endforeach()
