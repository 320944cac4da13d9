// SPDX-License-Identifier: Apache-2.0
// Assembly: coordinates and velocities of a tree for which its loops are closed, near the start
// values. What is kept stays where it is; what was given as a guess moves less than the rest.
#ifndef TRMI_MODELLING_MULTIBODY_ASSEMBLY_H
#define TRMI_MODELLING_MULTIBODY_ASSEMBLY_H

#include "modelling/multibody/rows/row_assembly.h"

enum { TRMI_MAX_MOVES = 8 };

// A start rate, or angle, that was given as a guess and that the constraints do not allow.
typedef struct trmi_move {
    int joint, measure;
    bool rate;
    double given, became;
} trmi_move;

typedef struct trmi_assembly {
    double before, after; // largest violation of a row
    double rate_before;   // of the velocities
    int iterations;
    int moves; // start values that were changed; the first of them
    trmi_move move[TRMI_MAX_MOVES];
    bool skipped; // the factors need too much memory: the start of the simulation has to do it
} trmi_assembly;

// The state has t, u and held; q and v are the start values and are changed, unless the loops are
// closed already. TRM_ERR_INITIAL: they cannot be closed, or only the wrong way round.
trm_status trmi_close_loops(const trmi_mechanism *mechanism, const trmi_tree *tree,
                            const trmi_constraints *constraints, trm_state state, double *q,
                            double *v, trmi_assembly *report, trm_error *error);

// Why they cannot be (assembly_failure.c): rows p that stay off, a joint that is turned.
trm_status trmi_assembly_not_closed(const trmi_mechanism *mechanism,
                                    const trmi_constraints *constraints, const double *p,
                                    const trmi_assembly *report, trm_error *error);
trm_status trmi_assembly_overturned(const trmi_mechanism *mechanism, int joint, trm_error *error);

#endif
