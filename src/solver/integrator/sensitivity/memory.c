// SPDX-License-Identifier: Apache-2.0
// What forces remember, m: where a joint took hold, the speed of an impact. It changes between
// steps, m <- R(y, m, p), and with it its sensitivities,
//
//     m_p <- R_y s + R_m m_p + R_p,
//
// and acts on the motion as a parameter does: r_m m_p in the residual. Steps behind a closing begin
// with it and move with its time: y_p = s + y' t_p there. This makes a difference to maxima that
// are those of steps.
#include "solver/integrator/sensitivity/sensitivity.h"

#include "solver/integrator/simulation.h"

#include <string.h>

enum { MAX_HALVINGS = 8 };

static double *memory_of(const trm_simulation *s, int k)
{
    return s->sensitivity->jumps.memory + (size_t)k * (size_t)s->e.user.n_memories;
}

// what a system remembers from a state on; the held values of the state are those before
static bool settle(trm_simulation *of, const trm_state *state, double *work, double *out)
{
    const trm_system *u = &of->e.user;
    if (work != state->held)
        memcpy(work, state->held, (size_t)u->n_held * sizeof *work);
    trm_state at = *state;
    at.held = work;
    if (u->settle(&at, work, u->user) < 0)
        return false;
    memcpy(out, work + u->first_memory, (size_t)u->n_memories * sizeof *out);
    return true;
}

void trmi_sensitivities_remember(trm_simulation *s)
{
    trmi_sensitivities *z = s->sensitivity;
    const trm_system *u = &s->e.user;
    if (!z || u->n_memories == 0 || !u->settle)
        return;
    trmi_point p = trmi_past_point(s, 0);
    p.a = s->now.a;
    // by the equations: those of a formula for derivatives are noise where steps are short
    const double *a = trmi_sensitivities_rates_at(s, &p, z->jumps.rate[0]) ? z->jumps.rate[0] : p.a;
    const double *y = trmi_sensitivities_newest(s);
    for (int k = 0; k < z->count; k++, y += z->size) {
        double delay = z->jumps.frame[k], *along = z->jumps.along;
        memcpy(along, y, (size_t)z->size * sizeof *y);
        for (int i = 0; i < s->e.n_q; i++) {
            along[i] += p.v[i] * delay;
            along[s->e.n_q + i] += a[i] * delay;
        }
        if (trmi_sensitivities_derive(s, k, &p, along, delay, settle, u->n_memories, z->jumps.next))
            memcpy(memory_of(s, k), z->jumps.next, (size_t)u->n_memories * sizeof *y);
    }
}

// m_p += (m'- - m'+) t_p, m' by what is remembered h later with the lock and without
void trmi_sensitivities_keep_memory(trm_simulation *s, int i, double h)
{
    trmi_sensitivities *z = s->sensitivity;
    trmi_jumps *j = &z->jumps;
    const trm_system *u = &s->e.user;
    double *lock = &s->e.held[u->first_lock + i], kept = *lock;
    bool good = u->n_memories > 0 && h > 0;
    for (int closed = 0; closed < 2 && good; closed++) {
        trm_state state;
        *lock = !closed;
        good = trmi_sensitivities_state(s, &z->beside, s->e.held, &state) &&
               settle(s, &state, j->held, j->value[closed]);
    }
    *lock = kept;
    for (int k = 0; k < z->count && good; k++)
        for (int l = 0; l < u->n_memories; l++)
            memory_of(s, k)[l] += (j->value[0][l] - j->value[1][l]) / h * j->delay[k];
}

// out += share (M a - f + G^T lambda) of a neighbour, at the point `at` of a system with these held
// values. False: it is not on the branch of the system at p, or has no value there.
static bool add_residual(trm_simulation *s, trm_simulation *of, const trmi_point *p,
                         const trmi_point *at, const double *held, double share, bool *on_branch,
                         double *out)
{
    trmi_evaluator *e = &of->e;
    double *r = s->sensitivity->rhs;
    const uint64_t want = trmi_inertia_quantities(e) | TRM_BIT(CONSTRAINT_Q) | TRM_BIT(ROLLING);
    memcpy(e->held, held, (size_t)e->user.n_held * sizeof *held);
    *on_branch = trmi_sensitivities_hold_branches(s, p, of, at) || !s->sensitivity->jumps.same;
    if (!*on_branch || trmi_evaluate(e, at, want, &of->values) != 0)
        return false;
    trmi_inertia_residual(&of->values, p->a, r);
    trmi_add_constraint_force(&of->values, p->lambda, 1, r);
    for (int l = 0; l < e->n_q; l++)
        out[l] += share * r[l];
    return true;
}

// r_p + r_y y + r_m m_p between both neighbours, each where it is along y
static bool between_sides(trm_simulation *s, int k, const trmi_point *p, const double *y,
                          bool *on_branch, double *sum)
{
    trmi_sensitivities *z = s->sensitivity;
    const trmi_beside *beside = &z->parameter[k];
    for (int i = 0; i < 2; i++) {
        const double sign = i == 0 ? 1 : -1;
        trmi_sensitivities_move(s, k, p, y, 0, 0.5 * sign * beside->width);
        if (!add_residual(s, beside->side[i], p, &z->beside, z->jumps.held, sign / beside->width,
                          on_branch, sum))
            return false;
    }
    return true;
}

// r_y y + r_m m_p of one neighbour, between the state of the system and one that is h further
static bool along_side(trm_simulation *s, int k, int i, const trmi_point *p, const double *y,
                       double h, double *sum)
{
    trmi_sensitivities *z = s->sensitivity;
    trm_simulation *of = z->parameter[k].side[i];
    bool on_branch;
    trmi_sensitivities_move(s, k, p, y, 0, h);
    return add_residual(s, of, p, &z->beside, z->jumps.held, 1 / h, &on_branch, sum) &&
           add_residual(s, of, p, p, s->e.held, -1 / h, &on_branch, sum);
}

// Close to a switch, at most one of the neighbours along y is on the branch of the system, and what
// r_p is without memory is given. An anchor that holds by a stiff spring may not be left out.
bool trmi_sensitivities_with_memory(trm_simulation *s, int k, const trmi_point *p,
                                    const trmi_values *values, const double *y, double *residual)
{
    const int n = s->e.n_q;
    double *sum = s->sensitivity->difference[1], h = 0.5 * s->sensitivity->parameter[k].width;
    bool on_branch, found;
    memset(sum, 0, (size_t)n * sizeof *sum);
    found = between_sides(s, k, p, y, &on_branch, sum);
    if (!found && on_branch)
        return false;
    for (int i = 0; i < MAX_HALVINGS && !found; i++) {
        memcpy(sum, residual, (size_t)n * sizeof *sum);
        found = along_side(s, k, i % 2, p, y, i % 2 == 0 ? h : -h, sum);
        h = i % 2 == 0 ? h : 0.5 * h;
    }
    if (!found)
        return true;
    memcpy(residual, sum, (size_t)n * sizeof *sum);
    const trmi_along along = {.q = y, .v = y + n, .x = y + 2 * n};
    trmi_sensitivities_add_residual(values, -1, &along, residual);
    return true;
}
