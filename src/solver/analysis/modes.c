// SPDX-License-Identifier: Apache-2.0
#include "solver/analysis/modes.h"

#include "base/error.h"
#include "base/space.h"
#include "solver/analysis/linear_terms.h"
#include "solver/analysis/statics.h"
#include "solver/analysis/subspace.h"
#include "solver/formulation/checked_evaluation.h"
#include "solver/linear/eigen.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// coordinates up to which the dense matrix is first choice, and the limit of what it may have
enum { DENSE_COORDINATES = 500, MAX_DENSE_COORDINATES = 1500, LOWEST_OF_MANY = 10 };

// real parts of eigenvalues below this multiple of their roundoff are zero
static const double REAL_FACTOR = 10;
static const double NOISE = 1e-14; // parts of a shape that are roundoff

// The shape is turned and scaled so that its largest entry is 1.
static void normalise(double *re, double *im, int n)
{
    int largest = 0;
    double size = 0;
    for (int i = 0; i < n; i++)
        if (hypot(re[i], im[i]) > 1.0000001 * size) { // the first of equal ones
            size = hypot(re[i], im[i]);
            largest = i;
        }
    if (!(size > 0))
        return;
    double c = re[largest] / (size * size), s = im[largest] / (size * size);
    for (int i = 0; i < n; i++) { // times conj(largest) / |largest|^2
        double x = re[i], y = im[i];
        re[i] = x * c + y * s;
        im[i] = y * c - x * s;
        re[i] = fabs(re[i]) < NOISE ? 0 : re[i];
        im[i] = fabs(im[i]) < NOISE ? 0 : im[i];
    }
}

void trmi_modes_add(trm_modes *m, double growth, double omega, double uncertainty,
                    const double *shape, const double *imaginary)
{
    int n = m->e.n_q + m->e.n_x;
    trm_mode *mode = &m->mode[m->count++];
    double size = hypot(growth, omega);
    bool zero = size <= TRMI_ZERO_FACTOR * uncertainty;
    if (zero || fabs(growth) <= REAL_FACTOR * uncertainty)
        growth = 0;
    if (zero)
        omega = size = 0;
    mode->growth = growth;
    mode->omega = omega;
    mode->frequency = omega / (2 * TRMI_PI);
    mode->damping = size > 0 && growth != 0 ? -growth / size : 0;
    mode->uncertainty = uncertainty;
    mode->pair = omega > 0;
    double *re = (double *)mode->shape, *im = (double *)mode->imaginary; // ours
    memcpy(re, shape, (size_t)n * sizeof *re);
    trmi_copy_or_zero(im, imaginary, n);
    if (omega == 0)
        memset(im, 0, (size_t)n * sizeof *im);
    normalise(re, im, n);
}

bool trmi_modes_create_list(trm_modes *m, int capacity)
{
    size_t n = (size_t)(m->e.n_q + m->e.n_x);
    double *numbers;
    if (!TRMI_TAKE(&m->memory, m->mode, capacity) ||
        !TRMI_TAKE(&m->memory, numbers, 2 * n * (size_t)capacity))
        return false;
    for (int k = 0; k < capacity; k++) {
        m->mode[k].shape = numbers + 2 * n * (size_t)k;
        m->mode[k].imaginary = m->mode[k].shape + n;
    }
    m->capacity = capacity;
    return true;
}

// (dq, dx) of a vector of the state
static void expand_shape(const trmi_linearisation *l, const trmi_evaluator *e, const double *y,
                         double *out)
{
    memset(out, 0, (size_t)e->n_q * sizeof *out);
    for (int j = 0; j < l->positions; j++)
        for (int i = 0; i < e->n_q; i++)
            out[i] += l->q[(size_t)e->n_q * (size_t)j + (size_t)i] * y[j];
    memcpy(out + e->n_q, y + l->positions + l->velocities, (size_t)e->n_x * sizeof *out);
}

// two zeros may come out as a conjugate pair: they are listed one by one
static void add_eigenvalue(trm_modes *m, const trmi_eigen *eigen, const trmi_linearisation *l,
                           int i, double *re, double *im)
{
    size_t n = (size_t)eigen->n;
    double real = eigen->real[i], imaginary = eigen->imaginary[i], width = eigen->uncertainty[i];
    expand_shape(l, &m->e, eigen->vector + n * (size_t)i, re);
    if (imaginary > 0)
        expand_shape(l, &m->e, eigen->vector + n * (size_t)(i + 1), im);
    trmi_modes_add(m, real, imaginary, width, re, imaginary > 0 ? im : NULL);
    if (imaginary > 0 && !m->mode[m->count - 1].pair)
        trmi_modes_add(m, real, imaginary, width, re, im);
}

static trm_status eigen_failed(trmi_eigen_status status, int n, trm_error *error)
{
    if (status == TRMI_EIGEN_MEMORY)
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for eigenvalues of order %d", n);
    return trmi_error_set(error, TRM_ERR_SINGULAR,
                          "the eigenvalues of the linearised system (order %d) were not found", n);
}

trm_status trmi_modes_dense(trm_modes *m, trm_error *error)
{
    trmi_memory scratch;
    trmi_memory_init(&scratch, &m->memory.allocator);
    trmi_linearisation l = {0};
    trmi_eigen eigen = {0};
    double *re = NULL, *im = NULL;
    int n = m->e.n_q + m->e.n_x;
    trm_status status = trmi_linearise(&l, &scratch, &m->saddle, &m->point, error);
    m->report.states = l.n;
    if (status == TRM_OK) {
        trmi_eigen_status found = trmi_eigen_general(&eigen, &scratch, l.matrix, l.n);
        if (found != TRMI_EIGEN_OK)
            status = eigen_failed(found, l.n, error);
    }
    if (status == TRM_OK && (!trmi_modes_create_list(m, l.n) || !TRMI_TAKE(&scratch, re, n) ||
                             !TRMI_TAKE(&scratch, im, n)))
        status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the modes");
    for (int i = 0; i < l.n && status == TRM_OK; i++)
        if (eigen.imaginary[i] >= 0) // the second of a pair is part of the first
            add_eigenvalue(m, &eigen, &l, i, re, im);
    trmi_memory_release_all(&scratch);
    return status;
}

// Whether M a (`sum`) is no more than roundoff of the positions makes, |K| eps q, in every row.
static bool is_roundoff(trm_modes *m, const double *sum)
{
    trmi_evaluator *e = &m->e;
    const uint64_t wanted = TRMI_POSITION_QUANTITIES | TRM_BIT(FORCE) | trmi_linearise_quantities();
    if (trmi_evaluate_checked(e, &m->point, wanted, &m->values, NULL) != TRM_OK)
        return false;
    double *size = trmi_scratch_take(&m->scratch, e->n_q);
    trmi_stiffness_rows(&m->values, m->point.q, size);
    bool small = true;
    for (int i = 0; i < e->n_q; i++)
        small = small && fabs(sum[i]) <= DBL_EPSILON * size[i];
    trmi_scratch_release(&m->scratch, size);
    return small;
}

// Balanced: M a is roundoff of what it is the sum of, f and G^T lambda, or of the positions.
static void describe_state(trm_modes *m)
{
    trmi_evaluator *e = &m->e;
    trm_modes_report *r = &m->report;
    double *work = trmi_scratch_take(&m->scratch, e->n_q);
    r->velocity = trmi_largest_entry(m->point.v, e->n_q, &r->fastest);
    r->acceleration = trmi_largest_entry(m->point.a, e->n_q, &r->most_accelerated);
    trmi_mass_product(&m->values, m->point.a, work);
    r->at_rest = r->velocity <= TRMI_AT_REST;
    r->balanced = r->acceleration <= TRMI_AT_REST || is_roundoff(m, work);
    double sum = trmi_max_abs(work, e->n_q);
    double parts = trmi_force_size(&m->values, m->point.lambda, work);
    trmi_scratch_release(&m->scratch, work);
    r->balanced = r->balanced || sum <= 1e-9 * parts;
    r->mobility = m->start.mobility;
    r->redundant = m->start.redundant;
    r->solver = m->start.solver;
    r->frequency = m->omega / (2 * TRMI_PI);
    r->states = 2 * (e->n_q - e->n_g) - e->n_a + e->n_x;
}

static trm_status prepare(trm_modes *m, const trm_system *system, const trm_initial *at,
                          trm_error *error)
{
    trmi_evaluator *e = &m->e;
    trm_status status = trmi_evaluator_create(
        e, &m->values, &m->memory, system, trmi_linearise_quantities(), at, &m->statistics, error);
    if (status != TRM_OK)
        return status;
    if (!trmi_point_create(&m->point, &m->memory, e) ||
        !trmi_scratch_create(&m->scratch, &m->memory, trmi_manifold_scratch(e, &m->options)))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the modes");
    trmi_point_set(&m->point, e, at);
    m->saddle.e = e;
    m->saddle.values = &m->values;
    m->manifold =
        (trmi_manifold){.saddle = &m->saddle, .options = &m->options, .scratch = &m->scratch};
    status = trmi_start(&m->manifold, &m->memory, true, &m->point, &m->start, error);
    if (status == TRM_OK)
        describe_state(m);
    return status;
}

static int compare_modes(const void *a, const void *b)
{
    const trm_mode *x = a, *y = b;
    double sx = hypot(x->growth, x->omega), sy = hypot(y->growth, y->omega);
    if (sx != sy)
        return sx < sy ? -1 : 1;
    return (x->growth < y->growth) - (x->growth > y->growth);
}

// states without a rate of their own stay what they are
static bool states_rest(const trmi_values *values)
{
    const trm_quantity parts[] = {TRM_QUANTITY_RATE_Q, TRM_QUANTITY_RATE_V, TRM_QUANTITY_RATE_X,
                                  TRM_QUANTITY_RATE_LAMBDA};
    for (int k = 0; k < 4; k++)
        if (!trmi_quantity_vanishes(values, parts[k]))
            return false;
    return true;
}

bool trmi_modes_undamped(trm_modes *m, const char **why)
{
    trmi_evaluator *e = &m->e;
    *why = NULL;
    if (e->n_z > 0)
        *why = "it has algebraic variables";
    else if (e->n_a > 0)
        *why = "it has rolling constraints";
    else if (e->force_uses_lambda)
        *why = "its forces depend on multipliers";
    else if (!m->report.at_rest)
        *why = "it moves";
    else if (!m->report.balanced)
        *why = "it is not in equilibrium";
    else if (trmi_evaluate_checked(e, &m->point,
                                   TRMI_POSITION_QUANTITIES | TRM_BIT(FORCE) |
                                       trmi_linearise_quantities(),
                                   &m->values, NULL) != TRM_OK)
        *why = "its derivatives cannot be evaluated";
    else if (!states_rest(&m->values))
        *why = "it has first-order states that change";
    else if (!trmi_quantity_vanishes(&m->values, TRM_QUANTITY_DAMPING))
        *why = "it has damping";
    else if (!trmi_stiffness_symmetric(&m->values, &m->memory))
        *why = "its stiffness is not symmetric";
    return *why == NULL;
}

trm_status trmi_modes_lowest(trm_modes *m, int count, trm_error *error)
{
    trmi_memory scratch;
    trmi_memory_init(&scratch, &m->memory.allocator);
    const trmi_pencil pencil = {&m->e, &m->saddle, m->report.mobility};
    trmi_lowest lowest = {0};
    int n = m->e.n_q;
    double *shape;
    trm_status status = TRM_OK;
    if (!trmi_modes_create_list(m, count) || !TRMI_TAKE(&scratch, shape, n + m->e.n_x))
        status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the modes");
    if (status == TRM_OK)
        status = trmi_find_lowest(&lowest, &scratch, &pencil, count, error);
    m->report.iterations = lowest.iterations;
    for (int k = 0; k < count && status == TRM_OK; k++) {
        double square = lowest.square[k], omega = sqrt(fabs(square));
        double width = lowest.noise[k] / (2 * fmax(omega, DBL_MIN));
        memcpy(shape, lowest.shape + (size_t)n * (size_t)k, (size_t)n * sizeof *shape); // dx = 0
        trmi_modes_add(m, square < 0 ? omega : 0, square < 0 ? 0 : omega, width, shape, NULL);
    }
    trmi_memory_release_all(&scratch);
    return status;
}

static trm_status find_modes(trm_modes *m, trm_error *error)
{
    int n = m->e.n_q, count = m->wanted > 0 ? m->wanted : LOWEST_OF_MANY;
    const char *why = NULL;
    bool all = m->wanted == 0 && n <= MAX_DENSE_COORDINATES;
    if (n > DENSE_COORDINATES && m->omega == 0 && trmi_modes_undamped(m, &why)) {
        int most = m->report.mobility;
        return trmi_modes_lowest(m, count < most ? count : most, error);
    }
    if (n > DENSE_COORDINATES && !all && trmi_modes_in_equilibrium(m, &why))
        return trmi_modes_nearest(m, count, m->omega, error);
    if (n > MAX_DENSE_COORDINATES) {
        trmi_error_advise(error, "take a smaller model, or remove what prevents sparse matrices");
        return trmi_error_set(error, TRM_ERR_OPTION,
                              "%d coordinates are too many for a dense matrix (%d), and modes by "
                              "iteration need a system in equilibrium: %s",
                              n, MAX_DENSE_COORDINATES, why);
    }
    return trmi_modes_dense(m, error);
}

// of the dense ones: those next to i omega come first
static double distance_of(const trm_mode *mode, double omega)
{
    return hypot(mode->growth, mode->omega - omega);
}

// the `count` next to i omega; few are wanted, or there are few
static void keep_nearest(trm_modes *m, int count)
{
    for (int k = 0; k < count && k < m->count; k++)
        for (int i = k + 1; i < m->count; i++)
            if (distance_of(&m->mode[i], m->omega) < distance_of(&m->mode[k], m->omega)) {
                trm_mode swap = m->mode[k];
                m->mode[k] = m->mode[i];
                m->mode[i] = swap;
            }
    m->count = count < m->count ? count : m->count;
}

trm_status trm_modes_create(trm_modes **out, const trm_system *system, const trm_options *options,
                            const trm_initial *at, int count, trm_error *error)
{
    return trm_modes_create_near(out, system, options, at, count, 0, error);
}

trm_status trm_modes_create_near(trm_modes **out, const trm_system *system,
                                 const trm_options *options, const trm_initial *at, int count,
                                 double frequency, trm_error *error)
{
    TRMI_REQUIRE(error, out, "out");
    *out = NULL;
    TRMI_REQUIRE(error, system, "system");
    trm_error local;
    error = error ? error : &local;
    const trm_initial origin = {0};
    at = at ? at : &origin;
    trm_status status = trmi_check_given(system, options, at, error);
    if (status == TRM_OK && count < 0)
        status = trmi_error_set(error, TRM_ERR_RANGE, "%d modes are wanted", count);
    if (status == TRM_OK && !(frequency >= 0 && frequency < 1e50))
        status = trmi_error_set(error, TRM_ERR_RANGE, "modes near %g Hz are wanted", frequency);
    if (status != TRM_OK)
        return status;
    trmi_memory memory;
    trmi_memory_init(&memory, &options->allocator);
    trm_modes *m;
    if (!TRMI_TAKE(&memory, m, 1))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the modes");
    m->memory = memory;
    m->options = *options;
    m->wanted = count;
    m->omega = (2 * TRMI_PI) * frequency;
    status = prepare(m, system, at, error);
    if (status == TRM_OK)
        status = find_modes(m, error);
    if (status != TRM_OK) {
        trm_modes_destroy(m);
        return status;
    }
    if (count > 0 && m->omega > 0)
        keep_nearest(m, count);
    qsort(m->mode, (size_t)m->count, sizeof *m->mode, compare_modes);
    if (count > 0 && count < m->count)
        m->count = count;
    *out = m;
    return TRM_OK;
}

void trm_modes_destroy(trm_modes *m)
{
    if (!m)
        return;
    trmi_saddle_destroy(&m->saddle);
    trmi_memory memory = m->memory; // m itself lives in it
    trmi_memory_release_all(&memory);
}

int trm_modes_count(const trm_modes *m)
{
    return m ? m->count : 0;
}

const trm_mode *trm_modes_get(const trm_modes *m, int index)
{
    return m && index >= 0 && index < m->count ? &m->mode[index] : NULL;
}

const trm_modes_report *trm_modes_get_report(const trm_modes *m)
{
    return m ? &m->report : NULL;
}
