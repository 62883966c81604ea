# SPDX-License-Identifier: Apache-2.0
# Kernels with one planted fault each, as a plugin: every one must be caught.
if(NOT Python3_FOUND)
  message(WARNING "Python 3 was not found: no mutants are built")
  return()
endif()
if(ULPGATE_SANITIZE) # a sanitizer ends what the judge is to catch
  return()
endif()

# ug_mutant_plugin(NAME FILE...): builds the plugin NAME from mutant files, its list beside it as NAME.json. A search
# text that no longer matches fails the build.
function(ug_mutant_plugin name)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set(tool ${CMAKE_CURRENT_SOURCE_DIR}/mutants/mutate.py)
  set(units "")
  foreach(file ${ARGN})
    cmake_path(GET file STEM mutant)
    set(unit ${made}/${mutant}/unit.cpp)
    list(APPEND units ${unit})
    set_source_files_properties(${unit} PROPERTIES GENERATED ON INCLUDE_DIRECTORIES ${made}/${mutant})
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cuda/*.c* ${PROJECT_SOURCE_DIR}/cuda/*.h)
  set(list ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/lib${name}.json)
  add_custom_command(OUTPUT ${made}/stamp
    COMMAND ${Python3_EXECUTABLE} ${tool} ${PROJECT_SOURCE_DIR} ${made} ${ARGN}
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${made}/mutants.json ${list}
    COMMAND ${CMAKE_COMMAND} -E touch ${made}/stamp
    DEPENDS ${tool} ${ARGN} ${sources}
    BYPRODUCTS ${units} ${made}/mutants.h ${list}
    COMMENT "Planting faults for ${name}")
  add_custom_target(${name}_sources DEPENDS ${made}/stamp)
  add_library(${name} MODULE mutants/plugin.cpp ${units})
  add_dependencies(${name} ${name}_sources)
  target_include_directories(${name} PRIVATE ${made})
  target_link_libraries(${name} PRIVATE ug_executor)
  # Optimised enough to run fast, little enough to build fast. A device faults on a misaligned vector: so do these.
  target_compile_options(${name} PRIVATE -O1 -g0 -fno-strict-aliasing -w
    -fsanitize=alignment -fsanitize-undefined-trap-on-error)
  target_link_options(${name} PRIVATE -Wl,-z,nodelete -Wl,-z,defs)
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

file(GLOB mutants CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/mutants/*.mutant)
ug_mutant_plugin(ulpgate_mutants ${mutants})
file(GLOB right_mutants CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/mutants/right/*.mutant)
ug_mutant_plugin(ulpgate_mutants_right ${right_mutants})

add_test(NAME mutants.refused COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_mutate.py
         ${CMAKE_CURRENT_SOURCE_DIR}/mutants/mutate.py)
set_tests_properties(mutants.refused PROPERTIES LABELS mutants)
if(NOT TARGET ulpgate)
  return()
endif()

# All die in the default tier; a right kernel among them is noticed; the page says what catches each.
set(page ${PROJECT_SOURCE_DIR}/docs/mutants.md)
set(fresh_page ${CMAKE_CURRENT_BINARY_DIR}/mutants.md)
add_test(NAME mutants.killed COMMAND ulpgate mutants --format md --out ${fresh_page})
set_tests_properties(mutants.killed PROPERTIES LABELS mutants TIMEOUT 300 PROCESSORS 2 FIXTURES_SETUP fresh_page)
add_test(NAME mutants.page COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_page.py
         ${page} ${fresh_page})
set_tests_properties(mutants.page PROPERTIES LABELS mutants FIXTURES_REQUIRED fresh_page)
ug_exit_test(mutants.right_survives 1 $<TARGET_FILE:ulpgate> mutants --tier smoke
             $<TARGET_FILE:ulpgate_mutants_right>)
set_tests_properties(mutants.right_survives PROPERTIES LABELS mutants TIMEOUT 300 PROCESSORS 2)
ug_exit_test(mutants.none 77 $<TARGET_FILE:ulpgate> mutants ${CMAKE_CURRENT_BINARY_DIR}/nothing.so)
set_tests_properties(mutants.none PROPERTIES LABELS mutants)

# Faults of many kinds come down to the smallest case that can show them, and their programs show them. The lengths: a
# tail from n = 1 on; two values for a variance; an operand of 33 floats no longer fits a 256-byte unit with what lies
# behind it; more than one warp from 4 x 32 + 1 on; more than one vector a thread from 4 x 128 + 4 on.
if(TARGET ulpgate_host)
  add_test(NAME shrink.faults COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_shrink.py
           $<TARGET_FILE:ulpgate> $<TARGET_FILE:ulpgate_mutants> $<TARGET_FILE:ulpgate_host>
           ${PROJECT_SOURCE_DIR}/include
           tail-unwritten=1 tail-next-row-written=1 canc-one-pass=2 eps-omitted=1 stride-ignored=1:2
           affine-absent-beta-from-neighbour=33 write-last-row-missing=1:2 naninf-zeroed=1 alias-in-place-hazard=1
           idx-byte-offset-in-32-bits=1:2 launch-no-grid-stride=1:3 stats-mean-unwritten=1
           stride-of-columns-ignored=2
           race-first-barrier-missing=129 batch-counter-not-reset=516)
  set_tests_properties(shrink.faults PROPERTIES LABELS mutants TIMEOUT 900 PROCESSORS 2)
endif()
# What ends a process or a device, and what stays within a device's memory.
set(shrink_wrong throws=1 exits=1 stack=1 loops=1 in_front=1 behind_mean=1 declines_late=1 undeclared=1 place=1:2)
set(shrink_device writes_far=1 writes_behind=1 writes_x=1 faults=1)
foreach(plugin wrong device)
  if(TARGET test_plugin_${plugin})
    set(plugin_file $<TARGET_FILE:test_plugin_${plugin}>)
    add_test(NAME shrink.${plugin} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_shrink.py
             $<TARGET_FILE:ulpgate> ${plugin_file} ${plugin_file} ${PROJECT_SOURCE_DIR}/include ${shrink_${plugin}})
    set_tests_properties(shrink.${plugin} PROPERTIES LABELS mutants TIMEOUT 600 PROCESSORS 2)
  endif()
endforeach()

# Takes minutes: the smoke tier and the recipes of seven suites over every mutant.
add_custom_target(mutants-page COMMAND ulpgate mutants --matrix --format md --out ${page}
                  DEPENDS ulpgate_mutants ulpgate_host ulpgate-worker VERBATIM)
