/* SPDX-License-Identifier: Apache-2.0 */
/* Lists cases, suites, device profiles and gates. */
#include <inttypes.h>
#include <string.h>

#include "audit/peer.h"
#include "cli/gather.h"
#include "cli/list.h"

static json_t *case_json(const ug_case *c, const char *line)
{
    char id[20];
    snprintf(id, sizeof id, "%016" PRIx64, ug_case_hash(c));
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "id", id, "case", line, "suite", c->suite,
                     "family", c->family, "tier", c->tier);
}

int ug_list_cases(const ug_cli *cli, int json, FILE *out)
{
    json_t *list = json_array();
    ug_case_list cases;
    char line[UG_CASE_TEXT];
    size_t i;
    int rc = ug_gather_cases(cli, &cases);
    for (i = 0; i < cases.count && !rc; i++) {
        if (ug_case_format(&cases.item[i], line, sizeof line) < 0) {
            ug_error("case %zu is longer than %d characters", i, UG_CASE_TEXT);
            rc = UG_EXIT_USAGE;
        } else if (json) {
            json_array_append_new(list, case_json(&cases.item[i], line));
        } else {
            fprintf(out, "%s\n", line);
        }
    }
    if (json && !rc) rc = ug_list_json(json_incref(list), out);
    json_decref(list);
    ug_case_list_free(&cases);
    return rc;
}

int ug_list_suites(const ug_cli *cli, int json, FILE *out)
{
    const char *tier = cli->tier ? cli->tier : "default";
    json_t *list = json_array();
    char **names, err[512] = "";
    size_t i, count;
    int rc = 0;
    if (ug_suite_names(&names, &count, err, sizeof err)) {
        ug_error("cannot list the suites: %s", err);
        json_decref(list);
        return UG_EXIT_USAGE;
    }
    for (i = 0; i < count && !rc; i++) {
        ug_case_list cases;
        ug_case_error error;
        memset(&cases, 0, sizeof cases);
        memset(&error, 0, sizeof error);
        if (ug_suite_load(names[i], tier, &cases, &error)) {
            ug_suite_error(names[i], &error);
            rc = UG_EXIT_USAGE;
        } else if (json) {
            json_array_append_new(list, json_pack("{s:s, s:s, s:i}", "suite", names[i], "tier",
                                                  tier, "cases", (int)cases.count));
        } else {
            fprintf(out, "%-12s %zu cases in tier %s\n", names[i], cases.count, tier);
        }
        ug_case_list_free(&cases);
    }
    if (json && !rc) rc = ug_list_json(json_incref(list), out);
    json_decref(list);
    ug_suite_names_free(names, count);
    return rc;
}

int ug_list_profiles(const ug_cli *cli, int json, FILE *out)
{
    json_t *list = json_array();
    const ug_profile *p;
    size_t i;
    int rc = 0;
    (void)cli;
    for (i = 0; (p = ug_profile_at(i)); i++) {
        if (json) {
            json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:I, s:I}", "profile", p->name,
                                                  "max_grid", (json_int_t)p->max_grid, "max_block",
                                                  (json_int_t)p->max_block, "max_shared",
                                                  (json_int_t)p->max_shared, "warp",
                                                  (json_int_t)p->warp));
        } else {
            fprintf(out,
                    "%-10s grid %" PRId64 ", block %" PRId64 ", shared memory %" PRId64
                    " bytes, warp %" PRId64 "\n",
                    p->name, p->max_grid, p->max_block, p->max_shared, p->warp);
        }
    }
    if (json) rc = ug_list_json(json_incref(list), out);
    json_decref(list);
    return rc;
}

static const struct {
    const char *gate, *passes;
} gates[] = {
    {"bound", "every element within the worst-case bound of the kernel's declared algorithm and "
              "geometry"},
    {"sound", "cond at most 8 + c/4 on every regular row, c elements a thread: is the algorithm "
              "stable?"},
    {"faithful", "every element is one of the two neighbours of the exact value"},
    {"exact", "every element is the correctly rounded exact value"},
    {"ulp=X", "every element within X ulp of the exact value"},
    {"abs=X", "every element within X of the exact value"},
    {"term=X", "every element within X ulp of |gamma xhat| + |beta|"},
    {"cond=X", "the condition-aware error at most X"},
    {"row=X", "in every row, the largest error at most X units of the row's largest answer"},
    {"nmse=X", "normalised mean square error over the case at most X"},
};

static void show_gate(const char *gate, const char *passes, json_t *list, FILE *out)
{
    json_array_append_new(list, json_pack("{s:s, s:s}", "gate", gate, "passes", passes));
    if (out) fprintf(out, "%-9s %s\n", gate, passes);
}

int ug_list_gates(const ug_cli *cli, int json, FILE *out)
{
    json_t *list = json_array();
    size_t i;
    int rc = 0;
    (void)cli;
    for (i = 0; i < sizeof gates / sizeof *gates; i++)
        show_gate(gates[i].gate, gates[i].passes, list, json ? NULL : out);
    for (i = 0; i < UG_PEER_COUNT; i++)
        show_gate(ug_peer_name((ug_peer)i), ug_peer_source((ug_peer)i), list, json ? NULL : out);
    if (json) rc = ug_list_json(json_incref(list), out);
    json_decref(list);
    return rc;
}
