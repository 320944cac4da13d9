// SPDX-License-Identifier: Apache-2.0
// Velocities onto G v + g_t = 0 at the positions the nested corrector found. With the matrix of the
// step, whose factors are at hand,
//
//     [ S G^T; G 0 ] (dv, .) = ( 0, -(G v* + g_t) ),   v = v* + dv
//
// or, for the alpha methods, in the norm of the masses: [M G^T; G 0] there.
#include "solver/integrator/corrector/corrector.h"

#include <float.h>
#include <math.h>
#include <string.h>

// passes along a frozen direction, at most, and what they may leave of the constraints, in units of
// the tolerance
enum { FROZEN_PASSES = 20 };
static const double FROZEN_REST = 1e-4;
// growth from one step to the next that is not smooth motion: of |v - v*|, and of what the
// violation of a constraint makes of it
static const double INACCURATE = 2, LOST_RANK = 30;

// v += dv with the factors of a matrix, rhs = (dv, ., nu); *violation (may be NULL) = max |G v +
// g_t| before; returns the norm of dv in units of the tolerance
static double move_velocity(trmi_corrector *c, trmi_saddle *saddle, double *violation)
{
    const trmi_evaluator *e = c->e;
    const trmi_manifold m = {.saddle = saddle, .scratch = c->scratch};
    double *rows = c->rhs + e->n_q + e->n_x + e->n_z, sum = 0;
    trmi_velocity_level(c->values, c->point.v, rows);
    if (violation)
        *violation = trmi_max_abs(rows, e->n_r);
    trmi_manifold_direction(&m, rows, e->n_r, c->rhs);
    for (int i = 0; i < e->n_q; i++) {
        double d = c->rhs[i] * c->weight_v[i];
        c->point.v[i] += c->rhs[i];
        sum += d * d;
    }
    return sqrt(sum / e->n_q);
}

static int find_largest(const double *x, int n)
{
    int largest = 0;
    for (int i = 1; i < n; i++)
        largest = fabs(x[i]) > fabs(x[largest]) ? i : largest;
    return largest;
}

// v = v* + dv
trmi_outcome trmi_project_velocity(trmi_corrector *c, trmi_leading lead)
{
    trmi_evaluator *e = c->e;
    const double *x = c->rhs + e->n_q, *z = x + e->n_x, *nu = z + e->n_z;
    double violation, length = move_velocity(c, c->saddle, &violation);
    int row = find_largest(nu, e->n_r);
    c->projected =
        (trmi_velocity_correction){length, fabs(nu[row]) / (violation + DBL_MIN), row, lead.cv};
    // multipliers, and what depends on them, belong to the projected velocities
    for (int i = 0; i < e->n_x && e->lambda_enters; i++)
        c->point.x[i] += x[i] / lead.cv;
    for (int i = 0; i < e->n_z && e->lambda_enters; i++)
        c->point.z[i] += z[i] / lead.cv;
    for (int i = 0; i < e->n_r; i++)
        c->point.lambda[i] += lead.ca * nu[i];
    return isfinite(length) ? TRMI_OUTCOME_OK : TRMI_OUTCOME_NOT_FINITE;
}

// [M G^T; G 0] from the blocks at hand
trmi_outcome trmi_factor_mass(trmi_corrector *c)
{
    c->statistics->factorizations++;
    bool good = trmi_saddle_factor_projection(c->mass_saddle, NULL) == TRMI_FACTOR_OK;
    return good ? TRMI_OUTCOME_OK : TRMI_OUTCOME_SINGULAR;
}

// v = v* + shift at the new q, with M and G there, or along a frozen G in several passes; *change
// of the shift in units of the tolerance
trmi_outcome trmi_project_in_mass_norm(trmi_corrector *c, bool keep, double *change)
{
    trmi_evaluator *e = c->e;
    bool frozen = c->policy->frozen_direction;
    uint64_t want = frozen ? TRM_BIT(CONSTRAINT) : TRMI_POSITION_QUANTITIES;
    trmi_outcome result = trmi_callback_result(
        trmi_evaluate(e, &c->point, want | trmi_velocity_quantities(e), c->values));
    if (result == TRMI_OUTCOME_OK && !frozen && !keep)
        result = trmi_factor_mass(c);
    if (result != TRMI_OUTCOME_OK)
        return result;
    memcpy(c->point.v, c->star, (size_t)e->n_q * sizeof *c->star);
    double d = move_velocity(c, c->mass_saddle, NULL), sum = 0;
    for (int pass = 1; frozen && pass < FROZEN_PASSES && d > FROZEN_REST; pass++)
        d = move_velocity(c, c->mass_saddle, NULL);
    for (int i = 0; i < e->n_q; i++) {
        double shift = c->point.v[i] - c->star[i], w = (shift - c->shift[i]) * c->weight_v[i];
        c->shift[i] = shift;
        sum += w * w;
    }
    *change = sqrt(sum / e->n_q);
    return isfinite(sum) ? TRMI_OUTCOME_OK : TRMI_OUTCOME_NOT_FINITE;
}

// v* = cv q + bq is known to a few eps cv |q|, and the constraints hand that on to all velocities
double trmi_velocity_noise(const trmi_corrector *c, trmi_leading lead)
{
    double sum = 0, most = trmi_max_abs(c->point.q, c->e->n_q);
    for (int i = 0; i < c->e->n_q; i++)
        sum += c->weight_v[i] * c->weight_v[i];
    return 4 * DBL_EPSILON * lead.cv * most * sqrt(sum / c->e->n_q);
}

// Close to lost rank g = x y + .., y along the lost row: y is known to eps / x, and y' = -y x'/x to
// eps x'/x^2. That is far more than tolerances long before positions suffer. What v* is not known
// to in any position, with short steps of a large mechanism, is no sign of it.
bool trmi_velocities_inaccurate(const trmi_corrector *c)
{
    const trmi_velocity_correction *now = &c->projected, *last = &c->projected_last;
    return now->length > 1 && last->stretch > 0 && now->length > INACCURATE * last->length &&
           now->stretch > LOST_RANK * last->stretch &&
           now->length > trmi_velocity_noise(c, (trmi_leading){.cv = now->cv});
}
