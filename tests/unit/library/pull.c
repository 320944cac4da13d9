// SPDX-License-Identifier: Apache-2.0
// A user force of a mechanism, for the tests: it pulls the second body along x of its marker with
// 5 N, and refuses to be opened under another name.
#include "trammel/force.h"

#include <stdio.h>
#include <string.h>

trm_status pull_open(trm_user_force *out, trm_error *error);
trm_status pull_never(trm_user_force *out, trm_error *error);

static int pull(double t, const double p[6], const double v[6], double F[6], double F_p[36],
                double F_v[36], void *user)
{
    (void)t, (void)p, (void)v, (void)user;
    memset(F, 0, 6 * sizeof *F);
    F[0] = 5;
    if (F_p)
        memset(F_p, 0, 36 * sizeof *F_p);
    if (F_v)
        memset(F_v, 0, 36 * sizeof *F_v);
    return 0;
}

trm_status pull_open(trm_user_force *out, trm_error *error)
{
    (void)error;
    *out = (trm_user_force){.force = pull};
    return TRM_OK;
}

trm_status pull_never(trm_user_force *out, trm_error *error)
{
    (void)out;
    snprintf(error->text, sizeof error->text, "not today");
    return TRM_ERR_OPTION;
}
