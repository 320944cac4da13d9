// SPDX-License-Identifier: Apache-2.0
// A parameter that is found is part of the model: every trial loads the model with its value. With
// the forces F(p) that hold coordinates, Newton's method with differences solves F = 0.
#include "program/cli/rest.h"

#include "base/error.h"
#include "base/lapack.h"
#include "modelling/reader/model.h"
#include "program/cli/report.h"
#include "program/files/shell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FOUND = 8, MAX_TRIALS = 30 };
static const double ENOUGH = 1e-10; // of a parameter: last correction, relative to its size

// What trials share.
typedef struct finding {
    trmi_rest *rest;
    const trmi_arguments *arguments;
    const char *path;
    const trmi_console *console;
    int *exit_code;
    const trmi_trim *trim; // of the model as the file has it
    int count;             // parameters to be found
    int index[MAX_FOUND];  // which of the trim
} finding;

// ---- one trial ----

static void clear(trmi_rest *rest)
{
    trm_equilibrium_destroy(rest->equilibrium);
    trm_instance_destroy(rest->instance);
    trm_model_destroy(rest->model);
    rest->equilibrium = NULL;
    rest->instance = NULL;
    rest->model = NULL;
}

// The equilibrium of rest->model.
static bool search(trmi_rest *rest, const trmi_console *console, int *exit_code)
{
    trm_error error = trmi_no_error();
    const trm_model *model = rest->model;
    *exit_code = TRMI_EXIT_MODEL;
    trm_status status = trm_instance_create(&rest->instance, model, &error);
    if (status == TRM_OK) {
        status = trm_equilibrium_create_trimmed(
            &rest->equilibrium, trm_instance_system(rest->instance), trm_model_options(model),
            trm_instance_initial(rest->instance), trm_model_trim(model), &error);
        bool start = status == TRM_ERR_INITIAL || status == TRM_ERR_CONTRADICTION;
        *exit_code = start ? TRMI_EXIT_INITIAL : TRMI_EXIT_FAILED;
    }
    if (status != TRM_OK)
        trmi_print_model_error(console, model, &error);
    return status == TRM_OK;
}

// parameters.NAME=VALUE, in `text`, whose address in the list is `set`
static void add_override(trmi_text *text, const char *name, double value, const char **set)
{
    trmi_setting_add_parameter(text, name, value);
    *set = text->data;
}

// Loads the model with the parameters of the section, those to be found being p, and searches.
static bool try_parameters(finding *f, const double *p)
{
    const trmi_trim *t = f->trim;
    const char *set[TRMI_MAX_OVERRIDES + 1] = {0};
    trmi_text text[TRMI_MAX_OVERRIDES] = {0};
    bool memory = true;
    clear(f->rest);
    for (int k = 0; k < t->parameters; k++)
        if (t->parameter[k].held < 0)
            add_override(&text[k], t->parameter[k].name, t->parameter[k].value, &set[k]);
    for (int k = 0; k < f->count; k++)
        add_override(&text[f->index[k]], t->parameter[f->index[k]].name, p[k], &set[f->index[k]]);
    for (int k = 0; k < t->parameters; k++)
        memory = memory && !text[k].failed;
    if (memory)
        f->rest->model = trmi_load_model_with(f->arguments, f->path, set, f->console, f->exit_code);
    else
        *f->exit_code = trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the equilibrium");
    for (int k = 0; k < t->parameters; k++)
        trmi_text_free(&text[k]);
    return f->rest->model && search(f->rest, f->console, f->exit_code);
}

static bool find_forces(finding *f, const double *p, double *force)
{
    if (!try_parameters(f, p))
        return false;
    for (int k = 0; k < f->count; k++)
        force[k] = trm_equilibrium_holding_force(f->rest->equilibrium,
                                                 f->trim->parameter[f->index[k]].held);
    return true;
}

// ---- parameters ----

static bool not_found(finding *f, const char *why)
{
    char names[200] = "";
    for (int k = 0; k < f->count; k++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.60s", k ? ", " : "",
                 f->trim->parameter[f->index[k]].name);
    trm_error error = trmi_no_error();
    trmi_error_item(&error, "parameter %s", f->trim->parameter[f->index[0]].name);
    trmi_error_set(&error, TRM_ERR_NEWTON,
                   "no value of %s was found for which nothing has to hold the coordinates: %s",
                   names, why);
    trmi_print_model_error(f->console, f->rest->model, &error);
    *f->exit_code = TRMI_EXIT_FAILED;
    return false;
}

// matrix = dF/dp at p, where the forces are given
static bool differentiate(finding *f, const double *p, const double *force, double *matrix)
{
    for (int j = 0; j < f->count; j++) {
        double moved[MAX_FOUND], changed[MAX_FOUND], d = 1e-6 * fmax(1, fabs(p[j]));
        memcpy(moved, p, sizeof moved);
        moved[j] += d;
        if (!find_forces(f, moved, changed))
            return false;
        for (int i = 0; i < f->count; i++)
            matrix[i + f->count * j] = (changed[i] - force[i]) / d;
    }
    return true;
}

static bool find_parameters(finding *f, double *p)
{
    double force[MAX_FOUND], matrix[MAX_FOUND * MAX_FOUND], step[MAX_FOUND];
    if (!find_forces(f, p, force))
        return false;
    for (int trial = 0; trial < MAX_TRIALS; trial++) {
        int n = f->count, one = 1, info = 0, pivot[MAX_FOUND];
        double correction = 0;
        if (!differentiate(f, p, force, matrix))
            return false;
        memcpy(step, force, sizeof step);
        dgetrf_(&n, &n, matrix, &n, pivot, &info);
        if (info != 0)
            return not_found(f, "the forces do not depend on them, or not independently");
        dgetrs_("N", &n, &one, matrix, &n, pivot, step, &n, &info);
        for (int k = 0; k < n; k++) {
            p[k] -= step[k];
            correction = fmax(correction, fabs(step[k]) / fmax(1, fabs(p[k])));
        }
        if (!isfinite(correction))
            break;
        if (!find_forces(f, p, force))
            return false;
        if (correction < ENOUGH)
            return true;
    }
    return not_found(f, "the iteration did not converge");
}

// ---- the equilibrium ----

// Keeps names and values, which outlive the model.
static bool keep_found(finding *f, const double *p)
{
    trmi_rest *rest = f->rest;
    rest->found = calloc((size_t)f->count + 1, sizeof *rest->found);
    for (int k = 0; k < f->count && rest->found; k++) {
        const char *name = f->trim->parameter[f->index[k]].name;
        char *copy = malloc(strlen(name) + 1);
        if (!copy)
            return false;
        rest->found[rest->founds++] = (trmi_found){strcpy(copy, name), p[k]};
    }
    return rest->found != NULL;
}

bool trmi_rest_find(trmi_rest *rest, const trmi_arguments *a, const char *path,
                    const trmi_console *console, int *exit_code)
{
    *rest = (trmi_rest){0};
    trm_model *given = trmi_load_model(a, path, console, exit_code);
    if (!given)
        return false;
    if (given->trim.parameters == 0) {
        rest->model = given;
        return search(rest, console, exit_code);
    }
    finding f = {rest, a, path, console, exit_code, &given->trim, .count = 0};
    double p[MAX_FOUND] = {0};
    int found = 0;
    for (int k = 0; k < given->trim.parameters; k++)
        if (given->trim.parameter[k].held >= 0 && found++ < MAX_FOUND) {
            p[f.count] = given->trim.parameter[k].value;
            f.index[f.count++] = k;
        }
    bool good = false;
    if (found > MAX_FOUND || given->trim.parameters > TRMI_MAX_OVERRIDES - 2)
        *exit_code = trmi_exit_with(TRMI_EXIT_MODEL,
                                    "%s: equilibrium has too many parameters (at most %d, %d of "
                                    "them to be found)",
                                    path, TRMI_MAX_OVERRIDES - 2, MAX_FOUND);
    else
        good = (f.count > 0 ? find_parameters(&f, p) : try_parameters(&f, p));
    if (good && !keep_found(&f, p)) {
        good = false;
        *exit_code = trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the equilibrium");
    }
    trm_model_destroy(given);
    return good;
}

void trmi_rest_release(trmi_rest *rest)
{
    clear(rest);
    for (int k = 0; k < rest->founds; k++)
        free(rest->found[k].name);
    free(rest->found);
    rest->found = NULL;
    rest->founds = 0;
}

trm_model *trmi_load_at_rest(const trmi_arguments *a, const char *path, const trmi_console *console,
                             int *exit_code)
{
    trmi_rest rest;
    trm_model *at_rest = NULL;
    const char *set[MAX_FOUND + 2] = {0};
    trmi_text text[MAX_FOUND + 1] = {0};
    if (trmi_rest_find(&rest, a, path, console, exit_code)) {
        bool memory = true;
        trmi_rest_write_values(&rest, &text[MAX_FOUND]);
        for (int k = 0; k < rest.founds; k++)
            add_override(&text[k], rest.found[k].name, rest.found[k].value, &set[k]);
        set[rest.founds] = text[MAX_FOUND].data;
        for (int k = 0; k <= MAX_FOUND; k++)
            memory = memory && !text[k].failed;
        if (memory)
            at_rest = trmi_load_model_with(a, path, set, console, exit_code);
        if (at_rest && !trmi_model_remember(at_rest, trm_instance_system(rest.instance),
                                            trm_equilibrium_state(rest.equilibrium))) {
            trm_model_destroy(at_rest);
            at_rest = NULL;
            memory = false;
        }
        if (!memory)
            *exit_code = trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the equilibrium");
    }
    for (int k = 0; k <= MAX_FOUND; k++)
        trmi_text_free(&text[k]);
    trmi_rest_release(&rest);
    return at_rest;
}
