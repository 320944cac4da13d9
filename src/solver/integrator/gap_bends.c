// SPDX-License-Identifier: Apache-2.0
// Where a gap cannot cross. With |gap''| <= B over a time h, g and r the gap and its rate at both
// ends,
//
//     gap(t) >= g0 + r0 t - B t^2/2,    gap(t) >= g1 - r1 (h-t) - B (h-t)^2/2
//
// The first of them less the second is linear in t and falls: the greater of both is least at an
// end or where they meet. And with
//
//     gap'(t) <= r0 + B t,              gap'(t) <= r1 + B (h-t)
//
// a gap that has crossed at the end did so once if both meet below 0.
#include "solver/integrator/gap_path.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/switches.h"

#include <math.h>
#include <string.h>

bool trmi_gap_bends_create(trm_simulation *s)
{
    trmi_switches *w = &s->switches;
    bool good = true;
    for (int i = TRMI_PATH_HALVINGS; i < TRMI_BEND_HALVINGS && good; i++)
        good = trmi_gap_values_create(s, &w->between[i]);
    for (int i = 0; i <= TRMI_BEND_HALVINGS && good; i++)
        good = TRMI_TAKE(&s->memory, w->bend[i], s->e.user.n_switches);
    for (int i = 0; i < 2 && good; i++)
        good = trmi_point_create(&w->way[i], &s->memory, &s->e) &&
               TRMI_TAKE(&s->memory, w->way_input[i], 3 * s->e.n_u);
    return good;
}

// The state at an end of a stretch; those of the path as they are, which the system may know.
static bool find_end(trm_simulation *s, const trmi_gap_path *path, double part, int k,
                     trm_state *out)
{
    trmi_evaluator *e = &s->e;
    const trmi_switches *w = &s->switches;
    trmi_values *values = &s->sampler->values;
    const trmi_point *p = part == 0 ? path->from : part == 1 ? path->to : &w->way[k];
    if (p == &w->way[k])
        trmi_point_on_path(s, path, part, &s->switches.way[k]);
    if (e->n_u > 0 && trmi_evaluate(e, p, 0, values) != 0)
        return false;
    if (e->n_u > 0)
        memcpy(w->way_input[k], values->input, 3 * (size_t)e->n_u * sizeof(double));
    *out = (trm_state){.t = p->t,
                       .q = p->q,
                       .v = p->v,
                       .x = p->x,
                       .z = p->z,
                       .u = w->way_input[k],
                       .held = e->held};
    return true;
}

// Bounds over a stretch, into `bend`. False: they have no values.
static bool find_bends(trm_simulation *s, const trmi_gap_path *path, const trmi_gap_stretch *on,
                       double *bend)
{
    const trm_system *user = &s->e.user;
    trm_state from, to;
    return find_end(s, path, on->begin, 0, &from) && find_end(s, path, on->end, 1, &to) &&
           user->switch_bends(&from, &to, bend, user->user) == 0;
}

// NAN: not known.
static double lowest_gap(const trmi_gap_piece *p, double bend)
{
    const double ends = fmin(p->gap[0], p->gap[1]), h = p->h;
    const double fall = p->rate[1] - p->rate[0] + bend * h;
    if (bend == HUGE_VAL)
        return -HUGE_VAL;
    if (!(fall > 0)) // a line
        return isnan(fall) ? NAN : ends;
    double t = (p->gap[0] - p->gap[1] + h * (p->rate[1] + 0.5 * bend * h)) / fall;
    t = fmax(0, fmin(t, h));
    return fmin(ends, p->gap[0] + t * (p->rate[0] - 0.5 * bend * t));
}

static bool may_cross(const trmi_gap_piece *p, double bend, double least)
{
    if (bend < 0) // the gap keeps its sign
        return false;
    if (p->gap[1] < -least)
        return p->rate[0] + p->rate[1] + bend * p->h >= 0;
    return lowest_gap(p, bend) < -least;
}

static bool any_may_cross(const trm_simulation *s, const trmi_gap_path *path,
                          const trmi_gap_search *search, const trmi_gap_stretch *on,
                          const double *bend)
{
    const double h = (on->end - on->begin) * path->h;
    for (int i = 0; i < s->switches.count; i++)
        if (search->wanted[i] && !isnan(on->left->gap[i])) {
            const trmi_gap_piece p = trmi_gap_piece_of(on->left, on->right, i, search->sign, h);
            if (may_cross(&p, bend[i], search->least))
                return true;
        }
    return false;
}

bool trmi_bends_allow_crossing(trm_simulation *s, const trmi_gap_path *path,
                               const trmi_gap_search *search, const trmi_gap_stretch *on,
                               int halvings, const double **bend)
{
    trmi_switches *w = &s->switches;
    if (halvings == TRMI_BEND_HALVINGS || w->halvings_left == 0 ||
        (*bend && !any_may_cross(s, path, search, on, *bend)))
        return false;
    double *own = w->bend[halvings];
    if (!find_bends(s, path, on, own))
        return false;
    // infinite in a stretch this short: at a singular point, not by intervals that are too wide
    for (int i = 0; i < w->count; i++)
        if (own[i] == HUGE_VAL && halvings >= TRMI_PATH_HALVINGS)
            own[i] = NAN;
    *bend = own;
    if (!any_may_cross(s, path, search, on, own))
        return false;
    w->halvings_left--;
    return true;
}
