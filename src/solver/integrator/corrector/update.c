// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/corrector/update.h"

// a matrix is kept while cj / cj_matrix stays within [0.6, 1/0.6], as in DASSL
static const double CJ_RATIO = 0.6;

void trmi_update_reset(trmi_update *u)
{
    u->quality = TRMI_MATRIX_NONE;
    u->cj = 0;
    u->wanted = u->slow = false;
}

trmi_matrix_event trmi_update_begin(trmi_update *u, double cj)
{
    if (u->quality == TRMI_MATRIX_NONE)
        return TRMI_MATRIX_FIRST;
    double ratio = cj / u->cj;
    u->quality = TRMI_MATRIX_OLD;
    if (u->slow)
        return TRMI_MATRIX_SLOW;
    if (!u->keeps_matrix)
        return TRMI_MATRIX_EVERY_STEP;
    if (u->wanted)
        return TRMI_MATRIX_WANTED;
    return ratio >= CJ_RATIO && ratio <= 1 / CJ_RATIO ? TRMI_MATRIX_GOOD : TRMI_MATRIX_CJ;
}

static trmi_matrix_action after_failure(const trmi_update *u, bool moved)
{
    switch (u->quality) {
    case TRMI_MATRIX_OLD:
        return u->keeps_derivatives && moved ? TRMI_MATRIX_REFORM : TRMI_MATRIX_EVALUATE;
    case TRMI_MATRIX_FULL:
        return u->estimates ? TRMI_MATRIX_WIDEN : TRMI_MATRIX_SHORTEN;
    case TRMI_MATRIX_DENSE:
        return TRMI_MATRIX_SHORTEN;
    default:
        return TRMI_MATRIX_EVALUATE;
    }
}

trmi_matrix_action trmi_update_decide(const trmi_update *u, trmi_matrix_event event, bool moved)
{
    switch (event) {
    case TRMI_MATRIX_GOOD:
        return TRMI_MATRIX_KEEP;
    case TRMI_MATRIX_FIRST:
    case TRMI_MATRIX_SLOW:
        return TRMI_MATRIX_EVALUATE;
    case TRMI_MATRIX_NO_CONVERGENCE:
    case TRMI_MATRIX_SINGULAR:
        return after_failure(u, moved);
    default:
        return u->keeps_derivatives ? TRMI_MATRIX_REFORM : TRMI_MATRIX_EVALUATE;
    }
}

void trmi_update_formed(trmi_update *u, bool evaluated, double cj)
{
    trmi_matrix_quality quality = evaluated ? TRMI_MATRIX_FULL : TRMI_MATRIX_CHEAP;
    if (u->quality < quality) // a further matrix inside the attempt makes nothing older
        u->quality = quality;
    u->cj = cj;
    u->wanted = false;
    u->slow = u->slow && !evaluated;
}

void trmi_update_widened(trmi_update *u)
{
    u->quality = TRMI_MATRIX_DENSE;
}

void trmi_update_slow(trmi_update *u)
{
    u->slow = u->slow || u->quality < TRMI_MATRIX_FULL;
}

void trmi_update_archive(trmi_update *u, trmi_archive *a)
{
    int quality = (int)u->quality;
    trmi_archive_int(a, &quality, TRMI_MATRIX_NONE, TRMI_MATRIX_DENSE);
    u->quality = (trmi_matrix_quality)quality;
    trmi_archive_doubles(a, &u->cj, 1);
    trmi_archive_bool(a, &u->wanted);
    trmi_archive_bool(a, &u->slow);
}

const char *trmi_matrix_quality_name(trmi_matrix_quality quality)
{
    static const char *const names[] = {"none", "old", "re-formed", "evaluated", "widened"};
    return names[quality];
}

const char *trmi_matrix_event_name(trmi_matrix_event event)
{
    static const char *const names[] = {"matrix still good", "first matrix",    "new step",
                                        "cj changed",        "matrix outdated", "slow convergence",
                                        "new multipliers",   "no convergence",  "singular matrix"};
    return names[event];
}

const char *trmi_matrix_action_name(trmi_matrix_action action)
{
    static const char *const names[] = {"keep", "re-form", "evaluate", "widen patterns",
                                        "shorten the step"};
    return names[action];
}
