# SPDX-License-Identifier: Apache-2.0
# One accuracy gate a (backend, structure, suite) over all variances of the structure, and properties of whole runs.
# Structures and suites are found by their files, so that a new one is gated without a change here. A kernel is held to
# what it declares: the bound of its variance, and its promise.
if(NOT TARGET ulpgate)
  return()
endif()
set(audit_folder ${CMAKE_CURRENT_BINARY_DIR}/audit)
file(MAKE_DIRECTORY ${audit_folder})
file(GLOB structures CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cuda/structures/*.cu)
file(GLOB suites CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cases/suites/*.cases)
list(FILTER suites EXCLUDE REGEX "/bench\\.cases$") # cases to be timed: none to be judged
list(FILTER suites EXCLUDE REGEX "/[^/]*-[^/]*$") # parts of other suites, and the inputs of peers

foreach(backend host cuda)
  foreach(structure_file ${structures})
    get_filename_component(structure ${structure_file} NAME_WE)
    foreach(suite_file ${suites})
      get_filename_component(suite ${suite_file} NAME_WE)
      set(gate gate.${backend}.${structure}.${suite})
      add_test(NAME ${gate} COMMAND ulpgate run --suite ${suite} --kernel ${backend}:${structure}/*
               --jobs 1 -q --out ${audit_folder}/${gate}.jsonl)
      set_tests_properties(${gate} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600
                           LABELS "gate;${backend};${structure};${suite}")
    endforeach()
  endforeach()
endforeach()

# ug_exit_test(NAME CODE COMMAND...): passes when the command exits with CODE, and prints what it said.
function(ug_exit_test name code)
  set(script "\"$@\"; got=$?; echo \"exit $got, expected ${code}\"; test $got = ${code}")
  add_test(NAME ${name} COMMAND sh -c "${script}" sh ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS "audit")
endfunction()

set(whole_run ${audit_folder}/default.jsonl)
set(sound_run ${audit_folder}/sound.jsonl)
ug_exit_test(audit.default.run 0 $<TARGET_FILE:ulpgate> run --kernel host:* -q --out ${whole_run})
ug_exit_test(audit.sound.run 1 $<TARGET_FILE:ulpgate> run --suite condition --kernel host:* --gate sound -q
             --out ${sound_run})
# Underflow alone, in y, mean and rstd: no sound kernel is to blame.
set(subnormal "layernorm rows=64 gamma=large beta=none data=normal")
ug_exit_test(audit.sound.subnormal 0 $<TARGET_FILE:ulpgate> run --kernel host:* --gate sound -q
             --case "${subnormal}(std=1e-40) n=1000" --case "${subnormal}(std=1e-42) n=7"
             --case "${subnormal}(std=1e-44) n=1000" --out ${audit_folder}/subnormal.jsonl)
# A falling ramp, over which all roundings of a running mean go one way: `bound` never blames Welford for that, and
# `sound` never two-pass.
set(ramp --case "layernorm n=65000 rows=1 beta=none data=ramp(start=1,step=-1.538e-05)")
ug_exit_test(audit.sound.ramp 0 $<TARGET_FILE:ulpgate> run --kernel host:*/twopass --gate sound -q ${ramp}
             --out ${audit_folder}/ramp-sound.jsonl)
ug_exit_test(audit.bound.ramp 0 $<TARGET_FILE:ulpgate> run --kernel host:*/welford --gate bound -q ${ramp}
             --out ${audit_folder}/ramp-bound.jsonl)
set_tests_properties(audit.default.run PROPERTIES FIXTURES_SETUP whole_run TIMEOUT 900 PROCESSORS 2)
set_tests_properties(audit.sound.run PROPERTIES FIXTURES_SETUP sound_run TIMEOUT 900 PROCESSORS 2)
ug_exit_test(audit.kernels.list 0 $<TARGET_FILE:ulpgate> list kernels --format json --out ${audit_folder}/kernels.json)
set_tests_properties(audit.kernels.list PROPERTIES FIXTURES_SETUP whole_run)
ug_exit_test(audit.empty.kernel 77 $<TARGET_FILE:ulpgate> run --tier smoke --kernel nothing:* -q
             --out ${audit_folder}/empty.jsonl)
ug_exit_test(audit.mistyped.case 2 $<TARGET_FILE:ulpgate> run --case "layernorm n=16 dtpye=f32" -q
             --out ${audit_folder}/mistyped.jsonl)

if(Python3_FOUND)
  foreach(property declines paths)
    add_test(NAME audit.default.${property} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_run.py
             ${whole_run} ${property} ${audit_folder}/kernels.json)
    set_tests_properties(audit.default.${property} PROPERTIES FIXTURES_REQUIRED whole_run LABELS "audit")
  endforeach()
  add_test(NAME audit.sound.separates COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_run.py
           ${sound_run} sound)
  set_tests_properties(audit.sound.separates PROPERTIES FIXTURES_REQUIRED sound_run LABELS "audit")
  foreach(profile h200 tiny)
    set(gate audit.digests.${profile})
    add_test(NAME ${gate}.run COMMAND ulpgate run --tier smoke --kernel host:*,cuda:* --profile ${profile} -q
             --out ${audit_folder}/${gate}.jsonl)
    set_tests_properties(${gate}.run PROPERTIES FIXTURES_SETUP ${gate} LABELS "audit;cuda" TIMEOUT 900)
    add_test(NAME ${gate} COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/digests.py
             ${audit_folder}/${gate}.jsonl)
    set_tests_properties(${gate} PROPERTIES FIXTURES_REQUIRED ${gate} SKIP_RETURN_CODE 77 LABELS "audit;cuda")
  endforeach()
endif()
