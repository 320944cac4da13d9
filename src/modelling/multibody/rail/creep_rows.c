// SPDX-License-Identifier: Apache-2.0
// Velocities of the wheel at the point of contact as rows. The components of their gradients in the
// axes of the rail depend on the direction of the axle and on xi_c, which depends on all variables:
// they are computed with their derivatives by (l_x, l_y, l_z, xi).
#include "modelling/multibody/forces/dual.h"
#include "modelling/multibody/rail/wheel_rail.h"

enum { BY_L, BY_XI = BY_L + 3, BY_Y, BY_Z }; // variables of the numbers with derivatives

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

// e = l x n/|l x n|
static void rolling_direction(const frame *f, const double *direction, dual e[3])
{
    dual l[3], size = number(0);
    for (int k = 0; k < 3; k++)
        l[k] = trmi_dual_variable(direction[k], BY_L + k);
    cross(l, f->n, e);
    for (int k = 0; k < 3; k++)
        size = plus(size, 1, trmi_dual_mul(e[k], e[k]));
    size = power(size, -0.5);
    for (int k = 0; k < 3; k++)
        e[k] = trmi_dual_mul(e[k], size);
}

static void find_gradients(const trmi_wheel_rail *w, trmi_rail_memo *memo)
{
    const double *l = memo->x + TRMI_RAIL_L;
    const frame f = frame_at(w, l, memo->contact.xi);
    const dual zero = number(0);
    dual e[3] = {number(1), zero, zero}, t[3];
    if (w->wheel_axes)
        rolling_direction(&f, l, e);
    cross(f.n, e, t);
    trmi_rail_wrench *g = memo->gradient;
    g[TRMI_CREEP_X] = along(&f, e);
    g[TRMI_CREEP_Y] = along(&f, t);
    g[TRMI_CREEP_SPIN] = (trmi_rail_wrench){{f.n[0], f.n[1], f.n[2]}, {zero, zero, zero}};
    g[TRMI_CREEP_SPEED] = (trmi_rail_wrench){{zero, zero, zero}, {e[0], e[1], e[2]}};
    for (int k = 0; k < 3 && w->wheel_axes; k++) {
        g[TRMI_CREEP_SPEED].n[k] = plus(zero, -0.5, g[TRMI_CREEP_X].n[k]);
        g[TRMI_CREEP_SPEED].f[k] = trmi_dual_line(0, 0.5, e[k]);
    }
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

// ---- curvatures ------------------------------------------------------------------------------

// y''/(1 + y'^2)^(3/2) of a profile at x
static dual bend_of(const trmi_interpolant *profile, dual x)
{
    double y[4];
    trmi_interpolant_orders(profile, x.v, 3, y);
    dual slope = trmi_dual_chain(y[1], y[2], x), second = trmi_dual_chain(y[2], y[3], x);
    dual size = plus(number(1), 1, trmi_dual_mul(slope, slope));
    return trmi_dual_mul(second, power(size, -1.5));
}

// 1/(R sqrt(1 + R'^2)) of the wheel
static dual curvature_along(const trmi_wheel_rail *w, dual xi)
{
    double F[3];
    trmi_interpolant_orders(w->wheel, xi.v, 2, F);
    dual R = trmi_dual_chain(w->radius + F[0], F[1], xi), slope = trmi_dual_chain(F[1], F[2], xi);
    dual size = plus(number(1), 1, trmi_dual_mul(slope, slope));
    return trmi_dual_mul(power(R, -1), power(size, -0.5));
}

double trmi_contact_curvature(const trmi_wheel_rail *w, const double x[TRMI_RAIL_VARIABLES],
                              const trmi_rail_contact *contact, double by_x[TRMI_RAIL_VARIABLES])
{
    const frame f = frame_at(w, x + TRMI_RAIL_L, contact->xi);
    const dual xi = trmi_dual_variable(contact->xi, BY_XI);
    dual y = plus(trmi_dual_variable(x[TRMI_RAIL_Y], BY_Y), 1, f.arm[1]);
    dual z = plus(trmi_dual_variable(x[TRMI_RAIL_Z], BY_Z), 1, f.arm[2]);
    dual tau = plus(trmi_dual_line(0, -w->cosine, y), -w->sine, z);
    dual across = plus(bend_of(w->rail, tau), -1, bend_of(w->wheel, xi));
    dual sum = curvature_along(w, xi);
    if (across.v > 0)
        sum = plus(sum, 1, across);
    for (int i = 0; i < TRMI_RAIL_VARIABLES; i++) {
        int own = i == TRMI_RAIL_Y ? BY_Y : i == TRMI_RAIL_Z ? BY_Z : BY_L + i - TRMI_RAIL_L;
        by_x[i] = sum.d[own] + sum.d[BY_XI] * contact->xi_i[i];
    }
    return sum.v;
}

trmi_row_value trmi_wheel_rail_curvature(const trmi_view *view)
{
    double x[TRMI_RAIL_VARIABLES], by_x[TRMI_RAIL_VARIABLES];
    trmi_row_value variable[TRMI_RAIL_VARIABLES], sum = {0};
    trmi_rail_memo local;
    trmi_wheel_rail_variables(view, x, variable);
    const trmi_rail_contact *contact = &trmi_wheel_rail_contact(view, x, &local)->contact;
    sum.p = trmi_contact_curvature(view->data, x, contact, by_x);
    for (int i = 0; i < TRMI_RAIL_VARIABLES; i++)
        sum.gamma = trmi_wrench_axpy(sum.gamma, by_x[i], variable[i].gamma);
    return sum;
}
