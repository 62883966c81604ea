/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's only C++: an exception that crosses the C ABI ends here, not the process. */
#include "audit/worker/catch.h"

#include <cstdio>
#include <exception>

extern "C" int ug_catch(void (*call)(void *), void *what, char *message, size_t cap)
{
    try {
        call(what);
        return 0;
    } catch (const std::exception &e) {
        std::snprintf(message, cap, "exception: %s", e.what());
    } catch (...) {
        std::snprintf(message, cap, "an exception that is no std::exception");
    }
    return 1;
}
