// SPDX-License-Identifier: Apache-2.0
#include "program/cli/view_start.h"

#include "base/error.h"
#include "modelling/reader/model.h"
#include "problems/problems.h"
#include "program/cli/complaints.h"
#include "program/cli/report.h"
#include "program/view/view_page.h"

#include <stdio.h>
#include <stdlib.h>

// Diagnostics are printed and kept for the page.
typedef struct listener {
    const trmi_console *console;
    trmi_json list;
    bool allow_code;
} listener;

static void note_problem(const trm_diagnostic *d, void *user)
{
    listener *to = user;
    trmi_print_diagnostic(d, (void *)to->console);
    trmi_json_begin_object(&to->list, NULL);
    trmi_json_boolean(&to->list, "error", d->error != 0);
    trmi_json_integer(&to->list, "line", d->line);
    trmi_json_string(&to->list, "text", d->text);
    trmi_json_end(&to->list);
}

static void note_error(listener *to, const trm_error *error)
{
    char text[2000];
    trm_error_format(error, text, sizeof text);
    const trm_diagnostic d = {.error = 1, .file = "", .text = text};
    note_problem(&d, to);
}

static char *facts_json(const trm_model *m, const trm_start_report *start)
{
    trmi_json json = {0};
    trmi_json_begin_object(&json, NULL);
    trmi_json_integer(&json, "coordinates", m->system.n_q);
    trmi_json_integer(&json, "constraints", m->system.n_g + m->system.n_a);
    trmi_json_integer(&json, "rank", start->rank);
    trmi_json_integer(&json, "mobility", start->mobility);
    trmi_json_integer(&json, "redundant", start->redundant);
    trmi_json_end(&json);
    return trmi_json_take(&json);
}

// Poses, reactions and outputs at the consistent start; NULL: there is none, and why is noted.
static double *find_start(const trm_model *m, listener *to, char **facts)
{
    trm_instance *instance = NULL;
    trm_simulation *simulation = NULL;
    trm_error error = trmi_no_error();
    trm_options options = *trm_model_options(m);
    double *values = NULL;
    trm_status status = trm_instance_create(&instance, m, &error);
    if (status == TRM_OK)
        status = trm_simulation_create(&simulation, trm_instance_system(instance), &options,
                                       trm_instance_initial(instance), &error);
    int count = trm_model_count(m, TRM_CHANNEL_BODY) + trm_model_count(m, TRM_CHANNEL_REACTION);
    int outputs = trm_model_count(m, TRM_CHANNEL_OUTPUT);
    if (status == TRM_OK && (values = calloc((size_t)(count + outputs) + 1, sizeof *values))) {
        const trm_start_report *start = trm_simulation_start(simulation);
        if (trmi_model_machine(m))
            trmi_instance_mechanism(instance, trm_simulation_state(simulation), values);
        trm_instance_outputs(instance, trm_simulation_state(simulation), values + count);
        trmi_report_redundant(m, simulation, note_problem, to);
        trmi_report_locked(m, start, note_problem, to);
        *facts = facts_json(m, start);
    } else {
        if (status == TRM_OK)
            trmi_error_set(&error, TRM_ERR_MEMORY, "no memory for the start");
        note_error(to, &error);
    }
    trm_simulation_destroy(simulation);
    trm_instance_destroy(instance);
    return values;
}

// a trm_library_function
static int allow_library(const char *path, void *user)
{
    const listener *to = user;
    return trmi_library_allowed(path, to->allow_code);
}

int trmi_view_start(const trmi_arguments *a, const trmi_console *console, trmi_json *json,
                    char *title, size_t size, int *exit_code)
{
    const char *set[TRMI_MAX_ARGUMENTS];
    trmi_flag_values(a, "set", set, TRMI_MAX_ARGUMENTS);
    listener to = {.console = console, .allow_code = trmi_flag_value(a, "allow-code") != NULL};
    trmi_json_begin_array(&to.list, NULL);
    const trm_load load = {.set = set,
                           .report = note_problem,
                           .user = &to,
                           .problem = trp_problem_open,
                           .library = allow_library};
    trm_model *model = NULL;
    trm_error error = trmi_no_error();
    trm_status status = trmi_model_load_apart(&model, a->word[0], &load, &error);
    if (!model) {
        trmi_json_free(&to.list);
        if (status != TRM_ERR_MODEL)
            trmi_print_error(console, a->word[0], &error);
        return status == TRM_ERR_MODEL ? TRMI_EXIT_MODEL : TRMI_EXIT_FAILED;
    }
    int code = TRMI_EXIT_DONE;
    char *facts = NULL;
    if (!trmi_options_keep_model(a, a->word[0], model)) {
        code = TRMI_EXIT_USAGE;
    } else if (!trmi_model_machine(model) && model->drawings == 0) {
        code = trmi_exit_with(TRMI_EXIT_USAGE,
                              "%s has equations, no machine to draw and no section 'draw': run it "
                              "and view the result",
                              a->word[0]);
    } else {
        double *values = status == TRM_OK ? find_start(model, &to, &facts) : NULL;
        if (!values)
            *exit_code = TRMI_EXIT_INITIAL;
        trmi_json_end(&to.list);
        snprintf(title, size, "%s", trm_model_name(model));
        const trmi_view_model view = {model, values, trmi_json_finish(&to.list), facts};
        trmi_view_add_model(json, &view);
        free(values);
        free(facts);
    }
    trmi_json_free(&to.list);
    trm_model_destroy(model);
    return code;
}
