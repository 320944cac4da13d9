// SPDX-License-Identifier: Apache-2.0
#include "program/reproduce/measure.h"

#include "program/reproduce/column.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- settings of a run ----

// one value of a variation: an alternative, or a factor on the row's number
static const char *vary(const trmi_experiment *e, const trmi_experiment_row *row,
                        const trmi_variation *v, int index, char *buffer)
{
    double number = NAN; // the reader has seen to it that there is one
    if (!v->factor)
        return v->alternative[index];
    trmi_item_number(trmi_experiment_setting(e, row, v->path)->item, &number);
    snprintf(buffer, TRMI_ASSIGNMENT_BYTES, "%.200s=%.17g", v->path, number * v->factor[index]);
    return buffer;
}

void trmi_row_assignments(const trmi_experiment *e, const trmi_experiment_row *row, int index,
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

// ---- a row ----

typedef struct row_work {
    const trmi_experiment *experiment;
    const trmi_reproduce_context *context;
    const trmi_experiment_row *row;
    trmi_measured_row *out;
    trmi_trial reference;
} row_work;

static int run_reference(row_work *w)
{
    trmi_assignments set;
    trmi_assignment_buffer buffer;
    trmi_memory_init(&w->reference.memory, NULL);
    if (!w->experiment->has_reference)
        return TRMI_EXIT_DONE;
    trmi_row_assignments(w->experiment, w->row, -1, &set, buffer);
    trmi_assignments_add(&set, &w->experiment->reference);
    int code = trmi_trial_run(&w->reference, w->context, w->experiment->model, &set, NULL);
    if (code == TRMI_EXIT_DONE && !w->reference.finished) {
        trmi_usage_error("%s: the reference run of '%s' failed: %s", w->experiment->name,
                         w->row->name, w->reference.failure);
        code = TRMI_EXIT_FAILED;
    }
    return code;
}

// Runs with one part after the other of the whole until a run fails; *trial is the last one that
// did not, or the first one that did.
static int run_parts(row_work *w, trmi_assignments *set, trmi_trial *trial, double *parts)
{
    const trmi_largest *l = &w->row->largest;
    int place = set->count++, code = TRMI_EXIT_DONE;
    for (int k = 0; k < l->count && code == TRMI_EXIT_DONE; k++) {
        trmi_trial next;
        set->text[place] = l->assignment[k];
        code = trmi_trial_run(&next, w->context, w->experiment->model, set, NULL);
        bool finished = code == TRMI_EXIT_DONE && next.finished;
        trmi_trial *over = k > 0 && !finished ? &next : trial; // what is not needed any more
        if (k > 0)
            trmi_trial_release(over);
        if (over == trial)
            *trial = next;
        if (!finished)
            break;
        *parts = l->parts[k];
    }
    return code;
}

static bool asks_for_matrix(const trmi_experiment *e)
{
    bool asks = false;
    for (int k = 0; k < e->columns; k++)
        asks = asks || e->column[k].kind == TRMI_COLUMN_MATRIX;
    return asks;
}

static int run_member(row_work *w, int index)
{
    const trmi_experiment *e = w->experiment;
    trmi_assignments set;
    trmi_assignment_buffer buffer;
    trmi_trial trial = {0};
    trmi_trial_matrices matrix = {0};
    double parts = NAN;
    trmi_row_assignments(e, w->row, index, &set, buffer);
    int code = w->row->largest.count > 0 ? run_parts(w, &set, &trial, &parts)
                                         : trmi_trial_run(&trial, w->context, e->model, &set, NULL);
    if (code == TRMI_EXIT_DONE && !trial.finished && w->out->failed++ == 0)
        memcpy(w->out->failure, trial.failure, sizeof trial.failure);
    if (code == TRMI_EXIT_DONE && asks_for_matrix(e))
        code = trmi_trial_matrix(&matrix, &trial.memory, w->context, e->model, &set);
    const trmi_trial_outcome outcome = {trial.summary, w->reference.summary, &set, parts, &matrix};
    for (int k = 0; k < e->columns && code == TRMI_EXIT_DONE && trial.finished; k++)
        if (!trmi_column_measure(e, &e->column[k], &outcome,
                                 &w->out->value[k * e->runs_per_row + index]))
            code = TRMI_EXIT_MODEL;
    trmi_trial_release(&trial);
    return code;
}

static int run_ensemble(row_work *w)
{
    int code = run_reference(w);
    for (int run = 0; run < w->experiment->runs_per_row && code == TRMI_EXIT_DONE; run++) {
        if (w->context->progress)
            fprintf(stderr, "\r\033[K%.50s  %.50s  run %d of %d", w->experiment->name, w->row->name,
                    run + 1, w->experiment->runs_per_row);
        code = run_member(w, run);
    }
    trmi_trial_release(&w->reference);
    return code;
}

// quotients of two rows, run by run; a column with a divisor 0 has none
static void divide_rows(const trmi_measured *m, const trmi_experiment_row *row,
                        trmi_measured_row *out)
{
    const trmi_experiment *e = m->experiment;
    const trmi_measured_row *above = &m->row[row->ratio[0]], *below = &m->row[row->ratio[1]];
    for (int k = 0; k < e->columns * e->runs_per_row; k++)
        out->value[k] = above->value[k] / below->value[k];
    for (int k = 0; k < e->columns; k++) {
        double *value = out->value + k * e->runs_per_row;
        bool divided = true;
        for (int run = 0; run < e->runs_per_row; run++)
            divided = divided && below->value[k * e->runs_per_row + run] != 0;
        for (int run = 0; run < e->runs_per_row && !divided; run++)
            value[run] = NAN;
    }
}

// columns that are shares of another one, in percent of the row that is the base
static void fill_shares(const trmi_measured *m, int index)
{
    const trmi_experiment *e = m->experiment;
    int base = e->row[index].base >= 0 ? e->row[index].base : index;
    for (int k = 0; k < e->columns; k++)
        for (int run = 0; run < e->runs_per_row && e->column[k].kind == TRMI_COLUMN_SHARE; run++) {
            int from = e->column[k].share * e->runs_per_row + run;
            m->row[index].value[k * e->runs_per_row + run] =
                100 * m->row[index].value[from] / m->row[base].value[from];
        }
}

// the value of the paper in a cell, or what the row gave that this one should be like
static trmi_expected expect(const trmi_measured *m, const trmi_experiment_row *row, int column)
{
    const trmi_expected nothing = {NAN, NAN, false};
    if (row->expected)
        return row->expected[column];
    if (row->like < 0)
        return nothing;
    const trmi_cell *other = &m->row[row->like].cell[column];
    return (trmi_expected){other->middle, other->middle, false};
}

// scratch: memory for the values of one cell
static void judge_row(trmi_measured *m, int index, double *scratch)
{
    const trmi_experiment *e = m->experiment;
    const trmi_experiment_row *row = &e->row[index];
    trmi_measured_row *out = &m->row[index];
    for (int k = 0; k < e->columns; k++) {
        int count = 0;
        for (int run = 0; run < e->runs_per_row; run++) {
            double value = out->value[k * e->runs_per_row + run];
            if (!isnan(value))
                scratch[count++] = value;
        }
        out->cell[k] = trmi_cell_judge(scratch, count, e->geometric, expect(m, row, k), row->slack);
    }
    // a run that failed in a row that this one builds on counts too
    const int other[] = {row->like, row->ratio[0], row->ratio[1]};
    int failed = out->failed;
    for (int k = 0; k < 3; k++)
        failed += other[k] >= 0 ? m->row[other[k]].failed : 0;
    if (row->judged)
        out->verdict = trmi_verdict_of(out->cell, e->columns, failed, row->reason);
}

static int measure_row(trmi_measured *m, const trmi_reproduce_context *context, int index)
{
    const trmi_experiment *e = m->experiment;
    trmi_measured_row *out = &m->row[index];
    row_work w = {e, context, .row = &e->row[index], .out = out};
    size_t values = (size_t)(e->columns * e->runs_per_row);
    double *scratch = malloc((size_t)e->runs_per_row * sizeof *scratch);
    out->value = malloc((values + 1) * sizeof *out->value);
    int code = scratch && out->value ? TRMI_EXIT_DONE : TRMI_EXIT_FAILED;
    if (code != TRMI_EXIT_DONE)
        trmi_usage_error("no memory for the values of a row");
    for (size_t k = 0; k < values && code == TRMI_EXIT_DONE; k++)
        out->value[k] = NAN;
    if (code == TRMI_EXIT_DONE && w.row->ratio[0] >= 0)
        divide_rows(m, w.row, out);
    else if (code == TRMI_EXIT_DONE)
        code = run_ensemble(&w);
    if (code == TRMI_EXIT_DONE && w.row->ratio[0] < 0)
        fill_shares(m, index);
    if (code == TRMI_EXIT_DONE)
        judge_row(m, index, scratch);
    free(scratch);
    return code;
}

int trmi_measure_experiment(trmi_measured *m, const trmi_experiment *e,
                            const trmi_reproduce_context *context)
{
    *m = (trmi_measured){.experiment = e};
    m->row = calloc((size_t)e->rows + 1, sizeof *m->row);
    if (!m->row)
        return trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the rows of %s", e->name);
    int code = TRMI_EXIT_DONE;
    for (int i = 0; i < e->rows && code == TRMI_EXIT_DONE; i++)
        code = measure_row(m, context, i);
    if (context->progress)
        fputs("\r\033[K", stderr);
    return code;
}

void trmi_measured_release(trmi_measured *m)
{
    for (int i = 0; m->row && i < m->experiment->rows; i++)
        free(m->row[i].value);
    free(m->row);
    *m = (trmi_measured){0};
}

trmi_tally trmi_measured_tally(const trmi_measured *m, bool published)
{
    trmi_tally tally = {0};
    for (int i = 0; i < m->experiment->rows; i++) {
        if ((m->experiment->row[i].table != NULL) != published)
            continue;
        tally.rows++;
        tally.verdict[m->row[i].verdict]++;
        for (int k = 0; k < m->experiment->columns; k++) {
            const trmi_cell *c = &m->row[i].cell[k];
            bool judged = c->judged && m->experiment->row[i].judged;
            tally.numbers += judged;
            tally.inside += judged && c->inside;
            tally.agree += judged && c->agrees;
        }
    }
    return tally;
}

void trmi_tally_add(trmi_tally *sum, const trmi_tally *other)
{
    sum->rows += other->rows;
    for (int k = 0; k < TRMI_VERDICTS; k++)
        sum->verdict[k] += other->verdict[k];
    sum->numbers += other->numbers;
    sum->inside += other->inside;
    sum->agree += other->agree;
}
