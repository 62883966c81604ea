# SPDX-License-Identifier: Apache-2.0
if(TARGET ug_report)
  ug_unit_test(test_report_reader ug_report LABELS report)
  ug_unit_test(test_report_formats ug_report LABELS report)
  ug_unit_test(test_report_speed ug_report LABELS report)
endif()

# Pages of a whole run, of a run with failures, of a golden file and of no result at all.
if(NOT TARGET ulpgate OR NOT Python3_FOUND)
  return()
endif()
set(page_folder ${CMAKE_CURRENT_BINARY_DIR}/page)
file(MAKE_DIRECTORY ${page_folder})
set(audit_folder ${CMAKE_CURRENT_BINARY_DIR}/audit)
set(page_results_golden ${CMAKE_CURRENT_SOURCE_DIR}/golden/run.jsonl)
set(page_results_default ${audit_folder}/default.jsonl)
set(page_results_sound ${audit_folder}/sound.jsonl)
set(page_needs_default whole_run)
set(page_needs_sound sound_run)
foreach(name golden default sound)
  foreach(format html junit)
    add_test(NAME report.${name}.${format} COMMAND ulpgate report --format ${format}
             -o ${page_folder}/${name}.${format} ${page_results_${name}})
    set_tests_properties(report.${name}.${format} PROPERTIES LABELS report
      FIXTURES_REQUIRED "${page_needs_${name}}" FIXTURES_SETUP page_${name})
  endforeach()
  add_test(NAME report.${name}.accessible COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_html.py
           ${page_folder}/${name}.html)
  set_tests_properties(report.${name}.accessible PROPERTIES LABELS report FIXTURES_REQUIRED page_${name})
endforeach()
foreach(name default sound)
  add_test(NAME report.${name}.agrees COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_report.py
           ${page_results_${name}} ${page_folder}/${name}.html ${page_folder}/${name}.junit)
  set_tests_properties(report.${name}.agrees PROPERTIES LABELS report FIXTURES_REQUIRED page_${name})
endforeach()
add_test(NAME report.browser COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/browse_html.py
         ${page_folder}/default.html)
set_tests_properties(report.browser PROPERTIES LABELS report FIXTURES_REQUIRED page_default SKIP_RETURN_CODE 77
  TIMEOUT 900)
add_test(NAME report.size COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/report_size.py
         $<TARGET_FILE:ulpgate> ${page_results_sound})
set_tests_properties(report.size PROPERTIES LABELS report FIXTURES_REQUIRED sound_run RUN_SERIAL ON TIMEOUT 300)

# The check itself must find what it is there for.
add_test(NAME report.accessible.catches COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/test_check_html.py
         ${page_folder}/golden.html)
set_tests_properties(report.accessible.catches PROPERTIES LABELS report FIXTURES_REQUIRED page_golden)

# The kept results of a device, with what it timed.
set(kept ${PROJECT_SOURCE_DIR}/docs/audits/h200)
find_program(UG_XZ xz)
if(UG_XZ AND EXISTS ${kept}/default.jsonl.xz AND EXISTS ${kept}/bench.jsonl.xz)
  add_test(NAME report.kept.html COMMAND sh -c "\"$1\" -dc \"$2/bench.jsonl.xz\" >\"$3.bench\" &&
    \"$1\" -dc \"$2/default.jsonl.xz\" | \"$4\" report --format html -o \"$3\" - \"$3.bench\""
    sh ${UG_XZ} ${kept} ${page_folder}/kept.html $<TARGET_FILE:ulpgate>)
  set_tests_properties(report.kept.html PROPERTIES LABELS report FIXTURES_SETUP page_kept TIMEOUT 300)
  add_test(NAME report.kept.accessible COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_html.py
           ${page_folder}/kept.html --plots)
  add_test(NAME report.kept.browser COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/browse_html.py
           ${page_folder}/kept.html)
  set_tests_properties(report.kept.accessible report.kept.browser PROPERTIES LABELS report
    FIXTURES_REQUIRED page_kept SKIP_RETURN_CODE 77 TIMEOUT 900)
endif()
if(EXISTS ${kept}/default.jsonl.xz AND EXISTS ${kept}/bench.jsonl.xz)
  add_test(NAME report.kept.advise COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_advise.py
           $<TARGET_FILE:ulpgate> ${kept}/default.jsonl.xz ${kept}/bench.jsonl.xz ${kept}/bench-variances.jsonl.xz)
  set_tests_properties(report.kept.advise PROPERTIES LABELS report TIMEOUT 1200)
endif()
