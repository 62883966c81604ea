/* SPDX-License-Identifier: Apache-2.0 */
/* What a stand-alone program does with its data: one launch after the other as the judge has them,
 * outputs against what was wanted, guards, inputs and repeats. Exits 1 when the fault shows, 0 when
 * it does not, 2 when the plugin cannot be used. `ulpgate shrink` puts the data in front. */
enum { PAGE = 4096, GRID = 256, AROUND = 65536, WHOLE = 1 << 24, SHOWN = 24, SECONDS = 10 };
static const uint16_t canary = 0x7fd5, poison = 0xffd3; /* both NaN in every type */
static const float scale = 8;

/* A matrix in memory with an inaccessible page at either end; also gaps between far rows. */
typedef struct buffer {
    const char *name;
    int64_t rows, cols, stride, col, offset;
    size_t size, span;
    char *map, *base, *device; /* element (0, 0) lies at base */
    int input;
} buffer;

enum { X, GAMMA, BETA, Y, MEAN, RSTD, WORK, BUFFERS };
static buffer all[BUFFERS];
static const ug_plugin *plugin;
static const ug_kernel *kernel;
static int faults, launching;

typedef struct outputs {
    uint32_t *y;
    float *mean, *rstd;
} outputs;

static void fault(const char *format, ...)
{
    va_list ap;
    printf("FAULT    ");
    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
    printf("\n");
    faults++;
}

static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why ? why : "no reason given");
    exit(2);
}

static void *room(size_t count, size_t size)
{
    void *p = calloc(count + 1, size);
    if (!p) give_up("memory", "none left");
    return p;
}

static double value_of(ug_dtype t, uint32_t bits)
{
    uint32_t wide = t == UG_BF16 ? bits << 16 : bits, e = bits >> 10 & 31, m = bits & 0x3ff;
    float f;
    if (t == UG_F16) {
        double v = e == 31 ? (m ? NAN : INFINITY) : ldexp(e ? m + 1024 : m, e ? (int)e - 25 : -24);
        return bits & 0x8000 ? -v : v;
    }
    memcpy(&f, &wide, sizeof f);
    return f;
}

static char *place_of(const buffer *b, int64_t row, int64_t col)
{
    return b->base + (row * b->stride + col * b->col) * (int64_t)b->size;
}

static uint32_t load(const buffer *b, int64_t row, int64_t col)
{
    uint32_t bits = 0;
    memcpy(&bits, place_of(b, row, col), b->size); /* little endian */
    return bits;
}

static void store(const buffer *b, int64_t row, int64_t col, uint32_t bits)
{
    memcpy(place_of(b, row, col), &bits, b->size);
}

/* Calls what(from, to) on the parts of a buffer that are memory: all of it, or around each row. */
static void each_window(const buffer *b, void (*what)(const buffer *, char *, char *))
{
    char *first = b->map + PAGE, *end = b->map + b->span - PAGE, *done = first;
    if (b->span <= WHOLE || b->stride < b->col) {
        what(b, first, end);
        return;
    }
    for (int64_t r = 0; r < b->rows; r++) {
        char *from = place_of(b, r, 0) - AROUND, *to = place_of(b, r, b->cols) + AROUND;
        from -= (uintptr_t)from % PAGE;
        to += (PAGE - (uintptr_t)to % PAGE) % PAGE;
        from = from < done ? done : from;
        to = to > end ? end : to;
        if (from < to) what(b, from, to);
        done = to > done ? to : done;
    }
}

static void open_window(const buffer *b, char *from, char *to)
{
    if (mprotect(from, (size_t)(to - from), PROT_READ | PROT_WRITE)) give_up(b->name, "no memory");
    for (; from < to; from += 2) memcpy(from, &canary, 2);
}

static void close_window(const buffer *b, char *from, char *to)
{
    (void)b;
    mprotect(from, (size_t)(to - from), PROT_READ);
}

/* The data end as near to a page end as the first element's place allows; a device has no
 * inaccessible pages, so that there canaries stand wider around them. */
static void map(buffer *b)
{
    int64_t last = (b->rows - 1) * b->stride + (b->cols - 1) * b->col + 1;
    size_t bytes = b->rows && b->cols ? (size_t)last * b->size : 0;
    size_t skew = (size_t)b->offset * b->size % GRID;
    size_t wide = plugin->space ? AROUND : 0;
    size_t inside = (2 * wide + 2 * GRID + skew + bytes + PAGE - 1) / PAGE * PAGE;
    b->span = inside + 2 * PAGE;
    b->map = mmap(NULL, b->span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (b->map == MAP_FAILED) give_up(b->name, "no memory");
    b->base = b->map + PAGE + (inside - wide - bytes - skew) / GRID * GRID + skew;
    each_window(b, open_window);
}

static void unmap(buffer *b)
{
    if (b->device) plugin->space->free(b->device);
    if (b->map) munmap(b->map, b->span);
    memset(b, 0, sizeof *b);
}

static void push(const buffer *b, char *from, char *to)
{
    char err[256] = "";
    if (plugin->space->to_device(b->device + (from - b->map), from, (size_t)(to - from), err,
                                 sizeof err))
        give_up(b->name, err);
}

static void pull(const buffer *b, char *from, char *to)
{
    char err[256] = "";
    if (plugin->space->to_host(from, b->device + (from - b->map), (size_t)(to - from), err,
                               sizeof err))
        give_up(b->name, err);
}

/* Where the kernel sees element (0, 0). */
static void *seen(int which)
{
    const buffer *b = &all[which];
    return !b->map ? NULL : b->device ? b->device + (b->base - b->map) : b->base;
}

static void make(int which, const char *name, int64_t r, int64_t c, int64_t stride, int64_t col,
                 int64_t offset, size_t size)
{
    all[which] = (buffer){name, r, c, stride, col, offset, size, 0, NULL, NULL, NULL, 0};
    map(&all[which]);
}

static uint32_t scaled_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    f *= scale;
    memcpy(&bits, &f, sizeof f);
    return bits;
}

/* One launch: which row lies at each place, in which layout, on which values. */
typedef struct launch {
    int number;
    uint32_t variation;
    int64_t places;
    int64_t *row;
    int clean, scaled, plain;
} launch;

static uint32_t input_bits(const launch *l, int64_t place, int64_t col)
{
    int64_t source = l->row[place] % sources;
    const uint32_t *bits = l->clean && has_clean[source] ? clean_bits : x_bits;
    return l->scaled ? scaled_bits(bits[source * n + col]) : bits[source * n + col];
}

static void lay(const launch *l)
{
    size_t size = dtype == UG_F32 ? 4 : 2, param = param_dtype == UG_F32 ? 4 : 2;
    int plain = l->plain;
    make(X, "x", l->places, n, plain ? n : xstride, plain ? 1 : xcol, plain ? 0 : xoffset, size);
    if (!in_place || plain)
        make(Y, "y", l->places, n, plain ? n : ystride, plain ? 1 : ycol, plain ? 0 : yoffset,
             size);
    if (has_gamma) make(GAMMA, "gamma", 1, n, n, 1, plain ? 0 : goffset, param);
    if (has_beta) make(BETA, "beta", 1, n, n, 1, plain ? 0 : boffset, param);
    if (stats && kernel->supports & UG_CAN_STATS) {
        make(MEAN, "mean", 1, l->places, l->places, 1, 0, sizeof(float));
        make(RSTD, "rstd", 1, l->places, l->places, 1, 0, sizeof(float));
    }
    for (int64_t p = 0; p < l->places; p++)
        for (int64_t i = 0; i < n; i++) {
            if (all[Y].map) store(&all[Y], p, i, poison * 0x10001u);
            store(&all[X], p, i, input_bits(l, p, i));
        }
    for (int64_t i = 0; i < n; i++) {
        if (has_gamma) store(&all[GAMMA], 0, i, gamma_bits[i]);
        if (has_beta) store(&all[BETA], 0, i, beta_bits[i]);
    }
    for (int64_t p = 0; p < l->places && all[MEAN].map; p++) {
        store(&all[MEAN], 0, p, poison * 0x10001u);
        store(&all[RSTD], 0, p, poison * 0x10001u);
    }
    all[X].input = all[Y].map != NULL;
    all[GAMMA].input = all[BETA].input = 1;
}
