// SPDX-License-Identifier: Apache-2.0
// The section `problem`: a system written in C, which the program offers by name or which comes
// from a shared object.
#define _POSIX_C_SOURCE 200809L
#include "modelling/reader/library.h"
#include "modelling/reader/model_type.h"

#include "base/error.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// every key but name and library is an option of the problem
static trm_problem_option *read_options(trmi_reading *r, const trmi_item *section)
{
    trm_problem_option *options;
    int count = 0;
    if (!TRMI_TAKE(r->memory, options, section->count + 1))
        return NULL;
    for (const trmi_item *i = section->child; i; i = i->next) {
        if (strcmp(i->key, "name") == 0 || strcmp(i->key, "library") == 0)
            continue;
        if (i->kind != TRMI_SCALAR)
            trmi_report(r->document, i, "option '%.60s' must be a number or a formula, not %s",
                        i->key, trmi_item_kind_text(i));
        else if (trmi_read_number(r, i, &options[count].value) &&
                 !(options[count++].name = trmi_keep_text(r, i->key)))
            r->failed = true;
    }
    return options;
}

// the item an error is about: the option of that name, or the whole section
static const trmi_item *find_culprit(const trmi_item *section, const trm_error *error)
{
    const trmi_item *option = error->item[0] ? trmi_item_find(section, error->item) : NULL;
    return option                            ? option
           : trmi_item_find(section, "name") ? trmi_item_find(section, "name")
                                             : section;
}

// the problem of a shared object
static bool open_library(trmi_reading *r, const trmi_item *item, const trm_problem_option *options,
                         trm_error *error)
{
    trmi_problem *problem = &r->model->problem;
    trm_problem_open_function *open;
    void *symbol = trmi_library_open(r, item, "trm_problem_open", &problem->library);
    if (!symbol)
        return false;
    memcpy(&open, &symbol, sizeof open); // C has no cast between data and functions
    if (open(&problem->opened, options, error) == TRM_OK && problem->opened.system)
        return true;
    problem->opened = (trm_user_problem){0};
    trmi_report(r->document, find_culprit(trmi_item_find(r->root, "problem"), error),
                "trm_problem_open: %s", error->text[0] ? error->text : "failed without a reason");
    return false;
}

// a problem that the program offers by name
static bool open_named(trmi_reading *r, const trmi_item *section, const trm_problem_option *options,
                       trm_error *error)
{
    trm_user_problem *opened = &r->model->problem.opened;
    const trmi_item *name = trmi_item_find(section, "name");
    if (!name || name->kind != TRMI_SCALAR) {
        trmi_report(r->document, section, "a problem needs a 'name' or a 'library'");
        return false;
    }
    if (!r->load || !r->load->problem) {
        trmi_report(r->document, name, "this program has no problems by name, only from a library");
        return false;
    }
    if (r->load->problem(opened, name->text, options, r->load->user, error) == TRM_OK &&
        opened->system)
        return true;
    *opened = (trm_user_problem){0};
    trmi_report(r->document, find_culprit(section, error), "%s",
                error->text[0] ? error->text : "failed without a reason");
    return false;
}

static bool open_problem(trmi_reading *r, const trmi_item *section,
                         const trm_problem_option *options)
{
    trm_model *m = r->model;
    const trm_user_problem *opened = &m->problem.opened;
    const trmi_item *library = trmi_item_find(section, "library");
    trm_error error = trmi_no_error();
    if (!(library ? open_library(r, library, options, &error)
                  : open_named(r, section, options, &error)))
        return false;
    if (trm_system_validate(opened->system, &error) != TRM_OK) {
        trmi_report(r->document, library ? library : trmi_item_find(section, "name"),
                    "the system of the %s is invalid: %s", library ? "library" : "problem",
                    error.text);
        return false;
    }
    m->system = *opened->system;
    if (opened->initial)
        m->initial = *opened->initial;
    m->schedule.start = m->initial.t;
    m->schedule.end = opened->end;
    return true;
}

// A parameter must not hide an unknown of the problem.
static void add_unknown(trmi_reading *r, const char *name, trmi_symbol_kind kind, int index)
{
    const trmi_symbol *taken = trmi_symbols_find(&r->symbols, name);
    if (!taken)
        trmi_symbols_add(&r->symbols, name, kind, index, NULL);
    else if (taken->kind == TRMI_SYMBOL_PARAMETER)
        trmi_report_key(r->document, taken->item,
                        "the name '%.60s' is already that of %s of the problem", name,
                        trmi_symbol_kind_text(kind));
}

// A name for formulas: what the system calls it, or a letter with a number.
static bool name_unknowns(trmi_reading *r, trm_channel_kind kind, const char *const *given, int n,
                          const char *prefix, const char *letter, trmi_symbol_kind symbol)
{
    const char **name;
    if (!TRMI_TAKE(r->memory, name, n))
        return false;
    for (int i = 0; i < n; i++) {
        char text[100];
        if (given && given[i])
            snprintf(text, sizeof text, "%s%.80s", prefix, given[i]);
        else
            snprintf(text, sizeof text, "%s%s%d", prefix, letter, i + 1);
        for (char *c = text; *c; c++) // "loop 1 x" is loop_1_x in formulas
            *c = isalnum((unsigned char)*c) ? *c : '_';
        if (!(name[i] = trmi_keep_text(r, text)))
            return false;
        add_unknown(r, name[i], symbol, i);
    }
    r->model->names[kind] = (trmi_names){.count = n, .name = name};
    return true;
}

static bool name_all(trmi_reading *r)
{
    const trm_system *s = &r->model->system;
    return name_unknowns(r, TRM_CHANNEL_POSITION, s->q_names, s->n_q, "", "q",
                         TRMI_SYMBOL_POSITION) &&
           name_unknowns(r, TRM_CHANNEL_VELOCITY, s->q_names, s->n_q, "v_", "q",
                         TRMI_SYMBOL_VELOCITY) &&
           name_unknowns(r, TRM_CHANNEL_STATE, s->x_names, s->n_x, "", "x", TRMI_SYMBOL_STATE) &&
           name_unknowns(r, TRM_CHANNEL_ALGEBRAIC, s->z_names, s->n_z, "", "z",
                         TRMI_SYMBOL_ALGEBRAIC) &&
           name_unknowns(r, TRM_CHANNEL_MULTIPLIER, s->g_names, s->n_g + s->n_a, "", "lambda",
                         TRMI_SYMBOL_MULTIPLIER);
}

static void read_problem(trmi_reading *r, const trmi_item *section)
{
    const trm_problem_option *options = read_options(r, section);
    if (!options || trmi_document_errors(r->document) > 0)
        return;
    if (!open_problem(r, section, options))
        return;
    const trm_system *s = &r->model->system;
    int unknowns = 2 * s->n_q + s->n_x + s->n_z + s->n_g + s->n_a;
    // the table was made for the names of the file
    if (!trmi_symbols_reserve(r, unknowns))
        return;
    for (int i = 0; i < r->symbols.count; i++) { // what an option of the problem uses
        trmi_symbol *p = &r->symbols.symbol[i];
        p->fixed = p->used;
    }
    if (!name_all(r) || !trmi_place_parameters(r, 0))
        return;
    r->model->names[TRM_CHANNEL_ACCELERATION] = r->model->names[TRM_CHANNEL_POSITION];
    trmi_place_unknowns(r);
}

static void release_problem(trm_model *m)
{
    if (m->problem.opened.release)
        m->problem.opened.release(&m->problem.opened);
    if (m->problem.library)
        dlclose(m->problem.library);
}

const trmi_model_type trmi_problem_model = {
    .section = "problem",
    .read = read_problem,
    .release = release_problem,
    .start_values = trmi_start_channels,
};
