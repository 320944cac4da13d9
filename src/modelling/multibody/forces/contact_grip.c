// SPDX-License-Identifier: Apache-2.0
// Friction of contacts, mu N S, of the velocity s along the surface and of the way z that the
// contact has slipped since it took hold:
//
//     S = S(y),   y = s/v_s + S(z/d_s),   S(w) = w/max(|w|, 1)
//
//     |y| < 1     sticks: a spring and damper, without any speed under a constant load
//     otherwise   slips: Coulomb's law, in full at every speed
//
// 1 - |y| is a switch: a step that begins in stick keeps its spring and damper, and ends where it
// breaks away. So is 1 + y.d with the direction d of y where the step begins: a contact that slips
// does not reverse in a step without having been at rest. z and d are known at the end of every
// step, z there shortened to d_s where it is longer, and z is integrated from there
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
enum { GRIP_SWITCH = 1 };                  // likewise

// What is remembered: d, then z_0 - c_0 (or z_0), then r_0, then t_0.
typedef struct hold {
    double t, direction[3], way[3], rate[3];
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
    return c->mu == 0 || c->stick == 0 ? 0 : components(c) * (2 + rolls(c)) + rolls(c);
}

static hold read_hold(const trmi_contact *c, const double *memory)
{
    hold h = {0};
    int n = components(c);
    for (int i = 0; i < n; i++) {
        h.direction[i] = memory[i];
        h.way[i] = memory[n + i];
        h.rate[i] = rolls(c) ? memory[2 * n + i] : 0;
    }
    h.t = rolls(c) ? memory[3 * n] : 0;
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

// y, and its length
static double find_pull(const trmi_contact *c, const double *s, const double *z, double y[3])
{
    int n = components(c);
    double reach = fmax(length(z, n), c->stick);
    for (int i = 0; i < n; i++)
        y[i] = s[i] / c->slip + z[i] / reach;
    return length(y, n);
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
    double part = loose ? 0 : far > c->stick ? slipped : 1, y[3];
    for (int i = 0; i < n; i++)
        z[i] = part > 0 ? part * z[i] : 0;
    double pull = find_pull(c, v + FIRST_SLIP, z, y);
    for (int i = 0; i < n; i++)
        memory[i] = pull > 0 ? y[i] / pull : 0;
    if (part == 1 && !rolls(c))
        return; // it stays where it is
    for (int i = 0; i < n; i++) {
        memory[n + i] = z[i] - (c->form ? 0 : p[FIRST_CENTER + i]);
        if (rolls(c))
            memory[2 * n + i] = r[i];
    }
    if (rolls(c))
        memory[3 * n] = x->state->t;
}

// S(w) and its derivatives; kept: w itself, as long as the contact sticks
static void saturate(const double *w, int n, bool kept, double S[3], double S_w[3][3])
{
    double r = length(w, n);
    bool beyond = !kept && r > 1;
    for (int i = 0; i < n; i++) {
        S[i] = beyond ? w[i] / r : w[i];
        for (int j = 0; j < n; j++)
            S_w[i][j] = beyond ? ((i == j) - S[i] * w[j] / r) / r : i == j;
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

void trmi_grip_gaps(const trmi_contact *c, const trmi_law_input *in, const double *second,
                    const double *memory, trmi_gap out[2])
{
    const double *s = in->v + FIRST_SLIP;
    int n = components(c);
    double z[3] = {0}, y[3] = {0}, square = 0, along = 0, inner = 0, ahead = 0, back = 0;
    hold h = {0};
    if (memory) {
        h = read_hold(c, memory);
        find_way(c, &h, in->t, in->p, in->v, z, NULL);
    }
    for (int i = 0; i < n; i++)
        back -= z[i] * s[i];
    // at the end of its reach the spring is dragged along, but by one that returns it is stretched
    double spring = length(z, n) < c->stick || back > 0 ? 1 / c->stick : 0,
           r = find_pull(c, s, z, y);
    for (int i = 0; i < n; i++) {
        double a = second ? second[FIRST_SLIP + i] : NAN, rate = a / c->slip + spring * s[i];
        square += rate * rate;
        along += r > 0 ? y[i] * rate / r : 0;
        inner += r > 0 ? y[i] * spring * a / r : 0;
        ahead += y[i] * h.direction[i];
    }
    out[0] = (trmi_gap){1 - r, second ? -along : NAN,
                        r > 0 && second ? -inner - (square - along * along) / r : 0};
    out[1] =
        (trmi_gap){1 + ahead, NAN, 0}; // found afterwards: it is no time at which a force begins
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
    bool kept = memory && trmi_locked(in, GRIP_SWITCH);
    saturate(w, n, kept, bent, bent_w);
    for (int i = 0; i < n; i++)
        w[i] = s[i] / c->slip + bent[i];
    saturate(w, n, kept, g.part, S_w);
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
