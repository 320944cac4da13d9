// SPDX-License-Identifier: Apache-2.0
// States of two problems of the Test Set for IVP Solvers, and how many digits of a run agree.
// The numbers were computed in quad precision with an extrapolation method of order 16 to 26 on the
// index-1 form; the published ones are less exact (Andrews: positions 3e-10, velocities 5e-8,
// multipliers 1e-6; car axis: 3e-13, 7e-10, 2e-12).
#ifndef VERIFY_REFERENCES_H
#define VERIFY_REFERENCES_H

#include "trammel/trammel.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { REFERENCE_Q = 7, REFERENCE_LAMBDA = 6, REFERENCE_TIMES = 3, REFERENCE_LARGEST = 21 };

// Correct digits, scd = -log10 max |y - y_ref| / |y_ref|, of positions, velocities, multipliers.
typedef struct reference_digits {
    double q, v, lambda;
} reference_digits;

typedef struct reference_point {
    double t, q[REFERENCE_Q], v[REFERENCE_Q];
} reference_point;

typedef struct reference_problem {
    const char *name;
    int n_q, n_lambda;
    reference_point end;
    double lambda[REFERENCE_LAMBDA];         // at the end
    reference_point before[REFERENCE_TIMES]; // earlier points
} reference_problem;

// beta, Theta, gamma, Phi, delta, Omega, epsilon
static const reference_problem reference_andrews = {
    "andrews",
    7,
    6,
    {0.03,
     {1.5810771195153707097e+1, -1.5756371058411839470e+1, 4.0822240119645804858e-2,
      -5.3473011634207959377e-1, 5.2440996587995406937e-1, 5.3473011634207959377e-1,
      1.0480807410419378731e+0},
     {1.1399203022591060642e+3, -1.4243792951775400732e+3, 1.1032911910618593745e+1,
      1.9293374105032040832e+1, 5.7356991482950245382e-1, -1.9293374105032040832e+1,
      3.2317914924913087499e-1}},
    {1.9917534810453862819e+2, -2.9755309974971763324e+1, 2.3066543611622151129e+1,
     3.1452725275771137075e+1, 2.2642494786394378578e+1, 1.1617392352611255907e+1},
    {{0.015,
      {5.6554297499917941e+0, -5.8337967651088321e+0, 4.2589192575237794e-1, 1.6401283757260530e-1,
       4.9367652696864441e-1, -1.6401283757260530e-1, 1.2087125419091950e+0},
      {4.4170199325525235e+2, -3.7535949712887439e+2, 4.6634212264885475e+1, 9.2031522088276942e+1,
       -9.5015162559175107e+0, -9.2031522088276942e+1, 3.3690628623572318e+1}},
     {0.02,
      {8.1849058896616755e+0, -7.8905053637304495e+0, 2.0953691338469756e-1, -2.3832559659585125e-1,
       5.2253691715599637e-1, 2.3832559659585125e-1, 1.0862751085998732e+0},
      {7.2655834260912771e+2, -7.4863242063232911e+2, -1.4573923758440471e+2,
       -2.5950079947677504e+2, 9.7905018551630700e+0, 2.5950079947677504e+2,
       -5.7757471742746014e+1}},
     {0.025,
      {1.2107149234447659e+1, -1.2257030103575486e+1, 4.4097335558301191e-1, 1.9394516605445604e-1,
       4.9051954468158976e-1, -1.9394516605445604e-1, 1.2197667718104293e+0},
      {5.8745978907780287e+2, -4.7755714726426303e+2, 4.3070005700074271e+1, 8.5977841796785756e+1,
       -9.2594728826717605e+0, -8.5977841796785756e+1, 3.2023027092165277e+1}}}};

// xl, yl, xr, yr
static const reference_problem reference_car_axis = {
    "car-axis",
    4,
    2,
    {3.0,
     {4.9345578427524092132e-2, 4.9698946023000810676e-1, 1.0417425248854261152e+0,
      3.7391102726536581936e-1},
     {-7.7058368403592084284e-2, 7.4468665920684164914e-3, 1.7556815753541736630e-2,
      7.7034104377960106312e-1}},
    {-4.7368865908533265153e-3, -1.1046803312595658399e-3},
    {{1.5,
      {-3.2492972628491703e-2, 4.9861300842506583e-1, 9.6353145361669794e-1, 5.8769354683240137e-1},
      {3.7951986516115173e-1, 2.5870322767850105e-2, 4.0657059180755873e-1,
       -2.7658838447862854e-1}},
     {2,
      {-4.5604483642859456e-2, 4.9744534321897109e-1, 9.5174076059278757e-1, 5.7026336159723778e-1},
      {-2.0321875849937484e-1, -2.5571824448244870e-2, -2.2593171614498647e-1,
       2.8551409624658914e-1}},
     {2.5,
      {6.6151948855613362e-3, 4.9977544414235793e-1, 1.0065763019561949e+0, 5.0859498755871086e-1},
      {-4.9531778154915443e-1, 1.4447780171386014e-2, -5.0215460097374124e-1,
       7.8960735452936298e-1}}}};

static inline double reference_scd(const double *is, const double *should, int n)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(is[i] - should[i]) / fabs(should[i]));
    return -log10(worst + 1e-17);
}

// Seven bodies and ten pins instead of seven angles?
static inline bool reference_absolute(const char *problem)
{
    return !strcmp(problem, "andrews-absolute");
}

// The seven angles of Andrews' mechanism from those of its bodies.
static inline void reference_angles(const double *bodies, double *angles)
{
    const double *b = bodies + 2;
    const double all[] = {b[0], b[3] - b[0], b[6], b[9] - b[12], b[12], b[15] - b[18], b[18]};
    memcpy(angles, all, sizeof all);
}

// Digits of positions and velocities at a point.
static inline reference_digits reference_compare(const reference_problem *reference,
                                                 const reference_point *point, const char *problem,
                                                 const trm_state *state)
{
    double q[REFERENCE_Q], v[REFERENCE_Q];
    const double *is_q = state->q, *is_v = state->v;
    if (reference_absolute(problem)) {
        reference_angles(is_q, q);
        reference_angles(is_v, v);
        is_q = q;
        is_v = v;
    }
    return (reference_digits){reference_scd(is_q, point->q, reference->n_q),
                              reference_scd(is_v, point->v, reference->n_q), INFINITY};
}

// Digits at the end, with the multipliers that belong to the state. In absolute coordinates pins 2,
// 3 and 4 close the loops, with the opposite sign.
static inline reference_digits reference_compare_end(const reference_problem *reference,
                                                     const char *problem,
                                                     trm_simulation *simulation)
{
    double lambda[REFERENCE_LARGEST];
    reference_digits digits =
        reference_compare(reference, &reference->end, problem, trm_simulation_state(simulation));
    if (trm_simulation_accelerations(simulation, NULL, lambda) != TRM_OK)
        lambda[0] = INFINITY;
    if (reference_absolute(problem))
        for (int i = 0; i < REFERENCE_LAMBDA; i++)
            lambda[i] = -lambda[4 + i];
    digits.lambda = reference_scd(lambda, reference->lambda, reference->n_lambda);
    return digits;
}

#endif
