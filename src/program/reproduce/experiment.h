// SPDX-License-Identifier: Apache-2.0
// Experiments: what a paper reports, and the runs that should give it. A file experiments/*.yaml:
//
//     trammel-experiment: 1
//     title: Point mass with a stiff spring, Table 5.2
//     source: "Yen and Petzold, TR 96-028 (1996), Table 5.2"
//     paper: papers/yen-petzold-1996.yaml                     # what it prints (paper.h)
//     table: Table 5.2                                        # of rows that have none themselves
//     unknown: the end time                                   # data that the paper does not print:
//                                                             # no claim fails then, see below
//     about: what was resolved and how to read the result     # free text, may be missing
//     model: models/spring-pendulum.yaml                      # seen from this file
//     columns:                                                # heading: what is measured
//       steps: steps                                          # a key of the summary of a run
//       x error: {error: q.x}                                 # largest distance of the samples
//                                                             # from those of the reference run
//       dx: {error: q.x, exact: 1}                            # from a known number
//       worst: {error: [q.x, q.y], exact: [1, 0]}             # the largest of several
//       scd: {digits: [q.x, q.z], exact: [1, 3]}              # correct digits: -log10 of the
//                                                             # largest relative error
//       x/TOL: {error: q.x, exact: 1, per: simulate.tolerance} # over a setting of the run
//       steps/TOL: {value: steps, per: simulate.tolerance}
//       tried: {value: [steps, rejected_error]}               # the sum of several
//       ERR: {error: v.y, exact: 0, per: 30}                  # or over a number
//       limit: {setting: simulate.newton.max_iterations}      # a setting of the run
//       percent: {share: seconds}                             # of a column above, in percent of
//       the
//                                                             # row that is named as base
//       N: {largest: parts}                                   # of rows with 'largest', below
//       nonzeros: {matrix: entries}                           # of the Newton matrix by structure,
//                                                             # as trammel check --pattern counts:
//                                                             # columns, entries, groups or
//                                                             # dependent (entries on which
//                                                             # constraints depend)
//     settings: {simulate.max_order: 2}                       # of all runs, as --set
//     reference: {simulate.tolerance: 1e-10}                  # what the reference run changes
//     ensemble:                                               # every row: all combinations
//       factors: {simulate.tolerance: [0.98, 1, 1.02]}        # on the value of the row
//       alternatives: {initial.consistent: [project, raw]}
//     mean: geometric                                         # of the runs of a row; else median
//     slack: 0.05                                             # of rows that have none themselves
//     reason: why the paper's numbers cannot be reproduced    # the same
//     rows:
//       - name: "TOL 1e-3, GGL"
//         set: {simulate.tolerance: 1e-3, simulate.formulation: ggl}
//         printed: "TOL 1e-3, GGL"      # row of the paper's table; columns by their names
//         shown: [fevals]               # printed there, but not judged
//       - name: "TOL 1e-3, CS"
//         like: "TOL 1e-3, GGL"         # or: what a row above gave
//       - name: "TOL 1e-3, CM"
//         theory: [null, [0, 2]]        # or: what theory or another study predicts, a number, a
//                                       # range, or null per column; {shown: 1} is not judged
//         judge: false                  # shown without a verdict; may also stand at the top
//       - name: "GGL / CS"
//         ratio: ["TOL 1e-3, GGL", "TOL 1e-3, CS"] # no runs: quotients of two rows above, run by
//                                                  # run of the ensemble
//       - name: "limit 4"
//         largest: {set: simulate.step.fixed, whole: T, parts: [400, 200]} # runs with T/400, T/200
//                                       # until one fails: the last that did not is measured
//         base: "TOL 1e-3, GGL"         # row above that is 100 % of columns with 'share'
//     claims:                           # sentences of the paper and what they are worth
//       - claim: "..."
//         verdict: holds                # holds, fails, holds in part, cannot be decided
//         known: true                   # all that it needs is printed, in spite of 'unknown'
//         reason: "..."
//         evidence:                     # must be true of our medians (means) for the verdict to
//         stand
//           - {column: steps, row: "TOL 1e-3, CS", below: "TOL 1e-3, GGL", factor: 0.8}
//           - {column: x error, row: "TOL 1e-3, CS", above: 1e-2}
//     figures:
//       - name: figure-5-3
//         of: [Figure 5.3]              # of the paper
//         title: Total energy
//         runs: [{name: GGL, set: {...}}]
//         panels: [{channels: [energy/total], y: "energy [J]", log_x: false, log_y: false}]
//                                       # x: position/x is on the axis instead of the time
//       - {name: figure-3, title: Newton matrix, matrix: true} # in place of runs and panels
#ifndef TRMI_PROGRAM_REPRODUCE_EXPERIMENT_H
#define TRMI_PROGRAM_REPRODUCE_EXPERIMENT_H

#include "program/reproduce/paper.h"

enum {
    TRMI_EXPERIMENT_COLUMNS = 12,
    TRMI_EXPERIMENT_SETTINGS = 40, // of one kind
    TRMI_EXPERIMENT_VARIATIONS = 6,
    TRMI_EXPERIMENT_RUNS = 1000 // of one row
};

// A key of the model file and its value.
typedef struct trmi_setting {
    const char *path;
    const char *assignment; // "path=value"
    const trmi_item *item;  // the value in the file
} trmi_setting;

typedef struct trmi_settings {
    trmi_setting *setting;
    int count;
} trmi_settings;

typedef enum trmi_table_column_kind {
    TRMI_COLUMN_VALUE,   // a number of the summary
    TRMI_COLUMN_ERROR,   // distance of the samples from the truth
    TRMI_COLUMN_DIGITS,  // correct digits of the samples
    TRMI_COLUMN_SETTING, // a setting of the run
    TRMI_COLUMN_SHARE,   // of another column, in percent of another row
    TRMI_COLUMN_LARGEST, // parts of the largest setting that worked
    TRMI_COLUMN_MATRIX,  // a number of the Newton matrix
    TRMI_COLUMN_KINDS
} trmi_table_column_kind;

typedef struct trmi_table_column {
    const char *heading;
    trmi_table_column_kind kind;
    const char **key; // of the summary, or of a sample ("q.x")
    int keys;
    const double *exact;   // the truth, one for each key; NULL: the reference run has it
    const char *per;       // setting by which the number is divided; NULL: none
    double divisor;        // or a number
    int share;             // SHARE: the other column
    const trmi_item *item; // for messages
} trmi_table_column;

// One setting with several values.
typedef struct trmi_variation {
    const char *path;
    int count;
    const double *factor;     // on the value of the row; NULL: alternatives
    const char **alternative; // "path=value"
} trmi_variation;

// What is expected in a cell: low = high for a number, NaN when nothing is expected.
typedef struct trmi_expected {
    double low, high;
    bool shown; // only shown, not judged
} trmi_expected;

// A setting that is tried with whole/parts[0], whole/parts[1], ... until a run fails.
typedef struct trmi_largest {
    const char *path;
    const char **assignment; // "path=whole/parts"
    const double *parts;
    int count; // 0: nothing is tried
} trmi_largest;

typedef struct trmi_experiment_row {
    const char *name;
    trmi_settings set;
    trmi_largest largest;
    const trmi_expected *expected;   // one per column; NULL: none
    const trmi_printed_table *table; // of the paper, if the expected numbers stand there; or NULL
    int printed;                     // its row
    int base;                        // row above that is 100 % of shares, -1: this one
    int like;                        // row above with the expected values, -1: none
    int ratio[2];                    // rows above whose quotient this one is, -1: it has runs
    double slack;                    // relative widening of our range
    bool judged;                     // whether there is a verdict
    const char *reason;              // why it cannot be reproduced; NULL: it can
} trmi_experiment_row;

// middle of a cell < (or >) factor times that of another row, or a number
typedef struct trmi_evidence {
    int column, row;
    bool below;
    int other; // row, -1: the number
    double number, factor;
} trmi_evidence;

typedef struct trmi_claim {
    const char *claim, *verdict, *reason;
    bool known; // the paper prints all that it needs
    trmi_evidence *evidence;
    int evidences;
} trmi_claim;

typedef struct trmi_drawn_run {
    const char *name;
    trmi_settings set;
} trmi_drawn_run;

typedef struct trmi_drawn_panel {
    const char *y; // label, NULL: from the channel
    const char *x; // channel on the axis, NULL: the time
    bool log_x, log_y;
    const char **channel;
    int channels;
} trmi_drawn_panel;

typedef struct trmi_drawing {
    const char *name, *title;
    const char **of; // figures of the paper that it is
    int ofs;
    bool matrix; // the Newton matrix; else runs and panels
    trmi_drawn_run *run;
    int runs;
    trmi_drawn_panel *panel;
    int panels;
} trmi_drawing;

typedef struct trmi_experiment {
    trmi_memory memory; // owns the experiment itself too
    trmi_document *document;
    const char *name; // of the file, without folder and suffix
    const char *title, *source, *about;
    const char *model;   // path, seen from the present folder
    trmi_paper *paper;   // what it prints; NULL: no paper is named
    const char *unknown; // data that the paper does not print; NULL: none
    trmi_settings settings, reference;
    bool has_reference;
    trmi_table_column column[TRMI_EXPERIMENT_COLUMNS];
    int columns;
    trmi_variation variation[TRMI_EXPERIMENT_VARIATIONS];
    int variations;
    int runs_per_row;
    bool geometric; // mean of the runs; else their median
    trmi_experiment_row *row;
    int rows;
    trmi_claim *claim;
    int claims;
    trmi_drawing *drawing;
    int drawings;
} trmi_experiment;

// Reads the file `path`, or a text in its place. NULL when something is wrong, which is reported,
// or when there is no memory, which is not.
trmi_experiment *trmi_experiment_read(const char *path, const char *text, size_t length,
                                      trm_diagnostic_function *report, void *user);
void trmi_experiment_destroy(trmi_experiment *experiment); // NULL is allowed

// The value of a path for a row: its own setting, or that of all runs; NULL when neither has it.
const trmi_setting *trmi_experiment_setting(const trmi_experiment *experiment,
                                            const trmi_experiment_row *row, const char *path);

// The row of that name, -1 when there is none.
int trmi_experiment_find_row(const trmi_experiment *experiment, const char *name);
// The column of that heading, likewise.
int trmi_experiment_find_column(const trmi_experiment *experiment, const char *heading);

// These read one part of the file each. Errors are reported; false: no memory.
bool trmi_experiment_read_settings(trmi_experiment *experiment, const trmi_item *map,
                                   trmi_settings *out);
bool trmi_experiment_read_columns(trmi_experiment *experiment, const trmi_item *root);
bool trmi_experiment_read_rows(trmi_experiment *experiment, const trmi_item *root);
bool trmi_experiment_read_ensemble(trmi_experiment *experiment, const trmi_item *root);
bool trmi_experiment_read_claims(trmi_experiment *experiment, const trmi_item *root);
bool trmi_experiment_read_drawings(trmi_experiment *experiment, const trmi_item *root);

#endif
