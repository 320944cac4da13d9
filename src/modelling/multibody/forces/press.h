// SPDX-License-Identifier: Apache-2.0
// The law of one-sided forces: what pushes while the depth d is positive,
//
//     N = k d^n h_+(1 + c d')
//
// h_+(h) is h from e = 0.01 on, 0 below -e and (h + e)^2/4e between, so that N never pulls and is
// continuously differentiable also where h changes its sign.
#ifndef TRMI_MODELLING_MULTIBODY_FORCES_PRESS_H
#define TRMI_MODELLING_MULTIBODY_FORCES_PRESS_H

#include "modelling/multibody/forces/forces.h"

typedef struct trmi_press_law {
    double stiffness, damping, exponent;
} trmi_press_law;

typedef struct trmi_press {
    double N, N_d, N_v, potential, lost;
} trmi_press;

// open: it does not act, however deep.
trmi_press trmi_press_on(const trmi_press_law *law, double d, double rate, bool open);

// N along row 0, against it where its value is the depth (sign 1), with it where it is minus that.
static inline void trmi_press_put(const trmi_press *on, double sign, trmi_law *out)
{
    out->F[0] = sign * on->N;
    out->F_p[0][0] = on->N_d;
    out->F_v[0][0] = on->N_v;
    out->potential = on->potential;
    out->dissipated = on->lost;
}

// Checks stiffness and exponent. False after an error.
bool trmi_finish_press(trmi_finish *finish, const trmi_force *force, const trmi_press_law *law);

// The parameters of the law, in a struct with a member `law`.
#define TRMI_PRESS_STIFFNESS(type)                                                                 \
    {                                                                                              \
        "stiffness", TRMI_PARAMETER_POSITIVE, offsetof(type, law.stiffness),                       \
            .preset = "0", .help = "k in k d^n (1 + c d')"                                         \
    }
#define TRMI_PRESS_DAMPING(type)                                                                   \
    {                                                                                              \
        "damping", TRMI_PARAMETER_NOT_NEGATIVE, offsetof(type, law.damping),                       \
            .preset = "0", .help = "c, s/m", .unit = "s/m"                                         \
    }
#define TRMI_PRESS_EXPONENT(type)                                                                  \
    {                                                                                              \
        "exponent", TRMI_PARAMETER_POSITIVE, offsetof(type, law.exponent), .preset = "1.5",        \
                                                                           .help = "n, above 1"    \
    }

#endif
