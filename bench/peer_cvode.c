// SPDX-License-Identifier: Apache-2.0
// SUNDIALS CVODE on the index-1 form: q' = v, v' = a with [M G^T; G 0] (a, lambda) = (f, -gamma) by
// KLU, BDF with fixed-point iteration. After every step CVodeSetProjFn moves (q, v) back to g = 0,
// G v = 0 in the metric of M and projects the error estimate onto the tangent space.
#include "peer_kkt.h"
#include "peer_run.h"

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROJECTION_ITERATIONS = 5, STEP_LIMIT = 20000 };

typedef struct index1 {
    peer_system peer;
    peer_kkt kkt;
    double *q; ///< the projected position
    double position_tolerance;
    SUNContext context;
    N_Vector y;
    SUNNonlinearSolver fixed_point;
    void *cvode;
} index1;

static int right_hand_side(realtype t, N_Vector y_vector, N_Vector dy_vector, void *user)
{
    index1 *form = user;
    int n = form->peer.n;
    const double *y = NV_DATA_S(y_vector);
    double *dy = NV_DATA_S(dy_vector);
    trm_state state = {.t = t, .q = y, .v = y + n};
    memcpy(dy, y + n, (size_t)n * sizeof *dy);
    return peer_kkt_accelerations(&form->kkt, &state, dy + n, NULL);
}

// Newton iteration on g = 0 from form->q; the matrix of the last point stays factorized.
static int project_position(index1 *form, trm_state *state)
{
    peer_system *peer = &form->peer;
    peer_kkt *kkt = &form->kkt;
    int n = peer->n, m = peer->m;
    for (int iteration = 0;; iteration++) {
        if (peer_system_evaluate(peer, state, PEER_KKT_MATRICES | TRM_BIT(CONSTRAINT)) != 0 ||
            peer_kkt_factor(kkt) != 0)
            return 1;
        const double *g = peer->value[TRM_QUANTITY_CONSTRAINT];
        if (iteration == PROJECTION_ITERATIONS || peer_max(g, m) < form->position_tolerance)
            return 0;
        memset(kkt->x, 0, (size_t)n * sizeof *kkt->x);
        for (int i = 0; i < m; i++)
            kkt->x[n + i] = -g[i];
        peer_kkt_solve(kkt);
        for (int i = 0; i < n; i++)
            form->q[i] += kkt->x[i];
    }
}

// [M G^T; G 0] (dv, .) = (0, -G v)
static void project_velocity(index1 *form, const double *v, double *dv)
{
    peer_system *peer = &form->peer;
    double *x = form->kkt.x;
    memset(x, 0, (size_t)(peer->n + peer->m) * sizeof *x);
    peer_add_product(peer, TRM_QUANTITY_CONSTRAINT_Q, -1.0, v, x + peer->n);
    peer_kkt_solve(&form->kkt);
    memcpy(dv, x, (size_t)peer->n * sizeof *dv);
}

// [M G^T; G 0] (e, .) = (M e, 0)
static void project_error(index1 *form, double *e)
{
    peer_system *peer = &form->peer;
    double *x = form->kkt.x;
    memset(x, 0, (size_t)(peer->n + peer->m) * sizeof *x);
    peer_add_product(peer, TRM_QUANTITY_MASS, 1.0, e, x);
    peer_kkt_solve(&form->kkt);
    memcpy(e, x, (size_t)peer->n * sizeof *e);
}

static int project(realtype t, N_Vector y_vector, N_Vector correction_vector, realtype epsilon,
                   N_Vector error_vector, void *user)
{
    (void)epsilon;
    index1 *form = user;
    int n = form->peer.n;
    const double *y = NV_DATA_S(y_vector);
    double *correction = NV_DATA_S(correction_vector);
    trm_state state = {.t = t, .q = form->q, .v = y + n};
    memcpy(form->q, y, (size_t)n * sizeof *y);
    if (project_position(form, &state) != 0)
        return 1;
    for (int i = 0; i < n; i++)
        correction[i] = form->q[i] - y[i];
    project_velocity(form, y + n, correction + n);
    if (error_vector != NULL) {
        project_error(form, NV_DATA_S(error_vector));
        project_error(form, NV_DATA_S(error_vector) + n);
    }
    return 0;
}

static int create(index1 *form, const peer_task *task)
{
    trm_state state = {.t = task->initial->t, .q = task->initial->q, .v = task->initial->v};
    uint64_t needed = PEER_KKT_MATRICES | PEER_KKT_VECTORS | TRM_BIT(CONSTRAINT);
    if (peer_system_open(&form->peer, task->system, needed, &state) != 0 ||
        peer_kkt_create(&form->kkt, &form->peer) != 0)
        return -1;
    int n = form->peer.n;
    size_t bytes = (size_t)n * sizeof(double);
    form->q = malloc(bytes);
    form->position_tolerance = fmin(1e-10, 1e-2 * task->rtol);
    if (form->q == NULL || SUNContext_Create(NULL, &form->context) != 0)
        return -1;
    form->y = N_VNew_Serial(2 * n, form->context);
    memcpy(NV_DATA_S(form->y), task->initial->q, bytes);
    memcpy(NV_DATA_S(form->y) + n, task->initial->v, bytes);
    form->fixed_point = SUNNonlinSol_FixedPoint(form->y, 0, form->context);
    form->cvode = CVodeCreate(CV_BDF, form->context);
    int bad = CVodeInit(form->cvode, right_hand_side, task->initial->t, form->y) |
              CVodeSetUserData(form->cvode, form) |
              CVodeSStolerances(form->cvode, task->rtol, task->atol) |
              CVodeSetMaxNumSteps(form->cvode, STEP_LIMIT) |
              CVodeSetStopTime(form->cvode, task->t_end) | CVodeSetErrFile(form->cvode, NULL) |
              CVodeSetNonlinearSolver(form->cvode, form->fixed_point) |
              CVodeSetProjFn(form->cvode, project);
    return bad ? -1 : 0;
}

static void solve(index1 *form, const peer_task *task, peer_run *run)
{
    long fails[2] = {0};
    size_t bytes = (size_t)form->peer.n * sizeof(double);
    int rc = CVode(form->cvode, task->t_end, form->y, &run->t_reached, CV_NORMAL);
    if (rc < 0) {
        char *name = CVodeGetReturnFlagName(rc);
        peer_run_fail(run, name);
        free(name);
    }
    memcpy(run->q, NV_DATA_S(form->y), bytes);
    memcpy(run->v, NV_DATA_S(form->y) + form->peer.n, bytes);
    CVodeGetNumSteps(form->cvode, &run->steps);
    CVodeGetNumRhsEvals(form->cvode, &run->residuals);
    CVodeGetNumNonlinSolvIters(form->cvode, &run->iterations);
    CVodeGetNumErrTestFails(form->cvode, &fails[0]);
    CVodeGetNumNonlinSolvConvFails(form->cvode, &fails[1]);
    run->rejected = fails[0] + fails[1];
    run->factorizations = form->kkt.factorizations;
}

static void destroy(index1 *form)
{
    CVodeFree(&form->cvode);
    SUNNonlinSolFree(form->fixed_point);
    N_VDestroy(form->y);
    SUNContext_Free(&form->context);
    peer_kkt_destroy(&form->kkt);
    peer_system_close(&form->peer);
    free(form->q);
}

void peer_cvode(const peer_task *task, peer_run *run)
{
    index1 form = {0};
    size_t before = peer_heap_bytes();
    if (create(&form, task) != 0)
        peer_run_fail(run, "no start");
    else
        solve(&form, task, run);
    run->heap = peer_heap_bytes() - before;
    destroy(&form);
}
