/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the results file. What a line says is whole or, after a kill, cut at the very end. */
#include "audit/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/record.h"
#include "audit/resume.h"

static int open_temporary(ug_results *r, char *err, size_t cap)
{
    const char *folder = getenv("TMPDIR");
    snprintf(r->path, sizeof r->path, "%s/ulpgate-XXXXXX.jsonl",
             folder && *folder ? folder : "/tmp");
    r->fd = mkostemps(r->path, 6, O_CLOEXEC);
    if (r->fd >= 0) return 0;
    snprintf(err, cap, "cannot make %s: %s", r->path, strerror(errno));
    return -1;
}

/* Opens the file the caller named; *regular: it can be looked into and cut. */
static int open_named(ug_results *r, const char *path, int *regular, char *err, size_t cap)
{
    struct stat st;
    if ((size_t)snprintf(r->path, sizeof r->path, "%s", path) >= sizeof r->path) {
        snprintf(err, cap, "the path of the results file has more than %zu bytes",
                 sizeof r->path - 1);
        return -1;
    }
    r->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (r->fd < 0) r->fd = open(path, O_WRONLY | O_CLOEXEC); /* a pipe or a terminal */
    if (r->fd < 0 || fstat(r->fd, &st)) {
        snprintf(err, cap, "cannot open %s: %s", path, strerror(errno));
        return -1;
    }
    *regular = S_ISREG(st.st_mode);
    /* Given up with the descriptor. Where files cannot be locked nothing is: it is no error. */
    if (!*regular || !flock(r->fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) return 0;
    snprintf(err, cap, "%s is being written by another run", path);
    return -1;
}

static int open_file(ug_results *r, const char *path, int *regular, char *err, size_t cap)
{
    *r = (ug_results){.fd = -1};
    *regular = 1;
    return path ? open_named(r, path, regular, err, cap) : open_temporary(r, err, cap);
}

/* Empties the file and writes its header. */
static int begin(ug_results *r, int regular, const json_t *header, char *err, size_t cap)
{
    char *line;
    int rc;
    if (regular && (ftruncate(r->fd, 0) || lseek(r->fd, 0, SEEK_SET) < 0)) {
        snprintf(err, cap, "cannot empty %s: %s", r->path, strerror(errno));
        return -1;
    }
    line = ug_record_text(header);
    rc = line ? ug_results_append(r, line, err, cap) : -1;
    if (!line) snprintf(err, cap, "out of memory");
    free(line);
    return rc;
}

int ug_results_create(ug_results *r, const char *path, const json_t *header, char *err, size_t cap)
{
    int regular;
    if (open_file(r, path, &regular, err, cap)) return -1;
    if (regular && ug_resume_may_overwrite(r, err, cap)) return -1;
    return begin(r, regular, header, err, cap);
}

int ug_results_open(ug_results *r, const ug_run_options *o, const ug_selection *s,
                    const json_t *header, char *err, size_t cap)
{
    int regular, fresh = 1;
    if (!o->resume) return ug_results_create(r, o->out, header, err, cap);
    *r = (ug_results){.fd = -1};
    if (!o->out) return snprintf(err, cap, "resuming needs the results file to be named"), -1;
    if (open_file(r, o->out, &regular, err, cap)) return -1;
    if (regular && ug_resume(r, o, s, header, &fresh, err, cap)) return -1;
    return fresh ? begin(r, regular, header, err, cap) : 0;
}

int ug_results_append(ug_results *r, const char *line, char *err, size_t cap)
{
    size_t bytes = strlen(line) + 1, done = 0;
    char *whole = malloc(bytes);
    if (!whole) return snprintf(err, cap, "out of memory"), -1;
    memcpy(whole, line, bytes - 1);
    whole[bytes - 1] = '\n';
    while (done < bytes) {
        ssize_t n = write(r->fd, whole + done, bytes - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        done += (size_t)n;
    }
    free(whole);
    if (done == bytes) return 0;
    snprintf(err, cap, "cannot write %s: %s", r->path, strerror(errno));
    return -1;
}

void ug_results_count(ug_results *r, ug_pair_verdict verdict, int counted)
{
    r->all[verdict]++;
    if (counted)
        r->counted[verdict]++;
    else
        r->shown++;
}

int ug_results_finish(ug_results *r, double seconds, char *err, size_t cap)
{
    json_t *end = json_object(), *verdicts = json_object();
    char now[32], *line;
    size_t results = 0;
    int rc;
    if (r->complete) {
        json_decref(end);
        json_decref(verdicts);
        return 0;
    }
    ug_results_time(now);
    for (int v = 0; v < UG_VERDICT_COUNT; v++) {
        results += r->all[v];
        json_object_set_new(verdicts, ug_verdict_names[v], json_integer((json_int_t)r->all[v]));
    }
    json_object_set_new(end, "type", json_string("end"));
    json_object_set_new(end, "results", json_integer((json_int_t)results));
    json_object_set_new(end, "finished", json_string(now));
    json_object_set_new(end, "seconds", ug_record_number(seconds));
    json_object_set_new(end, "verdicts", verdicts);
    line = ug_record_text(end);
    json_decref(end);
    rc = line ? ug_results_append(r, line, err, cap) : -1;
    if (!line) snprintf(err, cap, "out of memory");
    free(line);
    return rc;
}

void ug_results_close(ug_results *r)
{
    if (r->fd >= 0) close(r->fd);
    r->fd = -1;
}
