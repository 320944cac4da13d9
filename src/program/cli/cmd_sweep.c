// SPDX-License-Identifier: Apache-2.0
// trammel sweep: a model simulated with many values of its parameters.
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"
#include "base/error.h"
#include "modelling/reader/model.h"
#include "program/cli/command.h"
#include "program/cli/interrupt.h"
#include "program/cli/report.h"
#include "program/cli/sweep_progress.h"
#include "program/files/file_error.h"
#include "program/study/fleet.h"
#include "program/study/study_hdf5.h"
#include "program/study/study_report.h"

#include <errno.h>
#include <inttypes.h>
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
    {"no-hdf5", '\0', NULL, "write no HDF5 file beside the table", NULL},
    {"set", 's', "PATH=VALUE", "override a key of the model, as trammel run does", NULL},
    TRMI_FLAG_ALLOW_CODE,
    {"progress", '\0', "WHEN", "auto, always, never or json", "auto always never json"},
    {NULL, '\0', NULL, NULL, NULL},
};

enum { MAX_WORKERS = 1024 };

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

// The model of the study, ready to be varied; NULL and *code after messages.
static trm_model *load_model(const trmi_arguments *a, const trmi_study *study, bool with_warnings,
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
    trm_model *model = trmi_load_model_to_vary(
        a, study->model, study->set, (const char *const[]){NULL}, with_warnings, console, code);
    if (model && !check_names(study, model)) {
        *code = TRMI_EXIT_MODEL;
        trm_model_destroy(model);
        model = NULL;
    }
    if (model) {
        trm_model_destroy(model);
        model = trmi_load_model_to_vary(a, study->model, study->set, name, false, console, code);
    }
    free(name);
    return model;
}

// ---- the runs ----

static void print_end(const trmi_study_table *table, const char *name, double seconds,
                      bool interrupted)
{
    int64_t runs = table->plan->study->runs, run = table->done - table->found;
    trmi_print("%s: %s, %" PRId64 " of %" PRId64 " runs done\n", name,
               interrupted ? "interrupted" : "done", table->done, runs);
    if (table->found > 0)
        trmi_print("  %-12s %" PRId64 " were there\n", "before", table->found);
    trmi_print("  %-12s %" PRId64 " in %.3g s, %.3g a second\n", "now", run, seconds,
               seconds > 0 ? (double)run / seconds : 0);
    if (table->failed > 0)
        trmi_print("  %-12s %" PRId64 " %s an exit code other than 0; see the table\n", "failed",
                   table->failed, table->failed == 1 ? "run has" : "runs have");
    trmi_print("  %-12s %s\n", "table", table->path);
}

// "lengths.study.h5" of "lengths.csv": run files of that name are something else
static char *other_path(const char *table, const char *suffix)
{
    size_t length = strlen(table);
    char *stem = strdup(table), *path = NULL;
    if (stem && length > 4 && strcmp(stem + length - 4, ".csv") == 0)
        stem[length - 4] = '\0';
    if (stem)
        path = trmi_path_with(stem, suffix);
    free(stem);
    return path;
}

static trm_status write_report(const trmi_arguments *a, const char *path,
                               const trmi_study_table *table, const trmi_study_data *data,
                               trm_error *error)
{
    const char *set[TRMI_MAX_ARGUMENTS + 1] = {NULL};
    trmi_flag_values(a, "set", set, TRMI_MAX_ARGUMENTS);
    trmi_whole_file file = trmi_whole_file_open(path);
    if (!file.out)
        return trmi_file_error(error, "write", path, errno);
    bool good = trmi_study_report(file.out, table->plan, data, set);
    int code = trmi_whole_file_close(&file);
    if (code != 0)
        return trmi_file_error(error, "write", path, code);
    return good ? TRM_OK : trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the report");
}

// While the study runs: the HDF5 file with the rows so far. What fails is reported at the end.
static void save_hdf5(void *user)
{
    const trmi_study_table *table = user;
    trm_error error = trmi_no_error();
    trmi_study_data data;
    if (table->strangers > 0 || table->renumbered) // until the lines are in order
        return;
    char *path = other_path(table->path, ".study.h5");
    if (path && trmi_study_data_read(&data, table->path, table->plan, &error) == TRM_OK &&
        data.rows > 0)
        trmi_study_hdf5_write(path, table->plan, &data, &error);
    if (path)
        trmi_study_data_release(&data);
    free(path);
}

// The table in other forms, from its file.
static trm_status write_others(const trmi_arguments *a, const trmi_study_table *table,
                               trm_error *error)
{
    const char *report = trmi_flag_value(a, "report");
    bool hdf5 = !trmi_flag_value(a, "no-hdf5");
    if (!hdf5 && !report)
        return TRM_OK;
    trmi_study_data data;
    char *path = other_path(table->path, ".study.h5");
    trm_status status = trmi_study_data_read(&data, table->path, table->plan, error);
    if (status == TRM_OK && !path)
        status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the study");
    if (status == TRM_OK && hdf5)
        status = trmi_study_hdf5_write(path, table->plan, &data, error);
    if (status == TRM_OK && report)
        status = write_report(a, report, table, &data, error);
    trmi_study_data_release(&data);
    free(path);
    return status;
}

// The processes of a launcher, or (one) none.
typedef struct fleet {
    int rank, size;
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

static int work(const trmi_arguments *a, trmi_study_table *table, fleet *f, const char *name,
                const trmi_console *console)
{
    if (!join_fleet(f, table->plan))
        return TRMI_EXIT_FAILED;
    trm_error error = trmi_no_error();
    const volatile sig_atomic_t *stop = trmi_catch_interrupts();
    trmi_sweep_progress progress;
    trmi_sweep_progress_begin(&progress,
                              console->level == 0 ? "never" : trmi_flag_value(a, "progress"), name);
    const trmi_crew_request request = {.plan = table->plan,
                                       .table = table,
                                       .workers = f->workers,
                                       .stop = stop,
                                       .progress = trmi_sweep_progress_update,
                                       .user = &progress,
                                       .save = trmi_flag_value(a, "no-hdf5") ? NULL : save_hdf5,
                                       .save_user = table};
    double began = trmi_clock_seconds();
    trm_status status = f->size > 1 ? trmi_fleet_lead(&request, &f->transport, f->worker, &error)
                                    : trmi_crew_work(&request, &error);
    trmi_sweep_progress_end(&progress);
    if (status == TRM_OK)
        status = trmi_study_table_order(table, &error);
    if (status == TRM_OK && table->done > 0)
        status = write_others(a, table, &error);
    bool interrupted = *stop && table->done < table->plan->study->runs;
    if (console->level > 0)
        print_end(table, name, trmi_clock_seconds() - began, interrupted);
    if (status != TRM_OK)
        return trmi_exit_after(TRMI_EXIT_RESULTS, console, name, &error);
    if (interrupted)
        return 130;
    if (table->failed == table->done)
        return trmi_exit_with(TRMI_EXIT_FAILED, "all runs failed: see the messages in %s",
                              table->path);
    return TRMI_EXIT_DONE;
}

// a rank that is not the first: it has workers and no table
static int follow(fleet *f, const trmi_plan *plan)
{
    const volatile sig_atomic_t *stop = trmi_catch_interrupts();
    if (!join_fleet(f, plan))
        return TRMI_EXIT_FAILED;
    trmi_fleet_follow(stop, &f->transport, f->worker, f->workers);
    return TRMI_EXIT_DONE;
}

static int sweep(const trmi_arguments *a, const trmi_study *study, fleet *f,
                 const trmi_console *console)
{
    int code = TRMI_EXIT_FAILED;
    char stem[256], path[4096];
    snprintf(path, sizeof path, "%s.csv", trmi_stem(study->path, stem, sizeof stem));
    const char *out = trmi_flag_value(a, "out");
    trm_model *model = load_model(a, study, f->rank == 0, console, &code);
    trmi_plan plan;
    trmi_study_table table = {.claim = {.fd = -1}};
    trm_error error = trmi_no_error();
    if (!model)
        return code;
    if (!trmi_plan_make(&plan, study, model)) {
        code = trmi_document_errors(study->document) > 0
                   ? TRMI_EXIT_MODEL
                   : trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the study");
    } else if (f->rank > 0) {
        code = follow(f, &plan);
    } else {
        trm_status status = trmi_study_table_open(&table, &plan, out ? out : path,
                                                  trmi_flag_value(a, "replace") != NULL, &error);
        code = status == TRM_OK ? work(a, &table, f, study->name ? study->name : stem, console)
                                : trmi_exit_after(TRMI_EXIT_RESULTS, console, stem, &error);
        status = trmi_study_table_close(&table, &error);
        if (status != TRM_OK && code == TRMI_EXIT_DONE)
            code = trmi_exit_after(TRMI_EXIT_RESULTS, console, stem, &error);
    }
    fflush(stdout);
    leave_fleet(f); // after all is written: where a rank is gone MPI ends the others at once
    trmi_plan_release(&plan);
    trm_model_destroy(model);
    return code;
}

// messages of rank 0 are enough
static void keep_quiet(const trm_diagnostic *diagnostic, void *user)
{
    (void)diagnostic;
    (void)user;
}

static int run(const trmi_arguments *a)
{
    const trmi_console console = trmi_console_of(a);
    fleet f = {.size = 1};
    if (!trmi_launched(&f.rank, &f.size))
        f = (fleet){.size = 1};
    double workers = f.size > 1 ? 1 : (double)sysconf(_SC_NPROCESSORS_ONLN);
    if (!trmi_flag_number(a, "jobs", 1, MAX_WORKERS, "a number from 1 to 1024", &workers))
        return TRMI_EXIT_USAGE;
    f.workers = workers >= 1 ? (int)workers : 1;
    trm_diagnostic_function *report = f.rank == 0 ? trmi_print_diagnostic : keep_quiet;
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
    "not be written, 130 interrupted.",
    flags,
    run,
};
