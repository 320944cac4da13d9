// SPDX-License-Identifier: Apache-2.0
// The public face of a simulation: creation, drivers, dense output, reports.
#include "integrator/simulation.h"

#include "base/error.h"
#include "formulation/redundancy.h"

#include <float.h>
#include <math.h>
#include <string.h>

// share of steps with Newton failures beyond which a result is not trusted, and the least number
// of failures that counts (spec: every run with an error above 1000 rtol had more than 60 %, good
// ones at most 14 %, one 48 %)
static const double UNTRUSTED_SHARE = 0.25;
// roundoff in the velocities of the shortest step, in tolerances, that is not trusted either (the
// first steps at the tightest tolerances reach 30)
static const double NOISE_LIMIT = 100;
enum { UNTRUSTED_LEAST = 5, CLASSIC_SPLIT_LIMIT = 2000, CLASSIC_DENSE_LIMIT = 300 };

// The error test looks at positions only. At a tenth of the tolerance that costs and means what a
// test of positions and velocities at the full tolerance does (measured on chain and Andrews).
static const double POSITION_TIGHTENING = 0.1;

void trmi_update_weights(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    const trm_system *u = &e->user;
    const double tighten = s->options.control == TRM_CONTROL_CLASSIC ? 1 : POSITION_TIGHTENING;
    const double rtol = tighten * s->options.rtol, atol = tighten * s->options.atol;
    const struct {
        const double *y, *scale;
        int n;
    } parts[] = {{s->now.q, u->q_scale, e->n_q},
                 {s->now.v, u->v_scale, e->n_q},
                 {s->now.x, u->x_scale, e->n_x},
                 {s->now.z, u->z_scale, e->n_z}};
    double *w = s->weight;
    for (int k = 0; k < 4; k++) {
        const double *y = parts[k].y, *scale = parts[k].scale;
        if (scale)
            for (int i = 0; i < parts[k].n; i++)
                w[i] = 1 / (rtol * fabs(y[i]) + atol * scale[i]);
        else
            for (int i = 0; i < parts[k].n; i++)
                w[i] = 1 / (rtol * fabs(y[i]) + atol);
        w += parts[k].n;
    }
    if (s->corrector.policy->test_multipliers)
        for (int i = 0; i < e->n_r; i++) {
            s->corrector.weight_lambda[i] = 1 / (rtol * fabs(s->now.lambda[i]) + atol);
            s->corrector.weight_mu[i] = 1 / (rtol * fabs(s->corrector.mu[i]) + atol);
        }
}

static trm_status check_initial(const trm_system *system, const trm_initial *initial,
                                trm_error *error)
{
    const struct {
        const double *values;
        int n;
        const char *name;
    } parts[] = {{initial->q, system->n_q, "q"},
                 {initial->v, system->n_q, "v"},
                 {initial->x, system->n_x, "x"},
                 {initial->z, system->n_z, "z"},
                 {initial->lambda, system->n_g + system->n_a, "lambda"}};
    if (!isfinite(initial->t))
        return trmi_error_set(error, TRM_ERR_INITIAL, "the initial time is %g", initial->t);
    for (int k = 0; k < 5; k++)
        for (int i = 0; parts[k].values && i < parts[k].n; i++)
            if (!isfinite(parts[k].values[i]))
                return trmi_error_set(error, TRM_ERR_INITIAL, "the initial value of %s[%d] is %g",
                                      parts[k].name, i, parts[k].values[i]);
    return TRM_OK;
}

// everything the wanted control and formulation needs
static uint64_t needed_quantities(const trm_options *o, const trmi_policy *policy)
{
    const uint64_t matrix_of_step =
        TRM_BIT(TRM_STIFFNESS) | TRM_BIT(TRM_DAMPING) | TRM_BIT(TRM_FORCE_X) |
        TRM_BIT(TRM_FORCE_Z) | TRM_BIT(TRM_FORCE_LAMBDA) | TRM_BIT(TRM_RATE_Q) |
        TRM_BIT(TRM_RATE_V) | TRM_BIT(TRM_RATE_X) | TRM_BIT(TRM_RATE_Z) | TRM_BIT(TRM_RATE_LAMBDA) |
        TRM_BIT(TRM_ALGEBRAIC_Q) | TRM_BIT(TRM_ALGEBRAIC_V) | TRM_BIT(TRM_ALGEBRAIC_X) |
        TRM_BIT(TRM_ALGEBRAIC_Z) | TRM_BIT(TRM_ALGEBRAIC_LAMBDA);
    uint64_t needed = matrix_of_step;
    if (policy->geometric)
        needed |= TRM_BIT(TRM_GEOMETRIC);
    if (o->control == TRM_CONTROL_CLASSIC)
        needed |= TRM_BIT(TRM_VELOCITY_Q);
    return needed;
}

static trm_status take_memory(trm_simulation *s)
{
    trmi_memory *m = &s->memory;
    trmi_evaluator *e = &s->e;
    int n_r = e->n_r_full;
    bool classic = s->options.control == TRM_CONTROL_CLASSIC;
    s->y_size = 2 * e->n_q + e->n_x + e->n_z + (classic ? 2 : 1) * n_r;
    int n = e->n_q + e->n_x + e->n_z + n_r + 1;
    bool good = trmi_point_create(&s->now, m, e) && TRMI_TAKE(m, s->lambda_full, n_r + 1) &&
                TRMI_TAKE(m, s->level, n_r + 1) && TRMI_TAKE(m, s->work, 2 * n) &&
                TRMI_TAKE(m, s->predicted, s->y_size) && TRMI_TAKE(m, s->offset, s->y_size) &&
                TRMI_TAKE(m, s->weight, 2 * e->n_q + e->n_x + e->n_z) &&
                trmi_history_create(&s->history, m, s->y_size) &&
                trmi_corrector_create(&s->corrector, m) && trmi_fixed_create(s);
    return good ? TRM_OK : trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for a simulation");
}

static void connect_corrector(trm_simulation *s)
{
    trmi_corrector *c = &s->corrector;
    c->e = &s->e;
    c->saddle = &s->saddle;
    c->policy = trmi_policy_of(s->options.formulation);
    c->options = &s->options;
    c->statistics = &s->statistics;
}

static void connect_weights(trm_simulation *s)
{
    trmi_corrector *c = &s->corrector;
    c->weight_q = s->weight;
    c->weight_v = s->weight + s->e.n_q;
    c->weight_x = c->weight_v + s->e.n_q;
    c->weight_z = c->weight_x + s->e.n_x;
    c->exact = (trmi_saddle_derivatives(&s->saddle) & ~s->e.supplied) == 0;
}

// control classic works on (q, v) of the papers: no states, algebraic variables, rolling rows
static trm_status create_classic(trm_simulation *s)
{
    trmi_evaluator *e = &s->e;
    if (e->n_x + e->n_z + e->n_a > 0 || e->force_uses_lambda) {
        trmi_error_advise(&s->error, "use control = default");
        return trmi_error_set(&s->error, TRM_ERR_OPTION,
                              "control = classic is for systems of positions and holonomic "
                              "constraints only");
    }
    bool split = !s->corrector.policy->unknown_multipliers ||
                 s->corrector.policy->start == TRMI_MULTIPLIERS_FROM_RESIDUAL;
    if (split && e->n_q > CLASSIC_SPLIT_LIMIT) {
        trmi_error_advise(&s->error, "use control = default");
        return trmi_error_set(&s->error, TRM_ERR_OPTION,
                              "control = classic with a coordinate split is dense and limited to "
                              "%d coordinates",
                              CLASSIC_SPLIT_LIMIT);
    }
    bool dense = s->options.linear_solver == TRM_SOLVER_DENSE ||
                 (s->options.linear_solver != TRM_SOLVER_SPARSE && e->n_q <= CLASSIC_DENSE_LIMIT);
    bool nullspace = dense && !s->corrector.policy->unknown_multipliers;
    s->coupled = trmi_coupled_create(&s->memory, e, dense, nullspace);
    s->corrector.coupled = s->coupled;
    return s->coupled ? TRM_OK
                      : trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for the matrix");
}

// The two points BDF of order one starts from: the initial one and a past one at t - h that has
// the same derivatives. Default: with the acceleration, so that order two starts well.
void trmi_start_history(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    bool classic = s->options.control == TRM_CONTROL_CLASSIC;
    double h = s->control.h, bend = classic ? 0 : 0.5 * h * h;
    int n = e->n_q;
    trmi_history_clear(&s->history);
    if (e->n_x > 0)
        trmi_evaluate(&s->e, &s->now, TRM_BIT(TRM_RATE));
    for (int point = 0; point < 2; point++) {
        double back = point == 0 ? h : 0, *y = trmi_history_push(&s->history, s->now.t - back);
        for (int i = 0; i < n; i++) {
            y[i] = s->now.q[i] - back * s->now.v[i] + (back > 0 ? bend * s->now.a[i] : 0);
            y[n + i] = s->now.v[i] - back * s->now.a[i];
        }
        for (int i = 0; i < e->n_x; i++)
            y[2 * n + i] = s->now.x[i] - back * e->block[TRM_RATE].value[i];
        memcpy(y + 2 * n + e->n_x, s->now.z, (size_t)e->n_z * sizeof *y);
        memcpy(y + 2 * n + e->n_x + e->n_z, s->now.lambda, (size_t)e->n_r * sizeof *y);
        if (classic)
            memset(y + 2 * n + e->n_x + e->n_z + e->n_r, 0, (size_t)e->n_r * sizeof *y);
    }
}

static void update_view(trm_simulation *s);

static trm_status build(trm_simulation *s, const trm_system *system, const trm_initial *initial)
{
    connect_corrector(s);
    trmi_policy policy = *s->corrector.policy;
    trm_status status =
        trmi_evaluator_create(&s->e, &s->memory, system, needed_quantities(&s->options, &policy),
                              initial, &s->statistics, &s->error);
    if (status == TRM_OK)
        status = take_memory(s);
    if (status != TRM_OK)
        return status;
    trmi_point_set(&s->now, &s->e, initial);
    status = trmi_start(&s->saddle, &s->memory, &s->e, &s->options, policy.geometric, &s->now,
                        s->work, &s->start, &s->error);
    if (status == TRM_OK && !trmi_corrector_create_split(&s->corrector, &s->memory))
        status = trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for a simulation");
    if (status == TRM_OK && s->options.control == TRM_CONTROL_CLASSIC)
        status = create_classic(s);
    if (status != TRM_OK)
        return status;
    const trmi_evaluator *e = &s->e;
    bool predict_multipliers = policy.start == TRMI_MULTIPLIERS_EXTRAPOLATED;
    s->predict_size =
        2 * e->n_q + e->n_x + e->n_z + (predict_multipliers ? (s->coupled ? 2 : 1) * e->n_r : 0);
    connect_weights(s);
    trmi_update_weights(s);
    update_view(s);
    if (s->options.formulation == TRM_FORMULATION_CM_FROZEN)
        trmi_log(s, TRM_LOG_WARNING,
                 "cm-frozen is a smoother, not an integrator: its error does not vanish with the "
                 "tolerance; use cs for results");
    return TRM_OK;
}

trm_status trm_simulation_create(trm_simulation **out, const trm_system *system,
                                 const trm_options *options, const trm_initial *initial,
                                 trm_error *error)
{
    *out = NULL;
    trm_error local;
    error = error ? error : &local;
    trm_status status = trm_options_check(options, error);
    if (status == TRM_OK)
        status = trm_system_validate(system, error);
    const trm_initial origin = {0};
    initial = initial ? initial : &origin;
    if (status == TRM_OK)
        status = check_initial(system, initial, error);
    if (status != TRM_OK)
        return status;
    trmi_memory memory;
    trmi_memory_init(&memory, &options->allocator);
    trm_simulation *s;
    if (!TRMI_TAKE(&memory, s, 1))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for a simulation");
    s->memory = memory;
    s->options = *options;
    s->shortest_step = HUGE_VAL;
    trmi_error_clear(&s->error);
    status = build(s, system, initial);
    if (status == TRM_OK) {
        *out = s;
        return TRM_OK;
    }
    *error = s->error;
    error->status = status;
    trm_simulation_destroy(s);
    return status;
}

void trm_simulation_destroy(trm_simulation *s)
{
    if (!s)
        return;
    trmi_saddle_destroy(&s->saddle);
    trmi_coupled_destroy(s->coupled);
    trmi_memory memory = s->memory; // s itself lives in it
    trmi_memory_release_all(&memory);
}

static trm_status check_end(trm_simulation *s, double t_end)
{
    double roundoff = 4 * DBL_EPSILON * fabs(s->now.t);
    if (isfinite(t_end) && t_end >= s->now.t - roundoff)
        return TRM_OK;
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    if (!isfinite(t_end))
        return trmi_error_set(&s->error, TRM_ERR_RANGE, "the end %g is not a finite time", t_end);
    return trmi_error_set(&s->error, TRM_ERR_RANGE, "the end %g lies before the present time %g",
                          t_end, s->now.t);
}

// A stop much closer than a step is reached by the polynomial of the method, projected onto the
// constraints; the history stays where it is and the next step starts from there. A real step that
// short would drown the velocities in roundoff.
static const double GLIDE = 0.1;

static bool glides(const trm_simulation *s, double t_end)
{
    return s->options.control != TRM_CONTROL_CLASSIC && !(s->options.h_fixed > 0) &&
           t_end - s->history.t[0] < GLIDE * s->control.h;
}

static trm_status glide(trm_simulation *s, double t_end)
{
    const trmi_evaluator *e = &s->e;
    int k = s->control.k < s->history.count ? s->control.k : s->history.count - 1, n = e->n_q;
    trmi_history_predict(&s->history, k, t_end, 0, s->predict_size, s->predicted, s->offset);
    const double *y = s->predicted;
    trmi_point *p = &s->corrector.point; // becomes `now` if all goes well
    memcpy(p->q, y, (size_t)n * sizeof *y);
    memcpy(p->v, y + n, (size_t)n * sizeof *y);
    memcpy(p->x, y + 2 * n, (size_t)e->n_x * sizeof *y);
    memcpy(p->z, y + 2 * n + e->n_x, (size_t)e->n_z * sizeof *y);
    memcpy(p->a, s->now.a, (size_t)n * sizeof *y);
    memcpy(p->lambda, s->now.lambda, (size_t)e->n_r * sizeof *y);
    p->t = t_end;
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    trm_status status = trmi_project_point(&s->saddle, p, s->work, &s->error);
    if (status == TRM_OK)
        status = trmi_check_dropped_rows(&s->e, p, &s->error);
    if (status == TRM_OK)
        trmi_swap_points(s);
    return status;
}

static trm_status advance(trm_simulation *s, double t_end)
{
    bool first = !s->control.started;
    if (first && s->options.h_fixed > 0)
        return trmi_fixed_start(s, t_end);
    if (first) {
        trmi_start_control(s, t_end);
        trmi_start_history(s);
    }
    if (glides(s, t_end))
        return glide(s, t_end);
    trm_status status;
    double t_before = s->now.t; // may lie beyond the newest point, after a glide
    do
        status = trmi_bdf_step(s, t_end);
    while (status == TRM_OK && s->now.t <= t_before);
    return status;
}

// what trm_simulation_state shows; dropped rows have no multiplier of their own
static void update_view(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    const double *lambda = s->now.lambda;
    if (e->n_r < e->n_r_full) {
        memset(s->lambda_full, 0, (size_t)e->n_r_full * sizeof *s->lambda_full);
        for (int r = 0; r < e->n_r; r++)
            s->lambda_full[e->full[r]] = s->now.lambda[r];
        lambda = s->lambda_full;
    }
    if (e->n_u > 0)
        trmi_evaluate(&s->e, &s->now, 0); // the excitations belong to the present time
    s->view =
        (trm_state){s->now.t, s->now.q, s->now.v, s->now.a, s->now.x, s->now.z, lambda, e->input};
}

trm_status trm_simulation_step(trm_simulation *s, double t_end, double *t_reached)
{
    trm_status status = check_end(s, t_end);
    if (status == TRM_OK && t_end > s->now.t) {
        if (s->statistics.steps >= s->options.max_steps) {
            status = trmi_report_failure(s, TRM_ERR_STEPS, s->control.h, "too many steps",
                                         "raise max_steps, loosen the tolerance, or look for a "
                                         "fast motion that must be resolved");
        } else {
            status = advance(s, t_end);
        }
    }
    update_view(s);
    if (t_reached)
        *t_reached = s->now.t;
    return status;
}

// eps |q| / h of the shortest step against the tolerance of the velocities
static bool drowned_in_roundoff(const trm_simulation *s)
{
    return s->noise_v > NOISE_LIMIT * (s->options.rtol * s->size_v + s->options.atol);
}

static trm_status judge_trust(trm_simulation *s)
{
    const trm_statistics *st = &s->statistics;
    if (drowned_in_roundoff(s)) {
        trmi_error_clear(&s->error);
        s->error.t = s->now.t;
        s->error.h = s->shortest_step;
        trmi_error_advise(&s->error, "loosen the tolerance, or remove the jump that forces such "
                                     "short steps");
        return trmi_error_set(&s->error, TRM_UNTRUSTED,
                              "a step was as short as %.2g: roundoff in the velocities exceeds the "
                              "tolerance rtol = %.0e",
                              s->shortest_step, s->options.rtol);
    }
    if (s->options.control == TRM_CONTROL_CLASSIC || st->rejected_newton < UNTRUSTED_LEAST ||
        (double)st->rejected_newton <= UNTRUSTED_SHARE * (double)st->steps)
        return TRM_OK;
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    s->error.h = st->h_last;
    trmi_error_advise(&s->error,
                      "tighten rtol to %.0e; a very stiff force stores more energy in a "
                      "position error of this tolerance than the motion has",
                      0.1 * s->options.rtol);
    return trmi_error_set(&s->error, TRM_UNTRUSTED,
                          "the Newton iteration failed %ld times in %ld steps: at rtol = %.0e the "
                          "result cannot be trusted",
                          st->rejected_newton, st->steps, s->options.rtol);
}

trm_status trm_simulation_run(trm_simulation *s, double t_end)
{
    trm_status status = check_end(s, t_end);
    while (status == TRM_OK && s->now.t < t_end) {
        status = trm_simulation_step(s, t_end, NULL);
        if (status == TRM_OK && s->options.progress) {
            const trm_statistics *st = &s->statistics;
            trm_progress p = {s->now.t,       t_end,     st->h_last,
                              st->order_last, st->steps, st->rejected_error + st->rejected_newton};
            if (s->options.progress(&p, s->options.user) != 0)
                return TRM_STOP_USER;
        }
    }
    return status == TRM_OK ? judge_trust(s) : status;
}

const trm_state *trm_simulation_state(const trm_simulation *s)
{
    return &s->view;
}

// values at t from the history into `out`, n entries from `first` on
static void interpolate_part(const trmi_history *history, int k, const double *weight, int first,
                             int n, double *out)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j <= k; j++)
            sum += weight[j] * history->y[j][first + i];
        out[i] = sum;
    }
}

trm_status trm_simulation_interpolate(trm_simulation *s, double t, double *q, double *v, double *x,
                                      double *z, double *lambda)
{
    const trmi_evaluator *e = &s->e;
    const trmi_history *history = &s->history;
    bool moved = s->statistics.steps > 0;
    double slack = 1e-12 * fmax(fabs(s->now.t), s->statistics.h_last);
    double from = moved ? history->t[1] : s->now.t;
    if (!(t >= from - slack && t <= s->now.t + slack)) {
        trmi_error_clear(&s->error);
        return trmi_error_set(&s->error, TRM_ERR_RANGE,
                              "t = %.9g is outside the last step [%.9g, %.9g]", t, from, s->now.t);
    }
    const double *now[] = {s->now.q, s->now.v, s->now.x, s->now.z};
    double *out[] = {q, v, x, z}, weight[TRMI_HISTORY_POINTS];
    const int n[] = {e->n_q, e->n_q, e->n_x, e->n_z};
    bool present = !moved || t == s->now.t; // the state itself, also right after a glide
    int k = s->statistics.order_last, first = 0;
    if (!present)
        trmi_history_weights(history, k, t, weight, NULL);
    for (int part = 0; part < 4; first += n[part++])
        if (out[part] && present)
            memcpy(out[part], now[part], (size_t)n[part] * sizeof *q);
        else if (out[part])
            interpolate_part(history, k, weight, first, n[part], out[part]);
    if (lambda) {
        memset(lambda, 0, (size_t)e->n_r_full * sizeof *lambda);
        for (int r = 0; r < e->n_r && present; r++)
            lambda[e->full[r]] = s->now.lambda[r];
        for (int r = 0; r < e->n_r && !present; r++)
            interpolate_part(history, k, weight, first + r, 1, &lambda[e->full[r]]);
    }
    return TRM_OK;
}

trm_status trm_simulation_accelerations(trm_simulation *s, double *a, double *lambda)
{
    trmi_evaluator *e = &s->e;
    trmi_point p = s->corrector.point; // scratch between steps
    p.t = s->now.t;
    memcpy(p.q, s->now.q, (size_t)e->n_q * sizeof *p.q);
    memcpy(p.v, s->now.v, (size_t)e->n_q * sizeof *p.v);
    memcpy(p.x, s->now.x, (size_t)e->n_x * sizeof *p.x);
    memcpy(p.z, s->now.z, (size_t)e->n_z * sizeof *p.z);
    memcpy(p.lambda, s->now.lambda, (size_t)e->n_r * sizeof *p.lambda);
    trm_error error;
    trmi_error_clear(&error);
    trm_status status = trmi_accelerations(&s->saddle, &p, s->work, &error);
    if (status != TRM_OK) {
        s->error = error;
        s->error.t = s->now.t;
        return status;
    }
    if (a)
        memcpy(a, p.a, (size_t)e->n_q * sizeof *a);
    if (lambda)
        trmi_full_multipliers(e, &s->memory, &p, lambda);
    return TRM_OK;
}

double trm_simulation_energy(trm_simulation *s)
{
    if (s->e.absent & TRM_BIT(TRM_ENERGY) || trmi_evaluate(&s->e, &s->now, TRM_BIT(TRM_ENERGY)))
        return NAN;
    return s->e.block[TRM_ENERGY].value[0];
}

const trm_statistics *trm_simulation_statistics(const trm_simulation *s)
{
    return &s->statistics;
}

const trm_start_report *trm_simulation_start(const trm_simulation *s)
{
    return &s->start;
}

int trm_simulation_row_redundant(const trm_simulation *s, int row)
{
    return row >= 0 && row < s->e.n_r_full && s->e.active[row] == s->e.n_r;
}

const trm_error *trm_simulation_error(const trm_simulation *s)
{
    return &s->error;
}
