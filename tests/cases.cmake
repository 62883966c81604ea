# SPDX-License-Identifier: Apache-2.0
find_package(Python3 COMPONENTS Interpreter)
ug_unit_test(test_cases_parse ug_cases)
ug_unit_test(test_cases_generate ug_cases)
ug_unit_test(test_cases_suite ug_cases)
ug_unit_test(test_cases_condition ug_cases)
ug_unit_test(test_cases_tensor ug_cases LABELS fuzz)

if(Python3_FOUND)
  add_test(NAME unit.cases_digests COMMAND ${Python3_EXECUTABLE}
    ${CMAKE_CURRENT_SOURCE_DIR}/cases_digests.py ${CMAKE_CURRENT_SOURCE_DIR}/cases_digests.inc)
  set_tests_properties(unit.cases_digests PROPERTIES LABELS unit)
endif()
