// SPDX-License-Identifier: Apache-2.0
// trammel sweep: a model simulated with many values of its parameters.
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"
#include "base/error.h"
#include "modelling/reader/beside.h"
#include "modelling/reader/model.h"
#include "program/cli/command.h"
#include "program/cli/interrupt.h"
#include "program/cli/report.h"
#include "program/cli/sweep_files.h"
#include "program/cli/sweep_progress.h"
#include "program/study/fleet.h"
#include "program/study/study_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const trmi_flag flags[] = {
    {"jobs", 'j', "N",
     "how many runs at once; by default as many as there are processors, under mpirun 1 per rank",
     NULL},
    {"out", 'o', "FILE", "the table; STUDY.csv in the present folder by default", NULL},
    {"replace", '\0', NULL, "rows of the table that are not of this study may be lost", NULL},
    {"report", '\0', "FILE", "write a page: histograms, responses, main effects, indices", NULL},
    {"views", '\0', "N",
     "pages of the viewer for N runs beside the report, those with extreme values first", NULL},
    {"split", '\0', NULL,
     "under mpirun: a table for each rank, STUDY.RANK.csv, and an HDF5 file that joins them", NULL},
    {"no-hdf5", '\0', NULL, "write no HDF5 file beside the table", NULL},
    {"set", 's', "PATH=VALUE", "override a key of the model, as trammel run does", NULL},
    TRMI_FLAG_ALLOW_CODE,
    {"progress", '\0', "WHEN", "auto, always, never or json", "auto always never json"},
    {NULL, '\0', NULL, NULL, NULL},
};

enum { MAX_WORKERS = 1024, MAX_VIEWS = 1000 };

static const char KEPT[] =
    "the table keeps its rows up to about a second ago, and the same command "
    "goes on with those that it lacks";

// ---- the model ----

// Whether the parameters of the study are some of the model; reported at their places otherwise.
static bool check_names(const trmi_study *study, const trm_model *model)
{
    const char *near;
    for (int k = 0; k < study->parameters; k++) {
        bool dotted = strchr(study->parameter[k].name, '.') != NULL;
        if (!trmi_model_parameter_named(model, study->parameter[k].name, &near))
            trmi_report_key(study->document, study->parameter[k].item,
                            "the model has no parameter '%.60s'%s%.60s%s", study->parameter[k].name,
                            near     ? "; did you mean '"
                            : dotted ? "; a key of the model changes by a parameter in its place, "
                                     : "",
                            near     ? near
                            : dotted ? "such as tolerance: \"tol\""
                                     : "",
                            near ? "'?" : "");
    }
    return trmi_document_errors(study->document) == 0;
}

// whether a file that the study writes is none that is read; reported otherwise
static bool inputs_are_kept(const trmi_study *study, const trm_model *model, const char *points,
                            const char *written)
{
    const char *clash = trmi_same_file(written, study->path)        ? study->path
                        : points && trmi_same_file(written, points) ? points
                                                                    : NULL;
    for (const trmi_model_source *s = model->sources; s && !clash; s = s->next)
        clash = trmi_same_file(written, s->path) ? s->path : NULL;
    return !clash || trmi_usage_error("the table %s would overwrite %s, which is read: give "
                                      "another name with --out",
                                      written, clash);
}

// whether the report is no part of the table, or of the HDF5 file, that a rank writes
static bool parts_are_apart(const trmi_sweep_files *files, int ranks)
{
    bool good = true;
    for (int k = 0; k < 2 * ranks && good && files->split && files->report; k++) {
        char *part = trmi_part_path(files->path, k / 2, k % 2 ? ".study.h5" : ".csv");
        good = part ? trmi_files_apart(files->report, part)
                    : trmi_usage_error("no memory for the study");
        free(part);
    }
    return good;
}

// Whether no file that is written is one that is read, or another one; reported otherwise. The
// options were compared with each other and with the files of the model when that was loaded.
static bool files_are_apart(const trmi_arguments *a, const trmi_study *study,
                            const trm_model *model, const trmi_sweep_files *files)
{
    const trmi_item *item = trmi_item_find(trmi_document_root(study->document), "points");
    char points[4096] = "";
    if (item)
        trmi_path_beside(study->path, item->text, points, sizeof points);
    char *hdf5 = files->hdf5 ? trmi_part_path(files->path, -1, ".study.h5") : NULL;
    bool good = !files->hdf5 || hdf5 || trmi_usage_error("no memory for the study");
    good = good && inputs_are_kept(study, model, item ? points : NULL, files->path) &&
           (!hdf5 || inputs_are_kept(study, model, item ? points : NULL, hdf5)) &&
           trmi_files_apart(files->report, files->path) && trmi_files_apart(files->report, hdf5) &&
           trmi_files_apart(hdf5, files->path) && (!item || trmi_options_keep(a, points));
    free(hdf5);
    return good;
}

// The model of the study, ready to be varied; NULL and *code after messages.
static trm_model *load_model(const trmi_arguments *a, trmi_study *study, trmi_load_messages shown,
                             const trmi_console *console, int *code)
{
    const char **name = calloc((size_t)study->parameters + 1, sizeof *name);
    for (int k = 0; k < study->parameters && name; k++)
        name[k] = study->parameter[k].name;
    *code = TRMI_EXIT_FAILED;
    if (!name) {
        trmi_usage_error("no memory for the study");
        return NULL;
    }
    trm_model *model =
        trmi_load_model_to_vary(a, study->model, (trmi_overrides){study->set, study->document},
                                (const char *const[]){NULL}, false, shown, console, code);
    if (model && !check_names(study, model)) {
        *code = TRMI_EXIT_MODEL;
        trm_model_destroy(model);
        model = NULL;
    }
    if (model && !trmi_study_name_measures(study, model)) {
        *code = trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the study");
        trm_model_destroy(model);
        model = NULL;
    }
    if (model) {
        trm_model_destroy(model);
        model = trmi_load_model_to_vary(
            a, study->model, (trmi_overrides){study->set, study->document}, name, false,
            shown == TRMI_LOAD_ALL ? TRMI_LOAD_ERRORS : shown, console, code);
    }
    free(name);
    return model;
}

// ---- the runs ----

// The processes of a launcher, or (one) none.
typedef struct fleet {
    int rank, size;
    trmi_load_messages shown; // what this rank prints
    trmi_transport transport;
    trmi_worker *worker;
    int workers;
} fleet;

// Begins MPI, after the workers have been started, which know nothing of it. False: reported.
static bool join_fleet(fleet *f, const trmi_plan *plan)
{
    char why[400];
    if (f->size == 1)
        return true;
    f->worker = calloc((size_t)f->workers, sizeof *f->worker);
    for (int k = 0; k < f->workers; k++)
        if (!f->worker || !trmi_worker_start(&f->worker[k], plan))
            return trmi_usage_error("rank %d: no worker can be started: %s", f->rank,
                                    strerror(errno));
    if (!trmi_transport_open(&f->transport, why, sizeof why))
        return trmi_usage_error("rank %d: %s", f->rank, why);
    return true;
}

static void leave_fleet(fleet *f)
{
    for (int k = 0; k < f->workers && f->worker; k++)
        trmi_worker_end(&f->worker[k]);
    if (f->transport.end)
        f->transport.end(&f->transport);
    free(f->worker);
    f->worker = NULL;
}

// at the end of the runs: workers that nothing has started again
static void report_gone(const fleet *f, const trmi_console *console)
{
    char text[200];
    int gone = 0;
    for (int k = 0; k < f->workers && f->worker; k++)
        gone += f->worker[k].socket < 0;
    snprintf(text, sizeof text,
             "rank %d: %d of %d workers %s killed, with the process that starts another one; "
             "what was left to do there was handed back",
             f->rank, gone, f->workers, gone == 1 ? "was" : "were");
    if (gone > 0)
        trmi_print_log(TRM_LOG_WARNING, text, (void *)console);
}

static int work(const trmi_arguments *a, trmi_sweep_files *files, fleet *f, const char *name,
                const trmi_console *console)
{
    trmi_study_table *table = &files->table;
    if (!join_fleet(f, table->plan))
        return TRMI_EXIT_FAILED;
    trm_error error = trmi_no_error();
    const trmi_stop *stop = trmi_catch_interrupts(KEPT);
    files->stop = stop;
    trmi_sweep_progress progress;
    trmi_sweep_progress_begin(&progress,
                              console->level == 0 ? "never" : trmi_flag_value(a, "progress"), name);
    const trmi_crew_request request = {.plan = table->plan,
                                       .table = table,
                                       .workers = f->workers,
                                       .split = files->split,
                                       .stop = stop,
                                       .progress = trmi_sweep_progress_update,
                                       .user = &progress,
                                       .save =
                                           files->hdf5 && !files->split ? trmi_sweep_save : NULL,
                                       .save_user = files};
    double began = trmi_clock_seconds();
    trm_status status = f->size > 1 ? trmi_fleet_lead(&request, &f->transport, f->worker, &error)
                                    : trmi_crew_work(&request, &error);
    trmi_sweep_progress_end(&progress);
    files->saved = f->transport.lost ? 1 : f->size;
    if (status == TRM_OK)
        status = trmi_sweep_write(files, &error);
    if (status == TRM_OK && !*stop)
        report_gone(f, console);
    bool interrupted = *stop && table->done < table->plan->study->runs;
    if (console->level > 0)
        trmi_sweep_print(files, name, trmi_clock_seconds() - began,
                         status != TRM_OK ? "failed"
                         : interrupted    ? "interrupted"
                                          : "done");
    if (status != TRM_OK)
        return trmi_exit_after(TRMI_EXIT_RESULTS, console, name, &error);
    if (interrupted)
        return 130;
    if (table->failed == table->done)
        return trmi_exit_with(TRMI_EXIT_FAILED, "all runs failed: see the messages in %s",
                              table->path);
    return TRMI_EXIT_DONE;
}

// a rank that is not the first: it has workers, and no table or its part of it
static int follow(const trmi_sweep_files *files, fleet *f, const trmi_plan *plan,
                  const trmi_console *console)
{
    const trmi_stop *stop = trmi_catch_interrupts(KEPT);
    if (!join_fleet(f, plan))
        return TRMI_EXIT_FAILED;
    const trmi_fleet_part part = {plan, files->path, files->hdf5, stop};
    if (files->split)
        trmi_fleet_write(&part, &f->transport, f->worker, f->workers);
    else
        trmi_fleet_follow(stop, &f->transport, f->worker, f->workers);
    if (!*stop)
        report_gone(f, console);
    return TRMI_EXIT_DONE;
}

// rank 0: all of it
static int lead(const trmi_arguments *a, trmi_sweep_files *files, fleet *f, const char *name,
                const trmi_plan *plan, const trmi_console *console)
{
    trm_error error = trmi_no_error();
    bool replace = trmi_flag_value(a, "replace") != NULL;
    trm_status status = trmi_sweep_open(files, plan, replace, &error);
    int code = status == TRM_OK ? work(a, files, f, name, console)
                                : trmi_exit_after(TRMI_EXIT_RESULTS, console, name, &error);
    status = trmi_sweep_close(files, &error);
    if (status != TRM_OK && code == TRMI_EXIT_DONE)
        code = trmi_exit_after(TRMI_EXIT_RESULTS, console, name, &error);
    return code;
}

static int sweep(const trmi_arguments *a, trmi_study *study, fleet *f, const trmi_console *console)
{
    int code = TRMI_EXIT_FAILED;
    char stem[256], path[4096];
    const char *set[TRMI_MAX_ARGUMENTS + 1] = {NULL}, *out = trmi_flag_value(a, "out");
    snprintf(path, sizeof path, "%s.csv", trmi_stem(study->path, stem, sizeof stem));
    trmi_flag_values(a, "set", set, TRMI_MAX_ARGUMENTS);
    trmi_sweep_files files = {.path = out ? out : path,
                              .report = trmi_flag_value(a, "report"),
                              .set = set,
                              .hdf5 = !trmi_flag_value(a, "no-hdf5"),
                              .split = trmi_flag_value(a, "split") != NULL,
                              .console = console};
    double views = 0;
    if (!trmi_flag_number(a, "views", 1, MAX_VIEWS, "a number from 1 to 1000", &views))
        return TRMI_EXIT_USAGE;
    if (views > 0 && !files.report) {
        trmi_usage_error("--views are pages beside that of --report: give both");
        return TRMI_EXIT_USAGE;
    }
    files.views = (int)views;
    if (files.split && f->size == 1) {
        trmi_usage_error("--split has a table for each rank of a launcher, and there is one rank: "
                         "use 'mpirun -n 4 trammel sweep ...', or leave it out");
        return TRMI_EXIT_USAGE;
    }
    for (int k = 0; k < study->parameters; k++)
        if (!trmi_options_leave(a, study->parameter[k].name,
                                "is varied by the study: it has no one value"))
            return TRMI_EXIT_USAGE;
    trm_model *model = load_model(a, study, f->shown, console, &code);
    trmi_plan plan;
    if (!model)
        return code;
    if (!trmi_plan_make(&plan, study, model))
        code = trmi_document_errors(study->document) > 0
                   ? TRMI_EXIT_MODEL
                   : trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the study");
    else if (!files_are_apart(a, study, model, &files) || !parts_are_apart(&files, f->size))
        code = TRMI_EXIT_USAGE;
    else if (f->rank > 0)
        code = follow(&files, f, &plan, console);
    else
        code = lead(a, &files, f, study->name ? study->name : stem, &plan, console);
    code = trmi_flush_output(code);
    leave_fleet(f); // after all is written: where a rank is gone MPI ends the others at once
    trmi_plan_release(&plan);
    trm_model_destroy(model);
    return code;
}

static void keep_quiet(const trm_diagnostic *diagnostic, void *user)
{
    (void)diagnostic;
    (void)user;
}

static int run(const trmi_arguments *a)
{
    const trmi_console console = trmi_console_of(a);
    fleet f = {.size = 1};
    bool first_here = true;
    if (!trmi_launched(&f.rank, &f.size, &first_here))
        f = (fleet){.size = 1};
    // one rank of each machine prints what is wrong with its files
    f.shown = f.rank == 0 ? TRMI_LOAD_ALL : first_here ? TRMI_LOAD_ERRORS : TRMI_LOAD_NOTHING;
    double workers = f.size > 1 ? 1 : (double)sysconf(_SC_NPROCESSORS_ONLN);
    int least = f.size > 1 ? 0 : 1; // a rank may only hand out runs
    if (!trmi_flag_number(a, "jobs", least, MAX_WORKERS, "a number from 1 to 1024", &workers))
        return TRMI_EXIT_USAGE;
    f.workers = workers >= least ? (int)workers : least;
    trm_diagnostic_function *report =
        f.shown != TRMI_LOAD_NOTHING ? trmi_print_diagnostic : keep_quiet;
    trmi_study *study = trmi_study_read(a->word[0], report, (void *)&console);
    if (!study)
        return TRMI_EXIT_MODEL;
    int code = sweep(a, study, &f, &console);
    trmi_study_destroy(study);
    return code;
}

const trmi_command trmi_cmd_sweep = {
    "sweep",
    "STUDY",
    1,
    1,
    "run a model over many values of its parameters",
    "The study file names a model, values or distributions of its parameters, and what is\n"
    "recorded of each run. Writes a table with one row per run, a failed one too: parameters,\n"
    "status, exit code, what was recorded, message. Rows do not depend on the number of jobs.\n\n"
    "What is interrupted or killed goes on when the same command is given again: runs that have\n"
    "a row are not repeated, also when the study has grown.\n\n"
    "Under mpirun the runs are divided among the ranks, with the same rows. A worker that is\n"
    "killed loses the run it was at, which another one does; when a rank is killed mpirun ends\n"
    "all, and the same command goes on.\n\n"
    "Exit codes: 0 done, 1 all runs failed, 2 usage, 3 study or model invalid, 5 the table could\n"
    "not be written or all workers were killed, 130 interrupted.",
    flags,
    run,
};
