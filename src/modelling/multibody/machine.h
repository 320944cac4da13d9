// SPDX-License-Identifier: Apache-2.0
// A mechanism as a system: what never changes (the machine) and what one simulation works with.
//
//     tree, joints that are cut, forces  ->  M, f, g, G, gamma, K, D, ... of trammel/system.h
#ifndef TRMI_MODELLING_MULTIBODY_MACHINE_H
#define TRMI_MODELLING_MULTIBODY_MACHINE_H

#include "modelling/multibody/assembly.h"
#include "modelling/multibody/beams/flexible.h"
#include "modelling/multibody/forces/force.h"
#include "modelling/multibody/laws.h"
#include "modelling/multibody/recursion.h"
#include "trammel/system.h"

// Immutable: many workspaces may share it. Borrows the mechanism.
typedef struct trmi_machine {
    const trmi_mechanism *mechanism;
    const trmi_tree *tree;        // of the coordinates: that of the joints, or the star
    const trmi_tree *joints;      // that of the joints, where start values are given; not kept with
                                  // the star
    const int *edge;              // per body: the joint it hangs on there; TRMI_NOTHING: none
    trmi_constraints constraints; // of the joints that are not in the tree
    const int *constraint_of;     // per joint: its number there, or TRMI_NOTHING
    trmi_signals signals;         // of formulas of forces, outputs and events
    trmi_signals used;            // those of them that forces use
    trmi_forces forces;
    trmi_laws laws;          // states and algebraic variables beside the bodies
    trmi_bendings bendings;  // elastic bodies
    trmi_slots M, K, D, L;   // positions of the inertial part, of forces, of elastic bodies; L:
                             // f_lambda
    int own_M, own_K, own_D; // how many are of the inertial part
    double pairs;            // of coordinates that share entries of M, K and D of the tree
    bool rates_only;         // see trmi_machine_create
    bool matrix_free; // these are not even listed: the explicit formalism, no cuts, rates_only
    bool closed;      // a star without forces, all of whose joints are blocks of row_star.h
    int n_held;
    const double *q_size; // 1 for angles
    int q_size_period;
    trm_pattern pattern[TRM_QUANTITY_COUNT];
    const int *body_first;  // blocks of the star, otherwise NULL
    const int *joint_first; //
} trmi_machine;

// Everything that changes, one for every simulation.
typedef struct trmi_machine_work {
    const trmi_machine *machine;
    trmi_kinematics kinematics;
    trmi_recursion recursion;
    trmi_row_workspace workspace;
    trmi_force_work force;
    trmi_force_parameters parameters; // that the system has derivatives of its forces by
    trmi_bending_work bending;
    double *inertial[3];  // K, D and M of the inertial part, where others add to them
    trmi_wrench *applied; // per body, at O of its tree: forces, and for reactions multipliers; not
                          // in a closed star
    double *effort;       // per column: forces on joints of the tree; not in the star
    trmi_wrench *through; // per body: what its joint of the tree transmits, for reactions; neither
    double *tape;         // registers
    trmi_break_work *breaks;
    bool asked;                        // for warnings of forces,
    double asked_first;                // and when
    double *held;                      // at the start
    double *phi, *force_on;            // explicit formalism: accelerations, forces on coordinates,
    double *inner[TRM_QUANTITY_COUNT]; // and what the residual formalism gives
    trmi_assembly assembly;            // how the start was reached
} trmi_machine_work;

// Number of pairs from which matrices are left out where no caller needs them: a chain of 1400
// bodies.
#define TRMI_PAIRS_MANY 1e6
// Number of pairs up to which matrices are formed: a chain of 4500 bodies.
#define TRMI_BODY_PAIRS_MAX 1e7
// memory of a run per pair in GB, from one chain of 1000 bodies (152 MB): M, K, D, their patterns
// and one factorization
#define TRMI_PAIR_GB 3e-7

// Sets text and advice of an error about too many pairs.
void trmi_machine_report_pairs(const trmi_machine *machine, trm_error *error);

// Creates the machine; NULL: error has the reason. rates_only: v' is asked for at given positions
// and velocities, and not K and D. A tree without constraints then supplies accelerations in either
// formalism, and large matrices are left out where the formalism needs none.
const trmi_machine *trmi_machine_create(trmi_memory *memory, const trmi_mechanism *mechanism,
                                        bool rates_only, trm_error *error);
// parameters: of the tape, may be NULL without any. NULL: no memory.
trmi_machine_work *trmi_machine_work_create(trmi_memory *memory, const trmi_machine *machine,
                                            const double *parameters);

// Start values of the joints at time t, assembled, into q, v and work->held: the coordinates of the
// tree, or of the bodies in the star.
trm_status trmi_machine_start(trmi_machine_work *work, double t, double *q, double *v,
                              trm_error *error);

// The system; it borrows machine and work. held as of the last start.
trm_system trmi_machine_system(trmi_machine_work *work);

// machine_parameters.c: the system gets the derivatives of its forces by one more parameter, where
// it enters no more than laws of forces that are smooth in it: those of `described`, the same
// mechanism, whose `follows` has the bit. above and below: the machine with other values of it,
// which are `width` apart; they must stay. *column: of FORCE_P, from 1 on; 0: there is none. False:
// no memory.
bool trmi_machine_add_parameter(trmi_machine_work *work, trmi_memory *memory, trm_system *system,
                                const trmi_mechanism *described, uint64_t bit,
                                const trmi_machine *above, const trmi_machine *below, double width,
                                int *column);

// ---- outputs (machine_output.c)
// ------------------------------------------------------------------

// How a body moves, world axes.
typedef struct trmi_body_motion {
    trmi_v3 r, velocity, acceleration; // of its centre of mass
    trmi_quaternion rotation;          // from the reference configuration
    trmi_v3 w, w_rate;                 // angular velocity and acceleration
} trmi_body_motion;

// Computes motion and reactions at a state with its accelerations and multipliers, for the
// functions below.
void trmi_machine_set_state(trmi_machine_work *work, const trm_state *state);

// Computes what the joints of the tree transmit, after a move to the state; returns as a
// trm_function.
int trmi_machine_transmit(trmi_machine_work *work, const trm_state *state);

// The motion of a body.
trmi_body_motion trmi_machine_body(const trmi_machine_work *work, int body);

// The reaction of a joint on its second body: moment about the joint point, force, world axes.
// Forces on the measure of a joint are not part of it.
trmi_wrench trmi_machine_reaction(const trmi_machine_work *work, const trm_state *state, int joint);

// Energies and powers at a state.
typedef struct trmi_energies {
    double kinetic, potential; // J
    double supplied;           // W: by formulas of forces
    double dissipated;         // W: by dampers, friction and stops
} trmi_energies;

// Computes the energies after a move to the state; returns as a trm_function.
int trmi_machine_energies(trmi_machine_work *work, const trm_state *state, trmi_energies *out);
// The same where the forces were evaluated at the state last, by trmi_machine_transmit.
void trmi_machine_sum_energies(trmi_machine_work *work, trmi_energies *out);

// Power of the prescribed motions in W, after trmi_machine_set_state.
double trmi_machine_drive_power(const trmi_machine_work *work, const trm_state *state);

// Whether no element supplies or dissipates energy.
bool trmi_machine_conserves(const trmi_machine *machine);

// ---- callbacks and their parts (machine_evaluate.c, machine_settle.c)
// ----------------------------

int trmi_machine_evaluate(const trm_state *state, double *const want[TRM_QUANTITY_COUNT],
                          void *work);
int trmi_machine_settle(const trm_state *state, double *held, void *work);
int trmi_machine_switches(const trm_state *state, double *gap, double *rate, double *second,
                          void *work);
int trmi_machine_switch_bends(const trm_state *from, const trm_state *to, double *bend, void *work);
int trmi_machine_reexpress(const double *from, const double *to, double *q, double *v, double *a,
                           void *work);
int trmi_machine_transport(const trm_state *state, const double *dq, const double *dv,
                           double *dq_rate, double *dv_rate, void *work);
// Whether a beam bends too much.
int trmi_machine_warning(const trm_state *state, int beam, char *text, size_t size, void *work);
// Wrenches of the forces on bodies and their forces on columns, into work->applied and effort.
int trmi_machine_load(trmi_machine_work *work, const trm_state *state);
// What a joint measures at a state of the tree of the joints, full turns included.
double trmi_start_measure(const trmi_mechanism *mechanism, const trmi_tree *joints,
                          const trm_state *state, int joint, int measure);
// The held values of a row that counts turns, at the start.
void trmi_seed_angle(const trmi_row *row, double t, double angle, double *held);
// Held angles of rows at that state (machine_turns.c).
void trmi_seed_constraints(const trmi_mechanism *mechanism, const trmi_tree *joints,
                           const trmi_constraints *constraints, const trm_state *state,
                           double *held);
void trmi_seed_machine(const trmi_machine *machine, const trmi_tree *joints, const trm_state *state,
                       double *held);
// ---- start values of joints that are not edges of the tree (machine_hold.c)

// Which joints are edges with columns.
bool trmi_find_edges(trmi_memory *memory, const trmi_mechanism *mechanism, const trmi_tree *tree,
                     bool **edge);
// The start rate of a measure of a joint in the present position: of rotations in space the rate of
// the rotation vector. `held` as for trmi_measure_at; false: no memory.
bool trmi_start_rate(const trmi_mechanism *mechanism, const trmi_kinematics *k,
                     const trm_state *state, double *held, int n_held, int joint, int measure,
                     double *rate);
// q with the start values of the others held as far as they fit, or v with their rates; `held`
// as for trmi_measure_at. Unchanged after a failure.
// TRM_ERR_INITIAL: values that shall be kept cannot be.
trm_status trmi_hold_values(const trmi_mechanism *mechanism, const trmi_tree *tree,
                            const bool *edge, const trm_state *state, double *held, int n_held,
                            double *q, double *v, trm_error *error);
trm_status trmi_hold_rates(const trmi_mechanism *mechanism, const trmi_tree *tree, const bool *edge,
                           const trm_state *state, double *held, int n_held, double *q, double *v,
                           trm_error *error);

// u, u', u'' of the drives at time t
void trmi_machine_drive(trmi_machine_work *work, double t, double *u);

// ---- what is watched (machine_signals.c)
// ------------------------------------------------------------------------

// p, p' and (unless NULL) p'' of every signal at a state.
void trmi_machine_signals(trmi_machine_work *work, const trm_state *state, double *p, double *rate,
                          double *second);

// What forces and joints do, the effects of the mechanism, at a state. With accelerations and
// multipliers where reactions are among them (effects.c).
void trmi_machine_effects(trmi_machine_work *work, const trm_state *state, double *value);
// Those that are written, at a state that is set.
void trmi_machine_force_channels(trmi_machine_work *work, const trm_state *state, double *value);
// Force or torque of the prescribed motion of a joint along one of its measures, on the second body
// (machine_output.c).
double trmi_machine_drive_effort(const trmi_machine_work *work, const trm_state *state, int joint,
                                 int measure);

// What a measure of a joint and its rate are at the state of the kinematics. `held` are the held
// values of the state, an array with three more elements after these n_held. False: no memory.
bool trmi_measure_at(const trmi_mechanism *mechanism, const trmi_kinematics *k,
                     const trm_state *state, double *held, int n_held, int joint, int measure,
                     double *value, double *rate);

// What a measure of a joint and its rate are at a state, in the meaning of its start values: angles
// without coordinates of their own on the branch next to that, rates of rotations in space as
// components of the angular velocity. False: no memory.
bool trmi_machine_measure(trmi_machine_work *work, const trm_state *state, int joint, int measure,
                          double *value, double *rate);

// After trmi_machine_set_state: where every body but the ground is: its centre of mass and the unit
// quaternion of its rotation since the reference configuration, scalar first; plane models: the
// centre and the angle. Every body has this many numbers.
int trmi_pose_size(const trmi_machine *machine);
void trmi_machine_poses(const trmi_machine_work *work, const trm_state *state, double *pose);

// What every joint does to its second body, likewise: force and moment; plane
// models: two components of the force and the moment. This many numbers for a joint.
int trmi_reaction_size(const trmi_machine *machine);
void trmi_machine_reactions(const trmi_machine_work *work, const trm_state *state, double *value);

// Joints whose reactions are not unique, given the rows whose multipliers are not: joints of the
// tree that close a loop with such a row carry what it leaves open.
void trmi_machine_shared(const trmi_machine *machine, const bool *row, bool *joint);

// trm_system.next_break of the formulas.
double trmi_machine_next_break(double t, double t_end, void *user);
// New values of the parameters of the tape.
void trmi_machine_set_parameters(trmi_machine_work *work, const double *parameters);

// M, D, K, f_lambda of the residual formalism, those in `want`. After a move.
int trmi_residual_matrices(trmi_machine_work *work, const trm_state *state, double *const *want);

// ---- the explicit formalism (machine_explicit.c) ----

// Whether it is in use: the star has no recursion to gain from.
bool trmi_machine_explicit(const trmi_machine *machine);
// Whether it supplies accelerations: a tree without constraints, in this formalism, or in the other
// where nothing else is asked for.
bool trmi_machine_accelerates(const trmi_machine *machine);
bool trmi_machine_explicit_create(trmi_machine_work *work, trmi_memory *memory);
// Computes v' at the state.
int trmi_machine_accelerate(trmi_machine_work *work, const trm_state *state, double *a);

// Computes M = 1, forces, D, K and f_lambda as far as they are in `want`, after a move.
int trmi_machine_explicit_evaluate(trmi_machine_work *work, const trm_state *state,
                                   double *const *want);

// ---- names (machine_names.c) ----

// Whose coordinate a column is, a joint or a body, and what is measured.
typedef struct trmi_coordinate_words {
    const char *owner, *measure;
} trmi_coordinate_words;
trmi_coordinate_words trmi_machine_words(const trmi_machine *machine, const trmi_column *column);

// Passes the names of all coordinates to `sink`, in the order of the columns.
void trmi_machine_name_coordinates(const trmi_machine *machine, trmi_name_sink *sink, void *to);

// Writes the name of one coordinate: a trm_name_function.
int trmi_machine_q_name(int i, char *name, size_t size, void *work);

// Writes the name of one row: a trm_name_function.
int trmi_machine_g_name(int i, char *name, size_t size, void *work);

#endif
