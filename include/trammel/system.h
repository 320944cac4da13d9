// SPDX-License-Identifier: Apache-2.0
/// The system class: what a user describes by callbacks.
///
///     q' = v                                                  n_q positions and velocities
///     M(t,q) v' = f(t,q,v,x,z,lambda) - G^T lambda - A^T lambda_a
///     x' = c(t,q,v,x,z,lambda)                                n_x first-order states
///     0  = b(t,q,v,x,z,lambda)                                n_z algebraic variables, b_z regular
///     0  = g(t,q,z)                                           n_g holonomic constraints
///     0  = A(t,q) v + a(t,q)                                  n_a velocity (rolling) constraints
///
/// with G = g_q - g_z b_z^-1 b_q. Only what the problem has is written: a pendulum is a mass, a
/// force and a constraint. What is missing and needed is formed by differences.
#ifndef TRAMMEL_SYSTEM_H
#define TRAMMEL_SYSTEM_H

#include "trammel/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The point at which a callback is evaluated. All pointers are borrowed for the call.
typedef struct trm_state {
    double t;             ///< time
    const double *q;      ///< n_q positions
    const double *v;      ///< n_q velocities
    const double *a;      ///< n_q accelerations; meaningful in TRM_QUANTITY_STIFFNESS,
                          ///< TRM_QUANTITY_RESIDUAL and TRM_QUANTITY_POWER only
    const double *x;      ///< n_x first-order states
    const double *z;      ///< n_z algebraic variables
    const double *lambda; ///< n_g + n_a multipliers
    const double *u;      ///< 3 n_u excitations: all u, then all u', then all u''
    const double *held;   ///< n_held values that change between steps only
} trm_state;

/// Where the trajectory starts. NULL pointers mean zeros.
typedef struct trm_initial {
    double t;
    const double *q, *v, *x, *z;
    const double *lambda; ///< a guess, used only where forces depend on multipliers
} trm_initial;

/// A callback. Returns 0; > 0: cannot be evaluated here, retry with a smaller step; < 0: stop.
typedef int trm_function(const trm_state *state, double *out, void *user);

/// Every quantity a system can supply: name, rows, columns, symbol, meaning.
/// r is n_g + n_a, the number of multipliers. Matrices have a pattern, see trm_pattern.
#define TRM_QUANTITY_LIST(X)                                                                       \
    X(MASS, n_q, n_q, "M", "mass matrix")                                                          \
    X(FORCE, n_q, one, "f", "forces")                                                              \
    X(RATE, n_x, one, "c", "rates of the first-order states")                                      \
    X(ALGEBRAIC, n_z, one, "b", "equations of the algebraic variables")                            \
    X(CONSTRAINT, n_g, one, "g", "holonomic constraints")                                          \
    X(ROLLING, n_a, n_q, "A", "coefficients of the velocity constraints")                          \
    X(ROLLING_OFFSET, n_a, one, "a", "offset of the velocity constraints")                         \
    X(INPUT, n_u, three, "u", "excitations u(t) with u' and u''")                                  \
    X(ENERGY, one, one, "E", "total energy, for reports")                                          \
    X(CONSTRAINT_Q, n_g, n_q, "g_q", "derivative of the constraints by q")                         \
    X(CONSTRAINT_T, n_g, one, "g_t", "derivative of the constraints by t")                         \
    X(CONSTRAINT_Z, n_g, n_z, "g_z", "derivative of the constraints by z")                         \
    X(GAMMA, n_r, one, "gamma", "acceleration level: d/dt(G v + g_t) - G v', likewise for A")      \
    X(VELOCITY_Q, n_r, n_q, "(Gv)_q", "derivative of G v + g_t, and of A v + a, by q")             \
    X(STIFFNESS, n_q, n_q, "K", "derivative of M a - f by q")                                      \
    X(GEOMETRIC, n_q, n_q, "(G^T l)_q", "derivative of G^T lambda + A^T lambda_a by q")            \
    X(DAMPING, n_q, n_q, "D", "minus the derivative of f by v")                                    \
    X(FORCE_X, n_q, n_x, "f_x", "derivative of the forces by x")                                   \
    X(FORCE_Z, n_q, n_z, "f_z", "derivative of the forces by z")                                   \
    X(FORCE_LAMBDA, n_q, n_r, "f_lambda", "derivative of the forces by lambda")                    \
    X(RATE_Q, n_x, n_q, "c_q", "derivative of the rates by q")                                     \
    X(RATE_V, n_x, n_q, "c_v", "derivative of the rates by v")                                     \
    X(RATE_X, n_x, n_x, "c_x", "derivative of the rates by x")                                     \
    X(RATE_Z, n_x, n_z, "c_z", "derivative of the rates by z")                                     \
    X(RATE_LAMBDA, n_x, n_r, "c_lambda", "derivative of the rates by lambda")                      \
    X(ALGEBRAIC_Q, n_z, n_q, "b_q", "derivative of the algebraic equations by q")                  \
    X(ALGEBRAIC_V, n_z, n_q, "b_v", "derivative of the algebraic equations by v")                  \
    X(ALGEBRAIC_X, n_z, n_x, "b_x", "derivative of the algebraic equations by x")                  \
    X(ALGEBRAIC_Z, n_z, n_z, "b_z", "derivative of the algebraic equations by z")                  \
    X(ALGEBRAIC_LAMBDA, n_z, n_r, "b_lambda", "derivative of the algebraic equations by lambda")   \
    X(ALGEBRAIC_T, n_z, one, "b_t", "derivative of the algebraic equations by t")                  \
    X(INVARIANT, n_i, one, "I", "functions of t, q, v, x that keep their initial values")          \
    X(INVARIANT_Q, n_i, n_q, "I_q", "derivative of the invariants by q")                           \
    X(INVARIANT_V, n_i, n_q, "I_v", "derivative of the invariants by v")                           \
    X(RESIDUAL, n_q, one, "M a - f", "at given accelerations, where that is cheaper than M and f") \
    X(ACCELERATION, n_q, one, "M^-1 f",                                                            \
      "accelerations without constraints, where M is not needed")                                  \
    X(METRIC, n_q, n_q, "W", "masses of a system that is solved for v', M = 1")                    \
    X(POWER, one, one, "P", "dE/dt: power that is put in less what is lost, for the balance of E") \
    X(FORCE_P, n_q, n_p, "f_p", "derivative of the forces by parameters, for sensitivities")

/// TRM_QUANTITY_METRIC belongs to systems that are given solved for their accelerations, M = 1 and
/// f = W^-1 (forces - G^T lambda - A^T lambda_a) + G^T lambda + A^T lambda_a with the masses W:
/// what lies along the constraints, and what across, is measured with W then.
#define TRM_QUANTITY_ENUM(name, rows, columns, symbol, text) TRM_QUANTITY_##name,
typedef enum trm_quantity { TRM_QUANTITY_LIST(TRM_QUANTITY_ENUM) TRM_QUANTITY_COUNT } trm_quantity;
#undef TRM_QUANTITY_ENUM

/// Bit of a quantity in trm_system.evaluates and trm_system.constant: TRM_BIT(MASS) is that of
/// TRM_QUANTITY_MASS, TRM_BIT_OF(k) that of a trm_quantity k.
#define TRM_BIT(name) TRM_BIT_OF(TRM_QUANTITY_##name)
#define TRM_BIT_OF(quantity) (UINT64_C(1) << (quantity))

/// Part of a pattern: all entries of some rows and columns that follow each other. columns = 0: one
/// entry in each row, the diagonal from (row, column) on.
typedef struct trm_block {
    int row, column; ///< of its first entry
    unsigned short rows, columns;
} trm_block;

/// The positions of the entries of a matrix. Zero-initialised: dense, column by column. Otherwise
/// `count` entries (row[k], column[k]), each position at most once, values written in that order.
/// Or, with `row` and `column` NULL, in blocks, which take little memory: blocks of the same rows
/// next to each other lie side by side, and their values are written row by row.
typedef struct trm_pattern {
    int count;
    const int *row;
    const int *column;
    int blocks;
    const trm_block *block;
} trm_pattern;

enum {
    TRM_PATTERN_DENSE = 0,     ///< .count: all entries, column by column
    TRM_PATTERN_DIAGONAL = -1, ///< .count: the diagonal only
    TRM_PATTERN_ZERO = -2      ///< .count: no entries, nothing to supply
};

/// Fills every quantity k with want[k] != NULL that is named in trm_system.evaluates. One call can
/// share sines, cosines and geometry between the quantities.
typedef int trm_evaluate_function(const trm_state *state, double *const want[TRM_QUANTITY_COUNT],
                                  void *user);

/// Called at an accepted point, never inside a step: updates the held values (centres of rotation
/// charts, counts of full turns) where necessary. Returns 0: nothing changed; 1: values changed,
/// the coordinates keep their meaning; 2: the meaning of the coordinates changed, and `reexpress`
/// is called for every point the library keeps.
typedef int trm_settle_function(const trm_state *state, double *held, void *user);

/// Transforms one point from the coordinates that belong to the held values `from` to those of
/// `to`: positions, velocities and accelerations (may be NULL), in place. Returns 0, or 1 when the
/// point has no coordinates there: then the library discards it and all earlier points.
typedef int trm_reexpress_function(const double *from, const double *to, double *q, double *v,
                                   double *a, void *user);

/// The gaps of one-sided forces, which begin to act where their gap closes (becomes 0): values,
/// time derivatives and, unless NULL, second ones with the accelerations of the state. A rate that
/// needs accelerations is NAN where the state has none, its derivative without that of the
/// accelerations. A rate that is NAN everywhere is not known: when the gap closes is found after
/// steps only, or with switches_of_multipliers as there. A gap is NAN where it has no meaning,
/// since nothing of its force acts. While the library has set the lock of a gap, a held value, to
/// 1, its force must not act, however far the gap is closed: integrators step up to where it closes
/// and never over it. Returns as a trm_function.
typedef int trm_switch_function(const trm_state *state, double *gap, double *rate, double *second,
                                void *user);

/// How much gaps bend on the way from one state to another, along the cubics through positions and
/// velocities, with states and algebraic variables between both: bounds of the second derivatives
/// |gap''|, -1 for a gap that keeps its sign, INFINITY where they are too large, NAN where none is
/// known. With them a gap that closes and opens again inside a step is found, however short it is
/// closed and however often. The states have no accelerations and no multipliers. Returns 0; what
/// else it returns means that nothing is known.
typedef int trm_switch_bend_function(const trm_state *from, const trm_state *to, double *bend,
                                     void *user);

/// Checks at the end of an accepted step the condition of one warning of the system, 0 ..
/// n_warnings - 1. Returns 0, or 1 with a text, which is logged as a warning with the time, once in
/// a simulation. At every state all numbers are asked for, in ascending order: what they share may
/// be prepared at the first. Must not change anything else.
typedef int trm_warning_function(const trm_state *state, int number, char *text, size_t size,
                                 void *user);

/// The first time after t, and up to t_end, at which a function of the system jumps or has a kink
/// because of t alone: the first number at which it is another function than just before. INFINITY:
/// none. Steps end just before it and begin again at it. A constraint must not jump there; where
/// its rate, or that of an excitation the accelerations depend on, jumps, velocities do.
typedef double trm_break_function(double t, double t_end, void *user);

/// For modes about a motion, where coordinates turn with a body: a constant small change of the
/// state has coordinates dq(t), dv(t) that vary with time. Sets their derivatives dq', dv'.
typedef int trm_transport_function(const trm_state *state, const double *dq, const double *dv,
                                   double *dq_rate, double *dv_rate, void *user);

/// Writes the name of a coordinate or a row, like snprintf: for systems with too many of them for
/// arrays of names.
typedef int trm_name_function(int index, char *name, size_t size, void *user);

/// A system. The library keeps a copy of this struct and borrows everything it points to.
typedef struct trm_system {
    size_t size;      ///< sizeof(trm_system) in the program that fills it; 0: not checked
    const char *name; ///< used in messages; may be NULL
    int n_q, n_x, n_z, n_g, n_a, n_u; ///< sizes
    int n_i;                          ///< invariants, such as energy; projected by some methods
    int n_p; ///< parameters that enter the forces alone: columns of TRM_QUANTITY_FORCE_P
    trm_function
        *function[TRM_QUANTITY_COUNT];       ///< MASS and FORCE are required, CONSTRAINT if n_g > 0
    trm_pattern pattern[TRM_QUANTITY_COUNT]; ///< patterns of the matrices
    trm_evaluate_function *evaluate;         ///< optional: several quantities at once
    uint64_t evaluates;                      ///< bits of the quantities `evaluate` fills
    uint64_t constant;                       ///< bits of the quantities that never change
    int n_bodies;                            ///< bodies, for the block solver; 0: not declared
    const int *body_first;                   ///< coordinates of body b: body_first[b] .. [b+1]-1
    int n_joints;                            ///< joints, for the block solver
    const int *joint_first;                  ///< rows of joint j: joint_first[j] .. [j+1]-1
    const char *const *q_names;              ///< names of positions; may be NULL
    const char *const *x_names;              ///< names of states; may be NULL
    const char *const *z_names;              ///< names of algebraic variables; may be NULL
    const char *const *g_names;              ///< names of rows of g, then of A; may be NULL
    const char *const *i_names;              ///< names of invariants; may be NULL
    trm_name_function *q_name;               ///< used instead of q_names; may be NULL
    trm_name_function *g_name;               ///< used instead of g_names; may be NULL
    const double *q_scale;                   ///< typical sizes of positions, NULL: 1. Absolute
                                             ///< tolerances and difference increments are
                                             ///< multiplied by typical sizes
    const double *v_scale;                   ///< typical sizes of velocities, NULL: 1
    const double *x_scale;                   ///< typical sizes of states, NULL: 1
    const double *z_scale;                   ///< typical sizes of algebraic variables, NULL: 1
    double t_scale;                          ///< typical time, for differences by t; 0: 1 s
    const double *q_size;                    ///< relative tolerances of q refer to this size
                                             ///< instead of |q|: 1 for angles, 0: |q|
    int q_size_period;                       ///< of q_size, which repeats; 0: n_q
    int n_held;                              ///< values that change between steps only
    const double *held;                      ///< their values at the start
    trm_settle_function *settle;             ///< may be NULL
    trm_reexpress_function *reexpress;       ///< needed when settle may return 2
    int first_memory, n_memories;            ///< held values that depend on the motion, as what a
                                             ///< force remembers does: differentiated with it
    int n_switches;                          ///< gaps of one-sided forces
    trm_switch_function *switches;           ///< needed if n_switches > 0
    trm_switch_bend_function *switch_bends;  ///< may be NULL: no bounds are known
    int first_lock;                          ///< index of the first lock of a gap among the held
                                             ///< values, which are 0 at the start
    bool switches_of_multipliers;            ///< gaps with a rate NAN are s or -s of conditions of
                                             ///< multipliers: steps end where s changes sign
    trm_transport_function *transport;       ///< may be NULL: coordinates keep their meaning
    int n_warnings;                          ///< warnings that a run may give rise to
    trm_warning_function *warning;           ///< needed if n_warnings > 0
    trm_break_function *next_break;          ///< may be NULL: all functions are smooth in t
    void *user;                              ///< passed to every callback
} trm_system;

/// Checks sizes, patterns and required callbacks.
TRM_API trm_status trm_system_validate(const trm_system *system, trm_error *error);

/// Rows and columns of a quantity for this system.
TRM_API void trm_system_shape(const trm_system *system, trm_quantity quantity, int *rows,
                              int *columns);

/// Writes the name of coordinate i: that of the system, otherwise "q[3]". Truncated if it does not
/// fit; returns the buffer.
TRM_API const char *trm_coordinate_name(const trm_system *system, int i, char *buffer, size_t size);

/// Writes the name of row i of g and A: that of the system, otherwise "row[3]". Truncated if it
/// does not fit; returns the buffer.
TRM_API const char *trm_row_name(const trm_system *system, int i, char *buffer, size_t size);

/// Rows and columns of the entries of a pattern with count > 0, in the order of their values.
TRM_API void trm_pattern_list(const trm_pattern *pattern, int *row, int *column);

/// "CONSTRAINT_Q", for messages. Never NULL.
TRM_API const char *trm_quantity_name(trm_quantity quantity);

#ifdef __cplusplus
}
#endif
#endif
