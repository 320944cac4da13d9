// SPDX-License-Identifier: Apache-2.0
// SUNDIALS IDA on the stabilized index-2 form of Gear, Gupta and Leimkuhler,
//
//     q' = v - G^T mu        M v' = f - G^T lambda        G v = 0        g = 0,
//
// y = (q, v, lambda, mu), with the exact sparse Jacobian and KLU. The settings are those that serve
// IDA best: multipliers out of the error test and with loose Newton weights, consistent initial
// accelerations and multipliers, a small first step.
#include "peer_kkt.h"
#include "peer_run.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(sunindextype) == sizeof(int64_t), "peer_sparse has 64-bit indices");

#define RESIDUAL_QUANTITIES                                                                        \
    (TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(CONSTRAINT) | TRM_BIT(CONSTRAINT_Q))
#define JACOBIAN_QUANTITIES                                                                        \
    (TRM_BIT(MASS) | TRM_BIT(CONSTRAINT_Q) | TRM_BIT(STIFFNESS) | TRM_BIT(GEOMETRIC) |             \
     TRM_BIT(DAMPING) | TRM_BIT(VELOCITY_Q))

/// Blocks of the Jacobian by row and column of y.
typedef enum ggl_block {
    Q_Q,         ///< cj I
    Q_Q_MU,      ///< (G^T mu)_q
    Q_V,         ///< -I
    Q_MU,        ///< G^T
    V_Q,         ///< K = (M a - f)_q
    V_Q_LAMBDA,  ///< (G^T lambda)_q
    V_V,         ///< cj M
    V_V_DAMPING, ///< D = -f_v
    V_LAMBDA,    ///< G^T
    VELOCITY_Q,  ///< (G v)_q
    VELOCITY_V,  ///< G
    POSITION_Q,  ///< G
    GGL_BLOCKS
} ggl_block;

typedef struct ggl {
    peer_system peer;
    peer_block block[GGL_BLOCKS];
    peer_sparse sparse;
    int *range;
    double *ones;
    double *a0, *lambda0;
    SUNContext context;
    N_Vector y, yp, id, atol;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    void *ida;
} ggl;

// r = (q' - v + G^T mu, M v' - f + G^T lambda, G v, g)
static int residual(realtype t, N_Vector y_vector, N_Vector yp_vector, N_Vector r_vector,
                    void *user)
{
    ggl *form = user;
    peer_system *peer = &form->peer;
    int n = peer->n, m = peer->m;
    const double *q = NV_DATA_S(y_vector), *v = q + n, *lambda = v + n, *mu = lambda + m;
    const double *qp = NV_DATA_S(yp_vector), *vp = qp + n;
    double *r = NV_DATA_S(r_vector), *r_velocity = r + 2 * n, *r_position = r_velocity + m;
    trm_state state = {.t = t, .q = q, .v = v, .a = vp, .lambda = lambda};
    int rc = peer_system_evaluate(peer, &state, RESIDUAL_QUANTITIES);
    if (rc != 0)
        return rc;
    const double *f = peer->value[TRM_QUANTITY_FORCE], *g = peer->value[TRM_QUANTITY_CONSTRAINT];
    for (int i = 0; i < n; i++) {
        r[i] = qp[i] - v[i];
        r[n + i] = -f[i];
    }
    peer_add_product(peer, TRM_QUANTITY_MASS, 1.0, vp, r + n);
    for (int i = 0; i < m; i++) {
        r_velocity[i] = 0.0;
        r_position[i] = g[i];
    }
    const trm_pattern pattern = peer->pattern[TRM_QUANTITY_CONSTRAINT_Q];
    const double *G = peer->value[TRM_QUANTITY_CONSTRAINT_Q];
    for (int k = 0; k < pattern.count; k++) {
        int i = pattern.row[k], j = pattern.column[k];
        r[j] += G[k] * mu[i];
        r[n + j] += G[k] * lambda[i];
        r_velocity[i] += G[k] * v[j];
    }
    return 0;
}

// dr/dy + cj dr/dy'
static int jacobian(realtype t, realtype cj, N_Vector y_vector, N_Vector yp_vector, N_Vector unused,
                    SUNMatrix matrix, void *user, N_Vector w1, N_Vector w2, N_Vector w3)
{
    (void)unused, (void)w1, (void)w2, (void)w3;
    ggl *form = user;
    peer_system *peer = &form->peer;
    double *const *value = peer->value;
    int n = peer->n, m = peer->m, count = form->sparse.count;
    double *data = SM_DATA_S(matrix);
    memcpy(SM_INDEXPTRS_S(matrix), form->sparse.start,
           (size_t)(form->sparse.n + 1) * sizeof(sunindextype));
    memcpy(SM_INDEXVALS_S(matrix), form->sparse.row, (size_t)count * sizeof(sunindextype));
    memset(data, 0, (size_t)count * sizeof *data);

    const double *y = NV_DATA_S(y_vector), *yp = NV_DATA_S(yp_vector);
    trm_state state = {
        .t = t, .q = y, .v = y + n, .a = yp + n, .lambda = y + 2 * n + m}; // (G^T mu)_q first
    int rc = peer_system_evaluate(peer, &state, TRM_BIT(GEOMETRIC));
    if (rc != 0)
        return rc;
    peer_block_add(&form->block[Q_Q_MU], 1.0, value[TRM_QUANTITY_GEOMETRIC], data);
    state.lambda = y + 2 * n;
    rc = peer_system_evaluate(peer, &state, JACOBIAN_QUANTITIES);
    if (rc != 0)
        return rc;
    peer_block_add(&form->block[Q_Q], cj, form->ones, data);
    peer_block_add(&form->block[Q_V], -1.0, form->ones, data);
    peer_block_add(&form->block[Q_MU], 1.0, value[TRM_QUANTITY_CONSTRAINT_Q], data);
    peer_block_add(&form->block[V_Q], 1.0, value[TRM_QUANTITY_STIFFNESS], data);
    peer_block_add(&form->block[V_Q_LAMBDA], 1.0, value[TRM_QUANTITY_GEOMETRIC], data);
    peer_block_add(&form->block[V_V], cj, value[TRM_QUANTITY_MASS], data);
    peer_block_add(&form->block[V_V_DAMPING], 1.0, value[TRM_QUANTITY_DAMPING], data);
    peer_block_add(&form->block[V_LAMBDA], 1.0, value[TRM_QUANTITY_CONSTRAINT_Q], data);
    peer_block_add(&form->block[VELOCITY_Q], 1.0, value[TRM_QUANTITY_VELOCITY_Q], data);
    peer_block_add(&form->block[VELOCITY_V], 1.0, value[TRM_QUANTITY_CONSTRAINT_Q], data);
    peer_block_add(&form->block[POSITION_Q], 1.0, value[TRM_QUANTITY_CONSTRAINT_Q], data);
    return 0;
}

static int create_pattern(ggl *form)
{
    const trm_pattern *pattern = form->peer.pattern;
    int n = form->peer.n, m = form->peer.m;
    int v = n, lambda = 2 * n, mu = 2 * n + m; // first row and column of each part of y
    form->range = peer_range(n);
    form->ones = malloc((size_t)n * sizeof *form->ones);
    if (form->range == NULL || form->ones == NULL)
        return -1;
    for (int i = 0; i < n; i++)
        form->ones[i] = 1.0;
    trm_pattern identity = {.count = n, .row = form->range, .column = form->range};
    trm_pattern G = pattern[TRM_QUANTITY_CONSTRAINT_Q];
    peer_block *block = form->block;
    block[Q_Q] = (peer_block){identity, 0, 0, 0, NULL};
    block[Q_Q_MU] = (peer_block){pattern[TRM_QUANTITY_GEOMETRIC], 0, 0, 0, NULL};
    block[Q_V] = (peer_block){identity, 0, v, 0, NULL};
    block[Q_MU] = (peer_block){G, 0, mu, 1, NULL};
    block[V_Q] = (peer_block){pattern[TRM_QUANTITY_STIFFNESS], v, 0, 0, NULL};
    block[V_Q_LAMBDA] = (peer_block){pattern[TRM_QUANTITY_GEOMETRIC], v, 0, 0, NULL};
    block[V_V] = (peer_block){pattern[TRM_QUANTITY_MASS], v, v, 0, NULL};
    block[V_V_DAMPING] = (peer_block){pattern[TRM_QUANTITY_DAMPING], v, v, 0, NULL};
    block[V_LAMBDA] = (peer_block){G, v, lambda, 1, NULL};
    block[VELOCITY_Q] = (peer_block){pattern[TRM_QUANTITY_VELOCITY_Q], lambda, 0, 0, NULL};
    block[VELOCITY_V] = (peer_block){G, lambda, v, 0, NULL};
    block[POSITION_Q] = (peer_block){G, mu, 0, 0, NULL};
    return peer_sparse_create(&form->sparse, 2 * n + 2 * m, block, GGL_BLOCKS);
}

// Accelerations and multipliers that belong to the initial state.
static int start_values(ggl *form, const trm_state *state)
{
    peer_system peer;
    peer_kkt kkt = {0};
    form->a0 = calloc((size_t)form->peer.n + 1, sizeof(double));
    form->lambda0 = calloc((size_t)form->peer.m + 1, sizeof(double));
    if (form->a0 == NULL || form->lambda0 == NULL ||
        peer_system_open(&peer, form->peer.system, PEER_KKT_MATRICES | PEER_KKT_VECTORS, state))
        return -1;
    int rc = peer_kkt_create(&kkt, &peer);
    if (rc == 0)
        rc = peer_kkt_accelerations(&kkt, state, form->a0, form->lambda0);
    peer_kkt_destroy(&kkt);
    peer_system_close(&peer);
    return rc;
}

// y, y', which are differential, and the weights: atol(lambda) = 1e3 |lambda0| atol and
// atol(mu) = 1e6 atol. With the weights of the states IDA fails on the harder problems.
static void set_vectors(ggl *form, const peer_task *task)
{
    int n = form->peer.n, m = form->peer.m;
    double *y = NV_DATA_S(form->y), *yp = NV_DATA_S(form->yp);
    double scale = fmax(peer_max(form->lambda0, m), 1e-3);
    N_VConst(0.0, form->y);
    N_VConst(0.0, form->yp);
    for (int i = 0; i < n; i++) {
        y[i] = task->initial->q[i];
        y[n + i] = yp[i] = task->initial->v[i];
        yp[n + i] = form->a0[i];
    }
    memcpy(y + 2 * n, form->lambda0, (size_t)m * sizeof *y);
    for (int i = 0; i < 2 * n + 2 * m; i++) {
        NV_Ith_S(form->id, i) = i < 2 * n ? 1.0 : 0.0;
        NV_Ith_S(form->atol, i) =
            task->atol * (i < 2 * n ? 1.0 : (i < 2 * n + m ? 1e3 * scale : 1e6));
    }
}

static int create_solver(ggl *form, const peer_task *task)
{
    int size = form->sparse.n;
    double t0 = task->initial->t;
    if (SUNContext_Create(NULL, &form->context) != 0)
        return -1;
    form->y = N_VNew_Serial(size, form->context);
    form->yp = N_VNew_Serial(size, form->context);
    form->id = N_VNew_Serial(size, form->context);
    form->atol = N_VNew_Serial(size, form->context);
    set_vectors(form, task);
    form->ida = IDACreate(form->context);
    form->matrix = SUNSparseMatrix(size, size, form->sparse.count, CSC_MAT, form->context);
    form->linear = SUNLinSol_KLU(form->y, form->matrix, form->context);
    int bad = IDAInit(form->ida, residual, t0, form->y, form->yp) |
              IDASetUserData(form->ida, form) | IDASVtolerances(form->ida, task->rtol, form->atol) |
              IDASetId(form->ida, form->id) | IDASetSuppressAlg(form->ida, SUNTRUE) |
              IDASetMaxNumSteps(form->ida, 10000000) | IDASetStopTime(form->ida, task->t_end) |
              IDASetInitStep(form->ida, 1e-5 * (task->t_end - t0)) |
              IDASetErrFile(form->ida, NULL) |
              IDASetLinearSolver(form->ida, form->linear, form->matrix) |
              IDASetJacFn(form->ida, jacobian);
    return bad ? -1 : 0;
}

static void destroy(ggl *form)
{
    IDAFree(&form->ida);
    SUNLinSolFree(form->linear);
    SUNMatDestroy(form->matrix);
    N_VDestroy(form->y);
    N_VDestroy(form->yp);
    N_VDestroy(form->id);
    N_VDestroy(form->atol);
    SUNContext_Free(&form->context);
    peer_sparse_destroy(&form->sparse);
    peer_system_close(&form->peer);
    free(form->range);
    free(form->ones);
    free(form->a0);
    free(form->lambda0);
}

static void solve(ggl *form, const peer_task *task, peer_run *run)
{
    long fails[2] = {0};
    size_t bytes = (size_t)form->peer.n * sizeof(double);
    int rc = IDASolve(form->ida, task->t_end, &run->t_reached, form->y, form->yp, IDA_NORMAL);
    if (rc < 0) {
        char *name = IDAGetReturnFlagName(rc);
        peer_run_fail(run, name);
        free(name);
    }
    memcpy(run->q, NV_DATA_S(form->y), bytes);
    memcpy(run->v, NV_DATA_S(form->y) + form->peer.n, bytes);
    IDAGetNumSteps(form->ida, &run->steps);
    IDAGetNumResEvals(form->ida, &run->residuals);
    IDAGetNumNonlinSolvIters(form->ida, &run->iterations);
    IDAGetNumJacEvals(form->ida, &run->jacobians);
    IDAGetNumLinSolvSetups(form->ida, &run->factorizations);
    IDAGetNumErrTestFails(form->ida, &fails[0]);
    IDAGetNumNonlinSolvConvFails(form->ida, &fails[1]);
    run->rejected = fails[0] + fails[1];
}

void peer_ida(const peer_task *task, peer_run *run)
{
    ggl form = {0};
    size_t before = peer_heap_bytes();
    trm_state state = {.t = task->initial->t, .q = task->initial->q, .v = task->initial->v};
    if (peer_system_open(&form.peer, task->system, RESIDUAL_QUANTITIES | JACOBIAN_QUANTITIES,
                         &state) != 0 ||
        start_values(&form, &state) != 0 || create_pattern(&form) != 0 ||
        create_solver(&form, task) != 0)
        peer_run_fail(run, "no start");
    else
        solve(&form, task, run);
    run->heap = peer_heap_bytes() - before;
    destroy(&form);
}
