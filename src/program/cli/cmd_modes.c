// SPDX-License-Identifier: Apache-2.0
// trammel modes: frequencies, damping and shapes of a model that moves little about a state.
#include "base/error.h"
#include "modelling/reader/model.h"
#include "program/cli/command.h"
#include "program/cli/interrupt.h"
#include "program/cli/mode_table.h"
#include "program/cli/report.h"
#include "program/cli/rest.h"
#include "program/cli/view_modes.h"
#include "program/run/run.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const trmi_flag flags[] = {
    {"set", 's', "PATH=VALUE", "override a key of the file", NULL},
    TRMI_FLAG_ALLOW_CODE,
    {"at", '\0', "TIME", "simulate to this time first; the start by default", NULL},
    {"equilibrium", 'e', NULL, "of the equilibrium that the forces lead to from the start", NULL},
    {"count", 'n', "NUMBER", "only so many, lowest |s| first", NULL},
    {"near", '\0', "FREQUENCY", "those next to this frequency in Hz instead of the lowest", NULL},
    {"json", '\0', NULL, "print JSON instead of a table", NULL},
    {"out", 'o', "FILE", "write all numbers too; FILE ends with .csv or .json", NULL},
    {"view", '\0', "FILE", "mechanisms: write a page in which the modes swing", NULL},
    {NULL, '\0', NULL, NULL, NULL},
};

// What the command line asks for.
typedef struct request {
    bool simulate;
    double at;
    int count;   // 0: all
    double near; // Hz
    bool json;
    const char *out; // NULL: no file
    bool out_is_csv;
    const char *view; // page; NULL: none
} request;

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

static bool read_request(const trmi_arguments *a, request *r)
{
    *r = (request){.simulate = trmi_flag_value(a, "at"),
                   .json = trmi_flag_value(a, "json"),
                   .out = trmi_flag_value(a, "out"),
                   .view = trmi_flag_value(a, "view")};
    double count = 0;
    if (!trmi_flag_number(a, "at", -DBL_MAX, DBL_MAX, "a time in seconds", &r->at) ||
        !trmi_flag_number(a, "count", 1, 1000000, "a whole number from 1 to 1000000", &count) ||
        !trmi_flag_number(a, "near", 0, 1e50, "a frequency in Hz", &r->near))
        return false;
    if (count != floor(count))
        return trmi_usage_error("--count must be a whole number from 1 to 1000000, not '%s'",
                                trmi_flag_value(a, "count"));
    r->count = (int)count;
    r->out_is_csv = r->out && ends_with(r->out, ".csv");
    if (r->out && !r->out_is_csv && !ends_with(r->out, ".json"))
        return trmi_usage_error("--out must end with .csv or .json, not be '%s'", r->out);
    return true;
}

static int report(const trmi_mode_table *table, const request *r)
{
    int code = TRMI_EXIT_DONE;
    char *json = r->json || (r->out && !r->out_is_csv) ? trmi_mode_table_json(table) : NULL;
    char *csv = r->out_is_csv ? trmi_mode_table_csv(table) : NULL;
    if (r->json && json)
        fputs(json, stdout);
    else if (!r->json)
        trmi_mode_table_print(table);
    const char *text = r->out_is_csv ? csv : json;
    if (((r->json || r->out) && !text) || (r->json && !json)) {
        trmi_usage_error("no memory for the modes");
        code = TRMI_EXIT_FAILED;
    } else if (r->out && !trmi_write_text(r->out, "the modes", text)) {
        code = TRMI_EXIT_RESULTS;
    }
    free(json);
    free(csv);
    return code;
}

static int find_and_report(const trm_model *model, trm_instance *instance, const trm_system *system,
                           const trm_initial *at, const request *r, const trmi_console *console)
{
    trm_modes *modes = NULL;
    trm_error error = trmi_no_error();
    trm_status status = trm_modes_create_near(&modes, system, trm_model_options(model), at,
                                              r->count, r->near, &error);
    if (status != TRM_OK) {
        trmi_print_model_error(console, model, &error);
        return status == TRM_ERR_INITIAL ? TRMI_EXIT_INITIAL : TRMI_EXIT_FAILED;
    }
    const trmi_mode_table table = {model, modes, at->t};
    int code = trmi_channels_are_named(model) ? report(&table, r) : TRMI_EXIT_FAILED;
    if (r->view && code == TRMI_EXIT_DONE)
        code = trmi_view_modes(&table, instance, at, system->held, r->view, console);
    trm_modes_destroy(modes);
    return code;
}

static int at_start(const trm_model *model, const request *r, const trmi_console *console)
{
    trm_instance *instance = NULL;
    trm_error error = trmi_no_error();
    if (trm_instance_create(&instance, model, &error) != TRM_OK) {
        trmi_print_model_error(console, model, &error);
        return TRMI_EXIT_MODEL;
    }
    int code = find_and_report(model, instance, trm_instance_system(instance),
                               trm_instance_initial(instance), r, console);
    trm_instance_destroy(instance);
    return code;
}

// as trammel run would come there, events included
static int at_time(trm_model *model, const request *r, const trmi_console *console)
{
    model->schedule.end = r->at;
    model->schedule.output_interval = 0;
    model->schedule.output_count = 0;
    const trmi_run_request request = {.model = model,
                                      .stop = trmi_catch_interrupts("nothing is kept"),
                                      .log = trmi_print_log,
                                      .log_user = (void *)console};
    if (r->at < model->schedule.start)
        return trmi_exit_with(TRMI_EXIT_USAGE, "--at %g lies before the start at t = %g", r->at,
                              model->schedule.start);
    trmi_run *run = trmi_run_create(&request);
    if (!run)
        return trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the run");
    trmi_run_go(run);
    int code = trmi_run_exit_code(run);
    if (run->outcome == TRMI_RUN_FAILED)
        trmi_print_model_error(console, model, &run->error);
    if (run->stopped_by[0] && console->level > 0)
        trmi_print_to(stderr, "%s: event %s ended the run at t = %.9g s\n", trm_model_name(model),
                      run->stopped_by, trm_simulation_state(run->simulation)->t);
    if (run->outcome == TRMI_RUN_DONE) {
        const trm_state *s = trm_simulation_state(run->simulation);
        const trm_initial at = {s->t, s->q, s->v, s->x, s->z, s->lambda};
        trm_system system = *trm_instance_system(run->instance);
        system.held = s->held; // to which the coordinates refer by now
        code = find_and_report(model, run->instance, &system, &at, r, console);
    }
    trmi_run_destroy(run);
    return code;
}

static int run(const trmi_arguments *a)
{
    const trmi_console console = trmi_console_of(a);
    request r;
    if (!read_request(a, &r))
        return TRMI_EXIT_USAGE;
    int code = TRMI_EXIT_MODEL;
    bool rest = trmi_flag_value(a, "equilibrium") != NULL;
    trm_model *model = rest ? trmi_load_at_rest(a, a->word[0], &console, &code)
                            : trmi_load_model(a, a->word[0], &console, &code);
    if (!model)
        return code;
    code = r.simulate ? at_time(model, &r, &console) : at_start(model, &r, &console);
    trm_model_destroy(model);
    return code;
}

const trmi_command trmi_cmd_modes = {
    "modes",
    "MODEL",
    1,
    1,
    "print frequencies, damping and shapes of small motions about a state",
    "The equations of motion on the constraints are linearised at the start of the model, or\n"
    "where it is at a given time. A mode moves like exp((growth + i omega) t); its shape shows\n"
    "how much each coordinate takes part, 1 for the largest. Exact at an equilibrium and in\n"
    "steady motion; elsewhere the modes hold for that instant, as the first lines report.",
    flags,
    run,
};
