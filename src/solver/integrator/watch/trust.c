// SPDX-License-Identifier: Apache-2.0
// Whether a result can be trusted at its tolerance. Four signs say no:
//   - many attempts were rejected;
//   - the error estimate of the positions stores, in the stiff forces, as much energy as the
//     machine moves with: then a test of positions means nothing, and Newton converges to anything;
//   - the energy balance does not close (energy.c); where it does, only Newton's failures count
//     among the rejections;
//   - steps were so short that roundoff in the velocities, eps |q| / h, exceeds the tolerance.
#include "solver/integrator/watch/trust.h"

#include "base/error.h"
#include "solver/integrator/simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

// share of rejected attempts (good runs have at most 20 %), and the least number that counts
static const double REJECTED_SHARE = 0.25;
enum { MIN_REJECTED = 8 };
// The energy in the error estimate is looked at every so many steps, as a share of that of the
// motion, at most MAX_ENERGY; its average must stay below the limit.
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

// y = K x, K the derivative of M a - f by q
static void stiffness_product(const trmi_evaluator *e, const double *x, double *y)
{
    memset(y, 0, (size_t)e->n_q * sizeof *y);
    trmi_values_multiply(&e->block[TRM_STIFFNESS], x, y);
}

// x^T K x of the error estimate e, its part along the constraints x from [S G^T; G 0] (x, .) =
// (M e + K e / cj^2, 0), against v^T M v, the largest so far
void trmi_trust_sample_estimate(trm_simulation *s, double ck, double cj)
{
    trmi_evaluator *e = &s->e;
    int n = e->n_q;
    bool stiff = n > 0 && e->block[TRM_STIFFNESS].value && !(e->absent & TRM_BIT(TRM_STIFFNESS));
    if (!stiff || s->coupled || s->statistics.steps % ENERGY_EVERY != 0)
        return;
    double *x = s->work, *y = x + s->saddle.n, *product = y + n;
    const double *q = s->corrector.point.q, *v = s->corrector.point.v;
    if (s->watch.estimate_samples ==
        0) { // a machine at rest moves within the tolerance of its velocities
        for (int i = 0; i < n; i++)
            x[i] = 1 / s->weight[n + i];
        trmi_mass_product(e, x, y);
        s->watch.rest_energy = dot(x, y, n);
        s->watch.motion_energy = fmax(s->watch.motion_energy, s->watch.rest_energy);
    }
    trmi_mass_product(e, v, y);
    s->watch.motion_energy = fmax(s->watch.motion_energy, dot(v, y, n));
    for (int i = 0; i < n; i++)
        x[i] = ck * (q[i] - s->predicted[i]);
    stiffness_product(e, x, y);
    double raw = dot(x, y, n);
    s->watch.estimate_samples++;
    if (!(raw >
          1e-3 * ENERGY_LIMIT * s->watch.motion_energy)) // nor with the part across the constraints
        return;
    trmi_mass_product(e, x, product);
    for (int i = 0; i < n; i++)
        x[i] = product[i] + y[i] / (cj * cj);
    memset(x + n, 0, (size_t)(s->saddle.n - n) * sizeof *x);
    trmi_saddle_solve(&s->saddle, x, 1);
    stiffness_product(e, x, y);
    double share = dot(x, y, n) / (s->watch.motion_energy + 1e-300);
    s->watch.estimate_energy_sum += fmin(fmax(share, 0), MAX_ENERGY);
}

static trm_status untrusted(trm_simulation *s, double h, const char *advice)
{
    trmi_error_clear(&s->error);
    s->error.t = s->now.t;
    s->error.h = h;
    trmi_error_advise(&s->error, "%s", advice);
    return TRM_UNTRUSTED;
}

// Rejections of Runge-Kutta and of explicit steps cost time, no more.
static bool are_many(const trm_simulation *s, long rejected)
{
    return s->options.control != TRM_CONTROL_CLASSIC && s->method->multistep &&
           rejected >= MIN_REJECTED &&
           (double)rejected > REJECTED_SHARE * (double)s->statistics.steps;
}

// what to try when the method brings energy in, or takes it out
static const char *advise_on_energy(const trm_simulation *s, bool gained)
{
    return gained ? s->method->if_energy_grows : s->method->if_energy_falls;
}

static trm_status tell_energy(trm_simulation *s, const trmi_energy_verdict *energy)
{
    bool gained = energy->defect > 0;
    untrusted(s, s->statistics.h_last, advise_on_energy(s, gained));
    return trmi_error_set(&s->error, TRM_UNTRUSTED,
                          "the energy balance does not close: from t = %.6g on the method, not a "
                          "force, %s %.3g %% of the energy that was exchanged",
                          energy->since, gained ? "brought in" : "took out",
                          100 * fabs(energy->defect));
}

trm_status trm_simulation_trust(trm_simulation *s)
{
    const trm_statistics *st = &s->statistics;
    trmi_energy_verdict energy = trmi_energy_judge(s);
    double tolerance = s->options.rtol * s->watch.max_v + s->options.atol;
    if (s->watch.noise_v > NOISE_LIMIT * tolerance) {
        double size = s->watch.noise_v * s->watch.shortest_step / DBL_EPSILON; // of the positions
        untrusted(s, s->watch.shortest_step,
                  size > FAR_AWAY
                      ? "measure positions from an origin close to the motion, or loosen the "
                        "tolerance"
                      : "loosen the tolerance, or remove the jump that forces such short steps");
        return trmi_error_set(&s->error, TRM_UNTRUSTED,
                              "a step was as short as %.2g with positions of %.2g: roundoff in the "
                              "velocities exceeds the tolerance rtol = %.0e",
                              s->watch.shortest_step, size, s->options.rtol);
    }
    const char *tighten =
        "tighten rtol by ten; a very stiff force stores more energy in a position "
        "error of this tolerance than the motion has";
    long failed = st->rejected_newton + s->corrector.rescued;
    if (energy.exceeded && failed == 0)
        return tell_energy(s, &energy);
    if (are_many(s, failed + (energy.closes ? 0 : st->rejected_error))) {
        untrusted(s, st->h_last, failed > 0 ? tighten : "tighten rtol by ten and compare");
        return trmi_error_set(&s->error, TRM_UNTRUSTED,
                              "in %ld steps the Newton iteration failed %ld times and the error "
                              "test %ld times: at rtol = %.0e the result cannot be trusted",
                              st->steps, failed, st->rejected_error, s->options.rtol);
    }
    bool moves = s->watch.motion_energy > MAX_REST * s->watch.rest_energy;
    if (moves && s->watch.estimate_samples >= MIN_ENERGY &&
        s->watch.estimate_energy_sum > ENERGY_LIMIT * (double)s->watch.estimate_samples) {
        untrusted(s, st->h_last, tighten);
        return trmi_error_set(&s->error, TRM_UNTRUSTED,
                              "on average the error estimate stored %.2g times the energy of the "
                              "motion in stiff forces: rtol = %.0e is too loose",
                              s->watch.estimate_energy_sum / (double)s->watch.estimate_samples,
                              s->options.rtol);
    }
    return energy.exceeded ? tell_energy(s, &energy) : TRM_OK;
}
