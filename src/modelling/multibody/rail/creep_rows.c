// SPDX-License-Identifier: Apache-2.0
// Velocities of the wheel at the point of contact as rows. The components of their gradients in the
// axes of the rail depend on the direction of the axle and on xi_c, which depends on all variables:
// they are computed with their derivatives by (l_x, l_y, l_z, xi).
#include "modelling/multibody/forces/dual.h"
#include "modelling/multibody/rail/wheel_rail.h"

enum { BY_L, BY_XI = BY_L + 3 }; // variables of the numbers with derivatives

typedef trmi_dual dual;

static dual number(double v)
{
    return trmi_dual_constant(v);
}

// a + s b
static dual plus(dual a, double s, dual b)
{
    return trmi_dual_combine(a.v + s * b.v, 1, &a, s, &b);
}

// a^n
static dual power(dual a, double n)
{
    double value = pow(a.v, n);
    return trmi_dual_chain(value, n * value / a.v, a);
}

// ---- the contact frame -----------------------------------------------------------------------

// Arm from the centre of the wheel to the point of contact, and the normal there, upwards; axes of
// the rail.
typedef struct frame {
    dual arm[3], n[3];
} frame;

// arm = a l + R rho,  n = (R' l - rho)/sqrt(1 + R'^2)
static frame frame_at(const trmi_wheel_rail *w, const double *direction, double xi)
{
    double F[3];
    trmi_interpolant_orders(w->wheel, xi, 2, F);
    dual l[3], R = {w->radius + F[0], {[BY_XI] = F[1]}}, slope = {-F[1], {[BY_XI] = -F[2]}};
    dual a = {-xi, {[BY_XI] = -1}};
    for (int k = 0; k < 3; k++) {
        l[k] = trmi_dual_variable(direction[k], BY_L + k);
    }
    dual c_inverse = power(plus(number(1), -1, trmi_dual_mul(l[0], l[0])), -0.5);
    dual alpha = trmi_dual_mul(trmi_dual_mul(slope, l[0]), c_inverse);
    dual beta = power(plus(number(1), -1, trmi_dual_mul(alpha, alpha)), 0.5);
    const dual across[3] = {number(0), l[2], plus(number(0), -1, l[1])}; // l x e_x
    dual size = power(plus(number(1), 1, trmi_dual_mul(slope, slope)), -0.5);
    frame f;
    for (int k = 0; k < 3; k++) {
        dual along = plus(number(k == 0), -1, trmi_dual_mul(l[0], l[k]));
        dual rho = trmi_dual_mul(
            c_inverse, plus(trmi_dual_mul(alpha, along), 1, trmi_dual_mul(beta, across[k])));
        f.arm[k] = plus(trmi_dual_mul(a, l[k]), 1, trmi_dual_mul(R, rho));
        f.n[k] = trmi_dual_mul(size, plus(trmi_dual_mul(slope, l[k]), -1, rho));
    }
    return f;
}

// ---- rows ------------------------------------------------------------------------------------

static trmi_v3 in_world(const trmi_view *view, const double *c)
{
    trmi_v3 sum = trmi_v3_scale(c[0], view->u[0]);
    sum = trmi_v3_axpy(sum, c[1], view->u[1]);
    return trmi_v3_axpy(sum, c[2], view->u[2]);
}

// H = -[f] for the marker that moves, and for each variable the change of the components times the
// gradient of that variable
static trmi_row_value row_of(const trmi_view *view, const trmi_rail_wrench *g, const double *xi_i,
                             const trmi_row_value *variable)
{
    double n[3], f[3];
    for (int k = 0; k < 3; k++) {
        n[k] = g->n[k].v;
        f[k] = g->f[k].v;
    }
    trmi_row_value row = {.gamma = {in_world(view, n), in_world(view, f)}};
    if (view->straight)
        return row;
    row.H.al = trmi_m3_cross(trmi_v3_scale(-1, row.gamma.f));
    for (int i = 0; i < TRMI_RAIL_VARIABLES; i++) {
        for (int k = 0; k < 3; k++) {
            int own = i - TRMI_RAIL_L;
            n[k] = g->n[k].d[BY_XI] * xi_i[i] + (own >= 0 ? g->n[k].d[BY_L + own] : 0);
            f[k] = g->f[k].d[BY_XI] * xi_i[i] + (own >= 0 ? g->f[k].d[BY_L + own] : 0);
        }
        trmi_m6_add_outer(&row.H, 1, (trmi_wrench){in_world(view, n), in_world(view, f)},
                          variable[i].gamma);
    }
    return row;
}

static void cross(const dual a[3], const dual b[3], dual out[3])
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = plus(trmi_dual_mul(a[i], b[j]), -1, trmi_dual_mul(a[j], b[i]));
    }
}

// along a direction at the point of contact: gamma = (arm x e; e)
static trmi_rail_wrench along(const frame *f, const dual e[3])
{
    trmi_rail_wrench g = {{{0}}, {e[0], e[1], e[2]}};
    cross(f->arm, e, g.n);
    return g;
}

static void find_gradients(const trmi_wheel_rail *w, trmi_rail_memo *memo)
{
    const frame f = frame_at(w, memo->x + TRMI_RAIL_L, memo->contact.xi);
    const dual zero = number(0), e_x[3] = {number(1), zero, zero};
    const dual t[3] = {zero, f.n[2], plus(zero, -1, f.n[1])}; // n x e_x
    memo->gradient[TRMI_CREEP_X] = along(&f, e_x);
    memo->gradient[TRMI_CREEP_Y] = along(&f, t);
    memo->gradient[TRMI_CREEP_SPIN] =
        (trmi_rail_wrench){{f.n[0], f.n[1], f.n[2]}, {zero, zero, zero}};
    memo->gradient[TRMI_CREEP_SPEED] =
        (trmi_rail_wrench){{zero, zero, zero}, {e_x[0], e_x[1], e_x[2]}};
    memo->velocities = true;
}

void trmi_wheel_rail_creep(const trmi_view *view, trmi_row_value row[TRMI_CREEP_ROWS])
{
    double x[TRMI_RAIL_VARIABLES];
    trmi_row_value variable[TRMI_RAIL_VARIABLES];
    trmi_rail_memo local;
    trmi_wheel_rail_variables(view, x, variable);
    trmi_rail_memo *memo = trmi_wheel_rail_contact(view, x, &local);
    if (!memo->velocities)
        find_gradients(view->data, memo);
    for (int r = 0; r < TRMI_CREEP_ROWS; r++)
        row[r] = row_of(view, &memo->gradient[r], memo->contact.xi_i, variable);
}
