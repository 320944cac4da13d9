// SPDX-License-Identifier: Apache-2.0
// trammel run: simulates a model.
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "modelling/reader/model.h"
#include "program/cli/command.h"
#include "program/cli/complaints.h"
#include "program/cli/interrupt.h"
#include "program/cli/mechanism_report.h"
#include "program/cli/name_list.h"
#include "program/cli/progress.h"
#include "program/cli/report.h"
#include "program/cli/rest.h"
#include "program/cli/run_report.h"
#include "program/cli/view_results.h"
#include "program/cli/watch.h"
#include "program/files/text.h"
#include "program/run/run.h"
#include "program/run/search.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const trmi_flag flags[] = {
    {"set", 's', "PATH=VALUE", "override a key of the file, as in simulate.tolerance=1e-6", NULL},
    TRMI_FLAG_ALLOW_CODE,
    {"out", 'o', "FOLDER", "where the result files go; the present folder by default", NULL},
    {"summary", '\0', "FILE", "write the summary as JSON; - is the standard output", NULL},
#define FORMAT_FLAG(name, suffix, label, by_default, option, help) {option, '\0', NULL, help, NULL},
    TRMI_FORMAT_LIST(FORMAT_FLAG){
        "energy", '\0', NULL,
        "mechanisms: integrate work and losses, and report the energy balance", NULL},
    {"sensitivity", '\0', "NAMES",
     "parameters, as in mass,length, by which all channels are differentiated", NULL},
    {"from", '\0', "WHERE", "equilibrium: begin at rest where the forces lead to from the start",
     "equilibrium"},
    {"watch", '\0', NULL, "serve the page of trammel view on 127.0.0.1 while the run goes on",
     NULL},
    {"view", '\0', NULL, "write a page that shows the run, as trammel view does", NULL},
    {"verify", '\0', NULL, "wait for the companion run that measures the accuracy, however long",
     NULL},
    {"no-verify", '\0', NULL, "no companion run", NULL},
    {"resume", '\0', NULL, "go on from the checkpoint in the folder", NULL},
    {"no-checkpoint", '\0', NULL, "write no checkpoint; for studies of many short runs", NULL},
    {"progress", '\0', "WHEN", "auto, always, never or json", "auto always never json"},
    {NULL, '\0', NULL, NULL, NULL},
};

// after a second Ctrl-C
static const char KEPT[] = "rows up to about a second ago can be read (trammel info), and --resume "
                           "goes on from the last checkpoint";

enum { PATH_BYTES = 4096 };

typedef struct paths {
    char result[TRMI_FORMATS][PATH_BYTES], checkpoint[PATH_BYTES], page[PATH_BYTES];
} paths;

// folder NULL: the present one
static void name_files(paths *p, const char *folder, const char *model)
{
    char stem[256], base[4090];
    trmi_stem(model, stem, sizeof stem);
    snprintf(base, sizeof base, "%.3800s%s%.200s", folder ? folder : "", folder ? "/" : "", stem);
    for (int k = 0; k < TRMI_FORMATS; k++)
        snprintf(p->result[k], PATH_BYTES, "%.4000s%s", base, trmi_formats[k].suffix);
    snprintf(p->checkpoint, PATH_BYTES, "%.4000s.checkpoint", base);
    snprintf(p->page, PATH_BYTES, "%.4000s.html", base);
}

// whether --out is the name of a result rather than of a folder
static bool is_result_name(const char *folder)
{
    const char *dot = strrchr(folder, '.');
    bool result = false;
    for (int k = 0; k < TRMI_FORMATS && dot; k++)
        result = result || strcmp(dot, trmi_formats[k].suffix) == 0;
    return result && access(folder, F_OK) != 0;
}

static char *join_words(int argc, char **argv)
{
    size_t length = 1;
    for (int i = 0; i < argc; i++)
        length += strlen(argv[i]) + 1;
    char *line = calloc(length, 1), *at = line;
    for (int i = 0; line && i < argc; i++) {
        size_t n = strlen(argv[i]);
        memcpy(at, argv[i], n);
        at += n;
        *at++ = i + 1 < argc ? ' ' : '\0';
    }
    return line;
}

// Writes the summary; false when that fails.
static bool write_summary(const trmi_run *run, const char *path)
{
    trmi_text text = {0};
    char *json = trmi_summary_json(run);
    if (json)
        TRMI_TEXT_ADD(&text, json, "\n");
    bool good = json && !text.failed ? trmi_write_text(path, "the summary", text.data)
                                     : trmi_usage_error("no memory for the summary");
    trmi_text_free(&text);
    free(json);
    return good;
}

static int run_and_report(const trmi_run_request *request, const trmi_console *console,
                          trmi_progress *progress, const char *summary)
{
    trmi_search search;
    trmi_run *r = NULL;
    trmi_search_begin(&search, request);
    do {
        trmi_run_destroy(r);
        r = trmi_run_create(&search.request);
        if (!r)
            return trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the run");
        if (r->simulation && search.runs == 0)
            trmi_report_locked(request->model, trm_simulation_start(r->simulation),
                               trmi_print_diagnostic, (void *)console);
        trmi_run_go(r);
    } while (trmi_search_again(&search, r));
    request = &search.request;
    trmi_progress_end(progress, r->outcome == TRMI_RUN_DONE);
    int code = trmi_run_exit_code(r);
    if (r->outcome == TRMI_RUN_FAILED && r->stage <= TRMI_STAGE_INITIAL)
        trmi_print_model_error(console, request->model, &r->error);
    else if (r->outcome == TRMI_RUN_FAILED || r->error.status == TRM_UNTRUSTED)
        trmi_print_error(console, trm_model_name(request->model), &r->error);
    bool ran = r->simulation && (r->outcome == TRMI_RUN_DONE || r->stage >= TRMI_STAGE_SIMULATION ||
                                 r->outcome == TRMI_RUN_INTERRUPTED);
    if (ran && console->level > 0) {
        FILE *out = summary && strcmp(summary, "-") == 0 ? stderr : stdout;
        trmi_run_print_end(out, r);
        for (int k = 0; k < TRMI_FORMATS; k++)
            if (request->write[k] && access(request->path[k], F_OK) == 0)
                trmi_print_to(out, "  %-12s %s\n", trmi_formats[k].label, request->path[k]);
        if (r->claim.path && !isnan(r->saved_t))
            trmi_print_to(out, "  %-12s %s\n", "checkpoint", request->checkpoint);
    }
    if (summary && !write_summary(r, summary) && code == TRMI_EXIT_DONE)
        code = TRMI_EXIT_RESULTS;
    trmi_run_destroy(r);
    return code;
}

// The flags before the file, the last of them first.
static trmi_verify_mode verify_mode(const trmi_arguments *a, const trm_model *model)
{
    int asked = trm_model_schedule(model)->verify;
    if (trmi_flag_value(a, "no-verify"))
        return TRMI_VERIFY_NEVER;
    if (trmi_flag_value(a, "verify") || asked == 1)
        return TRMI_VERIFY_ALWAYS;
    return asked == 0 ? TRMI_VERIFY_NEVER : TRMI_VERIFY_SHORT;
}

// Whether no file that is written is one of the model or one of the others; reported otherwise.
static bool files_are_apart(const trmi_run_request *request, const char *model, const char *summary,
                            const char *page)
{
    const char *path[TRMI_FORMATS + 4] = {model, request->checkpoint, page};
    int count = 3;
    for (int k = 0; k < TRMI_FORMATS; k++)
        if (request->write[k])
            path[count++] = request->path[k];
    if (summary && strcmp(summary, "-") != 0)
        path[count++] = summary;
    bool apart = true;
    for (int i = 1; i < count && apart; i++) {
        for (int k = 0; k < i && apart; k++)
            apart = trmi_files_apart(path[i], path[k]);
        for (const trmi_model_source *s = request->model->sources; s && apart; s = s->next)
            apart = trmi_files_apart(path[i], s->path);
    }
    return apart;
}

// The page of the result file that was written, also of a run that failed.
static int write_page(const trmi_run_request *request, const char *page, bool to_stderr,
                      const trmi_console *console)
{
    int k = 0;
    while (k < TRMI_FORMATS && !(request->write[k] && access(request->path[k], F_OK) == 0))
        k++;
    if (k == TRMI_FORMATS)
        return TRMI_EXIT_DONE; // why there is no result was reported
    int code = trmi_view_one(request->path[k], page, console);
    if (code == TRMI_EXIT_DONE && console->level > 0)
        trmi_print_to(to_stderr ? stderr : stdout, "  %-12s %s\n", "page", page);
    return code;
}

// --watch needs the file that can be read while it is written.
static bool begin_watch(trmi_live_watch *watch, const trmi_run_request *request,
                        const trmi_console *console)
{
    if (!request->write[TRMI_FORMAT_hdf5])
        return trmi_usage_error("--watch shows the HDF5 file while it grows: leave out --no-hdf5");
    if (!trmi_viewer_there() || !trmi_live_watch_begin(watch, request->path[TRMI_FORMAT_hdf5]))
        return false;
    if (console->level > 0)
        trmi_print_to(stderr, "watch it at http://127.0.0.1:%d/\n", watch->port);
    return true;
}

// What the flags ask for, of files with the names p.
static trmi_run_request request_of(const trmi_arguments *a, const trm_model *model, const paths *p)
{
    bool keep = !trmi_flag_value(a, "no-checkpoint");
    trmi_run_request request = {.model = model,
                                .checkpoint = keep ? p->checkpoint : NULL,
                                .resume = trmi_flag_value(a, "resume") ? p->checkpoint : NULL,
                                .energy = trmi_flag_value(a, "energy") != NULL,
                                .verify = verify_mode(a, model),
                                .stop = trmi_catch_interrupts(KEPT)};
    for (int k = 0; k < TRMI_FORMATS; k++) {
        bool given = trmi_flag_value(a, trmi_formats[k].option) != NULL;
        request.write[k] = given != trmi_formats[k].by_default;
        request.path[k] = p->result[k];
    }
    return request;
}

// Runs what is asked for, watched and with a page where that is wanted; the exit code.
static int run_request(const trmi_arguments *a, trmi_run_request *request, const paths *p,
                       const trmi_console *console)
{
    const char *summary = trmi_flag_value(a, "summary"), *when = trmi_flag_value(a, "progress");
    const trm_model *model = request->model;
    trmi_model_console placed = {console, model};
    trmi_progress progress;
    trmi_live_watch watch = {0};
    trmi_progress_begin(&progress, console->level == 0 ? "never" : when, trm_model_name(model),
                        trm_model_schedule(model)->start);
    request->progress = trmi_progress_update;
    request->user = &progress;
    request->log = trmi_print_placed_log;
    request->log_row = trmi_print_placed_row;
    request->log_level = trmi_log_level(console);
    request->log_user = &placed;
    bool ready = files_are_apart(request, a->word[0], summary,
                                 trmi_flag_value(a, "view") ? p->page : NULL) &&
                 (!trmi_flag_value(a, "watch") || begin_watch(&watch, request, console));
    int code = ready ? run_and_report(request, console, &progress, summary) : TRMI_EXIT_USAGE;
    trmi_live_watch_end(&watch);
    if (trmi_flag_value(a, "view") && code != TRMI_EXIT_USAGE) {
        bool to_stderr = summary && strcmp(summary, "-") == 0;
        int page = write_page(request, p->page, to_stderr, console);
        code = code == TRMI_EXIT_DONE ? page : code;
    }
    return code;
}

// Whether no flag contradicts an accuracy that the model asks for; reported otherwise.
static bool goes_with_accuracy(const trmi_arguments *a, const trm_model *model)
{
    if (!(trm_model_schedule(model)->accuracy > 0))
        return true;
    if (trmi_flag_value(a, "resume"))
        return trmi_usage_error(
            "a run with simulate.accuracy searches its tolerance and cannot be resumed: "
            "give simulate.tolerance instead");
    if (trmi_flag_value(a, "no-verify"))
        return trmi_usage_error("--no-verify contradicts simulate.accuracy: it is the companion "
                                "run that confirms an accuracy");
    return true;
}

static int simulate(const trmi_arguments *a, const trm_model *model, trm_neighbours *neighbours,
                    const trmi_console *console)
{
    const char *folder = trmi_flag_value(a, "out");
    paths *p = malloc(sizeof *p);
    char *line = join_words(a->argc, a->argv);
    int code = TRMI_EXIT_FAILED;
    if (!p || !line) {
        trmi_usage_error("no memory");
    } else if (!goes_with_accuracy(a, model)) {
        code = TRMI_EXIT_USAGE;
    } else if (folder && is_result_name(folder)) {
        trmi_usage_error("--out is the folder of the result files, which have the name of the "
                         "model; '%s' is the name of a file",
                         folder);
        code = TRMI_EXIT_USAGE;
    } else if (folder && !trmi_make_folder(folder)) {
        code = TRMI_EXIT_RESULTS;
    } else {
        name_files(p, folder, a->word[0]);
        trmi_run_request request = request_of(a, model, p);
        request.neighbours = neighbours;
        request.command_line = line;
        code = run_request(a, &request, p, console);
    }
    free(p);
    free(line);
    return code;
}

// With the derivatives by the parameters that --sensitivity names.
static int run_sensitive(const trmi_arguments *a, const char *names, const trmi_console *console)
{
    trmi_name_list list;
    trm_neighbours *neighbours = NULL;
    trm_error error = trmi_no_error();
    int code = TRMI_EXIT_USAGE;
    if (trmi_flag_value(a, "from")) {
        trmi_usage_error("--sensitivity cannot be used with --from: how the equilibrium depends on "
                         "the parameters is not known");
        return code;
    }
    if (!trmi_name_list_split(&list, names, "sensitivity"))
        return code;
    trm_model *model = trmi_load_model_to_vary(a, a->word[0], (trmi_overrides){0}, list.name, true,
                                               TRMI_LOAD_ALL, console, &code);
    if (model && trm_neighbours_create(&neighbours, model, NULL, &error) != TRM_OK) {
        trmi_print_model_error(console, model, &error);
        code = error.status == TRM_ERR_INITIAL ? TRMI_EXIT_INITIAL : TRMI_EXIT_MODEL;
    }
    if (neighbours && trmi_flag_value(a, "resume") && model->parameters > 0)
        code = trmi_exit_with(TRMI_EXIT_USAGE,
                              "--sensitivity cannot be used with --resume: events or inputs of "
                              "the model set parameters, whose derivatives no checkpoint has");
    else if (neighbours)
        code = simulate(a, model, neighbours, console);
    trm_neighbours_destroy(neighbours);
    trm_model_destroy(model);
    trmi_name_list_free(&list);
    return code;
}

static int run(const trmi_arguments *a)
{
    const trmi_console console = trmi_console_of(a);
    const char *from = trmi_flag_value(a, "from"), *names = trmi_flag_value(a, "sensitivity");
    int code = TRMI_EXIT_MODEL;
    if (trmi_flag_value(a, "verify") && trmi_flag_value(a, "no-verify"))
        return trmi_exit_with(TRMI_EXIT_USAGE, "--verify and --no-verify exclude each other");
    if (names)
        return run_sensitive(a, names, &console);
    trm_model *model = from ? trmi_load_at_rest(a, a->word[0], &console, &code)
                            : trmi_load_model(a, a->word[0], &console, &code);
    if (!model)
        return code;
    code = simulate(a, model, NULL, &console);
    trm_model_destroy(model);
    return code;
}

const trmi_command trmi_cmd_run = {
    "run",
    "MODEL",
    1,
    1,
    "simulate a model file",
    "Writes MODEL.h5 (every channel, readable by h5py and MATLAB) and MODEL.checkpoint into the\n"
    "folder. Ctrl-C ends between two steps or rows with the files closed; --resume goes on as\n"
    "if nothing had happened, also after the end of the run was moved.\n\n"
    "A second run by another method, beside the first, shows how many digits are right; without\n"
    "--verify it gives up after 5 s of processor time, or soon after the end of the run.\n\n"
    "Exit codes: 0 done, 1 the simulation failed, 2 usage, 3 the model is invalid, 4 no\n"
    "consistent initial state, 5 results could not be written, 6 done, but the result cannot be\n"
    "trusted, 130 interrupted.",
    flags,
    run,
};
