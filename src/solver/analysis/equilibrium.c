// SPDX-License-Identifier: Apache-2.0
// Equilibrium from the start to the report: statics.c has the iteration, stiffness.c the
// directions.
#include "solver/analysis/statics.h"

#include "base/error.h"
#include "base/quantities.h"
#include "solver/analysis/linear_terms.h"
#include "solver/analysis/linearisation.h"
#include "solver/formulation/checked_evaluation.h"
#include "solver/formulation/redundancy.h"

#include <math.h>
#include <string.h>

// coordinates from which sparse matrices are used where they can be, and the limit of dense ones
enum { SPARSE_COORDINATES = 200, MAX_DENSE_COORDINATES = 1500, MAX_ROUNDS = 6, MAX_PUSHES = 5 };
static const double PUSH = 0.05; // radians, or parts of the size of a coordinate

// excitations keep their values, their rates are zero; in steady motion only what changes these is
static bool stop_excitations(trm_equilibrium *q)
{
    trmi_evaluator *e = &q->e;
    if (!TRMI_TAKE(&q->memory, q->standstill, 3 * e->n_u))
        return false;
    for (int i = (q->steady ? 2 : 1) * e->n_u; i < 3 * e->n_u; i++)
        q->standstill[i] = -q->values.input[i];
    q->values.input_shift = q->standstill;
    trmi_values_forget_inputs(&q->values);
    return true;
}

// sparse or dense, with all at the start evaluated
static trm_status choose_matrices(trm_equilibrium *q, trm_error *error)
{
    trmi_evaluator *e = &q->e;
    const char *why = NULL;
    memset(q->point.v, 0, (size_t)e->n_q * sizeof *q->point.v); // M a and rates have no potential
    memset(q->point.a, 0, (size_t)e->n_q * sizeof *q->point.a);
    trm_status status =
        trmi_evaluate_checked(e, &q->point, trmi_saddle_derivatives(&q->saddle), &q->values, error);
    if (e->n_x + e->n_z > 0)
        why = "it has states or algebraic variables";
    else if (e->n_a > 0)
        why = "it has rolling constraints";
    else if (e->force_uses_lambda)
        why = "its forces depend on multipliers";
    else if (status == TRM_OK && !trmi_stiffness_symmetric(&q->values, &q->memory))
        why = "its stiffness is not symmetric";
    q->symmetric = !why;
    q->sparse = !why && e->n_q >= SPARSE_COORDINATES;
    if (status == TRM_OK && !why && e->n_r == e->n_r_full)
        status = trmi_springs_create(q, MAX_DENSE_COORDINATES, error);
    if (status != TRM_OK || !why || e->n_q <= MAX_DENSE_COORDINATES)
        return status;
    trmi_error_advise(error, "take a smaller model, or remove what prevents sparse matrices");
    return trmi_error_set(error, TRM_ERR_OPTION,
                          "%d coordinates are too many for an equilibrium with dense matrices "
                          "(%d), and sparse ones cannot be used: %s",
                          e->n_q, MAX_DENSE_COORDINATES, why);
}

static trm_status prepare_steady(trm_equilibrium *q, trm_error *error)
{
    trmi_evaluator *e = &q->e;
    memcpy(q->cruise, q->point.v, (size_t)e->n_q * sizeof *q->cruise);
    e->user.transport = NULL; // coordinates as such, not what they mean for a body that turns
    q->report.undecided = "it moves; `modes` about this motion shows its stability";
    if (e->n_q <= MAX_DENSE_COORDINATES)
        return TRM_OK;
    trmi_error_advise(error, "take a smaller model");
    return trmi_error_set(error, TRM_ERR_OPTION,
                          "%d coordinates are too many for a steady motion, which needs dense "
                          "matrices (%d)",
                          e->n_q, MAX_DENSE_COORDINATES);
}

static trm_status prepare(trm_equilibrium *q, const trm_system *system, const trm_initial *at,
                          trm_error *error)
{
    trmi_evaluator *e = &q->e;
    trm_initial rest = *at;
    if (!q->steady)
        rest.v = NULL;
    q->options.start = TRM_START_PROJECT;
    trm_status status =
        trmi_evaluator_create(e, &q->values, &q->memory, system, trmi_linearise_quantities(), &rest,
                              &q->statistics, error);
    if (status != TRM_OK)
        return status;
    int n = 2 * e->n_q + e->n_x + e->n_z + e->n_r + 1;
    if (!trmi_point_create(&q->point, &q->memory, e) ||
        !trmi_scratch_create(&q->scratch, &q->memory, trmi_manifold_scratch(e, &q->options)) ||
        !TRMI_TAKE(&q->memory, q->force, n) || !TRMI_TAKE(&q->memory, q->load, n) ||
        !TRMI_TAKE(&q->memory, q->step, n) || !TRMI_TAKE(&q->memory, q->before, n) ||
        !TRMI_TAKE(&q->memory, q->lambda, e->n_r_full + 1) ||
        !TRMI_TAKE(&q->memory, q->ball, e->n_q) ||
        !TRMI_TAKE(&q->memory, q->held, e->user.n_held) ||
        !TRMI_TAKE(&q->memory, q->cruise, e->n_q) || !TRMI_TAKE(&q->memory, q->origin, e->n_q))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the equilibrium");
    trmi_point_set(&q->point, e, &rest);
    q->saddle.e = e;
    q->saddle.values = &q->values;
    q->manifold =
        (trmi_manifold){.saddle = &q->saddle, .options = &q->options, .scratch = &q->scratch};
    status = trmi_start(&q->manifold, &q->memory, true, &q->point, &q->start, error);
    if (status != TRM_OK)
        return status;
    if (!stop_excitations(q))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the equilibrium");
    if (q->steady)
        return prepare_steady(q, error);
    status = choose_matrices(q, error);
    if (status == TRM_OK && !q->sparse && !trmi_reduced_create(&q->reduced, e, &q->memory))
        status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the equilibrium");
    return status;
}

// The constraints and with them the directions of free motions are known to the last correction;
// where that is not small against the pivots of G, in a singular position, they mean nothing.
static bool directions_known(const trm_equilibrium *q)
{
    return q->report.correction <= TRMI_STATIC_KNOWN * q->reduced.split.pivot;
}

static const char *const no_rank = "the constraints lose rank there";

// Why the directions cannot be computed, or NULL. Where rank is lost both the null space of G and
// its factors are noise.
static const char *find_obstacle(const trm_equilibrium *q, bool springs, trm_status status)
{
    if (q->report.undecided)
        return q->report.undecided;
    bool known = springs ? q->springs.pivot >= TRMI_RANK_PIVOT : true;
    if (!q->sparse)
        known = known && directions_known(q);
    return status == TRM_ERR_SINGULAR || !known ? no_rank : NULL;
}

// The last step shows whether the potential has a minimum at the point (penalty_stiffness.h);
// directions that contradict it are noise.
static void judge_by_springs(trm_equilibrium *q)
{
    trm_equilibrium_report *r = &q->report;
    bool minimum = q->shift < TRMI_MIN_STATIC;
    if (!r->undecided && !(minimum && r->unstable > 0))
        return;
    r->directions = r->unstable = r->free = 0;
    if (minimum)
        r->undecided = NULL;
    else if (q->shift == TRMI_MIN_STATIC)
        r->undecided = "the constraints lose rank there; no direction has a stiffness below -0.001 "
                       "1/s^2, some may be free";
}

// Where the mass matrix leaves the directions unknown the stiffness alone decides; where that
// cannot either, the springs do.
static trm_status judge(trm_equilibrium *q, bool springs, trm_error *error)
{
    const trm_equilibrium_report *r = &q->report;
    bool minimum = springs && q->shift < TRMI_MIN_STATIC, known = false;
    bool asked = r->undecided || q->vague || (minimum && r->unstable > 0);
    if (!asked)
        return TRM_OK;
    if (q->symmetric && q->e.n_q <= MAX_DENSE_COORDINATES) {
        trm_error ignored = *error;
        if (trmi_describe_signs(q, &known, &ignored) == TRM_ERR_MEMORY)
            return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the directions");
    }
    if (known)
        q->report.undecided = NULL;
    else if (springs)
        judge_by_springs(q);
    return TRM_OK;
}

// The directions, or why there are none.
static trm_status describe(trm_equilibrium *q, trm_error *error)
{
    trm_equilibrium_report *r = &q->report;
    int shifted = r->shifted;
    trm_status status = r->undecided ? TRM_OK : trmi_static_step(q, error); // for the stiffness
    bool springs = status == TRM_OK && !r->undecided && q->springs.used;
    if (springs && !q->sparse)
        status = trmi_reduced_stiffness(&q->reduced, &q->saddle, error);
    r->shifted = shifted;
    r->mobility = q->e.n_q - q->e.n_r;
    r->undecided = find_obstacle(q, springs, status);
    if (status == TRM_OK && !r->undecided)
        status = q->sparse ? trmi_describe_lowest(q, error) : trmi_describe_directions(q, error);
    if (!r->undecided && (status == TRM_ERR_NEWTON || status == TRM_ERR_SINGULAR))
        r->undecided = "the softest directions were not found: they lie close together, or the "
                       "constraints lose rank there";
    if (r->undecided) {
        trmi_error_clear(error);
        r->directions = r->unstable = r->free = 0;
        status = TRM_OK;
    }
    return status == TRM_OK ? judge(q, springs, error) : status;
}

// the report, the directions and the state where the iteration ended
static trm_status conclude(trm_equilibrium *q, trm_error *error)
{
    trmi_evaluator *e = &q->e;
    const trmi_point *p = &q->point;
    trm_status status = q->steady ? TRM_OK : describe(q, error);
    if (status != TRM_OK)
        return status;
    q->report.mobility = e->n_q - e->n_r;
    q->report.redundant = q->start.redundant;
    q->report.constraint = trmi_max_abs(q->values.of[TRM_QUANTITY_CONSTRAINT], e->n_g);
    q->report.rate = trmi_max_abs(q->values.of[TRM_QUANTITY_RATE], e->n_x);
    trmi_full_multipliers(&q->values, &q->memory, p, q->lambda);
    q->state = (trm_state){
        p->t, p->q, p->v, p->a, p->x, p->z, q->lambda, e->n_u ? q->values.input : NULL, e->held};
    return TRM_OK;
}

// Newton's method in the metric of the search; what is reported afterwards is that of the system
// itself.
static trm_status iterate(trm_equilibrium *q, trm_error *error)
{
    if (q->steady)
        return trmi_steady_iterate(q, error);
    if (!q->thick)
        return trmi_static_iterate(q, error);
    trmi_mass_diagonal(&q->values, q->step);
    trmi_largest_inertias(&q->values, q->step, q->ball);
    trmi_values_add_mass(&q->values, q->ball);
    trm_status status = trmi_static_iterate(q, error);
    trmi_values_add_mass(&q->values, NULL);
    return status == TRM_OK ? trmi_static_forces(q, error) : status;
}

// Searches from one start. *out is set after a failure too, with the point where it happened,
// unless there was no memory for it.
static trm_status search_from(trm_equilibrium **out, const trm_system *system,
                              const trm_options *options, const trm_initial *at,
                              const trm_trim *trim, bool thick, trm_error *error)
{
    trmi_memory memory;
    trmi_memory_init(&memory, &options->allocator);
    trm_equilibrium *q;
    *out = NULL;
    if (!TRMI_TAKE(&memory, q, 1))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the equilibrium");
    q->memory = memory;
    q->options = *options;
    q->steady = trim->steady;
    q->thick = thick;
    q->rates = trim->n_rates;
    q->rate = trim->rate;
    *out = q;
    trm_status status = prepare(q, system, at, error);
    if (status != TRM_OK)
        return status;
    status = iterate(q, error);
    return status == TRM_OK ? conclude(q, error) : status;
}

// Moves a position a little along every unstable direction.
static void push(const trm_equilibrium *q, double *position)
{
    for (int k = 0; k < q->report.unstable; k++) {
        const double *shape = q->direction[k].shape;
        double size = 0;
        for (int i = 0; i < q->e.n_q; i++)
            size = fmax(size, fabs(shape[i]) / trmi_q_unit(&q->e.user, i, q->point.q[i]));
        for (int i = 0; i < q->e.n_q && size > 0; i++)
            position[i] += PUSH / size * shape[i];
    }
}

// Sets the start of the next search to the end of this one, or to a point beside it, in `memory`.
static bool continue_from(const trm_equilibrium *q, bool beside, trmi_memory *memory,
                          trm_system *system, trm_initial *at)
{
    const trmi_evaluator *e = &q->e;
    const trmi_point *p = &q->point;
    double *x[] = {p->q, p->x, p->z, e->held, p->v};
    const int n[] = {e->n_q, e->n_x, e->n_z, e->user.n_held, e->n_q};
    double *copy[5];
    for (int k = 0; k < 5; k++) {
        if (!TRMI_TAKE(memory, copy[k], n[k]))
            return false;
        memcpy(copy[k], x[k], (size_t)n[k] * sizeof *copy[k]);
    }
    if (beside)
        push(q, copy[0]);
    if (q->steady)
        memcpy(copy[4], q->cruise, (size_t)e->n_q * sizeof *copy[4]);
    *at = (trm_initial){.t = p->t, .q = copy[0], .v = copy[4], .x = copy[1], .z = copy[2]};
    system->held = copy[3];
    return true;
}

// Rows that follow from others at the start of a search may do so less accurately at its end: the
// search is repeated from there, with other rows dropped.
static trm_status search(trm_equilibrium **out, const trm_system *given, const trm_options *options,
                         const trm_initial *start, const trm_trim *trim, bool thick,
                         trm_error *error)
{
    trm_system system = *given;
    trm_initial at = *start;
    trmi_memory memory;
    trmi_memory_init(&memory, &options->allocator);
    int iterations = 0, shifted = 0;
    double max_correction = 0;
    trm_status status = TRM_OK;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        trmi_error_clear(error);
        status = search_from(out, &system, options, &at, trim, thick, error);
        if (!*out)
            break;
        iterations = (*out)->report.iterations += iterations;
        shifted = (*out)->report.shifted += shifted;
        max_correction = (*out)->max_correction = fmax((*out)->max_correction, max_correction);
        bool again =
            status != TRM_ERR_MEMORY && (*out)->start.redundant > 0 && round + 1 < MAX_ROUNDS &&
            (round == 0 || status != TRM_OK || (*out)->report.correction > TRMI_STATIC_ENOUGH);
        if (!again)
            break;
        if (!continue_from(*out, false, &memory, &system, &at)) {
            status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the equilibrium");
            break;
        }
        trm_equilibrium_destroy(*out);
    }
    trmi_memory_release_all(&memory);
    return status;
}

// A search that started far away may end at a saddle point: it is continued from a point beside it.
// *out is replaced by the equilibrium found there, if any. Fails only without memory.
static trm_status leave_saddles(trm_equilibrium **out, const trm_system *given,
                                const trm_options *options, const trm_trim *trim, trm_error *error)
{
    for (int k = 1; k <= MAX_PUSHES && (*out)->report.unstable > 0; k++) {
        if ((*out)->max_correction <= TRMI_STATIC_CLOSE) // it was the start
            return TRM_OK;
        trm_system system = *given;
        trm_initial at;
        trm_equilibrium *next = NULL;
        trm_error failed;
        trmi_memory memory;
        trmi_memory_init(&memory, &options->allocator);
        trm_status status = TRM_ERR_MEMORY;
        if (continue_from(*out, true, &memory, &system, &at))
            status = search(&next, &system, options, &at, trim, (*out)->thick, &failed);
        trmi_memory_release_all(&memory);
        if (status != TRM_OK) {
            trm_equilibrium_destroy(next);
            return status != TRM_ERR_MEMORY
                       ? TRM_OK
                       : trmi_error_set(error, status, "no memory for the equilibrium");
        }
        next->report.iterations += (*out)->report.iterations;
        next->report.shifted += (*out)->report.shifted;
        next->report.pushed = k;
        trm_equilibrium_destroy(*out);
        *out = next;
    }
    return TRM_OK;
}

// Whether a search for rest failed, or ended with corrections that only the shift made small:
// these do not show how near the equilibrium is.
static bool is_doubtful(const trm_equilibrium *q, trm_status status)
{
    if (!q || q->steady)
        return false;
    if (status == TRM_OK)
        return q->report.correction > TRMI_STATIC_ENOUGH && q->shift > TRMI_MIN_STATIC;
    return q->report.iterations > 0 && (status == TRM_ERR_NEWTON || status == TRM_ERR_SINGULAR);
}

// Such a search is repeated in the metric of bodies that are not thin (springs.c), from its end
// where it found something. *out is replaced by what is found then, if that is nearer.
static trm_status search_thick(trm_equilibrium **out, const trm_system *given,
                               const trm_options *options, const trm_initial *start,
                               const trm_trim *trim, trm_status status, trm_error *error)
{
    trm_system system = *given;
    trm_initial at = *start;
    trm_equilibrium *other = NULL;
    trm_error ignored = *error;
    trmi_memory memory;
    trmi_memory_init(&memory, &options->allocator);
    bool found = status == TRM_OK;
    bool better = (!found || continue_from(*out, false, &memory, &system, &at)) &&
                  search(&other, &system, options, &at, trim, true, &ignored) == TRM_OK &&
                  (!found || other->report.correction < (*out)->report.correction);
    trmi_memory_release_all(&memory);
    if (!better) {
        trm_equilibrium_destroy(other);
        return status;
    }
    if (found) {
        other->report.iterations += (*out)->report.iterations;
        other->max_correction = fmax(other->max_correction, (*out)->max_correction);
    }
    trm_equilibrium_destroy(*out);
    *out = other;
    trmi_error_clear(error);
    return TRM_OK;
}

trm_status trmi_equilibrium_search(trm_equilibrium **out, const trm_system *system,
                                   const trm_options *options, const trm_initial *start,
                                   const trm_trim *trim, trm_error *error)
{
    trm_status status = search(out, system, options, start, trim, false, error);
    if (is_doubtful(*out, status))
        status = search_thick(out, system, options, start, trim, status, error);
    return status == TRM_OK && !trim->steady ? leave_saddles(out, system, options, trim, error)
                                             : status;
}
