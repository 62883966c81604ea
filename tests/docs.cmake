# SPDX-License-Identifier: Apache-2.0
# Pages show commands that run, and output that they print.
if(NOT TARGET ulpgate OR NOT Python3_FOUND)
  return()
endif()
foreach(page getting-started interpreting-a-failure auditing-a-port)
  add_test(NAME docs.${page} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_docs.py
           $<TARGET_FILE:ulpgate> ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/docs/${page}.md)
  set_tests_properties(docs.${page} PROPERTIES LABELS docs TIMEOUT 300)
endforeach()
