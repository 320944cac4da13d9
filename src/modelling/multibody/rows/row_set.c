// SPDX-License-Identifier: Apache-2.0
// Row sets: the quantities at one state.
#include "modelling/multibody/rows/formula_row.h"
#include "modelling/multibody/rows/turn_count.h"
#include "modelling/multibody/star/star.h"

#include <math.h>
#include <string.h>

// ---- markers ---------------------------------------------------------------------------------

static void set_axes(trmi_v3 axes[3], trmi_m3 R, trmi_m3 Q)
{
    for (int i = 0; i < 3; i++)
        axes[i] = trmi_m3_times(R, trmi_m3_column(Q, i));
}

// Points are differences from O of the trees: nothing is lost far away from the global origin.
static void find_geometry(trmi_set_state *x)
{
    const trmi_pair *pair = &x->set->pair;
    const trmi_kinematics *k = x->k;
    trmi_m3 R_A = trmi_pose_of(k, pair->A).R, R_B = trmi_pose_of(k, pair->B).R;
    trmi_v3 between = trmi_v3_sub(trmi_origin_of(k, pair->B), trmi_origin_of(k, pair->A));
    trmi_v3 on_A = trmi_v3_add(trmi_arm_of(k, pair->A), trmi_m3_times(R_A, pair->a));
    x->arm[1] = trmi_v3_add(trmi_arm_of(k, pair->B), trmi_m3_times(R_B, pair->b));
    x->arm[0] = trmi_v3_add(between, x->arm[1]);
    x->view.d = trmi_v3_sub(x->arm[0], on_A);
    x->view.size = pair->size;
    x->view.data = pair->data;
    x->view.memo = k->memo && pair->joint != TRMI_NOTHING ? k->memo[pair->joint] : NULL;
    set_axes(x->view.u, R_A, pair->Q_A);
    set_axes(x->view.w, R_B, pair->Q_B);
    x->v_A = trmi_motion_at(trmi_velocity_of(k, pair->A), x->arm[0]);
    x->v_B = trmi_motion_at(trmi_velocity_of(k, pair->B), x->arm[1]);
    x->xi = trmi_motion_sub(x->v_B, x->v_A);
    x->view.t = x->state->t;
    x->view.spin = x->xi.w;
}

static double own_value(const trmi_set_state *x, const double *q, const double *u)
{
    const trmi_column column = trmi_column_of(x->k->tree, x->set->own);
    return column.coordinate != TRMI_NOTHING ? q[column.coordinate] : u[column.drive];
}

static void evaluate_set(trmi_set_state *x, const trmi_row_set *set, const trmi_kinematics *k,
                         const trm_state *state, bool straight)
{
    x->set = set;
    x->k = k;
    x->state = state;
    if (set->own != TRMI_NOTHING) {
        x->value[0] = (trmi_row_value){.p = own_value(x, state->q, state->u)};
        return;
    }
    if (set->formula_row) {
        trmi_formula_row_at(x, straight);
        return;
    }
    x->view.straight = straight;
    find_geometry(x);
    if (set->row[0].type->evaluate_all) {
        set->row[0].type->evaluate_all(&x->view, x->value);
        return;
    }
    for (int r = 0; r < set->rows; r++) {
        const trmi_row *row = &set->row[r];
        const double *held = row->held == TRMI_NOTHING ? NULL : state->held + row->held;
        double expected;
        if (held && row->type->counts_turns) {
            expected = trmi_expected_angle(x, row->type, held);
            held = &expected;
        }
        x->view.held = held;
        x->value[r] = row->type->evaluate(row->type, &x->view);
    }
}

void trmi_set_at(trmi_set_state *x, const trmi_row_set *set, const trmi_kinematics *k,
                 const trm_state *state)
{
    evaluate_set(x, set, k, state, false);
}

void trmi_set_straight_at(trmi_set_state *x, const trmi_row_set *set, const trmi_kinematics *k,
                          const trm_state *state)
{
    evaluate_set(x, set, k, state, true);
}

static bool holds_values(const trmi_row_set *set)
{
    for (int r = 0; r < set->rows; r++)
        if (set->row[r].held != TRMI_NOTHING)
            return true;
    return false;
}

bool trmi_set_settle(const trmi_row_set *set, const trmi_kinematics *k, const trm_state *state,
                     double *held)
{
    trmi_set_state x;
    bool changed = false;
    if (set->formula_row)
        return trmi_formula_row_settle(set, k, state, held);
    if (!holds_values(set))
        return false;
    x.set = set;
    x.k = k;
    x.state = state;
    x.view.straight = false;
    find_geometry(&x);
    for (int r = 0; r < set->rows; r++) {
        const trmi_row *row = &set->row[r];
        if (row->held == TRMI_NOTHING)
            continue;
        double before[TRMI_MAX_HELD], *now = held + row->held;
        size_t size = (size_t)row->type->held * sizeof *held;
        memcpy(before, now, size);
        if (row->type->counts_turns) {
            trmi_count_turns(&x, row->type, now);
        } else {
            x.view.held = before;
            row->type->hold(row->type, &x.view, now);
        }
        changed |= memcmp(before, now, size) != 0;
    }
    return changed;
}

// ---- one row ---------------------------------------------------------------------------------

// the motion whose power is the rate of a row
static trmi_motion moves(const trmi_set_state *x, int row)
{
    return x->set->row[row].type->absolute ? x->v_B : x->xi;
}

double trmi_set_rate(const trmi_set_state *x, int row)
{
    if (x->set->own != TRMI_NOTHING)
        return own_value(x, x->state->v, x->state->u + x->k->tree->n_u);
    if (x->set->formula_row)
        return trmi_formula_row_rate(x);
    return trmi_power(moves(x, row), x->value[row].gamma);
}

double trmi_set_bias(const trmi_set_state *x, int row)
{
    const trmi_row_set *set = x->set;
    if (set->own != TRMI_NOTHING) {
        const trmi_column c = trmi_column_of(x->k->tree, set->own);
        return c.coordinate == TRMI_NOTHING ? x->state->u[2 * x->k->tree->n_u + c.drive] : 0;
    }
    if (set->formula_row)
        return trmi_formula_row_second(x, false);
    const trmi_row_value *value = &x->value[row];
    trmi_motion a_A = trmi_motion_at(trmi_acceleration_of(x->k, set->pair.A), x->arm[0]);
    trmi_motion a_B = trmi_motion_at(trmi_acceleration_of(x->k, set->pair.B), x->arm[1]);
    trmi_motion a = trmi_motion_sub(trmi_motion_sub(a_B, a_A), trmi_motion_cross(x->v_A, x->v_B));
    return trmi_power(a, value->gamma) + trmi_power(x->xi, trmi_m6_times(&value->H, x->xi));
}

// what the bias is with the accelerations of the state in place of zero
double trmi_set_second(const trmi_set_state *x, int row)
{
    if (x->set->formula_row)
        return trmi_formula_row_second(x, true);
    const trmi_column *own = x->set->own == TRMI_NOTHING ? NULL : &x->k->tree->column[x->set->own];
    return own && own->coordinate != TRMI_NOTHING ? x->state->a[own->coordinate]
                                                  : trmi_set_bias(x, row);
}

// a wrench at P as seen from O of the tree on side B or A
static trmi_wrench at_origin(const trmi_set_state *x, trmi_wrench f, bool on_b)
{
    return trmi_wrench_at(f, trmi_v3_scale(-1, x->arm[on_b]));
}

void trmi_set_gradient(const trmi_set_state *x, int row, double *G)
{
    const trmi_row_set *set = x->set;
    if (set->own != TRMI_NOTHING) {
        G[0] = 1;
        return;
    }
    if (set->formula_row) {
        trmi_formula_row_gradient(x, G);
        return;
    }
    trmi_wrench on_b = at_origin(x, x->value[row].gamma, true);
    trmi_wrench on_a = at_origin(x, x->value[row].gamma, false);
    for (int j = 0; j < set->columns_b; j++)
        G[j] = trmi_power(x->k->s[set->column[j]], on_b);
    for (int j = set->columns_b; j < set->columns; j++)
        G[j] = set->row[row].type->absolute ? 0 : -trmi_power(x->k->s[set->column[j]], on_a);
}

void trmi_set_velocity_q(const trmi_set_state *x, int row, double *out)
{
    const trmi_row_set *set = x->set;
    if (set->own != TRMI_NOTHING) {
        out[0] = 0;
        return;
    }
    if (set->formula_row) {
        trmi_formula_row_velocity_q(x, out);
        return;
    }
    const trmi_row_value *value = &x->value[row];
    bool absolute = set->row[row].type->absolute;
    trmi_wrench y = trmi_wrench_axpy(trmi_m6_tr_times(&value->H, moves(x, row)), 1,
                                     trmi_wrench_cross(x->v_B, value->gamma));
    for (int side = 0; side < 2; side++) {
        int begin = side == 0 ? 0 : set->columns_b, end = side == 0 ? set->columns_b : set->columns;
        trmi_wrench y_O = at_origin(x, y, side == 0);
        trmi_wrench gamma = at_origin(x, value->gamma, side == 0);
        for (int j = begin; j < end; j++) {
            double sum = trmi_power(x->k->s[set->column[j]], y_O);
            if (side == 0 || !absolute)
                sum += trmi_power(x->k->sdot[set->column[j]], gamma);
            out[j] = side == 0 ? sum : -sum;
        }
    }
}

// ---- all rows --------------------------------------------------------------------------------

trmi_wrench trmi_set_wrench(const trmi_set_state *x, const double *lambda)
{
    trmi_wrench sum = {{0, 0, 0}, {0, 0, 0}};
    for (int r = 0; r < x->set->rows; r++)
        sum = trmi_wrench_axpy(sum, lambda[r], x->value[r].gamma);
    return sum;
}

// those of the rows whose reaction A gets
static void keep_relative(const trmi_row_set *set, const double *lambda, double *relative)
{
    for (int r = 0; r < set->rows; r++)
        relative[r] = set->row[r].type->absolute ? 0 : lambda[r];
}

void trmi_set_load(const trmi_set_state *x, const double *lambda, trmi_wrench *on_body,
                   double *on_column)
{
    const trmi_row_set *set = x->set;
    if (set->own != TRMI_NOTHING) {
        on_column[set->own] -= lambda[0];
        return;
    }
    if (set->formula_row) {
        trmi_formula_row_load(x, lambda[0], on_body, on_column);
        return;
    }
    trmi_wrench sum = trmi_set_wrench(x, lambda);
    trmi_wrench *on_A = &on_body[set->pair.A], *on_B = &on_body[set->pair.B];
    *on_B = trmi_wrench_axpy(*on_B, -1, at_origin(x, sum, true));
    if (set->absolute) {
        double relative[TRMI_MAX_ROWS];
        keep_relative(set, lambda, relative);
        sum = trmi_set_wrench(x, relative);
    }
    *on_A = trmi_wrench_axpy(*on_A, 1, at_origin(x, sum, false));
}

// the chart's own matrix, where two columns of one chart meet
static void add_charts(const trmi_set_state *x, trmi_wrench gamma, int begin, int end, double sign,
                       double *block)
{
    const trmi_row_set *set = x->set;
    trmi_wrench f = at_origin(x, gamma, sign > 0);
    for (int j = begin; j < end; j++) {
        if (trmi_chart_of(x->k->tree, set->column[j]) != set->column[j])
            continue;
        trmi_m3 X = trmi_kinematics_chart_matrix(x->k, set->column[j], f);
        for (int i = 0; i < 3; i++) {
            double *row = block + (j + i) * set->columns + j;
            row[0] += sign * X.row[i].x;
            row[1] += sign * X.row[i].y;
            row[2] += sign * X.row[i].z;
        }
    }
}

// A wrench of column j: component by component, so that compilers take several columns at once.
static void put_wrench(double *out, int n, int j, trmi_wrench w)
{
    const double part[6] = {w.n.x, w.n.y, w.n.z, w.f.x, w.f.y, w.f.z};
    for (int c = 0; c < 6; c++)
        out[c * n + j] = part[c];
}

// out_j = sign s.w_j for the columns from the first on, up to the last one
static void multiply(trmi_motion s, double sign, const double *restrict w, int n, int first,
                     int last, double *restrict out)
{
    const trmi_v3 a = trmi_v3_scale(sign, s.w), b = trmi_v3_scale(sign, s.v);
    for (int j = first; j < last; j++)
        out[j] = (a.x * w[j] + a.y * w[n + j] + a.z * w[2 * n + j]) +
                 (b.x * w[3 * n + j] + b.y * w[4 * n + j] + b.z * w[5 * n + j]);
}

// A row of the block. With `turned` H s_j and `moved` H s_j - s_j x* gamma an entry is one product,
// since gamma.(s_j x s_i) = -s_i.(s_j x* gamma):
//
//     BB: s_i.moved for j before i on the branch, outside a common chart, s_i.turned otherwise
//     BA: -s_i.moved      AB: -s_i.turned      AA: as BB, the other way round
static void fill_row(const trmi_set_state *x, const trmi_row_workspace *work, int i, double *row)
{
    const trmi_tree *tree = x->k->tree;
    const int b = x->set->columns_b, n = x->set->columns, *column = x->set->column;
    const int chart = trmi_chart_of(tree, column[i]), begin = i < b ? 0 : b;
    int before = i; // columns of the branch up to there come before i
    while (chart != TRMI_NOTHING && before > begin &&
           trmi_chart_of(tree, column[before - 1]) == chart)
        before--;
    const trmi_motion s = work->s[i];
    if (i < b) {
        multiply(s, 1, work->moved, n, 0, before, row);
        multiply(s, 1, work->turned, n, before, b, row);
        multiply(s, -1, work->moved, n, b, n, row);
    } else {
        multiply(s, -1, work->turned, n, 0, b, row);
        multiply(s, 1, work->turned, n, b, before, row);
        multiply(s, 1, work->moved, n, before, n, row);
    }
}

// rows from the first on, up to the last one
static void fill_geometric(const trmi_set_state *x, const double *lambda, trmi_row_workspace *work,
                           int first, int last, double *block)
{
    const trmi_row_set *set = x->set;
    int n = set->columns;
    trmi_wrench gamma = trmi_set_wrench(x, lambda);
    trmi_m6 H = {.aa = {.row = {{0, 0, 0}}}};
    for (int r = 0; r < set->rows; r++)
        trmi_m6_add(&H, lambda[r], &x->value[r].H);
    for (int j = 0; j < n; j++) {
        work->s[j] = trmi_motion_at(x->k->s[set->column[j]], x->arm[j < set->columns_b]);
        trmi_wrench turned = trmi_m6_times(&H, work->s[j]);
        put_wrench(work->turned, n, j, turned);
        put_wrench(work->moved, n, j,
                   trmi_wrench_axpy(turned, -1, trmi_wrench_cross(work->s[j], gamma)));
    }
    for (int i = first; i < last; i++)
        fill_row(x, work, i, block + i * n);
    if (first == 0)
        add_charts(x, gamma, 0, set->columns_b, 1, block);
    if (last == n)
        add_charts(x, gamma, set->columns_b, n, -1, block);
}

void trmi_set_geometric(const trmi_set_state *x, const double *lambda, trmi_row_workspace *work,
                        double *block)
{
    const trmi_row_set *set = x->set;
    if (set->own != TRMI_NOTHING) {
        block[0] = 0;
    } else if (set->formula_row) {
        trmi_formula_row_geometric(x, lambda[0], work, block);
    } else if (!set->absolute || set->columns_b == set->columns) {
        fill_geometric(x, lambda, work, 0, set->columns, block);
    } else {
        double relative[TRMI_MAX_ROWS];
        keep_relative(set, lambda, relative);
        fill_geometric(x, lambda, work, 0, set->columns_b, block);
        fill_geometric(x, relative, work, set->columns_b, set->columns, block);
    }
}
