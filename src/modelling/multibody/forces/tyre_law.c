// SPDX-License-Identifier: Apache-2.0
// Laws of tyres: their list, and Calspan.
#include "modelling/multibody/forces/tyre_law.h"

#include <stddef.h>

#define add trmi_dual_add
#define sub trmi_dual_sub
#define mul trmi_dual_mul
#define over trmi_dual_div
#define line trmi_dual_line

static const trmi_tyre_law *const law[] = {
#define ROW(name) &trmi_tyre_##name,
    TRMI_TYRE_LAW_LIST(ROW)
#undef ROW
        NULL};

const trmi_tyre_law *trmi_tyre_law_at(int index)
{
    return law[index];
}

// c_0 + c_1 x + c_2 x^2
static trmi_dual square(double c_0, double c_1, double c_2, trmi_dual x)
{
    return trmi_dual_chain(c_0 + x.v * (c_1 + x.v * c_2), c_1 + 2 * c_2 * x.v, x);
}

// Coefficients that must be given, and those with a default.
#define GIVEN(name) [name] = {#name, NAN, TRMI_TYRE_FOR_ALL, NULL, 0}
#define PLUS(name) [name] = {#name, NAN, TRMI_TYRE_FOR_ALL, NULL, 1}
#define ZERO(name) [name] = {#name, 0, 0, NULL, 0}
#define ONE(name) [name] = {#name, 1, 0, NULL, 0}

// ---- Calspan ---------------------------------------------------------------------------------

enum { A0, A1, A2, A3, A4, B1, B3, B4, SN, T1, T2, CALSPAN };

static const trmi_tyre_coefficient calspan_coefficient[CALSPAN] = {
    GIVEN(A0), GIVEN(A1), PLUS(A2), GIVEN(A3), PLUS(A4), GIVEN(B1),
    PLUS(B3),  GIVEN(B4), ONE(SN),  ZERO(T1),  ZERO(T2),
};

// s - s|s|/3 + s^3/27 up to |s| = 3, then the sign of s
static trmi_dual saturate(trmi_dual s)
{
    double x = s.v, a = fabs(x);
    if (a >= 3)
        return trmi_dual_constant(x < 0 ? -1 : 1);
    return trmi_dual_chain(x - x * a / 3 + x * x * x / 27, 1 - 2 * a / 3 + x * x / 9, s);
}

// mu = (B1 F + B3 + B4 F^2) SN,  N = A1 F (F - A2) - A0 A2,  loads above A2 as A2 in N
// s = N/(A2 mu F) (al - A2 A3 (A4 - F) F/(A4 N) ga),  F_y = mu F sat(s),  M_z = (T1 F + T2 |F_y|)
// F_y
static trmi_tyre_force calspan(const double *c, const trmi_tyre_slip *at)
{
    trmi_dual F = at->load, within = F.v < c[A2] ? F : trmi_dual_constant(c[A2]);
    trmi_dual mu = square(c[B3] * c[SN], c[B1] * c[SN], c[B4] * c[SN], F), grip = mul(mu, F);
    trmi_dual N = square(-c[A0] * c[A2], -c[A1] * c[A2], c[A1], within);
    trmi_dual thrust = mul(square(0, c[A4], -1, within), at->camber);
    trmi_dual angle = add(mul(N, at->angle), line(0, -c[A2] * c[A3] / c[A4], thrust));
    trmi_dual across = mul(grip, saturate(over(line(0, 1 / c[A2], angle), grip)));
    trmi_dual arm = add(line(0, c[T1], F), line(0, c[T2], trmi_dual_abs(across)));
    return (trmi_tyre_force){.across = across, .moment = mul(at->direction, mul(arm, across))};
}

const trmi_tyre_law trmi_tyre_calspan = {
    .name = "calspan",
    .radius = -1,
    .stiffness = -1,
    .damping = -1,
    .low_speed = -1,
    .count = CALSPAN,
    .coefficient = calspan_coefficient,
    .evaluate = calspan,
};
