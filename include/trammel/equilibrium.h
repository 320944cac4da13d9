// SPDX-License-Identifier: Apache-2.0
/// Static equilibrium: where a system stays at rest, and whether it comes back there.
///
///     f(t, q, v = 0, x, z, lambda) = G^T lambda,   g = 0,   b = 0,   x' = c = 0
///
/// The time is that of the start; excitations have their values of that time and stand still.
#ifndef TRAMMEL_EQUILIBRIUM_H
#define TRAMMEL_EQUILIBRIUM_H

#include "trammel/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct trm_equilibrium trm_equilibrium;

typedef enum trm_stability {
    TRM_STABILITY_STABLE,  ///< forces drive it back
    TRM_STABILITY_FREE,    ///< nothing drives it back, nothing away
    TRM_STABILITY_UNSTABLE ///< it goes away, or oscillates with growing amplitude
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

typedef struct trm_equilibrium_report {
    int iterations;          ///<
    int shifted;             ///< iterations with a shift, because the stiffness was not positive
    double correction;       ///< the last one, relative to the sizes of the coordinates
    double acceleration;     ///< largest |v'| that is left
    int most_accelerated;    ///< its coordinate
    double rate;             ///< largest |x'| that is left
    double constraint;       ///< largest |g|
    int mobility, redundant; ///< free motions; constraint rows that follow from others
    int directions;          ///< how many of the free motions are described: all, or the softest
    int unstable, free;      ///< directions that are not stable
    int pushed;              ///< unstable equilibria on the way that were left again
    const char *undecided;   ///< why the stability is not known, with no directions; otherwise NULL
} trm_equilibrium_report;

/// Looks for an equilibrium near a state, whose velocities are ignored. Newton's method with a
/// stiffness that is shifted by the mass where it is not positive, so that a way from afar ends at
/// a stable equilibrium; an unstable one on the way is left along its least stiff direction, a few
/// times. A start in an unstable one stays there, and the report says so. Positions
/// of rolling constraints move along these. TRM_ERR_NEWTON: none was found. From 200 coordinates on
/// matrices are sparse and only the softest directions are described; with states, algebraic
/// variables, rolling constraints, friction in joints or a stiffness that is not symmetric they are
/// dense, up to 1500 coordinates. On failure *out is NULL; error may be NULL.
TRM_API trm_status trm_equilibrium_create(trm_equilibrium **out, const trm_system *system,
                                          const trm_options *options, const trm_initial *at,
                                          trm_error *error);
TRM_API void trm_equilibrium_destroy(trm_equilibrium *equilibrium);

/// The state, v and a being 0; multipliers of redundant rows have the smallest norm. Borrowed.
TRM_API const trm_state *trm_equilibrium_state(const trm_equilibrium *equilibrium);
TRM_API const trm_equilibrium_report *
trm_equilibrium_get_report(const trm_equilibrium *equilibrium);

/// report.directions of them, the least stable first; NULL for an index out of range. Borrowed.
TRM_API const trm_static_direction *trm_equilibrium_direction(const trm_equilibrium *equilibrium,
                                                              int index);

#ifdef __cplusplus
}
#endif
#endif
