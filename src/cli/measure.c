// SPDX-License-Identifier: Apache-2.0
#include "cli/measure.h"

#include "base/nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = 64, SAMPLE_KEY_BYTES = 200 };

// ---- settings of a run ----

// one value of a variation: an alternative, or a factor on the row's number
static const char *vary(const trmi_experiment *e, const trmi_row *row, const trmi_variation *v,
                        int index, char *buffer)
{
    double number = NAN; // the reader has seen to it that there is one
    if (!v->factor)
        return v->alternative[index];
    trmi_item_number(trmi_experiment_setting(e, row, v->path)->item, &number);
    snprintf(buffer, TRMI_ASSIGNMENT_BYTES, "%.200s=%.17g", v->path, number * v->factor[index]);
    return buffer;
}

void trmi_row_assignments(const trmi_experiment *e, const trmi_row *row, int index,
                          trmi_assignments *out, trmi_assignment_buffer buffer)
{
    *out = (trmi_assignments){0};
    trmi_assignments_add(out, &e->settings);
    trmi_assignments_add(out, &row->set);
    // index = digits of a number whose bases are the counts of the variations
    for (int k = 0; k < e->variations && index >= 0; k++) {
        const trmi_variation *v = &e->variation[k];
        out->text[out->count++] = vary(e, row, v, index % v->count, buffer[k]);
        index /= v->count;
    }
}

// ---- reading a summary ----

static void report_no_key(const trmi_experiment *e, const trmi_column *c, const trmi_item *map)
{
    const char *name[MOST_KEYS];
    int count = 0;
    for (const trmi_item *i = map ? map->child : NULL; i && count < MOST_KEYS; i = i->next)
        name[count++] = i->key;
    const char *near = trmi_nearest(c->key, name, count);
    trmi_report(e->document, c->item, "the summary of the run has no number '%.60s'%s%s%s", c->key,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

// largest |value - reference| over the samples; false: they do not fit together
static bool measure_error(const trmi_column *c, const trmi_item *summary, const trmi_item *truth,
                          double *value)
{
    const trmi_item *ours = trmi_item_find(summary, "samples");
    const trmi_item *exact = trmi_item_find(truth, "samples");
    if (!ours || !exact || ours->count != exact->count || ours->count == 0)
        return false;
    *value = 0;
    const trmi_item *b = exact->child;
    for (const trmi_item *a = ours->child; a; a = a->next, b = b->next) {
        double x, y;
        if (!trmi_item_number(trmi_item_path(a, c->key), &x) ||
            !trmi_item_number(trmi_item_path(b, c->key), &y))
            return false;
        *value = fmax(*value, fabs(x - y));
    }
    return true;
}

static bool measure_column(const trmi_experiment *e, const trmi_column *c, const trmi_item *summary,
                           const trmi_item *truth, double *value)
{
    if (!c->error && trmi_item_number(trmi_item_path(summary, c->key), value))
        return true;
    if (c->error && measure_error(c, summary, truth, value))
        return true;
    if (c->error)
        trmi_report(e->document, c->item,
                    "no error of '%.60s': the samples of the run and of the reference have no such "
                    "number (simulate.output_times says when samples are taken)",
                    c->key);
    else
        report_no_key(e, c, summary);
    return false;
}

// ---- a row ----

typedef struct row_work {
    const trmi_experiment *experiment;
    const trmi_laboratory *laboratory;
    const trmi_row *row;
    trmi_measured_row *out;
    trmi_trial reference;
    double *value; // columns x runs
    int finished;
} row_work;

static void show_progress(const row_work *w, int run)
{
    const trmi_experiment *e = w->experiment;
    if (w->laboratory->progress)
        fprintf(stderr, "\r\033[K%.50s  %.50s  run %d of %d", e->name, w->row->name, run + 1,
                e->runs_per_row);
}

static int run_reference(row_work *w)
{
    trmi_assignments set;
    trmi_assignment_buffer buffer;
    if (!w->experiment->has_reference)
        return TRMI_EXIT_DONE;
    trmi_row_assignments(w->experiment, w->row, -1, &set, buffer);
    trmi_assignments_add(&set, &w->experiment->reference);
    int code = trmi_trial_run(&w->reference, w->laboratory, w->experiment->model, &set, NULL);
    if (code == TRMI_EXIT_DONE && !w->reference.finished) {
        trmi_complain("%s: the reference run of '%s' failed: %s", w->experiment->name, w->row->name,
                      w->reference.failure);
        code = TRMI_EXIT_FAILED;
    }
    return code;
}

static int run_member(row_work *w, int index)
{
    const trmi_experiment *e = w->experiment;
    trmi_assignments set;
    trmi_assignment_buffer buffer;
    trmi_trial trial;
    trmi_row_assignments(e, w->row, index, &set, buffer);
    int code = trmi_trial_run(&trial, w->laboratory, e->model, &set, NULL);
    if (code == TRMI_EXIT_DONE && !trial.finished && w->out->failed++ == 0)
        memcpy(w->out->failure, trial.failure, sizeof trial.failure);
    for (int k = 0; k < e->columns && code == TRMI_EXIT_DONE && trial.finished; k++)
        if (!measure_column(e, &e->column[k], trial.summary, w->reference.summary,
                            &w->value[k * e->runs_per_row + w->finished]))
            code = TRMI_EXIT_MODEL;
    w->finished += trial.finished;
    trmi_trial_release(&trial);
    return code;
}

// what the paper says in a cell, or what the row gave that this one should be like
static trmi_expected expect(const trmi_measured *m, const trmi_row *row, int column)
{
    const trmi_expected nothing = {NAN, NAN};
    if (row->expected)
        return row->expected[column];
    if (row->like < 0)
        return nothing;
    const trmi_cell *other = &m->row[row->like].cell[column];
    return (trmi_expected){other->median, other->median};
}

static void judge_row(trmi_measured *m, const row_work *w)
{
    const trmi_experiment *e = w->experiment;
    const trmi_row *row = w->row;
    for (int k = 0; k < e->columns; k++)
        w->out->cell[k] = trmi_cell_judge(w->value + k * e->runs_per_row, w->finished,
                                          expect(m, row, k), row->slack);
    int failed = w->out->failed + (row->like >= 0 ? m->row[row->like].failed : 0);
    if (row->judged)
        w->out->verdict = trmi_verdict_of(w->out->cell, e->columns, failed, row->reason);
}

static int measure_row(trmi_measured *m, const trmi_laboratory *lab, int index)
{
    const trmi_experiment *e = m->experiment;
    row_work w = {e, lab, .row = &e->row[index], .out = &m->row[index]};
    trmi_memory_init(&w.reference.memory, NULL);
    w.value = calloc((size_t)(e->columns * e->runs_per_row) + 1, sizeof *w.value);
    int code = w.value ? run_reference(&w) : TRMI_EXIT_FAILED;
    if (!w.value)
        trmi_complain("no memory for the values of a row");
    for (int run = 0; run < e->runs_per_row && code == TRMI_EXIT_DONE; run++) {
        show_progress(&w, run);
        code = run_member(&w, run);
    }
    if (code == TRMI_EXIT_DONE)
        judge_row(m, &w);
    trmi_trial_release(&w.reference);
    free(w.value);
    return code;
}

int trmi_measure(trmi_measured *m, const trmi_experiment *e, const trmi_laboratory *lab)
{
    *m = (trmi_measured){.experiment = e};
    m->row = calloc((size_t)e->rows + 1, sizeof *m->row);
    if (!m->row) {
        trmi_complain("no memory for the rows of %s", e->name);
        return TRMI_EXIT_FAILED;
    }
    int code = TRMI_EXIT_DONE;
    for (int i = 0; i < e->rows && code == TRMI_EXIT_DONE; i++)
        code = measure_row(m, lab, i);
    if (lab->progress)
        fputs("\r\033[K", stderr);
    return code;
}

void trmi_measured_release(trmi_measured *m)
{
    free(m->row);
    *m = (trmi_measured){0};
}

int trmi_measured_count(const trmi_measured *m, trmi_verdict verdict)
{
    int count = 0;
    for (int i = 0; i < m->experiment->rows; i++)
        count += m->row[i].verdict == verdict;
    return count;
}

void trmi_measured_cells(const trmi_measured *m, int *said, int *inside, int *agree)
{
    *said = *inside = *agree = 0;
    for (int i = 0; i < m->experiment->rows; i++)
        for (int k = 0; k < m->experiment->columns; k++) {
            const trmi_cell *c = &m->row[i].cell[k];
            *said += c->said;
            *inside += c->inside;
            *agree += c->agrees;
        }
}
