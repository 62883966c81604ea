# SPDX-License-Identifier: Apache-2.0
if(TARGET ug_report)
  ug_unit_test(test_report_reader ug_report LABELS report)
  ug_unit_test(test_report_formats ug_report LABELS report)
  ug_unit_test(test_report_speed ug_report LABELS report)
endif()
