// SPDX-License-Identifier: Apache-2.0
// The beam: constants against integrals, equations of motion against differences of its energy,
// frequencies against closed forms; both frames describe the same beam.
#include "models.h"

#include "multibody/beam.h"

// 1 m of steel, 2 cm wide, 1 cm high
static trmi_beam_data steel(int elements, trmi_beam_frame frame, bool stiffening)
{
    return (trmi_beam_data){.elements = elements,
                            .length = 1,
                            .line_mass = 7850 * 2e-4,
                            .stiffness = 2.1e11 * 0.02 * 1e-6 / 12,
                            .frame = frame,
                            .stiffening = stiffening};
}

static void check_near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.15g instead of %.15g", value, wanted);
}

// u of a deflection w(x), w'(x): cubics are exact
static void interpolate(const trmi_beam *b, double (*w)(double), double (*slope)(double), double *u)
{
    for (int i = 0; i < 2 * (b->data.elements + 1); i++) {
        double x = b->data.length * (i / 2) / b->data.elements;
        if (b->coordinate[i] >= 0)
            u[b->coordinate[i]] = i % 2 ? slope(x) : w(x);
    }
}

static double cubic(double x)
{
    return 2 * x * x - x * x * x;
}

static double cubic_slope(double x)
{
    return 4 * x - 3 * x * x;
}

// 2 x^2 - x^3: w(0) = w'(0) = 0, and a deflection with w(0) = w(1) = 0
static double arch(double x)
{
    return x * (1 - x);
}

static double arch_slope(double x)
{
    return 1 - 2 * x;
}

static void test_beam_integrals_of_a_cubic_are_exact(void **state)
{
    (void)state;
    for (int k = 1; k < 6; k++) {
        trmi_memory memory;
        trmi_memory_init(&memory, NULL);
        trmi_beam b;
        const trmi_beam_data data = steel(k, TRMI_BEAM_TANGENT, true);
        assert_true(trmi_beam_create(&b, &memory, &data));
        assert_int_equal(b.n, 2 * k);
        double u[20] = {0}, cu = 0, du = 0, rA = data.line_mass;
        interpolate(&b, cubic, cubic_slope, u);
        for (int i = 0; i < b.n; i++) {
            cu += b.c[i] * u[i];
            du += b.d[i] * u[i];
        }
        // int w, int x w, int w^2, int w''^2, int (1 - x^2)/2 w'^2 of 2 x^2 - x^3 over 0 .. 1, by
        // hand; polynomials, so that only roundoff is left
        check_near(cu, rA * 5.0 / 12, 1e-14);
        check_near(du, rA * 3.0 / 10, 1e-14);
        check_near(trmi_beam_product(&b, b.mass_u, u, u), rA * (4.0 / 5 - 4.0 / 6 + 1.0 / 7),
                   1e-14);
        check_near(trmi_beam_product(&b, b.stiffness_u, u, u), data.stiffness * 4, 1e-9);
        double kg = 0.5 * rA * (16.0 / 3 - 24.0 / 4 - 7.0 / 5 + 24.0 / 6 - 9.0 / 7);
        check_near(trmi_beam_product(&b, b.stiffening_u, u, u), kg, 1e-14);
        // the same forces element by element; 1e-12 of them is roundoff
        double bend[20] = {0}, product[20] = {0};
        trmi_beam_bend(&b, u, bend);
        trmi_beam_multiply(&b, b.stiffness_u, 1, u, product);
        for (int i = 0; i < b.n; i++)
            check_near(bend[i], product[i], 1e-12 * data.stiffness * k * k * k);
        trmi_memory_release_all(&memory);
    }
}

static void test_beam_marker_follows_the_deflection(void **state)
{
    (void)state;
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trmi_beam b;
    const trmi_beam_data data = steel(3, TRMI_BEAM_CHORD, false);
    assert_true(trmi_beam_create(&b, &memory, &data));
    double u[10] = {0};
    interpolate(&b, arch, arch_slope, u);
    for (int i = 0; i <= 10; i++) {
        double x = 0.1 * i;
        const trmi_beam_marker m = trmi_beam_mark(&b, x);
        // a parabola lies in the space of the elements: only roundoff is left
        check_near(trmi_beam_deflection(&m, u), arch(x), 1e-15);
        check_near(trmi_beam_slope(&m, u), arch_slope(x), 1e-14);
    }
    trmi_memory_release_all(&memory);
}

// ---- a free beam as a system: q = (r, phi, u) ----

enum { R, PHI = 2, U = 3, MOST = 48, ENTRIES = MOST * MOST };

typedef struct motion {
    trmi_beam_state state;
    trmi_beam_terms terms;
} motion;

static motion move(const trmi_beam *b, const trm_state *s, bool accelerated)
{
    motion m = {.state = {.angle = s->q[PHI], .rate = s->v[PHI], .u = s->q + U, .v = s->v + U}};
    if (accelerated) {
        m.state.a[0] = s->a[0];
        m.state.a[1] = s->a[1];
        m.state.angular = s->a[PHI];
        m.state.w = s->a + U;
    }
    m.terms = trmi_beam_move(b, &m.state);
    return m;
}

// adds value to both (i, j) and (j, i), or once on the diagonal
static void put(double *out, int n, int i, int j, double value)
{
    out[i + n * j] += value;
    if (i != j)
        out[j + n * i] += value;
}

static void put_block(const trmi_beam *b, int count, const double *block, double *out)
{
    for (int k = 0; k < count; k++)
        out[U + b->row[k] + (U + b->n) * (U + b->column[k])] += block[k];
}

static int mass(const trm_state *s, double *out, void *user)
{
    const trmi_beam *b = user;
    const motion m = move(b, s, false);
    const int n = U + b->n;
    memset(out, 0, (size_t)(n * n) * sizeof *out);
    for (int i = 0; i < 2; i++) {
        put(out, n, i, i, b->mass);
        put(out, n, i, PHI, m.terms.m_rphi[i]);
        for (int j = 0; j < b->n; j++)
            put(out, n, i, U + j, m.terms.n[i] * b->c[j]);
    }
    double phi_u[MOST], block[ENTRIES];
    trmi_beam_mass_terms(b, &m.terms, phi_u, block);
    put(out, n, PHI, PHI, m.terms.m_phi);
    for (int j = 0; j < b->n; j++)
        put(out, n, PHI, U + j, phi_u[j]);
    put_block(b, b->entries, block, out);
    return 0;
}

static int force(const trm_state *s, double *out, void *user)
{
    const trmi_beam *b = user;
    const motion m = move(b, s, false);
    out[0] = -m.terms.residual_r[0];
    out[1] = -m.terms.residual_r[1];
    out[PHI] = -m.terms.residual_phi;
    trmi_beam_residual(b, &m.state, &m.terms, out + U);
    for (int i = 0; i < b->n; i++)
        out[U + i] = -out[U + i];
    return 0;
}

static int stiffness(const trm_state *s, double *out, void *user)
{
    const trmi_beam *b = user;
    const motion m = move(b, s, true);
    const trmi_beam_terms *t = &m.terms;
    const int n = U + b->n;
    double phi_u[MOST], block[ENTRIES];
    memset(out, 0, (size_t)(n * n) * sizeof *out);
    trmi_beam_stiffness_terms(b, &m.state, t, phi_u, block);
    for (int i = 0; i < 2; i++) {
        out[i + n * PHI] = t->k_rphi[i];
        for (int j = 0; j < b->n; j++)
            out[i + n * (U + j)] = t->k_ru[i] * b->c[j];
    }
    out[PHI + n * PHI] = t->k_phi;
    for (int j = 0; j < b->n; j++) {
        out[PHI + n * (U + j)] = phi_u[j];
        out[U + j + n * PHI] = t->k_c * b->c[j];
    }
    put_block(b, b->entries, block, out);
    return 0;
}

static int damping(const trm_state *s, double *out, void *user)
{
    const trmi_beam *b = user;
    const motion m = move(b, s, false);
    const trmi_beam_terms *t = &m.terms;
    const int n = U + b->n;
    double phi_u[MOST], u_phi[MOST], block[ENTRIES];
    memset(out, 0, (size_t)(n * n) * sizeof *out);
    trmi_beam_damping_terms(b, &m.state, t, phi_u, u_phi, block);
    for (int i = 0; i < 2; i++) {
        out[i + n * PHI] = t->d_rphi[i];
        for (int j = 0; j < b->n; j++)
            out[i + n * (U + j)] = -2 * m.state.rate * t->e[i] * b->c[j];
    }
    out[PHI + n * PHI] = t->d_phi;
    for (int j = 0; j < b->n; j++) {
        out[PHI + n * (U + j)] = phi_u[j];
        out[U + j + n * PHI] = u_phi[j];
    }
    put_block(b, b->stiffening_u ? b->entries : 0, block, out);
    return 0;
}

static trm_system free_beam(trmi_beam *b)
{
    return (trm_system){.n_q = U + b->n,
                        .function = {[TRM_MASS] = mass,
                                     [TRM_FORCE] = force,
                                     [TRM_STIFFNESS] = stiffness,
                                     [TRM_DAMPING] = damping},
                        .user = b};
}

// A state without symmetry; deflections of a centimetre.
static model_point some_motion(const trm_system *s, uint64_t seed)
{
    model_point p = {0};
    for (int i = 0; i < s->n_q; i++) {
        double size = i < U ? 1 : 0.01;
        p.q[i] = size * model_noise(&seed);
        p.v[i] = 3 * size * model_noise(&seed);
        p.a[i] = 20 * size * model_noise(&seed);
    }
    return p;
}

static double energy_at(const trmi_beam *b, const double *q, const double *v)
{
    const trmi_beam_state s = {.angle = q[PHI], .rate = v[PHI], .u = q + U, .v = v + U};
    return trmi_beam_energy(b, &s, v);
}

// dT/dv by v, exact: the energy is quadratic in v
static double momentum(const trmi_beam *b, const double *q, const double *v, int i)
{
    double plus[MOST], minus[MOST];
    memcpy(plus, v, sizeof plus);
    memcpy(minus, v, sizeof minus);
    plus[i] += 1;
    minus[i] -= 1;
    return 0.5 * (energy_at(b, q, plus) - energy_at(b, q, minus));
}

// R_i = d/dt (dE/dv_i) - d(T - V)/dq_i with T - V = 2 T - E, by differences along the motion
static double lagrange(const trmi_beam *b, const model_point *p, int i)
{
    const double h = 1e-4, zero[MOST] = {0};
    double q[2][MOST], v[2][MOST], moved[2][MOST];
    for (int side = 0; side < 2; side++) {
        double s = side ? -h : h;
        for (int j = 0; j < MOST; j++) {
            q[side][j] = p->q[j] + s * p->v[j] + 0.5 * s * s * p->a[j];
            v[side][j] = p->v[j] + s * p->a[j];
            moved[side][j] = p->q[j] + (j == i ? s : 0);
        }
    }
    double rate = (momentum(b, q[0], v[0], i) - momentum(b, q[1], v[1], i)) / (2 * h);
    double slope = 0;
    for (int side = 0; side < 2; side++) {
        double potential = energy_at(b, moved[side], zero);
        slope += (side ? -1 : 1) * (energy_at(b, moved[side], p->v) - 2 * potential) / (2 * h);
    }
    return rate - slope;
}

static void test_beam_motion_is_that_of_its_energy(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        trmi_memory memory;
        trmi_memory_init(&memory, NULL);
        trmi_beam b;
        trmi_beam_data data =
            steel(2, variant % 2 ? TRMI_BEAM_CHORD : TRMI_BEAM_TANGENT, variant >= 2);
        data.stiffness = 30; // so that inertia counts
        assert_true(trmi_beam_create(&b, &memory, &data));
        const trm_system s = free_beam(&b);
        const model_point p = some_motion(&s, 7 + (uint64_t)variant);
        const trm_state at = model_view(&p);
        const motion m = move(&b, &at, true);
        double residual[MOST] = {m.terms.residual_r[0], m.terms.residual_r[1],
                                 m.terms.residual_phi};
        trmi_beam_residual(&b, &m.state, &m.terms, residual + U);
        // differences of second order with h = 1e-4 and rates of 3: 1e-6 of forces of 30
        for (int i = 0; i < s.n_q; i++)
            check_near(residual[i], lagrange(&b, &p, i), 1e-5);
        // M a - f says the same, to roundoff
        double matrix[MOST * MOST], f[MOST];
        mass(&at, matrix, &b);
        force(&at, f, &b);
        for (int i = 0; i < s.n_q; i++) {
            double sum = -f[i];
            for (int j = 0; j < s.n_q; j++)
                sum += matrix[i + s.n_q * j] * p.a[j];
            check_near(sum, residual[i], 1e-11);
        }
        trmi_memory_release_all(&memory);
    }
}

// ---- positive masses ----

// Cholesky of the rows and columns from `first` on
static bool positive(const double *matrix, int n, int first)
{
    double L[MOST * MOST];
    memcpy(L, matrix, (size_t)(n * n) * sizeof *L);
    for (int k = first; k < n; k++) {
        if (!(L[k + n * k] > 0))
            return false;
        for (int j = k + 1; j < n; j++)
            for (int i = j; i < n; i++)
                L[i + n * j] -= L[i + n * k] * L[j + n * k] / L[k + n * k];
    }
    return true;
}

// a x^2 + b x^3 + c x^4 against the tangent, less its chord in the other frame: the value, or the
// slope
static double bent_shape(const double a[3], double chord, double x, bool slope)
{
    return slope ? x * (2 * a[0] + x * (3 * a[1] + x * 4 * a[2])) - chord
                 : x * x * (a[0] + x * (a[1] + x * a[2])) - chord * x;
}

// Deflections of 1/20 of the length, unless slopes of 0.4 come first.
static void bend_at_random(const trmi_beam *b, uint64_t *seed, double *u)
{
    const double a[] = {model_noise(seed), model_noise(seed), model_noise(seed)};
    const double chord = b->data.frame == TRMI_BEAM_CHORD ? a[0] + a[1] + a[2] : 0;
    double largest = 0;
    for (int i = 0; i <= 50; i++) {
        largest = fmax(largest, fabs(bent_shape(a, chord, i / 50.0, false)) / 0.05);
        largest = fmax(largest, fabs(bent_shape(a, chord, i / 50.0, true)) / 0.4);
    }
    for (int i = 0; i < 2 * (b->data.elements + 1); i++) {
        double x = (double)(i / 2) / b->data.elements;
        if (b->coordinate[i] >= 0)
            u[b->coordinate[i]] = bent_shape(a, chord, x, i % 2) / largest;
    }
}

// 1 / (b^T M^-1 b): the least inertia with which velocities have b^T v = 1
static double least_inertia(double *matrix, int n, double *b)
{
    double sum = 0;
    for (int k = 0; k < n; k++) {
        sum += b[k] * b[k] / matrix[k + n * k];
        for (int j = k + 1; j < n; j++) {
            double factor = matrix[j + n * k] / matrix[k + n * k];
            b[j] -= factor * b[k];
            for (int i = k + 1; i < n; i++)
                matrix[i + n * j] -= factor * matrix[i + n * k];
        }
    }
    return 1 / sum;
}

// What u.Kg u must not exceed is Jc, however many elements; 17 nodes of 21 leave a third.
static void test_beam_mean_rotation_has_the_inertia_of_the_beam(void **state)
{
    (void)state;
    static const int elements[] = {1, 2, 4, 16, 20};
    for (int variant = 0; variant < 10; variant++) {
        trmi_memory memory;
        trmi_memory_init(&memory, NULL);
        trmi_beam b;
        const trmi_beam_data data =
            steel(elements[variant / 2], variant % 2 ? TRMI_BEAM_CHORD : TRMI_BEAM_TANGENT, true);
        assert_true(trmi_beam_create(&b, &memory, &data));
        double M[ENTRIES], mean[MOST] = {[PHI] = 1};
        const model_point straight = {0};
        const trm_state at = model_view(&straight);
        memcpy(mean + U, b.t, (size_t)b.n * sizeof *mean);
        mass(&at, M, &b);
        const double ratio = least_inertia(M, U + b.n, mean) / (data.line_mass / 12);
        // exact but for roundoff, which M with inertias of (1/16)^3 raises; 0.33: an elimination in
        // other coordinates
        if (data.elements <= TRMI_BEAM_COUPLED)
            check_near(ratio, 1, 1e-9);
        else
            check_near(ratio, 0.33, 0.01);
        trmi_memory_release_all(&memory);
    }
}

// Both frames, with a left end that nothing holds or that is pinned, coarse and (20) with t from a
// few nodes.
static void test_beam_mass_stays_positive(void **state)
{
    (void)state;
    static const int elements[] = {1, 2, 4, 10, 20};
    uint64_t seed = 5;
    for (int variant = 0; variant < 10; variant++) {
        trmi_memory memory;
        trmi_memory_init(&memory, NULL);
        trmi_beam b;
        const trmi_beam_data data =
            steel(elements[variant / 2], variant % 2 ? TRMI_BEAM_CHORD : TRMI_BEAM_TANGENT, true);
        assert_true(trmi_beam_create(&b, &memory, &data));
        for (int i = 0; i < 100; i++) {
            model_point p = {0};
            double M[ENTRIES];
            bend_at_random(&b, &seed, p.q + U);
            for (int j = 0; j < b.n && data.elements <= TRMI_BEAM_COUPLED && i % 2; j++)
                p.q[U + j] *= 20; // any deflection will do
            const trm_state at = model_view(&p);
            mass(&at, M, &b);
            assert_true(positive(M, U + b.n, 0));
            assert_true(positive(M, U + b.n, PHI));
        }
        trmi_memory_release_all(&memory);
    }
}

static void test_beam_derivatives_agree_with_differences(void **state)
{
    (void)state;
    for (int variant = 0; variant < 6; variant++) {
        trmi_memory memory;
        trmi_memory_init(&memory, NULL);
        trmi_beam b;
        trmi_beam_data data = steel(
            variant < 4 ? 3 : 20, variant % 2 ? TRMI_BEAM_CHORD : TRMI_BEAM_TANGENT, variant >= 2);
        if (variant >= 2)
            data.stiffness = 0.01; // inertia is to count, not roundoff of elastic forces
        assert_true(trmi_beam_create(&b, &memory, &data));
        const trm_system s = free_beam(&b);
        model_point p = some_motion(&s, 3 + (uint64_t)variant);
        for (int i = U; i < s.n_q && variant >= 2; i++)
            p.q[i] *= 30; // slopes of some tenths: s bends away from u.Kg u
        const trm_state at = model_view(&p);
        trm_derivative_report report;
        trm_error error = {0};
        // relative to the largest entry; two-sided differences leave 1e-9
        if (trm_system_check_derivatives(&s, &at, 1e-7, &report, &error) != TRM_OK)
            fail_msg("%s", error.text);
        assert_int_equal(report.quantities, 2);
        trmi_memory_release_all(&memory);
    }
}

// A beam that flies freely, turns and vibrates: nothing puts energy in.
static void test_beam_flying_freely_keeps_its_energy(void **state)
{
    (void)state;
    for (int frame = 0; frame < 2; frame++) {
        trmi_memory memory;
        trmi_memory_init(&memory, NULL);
        trmi_beam b;
        trmi_beam_data data = steel(3, frame ? TRMI_BEAM_CHORD : TRMI_BEAM_TANGENT, true);
        data.stiffness = 30; // the slowest vibration is as fast as eight turns in a second
        assert_true(trmi_beam_create(&b, &memory, &data));
        const trm_system system = free_beam(&b);
        model_point p = {0};
        uint64_t seed = 2;
        bend_at_random(&b, &seed, p.q + U);
        p.v[0] = 1;
        p.v[PHI] = 12;
        trm_options o = trm_options_default();
        o.integrator = TRM_INTEGRATOR_EXPLICIT;
        o.rtol = 1e-11;
        o.atol = 1e-13;
        trm_simulation *s;
        trm_error error;
        const trm_initial at = {.q = p.q, .v = p.v};
        assert_int_equal(trm_simulation_create(&s, &system, &o, &at, &error), TRM_OK);
        const double before = energy_at(&b, p.q, p.v);
        assert_int_equal(trm_simulation_run(s, 0.3), TRM_OK);
        const trm_state *end = trm_simulation_state(s);
        // errors of 1e-11 of a step in some thousand steps, relative to 60 J
        check_near(energy_at(&b, end->q, end->v), before, 1e-8 * before);
        trm_simulation_destroy(s);
        trmi_memory_release_all(&memory);
    }
}

// The slider-crank whose rod is such a beam: every derivative, constraints included.
static void test_beam_in_slider_crank_has_right_derivatives(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        // soft, so that roundoff of elastic forces does not drown the differences of the others
        const trm_problem_option options[] = {{"elements", 3},
                                              {"modulus", 1e5},
                                              {"chord_frame", variant % 2},
                                              {"stiffening", variant / 2},
                                              {NULL, 0}};
        trm_problem *problem = NULL;
        trm_error error = {0};
        assert_int_equal(trm_problem_create(&problem, "flexible-slider-crank", options, &error),
                         TRM_OK);
        const trm_system *s = trm_problem_system(problem);
        model_point p = some_motion(s, 11 + (uint64_t)variant);
        p.x[0] = 0.2;
        p.lambda[0] = 3;
        p.lambda[1] = -2;
        const trm_state at = model_view(&p);
        trm_derivative_report report;
        // relative to the largest entry; two-sided differences leave 1e-9, of gamma 1e-8
        if (trm_system_check_derivatives(s, &at, 1e-7, &report, &error) != TRM_OK)
            fail_msg("%s", error.text);
        assert_true(report.quantities >= 8);
        trm_problem_destroy(problem);
    }
}

// ---- frequencies ----

static trm_modes *modes_of(const trm_system *s, const trm_initial *at, int count)
{
    trm_modes *modes = NULL;
    trm_error error;
    const trm_options options = trm_options_default();
    if (trm_modes_create(&modes, s, &options, at, count, &error) != TRM_OK)
        fail_msg("%s", error.text);
    return modes;
}

static void test_beam_free_frequencies_are_eulers_in_both_frames(void **state)
{
    (void)state;
    // cos(bl) cosh(bl) = 1: textbook roots of the free-free beam
    const double root[] = {4.730040744862704, 7.853204624095838, 10.995607838001671};
    double found[2][3];
    for (int frame = 0; frame < 2; frame++) {
        trmi_memory memory;
        trmi_memory_init(&memory, NULL);
        trmi_beam b;
        const trmi_beam_data data = steel(10, frame ? TRMI_BEAM_CHORD : TRMI_BEAM_TANGENT, false);
        assert_true(trmi_beam_create(&b, &memory, &data));
        const trm_system s = free_beam(&b);
        trm_modes *m = modes_of(&s, NULL, 0);
        for (int k = 0; k < 6; k++) // three rigid motions, two eigenvalues each
            assert_true(trm_modes_get(m, k)->omega == 0);
        for (int k = 0; k < 3; k++) {
            double euler = root[k] * root[k] * sqrt(data.stiffness / data.line_mass);
            found[frame][k] = trm_modes_get(m, 6 + k)->omega;
            // Hermite elements from above with (b l / k)^4 / 720: at most 2.1e-3 of the third, 1e-4
            // of the first
            check_near(found[frame][k] / euler, 1, 1e-4 * (k + 1) * (k + 1) * (k + 1));
            assert_true(found[frame][k] > euler);
        }
        trm_modes_destroy(m);
        trmi_memory_release_all(&memory);
    }
    // the same beam: 1e-9 is roundoff, eps times the square of the largest frequency
    for (int k = 0; k < 3; k++)
        check_near(found[0][k] / found[1][k], 1, 1e-9);
}

static void test_beam_free_rod_of_the_crank_has_the_frequency_of_the_study(void **state)
{
    (void)state;
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trmi_beam b;
    const double section = 0.008 * 0.008;
    const trmi_beam_data data = {.elements = 4,
                                 .length = 0.3,
                                 .line_mass = 7870 * section,
                                 .stiffness = 2e11 * section * section / 12};
    assert_true(trmi_beam_create(&b, &memory, &data));
    const trm_system s = free_beam(&b);
    trm_modes *m = modes_of(&s, NULL, 0);
    // the pencil of the unsupported rod of the flexible slider-crank, 1.290e5 rad/s: computed with
    // dense matrices in another program, digits printed
    check_near(trm_modes_get(m, trm_modes_count(m) - 1)->omega, 1.290e5, 50);
    trm_modes_destroy(m);
    trmi_memory_release_all(&memory);
}

// A beam that turns at a rate w about its clamped end, as a system in u alone.
typedef struct turning {
    trmi_beam beam;
    double rate;
} turning;

static int turning_mass(const trm_state *s, double *out, void *user)
{
    (void)s;
    const turning *c = user;
    memcpy(out, c->beam.mass_u, (size_t)c->beam.count * sizeof *out);
    return 0;
}

static int turning_force(const trm_state *s, double *out, void *user)
{
    const turning *c = user;
    const trmi_beam_state at = {.rate = c->rate, .u = s->q, .v = s->v};
    const trmi_beam_terms t = trmi_beam_move(&c->beam, &at);
    trmi_beam_residual(&c->beam, &at, &t, out);
    for (int i = 0; i < c->beam.n; i++)
        out[i] = -out[i];
    return 0;
}

static double lowest_turning(turning *c)
{
    const trmi_beam *b = &c->beam;
    const trm_pattern band = {.count = b->count, .row = b->row, .column = b->column};
    const trm_system s = {.n_q = b->n,
                          .function = {[TRM_MASS] = turning_mass, [TRM_FORCE] = turning_force},
                          .pattern = {[TRM_MASS] = band,
                                      [TRM_STIFFNESS] = band,
                                      [TRM_DAMPING] = {.count = TRM_PATTERN_ZERO}},
                          .user = c};
    trm_modes *m = modes_of(&s, NULL, 1);
    double omega = trm_modes_get(m, 0)->omega;
    trm_modes_destroy(m);
    return omega;
}

static void test_beam_turning_is_stiffened_as_published(void **state)
{
    (void)state;
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    turning c = {0};
    trmi_beam_data data = {
        .elements = 12, .length = 1, .line_mass = 1, .stiffness = 1, .stiffening = true};
    assert_true(trmi_beam_create(&c.beam, &memory, &data));
    // EI = rA = l = 1. At rest 3.516015 (clamped-free root 1.87510407^2). In the plane of rotation
    // the frequency of rate 6 is sqrt(7.3604^2 - 6^2): flapping 7.3604 is Wright et al., J. Appl.
    // Mech. 49 (1982), table 1, hub radius 0, less the square of the rate. 1e-4: digits printed;
    // stiffness by differences
    check_near(lowest_turning(&c), 3.516015, 1e-4);
    c.rate = 6;
    check_near(lowest_turning(&c), sqrt(7.3604 * 7.3604 - 36), 3e-4);
    // without stiffening the same rotation softens: omega^2 = 3.516^2 - 36 < 0, it runs away
    data.stiffening = false;
    assert_true(trmi_beam_create(&c.beam, &memory, &data));
    assert_true(lowest_turning(&c) == 0);
    trmi_memory_release_all(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beam_integrals_of_a_cubic_are_exact),
        cmocka_unit_test(test_beam_marker_follows_the_deflection),
        cmocka_unit_test(test_beam_motion_is_that_of_its_energy),
        cmocka_unit_test(test_beam_mean_rotation_has_the_inertia_of_the_beam),
        cmocka_unit_test(test_beam_mass_stays_positive),
        cmocka_unit_test(test_beam_derivatives_agree_with_differences),
        cmocka_unit_test(test_beam_free_frequencies_are_eulers_in_both_frames),
        cmocka_unit_test(test_beam_flying_freely_keeps_its_energy),
        cmocka_unit_test(test_beam_in_slider_crank_has_right_derivatives),
        cmocka_unit_test(test_beam_free_rod_of_the_crank_has_the_frequency_of_the_study),
        cmocka_unit_test(test_beam_turning_is_stiffened_as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
