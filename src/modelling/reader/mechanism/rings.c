// SPDX-License-Identifier: Apache-2.0
// Forces whose formulas use each other: each must be known from others, so no ring may lead back.
#include "modelling/reader/mechanism/draft.h"

// the force that an effect is of; TRMI_NOTHING: it is known without formulas of forces
static int force_of(const trmi_effect *e)
{
    switch (e->kind) {
    case TRMI_EFFECT_FRICTION:
    case TRMI_EFFECT_STOP:
    case TRMI_EFFECT_JOINT:
    case TRMI_EFFECT_REACTION:
    case TRMI_EFFECT_DRIVE:
    case TRMI_EFFECT_SUM:
        return TRMI_NOTHING;
    default:
        return e->index;
    }
}

// Whether the formulas of a force lead to another one; every force is tried once.
static bool leads_to(const trmi_draft *d, int from, int to, bool *tried)
{
    if (from == to)
        return true;
    if (tried[from])
        return false;
    tried[from] = true;
    for (int k = 0; k < d->pendings; k++) {
        const trmi_formula *formula = d->pending[k].formula;
        for (int i = 0; d->pending[k].force == from && i < formula->effects; i++) {
            int next = force_of(&d->effect[formula->effect[i]]);
            if (next != TRMI_NOTHING && leads_to(d, next, to, tried))
                return true;
        }
    }
    return false;
}

static void report_ring(trmi_draft *d, const trmi_pending *p, int next)
{
    const char *own = d->force[p->force]->name, *other = d->force[next]->name;
    if (next == p->force)
        trmi_report(d->r->document, p->item, "force '%.60s' is defined by itself", own);
    else
        trmi_report(d->r->document, p->item,
                    "cycle in the forces: '%.60s' needs '%.60s' (line %d), which leads back to "
                    "'%.60s'",
                    own, other, d->forces.symbol[next].item->key_line, own);
}

bool trmi_draft_check_rings(trmi_draft *d)
{
    bool *tried;
    if (d->mechanism->feedbacks == 0)
        return true;
    for (int k = 0; k < d->pendings; k++) {
        const trmi_pending *p = &d->pending[k];
        for (int i = 0; p->force != TRMI_NOTHING && i < p->formula->effects; i++) {
            int next = force_of(&d->effect[p->formula->effect[i]]);
            if (next == TRMI_NOTHING)
                continue;
            if (!TRMI_TAKE(d->r->scratch, tried, d->mechanism->forces)) {
                d->r->failed = true;
                return false;
            }
            if (leads_to(d, next, p->force, tried)) {
                report_ring(d, p, next);
                return false;
            }
        }
    }
    return true;
}
