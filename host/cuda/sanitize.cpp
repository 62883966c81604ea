/* SPDX-License-Identifier: Apache-2.0 */
/* Launches every kernel of a plugin on memory of exactly the right size, for the sanitizers to
 * watch. Linked with the plugin's own sources; a report of theirs ends it. */
#undef ulpgate_plugin /* the plugin's sources are compiled with another name for theirs */

#include <stdio.h>
#include <stdlib.h>

#include "ulpgate/dtype.h"

namespace
{
struct buffer {
    void *p = nullptr;
    explicit buffer(size_t bytes)
    {
        if (posix_memalign(&p, 256, bytes)) abort();
    }
    ~buffer() { free(p); }
    buffer(const buffer &) = delete;
};

/* 0, or 1 where the kernel failed. */
int once(const ug_kernel &k, ug_dtype t, int64_t rows, int64_t n, uint32_t variation)
{
    const size_t bytes = ug_dtype_size(t) * (size_t)(rows * n);
    const size_t row = ug_dtype_size(t) * (size_t)n, stats = sizeof(float) * (size_t)rows;
    buffer x(bytes), y(bytes), gamma(row), beta(row), mean(stats), rstd(stats);
    for (int64_t i = 0; i < rows * n; i++) ug_store(x.p, t, i, (float)(i % 17) - 8.0f);
    for (int64_t i = 0; i < n; i++) {
        ug_store(gamma.p, t, i, 1.0f + (float)(i % 3));
        ug_store(beta.p, t, i, (float)(i % 5));
    }
    ug_args a = {};
    a.size = sizeof a;
    a.x = {x.p, rows, n, n, 1, t};
    a.y = {y.p, rows, n, n, 1, t};
    a.gamma = gamma.p;
    a.beta = beta.p;
    a.param_dtype = t;
    a.eps = 1e-5f;
    if (k.supports & UG_CAN_STATS) {
        a.mean = (float *)mean.p;
        a.rstd = (float *)rstd.p;
    }
    a.variation = variation;
    a.threads = 1;
    buffer workspace(k.workspace_size ? a.workspace_bytes = k.workspace_size(&a) : 0);
    a.workspace = a.workspace_bytes ? workspace.p : nullptr;
    const ug_status status = k.launch(&a);
    if (status == UG_OK) return 0;
    printf("%s, %s, %lld x %lld: %s: %s\n", k.name, ug_dtype_name(t), (long long)rows, (long long)n,
           status == UG_DECLINED ? "declined" : "failed", a.message);
    return status != UG_DECLINED;
}
} // namespace

int main()
{
    static const int64_t cols[] = {1, 31, 301, 1024, 4099};
    const ug_plugin *p = ulpgate_plugin();
    int bad = 0, count = 0;
    for (size_t k = 0; p && k < p->count; k++)
        for (int t = 0; t < UG_DTYPE_COUNT; t++)
            for (uint32_t variation = 0; variation < 3; variation++)
                for (int64_t n : cols) {
                    if (!(p->kernels[k].dtypes >> t & 1u)) continue;
                    bad |= once(p->kernels[k], (ug_dtype)t, 3, n, variation);
                    count++;
                }
    printf("%d launches\n", count);
    return count ? bad : 77;
}
