// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/study/study_table.h"

#include "base/error.h"
#include "program/files/file_error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const off_t ELSEWHERE = -1; // the place of a line in another file

static trm_status check(const trmi_study_table *t, int code, trm_error *error)
{
    return code == 0 ? TRM_OK : trmi_file_error(error, "write", t->path, code);
}

static trm_status lack_places(const trmi_plan *plan, trm_error *error)
{
    int64_t runs = plan->study->runs;
    trmi_error_advise(error, "divide it into several studies, with fewer runs each");
    return trmi_error_set(error, TRM_ERR_MEMORY,
                          "no memory for a study of %" PRId64 " runs: it takes %.3g GB to know "
                          "which are done, and %.3g GB more to go on with a table",
                          runs, (double)runs * sizeof(off_t) * 1e-9,
                          (double)runs * sizeof(trmi_study_mark) * 1e-9);
}

// ---- what is there ----

static int compare_marks(const void *a, const void *b)
{
    const trmi_study_mark *x = a, *y = b;
    if (x->fingerprint != y->fingerprint)
        return x->fingerprint < y->fingerprint ? -1 : 1;
    return (x->run > y->run) - (x->run < y->run);
}

trmi_study_mark *trmi_study_marks(const trmi_plan *plan)
{
    size_t n = (size_t)plan->study->runs;
    trmi_study_mark *marks = malloc(n * sizeof *marks);
    double *value = malloc(((size_t)plan->study->parameters + 1) * sizeof *value);
    for (size_t i = 0; i < n && marks && value; i++) {
        trmi_study_point(plan->study, (int64_t)i, value);
        marks[i] = (trmi_study_mark){trmi_plan_fingerprint(plan, value), (int64_t)i};
    }
    if (marks && value)
        qsort(marks, n, sizeof *marks, compare_marks);
    else
        free(marks);
    free(value);
    return value ? marks : NULL;
}

// Of the runs with a fingerprint, several where they have the same values: the one with that
// number, or else the first, that has no line yet; NULL: none. *again: a line of theirs is there
// already.
static const trmi_study_mark *find_mark(const trmi_study_table *t, const trmi_study_mark *marks,
                                        uint64_t fingerprint, int64_t number, bool *again)
{
    size_t low = 0, high = (size_t)t->plan->study->runs, n = high;
    const trmi_study_mark *found = NULL;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (marks[middle].fingerprint < fingerprint)
            low = middle + 1;
        else
            high = middle;
    }
    *again = low < n && marks[low].fingerprint == fingerprint;
    for (; low < n && marks[low].fingerprint == fingerprint; low++)
        if (!trmi_study_table_has(t, marks[low].run) && (!found || marks[low].run == number))
            found = &marks[low];
    return found;
}

// the status of a line: the field behind those of the number and the parameters
static const char *status_of(const trmi_plan *plan, const char *line)
{
    for (int k = 0; k < plan->study->parameters + 1 && line; k++)
        line = strchr(line, ',') ? strchr(line, ',') + 1 : NULL;
    return line ? line : "";
}

// the exit code, which follows it
static int code_of(const trmi_plan *plan, const char *line)
{
    const char *comma = strchr(status_of(plan, line), ',');
    return comma ? atoi(comma + 1) : 0;
}

// a complete line at `place`, which belongs to a run or to none
static void take_line(trmi_study_table *t, const trmi_study_mark *marks, const char *line,
                      off_t place)
{
    const char *comma = strrchr(line, ',');
    uint64_t fingerprint = comma ? strtoull(comma + 1, NULL, 16) : 0;
    bool limited = strncmp(status_of(t->plan, line), TRMI_STATUS_LIMIT ",",
                           strlen(TRMI_STATUS_LIMIT ",")) == 0;
    int64_t number = strtoll(line, NULL, 10) - 1;
    bool again = false;
    const trmi_study_mark *found =
        comma ? find_mark(t, marks, limited ? fingerprint ^ t->plan->limits : fingerprint, number,
                          &again)
              : NULL;
    if (!found && comma && (limited || again)) { // by another limit: it is done again; or twice
        t->renumbered = true;
        t->ordered = false;
        return;
    }
    if (!found) {
        t->strangers++;
        return;
    }
    t->renumbered = t->renumbered || number != found->run;
    t->ordered = t->ordered && found->run == t->done && !t->renumbered;
    t->place[found->run] = place;
    t->done++;
    t->failed += code_of(t->plan, line) != 0;
}

// reads the lines behind the header, up to the first that is not complete; 0 or errno
static int read_lines(trmi_study_table *t, const trmi_study_mark *marks, off_t *end)
{
    FILE *file = fopen(t->path, "r");
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    int code = file ? 0 : errno;
    if (file && fseeko(file, *end, SEEK_SET) != 0)
        code = errno;
    for (bool whole = true; whole && code == 0;) {
        length = getline(&line, &capacity, file);
        if (length < 0 && !feof(file))
            code = errno; // also without memory
        // a power failure leaves blocks of zeros
        whole = length > 0 && line[length - 1] == '\n' && !memchr(line, 0, (size_t)length);
        if (whole) {
            take_line(t, marks, line, *end);
            *end += length;
        }
    }
    free(line);
    if (file)
        fclose(file);
    return code;
}

static trm_status refuse(trmi_study_table *t, const char *what, trm_error *error)
{
    trmi_error_advise(error, "give another file with --out, or --replace to replace what is there");
    trmi_error_item(error, "%.60s", t->path);
    return trmi_error_set(error, TRM_ERR_RESULT, "%s %s", t->path, what);
}

// Whether the file begins with the header of the study and a line end of Windows.
static bool ends_with_return(const trmi_study_table *t)
{
    const trmi_text *header = &t->plan->header;
    char *line = NULL;
    size_t capacity = 0, length = header->length - 1; // without \n
    FILE *file = fopen(t->path, "r");
    ssize_t size = file ? getline(&line, &capacity, file) : -1;
    bool is = size == (ssize_t)length + 2 && memcmp(line, header->data, length) == 0 &&
              strcmp(line + length, "\r\n") == 0;
    free(line);
    if (file)
        fclose(file);
    return is;
}

static trm_status refuse_returns(const trmi_study_table *t, trm_error *error)
{
    trmi_error_item(error, "%.60s", t->path);
    trmi_error_advise(error,
                      "sed -i 's/\\r$//' %.60s turns them into \\n again, and the study goes on "
                      "with its rows; or give another file with --out",
                      t->path);
    return trmi_error_set(error, TRM_ERR_RESULT,
                          "%.150s has the columns of this study, but lines that end with \\r\\n "
                          "(CR LF), as an editor may have written them",
                          t->path);
}

static trm_status find_lines(trmi_study_table *t, bool replace, const trmi_study_mark *given,
                             trm_error *error)
{
    off_t end = 0;
    int64_t known = trmi_csv_part_find(&t->part, &t->plan->header, 0, &end);
    FILE *file = known < 0 ? fopen(t->path, "r") : NULL;
    bool empty = file && getc(file) == EOF;
    if (file)
        fclose(file);
    if (known < 0 && !empty && !replace && ends_with_return(t))
        return refuse_returns(t, error);
    if (known < 0 && !empty && !replace)
        return refuse(t,
                      "has other columns than this study: it is another file, or the study has "
                      "changed",
                      error);
    if (known < 0)
        return check(t, trmi_csv_part_begin(&t->part, &t->plan->header), error);
    trmi_study_mark *own = given ? NULL : trmi_study_marks(t->plan);
    const trmi_study_mark *marks = given ? given : own;
    if (!marks)
        return lack_places(t->plan, error);
    int code = read_lines(t, marks, &end);
    free(own);
    if (code != 0)
        return trmi_file_error(error, "read", t->path, code);
    if (t->strangers > 0 && !replace) {
        char what[200];
        snprintf(what, sizeof what,
                 "has %" PRId64 " %s not of this study: model, settings, values or files that the "
                 "model names have changed",
                 t->strangers, t->strangers == 1 ? "row that is" : "rows that are");
        return refuse(t, what, error);
    }
    t->found = t->done;
    t->ordered = t->ordered && t->strangers == 0;
    return check(t, trmi_csv_part_continue(&t->part, end), error);
}

trm_status trmi_study_table_open(trmi_study_table *t, const trmi_plan *plan, const char *path,
                                 bool replace, const trmi_study_mark *marks, trm_error *error)
{
    struct stat about;
    *t = (trmi_study_table){.plan = plan, .path = path, .claim = {.fd = -1}, .ordered = true};
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        trmi_error_advise(error, "a study reads its table, too, to go on with it: give a file");
        return trmi_file_error_text(error, "write", path, "it is %s",
                                    S_ISDIR(about.st_mode) ? "a folder" : "not a file");
    }
    int code = trmi_file_claim_take(&t->claim, path);
    if (code == EAGAIN)
        trmi_error_advise(error, "wait for it, or choose another --out");
    if (code != 0)
        return trmi_file_error(error, "write", path, code);
    t->place = calloc((size_t)plan->study->runs, sizeof *t->place);
    if (!t->place)
        return lack_places(plan, error);
    code = trmi_csv_part_open(&t->part, strdup(path), true);
    return code == 0 ? find_lines(t, replace, marks, error) : check(t, code, error);
}

bool trmi_study_table_has(const trmi_study_table *t, int64_t run)
{
    return t->place[run] != 0;
}

// ---- what comes ----

trm_status trmi_study_table_add(trmi_study_table *t, const trmi_study_row *row, trm_error *error)
{
    char number[32];
    off_t place = t->part.end + (off_t)t->part.pending.length;
    snprintf(number, sizeof number, "%" PRId64 ",", row->run + 1);
    trmi_text_add(&t->part.pending, number);
    trmi_text_add_bytes(&t->part.pending, row->line.data, row->line.length);
    if (row->line.failed)
        t->part.pending.failed = true;
    t->ordered = t->ordered && row->run == t->done;
    t->place[row->run] = place;
    t->done++;
    t->failed += row->code != 0;
    return check(t, trmi_csv_part_line(&t->part), error);
}

void trmi_study_table_note(trmi_study_table *t, int64_t run, int code)
{
    if (trmi_study_table_has(t, run))
        return;
    t->place[run] = ELSEWHERE;
    t->done++;
    t->failed += code != 0;
}

// what is written to a file without a name is lost
static bool is_removed(const trmi_study_table *t)
{
    struct stat ours, there;
    if (!t->part.path || t->replaced || fstat(t->part.fd, &ours) != 0 || ours.st_nlink > 0)
        return false;
    return stat(t->path, &there) != 0 || there.st_ino != ours.st_ino || there.st_dev != ours.st_dev;
}

int64_t trmi_study_table_written(const trmi_study_table *t)
{
    int64_t count = 0;
    if (is_removed(t))
        return 0;
    for (int64_t run = 0; run < t->plan->study->runs && t->part.failure; run++)
        count += t->place[run] != 0 && t->place[run] < t->part.end;
    return t->part.failure ? count : t->done;
}

trm_status trmi_study_table_flush(trmi_study_table *t, trm_error *error)
{
    if (!is_removed(t))
        return check(t, trmi_csv_part_flush(&t->part), error);
    if (t->part.failure == 0)
        t->part.failure = ENOENT; // nothing more is written
    trmi_file_error_text(
        error, "write", t->path,
        "the table was removed or replaced while the study ran, after %" PRId64 " runs", t->done);
    trmi_error_advise(error, "give the same command again: runs that have no row are done again");
    return TRM_ERR_RESULT;
}

// ---- the order ----

// copies the lines of the runs in their order; 0 or errno
static int copy_lines(trmi_study_table *t, FILE *from, FILE *to)
{
    char *line = NULL;
    size_t capacity = 0;
    int code = fwrite(t->plan->header.data, 1, t->plan->header.length, to) == t->plan->header.length
                   ? 0
                   : errno;
    for (int64_t run = 0; run < t->plan->study->runs && code == 0; run++) {
        if (!trmi_study_table_has(t, run))
            continue;
        if (fseeko(from, t->place[run], SEEK_SET) != 0 || getline(&line, &capacity, from) <= 0)
            code = errno != 0 ? errno : EIO;
        else if (fprintf(to, "%" PRId64 "%s", run + 1, strchr(line, ',')) < 0) // its present number
            code = errno;
    }
    free(line);
    return code;
}

// The rows are safe where they are; only a copy in the order of the runs could not be made.
static trm_status lack_order(const trmi_study_table *t, int code, trm_error *error)
{
    trmi_file_error_text(error, "write", t->path, "a copy in the order of the runs: %s",
                         strerror(code));
    trmi_error_advise(error,
                      "all %" PRId64 " rows are in the table, in the order in which they were "
                      "done: free space for a copy, %.3g MB, and give the same command again",
                      t->done, (double)t->part.end / 1e6);
    return TRM_ERR_RESULT;
}

trm_status trmi_study_table_order(trmi_study_table *t, trm_error *error)
{
    if (trmi_study_table_flush(t, error) != TRM_OK || t->ordered)
        return error->status;
    FILE *from = fopen(t->path, "r");
    int code = from ? 0 : errno;
    if (from) {
        trmi_whole_file file = trmi_whole_file_open(t->path);
        code = errno;
        if (file.out) {
            file.synchronised = true; // as the table was that it replaces
            file.failure = copy_lines(t, from, file.out);
            code = trmi_whole_file_close(&file);
        }
        fclose(from);
    }
    t->ordered = code == 0;
    t->replaced = t->replaced || code == 0;
    return code == 0 ? TRM_OK : lack_order(t, code, error);
}

trm_status trmi_study_table_close(trmi_study_table *t, trm_error *error)
{
    int code = t->part.path ? trmi_csv_part_finish(&t->part) : 0;
    free(t->place);
    trm_status status = check(t, code, error);
    trmi_file_claim_release(&t->claim);
    *t = (trmi_study_table){.claim = {.fd = -1}};
    return status;
}
