// SPDX-License-Identifier: Apache-2.0
/// Forces and constraints of a mechanism that are written in C and loaded from a shared object.
///
/// A force acts between markers on two bodies, with the same axes in the reference configuration.
/// The six numbers p are the position of the second marker: p[0..2] relative to the first marker,
/// in the axes of that marker; p[3..5] the rotation vector from the axes of the first to those of
/// the second. v is the time derivative of p.
#ifndef TRAMMEL_FORCE_H
#define TRAMMEL_FORCE_H

#include "trammel/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Sets F: the forces on the second body along p[0..2] and the generalised moments along p[3..5],
/// so that F.v is the power of the force. F_p and F_v are the derivatives, 6 x 6 row by row; both
/// are NULL where they are not needed, or where the library forms them by differences. Returns 0; >
/// 0: cannot be evaluated here, retry with a smaller step; < 0: stop.
typedef int trm_force_function(double t, const double p[6], const double v[6], double F[6],
                               double F_p[36], double F_v[36], void *user);

/// What a law with parameters and signals gets.
typedef struct trm_force_input {
    double t;
    const double *p, *v;     ///< 6 numbers each, as above
    const double *parameter; ///< in the order of trm_user_force.parameter
    const double *signal;    ///< in the order of trm_user_force.signal
} trm_force_input;

/// What it gives. All derivatives are 0 before; they are NULL where they are not needed, or where
/// the library forms them by differences.
typedef struct trm_force_output {
    double *F;        ///< 6 numbers, as above
    double *F_p;      ///< 6 x 6 row by row
    double *F_v;      ///< 6 x 6 row by row
    double *F_signal; ///< by each signal the derivatives of the 6 components: number 6*signal + i
} trm_force_output;

/// A force that uses parameters and signals of the model file. Returns what a trm_force_function
/// returns.
typedef int trm_force_law_function(const trm_force_input *in, const trm_force_output *out,
                                   void *user);

/// What the shared object fills in. It must stay valid until `release` is called, and may serve
/// several simulations at once.
typedef struct trm_user_force {
    size_t size;               ///< sizeof(trm_user_force) in the shared object; 0: not checked
    trm_force_function *force; ///< NULL: there is a law
    int differences;           ///< 1: derivatives are formed by differences
    void *user;                ///< passed to force
    void (*release)(struct trm_user_force *force); ///< may be NULL
    trm_force_law_function *law;  ///< instead of force: with parameters and signals
    const char *const *parameter; ///< names of its parameters, NULL at the end; NULL: none
    const char *const *signal;    ///< names of its signals, likewise
} trm_user_force;

/// The function the shared object exports under the name given in the model file: fills *out. When
/// that is not possible, returns a status with a sentence in error->text.
typedef trm_status trm_force_open_function(trm_user_force *out, trm_error *error);

/// A constraint of a mechanism that is written in C: a function g of signals is zero. g_s: its
/// derivatives by the signals; g_ss: second derivatives, symmetric, row by row, NULL where they are
/// not needed, or where the library forms them by differences of g_s. All derivatives are 0 before.
/// Returns 0; otherwise g has no value there: the state is refused as with a formula that has none.
typedef int trm_constraint_function(const double *parameter, const double *signal, double *g,
                                    double *g_s, double *g_ss, void *user);

/// What the shared object of a constraint fills in, as trm_user_force.
typedef struct trm_user_constraint {
    size_t size; ///< sizeof(trm_user_constraint) in the shared object; 0: not checked
    trm_constraint_function *constraint; ///< required
    int differences;                     ///< 1: second derivatives are formed by differences
    void *user;                          ///< passed to constraint
    void (*release)(struct trm_user_constraint *constraint); ///< may be NULL
    const char *const *parameter; ///< names of its parameters, NULL at the end; NULL: none
    const char *const *signal;    ///< names of its signals, likewise
} trm_user_constraint;

/// The function that the shared object of a constraint exports, as trm_force_open_function.
typedef trm_status trm_constraint_open_function(trm_user_constraint *out, trm_error *error);

#ifdef __cplusplus
}
#endif
#endif
