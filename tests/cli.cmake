# SPDX-License-Identifier: Apache-2.0
# One command writes golden texts, docs/cli.md, manual pages and the completion anew:
#   cmake --build build --target golden-update
if(TARGET ulpgate)
  set(golden_script ${CMAKE_CURRENT_SOURCE_DIR}/cli_golden.sh)
  set(golden_folder ${CMAKE_CURRENT_SOURCE_DIR}/golden)
  set(pages_script ${CMAKE_CURRENT_SOURCE_DIR}/cli_pages.sh)
  add_test(NAME cli.golden COMMAND sh ${golden_script} $<TARGET_FILE:ulpgate> ${golden_folder})
  add_test(NAME cli.pages COMMAND sh ${pages_script} $<TARGET_FILE:ulpgate> ${PROJECT_SOURCE_DIR})
  add_test(NAME cli.man COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli_man.sh ${PROJECT_SOURCE_DIR}/docs/man)
  set_tests_properties(cli.man PROPERTIES SKIP_RETURN_CODE 77)
  find_program(UG_BASH bash)
  if(UG_BASH)
    add_test(NAME cli.complete COMMAND ${UG_BASH} ${CMAKE_CURRENT_SOURCE_DIR}/cli_complete.bash $<TARGET_FILE:ulpgate>
             ${PROJECT_SOURCE_DIR}/cli/completion/ulpgate
             ${CMAKE_CURRENT_BINARY_DIR}/test_port_steady${CMAKE_SHARED_MODULE_SUFFIX})
    set_tests_properties(cli.complete PROPERTIES LABELS cli)
  endif()
  add_test(NAME cli.nothing COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli_nothing.sh $<TARGET_FILE:ulpgate>)
  add_test(NAME cli.environment COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli_environment.sh $<TARGET_FILE:ulpgate>)
  add_test(NAME cli.bench COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli_bench.sh $<TARGET_FILE:ulpgate>)
  set_tests_properties(cli.golden cli.pages cli.man cli.nothing cli.environment cli.bench PROPERTIES LABELS cli)
  add_custom_target(golden-update
    COMMAND sh ${golden_script} $<TARGET_FILE:ulpgate> ${golden_folder} --update
    COMMAND sh ${pages_script} $<TARGET_FILE:ulpgate> ${PROJECT_SOURCE_DIR} --update
    DEPENDS product
    COMMENT "Writing texts of the command line anew; review the difference before it is kept"
    VERBATIM)
endif()
