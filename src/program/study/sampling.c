// SPDX-License-Identifier: Apache-2.0
// The values of the parameters of a run.
#include "program/study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// what random numbers are for
enum { FOR_VALUES, FOR_STRATA, FOR_SHIFTS };

// ---- strata of a Latin hypercube: a random order of 0 .. n - 1 for every parameter ----

// Of so many runs the order is kept, 4 bytes each; sorting takes a second and 32 bytes each. Of
// more it is computed where it is needed.
static const int64_t MAX_KEPT = 10000000;

typedef struct card {
    uint64_t bits;
    int number;
} card;

static int compare_cards(const void *a, const void *b)
{
    const card *x = a, *y = b;
    if (x->bits != y->bits)
        return x->bits < y->bits ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static bool shuffle(trmi_study *study, int k)
{
    size_t n = (size_t)study->runs;
    card *cards = malloc(n * sizeof *cards);
    int *stratum;
    bool good = cards && TRMI_TAKE(&study->memory, stratum, n);
    for (size_t i = 0; i < n && good; i++)
        cards[i] = (card){trmi_random_bits(study->seed, i, (uint32_t)k, FOR_STRATA), (int)i};
    if (good) {
        qsort(cards, n, sizeof *cards, compare_cards);
        for (size_t i = 0; i < n; i++)
            stratum[i] = cards[i].number;
        study->parameter[k].spread.stratum = stratum;
    }
    free(cards);
    return good;
}

static double stratum_of(const trmi_study *study, int64_t run, int k)
{
    const int *kept = study->parameter[k].spread.stratum;
    return kept ? kept[run]
                : (double)trmi_random_place((uint64_t)run, (uint64_t)study->runs, study->seed,
                                            (uint32_t)k, FOR_STRATA);
}

bool trmi_sampling_prepare(trmi_study *study)
{
    bool kept = study->sampling == TRMI_SAMPLING_LATIN && study->runs <= MAX_KEPT;
    for (int k = 0; k < study->parameters && kept; k++)
        if (!shuffle(study, k))
            return false;
    return true;
}

// ---- values ----

// the value at a share u of the way, 0 <= u <= 1, of a spread with a continuous range
static double value_at(const trmi_spread *s, double u)
{
    switch (s->kind) {
    case TRMI_SPREAD_UNIFORM:
        return u < 0.5 ? s->a + u * (s->b - s->a) : s->b - (1 - u) * (s->b - s->a);
    case TRMI_SPREAD_LOG:
        return u == 0 ? s->a : u == 1 ? s->b : s->a * pow(s->b / s->a, u);
    case TRMI_SPREAD_NORMAL:
        return s->a + s->b * trmi_normal_quantile(u);
    default:
        return s->value[(int64_t)(u * (double)s->count)];
    }
}

// number i of `count` values; between the ends with 15 digits, so that 0.1 .. 0.2 has 0.15 in the
// middle and not 0.15000000000000002
static double value_of(const trmi_spread *s, int64_t i)
{
    char text[40];
    if (s->kind == TRMI_SPREAD_VALUES)
        return s->value[s->count == 1 ? 0 : i];
    if (i == 0 || i == s->count - 1)
        return i == 0 ? s->a : s->b;
    snprintf(text, sizeof text, "%.15g", value_at(s, (double)i / (double)(s->count - 1)));
    return strtod(text, NULL);
}

// coordinate k of a point of Sobol's sequence, moved by exclusive or
static double sobol_share(const trmi_study *study, uint64_t index, int k, bool moved)
{
    uint64_t bits = (uint64_t)trmi_sobol_bits(k, (uint32_t)index) << 32 | UINT64_C(1) << 31;
    uint64_t shift = moved ? trmi_random_bits(study->seed, 0, (uint32_t)k, FOR_SHIFTS) : 0;
    return trmi_unit_of_bits(bits ^ shift);
}

// Saltelli's design (2002): of two independent points A and B of every block the first run has A,
// the last one B, and those between A with one of the parameters as B has it. A and B are halves of
// a point of Sobol's sequence, which is always moved: its first point has equal halves.
static double saltelli_share(const trmi_study *study, int64_t run, int k)
{
    int n = study->parameters, which = (int)(run % (n + 2));
    uint64_t block = (uint64_t)(run / (n + 2));
    int column = which == n + 1 || which == k + 1 ? n + k : k;
    if (2 * n <= TRMI_SOBOL_DIMENSIONS)
        return sobol_share(study, block, column, true);
    return trmi_unit_of_bits(trmi_random_bits(study->seed, block, (uint32_t)column, FOR_VALUES));
}

// the share of a run, by the method
static double share_of(const trmi_study *study, int64_t run, int k)
{
    uint64_t index = (uint64_t)run;
    // the first point of the sequence, as it is, would be the lower end of every distribution
    if (study->sampling == TRMI_SAMPLING_SOBOL)
        return sobol_share(study, study->seed != 0 ? index : index + 1, k, study->seed != 0);
    if (study->sampling == TRMI_SAMPLING_SALTELLI)
        return saltelli_share(study, run, k);
    double u = trmi_unit_of_bits(trmi_random_bits(study->seed, index, (uint32_t)k, FOR_VALUES));
    return study->sampling == TRMI_SAMPLING_LATIN
               ? (stratum_of(study, run, k) + u) / (double)study->runs
               : u;
}

void trmi_study_point(const trmi_study *study, int64_t run, double *value)
{
    int64_t rest = run;
    for (int k = study->parameters - 1; k >= 0; k--) {
        const trmi_spread *s = &study->parameter[k].spread;
        if (study->sampling == TRMI_SAMPLING_GRID) {
            value[k] = value_of(s, rest % s->count);
            rest /= s->count;
        } else if (study->sampling == TRMI_SAMPLING_LIST) {
            value[k] = value_of(s, run);
        } else {
            value[k] = value_at(s, share_of(study, run, k));
        }
    }
}
