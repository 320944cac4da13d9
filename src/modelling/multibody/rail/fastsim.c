// SPDX-License-Identifier: Apache-2.0
// Kalker's FASTSIM (Vehicle System Dynamics 11 (1982) 1-13). Material runs through the ellipse
// x^2/a^2 + y^2/b^2 <= 1 from its front x = a_y(y) to its back, strip by strip, and shears as if
// every point of the surface were a spring of its own:
//
//     dp_x/dx = nu_x/L_1 - phi y/L_3,    dp_y/dx = nu_y/L_2 + phi x/L_3,   p = 0 in front
//     L_1 = 8 a/(3 G C_11),  L_2 = 8 a/(3 G C_22),  L_3 = pi a sqrt(a/b)/(4 G C_23)
//     |p| <= 2 mu N/(pi a b) (1 - x^2/a^2 - y^2/b^2)
//
// Where it would be larger it slides, and p keeps its direction. Force and moment on the wheel are
// the integrals of p and of x p_y - y p_x. With x = a_y X, y = b Y all numbers are without units.
#include "modelling/multibody/rail/creep.h"

#include "base/space.h"

enum { STRIPS = 10, CELLS = 10 };

typedef trmi_dual dual;

// Shear of one strip per cell and the greatest traction of the contact.
typedef struct strip {
    double Y, half; // its place, sqrt(1 - Y^2)
    double width;   // of Y
    dual slope_x, slope_y, spin_y, bound;
} strip;

// p onto the circle of radius r
static void slide(dual p[2], dual r)
{
    dual size = trmi_dual_sqrt(trmi_dual_add(trmi_dual_mul(p[0], p[0]), trmi_dual_mul(p[1], p[1])));
    dual factor = trmi_dual_div(r, size);
    p[0] = trmi_dual_mul(factor, p[0]);
    p[1] = trmi_dual_mul(factor, p[1]);
}

// Adds integrals over dX dY of p_x, p_y, and X p_y, Y p_x; tractions at the middle of each cell.
static void run_through(const strip *s, dual sum[4])
{
    const double dX = 2 * s->half / CELLS, area = dX * s->width;
    dual p[2] = {trmi_dual_constant(0), trmi_dual_constant(0)};
    for (int i = 0; i < CELLS; i++) {
        double X = s->half - (i + 0.5) * dX, from = i == 0 ? s->half : X + dX, way = from - X;
        double mean = 0.5 * (from + X);
        p[0] = trmi_dual_sub(p[0], trmi_dual_line(0, way, s->slope_x));
        p[1] = trmi_dual_sub(
            p[1],
            trmi_dual_line(0, way, trmi_dual_add(s->slope_y, trmi_dual_line(0, mean, s->spin_y))));
        dual limit = trmi_dual_line(0, 1 - X * X - s->Y * s->Y, s->bound);
        if (p[0].v * p[0].v + p[1].v * p[1].v > limit.v * limit.v)
            slide(p, limit);
        sum[0] = trmi_dual_add(sum[0], trmi_dual_line(0, area, p[0]));
        sum[1] = trmi_dual_add(sum[1], trmi_dual_line(0, area, p[1]));
        sum[2] = trmi_dual_add(sum[2], trmi_dual_line(0, area * X, p[1]));
        sum[3] = trmi_dual_add(sum[3], trmi_dual_line(0, area * s->Y, p[0]));
    }
}

// Integral of 1 - X^2 - Y^2 over the unit circle by the cells; pi/2 with many of them. The bound is
// scaled with it: a contact that slides everywhere transmits mu N.
static double bound_of_cells(void)
{
    double sum = 0;
    for (int j = 0; j < STRIPS; j++) {
        double Y = -1 + (2 * j + 1.0) / STRIPS, half = sqrt(1 - Y * Y), dX = 2 * half / CELLS;
        for (int i = 0; i < CELLS; i++) {
            double X = half - (i + 0.5) * dX;
            sum += dX * 2.0 / STRIPS * (1 - X * X - Y * Y);
        }
    }
    return sum;
}

void trmi_fastsim(const trmi_creep *c, const dual nu[3], dual a, dual b, dual N, dual F[3])
{
    const double *C = c->C;
    const dual ratio = trmi_dual_sqrt(trmi_dual_div(b, a)), ab = trmi_dual_mul(a, b);
    const dual shear[2] = {trmi_dual_line(0, 3 * c->G * C[TRMI_C_11] / 8, nu[0]),
                           trmi_dual_line(0, 3 * c->G * C[TRMI_C_22] / 8, nu[1])};
    // a/L_3 phi: times b for y, times a for x
    const dual turn =
        trmi_dual_mul(trmi_dual_line(0, 4 * c->G * C[TRMI_C_23] / TRMI_PI, ratio), nu[2]);
    const dual bound = trmi_dual_div(trmi_dual_line(0, c->mu / bound_of_cells(), N), ab);
    dual sum[4] = {{0}};
    for (int j = 0; j < STRIPS; j++) {
        double Y = -1 + (2 * j + 1.0) / STRIPS;
        const strip s = {
            .Y = Y,
            .half = sqrt(1 - Y * Y),
            .width = 2.0 / STRIPS,
            .slope_x = trmi_dual_sub(shear[0], trmi_dual_line(0, Y, trmi_dual_mul(turn, b))),
            .slope_y = shear[1],
            .spin_y = trmi_dual_mul(turn, a),
            .bound = bound,
        };
        run_through(&s, sum);
    }
    F[0] = trmi_dual_mul(ab, sum[0]);
    F[1] = trmi_dual_mul(ab, sum[1]);
    F[2] = trmi_dual_mul(ab, trmi_dual_sub(trmi_dual_mul(a, sum[2]), trmi_dual_mul(b, sum[3])));
}
