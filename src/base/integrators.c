// SPDX-License-Identifier: Apache-2.0
// Which values of the other options go with which integrator.
#include "base/integrators.h"

#include "base/error.h"
#include "base/options.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BIT(choice) (UINT32_C(1) << (choice))
enum {
    BDF = BIT(TRM_INTEGRATOR_BDF),
    AUTO = BIT(TRM_INTEGRATOR_AUTO), // what goes with bdf: it is one of its methods, and the last
    ADAMS = BIT(TRM_INTEGRATOR_ADAMS),
    EXPLICIT = BIT(TRM_INTEGRATOR_EXPLICIT),
    RADAU = BIT(TRM_INTEGRATOR_RADAU),
    RADAU_ADAPTIVE = BIT(TRM_INTEGRATOR_RADAU_ADAPTIVE),
    NEWMARK = BIT(TRM_INTEGRATOR_NEWMARK),
    HHT = BIT(TRM_INTEGRATOR_HHT),
    GENERALIZED = BIT(TRM_INTEGRATOR_GENERALIZED_ALPHA),
    // families
    ODE = ADAMS | EXPLICIT,
    ALL_RADAU = RADAU | RADAU_ADAPTIVE,
    ALPHA = NEWMARK | HHT | GENERALIZED,
};
enum { PROJECTED = BIT(TRM_FORMULATION_CS) | BIT(TRM_FORMULATION_INDEX1_PROJECTED) };

// The values of an option that integrators can do with: whole numbers up to 31, each a bit.
typedef struct requirement {
    uint32_t integrators;
    uint32_t controls; // under these values of control only; 0: under all
    const char *option;
    uint32_t values;
    const char *why, *advice;
} requirement;

#define RANGE(least, greatest) (BIT((greatest) + 1) - BIT(least))
#define ALL_BUT(values) (~(uint32_t)(values))
// max_order = 0 is the usual order
#define ORDERS(least, greatest) (BIT(0) | RANGE(least, greatest))

static const requirement requirements[] = {
    // formulation
    {ODE, 0, "formulation", PROJECTED | BIT(TRM_FORMULATION_INDEX1),
     "it solves for accelerations and projects every step",
     "use formulation cs (or index1: no projection), or integrator bdf"},
    {ALL_RADAU, 0, "formulation", PROJECTED | BIT(TRM_FORMULATION_GGL),
     "its stages satisfy positions and velocities of the constraints at once",
     "use formulation cs or ggl, which are the same here, index1-projected, or integrator bdf"},
    {BDF | AUTO, BIT(TRM_CONTROL_DEFAULT), "formulation", ALL_BUT(BIT(TRM_FORMULATION_CM_FROZEN)),
     "cm-frozen keeps the direction of an old matrix, which only control = classic has",
     "set control = classic, or use formulation cs"},
    // max_order
    {BDF | AUTO, 0, "max_order", ORDERS(1, 6), "bdf is unstable beyond order 6",
     "leave max_order at 0, or use integrator radau-adaptive"},
    {ADAMS, 0, "max_order", ORDERS(1, 10), "its orders are 1 to 10",
     "leave max_order at 0, or use integrator radau-adaptive"},
    {RADAU, 0, "max_order", ORDERS(5, 5), "it has three stages, of order 5 together",
     "leave max_order at 0, or use integrator radau-adaptive or bdf"},
    {RADAU_ADAPTIVE, 0, "max_order", ORDERS(5, 13), "its orders are 5, 9 and 13",
     "leave max_order at 0, or use integrator bdf"},
    {ALPHA, 0, "max_order", ORDERS(2, 2), "it has order 2",
     "leave max_order at 0, or use integrator bdf"},
    // others
    {ALL_RADAU, 0, "jacobian_update",
     ALL_BUT(BIT(TRM_JACOBIAN_UPDATE_SECANT) | BIT(TRM_JACOBIAN_UPDATE_EXTENDED)),
     "its derivatives are those of one point, whatever the excitations do",
     "use jacobian_update auto or partitioned, or integrator bdf"},
    {ODE | ALL_RADAU, 0, "control", BIT(TRM_CONTROL_DEFAULT),
     "that is the control of the BDF code DASSL", "use control default, or integrator bdf"},
    {ODE | ALL_RADAU | ALPHA, 0, "error_test",
     ALL_BUT(BIT(TRM_ERROR_TEST_INDEPENDENT) | BIT(TRM_ERROR_TEST_INDEPENDENT_QV)),
     "it knows no independent coordinates", "use error_test auto, q or qv, or integrator bdf"},
};

// Options that are parameters of some integrators: of those for which they always have a meaning,
// and of those for which it depends on alpha_parameters.
static const struct {
    const char *option;
    uint32_t always, with_given, with_rho;
    const char *advice;
} parameters[] = {
    {"rho", .with_rho = GENERALIZED,
     .advice = "use integrator generalized-alpha, with alpha_parameters rho or wbz"},
    {"alpha", .always = HHT, .advice = "use integrator hht"},
    {"beta", .always = NEWMARK, .with_given = GENERALIZED,
     .advice = "use integrator newmark, or alpha_parameters given"},
    {"gamma", .always = NEWMARK, .with_given = GENERALIZED,
     .advice = "use integrator newmark, or alpha_parameters given"},
    {"alpha_parameters", .always = GENERALIZED, .advice = "use integrator generalized-alpha"},
    {"alpha_m", .with_given = GENERALIZED,
     .advice = "use integrator generalized-alpha with alpha_parameters given"},
    {"alpha_f", .with_given = GENERALIZED,
     .advice = "use integrator generalized-alpha with alpha_parameters given"},
};
enum {
    REQUIREMENTS = sizeof requirements / sizeof *requirements,
    PARAMETERS = sizeof parameters / sizeof *parameters
};

// "cs", or "7"
static const char *value_text(const trm_option_info *info, int value, char number[16])
{
    snprintf(number, 16, "%d", value);
    return info->choices ? info->choices[value] : number;
}

static const requirement *unmet(trm_integrator integrator, const trm_options *o)
{
    for (int k = 0; k < REQUIREMENTS; k++) {
        const requirement *r = &requirements[k];
        bool applies =
            (r->integrators & BIT(integrator)) && (!r->controls || (r->controls & BIT(o->control)));
        if (applies && !(r->values & BIT((int)trm_options_get(o, r->option))))
            return r;
    }
    return NULL;
}

// parameters of another integrator that were changed
static trm_status check_parameters(const trm_options *o, const char *integrator, trm_error *error)
{
    bool given = o->alpha_parameters == TRM_ALPHA_PARAMETERS_GIVEN;
    for (int k = 0; k < PARAMETERS; k++) {
        const char *name = parameters[k].option;
        double value = trm_options_get(o, name);
        uint32_t owners =
            parameters[k].always | (given ? parameters[k].with_given : parameters[k].with_rho);
        if ((owners & BIT(o->integrator)) || value == trmi_option_named(name)->preset)
            continue;
        bool by_set = parameters[k].with_rho & BIT(o->integrator);
        trmi_error_item(error, "%s", name);
        trmi_error_advise(error, "leave it alone, or %s", parameters[k].advice);
        return trmi_error_set(error, TRM_ERR_OPTION, "%s = %g has no meaning for integrator %s%s",
                              name, value, integrator, by_set ? " with given parameters" : "");
    }
    return TRM_OK;
}

trm_status trmi_integrator_check(const trm_options *o, trm_error *error)
{
    const char *name = trmi_option_named("integrator")->choices[o->integrator];
    trm_status status = check_parameters(o, name, error);
    const requirement *r = unmet(o->integrator, o);
    if (status != TRM_OK || !r)
        return status;
    char number[16];
    int value = (int)trm_options_get(o, r->option);
    trmi_error_item(error, "%s", r->option);
    trmi_error_advise(error, "%s", r->advice);
    return trmi_error_set(error, TRM_ERR_OPTION, "%s = %s does not go with integrator %s: %s",
                          r->option, value_text(trmi_option_named(r->option), value, number), name,
                          r->why);
}

bool trmi_integrator_admits(trm_integrator integrator, const trm_options *options)
{
    return !unmet(integrator, options);
}

bool trmi_integrator_lacks(trm_integrator integrator, const char *option)
{
    for (int k = 0; k < PARAMETERS; k++)
        if (strcmp(parameters[k].option, option) == 0)
            return !((parameters[k].always | parameters[k].with_given | parameters[k].with_rho) &
                     BIT(integrator));
    return false;
}

bool trmi_integrator_asks_rates_only(trm_integrator integrator)
{
    return ODE & BIT(integrator);
}

bool trmi_integrator_damps_growth(trm_integrator integrator)
{
    return !((ODE | AUTO) & BIT(integrator));
}

trm_integrator trmi_integrator_accurate(void)
{
    return TRM_INTEGRATOR_RADAU_ADAPTIVE;
}
