// SPDX-License-Identifier: Apache-2.0
// A simulation from inside: everything that changes, owned by one object.
#ifndef TRMI_SOLVER_INTEGRATOR_SIMULATION_H
#define TRMI_SOLVER_INTEGRATOR_SIMULATION_H

#include "solver/formulation/start.h"
#include "solver/integrator/alpha/alpha.h"
#include "solver/integrator/corrector/corrector.h"
#include "solver/integrator/explicit/ode.h"
#include "solver/integrator/history.h"
#include "solver/integrator/radau/radau.h"
#include "trammel/simulation.h"

// Step and order control.
typedef struct trmi_control {
    double h;         // step to try next
    int k;            // order to try next
    int k_last;       // order of the last accepted step, 0 at the start
    double h_last;    // its length
    double h_typical; // decaying maximum of accepted steps
    int since_order;  // steps since the order changed (classic: constant steps in a row)
    bool starting;    // order and step are raised with every step
    int newton_failures, error_failures, singular_failures; // in a row
    bool started;
} trmi_control;

// The coefficients of one attempt: order k, step h, at t + h.
typedef struct trmi_coefficients {
    double cj;
    double alpha[10]; // alpha_i = h / psi_i, i = 1 .. k + 1
    double sigma[10]; // sigma_0 .. sigma_k
    double ck;        // error constant
} trmi_coefficients;

// Where the present point stands.
typedef enum trmi_point_place {
    TRMI_AT_NEWEST, // the newest point of the history, or a start in its place
    TRMI_AT_GLIDE,  // beyond it, reached without a step
    TRMI_AT_DETOUR  // inside the last step, at an event; the way goes on from the place before
} trmi_point_place;

// Values, a matrix and a point of its own, for states inside the last step that leave no trace.
typedef struct trmi_sampler {
    trmi_memory memory;
    trmi_values values;
    trm_statistics uncounted; // the work of samples, which no counter of the simulation shows
    trmi_saddle saddle;
    trmi_point point;
    double *lambda; // n_r_full
    trm_state view; // what trm_simulation_sample gives
} trmi_sampler;

// What is known of one event.
typedef struct trmi_event {
    int sign;         // of its function where events were last looked at, 0: unknown
    bool crossed;     // at the present point, in whatever direction
    bool fired;       // in the wanted direction
    bool located;     // while the earliest crossing is looked for
    double t_last;    // when it fired last
    double interval;  // between its last two firings
    int shrinking;    // intervals in a row, each shorter than the one before
    double t_counted; // since when its firings are counted
    int count;        // their number
} trmi_event;

// The events that are watched.
typedef struct trmi_events {
    trm_events user; // count = 0: none
    int capacity;    // of the arrays below
    trmi_event *event;
    double *value, *ahead; // of all functions at the last probe; a little later
    trmi_point probe;
    double *lambda;     // in full numbering
    trmi_values values; // the excitations at the probe
    bool arm;           // the signs are to be taken at the present point
    double t_seen;          // events have been looked at up to here
} trmi_events;

// The gaps of one-sided forces, each at the newest point and at another one.
typedef struct trmi_switches {
    int count;                   // 0: there are none, or steps are constant
    double *gap, *rate, *second; // at the newest point
    double *gap_end, *rate_end;  // at the end of an attempt, or a little later
    double *second_end;          //
    bool *closed, *closing;      // has closed, or is about to; does so at the newest point
    double *brief, *depth;       // a step that resolves its closing, and its way in that time
    int repeated;                // attempts at the present step, for a gap that closes in it
} trmi_switches;

// The energy balance of a system that tells its energy.
enum { TRMI_POWERS = 3 };
typedef struct trmi_energy {
    bool known;   // power and energy have values
    double start; // E, with what events changed
    int count;    // powers that are known: the newest first,
    double t[TRMI_POWERS], power[TRMI_POWERS];
    double losing, t_lost;        // what is lost of one, and when
    int stride, waited;           // steps from one to the next, and since the newest;
    double h;                     // length of a step there
    double work, lost, doubt;     // the integrals, and how wrong the first may be
    double work_least, work_most; //
    double swing;                 // largest T
    double least, most;           // V
    double t_look, defect, worst; // the last look at E; the largest defect
    int since_look;               // steps
    bool over;                    // the last one is more than is allowed,
    double begun, duration;       // since when; how long one was in all
    double *back;                 // scratch for velocities; NULL: P = 0
    trmi_values values;           // of the energy and of the power
    trm_statistics uncounted;     // the work of the balance, which no counter shows
} trmi_energy;

typedef struct trmi_energy_verdict {
    double defect; // as part of the energy that was exchanged; 0 where there is no balance
    bool told;     // it is more than is allowed,
    double since;  // from here on
    bool closes;   // it speaks for the run
} trmi_energy_verdict;

// A change of the held values that changes what the coordinates mean.
typedef struct trmi_recentring {
    const double *from, *to;
} trmi_recentring;

// How the integrators differ. The driver, events, samples, restarts and checkpoints know them only
// through this table (method.c).
typedef struct trmi_method {
    const char *name;
    int order_most;
    double tightening; // of the tolerances in the error test
    bool implicit;     // derivatives of the forces stand in its matrix
    bool multistep;    // the corrector of corrector.h from several points, any formulation
    bool glides;       // a stop much closer than a step is reached by the dense output
    bool (*create)(trm_simulation *s); // memory; false: there is none
    // what needs the rank of the constraints, after the start was found; NULL: nothing
    trm_status (*prepare)(trm_simulation *s);
    // first step, order and past of a start at the present point
    trm_status (*begin)(trm_simulation *s, double t_end);
    // the first steps of a constant-step run, all at once; NULL: they are like the others
    trm_status (*start_fixed)(trm_simulation *s, double t_end);
    // one accepted step, at most to t_end
    trm_status (*step)(trm_simulation *s, double t_end);
    // q, v, x, z and multipliers at t inside the last step or a little beyond; not a
    void (*dense)(trm_simulation *s, double t, trmi_point *p);
    // what it keeps besides the history in other coordinates, before the history; NULL: nothing
    void (*reexpress)(trm_simulation *s, const trmi_recentring *recentring);
    // what one step leaves for the next besides the common part; NULL: nothing
    void (*archive)(trm_simulation *s, trmi_archive *archive);
} trmi_method;

// What integrator = auto stands for, and why.
typedef struct trmi_choice {
    trm_integrator integrator;
    char because[160];
} trmi_choice;

struct trm_simulation {
    trmi_memory memory;
    trm_options options;
    const trmi_method *method;
    trmi_choice choice; // of integrator = auto
    trm_statistics statistics;
    trm_error error;
    trm_start_report start;
    trmi_evaluator e;
    trmi_values values;     // of the step
    trmi_patterns patterns; // of what is differenced
    trmi_saddle saddle;
    trmi_projection projection;      // of the start and of output
    trmi_projection step_projection; // index1-projected: of every step,
    trmi_saddle *second;             // with a matrix beside that of the step (alpha too),
    trmi_invariants invariants;      // kept by it and by output, where there are some
    double *unprojected;             // [q | v] the corrector found,
    double *estimate;                // n_q, error estimate where it is projected
    trmi_coupled *coupled;           // classic only
    trmi_corrector corrector;
    trmi_history history;
    trmi_ode ode;      // adams and explicit only
    trmi_ode starter;  // adams with constant steps: Runge-Kutta steps for its first points
    trmi_radau *radau; // radau only
    trmi_alpha *alpha; // newmark, hht, generalized-alpha only
    trmi_control control;
    trmi_point now;         // the present point: one of those below, or the newest of the history
    trmi_point_place place; // which
    trmi_point_place way;   // in a detour: the place the way goes on from
    double *way_a;          // and its accelerations
    trmi_point glided;      // a point reached without a step; no arrays before the first one
    trmi_point detour;      // a point inside the last step, where events are watched
    long steps_before;      // accepted steps before the last restart
    double t_first;         // time of the start
    trmi_sampler *sampler;  // NULL: none yet
    trmi_events events;
    trmi_switches switches;
    trmi_energy energy;
    double *lambda_full;        // n_r_full, for the view, where rows were dropped
    double *predicted, *offset; // scratch.c: y = [q | v | x | z | lambda | mu],
    double *work;               // two right-hand sides,
    double *level;              // n_r + 1 behind the first
    int predicted_order;
    int predict_multipliers;               // so many of them are extrapolated
    double *weight;                        // [q | v | x | z], 1 / tolerance
    unsigned char *turns;                  // n_q, how often a coordinate was re-centred, to 255
    trm_state view;                        // what trm_simulation_state returns
    bool near_singular;                    // the last step was
    bool spoilt, velocity_warned;          // its velocities were, by lost rank; it has been said
    double motion_energy;                  // largest v^T M v
    double rest_energy;                    // of velocities that are tolerances
    long energy_looks;                     // at the energy in the error estimate
    double energy_excess;                  // sum of its share in that of the motion
    bool *warned;                          // n_warnings: told
    double shortest_step, noise_v, size_v; // roundoff in the velocities, and their size
    double *grid[6], grid_t[6];            // constant steps: the first points
};

typedef struct trmi_step_errors {
    double error;      // of the error test: at most 1 passes
    int order;         // for the next step or attempt
    double estimate;   // error estimate that goes with that order
    double now, below; // order-weighted errors at k and k - 1
} trmi_step_errors;

// how the methods re-express what they keep, in their files
void trmi_adams_reexpress(trm_simulation *s, const trmi_recentring *r);
void trmi_explicit_reexpress(trm_simulation *s, const trmi_recentring *r);
void trmi_radau_reexpress(trm_simulation *s, const trmi_recentring *r);
void trmi_alpha_reexpress(trm_simulation *s, const trmi_recentring *r);

// choose.c: integrator = auto. An error is one of memory
trm_status trmi_choose_integrator(trmi_choice *choice, const trm_system *system,
                                  const trm_options *options, const trm_initial *initial,
                                  trm_error *error);

// method.c: the methods in order of trm_integrator; whether the options suit the one chosen
const trmi_method *trmi_method_of(trm_integrator integrator);
trm_status trmi_check_method(trm_simulation *s);

// bdf.c: one accepted step, at most to t_end; h, or where times are coarse against it what they can
// be apart
trm_status trmi_bdf_step(trm_simulation *s, double t_end);
double trmi_step_of_times(double t, double h);
// the smallest step worth trying; after an attempt whose corrector failed: TRM_OK to try a shorter
// step, or the report; corrector.point becomes the newest point
double trmi_smallest_step(const trm_simulation *s, double t_end);
trm_status trmi_newton_failed(trm_simulation *s, trmi_outcome reason, double h, double t_end);
void trmi_accept_step(trm_simulation *s, double t, double h, int k);
void trmi_bdf_coefficients(const trm_simulation *s, double h, int k, trmi_coefficients *c);
// norm.c: sum over the tested components of (weight (y - p_k))^2, divided by their number, square
// root
double trmi_test_norm(trm_simulation *s, int k, double t);

// present.c: memory for the points, and for one reached without a step; the present point moves to
// a place; back from a detour; `now` is the newest point of the history and the corrector works in
// the oldest; what the corrector found becomes the newest point
bool trmi_points_create(trm_simulation *s);
trm_status trmi_glide_create(trm_simulation *s);
void trmi_move_to(trm_simulation *s, trmi_point_place place);
void trmi_end_detour(trm_simulation *s);
void trmi_bind_points(trm_simulation *s);
void trmi_take_point(trm_simulation *s, double t);
// the i-th newest point of the history, without accelerations; multipliers where they are kept
trmi_point trmi_past_point(const trm_simulation *s, int i);
// everything but the accelerations
void trmi_copy_point(const trmi_evaluator *e, const trmi_point *from, trmi_point *to);
// accepted steps since the start or the last restart
long trmi_steps_since_start(const trm_simulation *s);

// settle.c: before a step, the values held between steps; coordinates change if they must. For
// methods: [q | v] in other coordinates, false: there are none; accelerations that belong to q and
// v, which stay as they are
trm_status trmi_settle_held(trm_simulation *s, double t_end);
bool trmi_reexpress_values(trm_simulation *s, const trmi_recentring *r, double *y);
void trmi_reexpress_acceleration(trm_simulation *s, const trmi_recentring *r, const double *q,
                                 const double *v, double *a);

// warnings.c: memory; after a step and the view of it, what the system warns of, each once
bool trmi_warnings_create(trm_simulation *s);
void trmi_warnings_update(trm_simulation *s);

// switches.c: memory; before a step, which gaps stay open in it, and how long it may be for that;
// whether one that was to stay open closes in an attempt of length h, which is to be repeated with
// control.h then; whether one may close before t_end; after a restart
trm_status trmi_switches_create(trm_simulation *s);
trm_status trmi_meet_switches(trm_simulation *s, double t_end);
bool trmi_steps_over_switch(trm_simulation *s, double h, double t_end);
bool trmi_switch_ahead(trm_simulation *s, double t_end);
void trmi_switches_reset(trm_simulation *s);
void trmi_switches_archive(trm_simulation *s, trmi_archive *archive);
// gap.c: the first time at which gap + rate t + second t^2/2 = 0; the first at which the cubic with
// these values and slopes at 0 and h is 0, if it falls below -least; both HUGE_VAL if there is none
double trmi_gap_closes(double gap, double rate, double second);
double trmi_gap_closed(double h, const double gap[2], const double rate[2], double least);

// dense.c: the polynomial of BDF
void trmi_bdf_dense(trm_simulation *s, double t, trmi_point *p);
// whether there are values at t, with a message; *present: they are those of the present point
trm_status trmi_check_inside(trm_simulation *s, double t, bool *present);

// projected.c: whether invariants are projected; what the formulation needs; I_0; the new point
// onto the constraints, where that follows
bool trmi_keeps_invariants(const trm_simulation *s);
trm_status trmi_projected_create(trm_simulation *s);
// a matrix beside that of the step, and the solver for such ones
trm_status trmi_second_create(trm_simulation *s);
trm_solver trmi_second_solver(const trm_simulation *s);
trm_status trmi_projected_begin(trm_simulation *s, const trmi_point *start);
trmi_outcome trmi_project_step(trm_simulation *s);
// a point of the dense output as the formulation has its points: on the constraints, or not
trm_status trmi_project_output(trm_simulation *s, trmi_saddle *saddle, trmi_point *p,
                               trm_error *error);

// sample.c: what it needs; p becomes the consistent point at t, a = NaN where there is none; full
// (may be NULL): multipliers of all rows. Leaves no trace but in p, full and the sampler.
trm_status trmi_sampler_create(trm_simulation *s);
void trmi_sampler_destroy(trm_simulation *s);
void trmi_sample_point(trm_simulation *s, double t, bool present, trmi_point *p, double *full);

// The sampler without anything of the last sample: pivots, excitations.
trmi_sampler *trmi_sampler_reset(trm_simulation *s);


// events.c: takes the signs of the functions where that is due; whether part of the way to the
// present point has not been looked at; looks at it, and moves to the first event not after t_end
// (TRM_STOP_EVENT), or to t_end where the way goes beyond it
trm_status trmi_arm_events(trm_simulation *s);
bool trmi_events_pending(const trm_simulation *s);
trm_status trmi_find_events(trm_simulation *s, double t_end);
void trmi_clear_fired(trm_simulation *s);
// locate.c: values of the functions at a point, or on the polynomial at t, into events.value; the
// earliest wanted crossing between events.t_seen and `to`, with the values there
trm_status trmi_evaluate_events(trm_simulation *s, const trmi_point *p);
trm_status trmi_probe_events(trm_simulation *s, double t);
bool trmi_event_crossed(const trmi_events *events, int i);
bool trmi_event_wanted(const trmi_events *events, int i);
trm_status trmi_locate_event(trm_simulation *s, double to, double *t);
int trmi_sign(double x);
// the error begins anew and names the event
void trmi_name_event(trm_simulation *s, int i);

void trmi_events_archive(trm_simulation *s, trmi_archive *archive);

// driver.c, jacobian_update = extended: how derivatives depend on the excitations up to t_end
void trmi_extend_derivatives(trm_simulation *s, double t_end);

// fixed.c: memory for, and computation of, the first points of a constant-step run
bool trmi_fixed_create(trm_simulation *s);
trm_status trmi_fixed_start(trm_simulation *s, double t_end);

// energy.c: memory; at a start; after a step; what the run says of its energy
bool trmi_energy_create(trm_simulation *s);
void trmi_energy_begin(trm_simulation *s);
void trmi_balance_update(trm_simulation *s);
trmi_energy_verdict trmi_energy_judge(trm_simulation *s);
// energy_power.c: E at a point with other velocities, and with none; whether its derivative along
// the exact motion can be told; that derivative, where steps are of length h, and E; what of it is
// lost: the part that keeps its sign when the motion is reversed. NaN: no value
double trmi_energy_at(trm_simulation *s, const trmi_point *p, double *v);
double trmi_rest_energy(trm_simulation *s, const trmi_point *p);
bool trmi_power_known(trm_simulation *s);
// energy_power.c: memory for the values of the balance
bool trmi_power_create(trm_simulation *s);
double trmi_power_at(trm_simulation *s, const trmi_point *p, double h, double *energy);
double trmi_lost_at(trm_simulation *s, const trmi_point *p, double power);
// energy_work.c: the integral from the newest power to a new one at t, by those before, and how
// wrong it may be; the same by what lies inside of the last step, of length h
double trmi_work_since(const trmi_energy *w, double t, double power, double *doubt);
double trmi_step_work(trm_simulation *s, double end, double h, double first, double last,
                      double *doubt);

// trust.c: looks at the energy in the error estimate, before a step is accepted
void trmi_trust_sample_estimate(trm_simulation *s, double ck, double cj);

// control.c
void trmi_start_control(trm_simulation *s, double t_end);
trmi_step_errors trmi_estimate_errors(trm_simulation *s, double h, int k,
                                      const trmi_coefficients *c);
// step and order for the next attempt after a failed error test; after an accepted step
void trmi_after_error_failure(trm_simulation *s, const trmi_step_errors *errors);
void trmi_after_acceptance(trm_simulation *s, trmi_step_errors errors, double h, int k);
// the last matrix was close to losing rank
bool trmi_near_singular(const trm_simulation *s);
void trmi_after_newton_failure(trm_simulation *s, trmi_outcome reason);

// failure.c: fills s->error from the last attempt
trm_status trmi_report_failure(trm_simulation *s, trm_status status, double h, const char *text,
                               const char *advice);

// The end of all attempts: the reason of the corrector, or the error test, as a full report.
trm_status trmi_give_up(trm_simulation *s, trmi_outcome reason, double h);
trm_status trmi_give_up_error_test(trm_simulation *s, double h);
// Other advice in a report, where the method brought in the energy that no step can follow.
trm_status trmi_blame_method(trm_simulation *s, trm_status status);

// scratch.c: memory for what is needed for a moment
bool trmi_scratch_create(trm_simulation *s);

void trmi_update_weights(trm_simulation *s);
void trmi_start_history(trm_simulation *s);
void trmi_update_view(trm_simulation *s);
// the multipliers of all rows, 0 for those that were dropped
const double *trmi_all_multipliers(trm_simulation *s, const double *lambda);
void trmi_log(const trm_simulation *s, trm_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
