// SPDX-License-Identifier: Apache-2.0
// Experiments as one JSON object:
//     {"version": ..., "differs": 0, "unconfirmed": 0,
//      "compared_with_papers": {"rows", "agree", "explained", "differ", "numbers",
//        "numbers_inside", "numbers_agree"}, "compared_with_own": {the same},
//      "experiments": [{"name", "title", "source", "runs_per_row", "unknown", "columns": [...],
//        "rows": [{"name", "compared_with", "table", "verdict", "reason", "slack", "failed",
//          "failure", "cells": [{"column", "expected", "median" (or "geometric_mean"), "low",
//            "high", "inside", "agrees"}]}],
//        "claims": [{"claim", "verdict", "reason", "confirmed"}], "figures": [...]}],
//      "papers": [{"title", "contents": [{"name", "shows", "printed", "compared", "inside",
//        "agree", "shown", "state", "drawing", "reasons": [...]}]}]}
// "differs" counts rows that should have been reproduced, "unconfirmed" claims whose evidence is
// not true; expected is null, a number, or a range; compared_with is "paper", "own" or null.
#include "program/files/json.h"
#include "program/reproduce/claim.h"
#include "program/reproduce/table.h"
#include "trammel/version.h"

static void write_row(trmi_json *json, const trmi_measured *m, int index)
{
    const trmi_experiment *e = m->experiment;
    const trmi_measured_row *r = &m->row[index];
    bool excused = r->verdict == TRMI_VERDICT_NOT_REPRODUCIBLE;
    trmi_json_begin_object(json, NULL);
    trmi_json_string(json, "name", e->row[index].name);
    const trmi_experiment_row *row = &e->row[index];
    bool own = !row->table && (row->expected || row->like >= 0);
    trmi_json_string(json, "compared_with", row->table ? "paper" : own ? "own" : NULL);
    trmi_json_string(json, "table", row->table ? row->table->name : NULL);
    trmi_json_string(json, "verdict", trmi_verdict_text(r->verdict, row->table != NULL));
    trmi_json_string(json, "reason", excused ? e->row[index].reason : NULL);
    trmi_json_number(json, "slack", e->row[index].slack);
    trmi_json_integer(json, "failed", r->failed);
    trmi_json_string(json, "failure", r->failed > 0 ? r->failure : NULL);
    trmi_json_begin_array(json, "cells");
    for (int k = 0; k < e->columns; k++) {
        const trmi_cell *c = &r->cell[k];
        trmi_json_begin_object(json, NULL);
        trmi_json_string(json, "column", e->column[k].heading);
        if (c->expected.low < c->expected.high) {
            trmi_json_begin_array(json, "expected");
            trmi_json_number(json, NULL, c->expected.low);
            trmi_json_number(json, NULL, c->expected.high);
            trmi_json_end(json);
        } else {
            trmi_json_number(json, "expected", c->expected.low); // NaN: null
        }
        trmi_json_number(json, e->geometric ? "geometric_mean" : "median", c->middle);
        trmi_json_number(json, "low", c->low);
        trmi_json_number(json, "high", c->high);
        trmi_json_boolean(json, "inside", c->inside);
        trmi_json_boolean(json, "agrees", c->agrees);
        trmi_json_end(json);
    }
    trmi_json_end(json);
    trmi_json_end(json);
}

static void write_tally(trmi_json *json, const char *key, const trmi_tally *t)
{
    trmi_json_begin_object(json, key);
    trmi_json_integer(json, "rows", t->rows);
    trmi_json_integer(json, "agree", t->verdict[TRMI_VERDICT_REPRODUCED]);
    trmi_json_integer(json, "explained", t->verdict[TRMI_VERDICT_NOT_REPRODUCIBLE]);
    trmi_json_integer(json, "differ", t->verdict[TRMI_VERDICT_DIFFERS]);
    trmi_json_integer(json, "numbers", t->numbers);
    trmi_json_integer(json, "numbers_inside", t->inside);
    trmi_json_integer(json, "numbers_agree", t->agree);
    trmi_json_end(json);
}

static void write_covered(trmi_json *json, const trmi_covered *c)
{
    trmi_json_begin_object(json, NULL);
    trmi_json_string(json, "name", c->table->name);
    trmi_json_string(json, "shows", c->table->shows);
    trmi_json_integer(json, "printed", c->printed);
    trmi_json_integer(json, "compared", c->compared);
    trmi_json_integer(json, "inside", c->inside);
    trmi_json_integer(json, "agree", c->agree);
    trmi_json_integer(json, "shown", c->shown);
    trmi_json_string(json, "state", trmi_covered_state(c));
    trmi_json_string(json, "drawing", c->drawing);
    trmi_json_begin_array(json, "reasons");
    for (int k = 0; k < c->reasons; k++)
        trmi_json_string(json, NULL, c->reason[k]);
    trmi_json_end(json);
    trmi_json_end(json);
}

static void write_coverage(trmi_json *json, const trmi_coverage *coverage)
{
    trmi_json_begin_array(json, "papers");
    for (int i = 0; i < coverage->papers; i++) {
        trmi_json_begin_object(json, NULL);
        trmi_json_string(json, "title", coverage->paper[i]->title);
        trmi_json_begin_array(json, "contents");
        for (const trmi_covered *c = coverage->entry[i]; c->table; c++)
            write_covered(json, c);
        trmi_json_end(json);
        trmi_json_end(json);
    }
    trmi_json_end(json);
}

static void write_experiment(trmi_json *json, const trmi_measured *m)
{
    const trmi_experiment *e = m->experiment;
    trmi_json_begin_object(json, NULL);
    trmi_json_string(json, "name", e->name);
    trmi_json_string(json, "title", e->title);
    trmi_json_string(json, "source", e->source);
    trmi_json_integer(json, "runs_per_row", e->runs_per_row);
    trmi_json_string(json, "unknown", e->unknown);
    trmi_json_begin_array(json, "columns");
    for (int k = 0; k < e->columns; k++)
        trmi_json_string(json, NULL, e->column[k].heading);
    trmi_json_end(json);
    trmi_json_begin_array(json, "rows");
    for (int i = 0; i < e->rows; i++)
        write_row(json, m, i);
    trmi_json_end(json);
    trmi_json_begin_array(json, "claims");
    for (int i = 0; i < e->claims; i++) {
        trmi_json_begin_object(json, NULL);
        trmi_json_string(json, "claim", e->claim[i].claim);
        trmi_json_string(json, "verdict", e->claim[i].verdict);
        trmi_json_string(json, "reason", e->claim[i].reason);
        trmi_json_boolean(json, "confirmed", trmi_claim_confirmed(m, &e->claim[i]));
        trmi_json_end(json);
    }
    trmi_json_end(json);
    trmi_json_begin_array(json, "figures");
    for (int i = 0; i < e->drawings && m->drawn; i++)
        trmi_json_string(json, NULL, e->drawing[i].name);
    trmi_json_end(json);
    trmi_json_end(json);
}

bool trmi_reproduction_json(FILE *out, const trmi_measured *m, int count,
                            const trmi_coverage *coverage)
{
    trmi_tally sum[2] = {{0}, {0}};
    int unconfirmed = 0;
    trmi_json json = {0};
    for (int i = 0; i < count; i++) {
        for (int published = 0; published < 2; published++) {
            const trmi_tally tally = trmi_measured_tally(&m[i], published);
            trmi_tally_add(&sum[published], &tally);
        }
        unconfirmed += trmi_claims_unconfirmed(&m[i]);
    }
    trmi_json_begin_object(&json, NULL);
    trmi_json_string(&json, "version", trm_version());
    trmi_json_integer(&json, "differs",
                      sum[0].verdict[TRMI_VERDICT_DIFFERS] + sum[1].verdict[TRMI_VERDICT_DIFFERS]);
    trmi_json_integer(&json, "unconfirmed", unconfirmed);
    write_tally(&json, "compared_with_papers", &sum[1]);
    write_tally(&json, "compared_with_own", &sum[0]);
    trmi_json_begin_array(&json, "experiments");
    for (int i = 0; i < count; i++)
        write_experiment(&json, &m[i]);
    trmi_json_end(&json);
    write_coverage(&json, coverage);
    trmi_json_end(&json);
    const char *text = trmi_json_finish(&json);
    if (text)
        fprintf(out, "%s\n", text);
    trmi_json_free(&json);
    return text != NULL;
}
