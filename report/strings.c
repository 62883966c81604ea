/* SPDX-License-Identifier: Apache-2.0 */
/* The string store: an open-addressing table over an arena. */
#include "report/strings.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 16, FIRST_SLOTS = 1024 };

typedef struct block {
    struct block *next;
    size_t used, room;
    max_align_t data[];
} block;

struct ug_strings {
    block *blocks;
    const char **slot;
    size_t slots, count;
};

ug_strings *ug_strings_new(void)
{
    ug_strings *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->slots = FIRST_SLOTS;
    s->slot = calloc(s->slots, sizeof *s->slot);
    if (!s->slot) {
        free(s);
        return NULL;
    }
    return s;
}

void ug_strings_free(ug_strings *s)
{
    if (!s) return;
    while (s->blocks) {
        block *next = s->blocks->next;
        free(s->blocks);
        s->blocks = next;
    }
    free(s->slot);
    free(s);
}

void *ug_strings_room(ug_strings *s, size_t bytes)
{
    block *b = s->blocks;
    size_t align = _Alignof(max_align_t), need = (bytes + align - 1) / align * align;
    void *p;
    if (!b || b->room - b->used < need) {
        size_t room = need > BLOCK_BYTES ? need : BLOCK_BYTES;
        b = calloc(1, sizeof *b + room);
        if (!b) return NULL;
        b->room = room;
        b->next = s->blocks;
        s->blocks = b;
    }
    p = (char *)b->data + b->used;
    b->used += need;
    return p;
}

static uint64_t hash(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h;
}

/* The slot that holds text, or the empty one where it belongs. */
static size_t place(const char *const *slot, size_t slots, const char *text)
{
    size_t i = (size_t)hash(text) & (slots - 1);
    while (slot[i] && strcmp(slot[i], text)) i = (i + 1) & (slots - 1);
    return i;
}

static int grow(ug_strings *s)
{
    size_t i, slots = 2 * s->slots;
    const char **slot = calloc(slots, sizeof *slot);
    if (!slot) return -1;
    for (i = 0; i < s->slots; i++) {
        if (s->slot[i]) slot[place(slot, slots, s->slot[i])] = s->slot[i];
    }
    free(s->slot);
    s->slot = slot;
    s->slots = slots;
    return 0;
}

const char *ug_strings_keep(ug_strings *s, const char *text)
{
    size_t i = place(s->slot, s->slots, text), length = strlen(text) + 1;
    char *copy;
    if (s->slot[i]) return s->slot[i];
    if (2 * (s->count + 1) > s->slots) {
        if (grow(s)) return NULL;
        i = place(s->slot, s->slots, text);
    }
    copy = ug_strings_room(s, length);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    s->slot[i] = copy;
    s->count++;
    return copy;
}
