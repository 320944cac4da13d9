// SPDX-License-Identifier: Apache-2.0
// Holonomic constraints g(t, q, z) with algebraic variables 0 = b(t, q, z): eliminating z gives a
// known constraint. Unit mass, gravity, and the circle written in three ways:
//
//     linear      g = x^2 + z - 1      b = z - y^2
//     nonlinear   g = x^2 + z - 1      b = z^3 + z - (y^6 + y^2)
//     rheonomic   g = z - 1            b = z - (x - p(t))^2 - y^2,  p = a sin(w t)
//
// All are a pendulum with G = 2 (x - p, y), hence with half the multiplier of (u.u - 1)/2. In the
// angle phi from downward: phi'' = -g sin(phi) - p'' cos(phi), and
// lambda = (phi'^2 - p'' sin(phi) + g cos(phi)) / 2.
#include "verify.h"

static const double gravity = 9.81, end = 2.0;

typedef struct circle {
    bool linear, nonlinear; // neither: rheonomic
    double a, w;
    double angle, rate; // at the start
} circle;

static const circle linear = {.linear = true, .angle = 1.0};
static const circle nonlinear = {.nonlinear = true, .angle = 1.0};
static const circle rheonomic = {.a = 0.5, .w = 3.0, .rate = -1.5}; // at rest, the pivot moves

// ---- the system; all derivatives by differences ----

static int mass(const trm_state *state, double *M, void *user)
{
    (void)state, (void)user;
    M[0] = M[1] = 1.0;
    return 0;
}

static int force(const trm_state *state, double *f, void *user)
{
    (void)state, (void)user;
    f[0] = 0.0;
    f[1] = -gravity;
    return 0;
}

static int algebraic(const trm_state *state, double *b, void *user)
{
    const circle *c = user;
    const double y2 = state->q[1] * state->q[1], z = state->z[0];
    const double ux = state->q[0] - c->a * sin(c->w * state->t);
    if (c->linear)
        b[0] = z - y2;
    else if (c->nonlinear)
        b[0] = z * z * z + z - (y2 * y2 * y2 + y2);
    else
        b[0] = z - ux * ux - y2;
    return 0;
}

static int constraint(const trm_state *state, double *g, void *user)
{
    const circle *c = user;
    const double x = state->q[0];
    g[0] = state->z[0] - 1.0 + (c->linear || c->nonlinear ? x * x : 0.0);
    return 0;
}

static trm_system system_of(const circle *c)
{
    return (trm_system){.name = "circle",
                        .n_q = 2,
                        .n_z = 1,
                        .n_g = 1,
                        .function = {[TRM_MASS] = mass,
                                     [TRM_FORCE] = force,
                                     [TRM_ALGEBRAIC] = algebraic,
                                     [TRM_CONSTRAINT] = constraint},
                        .pattern = {[TRM_MASS] = {.count = TRM_PATTERN_DIAGONAL}},
                        .constant = TRM_BIT(TRM_MASS),
                        .user = (void *)c};
}

// ---- the exact solution ----

enum { POSITION, VELOCITY, ALGEBRAIC, MULTIPLIER, QUANTITIES };
static const char *const quantity_names[] = {"q", "v", "z", "lambda of the accelerations"};

typedef struct comparison {
    const circle *circle;
    double t, y[2]; // phi, phi'
    double error[QUANTITIES];
} comparison;

static void swing(double t, const double *y, double *rate, void *user)
{
    const circle *c = user;
    rate[0] = y[1];
    rate[1] = -gravity * sin(y[0]) + c->a * c->w * c->w * sin(c->w * t) * cos(y[0]);
}

static void compare(trm_simulation *simulation, void *user)
{
    comparison *c = user;
    const circle *k = c->circle;
    const trm_state *s = trm_simulation_state(simulation);
    verify_rk4(swing, (void *)k, 2, c->t, s->t, 5e-4, c->y); // errors of 1e-12
    c->t = s->t;
    const double sine = sin(c->y[0]), cosine = cos(c->y[0]), rate = c->y[1];
    const double p = k->a * sin(k->w * s->t), p_v = k->a * k->w * cos(k->w * s->t);
    const double q[] = {p + sine, -cosine}, v[] = {p_v + rate * cosine, rate * sine};
    const double z = k->linear || k->nonlinear ? cosine * cosine : 1.0;
    const double lambda = 0.5 * (rate * rate + k->w * k->w * p * sine + gravity * cosine);
    double after, *e = c->error;
    trm_status status = trm_simulation_accelerations(simulation, NULL, &after);
    if (status != TRM_OK)
        fail_msg("t = %.9g: %s", s->t, trm_simulation_error(simulation)->text);
    e[POSITION] = fmax(e[POSITION], verify_distance(s->q, q, 2));
    e[VELOCITY] = fmax(e[VELOCITY], verify_distance(s->v, v, 2));
    e[ALGEBRAIC] = fmax(e[ALGEBRAIC], fabs(s->z[0] - z));
    e[MULTIPLIER] = fmax(e[MULTIPLIER], fabs(after - lambda));
}

// ---- tests ----

// Measured: up to 150 tolerances in v for the moving pivot, 60 otherwise; 1e-6 on top of that for
// the multipliers, whose gamma is a second difference of g (noise 1e-16 / 1e-8).
static void check_circle(const circle *circle, trm_formulation formulation, trm_solver solver,
                         double tol)
{
    const trm_system system = system_of(circle);
    const double q[] = {sin(circle->angle), -cos(circle->angle)}, z[] = {0.5}; // z: a guess
    const trm_initial initial = {.q = q, .z = z};
    trm_options options = verify_options(tol);
    options.formulation = formulation;
    options.linear_solver = solver;
    comparison c = {.circle = circle, .y = {circle->angle, circle->rate}};
    verify_run run = verify_start(&system, &initial, &options);
    verify_run_well(run.simulation, end, compare, &c);
    for (int i = 0; i < QUANTITIES; i++)
        if (!(c.error[i] <= 500.0 * tol + (i == MULTIPLIER ? 1e-6 : 0.0)))
            fail_msg("%s, solver %d, tolerance %g: %g tolerances in %s",
                     verify_formulation(formulation), (int)solver, tol, c.error[i] / tol,
                     quantity_names[i]);
    verify_close(&run);
}

static void check_circles(const circle *circle)
{
    static const trm_formulation formulations[] = {TRM_FORMULATION_CS, TRM_FORMULATION_CM,
                                                   TRM_FORMULATION_GGL, TRM_FORMULATION_GGL_STAR};
    for (int i = 0; i < 4; i++)
        for (int digits = 4; digits <= 8; digits += 2) {
            check_circle(circle, formulations[i], TRM_SOLVER_DENSE, pow(10.0, -digits));
            check_circle(circle, formulations[i], TRM_SOLVER_SPARSE, pow(10.0, -digits));
        }
}

static void test_algebraic_linear_in_z_moves_as_pendulum(void **state)
{
    (void)state;
    check_circles(&linear);
}

static void test_algebraic_nonlinear_in_z_moves_as_pendulum(void **state)
{
    (void)state;
    check_circles(&nonlinear);
}

static void test_algebraic_time_in_b_moves_as_rheonomic_pendulum(void **state)
{
    (void)state;
    check_circles(&rheonomic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_algebraic_linear_in_z_moves_as_pendulum),
        cmocka_unit_test(test_algebraic_nonlinear_in_z_moves_as_pendulum),
        cmocka_unit_test(test_algebraic_time_in_b_moves_as_rheonomic_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
