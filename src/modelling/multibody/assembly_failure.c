// SPDX-License-Identifier: Apache-2.0
// Why a mechanism could not be assembled.
#include "modelling/multibody/assembly.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

// the row that is off most, apart from `other`
static int find_worst(const double *p, int n_g, int other)
{
    int worst = other == 0 ? 1 : 0;
    for (int r = 0; r < n_g; r++)
        worst = r != other && fabs(p[r]) > fabs(p[worst]) ? r : worst;
    return worst;
}

static const trmi_joint *joint_of_row(const trmi_mechanism *m, const trmi_constraints *c, int row)
{
    for (int i = 0; i < c->joints; i++)
        for (int k = 0; k < c->joint[i].rows; k++)
            if (trmi_constraint_number(&c->joint[i], k) == row)
                return &m->joint[c->joint[i].joint];
    return NULL;
}

// "strut_length by 0.5 m": the row of a rod is p = (d^2 - L^2)/2L, what is meant is d - L
static void say_row(const trmi_joint *joint, const char *name, double p, const char *by, char *text,
                    size_t size)
{
    bool rod = joint && joint->kind == TRMI_JOINT_ROD;
    double length = rod ? trmi_more_of(joint).size : 0;
    if (rod)
        p = sqrt(fmax(length * (length + 2 * p), 0)) - length;
    snprintf(text, size, "%.60s%s %.3g%s", name, by, p, rod ? " m" : "");
}

trm_status trmi_assembly_not_closed(const trmi_mechanism *m, const trmi_constraints *c,
                                    const double *p, const trmi_assembly *report, trm_error *error)
{
    char name[80], second[80], off[100], also[100] = "";
    int worst = find_worst(p, c->n_g, -1), next = c->n_g > 1 ? find_worst(p, c->n_g, worst) : worst;
    trmi_constraints_row_name(c, worst, name, sizeof name);
    trmi_constraints_row_name(c, next, second, sizeof second);
    say_row(joint_of_row(m, c, worst), name, p[worst], " is off by", off, sizeof off);
    if (next != worst && fabs(p[next]) > 0.1 * fabs(p[worst]))
        say_row(joint_of_row(m, c, next), second, p[next], " by", also, sizeof also);
    trmi_error_item(error, "constraint %s", name);
    trmi_error_advise(error, "give start values nearer to an assembled position, keep fewer, or "
                             "remove what contradicts");
    return trmi_error_set(
        error, TRM_ERR_INITIAL,
        "the mechanism cannot be assembled: %s%s%s after %d iterations (rows up to "
        "%.3g at the start values)",
        off, also[0] ? ", " : "", also, report->iterations, report->before);
}

trm_status trmi_assembly_overturned(const trmi_mechanism *m, int joint, trm_error *error)
{
    const char *name = m->joint[joint].name;
    trmi_error_item(error, "joint %s", name);
    trmi_error_advise(error, "give start values nearer to the position that is meant");
    return trmi_error_set(error, TRM_ERR_INITIAL,
                          "joint %s closes the wrong way round: an axis points backwards or half a "
                          "turn is too much",
                          name);
}
