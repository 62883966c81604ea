# SPDX-License-Identifier: Apache-2.0
# The published comparisons of other suites.
if(TARGET ug_audit)
  ug_unit_test(test_peer ug_audit LABELS audit)
  ug_unit_test(test_cases_filler ug_cases)
endif()
