// SPDX-License-Identifier: Apache-2.0
// M, K and D that bending adds, see flexible.h. Columns of the matrices are differentials: of the
// frame with one column of the tree, or of one elastic coordinate.
#include "modelling/multibody/beams/flexible.h"

static double dot2(const double x[2], const double y[2])
{
    return x[0] * y[0] + x[1] * y[1];
}

// What a change of the coordinate of one column does to the residual of the beam: to R_r, to R_phi,
// and to R_u by these multiples of J^T c_e, J^T c_n and of its column u,phi.
typedef struct change {
    double r[2], phi, c[2], turn;
} change;

// ---- motion of the frame ----

// two components in the plane
static void project(const trmi_bendings *all, trmi_v3 x, double out[2])
{
    out[0] = trmi_component(x, all->axis[0]);
    out[1] = trmi_component(x, all->axis[1]);
}

// j = s.v + s.w x c and its derivatives; in the plane s.w does not change
static void move_frame(const trmi_bendings *all, const trmi_bending *b, const trmi_kinematics *k,
                       const trmi_frame_place *p, bool second, trmi_frame_motion *motion)
{
    for (int i = 0; i < b->columns; i++) {
        int column = b->column[i];
        trmi_v3 w = k->s[column].w;
        motion[i].t = trmi_component(w, all->axis[2]);
        project(all, trmi_motion_at(k->s[column], p->c).v, motion[i].j);
        project(all, trmi_v3_add(k->sdot[column].v, trmi_v3_cross(w, p->velocity)), motion[i].j1);
        if (second)
            project(all, trmi_v3_add(k->sddot[column].v, trmi_v3_cross(w, p->acceleration)),
                    motion[i].j2);
    }
}

// R_r.dj_k/dq_l, k and l in the order of the way from the ground
static double turn_residual(const trmi_frame_motion *motion, int k, int l, const double R[2])
{
    const trmi_frame_motion *first = &motion[k < l ? k : l], *last = &motion[k < l ? l : k];
    return first->t * (R[1] * last->j[0] - R[0] * last->j[1]);
}

// ---- changes of the residual with a column of the tree ----

static change mass_change(const trmi_beam *b, const trmi_beam_terms *t, const trmi_frame_motion *l)
{
    change x = {.phi = l->t * t->m_phi + dot2(t->m_rphi, l->j),
                .c = {dot2(t->e, l->j), dot2(t->n, l->j)},
                .turn = l->t};
    for (int i = 0; i < 2; i++)
        x.r[i] = b->mass * l->j[i] + l->t * t->m_rphi[i];
    return x;
}

static change stiffness_change(const trmi_beam *b, const trmi_beam_terms *t,
                               const trmi_frame_motion *l)
{
    change x = {.phi = l->t * t->k_phi + dot2(t->m_rphi, l->j2),
                .c = {l->t * t->a_n + dot2(t->e, l->j2), -l->t * t->a_e + dot2(t->n, l->j2)}};
    for (int i = 0; i < 2; i++)
        x.r[i] = l->t * t->k_rphi[i] + b->mass * l->j2[i];
    return x;
}

static change damping_change(const trmi_beam *b, const trmi_beam_terms *t,
                             const trmi_frame_motion *l)
{
    change x = {.phi = l->t * t->d_phi + 2 * dot2(t->m_rphi, l->j1),
                .c = {2 * dot2(t->e, l->j1), 2 * dot2(t->n, l->j1)},
                .turn = l->t};
    for (int i = 0; i < 2; i++)
        x.r[i] = l->t * t->d_rphi[i] + 2 * b->mass * l->j1[i];
    return x;
}

// ---- matrices ----

// One matrix, with the first position of the beam that is written.
typedef struct target {
    const trmi_bending *b;
    const trmi_frame_motion *motion;
    const trmi_slots *slots;
    double *out;
    int first;
} target;

static void put(const target *x, int number, double value)
{
    trmi_slots_put(x->slots, x->first + number, x->out, value);
}

// column l: (k, l) of the tree and (u, l). R_r turns with j; NULL: not in this matrix, and likewise
// u_phi
static void put_column(const target *x, int l, const change *by, const double *R_r,
                       const trmi_bending_work *work, const double *u_phi)
{
    const int P = x->b->columns, n = x->b->beam.n;
    for (int k = 0; k < P; k++) {
        const trmi_frame_motion *m = &x->motion[k];
        put(x, k * P + l,
            dot2(m->j, by->r) + m->t * by->phi + (R_r ? turn_residual(x->motion, k, l, R_r) : 0));
    }
    for (int u = 0; u < n; u++)
        put(x, P * P + 2 * (l * n + u) + 1,
            by->c[0] * work->along[u] + by->c[1] * work->across[u] +
                (u_phi ? by->turn * u_phi[u] : 0));
}

// (k, u) for all k, and (u, u) as far as this matrix has them
static void put_rows(const target *x, const trmi_beam_terms *t, const trmi_beam_block *block,
                     bool elastic)
{
    const int P = x->b->columns, n = x->b->beam.n, before = P * P + 2 * P * n;
    for (int k = 0; k < P; k++) {
        const trmi_frame_motion *m = &x->motion[k];
        const double along = dot2(m->j, t->e), across = dot2(m->j, t->n);
        for (int u = 0; u < n; u++)
            put(x, P * P + 2 * (k * n + u),
                along * block->r_e[u] + across * block->r_n[u] + m->t * block->phi_u[u]);
    }
    for (int k = 0; k < x->b->beam.entries && elastic; k++)
        put(x, before + k, block->u_u[k]);
}

static void add_mass(const target *x, const trmi_beam_terms *t, const trmi_beam_state *s,
                     const trmi_bending_work *work)
{
    const trmi_beam *beam = &x->b->beam;
    trmi_beam_mass_terms(beam, s, &work->block);
    for (int l = 0; l < x->b->columns; l++) {
        const change by = mass_change(beam, t, &x->motion[l]);
        put_column(x, l, &by, NULL, work, work->block.phi_u);
    }
    put_rows(x, t, &work->block, true);
}

static void add_stiffness(const target *x, const trmi_beam_terms *t, const trmi_beam_state *s,
                          const trmi_bending_work *work)
{
    const trmi_beam *beam = &x->b->beam;
    trmi_beam_stiffness_terms(beam, s, t, &work->block);
    for (int l = 0; l < x->b->columns; l++) {
        const change by = stiffness_change(beam, t, &x->motion[l]);
        put_column(x, l, &by, t->residual_r, work, NULL);
    }
    put_rows(x, t, &work->block, true);
}

static void add_damping(const target *x, const trmi_beam_terms *t, const trmi_beam_state *s,
                        const trmi_bending_work *work)
{
    const trmi_beam *beam = &x->b->beam;
    trmi_beam_damping_terms(beam, s, &work->block);
    for (int l = 0; l < x->b->columns; l++) {
        const change by = damping_change(beam, t, &x->motion[l]);
        put_column(x, l, &by, NULL, work, work->block.u_phi);
    }
    put_rows(x, t, &work->block, trmi_beam_is_damped(beam));
}

void trmi_bendings_matrices(const trmi_bendings *all, trmi_bending_work *work,
                            const trmi_kinematics *k, const double *a,
                            const trmi_bending_matrices *out)
{
    for (int i = 0; i < all->count; i++) {
        const trmi_bending *b = &all->bending[i];
        const trmi_frame_place p = trmi_bending_place(all, b, &work->beam, k, a);
        const trmi_beam_terms t = trmi_beam_move(&b->beam, &p.state);
        move_frame(all, b, k, &p, out->K != NULL, work->motion);
        trmi_beam_arms(&b->beam, &p.state, work->along, work->across);
        if (out->M)
            add_mass(&(target){b, work->motion, out->M_slots, out->M, b->M}, &t, &p.state, work);
        if (out->K)
            add_stiffness(&(target){b, work->motion, out->K_slots, out->K, b->K}, &t, &p.state,
                          work);
        if (out->D)
            add_damping(&(target){b, work->motion, out->D_slots, out->D, b->D}, &t, &p.state, work);
    }
}
