// SPDX-License-Identifier: Apache-2.0
// Gaps along the path of a step, or of the free flight ahead of it. A gap may be any function of
// the positions: a distance falls and rises again while the point it is measured from flies by in a
// straight line. With s = t/h, along the cubic
//
//     q(s) = (1 + 2s)(1-s)^2 q0 + s (1-s)^2 h v0 + s^2 (3-2s) q1 - s^2 (1-s) h v1
//
// (states, algebraic variables and multipliers along a line) a piece is halved as long as a gap
// that is open at both of its ends may be closed between them:
//
//     - the cubic through gap and rate at both ends falls below 0,
//     - or the tangents at both ends meet below 0, or the only one that falls into the piece does
//       so: a gap that is a distance lies between them and its chord,
//     - or the parabola of gap, rate and second at the start does so within the piece,
//     - or a bound of |gap''| over the piece, where the system has one, does not exclude it
//       (gap_bends.c).
#include "solver/integrator/gap_path.h"

#include "solver/integrator/output.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/switches.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool trmi_gap_values_create(trm_simulation *s, trmi_gap_values *values)
{
    int n = s->e.user.n_switches;
    return TRMI_TAKE(&s->memory, values->gap, n) && TRMI_TAKE(&s->memory, values->rate, n) &&
           TRMI_TAKE(&s->memory, values->second, n);
}

// ---- points ----

int trmi_evaluate_gaps(trm_simulation *s, trmi_values *values, const trmi_point *p, const double *a,
                       double *gap, double *rate, double *second)
{
    trmi_evaluator *e = &s->e;
    if (e->user.switches_of_multipliers) {
        p = trmi_sample_solved(s, p);
        if (!p)
            return 1;
        a = a ? p->a : NULL;
    }
    int result = trmi_evaluate(e, p, 0, values); // the excitations
    const double *lambda = trmi_all_multipliers(s, p->lambda);
    const trm_state state = {p->t, p->q, p->v, a, p->x, p->z, lambda, values->input, e->held};
    return result != 0 ? result : e->user.switches(&state, gap, rate, second, e->user.user);
}

void trmi_point_ahead(const trm_simulation *s, double h, const double *v_rate, const double *x_rate,
                      trmi_point *p)
{
    const trmi_evaluator *e = &s->e;
    const trmi_point now = trmi_past_point(s, 0);
    trmi_copy_point(e, &now, p);
    p->t = now.t + h;
    for (int i = 0; i < e->n_q && h != 0; i++) {
        p->q[i] = now.q[i] + h * (now.v[i] + 0.5 * h * v_rate[i]);
        p->v[i] = now.v[i] + h * v_rate[i];
    }
    for (int i = 0; i < e->n_x && h != 0 && x_rate; i++)
        p->x[i] = now.x[i] + h * x_rate[i];
}

static void interpolate_line(int n, double s, const double *from, const double *to, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = from[i] + s * (to[i] - from[i]);
}

void trmi_point_on_path(const trm_simulation *s, const trmi_gap_path *path, double part,
                        trmi_point *p)
{
    const trmi_evaluator *e = &s->e;
    const trmi_point *from = path->from, *to = path->to;
    const double h = path->h;
    p->t = from->t + part * h;
    interpolate_line(e->n_q, part, from->v, to->v, p->v);
    for (int i = 0; i < e->n_q; i++) {
        double way = to->q[i] - from->q[i], v0 = h * from->v[i], v1 = h * to->v[i];
        double bend = v0 + v1 - 2 * way, slope = 3 * way - 2 * v0 - v1;
        p->q[i] = from->q[i] + part * (v0 + part * (slope + part * bend));
        p->a[i] = (to->v[i] - from->v[i]) / h;
        if (e->user.switch_bends) { // whose bounds are those of the cubic: rates of it as well
            p->v[i] = (v0 + part * (2 * slope + 3 * part * bend)) / h;
            p->a[i] = (2 * slope + 6 * part * bend) / (h * h);
        }
    }
    interpolate_line(e->n_x, part, from->x, to->x, p->x);
    interpolate_line(e->n_z, part, from->z, to->z, p->z);
    interpolate_line(e->n_r, part, from->lambda, to->lambda, p->lambda);
}

// The gaps at a part s of the path. False: they have no values.
static bool evaluate_inside(trm_simulation *s, const trmi_gap_path *path, double part,
                            const trmi_gap_values *out)
{
    trmi_point *p = &s->sampler->point;
    trmi_point_on_path(s, path, part, p);
    return trmi_evaluate_gaps(s, &s->sampler->values, p, p->a, out->gap, out->rate, out->second) ==
           0;
}

// ---- pieces ----

trmi_gap_piece trmi_gap_piece_of(const trmi_gap_values *left, const trmi_gap_values *right, int i,
                                 double sign, double h)
{
    trmi_gap_piece p = {.gap = {fmax(sign * left->gap[i], 0), sign * right->gap[i]},
                        .rate = {sign * left->rate[i], sign * right->rate[i]},
                        .second = sign * left->second[i],
                        .h = h};
    double mean = (p.gap[1] - p.gap[0]) / h;
    if (isnan(p.rate[0])) // not known: that of a line, and then of a parabola
        p.rate[0] = mean;
    if (isnan(p.rate[1]))
        p.rate[1] = 2 * mean - p.rate[0];
    return p;
}

// Whether the tangents at both ends, or the one that falls into the piece, reach below -least: a
// distance that something flies by lies between its chord and them.
static bool tangents_cross(const trmi_gap_piece *p, double least)
{
    double fall = fmin(p->rate[0], 0), rise = fmax(p->rate[1], 0), lowest = HUGE_VAL;
    if (fall < 0 && rise > 0)
        lowest = (p->gap[0] * rise - p->gap[1] * fall + fall * rise * p->h) / (rise - fall);
    else if (fall < 0 || rise > 0)
        lowest = fall < 0 ? p->gap[0] + fall * p->h : p->gap[1] - rise * p->h;
    return lowest < -least;
}

// Whether there may be a crossing of which the end of the piece shows nothing: in all of it, or
// before the one that the end shows.
static bool may_hide_crossing(const trmi_gap_piece *p, double least)
{
    double start = fmax(p->gap[0], DBL_MIN); // 0: where it begins, and not a crossing
    double parabola = trmi_gap_closes(start, p->rate[0], p->second);
    if (p->gap[1] < -least)
        return parabola < 0.5 * p->h;
    return parabola < p->h || tangents_cross(p, least) ||
           trmi_gap_closed(p->h, p->gap, p->rate, least) < p->h;
}

// What is known of a stretch.
typedef struct verdict {
    double first;           // time of the first crossing by the cubics of the gaps, or HUGE_VAL
    bool crosses, doubtful; // its end shows a crossing; there may be others before
} verdict;

static verdict judge_stretch(const trm_simulation *s, const trmi_gap_path *path,
                             const trmi_gap_search *search, const trmi_gap_stretch *on)
{
    verdict v = {.first = HUGE_VAL};
    double h = (on->end - on->begin) * path->h;
    for (int i = 0; i < s->switches.count; i++)
        if (search->wanted[i] && !isnan(on->left->gap[i])) {
            const trmi_gap_piece p = trmi_gap_piece_of(on->left, on->right, i, search->sign, h);
            double t = on->begin * path->h + trmi_gap_closed(h, p.gap, p.rate, search->least);
            if (t >= search->at_end && t <= path->h - search->at_end)
                v.first = fmin(v.first, t);
            v.crosses = v.crosses || p.gap[1] < -search->least;
            v.doubtful = v.doubtful || may_hide_crossing(&p, search->least);
        }
    return v;
}

// The crossing that the end of a stretch shows. Its cubic is good where the stretch is no longer
// than the path before it: how long it takes to the crossing is what counts.
static double locate(trm_simulation *s, const trmi_gap_path *path, const trmi_gap_search *search,
                     trmi_gap_stretch on)
{
    const trmi_gap_values *spare = s->switches.spare;
    verdict v = judge_stretch(s, path, search, &on);
    for (int k = 0; on.begin == 0 && on.end > DBL_EPSILON; k = !k) {
        const trmi_gap_stretch half = {0, 0.5 * on.end, on.left, &spare[k]};
        if (!evaluate_inside(s, path, half.end, &spare[k]))
            break;
        v = judge_stretch(s, path, search, &half);
        if (v.crosses) {
            on = half;
        } else {
            on = (trmi_gap_stretch){half.end, on.end, &spare[k], on.right};
            v = judge_stretch(s, path, search, &on);
        }
    }
    return v.first;
}

// `bend`: bounds that hold in the stretch, from a longer one; NULL: there are none.
static double search_stretch(trm_simulation *s, const trmi_gap_path *path,
                             const trmi_gap_search *search, const trmi_gap_stretch *on,
                             int halvings, const double *bend)
{
    const verdict v = judge_stretch(s, path, search, on);
    double middle = 0.5 * (on->begin + on->end);
    const trmi_gap_values *between = &s->switches.between[halvings];
    bool halve = halvings < search->halvings || (v.doubtful && halvings < TRMI_PATH_HALVINGS);
    if (!halve && s->e.user.switch_bends)
        halve = trmi_bends_allow_crossing(s, path, search, on, halvings, &bend);
    if (!halve || !evaluate_inside(s, path, middle, between))
        return v.crosses ? locate(s, path, search, *on) : v.first;
    const trmi_gap_stretch half[] = {{on->begin, middle, on->left, between},
                                     {middle, on->end, between, on->right}};
    double first = search_stretch(s, path, search, &half[0], halvings + 1, bend);
    return first < HUGE_VAL ? first : search_stretch(s, path, search, &half[1], halvings + 1, bend);
}

double trmi_find_crossing(trm_simulation *s, const trmi_gap_path *path,
                          const trmi_gap_search *search)
{
    const trmi_gap_stretch whole = {0, 1, &path->start, &path->end};
    bool any = false;
    for (int i = 0; i < s->switches.count; i++)
        any = any || search->wanted[i];
    if (!any)
        return HUGE_VAL;
    s->switches.halvings_left = 1 << TRMI_PATH_HALVINGS;
    return search_stretch(s, path, search, &whole, 0, NULL);
}
