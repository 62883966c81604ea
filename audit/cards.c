/* SPDX-License-Identifier: Apache-2.0 */
/* What plugins offer, asked in worker processes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/client.h"

/* Strings in shared memory may have lost their ends. */
static void end_strings(ug_backend_card *card)
{
    card->backend[sizeof card->backend - 1] = 0;
    card->unusable[sizeof card->unusable - 1] = 0;
    for (int i = 0; i < card->fact_count; i++)
        for (int k = 0; k < 2; k++) card->facts[i][k][sizeof card->facts[i][k] - 1] = 0;
    for (size_t i = 0; i < card->kernel_count; i++) {
        ug_kernel_card *k = &card->kernels[i];
        k->backend[sizeof k->backend - 1] = k->name[sizeof k->name - 1] = 0;
        k->summary[sizeof k->summary - 1] = k->paths[sizeof k->paths - 1] = 0;
    }
}

/* A plugin that does not load is a card that says why. Returns 0, or -1 with err: no memory. */
static int ask(const char *plugin, ug_backend_card *card, char *err, size_t cap)
{
    ug_client client;
    const ug_wire *w;
    *card = (ug_backend_card){0};
    if (ug_client_open(&client, plugin, -1, err, cap)) return -1;
    w = client.wire;
    if (ug_client_start(&client, card->unusable, sizeof card->unusable)) {
        snprintf(card->plugin, sizeof card->plugin, "%s", plugin);
        ug_client_close(&client);
        return 0;
    }
    *card = w->card;
    card->kernel_count = card->kernel_count > UG_CARDS_MAX ? UG_CARDS_MAX : card->kernel_count;
    if (card->fact_count < 0 || card->fact_count > 32) card->fact_count = 0;
    card->kernels = calloc(card->kernel_count + 1, sizeof *card->kernels);
    if (card->kernels)
        memcpy(card->kernels, w->kernels, card->kernel_count * sizeof *card->kernels);
    snprintf(card->plugin, sizeof card->plugin, "%s", plugin);
    ug_client_close(&client);
    if (!card->kernels) return snprintf(err, cap, "out of memory"), -1;
    end_strings(card);
    return 0;
}

int ug_backends(const char *const *plugins, size_t count, ug_backend_card **cards, char *err,
                size_t cap)
{
    ug_backend_card *all = calloc(count + 1, sizeof *all);
    *cards = NULL;
    if (!all) return snprintf(err, cap, "out of memory"), -1;
    for (size_t i = 0; i < count; i++)
        if (ask(plugins[i], &all[i], err, cap)) {
            ug_backends_free(all, count);
            return -1;
        }
    *cards = all;
    return 0;
}

void ug_backends_free(ug_backend_card *cards, size_t count)
{
    for (size_t i = 0; cards && i < count; i++) free(cards[i].kernels);
    free(cards);
}
