# SPDX-License-Identifier: Apache-2.0
# Kernels on the CPU executor, and the executor itself.
if(NOT CMOCKA_FOUND)
  return()
endif()
add_library(ug_kernel_trial STATIC kernel_trial.c kernel_model.c)
target_link_libraries(ug_kernel_trial PUBLIC ug_abi m ${CMAKE_DL_LIBS})
target_compile_definitions(ug_kernel_trial PUBLIC
  UG_HOST_PLUGIN="$<TARGET_FILE:ulpgate_host>")
target_include_directories(ug_kernel_trial PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})

foreach(test test_host_kernels test_host_paths)
  ug_unit_test(${test} ug_kernel_trial)
  add_dependencies(${test} ulpgate_host)
endforeach()
