// SPDX-License-Identifier: Apache-2.0
#include "peer_file.h"

#include "modelling/reader/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double same_place = 1e-12; // m, of a body at the start in file and problem

static int fail(peer_file *file, const char *command, const char *text)
{
    fprintf(stderr, "%s: %s\n", command, text);
    peer_file_close(file);
    return -1;
}

int peer_file_open(peer_file *file, const char *command, const char *const *set, int n,
                   const double *q)
{
    const trm_load load = {.set = set};
    *file = (peer_file){.n = n};
    if (mechanism_read(&file->mechanism, command, &load) != 0)
        return -1;
    const trm_model *model = file->mechanism.model;
    int poses = trm_model_count(model, TRM_CHANNEL_BODY);
    int reactions = trm_model_count(model, TRM_CHANNEL_REACTION);
    file->value = calloc((size_t)(poses + reactions), sizeof *file->value);
    file->offset = calloc((size_t)n, sizeof *file->offset);
    const trm_system *system = trm_instance_system(file->mechanism.instance);
    const trm_initial *start = trm_instance_initial(file->mechanism.instance);
    double *zero = calloc((size_t)(system->n_q + system->n_g + system->n_a), sizeof *zero);
    if (file->value == NULL || file->offset == NULL || zero == NULL || poses != n) {
        free(zero);
        return fail(file, command, "not the bodies of the problem, or no memory");
    }
    const trm_state state = {.t = start->t,
                             .q = start->q,
                             .v = start->v,
                             .a = zero,
                             .lambda = zero + system->n_q,
                             .held = system->held};
    peer_file_places(file, &state, file->offset);
    free(zero);
    for (int i = 0; i < n; i++) {
        file->offset[i] = q[i] - file->offset[i];
        if (i % 3 < 2 && fabs(file->offset[i]) > same_place)
            return fail(file, command, "a body starts elsewhere than in the problem");
        if (i % 3 < 2)
            file->offset[i] = 0.0;
    }
    return 0;
}

void peer_file_close(peer_file *file)
{
    if (file->mechanism.model != NULL)
        mechanism_close(&file->mechanism);
    free(file->value);
    free(file->offset);
    *file = (peer_file){0};
}

void peer_file_places(const peer_file *file, const trm_state *state, double *q)
{
    trmi_instance_mechanism(file->mechanism.instance, state, file->value);
    for (int i = 0; i < file->n; i++)
        q[i] = file->value[i] + file->offset[i];
}
