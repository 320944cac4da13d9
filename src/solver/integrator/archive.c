// SPDX-License-Identifier: Apache-2.0
// Checkpoints: everything of a simulation that one step hands to the next, as bytes. What is
// scratch inside a step, and what creation finds again (structure, orderings, dropped rows), is
// left out.
#include "solver/integrator/simulation.h"

#include "base/archive.h"
#include "base/error.h"
#include "solver/integrator/output.h"
#include "solver/integrator/step_projection.h"
#include "solver/integrator/watch/watch.h"

#include <assert.h>
#include <string.h>

#define CONTROL(member) TRMI_FIELD(trmi_control, member)
static const trmi_field control_fields[] = {CONTROL(h),
                                            CONTROL(h_last),
                                            CONTROL(h_typical),
                                            CONTROL(since_order),
                                            CONTROL(bent),
                                            CONTROL(newton_failures),
                                            CONTROL(error_failures),
                                            CONTROL(singular_failures),
                                            CONTROL(starting),
                                            CONTROL(started)};

#define COUNT(member) TRMI_FIELD(trm_statistics, member)
static const trmi_field statistics_fields[] = {COUNT(steps),
                                               COUNT(rejected_error),
                                               COUNT(rejected_newton),
                                               COUNT(repeated),
                                               COUNT(newton_iterations),
                                               COUNT(residual_evaluations),
                                               COUNT(residual_evaluations_for_jacobian),
                                               COUNT(jacobian_evaluations),
                                               COUNT(jacobian_updates),
                                               COUNT(jacobian_dense_evaluations),
                                               COUNT(jacobian_groups),
                                               COUNT(jacobian_nonzeros),
                                               COUNT(factorizations),
                                               COUNT(solves),
                                               COUNT(split_changes),
                                               COUNT(near_singular_steps),
                                               COUNT(recentrings),
                                               COUNT(coupled_steps),
                                               COUNT(error_sum),
                                               COUNT(position_residual_max),
                                               COUNT(velocity_residual_max),
                                               COUNT(position_residual),
                                               COUNT(velocity_residual),
                                               COUNT(t_last),
                                               COUNT(h_last)};

// a restart changes the report of the start
#define REPORT(member) TRMI_FIELD(trm_start_report, member)
static const trmi_field report_fields[] = {REPORT(position_iterations), REPORT(position_before),
                                           REPORT(position_after),      REPORT(velocity_before),
                                           REPORT(velocity_after),      REPORT(acceleration_after)};

// the points outside the history, and which of all is the present one
static void archive_points(trm_simulation *s, trmi_archive *a)
{
    const trmi_evaluator *e = &s->e;
    bool detour = s->points.place == TRMI_AT_DETOUR;
    int way = (int)(detour ? s->points.way : s->points.place);
    trmi_archive_doubles(a, detour ? s->points.way_a : s->now.a, e->n_q);
    trmi_archive_int(a, &way, TRMI_AT_NEWEST, TRMI_AT_GLIDE);
    if (way == TRMI_AT_GLIDE && a->status == TRM_OK)
        a->status = trmi_glide_create(s);
    if (a->status != TRM_OK)
        way = TRMI_AT_NEWEST;
    if (way == TRMI_AT_GLIDE)
        trmi_point_archive(&s->points.glided, e, a);
    trmi_archive_bool(a, &detour);
    if (detour && !s->points.detour.q && a->status == TRM_OK)
        a->status = TRM_ERR_RANGE; // no event is watched here
    detour = detour && s->points.detour.q;
    if (detour) {
        trmi_point_archive(&s->points.detour, e, a);
        trmi_archive_doubles(a, s->points.detour.a, e->n_q);
    }
    if (!a->loading)
        return;
    trmi_end_detour(s);
    trmi_bind_points(s);
    trmi_move_to(s, (trmi_point_place)way);
    if (detour)
        trmi_move_to(s, TRMI_AT_DETOUR);
}

static void archive_all(trm_simulation *s, trmi_archive *a)
{
    const trmi_evaluator *e = &s->e;
    trmi_rows_archive(s, a);
    int *orders[] = {&s->statistics.order_last, &s->control.k, &s->control.k_last};
    for (int i = 0; i < 3; i++)
        trmi_archive_int(a, orders[i], 0, s->method->order_max);
    TRMI_ARCHIVE_FIELDS(a, &s->statistics, statistics_fields);
    TRMI_ARCHIVE_FIELDS(a, &s->start, report_fields);
    TRMI_ARCHIVE_FIELDS(a, &s->control, control_fields);
    trmi_archive_doubles(a, &s->points.t_first, 1);
    trmi_archive_long(a, &s->points.steps_before);
    trmi_repetition_archive(s, a);
    trmi_watch_archive(&s->watch, a);
    trmi_archive_doubles(a, s->weight, 2 * e->n_q + e->n_x + e->n_z);
    trmi_archive_bytes(a, s->turns, (size_t)e->n_q);
    trmi_events_archive(s, a);
    trmi_archive_doubles(a, s->e.held, e->user.n_held);
    trmi_switches_archive(s, a);
    trmi_history_archive(&s->history, a);
    archive_points(s, a);
    trmi_corrector_archive(&s->corrector, a);
    if (trmi_keeps_invariants(s))
        trmi_archive_doubles(a, s->projection.invariants.target, e->user.n_i);
    trmi_patterns_archive(&s->patterns, a);
    trmi_values_archive(&s->values, &s->e, a);
    trmi_saddle_archive(&s->saddle, a);
    if (s->mass_saddle)
        trmi_saddle_archive(s->mass_saddle, a);
    if (s->method->archive)
        s->method->archive(s, a);
    trmi_sensitivities_archive(s, a);
    if (a->loading)
        trmi_breaks_forget(s);
    bool fits = !s->control.started ||
                (s->control.k > 0 && s->history.count >= (s->method->multistep ? 2 : 1));
    if (a->loading && a->status == TRM_OK && (!fits || a->at != a->size))
        a->status = TRM_ERR_RANGE;
}

// Of what a checkpoint belongs to: structure of the system, solver, options but for the number of
// steps after which to give up. Callbacks and allocators may lie elsewhere in another process.
static uint64_t kind_of(const trm_simulation *s)
{
    trm_options o = s->options;
    o.max_steps = 0;
    const double options[] = {
#define OPTION_VALUE(type, name, preset, least, greatest, unit, help) (double)o.name,
        TRM_OPTION_LIST(OPTION_VALUE)};
    const char *solver = s->saddle.solver->type->name;
    uint64_t hash = trmi_hash(TRMI_HASH, options, sizeof options);
    hash = trmi_hash(hash, solver, strlen(solver));
    return trmi_evaluator_hash(&s->e, hash);
}

size_t trmi_simulation_copy(trm_simulation *s, void *buffer, size_t size)
{
    trmi_archive a = trmi_archive_save(buffer, size);
    archive_all(s, &a);
    return a.at;
}

void trmi_simulation_paste(trm_simulation *s, const void *buffer, size_t size)
{
    trmi_archive a = trmi_archive_of(buffer, size);
    archive_all(s, &a);
    assert(a.status == TRM_OK);
    trmi_update_view(s);
}

size_t trm_simulation_save(trm_simulation *s, void *buffer, size_t size)
{
    if (!s)
        return 0;
    trmi_archive a = trmi_archive_save(buffer, size);
    archive_all(s, &a);
    return trmi_archive_end(&a, kind_of(s));
}

// all or nothing: what does not fit changes nothing
static trm_status load_or_stay(trm_simulation *s, trmi_archive *a)
{
    trmi_memory scratch;
    trmi_memory_init(&scratch, &s->options.allocator);
    size_t size = trmi_simulation_copy(s, NULL, 0);
    unsigned char *before;
    if (!TRMI_TAKE(&scratch, before, size))
        return trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory to load a checkpoint");
    trmi_simulation_copy(s, before, size);
    archive_all(s, a);
    if (a->status != TRM_OK) {
        if (s->error.status == TRM_OK)
            trmi_error_set(&s->error, a->status,
                           a->status == TRM_ERR_MEMORY ? "no memory to load a checkpoint"
                                                       : "the checkpoint does not fit");
        trmi_simulation_paste(s, before, size);
    }
    trmi_memory_release_all(&scratch);
    return a->status;
}

trm_status trm_simulation_load(trm_simulation *s, const void *buffer, size_t size)
{
    TRMI_REQUIRE(NULL, s, "simulation");
    TRMI_REQUIRE(&s->error, buffer, "buffer");
    trmi_archive a;
    trmi_error_clear(&s->error);
    trm_status status = trmi_archive_load(&a, buffer, size, kind_of(s), &s->error);
    if (status == TRM_OK)
        status = load_or_stay(s, &a);
    if (status != TRM_OK)
        s->error.t = s->now.t;
    trmi_update_view(s);
    return status;
}
