// SPDX-License-Identifier: Apache-2.0
// Constant steps: the rule, and the first points of multistep methods. BDF of order k needs k + 1
// points on the grid. They are found with error control at a tight tolerance, so that the start
// does not spoil the order.
#include "base/error.h"
#include "solver/integrator/simulation.h"

#include "solver/integrator/bdf/bdf.h"
#include "solver/integrator/step.h"
#include "solver/integrator/weights.h"

#include <math.h>
#include <string.h>

static const double START_TOLERANCE = 1e-11;
// multipliers are known to eps |q| / h^2 only: where they enter the equations, so is the start
static const double START_TOLERANCE_LAMBDA = 1e-9;

static double given_by_h_initial(const trm_options *o)
{
    return o->h_initial;
}

static double given_by_h_fixed(const trm_options *o)
{
    return o->h_fixed;
}

static const trmi_step_rule adaptive_steps = {.adapts = true, .first_step = given_by_h_initial};

bool trmi_fixed_create(trm_simulation *s)
{
    trmi_bdf *b = trmi_bdf_of(s);
    for (int i = 0; i <= s->options.max_order && !s->rule->adapts; i++)
        if (!TRMI_TAKE(&s->memory, b->grid[i], s->history.size + s->history.multipliers))
            return false;
    return true;
}

// the newest point of the history as point i of the grid
static void keep_point(trm_simulation *s, int i)
{
    const trmi_history *history = &s->history;
    trmi_bdf *b = trmi_bdf_of(s);
    memcpy(b->grid[i], history->y[0], (size_t)history->size * sizeof(double));
    memcpy(b->grid[i] + history->size, history->m[0],
           (size_t)history->multipliers * sizeof(double));
    b->grid_t[i] = history->t[0];
}

// the history becomes the points of the grid
static void use_grid(trm_simulation *s, int last)
{
    trmi_history *history = &s->history;
    const trmi_bdf *b = trmi_bdf_of(s);
    trmi_history_clear(history);
    for (int i = 0; i <= last; i++) {
        double *y = trmi_history_push(history, b->grid_t[i]);
        memcpy(y, b->grid[i], (size_t)history->size * sizeof *y);
        memcpy(history->m[0], b->grid[i] + history->size, (size_t)history->multipliers * sizeof *y);
    }
}

static trm_status report_steps(trm_simulation *s)
{
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    s->error.h = s->control.h;
    trmi_error_advise(&s->error, "shorten the constant step, take steps under error control, "
                                 "or find the jump in the forces or the fast motion");
    return trmi_error_set(&s->error, TRM_ERR_STEPS,
                          "the first points of constant steps need more than max_steps = %d steps "
                          "under error control",
                          s->options.max_steps);
}

// Grid points up to order k or t_end, each reached by steps under error control.
static trm_status fill_grid(trm_simulation *s, double h, double t_end, int *last)
{
    double t0 = s->now.t;
    long before = s->statistics.steps;
    trm_status status = TRM_OK;
    keep_point(s, 0);
    for (*last = 0; *last < s->options.max_order && s->now.t < t_end;) {
        double t = fmin(t0 + (*last + 1) * h, t_end);
        while (status == TRM_OK && s->now.t < t)
            status = s->statistics.steps - before < s->options.max_steps ? trmi_step(s, t)
                                                                         : report_steps(s);
        if (status != TRM_OK)
            return status;
        keep_point(s, ++*last);
    }
    return TRM_OK;
}

// what the start of constant steps does otherwise
typedef struct mode {
    const trmi_method *method;
    const trmi_step_rule *rule;
    trmi_accuracy accuracy;
} mode;

static void use(trm_simulation *s, const mode *m)
{
    s->method = m->method;
    s->rule = m->rule;
    s->accuracy = m->accuracy;
    s->corrector.unknown_velocities = m->method->unknown_velocities;
    s->corrector.no_shorter_steps = !m->rule->adapts;
    trmi_update_weights(s);
}

static trm_status start(trm_simulation *s, double t_end)
{
    const mode usual = {s->method, s->rule, s->accuracy};
    double h = s->options.h_fixed;
    double tolerance = s->e.lambda_enters ? START_TOLERANCE_LAMBDA : START_TOLERANCE;
    const trmi_method *starter = trmi_method_of(s->options.integrator, TRM_CONTROL_DEFAULT);
    const mode tight = {
        starter, &adaptive_steps, {tolerance, tolerance, trmi_usual_order(starter), 1}};
    long steps_before = s->statistics.steps;
    int last = 0;
    use(s, &tight);
    trm_status status = s->method->begin(s, t_end);
    if (status == TRM_OK)
        status = fill_grid(s, h, t_end, &last);
    use(s, &usual);
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

static const trmi_step_rule constant_steps = {.first_step = given_by_h_fixed, .start = start};

const trmi_step_rule *trmi_step_rule_of(const trm_options *options)
{
    return options->h_fixed > 0 ? &constant_steps : &adaptive_steps;
}
