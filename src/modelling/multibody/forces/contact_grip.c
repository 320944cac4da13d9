// SPDX-License-Identifier: Apache-2.0
// Friction of contacts, mu N S, of the velocity s along the surface and of the way z that the
// contact has slipped since it took hold:
//
//     S = S(s/v_s + S(z/d_s)),   S(w) = w/|w| sigma(|w|)      sigma: trmi_saturation
//
// so that it is fully there from the speed v_s on, and holds without any speed at rest. z is known
// at the end of every step, there shortened to d_s where it is longer, and is integrated from there
// on by the trapezoidal rule. On a plane the way of the centre c is known, and only what rolling
// adds to it is integrated:
//
//     on a plane        z = z_0 + c - c_0 + (t - t_0) (r + r_0)/2,   r = s - c'
//     between shapes    z = z_0           + (t - t_0) (r + r_0)/2,   r = s
//
// Points on a plane do not roll: r = 0. With d_s = 0 friction is that of speeds alone,
// S = s/sqrt(s^2 + v_s^2).
#include "modelling/multibody/forces/contact.h"

enum { FIRST_SLIP = 1, FIRST_CENTER = 3 }; // rows, after that of the gap

// What is remembered: t_0, then z_0 - c_0 (or z_0), then r_0.
typedef struct hold {
    double t, way[3], rate[3];
} hold;

static int components(const trmi_contact *c)
{
    return c->form ? 3 : 2;
}

static bool rolls(const trmi_contact *c)
{
    return c->form || c->force.size > 0;
}

int trmi_grip_numbers(const trmi_contact *c)
{
    return c->mu == 0 || c->stick == 0 ? 0 : components(c) * (1 + rolls(c)) + rolls(c);
}

static hold read_hold(const trmi_contact *c, const double *memory)
{
    hold h = {0};
    int n = components(c);
    for (int i = 0; i < n; i++) {
        h.way[i] = memory[i];
        h.rate[i] = rolls(c) ? memory[n + i] : 0;
    }
    h.t = rolls(c) ? memory[2 * n] : 0;
    return h;
}

// z, and r unless NULL
static void find_way(const trmi_contact *c, const hold *h, double t, const double *p,
                     const double *v, double *z, double *r)
{
    for (int i = 0; i < components(c); i++) {
        double center = c->form ? 0 : p[FIRST_CENTER + i];
        double rate = rolls(c) ? v[FIRST_SLIP + i] - (c->form ? 0 : v[FIRST_CENTER + i]) : 0;
        z[i] = h->way[i] + center + 0.5 * (t - h->t) * (rate + h->rate[i]);
        if (r)
            r[i] = rate;
    }
}

static double length(const double *x, int n)
{
    return n == 2 ? hypot(x[0], x[1]) : sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

void trmi_grip_remember(const trmi_contact *c, const trmi_set_state *x, bool loose, double *memory)
{
    double p[TRMI_MAX_ROWS] = {0}, v[TRMI_MAX_ROWS] = {0}, z[3], r[3];
    int n = components(c), rows = c->form ? 1 + n : FIRST_CENTER + n;
    for (int i = 0; i < rows; i++) {
        p[i] = x->value[i].p;
        v[i] = trmi_set_rate(x, i);
    }
    hold h = read_hold(c, memory);
    find_way(c, &h, x->state->t, p, v, z, r);
    // one that has slipped and is at rest, as in the search of an equilibrium, takes hold again
    double far = length(z, n), slipped = length(v + FIRST_SLIP, n) > 0 ? c->stick / far : 0;
    double part = loose ? 0 : far > c->stick ? slipped : 1;
    if (part == 1 && !rolls(c))
        return; // it stays where it is
    for (int i = 0; i < n; i++) {
        memory[i] = (part > 0 ? part * z[i] : 0) - (c->form ? 0 : p[FIRST_CENTER + i]);
        if (rolls(c))
            memory[n + i] = r[i];
    }
    if (rolls(c))
        memory[2 * n] = x->state->t;
}

// S(w) and its derivatives
static void saturate(const double *w, int n, double S[3], double S_w[3][3])
{
    double r = length(w, n), slope, value = trmi_saturation(r, &slope);
    double part = r > 0 ? value / r : slope;
    for (int i = 0; i < n; i++) {
        S[i] = part * w[i];
        for (int j = 0; j < n; j++)
            S_w[i][j] = part * (i == j) + (r > 0 ? (slope - part) * w[i] * w[j] / (r * r) : 0);
    }
}

static trmi_grip of_speed(const trmi_contact *c, const double *s)
{
    trmi_grip g = {.part = {0}};
    int n = components(c);
    double speed = length(s, n), root = hypot(speed, c->slip);
    for (int i = 0; i < n; i++) {
        g.part[i] = s[i] / root;
        for (int j = 0; j < n; j++)
            g.by_slip[i][j] = ((i == j) - s[i] * s[j] / (root * root)) / root;
    }
    return g;
}

trmi_grip trmi_grip_of(const trmi_contact *c, const trmi_law_input *in, const double *memory)
{
    const double *s = in->v + FIRST_SLIP;
    if (c->stick == 0)
        return of_speed(c, s);
    trmi_grip g = {.part = {0}};
    int n = components(c);
    double w[3] = {0}, z[3] = {0}, bent[3], bent_w[3][3], S_w[3][3], half = 0;
    if (memory) {
        hold h = read_hold(c, memory);
        find_way(c, &h, in->t, in->p, in->v, z, NULL);
        half = rolls(c) ? 0.5 * (in->t - h.t) : 0;
    }
    for (int i = 0; i < n; i++)
        w[i] = z[i] / c->stick;
    saturate(w, n, bent, bent_w);
    for (int i = 0; i < n; i++)
        w[i] = s[i] / c->slip + bent[i];
    saturate(w, n, g.part, S_w);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double by_z = 0;
            for (int k = 0; k < n; k++)
                by_z += S_w[i][k] * bent_w[k][j] / c->stick;
            g.by_slip[i][j] = S_w[i][j] / c->slip + half * by_z;
            if (!c->form) {
                g.by_p[i][j] = by_z;
                g.by_center[i][j] = -half * by_z;
            }
        }
    return g;
}
