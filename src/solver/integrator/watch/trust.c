// SPDX-License-Identifier: Apache-2.0
// Whether a result can be trusted at its tolerance. Four signs against it:
//   - many attempts were rejected;
//   - the error estimate of the positions stores, in the stiff forces, as much energy as the
//     machine moves with: then a test of positions means nothing, and Newton converges to anything;
//   - the energy balance does not close (energy.c); where it does, only Newton's failures count
//     among the rejections;
//   - steps were so short that roundoff in the velocities, eps |q| / h, exceeds the tolerance and
//     the limit of trust.
#include "solver/integrator/watch/trust.h"

#include "base/error.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/watch/signs.h"
#include "solver/integrator/watch/watch.h"
#include "trammel/verify.h"

#include <float.h>
#include <math.h>
#include <string.h>

// share of rejected attempts (good runs have at most 20 %), and the minimum number that counts
static const double REJECTED_SHARE = 0.25;
enum { MIN_REJECTED = 8 };
// The energy in the error estimate is sampled every ENERGY_EVERY steps, as a share of that of the
// motion, at most MAX_ENERGY; the average of at least MIN_ENERGY samples must stay below the limit.
enum { ENERGY_EVERY = 2, MIN_ENERGY = 3 };
static const double ENERGY_LIMIT = 0.03, MAX_ENERGY = 10;
// A machine whose velocities stay below ten tolerances rests: there is nothing to be wrong about.
static const double MAX_REST = 100;
// roundoff in the velocities of the shortest step, in tolerances (the first steps at the tightest
// tolerances reach 30)
static const double NOISE_LIMIT = 100;
// positions larger than this are far from their origin
static const double FAR_AWAY = 1e6;

static double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

// y = K x and x^T K x, K the derivative of M a - f by q
static double stiffness_energy(const trmi_values *values, const double *x, double *y)
{
    const trmi_matrix b = trmi_matrix_of(values, TRM_QUANTITY_STIFFNESS);
    memset(y, 0, (size_t)b.rows * sizeof *y);
    trmi_matrix_multiply(&b, x, y);
    return dot(x, y, b.rows);
}

// y = M x and x^T M x
static double mass_energy(const trmi_values *values, const double *x, double *y)
{
    trmi_mass_product(values, x, y);
    return dot(x, y, values->e->n_q);
}

// x^T K x of the error estimate e, its part along the constraints x from [S G^T; G 0] (x, .) =
// (M e + K e / cj^2, 0), against v^T M v, the largest so far
void trmi_trust_sample_estimate(trm_simulation *s, double ck, double cj)
{
    trmi_evaluator *e = &s->e;
    trmi_watch *w = &s->watch;
    int n = e->n_q;
    bool stiff = n > 0 && s->values.of[TRM_QUANTITY_STIFFNESS] && !(e->absent & TRM_BIT(STIFFNESS));
    if (!stiff || s->statistics.steps % ENERGY_EVERY != 0)
        return;
    double *x = trmi_scratch_take(&s->scratch, s->saddle.n);
    double *y = trmi_scratch_take(&s->scratch, 2 * n), *product = y + n;
    const double *q = s->corrector.point.q, *v = s->corrector.point.v;
    if (w->estimate_samples ==
        0) { // a machine at rest moves within the tolerance of its velocities
        for (int i = 0; i < n; i++)
            x[i] = 1 / s->weight[n + i];
        w->rest_energy = mass_energy(&s->values, x, y);
        w->motion_energy = fmax(w->motion_energy, w->rest_energy);
    }
    // kinetic_max: also of steps that another method made, of a motion that has come to rest since
    if (w->energy.known)
        w->motion_energy = fmax(w->motion_energy, 2 * w->energy.kinetic_max);
    w->motion_energy = fmax(w->motion_energy, mass_energy(&s->values, v, y));
    for (int i = 0; i < n; i++)
        x[i] = ck * (q[i] - s->prediction.y[i]);
    w->estimate_samples++;
    // otherwise negligible even with the part across the constraints
    if (stiffness_energy(&s->values, x, y) > 1e-3 * ENERGY_LIMIT * w->motion_energy) {
        trmi_mass_product(&s->values, x, product);
        for (int i = 0; i < n; i++)
            x[i] = product[i] + y[i] / (cj * cj);
        memset(x + n, 0, (size_t)(s->saddle.n - n) * sizeof *x);
        trmi_saddle_solve(&s->saddle, x, 1);
        double share = stiffness_energy(&s->values, x, y) / (w->motion_energy + 1e-300);
        w->estimate_energy_sum += fmin(fmax(share, 0), MAX_ENERGY);
    }
    trmi_scratch_release(&s->scratch, x);
}

// the error of an untrusted run, but for its text
static trm_error *untrusted(trm_simulation *s, double h, const char *advice)
{
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    s->error.h = h;
    trmi_error_advise(&s->error, "%s", advice);
    return &s->error;
}

// Rejections of Runge-Kutta and of explicit steps cost time, no more: they are not among these.
static bool are_many(const trm_simulation *s, long rejected)
{
    return !s->method->unwatched && s->method->multistep && rejected >= MIN_REJECTED &&
           (double)rejected > REJECTED_SHARE * (double)s->statistics.steps;
}

static trm_status report_energy(trm_simulation *s, const trmi_energy_verdict *energy)
{
    bool gained = energy->defect > 0;
    return trmi_error_set(
        untrusted(s, s->statistics.h_last, s->method->energy_advice[gained]), TRM_UNTRUSTED,
        "the energy balance does not close: from t = %.6g on the method, not a "
        "force, %s %.3g %% of the energy that was exchanged",
        energy->since, gained ? "brought in" : "took out", 100 * fabs(energy->defect));
}

trm_status trm_simulation_trust(trm_simulation *s)
{
    TRMI_REQUIRE(NULL, s, "simulation");
    const trm_statistics *st = &s->statistics;
    const trmi_watch *w = &s->watch;
    trmi_energy_verdict energy = trmi_energy_judge(s);
    double rtol = s->options.rtol, tolerance = rtol * w->max_v + s->options.atol;
    if (w->noise_v > fmax(NOISE_LIMIT * tolerance, TRM_VERIFY_LIMIT * w->max_v)) {
        double size = w->noise_v * w->shortest_step / DBL_EPSILON; // of the positions
        const char *advice =
            size > FAR_AWAY
                ? "measure positions from an origin close to the motion, or loosen the tolerance"
                : "loosen the tolerance, or remove the jump that forces such short steps";
        return trmi_error_set(untrusted(s, w->shortest_step, advice), TRM_UNTRUSTED,
                              "a step was as short as %.2g with positions of %.2g: roundoff in the "
                              "velocities exceeds the tolerance rtol = %.0e",
                              w->shortest_step, size, rtol);
    }
    double since; // set where there is a doubt
    const char *doubt = trmi_sensitivities_doubtful(s, &since);
    if (doubt)
        return trmi_error_set(
            untrusted(s, st->h_last, "compare with runs at two values of the parameter"),
            TRM_UNTRUSTED, "sensitivities are wrong from t = %.6g on: %s", since, doubt);
    trm_status numbers = trmi_trust_numbers(s);
    if (numbers != TRM_OK)
        return numbers;
    const char *tighten =
        "tighten rtol by ten; a very stiff force stores more energy in a position "
        "error of this tolerance than the motion has";
    long failed = w->rejected_newton + s->corrector.rescued;
    if (energy.exceeded && failed == 0)
        return report_energy(s, &energy);
    if (are_many(s, failed + (energy.closes ? 0 : w->rejected_error))) {
        const char *advice = failed > 0 ? tighten : "tighten rtol by ten and compare";
        return trmi_error_set(untrusted(s, st->h_last, advice), TRM_UNTRUSTED,
                              "in %ld steps the Newton iteration failed %ld times and the error "
                              "test %ld times: at rtol = %.0e the result cannot be trusted",
                              st->steps, failed, w->rejected_error, rtol);
    }
    double share = w->estimate_energy_sum / (double)w->estimate_samples;
    bool moves = w->motion_energy > MAX_REST * w->rest_energy;
    if (moves && w->estimate_samples >= MIN_ENERGY && share > ENERGY_LIMIT)
        return trmi_error_set(untrusted(s, st->h_last, tighten), TRM_UNTRUSTED,
                              "on average the error estimate stored %.2g times the energy of the "
                              "motion in stiff forces: rtol = %.0e is too loose",
                              share, rtol);
    return energy.exceeded ? report_energy(s, &energy) : TRM_OK;
}
