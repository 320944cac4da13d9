// SPDX-License-Identifier: Apache-2.0
// Beams for tests: of steel, and as a system of their own.
#ifndef BEAMS_H
#define BEAMS_H

#include "models.h"

#include "modelling/multibody/beams/beam.h"

// A beam and its memory.
typedef struct beam_case {
    trmi_memory memory;
    trmi_beam beam;
    trmi_beam_work work;
} beam_case;

static inline trmi_beam *beam_open(beam_case *c, const trmi_beam_data *data)
{
    trmi_memory_init(&c->memory, NULL);
    assert_true(trmi_beam_create(&c->beam, &c->memory, data));
    assert_true(trmi_beam_work_create(&c->work, &c->memory, c->beam.points));
    return &c->beam;
}

static inline void beam_close(beam_case *c)
{
    trmi_memory_release_all(&c->memory);
}

// 1 m of steel, 2 cm wide, 1 cm high
static inline trmi_beam_data steel(int elements, trmi_beam_frame frame, bool shortens)
{
    return (trmi_beam_data){.elements = elements,
                            .length = 1,
                            .line_mass = 7850 * 2e-4,
                            .stiffness = 2.1e11 * 0.02 * 1e-6 / 12,
                            .frame = frame,
                            .shortens = shortens};
}

static inline void check_near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.15g instead of %.15g", value, wanted);
}

// ---- a free beam as a system: q = (r, phi, u) ----

enum { R, PHI = 2, U = 3, MOST = 64, ENTRIES = MOST * MOST };

typedef struct motion {
    trmi_beam_state state;
    trmi_beam_terms terms;
} motion;

// with the points of the beam in its case
static inline motion move(const beam_case *c, const trm_state *s, bool accelerated)
{
    const trmi_beam *b = &c->beam;
    motion m = {.state = {.angle = s->q[PHI], .rate = s->v[PHI], .u = s->q + U, .v = s->v + U}};
    if (accelerated) {
        m.state.a[0] = s->a[0];
        m.state.a[1] = s->a[1];
        m.state.angular = s->a[PHI];
        m.state.w = s->a + U;
    }
    trmi_beam_curve(b, &c->work, &m.state);
    m.terms = trmi_beam_move(b, &m.state);
    return m;
}

// adds value to both (i, j) and (j, i), or once on the diagonal
static inline void put(double *out, int n, int i, int j, double value)
{
    out[i + n * j] += value;
    if (i != j)
        out[j + n * i] += value;
}

// Parts of a matrix that the beam fills.
typedef struct block {
    double r_e[MOST], r_n[MOST], phi_u[MOST], u_phi[MOST], u_u[ENTRIES];
} block;

static inline trmi_beam_block block_of(block *x)
{
    return (trmi_beam_block){x->r_e, x->r_n, x->phi_u, x->u_phi, x->u_u};
}

// rows r and phi of u, and u,u
static inline void put_rows(const trmi_beam *b, const trmi_beam_terms *t, const block *x, int count,
                            double *out)
{
    const int n = U + b->n;
    for (int j = 0; j < b->n; j++) {
        for (int i = 0; i < 2; i++)
            out[i + n * (U + j)] += t->e[i] * x->r_e[j] + t->n[i] * x->r_n[j];
        out[PHI + n * (U + j)] += x->phi_u[j];
    }
    for (int k = 0; k < count; k++)
        out[U + b->u_row[k] + n * (U + b->u_column[k])] += x->u_u[k];
}

static inline int mass(const trm_state *s, double *out, void *user)
{
    const beam_case *c = user;
    const trmi_beam *b = &c->beam;
    const motion m = move(c, s, false);
    const int n = U + b->n;
    block x;
    const trmi_beam_block parts = block_of(&x);
    memset(out, 0, (size_t)(n * n) * sizeof *out);
    trmi_beam_mass_terms(b, &m.state, &parts);
    put_rows(b, &m.terms, &x, b->entries, out);
    for (int j = U; j < n; j++)
        for (int i = 0; i < U; i++)
            out[j + n * i] = out[i + n * j];
    for (int i = 0; i < 2; i++) {
        put(out, n, i, i, b->mass);
        put(out, n, i, PHI, m.terms.m_rphi[i]);
    }
    put(out, n, PHI, PHI, m.terms.m_phi);
    return 0;
}

static inline int force(const trm_state *s, double *out, void *user)
{
    const beam_case *c = user;
    const trmi_beam *b = &c->beam;
    const motion m = move(c, s, false);
    out[0] = -m.terms.residual_r[0];
    out[1] = -m.terms.residual_r[1];
    out[PHI] = -m.terms.residual_phi;
    trmi_beam_residual(b, &m.state, &m.terms, out + U);
    for (int i = 0; i < b->n; i++)
        out[U + i] = -out[U + i];
    return 0;
}

static inline int stiffness(const trm_state *s, double *out, void *user)
{
    const beam_case *c = user;
    const trmi_beam *b = &c->beam;
    const motion m = move(c, s, true);
    const trmi_beam_terms *t = &m.terms;
    const int n = U + b->n;
    block x;
    const trmi_beam_block parts = block_of(&x);
    double along[MOST], across[MOST];
    memset(out, 0, (size_t)(n * n) * sizeof *out);
    trmi_beam_stiffness_terms(b, &m.state, t, &parts);
    put_rows(b, t, &x, b->entries, out);
    trmi_beam_arms(b, &m.state, along, across);
    for (int i = 0; i < 2; i++)
        out[i + n * PHI] = t->k_rphi[i];
    out[PHI + n * PHI] = t->k_phi;
    for (int j = 0; j < b->n; j++)
        out[U + j + n * PHI] = t->a_n * along[j] - t->a_e * across[j];
    return 0;
}

static inline int damping(const trm_state *s, double *out, void *user)
{
    const beam_case *c = user;
    const trmi_beam *b = &c->beam;
    const motion m = move(c, s, false);
    const trmi_beam_terms *t = &m.terms;
    const int n = U + b->n;
    block x;
    const trmi_beam_block parts = block_of(&x);
    memset(out, 0, (size_t)(n * n) * sizeof *out);
    trmi_beam_damping_terms(b, &m.state, &parts);
    put_rows(b, t, &x, trmi_beam_is_damped(b) ? b->entries : 0, out);
    for (int i = 0; i < 2; i++)
        out[i + n * PHI] = t->d_rphi[i];
    out[PHI + n * PHI] = t->d_phi;
    for (int j = 0; j < b->n; j++)
        out[U + j + n * PHI] = x.u_phi[j];
    return 0;
}

static inline trm_system free_beam(beam_case *c)
{
    return (trm_system){.n_q = U + c->beam.n,
                        .function = {[TRM_QUANTITY_MASS] = mass,
                                     [TRM_QUANTITY_FORCE] = force,
                                     [TRM_QUANTITY_STIFFNESS] = stiffness,
                                     [TRM_QUANTITY_DAMPING] = damping},
                        .user = c};
}

// A state without symmetry; deflections of a centimetre.
static inline model_point some_motion(const trm_system *s, uint64_t seed)
{
    model_point p = {0};
    for (int i = 0; i < s->n_q; i++) {
        double size = i < U ? 1 : 0.01;
        p.q[i] = size * model_noise(&seed);
        p.v[i] = 3 * size * model_noise(&seed);
        p.a[i] = 20 * size * model_noise(&seed);
    }
    return p;
}

#endif
