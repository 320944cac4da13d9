// SPDX-License-Identifier: Apache-2.0
// Equilibria as users ask for them: at rest or in steady motion, with held coordinates.
#include "solver/analysis/statics.h"

#include "base/error.h"

// Whether the trim names coordinates of the system, each once.
static trm_status check_trim(const trm_system *system, const trm_trim *trim, trm_error *error)
{
    const struct {
        int count;
        const int *index;
        const char *what;
    } lists[] = {{trim->n_hold, trim->hold, "held"}, {trim->n_rates, trim->rate, "found"}};
    if (trim->n_rates > 0 && !trim->steady)
        return trmi_error_set(error, TRM_ERR_OPTION,
                              "velocities can be found in steady motion only, not at rest");
    for (int l = 0; l < 2; l++)
        for (int k = 0; k < lists[l].count; k++) {
            int i = lists[l].index[k];
            if (i < 0 || i >= system->n_q)
                return trmi_error_set(error, TRM_ERR_RANGE, "there is no coordinate %d to be %s", i,
                                      lists[l].what);
            for (int j = 0; j < trim->n_hold; j++) {
                char name[48];
                if (trim->hold[j] != i || (l == 0 && j >= k))
                    continue;
                trm_coordinate_name(system, i, name, sizeof name);
                trmi_error_item(error, "%s", name);
                return trmi_error_set(error, TRM_ERR_OPTION,
                                      l == 0 ? "%s is held twice"
                                             : "the rate of %s cannot be found: it is held",
                                      name);
            }
        }
    return TRM_OK;
}

// The search in a system with the rows of what is held, which the equilibrium then owns.
static trm_status search_held(trm_equilibrium **out, const trm_system *system,
                              const trm_options *given, const trm_initial *at, const trm_trim *trim,
                              trm_error *error)
{
    trm_options options = *given;
    trm_initial start = *at;
    double *holding = NULL;
    if (!trim->steady)
        start.v = NULL;
    trmi_hold *hold = trmi_hold_create(&given->allocator, system, &start, trim->hold, trim->n_hold);
    trm_status status = TRM_OK;
    if (!hold || !TRMI_TAKE(&hold->memory, holding, trim->n_hold))
        status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the equilibrium");
    start.lambda = NULL;    // a guess for the rows of the system alone
    options.log_row = NULL; // likewise their numbers
    if (status == TRM_OK)
        status = trmi_equilibrium_search(out, &hold->held, &options, &start, trim, error);
    if (status != TRM_OK) {
        trm_equilibrium_destroy(*out); // it refers to `hold`
        *out = NULL;
        trmi_hold_destroy(hold);
        return status;
    }
    trmi_hold_split(hold, (*out)->lambda, holding);
    (*out)->holding = holding;
    (*out)->hold = hold;
    return status;
}

trm_status trm_equilibrium_create_trimmed(trm_equilibrium **out, const trm_system *system,
                                          const trm_options *options, const trm_initial *at,
                                          const trm_trim *trim, trm_error *error)
{
    TRMI_REQUIRE(error, out, "out");
    *out = NULL;
    TRMI_REQUIRE(error, system, "system");
    *out = NULL;
    trm_error local;
    error = error ? error : &local;
    const trm_initial origin = {0};
    const trm_trim rest = {0};
    at = at ? at : &origin;
    trim = trim ? trim : &rest;
    trm_status status = trmi_check_given(system, options, at, error);
    if (status == TRM_OK)
        status = check_trim(system, trim, error);
    if (status == TRM_OK && trim->n_hold > 0)
        return search_held(out, system, options, at, trim, error);
    if (status == TRM_OK)
        status = trmi_equilibrium_search(out, system, options, at, trim, error);
    if (status != TRM_OK) {
        trm_equilibrium_destroy(*out);
        *out = NULL;
    }
    return status;
}

trm_status trm_equilibrium_create(trm_equilibrium **out, const trm_system *system,
                                  const trm_options *options, const trm_initial *at,
                                  trm_error *error)
{
    TRMI_REQUIRE(error, out, "out");
    *out = NULL;
    TRMI_REQUIRE(error, system, "system");
    *out = NULL;
    return trm_equilibrium_create_trimmed(out, system, options, at, NULL, error);
}

double trm_equilibrium_holding_force(const trm_equilibrium *q, int k)
{
    return q && q->hold && k >= 0 && k < q->hold->count ? q->holding[k] : 0;
}

void trm_equilibrium_destroy(trm_equilibrium *q)
{
    if (!q)
        return;
    trmi_saddle_destroy(&q->saddle);
    trmi_springs_destroy(q);
    trmi_reduced_destroy(&q->reduced);
    trmi_hold_destroy(q->hold);
    trmi_memory memory = q->memory; // q itself lives in it
    trmi_memory_release_all(&memory);
}

const trm_state *trm_equilibrium_state(const trm_equilibrium *q)
{
    return q ? &q->state : NULL;
}

const trm_equilibrium_report *trm_equilibrium_get_report(const trm_equilibrium *q)
{
    return q ? &q->report : NULL;
}

const trm_static_direction *trm_equilibrium_direction(const trm_equilibrium *q, int index)
{
    return q && index >= 0 && index < q->report.directions ? &q->direction[index] : NULL;
}
