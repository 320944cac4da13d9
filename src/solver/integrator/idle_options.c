// SPDX-License-Identifier: Apache-2.0
// Options that were set and have no effect in this run, each with the reason.
#include "solver/integrator/idle_options.h"

#include "solver/integrator/bdf/bdf.h"
#include "solver/integrator/log.h"
#include "solver/integrator/simulation.h"

#include <stdio.h>

enum { TEXT = 128 };

// ---- why an option is idle: false where it has an effect ----

static bool projects_nothing(const trm_simulation *s, char *why)
{
    bool projects = !s->method->implicit || s->corrector.policy->after == TRMI_AFTER_PROJECTION;
    snprintf(why, TEXT, "formulation %s has no projection of its own; index1-projected has",
             s->corrector.policy->name);
    return !projects;
}

static bool estimates_otherwise(const trm_simulation *s, char *why)
{
    snprintf(why, TEXT, "it is that of integrator bdf with formulation index1-projected");
    return !s->method->multistep || s->corrector.policy->after != TRMI_AFTER_PROJECTION;
}

static bool is_no_feedback(const trm_simulation *s, char *why)
{
    snprintf(why, TEXT, "formulation %s has no feedback; baumgarte has", s->corrector.policy->name);
    return s->corrector.policy->level != TRMI_LEVEL_FEEDBACK;
}

static bool has_no_matrix(const trm_simulation *s, char *why)
{
    snprintf(why, TEXT, "integrator %s has no Newton iteration", s->method->name);
    return !s->method->implicit;
}

static bool keeps_nothing(const trm_simulation *s, char *why)
{
    const trmi_derivatives *d = &s->corrector.derivatives;
    trm_jacobian_update rule = s->options.jacobian_update;
    bool follows = rule == TRM_JACOBIAN_UPDATE_EXTENDED || rule == TRM_JACOBIAN_UPDATE_SECANT;
    if (has_no_matrix(s, why) || rule == TRM_JACOBIAN_UPDATE_FULL || !s->method->corrects)
        return !s->method->implicit;
    snprintf(why, TEXT,
             d->size == 0 ? "the matrix has no derivatives that could be kept"
                          : "no derivative depends on excitations: it is partitioned");
    return d->size == 0 || (follows && d->count == 0);
}

static bool differences_nothing(const trm_simulation *s, char *why)
{
    snprintf(why, TEXT, "no derivative is formed by differences");
    return !s->e.differences;
}

static bool estimates_nothing(const trm_simulation *s, char *why)
{
    snprintf(why, TEXT, "no pattern is estimated; jacobian_source grouped-differences does");
    return s->patterns.estimated == 0;
}

static bool splits_nothing(const trm_simulation *s, char *why)
{
    snprintf(why, TEXT,
             "P is formed under control classic by cs, cm and ggl-star, where multipliers follow "
             "from the residual");
    return !s->method->unknown_velocities || !trmi_splits_residual(&s->corrector);
}

static bool tests_otherwise(const trm_simulation *s, char *why)
{
    const trmi_split *split = trmi_step_split(s);
    bool chooses = trmi_tests_independent(s->options.error_test);
    if (!s->rule->adapts) {
        snprintf(why, TEXT, "constant steps have no error test");
        return true;
    }
    bool expected = split || (s->method->unknown_velocities && trmi_splits_residual(&s->corrector));
    expected = expected && s->options.annihilator == TRM_ANNIHILATOR_SPLIT;
    snprintf(why, TEXT, "this matrix chooses no independent coordinates: all are tested");
    return chooses && !expected;
}

// ---- the list ----

static const struct {
    const char *option;
    bool (*idle)(const trm_simulation *s, char *why);
} rows[] = {{"projection_norm", projects_nothing},
            {"projection_method", projects_nothing},
            {"projection_estimate", estimates_otherwise},
            {"baumgarte_alpha", is_no_feedback},
            {"baumgarte_beta", is_no_feedback},
            {"newton_iterations", has_no_matrix},
            {"newton_tolerance", has_no_matrix},
            {"jacobian_update", keeps_nothing},
            {"jacobian_pattern", estimates_nothing},
            {"jacobian_increments", differences_nothing},
            {"annihilator", splits_nothing},
            {"error_test", tests_otherwise}};

void trmi_warn_of_idle_options(trm_simulation *s)
{
    const trm_options preset = trm_options_default();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const char *name = rows[k].option;
        double value = trm_options_get(&s->options, name);
        char why[TEXT];
        if (value != trm_options_get(&preset, name) && rows[k].idle(s, why))
            trmi_log(s, TRM_LOG_WARNING, "option %s has no effect: %s", name, why);
    }
}
