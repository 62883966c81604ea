# SPDX-License-Identifier: Apache-2.0
# Judging through files: a small program answers exported cases with a plugin's kernels.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(TARGET ulpgate AND TARGET ulpgate_host AND Python3_FOUND)
  add_executable(exchange_driver exchange_driver.c)
  target_link_libraries(exchange_driver PRIVATE ug_cases ug_abi PkgConfig::JANSSON ${CMAKE_DL_LIBS} m)
  add_test(NAME exchange.files
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/test_exchange.py
      $<TARGET_FILE:ulpgate> $<TARGET_FILE:exchange_driver> $<TARGET_FILE:ulpgate_host>)
  set_tests_properties(exchange.files PROPERTIES LABELS "exchange;cli" TIMEOUT 600)
endif()
