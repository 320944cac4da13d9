// SPDX-License-Identifier: Apache-2.0
// One row between two bodies of a random tree or star: G, (Gv)_q, bias and (G^T lambda)_q against
// differences, and the identity of holonomic rows. Whoever adds a row calls check_row.
#ifndef TRMI_TESTS_ROWS_H
#define TRMI_TESTS_ROWS_H

#include "machines.h"

enum { COLUMNS = 24 };

// one set with one row, and what it gives
typedef struct probe {
    machine *m;
    trmi_row_set set;
    trmi_row_workspace workspace;
    double G[COLUMNS], Gv[COLUMNS], block[COLUMNS * COLUMNS];
    double p, rate, bias;
} probe;

static inline void start_probe(probe *x, machine *m, const trmi_row_type *type, int a, int b)
{
    const int body[2] = {a, b};
    x->m = m;
    x->set =
        (trmi_row_set){.pair = trmi_pair_at(&m->mechanism, body, noise_vector(m), noise_vector(m),
                                            noise_frame(m), noise_frame(m), 0.4)};
    trmi_set_add(&x->set, type, &m->n_held);
    assert_true(trmi_set_finish(&x->set, &m->memory, m->tree));
    assert_in_range(x->set.columns, 1, COLUMNS);
    assert_true(trmi_row_workspace_create(&x->workspace, &m->memory, x->set.columns));
}

static inline void look_at(probe *x)
{
    const double lambda = 0.8;
    trmi_set_state state;
    move_machine(x->m);
    trmi_set_at(&state, &x->set, &x->m->k, &x->m->state);
    x->p = state.value[0].p;
    x->rate = trmi_set_rate(&state, 0);
    x->bias = trmi_set_bias(&state, 0);
    trmi_set_gradient(&state, 0, x->G);
    trmi_set_velocity_q(&state, 0, x->Gv);
    trmi_set_geometric(&state, &lambda, &x->workspace, x->block);
}

static inline int coordinate_of(const probe *x, int j)
{
    return trmi_column_of(x->m->tree, x->set.column[j]).coordinate;
}

// The slopes of p, rate and G along one value, by differences of fourth order with h = 3e-4: their
// error is h^4/30 = 3e-16 times fifth derivatives, which reach 1e6 near singular places here, and
// rounding 1e-12.
static const double increment = 3e-4;

static inline void assert_slope(double x, double slope)
{
    assert_near(x, slope, 1e-7 * (1 + fabs(x)));
}

static inline void slopes(probe *x, double *value, probe *out)
{
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    double kept = *value;
    *out = *x;
    out->p = out->rate = 0;
    memset(out->G, 0, sizeof out->G);
    for (int i = 0; i < 4; i++) {
        double factor = weight[i] / (12 * increment);
        probe there = *x;
        *value = kept + at[i] * increment;
        look_at(&there);
        out->p += factor * there.p;
        out->rate += factor * there.rate;
        for (int j = 0; j < x->set.columns; j++)
            out->G[j] += factor * there.G[j];
    }
    *value = kept;
}

static inline void check_column(probe *x, const trmi_row_type *type, int j)
{
    probe slope;
    int n = x->set.columns;
    slopes(x, &x->m->q[coordinate_of(x, j)], &slope);
    if (!type->velocity)
        assert_slope(x->G[j], slope.p);
    assert_slope(x->Gv[j], slope.rate);
    for (int i = 0; i < n; i++) {
        assert_slope(x->block[i * n + j], 0.8 * slope.G[i]);
        if (!trmi_set_bends(&x->set, x->m->tree, i, j))
            assert_near(x->block[i * n + j], 0, 1e-14); // rounding of sums of size 1
    }
    if (!trmi_set_touches(&x->set, 0, x->m->tree, j)) {
        assert_near(x->G[j], 0, 1e-14); // rounding of sums of size 1
        assert_near(x->Gv[j], 0, 1e-14);
    }
    slopes(x, &x->m->v[coordinate_of(x, j)], &slope);
    assert_slope(x->G[j], slope.rate);
}

// without driven columns the bias is (Gv)_q v
static inline void check_bias(const probe *x)
{
    double sum = 0;
    for (int j = 0; j < x->set.columns; j++)
        sum += x->Gv[j] * x->m->v[coordinate_of(x, j)];
    assert_near(x->bias, sum, 1e-12); // rounding of some 100 products of size 1
}

// s_i.(H - H^T) s_j = gamma.(s_i x s_j) on random motions
static inline void check_identity(probe *x)
{
    trmi_set_state state;
    move_machine(x->m);
    trmi_set_at(&state, &x->set, &x->m->k, &x->m->state);
    for (int i = 0; i < 10; i++) {
        trmi_motion a = {noise_vector(x->m), noise_vector(x->m)};
        trmi_motion b = {noise_vector(x->m), noise_vector(x->m)};
        const trmi_row_value *row = &state.value[0];
        double ab = trmi_power(a, trmi_m6_times(&row->H, b));
        double ba = trmi_power(b, trmi_m6_times(&row->H, a));
        // rounding of sums of 36 products
        assert_near(ab - ba, trmi_power(trmi_motion_cross(a, b), row->gamma),
                    1e-14 * (1 + fabs(ab) + fabs(ba)));
    }
}

// type between random markers of bodies a and b
static inline void check_row(const trmi_row_type *type, int a, int b, bool star, uint32_t seed)
{
    machine m;
    probe x;
    start_machine(&m, seed);
    finish_machine(&m, star);
    start_probe(&x, &m, type, a, b);
    look_at(&x);
    for (int j = 0; j < x.set.columns; j++)
        check_column(&x, type, j);
    check_bias(&x);
    if (!type->velocity)
        check_identity(&x);
    end_machine(&m);
}

#endif
