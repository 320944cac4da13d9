// SPDX-License-Identifier: Apache-2.0
// The table of the problems: finding one by name, checking its options, creating it.
#define _POSIX_C_SOURCE 200809L
#include "problems/problems.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const trp_problem_kind *const kinds[] = {
    &trp_problem_pendulum,
    &trp_problem_rheonomic_pendulum,
    &trp_problem_spring_pendulum,
    &trp_problem_linear_oscillator,
    &trp_problem_normal_stiff,
    &trp_problem_rotation,
    &trp_problem_bushing,
    &trp_problem_stiff_bushing,
    &trp_problem_andrews,
    &trp_problem_andrews_absolute,
    &trp_problem_chain,
    &trp_problem_four_bar,
    &trp_problem_car_axis,
    &trp_problem_slider_crank,
    &trp_problem_pendulum_chain,
    &trp_problem_tilting_platform,
    &trp_problem_wheel_on_stamp,
    &trp_problem_wheelset,
    &trp_problem_flexible_slider_crank,
};

enum { KINDS = sizeof kinds / sizeof *kinds, NEAREST = 3, LONGEST_NAME = 32 };

const trp_problem_info *trp_problem_list(int index)
{
    return index >= 0 && index < KINDS ? &kinds[index]->info : NULL;
}

// ---- memory ----

enum { ALIGNMENT = 64 };

// in front of each block
typedef struct block_head {
    struct block_head *previous;
} block_head;

void *trp_memory_take(trp_memory *memory, size_t count, size_t size)
{
    if (count > (SIZE_MAX - 2 * ALIGNMENT) / size)
        return NULL;
    const size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    block_head *head = aligned_alloc(ALIGNMENT, ALIGNMENT + bytes);
    if (!head)
        return NULL;
    head->previous = memory->last_block;
    memory->last_block = head;
    return memset((char *)head + ALIGNMENT, 0, bytes);
}

void trp_memory_release(trp_memory *memory)
{
    for (block_head *head = memory->last_block, *previous; head; head = previous) {
        previous = head->previous;
        free(head);
    }
    memory->last_block = NULL;
}

// ---- errors ----

// Sets status, item and text (printf style) and returns the status. error may be NULL.
__attribute__((format(printf, 4, 5))) static trm_status
fail(trm_error *error, trm_status status, const char *item, const char *format, ...)
{
    va_list arguments;
    if (!error)
        return status;
    *error = (trm_error){.status = status, .t = NAN, .h = NAN, .matrix_fresh = -1, .pivot = NAN};
    va_start(arguments, format);
    snprintf(error->item, sizeof error->item, "%.60s", item);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

// Levenshtein's distance of two names
static int name_distance(const char *a, const char *b)
{
    int line[LONGEST_NAME + 1], columns = (int)strnlen(b, LONGEST_NAME);
    for (int j = 0; j <= columns; j++)
        line[j] = j;
    for (int i = 0; a[i] && i < LONGEST_NAME; i++) {
        int diagonal = line[0]++;
        for (int j = 1; j <= columns; j++) {
            int replaced = diagonal + (a[i] != b[j - 1]);
            int inserted = 1 + (line[j] < line[j - 1] ? line[j] : line[j - 1]);
            diagonal = line[j];
            line[j] = replaced < inserted ? replaced : inserted;
        }
    }
    return line[columns];
}

// Writes the candidates nearest to name, best first, as "a, b, c". A candidate that contains the
// name counts as near.
static void nearest_names(const char *name, const char *const *candidate, int count, char *text,
                          size_t size)
{
    int distance[KINDS + TRP_MAX_OPTIONS];
    for (int i = 0; i < count; i++) {
        bool contained = name[0] && strstr(candidate[i], name);
        distance[i] = contained ? 0 : name_distance(name, candidate[i]);
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

static const trp_problem_kind *find_kind(const char *name, trm_error *error)
{
    const char *names[KINDS];
    for (int i = 0; i < KINDS; i++) {
        names[i] = kinds[i]->info.name;
        if (!strcmp(names[i], name))
            return kinds[i];
    }
    char nearest[NEAREST * (LONGEST_NAME + 2)];
    nearest_names(name, names, KINDS, nearest, sizeof nearest);
    fail(error, TRM_ERR_OPTION, name, "there is no problem \"%.40s\"; nearest: %s", name, nearest);
    return NULL;
}

// Index of an option of a kind, -1 with an error when it has none of that name.
static int find_option(const trp_problem_kind *kind, const char *name, trm_error *error)
{
    const char *names[TRP_MAX_OPTIONS];
    int count = 0;
    for (const trm_problem_option *o = kind->info.options; o->name; o++) {
        names[count++] = o->name;
        if (!strcmp(o->name, name))
            return count - 1;
    }
    char nearest[NEAREST * (LONGEST_NAME + 2)];
    nearest_names(name, names, count, nearest, sizeof nearest);
    fail(error, TRM_ERR_OPTION, name, "problem %s has no option \"%.40s\"; %s%s", kind->info.name,
         name, count ? "nearest: " : "it takes none", nearest);
    return -1;
}

static trm_status check_value(const trp_problem_kind *kind, int index, double value,
                              trm_error *error)
{
    const trp_problem_range *range = &kind->range[index];
    const char *name = kind->info.options[index].name;
    // written so that NaN fails
    if (value >= range->least && value <= range->greatest &&
        !(range->whole && value != floor(value)))
        return TRM_OK;
    return fail(error, TRM_ERR_OPTION, name,
                "option %s of problem %s is %g; it must be a %s in %g .. %g", name, kind->info.name,
                value, range->whole ? "whole number" : "number", range->least, range->greatest);
}

static trm_status read_options(const trp_problem_kind *kind, const trm_problem_option *given,
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

trm_status trp_problem_create(trp_problem **out, const char *name,
                              const trm_problem_option *options, trm_error *error)
{
    *out = NULL;
    const trp_problem_kind *kind = find_kind(name ? name : "", error);
    if (!kind)
        return TRM_ERR_OPTION;
    double value[TRP_MAX_OPTIONS];
    trm_status status = read_options(kind, options, value, error);
    if (status != TRM_OK)
        return status;
    trp_memory memory = {0};
    trp_problem *problem;
    if (!TRP_TAKE(&memory, problem, 1))
        return fail(error, TRM_ERR_MEMORY, name, "no memory for problem %s", name);
    problem->memory = memory;
    problem->system.name = kind->info.name;
    if (!kind->create(problem, value)) {
        trp_problem_destroy(problem);
        return fail(error, TRM_ERR_MEMORY, name, "no memory for problem %s", name);
    }
    *out = problem;
    return TRM_OK;
}

void trp_problem_destroy(trp_problem *problem)
{
    if (!problem)
        return;
    if (problem->release)
        problem->release(problem);
    trp_memory memory = problem->memory; // the problem lies in it
    trp_memory_release(&memory);
}

static void release(trm_user_problem *opened)
{
    trp_problem_destroy(opened->user);
}

trm_status trp_problem_open(trm_user_problem *out, const char *name,
                            const trm_problem_option *options, void *user, trm_error *error)
{
    trp_problem *problem;
    (void)user;
    trm_status status = trp_problem_create(&problem, name, options, error);
    if (status == TRM_OK)
        *out =
            (trm_user_problem){&problem->system, &problem->initial, problem->end, problem, release};
    return status;
}

const trm_system *trp_problem_system(const trp_problem *problem)
{
    return &problem->system;
}

const trm_initial *trp_problem_initial(const trp_problem *problem)
{
    return &problem->initial;
}

double trp_problem_end(const trp_problem *problem)
{
    return problem->end;
}

bool trp_problem_start(trp_problem *problem, int count, const double *q, const double *v)
{
    double *kept;
    if (!TRP_TAKE(&problem->memory, kept, 2 * count))
        return false;
    memcpy(kept, q, (size_t)count * sizeof *q);
    memcpy(kept + count, v, (size_t)count * sizeof *v);
    problem->initial.q = kept;
    problem->initial.v = kept + count;
    return true;
}
