# SPDX-License-Identifier: Apache-2.0
# Kernels of users: the project that `ulpgate new` writes, and what becomes of cards that lie.
if(NOT TARGET ulpgate)
  return()
endif()
add_test(NAME kit.new.host COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/kit_new.sh $<TARGET_FILE:ulpgate>
         ${PROJECT_SOURCE_DIR}/include host ${CMAKE_COMMAND})
add_test(NAME kit.new.cuda COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/kit_new.sh $<TARGET_FILE:ulpgate>
         ${PROJECT_SOURCE_DIR}/include cuda ${CMAKE_COMMAND})
add_test(NAME kit.new.refusals COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/kit_refusals.sh $<TARGET_FILE:ulpgate>
         ${PROJECT_SOURCE_DIR}/include ${CMAKE_COMMAND})
set_tests_properties(kit.new.host kit.new.cuda kit.new.refusals PROPERTIES LABELS kit SKIP_RETURN_CODE 77 TIMEOUT 600)

# Installing needs all that is installed: these run in whole builds.
if(NOT ULPGATE_SANITIZE)
  add_test(NAME kit.package COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/package.sh ${CMAKE_COMMAND} ${PROJECT_BINARY_DIR})
  set_tests_properties(kit.package PROPERTIES LABELS kit TIMEOUT 1200 PROCESSORS 2)
endif()

# Sources for <<<>>>: what is read, what is refused, and the faults that show without a GPU.
set(rewritten ${CMAKE_CURRENT_BINARY_DIR}/syntax.cu.cpp)
add_custom_command(OUTPUT ${rewritten} DEPENDS ulpgate-rewrite rewrite/syntax.cu rewrite/block.cuh rewrite/warp.cuh
  VERBATIM COMMAND ulpgate-rewrite -I ${CMAKE_CURRENT_SOURCE_DIR} -o ${rewritten}
  ${CMAKE_CURRENT_SOURCE_DIR}/rewrite/syntax.cu)
set(runtime ${PROJECT_BINARY_DIR}/lib/ulpgate/host_cuda.o)
add_executable(test_rewrite_syntax ${rewritten})
add_dependencies(test_rewrite_syntax ulpgate_host_cuda)
target_include_directories(test_rewrite_syntax PRIVATE ${PROJECT_SOURCE_DIR}/host/cuda/include)
target_link_libraries(test_rewrite_syntax PRIVATE ${runtime} ug_abi Threads::Threads)
if(NOT ULPGATE_BOOST_CONTEXT_STATIC)
  target_link_libraries(test_rewrite_syntax PRIVATE Boost::context)
endif()
target_compile_options(test_rewrite_syntax PRIVATE -Wno-unknown-pragmas -fno-sanitize=all)
set_property(TARGET test_rewrite_syntax APPEND PROPERTY LINK_DEPENDS ${runtime})
add_test(NAME kit.rewrite.syntax COMMAND test_rewrite_syntax)
add_test(NAME kit.rewrite.refusals COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/rewrite/refusals.sh
         $<TARGET_FILE:ulpgate-rewrite> ${CMAKE_CURRENT_SOURCE_DIR}/rewrite/syntax.cu)
set_tests_properties(kit.rewrite.syntax kit.rewrite.refusals PROPERTIES LABELS kit TIMEOUT 600)
if(NOT ULPGATE_SANITIZE)
  add_test(NAME kit.rewrite.faults COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/rewrite/faults.sh $<TARGET_FILE:ulpgate>
           ${CMAKE_COMMAND})
  set_tests_properties(kit.rewrite.faults PROPERTIES LABELS kit TIMEOUT 1200 PROCESSORS 2)
endif()

# The examples, each with the verdict that its page states.
if(Python3_FOUND AND NOT ULPGATE_SANITIZE)
  foreach(example naive inplace fixed)
    add_test(NAME kit.example.${example} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/examples.sh $<TARGET_FILE:ulpgate>
             ${CMAKE_COMMAND} ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/examples/${example})
    set_tests_properties(kit.example.${example} PROPERTIES LABELS kit TIMEOUT 1200 PROCESSORS 2)
  endforeach()
endif()

# The public headers ask no more of a compiler than C99 or C++11.
foreach(header kernel dtype)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/header_${header}.c CONTENT "#include <ulpgate/${header}.h>\n")
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/header_${header}.cpp CONTENT "#include <ulpgate/${header}.h>\n")
endforeach()
add_library(public_headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/header_kernel.c ${CMAKE_CURRENT_BINARY_DIR}/header_dtype.c
  ${CMAKE_CURRENT_BINARY_DIR}/header_kernel.cpp ${CMAKE_CURRENT_BINARY_DIR}/header_dtype.cpp)
target_include_directories(public_headers PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_compile_options(public_headers PRIVATE -pedantic -Werror)
set_target_properties(public_headers PROPERTIES C_STANDARD 99 CXX_STANDARD 11)
add_library(abi_layout OBJECT abi_layout.c)
target_link_libraries(abi_layout PRIVATE ug_abi)
