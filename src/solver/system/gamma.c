// SPDX-License-Identifier: Apache-2.0
// The acceleration level by differences along the flow (q + s v, t + s).
#include "solver/system/difference.h"
#include "solver/system/levels.h"

#include <math.h>
#include <string.h>

// out (n_r) = a level of the constraints at the point
typedef int level_function(trmi_evaluator *e, const trmi_point *p, double *out);

static int position_level(trmi_evaluator *e, const trmi_point *p, double *out)
{
    int result = trmi_evaluate(e, p, TRM_BIT(TRM_CONSTRAINT));
    const trmi_values *g = &e->block[TRM_CONSTRAINT];
    if (result == 0)
        memcpy(out, g->value, (size_t)g->rows * sizeof *out);
    return result;
}

static int velocity_level(trmi_evaluator *e, const trmi_point *p, double *out)
{
    int result = trmi_evaluate(e, p, trmi_velocity_quantities(e));
    if (result == 0)
        trmi_velocity_level(e, p->v, out);
    return result;
}

// a point moved along the flow by s: q + s v, t + s, z settled; velocities held
static int move_along_flow(trmi_evaluator *e, const trmi_point *p, double s, trmi_point *moved)
{
    *moved = *p;
    moved->t = p->t + s;
    moved->q = e->work[e->depth - 1].moved;
    for (int i = 0; i < e->n_q; i++)
        moved->q[i] = p->q[i] + s * p->v[i];
    if (!e->constraint_uses_z)
        return 0;
    moved->z = e->work[e->depth - 1].z;
    memcpy(moved->z, p->z, (size_t)e->n_z * sizeof *moved->z);
    return trmi_settle_z(e, moved);
}

// the largest time over which no coordinate moves by more than `fraction` of its size
static double flow_step(const trmi_evaluator *e, const trmi_point *p, double fraction)
{
    double s = fraction;
    for (int i = 0; i < e->n_q; i++) {
        double size = fmax(fabs(p->q[i]), e->user.q_scale ? e->user.q_scale[i] : 1);
        if (fabs(p->v[i]) * s > fraction * size)
            s = fraction * size / fabs(p->v[i]);
    }
    return s;
}

// gamma = d/ds (G v + g_t) along (q + s v, t + s), likewise for A. Where G itself would come from
// differences, the holonomic rows are a second difference of g
static int difference_levels(trmi_evaluator *e, const trmi_point *p, double *out)
{
    bool second = !trmi_gradient_supplied(e) && e->n_g > 0;
    level_function *level = second ? position_level : velocity_level;
    double s = flow_step(e, p, second ? 1e-4 : 1e-6);
    double t_high = p->t + s, t_low = p->t - s;
    s = 0.5 * (t_high - t_low);
    const trmi_difference_work *w = &e->work[e->depth - 1];
    trmi_point moved;
    int result = move_along_flow(e, p, s, &moved);
    if (result == 0)
        result = level(e, &moved, w->plus);
    if (result == 0)
        result = move_along_flow(e, p, -s, &moved);
    if (result == 0)
        result = level(e, &moved, w->minus);
    if (result == 0 && second)
        result = move_along_flow(e, p, 0, &moved); // settles z
    if (result == 0 && second)
        result = level(e, &moved, w->base);
    for (int i = 0; i < e->n_r && result == 0; i++)
        out[i] = second ? (w->plus[i] - 2 * w->base[i] + w->minus[i]) / (s * s)
                        : (w->plus[i] - w->minus[i]) / (2 * s);
    return result;
}

// the rolling rows of gamma when the holonomic ones came from second differences
static int difference_rolling(trmi_evaluator *e, const trmi_point *p, double *out)
{
    const trmi_difference_work *w = &e->work[e->depth - 1];
    double s = flow_step(e, p, 1e-6), *sides[] = {w->plus, w->minus};
    int result = 0;
    for (int side = 0; side < 2 && result == 0; side++) {
        trmi_point moved;
        result = move_along_flow(e, p, side ? -s : s, &moved);
        if (result == 0)
            result = velocity_level(e, &moved, sides[side]);
    }
    for (int i = e->n_g; i < e->n_r && result == 0; i++)
        out[i] = (w->plus[i] - w->minus[i]) / (2 * s);
    return result;
}

int trmi_difference_gamma(trmi_evaluator *e, const trmi_point *p, double *out)
{
    int result = difference_levels(e, p, out);
    if (result == 0 && e->n_a > 0 && e->n_g > 0 && !trmi_gradient_supplied(e))
        result = difference_rolling(e, p, out);
    return result;
}
