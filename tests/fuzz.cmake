# SPDX-License-Identifier: Apache-2.0
# Readers of what others write, on damaged input. A short run by a fixed seed; with clang and -DULPGATE_FUZZ=ON the same
# targets are libFuzzer programs (TESTING.md).
option(ULPGATE_FUZZ "Link the fuzz targets with libFuzzer (clang only)" OFF)

# What is fuzzed has to be instrumented too, or coverage says nothing.
if(ULPGATE_FUZZ)
  foreach(room ug_cases ug_report)
    target_compile_options(${room} PRIVATE -fsanitize=fuzzer-no-link,address,undefined)
    target_link_options(${room} INTERFACE -fsanitize=address,undefined)
  endforeach()
endif()

# ug_fuzz_target(NAME RUNS LIBRARY CORPUS...)
function(ug_fuzz_target name runs library)
  set(target fuzz_${name})
  set(folders ${ARGN})
  list(TRANSFORM folders PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/)
  add_executable(${target} fuzz/${target}.c fuzz/support.c)
  target_link_libraries(${target} PRIVATE ${library} m)
  if(ULPGATE_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer,address,undefined)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer,address,undefined)
  else()
    target_sources(${target} PRIVATE fuzz/driver.c)
  endif()
  add_test(NAME fuzz.${name} COMMAND ${target} -runs=${runs} -seed=1 ${folders})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 600)
endfunction()

ug_fuzz_target(case 300000 ug_cases case)
ug_fuzz_target(suite 30000 ug_cases suite case)
ug_fuzz_target(tensor 500000 ug_cases npy safetensors)
ug_fuzz_target(results 20000 ug_report results)
