# SPDX-License-Identifier: Apache-2.0
ug_unit_test(test_report_reader ug_report LABELS report)
ug_unit_test(test_report_formats ug_report LABELS report)
