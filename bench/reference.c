// SPDX-License-Identifier: Apache-2.0
#include "reference.h"

#include "peer_chain.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846, gravity = 9.81;

// ---- Gragg-Bulirsch-Stoer extrapolation -------------------------------------------------------

typedef void rates_function(const double *y, double *dy, void *user);

enum { COLUMNS = 7 }; // order 14: midpoint sequences of 2, 4, ..., 14 steps

typedef struct extrapolation {
    rates_function *rates;
    void *user;
    int size;
    double *y, *f0, *f, *before, *now; ///< state, its rates, and the midpoint sequence
    double *column[COLUMNS];           ///< the last row of the extrapolation table
} extrapolation;

// Midpoint rule with an even number of steps: an error expansion in even powers of h.
static void midpoint(extrapolation *e, double span, int steps)
{
    double h = span / steps;
    for (int i = 0; i < e->size; i++) {
        e->before[i] = e->y[i];
        e->now[i] = e->y[i] + h * e->f0[i];
    }
    for (int step = 1; step < steps; step++) {
        e->rates(e->now, e->f, e->user);
        for (int i = 0; i < e->size; i++) {
            double next = e->before[i] + 2.0 * h * e->f[i];
            e->before[i] = e->now[i];
            e->now[i] = next;
        }
    }
}

// One step; e->column[last] becomes the new state. Returns the error relative to 1 + |y|.
static double extrapolate(extrapolation *e, double span)
{
    double error = 0.0;
    for (int j = 0; j < COLUMNS; j++) {
        midpoint(e, span, 2 * (j + 1));
        double *value = e->now;
        for (int k = 0; k <= j; k++) { // Aitken-Neville; value becomes T(j, k)
            double ratio = (j + 1.0) / (j + 1.0 - (k + 1.0)), factor = 1.0 / (ratio * ratio - 1.0);
            for (int i = 0; i < e->size; i++) {
                double previous = e->column[k][i]; // T(j-1, k)
                e->column[k][i] = value[i];
                if (k < j)
                    value[i] += (value[i] - previous) * factor;
            }
        }
    }
    const double *best = e->column[COLUMNS - 1], *second = e->column[COLUMNS - 2];
    for (int i = 0; i < e->size; i++)
        error = fmax(error, fabs(best[i] - second[i]) / (1.0 + fabs(best[i])));
    return error;
}

static void integrate(extrapolation *e, double t_end, double tolerance)
{
    double t = 0.0, h = 1e-5 * t_end;
    e->rates(e->y, e->f0, e->user);
    while (t < t_end) {
        int last = t + h >= t_end;
        if (last)
            h = t_end - t;
        double error = extrapolate(e, h);
        if (error <= tolerance) {
            memcpy(e->y, e->column[COLUMNS - 1], (size_t)e->size * sizeof *e->y);
            e->rates(e->y, e->f0, e->user);
            t = last ? t_end : t + h;
        }
        double factor = 0.9 * pow(tolerance / (error + 1e-300), 1.0 / (2 * COLUMNS - 1));
        h *= fmin(4.0, fmax(0.1, factor));
    }
}

// y(0) -> y(t_end), in place. Returns 0 or -1 (memory).
static int solve(rates_function *rates, void *user, int size, double *y, double t_end,
                 double tolerance)
{
    double *memory = calloc((size_t)size * (4 + COLUMNS), sizeof *memory);
    if (memory == NULL)
        return -1;
    extrapolation e = {.rates = rates, .user = user, .size = size, .y = y, .f0 = memory};
    e.f = e.f0 + size;
    e.before = e.f + size;
    e.now = e.before + size;
    for (int k = 0; k < COLUMNS; k++)
        e.column[k] = e.now + (k + 1) * size;
    integrate(&e, t_end, tolerance);
    free(memory);
    return 0;
}

// ---- the problems -----------------------------------------------------------------------------

static int chain(double links, double tolerance, double *q, double *v)
{
    int n = (int)links, rc = -1;
    peer_chain model;
    double *y = calloc(2 * (size_t)n, sizeof *y); // horizontal, at rest
    if (peer_chain_create(&model, n) == 0 && y != NULL)
        rc = solve(peer_chain_rates, &model, 2 * n, y, 1.0, tolerance);
    if (rc == 0)
        peer_chain_expand(n, y, q, v);
    peer_chain_destroy(&model);
    free(y);
    return rc;
}

// All cranks turn alike and the couplers stay horizontal: one pendulum.
static void four_bar_rates(const double *y, double *dy, void *loops)
{
    double n = *(const double *)loops;
    double inertia = (n + 1.0) / 3.0 + n, moment = gravity * ((n + 1.0) / 2.0 + n);
    dy[0] = y[1];
    dy[1] = -moment * cos(y[0]) / inertia;
}

static int four_bar(double loops, double tolerance, double *q, double *v)
{
    int n = (int)loops;
    double y[2] = {pi / 2.0, -1.0};
    if (solve(four_bar_rates, &loops, 2, y, 10.0, tolerance) != 0)
        return -1;
    double c = cos(y[0]), s = sin(y[0]), w = y[1];
    for (int i = 0; i <= n; i++) { // cranks
        memcpy(q + 3 * i, (double[]){i + 0.5 * c, 0.5 * s, y[0]}, 3 * sizeof *q);
        memcpy(v + 3 * i, (double[]){-0.5 * s * w, 0.5 * c * w, w}, 3 * sizeof *v);
    }
    for (int i = 0; i < n; i++) { // couplers
        memcpy(q + 3 * (n + 1 + i), (double[]){i + 0.5 + c, s, 0.0}, 3 * sizeof *q);
        memcpy(v + 3 * (n + 1 + i), (double[]){-s * w, c * w, 0.0}, 3 * sizeof *v);
    }
    return 0;
}

// Two rods (1 m, 1 kg, I = 1/12). y = (angle 1, dx, dy, angle 2) and rates, where d is the opening
// of the bushing: the start of rod 2 minus the end of rod 1. With d as unknown nothing cancels.
static void bushing_rates(const double *y, double *dy, void *stiffness)
{
    double k = *(const double *)stiffness, damping = 2.0 * 0.02 * sqrt(k);
    double c1 = cos(y[0]), s1 = sin(y[0]), c2 = cos(y[3]), s2 = sin(y[3]);
    double w1 = y[4], w2 = y[7];
    double fx = -k * y[1] - damping * y[5], fy = -k * y[2] - damping * y[6]; // on rod 2
    memcpy(dy, y + 4, 4 * sizeof *dy);
    double alpha1 = 3.0 * (-0.5 * gravity * c1 + s1 * fx - c1 * fy);
    double alpha2 = 12.0 * 0.5 * (s2 * fx - c2 * fy);
    dy[4] = alpha1;
    dy[5] = fx + 0.5 * (alpha2 * s2 + w2 * w2 * c2) + (alpha1 * s1 + w1 * w1 * c1);
    dy[6] = fy - gravity - 0.5 * (alpha2 * c2 - w2 * w2 * s2) - (alpha1 * c1 - w1 * w1 * s1);
    dy[7] = alpha2;
}

static int stiff_bushing(double k, double tolerance, double *q, double *v)
{
    double y[8] = {0.0}; // horizontal, at rest
    if (solve(bushing_rates, &k, 8, y, 2.0, tolerance) != 0)
        return -1;
    double c1 = cos(y[0]), s1 = sin(y[0]), c2 = cos(y[3]), s2 = sin(y[3]);
    double w1 = y[4], w2 = y[7];
    memcpy(q, (double[]){0.5 * c1, 0.5 * s1, y[0]}, 3 * sizeof *q);
    memcpy(v, (double[]){-0.5 * s1 * w1, 0.5 * c1 * w1, w1}, 3 * sizeof *v);
    memcpy(q + 3, (double[]){c1 + y[1] + 0.5 * c2, s1 + y[2] + 0.5 * s2, y[3]}, 3 * sizeof *q);
    memcpy(v + 3, (double[]){-s1 * w1 + y[5] - 0.5 * s2 * w2, c1 * w1 + y[6] + 0.5 * c2 * w2, w2},
           3 * sizeof *v);
    return 0;
}

// One body of the squeezer: centre = anchor + along (cos, sin) + across (-sin, cos) of some angles.
typedef struct arm {
    double length, angle, rate;
} arm;

static void place(int body, double x, double y, const arm *arms, int count, double angle,
                  double rate, double *q, double *v)
{
    double vx = 0.0, vy = 0.0;
    for (int k = 0; k < count; k++) {
        double c = cos(arms[k].angle), s = sin(arms[k].angle);
        x += arms[k].length * c;
        y += arms[k].length * s;
        vx -= arms[k].length * arms[k].rate * s;
        vy += arms[k].length * arms[k].rate * c;
    }
    memcpy(q + 3 * body, (double[]){x, y, angle}, 3 * sizeof *q);
    memcpy(v + 3 * body, (double[]){vx, vy, rate}, 3 * sizeof *v);
}

// Andrews' squeezing mechanism (Test Set for IVP Solvers, problem "andrews"), angles at t = 0.03 s
// recomputed in quadruple precision; they agree with the published ones to 3e-10.
static int andrews(double unused, double tolerance, double *q, double *v)
{
    (void)unused, (void)tolerance;
    const double beta = 1.5810771195153707097e+1, theta = -1.5756371058411839470e+1,
                 gamma = 4.0822240119645804858e-2, phi = -5.3473011634207959377e-1,
                 delta = 5.2440996587995406937e-1, omega = 5.3473011634207959377e-1,
                 epsilon = 1.0480807410419378731e+0;
    const double dbeta = 1.1399203022591060642e+3, dtheta = -1.4243792951775400732e+3,
                 dgamma = 1.1032911910618593745e+1, dphi = 1.9293374105032040832e+1,
                 ddelta = 5.7356991482950245382e-1, domega = -1.9293374105032040832e+1,
                 depsilon = 3.2317914924913087499e-1;
    const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273;
    const double da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, sa = 0.01874,
                 sb = 0.01043, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449,
                 zf = 0.02, zt = 0.04, fa = 0.01421;
    const double quarter = pi / 2.0; // l (sin a, -cos a) is an arm of angle a - 90 degrees
    double a2 = beta + theta, d2 = dbeta + dtheta, a4 = phi + delta, d4 = dphi + ddelta;
    double a6 = omega + epsilon, d6 = domega + depsilon;
    place(0, 0.0, 0.0, (arm[]){{ra, beta, dbeta}}, 1, beta, dbeta, q, v);
    place(1, 0.0, 0.0, (arm[]){{rr, beta, dbeta}, {-da, a2, d2}}, 2, a2, d2, q, v);
    place(2, xb, yb, (arm[]){{sa, gamma - quarter, dgamma}, {sb, gamma, dgamma}}, 2, gamma, dgamma,
          q, v);
    place(3, xa, ya, (arm[]){{zt, delta, ddelta}, {e - ea, a4 - quarter, d4}}, 2, a4, d4, q, v);
    place(4, xa, ya, (arm[]){{ta, delta, ddelta}, {-tb, delta - quarter, ddelta}}, 2, delta, ddelta,
          q, v);
    place(5, xa, ya, (arm[]){{u, epsilon - quarter, depsilon}, {zf - fa, a6, d6}}, 2, a6, d6, q, v);
    place(6, xa, ya, (arm[]){{ua, epsilon - quarter, depsilon}, {-ub, epsilon, depsilon}}, 2,
          epsilon, depsilon, q, v);
    return 0;
}

// ---- cache and entry point --------------------------------------------------------------------

typedef struct kind {
    const char *name;
    int (*compute)(double size, double tolerance, double *q, double *v);
    int bodies_factor, bodies_offset; ///< bodies = factor * size + offset
} kind;

static const kind kinds[] = {
    {"chain", chain, 1, 0},
    {"andrews-absolute", andrews, 0, 7},
    {"four-bar", four_bar, 2, 1},
    {"stiff-bushing", stiff_bushing, 0, 2},
};

static int read_cache(reference *ref, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return -1;
    size_t count = 2 * (size_t)ref->n;
    int good = fread(&ref->uncertainty, sizeof(double), 1, file) == 1 &&
               fread(ref->q, sizeof(double), count, file) == count;
    fclose(file);
    return good ? 0 : -1;
}

static void write_cache(const reference *ref, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return;
    fwrite(&ref->uncertainty, sizeof(double), 1, file);
    fwrite(ref->q, sizeof(double), 2 * (size_t)ref->n, file);
    fclose(file);
}

// Once with a coarser tolerance, to see what the digits are worth, and once as reference.
static int compute(reference *ref, const kind *kind, double size)
{
    size_t count = 2 * (size_t)ref->n;
    double *coarse = malloc(count * sizeof *coarse);
    if (coarse == NULL || kind->compute(size, 1e-10, coarse, coarse + ref->n) != 0 ||
        kind->compute(size, 1e-12, ref->q, ref->v) != 0) {
        free(coarse);
        return -1;
    }
    ref->uncertainty = 0.0;
    for (int i = 0; i < ref->n; i++)
        ref->uncertainty = fmax(ref->uncertainty, fabs(coarse[i] - ref->q[i]));
    free(coarse);
    return 0;
}

int reference_create(reference *out, const char *problem, double size, const char *cache)
{
    const kind *kind = kinds;
    while (strcmp(kind->name, problem) != 0)
        if (++kind == kinds + sizeof kinds / sizeof *kinds)
            return -1;
    out->n = 3 * (kind->bodies_factor * (int)size + kind->bodies_offset);
    out->q = malloc(2 * (size_t)out->n * sizeof *out->q);
    if (out->q == NULL)
        return -1;
    out->v = out->q + out->n;
    char path[512] = "";
    if (cache != NULL)
        snprintf(path, sizeof path, "%s/reference-%s-%g.bin", cache, problem, size);
    if (cache != NULL && read_cache(out, path) == 0)
        return 0;
    if (compute(out, kind, size) != 0) {
        reference_destroy(out);
        return -1;
    }
    if (cache != NULL)
        write_cache(out, path);
    return 0;
}

void reference_destroy(reference *ref)
{
    free(ref->q);
    *ref = (reference){0};
}
