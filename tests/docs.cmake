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
set(checked_pages getting-started interpreting-a-failure auditing-a-port)
find_program(UG_XZ xz) # what is kept is packed
if(UG_XZ)
  list(APPEND checked_pages choosing-a-variance)
endif()
set(update_pages "")
foreach(page ${checked_pages})
  set(check_page ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_docs.py $<TARGET_FILE:ulpgate>
      ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/docs/${page}.md)
  add_test(NAME docs.${page} COMMAND ${check_page})
  set_tests_properties(docs.${page} PROPERTIES LABELS docs TIMEOUT 600)
  list(APPEND update_pages COMMAND ${check_page} --update)
endforeach()
add_custom_target(docs-update ${update_pages} DEPENDS product
  COMMENT "Writing the output that pages show anew; review it, and the sentences around it" VERBATIM)
