// SPDX-License-Identifier: Apache-2.0
// The stacked matrix on the motions that the constraints of each stage leave: with N_i of stage i
// the blocks are
//
//     N_i^T (sum_k h^-k S_k^(i) (Gamma^p)_ij) N_j
//
// and the order is s (n_q - n_r + n_x + n_z).
#include "formulation/stacked.h"

#include <string.h>

bool trmi_stacked_small_create(trmi_stacked *m, trmi_memory *memory)
{
    trmi_stacked_small *small = &m->small;
    bool good = true;
    for (int i = 0; i < m->s && good; i++)
        good = trmi_motions_create(&small->motions[i], memory, m->saddle);
    if (!good)
        return false;
    int n = small->motions[0].n, n_w = small->motions[0].n_w;
    const trmi_structure structure = {.n = m->s * n};
    small->solver = trmi_dense_create(memory, &structure);
    good = small->solver && TRMI_TAKE(memory, small->x, m->s * n) &&
           TRMI_TAKE(memory, small->mixed, n * n_w) && TRMI_TAKE(memory, small->w, n_w);
    for (int i = 0; i < m->s && good; i++)
        for (int p = 0; p < TRMI_STACK_POWERS && good; p++)
            good = TRMI_TAKE(memory, small->left[i][p], n * n_w);
    small->exists = good;
    return good;
}

// the entries of a part, in m->part, enter N_i^T S by their power of Gamma
static void add_part(trmi_stacked *m, int k, int i, double factor)
{
    const trmi_motions *motions = &m->small.motions[i];
    for (int l = 0; l < m->count[k]; l++) {
        const trmi_stack_entry *entry = &m->entry[k][l];
        double number = factor * m->part[entry->source];
        if (entry->row < motions->n_w && entry->column < motions->n_w && number != 0)
            trmi_motions_add_row(motions, entry->row, number,
                                 m->small.left[i][entry->power] + motions->n * entry->column);
    }
}

bool trmi_stacked_small_add(trmi_stacked *m, int i, double h)
{
    trmi_stacked_small *small = &m->small;
    const double scale[] = {h * h, h, 1, 1 / h, 1 / (h * h)};
    const int middle = TRMI_STACK_PARTS / 2; // the part with G
    size_t size = (size_t)(small->motions[i].n * small->motions[i].n_w) * sizeof(double);
    for (int p = 0; p < TRMI_STACK_POWERS; p++)
        memset(small->left[i][p], 0, size);
    trmi_saddle_part(m->saddle, 0, m->part);
    if (!trmi_motions_split(&small->motions[i], m->part))
        return false;
    add_part(m, middle, i, 1);
    for (int k = 0; k < TRMI_STACK_PARTS; k++)
        if (m->count[k] > 0 && k != middle) {
            trmi_saddle_part(m->saddle, k - middle, m->part);
            add_part(m, k, i, scale[k]);
        }
    return true;
}

// mixed = sum_p (Gamma^p)_ij N_i^T (entries of power p)
static const double *mix_powers(trmi_stacked *m, int i, int j)
{
    trmi_stacked_small *small = &m->small;
    const double *const *left = (const double *const *)small->left[i];
    int size = small->motions[i].n * small->motions[i].n_w;
    double one = m->gamma[1][i][j], two = m->gamma[2][i][j];
    for (int k = 0; k < size; k++)
        small->mixed[k] = one * left[1][k] + two * left[2][k];
    for (int k = 0; k < size && i == j; k++)
        small->mixed[k] += left[0][k];
    return small->mixed;
}

trmi_factor_status trmi_stacked_small_factor(trmi_stacked *m)
{
    trmi_stacked_small *small = &m->small;
    trmi_solver *solver = small->solver;
    int n = small->motions[0].n, ld = m->s * n;
    trmi_solver_clear(solver);
    for (int j = 0; j < m->s; j++)
        for (int i = 0; i < m->s; i++)
            trmi_motions_right(&small->motions[j], 1, mix_powers(m, i, j),
                               solver->value + ld * n * j + n * i, ld);
    return solver->type->factor(solver);
}

void trmi_stacked_small_solve(trmi_stacked *m, double h, double *const *rhs)
{
    trmi_stacked_small *small = &m->small;
    const trmi_evaluator *e = m->saddle->e;
    int n = small->motions[0].n, n_w = small->motions[0].n_w;
    for (int i = 0; i < m->s; i++) {
        for (int r = 0; r < n_w; r++)
            small->w[r] = (r < e->n_q ? h * h : r < e->n_q + e->n_x ? h : 1) * rhs[i][r];
        trmi_motions_restrict(&small->motions[i], small->w, small->x + n * i);
    }
    small->solver->type->solve(small->solver, small->x, 1);
    for (int i = 0; i < m->s; i++) {
        trmi_motions_expand(&small->motions[i], small->x + n * i, rhs[i]);
        memset(rhs[i] + n_w, 0, (size_t)e->n_r * sizeof **rhs);
    }
}
