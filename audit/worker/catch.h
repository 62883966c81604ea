/* SPDX-License-Identifier: Apache-2.0 */
/* Calls into a plugin, from C, with C++ exceptions turned into a message. */
#ifndef ULPGATE_CATCH_H
#define ULPGATE_CATCH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls call(what). Returns 0, or 1 with a message when an exception came out of it. */
int ug_catch(void (*call)(void *), void *what, char *message, size_t cap);

#ifdef __cplusplus
}
#endif
#endif
