// SPDX-License-Identifier: Apache-2.0
// The table of the built-in problems: finding one by name, checking its options, creating it.
#include "trammel/problem.h"

#include "base/error.h"
#include "base/nearest.h"
#include "modelling/reader/problems/collection.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const trmi_problem_kind *const kinds[] = {
    &trmi_problem_pendulum,
    &trmi_problem_rheonomic_pendulum,
    &trmi_problem_spring_pendulum,
    &trmi_problem_linear_oscillator,
    &trmi_problem_normal_stiff,
    &trmi_problem_rotation,
    &trmi_problem_bushing,
    &trmi_problem_stiff_bushing,
    &trmi_problem_andrews,
    &trmi_problem_andrews_absolute,
    &trmi_problem_chain,
    &trmi_problem_four_bar,
    &trmi_problem_car_axis,
    &trmi_problem_slider_crank,
    &trmi_problem_pendulum_chain,
    &trmi_problem_tilting_platform,
    &trmi_problem_wheel_on_stamp,
    &trmi_problem_wheelset,
    &trmi_problem_flexible_slider_crank,
};

enum { KINDS = sizeof kinds / sizeof *kinds, NEAREST = 3, LONGEST_NAME = 32 };

const trm_problem_info *trm_problem_list(int index)
{
    return index >= 0 && index < KINDS ? &kinds[index]->info : NULL;
}

// Writes the candidates nearest to name, best first, as "a, b, c". A candidate that contains the
// name counts as near.
static void nearest_names(const char *name, const char *const *candidate, int count, char *text,
                          size_t size)
{
    int distance[KINDS + TRMI_PROBLEM_OPTIONS];
    for (int i = 0; i < count; i++) {
        bool contained = name[0] && strstr(candidate[i], name);
        distance[i] = contained ? 0 : trmi_name_distance(name, candidate[i]);
    }
    text[0] = '\0';
    size_t length = 0;
    for (int n = 0; n < NEAREST && n < count; n++) {
        int best = 0;
        for (int i = 1; i < count; i++)
            if (distance[i] < distance[best])
                best = i;
        distance[best] = INT_MAX;
        int written =
            snprintf(text + length, size - length, "%s%s", n ? ", " : "", candidate[best]);
        if (written < 0 || (size_t)written >= size - length)
            return;
        length += (size_t)written;
    }
}

static const trmi_problem_kind *find_kind(const char *name, trm_error *error)
{
    const char *names[KINDS];
    for (int i = 0; i < KINDS; i++) {
        names[i] = kinds[i]->info.name;
        if (!strcmp(names[i], name))
            return kinds[i];
    }
    char nearest[NEAREST * (LONGEST_NAME + 2)];
    nearest_names(name, names, KINDS, nearest, sizeof nearest);
    trmi_error_set(error, TRM_ERR_OPTION, "there is no problem \"%.40s\"; nearest: %s", name,
                   nearest);
    trmi_error_item(error, "%.60s", name);
    return NULL;
}

// Index of an option of a kind, -1 with an error when it has none of that name.
static int find_option(const trmi_problem_kind *kind, const char *name, trm_error *error)
{
    const char *names[TRMI_PROBLEM_OPTIONS];
    int count = 0;
    for (const trm_problem_option *o = kind->info.options; o->name; o++) {
        names[count++] = o->name;
        if (!strcmp(o->name, name))
            return count - 1;
    }
    char nearest[NEAREST * (LONGEST_NAME + 2)];
    nearest_names(name, names, count, nearest, sizeof nearest);
    trmi_error_set(error, TRM_ERR_OPTION, "problem %s has no option \"%.40s\"; %s%s",
                   kind->info.name, name, count ? "nearest: " : "it takes none", nearest);
    trmi_error_item(error, "%.60s", name);
    return -1;
}

static trm_status check_value(const trmi_problem_kind *kind, int index, double value,
                              trm_error *error)
{
    const trmi_problem_range *range = &kind->range[index];
    const char *name = kind->info.options[index].name;
    // written so that NaN fails
    if (value >= range->least && value <= range->greatest &&
        !(range->whole && value != floor(value)))
        return TRM_OK;
    trmi_error_item(error, "%s", name);
    return trmi_error_set(error, TRM_ERR_OPTION,
                          "option %s of problem %s is %g; it must be a %s in %g .. %g", name,
                          kind->info.name, value, range->whole ? "whole number" : "number",
                          range->least, range->greatest);
}

static trm_status read_options(const trmi_problem_kind *kind, const trm_problem_option *given,
                               double *value, trm_error *error)
{
    for (int i = 0; kind->info.options[i].name; i++)
        value[i] = kind->info.options[i].value;
    for (; given && given->name; given++) {
        int index = find_option(kind, given->name, error);
        if (index < 0)
            return TRM_ERR_OPTION;
        trm_status status = check_value(kind, index, given->value, error);
        if (status != TRM_OK)
            return status;
        value[index] = given->value;
    }
    return TRM_OK;
}

trm_status trm_problem_create(trm_problem **out, const char *name,
                              const trm_problem_option *options, trm_error *error)
{
    *out = NULL;
    trmi_error_clear(error);
    const trmi_problem_kind *kind = find_kind(name ? name : "", error);
    if (!kind)
        return TRM_ERR_OPTION;
    double value[TRMI_PROBLEM_OPTIONS];
    trm_status status = read_options(kind, options, value, error);
    if (status != TRM_OK)
        return status;
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trm_problem *problem;
    if (!TRMI_TAKE(&memory, problem, 1))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for problem %s", name);
    problem->memory = memory;
    problem->system.name = kind->info.name;
    if (!kind->create(problem, value)) {
        trm_problem_destroy(problem);
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for problem %s", name);
    }
    *out = problem;
    return TRM_OK;
}

void trm_problem_destroy(trm_problem *problem)
{
    if (!problem)
        return;
    trmi_memory memory = problem->memory; // the problem lies in it
    trmi_memory_release_all(&memory);
}

const trm_system *trm_problem_system(const trm_problem *problem)
{
    return &problem->system;
}

const trm_initial *trm_problem_initial(const trm_problem *problem)
{
    return &problem->initial;
}

double trm_problem_end(const trm_problem *problem)
{
    return problem->end;
}

bool trmi_problem_start(trm_problem *problem, int count, const double *q, const double *v)
{
    double *kept;
    if (!TRMI_TAKE(&problem->memory, kept, 2 * count))
        return false;
    memcpy(kept, q, (size_t)count * sizeof *q);
    memcpy(kept + count, v, (size_t)count * sizeof *v);
    problem->initial.q = kept;
    problem->initial.v = kept + count;
    return true;
}
