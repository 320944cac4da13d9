// SPDX-License-Identifier: Apache-2.0
// Friction of revolute and prismatic joints: F = r mu(r p') N with the load N that the rows across
// the axis carry,
//
//     N = sqrt(lambda_x^2 + lambda_y^2 + preload^2 + eps^2)
//     mu(v) = sigma(v/v_s) (mu_d + (mu_s - mu_d) exp(-(v/v_st)^2)),  sigma: trmi_saturation
//
// r is the radius of the pin, 1 for joints that slide.
#include "modelling/multibody/forces/force.h"

double trmi_saturation(double x, double *slope)
{
    double square = x * x, rest = 1 - square;
    *slope = square < 1 ? 15 * rest * rest / 8 : 0;
    return square < 1 ? x * (15 - square * (10 - 3 * square)) / 8 : x > 0 ? 1 : -1;
}

// mu and dmu/dv; without Stribeck's speed mu_d holds throughout
static double coefficient(const trmi_friction *f, double v, double *slope)
{
    double steep, sign = trmi_saturation(v / f->v_slip, &steep);
    double y = f->v_stribeck > 0 ? v / f->v_stribeck : 0;
    double extra = f->v_stribeck > 0 ? (f->mu_static - f->mu_dynamic) * exp(-y * y) : 0;
    double extra_v = f->v_stribeck > 0 ? -2 * y / f->v_stribeck * extra : 0;
    *slope = steep / f->v_slip * (f->mu_dynamic + extra) + sign * extra_v;
    return sign * (f->mu_dynamic + extra);
}

void trmi_law_friction(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const double eps = 1e-6; // N: keeps the root differentiable where the joint carries nothing
    const trmi_friction *friction = element->joint->extra->friction;
    bool pin = element->joint->type->friction == TRMI_FRICTION_PIN;
    double r = pin ? friction->radius : 1, slope;
    double square = friction->preload * friction->preload + eps * eps;
    for (int i = 0; i < element->loads; i++)
        square += in->load[i] * in->load[i];
    double N = sqrt(square), mu = coefficient(friction, r * in->v[0], &slope);
    out->F[0] = r * mu * N;
    out->F_v[0][0] = r * r * slope * N;
    for (int i = 0; i < element->loads; i++)
        out->F_l[i] = r * mu * in->load[i] / N;
    out->dissipated = out->F[0] * in->v[0];
}
