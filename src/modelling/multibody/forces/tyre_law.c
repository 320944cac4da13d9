// SPDX-License-Identifier: Apache-2.0
// Laws of tyres: Calspan and PAC2002.
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

// Coefficients that must be given, those of forces along the wheel, and those with a default.
#define GIVEN(name) [name] = {#name, NAN, false}
#define ALONG(name) [name] = {#name, NAN, true}
#define ZERO(name) [name] = {#name, 0, false}
#define ONE(name) [name] = {#name, 1, false}

// ---- Calspan ---------------------------------------------------------------------------------

enum { A0, A1, A2, A3, A4, B1, B3, B4, SN, T1, T2, CALSPAN };

static const trmi_tyre_coefficient calspan_coefficient[CALSPAN] = {
    GIVEN(A0), GIVEN(A1), GIVEN(A2), GIVEN(A3), GIVEN(A4), GIVEN(B1),
    GIVEN(B3), GIVEN(B4), ONE(SN),   ZERO(T1),  ZERO(T2),
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

// ---- PAC2002 ---------------------------------------------------------------------------------

// clang-format off
enum {
    FNOMIN, LFZO, UNLOADED_RADIUS, VERTICAL_STIFFNESS, VERTICAL_DAMPING, VXLOW,
    PCY1, PDY1, PDY2, PDY3, PEY1, PEY2, PEY3, PEY4, PKY1, PKY2, PKY3, LMUY, LKY,
    PHY1, PHY2, PHY3, PVY1, PVY2, PVY3, PVY4,
    PCX1, PDX1, PDX2, PDX3, PEX1, PEX2, PEX3, PEX4, PKX1, PKX2, PKX3, LMUX, LKX,
    PHX1, PHX2, PVX1, PVX2,
    QBZ1, QBZ2, QBZ3, QCZ1, QDZ1, QDZ2, PAC
};

static const trmi_tyre_coefficient pac_coefficient[PAC] = {
    GIVEN(FNOMIN), ONE(LFZO), GIVEN(UNLOADED_RADIUS), ZERO(VERTICAL_STIFFNESS), ZERO(VERTICAL_DAMPING),
    ONE(VXLOW), GIVEN(PCY1), GIVEN(PDY1), GIVEN(PDY2), ZERO(PDY3), GIVEN(PEY1), GIVEN(PEY2), ZERO(PEY3),
    ZERO(PEY4), GIVEN(PKY1), GIVEN(PKY2), ZERO(PKY3), ONE(LMUY), ONE(LKY), ZERO(PHY1), ZERO(PHY2),
    ZERO(PHY3), ZERO(PVY1), ZERO(PVY2), ZERO(PVY3), ZERO(PVY4), ALONG(PCX1), ALONG(PDX1), ALONG(PDX2),
    ZERO(PDX3), ALONG(PEX1), ALONG(PEX2), ALONG(PEX3), ZERO(PEX4), ALONG(PKX1), ALONG(PKX2), ALONG(PKX3),
    ONE(LMUX), ONE(LKX), ZERO(PHX1), ZERO(PHX2), ZERO(PVX1), ZERO(PVX2), GIVEN(QBZ1), GIVEN(QBZ2),
    GIVEN(QBZ3), GIVEN(QCZ1), GIVEN(QDZ1), GIVEN(QDZ2),
};
// clang-format on

// A curve F(x) = D sin(C atan(B x - E (B x - atan B x))), B = K/(C D), of x = slip + shift; raised.
typedef struct magic {
    double C;
    trmi_dual D, E, K, shift, raised;
} magic;

static trmi_dual magic_at(const magic *m, trmi_dual x)
{
    trmi_dual Bx = mul(over(m->K, line(0, m->C, m->D)), x);
    trmi_dual y = sub(Bx, mul(m->E, sub(Bx, trmi_dual_atan(Bx))));
    return mul(m->D, trmi_dual_sin(line(0, m->C, trmi_dual_atan(y))));
}

// the share x of the force at the total slip s = |(k, al)|: x/s F(s); at s = 0 with the slope K
static trmi_dual share_at(const magic *m, trmi_dual x, trmi_dual total)
{
    return total.v > 0 ? mul(x, over(magic_at(m, total), total)) : mul(x, m->K);
}

// 1 - (a + b ga) sign(x)
static trmi_dual one_sided(double a, double b, trmi_dual camber, double x)
{
    double sign = (x > 0) - (x < 0);
    return line(1 - a * sign, -b * sign, camber);
}

// dfz = (F - F_0)/F_0,  D = F (pDy1 + pDy2 dfz)(1 - pDy3 ga^2),
// E = (pEy1 + pEy2 dfz)(1 - (pEy3 + pEy4 ga) sign al),
// K = pKy1 F_0 sin(2 atan(F/(pKy2 F_0)))(1 - pKy3 |ga|)
static magic lateral(const double *c, const trmi_tyre_slip *at, trmi_dual dfz, double F_0)
{
    trmi_dual F = at->load, ga = at->camber;
    trmi_dual load = line(0, 2, trmi_dual_atan(line(0, 1 / (c[PKY2] * F_0), F)));
    magic m = {.C = c[PCY1]};
    m.shift = add(line(c[PHY1], c[PHY2], dfz), line(0, c[PHY3], ga));
    m.raised = mul(F, add(line(c[PVY1], c[PVY2], dfz), mul(line(c[PVY3], c[PVY4], dfz), ga)));
    m.D = mul(mul(F, line(c[LMUY] * c[PDY1], c[LMUY] * c[PDY2], dfz)), square(1, 0, -c[PDY3], ga));
    m.E =
        mul(line(c[PEY1], c[PEY2], dfz), one_sided(c[PEY3], c[PEY4], ga, at->angle.v + m.shift.v));
    m.K = mul(line(0, c[LKY] * c[PKY1] * F_0, trmi_dual_sin(load)),
              line(1, -c[PKY3], trmi_dual_abs(ga)));
    return m;
}

// D = F (pDx1 + pDx2 dfz)(1 - pDx3 ga^2),  E = (pEx1 + pEx2 dfz + pEx3 dfz^2)(1 - pEx4 sign k),
// K = F (pKx1 + pKx2 dfz) exp(pKx3 dfz)
static magic longitudinal(const double *c, const trmi_tyre_slip *at, trmi_dual dfz)
{
    trmi_dual F = at->load;
    magic m = {.C = c[PCX1]};
    m.shift = line(c[PHX1], c[PHX2], dfz);
    m.raised = mul(F, line(c[PVX1], c[PVX2], dfz));
    m.D = mul(mul(F, line(c[LMUX] * c[PDX1], c[LMUX] * c[PDX2], dfz)),
              square(1, 0, -c[PDX3], at->camber));
    m.E = mul(square(c[PEX1], c[PEX2], c[PEX3], dfz),
              one_sided(c[PEX4], 0, at->camber, at->slip.v + m.shift.v));
    m.K = mul(mul(F, line(c[LKX] * c[PKX1], c[LKX] * c[PKX2], dfz)),
              trmi_dual_exp(line(0, c[PKX3], dfz)));
    return m;
}

// trail t = F (R_0/F_0)(qDz1 + qDz2 dfz) cos(qCz1 atan(B al)),  B = qBz1 + qBz2 dfz + qBz3 dfz^2
static trmi_dual trail(const double *c, const trmi_tyre_slip *at, trmi_dual dfz, double F_0)
{
    trmi_dual B = square(c[QBZ1], c[QBZ2], c[QBZ3], dfz);
    trmi_dual arc = line(0, c[QCZ1], trmi_dual_atan(mul(B, at->angle)));
    double scale = c[UNLOADED_RADIUS] / F_0;
    return mul(mul(at->load, line(scale * c[QDZ1], scale * c[QDZ2], dfz)), trmi_dual_cos(arc));
}

// M_z = -t F_y
static trmi_tyre_force pac2002(const double *c, const trmi_tyre_slip *at)
{
    double F_0 = c[LFZO] * c[FNOMIN];
    trmi_dual dfz = line(-1, 1 / F_0, at->load);
    magic y = lateral(c, at, dfz, F_0);
    trmi_dual al = add(at->angle, y.shift);
    trmi_tyre_force out = {.across = {.v = 0}};
    if (at->rolls) {
        magic x = longitudinal(c, at, dfz);
        trmi_dual k = add(at->slip, x.shift), s = add(mul(k, k), mul(al, al));
        s = s.v > 0 ? trmi_dual_sqrt(s) : s;
        out.along = add(share_at(&x, k, s), x.raised);
        out.across = add(share_at(&y, al, s), y.raised);
    } else {
        out.across = add(magic_at(&y, al), y.raised);
    }
    out.moment = line(0, -1, mul(at->direction, mul(trail(c, at, dfz, F_0), out.across)));
    return out;
}

const trmi_tyre_law trmi_tyre_pac2002 = {
    .name = "pac2002",
    .slip = true,
    .radius = UNLOADED_RADIUS,
    .stiffness = VERTICAL_STIFFNESS,
    .damping = VERTICAL_DAMPING,
    .low_speed = VXLOW,
    .count = PAC,
    .coefficient = pac_coefficient,
    .evaluate = pac2002,
};
