// SPDX-License-Identifier: Apache-2.0
// Where the time of a run goes: the linker puts watching functions in place of those of the library
// (ld --wrap), and the callbacks of the system are wrapped. The library itself has nothing of it.
#ifndef WATCH_H
#define WATCH_H

#include "trammel/trammel.h"

typedef enum watch_phase {
    WATCH_REST,     ///< prediction, norms, step control, dispatch, copies
    WATCH_RESIDUAL, ///< callbacks of the residual, products M a and G^T lambda
    WATCH_JACOBIAN, ///< callbacks of derivatives, differences, what is kept of them
    WATCH_FACTOR,   ///< the matrix from its blocks, and its factors
    WATCH_SOLVE,    ///< solutions
    WATCH_PHASES
} watch_phase;

/// A system whose callbacks are watched. `inner` must live as long.
typedef struct watched_system {
    trm_system system;
    const trm_system *inner;
} watched_system;

void watch_system(watched_system *watched, const trm_system *inner);

/// Begins to count, all zero; until then the watching functions only pass on.
void watch_begin(void);
/// Ends it: seconds of each phase.
void watch_end(double seconds[WATCH_PHASES]);

#endif
