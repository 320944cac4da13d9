// SPDX-License-Identifier: Apache-2.0
// The section `equations`: names of the unknowns, then the formulas, then the compiled system.
#include "modelling/reader/equations/equations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count_of(const trmi_item *item)
{
    return item ? item->count : 0;
}

// The keys of one or two sections, or their texts; NULL: no memory.
static const char *const *keep_keys(trmi_reading *r, const trmi_item *section,
                                    const trmi_item *more, bool texts)
{
    const trmi_item *sections[] = {section, more};
    const char **name;
    int count = 0;
    if (!TRMI_TAKE(r->memory, name, count_of(section) + count_of(more)))
        return NULL;
    for (int k = 0; k < 2; k++)
        for (const trmi_item *i = sections[k] ? sections[k]->child : NULL; i; i = i->next)
            if (!(name[count++] =
                      trmi_keep_text(r, texts && i->kind == TRMI_SCALAR ? i->text : i->key)))
                return NULL;
    return name;
}

// the names of one or two sections as channels; for coordinates the values are those of velocities
static bool keep_names(trmi_reading *r, trm_channel_kind kind, const trmi_item *section,
                       const trmi_item *more)
{
    r->model->names[kind] =
        (trmi_names){.count = count_of(section) + count_of(more),
                     .name = keep_keys(r, section, more, kind == TRM_CHANNEL_VELOCITY)};
    return r->model->names[kind].name;
}

// places of the constraints, for messages after the file is read
static bool keep_places(trmi_reading *r, const trmi_item *constraints, const trmi_item *rolling)
{
    trm_model *m = r->model;
    const trmi_item *section[] = {constraints, rolling};
    trmi_line_column *place;
    int row = 0;
    if (!TRMI_TAKE(r->memory, place, m->system.n_g + m->system.n_a))
        return false;
    for (int k = 0; k < 2; k++)
        for (const trmi_item *i = section[k] ? section[k]->child : NULL; i; i = i->next)
            place[row++] = (trmi_line_column){i->key_line, i->key_column};
    m->place = place;
    return true;
}

// sizes and names of the unknowns, in the order of the file
static bool read_names(trmi_reading *r, const trmi_item *section)
{
    trm_system *s = &r->model->system;
    const trmi_item *coordinates = trmi_item_find(section, "coordinates");
    const trmi_item *states = trmi_item_find(section, "states");
    const trmi_item *algebraic = trmi_item_find(section, "algebraic");
    const trmi_item *constraints = trmi_item_find(section, "constraints");
    const trmi_item *rolling = trmi_item_find(section, "velocity_constraints");
    const trmi_item *invariants = trmi_item_find(section, "invariants");
    s->n_q = count_of(coordinates);
    s->n_x = count_of(states);
    s->n_z = count_of(algebraic);
    s->n_g = count_of(constraints);
    s->n_a = count_of(rolling);
    s->n_i = count_of(invariants);
    s->n_u = count_of(trmi_item_find(section, "inputs"));
    trmi_names *names = r->model->names;
    bool good = keep_names(r, TRM_CHANNEL_POSITION, coordinates, NULL) &&
                keep_names(r, TRM_CHANNEL_VELOCITY, coordinates, NULL) &&
                keep_names(r, TRM_CHANNEL_STATE, states, NULL) &&
                keep_names(r, TRM_CHANNEL_ALGEBRAIC, algebraic, NULL) &&
                keep_names(r, TRM_CHANNEL_MULTIPLIER, constraints, rolling) &&
                keep_places(r, constraints, rolling) &&
                (s->i_names = keep_keys(r, invariants, NULL, false));
    names[TRM_CHANNEL_ACCELERATION] = names[TRM_CHANNEL_POSITION];
    s->q_names = names[TRM_CHANNEL_POSITION].name;
    s->x_names = names[TRM_CHANNEL_STATE].name;
    s->z_names = names[TRM_CHANNEL_ALGEBRAIC].name;
    s->g_names = names[TRM_CHANNEL_MULTIPLIER].name;
    return good;
}

static void introduce_names(trmi_reading *r, const trmi_item *section)
{
    const trmi_item *coordinates = trmi_item_find(section, "coordinates");
    const trmi_item *rolling = trmi_item_find(section, "velocity_constraints");
    trmi_introduce_all(r, coordinates, TRMI_SYMBOL_POSITION);
    int index = 0;
    for (const trmi_item *i = coordinates ? coordinates->child : NULL; i; i = i->next, index++)
        if (i->kind == TRMI_SCALAR)
            trmi_introduce(r, i, i->text, TRMI_SYMBOL_VELOCITY, index);
    trmi_introduce_all(r, trmi_item_find(section, "states"), TRMI_SYMBOL_STATE);
    trmi_introduce_all(r, trmi_item_find(section, "algebraic"), TRMI_SYMBOL_ALGEBRAIC);
    trmi_introduce_all(r, trmi_item_find(section, "constraints"), TRMI_SYMBOL_MULTIPLIER);
    index = r->model->system.n_g;
    for (const trmi_item *i = rolling ? rolling->child : NULL; i; i = i->next)
        trmi_introduce(r, i, i->key, TRMI_SYMBOL_MULTIPLIER, index++);
    trmi_introduce_all(r, trmi_item_find(section, "inputs"), TRMI_SYMBOL_EXCITATION);
    trmi_introduce_all(r, trmi_item_find(section, "define"), TRMI_SYMBOL_DEFINITION);
}

static void read_named(trmi_reading *r, const trmi_item *section, unsigned allowed,
                       const char *subject, trmi_node *out)
{
    char text[100];
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next) {
        snprintf(text, sizeof text, "%s '%.60s'", subject, i->key);
        *out++ = trmi_read_formula(r, i, allowed, text);
    }
}

static void read_invariants(trmi_reading *r, const trmi_item *section, trmi_node *out)
{
    const unsigned motion = TRMI_USES_POSITIONS | TRMI_USES_VELOCITIES;
    char text[100];
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next) {
        int errors = trmi_document_errors(r->document);
        snprintf(text, sizeof text, "invariant '%.60s'", i->key);
        *out++ = trmi_read_formula(r, i, motion | TRMI_USES_TIME | TRMI_USES_STATES, text);
        if (trmi_document_errors(r->document) == errors && !(r->uses & motion))
            trmi_report(r->document, i,
                        "%s uses neither positions nor velocities: nothing could keep its value",
                        text);
    }
}

static void read_list(trmi_reading *r, const trmi_item *list, unsigned allowed, const char *subject,
                      int n, trmi_node *out)
{
    if (!list || !trmi_check_length(r, list, n, subject))
        return;
    for (const trmi_item *i = list->child; i; i = i->next)
        *out++ = trmi_read_formula(r, i, allowed, subject);
}

// Whether two formulas that are not the same node have the same value at a few points.
static bool same_value(trmi_reading *r, trmi_node a, trmi_node b)
{
    int n = r->model->layout.count;
    double *input = malloc((size_t)n * sizeof *input);
    bool same = input != NULL;
    for (int trial = 0; trial < 3 && same; trial++) {
        for (int i = 0; i < n; i++) // some numbers between 0.5 and 1.5
            input[i] = 0.5 + fmod(0.618034 * (i + 1) * (trial + 1), 1);
        double x = trmi_graph_value(&r->graph, a, input), y = trmi_graph_value(&r->graph, b, input);
        same = fabs(x - y) <= 1e-12 * (fabs(x) + fabs(y)) || (isnan(x) && isnan(y));
    }
    free(input);
    return same;
}

static const unsigned MASS_USES = TRMI_USES_TIME | TRMI_USES_POSITIONS;

static void read_full_mass(trmi_reading *r, const trmi_item *list, int n, trmi_entries *mass)
{
    trmi_node *full = calloc((size_t)n * (size_t)n + 1, sizeof *full);
    int errors = trmi_document_errors(r->document), i = 0;
    mass->failed = mass->failed || !full;
    for (const trmi_item *row = list->child; row && full; row = row->next, i++) {
        if (row->kind != TRMI_LIST || row->count != n) {
            trmi_report(r->document, row, "row %d of the mass matrix must be a list of %d formulas",
                        i + 1, n);
            continue;
        }
        int j = 0;
        for (const trmi_item *entry = row->child; entry; entry = entry->next, j++) {
            trmi_node node = trmi_read_formula(r, entry, MASS_USES, "mass");
            full[i * n + j] = node;
            if (j < i && trmi_document_errors(r->document) == errors && node != full[j * n + i] &&
                !same_value(r, node, full[j * n + i]))
                trmi_report(r->document, entry,
                            "the mass matrix is not symmetric: row %d, column %d differs from row "
                            "%d, column %d",
                            i + 1, j + 1, j + 1, i + 1);
        }
    }
    bool good = full && trmi_document_errors(r->document) == errors;
    for (int k = 0; good && k < n * n; k++) { // one triangle decides
        int row = k / n, column = k % n;
        trmi_node node = row <= column ? full[k] : full[column * n + row];
        if (!trmi_is_zero(&r->graph, node))
            trmi_entries_add(mass, row, column, node);
    }
    free(full);
}

static void read_mass(trmi_reading *r, const trmi_item *list, trmi_entries *mass)
{
    int n = r->model->system.n_q, i = 0;
    if (!list || !trmi_check_length(r, list, n, "mass"))
        return;
    bool full = false;
    for (const trmi_item *entry = list->child; entry; entry = entry->next)
        full = full || entry->kind == TRMI_LIST;
    if (full) {
        read_full_mass(r, list, n, mass);
        return;
    }
    for (const trmi_item *entry = list->child; entry; entry = entry->next)
        trmi_entries_add(mass, i, i, trmi_read_formula(r, entry, MASS_USES, "mass")), i++;
}

// kinetic energy 1/2 v^T M v
static trmi_node kinetic_energy(trmi_reading *r, const trmi_entries *mass)
{
    trmi_graph *g = &r->graph;
    trmi_node sum = trmi_constant(g, 0);
    for (int k = 0; k < mass->count; k++) {
        const trmi_entry *m = &mass->entry[k];
        trmi_node v = trmi_input(g, r->model->layout.v + m->row);
        trmi_node w = trmi_input(g, r->model->layout.v + m->column);
        sum = trmi_add(g, sum, trmi_multiply(g, m->node, trmi_multiply(g, v, w)));
    }
    return trmi_multiply(g, trmi_constant(g, 0.5), sum);
}

static bool take_formulas(trmi_reading *r, trmi_formulas *f)
{
    const trm_system *s = &r->model->system;
    return TRMI_TAKE(r->memory, f->input, 3 * s->n_u) && TRMI_TAKE(r->memory, f->force, s->n_q) &&
           TRMI_TAKE(r->memory, f->rate, s->n_x) && TRMI_TAKE(r->memory, f->algebraic, s->n_z) &&
           TRMI_TAKE(r->memory, f->constraint, s->n_g) &&
           TRMI_TAKE(r->memory, f->rolling, s->n_a) && TRMI_TAKE(r->memory, f->invariant, s->n_i);
}

static void read_formulas(trmi_reading *r, const trmi_item *section, trmi_formulas *f)
{
    const unsigned all = TRMI_USES_STATE_AND_TIME;
    const unsigned geometry = TRMI_USES_TIME | TRMI_USES_POSITIONS;
    trmi_read_inputs(r, trmi_item_find(section, "inputs"), f->input);
    trmi_read_definitions(r, trmi_item_find(section, "define"), all, "definition");
    read_mass(r, trmi_item_find(section, "mass"), &f->mass);
    read_list(r, trmi_item_find(section, "force"), all, "force", r->model->system.n_q, f->force);
    read_named(r, trmi_item_find(section, "states"), all, "state", f->rate);
    read_named(r, trmi_item_find(section, "algebraic"), all, "algebraic equation", f->algebraic);
    read_named(r, trmi_item_find(section, "constraints"), geometry | TRMI_USES_ALGEBRAIC,
               "constraint", f->constraint);
    read_named(r, trmi_item_find(section, "velocity_constraints"), geometry | TRMI_USES_VELOCITIES,
               "velocity constraint", f->rolling);
    read_invariants(r, trmi_item_find(section, "invariants"), f->invariant);
    f->kinetic = kinetic_energy(r, &f->mass);
    const trmi_item *energy = trmi_item_find(section, "energy");
    f->potential = trmi_constant(&r->graph, 0);
    if (trmi_item_find(energy, "potential"))
        f->potential = trmi_read_formula(r, trmi_item_find(energy, "potential"),
                                         geometry | TRMI_USES_STATES | TRMI_USES_ALGEBRAIC,
                                         "potential energy");
    r->has_energy = energy != NULL;
    r->energy[0] = f->kinetic;
    r->energy[1] = f->potential;
}

// Conditions by state become gaps, the locks of which are all the values that are held.
static bool collect_kinks(trmi_collection *c, trmi_equations *equations)
{
    trm_system *s = &c->r->model->system;
    trmi_conditions found;
    double *held = NULL;
    bool good = trmi_separate_kinks(c->r, c->output, c->outputs, c->f->rate, &found);
    equations->kinks = found.count;
    equations->bends = found.bends;
    if (good)
        trmi_collect_group(c, TRMI_GROUP_KINKS, found.gap, 3 * found.count);
    if (good && found.bends)
        trmi_collect_group(c, TRMI_GROUP_BENDS, found.bend, 2 * found.count);
    s->n_switches = s->n_held = 2 * equations->kinks;
    good = good && TRMI_TAKE(c->r->memory, held, s->n_held);
    s->held = held;
    s->switches = equations->kinks > 0 ? trmi_equations_switches : NULL;
    s->switches_of_multipliers = found.of_multipliers;
    s->switch_bends = equations->bends ? trmi_equations_switch_bends : NULL;
    return good && !c->failed;
}

// with the places of a section, one formula per item
static int place_nodes(const trmi_item *section, const trmi_node *node, trmi_placed_node *out)
{
    int n = 0;
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next, n++)
        out[n] = (trmi_placed_node){node[n], i};
    return n;
}

// conditions of algebraic variables and multipliers
static void refuse_unseen_jumps(trmi_reading *r, const trmi_item *section, const trmi_formulas *f)
{
    const trm_system *s = &r->model->system;
    const size_t most = (size_t)(s->n_q + s->n_x + s->n_z) + 1;
    trmi_placed_node *formula = malloc(most * sizeof *formula);
    int n = 0;
    r->failed = r->failed || !formula;
    if (!formula)
        return;
    n += place_nodes(trmi_item_find(section, "force"), f->force, formula);
    n += place_nodes(trmi_item_find(section, "states"), f->rate, formula + n);
    n += place_nodes(trmi_item_find(section, "algebraic"), f->algebraic, formula + n);
    trmi_refuse_unseen_jumps(r, formula, n, NULL);
    free(formula);
}

static void compile(trmi_reading *r, const trmi_item *section, const trmi_formulas *f)
{
    trm_model *m = r->model;
    trmi_equations *equations;
    trmi_collection c = {.r = r, .f = f};
    if (!TRMI_TAKE(r->memory, equations, 1) || !trmi_keep_formulas(r, section, equations))
        return;
    refuse_unseen_jumps(r, section, f);
    trmi_collect_derivatives(&c);
    if (trmi_constraints_use_z(&m->system)) {
        trmi_check_algebraic(&c);
        trmi_collect_elimination(&c, equations);
    }
    bool good = !c.failed && !r->graph.failed &&
                trmi_breaks_create(r->memory, &r->graph, c.output, c.outputs, r->formula,
                                   m->layout.t, m->layout.parameter, &equations->breaks) &&
                collect_kinks(&c, equations);
    if (good && r->by)
        trmi_differentiate_equations(&c);
    good = good && !c.failed && !r->graph.failed;
    if (good)
        equations->tape =
            trmi_tape_create(r->memory, &r->graph, c.output, c.outputs,
                             m->layout.count + 2 * equations->kinks, m->layout.parameter);
    good = good && equations->tape;
    free(c.output);
    m->system.evaluate = trmi_equations_evaluate;
    m->system.next_break = equations->breaks ? trmi_equations_next_break : NULL;
    m->equations = equations;
    r->failed = r->failed || !good;
}

void trmi_read_equations(trmi_reading *r, const trmi_item *section)
{
    trmi_formulas f = {0};
    if (!read_names(r, section))
        return;
    introduce_names(r, section);
    if (!trmi_place_parameters(r, 0) || !trmi_begin_time(r) || !take_formulas(r, &f))
        return;
    const trmi_item *coordinates = trmi_item_find(section, "coordinates");
    if (coordinates && r->model->system.n_q == 0)
        trmi_report_key(r->document, coordinates, "there are no coordinates");
    trmi_place_unknowns(r);
    read_formulas(r, section, &f);
    r->failed = r->failed || f.mass.failed;
    if (trmi_document_errors(r->document) == 0 && !f.mass.failed)
        compile(r, section, &f);
    trmi_entries_release(&f.mass);
}
