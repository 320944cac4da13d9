// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model file: read, differentiated and compiled, or refused, without a crash, a leak
// or a hang; what was read can be evaluated.
#include "fuzz.h"
#include "problems/problems.h"
#include "trammel/model.h"

#include <stdlib.h>

// the force and the outputs at the initial state
static void evaluate(const trm_model *model, trm_instance *instance)
{
    const trm_system *s = trm_instance_system(instance);
    const trm_initial *start = trm_instance_initial(instance);
    double *force = calloc((size_t)s->n_q + 1, sizeof *force);
    double *outputs =
        calloc((size_t)trm_model_count(model, TRM_CHANNEL_OUTPUT) + 1, sizeof *outputs);
    double *u = calloc((size_t)s->n_u * 3 + 1, sizeof *u);
    const trm_state state = {start->t, start->q,      start->v, start->v, start->x,
                             start->z, start->lambda, u,        s->held};
    double *inputs[TRM_QUANTITY_COUNT] = {[TRM_QUANTITY_INPUT] = u};
    double *want[TRM_QUANTITY_COUNT] = {[TRM_QUANTITY_FORCE] = force};
    if (u && s->evaluate && s->n_u > 0)
        s->evaluate(&state, inputs, s->user);
    if (force && outputs && u && s->evaluate)
        s->evaluate(&state, want, s->user);
    if (outputs && u)
        trm_instance_outputs(instance, &state, outputs);
    free(force);
    free(outputs);
    free(u);
}

// Errors of a model have a line and a column, but for the one that says how many there are.
static void check_diagnostic(const trm_diagnostic *diagnostic, void *user)
{
    int *errors = user;
    format_diagnostic(diagnostic, NULL);
    if (diagnostic->error && diagnostic->line < 1 && *errors == 0)
        abort();
    *errors += diagnostic->error;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int errors = 0;
    const trm_load load = {
        .report = check_diagnostic, .user = &errors, .problem = trp_problem_open};
    trm_model *model;
    trm_instance *instance;
    if (trm_model_read(&model, (const char *)data, size, "fuzz.yaml", &load, NULL) != TRM_OK)
        return 0;
    if (trm_instance_create(&instance, model, NULL) == TRM_OK)
        evaluate(model, instance);
    trm_instance_destroy(instance);
    trm_model_destroy(model);
    return 0;
}
