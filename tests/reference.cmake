# SPDX-License-Identifier: Apache-2.0
# Tests of the exact answer and of the error bounds.
ug_unit_test(test_reference_truth ug_reference LABELS reference)
ug_unit_test(test_reference_bound ug_reference LABELS reference)
if(TARGET test_reference_bound)
  target_sources(test_reference_bound PRIVATE reference_emulated.c)
  target_include_directories(test_reference_bound PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
endif()
ug_unit_test(test_reference_nist ug_reference PkgConfig::MPFR LABELS reference)
if(TARGET test_reference_nist)
  target_compile_definitions(test_reference_nist PRIVATE
    UG_NIST_DIR="${PROJECT_SOURCE_DIR}/cases/nist")
endif()

# Rational arithmetic in Python against every implementation, through a line protocol.
add_executable(reference_driver reference_driver.c)
target_link_libraries(reference_driver PRIVATE ug_reference)
add_test(NAME reference.rational COMMAND sh -c "
  command -v python3 >/dev/null || exit 77
  exec python3 '${CMAKE_CURRENT_SOURCE_DIR}/check_truth.py' '$<TARGET_FILE:reference_driver>'")
set_tests_properties(reference.rational PROPERTIES LABELS "unit;reference" SKIP_RETURN_CODE 77)

# Two independent references, bit for bit, on the hard families.
add_executable(test_reference_agree test_reference_agree.c reference_families.c)
target_link_libraries(test_reference_agree PRIVATE
  ug_reference PkgConfig::MPFR OpenMP::OpenMP_C m)
add_test(NAME reference.agree COMMAND test_reference_agree)
set_tests_properties(reference.agree PROPERTIES LABELS "unit;reference" PROCESSORS 2)

add_executable(reference_bench reference_bench.c reference_families.c)
target_link_libraries(reference_bench PRIVATE ug_reference PkgConfig::MPFR Threads::Threads m)

# Inputs built backwards from outputs where rounding changes.
add_executable(test_reference_hard test_reference_hard.c reference_families.c)
target_link_libraries(test_reference_hard PRIVATE ug_reference PkgConfig::MPFR m)
add_test(NAME reference.hard COMMAND test_reference_hard)
set_tests_properties(reference.hard PROPERTIES LABELS "unit;reference" COST 100)

# Long entries, with `ctest -C long`: 100 million elements by both references; planted faults, each of
# which the entries labelled `reference` must catch.
add_test(NAME reference.agree_full CONFIGURATIONS long COMMAND test_reference_agree 5300000 99)
set_tests_properties(reference.agree_full PROPERTIES LABELS full TIMEOUT 7200)
add_test(NAME reference.rational_full CONFIGURATIONS long COMMAND sh -c "
  command -v python3 >/dev/null || exit 77
  exec python3 '${CMAKE_CURRENT_SOURCE_DIR}/check_truth.py' '$<TARGET_FILE:reference_driver>' 20000 7")
set_tests_properties(reference.rational_full PROPERTIES
  LABELS full SKIP_RETURN_CODE 77 TIMEOUT 7200)
add_test(NAME reference.mutants CONFIGURATIONS long COMMAND sh -c "
  command -v python3 >/dev/null || exit 77
  exec python3 '${CMAKE_CURRENT_SOURCE_DIR}/mutate_reference.py' '${PROJECT_SOURCE_DIR}' \
    '${PROJECT_BINARY_DIR}/mutants/reference'")
set_tests_properties(reference.mutants PROPERTIES
  LABELS mutants SKIP_RETURN_CODE 77 TIMEOUT 7200 RUN_SERIAL ON)
