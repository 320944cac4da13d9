// SPDX-License-Identifier: Apache-2.0
// Friction of revolute and prismatic joints: F = r mu(u) N w with the load N that the rows across
// the axis carry,
//
//     N = sqrt(lambda_x^2 + lambda_y^2 + preload^2 + eps^2)
//     mu(u) = mu_d + (mu_s - mu_d) exp(-(u/v_st)^2)
//
// r is the radius of the pin, 1 for joints that slide. A joint that sticks holds on to an anchor
// p_0, which is held between steps, and where it slips drags it along at the distance d_s:
//
//     v = r p',   x = r (p - p_0),   y = v/v_s + c(x/d_s),   w = c(y),   c(y) = min(max(y, -1), 1)
//
//     |y| < 1     sticks: a spring and damper, without any speed under a constant load; u = 0
//     otherwise   slips: Coulomb's law, in full at every speed; u = v_s (|y| - 1), that is |v|
//
// It breaks away where they carry mu_s N, and takes hold where its speed changes sign. Both are
// switches (1 -+ y): a step that begins in stick keeps its spring and damper, whatever the load,
// and ends where they reach mu_s N. With d_s = 0 friction is that of speeds alone,
// w = sigma(v/v_s), u = v, sigma: trmi_saturation, and creeps under any load.
#include "modelling/multibody/forces/press.h"

double trmi_saturation(double x, double *slope)
{
    double square = x * x, rest = 1 - square;
    *slope = square < 1 ? 15 * rest * rest / 8 : 0;
    return square < 1 ? x * (15 - square * (10 - 3 * square)) / 8 : x > 0 ? 1 : -1;
}

static double limited(double y)
{
    return fmin(fmax(y, -1), 1);
}

// mu(u) and its derivative; without Stribeck's speed it is mu_d at once
static double coefficient(const trmi_friction *f, double u, double *slope)
{
    double y = f->v_stribeck > 0 ? u / f->v_stribeck : 0;
    double extra = f->v_stribeck > 0 ? (f->mu_static - f->mu_dynamic) * exp(-y * y) : 0;
    *slope = f->v_stribeck > 0 ? -2 * y / f->v_stribeck * extra : 0;
    return f->mu_dynamic + extra;
}

// mu w, and its derivatives by v and x; kept: as of a joint that sticks, whatever y is
static double hold_of(const trmi_friction *f, double v, double x, bool kept, double *by_v,
                      double *by_x)
{
    double slope = 0, steep;
    if (f->stick == 0) {
        double w = trmi_saturation(v / f->v_slip, &steep), mu = coefficient(f, v, &slope);
        *by_x = 0;
        *by_v = steep / f->v_slip * mu + w * slope;
        return mu * w;
    }
    double spring = kept || fabs(x) < f->stick ? 1 / f->stick : 0;
    double y = v / f->v_slip + (kept ? x / f->stick : limited(x / f->stick));
    bool sticks = kept || fabs(y) < 1;
    double mu = sticks ? f->mu_static : coefficient(f, f->v_slip * (fabs(y) - 1), &slope);
    *by_v = sticks ? mu / f->v_slip : slope;
    *by_x = sticks ? mu * spring : f->v_slip * slope * spring;
    return mu * (sticks ? y : limited(y));
}

static double radius_of(const trmi_element *e)
{
    bool pin = e->joint->type->friction == TRMI_FRICTION_PIN;
    return pin ? e->joint->extra->friction->radius : 1;
}

static double distance_of(const trmi_element *e, const trmi_law_input *in)
{
    return radius_of(e) * (in->p[0] - (in->memory ? in->memory[0] : 0));
}

void trmi_law_friction(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const double eps = 1e-6; // N: keeps the root differentiable where the joint carries nothing
    const trmi_friction *friction = element->joint->extra->friction;
    double r = radius_of(element), slope, by_x;
    bool kept = friction->stick > 0 && trmi_locked(in, 0) && trmi_locked(in, 1);
    double square = friction->preload * friction->preload + eps * eps;
    for (int i = 0; i < element->loads; i++)
        square += in->load[i] * in->load[i];
    double N = sqrt(square),
           mu = hold_of(friction, r * in->v[0], distance_of(element, in), kept, &slope, &by_x);
    out->F[0] = r * mu * N;
    out->F_v[0][0] = r * r * slope * N;
    out->F_p[0][0] = r * r * by_x * N;
    for (int i = 0; i < element->loads; i++)
        out->F_l[0][i] = r * mu * in->load[i] / N;
    out->dissipated = out->F[0] * in->v[0];
}

// the anchor follows the joint where it is too far; one that is at rest there, as in the search
// of an equilibrium, takes hold again
void trmi_remember_anchor(const trmi_element *e, const trmi_set_state *x, bool first,
                          double *memory)
{
    const trmi_friction *f = e->joint->extra->friction;
    double reach = f->stick / radius_of(e), p = x->value[0].p;
    bool held = fabs(p - *memory) <= reach || trmi_set_rate(x, 0) != 0;
    *memory = first || !held ? p : fmin(fmax(*memory, p - reach), p + reach);
}

// 1 - y and 1 + y; their second derivatives without that of the acceleration. At the end of its
// reach the anchor is dragged along by a joint that moves on, and stretched by one that returns.
void trmi_gaps_friction(const trmi_element *e, const trmi_law_input *in, const double *second,
                        trmi_gap *out)
{
    const trmi_friction *f = e->joint->extra->friction;
    double r = radius_of(e), x = distance_of(e, in), a = second ? second[0] : NAN,
           spring = fabs(x) < f->stick || x * in->v[0] < 0 ? r / f->stick : 0;
    for (int k = 0; k < 2; k++) {
        double sign = k == 0 ? -1 : 1;
        out[k] = (trmi_gap){1 + sign * (r * in->v[0] / f->v_slip + limited(x / f->stick)),
                            sign * (r * a / f->v_slip + spring * in->v[0]), sign * spring * a};
    }
}
