# SPDX-License-Identifier: Apache-2.0
# Mutants under the sanitizers on the CPU executor: the report names the line of the kernel source.
if(NOT TARGET ulpgate_mutants)
  return()
endif()

# ug_mutant_sanitized(LABEL SANITIZER PLUGIN MUTANT REPORT): the run must print REPORT; "" for no report at all.
function(ug_mutant_sanitized label sanitizer plugin mutant report)
  if(NOT TARGET host_sanitizer_${sanitizer}_executor)
    return()
  endif()
  set(name ${label}_${mutant})
  string(REPLACE "-" "_" word ${mutant})
  add_executable(${name} mutants/sanitized.cpp ${PROJECT_SOURCE_DIR}/host/limits.cpp
    ${CMAKE_CURRENT_BINARY_DIR}/${plugin}/${mutant}/unit.cpp)
  add_dependencies(${name} ${plugin}_sources)
  target_link_libraries(${name} PRIVATE host_sanitizer_${sanitizer}_executor)
  target_compile_definitions(${name} PRIVATE UG_MUTANT=ug_mutant_${word})
  target_compile_options(${name} PRIVATE -O1 -g -w -fno-strict-aliasing -fsanitize=${sanitizer} -fno-omit-frame-pointer)
  target_link_options(${name} PRIVATE -fsanitize=${sanitizer})
  add_test(NAME ${label}.${mutant} COMMAND ${name})
  set_tests_properties(${label}.${mutant} PROPERTIES LABELS "${label};sanitizer;mutants" TIMEOUT 120
    SKIP_REGULAR_EXPRESSION "unexpected memory mapping;does not work properly")
  if(report STREQUAL "")
    set_tests_properties(${label}.${mutant} PROPERTIES FAIL_REGULAR_EXPRESSION "Sanitizer")
  else()
    set_tests_properties(${label}.${mutant} PROPERTIES PASS_REGULAR_EXPRESSION "${report}")
  endif()
endfunction()

ug_mutant_sanitized(race thread ulpgate_mutants_right eps-first "")
ug_mutant_sanitized(race thread ulpgate_mutants race-first-barrier-missing "data race.*reduce\\.cuh:[0-9]+")
ug_mutant_sanitized(race thread ulpgate_mutants race-second-barrier-missing "data race.*reduce\\.cuh:[0-9]+")
ug_mutant_sanitized(race thread ulpgate_mutants race-slot-reused "data race.*reduce\\.cuh:[0-9]+")
ug_mutant_sanitized(race thread ulpgate_mutants race-staged-by-others "data race.*fused\\.cu:[0-9]+")
ug_mutant_sanitized(asan address ulpgate_mutants_right eps-first "")
ug_mutant_sanitized(asan address ulpgate_mutants tail-next-row-read "heap-buffer-overflow.*split\\.cu:[0-9]+")
ug_mutant_sanitized(asan address ulpgate_mutants tail-next-row-written "heap-buffer-overflow.*split\\.cu:[0-9]+")
ug_mutant_sanitized(asan address ulpgate_mutants tail-next-vector-written
  "heap-buffer-overflow.*(vec4\\.cu|element\\.cuh):[0-9]+")
