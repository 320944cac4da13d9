// SPDX-License-Identifier: Apache-2.0
// The tyre law PAC2002: forces of one slip alone, of both (as one total slip, or weighted by its
// own functions), self-aligning moment, relaxation lengths.
#include "modelling/multibody/forces/tyre_law.h"

#include <stddef.h>

#define add trmi_dual_add
#define sub trmi_dual_sub
#define mul trmi_dual_mul
#define over trmi_dual_div
#define line trmi_dual_line

// Coefficients that must be given: always, for forces along the wheel, for weights, for relaxation
// lengths; and those with a default.
#define GIVEN(name) [name] = {#name, NAN, TRMI_TYRE_FOR_ALL, NULL, 0}
#define PLUS(name) [name] = {#name, NAN, TRMI_TYRE_FOR_ALL, NULL, 1}
#define MINUS(name) [name] = {#name, NAN, TRMI_TYRE_FOR_ALL, NULL, -1}
#define PLUS_ALONG(name) [name] = {#name, NAN, TRMI_TYRE_FOR_SLIP, NULL, 1}
#define ALONG(name) [name] = {#name, NAN, TRMI_TYRE_FOR_SLIP, NULL, 0}
#define WEIGHT(name) [name] = {#name, NAN, TRMI_TYRE_FOR_WEIGHTS, NULL, 0}
#define LENGTH(name) [name] = {#name, NAN, TRMI_TYRE_FOR_LENGTH, NULL, 0}
#define LENGTHS(name) [name] = {#name, NAN, TRMI_TYRE_FOR_LENGTHS, NULL, 0}
#define ZERO(name) [name] = {#name, 0, 0, NULL, 0}
#define ONE(name) [name] = {#name, 1, 0, NULL, 0}

// clang-format off
enum {
    FNOMIN, LFZO, UNLOADED_RADIUS, VERTICAL_STIFFNESS, VERTICAL_DAMPING, VXLOW,
    PCY1, PDY1, PDY2, PDY3, PEY1, PEY2, PEY3, PEY4, PKY1, PKY2, PKY3, LMUY, LKY,
    PHY1, PHY2, PHY3, PVY1, PVY2, PVY3, PVY4,
    PCX1, PDX1, PDX2, PDX3, PEX1, PEX2, PEX3, PEX4, PKX1, PKX2, PKX3, LMUX, LKX,
    PHX1, PHX2, PVX1, PVX2,
    QBZ1, QBZ2, QBZ3, QCZ1, QDZ1, QDZ2,
    RBX1, RBX2, RCX1, REX1, REX2, RHX1, LXAL,
    RBY1, RBY2, RBY3, RCY1, REY1, REY2, RHY1, RHY2, LYKA,
    RVY1, RVY2, RVY3, RVY4, RVY5, RVY6, LVYKA, SSZ1, SSZ2, SSZ3, SSZ4, LS,
    PTX1, PTX2, PTX3, LSGKP, PTY1, PTY2, LSGAL, PAC
};

static const trmi_tyre_coefficient pac_coefficient[PAC] = {
    [FNOMIN] = {"FNOMIN", NAN, TRMI_TYRE_FOR_ALL, "N", 1}, [LFZO] = {"LFZO", 1, 0, NULL, 1},
    [UNLOADED_RADIUS] = {"UNLOADED_RADIUS", NAN, TRMI_TYRE_FOR_ALL, "m", 1},
    [VERTICAL_STIFFNESS] = {"VERTICAL_STIFFNESS", 0, 0, "N/m", 0},
    [VERTICAL_DAMPING] = {"VERTICAL_DAMPING", 0, 0, "N s/m", 0}, [VXLOW] = {"VXLOW", 1, 0, "m/s", 0},
    PLUS(PCY1), PLUS(PDY1), GIVEN(PDY2), ZERO(PDY3), GIVEN(PEY1), GIVEN(PEY2), ZERO(PEY3),
    ZERO(PEY4), MINUS(PKY1), PLUS(PKY2), ZERO(PKY3), ONE(LMUY), ONE(LKY), ZERO(PHY1), ZERO(PHY2),
    ZERO(PHY3), ZERO(PVY1), ZERO(PVY2), ZERO(PVY3), ZERO(PVY4), PLUS_ALONG(PCX1), PLUS_ALONG(PDX1), ALONG(PDX2),
    ZERO(PDX3), ALONG(PEX1), ALONG(PEX2), ALONG(PEX3), ZERO(PEX4), PLUS_ALONG(PKX1), ALONG(PKX2), ALONG(PKX3),
    ONE(LMUX), ONE(LKX), ZERO(PHX1), ZERO(PHX2), ZERO(PVX1), ZERO(PVX2), GIVEN(QBZ1), GIVEN(QBZ2),
    GIVEN(QBZ3), GIVEN(QCZ1), GIVEN(QDZ1), GIVEN(QDZ2), WEIGHT(RBX1), WEIGHT(RBX2), WEIGHT(RCX1),
    ZERO(REX1), ZERO(REX2), ZERO(RHX1), ONE(LXAL), WEIGHT(RBY1), WEIGHT(RBY2), WEIGHT(RBY3),
    WEIGHT(RCY1), ZERO(REY1), ZERO(REY2), ZERO(RHY1), ZERO(RHY2), ONE(LYKA), ZERO(RVY1), ZERO(RVY2),
    ZERO(RVY3), ZERO(RVY4), ZERO(RVY5), ZERO(RVY6), ONE(LVYKA), ZERO(SSZ1), ZERO(SSZ2), ZERO(SSZ3),
    ZERO(SSZ4), ONE(LS), LENGTHS(PTX1), ZERO(PTX2), ZERO(PTX3), ONE(LSGKP), LENGTH(PTY1),
    LENGTH(PTY2), ONE(LSGAL),
};

static const char *const formats[] = {"PAC2002", NULL};
// MF-Tyre 6: other formulas of the stiffness
static const char *const foreign[] = {"PKY4", "PKY5", "PKY6", "PKY7", "PEY5", NULL};
// clang-format on

// c_0 + c_1 x + c_2 x^2
static trmi_dual square(double c_0, double c_1, double c_2, trmi_dual x)
{
    return trmi_dual_chain(c_0 + x.v * (c_1 + x.v * c_2), c_1 + 2 * c_2 * x.v, x);
}

// A curve F(x) = D sin(C atan(B x - E (B x - atan B x))), B = K/(C D), of x = slip + shift; raised.
typedef struct magic {
    double C;
    trmi_dual D, E, K, shift, raised;
} magic;

// B x - E (B x - atan B x); the formulas hold for E <= 1: beyond, forces would change sign at large
// slips
static trmi_dual bent(trmi_dual E, trmi_dual Bx)
{
    return sub(Bx, mul(E.v > 1 ? trmi_dual_constant(1) : E, sub(Bx, trmi_dual_atan(Bx))));
}

// a tyre whose friction D would be negative, at loads beyond its formulas, has none
static trmi_dual magic_at(const magic *m, trmi_dual x)
{
    if (m->D.v <= 0)
        return trmi_dual_constant(0);
    trmi_dual y = bent(m->E, mul(over(m->K, line(0, m->C, m->D)), x));
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
static trmi_dual trail(const double *c, trmi_dual load, trmi_dual angle, trmi_dual dfz, double F_0)
{
    trmi_dual B = square(c[QBZ1], c[QBZ2], c[QBZ3], dfz);
    trmi_dual arc = line(0, c[QCZ1], trmi_dual_atan(mul(B, angle)));
    double scale = c[UNLOADED_RADIUS] / F_0;
    return mul(mul(load, line(scale * c[QDZ1], scale * c[QDZ2], dfz)), trmi_dual_cos(arc));
}

// ---- both slips as one -----------------------------------------------------------------------

// M_z = -t F_y
static trmi_tyre_force as_one(const double *c, const trmi_tyre_slip *at, trmi_dual dfz, double F_0)
{
    magic y = lateral(c, at, dfz, F_0);
    trmi_dual al = add(at->angle, y.shift);
    trmi_tyre_force out = {.across = {.v = 0}};
    if (at->mode == TRMI_TYRE_COMBINED) {
        magic x = longitudinal(c, at, dfz);
        trmi_dual k = add(at->slip, x.shift), s = add(mul(k, k), mul(al, al));
        s = s.v > 0 ? trmi_dual_sqrt(s) : s;
        out.along = add(share_at(&x, k, s), x.raised);
        out.across = add(share_at(&y, al, s), y.raised);
    } else {
        out.across = add(magic_at(&y, al), y.raised);
    }
    trmi_dual t = trail(c, at->load, at->angle, dfz, F_0);
    out.moment = line(0, -1, mul(at->direction, mul(t, out.across)));
    return out;
}

// ---- weighted --------------------------------------------------------------------------------

// W(x) = cos(C atan(B x - E (B x - atan B x)))
static trmi_dual bell(trmi_dual B, double C, trmi_dual E, trmi_dual x)
{
    trmi_dual y = bent(E, mul(B, x));
    return trmi_dual_cos(line(0, C, trmi_dual_atan(y)));
}

// the weight W(slip + shift)/W(shift), 1 where the other slip is 0
static trmi_dual weight(trmi_dual B, double C, trmi_dual E, trmi_dual slip, trmi_dual shift)
{
    return over(bell(B, C, E, add(slip, shift)), bell(B, C, E, shift));
}

// b cos(atan(c (x - x_0)))
static trmi_dual width(double b, double c, double x_0, trmi_dual x)
{
    return line(0, b, trmi_dual_cos(trmi_dual_atan(line(-c * x_0, c, x))));
}

// the lateral force that slip along the wheel makes by itself,
// mu F (rVy1 + rVy2 dfz + rVy3 ga) cos(atan(rVy4 al)) sin(rVy5 atan(rVy6 k)),  mu F = D
static trmi_dual side_pull(const double *c, const trmi_tyre_slip *at, trmi_dual dfz, trmi_dual D)
{
    trmi_dual size = mul(D, add(line(c[RVY1], c[RVY2], dfz), line(0, c[RVY3], at->camber)));
    trmi_dual arc = line(0, c[RVY5], trmi_dual_atan(line(0, c[RVY6], at->slip)));
    return mul(mul(size, width(c[LVYKA], c[RVY4], 0, at->angle)), trmi_dual_sin(arc));
}

// the slip angle whose trail is that of both slips: atan sqrt(tan^2 al + (K_x k/K_y)^2), sign al
static trmi_dual equivalent_angle(const trmi_tyre_slip *at, trmi_dual K_x, trmi_dual K_y)
{
    trmi_dual k = mul(over(K_x, K_y), at->slip), al = trmi_dual_tan(at->angle);
    trmi_dual s = add(mul(k, k), mul(al, al));
    if (!(s.v > 0))
        return at->angle;
    return line(0, al.v < 0 ? -1 : 1, trmi_dual_atan(trmi_dual_sqrt(s)));
}

// F_x = F_x0(k) G_x(al),  F_y = F_y0(al) G_y(k) + S,  M_z = -t (F_y - S) + s F_x with the arm
// s = R_0 (sSz1 + sSz2 F_y/F_0 + (sSz3 + sSz4 dfz) ga)
static trmi_tyre_force weighted(const double *c, const trmi_tyre_slip *at, trmi_dual dfz,
                                double F_0)
{
    magic x = longitudinal(c, at, dfz), y = lateral(c, at, dfz, F_0);
    trmi_dual k = add(at->slip, x.shift), al = add(at->angle, y.shift);
    trmi_dual G_x = weight(width(c[LXAL] * c[RBX1], c[RBX2], 0, at->slip), c[RCX1],
                           line(c[REX1], c[REX2], dfz), at->angle, trmi_dual_constant(c[RHX1]));
    trmi_dual G_y = weight(width(c[LYKA] * c[RBY1], c[RBY2], c[RBY3], at->angle), c[RCY1],
                           line(c[REY1], c[REY2], dfz), at->slip, line(c[RHY1], c[RHY2], dfz));
    trmi_dual S = side_pull(c, at, dfz, y.D);
    trmi_tyre_force out = {.along = mul(G_x, add(magic_at(&x, k), x.raised))};
    trmi_dual alone = mul(G_y, add(magic_at(&y, al), y.raised));
    out.across = add(alone, S);
    trmi_dual t = trail(c, at->load, equivalent_angle(at, x.K, y.K), dfz, F_0);
    double R = c[LS] * c[UNLOADED_RADIUS];
    trmi_dual arm = add(line(R * c[SSZ1], R * c[SSZ2] / F_0, out.across),
                        mul(line(R * c[SSZ3], R * c[SSZ4], dfz), at->camber));
    out.moment = sub(mul(arm, out.along), mul(at->direction, mul(t, alone)));
    return out;
}

static trmi_tyre_force pac2002(const double *c, const trmi_tyre_slip *at)
{
    double F_0 = c[LFZO] * c[FNOMIN];
    trmi_dual dfz = line(-1, 1 / F_0, at->load);
    return at->mode == TRMI_TYRE_WEIGHTED ? weighted(c, at, dfz, F_0) : as_one(c, at, dfz, F_0);
}

// along: F (pTx1 + pTx2 dfz) exp(-pTx3 dfz) R_0/F_0
// across: pTy1 sin(2 atan(F/(pTy2 F_0)))(1 - pKy3 |ga|) R_0
static trmi_dual length(const double *c, bool along, trmi_dual F, trmi_dual ga)
{
    double F_0 = c[LFZO] * c[FNOMIN], R = c[UNLOADED_RADIUS];
    trmi_dual dfz = line(-1, 1 / F_0, F);
    if (along)
        return mul(mul(line(0, c[LSGKP] * R / F_0, F), line(c[PTX1], c[PTX2], dfz)),
                   trmi_dual_exp(line(0, -c[PTX3], dfz)));
    trmi_dual arc = line(0, 2, trmi_dual_atan(line(0, 1 / (c[PTY2] * F_0), F)));
    return mul(line(0, c[LSGAL] * c[PTY1] * R, trmi_dual_sin(arc)),
               line(1, -c[PKY3], trmi_dual_abs(ga)));
}

const trmi_tyre_law trmi_tyre_pac2002 = {
    .name = "pac2002",
    .slip = true,
    .weights = true,
    .radius = UNLOADED_RADIUS,
    .stiffness = VERTICAL_STIFFNESS,
    .damping = VERTICAL_DAMPING,
    .low_speed = VXLOW,
    .count = PAC,
    .coefficient = pac_coefficient,
    .formats = formats,
    .foreign = foreign,
    .evaluate = pac2002,
    .length = length,
};
