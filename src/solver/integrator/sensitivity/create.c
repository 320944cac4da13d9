// SPDX-License-Identifier: Apache-2.0
// Simulations with sensitivities: neighbours of the system, memory, start.
#include "solver/integrator/sensitivity/sensitivity.h"

#include "base/error.h"
#include "solver/integrator/simulation.h"

#include <math.h>
#include <string.h>

static trm_status no_memory(trm_simulation *s)
{
    return trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for sensitivities");
}

static bool same_rows(const trmi_evaluator *a, const trmi_evaluator *b)
{
    bool same = a->n_r == b->n_r && a->n_r_full == b->n_r_full;
    for (int i = 0; i < a->n_r_full && same; i++)
        same = trmi_active_row(a, i) == trmi_active_row(b, i);
    return same;
}

static bool alike(const trmi_evaluator *a, const trmi_evaluator *b)
{
    return a->n_q == b->n_q && a->n_x == b->n_x && a->n_z == b->n_z && a->n_g == b->n_g &&
           a->n_a == b->n_a && a->user.n_held == b->user.n_held && same_rows(a, b);
}

static trm_status create_side(trm_simulation *s, const trm_parameter *p, bool above,
                              const trm_initial *usual, trm_simulation **out)
{
    const trm_system *system = above ? p->above : p->below;
    const trm_initial *initial = above ? p->initial_above : p->initial_below;
    const char *name = p->name ? p->name : "?";
    trm_options options = s->options;
    options.log = NULL;
    options.log_row = NULL;
    options.progress = NULL;
    trm_error error = trmi_no_error();
    if (!system || !(p->width > 0) || !isfinite(p->width))
        return trmi_error_set(&s->error, TRM_ERR_RANGE,
                              "parameter %.60s: systems above and below it, and a width > 0, are "
                              "needed",
                              name);
    trm_status status =
        trm_simulation_create(out, system, &options, initial ? initial : usual, &error);
    if (status != TRM_OK) {
        s->error = error;
        return status;
    }
    if (alike(&s->e, &(*out)->e))
        return TRM_OK;
    return trmi_error_set(&s->error, TRM_ERR_SYSTEM,
                          "parameter %.60s changes the structure of the system: it has other "
                          "sizes, or other redundant rows, with the parameter a little %s",
                          name, above ? "larger" : "smaller");
}

// The derivatives of the equations, where they are supplied. Rows that are redundant are none of
// theirs.
static trm_status create_exact(trm_simulation *s, const trm_parameter *p, trmi_exact **out)
{
    const trm_initial start = {s->now.t, s->now.q, s->now.v, s->now.x, s->now.z, NULL};
    trmi_exact *exact;
    *out = NULL;
    if (!p->derivative || s->e.n_r != s->e.n_r_full)
        return TRM_OK;
    if (!TRMI_TAKE(&s->memory, exact, 1))
        return no_memory(s);
    trm_status status =
        trmi_evaluator_create(&exact->e, &exact->values, &s->memory, p->derivative, TRM_BIT(GAMMA),
                              &start, &s->sensitivity->uncounted, &s->error);
    if (status == TRM_OK && !alike(&s->e, &exact->e))
        return trmi_error_set(&s->error, TRM_ERR_SYSTEM,
                              "the derivatives by parameter %.60s are a system of other sizes",
                              p->name ? p->name : "?");
    *out = status == TRM_OK ? exact : NULL; // they have no value at the start: differences
    return status == TRM_ERR_MEMORY ? status : TRM_OK;
}

// The column of FORCE_P of a parameter; 0 where the system does not supply it, or options take
// derivatives from it.
static trm_status find_column(trm_simulation *s, const trm_parameter *p, int *column)
{
    const int n_p = s->e.user.n_p;
    *column = s->e.absent & TRM_BIT(FORCE_P) ? 0 : p->force_column;
    if (*column >= 0 && *column <= n_p)
        return TRM_OK;
    return trmi_error_set(&s->error, TRM_ERR_RANGE,
                          "parameter %.60s: force_column = %d is outside 0 .. n_p = %d",
                          p->name ? p->name : "?", p->force_column, n_p);
}

// y = [q | v | x | z] of a neighbour at its start, in the coordinates of the simulation
static bool start_of(trm_simulation *s, const trm_simulation *side, double *y)
{
    const trmi_evaluator *e = &s->e;
    const trm_system *u = &e->user;
    const trmi_point *p = &side->now;
    const size_t n = (size_t)e->n_q, held = (size_t)u->n_held * sizeof(double);
    memcpy(y, p->q, n * sizeof *y);
    memcpy(y + n, p->v, n * sizeof *y);
    memcpy(y + 2 * n, p->x, (size_t)e->n_x * sizeof *y);
    memcpy(y + 2 * n + e->n_x, p->z, (size_t)e->n_z * sizeof *y);
    if (!u->reexpress || held == 0 || memcmp(side->e.held, e->held, held) == 0)
        return true;
    return u->reexpress(side->e.held, e->held, y, y + n, NULL, u->user) == 0;
}

static trm_status find_start(trm_simulation *s, int k)
{
    trmi_sensitivities *z = s->sensitivity;
    double *y = z->begin + (size_t)k * (size_t)z->size, **d = z->difference;
    if (!start_of(s, z->parameter[k].side[0], d[0]) || !start_of(s, z->parameter[k].side[1], d[1]))
        return trmi_error_set(&s->error, TRM_ERR_SYSTEM,
                              "the start with a parameter a little changed has no coordinates");
    for (int i = 0; i < z->size; i++)
        y[i] = (d[0][i] - d[1][i]) / z->parameter[k].width;
    return TRM_OK;
}

// of what forces remember at the start
static void find_memory(trm_simulation *s, int k)
{
    const trmi_beside *p = &s->sensitivity->parameter[k];
    const int n = s->e.user.n_memories, first = s->e.user.first_memory;
    double *memory = s->sensitivity->jumps.memory + (size_t)k * (size_t)n;
    for (int i = first; i < first + n; i++)
        *memory++ = (p->side[0]->e.held[i] - p->side[1]->e.held[i]) / p->width;
}

static bool take_memory(trm_simulation *s, int count)
{
    trmi_sensitivities *z = s->sensitivity;
    trmi_memory *m = &s->memory;
    const trmi_evaluator *e = &s->e;
    const int rows = e->n_r_full + 1, all = count * z->size;
    bool good = TRMI_TAKE(m, z->parameter, count) && TRMI_TAKE(m, z->begin, all) &&
                TRMI_TAKE(m, z->offset, all) && TRMI_TAKE(m, z->rhs, trmi_rhs_size(e)) &&
                TRMI_TAKE(m, z->row, rows) && trmi_parameter_terms_create(&z->terms, m, e) &&
                trmi_point_create(&z->beside, m, e) && TRMI_TAKE(m, z->difference[0], z->size) &&
                TRMI_TAKE(m, z->difference[1], z->size) &&
                TRMI_TAKE(m, z->sample, count * (z->size + e->n_q + rows)) &&
                TRMI_TAKE(m, z->sample_full, rows) &&
                trmi_history_create(&z->past, m, all, s->history.points);
    return good;
}

static void release(trm_simulation *s)
{
    trmi_sensitivities *z = s->sensitivity;
    for (int k = 0; k < z->count; k++) {
        trm_simulation_destroy(z->parameter[k].side[0]);
        trm_simulation_destroy(z->parameter[k].side[1]);
    }
    trmi_saddle_destroy(&z->saddle);
    trmi_memory_release_all(&z->memory);
}

static trm_status admit(trm_simulation *s)
{
    if (!s->method->sensitivities || !s->rule->adapts) {
        trmi_error_item(&s->error, "integrator");
        trmi_error_advise(&s->error,
                          "use integrator = bdf or radau with step control and control = default");
        return trmi_error_set(&s->error, TRM_ERR_OPTION, "integrator = %s%s has no sensitivities",
                              s->method->name, s->rule->adapts ? "" : " with constant steps");
    }
    if (!s->method->multistep &&
        (s->e.n_a > 0 || s->corrector.policy->level == TRMI_LEVEL_ACCELERATION)) {
        trmi_error_item(&s->error, "integrator");
        trmi_error_advise(&s->error, "use integrator = bdf");
        return trmi_error_set(&s->error, TRM_ERR_OPTION, "integrator = %s has no sensitivities %s",
                              s->method->name,
                              s->e.n_a > 0 ? "where there are velocity constraints"
                                           : "with formulation = index1-projected");
    }
    if (s->e.constraint_uses_z)
        return trmi_error_set(&s->error, TRM_ERR_SYSTEM,
                              "constraints that depend on algebraic variables have no "
                              "sensitivities");
    return TRM_OK;
}

static trm_status attach(trm_simulation *s, const trm_parameter *parameters, int count)
{
    const trmi_evaluator *e = &s->e;
    trmi_sensitivities *z;
    trm_status status = admit(s);
    if (status != TRM_OK)
        return status;
    if (!TRMI_TAKE(&s->memory, z, 1))
        return no_memory(s);
    s->sensitivity = z;
    z->release = release;
    z->size = 2 * e->n_q + e->n_x + e->n_z;
    z->sampled_t = NAN;
    trmi_memory_init(&z->memory, &s->options.allocator);
    if (!take_memory(s, count))
        return no_memory(s);
    status = trmi_sensitivities_exchange(s);
    const trm_initial usual = {s->now.t, s->now.q, s->now.v, s->now.x, s->now.z, NULL};
    for (int k = 0; k < count && status == TRM_OK; k++) {
        z->count = k + 1;
        z->parameter[k].width = parameters[k].width;
        z->parameter[k].name = parameters[k].name;
        status = create_side(s, &parameters[k], true, &usual, &z->parameter[k].side[0]);
        if (status == TRM_OK)
            status = create_side(s, &parameters[k], false, &usual, &z->parameter[k].side[1]);
        if (status == TRM_OK)
            status = create_exact(s, &parameters[k], &z->parameter[k].exact);
        if (status == TRM_OK)
            status = find_column(s, &parameters[k], &z->parameter[k].force_column);
        if (status == TRM_OK)
            status = find_start(s, k);
    }
    if (status == TRM_OK && (!trmi_jumps_create(s) || (s->method->sensitivities_create &&
                                                       !s->method->sensitivities_create(s))))
        return no_memory(s);
    for (int k = 0; k < count && status == TRM_OK; k++)
        find_memory(s, k);
    return status;
}

trm_status trm_simulation_create_sensitive(trm_simulation **out, const trm_system *system,
                                           const trm_options *options, const trm_initial *initial,
                                           const trm_parameter *parameters, int count,
                                           trm_error *error)
{
    TRMI_REQUIRE(error, out, "out");
    *out = NULL;
    TRMI_REQUIRE(error, system, "system");
    TRMI_REQUIRE(error, parameters, "parameters");
    trm_simulation *s;
    trm_error local;
    error = error ? error : &local;
    const trmi_simulation_kind kind = {.sensitive = true};
    trm_status status = trmi_simulation_create_as(&s, system, options, initial, &kind, error);
    if (status != TRM_OK)
        return status;
    status = attach(s, parameters, count);
    if (status == TRM_OK) {
        *out = s;
        return TRM_OK;
    }
    *error = s->error;
    error->status = status;
    trm_simulation_destroy(s);
    return status;
}
