/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate new: writes the project of a plugin that builds and is judged as it stands. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "new_files.inc"

enum { NAME_MAX_CHARS = 40 };
static const char mark[] = "@NAME@";

/* Taken by C, by CMake's own targets, or by the files that are written. */
static int is_taken(const char *name)
{
    static const char *const taken[] = {
        "all",   "auto",   "char",    "class",  "clean",  "double",  "float",    "help",
        "int",   "kernel", "kernels", "launch", "long",   "main",    "package",  "register",
        "short", "sqrt",   "static",  "struct", "switch", "test",    "ulpgate",  "ulpgate_plugin",
        "union", "void",   "while",   "const",  "for",    "install", "unsigned", "return"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (!strcmp(name, taken[i])) return 1;
    return 0;
}

/* A name becomes a file, a target and a function. */
static int check_name(const char *name)
{
    size_t i, n = strlen(name);
    if (is_taken(name)) {
        ug_error("'%s' is taken: the name becomes a function and a target of CMake", name);
        return -1;
    }
    int good = n > 0 && n <= NAME_MAX_CHARS && !isdigit((unsigned char)name[0]);
    for (i = 0; good && i < n; i++) good = isalnum((unsigned char)name[i]) || name[i] == '_';
    if (good) return 0;
    ug_error("'%s' is no name for a kernel: expected 1 to %d letters, digits and _, no digit first",
             name, NAME_MAX_CHARS);
    return -1;
}

/* text with every mark replaced by name; returns what fputs or fwrite would. */
static int put_filled(const char *text, const char *name, FILE *out)
{
    const char *at;
    while ((at = strstr(text, mark))) {
        if (fwrite(text, 1, (size_t)(at - text), out) != (size_t)(at - text)) return EOF;
        if (fputs(name, out) == EOF) return EOF;
        text = at + strlen(mark);
    }
    return fputs(text, out);
}

static int file_path(const struct new_file *f, const char *folder, const char *name, char *path,
                     size_t cap)
{
    const char *rest = strstr(f->name, mark);
    int n = rest ? snprintf(path, cap, "%s/%s%s", folder, name, rest + strlen(mark))
                 : snprintf(path, cap, "%s/%s", folder, f->name);
    if (n >= 0 && (size_t)n < cap) return 0;
    ug_error("%s: the path is too long", folder);
    return -1;
}

static int write_file(const struct new_file *f, const char *path, const char *name)
{
    FILE *out = fopen(path, "wx"); /* what is there stays */
    int bad;
    if (!out) {
        ug_error("%s: %s", path, strerror(errno));
        return -1;
    }
    bad = put_filled(f->text, name, out) == EOF;
    if (fclose(out)) bad = 1;
    if (bad) ug_error("%s: %s", path, strerror(errno));
    return bad ? -1 : 0;
}

/* Nothing is written when one of the files is there already. */
static int check_absent(const char *kind, const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat st;
    for (size_t i = 0; i < sizeof new_files / sizeof *new_files; i++) {
        if (strcmp(new_files[i].kind, kind)) continue;
        if (file_path(&new_files[i], folder, name, path, sizeof path)) return -1;
        if (!lstat(path, &st)) {
            ug_error("%s: is there already, nothing was written", path);
            return -1;
        }
    }
    return 0;
}

static int write_all(const char *kind, const char *folder, const char *name)
{
    char path[PATH_MAX];
    if (check_absent(kind, folder, name)) return -1;
    if (mkdir(folder, 0777) && errno != EEXIST) {
        ug_error("%s: %s", folder, strerror(errno));
        return -1;
    }
    for (size_t i = 0; i < sizeof new_files / sizeof *new_files; i++) {
        if (strcmp(new_files[i].kind, kind)) continue;
        if (file_path(&new_files[i], folder, name, path, sizeof path) ||
            write_file(&new_files[i], path, name))
            return -1;
        printf("%s\n", path);
    }
    return 0;
}

static int run(const ug_cli *cli)
{
    const char *name = cli->operands.item[1], *folder = cli->out ? cli->out : name;
    if (strcmp(cli->operands.item[0], "kernel")) {
        ug_error("there is no new '%s', expected `ulpgate new kernel NAME`", cli->operands.item[0]);
        return UG_EXIT_USAGE;
    }
    if (cli->cuda == cli->host) {
        ug_error("expected one of --cuda and --host");
        return UG_EXIT_USAGE;
    }
    if (check_name(name) || write_all(cli->cuda ? "cuda" : "host", folder, name)) {
        return UG_EXIT_USAGE;
    }
    printf("\nnext:\n"
           "  cmake -S %s -B %s/build\n"
           "  cmake --build %s/build\n"
           "  ctest --test-dir %s/build --output-on-failure\n",
           folder, folder, folder, folder);
    return fflush(stdout) ? UG_EXIT_USAGE : UG_EXIT_PASS;
}

const ug_command ug_command_new = {
    "new",
    UG_CMD_NEW,
    "kernel NAME",
    2,
    2,
    "Write the project of a kernel of your own, to be judged as it stands.",
    "Three files: the kernel, the table that says what it supports and how it is called, and a "
    "CMakeLists.txt that builds both as a plugin and gates it. They build and pass; then put your "
    "kernel in place of theirs. docs/porting.md walks through it. What is there already is never "
    "overwritten.",
    "ulpgate new kernel mine --cuda\n"
    "ulpgate new kernel mine --host -o plugins/mine",
    run};
