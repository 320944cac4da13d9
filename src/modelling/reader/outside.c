// SPDX-License-Identifier: Apache-2.0
// Inputs whose values come from outside, `inputs: {NAME: {hold: zero | linear, start: 0}}`. Each is
// written out as what it means, a formula of parameters that trm_instance_set_input sets,
//
//     zero      u = from
//     linear    u = from + slope (min(t, until) - since)
//
// so that u' and u'' are exact and steps know where the slope ends.
#include "modelling/reader/reading.h"

#include "base/error.h"
#include "modelling/expression/parse.h"
#include "modelling/reader/model_type.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const part[] = {"from", "slope", "since", "until"};
enum { FROM, SLOPE, SINCE, UNTIL, PARTS, LONGEST_NAME = 60 };

static void parameter_name(char *name, size_t size, const char *input, int k)
{
    snprintf(name, size, "%.60s__%s", input, part[k]);
}

// ---- reading ----

static void expand(trmi_reading *r, const char *section, const trmi_item *item, trmi_outside *out)
{
    const trmi_item *start = trmi_item_find(item, "start"), *hold = trmi_item_find(item, "hold");
    bool linear = hold && hold->text && strcmp(hold->text, "linear") == 0;
    const trmi_item origin = *item;
    char path[160], name[PARTS][80], value[600], first[200];
    snprintf(first, sizeof first, "%s", start && start->text ? start->text : "0");
    for (int k = 0; k < PARTS; k++) {
        parameter_name(name[k], sizeof name[k], origin.key, k);
        snprintf(path, sizeof path, "parameters.%.79s", name[k]);
        trmi_assign_at(r->document, path, k == FROM ? first : "0", &origin);
    }
    snprintf(path, sizeof path, "%s.inputs.%s", section, origin.key);
    if (linear)
        snprintf(value, sizeof value, "\"%.79s + %.79s*(min(t, %.79s) - %.79s)\"", name[FROM],
                 name[SLOPE], name[UNTIL], name[SINCE]);
    else // which uses all four, so that none is reported
        snprintf(value, sizeof value, "\"%.79s + 0*(%.79s + %.79s + %.79s)\"", name[FROM],
                 name[SLOPE], name[UNTIL], name[SINCE]);
    *out = (trmi_outside){trmi_keep_text(r, origin.key), linear, 0};
    r->failed = r->failed || !out->name;
    trmi_assign_at(r->document, path, value, &origin);
}

void trmi_expand_inputs(trmi_reading *r)
{
    static const char *const section[] = {"mechanism", "equations"};
    trm_model *m = r->model;
    for (int s = 0; s < 2; s++) {
        const trmi_item *root = trmi_document_root(r->document);
        const trmi_item *inputs = trmi_item_find(trmi_item_find(root, section[s]), "inputs");
        trmi_outside *out;
        if (!inputs || inputs->kind != TRMI_MAP)
            continue;
        if (!TRMI_TAKE(r->memory, out, inputs->count)) {
            r->failed = true;
            return;
        }
        m->outside = out;
        for (const trmi_item *i = inputs->child; i && !r->failed; i = i->next)
            if (i->kind == TRMI_MAP && trmi_is_name(i->key) && strlen(i->key) <= LONGEST_NAME)
                expand(r, section[s], i, &out[m->outsides++]);
    }
}

void trmi_mark_outside(trmi_reading *r)
{
    for (int i = 0; i < r->model->outsides; i++)
        for (int k = 0; k < PARTS; k++) {
            char name[80];
            parameter_name(name, sizeof name, r->model->outside[i].name, k);
            trmi_symbol *s = trmi_symbols_find(&r->symbols, name);
            if (s)
                s->set = true;
        }
}

// the four follow each other, as they were written
void trmi_number_outside(trmi_reading *r)
{
    for (int i = 0; i < r->model->outsides; i++) {
        char name[80];
        parameter_name(name, sizeof name, r->model->outside[i].name, FROM);
        const trmi_symbol *s = trmi_symbols_find(&r->symbols, name);
        r->model->outside[i].parameter = s ? s->index : 0;
    }
}

// ---- values ----

// the present value of an input with these parameters
static double value_at(const trmi_outside *input, const double *p, double t)
{
    return input->linear ? p[FROM] + p[SLOPE] * (fmin(t, p[UNTIL]) - p[SINCE]) : p[FROM];
}

int trm_model_inputs(const trm_model *m)
{
    return m ? m->outsides : 0;
}

const char *trm_model_input(const trm_model *m, int index)
{
    return m && index >= 0 && index < m->outsides ? m->outside[index].name : NULL;
}

trm_status trm_instance_set_input(trm_instance *i, trm_simulation *simulation, int index,
                                  double value, double t)
{
    TRMI_REQUIRE(NULL, i, "instance");
    const trm_model *m = i->model;
    double now = simulation ? trm_simulation_state(simulation)->t : m->initial.t;
    if (index < 0 || index >= m->outsides || !isfinite(value))
        return TRM_ERR_RANGE;
    const trmi_outside *input = &m->outside[index];
    double *p = i->parameter + input->parameter, before = value_at(input, p, now);
    if (input->linear && !(isfinite(t) && t > now))
        return TRM_ERR_RANGE;
    p[FROM] = input->linear ? before : value;
    if (input->linear) {
        p[SLOPE] = (value - before) / (t - now);
        p[SINCE] = now;
        p[UNTIL] = t;
    }
    trmi_instance_prepare(i);
    return simulation ? trm_simulation_restart(simulation, NULL) : TRM_OK;
}
