/* SPDX-License-Identifier: Apache-2.0 */
/* NIST StRD sets: every value stays a decimal text until it is rounded once. */
#include "cases/nist.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/generate.h"

enum { LITERAL = 16, PI_DIGITS = 5000, PI_LIMBS = 560, SETS = 9 };

typedef struct set_info {
    const char *name;
    int64_t count;
    const char *middle, *low, *high; /* middle once, then low and high in turn; NULL: see read */
} set_info;

static const set_info sets[SETS] = {
    {"lew", 200, NULL, NULL, NULL},
    {"lottery", 218, NULL, NULL, NULL},
    {"mavro", 50, NULL, NULL, NULL},
    {"michelso", 100, NULL, NULL, NULL},
    {"numacc1", 3, "10000001", "10000003", "10000002"},
    {"numacc2", 1001, "1.2", "1.1", "1.3"},
    {"numacc3", 1001, "1000000.2", "1000000.1", "1000000.3"},
    {"numacc4", 1001, "10000000.2", "10000000.1", "10000000.3"},
    {"pidigits", PI_DIGITS, NULL, NULL, NULL},
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char (*loaded[SETS])[LITERAL]; /* kept until the program ends */

static int find(const char *name)
{
    for (int i = 0; i < SETS; i++)
        if (!strcmp(sets[i].name, name)) return i;
    return -1;
}

int64_t ug_nist_count(const char *name)
{
    int i = find(name);
    return i < 0 ? -1 : sets[i].count;
}

const char *ug_nist_names(void)
{
    return "lew, lottery, mavro, michelso, numacc1, numacc2, numacc3, numacc4, pidigits";
}

/* big[] holds a fixed-point number in base 10^9, the integer part first. */
static void divide(uint32_t big[PI_LIMBS], uint32_t by)
{
    uint64_t rest = 0;
    for (int i = 0; i < PI_LIMBS; i++) {
        rest = rest * 1000000000u + big[i];
        big[i] = (uint32_t)(rest / by);
        rest %= by;
    }
}

/* sum += sign * part */
static void accumulate(uint32_t sum[PI_LIMBS], const uint32_t part[PI_LIMBS], int sign)
{
    int64_t carry = 0;
    for (int i = PI_LIMBS - 1; i >= 0; i--) {
        int64_t digit = (int64_t)sum[i] + sign * (int64_t)part[i] + carry;
        carry = digit < 0 ? -1 : digit >= 1000000000 ? 1 : 0;
        sum[i] = (uint32_t)(digit - carry * 1000000000);
    }
}

/* sum += factor * atan(1 / x), by its series */
static void add_atan(uint32_t sum[PI_LIMBS], int factor, uint32_t x)
{
    uint32_t power[PI_LIMBS] = {(uint32_t)abs(factor)}, term[PI_LIMBS];
    int sign = factor < 0 ? -1 : 1, busy = 1;
    divide(power, x);
    for (uint32_t k = 1; busy; k += 2, sign = -sign) {
        memcpy(term, power, sizeof term);
        divide(term, k);
        accumulate(sum, term, sign);
        divide(power, x * x);
        busy = 0;
        for (int i = 0; i < PI_LIMBS; i++) busy |= power[i] != 0;
    }
}

/* Machin: pi = 16 atan(1/5) - 4 atan(1/239). 559 limbs behind the point are 5031 digits; each of
 * some 9,000 truncated operations costs at most one unit of the last. */
static void pi_digits(char (*text)[LITERAL])
{
    uint32_t pi[PI_LIMBS] = {0};
    char digits[PI_LIMBS * 9 + 16];
    add_atan(pi, 16, 5);
    add_atan(pi, -4, 239);
    for (int i = 1; i < PI_LIMBS; i++) sprintf(digits + (i - 1) * 9, "%09u", (unsigned)pi[i]);
    for (int i = 0; i < PI_DIGITS; i++) snprintf(text[i], LITERAL, "%c", i ? digits[i - 1] : '3');
    text[956][0] =
        '3'; /* NIST's file differs from pi in this digit, and its values are certified */
}

static int read_set(const set_info *set, char (*text)[LITERAL], char *err, size_t cap)
{
    char path[4096], line[256], *end;
    int64_t count = 0;
    int number = 0;
    FILE *in;
    snprintf(path, sizeof path, "%s/nist/%s.txt", ug_data_dir(), set->name);
    in = fopen(path, "r");
    if (!in) return snprintf(err, cap, "cannot open %s", path), -1;
    while (fgets(line, sizeof line, in)) {
        number++;
        line[strcspn(line, "\r\n")] = 0;
        if (!*line || *line == '#') continue;
        (void)strtod(line, &end);
        if (*end || end == line || strlen(line) >= LITERAL || count == set->count) {
            fclose(in);
            return snprintf(err, cap, "%s:%d: '%.40s', expected one decimal of %lld", path, number,
                            line, (long long)set->count),
                   -1;
        }
        snprintf(text[count++], LITERAL, "%.15s", line);
    }
    fclose(in);
    if (count == set->count) return 0;
    return snprintf(err, cap, "%s holds %lld values, expected %lld", path, (long long)count,
                    (long long)set->count),
           -1;
}

static int load(int index, char *err, size_t cap)
{
    const set_info *set = &sets[index];
    char(*text)[LITERAL];
    if (loaded[index]) return 0;
    text = calloc((size_t)set->count, sizeof *text);
    if (!text) return snprintf(err, cap, "out of memory"), -1;
    if (set->middle) {
        for (int64_t i = 0; i < set->count; i++)
            snprintf(text[i], LITERAL, "%s", i == 0 ? set->middle : i & 1 ? set->low : set->high);
    } else if (set->count == PI_DIGITS) {
        pi_digits(text);
    } else if (read_set(set, text, err, cap)) {
        free(text);
        return -1;
    }
    loaded[index] = text;
    return 0;
}

int ug_nist_values(const char *name, int exponent, ug_dtype t, int64_t first, int64_t n, float *x,
                   char *err, size_t cap)
{
    char literal[LITERAL + 16];
    int index = find(name), failed;
    if (index < 0) return snprintf(err, cap, "unknown set '%s'", name), -1;
    pthread_mutex_lock(&lock);
    failed = load(index, err, cap);
    pthread_mutex_unlock(&lock);
    if (failed) return -1;
    for (int64_t i = 0; i < n; i++) {
        snprintf(literal, sizeof literal, "%se%d",
                 loaded[index][(first % sets[index].count + i) % sets[index].count], exponent);
        /* strtof rounds the decimal once. The narrow types go through binary64: no short decimal
         * lies so near to a midpoint of theirs, short of on it, that it matters. */
        x[i] = t == UG_F32 ? strtof(literal, NULL) : ug_narrow(t, strtod(literal, NULL));
    }
    return 0;
}
