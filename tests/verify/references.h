// SPDX-License-Identifier: Apache-2.0
// End states of two problems of the Test Set for IVP Solvers, and how many digits of a run agree.
// The numbers were computed in quad precision with an extrapolation method of order 16 to 26 on the
// index-1 form; the published ones are less exact (Andrews: positions 3e-10, velocities 5e-8,
// multipliers 1e-6; car axis: 3e-13, 7e-10, 2e-12).
#ifndef VERIFY_REFERENCES_H
#define VERIFY_REFERENCES_H

#include "trammel/trammel.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { REFERENCE_Q = 7, REFERENCE_LAMBDA = 6, REFERENCE_LARGEST = 21 };

// Correct digits, scd = -log10 max |y - y_ref| / |y_ref|, of positions, velocities, multipliers.
typedef struct reference_digits {
    double q, v, lambda;
} reference_digits;

typedef struct reference_end {
    const char *problem;
    double t;
    int n_q, n_lambda;
    double q[REFERENCE_Q], v[REFERENCE_Q], lambda[REFERENCE_LAMBDA];
} reference_end;

// beta, Theta, gamma, Phi, delta, Omega, epsilon
static const reference_end reference_andrews = {
    "andrews",
    0.03,
    7,
    6,
    {1.5810771195153707097e+1, -1.5756371058411839470e+1, 4.0822240119645804858e-2,
     -5.3473011634207959377e-1, 5.2440996587995406937e-1, 5.3473011634207959377e-1,
     1.0480807410419378731e+0},
    {1.1399203022591060642e+3, -1.4243792951775400732e+3, 1.1032911910618593745e+1,
     1.9293374105032040832e+1, 5.7356991482950245382e-1, -1.9293374105032040832e+1,
     3.2317914924913087499e-1},
    {1.9917534810453862819e+2, -2.9755309974971763324e+1, 2.3066543611622151129e+1,
     3.1452725275771137075e+1, 2.2642494786394378578e+1, 1.1617392352611255907e+1}};

// xl, yl, xr, yr
static const reference_end reference_car_axis = {
    "car-axis",
    3.0,
    4,
    2,
    {4.9345578427524092132e-2, 4.9698946023000810676e-1, 1.0417425248854261152e+0,
     3.7391102726536581936e-1},
    {-7.7058368403592084284e-2, 7.4468665920684164914e-3, 1.7556815753541736630e-2,
     7.7034104377960106312e-1},
    {-4.7368865908533265153e-3, -1.1046803312595658399e-3}};

static inline double reference_scd(const double *is, const double *should, int n)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(is[i] - should[i]) / fabs(should[i]));
    return -log10(worst + 1e-17);
}

// The seven angles of Andrews' mechanism from those of its bodies.
static inline void reference_angles(const double *bodies, double *angles)
{
    const double *b = bodies + 2;
    const double all[] = {b[0], b[3] - b[0], b[6], b[9] - b[12], b[12], b[15] - b[18], b[18]};
    memcpy(angles, all, sizeof all);
}

// Digits at the present state. andrews-absolute: 7 bodies and 10 pins, seen as the seven angles;
// pins 2, 3 and 4 close the loops, with the opposite sign.
static inline reference_digits reference_compare(const reference_end *end, const char *problem,
                                                 trm_simulation *simulation)
{
    const trm_state *s = trm_simulation_state(simulation);
    double q[REFERENCE_LARGEST], v[REFERENCE_LARGEST], lambda[REFERENCE_LARGEST];
    if (trm_simulation_accelerations(simulation, NULL, lambda) != TRM_OK)
        lambda[0] = INFINITY;
    if (!strcmp(problem, "andrews-absolute")) {
        reference_angles(s->q, q);
        reference_angles(s->v, v);
        for (int i = 0; i < REFERENCE_LAMBDA; i++)
            lambda[i] = -lambda[4 + i];
    } else {
        memcpy(q, s->q, (size_t)end->n_q * sizeof *q);
        memcpy(v, s->v, (size_t)end->n_q * sizeof *v);
    }
    return (reference_digits){reference_scd(q, end->q, end->n_q),
                              reference_scd(v, end->v, end->n_q),
                              reference_scd(lambda, end->lambda, end->n_lambda)};
}

#endif
