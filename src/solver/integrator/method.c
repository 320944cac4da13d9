// SPDX-License-Identifier: Apache-2.0
// The integrators. To add one: its functions, an entry here, in TRM_INTEGRATOR_LIST and, where it
// restricts other options, in base/integrators.c.
#include "solver/integrator/method.h"

#include "solver/integrator/alpha/alpha.h"
#include "solver/integrator/bdf/bdf.h"
#include "solver/integrator/classic/method.h"
#include "solver/integrator/explicit/ode.h"
#include "solver/integrator/radau/radau.h"
#include "solver/integrator/simulation.h"

#define TIGHTEN "tighten rtol by ten"
#define EXPLICIT_ADVICE TIGHTEN ", or use radau-adaptive if fast oscillations limit the steps"

// one family, whose members have parameters of their own
#define ALPHA_METHOD(key)                                                                          \
    {                                                                                              \
        .name = key, .order_max = 2, .tightening = 1, .implicit = true, .glides = true,            \
        .corrects = true, .noisy_velocities = true, .watches_rank = true,                          \
        .energy_advice = {TIGHTEN ", damp less (rho = 1, alpha = 0), or use radau-adaptive",       \
                          TIGHTEN ", or use radau-adaptive"},                                      \
        .create = trmi_alpha_create, .prepare = trmi_alpha_prepare, .begin = trmi_alpha_begin,     \
        .dense = trmi_alpha_dense, .reexpress = trmi_alpha_reexpress,                              \
        .archive = trmi_alpha_archive, .correct = trmi_correct_nested,                             \
        .attempt = trmi_alpha_attempt, .estimate = trmi_alpha_estimate,                            \
        .adapt_to_failure = trmi_alpha_adapt_to_failure,                                           \
        .adapt_to_error = trmi_alpha_adapt_to_error, .plan = trmi_alpha_plan,                      \
        .accept = trmi_alpha_accept                                                                \
    }

// one method, with a fixed number of stages or several to choose from
#define RADAU_METHOD(key, order)                                                                   \
    {                                                                                              \
        .name = key, .order_max = order, .tightening = 1, .implicit = true, .long_steps = true,    \
        .energy_advice = {TIGHTEN, TIGHTEN}, .create = trmi_radau_create,                          \
        .prepare = trmi_radau_prepare, .begin = trmi_radau_begin, .dense = trmi_radau_dense,       \
        .reexpress = trmi_radau_reexpress, .archive = trmi_radau_archive,                          \
        .destroy = trmi_radau_destroy, .forget_derivatives = trmi_radau_forget_derivatives,        \
        .attempt = trmi_radau_attempt, .rescue = trmi_radau_rescue,                                \
        .estimate = trmi_radau_estimate, .finish = trmi_radau_finish,                              \
        .adapt_to_failure = trmi_radau_adapt_to_failure,                                           \
        .adapt_to_error = trmi_radau_adapt_to_error, .plan = trmi_radau_plan,                      \
        .accept = trmi_radau_accept                                                                \
    }

// BDF tests positions only. At a tenth of the tolerance that costs and means what a test of
// positions and velocities at the full tolerance does (measured on chain and Andrews).
static const trmi_method bdf = {
    .name = "bdf",
    .order_max = 6,
    .order_usual = 5,
    .tightening = 0.1,
    .implicit = true,
    .multistep = true,
    .glides = true,
    .corrects = true,
    .noisy_velocities = true,
    .careful_start = true,
    .watches_rank = true,
    .energy_advice = {TIGHTEN ", set error_test = qv, or use radau-adaptive",
                      TIGHTEN ", set error_test = qv or max_order = 2, or use radau-adaptive"},
    .history = trmi_bdf_history,
    .create = trmi_bdf_create,
    .begin = trmi_bdf_begin,
    .dense = trmi_bdf_dense,
    .correct = trmi_correct_nested,
    .attempt = trmi_bdf_attempt,
    .misplaced = trmi_bdf_misplaced,
    .estimate = trmi_bdf_estimate,
    .adapt_to_failure = trmi_adapt_to_failure,
    .adapt_to_error = trmi_bdf_adapt_to_error,
    .plan = trmi_bdf_plan,
    .accept = trmi_bdf_accept};

static const trmi_method adams = {.name = "adams",
                                  .order_max = 10,
                                  .tightening = 1,
                                  .glides = true,
                                  .watches_rank = true,
                                  .energy_advice = {EXPLICIT_ADVICE, EXPLICIT_ADVICE},
                                  .history = trmi_adams_history,
                                  .create = trmi_adams_create,
                                  .begin = trmi_adams_begin,
                                  .dense = trmi_adams_dense,
                                  .reexpress = trmi_adams_reexpress,
                                  .archive = trmi_adams_archive,
                                  .appears_stiff = trmi_ode_appears_stiff,
                                  .check = trmi_ode_check_rank,
                                  .attempt = trmi_adams_attempt,
                                  .estimate = trmi_adams_estimate,
                                  .finish = trmi_adams_finish,
                                  .adapt_to_error = trmi_adams_adapt_to_error,
                                  .withdraw = trmi_adams_withdraw,
                                  .plan = trmi_adams_plan,
                                  .accept = trmi_adams_accept};

static const trmi_method explicit_runge_kutta = {
    .name = "explicit",
    .order_max = 8,
    .long_steps = true,
    .tightening = 1,
    .watches_rank = true,
    .energy_advice = {EXPLICIT_ADVICE, EXPLICIT_ADVICE},
    .create = trmi_explicit_create,
    .begin = trmi_explicit_begin,
    .dense = trmi_explicit_dense,
    .interpolate = trmi_explicit_interpolate,
    .reexpress = trmi_explicit_reexpress,
    .archive = trmi_explicit_archive,
    .appears_stiff = trmi_ode_appears_stiff,
    .check = trmi_ode_check_rank,
    .attempt = trmi_explicit_attempt,
    .estimate = trmi_explicit_estimate,
    .finish = trmi_explicit_finish,
    .adapt_to_error = trmi_explicit_adapt_to_error,
    .plan = trmi_explicit_plan,
    .accept = trmi_explicit_accept};

static const trmi_method radau = RADAU_METHOD("radau", 5);
static const trmi_method radau_adaptive = RADAU_METHOD("radau-adaptive", 13);
static const trmi_method newmark = ALPHA_METHOD("newmark");
static const trmi_method hht = ALPHA_METHOD("hht");
static const trmi_method generalized_alpha = ALPHA_METHOD("generalized-alpha");

// Which options go with which of them: base/integrators.c.
static const trmi_method *const methods[][TRM_CHOICE_MAX(TRM_INTEGRATOR_LIST) + 1] = {
    [TRM_CONTROL_DEFAULT] =
        {
            [TRM_INTEGRATOR_BDF] = &bdf,
            [TRM_INTEGRATOR_ADAMS] = &adams,
            [TRM_INTEGRATOR_EXPLICIT] = &explicit_runge_kutta,
            [TRM_INTEGRATOR_RADAU] = &radau,
            [TRM_INTEGRATOR_NEWMARK] = &newmark,
            [TRM_INTEGRATOR_HHT] = &hht,
            [TRM_INTEGRATOR_GENERALIZED_ALPHA] = &generalized_alpha,
            [TRM_INTEGRATOR_RADAU_ADAPTIVE] = &radau_adaptive,
        },
    [TRM_CONTROL_CLASSIC] =
        {
            [TRM_INTEGRATOR_BDF] = &trmi_classic_bdf,
            [TRM_INTEGRATOR_NEWMARK] = &trmi_classic_newmark,
            [TRM_INTEGRATOR_HHT] = &trmi_classic_hht,
            [TRM_INTEGRATOR_GENERALIZED_ALPHA] = &trmi_classic_generalized_alpha,
        },
};

const trmi_method *trmi_method_of(trm_integrator integrator, trm_control control)
{
    return methods[control][integrator];
}

const trmi_split *trmi_step_split(const trm_simulation *s)
{
    return s->method->split ? s->method->split(s) : trmi_saddle_split(&s->saddle);
}

bool trmi_appears_stiff(const trm_simulation *s)
{
    return s->method->appears_stiff && s->method->appears_stiff(s);
}
