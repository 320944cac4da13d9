// SPDX-License-Identifier: Apache-2.0
// The Newton-Euler recursion over columns and the composite inertias.
//
//     f_b = I_b a_b + v_b x* I_b v_b - w_b,   F_k = sum over the subtree,   tau_k = s_k . F_k
#include "modelling/multibody/recursion.h"
#include "modelling/multibody/star/star.h"

bool trmi_recursion_create(trmi_recursion *r, trmi_memory *memory, const trmi_kinematics *k)
{
    const trmi_tree *t = k->tree;
    *r = (trmi_recursion){.k = k};
    return t->star ||
           (TRMI_TAKE(memory, r->F, t->columns) && TRMI_TAKE(memory, r->composite, t->columns) &&
            TRMI_TAKE(memory, r->spin, t->columns) && TRMI_TAKE(memory, r->impulse, t->columns));
}

// inertia of a body about O, and its velocity-dependent part v x* I v
static trmi_inertia body_inertia(const trmi_kinematics *k, int b)
{
    return trmi_inertia_of(k->tree->described[b].mass, k->c[b], k->J[b]);
}

void trmi_recursion_wrenches(trmi_recursion *r, const trmi_wrench *applied)
{
    const trmi_kinematics *k = r->k;
    const trmi_tree *t = k->tree;
    for (int j = 0; j < t->columns; j++)
        r->F[j] = (trmi_wrench){0};
    for (int b = 1; b < t->bodies; b++) {
        int last = t->body[b].column;
        if (last == TRMI_NOTHING)
            continue;
        trmi_inertia I = body_inertia(k, b);
        trmi_wrench f =
            trmi_wrench_axpy(trmi_inertia_times(&I, k->a[b]), 1,
                             trmi_wrench_cross(k->v[b], trmi_inertia_times(&I, k->v[b])));
        if (applied)
            f = trmi_wrench_axpy(f, -1, applied[b]);
        r->F[last] = trmi_wrench_axpy(r->F[last], 1, f);
    }
    for (int j = t->columns - 1; j >= 0; j--) {
        int parent = t->column[j].parent;
        if (parent != TRMI_NOTHING)
            r->F[parent] = trmi_wrench_axpy(r->F[parent], 1, r->F[j]);
    }
}

void trmi_recursion_composites(trmi_recursion *r)
{
    const trmi_kinematics *k = r->k;
    const trmi_tree *t = k->tree;
    for (int j = 0; j < t->columns; j++)
        r->composite[j] = (trmi_inertia){0};
    for (int b = 1; b < t->bodies; b++) {
        int last = t->body[b].column;
        if (last != TRMI_NOTHING)
            r->composite[last] = trmi_inertia_add(r->composite[last], body_inertia(k, b));
    }
    for (int j = t->columns - 1; j >= 0; j--) {
        int parent = t->column[j].parent;
        if (parent != TRMI_NOTHING)
            r->composite[parent] = trmi_inertia_add(r->composite[parent], r->composite[j]);
    }
}

void trmi_inertia_force(trmi_recursion *r, const double *a, const trmi_wrench *applied, double *f)
{
    const trmi_tree *t = r->k->tree;
    if (t->star) {
        trmi_star_force(r->k, a, applied, f, 1, t->bodies);
        return;
    }
    trmi_recursion_wrenches(r, applied);
    for (int j = 0; j < t->columns; j++)
        if (t->column[j].coordinate != TRMI_NOTHING)
            f[t->column[j].coordinate] = -trmi_recursion_effort(r, j);
}
