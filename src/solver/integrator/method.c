// SPDX-License-Identifier: Apache-2.0
// The integrators. To add one: its functions, an entry here, and in TRM_INTEGRATOR_LIST.
#include "solver/integrator/method.h"

#include "base/error.h"
#include "solver/formulation/policy.h"
#include "solver/integrator/alpha/alpha.h"
#include "solver/integrator/bdf/bdf.h"
#include "solver/integrator/classic/method.h"
#include "solver/integrator/explicit/ode.h"
#include "solver/integrator/radau/radau.h"
#include "solver/integrator/simulation.h"

#define TIGHTEN "tighten rtol by ten"
#define EXPLICIT_ADVICE TIGHTEN ", or use radau-adaptive if fast oscillations limit the steps"

#define FORMULATION(name) (UINT32_C(1) << (name))
#define PROJECTED (FORMULATION(TRM_FORMULATION_CS) | FORMULATION(TRM_FORMULATION_INDEX1_PROJECTED))

// one family, whose members have parameters of their own
#define ALPHA_METHOD(key)                                                                          \
    {                                                                                              \
        .name = key, .order_max = 2, .tightening = 1, .implicit = true, .glides = true,            \
        .corrects = true, .noisy_velocities = true, .watches_rank = true, .order_min = 2,          \
        .other_orders = {"other than 2", "it has order 2",                                         \
                         "leave max_order at 0, or use integrator bdf"},                           \
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
#define RADAU_METHOD(key, order, ...)                                                              \
    {                                                                                              \
        .name = key, .order_min = 5, .order_max = order, .tightening = 1, .implicit = true,        \
        .long_steps = true, .formulations = PROJECTED | FORMULATION(TRM_FORMULATION_GGL),          \
        .other_formulations =                                                                      \
            {.why = "its stages satisfy positions and velocities of the constraints at once",      \
             .advice = "use formulation cs or ggl, which are the same here, index1-projected, or " \
                       "integrator bdf"},                                                          \
        .other_orders = {__VA_ARGS__}, .energy_advice = {TIGHTEN, TIGHTEN},                        \
        .create = trmi_radau_create, .prepare = trmi_radau_prepare, .begin = trmi_radau_begin,     \
        .dense = trmi_radau_dense, .reexpress = trmi_radau_reexpress,                              \
        .archive = trmi_radau_archive, .destroy = trmi_radau_destroy,                              \
        .forget_derivatives = trmi_radau_forget_derivatives, .attempt = trmi_radau_attempt,        \
        .rescue = trmi_radau_rescue, .estimate = trmi_radau_estimate, .finish = trmi_radau_finish, \
        .adapt_to_failure = trmi_radau_adapt_to_failure,                                           \
        .adapt_to_error = trmi_radau_adapt_to_error, .plan = trmi_radau_plan,                      \
        .accept = trmi_radau_accept                                                                \
    }

// BDF tests positions only. At a tenth of the tolerance that costs and means what a test of
// positions and velocities at the full tolerance does (measured on chain and Andrews).
static const trmi_method methods[] = {
    [TRM_INTEGRATOR_BDF] =
        {.name = "bdf",
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
         .accept = trmi_bdf_accept},
    [TRM_INTEGRATOR_ADAMS] =
        {.name = "adams",
         .order_max = 10,
         .formulations = PROJECTED | FORMULATION(TRM_FORMULATION_INDEX1),
         .other_formulations =
             {.why = "it solves for accelerations and projects every step",
              .advice = "use formulation cs (or index1: no projection), or integrator bdf"},
         .other_orders = {"above 10", "its orders are 1 to 10",
                          "leave max_order at 0, or use integrator radau-adaptive"},
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
         .accept = trmi_adams_accept},
    [TRM_INTEGRATOR_EXPLICIT] =
        {.name = "explicit",
         .order_max = 8,
         .formulations = PROJECTED | FORMULATION(TRM_FORMULATION_INDEX1),
         .other_formulations =
             {.why = "it solves for accelerations and projects every step",
              .advice = "use formulation cs (or index1: no projection), or integrator bdf"},
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
         .accept = trmi_explicit_accept},
    [TRM_INTEGRATOR_RADAU] =
        RADAU_METHOD("radau", 5, "other than 5", "it has three stages, of order 5 together",
                     "leave max_order at 0, or use integrator radau-adaptive or bdf"),
    [TRM_INTEGRATOR_NEWMARK] = ALPHA_METHOD("newmark"),
    [TRM_INTEGRATOR_HHT] = ALPHA_METHOD("hht"),
    [TRM_INTEGRATOR_GENERALIZED_ALPHA] = ALPHA_METHOD("generalized-alpha"),
    [TRM_INTEGRATOR_RADAU_ADAPTIVE] =
        RADAU_METHOD("radau-adaptive", 13, "below 5", "its orders are 5, 9 and 13",
                     "leave max_order at 0, or use integrator bdf"),
};

static const trmi_method *const classic_methods[] = {
    [TRM_INTEGRATOR_BDF] = &trmi_classic_bdf,
    [TRM_INTEGRATOR_NEWMARK] = &trmi_classic_newmark,
    [TRM_INTEGRATOR_HHT] = &trmi_classic_hht,
    [TRM_INTEGRATOR_GENERALIZED_ALPHA] = &trmi_classic_generalized_alpha,
};

const trmi_method *trmi_method_of(trm_integrator integrator, trm_control control)
{
    const size_t count = sizeof classic_methods / sizeof *classic_methods;
    bool classic = control == TRM_CONTROL_CLASSIC && integrator < count;
    return classic && classic_methods[integrator] ? classic_methods[integrator]
                                                  : &methods[integrator];
}

const trmi_split *trmi_step_split(const trm_simulation *s)
{
    return s->method->split ? s->method->split(s) : trmi_saddle_split(&s->saddle);
}

bool trmi_appears_stiff(const trm_simulation *s)
{
    return s->method->appears_stiff && s->method->appears_stiff(s);
}

static trm_status refuse(trm_simulation *s, const char *option, const char *value, const char *why,
                         const char *advice)
{
    trmi_error_item(&s->error, "%s", option);
    trmi_error_advise(&s->error, "%s", advice);
    return trmi_error_set(&s->error, TRM_ERR_OPTION, "%s = %s does not go with integrator %s: %s",
                          option, value, s->method->name, why);
}

// parameters of one integrator, changed for another
static trm_status check_parameters(trm_simulation *s)
{
    enum { NEWMARK = 1, HHT = 2, BY_RHO = 4, GIVEN = 8 };
    static const struct {
        const char *name;
        int members; // of the family that have it
        const char *advice;
    } owned[] = {
        {"rho", BY_RHO, "use integrator generalized-alpha, with alpha_parameters rho or wbz"},
        {"alpha", HHT, "use integrator hht"},
        {"beta", NEWMARK | GIVEN, "use integrator newmark, or alpha_parameters given"},
        {"gamma", NEWMARK | GIVEN, "use integrator newmark, or alpha_parameters given"},
        {"alpha_parameters", BY_RHO | GIVEN, "use integrator generalized-alpha"},
        {"alpha_m", GIVEN, "use integrator generalized-alpha with alpha_parameters given"},
        {"alpha_f", GIVEN, "use integrator generalized-alpha with alpha_parameters given"}};
    const trm_options preset = trm_options_default(), *o = &s->options;
    bool given = o->alpha_parameters == TRM_ALPHA_PARAMETERS_GIVEN;
    int member = o->integrator == TRM_INTEGRATOR_NEWMARK             ? NEWMARK
                 : o->integrator == TRM_INTEGRATOR_HHT               ? HHT
                 : o->integrator != TRM_INTEGRATOR_GENERALIZED_ALPHA ? 0
                 : given                                             ? GIVEN
                                                                     : BY_RHO;
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
        const char *name = owned[k].name;
        double value = trm_options_get(o, name);
        if ((owned[k].members & member) || value == trm_options_get(&preset, name))
            continue;
        trmi_error_item(&s->error, "%s", name);
        trmi_error_advise(&s->error, "leave it alone, or %s", owned[k].advice);
        return trmi_error_set(&s->error, TRM_ERR_OPTION,
                              "%s = %g has no meaning for integrator %s%s", name, value,
                              s->method->name, member == GIVEN ? " with given parameters" : "");
    }
    return TRM_OK;
}

trm_status trmi_check_method(trm_simulation *s)
{
    const trm_options *o = &s->options;
    const trmi_method *m = s->method;
    bool secant = o->jacobian_update == TRM_JACOBIAN_UPDATE_SECANT;
    bool follows = secant || o->jacobian_update == TRM_JACOBIAN_UPDATE_EXTENDED;
    bool independent = trmi_tests_independent(o->error_test);
    trm_status status = check_parameters(s);
    if (status == TRM_OK && m->admit)
        status = m->admit(s);
    if (status != TRM_OK)
        return status;
    if (m->formulations && !(m->formulations & FORMULATION(o->formulation)))
        return refuse(s, "formulation", trmi_policy_of(o->formulation)->name,
                      m->other_formulations.why, m->other_formulations.advice);
    if (m->other_orders.why && (o->max_order < m->order_min || o->max_order > m->order_max))
        return refuse(s, "max_order", m->other_orders.which, m->other_orders.why,
                      m->other_orders.advice);
    if (m->implicit && !m->corrects && follows)
        return refuse(s, "jacobian_update", secant ? "secant" : "extended",
                      "its derivatives are those of one point, whatever the excitations do",
                      "use jacobian_update auto or partitioned, or integrator bdf");
    if (o->control == TRM_CONTROL_CLASSIC && !m->corrects)
        return refuse(s, "control", "classic", "that is the control of the BDF code DASSL",
                      "use control default, or integrator bdf");
    if (independent && !m->multistep)
        return refuse(s, "error_test", "independent", "it knows no independent coordinates",
                      "use error_test auto, q or qv, or integrator bdf");
    return TRM_OK;
}
