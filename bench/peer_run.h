// SPDX-License-Identifier: Apache-2.0
// One run of one code on one problem: what it gets, what it reports. Trammel and the programs it is
// compared with have the same function type.
#ifndef PEER_RUN_H
#define PEER_RUN_H

#include <trammel/trammel.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The task, the same for every code.
typedef struct peer_task {
    const trm_system *system;
    const trm_initial *initial; ///< q and v are given
    double t_end;
    double rtol, atol;
    const struct peer_file *file, *joint, *adams; ///< the same mechanism from files; NULL: none
} peer_task;

/// What a code reports. q and v point to n_q numbers of the caller: the state at t_end.
typedef struct peer_run {
    int failed;          ///< t_end was not reached
    char note[64];       ///< a status other than success, by name
    double t_reached;    ///<
    long steps;          ///< accepted steps
    long iterations;     ///< of the corrector
    long residuals;      ///< evaluations of the residual or the right-hand side
    long jacobians;      ///< evaluations of the derivatives
    long factorizations; ///<
    long rejected;       ///< attempts that failed the error test or did not converge
    size_t heap;         ///< bytes held at the end of the run, before anything is freed
    double *q, *v;       ///<
} peer_run;

/// A code: creates its solver, integrates from initial to t_end and frees everything.
typedef void peer_function(const peer_task *task, peer_run *run);

/// Trammel with its defaults, see peer_trammel.c.
peer_function peer_trammel;
/// Trammel with KLU instead of its own factorization.
peer_function peer_trammel_klu;
/// Trammel with integrator adams, explicit, and radau-adaptive.
peer_function peer_adams;
peer_function peer_explicit;
peer_function peer_radau;
/// Trammel from a model file: absolute coordinates, joint coordinates, integrator adams.
peer_function peer_file_absolute;
peer_function peer_file_joint;
peer_function peer_file_adams;
/// IDA (BDF, orders 1 to 5) on the stabilized index-2 form with KLU, see peer_ida.c.
peer_function peer_ida;
/// CVODE (BDF, fixed-point iteration, projection) on the index-1 form, see peer_cvode.c.
peer_function peer_cvode;
/// Chain only: classical Runge-Kutta on minimal coordinates with step rtol, see peer_floor.c.
peer_function peer_floor;

/// Marks the run as failed.
void peer_run_fail(peer_run *run, const char *note);

/// CPU seconds of this process.
double peer_cpu_seconds(void);

/// Bytes of heap in use, 0 where the C library does not report them.
size_t peer_heap_bytes(void);

#ifdef __cplusplus
}
#endif
#endif
