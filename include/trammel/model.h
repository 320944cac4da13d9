// SPDX-License-Identifier: Apache-2.0
/// Models from text files: read strictly, then used any number of times.
#ifndef TRAMMEL_MODEL_H
#define TRAMMEL_MODEL_H

#include "trammel/equilibrium.h"
#include "trammel/problem.h"
#include "trammel/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A model as read from a file. Never changes; any number of instances may use it at once.
typedef struct trm_model trm_model;

/// A model with its own workspace and parameter values: one simulation at a time.
typedef struct trm_instance trm_instance;

/// One message of the reader. Texts are borrowed for the call.
typedef struct trm_diagnostic {
    int error;          ///< 1 error, 0 warning
    const char *file;   ///< name of the file, or "--set path=value"
    int line, column;   ///< 1-based; 0 when there is no position
    const char *text;   ///< one sentence
    const char *source; ///< its line, without the end; NULL when there is none
    int length;         ///< how many characters from column on are meant, at least 1
} trm_diagnostic;

typedef void trm_diagnostic_function(const trm_diagnostic *diagnostic, void *user);

/// Writes "file:line:column: error: text", the source line and a caret, like snprintf.
TRM_API int trm_diagnostic_format(const trm_diagnostic *diagnostic, char *buffer, size_t size);

/// Whether the shared library at that path may be loaded: nonzero yes. A model with a library is
/// code: it can do whatever the program can.
typedef int trm_library_function(const char *path, void *user);

/// How a model is read.
typedef struct trm_load {
    const char *const *set;          ///< "path=value" overrides, ended by NULL; may be NULL
    trm_diagnostic_function *report; ///< receives every error and warning; may be NULL
    void *user;                      ///< passed to report, problem and library
    /// creates the problems that files use as `problem: {name: NAME}`; NULL: there are none
    trm_problem_named_function *problem;
    /// asked before a shared library that the file names is loaded, which runs its code; NULL: no
    /// library is loaded
    trm_library_function *library;
    /// names of parameters that trm_model_vary will change, ended by NULL; may be NULL. With it the
    /// model keeps the file as it was read, and problem and user must stay valid as long as it.
    const char *const *vary;
    /// not 0: the model is to have sensitivities. Steps end at conditions of velocities, sign(v),
    /// too; formulas of the equations that jump with forces, reactions, algebraic variables or
    /// multipliers are errors
    int sensitive;
} trm_load;

/// Reads a model file. TRM_ERR_MODEL when it is invalid, TRM_ERR_INITIAL when it is a mechanism
/// that cannot be assembled: every message goes to report, the first one into error. load and error
/// may be NULL. On failure *out is NULL.
TRM_API trm_status trm_model_load(trm_model **out, const char *path, const trm_load *load,
                                  trm_error *error);

/// The same from a text in memory; name is that of the file in messages, NULL: "model".
TRM_API trm_status trm_model_read(trm_model **out, const char *text, size_t length,
                                  const char *name, const trm_load *load, trm_error *error);

/// The same model with other values of the parameters that trm_load.vary named, in their order. All
/// that is computed from them follows: other parameters, masses, lengths, start values. Bit for bit
/// the model that the file with these values gives, at a fraction of the cost: it is not parsed and
/// checked again. The new model is independent of the old one, which any number of threads may
/// vary at once; it cannot be varied itself. Fails as trm_model_load, with TRM_ERR_RANGE when a
/// value is not finite or nothing was named; on failure *out is NULL.
TRM_API trm_status trm_model_vary(trm_model **out, const trm_model *model, const double *values,
                                  trm_error *error);

/// The parameters that trm_load.vary named, by number, and (if value is not NULL) their values in
/// the file; NULL: there is none of that number.
TRM_API const char *trm_model_varied(const trm_model *model, int index, double *value);

TRM_API void trm_model_destroy(trm_model *model);

/// `name` of the file, or the file's name without folder and suffix. Never NULL.
TRM_API const char *trm_model_name(const trm_model *model);
/// The text as it was read.
TRM_API const char *trm_model_text(const trm_model *model, size_t *length);
/// The options of `simulate` and `initial.consistent`.
TRM_API const trm_options *trm_model_options(const trm_model *model);

/// Where the run begins and ends and what it writes.
typedef struct trm_schedule {
    double start, end;
    double output_interval;     ///< spacing of results, 0: every step
    const double *output_times; ///< for the samples of the summary, ascending
    int output_count;
    double
        accuracy; ///< error of positions and states over what they move that is asked for; 0: none
    int verify; ///< 1: with a companion (trammel/verify.h), 0: without, -1: as the program prefers
} trm_schedule;

TRM_API const trm_schedule *trm_model_schedule(const trm_model *model);
/// The section `equilibrium`, for trm_equilibrium_create_trimmed: what is held, and whether it
/// moves. Parameters that the section sets or finds are not applied. Borrowed from the model.
TRM_API const trm_trim *trm_model_trim(const trm_model *model);

/// Names of what a model has, with units where the file gives them ("" otherwise).
typedef enum trm_channel_kind {
    TRM_CHANNEL_POSITION,
    TRM_CHANNEL_VELOCITY,
    TRM_CHANNEL_ACCELERATION, ///< named like the position it belongs to
    TRM_CHANNEL_STATE,
    TRM_CHANNEL_ALGEBRAIC,
    TRM_CHANNEL_MULTIPLIER, ///< holonomic rows, then velocity constraints
    TRM_CHANNEL_OUTPUT,
    TRM_CHANNEL_BODY, ///< poses of the bodies of a mechanism: x y z and unit quaternion e0 .. e3 of
                      ///< the turn since the reference configuration, in the plane x y angle
    TRM_CHANNEL_REACTION, ///< of its joints on their second bodies, at the joint: force fx fy fz
                          ///< and moment mx my mz, global axes; in the plane two of them and one
    TRM_CHANNEL_FORCE, ///< what its forces, stops, frictions and prescribed motions do: NAME_force,
                       ///< NAME_effort, NAME_length, NAME_fx .. NAME_mz, NAME_power, NAME_contact
    TRM_CHANNEL_KINDS
} trm_channel_kind;

TRM_API int trm_model_count(const trm_model *model, trm_channel_kind kind);
/// The name lives as long as the model. NULL past the end; "" when there is no memory for the names
/// of a mechanism, which are made when the first one is asked for.
TRM_API const char *trm_model_channel(const trm_model *model, trm_channel_kind kind, int index);
TRM_API const char *trm_model_unit(const trm_model *model, trm_channel_kind kind, int index);

/// Creates an instance; on failure *out is NULL.
TRM_API trm_status trm_instance_create(trm_instance **out, const trm_model *model,
                                       trm_error *error);
TRM_API void trm_instance_destroy(trm_instance *instance);
TRM_API const trm_system *trm_instance_system(const trm_instance *instance);
TRM_API const trm_initial *trm_instance_initial(const trm_instance *instance);

/// Values of the outputs at a state (accelerations included).
TRM_API int trm_instance_outputs(trm_instance *instance, const trm_state *state, double *values);

/// What an event does when its function crosses zero.
typedef enum trm_event_action {
    TRM_EVENT_LOG,     ///< noted, nothing changes
    TRM_EVENT_RESTART, ///< the integration starts again from a consistent state
    TRM_EVENT_STOP     ///< the run ends
} trm_event_action;

/// The events of a model, ready for trm_simulation_watch; NULL when there are none.
TRM_API const trm_events *trm_instance_events(const trm_instance *instance);
TRM_API trm_event_action trm_model_event_action(const trm_model *model, int event);
/// The text of `log`, or "".
TRM_API const char *trm_model_event_text(const trm_model *model, int event);

/// Carries out what an event sets (velocities, states, parameters) and restarts the simulation if
/// something was set or the event asks for it. Events of kind log do nothing here.
TRM_API trm_status trm_instance_event(trm_instance *instance, trm_simulation *simulation,
                                      int event);

/// The inputs of a model whose values come from outside (`hold` in the model file), by number;
/// NULL: there is none of that number.
TRM_API int trm_model_inputs(const trm_model *model);
TRM_API const char *trm_model_input(const trm_model *model, int index);

/// Gives such an input a new value. With `hold: zero` it has this value from the present time on
/// (that of the simulation, or of the start where that is NULL), and t is not used; with `hold:
/// linear` it goes straight from its present value to this one until time t, and stays there. The
/// simulation starts again from its present state. TRM_ERR_RANGE: there is no such input, the value
/// is not finite, or t does not come after the present time.
TRM_API trm_status trm_instance_set_input(trm_instance *instance, trm_simulation *simulation,
                                          int index, double value, double t);

/// The present values of the parameters that events and inputs from outside may set, to be kept in
/// checkpoints.
TRM_API int trm_instance_parameters(const trm_instance *instance, const double **values);
TRM_API void trm_instance_set_parameters(trm_instance *instance, const double *values);

#ifdef __cplusplus
}
#endif
#endif
