// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/rail/creep.h"

typedef trmi_dual dual;

// 1/|v| and 1/v; below `slow` (v^2 + s^2)/(2 s) takes the place of |v|
static void invert_speed(const trmi_creep *c, double v, dual *of_size, dual *of_speed)
{
    bool given = !isnan(c->speed);
    v = given ? copysign(c->speed, v) : v;
    double a = fabs(v), s = c->slow, size = a < s ? (v * v + s * s) / (2 * s) : a;
    double size_v = given ? 0 : a < s ? v / s : v > 0 ? 1 : -1;
    *of_size = trmi_dual_constant(1 / size);
    of_size->d[TRMI_CREEP_V] = -size_v / (size * size);
    *of_speed = trmi_dual_constant(v / (size * size));
    of_speed->d[TRMI_CREEP_V] =
        (given ? 0 : 1) / (size * size) - 2 * v * size_v / (size * size * size);
}

void trmi_creepages(const trmi_creep *c, const double V[4], dual nu[3])
{
    dual size, speed;
    invert_speed(c, V[TRMI_CREEP_V], &size, &speed);
    nu[0] = trmi_dual_mul(trmi_dual_variable(V[TRMI_CREEP_VX], TRMI_CREEP_VX), size);
    nu[1] = trmi_dual_mul(trmi_dual_variable(V[TRMI_CREEP_VY], TRMI_CREEP_VY), size);
    nu[2] = trmi_dual_mul(trmi_dual_variable(V[TRMI_CREEP_W], TRMI_CREEP_W), speed);
}

// x^p
static dual power(dual x, double p)
{
    double value = pow(x.v, p);
    return trmi_dual_chain(value, p * value / x.v, x);
}

// both by s(e)
static void saturate(dual F[2], double mu, dual N)
{
    dual size = trmi_dual_add(trmi_dual_mul(F[0], F[0]), trmi_dual_mul(F[1], F[1]));
    if (size.v == 0)
        return; // s = 1
    dual e = trmi_dual_div(trmi_dual_sqrt(size), trmi_dual_line(0, mu, N));
    dual s = e.v < 3 ? trmi_dual_chain(1 - e.v / 3 + e.v * e.v / 27, -1.0 / 3 + 2 * e.v / 27, e)
                     : trmi_dual_chain(1 / e.v, -1 / (e.v * e.v), e);
    for (int k = 0; k < 2; k++)
        F[k] = trmi_dual_mul(s, F[k]);
}

// each by itself, then both where they are more than dry friction together
static void saturate_apart(dual F[3], double mu, dual N)
{
    const dual most = trmi_dual_line(0, mu, N);
    dual share[2];
    for (int k = 0; k < 2; k++) {
        dual e = trmi_dual_div(F[k], most);
        double t = tanh(e.v);
        share[k] = trmi_dual_chain(t, 1 - t * t, e);
    }
    dual size = trmi_dual_add(trmi_dual_mul(share[0], share[0]), trmi_dual_mul(share[1], share[1]));
    for (int k = 0; k < 2; k++) {
        if (size.v > 1)
            share[k] = trmi_dual_div(share[k], trmi_dual_sqrt(size));
        F[k] = trmi_dual_mul(most, share[k]);
    }
    F[2] = trmi_dual_constant(0);
}

static void linear_forces(const trmi_creep *c, const dual nu[3], dual ab, dual F[3])
{
    const double *C = c->C;
    dual with_spin = trmi_dual_line(0, c->G * C[TRMI_C_23], power(ab, 1.5));
    dual square = trmi_dual_line(0, c->G * C[TRMI_C_33], trmi_dual_mul(ab, ab));
    F[0] = trmi_dual_mul(trmi_dual_line(0, -c->G * C[TRMI_C_11], ab), nu[0]);
    F[1] = trmi_dual_sub(trmi_dual_mul(trmi_dual_line(0, -c->G * C[TRMI_C_22], ab), nu[1]),
                         trmi_dual_mul(with_spin, nu[2]));
    F[2] = trmi_dual_sub(trmi_dual_mul(with_spin, nu[1]), trmi_dual_mul(square, nu[2]));
}

void trmi_creep_forces(const trmi_creep *c, const double V[4], double N, double K, dual F[3])
{
    const dual load = trmi_dual_variable(N, TRMI_CREEP_N);
    dual nu[3], size = trmi_dual_line(0, 1 / c->N_0, load);
    if (c->follows)
        size = trmi_dual_div(trmi_dual_line(0, c->K_0, size), trmi_dual_variable(K, TRMI_CREEP_K));
    dual scale = power(size, 1.0 / 3);
    dual a = trmi_dual_line(0, c->a_0, scale), b = trmi_dual_line(0, c->b_0, scale);
    trmi_creepages(c, V, nu);
    if (c->law == TRMI_CREEP_FASTSIM) {
        trmi_fastsim(c, nu, a, b, load, F);
    } else {
        linear_forces(c, nu, trmi_dual_mul(a, b), F);
        if (c->law == TRMI_CREEP_TANH)
            saturate_apart(F, c->mu, load);
        else
            saturate(F, c->mu, load);
    }
    dual inverse, speed; // v/|v|
    invert_speed(c, V[TRMI_CREEP_V], &inverse, &speed);
    F[2] = trmi_dual_mul(F[2], trmi_dual_div(speed, inverse));
}
