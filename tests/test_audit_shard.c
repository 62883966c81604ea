/* SPDX-License-Identifier: Apache-2.0 */
/* How cases are dealt to shards: all of them, each once, evenly, whatever the period of a suite. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "audit/shard.h"

enum { MOST = 17 };

static void test_sizes(void **state)
{
    (void)state;
    for (size_t shards = 1; shards <= MOST; shards++) {
        for (size_t cases = 0; cases <= 4 * MOST; cases++) {
            size_t dealt[MOST] = {0}, all = 0;
            for (size_t i = 0; i < cases; i++) {
                assert_true(ug_shard_of(i, shards) < shards);
                dealt[ug_shard_of(i, shards)]++;
            }
            for (size_t s = 0; s < shards; s++) {
                assert_int_equal(ug_shard_size(cases, s, shards), dealt[s]);
                assert_in_range(dealt[s], cases / shards, (cases + shards - 1) / shards);
                all += dealt[s];
            }
            assert_int_equal(all, cases);
        }
    }
}

/* Cases that stand at the same place of every period of `shards` go to all shards alike. */
static void test_periods(void **state)
{
    (void)state;
    for (size_t shards = 2; shards <= MOST; shards++) {
        for (size_t place = 0; place < shards; place++) {
            size_t dealt[MOST] = {0};
            for (size_t round = 0; round < shards; round++)
                dealt[ug_shard_of(round * shards + place, shards)]++;
            for (size_t s = 0; s < shards; s++) assert_int_equal(dealt[s], 1);
        }
    }
}

/* What a shard takes is what the deal says, in the order of the plan. */
static void test_cases(void **state)
{
    enum { CASES = 11, SHARDS = 4 };
    ug_case *all = calloc(CASES, sizeof *all);
    size_t taken = 0;
    (void)state;
    assert_non_null(all);
    for (size_t i = 0; i < CASES; i++) all[i].n = (int64_t)i + 1;
    for (size_t shard = 1; shard <= SHARDS; shard++) {
        ug_run_options o = {.cases = all, .case_count = CASES, .shard = shard, .shards = SHARDS};
        size_t count;
        ug_case *own = ug_shard_cases(&o, &count);
        assert_non_null(own);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(ug_shard_of((size_t)own[i].n - 1, SHARDS), shard - 1);
            if (i) assert_true(own[i].n > own[i - 1].n);
        }
        taken += count;
        free(own);
    }
    assert_int_equal(taken, CASES);
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_periods),
                                       cmocka_unit_test(test_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
