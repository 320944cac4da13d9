// SPDX-License-Identifier: Apache-2.0
/// Static equilibrium: a position in which a system stays at rest, and its stability. Steady
/// motion: one in which nothing accelerates, such as a vehicle at constant speed.
///
///     f(t, q, v, x, z, lambda) = G^T lambda,   g = 0,   b = 0,   x' = c = 0        at rest: v = 0
///
/// The time is that of the start; excitations keep their values of that time, their rates are 0; in
/// steady motion they keep their rates.
#ifndef TRAMMEL_EQUILIBRIUM_H
#define TRAMMEL_EQUILIBRIUM_H

#include "trammel/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct trm_equilibrium trm_equilibrium;

/// Stability of small motions along one direction.
typedef enum trm_stability {
    TRM_STABILITY_STABLE = 0,  ///< forces drive it back
    TRM_STABILITY_FREE = 1,    ///< no force acts along it
    TRM_STABILITY_UNSTABLE = 2 ///< it moves away, or oscillates with growing amplitude
} trm_stability;

/// One direction of small motions. The reduced stiffness against the mass has the eigenvalues
/// stiffness + i imaginary: without damping, deviations obey y'' = -(stiffness + i imaginary) y.
/// First-order states are held.
typedef struct trm_static_direction {
    double stiffness;   ///< in 1/s^2: omega^2 of a stable direction
    double imaginary;   ///< not 0: forces that follow the motion feed an oscillation
    double uncertainty; ///< roundoff of both; what is not above it is given as 0
    trm_stability stability;
    const double *shape; ///< n_q: dq, the largest |entry| being 1
} trm_static_direction;

/// How the equilibrium was found, and what is left of the equations.
typedef struct trm_equilibrium_report {
    int iterations;        ///< of Newton's method
    int shifted;           ///< iterations with a shift, because the stiffness was not positive
    double correction;     ///< the last one, relative to the sizes of the coordinates
    double acceleration;   ///< largest |v'| that is left
    int most_accelerated;  ///< its coordinate
    double rate;           ///< largest |x'| that is left
    double constraint;     ///< largest |g|
    int mobility;          ///< number of free motions
    int redundant;         ///< constraint rows that follow from others
    int directions;        ///< how many of the free motions are described: all, or the softest
    int unstable;          ///< directions with TRM_STABILITY_UNSTABLE
    int free;              ///< directions with TRM_STABILITY_FREE
    int pushed;            ///< unstable equilibria that the search met and left
    const char *undecided; ///< why the stability is unknown and there are no directions, or NULL
} trm_equilibrium_report;

/// Searches for an equilibrium near a state, whose velocities are ignored, by Newton's method. The
/// stiffness is shifted by the mass where it is not positive, so that a search that starts far away
/// ends at a stable equilibrium; an unstable one that it meets is left along its least stiff
/// direction, a few times. A search that starts at an unstable equilibrium stays there and reports
/// it as unstable. Positions of rolling constraints move along these. TRM_ERR_NEWTON: none was
/// found. From 200 coordinates on matrices are sparse and only the softest directions are
/// described; with states, algebraic variables, rolling constraints, friction in joints or a
/// stiffness that is not symmetric they are dense, up to 1500 coordinates. On failure *out is NULL;
/// error may be NULL.
TRM_API trm_status trm_equilibrium_create(trm_equilibrium **out, const trm_system *system,
                                          const trm_options *options, const trm_initial *at,
                                          trm_error *error);

/// What an equilibrium is to be. Zero-initialised: at rest, nothing held. Everything is borrowed
/// until the equilibrium is destroyed.
typedef struct trm_trim {
    int steady;      ///< 1: moving with the velocities of the state given; 0: at rest
    int n_hold;      ///< coordinates that a force holds where they are; in steady motion they keep
                     ///< their velocity and go on from there
    const int *hold; ///< which
    int n_rates;     ///< velocities that are found, from those given, so that nothing accelerates
    const int *rate; ///< of which coordinates
} trm_trim;

/// Searches for an equilibrium with held coordinates, or for a steady motion; trim may be NULL. A
/// steady motion is found by Newton's method with dense matrices, up to 1500 coordinates, from
/// nearby. All accelerations along the constraints are zero; velocities that constraints determine
/// follow. Positions that the forces do not depend on keep their values. The stability is not
/// decided: trm_modes_create at its state does that.
TRM_API trm_status trm_equilibrium_create_trimmed(trm_equilibrium **out, const trm_system *system,
                                                  const trm_options *options, const trm_initial *at,
                                                  const trm_trim *trim, trm_error *error);

/// The force along held coordinate number k, in the order of trim->hold, that holds it: 0 where the
/// system needs no help. 0 for a number out of range.
TRM_API double trm_equilibrium_holding_force(const trm_equilibrium *equilibrium, int k);

/// Frees the equilibrium. NULL is allowed.
TRM_API void trm_equilibrium_destroy(trm_equilibrium *equilibrium);

/// The state, at rest with v = a = 0; multipliers of redundant rows have the smallest norm.
/// Borrowed.
TRM_API const trm_state *trm_equilibrium_state(const trm_equilibrium *equilibrium);

/// The report. Borrowed.
TRM_API const trm_equilibrium_report *
trm_equilibrium_get_report(const trm_equilibrium *equilibrium);

/// One of the report.directions directions, the least stable first; NULL for an index out of range.
/// Borrowed.
TRM_API const trm_static_direction *trm_equilibrium_direction(const trm_equilibrium *equilibrium,
                                                              int index);

#ifdef __cplusplus
}
#endif
#endif
