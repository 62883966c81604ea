/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate doctor: whether this machine can run an audit, and with what. */
#include <fenv.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmp.h>
#include <jansson.h>
#include <mpfr.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "audit/audit.h"
#include "cli/commands.h"
#include "cli/gather.h"

static void item(FILE *out, int good, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void item(FILE *out, int good, const char *name, const char *format, ...)
{
    va_list ap;
    fprintf(out, "%-4s %-14s ", good ? "ok" : "BAD", name);
    va_start(ap, format);
    vfprintf(out, format, ap);
    va_end(ap);
    fputc('\n', out);
}

static int check_arithmetic(FILE *out)
{
    int nearest = fegetround() == FE_TONEAREST, gradual = 1;
    volatile double tiny = 0x1p-1022, half = 0.5;
    volatile float tiny_float = 0x1p-126f, half_float = 0.5f;
    item(out, nearest, "rounding", "%s", nearest ? "to nearest" : "not to nearest");
    /* Measured rather than read from a register: any processor's flush-to-zero shows. */
    if (!(tiny * half > 0) || !(tiny_float * half_float > 0)) gradual = 0;
#if defined(__x86_64__)
    if (_mm_getcsr() & 0x8040u) gradual = 0;
#endif
    item(out, gradual, "subnormals", "%s",
         gradual ? "kept (no flush-to-zero, no denormals-are-zero)" : "flushed to zero");
    return nearest && gradual;
}

static int check_data(FILE *out)
{
    char **names = NULL, err[512] = "";
    size_t count = 0;
    if (ug_suite_names(&names, &count, err, sizeof err)) {
        item(out, 0, "data", "%s", err);
        return 0;
    }
    if (count) {
        item(out, 1, "data", "%s (%zu suites)", ug_data_dir(), count);
    } else {
        ug_data_places(err, sizeof err);
        item(out, 0, "data", "%s/suites holds no suite; %s", ug_data_dir(), err);
    }
    ug_suite_names_free(names, count);
    return count > 0;
}

/* Of a backend that cannot run here the reason is shown; it is no fault of the machine. */
static void show_backend(const ug_backend_card *b, FILE *out)
{
    int i;
    if (*b->unusable) {
        fprintf(out, "-    %-14s cannot run here: %s\n", b->backend, b->unusable);
    } else {
        item(out, 1, b->backend, "%zu kernels%s", b->kernel_count,
             b->devices < 0 ? " on host memory" : "");
    }
    if (b->devices >= 0) fprintf(out, "       devices: %d\n", b->devices);
    for (i = 0; i < b->fact_count; i++) {
        fprintf(out, "       %s: %s\n", b->facts[i][0], b->facts[i][1]);
    }
}

static int check_backends(const ug_cli *cli, FILE *out)
{
    ug_backend_card *cards = NULL;
    ug_list plugins;
    char err[512] = "out of memory";
    size_t b, usable = 0;
    int rc = ug_gather_plugins(cli, &plugins);
    if (!rc) rc = ug_backends(plugins.item, plugins.count, &cards, err, sizeof err);
    if (rc) {
        item(out, 0, "worker", "%s", err);
    } else {
        item(out, 1, "worker", "answers");
        for (b = 0; b < plugins.count; b++) {
            show_backend(&cards[b], out);
            usable += !*cards[b].unusable;
        }
        if (!usable) item(out, 0, "backends", "none can run here");
        ug_backends_free(cards, plugins.count);
    }
    free(plugins.item);
    return usable > 0;
}

static int run(const ug_cli *cli)
{
    ug_output output;
    int good;
    if (ug_output_open(&output, cli->out)) return UG_EXIT_USAGE;
    item(output.stream, 1, "ulpgate", ULPGATE_VERSION);
    item(output.stream, 1, "compiler", "%s", ULPGATE_COMPILER);
    item(output.stream, 1, "mpfr", "%s (built with %s)", mpfr_get_version(), MPFR_VERSION_STRING);
    item(output.stream, 1, "gmp", "%s", gmp_version);
    item(output.stream, 1, "jansson", "%s (built with %s)", jansson_version_str(), JANSSON_VERSION);
    item(output.stream, 1, "cores", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    good = check_arithmetic(output.stream);
    good = check_data(output.stream) && good;
    good = check_backends(cli, output.stream) && good;
    fprintf(output.stream, "%s\n", good ? "healthy" : "not healthy: see the lines marked BAD");
    if (ug_output_close(&output)) return UG_EXIT_USAGE;
    return good ? UG_EXIT_PASS : UG_EXIT_USAGE;
}

const ug_command ug_command_doctor = {
    "doctor",
    UG_CMD_DOCTOR,
    "",
    0,
    0,
    "Check the environment: libraries, arithmetic, data, worker, backends.",
    "Exits 0 when an audit can run here, 2 otherwise. A backend without a device is shown with its "
    "reason and is no fault.",
    "",
    run};
