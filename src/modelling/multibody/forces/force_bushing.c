// SPDX-License-Identifier: Apache-2.0
// Laws of six rows, three displacements and three rotations: bushings, beams and what users write.
#include "modelling/multibody/forces/force.h"

#include <float.h>
#include <string.h>

// F = K x + C v + F_0, x = p - natural
void trmi_law_bushing(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const double *K = element->stiffness, *C = element->damping;
    for (int i = 0; i < 6; i++) {
        double elastic = 0, drag = 0, preload = element->force->preload[i];
        double x = in->p[i] - element->natural[i];
        for (int j = 0; j < 6; j++) {
            elastic += K[6 * i + j] * (in->p[j] - element->natural[j]);
            drag += C[6 * i + j] * in->v[j];
            out->F_p[i][j] = K[6 * i + j];
            out->F_v[i][j] = C[6 * i + j];
        }
        out->F[i] = elastic + preload + drag;
        out->potential += x * (elastic / 2 + preload);
        out->dissipated += drag * in->v[i];
    }
}

// diag(EA/L, 12 E I_z/L^3, 12 E I_y/L^3, GJ/L, E I_y/L, E I_z/L); with shear the two bending terms
// are divided by 1 + 12 E I/(k G A L^2)
void trmi_beam_stiffness(const trmi_force *beam, double length, double K[36])
{
    double E = beam->e_modulus, G = beam->g_modulus, L = length;
    double shear = beam->shear > 0 ? 12 * E / (beam->shear * G * beam->area * L * L) : 0;
    const double diagonal[6] = {
        E * beam->area / L,
        12 * E * beam->i_z / (L * L * L) / (1 + shear * beam->i_z),
        12 * E * beam->i_y / (L * L * L) / (1 + shear * beam->i_y),
        G * beam->j_torsion / L,
        E * beam->i_y / L,
        E * beam->i_z / L,
    };
    memset(K, 0, 36 * sizeof *K);
    for (int i = 0; i < 6; i++)
        K[7 * i] = diagonal[i];
}

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
void trmi_law_user(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const trm_user_force *user = element->user;
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

void trmi_law_load(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    (void)element, (void)in, (void)out;
}
