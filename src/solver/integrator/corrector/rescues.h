// SPDX-License-Identifier: Apache-2.0
// Rescues of the nested corrector: retries of a step of the same length, in turn, where Newton's
// iteration diverged with derivatives evaluated for it.
//
//     retry with                      applies where                               lasts for
//     the unsymmetric matrix          the block solver had its symmetric part     1000 attempts
//     multipliers of the residual     those of the last point were in the matrix  2 to 20 attempts
//     a fresh matrix per iteration    alpha methods, algebraic variables          the retry
//     velocities of the last point    forces depend on velocities                 the retry
#ifndef TRMI_SOLVER_INTEGRATOR_CORRECTOR_RESCUES_H
#define TRMI_SOLVER_INTEGRATOR_CORRECTOR_RESCUES_H

#include "solver/integrator/corrector/corrector.h"

typedef struct trmi_rescue {
    const char *name; // for the log
    // Whether the retry differs from what was tried, and may help.
    bool (*applies)(const trmi_corrector *c);
    void (*prepare)(trmi_corrector *c);
    // After the retry. NULL: what was prepared stays for the number of attempts in the table above.
    void (*undo)(trmi_corrector *c, bool succeeded);
    // The attempt is counted here: retries of later rows have the number of the next attempt.
    bool counts_attempt;
} trmi_rescue;

// In the order in which they are tried.
enum { TRMI_RESCUE_COUNT = 4 };
extern const trmi_rescue trmi_rescues[TRMI_RESCUE_COUNT];

// One try of a step, with derivatives evaluated for it (fresh) or kept ones.
typedef trmi_outcome trmi_try(trmi_corrector *c, const trmi_stage *stage, bool fresh);
// The try, and where it diverges with fresh derivatives those of the rescues that apply.
trmi_outcome trmi_try_with_rescues(trmi_corrector *c, const trmi_stage *stage, bool fresh,
                                   trmi_try *try_once);

#endif
