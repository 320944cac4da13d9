// SPDX-License-Identifier: Apache-2.0
// Constant steps: BDF of order k needs k + 1 points on the grid. They are found with error control
// at a tight tolerance, so that the start does not spoil the order.
#include "solver/integrator/simulation.h"

#include "solver/integrator/bdf/bdf.h"
#include "solver/integrator/weights.h"

#include <math.h>
#include <string.h>

static const double START_TOLERANCE = 1e-11;
// multipliers are known to eps |q| / h^2 only: where they enter the equations, so is the start
static const double START_TOLERANCE_LAMBDA = 1e-9;

bool trmi_fixed_create(trm_simulation *s)
{
    if (!(s->options.h_fixed > 0))
        return true;
    for (int i = 0; i <= s->options.max_order; i++)
        if (!TRMI_TAKE(&s->memory, s->grid[i], s->history.size + s->history.multipliers))
            return false;
    return true;
}

// the newest point of the history as point i of the grid
static void keep_point(trm_simulation *s, int i)
{
    const trmi_history *history = &s->history;
    memcpy(s->grid[i], history->y[0], (size_t)history->size * sizeof(double));
    memcpy(s->grid[i] + history->size, history->m[0],
           (size_t)history->multipliers * sizeof(double));
    s->grid_t[i] = history->t[0];
}

// the history becomes the points of the grid
static void use_grid(trm_simulation *s, int last)
{
    trmi_history *history = &s->history;
    trmi_history_clear(history);
    for (int i = 0; i <= last; i++) {
        double *y = trmi_history_push(history, s->grid_t[i]);
        memcpy(y, s->grid[i], (size_t)history->size * sizeof *y);
        memcpy(history->m[0], s->grid[i] + history->size, (size_t)history->multipliers * sizeof *y);
    }
}

// from one grid point to the next under error control
static trm_status advance_with_control(trm_simulation *s, double t)
{
    trm_status status = TRM_OK;
    while (status == TRM_OK && s->now.t < t)
        status = trmi_bdf_step(s, t);
    return status;
}

trm_status trmi_fixed_start(trm_simulation *s, double t_end)
{
    const trm_options wanted = s->options;
    double h = wanted.h_fixed, t0 = s->now.t;
    long steps_before = s->statistics.steps;
    s->options.h_fixed = 0;
    s->options.control = TRM_CONTROL_DEFAULT;
    s->options.rtol = s->options.atol =
        s->e.lambda_enters ? START_TOLERANCE_LAMBDA : START_TOLERANCE;
    s->options.max_order = 5;
    trmi_coupled *coupled = s->coupled;
    s->coupled = NULL; // the nested corrector starts both controls
    trmi_update_weights(s);
    trmi_start_control(s, t_end);
    trmi_start_history(s);
    keep_point(s, 0);
    trm_status status = TRM_OK;
    int last = 0;
    while (last < wanted.max_order && status == TRM_OK && s->now.t < t_end) {
        status = advance_with_control(s, fmin(t0 + (last + 1) * h, t_end));
        if (status == TRM_OK)
            keep_point(s, ++last);
    }
    s->options = wanted;
    s->coupled = coupled;
    trmi_update_weights(s);
    if (status != TRM_OK)
        return status;
    use_grid(s, last);
    trmi_bind_points(s);
    s->control.h = h;
    s->control.k = last;
    // the grid points count as steps, what led to them does not
    s->statistics.steps = steps_before + last;
    s->statistics.h_last = h;
    s->statistics.order_last = last;
    return TRM_OK;
}
