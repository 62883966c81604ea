# SPDX-License-Identifier: Apache-2.0
ug_unit_test(test_cases_parse ug_cases)
ug_unit_test(test_cases_generate ug_cases)
ug_unit_test(test_cases_suite ug_cases)
ug_unit_test(test_cases_condition ug_cases)
ug_unit_test(test_cases_tensor ug_cases LABELS fuzz)
