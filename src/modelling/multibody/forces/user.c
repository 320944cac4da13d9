// SPDX-License-Identifier: Apache-2.0
// Forces from shared objects: three displacements and three rotations.
#include "modelling/multibody/forces/forces.h"

#include <float.h>
#include <string.h>

typedef struct user_force {
    trmi_force force;
    const trm_user_force *user;
} user_force;

static const trmi_parameter library = {"library", TRMI_PARAMETER_LIBRARY,
                                       offsetof(user_force, user), .required = true,
                                       .help = "path of a shared object"};
static const trmi_parameter name = {"name", TRMI_PARAMETER_LIBRARY_NAME, 0, .required = true,
                                    .help = "the function it exports"};

// one column of a derivative by central differences: (F(x + h) - F(x - h))/(2h)
static int difference(const trm_user_force *user, double t, double *x, const double *p,
                      const double *v, double *column)
{
    double kept = *x, h = cbrt(DBL_EPSILON) * (1 + fabs(kept)), plus[6], minus[6];
    *x = kept + h;
    int failed = user->force(t, p, v, plus, NULL, NULL, user->user);
    *x = kept - h;
    failed = failed ? failed : user->force(t, p, v, minus, NULL, NULL, user->user);
    *x = kept;
    for (int i = 0; i < 6; i++)
        column[i] = (plus[i] - minus[i]) / (2 * h);
    return failed;
}

static int differentiate(const trm_user_force *user, const trmi_law_input *in, double F_p[36],
                         double F_v[36])
{
    double p[6], v[6], column[6];
    int failed = 0;
    memcpy(p, in->p, sizeof p);
    memcpy(v, in->v, sizeof v);
    for (int j = 0; j < 12 && !failed; j++) {
        double *out = j < 6 ? F_p + j : F_v + j - 6;
        failed = difference(user, in->t, j < 6 ? &p[j] : &v[j - 6], p, v, column);
        for (int i = 0; i < 6; i++)
            out[6 * i] = column[i];
    }
    return failed;
}

// users give the force on the second body, laws the one that pulls it back
static void law(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const trm_user_force *user = ((const user_force *)element->force)->user;
    double F[6], F_p[36] = {0}, F_v[36] = {0};
    bool asked = in->derivatives && !user->differences;
    out->failed =
        user->force(in->t, in->p, in->v, F, asked ? F_p : NULL, asked ? F_v : NULL, user->user);
    if (!out->failed && in->derivatives && user->differences)
        out->failed = differentiate(user, in, F_p, F_v);
    for (int i = 0; i < 6 && !out->failed; i++) {
        out->F[i] = -F[i];
        out->supplied += F[i] * in->v[i];
        for (int j = 0; j < 6; j++) {
            out->F_p[i][j] = -F_p[6 * i + j];
            out->F_v[i][j] = -F_v[6 * i + j];
        }
    }
}

const trmi_force_type trmi_force_user = {
    .name = "user",
    .help = "a force from a shared object",
    .row = {&trmi_slide[0], &trmi_slide[1], &trmi_slide[2], &trmi_rotation[0], &trmi_rotation[1],
            &trmi_rotation[2]},
    .acts = TRMI_ACTS_WITH_BOTH,
    .law = law,
    .parameter = {&trmi_force_between, &trmi_force_at, &trmi_force_frame, &library, &name},
    .size = sizeof(user_force),
    .finish = trmi_finish_at,
};
