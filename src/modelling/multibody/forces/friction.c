// SPDX-License-Identifier: Apache-2.0
// Friction of revolute and prismatic joints: F = r mu(r p') N with the load N that the rows across
// the axis carry,
//
//     N = sqrt(lambda_x^2 + lambda_y^2 + preload^2 + eps^2)
//     mu(v) = sigma(v/v_s) (mu_d + (mu_s - mu_d) exp(-(v/v_st)^2)),  sigma: trmi_saturation
//
// r is the radius of the pin, 1 for joints that slide. That friction would creep under any load. A
// joint sticks to an anchor p_0, which is held between steps and dragged along where the joint is
// farther from it than d_s:
//
//     sigma(v/v_s) becomes sigma(v/v_s + sigma(r (p - p_0)/d_s))
//
// At rest the second term carries the load, up to mu_s N, without any speed; in motion the first
// one has the last word, whichever way the joint went before.
#include "modelling/multibody/forces/force.h"

double trmi_saturation(double x, double *slope)
{
    double square = x * x, rest = 1 - square;
    *slope = square < 1 ? 15 * rest * rest / 8 : 0;
    return square < 1 ? x * (15 - square * (10 - 3 * square)) / 8 : x > 0 ? 1 : -1;
}

// mu, dmu/dv and dmu/dx at the speed v and the distance x from the anchor; without Stribeck's speed
// mu_d holds throughout
static double coefficient(const trmi_friction *f, double v, double x, double *slope, double *by_x)
{
    double give = 0, bent = f->stick > 0 ? trmi_saturation(x / f->stick, &give) : 0;
    double steep, sign = trmi_saturation(v / f->v_slip + bent, &steep);
    double y = f->v_stribeck > 0 ? v / f->v_stribeck : 0;
    double extra = f->v_stribeck > 0 ? (f->mu_static - f->mu_dynamic) * exp(-y * y) : 0;
    double extra_v = f->v_stribeck > 0 ? -2 * y / f->v_stribeck * extra : 0;
    *by_x = f->stick > 0 ? steep * give / f->stick * (f->mu_dynamic + extra) : 0;
    *slope = steep / f->v_slip * (f->mu_dynamic + extra) + sign * extra_v;
    return sign * (f->mu_dynamic + extra);
}

void trmi_law_friction(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const double eps = 1e-6; // N: keeps the root differentiable where the joint carries nothing
    const trmi_friction *friction = element->joint->extra->friction;
    bool pin = element->joint->type->friction == TRMI_FRICTION_PIN;
    double r = pin ? friction->radius : 1, slope, by_x;
    double square = friction->preload * friction->preload + eps * eps;
    for (int i = 0; i < element->loads; i++)
        square += in->load[i] * in->load[i];
    double N = sqrt(square),
           mu = coefficient(friction, r * in->v[0],
                            r * (in->p[0] - (in->memory ? in->memory[0] : 0)), &slope, &by_x);
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
    bool pin = e->joint->type->friction == TRMI_FRICTION_PIN;
    double reach = f->stick / (pin ? f->radius : 1), p = x->value[0].p;
    bool held = fabs(p - *memory) <= reach || trmi_set_rate(x, 0) != 0;
    *memory = first || !held ? p : fmin(fmax(*memory, p - reach), p + reach);
}
