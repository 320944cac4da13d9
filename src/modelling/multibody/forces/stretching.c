// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/forces/stretching.h"

#include "modelling/multibody/rows/stretching.h"

// F = EA/L (p + c p'), positive when it pulls
static void law(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const trmi_stretching_force *f = (const trmi_stretching_force *)element->force;
    double k = f->stiffness, c = f->damping * k, p = in->p[0], v = in->v[0];
    out->F[0] = k * p + c * v;
    out->F_p[0][0] = k;
    out->F_v[0][0] = c;
    out->potential = 0.5 * k * p * p;
    out->dissipated = c * v * v;
}

const trmi_force_type trmi_force_stretching = {
    .name = "stretching",
    .help = "an element of a beam stretches",
    .holds = true,
    .scalar = "force",
    .sign = 1,
    .row = {&trmi_stretching},
    .law = law,
    .parameter = {NULL},
    .size = sizeof(trmi_stretching_force),
};
