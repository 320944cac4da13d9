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

// "strut_length by 0.5 m"
static void describe_row(const trmi_mechanism *m, const trmi_constraints *c, int row,
                         const char *name, double p, const char *by, char *text, size_t size)
{
    const char *unit = "";
    for (int i = 0; i < c->joints; i++)
        for (int k = 0; k < c->joint[i].rows; k++) {
            const trmi_row_type *type = trmi_constraint_type(&c->joint[i], k);
            if (trmi_constraint_number(&c->joint[i], k) == row && type->distance) {
                p = type->distance(p, trmi_extra_of(&m->joint[c->joint[i].joint]).size);
                unit = " m";
            }
        }
    snprintf(text, size, "%.60s%s %.3g%s", name, by, p, unit);
}

trm_status trmi_assembly_not_closed(const trmi_mechanism *m, const trmi_constraints *c,
                                    const double *p, const trmi_assembly *report, trm_error *error)
{
    char name[80], second[80], off[100], also[100] = "";
    int worst = find_worst(p, c->n_g, -1), next = c->n_g > 1 ? find_worst(p, c->n_g, worst) : worst;
    trmi_constraints_row_name(c, worst, name, sizeof name);
    trmi_constraints_row_name(c, next, second, sizeof second);
    describe_row(m, c, worst, name, p[worst], " is off by", off, sizeof off);
    if (next != worst && fabs(p[next]) > 0.1 * fabs(p[worst]))
        describe_row(m, c, next, second, p[next], " by", also, sizeof also);
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
