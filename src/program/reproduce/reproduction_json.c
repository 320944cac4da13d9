// SPDX-License-Identifier: Apache-2.0
// Experiments as one JSON object:
//     {"version": ..., "differs": 0, "unconfirmed": 0, "experiments": [{"name", "title", "source",
//     "runs_per_row",
//       "columns": [...], "rows": [{"name", "verdict", "reason", "slack", "failed", "failure",
//         "cells": [{"column", "expected", "median" (or "geometric_mean"), "low", "high",
//           "inside", "agrees"}]}],
//       "claims": [{"claim", "verdict", "reason", "confirmed"}], "figures": [...]}]}
// "differs" counts rows that should have been reproduced, "unconfirmed" claims whose evidence is
// not true; expected is null, a number, or a range.
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
    trmi_json_string(json, "verdict", trmi_verdict_text(r->verdict));
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

static void write_experiment(trmi_json *json, const trmi_measured *m)
{
    const trmi_experiment *e = m->experiment;
    trmi_json_begin_object(json, NULL);
    trmi_json_string(json, "name", e->name);
    trmi_json_string(json, "title", e->title);
    trmi_json_string(json, "source", e->source);
    trmi_json_integer(json, "runs_per_row", e->runs_per_row);
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

bool trmi_reproduction_json(FILE *out, const trmi_measured *m, int count)
{
    int differs = 0, unconfirmed = 0;
    trmi_json json = {0};
    for (int i = 0; i < count; i++) {
        differs += trmi_measured_count(&m[i], TRMI_VERDICT_DIFFERS);
        unconfirmed += trmi_claims_unconfirmed(&m[i]);
    }
    trmi_json_begin_object(&json, NULL);
    trmi_json_string(&json, "version", trm_version());
    trmi_json_integer(&json, "differs", differs);
    trmi_json_integer(&json, "unconfirmed", unconfirmed);
    trmi_json_begin_array(&json, "experiments");
    for (int i = 0; i < count; i++)
        write_experiment(&json, &m[i]);
    trmi_json_end(&json);
    trmi_json_end(&json);
    const char *text = trmi_json_finish(&json);
    if (text)
        fprintf(out, "%s\n", text);
    trmi_json_free(&json);
    return text != NULL;
}
