# SPDX-License-Identifier: Apache-2.0
# One command writes golden texts and docs/cli.md anew: cmake --build build --target golden-update
if(TARGET ulpgate)
  set(golden_script ${CMAKE_CURRENT_SOURCE_DIR}/cli_golden.sh)
  set(golden_folder ${CMAKE_CURRENT_SOURCE_DIR}/golden)
  set(cli_page ${PROJECT_SOURCE_DIR}/docs/cli.md)
  add_test(NAME cli.golden COMMAND sh ${golden_script} $<TARGET_FILE:ulpgate> ${golden_folder})
  add_test(NAME cli.page
    COMMAND sh -c "\"$1\" help --format md | diff -u \"$2\" -" sh $<TARGET_FILE:ulpgate> ${cli_page})
  add_test(NAME cli.nothing COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli_nothing.sh $<TARGET_FILE:ulpgate>)
  add_test(NAME cli.environment COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli_environment.sh $<TARGET_FILE:ulpgate>)
  add_test(NAME cli.bench COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli_bench.sh $<TARGET_FILE:ulpgate>)
  set_tests_properties(cli.golden cli.page cli.nothing cli.environment cli.bench PROPERTIES LABELS cli)
  add_custom_target(golden-update
    COMMAND sh ${golden_script} $<TARGET_FILE:ulpgate> ${golden_folder} --update
    COMMAND $<TARGET_FILE:ulpgate> help --format md -o ${cli_page}
    VERBATIM)
endif()
