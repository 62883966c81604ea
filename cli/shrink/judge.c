/* SPDX-License-Identifier: Apache-2.0 */
/* The second half of a stand-alone program: launches and their checks. */

static void fill(const launch *l, ug_args *a)
{
    const buffer *x = &all[X], *y = all[Y].map ? &all[Y] : x;
    *a = (ug_args){.size = sizeof *a, .op = UG_OP_LAYERNORM};
    a->x = (ug_view){seen(X), l->places, n, x->stride, x->col, dtype};
    a->y = (ug_view){all[Y].map ? seen(Y) : seen(X), l->places, n, y->stride, y->col, dtype};
    a->gamma = seen(GAMMA);
    a->beta = seen(BETA);
    a->param_dtype = param_dtype;
    a->eps = l->scaled ? eps * scale * scale : eps;
    a->mean = seen(MEAN);
    a->rstd = seen(RSTD);
    a->workspace = seen(WORK);
    a->profile = has_profile ? &profile : NULL;
    a->variation = l->variation;
}

/* What the kernel sees is in place before it is asked for its workspace. */
static void prepare(const launch *l, ug_args *a)
{
    char err[256] = "";
    for (int b = 0; b < BUFFERS && plugin->space; b++) {
        if (!all[b].map || all[b].device) continue;
        all[b].device = plugin->space->alloc(all[b].span, err, sizeof err);
        if (!all[b].device) give_up(all[b].name, err);
    }
    fill(l, a);
}

static void reopen_window(const buffer *b, char *from, char *to)
{
    (void)b;
    mprotect(from, (size_t)(to - from), PROT_READ | PROT_WRITE);
}

static void note_padding(const buffer *b, char *from, char *to)
{
    uint16_t half;
    for (; from < to; from += 2) {
        memcpy(&half, from, 2);
        if (half == canary) continue;
        fault("%s: a byte outside the rows was written, %lld bytes from the first element", b->name,
              (long long)(from - b->base));
        return;
    }
}

/* Outputs out, canary in their place; then nothing but canary may be left. */
static void collect(const launch *l, outputs *o)
{
    const buffer *y = all[Y].map ? &all[Y] : &all[X];
    int changed = 0;
    for (int64_t p = 0; p < l->places; p++)
        for (int64_t i = 0; i < n; i++) {
            o->y[p * n + i] = load(y, p, i);
            changed += all[Y].map && load(&all[X], p, i) != input_bits(l, p, i);
        }
    for (int64_t i = 0; i < n; i++)
        changed += (has_gamma && load(&all[GAMMA], 0, i) != gamma_bits[i]) +
                   (has_beta && load(&all[BETA], 0, i) != beta_bits[i]);
    if (changed) fault("launch %d changed %d elements of its inputs", l->number + 1, changed);
    for (int64_t p = 0; p < l->places && all[MEAN].map; p++) {
        memcpy(&o->mean[p], place_of(&all[MEAN], 0, p), sizeof(float));
        memcpy(&o->rstd[p], place_of(&all[RSTD], 0, p), sizeof(float));
        o->mean[p] = l->scaled ? o->mean[p] / scale : o->mean[p];
        o->rstd[p] = l->scaled ? o->rstd[p] * scale : o->rstd[p];
    }
    for (int b = 0; b < BUFFERS; b++) {
        if (!all[b].map) continue;
        for (int64_t r = 0; r < all[b].rows; r++)
            for (int64_t i = 0; i < all[b].cols; i++)
                memcpy(place_of(&all[b], r, i), (uint16_t[]){canary, canary}, all[b].size);
        each_window(&all[b], note_padding);
    }
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    char text[256];
    int length = snprintf(text, sizeof text, "FAULT    got signal %d%s", number,
                          number == SIGALRM ? ": the launch does not end" : "");
    (void)context;
    for (int b = 0; b < BUFFERS && number != SIGALRM; b++) {
        const char *at = info->si_addr;
        if (!all[b].map || at < all[b].map || at >= all[b].map + all[b].span) continue;
        length += snprintf(text + length, sizeof text - (size_t)length,
                           " at %s, %lld bytes from its first element", all[b].name,
                           (long long)(at - all[b].base));
    }
    text[length++] = '\n';
    _exit(write(1, text, (size_t)length) > 0 ? 1 : 1);
}

/* A kernel that ends the process ends up here. */
static void on_exit_within(void)
{
    static const char text[] = "FAULT    got no answer: the launch ended the process\n";
    if (launching) _exit(write(1, text, sizeof text - 1) > 0 ? 1 : 1);
}

/* On a stack of its own, since a stack overflow is one of the faults. */
static void watch(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    static char stack[65536];
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action;
    sigaltstack(&alternate, NULL);
    atexit(on_exit_within);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

/* Whether the kernel declares all that the case needs of it. */
static int covers(void) { return !(needed & ~kernel->supports) && kernel->dtypes >> dtype & 1; }

/* The path that was taken must be one that the kernel lists. */
static void check_path(const char *path)
{
    const char *const *known = kernel->paths;
    if (!known || !rows || !n) return;
    while (*known && (!path || strcmp(*known, path))) known++;
    if (!*known) fault("path '%s' is none of the kernel's", path ? path : "");
}

/* What is declined is left as it was. */
static void check_untouched(const launch *l, const outputs *o)
{
    uint32_t before = dtype == UG_F32 ? poison * 0x10001u : poison;
    for (int64_t at = 0; at < l->places * n && (!in_place || l->plain); at++) {
        if (o->y[at] == before) continue;
        fault("row %lld col %lld: declined, but got %.9g, want what was there", (long long)(at / n),
              (long long)(at % n), value_of(dtype, o->y[at]));
        return;
    }
}

/* Returns 1 when the kernel answered. */
static int run(const launch *l, outputs *o)
{
    ug_args a;
    char err[256] = "";
    ug_status status;
    size_t bytes;
    lay(l);
    prepare(l, &a);
    bytes = kernel->workspace_size ? kernel->workspace_size(&a) : 0;
    if (bytes > (size_t)1 << 40) {
        fault("workspace_size asks for %zu bytes", bytes);
        return 0;
    }
    if (bytes) make(WORK, "workspace", 1, (int64_t)(bytes + 3) / 4, 1, 1, 0, 4);
    if (bytes) prepare(l, &a);
    a.workspace_bytes = bytes;
    for (int b = 0; b < BUFFERS; b++) {
        if (all[b].map && plugin->space) each_window(&all[b], push);
        if (all[b].map && all[b].input && !plugin->space) each_window(&all[b], close_window);
    }
    fflush(stdout);
    alarm(SECONDS);
    launching = 1;
    status = kernel->launch(&a);
    if (plugin->space && plugin->space->synchronize(err, sizeof err)) fault("device: %s", err);
    launching = 0;
    alarm(0);
    a.message[sizeof a.message - 1] = 0;
    if (status == UG_DECLINED && !covers())
        printf("         declined what it does not declare: %s\n", a.message);
    else if (status != UG_OK)
        fault("launch %d got %s, want an answer: %s", l->number + 1,
              status == UG_DECLINED ? "a refusal" : "an error", a.message);
    if (status == UG_OK && !l->number) check_path(a.path);
    for (int b = 0; b < BUFFERS; b++) {
        if (!all[b].map) continue;
        if (plugin->space) each_window(&all[b], pull);
        if (all[b].input && !plugin->space) each_window(&all[b], reopen_window);
    }
    if (status != UG_FAILED) collect(l, o);
    if (status == UG_DECLINED) check_untouched(l, o);
    for (int b = 0; b < BUFFERS; b++) unmap(&all[b]);
    return status == UG_OK;
}

/* Remainders modulo 16 of a place's addresses, for kernels whose bits may depend on them. */
static int64_t class_of(int64_t place)
{
    int64_t size = dtype == UG_F32 ? 4 : 2;
    if (kernel->depends == UG_DEPENDS_ROW) return 0;
    return (xoffset + place * xstride) * size % 16 * 16 + (yoffset + place * ystride) * size % 16;
}

/* Rows at other places, as far as their bits must not depend on it: half the batch further on in
 * launch 2, from the last to the first in launch 3. */
static void arrange(launch *l)
{
    int64_t *member = room((size_t)rows, sizeof *member);
    for (int64_t p = 0; p < l->places; p++) {
        int64_t count = 0, k = 0;
        for (int64_t r = 0; r < rows; r++)
            if (class_of(r) == class_of(p)) member[count++] = r;
        for (int64_t q = 0; q < p; q++) k += class_of(q) == class_of(p);
        l->row[p] = p % rows;
        if (kernel->depends == UG_DEPENDS_ANY || !count || l->number == 0) continue;
        l->row[p] = l->number == 1   ? member[(k + (count + 1) / 2) % count]
                    : l->number == 2 ? member[count - 1 - k % count]
                                     : l->row[p];
    }
    free(member);
}

static int is_nan(ug_dtype t, uint32_t bits) { return value_of(t, bits) != value_of(t, bits); }

static int same(ug_dtype t, uint32_t a, uint32_t b)
{
    return a == b || (is_nan(t, a) && is_nan(t, b));
}

/* The first place whose row came out otherwise than in the first launch. */
static void compare(const launch *l, const outputs *first, const outputs *o)
{
    if (!kernel->repeatable || (kernel->depends == UG_DEPENDS_ANY && l->number)) return;
    for (int64_t p = 0; p < l->places; p++) {
        int64_t r = l->row[p];
        if (class_of(r) != class_of(p) || (l->clean && has_clean[r % sources])) continue;
        for (int64_t i = 0; i < n; i++) {
            uint32_t got = o->y[p * n + i], before = first->y[r * n + i];
            if (same(dtype, got, before)) continue;
            fault("launch %d (%s): row %lld at place %lld col %lld got %.9g, in launch 1 %.9g",
                  l->number + 1,
                  l->scaled  ? "8 x, 64 eps, other places"
                  : l->plain ? "contiguous, aligned"
                             : "other places and lanes",
                  (long long)r, (long long)p, (long long)i, value_of(dtype, got),
                  value_of(dtype, before));
            return;
        }
        if (!stats || !(kernel->supports & UG_CAN_STATS)) continue;
        if (memcmp(&o->mean[p], &first->mean[r], 4) || memcmp(&o->rstd[p], &first->rstd[r], 4)) {
            fault("launch %d: row %lld got mean %.9g rstd %.9g, in launch 1 %.9g and %.9g",
                  l->number + 1, (long long)r, o->mean[p], o->rstd[p], first->mean[r],
                  first->rstd[r]);
            return;
        }
    }
}

/* 1 when the element is as it should be. An infinity stands for the overflow threshold. */
static int is_right(int64_t at, int64_t source_at, const outputs *o)
{
    double got = value_of(dtype, o->y[at]), want = value_of(dtype, want_bits[source_at]);
    double top = ldexp(1, dtype == UG_F16 ? 16 : 128), exact = exact_y[source_at];
    if (o->y[at] == (dtype == UG_F32 ? poison * 0x10001u : poison)) return 0;
    if (row_class[source_at / n] == 2) return 1; /* nothing is judged */
    if (row_class[source_at / n] == 1) return !isfinite(got);
    if (isnan(want) || !isfinite(exact)) return same(dtype, o->y[at], want_bits[source_at]);
    if (isinf(got)) got = copysign(top, got);
    return fabs(got - exact) <= allowed[source_at];
}

static void compare_stats(int64_t row, double got, double want, double limit, const char *name)
{
    int bad = row_class[row % sources] == 0 && !(fabs(got - want) <= limit);
    if (bad) faults++;
    printf("%s row %lld %s: got %.9g, want %.17g, allowed %.3g\n", bad ? "FAULT   " : "        ",
           (long long)row, name, got, want, limit);
}

static void show(const outputs *o)
{
    int64_t shown = 0, hidden = 0, m = stats && kernel->supports & UG_CAN_STATS ? rows : 0;
    for (int64_t at = 0; at < rows * n; at++) {
        int64_t s = at / n % sources * n + at % n;
        int right = is_right(at, s, o);
        if (!right) faults++;
        if (shown >= SHOWN || (right && rows * n > SHOWN)) {
            hidden += !right;
            continue;
        }
        shown++;
        printf("%s row %lld col %lld: got %.9g, want %.9g (exact %.17g, allowed %.3g)%s\n",
               right ? "        " : "FAULT   ", (long long)(at / n), (long long)(at % n),
               value_of(dtype, o->y[at]), value_of(dtype, want_bits[s]), exact_y[s], allowed[s],
               o->y[at] == (dtype == UG_F32 ? poison * 0x10001u : poison) ? " not written" : "");
    }
    if (hidden) printf("         and %lld more elements\n", (long long)hidden);
    for (int64_t r = 0; r < m; r++) {
        compare_stats(r, o->mean[r], mean_want[r % sources], mean_allowed[r % sources], "mean");
        compare_stats(r, o->rstd[r], rstd_want[r % sources], rstd_allowed[r % sources], "rstd");
    }
}

static void load_plugin(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const ug_plugin *(*entry)(void);
    if (!library) give_up(path, dlerror());
    *(void **)&entry = dlsym(library, "ulpgate_plugin");
    if (!entry) give_up(path, "no ulpgate_plugin()");
    plugin = entry();
    if (!plugin || plugin->abi != UG_ABI_VERSION) give_up(path, "another ABI version");
    for (size_t k = 0; k < plugin->count; k++) {
        const ug_kernel *item =
            (const ug_kernel *)((const char *)plugin->kernels + k * plugin->kernels->size);
        if (!strcmp(item->name, kernel_name)) kernel = item;
    }
    if (!kernel) give_up(path, "the kernel is not in it");
}

int main(int argc, char **argv)
{
    int64_t most = rows > batch ? rows : batch;
    outputs o[2];
    printf("%s\n%s %s\nbefore:  %s\n", case_line, backend, kernel_name, reason);
    for (int64_t at = 0; at < sources * n && at < SHOWN / 3; at++)
        printf("         want %.9g\n", value_of(dtype, want_bits[at]));
    load_plugin(argc > 1 ? argv[1] : plugin_path);
    watch();
    for (int k = 0; k < 2; k++) {
        o[k].y = room((size_t)(most * n), sizeof *o[k].y);
        o[k].mean = room((size_t)most, sizeof(float));
        o[k].rstd = room((size_t)most, sizeof(float));
    }
    for (int k = 0; k < 4; k++) {
        launch l = {k, k < 3 ? (uint32_t)k : 0, rows, NULL, k == 2, k == 1 && scalable, k == 3};
        if (k == 2 && batch && kernel->depends != UG_DEPENDS_ANY) l.places = batch;
        if (k == 3 && (is_plain || kernel->depends != UG_DEPENDS_ROW)) break;
        if (kernel->depends == UG_DEPENDS_ANY) l.clean = 0;
        l.row = room((size_t)l.places, sizeof *l.row);
        if (rows) arrange(&l);
        if (!run(&l, &o[k > 0]) && !k) break;
        if (!k && !covers())
            fault("accepted, though the kernel does not declare all that the case needs");
        if (k)
            compare(&l, &o[0], &o[1]);
        else
            show(&o[0]);
        free(l.row);
    }
    printf("%s\n", faults ? "the fault shows" : "no fault shows");
    return faults > 0;
}
