// SPDX-License-Identifier: Apache-2.0
#include "program/run/compared.h"

#include "modelling/reader/model.h"
#include "program/run/values.h"

#include <stdlib.h>
#include <string.h>

// How each kind is judged. Positions and states decide: what is wrong in them is wrong. Outputs are
// what a user asks for, and may jump. Velocities and forces jump where something hits, and where
// they are wrong alone the positions are right.
static const trm_verify_group kinds[TRM_CHANNEL_KINDS] = {
    [TRM_CHANNEL_POSITION] = {"positions", TRM_VERIFY_RANGE, TRM_VERIFY_DECIDES, NULL},
    [TRM_CHANNEL_VELOCITY] = {"velocities", TRM_VERIFY_SIZE, TRM_VERIFY_DECIDES_NOT, NULL},
    [TRM_CHANNEL_ACCELERATION] = {"accelerations", TRM_VERIFY_SIZE, TRM_VERIFY_DECIDES_NOT, NULL},
    [TRM_CHANNEL_STATE] = {"states", TRM_VERIFY_RANGE, TRM_VERIFY_DECIDES, NULL},
    [TRM_CHANNEL_ALGEBRAIC] = {"algebraic", TRM_VERIFY_SIZE, TRM_VERIFY_DECIDES_NOT, NULL},
    [TRM_CHANNEL_MULTIPLIER] = {"multipliers", TRM_VERIFY_SIZE, TRM_VERIFY_DECIDES_NOT, NULL},
    [TRM_CHANNEL_OUTPUT] = {"outputs", TRM_VERIFY_SIZE, TRM_VERIFY_DECIDES_PASSED, NULL},
    [TRM_CHANNEL_BODY] = {"positions", TRM_VERIFY_RANGE, TRM_VERIFY_DECIDES, NULL},
    [TRM_CHANNEL_REACTION] = {"reactions", TRM_VERIFY_SIZE, TRM_VERIFY_DECIDES_NOT, NULL},
    [TRM_CHANNEL_FORCE] = {"forces", TRM_VERIFY_SIZE, TRM_VERIFY_DECIDES_NOT, NULL}};

enum { POSE = 7, QUATERNION = 3 }; // numbers of a pose in space, the first of its quaternion

typedef struct plan {
    trm_verify_group *group;
    const char **unit; // of the groups
    int groups;
    int *group_of; // of the channels
} plan;

// The group of a kind and unit, which may be new. There are enough for all.
static int find_group(plan *p, const trm_verify_group *kind, const char *unit)
{
    int g = 0;
    for (; g < p->groups; g++)
        if (strcmp(p->group[g].name, kind->name) == 0 && strcmp(p->unit[g], unit) == 0 &&
            p->group[g].measure == kind->measure)
            return g;
    p->group[g] = *kind;
    p->group[g].unit = unit;
    p->unit[g] = unit;
    p->groups++;
    return g;
}

static void assign_groups(plan *p, const trm_model *m)
{
    int *of = p->group_of;
    bool spatial = trm_model_count(m, TRM_CHANNEL_BODY) % POSE == 0;
    for (int k = 0; k < TRM_CHANNEL_KINDS; k++)
        for (int i = 0; i < trm_model_count(m, (trm_channel_kind)k); i++) {
            trm_verify_group kind = kinds[k];
            const char *unit = trm_model_unit(m, (trm_channel_kind)k, i);
            if (k == TRM_CHANNEL_BODY && spatial && unit[0] == '\0' && i % POSE >= QUATERNION)
                kind.measure = TRM_VERIFY_QUATERNION;
            *of++ = find_group(p, &kind, unit);
        }
}

void trmi_compared_which(const trm_model *m, const trm_simulation *simulation, bool *which)
{
    int channels = trmi_values_count(m);
    memset(which, 0, (size_t)channels * sizeof *which);
    trmi_model_mark_open(m, simulation, which);
    for (int k = 0; k < channels; k++)
        which[k] = !which[k];
}

trm_verify *trmi_compared_create(const trm_model *m, const trm_simulation *simulation,
                                 const trm_options *options)
{
    int channels = trmi_values_count(m);
    size_t size = (size_t)channels + 1;
    plan p = {.group = calloc(size, sizeof *p.group),
              .unit = calloc(size, sizeof *p.unit),
              .group_of = calloc(size, sizeof *p.group_of)};
    bool *which = calloc(size, sizeof *which);
    trm_verify *verify = NULL;
    if (p.group && p.unit && p.group_of && which) {
        assign_groups(&p, m);
        trmi_compared_which(m, simulation, which);
        for (int k = 0; k < channels; k++)
            if (!which[k])
                p.group_of[k] = -1;
        trm_verify_create(&verify, p.group, p.groups, p.group_of, channels, options, NULL);
    }
    free(p.group);
    free(p.unit);
    free(p.group_of);
    free(which);
    return verify;
}
