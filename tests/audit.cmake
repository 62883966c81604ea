# SPDX-License-Identifier: Apache-2.0
# The judge against plugins that keep the contract and plugins that break it.
if(CMOCKA_FOUND)
  add_library(ug_audit_fixture STATIC audit_fixture.c)
  target_link_libraries(ug_audit_fixture PUBLIC ug_audit PkgConfig::CMOCKA)
  foreach(plugin right.c wrong.cpp device.c odd.c huge.c)
    get_filename_component(name ${plugin} NAME_WE)
    add_library(test_plugin_${name} MODULE plugins/${plugin})
    target_link_libraries(test_plugin_${name} PRIVATE ug_abi Threads::Threads m)
    string(TOUPPER ${name} upper)
    target_compile_definitions(ug_audit_fixture
      PUBLIC UG_${upper}_PLUGIN="$<TARGET_FILE:test_plugin_${name}>")
    add_dependencies(ug_audit_fixture test_plugin_${name} ulpgate-worker)
  endforeach()
  foreach(name right wrong odd device huge run files)
    ug_unit_test(test_audit_${name} ug_audit_fixture LABELS audit)
    # Kernels that die of a signal do so under the address sanitizer too.
    set_tests_properties(unit.test_audit_${name}
      PROPERTIES ENVIRONMENT ASAN_OPTIONS=handle_segv=0:handle_sigbus=0)
  endforeach()
  ug_unit_test(test_bench ug_audit_fixture LABELS audit)
  ug_unit_test(test_audit_shard ug_audit LABELS audit)
  if(TARGET ulpgate_host)
    ug_unit_test(test_audit_twin ug_audit_fixture LABELS audit host)
    target_compile_definitions(test_audit_twin PRIVATE UG_HOST_FOLDER="$<TARGET_FILE_DIR:ulpgate_host>")
    add_dependencies(test_audit_twin ulpgate_host)
  endif()
  if(TARGET ulpgate_openblas)
    ug_unit_test(test_audit_yardstick ug_audit_fixture LABELS audit openblas)
    target_compile_definitions(test_audit_yardstick
      PRIVATE UG_OPENBLAS_FOLDER="$<TARGET_FILE_DIR:ulpgate_openblas>")
    add_dependencies(test_audit_yardstick ulpgate_openblas)
  endif()
endif()
