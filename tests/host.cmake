# SPDX-License-Identifier: Apache-2.0
# Kernels on the CPU executor, and the executor itself.
if(NOT CMOCKA_FOUND)
  return()
endif()
add_library(ug_kernel_trial STATIC kernel_trial.c kernel_model.c)
target_link_libraries(ug_kernel_trial PUBLIC ug_abi m ${CMAKE_DL_LIBS})
target_compile_definitions(ug_kernel_trial PUBLIC UG_HOST_PLUGIN="$<TARGET_FILE:ulpgate_host>")
target_include_directories(ug_kernel_trial PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})

foreach(test test_host_kernels test_host_paths test_host_full)
  ug_unit_test(${test} ug_kernel_trial LABELS host)
  add_dependencies(${test} ulpgate_host)
endforeach()

# One more structure and one more variance, one file each, in a plugin of their own.
include(${PROJECT_SOURCE_DIR}/cuda/sources.cmake)
set(extra_lists ${CMAKE_CURRENT_BINARY_DIR}/host_extra)
ug_kernel_lists(${extra_lists} ${PROJECT_SOURCE_DIR}/cuda ${CMAKE_CURRENT_SOURCE_DIR}/host_extra)
set_source_files_properties(${UG_STRUCTURE_SOURCES} PROPERTIES LANGUAGE CXX)
add_library(host_extra_kernels MODULE ${PROJECT_SOURCE_DIR}/host/plugin.cpp ${PROJECT_SOURCE_DIR}/cuda/plan.cpp
  ${PROJECT_SOURCE_DIR}/cuda/choice.cpp ${PROJECT_SOURCE_DIR}/cuda/best.cpp
  ${PROJECT_SOURCE_DIR}/cuda/registry.cpp ${UG_STRUCTURE_SOURCES})
target_include_directories(host_extra_kernels PRIVATE ${extra_lists})
target_link_libraries(host_extra_kernels PRIVATE ug_executor)
target_compile_options(host_extra_kernels PRIVATE -fno-strict-aliasing -O0)
target_link_options(host_extra_kernels PRIVATE -Wl,-z,nodelete -Wl,-z,defs)
set_target_properties(host_extra_kernels PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
ug_unit_test(test_host_extra ug_kernel_trial LABELS host)
target_compile_definitions(test_host_extra PRIVATE UG_EXTRA_PLUGIN="$<TARGET_FILE:host_extra_kernels>")
add_dependencies(test_host_extra ulpgate_host host_extra_kernels)

foreach(test test_host_executor test_host_clusters test_host_unaligned test_host_quick test_host_finer
    test_host_narrow test_host_doubt test_host_warm)
  add_executable(${test} ${test}.cpp)
  target_link_libraries(${test} PRIVATE ug_executor PkgConfig::CMOCKA)
  add_test(NAME unit.${test} COMMAND ${test})
  set_tests_properties(unit.${test} PROPERTIES LABELS "unit;host" TIMEOUT 120)
endforeach()

# Whatever the build type: the fault that it is for was GCC's at -O3 alone.
target_compile_options(test_host_unaligned PRIVATE -O3)

# The sanitizer builds of the executor, whatever ULPGATE_SANITIZE says: kernels instrumented, the executor not.
include(CheckCXXSourceCompiles)
set(ug_executor_sources executor.cpp block.cpp block_setup.cpp shared.cpp)
list(TRANSFORM ug_executor_sources PREPEND ${PROJECT_SOURCE_DIR}/host/)

function(ug_sanitizer_test sanitizer define)
  set(CMAKE_REQUIRED_FLAGS -fsanitize=${sanitizer})
  check_cxx_source_compiles("int main() { return 0; }" UG_HAVE_${define})
  if(NOT UG_HAVE_${define})
    add_test(NAME sanitizer.${sanitizer} COMMAND ${CMAKE_COMMAND} -E echo "no runtime of -fsanitize=${sanitizer}")
    set_tests_properties(sanitizer.${sanitizer} PROPERTIES
      LABELS sanitizer SKIP_REGULAR_EXPRESSION "no runtime")
    return()
  endif()
  set(name host_sanitizer_${sanitizer})
  add_library(${name}_executor OBJECT ${ug_executor_sources})
  target_link_libraries(${name}_executor PUBLIC ug_abi Boost::context Threads::Threads)
  target_compile_options(${name}_executor PRIVATE -fno-sanitize=all)
  target_compile_definitions(${name}_executor PRIVATE ${define})
  add_executable(${name} host_sanitizer.cpp)
  target_link_libraries(${name} PRIVATE ${name}_executor)
  # SHELL: keeps the two together, or the flag that the whole build may have would be taken for the same one.
  target_compile_options(${name} PRIVATE "SHELL:-fno-sanitize=all -fsanitize=${sanitizer}" -fno-omit-frame-pointer -g)
  target_link_options(${name} PRIVATE "SHELL:-fno-sanitize=all -fsanitize=${sanitizer}")
endfunction()

# ug_sanitizer_run(SANITIZER FAULT REPORT): the program with that fault must print REPORT; "" for none at all.
function(ug_sanitizer_run sanitizer fault report)
  set(name host_sanitizer_${sanitizer})
  if(NOT TARGET ${name})
    return()
  endif()
  set(test sanitizer.${sanitizer}.${fault})
  add_test(NAME ${test} COMMAND ${name} ${fault})
  set_tests_properties(${test} PROPERTIES LABELS sanitizer TIMEOUT 120
    SKIP_REGULAR_EXPRESSION "unexpected memory mapping;does not work properly")
  if(report STREQUAL "")
    set_tests_properties(${test} PROPERTIES FAIL_REGULAR_EXPRESSION "Sanitizer")
  else()
    set_tests_properties(${test} PROPERTIES PASS_REGULAR_EXPRESSION "${report}")
  endif()
endfunction()

ug_sanitizer_test(thread UG_FIBER_TSAN)
ug_sanitizer_run(thread right "")
ug_sanitizer_run(thread race "data race.*host_sanitizer.cpp:(26|32)")
# Rows of `exact` on the same executor.
if(TARGET host_sanitizer_thread)
  add_executable(host_race_exact host_race_exact.cpp)
  target_link_libraries(host_race_exact PRIVATE host_sanitizer_thread_executor)
  target_compile_options(host_race_exact PRIVATE
    "SHELL:-fno-sanitize=all -fsanitize=thread" -fno-omit-frame-pointer -g -fno-strict-aliasing)
  target_link_options(host_race_exact PRIVATE "SHELL:-fno-sanitize=all -fsanitize=thread")
  add_test(NAME sanitizer.thread.exact COMMAND host_race_exact right)
  set_tests_properties(sanitizer.thread.exact PROPERTIES LABELS "sanitizer;race" TIMEOUT 120
    FAIL_REGULAR_EXPRESSION "Sanitizer" SKIP_REGULAR_EXPRESSION "unexpected memory mapping;does not work properly")
endif()
ug_sanitizer_test(address UG_FIBER_ASAN)
ug_sanitizer_run(address right "")
ug_sanitizer_run(address static "heap-buffer-overflow.*host_sanitizer.cpp:27")
ug_sanitizer_run(address dynamic "heap-buffer-overflow.*host_sanitizer.cpp:28")
