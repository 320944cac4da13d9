// SPDX-License-Identifier: Apache-2.0
// From the description of a mechanism to its system and its state at the start.
#include "modelling/multibody/machine.h"
#include "modelling/reader/mechanism/draft.h"

#include "base/error.h"
#include "base/integrators.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// where a joint is in the file: a link between nodes is where its beam is
static const trmi_item *item_of(const trmi_draft *d, int joint)
{
    const trmi_symbol *symbol = joint < d->joints.count
                                    ? &d->joints.symbol[joint]
                                    : &d->bodies.symbol[d->joint[joint].body[1]];
    return symbol->item;
}

// places of the joints in the file, for messages after the file is read
static bool keep_places(const trmi_draft *d)
{
    trmi_reading *r = d->r;
    const trmi_mechanism *m = r->model->mechanism;
    trmi_line_column *place;
    if (!TRMI_TAKE(r->memory, place, m->joints))
        return false;
    for (int j = 0; j < m->joints; j++)
        place[j] = (trmi_line_column){item_of(d, j)->key_line, item_of(d, j)->key_column};
    r->model->place = place;
    return true;
}

// ---- the system ----

// The place of the joint that an error names, "joint NAME" or "constraint NAME_row"; else the
// whole.
static const trmi_item *place_of(const trmi_draft *d, const trm_error *error)
{
    const trmi_reading *r = d->r;
    const trmi_mechanism *m = r->model->mechanism;
    const char *name = strchr(error->item, ' ');
    const trmi_item *place = trmi_item_find(r->root, "mechanism");
    size_t longest = 0;
    for (int j = 0; j < m->joints && name; j++) {
        size_t length = strlen(m->joint[j].name);
        bool same = strncmp(name + 1, m->joint[j].name, length) == 0 &&
                    (name[1 + length] == '\0' || name[1 + length] == '_');
        if (same && length > longest) {
            longest = length;
            place = item_of(d, j);
        }
    }
    return place;
}

static void warn_move(const trmi_draft *d, const trmi_move *move)
{
    trmi_reading *r = d->r;
    const trmi_mechanism *m = r->model->mechanism;
    const trmi_joint *joint = &m->joint[move->joint];
    trmi_measure measure = trmi_measure_of(joint->type, m->plane, move->measure);
    bool one = trmi_measure_count(joint->type, m->plane) == 1;
    const char *what = measure.kind == TRMI_MEASURE_TRAVEL ? "travel" : "angle";
    char name[160];
    snprintf(name, sizeof name, "%s %.60s%s%s%s = %.6g", move->rate ? "rate" : what, joint->name,
             one ? "" : "_", one ? "" : measure.name, move->rate ? "_rate" : "", move->given);
    trmi_warn_key(r->document, item_of(d, move->joint),
                  "the start %s does not fit the other joints and became %.6g; 'keep: true' "
                  "holds it and lets the others change",
                  name, move->became);
}

// start values that are not those of the file
static void warn_moves(const trmi_draft *d, const trmi_assembly *assembly)
{
    trmi_reading *r = d->r;
    int shown = assembly->moves < TRMI_MAX_MOVES ? assembly->moves : TRMI_MAX_MOVES;
    for (int k = 0; k < shown; k++)
        warn_move(d, &assembly->move[k]);
    if (assembly->moves > shown)
        trmi_warn_key(r->document, trmi_item_find(r->root, "mechanism"),
                      "%d more start values were changed", assembly->moves - shown);
}

static bool start_machine(const trmi_draft *d, trmi_machine_work *work)
{
    trmi_reading *r = d->r;
    trm_error error;
    trmi_error_clear(&error);
    const trmi_item *start = trmi_item_path(r->root, "simulate.start");
    int n = work->machine->tree->n_q;
    double t = 0, *q, *v;
    trmi_assembly *assembly;
    trmi_read_number(r, start, &t);
    if (!TRMI_TAKE(r->scratch, q, n) || !TRMI_TAKE(r->scratch, v, n) ||
        !TRMI_TAKE(r->memory, assembly, 1))
        return false;
    trm_status status = trmi_machine_start(work, t, q, v, &error);
    if (status != TRM_OK && status != TRM_ERR_MEMORY) {
        r->apart = status == TRM_ERR_INITIAL && trmi_document_errors(r->document) == 0;
        trmi_report_key(r->document, place_of(d, &error), "%s%s%s", error.text,
                        error.advice[0] ? "; " : "", error.advice);
    }
    if (status != TRM_OK)
        return false;
    *assembly = work->assembly;
    r->model->assembly = assembly->skipped ? NULL : assembly;
    warn_moves(d, assembly);
    r->model->schedule.start = t;
    r->model->initial = (trm_initial){.t = t, .q = q, .v = v};
    return trmi_draft_law_start(d, &r->model->initial);
}

// large matrices that the run could do without
static void warn_pairs(trmi_reading *r)
{
    const trmi_machine *machine = r->model->machine;
    if (machine->pairs <= TRMI_PAIRS_MANY || machine->matrix_free)
        return;
    trm_error error = trmi_no_error();
    trmi_machine_report_pairs(machine, &error);
    trmi_warn_key(r->document, trmi_item_find(r->root, "mechanism"), "%s; %s", error.text,
                  error.advice);
}

// The machine. A structure, or one whose joints are all prescribed, has no coordinates of joints:
// those of its bodies do, and give reactions and drive forces; unless the file asks for the others.
static const trmi_machine *create_machine(trmi_draft *d, trm_error *error)
{
    trmi_reading *r = d->r;
    const trmi_item *chosen = trmi_item_path(r->root, "mechanism.coordinates");
    bool rates_only = trmi_integrator_asks_rates_only(trmi_read_integrator(r));
    const trmi_machine *machine = trmi_machine_create(r->memory, d->mechanism, rates_only, error);
    if (!machine || machine->tree->n_q > 0 || (chosen && !trmi_item_null(chosen)))
        return machine;
    d->mechanism->absolute = true;
    d->mechanism->explicit = false;
    return trmi_machine_create(r->memory, d->mechanism, rates_only, error);
}

void trmi_read_machine(trmi_draft *d)
{
    trmi_reading *r = d->r;
    trm_model *m = r->model;
    trm_error error;
    trmi_error_clear(&error);
    m->machine = create_machine(d, &error);
    if (!m->machine) {
        trmi_report_key(r->document, trmi_item_find(r->root, "mechanism"), "%s%s%s%s%s", error.item,
                        error.item[0] ? ": " : "", error.text, error.advice[0] ? "; " : "",
                        error.advice);
        return;
    }
    warn_pairs(r);
    trmi_machine_work *work = trmi_machine_work_create(r->scratch, m->machine, m->parameter_value);
    if (!work || !start_machine(d, work)) {
        r->failed = r->failed || trmi_document_errors(r->document) == 0; // not reported: no memory
        return;
    }
    m->system = trmi_machine_system(work);
    m->system.user = NULL; // every instance has its own workspace
    m->system.held = NULL;
    m->system.q_name = m->system.g_name = NULL; // they ask the workspace
    if (m->system.n_q == 0)
        trmi_report_key(r->document, trmi_item_find(r->root, "mechanism"),
                        "every joint is fixed or prescribed and no coordinate is left; with "
                        "'coordinates: absolute', or without the key, the forces that this takes "
                        "are computed");
    if (!trmi_name_unknowns(r) || !keep_places(d) || !trmi_place_parameters(r, m->signals) ||
        !trmi_begin_time(r)) {
        r->failed = true;
        return;
    }
    trmi_place_unknowns(r);
    trmi_read_definitions_again(r);
}
