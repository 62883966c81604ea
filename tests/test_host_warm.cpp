/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked for of gamma and beta before they are wanted: each 32 bytes, and no byte past them.
 * That leaves no trace in results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

extern "C" {
#include <cmocka.h>
}
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/exact_rows.cuh"
#include "host_rows.h"

constexpr int MEMBERS = 64, SLOTS = 5, WORDS = 8; /* in 32 bytes */
constexpr uint32_t OTHER = 1u << 31;              /* words that need not be asked for */

struct wanted {
    ug_rows rows;
    uint32_t *read; /* of each thread */
};

static void ask(wanted w) { w.read[threadIdx.x] = ug_exact_warm<SLOTS>(w.rows); }

/* n floats that end where a page ends which nobody may touch the next of. */
static uint32_t *last_of_a_page(int n)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *p = mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED && sizeof(float) * (size_t)n <= 2 * page);
    assert_int_equal(mprotect(static_cast<char *>(p) + 2 * page, page, PROT_NONE), 0);
    uint32_t *from = static_cast<uint32_t *>(p) + 2 * page / sizeof(float) - n;
    for (int i = 0; i < n; i++) from[i] = i % WORDS ? OTHER : 0;
    return from;
}

static uint32_t asked_for(const uint32_t *gamma, const uint32_t *beta, int n)
{
    uint32_t read[MEMBERS], all = 0;
    memset(read, 0xff, sizeof read);
    ug_args args = {};
    args.threads = 1;
    const ug_shape shape = {1, MEMBERS, 0, plain_plan().limits};
    const ug_rows rows = plain_rows<float>(nullptr, nullptr, reinterpret_cast<const float *>(gamma),
                                           reinterpret_cast<const float *>(beta), 1, n, 0.0f);
    assert_int_equal(ug_start(&args, shape, ask, wanted{rows, read}), UG_OK);
    for (uint32_t r : read) all |= r;
    return all;
}

static void asks_for_all_and_no_more(void **)
{
    /* As many as there are threads for; half of 32 bytes left over; fewer than that. */
    static const int lengths[] = {4 * MEMBERS * SLOTS, 4 * MEMBERS * SLOTS - 4, 1004, 8};
    for (int n : lengths) {
        uint32_t *gamma = last_of_a_page(n), *beta = last_of_a_page(n);
        assert_int_equal(asked_for(gamma, beta, n), 0);
        for (int i = 0; i + WORDS <= n; i += WORDS) {
            gamma[i] = 1;
            assert_int_equal(asked_for(gamma, beta, n), 1);
            gamma[i] = 0;
            beta[i] = 2;
            assert_int_equal(asked_for(gamma, beta, n), 2);
            beta[i] = 0;
        }
    }
}

int main()
{
    const CMUnitTest tests[] = {cmocka_unit_test(asks_for_all_and_no_more)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
