# SPDX-License-Identifier: Apache-2.0
# Metrics, classes, gates and records.
if(TARGET ug_reference)
  ug_unit_test(test_measure_values ug_audit ug_reference LABELS audit)
endif()
ug_unit_test(test_gate_text ug_audit LABELS audit)
