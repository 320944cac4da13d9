// SPDX-License-Identifier: Apache-2.0
/// A simulation: one trajectory of a system with all that changes.
#ifndef TRAMMEL_SIMULATION_H
#define TRAMMEL_SIMULATION_H

#include "trammel/options.h"
#include "trammel/statistics.h"
#include "trammel/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct trm_simulation trm_simulation;

/// Creates a simulation at a consistent start. On failure *out is NULL and error has the reason.
/// system, options and initial are copied as far as needed; error may be NULL.
TRM_API trm_status trm_simulation_create(trm_simulation **out, const trm_system *system,
                                         const trm_options *options, const trm_initial *initial,
                                         trm_error *error);

/// Frees the simulation. NULL is allowed.
TRM_API void trm_simulation_destroy(trm_simulation *simulation);

/// Does one step, at most to t_end. Sets *t_reached if it is not NULL.
TRM_API trm_status trm_simulation_step(trm_simulation *simulation, double t_end, double *t_reached);

/// Steps until t_end. The last step ends exactly there; with control `classic` it may end beyond
/// t_end, as in DASSL, and trm_simulation_interpolate gives the values at t_end.
TRM_API trm_status trm_simulation_run(trm_simulation *simulation, double t_end);

/// Whether the result so far can be trusted at its tolerance: TRM_OK, or TRM_UNTRUSTED with the
/// reason in trm_simulation_error. trm_simulation_run checks this at its end; a program that calls
/// trm_simulation_step must check it.
TRM_API trm_status trm_simulation_trust(trm_simulation *simulation);

/// The last good state. Borrowed, valid until the next step or destroy.
TRM_API const trm_state *trm_simulation_state(const trm_simulation *simulation);

/// Values at a time inside the last step, by the polynomial of the method. Each pointer may be
/// NULL.
TRM_API trm_status trm_simulation_interpolate(trm_simulation *simulation, double t, double *q,
                                              double *v, double *x, double *z, double *lambda);

/// The state at a time inside the last step: by the polynomial of the method, projected onto
/// position and velocity constraints, with the accelerations and multipliers that belong to it.
/// Does not change the integration. Borrowed until the next call of this function. Where the
/// constraints lose rank the polynomial alone is given, with accelerations NaN. The first call
/// allocates memory.
TRM_API trm_status trm_simulation_sample(trm_simulation *simulation, double t,
                                         const trm_state **out);

/// How much the equations contradict the polynomial of the method where the last sample was taken:
/// max |y' - f| span / (rtol |y| + atol) over velocities and states, what they would change in
/// `span`, in tolerances; of velocities what lies along the constraints. Large where a step passed
/// over something, a short pulse for instance. 0 at the ends of steps, and where there is no
/// sample.
TRM_API double trm_simulation_defect(trm_simulation *simulation, double span);

/// Keeps the present state, so that the next step can be repeated. Allocates memory the first time,
/// and where the state has grown.
TRM_API trm_status trm_simulation_keep(trm_simulation *simulation);

/// Whether the samples since trm_simulation_keep, the last one among them, are a reason to repeat
/// the step: times `span`, the distance of two samples, their defects add up to more than a
/// tolerance of velocities or states, or, over the length of the step, of positions, and to more
/// than twice that of steps which were tried again and had passed over nothing. 0 where the state
/// before the step was not kept, and with constant steps and control `classic`.
TRM_API int trm_simulation_contradicts(trm_simulation *simulation, double span);

/// Tries the step that the last sample contradicts again, to the time of that sample. Where the
/// first attempt passes the error test and ends where the sample is, the step had passed over
/// nothing and stays as it was. Otherwise the new one is in its place, steps end at the time of the
/// sample until they are beyond it, and statistics count one step as repeated. Arguments and status
/// are those of trm_simulation_step, for the step that there is then.
TRM_API trm_status trm_simulation_repeat(trm_simulation *simulation, double span, double t_end,
                                         double *t_reached);

/// Zero crossings to watch. Everything is borrowed and must outlive the simulation. The functions
/// are evaluated at the ends of steps and inside them, as often as the polynomial of the method can
/// turn: crossings that follow each other faster are not detected; where that matters limit the
/// step with the option h_max, or supply `next_break`.
typedef struct trm_events {
    int count;
    /// Values of all event functions at a state (a is not meaningful). Returns as a trm_function.
    trm_function *function;
    const int *direction;     ///< +1 rising, -1 falling, 0 both; NULL: both
    const char *const *names; ///< for messages; may be NULL
    void *user;               ///< passed to function and next_break
    /// As in trm_system, for the event functions: the first time after t at which one of them
    /// changes its sign, or jumps, because of t alone. May be NULL.
    trm_break_function *next_break;
} trm_events;

/// Watches events from now on; NULL: none. trm_simulation_step and _run then return TRM_STOP_EVENT
/// with the state at the crossing, located to roundoff in t, and trm_simulation_fired reports
/// which. The next step goes on as if nothing had happened, unless trm_simulation_restart is
/// called. A function that is zero now, or that was just crossed before a restart, has the sign it
/// takes a little later and does not fire by itself. An event that fires without end (intervals
/// that shrink to nothing, or a hundred times in 1e-5 of the time simulated so far) ends with
/// TRM_ERR_CHATTER. With control `classic` the present time does not pass an event beyond t_end.
TRM_API trm_status trm_simulation_watch(trm_simulation *simulation, const trm_events *events);

/// Whether an event fired at the present state.
TRM_API int trm_simulation_fired(const trm_simulation *simulation, int event);

/// Restarts at the present time, after a jump: initial has the new values (its t is ignored; NULL
/// pointers: unchanged). They are made consistent according to the option start; initial may be
/// NULL. Statistics go on counting.
TRM_API trm_status trm_simulation_restart(trm_simulation *simulation, const trm_initial *initial);

/// Everything a simulation needs to go on bit for bit: writes it into buffer if size suffices and
/// returns the size needed.
TRM_API size_t trm_simulation_save(trm_simulation *simulation, void *buffer, size_t size);

/// Restores what trm_simulation_save wrote into a simulation created from the same system, options
/// and initial state by the same version, with the same events watched. TRM_ERR_RANGE when the
/// bytes do not fit; then nothing changes. Allocates memory temporarily.
TRM_API trm_status trm_simulation_load(trm_simulation *simulation, const void *buffer, size_t size);

/// The step that will be tried next, 0 before the first.
TRM_API double trm_simulation_next_step(const trm_simulation *simulation);

/// Accelerations and multipliers that belong exactly to the current (q, v):
/// M a + G^T lambda = f, G a + gamma = 0. Each pointer may be NULL.
TRM_API trm_status trm_simulation_accelerations(trm_simulation *simulation, double *a,
                                                double *lambda);

/// Total energy at the current state, NaN if the system has none.
TRM_API double trm_simulation_energy(trm_simulation *simulation);

TRM_API const trm_statistics *trm_simulation_statistics(const trm_simulation *simulation);
TRM_API const trm_start_report *trm_simulation_start(const trm_simulation *simulation);

/// What a method has done in a simulation.
typedef struct trm_method_share {
    const char *name; ///< "bdf"
    long steps;       ///< accepted ones
    double time;      ///< of the motion, that these have covered
} trm_method_share;

/// The shares of the methods that the simulation has used: of integrator auto that of each, index
/// 0, 1, ..., otherwise that of one. 0 when there are no more, 1 otherwise.
TRM_API int trm_simulation_method(const trm_simulation *simulation, int index,
                                  trm_method_share *share);

/// 1 if constraint row i (of n_g + n_a) follows from others: its multiplier is not unique.
TRM_API int trm_simulation_row_redundant(const trm_simulation *simulation, int row);

/// For a redundant row: the row it follows from most; -1 when it is not redundant or depends on
/// none.
TRM_API int trm_simulation_row_follows(const trm_simulation *simulation, int row);

/// 1 if the multiplier of a row is the only one possible: 0 for redundant rows and for those they
/// follow from, whose multipliers are the smallest ones of many.
TRM_API int trm_simulation_row_unique(const trm_simulation *simulation, int row);

/// The last error of this simulation; status TRM_OK when none.
TRM_API const trm_error *trm_simulation_error(const trm_simulation *simulation);

#ifdef __cplusplus
}
#endif
#endif
