// SPDX-License-Identifier: Apache-2.0
// The Newton step of the coordinate split in four ways that must agree, on random matrices. With
// A = cj I + (G^T s1)_q, K = (M v' - f)_q + (G^T s2)_q, D = cj M - f_v, H = (G v)_q and the
// multipliers s_i = -(GY)^-T Y^T r_i:
//
//     full         P (A dq - dv) = -P r1,  P (K dq + D dv) = -P r2,  H dq + G dv = -G v,  G dq = -g
//     range space  [ K + D A   D G^T   G^T ] [dq ]   [ -(r2 + D r1) ]
//                  [ H + G A   G G^T   0   ] [nu1] = [ -G (v + r1)  ],  dv = A dq + r1 + G^T nu1
//                  [ G         0       0   ] [nu2]   [ -g           ]
//     null space and saddle point of formulation/coupled.h
//
// The first two are assembled here.
#include "base/lapack.h"
#include "solver/integrator/classic/coupled.h"
#include "verify.h"

enum { N = 9, M = 4, ORDER = 2 * N }; // largest n, m and order of a matrix here

static const double cj = 30.0;

// Everything random; matrices column by column with n rows, G and H with m rows.
typedef struct data {
    int n, m;
    double mass[N * N], stiffness[N * N], damping[N * N];
    double geometric[M][N * N]; // (G^T lambda)_q = sum of lambda_i geometric[i]
    double G[M * N], H[M * N];
    double r1[N], r2[N], rate[M], g[M]; // residuals: q' - v, M v' - f, G v, g
} data;

static void fill(double *x, int count, uint64_t *seed)
{
    for (int i = 0; i < count; i++)
        x[i] = verify_noise(seed);
}

static data random_data(int n, int m, uint64_t seed)
{
    data d = {.n = n, .m = m};
    fill(d.mass, n * n, &seed);
    for (int i = 0; i < n; i++)
        d.mass[i + n * i] += n; // regular
    fill(d.stiffness, n * n, &seed);
    fill(d.damping, n * n, &seed);
    for (int i = 0; i < m; i++)
        fill(d.geometric[i], n * n, &seed);
    fill(d.G, m * n, &seed);
    fill(d.H, m * n, &seed);
    fill(d.r1, n, &seed);
    fill(d.r2, n, &seed);
    fill(d.rate, m, &seed);
    fill(d.g, m, &seed);
    return d;
}

// ---- the data as a system ----

static int evaluate(const trm_state *state, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    const data *d = user;
    const size_t square = (size_t)(d->n * d->n) * sizeof(double);
    const size_t wide = (size_t)(d->m * d->n) * sizeof(double);
    const struct {
        trm_quantity quantity;
        const double *value;
        size_t size;
    } given[] = {{TRM_QUANTITY_MASS, d->mass, square},
                 {TRM_QUANTITY_STIFFNESS, d->stiffness, square},
                 {TRM_QUANTITY_DAMPING, d->damping, square},
                 {TRM_QUANTITY_CONSTRAINT_Q, d->G, wide},
                 {TRM_QUANTITY_VELOCITY_Q, d->H, wide}};
    for (int k = 0; k < 5; k++)
        if (want[given[k].quantity])
            memcpy(want[given[k].quantity], given[k].value, given[k].size);
    if (want[TRM_QUANTITY_FORCE])
        memset(want[TRM_QUANTITY_FORCE], 0, (size_t)d->n * sizeof(double));
    if (want[TRM_QUANTITY_CONSTRAINT])
        memset(want[TRM_QUANTITY_CONSTRAINT], 0, (size_t)d->m * sizeof(double));
    for (int k = 0; want[TRM_QUANTITY_GEOMETRIC] && k < d->n * d->n; k++) {
        want[TRM_QUANTITY_GEOMETRIC][k] = 0.0;
        for (int i = 0; i < d->m; i++)
            want[TRM_QUANTITY_GEOMETRIC][k] += state->lambda[i] * d->geometric[i][k];
    }
    return 0;
}

static const uint64_t quantities = TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(STIFFNESS) |
                                   TRM_BIT(DAMPING) | TRM_BIT(CONSTRAINT) | TRM_BIT(CONSTRAINT_Q) |
                                   TRM_BIT(VELOCITY_Q) | TRM_BIT(GEOMETRIC);

// A step: dq, dv, and the multipliers it started from.
typedef struct step {
    double dq[N], dv[N], s1[M], s2[M];
} step;

// A step by coupled.h, as the integrator takes it. shifted: the residuals come with the constraint
// forces added, r_i + G^T s_i; P does not see them.
static step library_step(data *d, trmi_coupled_form form, bool shifted)
{
    const int n = d->n, m = d->m;
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trm_system system = {.name = "random",
                         .n_q = n,
                         .n_g = m,
                         .evaluate = evaluate,
                         .evaluates = quantities,
                         .user = d};
    trm_statistics statistics = {0};
    trm_initial initial = {0};
    trmi_evaluator e;
    trmi_values values;
    trmi_point point = {0};
    assert_int_equal(trmi_evaluator_create(&e, &values, &memory, &system, quantities, &initial,
                                           &statistics, NULL),
                     TRM_OK);
    assert_true(trmi_point_create(&point, &memory, &e));
    form.splits = true;
    trmi_coupled *c = trmi_coupled_create(&memory, &values, form);
    assert_non_null(c);
    assert_int_equal(trmi_evaluate(&e, &point, quantities, &values), 0);
    assert_true(trmi_coupled_split(c, true));

    step s;
    double of_mu[N * N], y[2 * (N + M)];
    const trmi_coupled_rows r = trmi_coupled_rows_of(&e, y);
    trmi_coupled_multipliers(c, d->r1, s.s1);
    trmi_coupled_multipliers(c, d->r2, s.s2);
    memcpy(point.lambda, s.s1, (size_t)m * sizeof(double));
    assert_int_equal(trmi_evaluate(&e, &point, TRM_BIT(GEOMETRIC), &values), 0);
    memcpy(of_mu, values.of[TRM_QUANTITY_GEOMETRIC], (size_t)(n * n) * sizeof(double));
    memcpy(point.lambda, s.s2, (size_t)m * sizeof(double));
    assert_int_equal(trmi_evaluate(&e, &point, TRM_BIT(GEOMETRIC), &values), 0);
    assert_int_equal(trmi_coupled_factor(c, (trmi_leading){cj, cj}, true, of_mu), TRMI_FACTOR_OK);

    memcpy(r.q, d->r1, (size_t)n * sizeof(double));
    memcpy(r.v, d->r2, (size_t)n * sizeof(double));
    memcpy(r.velocity, d->rate, (size_t)m * sizeof(double));
    memcpy(r.position, d->g, (size_t)m * sizeof(double));
    if (shifted) {
        trmi_add_constraint_force(&values, s.s1, 1.0, r.q);
        trmi_add_constraint_force(&values, s.s2, 1.0, r.v);
    }
    trmi_coupled_solve(c, y);
    const trmi_coupled_unknowns x = trmi_coupled_unknowns_of(&e, y);
    for (int i = 0; i < n; i++) { // corrections are to be subtracted
        s.dq[i] = -x.q[i];
        s.dv[i] = -x.v[i];
    }
    trmi_coupled_destroy(c);
    trmi_memory_release_all(&memory);
    return s;
}

// ---- dense algebra ----

// C (rows x columns) += scale op(A) B, A with a_rows rows, B with `inner` rows
static void add_product(double *C, int rows, int columns, const double *A, int a_rows,
                        bool transposed, const double *B, int inner, double scale)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < inner; k++)
                C[i + rows * j] +=
                    scale * (transposed ? A[k + a_rows * i] : A[i + a_rows * k]) * B[k + inner * j];
}

// puts block (rows x columns), times scale, or its transpose, into a matrix of the given order
static void place(double *matrix, int order, int row, int column, const double *block, int rows,
                  int columns, double scale, bool transposed)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            matrix[transposed ? row + j + order * (column + i) : row + i + order * (column + j)] +=
                scale * block[i + rows * j];
}

static void solve(double *matrix, int order, double *x)
{
    int pivots[ORDER], one = 1, info;
    dgetrf_(&order, &order, matrix, &order, pivots, &info);
    assert_int_equal(info, 0);
    dgetrs_("N", &order, &one, matrix, &order, pivots, x, &order, &info);
    assert_int_equal(info, 0);
}

// A, K and D of the head, with multipliers s1 and s2
static void form_blocks(const data *d, const step *s, double *A, double *K, double *D)
{
    const int n = d->n;
    for (int k = 0; k < n * n; k++) {
        A[k] = k % (n + 1) == 0 ? cj : 0.0;
        K[k] = d->stiffness[k];
        D[k] = cj * d->mass[k] + d->damping[k];
        for (int i = 0; i < d->m; i++) {
            A[k] += s->s1[i] * d->geometric[i][k];
            K[k] += s->s2[i] * d->geometric[i][k];
        }
    }
}

// ---- the other two ways ----

// P (p x n) = N^T, its columns from the split of G
static int form_projector(const data *d, double *P)
{
    const int n = d->n, m = d->m, p = n - m;
    double gt[N * M] = {0.0}, unit[N], column[N];
    place(gt, n, 0, 0, d->G, m, n, 1.0, true);
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trmi_split split;
    assert_true(trmi_split_create(&split, &memory, n, m));
    assert_true(trmi_split_factor(&split, gt, 0.0));
    for (int j = 0; j < p; j++) {
        memset(unit, 0, sizeof unit);
        unit[j] = 1.0;
        trmi_split_expand(&split, unit, NULL, column);
        for (int i = 0; i < n; i++)
            P[j + p * i] = column[i];
    }
    trmi_memory_release_all(&memory);
    return p;
}

static step full_step(const data *d, const step *multipliers)
{
    const int n = d->n, m = d->m, order = 2 * n;
    double A[N * N], K[N * N], D[N * N], P[N * N], product[N * N];
    double matrix[ORDER * ORDER] = {0.0}, x[ORDER] = {0.0};
    const int p = form_projector(d, P);
    form_blocks(d, multipliers, A, K, D);
    const double *const part[] = {A, K, D};
    const int at[][2] = {{0, 0}, {p, 0}, {p, n}};
    for (int k = 0; k < 3; k++) {
        memset(product, 0, sizeof product);
        add_product(product, p, n, P, p, false, part[k], n, 1.0);
        place(matrix, order, at[k][0], at[k][1], product, p, n, 1.0, false);
    }
    place(matrix, order, 0, n, P, p, n, -1.0, false);
    place(matrix, order, 2 * p, 0, d->H, m, n, 1.0, false);
    place(matrix, order, 2 * p, n, d->G, m, n, 1.0, false);
    place(matrix, order, 2 * p + m, 0, d->G, m, n, 1.0, false);
    add_product(x, p, 1, P, p, false, d->r1, n, -1.0);
    add_product(x + p, p, 1, P, p, false, d->r2, n, -1.0);
    for (int i = 0; i < m; i++) {
        x[2 * p + i] = -d->rate[i];
        x[2 * p + m + i] = -d->g[i];
    }
    solve(matrix, order, x);
    step s;
    memcpy(s.dq, x, (size_t)n * sizeof *x);
    memcpy(s.dv, x + n, (size_t)n * sizeof *x);
    return s;
}

static step range_space_step(const data *d, const step *multipliers)
{
    const int n = d->n, m = d->m, order = n + 2 * m;
    double A[N * N], K[N * N], D[N * N], gt[N * M] = {0.0};
    double matrix[ORDER * ORDER] = {0.0}, x[ORDER] = {0.0};
    form_blocks(d, multipliers, A, K, D);
    place(gt, n, 0, 0, d->G, m, n, 1.0, true);
    double dgt[N * M] = {0.0}, ggt[M * M] = {0.0}, h[M * N];
    memcpy(h, d->H, sizeof h);
    add_product(K, n, n, D, n, false, A, n, 1.0);       // K + D A
    add_product(dgt, n, m, D, n, false, gt, n, 1.0);    // D G^T
    add_product(ggt, m, m, d->G, m, false, gt, n, 1.0); // G G^T
    add_product(h, m, n, d->G, m, false, A, n, 1.0);    // H + G A
    place(matrix, order, 0, 0, K, n, n, 1.0, false);
    place(matrix, order, 0, n, dgt, n, m, 1.0, false);
    place(matrix, order, 0, n + m, gt, n, m, 1.0, false);
    place(matrix, order, n, 0, h, m, n, 1.0, false);
    place(matrix, order, n, n, ggt, m, m, 1.0, false);
    place(matrix, order, n + m, 0, d->G, m, n, 1.0, false);
    for (int i = 0; i < n; i++)
        x[i] = -d->r2[i];
    add_product(x, n, 1, D, n, false, d->r1, n, -1.0);
    for (int i = 0; i < m; i++) {
        x[n + i] = -d->rate[i];
        x[n + m + i] = -d->g[i];
    }
    add_product(x + n, m, 1, d->G, m, false, d->r1, n, -1.0);
    solve(matrix, order, x);
    step s;
    memcpy(s.dq, x, (size_t)n * sizeof *x);
    memcpy(s.dv, d->r1, (size_t)n * sizeof *x);
    add_product(s.dv, n, 1, A, n, false, s.dq, n, 1.0);
    add_product(s.dv, n, 1, gt, n, false, x + n, m, 1.0);
    return s;
}

// ---- tests ----

static double largest(const double *x, int n)
{
    const double zero[N] = {0.0};
    return verify_distance(x, zero, n);
}

// 1e-12 of the largest entry: condition numbers of these matrices are some thousands
static void assert_same(const data *d, const char *what, const step *is, const step *should)
{
    const double q = verify_distance(is->dq, should->dq, d->n) / largest(should->dq, d->n);
    const double v = verify_distance(is->dv, should->dv, d->n) / largest(should->dv, d->n);
    if (!(fmax(q, v) <= 1e-12))
        fail_msg("%s, n = %d: dq differs by %g, dv by %g of its size", what, d->n, q, v);
}

static void check_all(int n, int m, uint64_t seed)
{
    data d = random_data(n, m, seed);
    const trmi_coupled_form lapack = {.dense = true}, klu = {0};
    const trmi_coupled_form reduced = {.dense = true, .reduced = true};
    const trmi_coupled_form by_qr = {.dense = true, .reduced = true, .orthonormal = true};
    const step nullspace = library_step(&d, reduced, true);
    const step full = full_step(&d, &nullspace);
    const step range = range_space_step(&d, &nullspace);
    const step saddle = library_step(&d, lapack, true);
    const step sparse = library_step(&d, klu, true);
    const step plain = library_step(&d, reduced, false);
    const step plain_saddle = library_step(&d, klu, false);
    // its multipliers are other ones off the solution, and so is (G^T s)_q
    const step orthonormal = library_step(&d, by_qr, true);
    const step full_of_qr = full_step(&d, &orthonormal);
    assert_same(&d, "null space", &nullspace, &full);
    assert_same(&d, "range space", &range, &full);
    assert_same(&d, "saddle point, dense", &saddle, &full);
    assert_same(&d, "saddle point, KLU", &sparse, &full);
    assert_same(&d, "null space, residuals without constraint forces", &plain, &full);
    assert_same(&d, "saddle point, residuals without constraint forces", &plain_saddle, &full);
    assert_same(&d, "P by QR", &orthonormal, &full_of_qr);
}

static void test_newton_step_five_coordinates_all_forms_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++)
        check_all(5, 2, seed);
}

static void test_newton_step_nine_coordinates_all_forms_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++)
        check_all(9, 4, seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_newton_step_five_coordinates_all_forms_agree),
        cmocka_unit_test(test_newton_step_nine_coordinates_all_forms_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
