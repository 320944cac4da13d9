// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/rows/formula_row.h"
#include "modelling/multibody/rows/relation.h"
#include "modelling/multibody/slots.h"

// ---- creation --------------------------------------------------------------------------------

// where a column is among those so far, a new one if need be
static int place_column(int *list, int *count, int column)
{
    for (int j = 0; j < *count; j++)
        if (list[j] == column)
            return j;
    list[*count] = column;
    return (*count)++;
}

bool trmi_formula_row_create(trmi_row_set *whole, trmi_memory *memory,
                             const trmi_mechanism *mechanism, const trmi_tree *tree,
                             const trmi_relation *relation, int number, int *n_held)
{
    trmi_formula_row *c;
    trmi_row_set *set;
    int columns = 0, *place, *list;
    *whole = (trmi_row_set){.rows = 1, .own = TRMI_NOTHING, .shape = TRMI_ROW_GENERAL};
    whole->row[0].held = TRMI_NOTHING;
    if (!TRMI_TAKE(memory, c, 1) || !TRMI_TAKE(memory, set, relation->signals))
        return false;
    for (int i = 0; i < relation->signals; i++) {
        if (!trmi_signal_set(&set[i], memory, mechanism, tree, &relation->signal[i], n_held))
            return false;
        columns += set[i].columns;
    }
    if (!TRMI_TAKE(memory, place, columns) || !TRMI_TAKE(memory, list, columns))
        return false;
    *c = (trmi_formula_row){relation, set, place, number};
    for (int i = 0; i < relation->signals; i++)
        for (int j = 0; j < set[i].columns; j++)
            *place++ = place_column(list, &whole->columns, set[i].column[j]);
    whole->columns_b = whole->columns;
    whole->column = list;
    whole->formula_row = c;
    return true;
}

bool trmi_formula_row_work_create(trmi_kinematics *k, trmi_memory *memory, const trmi_mechanism *m,
                                  const trmi_row_set *whole, int formula_rows)
{
    const trmi_formula_row *c = whole->formula_row;
    const int n = c->relation->signals, columns = whole->columns;
    trmi_relation_work *work;
    if (!k->formula_row && !TRMI_TAKE(memory, k->formula_row, formula_rows))
        return false;
    if (!TRMI_TAKE(memory, work, 1) ||
        !TRMI_TAKE(memory, work->reg,
                   c->relation->first + trmi_tape_registers(c->relation->tape)) ||
        !TRMI_TAKE(memory, work->set, n) || !TRMI_TAKE(memory, work->first, 2 + n) ||
        !TRMI_TAKE(memory, work->second, 1 + n + n * n) ||
        !TRMI_TAKE(memory, work->gradient, (n + columns) * columns))
        return false;
    work->columns = columns;
    k->formula_row[c->number] = work;
    trmi_formula_row_set_parameters(k, m, whole, NULL);
    return true;
}

void trmi_formula_row_set_parameters(const trmi_kinematics *k, const trmi_mechanism *m,
                                     const trmi_row_set *set, const double *parameters)
{
    const trmi_formula_row *c = set->formula_row;
    trmi_relation_set(c->relation, k->formula_row[c->number], m, parameters);
}

// ---- evaluation ------------------------------------------------------------------------------

static trmi_relation_work *work_of(const trmi_set_state *x)
{
    return x->k->formula_row[x->set->formula_row->number];
}

void trmi_formula_row_at(trmi_set_state *x, bool straight)
{
    const trmi_formula_row *c = x->set->formula_row;
    trmi_relation_work *work = work_of(x);
    trmi_relation_at(c->relation, work, c->set, x->k, x->state, !straight);
    x->value[0] = (trmi_row_value){.p = work->first[0]};
}

double trmi_formula_row_time_rate(const trmi_set_state *x)
{
    return work_of(x)->first[1];
}

double trmi_formula_row_rate(const trmi_set_state *x)
{
    const trmi_relation_work *work = work_of(x);
    double rate = work->first[1];
    for (int i = 0; i < x->set->formula_row->relation->signals; i++)
        rate += work->first[2 + i] * trmi_set_rate(&work->set[i], 0);
    return rate;
}

double trmi_formula_row_second(const trmi_set_state *x, bool own)
{
    const trmi_relation *relation = x->set->formula_row->relation;
    const trmi_relation_work *work = work_of(x);
    double second = trmi_relation_bias(relation, work);
    for (int i = 0; i < relation->signals; i++)
        second += work->first[2 + i] *
                  (own ? trmi_set_second(&work->set[i], 0) : trmi_set_bias(&work->set[i], 0));
    return second;
}

void trmi_formula_row_gradient(const trmi_set_state *x, double *G)
{
    const trmi_formula_row *c = x->set->formula_row;
    const trmi_relation_work *work = work_of(x);
    const int *place = c->place;
    trmi_clear(G, x->set->columns);
    for (int i = 0; i < c->relation->signals; i++) {
        trmi_set_gradient(&work->set[i], 0, work->gradient);
        for (int j = 0; j < c->set[i].columns; j++)
            G[*place++] += work->first[2 + i] * work->gradient[j];
    }
}

void trmi_formula_row_velocity_q(const trmi_set_state *x, double *out)
{
    const trmi_formula_row *c = x->set->formula_row;
    const trmi_relation_work *work = work_of(x);
    double *G = work->gradient, *Gv = G + work->columns;
    const int *place = c->place;
    trmi_clear(out, x->set->columns);
    for (int i = 0; i < c->relation->signals; i++) {
        double turning = trmi_relation_turning(c->relation, work, i);
        trmi_set_gradient(&work->set[i], 0, G);
        trmi_set_velocity_q(&work->set[i], 0, Gv);
        for (int j = 0; j < c->set[i].columns; j++)
            out[*place++] += work->first[2 + i] * Gv[j] + turning * G[j];
    }
}

// lambda f_i (G_i^T)_q
static void add_bent(const trmi_set_state *x, double lambda, trmi_row_workspace *workspace,
                     double *block)
{
    const trmi_formula_row *c = x->set->formula_row;
    const trmi_relation_work *work = work_of(x);
    const int n = x->set->columns, *place = c->place;
    double *own = work->gradient;
    for (int i = 0; i < c->relation->signals; i++) {
        int columns = c->set[i].columns;
        double share = lambda * work->first[2 + i];
        trmi_set_geometric(&work->set[i], &share, workspace, own);
        for (int a = 0; a < columns; a++)
            for (int b = 0; b < columns; b++)
                block[place[a] * n + place[b]] += own[a * columns + b];
        place += columns;
    }
}

// lambda f_ij G_i^T G_j
static void add_products(const trmi_set_state *x, double lambda, double *block)
{
    const trmi_formula_row *c = x->set->formula_row;
    const trmi_relation_work *work = work_of(x);
    const int n = x->set->columns, signals = c->relation->signals, *place_i = c->place;
    for (int i = 0; i < signals; i++)
        trmi_set_gradient(&work->set[i], 0, work->gradient + i * n);
    for (int i = 0; i < signals; place_i += c->set[i++].columns) {
        const int *place_j = c->place;
        for (int j = 0; j < signals; place_j += c->set[j++].columns) {
            double f = lambda * work->second[1 + signals + i * signals + j];
            for (int a = 0; a < c->set[i].columns; a++)
                for (int b = 0; b < c->set[j].columns; b++)
                    block[place_i[a] * n + place_j[b]] +=
                        f * work->gradient[i * n + a] * work->gradient[j * n + b];
        }
    }
}

void trmi_formula_row_geometric(const trmi_set_state *x, double lambda,
                                trmi_row_workspace *workspace, double *block)
{
    trmi_clear(block, x->set->columns * x->set->columns);
    add_bent(x, lambda, workspace, block);
    add_products(x, lambda, block);
}

void trmi_formula_row_load(const trmi_set_state *x, double lambda, trmi_wrench *on_body,
                           double *on_column)
{
    const trmi_relation_work *work = work_of(x);
    for (int i = 0; i < x->set->formula_row->relation->signals; i++) {
        double share = lambda * work->first[2 + i];
        trmi_set_load(&work->set[i], &share, on_body, on_column);
    }
}

bool trmi_formula_row_settle(const trmi_row_set *set, const trmi_kinematics *k,
                             const trm_state *state, double *held)
{
    bool changed = false;
    for (int i = 0; i < set->formula_row->relation->signals; i++)
        if (trmi_set_settle(&set->formula_row->set[i], k, state, held))
            changed = true;
    return changed;
}
