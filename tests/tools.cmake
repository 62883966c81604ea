# SPDX-License-Identifier: Apache-2.0
# The helpers of tools/ that judge something.
if(NOT Python3_FOUND)
  return()
endif()
foreach(test test_resources test_profile)
  add_test(NAME tools.${test} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/${test}.py)
  set_tests_properties(tools.${test} PROPERTIES LABELS "unit;tools")
endforeach()

# Python loads plugins here, and one that is built with a sanitizer would want its runtime before anything else.
if(TARGET ulpgate_host AND TARGET ulpgate AND NOT ULPGATE_SANITIZE)
  add_test(NAME tools.test_peers COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/test_peers.py
           $<TARGET_FILE:ulpgate_host> $<TARGET_FILE:ulpgate>)
  set_tests_properties(tools.test_peers PROPERTIES LABELS "unit;tools")
endif()

# What a profiler would watch, on the device that the tests of the judge use.
if(TARGET test_plugin_device AND NOT ULPGATE_SANITIZE)
  add_test(NAME tools.launch COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/profile/launch.py
           --plugin $<TARGET_FILE:test_plugin_device> --plan ${CMAKE_CURRENT_SOURCE_DIR}/data/plan.json)
  set_tests_properties(tools.launch PROPERTIES LABELS "unit;tools" FAIL_REGULAR_EXPRESSION "launch.py:")
endif()

# Registers and spills of the kernels as built; the same rule fails the build itself.
if(TARGET ulpgate_cuda)
  add_test(NAME cuda.registers COMMAND_EXPAND_LISTS
           COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/resources.py table --no-spill ${ULPGATE_NO_SPILL}
           $<TARGET_OBJECTS:ulpgate_cuda>)
  set_tests_properties(cuda.registers PROPERTIES LABELS "tools")
endif()
