// SPDX-License-Identifier: Apache-2.0
// Derivatives of the forces: K, D and f_lambda of force.h, and f_p.
#include "modelling/multibody/forces/force.h"

void trmi_element_by_formula(const trmi_element *e, const trmi_force_work *work,
                             const trmi_law *law, int i, double *out)
{
    int n = e->set.columns;
    trmi_clear(out, n);
    for (int r = 0; r < e->set.rows; r++) {
        const double F_a = trmi_law_by_formula(e, law, r, i);
        for (int j = 0; F_a != 0 && j < n; j++)
            out[j] += F_a * work->G[r * n + j];
    }
}

// T += F Gam; laws leave most of F zero, of many rows all of it
static void add_rows(double *T, double F[TRMI_MAX_ROWS][TRMI_MAX_ROWS], const double *Gam, int rows,
                     int n)
{
    for (int r = 0; r < rows; r++)
        for (int s = 0; s < rows; s++) {
            const double f = F[r][s];
            for (int j = 0; f != 0 && j < n; j++)
                T[r * n + j] += f * Gam[s * n + j];
        }
}

// Whether the force of a row or what depends on the row changes: the others have no part in K, D
// and f_lambda but by F itself.
static bool acts(const trmi_element *e, const trmi_law *law, int r)
{
    bool some = e->formulas > 0;
    for (int s = 0; s < e->set.rows && !some; s++)
        some = law->F_p[r][s] != 0 || law->F_p[s][r] != 0 || law->F_v[r][s] != 0 ||
               law->F_v[s][r] != 0;
    for (int i = 0; i < e->loads && !some; i++)
        some = law->F_l[r][i] != 0;
    return some;
}

// block += Gam^T T of the rows that act, to its positions from a number on
static void put_product(const trmi_force_work *work, const bool *active, int rows, int n,
                        const trmi_slots *slots, int number, double *out)
{
    double *block = work->workspace->block;
    for (int i = 0; i < n; i++) {
        double *row = block + i * n;
        for (int r = 0; r < rows; r++) {
            const double g = work->G[r * n + i], *T = work->T + r * n;
            for (int j = 0; j < n && active[r]; j++)
                row[j] += g * T[j];
        }
        for (int j = 0; j < n; j++)
            trmi_slots_put(slots, number++, out, row[j]);
    }
}

// T = F_p Gam + F_v (Gam v)_q
static void add_stiffness(const trmi_element *e, const trmi_force_work *work, trmi_law *law,
                          const bool *active, const trmi_set_state *x, const trmi_slots *slots,
                          double *K)
{
    int n = e->set.columns, rows = e->set.rows;
    trmi_set_geometric(x, law->F, work->workspace, work->workspace->block);
    trmi_clear(work->T, rows * n);
    add_rows(work->T, law->F_p, work->G, rows, n);
    add_rows(work->T, law->F_v, work->Gv, rows, n);
    put_product(work, active, rows, n, slots, e->first_K, K);
}

// T = F_v Gam
static void add_damping(const trmi_element *e, const trmi_force_work *work, trmi_law *law,
                        const bool *active, const trmi_slots *slots, double *D)
{
    int n = e->set.columns, rows = e->set.rows;
    trmi_clear(work->workspace->block, n * n);
    trmi_clear(work->T, rows * n);
    add_rows(work->T, law->F_v, work->G, rows, n);
    put_product(work, active, rows, n, slots, e->first_D, D);
}

// K and D, each may be NULL, and where their next position is, in the order in which they were
// announced.
typedef struct filling {
    const trmi_slots *slots_K, *slots_D;
    double *K, *D;
    int at_K, at_D;
} filling;

static void put(filling *to, double by_q, double by_v)
{
    if (to->K)
        trmi_slots_put(to->slots_K, to->at_K, to->K, by_q);
    if (to->D)
        trmi_slots_put(to->slots_D, to->at_D, to->D, by_v);
    to->at_K++;
    to->at_D++;
}

// Gam^T (F_p G + F_v (Gv)_q) and Gam^T F_v G over the columns of one signal
static void put_signal(filling *to, const trmi_forces *f, const trmi_force_work *work, int n,
                       int signal, double F_p, double F_v)
{
    const double *Gam = work->T;
    const double *G = work->signal_G + f->column[signal], *Gv = work->signal_Gv + f->column[signal];
    int columns = f->signals->set[signal].columns;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < columns; j++)
            put(to, Gam[i] * (F_p * G[j] + F_v * Gv[j]), Gam[i] * F_v * G[j]);
}

// Gam^T F_e e_q and Gam^T F_e e_v over the coordinates of one effect
static void put_effect(filling *to, const trmi_forces *f, const trmi_force_work *work, int n,
                       int effect, double F_e)
{
    const trmi_feedback_part *by = &f->feedback.row[effect].Q;
    const double *Gam = work->T, *Q = work->feedback.Q + by->first,
                 *V = work->feedback.V + by->first;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < by->count; j++)
            put(to, Gam[i] * F_e * Q[j], Gam[i] * F_e * V[j]);
}

// what the formulas of an element add to K and D; leaves Gam^T F_a of the last one in work->T
static void put_formulas(filling *to, const trmi_forces *f, const trmi_element *e,
                         const trmi_force_work *work, const trmi_law *law)
{
    int n = e->set.columns;
    to->at_K = e->first_K + n * n;
    to->at_D = e->first_D + (e->damped ? n * n : 0);
    for (int r = 0; r < e->formulas; r++) {
        const trmi_formula *formula = &e->formula[r];
        const double *slope = work->slope + formula->slope, *by_effect;
        if (formula->value == TRMI_NOTHING)
            continue;
        trmi_element_by_formula(e, work, law, r, work->T);
        for (int i = 0; i < formula->uses; i++)
            put_signal(to, f, work, n, formula->signal[i], slope[i], slope[formula->uses + i]);
        by_effect = slope + 2 * formula->uses + formula->others;
        for (int i = 0; i < formula->effects; i++)
            put_effect(to, f, work, n, formula->effect[i], by_effect[i]);
    }
}

// f_lambda -= Gam^T F_lambda
static void add_loads(const trmi_forces *f, const trmi_element *e, const trmi_force_work *work,
                      const trmi_law *law, const trmi_slots *slots, double *L)
{
    int n = e->set.columns, number = e->first_L;
    for (int i = 0; i < e->loads; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int r = 0; r < e->set.rows; r++)
                sum += law->F_l[r][i] != 0 ? work->G[r * n + j] * law->F_l[r][i] : 0;
            trmi_slots_put(slots, number++, L, -sum);
        }
    for (int r = 0; r < e->formulas; r++) {
        const trmi_formula *formula = &e->formula[r];
        const double *slope = work->slope + formula->slope + 2 * formula->uses + formula->others;
        if (formula->value == TRMI_NOTHING || formula->effects == 0)
            continue;
        trmi_element_by_formula(e, work, law, r, work->T);
        for (int k = 0; k < formula->effects; k++) {
            const trmi_feedback_part *by = &f->feedback.row[formula->effect[k]].L;
            for (int i = 0; i < by->count; i++)
                for (int j = 0; j < n; j++)
                    trmi_slots_put(slots, number++, L,
                                   -work->T[j] * slope[k] * work->feedback.L[by->first + i]);
        }
    }
}

// out -= Gam^T F over the coordinates of the columns of an element
static void subtract_forces(const trmi_forces *f, const trmi_element *e,
                            const trmi_force_work *work, const double *F, double *out)
{
    const int n = e->set.columns, rows = e->set.rows;
    for (int j = 0; j < n; j++) {
        const int at = trmi_column_of(f->tree, e->set.column[j]).coordinate;
        double sum = 0;
        for (int r = 0; r < rows; r++)
            sum += work->G[r * n + j] * F[r];
        if (at != TRMI_NOTHING)
            out[at] -= sum;
    }
}

// f_p -= Gam^T F_p of an element, F_p = (F(p above) - F(p below))/width at the state of its rows;
// what its law gave has served
static void add_parameters(const trmi_forces *f, const trmi_element *e, const trmi_force_work *work,
                           trmi_law *law, const bool *active, const trmi_set_state *x,
                           const trmi_force_matrices *to)
{
    const int i = (int)(e - f->element);
    for (int k = 0; k < to->parameters->count; k++) {
        const trmi_force_parameter *p = &to->parameters->parameter[k];
        double F[TRMI_MAX_ROWS];
        if (!p->changes[i])
            continue;
        trmi_element_compare(&p->above->element[i], &p->below->element[i], work, x, law, F);
        for (int r = 0; r < e->set.rows; r++) {
            F[r] /= p->width;
            if (!active[r])
                trmi_set_gradient(x, r, work->G + r * e->set.columns);
        }
        subtract_forces(f, e, work, F, to->P + (size_t)f->tree->n_q * (size_t)k);
    }
}

// K, D, f_lambda and f_p of one element from what its law gave.
static void put_element(const trmi_forces *f, const trmi_element *e, const trmi_force_work *work,
                        trmi_law *law, const trmi_set_state *x, const trmi_force_matrices *to)
{
    filling fill = {.slots_K = to->slots_K, .slots_D = to->slots_D, .K = to->K, .D = to->D};
    bool active[TRMI_MAX_ROWS];
    int n = e->set.columns;
    for (int r = 0; r < e->set.rows; r++) {
        active[r] = acts(e, law, r);
        if (active[r])
            trmi_set_gradient(x, r, work->G + r * n);
        if (active[r] && to->K)
            trmi_set_velocity_q(x, r, work->Gv + r * n);
    }
    if (to->K)
        add_stiffness(e, work, law, active, x, to->slots_K, to->K);
    if (to->D && e->damped)
        add_damping(e, work, law, active, to->slots_D, to->D);
    if (to->K || to->D)
        put_formulas(&fill, f, e, work, law);
    if (to->L)
        add_loads(f, e, work, law, to->slots_L, to->L);
    if (to->P)
        add_parameters(f, e, work, law, active, x, to);
}

int trmi_forces_differentiate(const trmi_forces *f, trmi_force_work *work, const trmi_kinematics *k,
                              const trm_state *state, const trmi_force_matrices *to,
                              trmi_wrench *on_body, double *on_column)
{
    work->faulty = NULL;
    work->energy = (trmi_force_energy){0, 0, 0};
    trmi_forces_formulas(f, work, k, state, true);
    for (int i = 0; i < f->elements; i++) {
        const trmi_element *e = &f->element[i];
        trmi_set_state x;
        trmi_law law;
        trmi_set_at(&x, &e->set, k, state);
        trmi_element_apply(e, work, &x, true, &law);
        int result = trmi_element_load(e, work, &x, &law, on_body, on_column);
        if (result != 0)
            return result;
        put_element(f, e, work, &law, &x, to);
    }
    return 0;
}
