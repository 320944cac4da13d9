// SPDX-License-Identifier: Apache-2.0
// The columns of a beam in the recursion of articulated inertias. With the acceleration a of the
// frame, A_i, p_i of what node i carries, and a_i = a + sum_k (s_k u''_k + sdot_k u'_k) over the
// one to three columns of the node, the masses M of beam.h and its nodes give
//
//     u:      C_k . a + sum_l M_kl u''_l + s_k.(A_i a_i + p_i) = tau_k
//     frame:  A_b a + sum_k C_k u''_k + sum_i (A_i a_i + p_i)
//
// (wrenches C_k, column k of M in the rows phi and r, and A_b, by u alone, at the frame, here at O
// as all others), or with U_k = C_k + A_i s_k, m_kl = M_kl + [k, l of one node] s_k.A_i s_l, P_i =
// p_i
// + A_i sum_k sdot_k u'_k
//
//     sum_l m_kl u''_l = rest_k - U_k.a,   rest_k = tau_k - s_k.P_i
//     (A_b + sum_i A_i) a + sum_i P_i + sum_k U_k u''_k
//
// m has the band of M, since a node meets itself only. Its columns are eliminated as those of
// joints are, from the last one on, and reach those before them within the band:
//
//     for k = n .. 1, l in the band before k:   U_l -= m_lk U_k / d_k,   d_l -= m_lk^2 / d_k, ..
//     A -= U_k U_k^T / d_k,   p += U_k rest_k / d_k
//
// Work in proportion to the number of nodes.
#include "modelling/multibody/beams/articulated_beam.h"

static int last_column(const trmi_bending *b)
{
    return b->first_column + b->beam.n - 1;
}

// the first column that meets k in the band
static int band_begin(const trmi_bending *b, int k)
{
    return k - TRMI_BEAM_BAND > b->first_column ? k - TRMI_BEAM_BAND : b->first_column;
}

// where a node is accounted for: the last column of it
static int node_of(const trmi_recursion *r, int k)
{
    const trmi_tree *t = r->k->tree;
    return t->body[t->column[k].body].column;
}

// ---- creation ----

bool trmi_recursion_create_explicit(trmi_recursion *r, trmi_memory *memory,
                                    const trmi_bendings *bendings)
{
    int columns = r->k->tree->columns;
    r->bendings = bendings;
    if (!TRMI_TAKE(memory, r->A, columns) || !TRMI_TAKE(memory, r->U, columns) ||
        !TRMI_TAKE(memory, r->p, columns) || !TRMI_TAKE(memory, r->d, columns) ||
        !TRMI_TAKE(memory, r->rest, columns) || !TRMI_TAKE(memory, r->moved, columns))
        return false;
    if (!bendings || bendings->count == 0)
        return true;
    if (!TRMI_TAKE(memory, r->beam, columns) || !TRMI_TAKE(memory, r->band, columns) ||
        !TRMI_TAKE(memory, r->block.r_e, bendings->max_coordinates) ||
        !TRMI_TAKE(memory, r->block.r_n, bendings->max_coordinates) ||
        !trmi_beam_work_create(&r->points, memory, bendings->max_points) ||
        !TRMI_TAKE(memory, r->block.phi_u, bendings->max_coordinates) ||
        !TRMI_TAKE(memory, r->block.u_u, bendings->max_entries))
        return false;
    for (int k = 0; k < columns; k++)
        r->beam[k] = TRMI_NOTHING;
    for (int i = 0; i < bendings->count; i++)
        for (int u = 0; u < bendings->bending[i].beam.n; u++)
            r->beam[bendings->bending[i].first_column + u] = i;
    return true;
}

// ---- factors ----

// A_b = m_phi z z^T + z m^T + m z^T with the wrench z of a moment and m of the force m_rphi at the
// frame
static trmi_articulated frame_inertia(const trmi_bendings *all, const trmi_frame_place *p,
                                      const trmi_beam_terms *t)
{
    trmi_wrench m = trmi_bending_wrench(all, p, t->m_rphi, 0);
    trmi_v3 z = trmi_bending_wrench(all, p, (double[2]){0, 0}, 1).n;
    trmi_articulated A = {.al = trmi_m3_outer(z, m.f)};
    A.aa = trmi_m3_axpy(trmi_m3_outer(z, m.n), 1, trmi_m3_outer(m.n, z));
    A.aa = trmi_m3_axpy(A.aa, t->m_phi, trmi_m3_outer(z, z));
    return A;
}

// M into d and the band
static void enter_mass(trmi_recursion *r, const trmi_bending *b)
{
    const trmi_beam *beam = &b->beam;
    for (int i = 0; i < beam->entries; i++) {
        int k = b->first_column + beam->u_row[i], before = beam->u_row[i] - beam->u_column[i];
        if (before == 0)
            r->d[k] = r->block.u_u[i];
        else if (before > 0)
            r->band[k][before - 1] = r->block.u_u[i];
    }
}

// what the node of column k carries: U_k, and its part of m
static void enter_node(trmi_recursion *r, int k, trmi_wrench C)
{
    const trmi_motion *s = r->k->s;
    int node = node_of(r, k);
    trmi_wrench carried = trmi_articulated_times(&r->A[node], s[k]);
    r->U[k] = trmi_wrench_axpy(C, 1, carried);
    r->d[k] += trmi_power(s[k], carried);
    for (int l = k + 1; l <= node; l++)
        r->band[l][l - k - 1] += trmi_power(s[l], carried);
}

// column k out of those before it
static void eliminate(trmi_recursion *r, const trmi_bending *b, int k)
{
    int begin = band_begin(b, k);
    for (int l = k - 1; l >= begin; l--) {
        double m = r->band[k][k - l - 1], factor = m / r->d[k];
        r->U[l] = trmi_wrench_axpy(r->U[l], -factor, r->U[k]);
        r->d[l] -= factor * m;
        for (int i = l - 1; i >= begin; i--)
            r->band[l][l - i - 1] -= factor * r->band[k][k - i - 1];
    }
}

bool trmi_articulate_beam(trmi_recursion *r, const trmi_bending *b, int *singular)
{
    const trmi_frame_place p = trmi_bending_place(r->bendings, b, &r->points, r->k, NULL);
    const trmi_beam_terms t = trmi_beam_move(&b->beam, &p.state);
    trmi_articulated A = frame_inertia(r->bendings, &p, &t);
    trmi_beam_mass_terms(&b->beam, &p.state, &r->block);
    enter_mass(r, b);
    for (int k = b->first_column; k <= last_column(b); k++) {
        int u = k - b->first_column;
        double along = r->block.r_e[u], across = r->block.r_n[u];
        const double force[2] = {along * t.e[0] + across * t.n[0],
                                 along * t.e[1] + across * t.n[1]};
        enter_node(r, k, trmi_bending_wrench(r->bendings, &p, force, r->block.phi_u[u]));
        if (k == node_of(r, k))
            trmi_articulated_add(&A, &r->A[k]);
    }
    for (int k = last_column(b); k >= b->first_column; k--) {
        *singular = k;
        if (!(r->d[k] > 0))
            return false;
        eliminate(r, b, k);
        A = trmi_articulated_update(&A, -1 / r->d[k], r->U[k]);
    }
    int frame = r->k->tree->column[b->first_column].parent;
    if (frame != TRMI_NOTHING)
        trmi_articulated_add(&r->A[frame], &A);
    return true;
}

// ---- solutions ----

// p_i becomes P_i
static void complete_node(trmi_recursion *r, int first, int node, const trm_state *state)
{
    const trmi_kinematics *k = r->k;
    trmi_motion known = {0};
    for (int j = first; j <= node; j++)
        known = trmi_motion_axpy(known, state->v[k->tree->column[j].coordinate], k->sdot[j]);
    trmi_wrench more = trmi_articulated_times(&r->A[node], known);
    r->p[node] = trmi_wrench_axpy(r->p[node], 1, more);
}

void trmi_reduce_beam(trmi_recursion *r, const trmi_bending *b, const trm_state *state,
                      const double *force)
{
    const trmi_tree *t = r->k->tree;
    int frame = t->column[b->first_column].parent;
    trmi_wrench p = {0};
    for (int k = b->first_column, node = k - 1; k <= last_column(b); k++) {
        if (k > node) { // the first column of the next one
            node = node_of(r, k);
            if (state)
                complete_node(r, k, node, state);
            p = trmi_wrench_axpy(p, 1, r->p[node]);
        }
        double tau = force ? force[t->column[k].coordinate] : 0;
        r->rest[k] = tau - trmi_power(r->k->s[k], r->p[node]);
    }
    for (int k = last_column(b); k >= b->first_column; k--) {
        double share = r->rest[k] / r->d[k];
        for (int l = band_begin(b, k); l < k; l++)
            r->rest[l] -= r->band[k][k - l - 1] * share;
        p = trmi_wrench_axpy(p, share, r->U[k]);
    }
    if (frame != TRMI_NOTHING)
        r->p[frame] = trmi_wrench_axpy(r->p[frame], 1, p);
}

void trmi_expand_beam(const trmi_recursion *r, const trmi_bending *b, trmi_motion frame, double *a)
{
    double *u = a + b->first;
    for (int k = b->first_column; k <= last_column(b); k++) {
        double rest = r->rest[k] - trmi_power(frame, r->U[k]);
        for (int l = band_begin(b, k); l < k; l++)
            rest -= r->band[k][k - l - 1] * u[l - b->first_column];
        u[k - b->first_column] = rest / r->d[k];
    }
}
