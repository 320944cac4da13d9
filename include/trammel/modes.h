// SPDX-License-Identifier: Apache-2.0
/// Modes: frequencies, damping and shapes of a system that moves little about a state.
///
/// The equations of motion on the constraints, y' = F(y) with y = (independent positions,
/// independent velocities, x), are linearised at the state: dy' = F_y dy. The eigenvalues
/// s of F_y describe how small deviations grow and oscillate, exp(s t). This is exact at an
/// equilibrium and in steady motion, where F_y does not change with time; elsewhere it holds at
/// that instant only.
#ifndef TRAMMEL_MODES_H
#define TRAMMEL_MODES_H

#include "trammel/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct trm_modes trm_modes;

/// One mode: a pair of conjugate eigenvalues s = growth +- i omega, or a real one (omega = 0).
typedef struct trm_mode {
    double growth;           ///< Re s in 1/s; > 0: unstable
    double omega;            ///< |Im s| in rad/s
    double frequency;        ///< omega / 2 pi in Hz
    double damping;          ///< -Re s / |s|: 0 undamped, 1 aperiodic, < 0 growing; 0 for s = 0
    double uncertainty;      ///< roundoff in s; what is not above it is given as 0
    int pair;                ///< 1: with its conjugate, 0: real
    const double *shape;     ///< n_q + n_x: Re of (dq, dx), the largest |entry| being 1
    const double *imaginary; ///< n_q + n_x: Im, where the parts do not move in phase
} trm_mode;

/// How the modes were found, and what kind of state they belong to.
typedef struct trm_modes_report {
    int states;           ///< order of F_y
    int mobility;         ///< independent velocities
    int redundant;        ///< constraint rows that follow from others
    double velocity;      ///< largest |v|
    int fastest;          ///< its coordinate
    double acceleration;  ///< largest |v'|
    int most_accelerated; ///< its coordinate
    int at_rest;          ///< 1: v = 0
    int balanced;         ///< 1: v' = 0 up to roundoff of the forces
    int iterations;       ///< of a subspace, or products with a shifted inverse; 0: dense matrix
    const char *solver;   ///< linear solver in use
    double frequency;     ///< in Hz, near which modes were computed; 0: the lowest
} trm_modes_report;

/// Computes modes at a state, which is made consistent as at the start of a simulation (option
/// start); v', z and multipliers are computed. The modes are sorted by |s|, smallest first; count =
/// 0: all of them, or the lowest ten of a large system. For systems in equilibrium with more than
/// 500 coordinates the lowest modes are found by iteration with sparse matrices; other systems, and
/// those of which all damped modes are requested, are treated with dense matrices, up to 1500
/// coordinates. On failure *out is NULL; error may be NULL.
TRM_API trm_status trm_modes_create(trm_modes **out, const trm_system *system,
                                    const trm_options *options, const trm_initial *at, int count,
                                    trm_error *error);

/// Computes the modes closest to a frequency in Hz, s = 2 pi i frequency; 0: the lowest ones.
TRM_API trm_status trm_modes_create_near(trm_modes **out, const trm_system *system,
                                         const trm_options *options, const trm_initial *at,
                                         int count, double frequency, trm_error *error);

/// Frees the modes. NULL is allowed.
TRM_API void trm_modes_destroy(trm_modes *modes);

/// The number of modes.
TRM_API int trm_modes_count(const trm_modes *modes);

/// One mode, borrowed until trm_modes_destroy; NULL for an index out of range.
TRM_API const trm_mode *trm_modes_get(const trm_modes *modes, int index);

/// The report, borrowed until trm_modes_destroy.
TRM_API const trm_modes_report *trm_modes_get_report(const trm_modes *modes);

#ifdef __cplusplus
}
#endif
#endif
