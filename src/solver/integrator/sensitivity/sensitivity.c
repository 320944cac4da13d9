// SPDX-License-Identifier: Apache-2.0
// Creation of sensitivities: neighbours of the system, start, memory; what happens between steps.
#include "solver/integrator/sensitivity/sensitivity.h"

#include "base/error.h"
#include "solver/integrator/output.h"
#include "solver/integrator/simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

trm_status trmi_sensitivities_fail(trm_simulation *s, const char *what)
{
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    return trmi_error_set(&s->error, TRM_ERR_SINGULAR, "sensitivities: %s", what);
}

// ---- creation ----

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
    if (!start_of(s, z->parameter[k].above, d[0]) || !start_of(s, z->parameter[k].below, d[1]))
        return trmi_error_set(&s->error, TRM_ERR_SYSTEM,
                              "the start with a parameter a little changed has no coordinates");
    for (int i = 0; i < z->size; i++)
        y[i] = (d[0][i] - d[1][i]) / z->parameter[k].width;
    return TRM_OK;
}

static bool take_memory(trm_simulation *s, int count)
{
    trmi_sensitivities *z = s->sensitivity;
    trmi_memory *m = &s->memory;
    const trmi_evaluator *e = &s->e;
    const int rows = e->n_r_full + 1, all = count * z->size;
    double *t;
    bool good =
        TRMI_TAKE(m, z->parameter, count) && TRMI_TAKE(m, z->begin, all) &&
        TRMI_TAKE(m, z->offset, all) && TRMI_TAKE(m, z->rhs, trmi_rhs_size(e)) &&
        TRMI_TAKE(m, z->row, rows) && TRMI_TAKE(m, t, e->n_q + e->n_x + e->n_z + 3 * rows) &&
        trmi_point_create(&z->beside, m, e) && TRMI_TAKE(m, z->difference[0], z->size) &&
        TRMI_TAKE(m, z->difference[1], z->size) &&
        TRMI_TAKE(m, z->sample, count * (z->size + e->n_q + rows)) &&
        TRMI_TAKE(m, z->sample_full, rows) &&
        trmi_history_create(&z->past, m, all, s->history.points);
    if (!good)
        return false;
    z->terms_of = z->terms.residual = t;
    z->terms.rate = t += e->n_q;
    z->terms.algebraic = t += e->n_x;
    z->terms.constraint = t += e->n_z;
    z->terms.velocity = t += rows;
    z->terms.acceleration = t + rows;
    return true;
}

// values for the matrix and what multiplies sensitivities, and the matrix itself
trm_status trmi_sensitivities_exchange(trm_simulation *s)
{
    trmi_sensitivities *z = s->sensitivity;
    uint64_t want = TRM_BIT(MASS) | TRM_BIT(CONSTRAINT_Q) | TRM_BIT(ROLLING) | TRM_BIT(VELOCITY_Q);
    for (int k = 0; k < z->count && s->rows.dropped; k++) {
        trmi_evaluator_exchange_rows(&z->parameter[k].above->e, s->rows.dropped);
        trmi_evaluator_exchange_rows(&z->parameter[k].below->e, s->rows.dropped);
    }
    trmi_saddle_destroy(&z->saddle);
    trmi_memory_release_all(&z->memory);
    trmi_memory_init(&z->memory, &s->options.allocator);
    want |= trmi_saddle_derivatives(&s->saddle) | TRM_BIT(GEOMETRIC);
    const uint64_t beside = TRM_BIT(CONSTRAINT_Q) | TRM_BIT(ROLLING) | TRM_BIT(GAMMA);
    if (!trmi_values_create(&z->values, &z->memory, &s->e, want, &z->uncounted) ||
        !trmi_values_create(&z->moved, &z->memory, &s->e, beside, &z->uncounted))
        return no_memory(s);
    trm_status status = trmi_saddle_create(&z->saddle, &z->memory, &z->values,
                                           s->options.linear_solver, true, &s->error);
    z->saddle.unsymmetric = true; // the block solver has the symmetric part alone
    return status;
}

static trm_status admit(trm_simulation *s)
{
    if (!s->method->sensitivities || !s->rule->adapts) {
        trmi_error_item(&s->error, "integrator");
        trmi_error_advise(&s->error, "use integrator = bdf with control = default and h_fixed = 0");
        return trmi_error_set(&s->error, TRM_ERR_OPTION, "integrator = %s%s has no sensitivities",
                              s->method->name, s->rule->adapts ? "" : " with constant steps");
    }
    if (s->e.constraint_uses_z)
        return trmi_error_set(&s->error, TRM_ERR_SYSTEM,
                              "constraints that depend on algebraic variables have no "
                              "sensitivities");
    return TRM_OK;
}

trm_status trmi_sensitivities_create(trm_simulation *s, const trm_parameter *parameters, int count)
{
    const trmi_evaluator *e = &s->e;
    trmi_sensitivities *z;
    trm_status status = admit(s);
    if (status != TRM_OK)
        return status;
    if (!TRMI_TAKE(&s->memory, z, 1))
        return no_memory(s);
    s->sensitivity = z;
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
        status = create_side(s, &parameters[k], true, &usual, &z->parameter[k].above);
        if (status == TRM_OK)
            status = create_side(s, &parameters[k], false, &usual, &z->parameter[k].below);
        if (status == TRM_OK)
            status = find_start(s, k);
    }
    return status;
}

void trmi_sensitivities_destroy(trm_simulation *s)
{
    trmi_sensitivities *z = s->sensitivity;
    if (!z)
        return;
    for (int k = 0; k < z->count; k++) {
        trm_simulation_destroy(z->parameter[k].above);
        trm_simulation_destroy(z->parameter[k].below);
    }
    trmi_saddle_destroy(&z->saddle);
    trmi_memory_release_all(&z->memory);
}

void trmi_sensitivities_archive(trm_simulation *s, trmi_archive *archive)
{
    trmi_sensitivities *z = s->sensitivity;
    if (!z)
        return;
    trmi_history_archive(&z->past, archive);
    trmi_archive_doubles(archive, z->begin, z->count * z->size);
    trmi_saddle_archive(&z->saddle, archive);
    if (archive->loading)
        z->sampled_t = NAN;
}

// ---- between steps ----

trm_status trmi_sensitivities_step(trm_simulation *s, const trmi_step_trial *trial)
{
    if (!s->sensitivity)
        return TRM_OK;
    s->sensitivity->sampled_t = NAN;
    return s->method->sensitivities(s, trial);
}

void trmi_sensitivities_hold(trm_simulation *s)
{
    trmi_sensitivities *z = s->sensitivity;
    if (!z || z->past.count == 0) // it has not begun yet
        return;
    s->method->sensitivities_at(s, s->now.t, z->begin);
    trmi_history_clear(&z->past);
    z->sampled_t = NAN;
}

// y of the point (q, v) in other coordinates: a central difference of the transformation along y
static void reexpress(trm_simulation *s, const trmi_recentring *r, const double *q,
                      const double *v, double *y)
{
    trmi_sensitivities *z = s->sensitivity;
    const trm_system *u = &s->e.user;
    const int n = s->e.n_q;
    double along = fmax(trmi_max_abs(y, n), trmi_max_abs(y + n, n));
    double h = along > 0 ? cbrt(DBL_EPSILON) / along : 0;
    if (h == 0)
        return;
    for (int side = 0; side < 2; side++) {
        double *to = z->difference[side], step = side ? -h : h;
        for (int i = 0; i < n; i++) {
            to[i] = q[i] + step * y[i];
            to[n + i] = v[i] + step * y[n + i];
        }
        if (u->reexpress(r->from, r->to, to, to + n, NULL, u->user) != 0)
            return;
    }
    for (int i = 0; i < 2 * n; i++)
        y[i] = (z->difference[0][i] - z->difference[1][i]) / (2 * h);
}

void trmi_sensitivities_reexpress(trm_simulation *s, const trmi_recentring *r)
{
    trmi_sensitivities *z = s->sensitivity;
    if (!z)
        return;
    const size_t size = (size_t)z->size;
    if (z->past.count > s->history.count)
        z->past.count = s->history.count;
    for (int i = 0; i < z->past.count; i++) {
        const trmi_point p = trmi_past_point(s, i);
        for (int k = 0; k < z->count; k++)
            reexpress(s, r, p.q, p.v, z->past.y[i] + (size_t)k * size);
    }
    for (int k = 0; k < z->count && z->past.count == 0; k++)
        reexpress(s, r, s->now.q, s->now.v, z->begin + (size_t)k * size);
    z->sampled_t = NAN;
}
