/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of ABI version 1 where pointers have eight bytes: whoever moves a member breaks every
 * plugin that is out there, and has to raise UG_ABI_VERSION. New members go to the end. */
#include <stddef.h>

#include "ulpgate/kernel.h"

#define AT(type, member, offset)                                                                   \
    _Static_assert(sizeof(void *) != 8 || offsetof(type, member) == (offset),                      \
                   #type "." #member " has moved")

_Static_assert(UG_ABI_VERSION == 1, "write the layout of the new version down");

AT(ug_view, data, 0);
AT(ug_view, rows, 8);
AT(ug_view, cols, 16);
AT(ug_view, row_stride, 24);
AT(ug_view, col_stride, 32);
AT(ug_view, dtype, 40);
_Static_assert(sizeof(void *) != 8 || sizeof(ug_view) == 48, "a view stands inside ug_args");

AT(ug_args, size, 0);
AT(ug_args, op, 4);
AT(ug_args, x, 8);
AT(ug_args, y, 56);
AT(ug_args, gamma, 104);
AT(ug_args, beta, 112);
AT(ug_args, param_dtype, 120);
AT(ug_args, eps, 124);
AT(ug_args, mean, 128);
AT(ug_args, rstd, 136);
AT(ug_args, workspace, 144);
AT(ug_args, workspace_bytes, 152);
AT(ug_args, stream, 160);
AT(ug_args, profile, 168);
AT(ug_args, variation, 176);
AT(ug_args, threads, 180);
AT(ug_args, path, 184);
AT(ug_args, message, 192);
AT(ug_args, block, 448);

AT(ug_profile, name, 0);
AT(ug_profile, max_grid, 8);
AT(ug_profile, max_block, 16);
AT(ug_profile, max_shared, 24);
AT(ug_profile, warp, 32);

AT(ug_geometry, threads, 0);
AT(ug_geometry, chain, 8);
AT(ug_geometry, levels, 16);

AT(ug_kernel, size, 0);
AT(ug_kernel, name, 8);
AT(ug_kernel, summary, 16);
AT(ug_kernel, variance, 24);
AT(ug_kernel, rounding, 28);
AT(ug_kernel, depends, 32);
AT(ug_kernel, promise, 36);
AT(ug_kernel, repeatable, 40);
AT(ug_kernel, ops, 44);
AT(ug_kernel, dtypes, 48);
AT(ug_kernel, supports, 52);
AT(ug_kernel, rsqrt_error, 56);
AT(ug_kernel, paths, 64);
AT(ug_kernel, workspace_size, 72);
AT(ug_kernel, geometry, 80);
AT(ug_kernel, launch, 88);

AT(ug_space, size, 0);
AT(ug_space, name, 8);
AT(ug_space, device_count, 16);
AT(ug_space, alloc, 24);
AT(ug_space, free, 32);
AT(ug_space, to_device, 40);
AT(ug_space, to_host, 48);
AT(ug_space, synchronize, 56);
AT(ug_space, timing, 64);

AT(ug_plugin, abi, 0);
AT(ug_plugin, size, 4);
AT(ug_plugin, backend, 8);
AT(ug_plugin, flags, 16);
AT(ug_plugin, describe, 24);
AT(ug_plugin, space, 32);
AT(ug_plugin, count, 40);
AT(ug_plugin, kernels, 48);
