/* SPDX-License-Identifier: Apache-2.0 */
/* Dealing cases to shards, and the identity of a plan. */
#include "audit/shard.h"

#include <inttypes.h>
#include <stdlib.h>

#include "audit/lines.h"

size_t ug_shard_of(size_t place, size_t shards) { return (place + place / shards) % shards; }

size_t ug_shard_size(size_t cases, size_t shard, size_t shards)
{
    size_t size = cases / shards;
    for (size_t place = size * shards; place < cases; place++)
        size += ug_shard_of(place, shards) == shard;
    return size;
}

ug_case *ug_shard_cases(const ug_run_options *o, size_t *count)
{
    ug_case *cases =
        calloc(ug_shard_size(o->case_count, o->shard - 1, o->shards) + 1, sizeof *cases);
    *count = 0;
    for (size_t i = 0; cases && i < o->case_count; i++)
        if (ug_shard_of(i, o->shards) == o->shard - 1) cases[(*count)++] = o->cases[i];
    return cases;
}

/* FNV-1a over the text and its end. */
static uint64_t add_text(uint64_t hash, const char *text)
{
    do hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    while (*text++);
    return hash;
}

uint64_t ug_plan_begin(const json_t *header)
{
    static const char *const keys[] = {"gate", "profile", "reference"};
    uint64_t plan = 0xcbf29ce484222325u;
    json_t *kernel;
    size_t i;
    for (i = 0; i < sizeof keys / sizeof *keys; i++)
        plan = add_text(plan, ug_text_of(header, keys[i]));
    json_array_foreach(json_object_get(header, "kernels"), i, kernel) plan =
        add_text(plan, json_is_string(kernel) ? json_string_value(kernel) : "");
    return plan;
}

uint64_t ug_plan_add(uint64_t plan, const char *id) { return add_text(plan, id); }

void ug_plan_text(uint64_t plan, char text[17]) { snprintf(text, 17, "%016" PRIx64, plan); }

int ug_shard_describe(json_t *header, const ug_run_options *o)
{
    uint64_t plan = ug_plan_begin(header);
    char text[17];
    for (size_t i = 0; i < o->case_count; i++) {
        ug_plan_text(ug_case_hash(&o->cases[i]), text);
        plan = ug_plan_add(plan, text);
    }
    ug_plan_text(plan, text);
    if (json_object_set_new(header, "plan", json_string(text))) return -1;
    if (!o->shards) return 0;
    return json_object_set_new(header, "shard",
                               json_pack("{s:I, s:I, s:I}", "index", (json_int_t)o->shard, "count",
                                         (json_int_t)o->shards, "cases",
                                         (json_int_t)o->case_count));
}
