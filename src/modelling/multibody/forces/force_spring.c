// SPDX-License-Identifier: Apache-2.0
// Laws of one row: springs and dampers, linear and by tables, and one-sided stops.
#include "modelling/multibody/forces/force.h"

// points that coincide have no direction: a smaller step may pass them by
static int refuse_coincidence(const trmi_element *element, double length)
{
    return element->set.own == TRMI_NOTHING && element->set.row[0].type == &trmi_plain_length &&
           !(length > 0);
}

// F = k x + c v + F_0 + S(x) + D(v), x = p - natural
void trmi_law_spring(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const trmi_force *force = element->force;
    double x = in->p[0] - element->natural[0], v = in->v[0], k = force->stiffness[0];
    double S, S_x, S_sum, D, D_v, D_sum;
    trmi_spline_at(&element->spring, x, &S, &S_x, &S_sum);
    trmi_spline_at(&element->damper, v, &D, &D_v, &D_sum);
    double drag = force->damping[0] * v + D;
    out->F[0] = k * x + force->preload[0] + S + drag;
    out->F_p[0][0] = k + S_x;
    out->F_v[0][0] = force->damping[0] + D_v;
    out->potential = k * x * x / 2 + force->preload[0] * x + S_sum;
    out->dissipated = drag * v;
    out->failed = refuse_coincidence(element, in->p[0]);
}

// whether a switch is locked: during this step the force does not begin to act
static bool locked(const trmi_law_input *in, int i)
{
    return in->lock && in->lock[i] != 0;
}

// N = k d^n h_+(1 + c d')/h_+(1), h_+(h) = (h + sqrt(h^2 + e^2))/2: at rest k d^n, never pulling,
// continuously differentiable also where h changes its sign
typedef struct press {
    double N, N_d, N_v, potential, lost;
} press;

static press press_on(double k, double n, double c, double d, double rate, bool open)
{
    const double e = 0.01, rest = (1 + sqrt(1 + e * e)) / 2;
    press out = {0};
    if (d <= 0 || open)
        return out;
    double h = 1 + c * rate, root = sqrt(h * h + e * e), power = k * pow(d, n - 1);
    double plus = (h + root) / (2 * rest), slope = c * (1 + h / root) / (2 * rest);
    out.N = power * d * plus;
    out.N_d = n * power * plus;
    out.N_v = power * d * slope;
    out.potential = power * d * d / (n + 1);
    out.lost = (out.N - power * d) * rate;
    return out;
}

// pushes when the points are nearer than the gap: d = gap - p
void trmi_law_bump(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const trmi_force *force = element->force;
    press on = press_on(force->stiffness[0], force->exponent, force->damping[0],
                        force->gap - in->p[0], -in->v[0], locked(in, 0));
    out->F[0] = -on.N;
    out->F_p[0][0] = on.N_d;
    out->F_v[0][0] = on.N_v;
    out->potential = on.potential;
    out->dissipated = on.lost;
    out->failed = refuse_coincidence(element, in->p[0]);
}

void trmi_law_stop(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const trmi_stop *stop = &element->joint->more->stop[element->measure];
    double p = in->p[0], v = in->v[0], k = stop->stiffness, n = stop->exponent, c = stop->damping;
    press low = press_on(k, n, c, stop->low - p, -v, locked(in, 0));
    press high = press_on(k, n, c, p - stop->high, v, locked(in, 1));
    out->F[0] = high.N - low.N;
    out->F_p[0][0] = high.N_d + low.N_d;
    out->F_v[0][0] = high.N_v + low.N_v;
    out->potential = high.potential + low.potential;
    out->dissipated = high.lost + low.lost;
}

// rows: height of the centre, slip along x and y. d = R - p, friction mu N v/sqrt(v^2 + v_s^2)
void trmi_law_contact(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const trmi_force *force = element->force;
    const double *slip = in->v + 1;
    press on = press_on(force->stiffness[0], force->exponent, force->damping[0],
                        force->radius - in->p[0], -in->v[0], locked(in, 0));
    double s = sqrt(slip[0] * slip[0] + slip[1] * slip[1] + force->v_slip * force->v_slip);
    out->F[0] = -on.N;
    out->F_p[0][0] = on.N_d;
    out->F_v[0][0] = on.N_v;
    for (int i = 0; i < 2; i++) {
        double direction = force->mu * slip[i] / s;
        out->F[1 + i] = direction * on.N;
        out->F_p[1 + i][0] = -direction * on.N_d;
        out->F_v[1 + i][0] = -direction * on.N_v;
        for (int j = 0; j < 2; j++)
            out->F_v[1 + i][1 + j] =
                force->mu * on.N * ((i == j) - slip[i] * slip[j] / (s * s)) / s;
    }
    out->potential = on.potential;
    out->dissipated = on.lost + out->F[1] * slip[0] + out->F[2] * slip[1];
}
