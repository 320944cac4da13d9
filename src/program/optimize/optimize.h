// SPDX-License-Identifier: Apache-2.0
// An optimisation: parameters of a model within bounds, so that the motion fits measured data
// (least squares) or an output is as small as possible. Runs have sensitivities, which give
// gradients.
#ifndef TRMI_PROGRAM_OPTIMIZE_OPTIMIZE_H
#define TRMI_PROGRAM_OPTIMIZE_OPTIMIZE_H

#include "base/stop.h"
#include "modelling/reader/keys/keys.h"
#include "modelling/reader/yaml/document.h"
#include "program/run/resolve.h"

// The keys of optimisation files (optimize_keys.c).
extern const trmi_key_table trmi_optimize_keys;

typedef enum trmi_goal {
    TRMI_GOAL_FIT,     // sum of ((model - data) / deviation)^2
    TRMI_GOAL_END,     // a channel at the end
    TRMI_GOAL_INTEGRAL // a channel integrated over the run
} trmi_goal;

typedef enum trmi_search_method {
    TRMI_SEARCH_AUTO, // Levenberg-Marquardt for data, else SLSQP
    TRMI_SEARCH_LEVENBERG_MARQUARDT,
    TRMI_SEARCH_SLSQP,
    TRMI_SEARCH_LBFGS,
    TRMI_SEARCH_MMA,
    TRMI_SEARCH_METHODS
} trmi_search_method;
extern const char *const trmi_search_names[TRMI_SEARCH_METHODS];

typedef struct trmi_sought {
    const char *name; // of a parameter of the model
    double start;     // NaN: that of the model
    double min, max;
    const trmi_item *item;
} trmi_sought;

// A channel of the model; of a fit with its data.
typedef struct trmi_target {
    const char *channel;
    const trmi_item *item;
    int index;          // among the values of a row of the model
    const double *data; // `rows` of them
    double deviation;   // of the data; NaN: not known
} trmi_target;

typedef struct trmi_optimization {
    trmi_memory memory;
    trmi_document *document;
    const char *path, *name;
    const char *model;      // path of its file
    const char *const *set; // overrides of `settings`, ended by NULL
    int parameters;
    trmi_sought *parameter;
    trmi_goal goal;
    const trmi_item *where; // of the goal, for messages
    int targets;
    trmi_target *target;
    int rows; // times at which targets are evaluated; of an integral its end
    const double *time;
    trmi_search_method method;
    int max_runs;
    double tolerance;
} trmi_optimization;

// Reads a file. Messages go to report; NULL after errors.
trmi_optimization *trmi_optimization_read(const char *path, trm_diagnostic_function *report,
                                          void *user);
void trmi_optimization_destroy(trmi_optimization *o);
// Targets that have the names of measures become outputs of the model: adds to the overrides where
// that is needed. Of the model without them. False: no memory.
bool trmi_optimization_name_measures(trmi_optimization *o, const trm_model *model);
// Finds the channels of the model and the times; reported otherwise. False after errors.
bool trmi_optimization_bind(trmi_optimization *o, const trm_model *model);

// evaluate.c: one run -----------------------------------------------------------------------------

// Values of the targets, target by target of each row, and their derivatives, those by the first
// parameter first.
typedef struct trmi_run_values {
    double *value, *derivative;
} trmi_run_values;

// Where the runs of a search go.
typedef struct trmi_search_state {
    const trmi_optimization *o;
    const trm_model *model; // loaded to vary the parameters
    const trmi_stop *stop;  // != 0: end
    void (*progress)(const struct trmi_search_state *state, double goal, void *user);
    void *user;
    const char *const *set; // of the command line, before those of o; ended by NULL
    trmi_memory memory;
    int runs;             // so far
    double *history;      // goals of the runs, max_runs of them; NaN: it failed
    trm_error error;      // of the first run, or that there is no memory
    trmi_run_values last; // of the last run
    trmi_run_values best; // of the best one
    double *p;            // its parameters
    double goal;          // and goal; HUGE_VAL: none yet
    double goal_start;    // of the first run
    bool *influences;     // whether each parameter had an influence on the goal in a run
    char
        note[sizeof((trmi_resolver *)0)->note]; // of the best run: an integral that is not resolved
    const char *ended;                          // why the search ended
    double *covariance; // fit: of the parameters, 0 where one is at a bound; NULL: not known
    double deviation;   // fit: estimated from the residuals, in units of the deviations
    const char *without_errors; // fit: why there is no covariance; NULL: there is
    int undetermineds;          // fit: combinations of parameters that the data do not determine,
    double *undetermined;       // each as changes of all parameters, in shares of them
    double gradient_left;       // the largest of the projected gradient, in units of the goal
} trmi_search_state;

bool trmi_search_create(trmi_search_state *s, const trmi_optimization *o, const trm_model *model);
void trmi_search_release(trmi_search_state *s);
// A run with parameters p, within the bounds: into s->last. The goal; HUGE_VAL where it failed.
double trmi_search_evaluate(trmi_search_state *s, const double *p);
// Whether the search must end: all runs are done, or it is interrupted.
bool trmi_search_over(trmi_search_state *s);

// goal.c ------------------------------------------------------------------------------------------

double trmi_search_goal(const trmi_optimization *o, const trmi_run_values *v);
// Gradient of the goal of the last run.
void trmi_search_gradient(const trmi_search_state *s, double *gradient);
// Notes which parameters changed values of the last run, at p, by more than roundoff. A search
// whose first run no parameter changes is ended.
void trmi_search_note_influence(trmi_search_state *s, const double *p);

// squares.c, minimum.c: the searches --------------------------------------------------------

// From p on. False after a failure of the first run, with s->error.
bool trmi_search_squares(trmi_search_state *s, double *p);
bool trmi_search_minimum(trmi_search_state *s, double *p);
// identify.c: the combinations that data do not determine, into s, from J^T J over all parameters,
// of which m with these numbers are free. At s->p.
void trmi_search_identify(trmi_search_state *s, const double *A, const int *number, int m);
// Whether the second one is there: it needs NLopt.
bool trmi_search_has_minimum(void);

// optimize_report.c -------------------------------------------------------------------------------

// Prints what was found in a few lines.
void trmi_optimize_print(const trmi_search_state *s, const char *name);
// The same as JSON; the caller frees it. NULL: no memory.
char *trmi_optimize_json(const trmi_search_state *s, const char *name);
// The same as a page with plots: 0, or errno.
int trmi_optimize_page(const trmi_search_state *s, const char *name, const char *path);

#endif
