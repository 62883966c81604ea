# SPDX-License-Identifier: Apache-2.0
# Required: MPFR, GMP, jansson, Boost.Context, threads, OpenMP. Optional: OpenBLAS, cmocka (tests), the CUDA toolkit.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)
pkg_check_modules(MPFR REQUIRED IMPORTED_TARGET mpfr gmp)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(OPENBLAS IMPORTED_TARGET openblas)
pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
find_package(Boost 1.71 REQUIRED COMPONENTS context)
if(NOT OPENBLAS_FOUND)
  message(STATUS "OpenBLAS was not found: no openblas: backend and no vs_openblas columns")
endif()
