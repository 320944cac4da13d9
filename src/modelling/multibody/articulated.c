// SPDX-License-Identifier: Apache-2.0
// The explicit formalism: accelerations by articulated inertias, column by column.
//
//     backward  U = A s,  d = s.U,  rest = tau - s.p,  Aa = A - U U^T / d
//               A_p += Aa,   p_p += p + Aa (sdot q') + U rest / d         (p_b = v x* I v - w_b)
//     forward   a' = a_p + sdot q',  q'' = (rest - U.a') / d,  a = a' + s q''
//
// A driven column has q'' = u'' and passes everything on: p_p += p + A (sdot u' + s u''). The
// columns of an elastic body meet in M and are eliminated together (articulated_beam.c).
#include "modelling/multibody/beams/articulated_beam.h"

static trmi_articulated of_body(const trmi_kinematics *k, int b)
{
    trmi_inertia I = trmi_inertia_of(k->tree->described[b].mass, k->c[b], k->J[b]);
    trmi_m3 m = {{{I.m, 0, 0}, {0, I.m, 0}, {0, 0, I.m}}};
    return (trmi_articulated){trmi_s3_matrix(I.J), trmi_m3_cross(I.mc), m};
}

static void collect_bodies(trmi_recursion *r, const trmi_wrench *applied)
{
    const trmi_kinematics *k = r->k;
    const trmi_tree *t = k->tree;
    for (int j = 0; j < t->columns; j++) {
        r->A[j] = (trmi_articulated){0};
        r->p[j] = (trmi_wrench){0};
    }
    for (int b = 1; b < t->bodies; b++) {
        int last = t->body[b].column;
        if (last == TRMI_NOTHING)
            continue;
        trmi_articulated A = of_body(k, b);
        trmi_articulated_add(&r->A[last], &A);
        trmi_wrench p = trmi_wrench_cross(k->v[b], trmi_articulated_times(&A, k->v[b]));
        if (applied)
            p = trmi_wrench_axpy(p, -1, applied[b]);
        r->p[last] = trmi_wrench_axpy(r->p[last], 1, p);
    }
}

// what d = s.A s of a column with inertia is compared with: by the traces, in the same units
static double size_of(const trmi_articulated *A, trmi_motion s)
{
    double angular = A->aa.row[0].x + A->aa.row[1].y + A->aa.row[2].z;
    double linear = A->ll.row[0].x + A->ll.row[1].y + A->ll.row[2].z;
    return angular * trmi_v3_dot(s.w, s.w) + linear * trmi_v3_dot(s.v, s.v);
}

// rate and (driven columns) acceleration of column j
static void read_rates(const trmi_tree *t, const trm_state *state, int j, double *rate,
                       double *second)
{
    const trmi_column *c = &t->column[j];
    bool driven = c->coordinate == TRMI_NOTHING;
    *rate = driven ? state->u[t->n_u + c->drive] : state->v[c->coordinate];
    *second = driven ? state->u[2 * t->n_u + c->drive] : 0;
}

// the columns of a beam from the last one on, all at once; false: one has no inertia
static bool eliminate_beam(trmi_recursion *r, const trmi_bending *beam, const trm_state *state,
                           const double *force, int *singular)
{
    if (!trmi_articulate_beam(r, beam, singular))
        return false;
    trmi_reduce_beam(r, beam, state, force);
    return true;
}

static bool pass_backward(trmi_recursion *r, const trm_state *state, const double *force,
                          int *singular)
{
    const trmi_kinematics *k = r->k;
    const trmi_tree *t = k->tree;
    for (int j = t->columns - 1; j >= 0; j--) {
        const trmi_column *c = &t->column[j];
        const trmi_bending *beam = trmi_recursion_beam(r, j);
        if (beam) {
            if (!eliminate_beam(r, beam, state, force, singular))
                return false;
            j = beam->first_column;
            continue;
        }
        trmi_articulated A = r->A[j];
        trmi_wrench p = r->p[j];
        double rate, second;
        read_rates(t, state, j, &rate, &second);
        trmi_motion known = trmi_motion_axpy((trmi_motion){0}, rate, k->sdot[j]);
        if (c->coordinate == TRMI_NOTHING) {
            known = trmi_motion_axpy(known, second, k->s[j]);
        } else {
            trmi_wrench U = r->U[j] = trmi_articulated_times(&A, k->s[j]);
            double d = r->d[j] = trmi_power(k->s[j], U);
            *singular = j;
            if (!(d > 1e-12 * size_of(&A, k->s[j])))
                return false;
            r->rest[j] = (force ? force[c->coordinate] : 0) - trmi_power(k->s[j], p);
            A = trmi_articulated_update(&A, -1 / d, U);
            p = trmi_wrench_axpy(p, r->rest[j] / d, U);
        }
        if (c->parent == TRMI_NOTHING)
            continue;
        trmi_articulated_add(&r->A[c->parent], &A);
        p = trmi_wrench_axpy(p, 1, trmi_articulated_times(&A, known));
        r->p[c->parent] = trmi_wrench_axpy(r->p[c->parent], 1, p);
    }
    return true;
}

static void pass_forward(trmi_recursion *r, const trm_state *state, double *a)
{
    const trmi_kinematics *k = r->k;
    const trmi_tree *t = k->tree;
    for (int j = 0; j < t->columns; j++) {
        const trmi_column *c = &t->column[j];
        double rate, second;
        read_rates(t, state, j, &rate, &second);
        trmi_motion before = c->parent == TRMI_NOTHING ? k->a[TRMI_GROUND] : k->column_a[c->parent];
        const trmi_bending *beam = trmi_recursion_beam(r, j);
        if (beam && j == beam->first_column)
            trmi_expand_beam(r, beam, before, a);
        before = trmi_motion_axpy(before, rate, k->sdot[j]);
        if (beam)
            second = a[c->coordinate];
        else if (c->coordinate != TRMI_NOTHING)
            second = a[c->coordinate] = (r->rest[j] - trmi_power(before, r->U[j])) / r->d[j];
        k->column_a[j] = trmi_motion_axpy(before, second, k->s[j]);
    }
}

bool trmi_recursion_explicit(trmi_recursion *r, const trm_state *state, const double *force,
                             const trmi_wrench *applied, double *a, int *singular)
{
    collect_bodies(r, applied);
    if (!pass_backward(r, state, force, singular))
        return false;
    pass_forward(r, state, a);
    return true;
}

// the same two passes without velocities, gravity and wrenches
void trmi_recursion_solve(trmi_recursion *r, double *x)
{
    const trmi_kinematics *k = r->k;
    const trmi_tree *t = k->tree;
    trmi_motion *a = r->moved;
    for (int j = 0; j < t->columns; j++)
        r->p[j] = (trmi_wrench){0};
    for (int j = t->columns - 1; j >= 0; j--) {
        const trmi_column *c = &t->column[j];
        const trmi_bending *beam = trmi_recursion_beam(r, j);
        trmi_wrench p = r->p[j];
        if (beam) {
            trmi_reduce_beam(r, beam, NULL, x);
            j = beam->first_column;
            continue;
        }
        if (c->coordinate != TRMI_NOTHING) {
            r->rest[j] = x[c->coordinate] - trmi_power(k->s[j], p);
            p = trmi_wrench_axpy(p, r->rest[j] / r->d[j], r->U[j]);
        }
        if (c->parent != TRMI_NOTHING)
            r->p[c->parent] = trmi_wrench_axpy(r->p[c->parent], 1, p);
    }
    for (int j = 0; j < t->columns; j++) {
        const trmi_column *c = &t->column[j];
        const trmi_bending *beam = trmi_recursion_beam(r, j);
        a[j] = c->parent == TRMI_NOTHING ? (trmi_motion){0} : a[c->parent];
        if (c->coordinate == TRMI_NOTHING)
            continue;
        if (beam && j == beam->first_column)
            trmi_expand_beam(r, beam, a[j], x);
        if (!beam)
            x[c->coordinate] = (r->rest[j] - trmi_power(a[j], r->U[j])) / r->d[j];
        a[j] = trmi_motion_axpy(a[j], x[c->coordinate], k->s[j]);
    }
}
