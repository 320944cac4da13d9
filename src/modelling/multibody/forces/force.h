// SPDX-License-Identifier: Apache-2.0
// Forces: laws on rows. An element has a row set with values p and rates v, and a law F(t, p, v),
// which may use signals of the mechanism and multipliers as well. The wrench on body B is
// -sum F gamma, the opposite on A. With Gam = G of its rows, the system M a = f - G^T lambda gets
//
//     f -= Gam^T F                         f_lambda -= Gam^T F_lambda
//     K += (Gam^T F)_q + Gam^T (F_p Gam + F_v (Gam v)_q)         D += Gam^T F_v Gam
//
// and the same with the rows of the signals that a formula uses. A new force is a file here, with
// its struct trmi_force_type, and a line in forces.h.
#ifndef TRMI_MODELLING_MULTIBODY_FORCES_FORCE_H
#define TRMI_MODELLING_MULTIBODY_FORCES_FORCE_H

#include "modelling/expression/interpolant.h"
#include "modelling/expression/kinks.h"
#include "modelling/multibody/forces/feedback.h"
#include "modelling/multibody/forces/road.h"
#include "modelling/multibody/parameter.h"
#include "modelling/multibody/rows/row_assembly.h"
#include "modelling/multibody/signals.h"

enum { TRMI_MAX_LOADS = 2, TRMI_MAX_SWITCHES = 3, TRMI_MAX_MEMORIES = 11, TRMI_MAX_OWN_STATES = 3 };

// What a law sees.
typedef struct trmi_law_input {
    double t;
    const double *p, *v;         // of the rows
    double load[TRMI_MAX_LOADS]; // multipliers, where the law needs them
    const double *x;             // states of its own; NULL: none
    double *road;                // registers of its road; NULL: none
    const double *memory;        // of the element, held between steps; NULL: none
    const double *lock;          // per switch, not 0: it stays open; NULL: none does
    bool derivatives;            // F_p, F_v, F_l are wanted
    double moving;               // rate of a row by formula with everything at rest
    double *argument;            // values of its formulas, where the law uses them; NULL: none
} trmi_law_input;

// Whether a switch is locked: during this step the force stays as it is with an open gap.
static inline bool trmi_locked(const trmi_law_input *in, int i)
{
    return in->lock && in->lock[i] != 0;
}

// What it gives; all zero before.
typedef struct trmi_law {
    double F[TRMI_MAX_ROWS];
    double F_p[TRMI_MAX_ROWS][TRMI_MAX_ROWS], F_v[TRMI_MAX_ROWS][TRMI_MAX_ROWS];
    double F_l[TRMI_MAX_ROWS][TRMI_MAX_LOADS];
    double F_x[TRMI_MAX_ROWS][TRMI_MAX_OWN_STATES];
    // rates of its own states
    double c[TRMI_MAX_OWN_STATES];
    double c_p[TRMI_MAX_OWN_STATES][TRMI_MAX_ROWS], c_v[TRMI_MAX_OWN_STATES][TRMI_MAX_ROWS];
    double c_x[TRMI_MAX_OWN_STATES][TRMI_MAX_OWN_STATES];
    double *F_a; // by each formula that it uses the derivatives of all rows; NULL: it uses none
    double potential, dissipated, supplied; // energy stored; power lost; power put in
    int failed;                             // as trm_function returns
} trmi_law;

// Where a one-sided law begins to act: where the gap sign (p - at) of row 0 closes, or that of the
// type of the force.
typedef struct trmi_switch {
    double at, sign;
} trmi_switch;

// Of a switch: closed where it is negative. First and second time derivative.
typedef struct trmi_gap {
    double gap, rate, second;
} trmi_gap;

typedef struct trmi_element trmi_element;
typedef void trmi_law_function(const trmi_element *element, const trmi_law_input *in,
                               trmi_law *out);
// The gaps of all switches, their first and second time derivatives, from the values of its rows,
// rates (in->v) and second derivatives (NULL: not known).
typedef void trmi_gaps_function(const trmi_element *element, const trmi_law_input *in,
                                const double *second, trmi_gap *out);
// What an element remembers from an accepted point on; first: it is that of the start.
typedef void trmi_remember_function(const trmi_element *element, const trmi_set_state *x,
                                    bool first, double *memory);

// Numbers of a joint for outputs and events, NAME_<channel>: number `channel` of its type. And a
// text on what the model is not made for; true: there is one.
typedef double trmi_show_function(const trmi_element *element, const trmi_set_state *x,
                                  const trmi_law *law, int channel);
typedef bool trmi_warn_function(const trmi_element *element, const trmi_force_work *work,
                                const trmi_set_state *x, const trmi_law *law, char *text,
                                size_t size);

// Of an element with a road: those of the road as well.
enum { TRMI_MAX_GAPS = TRMI_MAX_SWITCHES + 2 * TRMI_MAX_KINKS };

struct trmi_element {
    const trmi_force *force; // NULL: friction or stop of a joint
    const trmi_joint *joint; // whose measure its row is; otherwise NULL
    int measure;             // of that joint
    trmi_row_set set;
    trmi_law_function *law;
    const void *data;        // what the law made ready when the element was created
    const trmi_road *road;   // NULL: none
    int first_register;      // of its road, among those of all elements
    int states, first_state; // of its own, among those of the mechanism
    bool damped;             // F_v is not always 0
    double sign;             // of its formulas: F of row r += sign formula r
    int formulas;            // number of formulas, one for each of the first rows
    const trmi_formula *formula;
    bool arguments; // the law uses the values of its formulas; they are not added to F
    int loads, load[TRMI_MAX_LOADS]; // multipliers the law depends on
    int switches, first_switch;      // of a one-sided law, among those of all elements
    int first_lock;                  // among the held values
    int memory, memories;            // likewise what it remembers, and how many numbers
    trmi_remember_function *remember;
    trmi_show_function *show; // of the force that comes with a joint, NULL: nothing
    trmi_warn_function *warn; // NULL: it never warns
    bool warns_at_start;      // and only there
    trmi_switch open[TRMI_MAX_SWITCHES];
    trmi_gaps_function *gaps;      // of its switches; NULL: those of `open`
    int first_K, first_D, first_L; // of its positions
};

// Immutable.
struct trmi_forces {
    const trmi_mechanism *mechanism;
    const trmi_tree *tree;
    const trmi_signals *signals;
    int elements;
    const trmi_element *element;
    int switches, first_lock; // of elements and formulas; their locks among the held values
    int memories;             // numbers that elements remember
    int warnings;             // elements that may warn
    int registers;            // of all roads
    int max_columns;          // of elements and signals
    int max_arguments;        // formulas that the law of an element uses
    int formula_rows;         // rows by formula
    const int *column;        // per signal: where its columns begin in the work's gradients
    trmi_feedback feedback;   // forces and reactions that formulas use
};

typedef struct trmi_force_energy {
    double potential, dissipated, supplied;
} trmi_force_energy;

// The signals at a state.
typedef struct trmi_way_end {
    double t, *q, *v; // of the state
    double *p;        // all p, then all p'
} trmi_way_end;

// The way from one state to another. The ends are the last two states at which conditions were
// evaluated, most often those of a step.
typedef struct trmi_way_work {
    int n_q;
    trmi_interval *bound; // what the registers of the tape may be; NULL: no condition bends
    trmi_way_end end[2];
    int newest;
} trmi_way_work;

// What one simulation works with.
struct trmi_force_work {
    double *tape;                 // registers, those of the machine
    double *value, *slope;        // of all formulas
    double *signal_G, *signal_Gv; // of all signals, column by column
    double *G, *Gv, *T;           // TRMI_MAX_ROWS x columns
    double *road;                 // registers of all roads
    const trmi_element *faulty;   // whose forces have no value; NULL: none
    trmi_force_energy energy;     // of all forces, where they were evaluated last
    double *argument, *F_a;       // of the law that is evaluated
    trmi_row_workspace *workspace;
    trmi_feedback_work feedback;
    trmi_way_work way;
};

// ---- creation ----

// A bound of the elements that a mechanism has; 0: none.
int trmi_forces_max(const trmi_mechanism *mechanism);

// Announces positions of K, D and f_lambda; held values are numbered on from *n_held. signals and
// constraints must stay where they are.
trm_status trmi_forces_create(trmi_forces *forces, trmi_memory *memory,
                              const trmi_mechanism *mechanism, const trmi_tree *tree,
                              const trmi_constraints *constraints, const trmi_signals *signals,
                              trmi_slots *K, trmi_slots *D, trmi_slots *L, int *n_held,
                              trm_error *error);
// Allocates the work; workspace has forces->max_columns columns; tape: registers, prepared.
bool trmi_force_work_create(trmi_force_work *work, trmi_memory *memory, const trmi_forces *forces,
                            trmi_row_workspace *workspace, double *tape);

// ---- formulas ----

// p, p' of all signals, effects, F of all formulas, and with `slopes` what differentiates them,
// after a move.
void trmi_forces_formulas(const trmi_forces *forces, trmi_force_work *work,
                          const trmi_kinematics *k, const trm_state *state, bool slopes);
// Gaps of the conditions of formulas, as trmi_forces_switches has them; rates that need
// accelerations the state does not have are not known.
void trmi_forces_conditions(const trmi_forces *forces, trmi_force_work *work,
                            const trmi_kinematics *k, const trm_state *state, double *gap,
                            double *rate, double *second);
// Whether a condition of the formulas is not a cubic where the signals are.
bool trmi_forces_bend(const trmi_forces *forces);
// The signals at an end of a way, the bodies moved there if they are not known.
void trmi_forces_meet_end(const trmi_forces *forces, trmi_force_work *work, trmi_kinematics *k,
                          const trm_state *state);
// Bounds of |gap''| of all switches on the way between the last two ends met, NaN: not known.
void trmi_forces_bends(const trmi_forces *forces, trmi_force_work *work, const trm_state *from,
                       const trm_state *to, double *bend);
// The value of one of them, then.
double trmi_formula_value(const trmi_force_work *work, const trmi_formula *formula);
// What an element shows at the state of its rows: a channel of its own.
double trmi_element_channel(const trmi_element *element, const trmi_force_work *work,
                            const trmi_set_state *x, int channel);
// Gaps of its switches, first and (`second`) second time derivatives; the last ones are conditions
// of its road.
void trmi_element_gaps(const trmi_element *element, const trmi_force_work *work,
                       const trmi_set_state *x, bool second, trmi_gap *out);
// What the law of an element and its formulas give at the state of its rows, then.
void trmi_element_apply(const trmi_element *element, const trmi_force_work *work,
                        const trmi_set_state *x, bool derivatives, trmi_law *out);
// F of one law less that of another at the same state: of elements with equal rows, without their
// formulas. spent: what a law of such an element gave, which is of no use after it.
void trmi_element_compare(const trmi_element *one, const trmi_element *other,
                          const trmi_force_work *work, const trmi_set_state *x, trmi_law *spent,
                          double *F);
// The derivative of F of row r by formula i of its element.
static inline double trmi_law_by_formula(const trmi_element *e, const trmi_law *law, int r, int i)
{
    return e->arguments ? law->F_a[i * e->set.rows + r] : r == i ? e->sign : 0;
}
// Adds what the law gave: energies and powers to work->energy, F to bodies and columns, which may
// be NULL. Not 0: the law failed.
int trmi_element_load(const trmi_element *element, trmi_force_work *work, const trmi_set_state *x,
                      const trmi_law *law, trmi_wrench *on_body, double *on_column);
// Gam^T F_a, a being formula i of an element, over its columns: from the rows Gam in work->G.
void trmi_element_by_formula(const trmi_element *element, const trmi_force_work *work,
                             const trmi_law *law, int i, double *out);

// ---- evaluation: all return what a trm_function returns ----

// Adds the wrenches on bodies, at O of their trees, and the forces on columns; both may be NULL.
// Energy and powers of all forces are in work->energy then.
int trmi_forces_load(const trmi_forces *forces, trmi_force_work *work, const trmi_kinematics *k,
                     const trm_state *state, trmi_wrench *on_body, double *on_column);
// A parameter from which numbers of laws follow, and nothing else does: the forces with a larger
// value of it and with a smaller one, and which elements have other laws there.
typedef struct trmi_force_parameter {
    const trmi_forces *above, *below;
    double width; // between the two values
    const bool *changes;
} trmi_force_parameter;
typedef struct trmi_force_parameters {
    int count;
    const trmi_force_parameter *parameter;
} trmi_force_parameters;

// Adds to K, D, f_lambda at the slots announced and to f_p, dense column by column, each of the
// four may be NULL, and as the function before to what acts on bodies and columns.
typedef struct trmi_force_matrices {
    const trmi_slots *slots_K, *slots_D, *slots_L;
    double *K, *D, *L;
    const trmi_force_parameters *parameters; // needed with P
    double *P;
} trmi_force_matrices;
int trmi_forces_differentiate(const trmi_forces *forces, trmi_force_work *work,
                              const trmi_kinematics *k, const trm_state *state,
                              const trmi_force_matrices *to, trmi_wrench *on_body,
                              double *on_column);
// Renews held values at an accepted point; true if one changed.
bool trmi_forces_settle(const trmi_forces *forces, const trmi_kinematics *k, const trm_state *state,
                        double *held);
// What elements remember at the start. After a move.
void trmi_forces_remember(const trmi_forces *forces, const trmi_kinematics *k,
                          const trm_state *state, double *held);
// Gaps of all switches, their first and (unless NULL) second time derivatives. After a move, for
// second ones with the accelerations of the state.
void trmi_forces_switches(const trmi_forces *forces, trmi_force_work *work,
                          const trmi_kinematics *k, const trm_state *state, double *gap,
                          double *rate, double *second);
// Parameters that events set, for the roads; NULL: as at the start.
void trmi_forces_set_parameters(const trmi_forces *forces, trmi_force_work *work,
                                const double *parameters);

// ---- types ----

// What elements are made with.
struct trmi_force_maker {
    trmi_memory *memory;
    const trmi_mechanism *mechanism;
    const trmi_tree *tree;
    const trmi_constraints *constraints;
    int *n_held;
    trmi_element *element;
    int elements;
    int formula_rows; // rows by formula so far
};

// A state of its own that a force has where one of its keys is given: NAME_<name>.
typedef struct trmi_force_state {
    const char *name, *key, *unit;
} trmi_force_state;

// What a force does to its second body.
typedef enum trmi_force_parts {
    TRMI_ACTS_WITH_FORCE, // at its point
    TRMI_ACTS_WITH_TORQUE,
    TRMI_ACTS_WITH_BOTH
} trmi_force_parts;

struct trmi_force_type {
    const char *name, *help;
    bool holds;          // a body that it joins to another one does not move freely
    bool length_signal;  // formulas may use the distance of its points as NAME_length, NAME_rate
    int elements;        // most that it makes; 0: two
    bool one_sided;      // it pushes while a gap is closed: NAME_contact
    bool numbers_in_law; // its numbers enter by the law alone, which is smooth in them
    const char
        *scalar; // its one force or torque is NAME_force or NAME_effort; NULL: it has several
    double sign; // of F in that
    trmi_force_parts acts; // which components are channels, where it has several
    const trmi_row_type *row[TRMI_MAX_ROWS + 1]; // NULL at the end; none: it acts on a measure
    trmi_law_function *law;
    trmi_parameter_list parameter;
    size_t size; // of the struct its parameters are read into, which begins with a trmi_force
    // What follows from the parameters, and checks; NULL: nothing. False after an error.
    bool (*finish)(trmi_finish *finish, trmi_force *force);
    // Makes the elements with trmi_force_add and trmi_force_rows; NULL: one element
    // with the rows and the law, damped. False without memory.
    bool (*make)(trmi_force_maker *m, const trmi_force *force);
    // The measure that it acts on; NULL: on none.
    trmi_term (*measure)(const trmi_force *force);
    // States of its own, an entry without name at the end; NULL: none. Its law gives their rates.
    const trmi_force_state *state;
    trmi_gaps_function *gaps; // of its elements; NULL: those of row 0
    // Numbers of its own for outputs and events, NAME_<channel>, no name at the end; NULL: none.
    const trmi_shown *channel;
    double (*channel_value)(const trmi_element *element, const trmi_law_input *in, int channel);
};

// An element of a force with the law of its type.
trmi_element *trmi_force_add(trmi_force_maker *m, const trmi_force *force);
// The rows of an element between two bodies, at points on either.
bool trmi_force_rows(trmi_force_maker *m, trmi_element *e, const int body[2], trmi_v3 at,
                     trmi_v3 at_second, trmi_m3 frame, const trmi_row_type *const *row);
// The same with axes of its own for the marker on the second body.
bool trmi_force_rows_of(trmi_force_maker *m, trmi_element *e, const int body[2], trmi_v3 at,
                        trmi_v3 at_second, trmi_m3 frame, trmi_m3 frame_second,
                        const trmi_row_type *const *row);
// The rows of its type between the bodies of the force.
bool trmi_force_own_rows(trmi_force_maker *m, trmi_element *e);
// The row of an element is a measure of a joint.
bool trmi_force_measure(trmi_force_maker *m, trmi_element *e, int joint, int measure);
// The element begins to act where the gap sign (p - at) closes.
void trmi_force_add_switch(trmi_element *e, double at, double sign);

// Parameters that several types have, read into trmi_force.
extern const trmi_parameter trmi_force_between;
extern const trmi_parameter trmi_force_at; // where it acts
extern const trmi_parameter trmi_force_from;
extern const trmi_parameter trmi_force_to;
extern const trmi_parameter trmi_force_frame;

// The distance of `from` and `to`, which must not coincide; 0 after an error.
double trmi_finish_ends(trmi_finish *finish, const trmi_force *force);
// Finishes a force at one point, the same on both bodies, with the axes of its frame.
bool trmi_finish_at(trmi_finish *finish, trmi_force *force);
// Points that coincide have no direction: the state is refused, a smaller step may pass it by.
int trmi_refuse_coincidence(const trmi_element *element, double length);

// Friction that is fully there from a speed on: -1 .. 1 of the speed in units of that one, with
// continuous first and second derivatives; at x = -1 .. 1 it is x (15 - 10 x^2 + 3 x^4)/8.
double trmi_saturation(double x, double *slope);

// The wrench of the friction of a joint on its second body, moment about the joint point; after a
// move. 0 where it has none.
trmi_wrench trmi_forces_friction(const trmi_forces *forces, const trmi_force_work *work,
                                 const trmi_kinematics *k, const trm_state *state, int joint);

// Laws of joints.
trmi_law_function trmi_law_stop;     // stop of a measure
trmi_law_function trmi_law_friction; // of a joint
trmi_gaps_function trmi_gaps_friction;
trmi_remember_function trmi_remember_anchor; // where such a joint sticks

#endif
