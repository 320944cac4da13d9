// SPDX-License-Identifier: Apache-2.0
// The contact of curved bodies: Hertz' ellipse, and Kalker's coefficients for it.
//
// With the sums of the curvatures 2A <= 2B of both bodies in two directions, 1/E* = 2 (1 - nu^2)/E,
// the longer semi-axis p in the direction of A, the shorter one q, e^2 = 1 - q^2/p^2, and complete
// elliptic integrals K(e), E(e) (Johnson, Contact Mechanics, 4.2)
//
//     B/A = ((p/q)^2 E - K)/(K - E),      p^3 = 3 N (K - E)/(2 pi E* e^2 A)
//     approach = 3 N K/(2 pi E* p)
#include "modelling/multibody/rail/creep.h"

#include "base/space.h"

// K and E by the arithmetic-geometric mean of 1 and k' = q/p:
// K = pi/(2 M),  K - E = K sum 2^(n-1) c_n^2
static void elliptic_integrals(double ratio, double *K, double *difference)
{
    double a = 1, g = ratio, c2 = 1 - ratio * ratio, sum = 0.5 * c2, scale = 1;
    while (fabs(a - g) > 1e-15 * a) {
        double mean = 0.5 * (a + g), c = 0.5 * (a - g);
        g = sqrt(a * g);
        a = mean;
        sum += scale * c * c;
        scale *= 2;
    }
    *K = TRMI_PI / (2 * a);
    *difference = *K * sum;
}

// (K - E)/e^2, which tends to pi/4 for a circle
static double difference_by_square(double ratio, double *K)
{
    double difference, square = 1 - ratio * ratio;
    elliptic_integrals(ratio, K, &difference);
    return square > 1e-12 ? difference / square : TRMI_PI / 4;
}

// B/A of the ratio q/p; 1 for a circle
static double curvature_ratio(double ratio)
{
    double K, D = difference_by_square(ratio, &K), square = 1 - ratio * ratio;
    return square > 1e-12 ? ((K - square * D) / (ratio * ratio) - K) / (square * D) : 1;
}

// q/p for B/A >= 1, by bisection of its logarithm: B/A falls with q/p
static double axis_ratio(double B_over_A)
{
    double low = -20, high = 0;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (curvature_ratio(exp(middle)) > B_over_A)
            low = middle;
        else
            high = middle;
    }
    return exp(0.5 * (low + high));
}

void trmi_hertz_ellipse(double along, double across, double E, double nu, double N, double *a,
                        double *b)
{
    double A = 0.5 * fmin(along, across), B = 0.5 * fmax(along, across), K;
    double ratio = axis_ratio(B / A), modulus = E / (2 * (1 - nu * nu));
    double D = difference_by_square(ratio, &K), p = cbrt(3 * N * D / (2 * TRMI_PI * modulus * A));
    *a = along <= across ? p : ratio * p;
    *b = along <= across ? ratio * p : p;
}

double trmi_hertz_stiffness(double along, double across, double E, double nu)
{
    double a, b, K;
    trmi_hertz_ellipse(along, across, E, nu, 1, &a, &b);
    double p = fmax(a, b), modulus = E / (2 * (1 - nu * nu));
    difference_by_square(fmin(a, b) / p, &K);
    return pow(3 * K / (2 * TRMI_PI * modulus * p), -1.5);
}

// ---- Kalker's coefficients -------------------------------------------------------------------

// Table of Kalker's thesis (1967) for nu = 0.25, as in his book Three-Dimensional Elastic Bodies in
// Rolling Contact: a/b = 0.1 .. 1, then b/a = 0.9 .. 0.1
enum { ROWS = 19 };
static const double kalker[ROWS][TRMI_C_COUNT] = {
    {3.31, 2.52, 0.473, 8.28}, {3.37, 2.63, 0.603, 4.27}, {3.44, 2.75, 0.715, 2.96},
    {3.53, 2.88, 0.823, 2.32}, {3.62, 3.01, 0.929, 1.93}, {3.72, 3.14, 1.03, 1.68},
    {3.81, 3.28, 1.14, 1.50},  {3.91, 3.41, 1.25, 1.37},  {4.01, 3.54, 1.36, 1.27},
    {4.12, 3.67, 1.47, 1.19},  {4.22, 3.81, 1.59, 1.11},  {4.36, 3.99, 1.75, 1.04},
    {4.54, 4.21, 1.95, 0.965}, {4.78, 4.50, 2.23, 0.892}, {5.10, 4.90, 2.62, 0.819},
    {5.57, 5.48, 3.24, 0.747}, {6.34, 6.40, 4.32, 0.674}, {7.78, 8.14, 6.63, 0.601},
    {11.7, 12.8, 14.6, 0.526},
};

void trmi_kalker_coefficients(double a, double b, double C[TRMI_C_COUNT])
{
    double place = a < b ? 10 * a / b - 1 : 19 - 10 * b / a;
    place = fmin(fmax(place, 0), ROWS - 1);
    int row = place < ROWS - 1 ? (int)place : ROWS - 2;
    for (int k = 0; k < TRMI_C_COUNT; k++)
        C[k] = kalker[row][k] + (place - row) * (kalker[row + 1][k] - kalker[row][k]);
}
