# SPDX-License-Identifier: Apache-2.0
# Pages show commands that run, and output that they print; what they lead to is there.
if(NOT Python3_FOUND)
  return()
endif()
add_test(NAME docs.links COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_links.py ${PROJECT_SOURCE_DIR})
set_tests_properties(docs.links PROPERTIES LABELS docs)
if(NOT TARGET ulpgate)
  return()
endif()
foreach(page getting-started interpreting-a-failure auditing-a-port)
  add_test(NAME docs.${page} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_docs.py
           $<TARGET_FILE:ulpgate> ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/docs/${page}.md)
  set_tests_properties(docs.${page} PROPERTIES LABELS docs TIMEOUT 300)
endforeach()
