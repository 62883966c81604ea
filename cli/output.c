/* SPDX-License-Identifier: Apache-2.0 */
/* What results are read from, and where text goes, in which width and with which colours. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"

void ug_error(const char *format, ...)
{
    va_list ap;
    fputs("ulpgate: ", stderr);
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
}

int ug_output_open(ug_output *output, const char *path)
{
    output->name = path && strcmp(path, "-") ? path : NULL;
    output->stream = output->name ? fopen(path, "w") : stdout;
    if (output->stream) return 0;
    ug_error("cannot write '%s': %s", path, strerror(errno));
    return -1;
}

int ug_output_close(ug_output *output)
{
    int bad = fflush(output->stream) || ferror(output->stream);
    if (output->name && fclose(output->stream)) bad = 1;
    if (bad) {
        ug_error("cannot write %s: %s", output->name ? output->name : "standard output",
                 strerror(errno));
    }
    return bad ? -1 : 0;
}

int ug_output_temporary(char *name, size_t cap)
{
    const char *folder = getenv("TMPDIR");
    int fd;
    snprintf(name, cap, "%s/ulpgate-XXXXXX", folder && *folder ? folder : "/tmp");
    fd = mkstemp(name);
    if (fd >= 0) {
        close(fd);
        return 0;
    }
    ug_error("cannot make a file like '%s': %s", name, strerror(errno));
    return -1;
}

int ug_output_copy(const char *file)
{
    char block[1 << 16];
    size_t got;
    FILE *in = fopen(file, "r");
    int bad = !in;
    while (in && (got = fread(block, 1, sizeof block, in)) > 0) {
        if (fwrite(block, 1, got, stdout) != got) bad = 1;
    }
    if (in) fclose(in);
    if (fflush(stdout) || bad) {
        ug_error("cannot copy the results to standard output: %s", strerror(errno));
        return -1;
    }
    return 0;
}

static int is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

/* In the order of the common conventions: the option, NO_COLOR, CLICOLOR_FORCE, CLICOLOR, the
 * terminal. */
int ug_output_colour(const ug_cli *cli, FILE *stream)
{
    const char *term = getenv("TERM"), *force = getenv("CLICOLOR_FORCE"), *plain;
    if (cli->color && !strcmp(cli->color, "always")) return 1;
    if (cli->color && !strcmp(cli->color, "never")) return 0;
    if (is_set("NO_COLOR")) return 0;
    if (force && *force && strcmp(force, "0")) return 1;
    plain = getenv("CLICOLOR");
    if (plain && !strcmp(plain, "0")) return 0;
    return isatty(fileno(stream)) && term && strcmp(term, "dumb");
}

int ug_output_width(FILE *stream)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    int width = columns ? atoi(columns) : 0;
    if (!isatty(fileno(stream))) return 0;
    if (width > 0) return width;
    if (!ioctl(fileno(stream), TIOCGWINSZ, &size) && size.ws_col > 0) return size.ws_col;
    return 80;
}

int ug_read_results(const ug_cli *cli, ug_results *results)
{
    static const char *const usual[] = {"results.jsonl"};
    const char *const *file = cli->operands.count ? cli->operands.item : usual;
    size_t i, count = cli->operands.count ? cli->operands.count : 1;
    char err[512] = "";
    for (i = 0; i < count; i++) {
        if (ug_results_read(results, file[i], err, sizeof err)) {
            ug_error("%s", err);
            return -1;
        }
    }
    return 0;
}
