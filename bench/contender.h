// SPDX-License-Identifier: Apache-2.0
// A mechanism described by its parts, integrated by Trammel and by other multibody codes.
#ifndef CONTENDER_H
#define CONTENDER_H

#include "peer_run.h"

#ifdef __cplusplus
extern "C" {
#endif

/// "chain": rods of 1 m and 1 kg in a row, released at rest. "four-bar": loops of such rods.
typedef struct contest {
    const char *script; ///< scripts/make-mechanism
    int four_bar;       ///< otherwise the chain
    int size;           ///< links or loops
    int bodies;         ///< chain: links; four-bar: cranks first, then couplers
    double t_end;
    double accuracy; ///< relative tolerance, or the step of codes without error control
} contest;

/// Builds the model, integrates, and writes x, y and angle of every body into run->q. Returns the
/// CPU seconds of the integration alone, with the creation of the integrator.
typedef double contender_function(const contest *c, peer_run *run);

contender_function contend_absolute; ///< Trammel, absolute coordinates, defaults
contender_function contend_joint;    ///< Trammel, joint coordinates, defaults; chain only
contender_function contend_explicit; ///< Trammel, joint coordinates, explicit formalism, adams
contender_function contend_simbody;  ///< Simbody: Runge-Kutta-Merson on joint coordinates
contender_function contend_cpodes;   ///< Simbody: CPodes (BDF, Newton) on joint coordinates
contender_function contend_mujoco;   ///< RK4 with a constant step on joint coordinates

#ifdef __cplusplus
}
#endif
#endif
