# SPDX-License-Identifier: Apache-2.0
# The cuda plugin, with and without a device. A sanitizer's runtime and the CUDA driver do not go together.
if(NOT CMOCKA_FOUND OR NOT TARGET ulpgate_cuda OR ULPGATE_SANITIZE)
  return()
endif()
foreach(test test_cuda_plugin test_cuda_kernels test_cuda_tiles)
  ug_unit_test(${test} ug_kernel_trial LABELS cuda)
  target_compile_definitions(${test} PRIVATE UG_CUDA_PLUGIN="$<TARGET_FILE:ulpgate_cuda>")
  # ug_kernel_trial is made in host.cmake, which is read after this file
  add_dependencies(${test} ulpgate_host ulpgate_cuda)
endforeach()
set_tests_properties(unit.test_cuda_kernels unit.test_cuda_tiles PROPERTIES LABELS "unit;cuda;gpu")
