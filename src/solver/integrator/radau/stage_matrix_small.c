// SPDX-License-Identifier: Apache-2.0
// The stacked matrix on the motions that the constraints of each stage leave: with N_i of stage i
// the blocks are
//
//     N_i^T (sum_k h^-k S_k^(i) (Gamma^p)_ij) N_j
//
// and the order is s (n_q - n_r + n_x + n_z).
#include "solver/integrator/radau/stage_matrix.h"

#include <string.h>

// the entries of part k within (q, x, z): those of G and G^T have done their work in N
static bool take_entries(trmi_stacked *m, trmi_memory *memory, int k)
{
    trmi_stacked_small *small = &m->small;
    int n_w = small->motions[0].n_w;
    if (!TRMI_TAKE(memory, small->entry[k], m->count[k]))
        return false;
    for (int l = 0; l < m->count[k]; l++)
        if (m->entry[k][l].row < n_w && m->entry[k][l].column < n_w)
            small->entry[k][small->count[k]++] = m->entry[k][l];
    return true;
}

static void repeat_rows(trmi_stacked *m, int p)
{
    int n = m->small.motions[0].n, rows = m->s * n;
    for (int j = 0; j < m->s; j++)
        for (int r = 0; r < rows; r++)
            m->small.power[p][rows * j + r] = m->gamma[p][r / n][j];
}

bool trmi_stacked_small_create(trmi_stacked *m, trmi_memory *memory)
{
    trmi_stacked_small *small = &m->small;
    bool good = true;
    for (int i = 0; i < m->s && good; i++)
        good = trmi_motions_create(&small->motions[i], memory, m->saddle);
    for (int k = 0; k < TRMI_STACK_PARTS && good; k++)
        good = take_entries(m, memory, k);
    if (!good)
        return false;
    int rows = m->s * small->motions[0].n, n_w = small->motions[0].n_w;
    const trmi_structure structure = {.n = rows};
    small->solver = trmi_dense_create(memory, &structure);
    good = small->solver && TRMI_TAKE(memory, small->x, rows) &&
           TRMI_TAKE(memory, small->mixed, rows * n_w) && TRMI_TAKE(memory, small->w, n_w);
    for (int p = 0; p < TRMI_STACK_POWERS && good; p++) {
        good = TRMI_TAKE(memory, small->left[p], rows * n_w) &&
               TRMI_TAKE(memory, small->power[p], rows * m->s);
        if (good)
            repeat_rows(m, p);
    }
    small->exists = good;
    return good;
}

void trmi_stacked_small_clear(trmi_stacked *m)
{
    int size = m->s * m->small.motions[0].n * m->small.motions[0].n_w;
    for (int p = 0; p < TRMI_STACK_POWERS; p++)
        memset(m->small.left[p], 0, (size_t)size * sizeof(double));
}

// the entries of a part, in m->part, enter N_i^T S by their power of Gamma
static void add_part(trmi_stacked *m, int k, int i, double factor)
{
    trmi_stacked_small *small = &m->small;
    const trmi_motions *motions = &small->motions[i];
    int n = motions->n, rows = m->s * n;
    for (int l = 0; l < small->count[k]; l++) {
        const trmi_stack_entry *entry = &small->entry[k][l];
        double number = factor * m->part[entry->source];
        if (number != 0)
            trmi_motions_add_row(motions, entry->row, number,
                                 small->left[entry->power] + rows * entry->column + n * i);
    }
}

bool trmi_stacked_small_add(trmi_stacked *m, int i, double h)
{
    const double scale[] = {h * h, h, 1, 1 / h, 1 / (h * h)};
    const int middle = TRMI_STACK_PARTS / 2; // the part with G
    trmi_saddle_part(m->saddle, 0, m->part);
    if (!trmi_motions_split(&m->small.motions[i], m->part))
        return false;
    add_part(m, middle, i, 1);
    for (int k = 0; k < TRMI_STACK_PARTS; k++)
        if (m->small.count[k] > 0 && k != middle) {
            trmi_saddle_part(m->saddle, k - middle, m->part);
            add_part(m, k, i, scale[k]);
        }
    return true;
}

// mixed = sum_p (Gamma^p)_ij N_i^T (entries of power p), all stages i
static void mix_powers(trmi_stacked *m, int j)
{
    trmi_stacked_small *small = &m->small;
    int n = small->motions[0].n, rows = m->s * n;
    const double *one = small->power[1] + rows * j, *two = small->power[2] + rows * j;
    for (int w = 0; w < small->motions[0].n_w; w++) {
        const double *zeroth = small->left[0] + rows * w + n * j,
                     *first = small->left[1] + rows * w;
        const double *second = small->left[2] + rows * w;
        double *restrict mixed = small->mixed + rows * w;
        for (int r = 0; r < rows; r++)
            mixed[r] = one[r] * first[r] + two[r] * second[r];
        for (int r = 0; r < n; r++)
            mixed[n * j + r] += zeroth[r];
    }
}

trmi_factor_status trmi_stacked_small_factor(trmi_stacked *m)
{
    trmi_stacked_small *small = &m->small;
    trmi_solver *solver = small->solver;
    int n = small->motions[0].n, rows = m->s * n;
    trmi_solver_clear(solver);
    for (int j = 0; j < m->s; j++) {
        mix_powers(m, j);
        trmi_motions_right(&small->motions[j], small->mixed, rows, solver->value + rows * n * j);
    }
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
