/* SPDX-License-Identifier: Apache-2.0 */
/* Mutates a corpus by a fixed seed, without feedback; understands libFuzzer's -runs=N, -seed=N and
 * corpus folders, so that both are called alike. An input that ends the program is left in
 * crash-input, in the current folder. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

enum { SEEDS = 256, MOST = 1 << 16 };

typedef struct blob {
    uint8_t *data;
    size_t size;
} blob;

static blob seeds[SEEDS];
static int seed_count;
static uint64_t state;
static uint8_t input[MOST];
static size_t input_size;

static uint64_t next(void) /* splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t below(size_t n) { return n ? (size_t)(next() % n) : 0; }

static void on_end(int number)
{
    FILE *f = fopen("crash-input", "w");
    if (f) {
        fwrite(input, 1, input_size, f);
        fclose(f);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void add_file(const char *folder, const char *name)
{
    char path[4096];
    FILE *f;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = seed_count < SEEDS ? fopen(path, "r") : NULL;
    if (!f) return;
    seeds[seed_count].data = malloc(MOST);
    if (seeds[seed_count].data) {
        seeds[seed_count].size = fread(seeds[seed_count].data, 1, MOST, f);
        seed_count++;
    }
    fclose(f);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_folder(const char *folder)
{
    struct dirent **entry;
    int count = scandir(folder, &entry, NULL, by_name);
    for (int i = 0; i < count; i++) {
        if (entry[i]->d_name[0] != '.') add_file(folder, entry[i]->d_name);
        free(entry[i]);
    }
    if (count >= 0) free(entry);
}

/* Puts `size` bytes in place of `cut` bytes at `at`, as far as there is room. */
static void replace(size_t at, size_t cut, const void *data, size_t size)
{
    if (cut > input_size - at) cut = input_size - at;
    if (input_size - cut + size > MOST) return;
    memmove(input + at + size, input + at + cut, input_size - at - cut);
    memcpy(input + at, data, size);
    input_size += size - cut;
}

static void mutate_once(void)
{
    static const char *const words[] = {"0",          "-1",
                                        "1",          "2147483648",
                                        "4294967296", "9223372036854775807",
                                        "1e999",      "nan",
                                        "-inf",       "{",
                                        "}",          ",",
                                        "=",          "(",
                                        ")",          "\"",
                                        "[",          "\n",
                                        "\\u0000",    "\xff",
                                        " ",          "18446744073709551616"};
    const blob *other = &seeds[below((size_t)seed_count)];
    size_t at = below(input_size + 1), span = 1 + below(16), from = below(other->size);
    const char *word = words[below(sizeof words / sizeof *words)];
    uint8_t byte = (uint8_t)next();
    switch (next() % 8) {
    case 0:
        if (at < input_size) input[at] ^= (uint8_t)(1u << byte % 8);
        break;
    case 1:
        if (at < input_size) input[at] = byte;
        break;
    case 2:
        replace(at, 0, word, strlen(word));
        break;
    case 3:
        replace(at, span, word, strlen(word));
        break;
    case 4:
        replace(at, span * span, "", 0);
        break;
    case 5:
        if (other->size) replace(at, below(64), other->data + from, below(other->size - from) + 1);
        break;
    case 6:
        input_size = at;
        break;
    default: /* a digit */
        for (size_t i = at; i < input_size; i++)
            if (input[i] >= '0' && input[i] <= '9') {
                input[i] = (uint8_t)('0' + byte % 10);
                break;
            }
    }
}

static void run_seed(const blob *seed, int mutations)
{
    memcpy(input, seed->data, seed->size);
    input_size = seed->size;
    for (int i = 0; i < mutations; i++) mutate_once();
    LLVMFuzzerTestOneInput(input, input_size);
}

int main(int argc, char **argv)
{
    const int ends[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM};
    long runs = 10000;
    state = 1;
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "-runs=", 6))
            runs = atol(argv[i] + 6);
        else if (!strncmp(argv[i], "-seed=", 6))
            state = strtoull(argv[i] + 6, NULL, 10);
        else
            add_folder(argv[i]);
    }
    if (!seed_count) {
        fprintf(stderr, "usage: %s [-runs=N] [-seed=N] CORPUS... (no file was found)\n", argv[0]);
        return 2;
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) signal(ends[i], on_end);
    for (int i = 0; i < seed_count; i++) run_seed(&seeds[i], 0);
    for (long i = 0; i < runs; i++) run_seed(&seeds[below((size_t)seed_count)], 1 + (int)below(8));
    printf("%d seeds, %ld mutations\n", seed_count, runs);
    for (int i = 0; i < seed_count; i++) free(seeds[i].data);
    return 0;
}
