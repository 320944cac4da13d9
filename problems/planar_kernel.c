// SPDX-License-Identifier: Apache-2.0
// Planar mechanisms: the evaluation. One sweep over the bodies in batches: sines and cosines of a
// batch, the turned arms r = sign A(theta) s of the pin ends on it, then each quantity asked for.
// A pin end adds its part of g, gamma and (G^T lambda)_q without knowing the other end.
#include "problems/planar.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// Sine and cosine by reduction to |r| <= pi/4 with pi/2 in three parts of 33, 33 and 53 bits
// (Cody and Waite) and polynomials of least relative error there (4e-18 and 5e-20). What rounding
// takes from r is kept in `tail`. Good to 1 ulp for |angle| < 1e5; the loop has a fixed length and
// no branches, so that it vectorizes, and is short, so that few angles are quick.
enum { LANES = 4 };
static void reduced_cosines(const double *restrict angle, double *restrict c, double *restrict s)
{
    const double shift = 0x1.8p52; // adding it rounds to the nearest integer
    for (int i = 0; i < LANES; i++) {
        const double shifted = angle[i] * 0x1.45f306dc9c883p-1 + shift, n = shifted - shift;
        const double near = angle[i] - n * 0x1.921fb544p+0, next = n * 0x1.0b4611a6p-34;
        const double r = near - next, z = r * r;
        const double tail = ((near - r) - next) - n * 0x1.3198a2e037073p-69;
        double p = -0x1.ae5e663abebd7p-26 + z * 0x1.5d930107f46a0p-33;
        p = 0x1.71de3577b6de2p-19 + z * p;
        p = -0x1.a01a019c1199bp-13 + z * p;
        p = 0x1.111111110f87ap-7 + z * p;
        p = -0x1.5555555555549p-3 + z * p;
        const double half = 0.5 * z, rough = 1.0 - half;
        const double sine = r + (r * z * p + tail * rough);
        p = 0x1.1ee9ebe8f1336p-29 - z * 0x1.8fae9c585e2ddp-37;
        p = -0x1.27e4f809f044fp-22 + z * p;
        p = 0x1.a01a019cb1bd3p-16 + z * p;
        p = -0x1.6c16c16c1517ep-10 + z * p;
        p = 0x1.555555555554cp-5 + z * p;
        const double cosine = rough + (((1.0 - rough) - half) + (z * z * p - r * tail));
        // the quadrant is in the low bits of `shifted`; odd: sine and cosine change places
        uint64_t quadrant, bits_s, bits_c;
        memcpy(&quadrant, &shifted, sizeof quadrant);
        memcpy(&bits_s, &sine, sizeof bits_s);
        memcpy(&bits_c, &cosine, sizeof bits_c);
        const uint64_t swap = (0 - (quadrant & 1)) & (bits_s ^ bits_c);
        const uint64_t out_s = (bits_s ^ swap) ^ ((quadrant & 2) << 62);
        const uint64_t out_c = (bits_c ^ swap) ^ (((quadrant + 1) & 2) << 62);
        memcpy(&s[i], &out_s, sizeof out_s);
        memcpy(&c[i], &out_c, sizeof out_c);
    }
}

void trp_cosines(int count, const double *restrict angle, double *restrict c, double *restrict s)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++)
        largest = fabs(angle[i]) > largest ? fabs(angle[i]) : largest;
    for (int i = 0; i < count && largest < 1e5; i += LANES)
        reduced_cosines(angle + i, c + i, s + i);
    for (int i = 0; i < count && !(largest < 1e5); i++) {
        c[i] = cos(angle[i]);
        s[i] = sin(angle[i]);
    }
}

// The arms of one batch: sign A(theta) s per end.
typedef struct arms {
    double x[TRP_BATCH_ENDS], y[TRP_BATCH_ENDS];
} arms;

static void turn_arms(const trp_planar *p, const trp_planar_batch *batch, const double *q, arms *r)
{
    double angle[TRP_BATCH_BODIES] = {0.0}, c[TRP_BATCH_BODIES], s[TRP_BATCH_BODIES];
    for (int i = 0; i < batch->bodies; i++)
        angle[i] = q[3 * (batch->first_body + i) + 2];
    trp_cosines(batch->bodies, angle, c, s);
    const int *body = p->end_body + batch->first_end;
    const double *x = p->end_x + batch->first_end, *y = p->end_y + batch->first_end;
    for (int k = 0; k < batch->ends; k++) {
        const int i = body[k] - batch->first_body;
        r->x[k] = c[i] * x[k] - s[i] * y[k];
        r->y[k] = s[i] * x[k] + c[i] * y[k];
    }
}

// g: + p_a - p_b
static void add_constraint(const trp_planar *p, const trp_planar_batch *batch, const arms *r,
                           const double *q, double *restrict out)
{
    const int *body = p->end_body + batch->first_end, *row = p->end_row + batch->first_end;
    const double *sign = p->end_sign + batch->first_end;
    for (int k = 0; k < batch->ends; k++) {
        out[row[k]] += sign[k] * q[3 * body[k]] + r->x[k];
        out[row[k] + 1] += sign[k] * q[3 * body[k] + 1] + r->y[k];
    }
}

// G: (row, x) sign, (row, theta) -r_y, (row+1, y) sign, (row+1, theta) r_x
static void write_jacobian(const trp_planar *p, const trp_planar_batch *batch, const arms *r,
                           double *restrict out)
{
    const double *sign = p->end_sign + batch->first_end;
    out += 4 * batch->first_end;
    for (int k = 0; k < batch->ends; k++) {
        out[4 * k] = sign[k];
        out[4 * k + 1] = -r->y[k];
        out[4 * k + 2] = sign[k];
        out[4 * k + 3] = r->x[k];
    }
}

// (G^T lambda)_q: (theta, theta) -r . lambda
static void add_geometric(const trp_planar *p, const trp_planar_batch *batch, const arms *r,
                          const double *lambda, double *restrict out)
{
    const int *body = p->end_body + batch->first_end, *row = p->end_row + batch->first_end;
    for (int k = 0; k < batch->ends; k++)
        out[body[k]] -= r->x[k] * lambda[row[k]] + r->y[k] * lambda[row[k] + 1];
}

// gamma: -r theta'^2
static void add_gamma(const trp_planar *p, const trp_planar_batch *batch, const arms *r,
                      const double *v, double *restrict out)
{
    const int *body = p->end_body + batch->first_end, *row = p->end_row + batch->first_end;
    for (int k = 0; k < batch->ends; k++) {
        const double spin = v[3 * body[k] + 2];
        out[row[k]] -= r->x[k] * spin * spin;
        out[row[k] + 1] -= r->y[k] * spin * spin;
    }
}

// (G v)_q: (row, theta) -r_x theta', (row+1, theta) -r_y theta'
static void write_velocity(const trp_planar *p, const trp_planar_batch *batch, const arms *r,
                           const double *v, double *restrict out)
{
    const int *body = p->end_body + batch->first_end;
    out += 2 * batch->first_end;
    for (int k = 0; k < batch->ends; k++) {
        const double spin = v[3 * body[k] + 2];
        out[2 * k] = -r->x[k] * spin;
        out[2 * k + 1] = -r->y[k] * spin;
    }
}

static void evaluate_pins(const trp_planar *p, const trm_state *state, double *const *want)
{
    for (int n = 0; n < p->n_batches; n++) {
        const trp_planar_batch *batch = &p->batch[n];
        arms r;
        turn_arms(p, batch, state->q, &r);
        if (want[TRM_QUANTITY_CONSTRAINT])
            add_constraint(p, batch, &r, state->q, want[TRM_QUANTITY_CONSTRAINT]);
        if (want[TRM_QUANTITY_CONSTRAINT_Q])
            write_jacobian(p, batch, &r, want[TRM_QUANTITY_CONSTRAINT_Q]);
        if (want[TRM_QUANTITY_GEOMETRIC])
            add_geometric(p, batch, &r, state->lambda, want[TRM_QUANTITY_GEOMETRIC]);
        if (want[TRM_QUANTITY_GAMMA])
            add_gamma(p, batch, &r, state->v, want[TRM_QUANTITY_GAMMA]);
        if (want[TRM_QUANTITY_VELOCITY_Q])
            write_velocity(p, batch, &r, state->v, want[TRM_QUANTITY_VELOCITY_Q]);
    }
}

static int evaluate_springs(const trp_planar *p, const trm_state *state, double *const *want)
{
    double *stiffness = want[TRM_QUANTITY_STIFFNESS], *damping = want[TRM_QUANTITY_DAMPING];
    for (int k = 0; k < p->n_springs; k++) {
        const trp_spring *spring = &p->spring[k];
        trp_spring_result one;
        int failed = trp_spring_evaluate(spring, state->q, state->v, stiffness || damping, &one);
        if (failed)
            return failed;
        if (want[TRM_QUANTITY_ENERGY])
            want[TRM_QUANTITY_ENERGY][0] += one.energy;
        const int body[2] = {spring->a.body, spring->b.body};
        for (int i = 0; want[TRM_QUANTITY_FORCE] && i < 6; i++)
            if (body[i / 3] >= 0)
                want[TRM_QUANTITY_FORCE][3 * body[i / 3] + i % 3] += one.force[i];
        const int *place = p->spring_place + 36 * k;
        for (int i = 0; i < 36; i++) {
            if (place[i] >= 0 && stiffness)
                stiffness[place[i]] += one.stiffness[i / 6][i % 6];
            if (place[i] >= 0 && damping)
                damping[place[i]] += one.damping[i / 6][i % 6];
        }
    }
    return 0;
}

// T + V of everything but the springs; the constant forces have the potential -force . q
static double body_energy(const trp_planar *p, const trm_state *state)
{
    double sum = 0.0;
    for (int i = 0; i < 3 * p->n_bodies; i++)
        sum += 0.5 * p->mass[i] * state->v[i] * state->v[i] - p->force[i] * state->q[i];
    return sum;
}

static void copy(double *out, const double *from, int count)
{
    if (out)
        memcpy(out, from, (size_t)count * sizeof *out);
}

static void clear(double *out, int count)
{
    if (out)
        memset(out, 0, (size_t)count * sizeof *out);
}

int trp_planar_evaluate(const trm_state *state, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    const trp_planar *p = user;
    copy(want[TRM_QUANTITY_MASS], p->mass, 3 * p->n_bodies);
    copy(want[TRM_QUANTITY_FORCE], p->force, 3 * p->n_bodies);
    copy(want[TRM_QUANTITY_CONSTRAINT], p->ground, 2 * p->n_pins);
    clear(want[TRM_QUANTITY_CONSTRAINT_T], 2 * p->n_pins);
    clear(want[TRM_QUANTITY_GAMMA], 2 * p->n_pins);
    clear(want[TRM_QUANTITY_GEOMETRIC], p->n_ends ? p->n_bodies : 0);
    clear(want[TRM_QUANTITY_STIFFNESS], p->n_spring_entries);
    clear(want[TRM_QUANTITY_DAMPING], p->n_spring_entries);
    if (want[TRM_QUANTITY_ENERGY])
        want[TRM_QUANTITY_ENERGY][0] = body_energy(p, state);
    if (want[TRM_QUANTITY_CONSTRAINT] || want[TRM_QUANTITY_CONSTRAINT_Q] ||
        want[TRM_QUANTITY_GEOMETRIC] || want[TRM_QUANTITY_GAMMA] || want[TRM_QUANTITY_VELOCITY_Q])
        evaluate_pins(p, state, want);
    if (want[TRM_QUANTITY_FORCE] || want[TRM_QUANTITY_ENERGY] || want[TRM_QUANTITY_STIFFNESS] ||
        want[TRM_QUANTITY_DAMPING])
        return evaluate_springs(p, state, want);
    return 0;
}
