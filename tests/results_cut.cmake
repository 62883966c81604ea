# SPDX-License-Identifier: Apache-2.0
# A results file cut anywhere: nothing crashes and nothing is told that was not run.
if(NOT TARGET ulpgate OR NOT CMOCKA_FOUND)
  return()
endif()
set(cut_file ${CMAKE_CURRENT_BINARY_DIR}/cut.jsonl)
set(cut_options --case "layernorm n=8 rows=2" --case "layernorm n=5 rows=1 gamma=none" --kernel host:split/sum2
    --jobs 1)
add_test(NAME fuzz.cut.file COMMAND ulpgate run -q --out ${cut_file} ${cut_options})
set_tests_properties(fuzz.cut.file PROPERTIES LABELS fuzz FIXTURES_SETUP cut_file)
ug_unit_test(test_cut_report ug_report LABELS fuzz)
set_tests_properties(unit.test_cut_report PROPERTIES FIXTURES_REQUIRED cut_file ENVIRONMENT UG_CUT_FILE=${cut_file})
ug_unit_test(test_cut_resume ug_audit_fixture LABELS fuzz)
if(Python3_FOUND)
  add_test(NAME fuzz.cut.program COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_cut.py
           $<TARGET_FILE:ulpgate> ${cut_file} ${cut_options})
  set_tests_properties(fuzz.cut.program PROPERTIES LABELS fuzz FIXTURES_REQUIRED cut_file)
endif()
