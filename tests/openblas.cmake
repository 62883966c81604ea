# SPDX-License-Identifier: Apache-2.0
# The OpenBLAS plugin, loaded as the worker loads it; the file of real tensors.
if(TARGET ulpgate_openblas AND CMOCKA_FOUND)
  add_library(ug_openblas_harness STATIC openblas_harness.c)
  target_link_libraries(ug_openblas_harness PUBLIC ug_abi PkgConfig::CMOCKA ${CMAKE_DL_LIBS} m)
  target_include_directories(ug_openblas_harness PUBLIC ${OPENBLAS_INCLUDE_DIRS})
  target_compile_definitions(ug_openblas_harness
    PRIVATE UG_OPENBLAS_PLUGIN="$<TARGET_FILE:ulpgate_openblas>")
  add_dependencies(ug_openblas_harness ulpgate_openblas)
  ug_unit_test(test_openblas_values ug_openblas_harness LABELS openblas)
  ug_unit_test(test_openblas_contract ug_openblas_harness LABELS openblas)
  add_test(NAME unit.test_openblas_values.threads COMMAND test_openblas_values)
  set_tests_properties(unit.test_openblas_values.threads PROPERTIES
    LABELS "unit;openblas" ENVIRONMENT ULPGATE_OPENBLAS_THREADS=2)
endif()

if(EXISTS ${PROJECT_SOURCE_DIR}/cases/tensor.h AND CMOCKA_FOUND)
  ug_unit_test(test_openblas_real ug_cases LABELS cases)
  target_compile_definitions(test_openblas_real
    PRIVATE UG_REAL_FILE="${PROJECT_SOURCE_DIR}/cases/real/minilm.safetensors")
endif()
