// SPDX-License-Identifier: Apache-2.0
// The companion of a run: how it is integrated.
#include "trammel/verify.h"

#include "base/integrators.h"
#include "base/options.h"
#include "solver/verify/verify.h"

#include <math.h>

// So much tighter are its tolerances: its own error then changes the difference by some percent
// (docs/c-api.md).
static const double TIGHTER = 10;
// Explicit ones once more: at tolerances of 1e-5 to 1e-8 their errors are 10 to 100 times those of
// radau-adaptive (median of the examples).
static const double EXPLICIT_TIGHTER = 100;

// However loose the run is, an error at the limit of trust is known to about a hundredth.
static double tighter(double rtol)
{
    return fmax(TIGHTER, rtol / (TRM_VERIFY_LIMIT * TRM_VERIFY_LIMIT));
}

// With tolerances that are tighter than those of the run by a factor.
static trm_options companion_of(const trm_options *options, double interval,
                                trm_integrator integrator, double factor)
{
    trm_options own = trm_options_default();
    own.integrator = integrator;
    own.rtol = fmax(options->rtol / factor, trmi_option_named("rtol")->least);
    own.atol = fmax(options->atol / factor, trmi_option_named("atol")->least);
    own.h_max = interval > 0 ? fmin(options->h_max, interval) : options->h_max;
    own.max_steps = options->max_steps;
    own.start = options->start;
    own.jacobian_source = options->jacobian_source;
    own.jacobian_increments = options->jacobian_increments;
    own.projection_norm = options->projection_norm;
    own.allocator = options->allocator;
    return own;
}

trm_options trm_verify_companion(const trm_options *options, double interval)
{
    const trm_options usual = trm_options_default();
    options = options ? options : &usual;
    return companion_of(options, interval, trmi_integrator_accurate(), tighter(options->rtol));
}

trm_options trmi_verify_explicit(const trm_options *options)
{
    return companion_of(options, 0, TRM_INTEGRATOR_EXPLICIT,
                        EXPLICIT_TIGHTER * tighter(options->rtol));
}

void trm_verify_neighbour(const trm_options *options, int side, int n, double *value)
{
    for (int i = 0; i < n && options && value; i++)
        value[i] += (i % 2 ? -side : side) * options->rtol * fmax(1, fabs(value[i]));
}
