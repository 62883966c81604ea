# SPDX-License-Identifier: Apache-2.0
# Judging through files: a small program answers exported cases with a plugin's kernels, and Python callables do.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(TARGET ulpgate AND TARGET ulpgate_host AND Python3_FOUND)
  add_executable(exchange_driver exchange_driver.c)
  target_link_libraries(exchange_driver PRIVATE ug_cases ug_abi PkgConfig::JANSSON ${CMAKE_DL_LIBS} m)
  add_test(NAME exchange.files
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/test_exchange.py
      $<TARGET_FILE:ulpgate> $<TARGET_FILE:exchange_driver> $<TARGET_FILE:ulpgate_host>)
  add_test(NAME exchange.python
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/test_python.py $<TARGET_FILE:ulpgate>)
  set_tests_properties(exchange.files exchange.python PROPERTIES LABELS "exchange;cli" TIMEOUT 600)

  # With PyTorch where it is; nothing here installs it.
  set(ULPGATE_TORCH_PYTHON ${Python3_EXECUTABLE} CACHE FILEPATH "Python that can import torch, for the tests with it")
  foreach(device cpu cuda)
    add_test(NAME exchange.torch.${device}
      COMMAND ${ULPGATE_TORCH_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/test_torch.py $<TARGET_FILE:ulpgate> ${device})
    set_tests_properties(exchange.torch.${device} PROPERTIES LABELS "exchange;torch" TIMEOUT 600 SKIP_RETURN_CODE 77)
  endforeach()
  foreach(example pytorch-cpu pytorch-cuda triton liger)
    add_test(NAME examples.${example} COMMAND ${ULPGATE_TORCH_PYTHON}
      ${PROJECT_SOURCE_DIR}/examples/${example}/audit.py --ulpgate $<TARGET_FILE:ulpgate>)
    set_tests_properties(examples.${example} PROPERTIES LABELS "examples;torch" TIMEOUT 600 SKIP_RETURN_CODE 77)
  endforeach()
endif()
