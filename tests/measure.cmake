# SPDX-License-Identifier: Apache-2.0
# Metrics, classes, gates and records.
if(TARGET ug_reference)
  foreach(name test_measure_values test_measure_class test_measure_rows test_gate_judge)
    ug_unit_test(${name} ug_audit ug_reference LABELS audit)
  endforeach()
endif()
ug_unit_test(test_gate_text ug_audit LABELS audit)
ug_unit_test(test_measure_text ug_audit LABELS audit)
if(TARGET ug_cases AND TARGET ug_reference)
  ug_unit_test(test_measure_record ug_audit ug_cases ug_reference LABELS audit)
endif()
