// SPDX-License-Identifier: Apache-2.0
// Runs of Radau IIA with one matrix for all stages in every step but the first, which has no order
// of elimination yet.
#ifndef VERIFY_RADAU_COUPLED_H
#define VERIFY_RADAU_COUPLED_H

#include "solver/integrator/radau/radau.h"

#include <limits.h>

// After every step (a verify_watch): the next one is coupled, and no trial of the other corrector.
static inline void keep_coupled(trm_simulation *s, void *user)
{
    (void)user;
    trmi_radau_order_rescue(s);
    trmi_radau_of(s)->order.left = INT_MAX;
}

#endif
