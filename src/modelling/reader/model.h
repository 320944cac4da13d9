// SPDX-License-Identifier: Apache-2.0
// A model from inside: the contents of a file, ready for use and never changed.
#ifndef TRMI_MODELLING_READER_MODEL_H
#define TRMI_MODELLING_READER_MODEL_H

#include "base/memory.h"
#include "modelling/expression/breaks.h"
#include "trammel/model.h"
#include "trammel/problem.h"

#include <stdint.h>

// First input of each kind in the formulas of a model; `count` inputs in all. u: all excitations,
// then all u', then all u''. z' and mu serve the elimination of algebraic variables from
// constraints; signals and effects are those of a mechanism; parameters are those that events set.
// An input from outside: its parameters are from, slope, since, until (outside.c).
typedef struct trmi_outside {
    const char *name;
    bool linear;
    int parameter; // number of the first
} trmi_outside;

typedef struct trmi_layout {
    int t, q, v, a, x, z, lambda, u, z_rate, mu, signal, signal_rate, signal_second, effect,
        parameter, count;
} trmi_layout;

// Names of one kind of channel, and their units in turn: those of many bodies repeat.
typedef struct trmi_names {
    int count;
    const char *const *name; // NULL: of a mechanism, made when asked for (trmi_channel_names)
    const char *const *unit; // of name k: unit[k % units]
    int units;
} trmi_names;

typedef struct trmi_channel_names trmi_channel_names; // channel_names.c

// What an event does: target[k] is input number of what is set, its value the k-th output of the
// event's group.
typedef struct trmi_model_event {
    trm_event_action action;
    const char *text;
    int sets;
    const int *target;
} trmi_model_event;

// A key of the file, "simulate.tolerance", and the hash of its value.
typedef struct trmi_model_part {
    const char *path;
    uint64_t hash;
} trmi_model_part;

typedef struct trmi_line_column {
    int line, column; // 1-based
} trmi_line_column;

// Of a formula of a mechanism: its place in the file, and its first derivative among
// TRMI_TAPE_SLOPES.
typedef struct trmi_formula_place {
    trmi_line_column place;
    int slope;
} trmi_formula_place;

// Groups of outputs of the second tape.
enum { TRMI_GROUP_OUTPUTS = 0, TRMI_GROUP_EVENTS = 1, TRMI_GROUP_ENERGY = 2, TRMI_GROUP_SETS = 3 };
enum { TRMI_MAX_EVENTS = 64 - TRMI_GROUP_SETS }; // groups of a tape are bits of a word

typedef struct trmi_equations trmi_equations; // equations.h
typedef struct trmi_mechanism trmi_mechanism; // multibody/mechanism.h
typedef struct trmi_machine trmi_machine;     // multibody/machine.h
typedef struct trmi_machine_work trmi_machine_work;
typedef struct trmi_assembly trmi_assembly; // multibody/assembly.h

// A problem, and the shared object it comes from; NULL: the program offers it by name.
typedef struct trmi_problem {
    trm_user_problem opened;
    void *library;
} trmi_problem;

typedef struct trmi_force_library trmi_force_library; // library.h
typedef struct trmi_model_type trmi_model_type;       // model_type.h

// Receives the value of `owner_part`, or of `owner` where part is "", and its unit.
typedef void trmi_value_sink(void *to, const char *owner, const char *part, double value,
                             const char *unit);

// A parameter in the section `equilibrium`.
typedef struct trmi_trim_parameter {
    const char *name;
    double value; // during the search, or where the search for it begins
    int held;     // it is found, so that this one of the held coordinates needs no force; -1: given
} trmi_trim_parameter;

typedef struct trmi_trim {
    trm_trim trim;
    int parameters;
    const trmi_trim_parameter *parameter;
} trmi_trim;

// An entry of the section `draw`; its numbers are outputs, those of a point after another, then the
// radius.
typedef enum trmi_draw_kind {
    TRMI_DRAW_POINT,
    TRMI_DRAW_LINE,
    TRMI_DRAW_CIRCLE,
    TRMI_DRAW_KINDS
} trmi_draw_kind;

typedef struct trmi_model_drawing {
    const char *name;
    trmi_draw_kind kind;
    int first, points; // number of its first output, points
} trmi_model_drawing;

struct trmi_document; // yaml/document.h

// What a model keeps to be read again with other values of parameters (variation.c).
typedef struct trmi_kept_file {
    trmi_memory memory;             // of the document and the names
    struct trmi_document *document; // checked and written out; never changed. NULL: not kept
    int count;
    const char *const *name;
    double *value;      // in the file
    trm_load load;      // for libraries and problems by name
    uint64_t elsewhere; // bits of those of the first 64 that the system depends on not only by
                        // numbers of laws of forces (trmi_force.follows)
} trmi_kept_file;

// As many of them have bits.
enum { TRMI_MAX_FOLLOWED = 64 };

// A file that the model was read from, besides its own.
typedef struct trmi_model_source {
    const char *path;
    const struct trmi_model_source *next;
} trmi_model_source;

struct trm_model {
    trmi_memory memory; // owns the model itself too
    trmi_kept_file kept;
    const char *name, *path;
    const trmi_model_source *sources; // included files, tables, meshes, tyres, libraries
    const char *text;
    size_t text_length;
    uint64_t hash; // of all that decides the trajectory
    int parts;     // keys that have a hash of their own
    const trmi_model_part *part;
    trm_options options;
    trm_schedule schedule;
    trmi_names names[TRM_CHANNEL_KINDS];
    int drawings, draw_dimensions; // coordinates of a place: 2 or 3
    const trmi_model_drawing *drawing;
    int patterns; // of `outputs.channels`
    const char *const *pattern;
    trmi_channel_names *channel_names; // those made when asked for; NULL: `names` has all of them
    // in the file, of the constraints of equations or the joints of a mechanism; NULL for problems
    const trmi_line_column *place;
    trmi_layout layout;
    const trmi_model_type *type; // NULL: the file has none, which is an error
    union {                      // for the functions of the type
        const trmi_equations *equations;
        struct {
            const trmi_mechanism *mechanism;
            const trmi_machine *machine;       // what the mechanism becomes
            trmi_force_library *force_library; // of user forces
            int formulas;                      // in the order of TRMI_TAPE_VALUES
            const trmi_formula_place *formula_place;
        };
        trmi_problem problem;
    };
    const trmi_assembly *assembly; // how the start was found; NULL: the simulation does it
    trm_system system;             // without `user` where instances have their own
    trm_initial initial;
    trmi_trim trim; // the section `equilibrium`
    int signals;    // measures and rates that formulas use, of a mechanism
    int effects;    // forces and reactions that formulas use, of a mechanism
    int outsides;   // inputs from outside
    trmi_outside *outside;
    int parameters;                // that events and inputs from outside set
    const double *parameter_value; // at the start
    const double *remembered;      // what forces remember there; NULL: that of a first touch
    const trmi_tape *extras;       // outputs, events, energies, what events set
    int events;
    const trmi_model_event *event;
    const trmi_breaks *event_breaks;  // of their functions of t, NULL: none
    const trmi_breaks *output_breaks; // likewise of outputs
    const int *event_direction;
    const char *const *event_names;
};

struct trm_instance {
    trmi_memory memory;
    const trm_model *model;
    trm_system system;
    trm_events events;
    double *parameter;
    double *extra_reg;                 // registers of model->extras; NULL: it has no formulas
    double *set_v, *set_x, *set_value; // what an event sets
    trmi_break_work *event_break_work, *output_break_work;
    union { // for the functions of the type
        struct {
            double *reg;          // registers of the tape of the equations
            trmi_interval *bound; // what these may be on a way, for bounds of conditions
            double *work;         // of the elimination of algebraic variables
            int *pivots;
            trmi_break_work *break_work;
        };
        trmi_machine_work *machine;
    };
};

// Memory for the names of the channels of a mechanism, which are made when the first one of a kind
// is asked for, by whichever thread. NULL: no memory.
trmi_channel_names *trmi_channel_names_create(trmi_memory *memory);
// Gives back the names made so far; no caller may use them any more. NULL is allowed.
void trmi_channel_names_release(trmi_channel_names *names);

// Like trm_model_load, but with TRM_ERR_INITIAL, when a mechanism cannot be assembled, the model is
// in *out too: its bodies, joints and forces are there for a picture, and nothing else of it.
// The model with these values of its parameters, and the derivatives of its equations by one of
// them in the place of the equations: a system of the same sizes. *out is NULL where there are
// none: of other models than equations, and where something sets parameters while the model runs.
trm_status trmi_model_differentiate(trm_model **out, const trm_model *model, const double *values,
                                    int parameter, trm_error *error);
trm_status trmi_model_load_apart(trm_model **out, const char *path, const trm_load *load,
                                 trm_error *error);

// Whether a model that was loaded to vary has a parameter of that name; if not, *near is one that
// was probably meant, or NULL (variation.c).
bool trmi_model_parameter_named(const trm_model *model, const char *name, const char **near);

// Rows of the output grid, 0: as many as steps (output_size.c).
double trmi_schedule_rows(const trm_schedule *schedule);
// The time of row k of the output grid, from 0 on; the last is the end of the run.
double trmi_schedule_row(const trm_schedule *schedule, int64_t k);
// Numbers in each row of results (channels.c).
int trmi_model_channels(const trm_model *model);

// A channel beside those of the model.
typedef struct trmi_own_channel {
    const char *group, *name, *unit, *description;
} trmi_own_channel;

enum {
    TRMI_OWN_KINETIC,
    TRMI_OWN_POTENTIAL,
    TRMI_OWN_TOTAL,
    TRMI_OWN_POSITION_RESIDUAL,
    TRMI_OWN_VELOCITY_RESIDUAL,
    TRMI_OWN_CHANNELS
};
extern const trmi_own_channel trmi_own_channels[TRMI_OWN_CHANNELS];
// Groups of channels in result files (channels.c).
extern const char *const trmi_channel_group[TRM_CHANNEL_KINDS];
// Whether `outputs.channels` asks for a channel (channels.c).
bool trmi_model_writes(const trm_model *model, const char *group, const char *name);

// Where a constraint is in the file; zeros when it is not there.
trmi_line_column trmi_model_row_place(const trm_model *model, int row);

// Where in the file an error of the solver has its cause: the option or the part that it names, or
// else the section of the model (place.c).
trmi_line_column trmi_model_error_place(const trm_model *model, const trm_error *error);

// The mechanism as the solver has it; NULL: the model is none.
const trmi_machine *trmi_model_machine(const trm_model *model);

// Whether trmi_instance_powers knows the powers.
bool trmi_model_has_powers(const trm_model *model);

// To the text of an error about a value that is not finite adds which operation of which formula it
// comes from, as far as that is known. The instance may be NULL.
void trmi_instance_explain(const trm_instance *instance, trm_error *error);

// The first time after t and up to t_end at which an output jumps or has a kink because of t alone;
// INFINITY: none is known.
double trmi_instance_output_break(const trm_instance *instance, double t, double t_end);

// What an event sets at a state: velocities and states into set_v and set_x, parameters at once.
// False: the event changes nothing.
bool trmi_instance_set_event(trm_instance *instance, const trm_state *state, int event);

// Moves a mechanism to a state, once for all that is asked about it then.
void trmi_instance_set_state(trm_instance *instance, const trm_state *state);

// Kinetic and potential energy at the state set last; NaN where it is not known.
void trmi_instance_energies(trm_instance *instance, const trm_state *state, double *kinetic,
                            double *potential);

// Power put in by prescribed motions and formulas, and power lost, at the state set last; NaN where
// they are not known.
void trmi_instance_powers(trm_instance *instance, const trm_state *state, double *supplied,
                          double *dissipated);

// The channels TRM_CHANNEL_BODY and TRM_CHANNEL_REACTION at a state, which is set.
void trmi_instance_mechanism(trm_instance *instance, const trm_state *state, double *values);
// The channels TRM_CHANNEL_FORCE at a state, after those.
void trmi_instance_forces(trm_instance *instance, const trm_state *state, double *values);

// Instances begin with what forces remember at a state of `system`, as where friction took hold,
// which no start value shows. The system is that of the same mechanism with other start values.
// False: no memory.
bool trmi_model_remember(trm_model *model, const trm_system *system, const trm_state *state);

// Positions and velocities of a state as entries of `initial.values`, handed to a sink. False: no
// memory.
bool trmi_instance_start_values(trm_instance *instance, const trm_state *state,
                                trmi_value_sink *sink, void *to);

// Which joints of a mechanism have reactions that are not unique in a simulation; the caller frees
// the flags. NULL: it is not a mechanism, none has, or no memory.
bool *trmi_model_shared_joints(const trm_model *model, const trm_simulation *simulation);

// Sets text[k] for each channel that needs a description, all kinds of channels one after the
// other: coordinates that are parameters of a rotation, reactions that are not unique. The
// simulation may be NULL: then reactions are left out.
void trmi_model_describe(const trm_model *model, const trm_simulation *simulation,
                         const char **text);

// Marks the channels whose values two good runs need not share, all kinds one after the other:
// parameters of rotations, whose centre moves along, multipliers and reactions that redundant rows
// leave open.
void trmi_model_mark_open(const trm_model *model, const trm_simulation *simulation, bool *open);

// The state as inputs of the formulas. Excitations that it does not bring are computed.
void trmi_set_inputs(const trm_instance *instance, const trm_state *state, double *reg);

#endif
