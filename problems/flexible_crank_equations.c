// SPDX-License-Identifier: Apache-2.0
// The equations of the slider-crank with an elastic rod and their derivatives (flexible_crank.c
// describes them).
#include "problems/flexible_crank.h"

#include <math.h>

// What the quantities share: the rod, and where its frame goes with phi1.
typedef struct motion {
    trmi_beam_state rod;
    trmi_beam_terms terms;
    double e1[2], n1[2];
    double w, rate; // deflection of the end
} motion;

static double dot2(const double x[2], const double y[2])
{
    return x[0] * y[0] + x[1] * y[1];
}

// with the accelerations of the state, or without any
static motion move(const trp_crank *c, const trm_state *s, bool accelerated)
{
    const double *q = s->q, *v = s->v, *a = accelerated ? s->a : NULL;
    const double c1 = cos(q[PHI1]), s1 = sin(q[PHI1]), square = v[PHI1] * v[PHI1];
    const double a1 = a ? a[PHI1] : 0;
    motion m = {.e1 = {c1, s1}, .n1 = {-s1, c1}};
    m.rod = (trmi_beam_state){.angle = q[PHI2],
                              .rate = v[PHI2],
                              .angular = a ? a[PHI2] : 0,
                              .u = q + U,
                              .v = v + U,
                              .w = a ? a + U : NULL};
    for (int i = 0; i < 2; i++)
        m.rod.a[i] = c->l1 * (m.n1[i] * a1 - m.e1[i] * square);
    trmi_beam_curve(&c->rod, NULL, &m.rod);
    m.terms = trmi_beam_move(&c->rod, &m.rod);
    m.w = c->tip >= 0 ? q[c->tip] : 0;
    m.rate = c->tip >= 0 ? v[c->tip] : 0;
    return m;
}

static int mass(const trm_state *s, double *out, void *user)
{
    const trp_crank *c = user;
    const trmi_beam *rod = &c->rod;
    const motion m = move(c, s, false);
    const int n = rod->n;
    const double across = c->l1 * dot2(m.n1, m.terms.n);
    out[0] = c->J1 + rod->mass * c->l1 * c->l1;
    out[1] = out[2] = c->l1 * dot2(m.n1, m.terms.m_rphi);
    out[3] = m.terms.m_phi;
    out[4] = c->m3;
    out += HEAD;
    trmi_beam_mass_terms(rod, &m.rod, &(trmi_beam_block){.phi_u = out + n, .u_u = out + 4 * n});
    for (int i = 0; i < n; i++) {
        out[i] = out[2 * n + i] = across * rod->c[1][i];
        out[3 * n + i] = out[n + i];
    }
    return 0;
}

static int force(const trm_state *s, double *out, void *user)
{
    const trp_crank *c = user;
    const motion m = move(c, s, false);
    const double torque = c->off > 0 ? (s->t < c->off ? c->torque : 0) : s->x[0];
    out[PHI1] = torque - c->l1 * dot2(m.n1, m.terms.residual_r);
    out[PHI2] = -m.terms.residual_phi;
    out[X3] = 0;
    trmi_beam_residual(&c->rod, &m.rod, &m.terms, out + U);
    for (int i = 0; i < c->rod.n; i++)
        out[U + i] = -out[U + i];
    return 0;
}

// R_q; R_1 depends on phi1 through n1 and r'', the rest through r''
static int stiffness(const trm_state *s, double *out, void *user)
{
    const trp_crank *c = user;
    const trmi_beam *rod = &c->rod;
    const motion m = move(c, s, true);
    const trmi_beam_terms *t = &m.terms;
    const int n = rod->n;
    const double l1 = c->l1, square = s->v[PHI1] * s->v[PHI1];
    double turn[2]; // r'' by phi1
    for (int i = 0; i < 2; i++)
        turn[i] = -l1 * (m.e1[i] * s->a[PHI1] + m.n1[i] * square);
    out[0] = -l1 * dot2(m.e1, t->residual_r) + l1 * rod->mass * dot2(m.n1, turn);
    out[1] = l1 * dot2(m.n1, t->k_rphi);
    out[2] = dot2(turn, t->m_rphi);
    out[3] = t->k_phi;
    out[4] = 0;
    out += HEAD;
    double to_n[2]; // R_r by c.u
    for (int i = 0; i < 2; i++)
        to_n[i] = -m.rod.angular * t->e[i] - m.rod.rate * m.rod.rate * t->n[i];
    const double row = l1 * dot2(m.n1, to_n), column = dot2(turn, t->n);
    for (int i = 0; i < n; i++) {
        out[i] = row * rod->c[1][i];
        out[2 * n + i] = column * rod->c[1][i];
        out[3 * n + i] = -t->a_e * rod->c[1][i];
    }
    trmi_beam_stiffness_terms(rod, &m.rod, t,
                              &(trmi_beam_block){.phi_u = out + n, .u_u = out + 4 * n});
    return 0;
}

// R_v; r'' by phi1' is -2 l1 e1 phi1'
static int damping(const trm_state *s, double *out, void *user)
{
    const trp_crank *c = user;
    const trmi_beam *rod = &c->rod;
    const motion m = move(c, s, false);
    const trmi_beam_terms *t = &m.terms;
    const int n = rod->n;
    const double rate = m.rod.rate, spin = -2 * c->l1 * s->v[PHI1];
    out[0] = 0;
    out[1] = c->l1 * dot2(m.n1, t->d_rphi);
    out[2] = spin * dot2(m.e1, t->m_rphi);
    out[3] = t->d_phi;
    out[4] = 0;
    out += HEAD;
    const double row = -2 * rate * c->l1 * dot2(m.n1, t->e), column = spin * dot2(m.e1, t->n);
    for (int i = 0; i < n; i++) {
        out[i] = row * rod->c[1][i];
        out[2 * n + i] = column * rod->c[1][i];
    }
    trmi_beam_damping_terms(rod, &m.rod,
                            &(trmi_beam_block){.phi_u = out + n, .u_phi = out + 3 * n});
    return 0;
}

static int energy(const trm_state *s, double *out, void *user)
{
    const trp_crank *c = user;
    const motion m = move(c, s, false);
    const double *v = s->v, speed = c->l1 * v[PHI1];
    const double pin[] = {speed * m.n1[0], speed * m.n1[1]};
    out[0] = 0.5 * c->J1 * v[PHI1] * v[PHI1] + 0.5 * c->m3 * v[X3] * v[X3] +
             trmi_beam_energy(&c->rod, &m.rod, pin);
    return 0;
}

static int force_x(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 1;
    return 0;
}

static int rate(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 0;
    return 0;
}

static int constraint(const trm_state *s, double *out, void *user)
{
    const trp_crank *c = user;
    const motion m = move(c, s, false);
    double end[2];
    for (int i = 0; i < 2; i++)
        end[i] = c->l1 * m.e1[i] + c->l2 * m.terms.e[i] + m.w * m.terms.n[i];
    out[0] = end[1];
    out[1] = s->q[X3] - end[0];
    return 0;
}

// rows (P_y, -P_x) of a column of P
static void put_rows(double *out, double x, double y)
{
    out[0] = y;
    out[1] = -x;
}

static int constraint_q(const trm_state *s, double *out, void *user)
{
    const trp_crank *c = user;
    const motion m = move(c, s, false);
    const double *e = m.terms.e, *n = m.terms.n;
    put_rows(out, c->l1 * m.n1[0], c->l1 * m.n1[1]);
    put_rows(out + 2, c->l2 * n[0] - m.w * e[0], c->l2 * n[1] - m.w * e[1]);
    out[4] = 1;
    if (c->tip >= 0)
        put_rows(out + 5, n[0], n[1]);
    return 0;
}

static int gamma_term(const trm_state *s, double *out, void *user)
{
    const trp_crank *c = user;
    const motion m = move(c, s, false);
    const double v1 = s->v[PHI1], v2 = s->v[PHI2];
    double end[2];
    for (int i = 0; i < 2; i++) {
        const double e = m.terms.e[i], n = m.terms.n[i];
        end[i] = -c->l1 * m.e1[i] * v1 * v1 - (c->l2 * e + m.w * n) * v2 * v2 - 2 * m.rate * v2 * e;
    }
    put_rows(out, end[0], end[1]);
    return 0;
}

static int velocity_q(const trm_state *s, double *out, void *user)
{
    const trp_crank *c = user;
    const motion m = move(c, s, false);
    const double *e = m.terms.e, *n = m.terms.n, v1 = s->v[PHI1], v2 = s->v[PHI2];
    double rod[2];
    for (int i = 0; i < 2; i++)
        rod[i] = -(c->l2 * e[i] + m.w * n[i]) * v2 - m.rate * e[i];
    put_rows(out, -c->l1 * m.e1[0] * v1, -c->l1 * m.e1[1] * v1);
    put_rows(out + 2, rod[0], rod[1]);
    if (c->tip >= 0)
        put_rows(out + 4, -e[0] * v2, -e[1] * v2);
    return 0;
}

// second derivatives of L.P with L = (-lambda_2, lambda_1)
static int geometric(const trm_state *s, double *out, void *user)
{
    const trp_crank *c = user;
    const motion m = move(c, s, false);
    const double L[] = {-s->lambda[1], s->lambda[0]};
    out[0] = -c->l1 * dot2(L, m.e1);
    out[1] = -c->l2 * dot2(L, m.terms.e) - m.w * dot2(L, m.terms.n);
    if (c->tip >= 0)
        out[2] = out[3] = -dot2(L, m.terms.e);
    return 0;
}

void trp_crank_equations(trm_system *s)
{
    static trm_function *const function[TRM_QUANTITY_COUNT] = {
        [TRM_QUANTITY_MASS] = mass,
        [TRM_QUANTITY_FORCE] = force,
        [TRM_QUANTITY_STIFFNESS] = stiffness,
        [TRM_QUANTITY_DAMPING] = damping,
        [TRM_QUANTITY_ENERGY] = energy,
        [TRM_QUANTITY_FORCE_X] = force_x,
        [TRM_QUANTITY_RATE] = rate,
        [TRM_QUANTITY_CONSTRAINT] = constraint,
        [TRM_QUANTITY_CONSTRAINT_Q] = constraint_q,
        [TRM_QUANTITY_GAMMA] = gamma_term,
        [TRM_QUANTITY_VELOCITY_Q] = velocity_q,
        [TRM_QUANTITY_GEOMETRIC] = geometric};
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        s->function[k] = function[k];
}
