// SPDX-License-Identifier: Apache-2.0
// The section `initial`: values by name; what is missing is 0, or what a problem starts with.
#include "modelling/reader/reading.h"

#include <string.h>

// copies what is there and makes it writable
static double *writable(trmi_reading *r, const double *given, int n)
{
    double *copy;
    if (!TRMI_TAKE(r->memory, copy, n))
        return NULL;
    trmi_copy_or_zero(copy, given, n);
    return copy;
}

static double *find_value(const trmi_symbol *symbol, double *const part[5])
{
    switch (symbol->kind) {
    case TRMI_SYMBOL_POSITION:
        return part[0] + symbol->index;
    case TRMI_SYMBOL_VELOCITY:
        return part[1] + symbol->index;
    case TRMI_SYMBOL_STATE:
        return part[2] + symbol->index;
    case TRMI_SYMBOL_ALGEBRAIC:
        return part[3] + symbol->index;
    case TRMI_SYMBOL_MULTIPLIER:
        return part[4] + symbol->index;
    default:
        return NULL;
    }
}

void trmi_read_initial(trmi_reading *r)
{
    trm_initial *start = &r->model->initial;
    const trm_system *s = &r->model->system;
    const trmi_item *values = trmi_item_path(r->root, "initial.values");
    int rows = s->n_g + s->n_a;
    bool needs_lambda = values || start->lambda; // without either a guess of 0, which is not kept
    double *const part[5] = {writable(r, start->q, s->n_q), writable(r, start->v, s->n_q),
                             writable(r, start->x, s->n_x), writable(r, start->z, s->n_z),
                             needs_lambda ? writable(r, start->lambda, rows) : NULL};
    for (int k = 0; k < 4; k++)
        r->failed = r->failed || !part[k];
    r->failed = r->failed || (needs_lambda && !part[4]);
    if (r->failed)
        return;
    const unsigned unknowns = TRMI_USES_UNKNOWNS;
    for (const trmi_item *i = values ? values->child : NULL; i; i = i->next) {
        const trmi_symbol *symbol = trmi_symbols_find(&r->symbols, i->key);
        if (symbol && symbol->fixed && symbol->kind != TRMI_SYMBOL_PARAMETER)
            continue; // the start value of a joint
        double *target = symbol ? find_value(symbol, part) : NULL;
        if (target) {
            trmi_read_quantity(r, i, target);
            continue;
        }
        const char *near = symbol ? NULL : trmi_nearest_symbol(r, i->key, unknowns);
        if (symbol)
            trmi_report_key(r->document, i, "'%.60s' is %s and has no initial value", i->key,
                            trmi_symbol_kind_text(symbol->kind));
        else
            trmi_report_key(r->document, i, "there is no unknown '%.60s'%s%.60s%s", i->key,
                            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    *start = (trm_initial){r->model->schedule.start, part[0], part[1], part[2], part[3], part[4]};
}
