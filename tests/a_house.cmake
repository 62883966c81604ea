# SPDX-License-Identifier: Apache-2.0
# The house rules as a test; first, since it also finds Python for the files after it.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME house.lint COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/lint.py ${PROJECT_SOURCE_DIR})
  set_tests_properties(house.lint PROPERTIES LABELS "unit")
endif()
