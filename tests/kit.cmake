# SPDX-License-Identifier: Apache-2.0
# Kernels of users: the project that `ulpgate new` writes, and what becomes of cards that lie.
if(NOT TARGET ulpgate)
  return()
endif()
add_test(NAME kit.new.host COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/kit_new.sh $<TARGET_FILE:ulpgate>
         ${PROJECT_SOURCE_DIR}/include host ${CMAKE_COMMAND})
add_test(NAME kit.new.cuda COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/kit_new.sh $<TARGET_FILE:ulpgate>
         ${PROJECT_SOURCE_DIR}/include cuda ${CMAKE_COMMAND})
add_test(NAME kit.new.refusals COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/kit_refusals.sh $<TARGET_FILE:ulpgate>)
set_tests_properties(kit.new.host kit.new.cuda kit.new.refusals PROPERTIES LABELS kit SKIP_RETURN_CODE 77 TIMEOUT 600)

# Installing needs all that is installed: these run in whole builds.
if(NOT ULPGATE_SANITIZE)
  add_test(NAME kit.package COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/package.sh ${CMAKE_COMMAND} ${PROJECT_BINARY_DIR})
  set_tests_properties(kit.package PROPERTIES LABELS kit TIMEOUT 600 PROCESSORS 2)
endif()
