/* SPDX-License-Identifier: Apache-2.0 */
/* What fuzz targets share. A target is one file with libFuzzer's entry; it is linked with libFuzzer
 * where the compiler has it and that is asked for (ULPGATE_FUZZ), else with driver.c, which mutates
 * a corpus by a fixed seed. */
#ifndef ULPGATE_TESTS_FUZZ_H
#define ULPGATE_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a file; the path is valid until the next call. NULL when there is no memory. */
const char *ug_fuzz_file(const uint8_t *data, size_t size);

/* Ends the program with a message when a property does not hold. */
void ug_fuzz_require(int holds, const char *what);

#endif
