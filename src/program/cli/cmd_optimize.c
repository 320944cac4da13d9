// SPDX-License-Identifier: Apache-2.0
// trammel optimize: parameters of a model that fit data, or make an output small.
#include "base/error.h"
#include "modelling/reader/beside.h"
#include "modelling/reader/model.h"
#include "program/cli/command.h"
#include "program/cli/interrupt.h"
#include "program/cli/report.h"
#include "program/files/text.h"
#include "program/optimize/optimize.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const trmi_flag flags[] = {
    {"report", '\0', "FILE", "write a page (HTML) with the fit and the way to it", NULL},
    {"summary", '\0', "FILE", "write what was found as JSON; - is the standard output", NULL},
    {"set", 's', "PATH=VALUE", "override a key of the model, as trammel run does", NULL},
    TRMI_FLAG_ALLOW_CODE,
    {NULL, '\0', NULL, NULL, NULL},
};

// ---- the model ----

// Whether the parameters are some of the model; reported at their places otherwise.
static bool check_names(const trmi_optimization *o, const trm_model *model)
{
    const char *near;
    for (int k = 0; k < o->parameters; k++)
        if (!trmi_model_parameter_named(model, o->parameter[k].name, &near))
            trmi_report_key(o->document, o->parameter[k].item,
                            "the model has no parameter '%.60s'%s%.60s%s", o->parameter[k].name,
                            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return trmi_document_errors(o->document) == 0;
}

// A value of a parameter beside its start would be ignored; without 'start' it is the start.
static bool starts_are_free(const trmi_arguments *a, const trmi_optimization *o)
{
    bool good = true;
    for (int k = 0; k < o->parameters && good; k++)
        good = isnan(o->parameter[k].start) ||
               trmi_options_leave(a, o->parameter[k].name, "has its 'start' in the file");
    return good;
}

// no option names the file of data as one to write
static bool data_are_kept(const trmi_arguments *a, const trmi_optimization *o)
{
    const trmi_item *data = trmi_item_path(trmi_document_root(o->document), "fit.data");
    char path[4096];
    if (!data)
        return true;
    trmi_path_beside(o->path, data->text, path, sizeof path);
    return trmi_options_keep(a, path);
}

static trm_model *load_model(const trmi_arguments *a, trmi_optimization *o,
                             const trmi_console *console, int *code)
{
    const char **name = calloc((size_t)o->parameters + 1, sizeof *name);
    if (!name) {
        *code = trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the optimisation");
        return NULL;
    }
    for (int k = 0; k < o->parameters; k++)
        name[k] = o->parameter[k].name;
    trm_model *model =
        trmi_load_model_to_vary(a, o->model, (trmi_overrides){o->set, o->document},
                                (const char *const[]){NULL}, true, TRMI_LOAD_ALL, console, code);
    bool good = model && check_names(o, model) && trmi_optimization_name_measures(o, model);
    bool refused = model && !good;
    trm_model_destroy(model);
    model = good ? trmi_load_model_to_vary(a, o->model, (trmi_overrides){o->set, o->document}, name,
                                           true, TRMI_LOAD_ERRORS, console, code)
                 : NULL;
    free(name);
    if (model && !trmi_optimization_bind(o, model)) {
        refused = true;
        trm_model_destroy(model);
        model = NULL;
    }
    if (refused)
        *code = trmi_document_errors(o->document) > 0
                    ? TRMI_EXIT_MODEL
                    : trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the optimisation");
    return model;
}

// ---- the search ----

static void print_run(const trmi_search_state *s, double goal, void *user)
{
    const trmi_console *console = user;
    if (console->level > 1)
        trmi_print_to(stderr, "run %d: %.9g\n", s->runs, goal);
}

// The entry of `settings` that gives the option an error is about; NULL: there is none.
static const trmi_item *find_setting(const trmi_optimization *o, const trm_error *error)
{
    const trmi_item *settings = trmi_item_find(trmi_document_root(o->document), "settings");
    for (const trmi_item *i = settings ? settings->child : NULL; i; i = i->next) {
        const char *point = strrchr(i->key, '.');
        if (error->item[0] && strcmp(point ? point + 1 : i->key, error->item) == 0)
            return i;
    }
    return NULL;
}

static void add_place(trmi_text *text, const trmi_optimization *o, int line, int column)
{
    char place[40];
    snprintf(place, sizeof place, ":%d:%d", line, column);
    TRMI_TEXT_ADD(text, " at ", o->path, place);
}

// What the file gives of the run at the start, with places: the setting at fault, or all that is
// sought. Empty where it gives nothing.
static void start_text(const trmi_optimization *o, const trm_error *error, trmi_text *text)
{
    const trmi_item *setting = find_setting(o, error);
    if (setting) {
        TRMI_TEXT_ADD(text, ": '", setting->key, "' is set");
        add_place(text, o, setting->key_line, setting->key_column);
    }
    for (int k = 0; k < o->parameters && !setting; k++) {
        const trmi_item *start = trmi_item_find(o->parameter[k].item, "start");
        if (!start)
            continue;
        TRMI_TEXT_ADD(text, text->length > 0 ? ", " : ": it has ", o->parameter[k].name, " = ");
        trmi_text_add_number(text, o->parameter[k].start);
        add_place(text, o, start->line, start->column);
    }
}

static int refuse_start(const trmi_search_state *s, const char *name, const trmi_console *console)
{
    trmi_text text = {0};
    start_text(s->o, &s->error, &text);
    trmi_print_error(console, name, &s->error);
    int code = trmi_exit_with(TRMI_EXIT_FAILED, "%s: the run at the start failed%s", name,
                              text.data && !text.failed ? text.data : "");
    trmi_text_free(&text);
    return code;
}

static int conclude(const trmi_arguments *a, trmi_search_state *s, const char *name, bool good,
                    const trmi_console *console)
{
    const char *report = trmi_flag_value(a, "report"), *summary = trmi_flag_value(a, "summary");
    bool interrupted = s->stop && *s->stop;
    if (!good && interrupted)
        return 130;
    if (s->error.status == TRM_ERR_MEMORY)
        return trmi_exit_after(TRMI_EXIT_FAILED, console, name, &s->error);
    if (!good)
        return refuse_start(s, name, console);
    int code = interrupted ? 130 : TRMI_EXIT_DONE;
    if (console->level > 0 && !(summary && strcmp(summary, "-") == 0))
        trmi_optimize_print(s, name);
    char *text = summary ? trmi_optimize_json(s, name) : NULL;
    if (summary && !text)
        code = trmi_exit_with(TRMI_EXIT_RESULTS, "no memory for the summary");
    else if (summary && strcmp(summary, "-") == 0)
        trmi_print("%s\n", text);
    else if (summary && !trmi_write_text(summary, "the summary", text))
        code = TRMI_EXIT_RESULTS;
    free(text);
    int reason = report ? trmi_optimize_page(s, name, report) : 0;
    if (reason != 0)
        code = trmi_exit_with(TRMI_EXIT_RESULTS, "cannot write the report to %s: %s", report,
                              strerror(reason));
    else if (report && console->level > 0 && !(summary && strcmp(summary, "-") == 0))
        trmi_print("  %-12s %s\n", "report", report);
    return code;
}

static int search(const trmi_arguments *a, const trmi_optimization *o, const trm_model *model,
                  const trmi_console *console)
{
    trmi_search_state s;
    char stem[256];
    const char *set[TRMI_MAX_ARGUMENTS + 1];
    trmi_flag_values(a, "set", set, TRMI_MAX_ARGUMENTS);
    const char *name = o->name ? o->name : trmi_stem(o->path, stem, sizeof stem);
    double *p = calloc((size_t)o->parameters + 1, sizeof *p);
    int code = TRMI_EXIT_FAILED;
    if (!trmi_search_create(&s, o, model) || !p) {
        trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the optimisation");
    } else {
        for (int k = 0; k < o->parameters; k++)
            p[k] = o->parameter[k].start;
        s.stop = trmi_catch_interrupts("nothing is kept");
        s.set = set;
        s.progress = print_run;
        s.user = (void *)console;
        bool good = o->method == TRMI_SEARCH_LEVENBERG_MARQUARDT ? trmi_search_squares(&s, p)
                                                                 : trmi_search_minimum(&s, p);
        code = conclude(a, &s, name, good, console);
    }
    trmi_search_release(&s);
    free(p);
    return code;
}

static int run(const trmi_arguments *a)
{
    const trmi_console console = trmi_console_of(a);
    int code = TRMI_EXIT_MODEL;
    trmi_optimization *o =
        trmi_optimization_read(a->word[0], trmi_print_diagnostic, (void *)&console);
    if (!o)
        return code;
    if (o->method != TRMI_SEARCH_LEVENBERG_MARQUARDT && !trmi_search_has_minimum()) {
        code = trmi_exit_with(TRMI_EXIT_FAILED,
                              "method %s is one of NLopt, which this program was built without",
                              trmi_search_names[o->method]);
    } else if (!starts_are_free(a, o)) {
        code = TRMI_EXIT_USAGE;
    } else {
        trm_model *model = load_model(a, o, &console, &code);
        if (model)
            code = data_are_kept(a, o) ? search(a, o, model, &console) : TRMI_EXIT_USAGE;
        trm_model_destroy(model);
    }
    trmi_optimization_destroy(o);
    return code;
}

const trmi_command trmi_cmd_optimize = {
    "optimize",
    "FILE",
    1,
    1,
    "find parameters that fit data or make an output small",
    "The file names a model, parameters with bounds, and the goal: data that channels of the\n"
    "model are to fit (least squares, with standard errors), or a channel that is to be small at\n"
    "the end or in the mean. Every run has sensitivities, from which gradients follow.\n\n"
    "Exit codes: 0 done, 1 the run at the start failed, 2 usage, 3 file or model invalid, 5 a\n"
    "report could not be written, 130 interrupted: what is printed is the best so far.",
    flags,
    run,
};
