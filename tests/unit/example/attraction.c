// SPDX-License-Identifier: Apache-2.0
// The example of CONTRIBUTING.md: two points attract each other as magnets or masses do, with a
// drag. This would be the file src/modelling/multibody/forces/attraction.c.
#include "modelling/multibody/forces/forces.h"

typedef struct attraction {
    trmi_force force;
    double strength, drag;
} attraction;

static const trmi_parameter strength = {"strength", TRMI_PARAMETER_POSITIVE,
                                        offsetof(attraction, strength), .required = true,
                                        .help = "k in k/p^2, N m^2"};
static const trmi_parameter drag = {"drag", TRMI_PARAMETER_NOT_NEGATIVE, offsetof(attraction, drag),
                                    .preset = "0", .help = "N s/m"};

// F = k/p^2 + c p', stored -k/p
static void attract(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const attraction *a = (const attraction *)element->force;
    double k = a->strength, c = a->drag, p = in->p[0], v = in->v[0];
    out->F[0] = k / (p * p) + c * v;
    out->F_p[0][0] = -2 * k / (p * p * p);
    out->F_v[0][0] = c;
    out->potential = -k / p;
    out->dissipated = c * v * v;
    out->failed = !(p > 0);
}

const trmi_force_type trmi_force_attraction = {
    .name = "attraction",
    .help = "two points attract each other",
    .row = {&trmi_plain_length},
    .law = attract,
    .parameter = {&trmi_force_between, &trmi_force_from, &trmi_force_to, &strength, &drag},
    .size = sizeof(attraction),
};
