/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a rewritten CUDA plugin: the user's, in host memory, launches wrapped. The user's
 * own ulpgate_plugin() is compiled under the name ug_host_user_plugin(). */
#include <stdio.h>

#include <utility>

#include "host/cuda/launch.h"

extern "C" const ug_plugin *ug_host_user_plugin(void);

namespace
{
constexpr size_t most = 128;
ug_status (*own[most])(ug_args *args);

/* A launch is told nothing of its kernel: one function a kernel. */
template <size_t i> ug_status launch(ug_args *args)
{
    ug_host_begin(args);
    return ug_host_end(args, own[i](args));
}

template <size_t... i> void wrap(ug_kernel *kernels, size_t count, std::index_sequence<i...>)
{
    ug_status (*const wrapped[])(ug_args *) = {launch<i>...};
    for (size_t k = 0; k < count; k++) {
        own[k] = kernels[k].launch;
        if (own[k]) kernels[k].launch = wrapped[k];
    }
}

int describe(int index, const char **key, const char **value)
{
    static const char *const facts[][2] = {{"device", "CPU executor"}, {"compiler", __VERSION__}};
    if (index < 0 || index > 1) return 0;
    *key = facts[index][0];
    *value = facts[index][1];
    return 1;
}
} // namespace

extern "C" __attribute__((visibility("default"))) const ug_plugin *ulpgate_plugin(void)
{
    static ug_kernel kernels[most];
    static ug_plugin plugin;
    static char backend[64];
    const ug_plugin *user = ug_host_user_plugin();
    if (!user || user->abi != UG_ABI_VERSION || user->size < sizeof plugin || !user->kernels ||
        user->count > most)
        return user; /* the reader says what is wrong with it */
    for (size_t k = 0; k < user->count; k++) {
        if (user->kernels[k].size != sizeof kernels[k]) return user;
        kernels[k] = user->kernels[k];
    }
    wrap(kernels, user->count, std::make_index_sequence<most>());
    plugin = *user;
    plugin.size = sizeof plugin;
    plugin.flags |= UG_PLUGIN_NO_TIMES;
    plugin.describe = describe;
    plugin.space = nullptr;
    plugin.kernels = kernels;
    if (user->backend) {
        snprintf(backend, sizeof backend, "%s-host", user->backend);
        plugin.backend = backend;
    }
    return &plugin;
}
