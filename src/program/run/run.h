// SPDX-License-Identifier: Apache-2.0
// A run: a model simulated into result files, samples and a summary. Output never touches the
// integration: the grid is filled from dense output, and a run that is stopped and resumed, or
// extended to a later end, gives the same bits as one that went through.
#ifndef TRMI_PROGRAM_RUN_RUN_H
#define TRMI_PROGRAM_RUN_RUN_H

#include "base/stop.h"
#include "program/files/disk.h"
#include "program/files/format.h"
#include "program/files/json.h"
#include "program/files/text.h"
#include "program/run/checkpoint.h"
#include "program/run/companion.h"
#include "solver/integrator/watch/balance.h"
#include "trammel/model.h"
#include "trammel/sensitivity.h"

struct trmi_run;

// Observes a run while it goes on. Each function may be NULL.
typedef struct trmi_run_observer {
    // After a step, before events at its end change anything; false ends the run, whose error it
    // has noted.
    bool (*step)(struct trmi_run *run, double from, double to, void *user);
    void (*event)(const struct trmi_run *run, int event, double t, void *user);
    void *user;
} trmi_run_observer;

// What a run is to do. Everything is borrowed for the life of the run.
typedef struct trmi_run_request {
    const trm_model *model;
    const trm_options *options; // NULL: those of the model
    bool write[TRMI_FORMATS];   // which formats are written
    // Where their files go. With resume also of formats that are not written: messages name them.
    const char *path[TRMI_FORMATS];
    // Written at the end and once a minute. NULL: none, and the files are left to the system, which
    // writes them to the disk when it likes.
    const char *checkpoint;
    const char *resume;                // checkpoint to go on from; NULL: from the start
    trm_neighbours *neighbours;        // of the model, for sensitivities; NULL: none
    bool energy;                       // the energy balance of a mechanism
    trmi_verify_mode verify;           // whether a companion runs beside it
    const char *command_line;          // for the result file; may be NULL
    const trmi_stop *stop;             // != 0: end after the present step or row; may be NULL
    trm_progress_function *progress;   // after every step; may be NULL
    trm_log_function *log;             // may be NULL
    trm_row_log_function *log_row;     // likewise
    trm_log_level log_level;           // the most detailed messages to log
    void *user, *log_user;             // for the two
    const trmi_run_observer *observer; // may be NULL
} trmi_run_request;

// Which part of a run an error belongs to; decides the exit code.
typedef enum trmi_run_stage {
    TRMI_STAGE_MODEL,
    TRMI_STAGE_INITIAL,
    TRMI_STAGE_SIMULATION,
    TRMI_STAGE_RESULTS
} trmi_run_stage;

typedef enum trmi_run_outcome {
    TRMI_RUN_DONE,
    TRMI_RUN_FAILED,
    TRMI_RUN_INTERRUPTED
} trmi_run_outcome;

// A state that is kept: [q | v | a | x | z | lambda | outputs].
typedef struct trmi_sample {
    double t;
    double *value;
} trmi_sample;

typedef struct trmi_run {
    trmi_memory memory;
    trmi_run_request request;
    trm_instance *instance;
    trm_simulation *simulation; // NULL when there was no consistent start
    trmi_run_outcome outcome;
    trmi_run_stage stage; // of the error
    trm_error error;      // why it failed, or why the result cannot be trusted
    bool trusted;         // came to its end, and nothing speaks against it
    bool trusted_alone;   // the same without the companion
    bool verified;        // all of its rows were compared with the companion
    char stopped_by[64];  // event that ended the run, "" otherwise
    trmi_writer *writer[TRMI_FORMATS];
    trmi_channel *channel; // until the files are open
    int channels;          // without errors
    int selection;         // how many of them are written,
    int *selected;         // which,
    double *written;       // and their values in a row
    int *error_of;         // which channels have errors in the files,
    int errors;            // and how many; 0: there is no companion
    double *time;          // of the rows in the files, where there are errors
    int64_t times, time_capacity;
    double *row;
    bool *warned; // for each output: that it has no value was reported
    int64_t grid; // index of the next point of the output grid
    double row_t; // time of the last row, when every step is written
    int sampled;  // output times done
    trmi_sample *sample, final;
    int parameters;                 // of sensitivities
    const trm_parameter *parameter; // their names
    double *final_sensitivity;      // of all values, parameter by parameter, at the end
    int sample_size;                // doubles
    trm_statistics last;            // at the last step written
    double energy_start, energy_end;
    trmi_balance balance;
    trmi_companion *companion;  // NULL: none
    trm_verify_report accuracy; // the judgement of the comparison
    long events;
    double wall_seconds;
    double cpu_seconds;    // of this part of the run
    long rows;             // written in this part of the run,
    double output_seconds; // and what of wall_seconds that took
    double flushed, saved; // clock at the last flush and checkpoint
    double flush_after;    // seconds between flushes, short at first
    double saved_t;        // time of the checkpoint on the disk, NaN: there is none
    bool newer_unusable;   // it is the previous one: the one after it cannot be used
    // The run as one block of bytes, as it was before its end had any influence on the steps: from
    // there a longer run goes on. Or before a step with many rows, which may be interrupted.
    unsigned char *free_point;
    size_t free_size;
    double free_t;         // its time
    trmi_file_claim claim; // on the checkpoint, while the run writes one
} trmi_run;

// Creates instance, simulation and files. The outcome is in the run, also when this fails: it must
// be destroyed in any case. NULL only when there is no memory at all.
trmi_run *trmi_run_create(const trmi_run_request *request);

// The options of a run, without callbacks.
const trm_options *trmi_run_options(const trmi_run *run);

// Runs to the end of the model's schedule and closes the files.
void trmi_run_go(trmi_run *run);

void trmi_run_destroy(trmi_run *run);

// Exit code of the command: 0 done, 1 failed, 3 model, 4 initial state, 5 results, 6 done but not
// trusted, 130 interrupted.
int trmi_run_exit_code(const trmi_run *run);

// Notes the first error of a run with its stage, and returns false.
bool trmi_run_fail(trmi_run *run, trmi_run_stage stage, const trm_error *error);

// "done", "failed", "interrupted"
const char *trmi_run_outcome_text(const trmi_run *run);

// record.c: what a run writes ------------------------------------------------------------

// Names the channels of the result files. False: no memory.
bool trmi_record_channels(trmi_run *run);
// Writes the state at t, which lies in the last step, as a row.
bool trmi_record_row(trmi_run *run, double t);
// Writes the step just done.
bool trmi_record_step(trmi_run *run);
// Writes rows and samples up to t, or to the first row that contradicts the step (contradicted
// NULL: none does).
bool trmi_record_until(trmi_run *run, double t, bool *contradicted);
// The next row is the first of the grid after t. Earlier rows were written before, perhaps on
// another grid: a spacing that follows from the end changes when the end is moved.
void trmi_record_skip(trmi_run *run, double t);
// Whether the output grid has a point at t; without a grid every time is one.
bool trmi_record_on_grid(const trmi_run *run, double t);
// Whether there are result files.
bool trmi_run_has_files(const trmi_run *run);
// Keeps the state at t.
bool trmi_record_sample(trmi_run *run, double t, trmi_sample *sample);
// Keeps the state at the end.
void trmi_record_end(trmi_run *run);
// Writes an event that fired at the present time.
bool trmi_record_event(trmi_run *run, int event);
// Flushes the files when that is due by the clock.
bool trmi_record_flush(trmi_run *run);
// What was written so far survives a power failure from now on.
bool trmi_record_synchronise(trmi_run *run);

// repeat.c: a step and its rows -------------------------------------------------------------

// A step to *t, at most to end, and the rows and samples in it; the step is repeated where a row
// contradicts it. False after a failure.
bool trmi_step_with_rows(trmi_run *run, double end, double *t, trm_status *status);

// sensitivities.c: the sensitivities of the rows --------------------------------------------

// Memory for those at the end. False: no memory.
bool trmi_sensitivities_begin(trmi_run *run);
// Adds a channel for each parameter and channel of the model. False: no memory.
bool trmi_sensitivities_channels(trmi_run *run);
// The sensitivities of all values at the state that was sampled at t, parameter by parameter.
bool trmi_sensitivities_row(trmi_run *run, const trm_state *state, double *out);
// The object `sensitivity` of the summary.
void trmi_sensitivities_json(const trmi_run *run, trmi_json *json);

// errors.c: the errors of the rows ---------------------------------------------------------

// Adds the channels of errors, of all that are compared. False: no memory.
bool trmi_errors_channels(trmi_run *run);
// Notes the time of a row. False: no memory.
bool trmi_errors_row(trmi_run *run, double t);
// Writes the errors of all rows, at the end.
bool trmi_errors_write(trmi_run *run);

// accuracy.c: how right a run is ----------------------------------------------------------

// Starts the companion, if there is to be one.
void trmi_accuracy_begin(trmi_run *run);
// earlier.c: gives it the rows that earlier parts of a resumed run have written, before the files
// are opened.
void trmi_accuracy_replay(trmi_run *run, const trmi_resume files[TRMI_FORMATS]);
// Waits for the companion, at the end of the run, and judges whether a run that is done can be
// trusted.
void trmi_accuracy_end(trmi_run *run);
// "positions 5.2 digits, velocities 4.1 (companion: ...)", or why nothing is known.
void trmi_accuracy_text(const trmi_run *run, char *text, size_t size);
// Why the accuracy is not known, to the end or at all.
void trmi_accuracy_explain(const trmi_run *run, char *text, size_t size);
// The object `accuracy` of the summary.
void trmi_accuracy_json(const trmi_run *run, trmi_json *json);

// balance.c: the energy balance, where it is requested -----------------------------------

// Starts the balance at the present time.
bool trmi_run_balance_begin(trmi_run *run);
// Continues it over the step just done.
bool trmi_run_balance_step(trmi_run *run);
// Notes the change that an event has made.
bool trmi_run_balance_jump(trmi_run *run);

// resume.c: the state of a run in a checkpoint -------------------------------------------

// Writes the checkpoint file.
bool trmi_resume_save(trmi_run *run);
// Restores the run from the checkpoint, or from the previous one where that is damaged or files
// lack rows. files: numbers of rows, steps and events of each format, which all files have.
bool trmi_resume_load(trmi_run *run, trmi_resume files[TRMI_FORMATS]);
// Keeps the present state of the run as the point from which a longer run goes on.
bool trmi_resume_mark(trmi_run *run);
// Forgets that point.
void trmi_resume_unmark(trmi_run *run);
// resume_model.c: the keys of a model that decide the trajectory, each with its hash: lines
// "0123456789abcdef simulate.step"
void trmi_resume_keys(const trm_model *model, trmi_text *text);
// ... and whether the checkpoint is of the model of the run; the message names what has changed.
bool trmi_resume_check_model(const trmi_run *run, const trmi_checkpoint *checkpoint,
                             trm_error *error);
// resume_files.c: whether the files can be continued without losing rows. Changes none.
bool trmi_resume_check_files(trmi_run *run, const trmi_resume files[TRMI_FORMATS]);

// summary.c: JSON objects, owned by the caller (free) ------------------------------------

// The summary of a run.
char *trmi_summary_json(const trmi_run *run);
// The resolved options of a run.
char *trmi_options_json(const trmi_run *run);

#endif
