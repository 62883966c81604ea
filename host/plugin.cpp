/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin `host`: the kernels of cuda/ on the CPU executor. */
#include <stdio.h>

#include <thread>

#include "cuda/registry.h"

#ifndef UG_BUILD_FLAGS
#define UG_BUILD_FLAGS ""
#endif

static int describe(int index, const char **key, const char **value)
{
    static char cores[16];
    snprintf(cores, sizeof cores, "%u", std::thread::hardware_concurrency());
    const char *const facts[][2] = {
        {"device", "CPU executor"}, {"cores", cores},        {"compiler", __VERSION__},
        {"flags", UG_BUILD_FLAGS},  {"profile", "default"},  {"max_grid", "2147483647"},
        {"max_block", "1024"},      {"max_shared", "49152"}, {"warp", "32"},
    };
    if (index < 0 || (size_t)index >= sizeof facts / sizeof facts[0]) return 0;
    *key = facts[index][0];
    *value = facts[index][1];
    return 1;
}

extern "C" __attribute__((visibility("default"))) const ug_plugin *ulpgate_plugin(void)
{
    static ug_plugin plugin = {UG_ABI_VERSION, sizeof(ug_plugin), "host", UG_PLUGIN_NO_TIMES,
                               describe,       nullptr,           0,      nullptr};
    if (plugin.count == 0) plugin.count = ug_registry(&plugin.kernels);
    return &plugin;
}
