# SPDX-License-Identifier: Apache-2.0
# CUDA plugins without a GPU.
#
#   ulpgate_host_cuda(TARGET SOURCES file... [INCLUDES folder...] [DEFINITIONS name[=value]...] [SANITIZE])
#
# Builds the plugin TARGET from the very sources of a CUDA plugin: `.cu` files, and the headers beside them and in
# INCLUDES that they include, are rewritten for a C++ compiler (launches, __shared__, indices), and run on the CPU executor.
# What is not supported is an error with file and line. The backend's name ends with -host. ULPGATE_HOST_CUDA is defined.
# With SANITIZE, two CTest entries more, TARGET.asan and TARGET.tsan: every kernel on memory of exactly the right size,
# for out-of-bounds accesses and races in shared and global memory. Needs C++20 (GCC 10, Clang 14).

# Rewritten sources of one .cu file: C++ in the caller's list `out`.
function(_ulpgate_rewrite target file includes out)
  get_filename_component(source "${file}" ABSOLUTE)
  if(NOT EXISTS "${source}")
    message(FATAL_ERROR "ulpgate_host_cuda(${target}): there is no file ${source}")
  endif()
  get_filename_component(stem "${file}" NAME)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/ulpgate/${target}")
  file(MAKE_DIRECTORY "${folder}")
  set(result "${folder}/${stem}.cpp")
  set(flags "")
  foreach(include IN LISTS includes)
    list(APPEND flags -I "${include}")
  endforeach()
  add_custom_command(OUTPUT "${result}" DEPENDS "${source}" "${ulpgate_REWRITE}" DEPFILE "${result}.d" VERBATIM
    COMMAND "${ulpgate_REWRITE}" ${flags} -d "${result}.d" -o "${result}" "${source}"
    COMMENT "Rewriting ${file} for the CPU executor")
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

# What the plugin and its sanitizer programs have in common.
function(_ulpgate_host_cuda_target target make includes definitions)
  set(object "${ulpgate_PLUGIN_DIR}/host_cuda${make}.o")
  target_link_libraries(${target} PRIVATE "${object}" ulpgate::kernel Threads::Threads ${ulpgate_HOST_CUDA_LIBRARIES})
  target_include_directories(${target} BEFORE PRIVATE ${ulpgate_HOST_CUDA_INCLUDES} ${includes})
  # The object has an ulpgate_plugin() of its own, which wraps that of the sources.
  target_compile_definitions(${target} PRIVATE ULPGATE_HOST_CUDA=1 _GNU_SOURCE ${definitions}
    ulpgate_plugin=ug_host_user_plugin)
  target_compile_options(${target} PRIVATE -ffp-contract=off -fno-strict-aliasing -Wno-unknown-pragmas -g)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${object}")
endfunction()

# A program that a sanitizer watches, and its test.
function(_ulpgate_sanitize target make word sources includes definitions)
  set(name ${target}_${word})
  add_executable(${name} ${sources} "${ulpgate_HOST_CUDA_SANITIZE}")
  _ulpgate_host_cuda_target(${name} -${make} "${includes}" "${definitions}")
  target_compile_options(${name} PRIVATE -fsanitize=${make} -fno-omit-frame-pointer -O1)
  target_link_options(${name} PRIVATE -fsanitize=${make})
  add_test(NAME ${target}.${word} COMMAND ${name})
  set_tests_properties(${target}.${word} PROPERTIES LABELS "ulpgate;${target};sanitizer" SKIP_RETURN_CODE 77 TIMEOUT 300
    SKIP_REGULAR_EXPRESSION "unexpected memory mapping;does not work properly"
    ENVIRONMENT "TSAN_OPTIONS=halt_on_error=1")
endfunction()

function(ulpgate_host_cuda target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SANITIZE" "" "SOURCES;INCLUDES;DEFINITIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ulpgate_host_cuda(${target}): unknown argument '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "ulpgate_host_cuda(${target}): SOURCES is missing")
  endif()
  if(NOT CMAKE_CXX_COMPILER_LOADED)
    message(FATAL_ERROR "ulpgate_host_cuda(${target}): the project has to enable CXX")
  endif()
  find_package(Threads REQUIRED)
  set(includes "")
  foreach(folder IN LISTS arg_INCLUDES)
    get_filename_component(folder "${folder}" ABSOLUTE)
    list(APPEND includes "${folder}")
  endforeach()
  set(sources "")
  foreach(file IN LISTS arg_SOURCES)
    if(file MATCHES "\\.cu$")
      _ulpgate_rewrite(${target} "${file}" "${includes}" file)
    endif()
    get_filename_component(file "${file}" ABSOLUTE)
    list(APPEND sources "${file}")
  endforeach()
  add_library(${target} MODULE ${sources})
  set_target_properties(${target} PROPERTIES PREFIX "")
  _ulpgate_host_cuda_target(${target} "" "${includes}" "${arg_DEFINITIONS}")
  # Programs compile the same files again; the rewriting is done once.
  if(arg_SANITIZE)
    foreach(make address thread)
      string(SUBSTRING ${make} 0 1 word)
      _ulpgate_sanitize(${target} ${make} ${word}san "${sources}" "${includes}" "${arg_DEFINITIONS}")
      add_dependencies(${target}_${word}san ${target})
    endforeach()
  endif()
endfunction()
