// SPDX-License-Identifier: Apache-2.0
// trammel reproduce: runs the experiments of papers and compares.
#define _POSIX_C_SOURCE 200809L
#include "program/cli/command.h"
#include "program/cli/interrupt.h"
#include "program/cli/report.h"
#include "program/reproduce/catalogue.h"
#include "program/reproduce/claim.h"
#include "program/reproduce/drawing.h"
#include "program/reproduce/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const trmi_flag flags[] = {
    {"json", '\0', NULL, "print one JSON object", NULL},
    {"markdown", '\0', NULL, "print a Markdown document", NULL},
    {"out", 'o', "FOLDER", "draw the figures into this folder", NULL},
    {NULL, '\0', NULL, NULL, NULL},
};

// Everything that was read and measured.
typedef struct work {
    const trmi_console *console;
    int messages; // printed while files were read
    trmi_experiment **experiment;
    trmi_measured *measured;
    int count, done;
    trmi_memory memory; // of the papers
    trmi_paper **paper; // all there are, when all experiments are run
    int papers;
    trmi_coverage coverage;
} work;

static void print_message(const trm_diagnostic *message, void *user)
{
    work *w = user;
    w->messages++;
    trmi_print_diagnostic(message, (void *)w->console);
}

// all are read before the first one runs: a mistake in the last one shows at once
static int read_experiments(work *w, const trmi_catalogue *files)
{
    int code = TRMI_EXIT_DONE;
    w->experiment = calloc((size_t)files->count + 1, sizeof *w->experiment);
    w->measured = calloc((size_t)files->count + 1, sizeof *w->measured);
    if (!w->experiment || !w->measured)
        return trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the experiments");
    for (int i = 0; i < files->count; i++) {
        int before = w->messages;
        trmi_experiment *e = trmi_experiment_read(files->path[i], NULL, 0, print_message, w);
        if (!e && w->messages == before)
            return trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the experiment %s",
                                  files->path[i]);
        if (e)
            w->experiment[w->count++] = e;
        else
            code = TRMI_EXIT_MODEL;
    }
    return code == TRMI_EXIT_DONE ? trmi_coverage_check(w->experiment, w->count) : code;
}

// all papers beside the experiments: one that no experiment is about is listed too
static int read_papers(work *w, const trmi_catalogue *files)
{
    trmi_catalogue papers;
    int code = trmi_catalogue_beside(&papers, files->path[0], "papers");
    if (code == TRMI_EXIT_DONE && !TRMI_TAKE(&w->memory, w->paper, papers.count))
        code = trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the papers");
    for (int i = 0; i < papers.count && code == TRMI_EXIT_DONE; i++) {
        int errors;
        trmi_paper *paper = trmi_paper_read(&w->memory, papers.path[i], &errors, print_message, w);
        if (!paper && errors == 0)
            code = trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the paper %s", papers.path[i]);
        else
            code = errors > 0 ? TRMI_EXIT_MODEL : TRMI_EXIT_DONE;
        w->paper[w->papers++] = paper;
    }
    trmi_catalogue_release(&papers);
    return code;
}

static int measure_all(work *w, const trmi_reproduce_context *context, const char *folder,
                       bool text)
{
    int code = TRMI_EXIT_DONE;
    for (int i = 0; i < w->count && code == TRMI_EXIT_DONE; i++) {
        trmi_measured *m = &w->measured[w->done++];
        code = trmi_measure_experiment(m, w->experiment[i], context);
        if (code == TRMI_EXIT_DONE && folder) {
            code = trmi_drawings_write(w->experiment[i], context, folder);
            m->drawn = code == TRMI_EXIT_DONE;
        }
        if (code == TRMI_EXIT_DONE && text) {
            fputs(i > 0 ? "\n" : "", stdout);
            trmi_table_print(stdout, m);
            fflush(stdout);
        }
    }
    return code;
}

// "figures" of "docs/figures/": the document is beside the folder
static const char *last_part(const char *folder, char *buffer, size_t size)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    size_t start = length;
    while (start > 0 && folder[start - 1] != '/')
        start--;
    snprintf(buffer, size, "%.*s", (int)(length - start), folder + start);
    return buffer;
}

// rows and claims that are not as they should be
static int count_failures(const work *w)
{
    int count = 0;
    for (int i = 0; i < w->count; i++) {
        for (int published = 0; published < 2; published++)
            count += trmi_measured_tally(&w->measured[i], published).verdict[TRMI_VERDICT_DIFFERS];
        count += trmi_claims_unconfirmed(&w->measured[i]);
    }
    return count;
}

static int print_all(work *w, const trmi_arguments *a, const char *folder, bool text)
{
    char part[300];
    if (!trmi_coverage_create(&w->coverage, w->measured, w->count, w->paper, w->papers))
        return trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the table of the papers");
    if (text)
        trmi_coverage_print(stdout, &w->coverage, w->measured, w->count);
    if (trmi_flag_value(a, "markdown"))
        trmi_reproduction_markdown(stdout, w->measured, w->count, &w->coverage,
                                   folder ? last_part(folder, part, sizeof part) : NULL);
    if (trmi_flag_value(a, "json") &&
        !trmi_reproduction_json(stdout, w->measured, w->count, &w->coverage))
        return trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the JSON text");
    if (fflush(stdout) != 0 || ferror(stdout))
        return trmi_exit_with(TRMI_EXIT_RESULTS, "cannot write to the standard output: %s",
                              strerror(errno));
    return count_failures(w) > 0 ? TRMI_EXIT_FAILED : TRMI_EXIT_DONE;
}

static void release(work *w)
{
    for (int i = 0; i < w->done; i++)
        trmi_measured_release(&w->measured[i]);
    for (int i = 0; i < w->count; i++)
        trmi_experiment_destroy(w->experiment[i]);
    free(w->measured);
    free(w->experiment);
    trmi_coverage_release(&w->coverage);
    trmi_memory_release_all(&w->memory);
}

static int reproduce(const trmi_arguments *a, const trmi_catalogue *files,
                     const trmi_console *console)
{
    const char *folder = trmi_flag_value(a, "out");
    bool text = !trmi_flag_value(a, "json") && !trmi_flag_value(a, "markdown");
    const trmi_reproduce_context context = {console, trmi_catch_interrupts("nothing is kept"),
                                            console->level > 0 && isatty(STDERR_FILENO)};
    work w = {.console = console};
    trmi_memory_init(&w.memory, NULL);
    trmi_memory_init(&w.coverage.memory, NULL);
    int code = read_experiments(&w, files);
    if (code == TRMI_EXIT_DONE && a->count == 0)
        code = read_papers(&w, files);
    if (code == TRMI_EXIT_DONE && folder && !trmi_make_folder(folder))
        code = TRMI_EXIT_RESULTS;
    if (code == TRMI_EXIT_DONE)
        code = measure_all(&w, &context, folder, text);
    if (code == TRMI_EXIT_DONE)
        code = print_all(&w, a, folder, text);
    release(&w);
    return code;
}

static int run(const trmi_arguments *a)
{
    const trmi_console console = trmi_console_of(a);
    trmi_catalogue files;
    if (trmi_flag_value(a, "json") && trmi_flag_value(a, "markdown"))
        return trmi_exit_with(TRMI_EXIT_USAGE,
                              "--json and --markdown: only one of them can be printed");
    int code = trmi_catalogue_find(&files, &trmi_experiments, a->word, a->count);
    if (code == TRMI_EXIT_DONE)
        code = reproduce(a, &files, &console);
    trmi_catalogue_release(&files);
    return code;
}

const trmi_command trmi_cmd_reproduce = {
    "reproduce",
    "[NAME...]",
    0,
    TRMI_MAX_ARGUMENTS,
    "run the experiments of papers and print their numbers beside ours",
    "NAME is a file, the name of an experiment, or a part of it (table-5-2); without one all are\n"
    "run. Experiments are searched in ./experiments, in the folder TRM_EXPERIMENTS, and where\n"
    "they were installed. Links of the Markdown document expect it beside the FOLDER of --out.\n"
    "The last table lists tables and figures of the papers: how many of their printed numbers are\n"
    "compared, how many agree, and why not the others; all of them when all experiments are "
    "run.\n\n"
    "Exit codes: 0 all that should be reproduced is, 1 something differs, a claim is not\n"
    "confirmed or a run is impossible, 2 usage, 3 an experiment or model is invalid, 5 output\n"
    "could not be written, 130 interrupted.",
    flags,
    run,
};
