// SPDX-License-Identifier: Apache-2.0
#include "program/reproduce/claim.h"

#include "base/nearest.h"
#include "program/reproduce/fields.h"

#include <math.h>
#include <string.h>

// ---- reading ----

static int read_name(trmi_experiment *e, const trmi_item *map, const char *key,
                     int (*find)(const trmi_experiment *, const char *))
{
    const char *name = trmi_fields_text(e->document, map, key, TRMI_FIELD_REQUIRED);
    int index = name ? find(e, name) : -1;
    if (name && index < 0)
        trmi_report(e->document, trmi_item_find(map, key), "there is no %s '%.60s'", key, name);
    return index;
}

// below or above: a row, or a number
static void read_bound(trmi_experiment *e, const trmi_item *map, trmi_evidence *v)
{
    const trmi_item *below = trmi_item_find(map, "below"), *above = trmi_item_find(map, "above");
    const trmi_item *bound = below ? below : above;
    v->below = below != NULL;
    v->other = -1;
    if (!bound || (below && above)) {
        trmi_report(e->document, map, "evidence needs either 'below' or 'above'");
        return;
    }
    if (bound->kind == TRMI_SCALAR)
        v->other = trmi_experiment_find_row(e, bound->text);
    if (v->other < 0 && !trmi_item_number(bound, &v->number))
        trmi_report(e->document, bound, "'%s' is a number or the name of a row", bound->key);
}

static void read_evidence(trmi_experiment *e, const trmi_item *item, trmi_evidence *v)
{
    static const char *const valid[] = {"column", "row", "below", "above", "factor", NULL};
    *v = (trmi_evidence){.factor = 1, .other = -1};
    if (!trmi_fields_check(e->document, item, "evidence", valid))
        return;
    v->column = read_name(e, item, "column", trmi_experiment_find_column);
    v->row = read_name(e, item, "row", trmi_experiment_find_row);
    trmi_fields_number(e->document, item, "factor", &v->factor);
    read_bound(e, item, v);
}

// The verdict is one of the words; nothing fails where the data behind it are not printed.
static void check_verdict(trmi_experiment *e, const trmi_item *item, const trmi_claim *c)
{
    static const char *const words[] = {"holds", "fails", "holds in part", "cannot be decided"};
    enum { WORDS = sizeof words / sizeof *words };
    const trmi_item *place = trmi_item_find(item, "verdict");
    bool word = false;
    if (!c->verdict)
        return;
    for (int k = 0; k < WORDS; k++)
        word = word || strcmp(words[k], c->verdict) == 0;
    const char *near = word ? NULL : trmi_nearest(c->verdict, words, WORDS);
    if (!word)
        trmi_report(e->document, place,
                    "a claim holds, fails, holds in part, or cannot be decided, not "
                    "'%.60s'%s%s%s",
                    c->verdict, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    if (e->unknown && !c->known && strcmp(c->verdict, "fails") == 0)
        trmi_report(e->document, place,
                    "the paper does not print %.100s: a claim 'cannot be decided' then; 'known: "
                    "true' states that this one needs nothing of that",
                    e->unknown);
}

static bool read_claim(trmi_experiment *e, const trmi_item *item)
{
    static const char *const valid[] = {"claim", "verdict", "known", "reason", "evidence", NULL};
    trmi_document *d = e->document;
    if (!trmi_fields_check(d, item, "a claim", valid))
        return true;
    trmi_claim *c = &e->claim[e->claims++];
    c->claim = trmi_fields_text(d, item, "claim", TRMI_FIELD_REQUIRED);
    c->verdict = trmi_fields_text(d, item, "verdict", TRMI_FIELD_REQUIRED);
    c->reason = trmi_fields_text(d, item, "reason", TRMI_FIELD_REQUIRED);
    trmi_fields_truth(d, item, "known", &c->known);
    check_verdict(e, item, c);
    const trmi_item *list = trmi_fields_list(d, item, "evidence", TRMI_FIELD_OPTIONAL);
    if (!TRMI_TAKE(&e->memory, c->evidence, list ? list->count : 0))
        return false;
    for (const trmi_item *i = list ? list->child : NULL; i; i = i->next)
        read_evidence(e, i, &c->evidence[c->evidences++]);
    return true;
}

bool trmi_experiment_read_claims(trmi_experiment *e, const trmi_item *root)
{
    const trmi_item *list = trmi_fields_list(e->document, root, "claims", TRMI_FIELD_OPTIONAL);
    if (!TRMI_TAKE(&e->memory, e->claim, list ? list->count : 0))
        return false;
    for (const trmi_item *item = list ? list->child : NULL; item; item = item->next)
        if (!read_claim(e, item))
            return false;
    return true;
}

// ---- confirming ----

bool trmi_evidence_holds(const trmi_measured *m, const trmi_evidence *v)
{
    double ours = m->row[v->row].cell[v->column].middle;
    double other = v->other >= 0 ? m->row[v->other].cell[v->column].middle : v->number;
    double bound = v->factor * other;
    return v->below ? ours < bound : ours > bound; // false for NaN
}

bool trmi_claim_confirmed(const trmi_measured *m, const trmi_claim *c)
{
    for (int k = 0; k < c->evidences; k++)
        if (!trmi_evidence_holds(m, &c->evidence[k]))
            return false;
    return true;
}

int trmi_claims_unconfirmed(const trmi_measured *m)
{
    int count = 0;
    for (int i = 0; i < m->experiment->claims; i++)
        count += !trmi_claim_confirmed(m, &m->experiment->claim[i]);
    return count;
}
