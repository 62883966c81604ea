/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the stand-alone program: the tensors and limits of a case, then the text of
 * shrink/memory.c and shrink/judge.c. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/needs.h"
#include "audit/subject.h"
#include "cli/gather.h"
#include "cli/shrink_allow.h"

enum { MOST_ELEMENTS = 1 << 20 };

static const char *const program[] = {
#include "shrink_program.inc"
};

/* Everything that goes into one program. */
typedef struct content {
    const ug_shrink *s;
    const ug_case *c;
    ug_subject subject;
    ug_kernel_card card;
    char plugin[4096];
} content;

static void print_string(FILE *out, const char *name, const char *text)
{
    fprintf(out, "static const char %s[] = \"", name);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', out);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
    fputs("\";\n", out);
}

static void print_bits(FILE *out, const char *name, const void *bits, size_t size, int64_t count)
{
    fprintf(out, "static const uint32_t %s[] = {", name);
    for (int64_t i = 0; i < count; i++) {
        uint32_t v = 0;
        memcpy(&v, (const char *)bits + (size_t)i * size, size);
        fprintf(out, "%s0x%0*" PRIx32, i % 8 ? ", " : i ? ",\n    " : "\n    ", (int)size * 2, v);
    }
    fputs(count ? "};\n" : "0};\n", out);
}

static void print_doubles(FILE *out, const char *name, const double *v, int64_t count)
{
    fprintf(out, "static const double %s[] = {", name);
    for (int64_t i = 0; i < count; i++) {
        fputs(i % 4 ? ", " : i ? ",\n    " : "\n    ", out);
        if (isfinite(v[i])) {
            fprintf(out, "%a", v[i]);
        } else {
            fputs(isnan(v[i]) ? "NAN" : v[i] > 0 ? "INFINITY" : "-INFINITY", out);
        }
    }
    fputs(count ? "};\n" : "0};\n", out);
}

/* The plugin of the kernel and its card. Returns 0, or -1 with a message. */
static int find_kernel(content *w)
{
    ug_backend_card *cards = NULL;
    ug_list plugins;
    char err[512] = "", name[160];
    int found = 0;
    if (ug_gather_plugins(w->s->cli, &plugins) ||
        ug_backends(plugins.item, plugins.count, &cards, err, sizeof err)) {
        ug_error("%s", err[0] ? err : "out of memory");
        free(plugins.item);
        return -1;
    }
    for (size_t i = 0; i < plugins.count; i++) {
        for (size_t k = 0; k < cards[i].kernel_count; k++) {
            char *real;
            snprintf(name, sizeof name, "%s:%s", cards[i].backend, cards[i].kernels[k].name);
            if (strcmp(name, w->s->kernel)) continue;
            found = 1;
            w->card = cards[i].kernels[k];
            real = realpath(plugins.item[i], NULL);
            snprintf(w->plugin, sizeof w->plugin, "%s", real ? real : plugins.item[i]);
            free(real);
        }
    }
    ug_backends_free(cards, plugins.count);
    free(plugins.item);
    if (!found) ug_error("the kernel %s is gone", w->s->kernel);
    return found ? 0 : -1;
}

static void print_scalars(const content *w, FILE *out)
{
    const ug_case *c = w->c;
    const ug_subject *s = &w->subject;
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {{"rows", s->rows},       {"n", s->n},
                   {"sources", s->sources}, {"batch", c->batch},
                   {"xstride", c->xstride}, {"ystride", c->ystride},
                   {"xcol", c->xcol},       {"ycol", c->ycol},
                   {"xoffset", c->xoffset}, {"yoffset", c->yoffset},
                   {"goffset", c->goffset}, {"boffset", c->boffset}};
    ug_needs needs;
    int scalable = c->dtype == UG_F32 && s->sources > 0 && s->n > 0, plain;
    for (int64_t r = 0; r < s->sources; r++) scalable &= ug_scale_fits(&s->stats[r]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fprintf(out, "%s%s = %" PRId64, i ? ", " : "static const int64_t ", numbers[i].name,
                numbers[i].value);
    plain = c->alias == UG_ALIAS_NONE && c->xstride == c->n && c->ystride == c->n && c->xcol == 1 &&
            c->ycol == 1 && !c->xoffset && !c->yoffset && !c->goffset && !c->boffset;
    ug_needs_of(c, &w->card, s->gamma != NULL, s->beta != NULL, &needs);
    fprintf(out,
            ";\nstatic const ug_dtype dtype = %d, param_dtype = %d; /* 0 f32, 1 f16, 2 bf16 */\n"
            "static const int in_place = %d, has_gamma = %d, has_beta = %d, stats = %d, "
            "scalable = %d,\n    is_plain = %d, has_profile = %d;\n"
            "static const uint32_t needed = %#" PRIx32 "; /* UG_CAN_* */\n"
            "static const float eps = %af;\n",
            c->dtype, c->wdtype, c->alias == UG_ALIAS_INPLACE, s->gamma != NULL, s->beta != NULL,
            c->stats, scalable, plain, *c->profile || w->s->cli->profile, needs.must,
            (double)c->eps);
}

static void print_profile(const content *w, FILE *out)
{
    const char *name = *w->c->profile ? w->c->profile : w->s->cli->profile;
    const ug_profile *p = name ? ug_profile_find(name) : NULL;
    const ug_profile none = {"", 0, 0, 0, 0};
    if (!p) p = &none;
    fprintf(out,
            "static const ug_profile profile = {\"%s\", %" PRId64 ", %" PRId64 ", %" PRId64
            ", %" PRId64 "};\n",
            p->name, p->max_grid, p->max_block, p->max_shared, p->warp);
}

/* Row classes: 0 judged, 1 no finite value is right, 2 not judged. */
static void print_classes(const content *w, FILE *out)
{
    static const int known[UG_ROW_CLASS_COUNT] = {0, 1, 2, 0};
    const ug_subject *s = &w->subject;
    fputs("static const unsigned char row_class[] = {", out);
    for (int64_t r = 0; r < s->sources; r++)
        fprintf(out, "%s%d", r ? ", " : "", known[s->stats[r].cls]);
    fprintf(out, "%s};\nstatic const unsigned char has_clean[] = {", s->sources ? "" : "0");
    for (int64_t r = 0; r < s->sources; r++)
        fprintf(out, "%s%d", r ? ", " : "", s->clean_bits[r] != NULL);
    fprintf(out, "%s};\n", s->sources ? "" : "0");
}

/* Returns 0, or -1 when out of memory. */
static int print_limits(const content *w, FILE *out)
{
    const ug_subject *s = &w->subject;
    size_t sources = (size_t)s->sources + 1;
    double *allowed = malloc((sources * (size_t)s->n + 1) * sizeof *allowed);
    double *stats = calloc(4 * sources, sizeof *stats);
    double *mean = stats + sources, *rstd = mean + sources, *rstd_want = rstd + sources;
    ug_allow a;
    int rc = allowed && stats ? 0 : -1;
    ug_allow_begin(&a, &w->s->best, &w->card);
    for (int64_t r = 0; r < s->sources && !rc; r++) {
        ug_allow_row(&a, s, r, allowed + r * s->n, &mean[r], &rstd[r]);
        stats[r] = s->stats[r].mean;
        rstd_want[r] = s->stats[r].rstd;
    }
    if (!rc) {
        print_doubles(out, "exact_y", s->head, s->sources * s->n);
        print_doubles(out, "allowed", allowed, s->sources * s->n);
        print_doubles(out, "mean_want", stats, s->sources);
        print_doubles(out, "rstd_want", rstd_want, s->sources);
        print_doubles(out, "mean_allowed", mean, s->sources);
        print_doubles(out, "rstd_allowed", rstd, s->sources);
    }
    free(allowed);
    free(stats);
    return rc;
}

/* Rows with NaN or infinity as they are without, the others as they are. */
static int print_inputs(const content *w, FILE *out)
{
    const ug_subject *s = &w->subject;
    size_t row = (size_t)s->n * s->size;
    char *clean = malloc(row * (size_t)s->sources + 1);
    if (!clean) return -1;
    for (int64_t r = 0; r < s->sources; r++)
        memcpy(clean + (size_t)r * row,
               s->clean_bits[r] ? s->clean_bits[r] : (char *)s->x_bits + (size_t)r * row, row);
    print_bits(out, "x_bits", s->x_bits, s->size, s->sources * s->n);
    print_bits(out, "clean_bits", clean, s->size, s->sources * s->n);
    print_bits(out, "gamma_bits", s->gamma_bits, s->param_size, s->gamma ? s->n : 0);
    print_bits(out, "beta_bits", s->beta_bits, s->param_size, s->beta ? s->n : 0);
    print_bits(out, "want_bits", s->want, sizeof *s->want, s->sources * s->n);
    free(clean);
    return 0;
}

static int print_program(const content *w, FILE *out)
{
    const ug_shrink_failure *f = &w->s->best;
    char line[UG_CASE_TEXT];
    if (ug_case_format(w->c, line, sizeof line) < 0) line[0] = 0;
    fprintf(out,
            "/* SPDX-License-Identifier: Apache-2.0 */\n"
            "/* Shows a fault of %s; written by ulpgate shrink.\n"
            " * Build: gcc -I include FILE.c -o FILE -ldl -lm\n"
            " *        (include: the folder of ulpgate/kernel.h)\n"
            " * Run:   ./FILE [PLUGIN.so] */\n"
            "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <math.h>\n#include <signal.h>\n"
            "#include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
            "#include <sys/mman.h>\n#include <unistd.h>\n\n#include \"ulpgate/kernel.h\"\n\n",
            w->s->kernel);
    print_string(out, "case_line", line);
    print_string(out, "reason", f->reasons ? f->reason[0] : "");
    print_string(out, "plugin_path", w->plugin);
    print_string(out, "backend", w->card.backend);
    print_string(out, "kernel_name", w->card.name);
    print_scalars(w, out);
    print_profile(w, out);
    print_classes(w, out);
    if (print_inputs(w, out) || print_limits(w, out)) return -1;
    fputc('\n', out);
    for (size_t i = 0; i < sizeof program / sizeof *program; i++) fputs(program[i], out);
    return 0;
}

int ug_shrink_write(const ug_shrink *s, FILE *out)
{
    const ug_reference *reference = ug_reference_find(s->cli->reference);
    content *w = calloc(1, sizeof *w);
    void *state = reference ? reference->create() : NULL;
    char err[512] = "out of memory";
    int rc = -1;
    if (!w || !state) {
        ug_error("%s", err);
    } else {
        w->s = s;
        w->c = &s->best.c;
        if (w->c->n && w->c->rows > MOST_ELEMENTS / w->c->n) {
            ug_error("%" PRId64 " rows of %" PRId64 " are too many for a program", w->c->rows,
                     w->c->n);
        } else if (ug_subject_make(&w->subject, w->c, reference, state, err, sizeof err)) {
            ug_error("%s", err);
            ug_subject_free(&w->subject);
        } else {
            rc = find_kernel(w);
            if (!rc && print_program(w, out)) rc = (ug_error("out of memory"), -1);
            ug_subject_free(&w->subject);
        }
    }
    if (state) reference->destroy(state);
    free(w);
    return rc;
}
