// SPDX-License-Identifier: Apache-2.0
// A single mass of 1 kg, q'' = f: its quantities for tests of the step loop.
#ifndef TRM_TESTS_ONE_MASS_H
#define TRM_TESTS_ONE_MASS_H

#include "trammel/trammel.h"

static inline int unit_mass(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 1;
    return 0;
}

static inline int no_force(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 0;
    return 0;
}

#endif
