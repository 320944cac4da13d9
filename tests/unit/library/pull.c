// SPDX-License-Identifier: Apache-2.0
// Forces as a shared object, for the tests: `pull` draws the second body back along the first axis,
// `refuse` cannot be opened, `old` belongs to headers of another version.
#include "trammel/force.h"

#include <stdio.h>

static int draw_back(double t, const double p[6], const double v[6], double F[6], double F_p[36],
                     double F_v[36], void *user)
{
    (void)t, (void)v, (void)user, (void)F_v;
    for (int i = 0; i < 6; i++)
        F[i] = 0;
    F[0] = -100 * p[0];
    if (F_p)
        F_p[0] = -100;
    return 0;
}

trm_force_open_function pull, refuse, old;

trm_status pull(trm_user_force *out, trm_error *error)
{
    (void)error;
    *out = (trm_user_force){.size = sizeof *out, .force = draw_back};
    return TRM_OK;
}

trm_status old(trm_user_force *out, trm_error *error)
{
    (void)error;
    *out = (trm_user_force){.size = sizeof *out - 8, .force = draw_back};
    return TRM_OK;
}

trm_status refuse(trm_user_force *out, trm_error *error)
{
    (void)out;
    snprintf(error->text, sizeof error->text, "there is no force today");
    return TRM_ERR_OPTION;
}
