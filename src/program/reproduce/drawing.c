// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/reproduce/drawing.h"
#include "base/error.h"

#include "program/plot/figure.h"
#include "program/plot/matrix_picture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, RESULT_NAME_BYTES = 16 };

typedef struct figure_work {
    const trmi_experiment *experiment;
    const trmi_drawing *drawing;
    const trmi_reproduce_context *context;
    char folder[PATH_BYTES]; // temporary
    trmi_result **result;    // one for each run
    trmi_figure *figure;
} figure_work;

static void name_result(const figure_work *w, int run, char path[PATH_BYTES + RESULT_NAME_BYTES])
{
    snprintf(path, PATH_BYTES + RESULT_NAME_BYTES, "%s/%d.h5", w->folder, run);
}

// ---- runs ----

static int make_result(figure_work *w, int run)
{
    const trmi_experiment *e = w->experiment;
    const trmi_drawn_run *r = &w->drawing->run[run];
    char path[PATH_BYTES + RESULT_NAME_BYTES];
    trmi_assignments set = {0};
    trmi_trial trial;
    trm_error error = trmi_no_error();
    name_result(w, run, path);
    trmi_assignments_add(&set, &e->settings);
    trmi_assignments_add(&set, &r->set);
    if (w->context->progress)
        fprintf(stderr, "\r\033[K%.50s  %.50s  %.50s", e->name, w->drawing->name, r->name);
    int code = trmi_trial_run(&trial, w->context, e->model, &set, path);
    if (code == TRMI_EXIT_DONE && !trial.finished) // its curve ends there, which shows
        trmi_usage_error("%s, run %s: %s", w->drawing->name, r->name, trial.failure);
    trmi_trial_release(&trial);
    if (code != TRMI_EXIT_DONE)
        return code;
    w->result[run] = trmi_result_open(path, &error);
    if (w->result[run])
        return TRMI_EXIT_DONE;
    return trmi_exit_after(TRMI_EXIT_RESULTS, w->context->console, path, &error);
}

// ---- panels ----

// The run names a curve; where a panel has several channels, the channel too (as figure.c does).
static bool add_curve(figure_work *w, int panel, int run, const char *channel,
                      const trmi_drawn_panel *p)
{
    trmi_figure *f = w->figure;
    const char *name = w->drawing->run[run].name;
    trm_error error = trmi_no_error();
    if (trmi_figure_add(f, panel, w->result[run], channel, p->x, name, &error) != TRM_OK) {
        trmi_print_error(w->context->console, w->drawing->name, &error);
        return false;
    }
    f->curve[panel][f->panel[panel].curves - 1].dashed = true; // runs often coincide
    char *label = f->label[panel][f->panel[panel].curves - 1];
    if (p->channels == 1)
        snprintf(label, sizeof f->label[0][0], "%.70s", name);
    return true;
}

static bool add_panel(figure_work *w, const trmi_drawn_panel *p)
{
    int panel = trmi_figure_panel(w->figure, p->log_y);
    w->figure->panel[panel].log_x = p->log_x;
    for (int k = 0; k < p->channels; k++)
        for (int run = 0; run < w->drawing->runs; run++)
            if (!add_curve(w, panel, run, p->channel[k], p))
                return false;
    if (p->y)
        snprintf(w->figure->y_label[panel], sizeof w->figure->y_label[panel], "%s", p->y);
    return true;
}

static int write_figure(figure_work *w, const char *folder)
{
    char path[PATH_BYTES];
    trm_error error = trmi_no_error();
    w->figure->plot.title = w->drawing->title;
    for (int k = 0; k < w->drawing->panels; k++)
        if (!add_panel(w, &w->drawing->panel[k]))
            return TRMI_EXIT_MODEL;
    snprintf(path, sizeof path, "%.3900s/%.100s.svg", folder, w->drawing->name);
    if (trmi_figure_write(w->figure, NULL, path, &error) == TRM_OK)
        return TRMI_EXIT_DONE;
    return trmi_exit_after(TRMI_EXIT_RESULTS, w->context->console, w->drawing->name, &error);
}

// ---- the Newton matrix ----

static int draw_matrix(const figure_work *w, const char *folder)
{
    char path[PATH_BYTES];
    trmi_assignments set = {0};
    trmi_trial_matrices matrix;
    trmi_memory memory;
    trm_error error = trmi_no_error();
    trmi_memory_init(&memory, NULL);
    trmi_assignments_add(&set, &w->experiment->settings);
    int code = trmi_trial_matrix(&matrix, &memory, w->context, w->experiment->model, &set);
    snprintf(path, sizeof path, "%.3900s/%.100s.svg", folder, w->drawing->name);
    if (code == TRMI_EXIT_DONE &&
        trmi_matrix_picture_write(path, &matrix.declared, w->drawing->title, &error) != TRM_OK)
        code = trmi_exit_after(TRMI_EXIT_RESULTS, w->context->console, w->drawing->name, &error);
    trmi_memory_release_all(&memory);
    return code;
}

// ---- the whole ----

static int draw(figure_work *w, const char *folder)
{
    int code = TRMI_EXIT_DONE;
    const char *named = getenv("TMPDIR"), *base = named && named[0] ? named : "/tmp";
    w->figure = calloc(1, sizeof *w->figure);
    w->result = calloc((size_t)w->drawing->runs + 1, sizeof(trmi_result *));
    if (!w->figure || !w->result) {
        trmi_usage_error("no memory for a figure");
        code = TRMI_EXIT_FAILED;
    } else if (snprintf(w->folder, sizeof w->folder, "%s/trammel-XXXXXX", base) >= PATH_BYTES ||
               !mkdtemp(w->folder)) {
        code =
            trmi_exit_with(TRMI_EXIT_RESULTS,
                           "cannot make a temporary folder in %s: %s (TMPDIR names another place)",
                           base, strerror(errno));
    } else {
        for (int run = 0; run < w->drawing->runs && code == TRMI_EXIT_DONE; run++)
            code = make_result(w, run);
        if (code == TRMI_EXIT_DONE)
            code = write_figure(w, folder);
        for (int run = 0; run < w->drawing->runs; run++) {
            char path[PATH_BYTES + RESULT_NAME_BYTES];
            name_result(w, run, path);
            trmi_result_close(w->result[run]);
            unlink(path); // may not be there after a failure
        }
        if (rmdir(w->folder) != 0)
            trmi_usage_error("cannot remove %s: %s", w->folder, strerror(errno));
    }
    free(w->result);
    free(w->figure);
    return code;
}

int trmi_drawings_write(const trmi_experiment *e, const trmi_reproduce_context *context,
                        const char *folder)
{
    int code = TRMI_EXIT_DONE;
    for (int k = 0; k < e->drawings && code == TRMI_EXIT_DONE; k++) {
        figure_work *w = calloc(1, sizeof *w);
        if (!w)
            return trmi_exit_with(TRMI_EXIT_FAILED, "no memory for a figure");
        *w = (figure_work){.experiment = e, .drawing = &e->drawing[k], .context = context};
        code = e->drawing[k].matrix ? draw_matrix(w, folder) : draw(w, folder);
        free(w);
    }
    if (context->progress)
        fputs("\r\033[K", stderr);
    return code;
}
