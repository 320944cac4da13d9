// SPDX-License-Identifier: Apache-2.0
// Parameters of joints and forces (multibody/parameter.h): one function for each kind. Those of
// formulas, measures and shared objects: parameter_formulas.c.
#include "modelling/multibody/forces/forces.h"
#include "modelling/reader/mechanism/parameter_readers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- points and axes -------------------------------------------------------------------------

static void read_bodies(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    trmi_draft_between(d, s->item, to);
}

static void read_body(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    int *body = to;
    body[0] = TRMI_GROUND;
    body[1] = trmi_draft_find(d, &d->bodies, s->item, "body");
    if (body[1] == TRMI_GROUND)
        trmi_report(d->r->document, s->item, "a force on the ground moves nothing");
}

static void read_point(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    trmi_draft_point(d, s->item, to);
}

static void read_direction(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    trmi_v3 *direction = to;
    const trmi_use *use = trmi_draft_use(d, s->item);
    if (trmi_draft_direction(d, s->item, false, direction) && use && s->parameter->axial)
        *direction = trmi_v3_scale(use->sign, *direction);
}

static void read_normal(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    trmi_draft_direction(d, s->item, true, to);
}

static void read_frame(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    trmi_draft_frame(d, s->item, to);
}

// ---- numbers ---------------------------------------------------------------------------------

static void read_number(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    trmi_draft_number(d, s->item, to);
}

static void read_positive(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    trmi_draft_positive(d, s->map, s->item->key, false, to);
}

static void read_not_negative(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    trmi_draft_positive(d, s->map, s->item->key, true, to);
}

static void read_six(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    char what[80];
    snprintf(what, sizeof what, "'%.60s'", s->item->key);
    trmi_draft_numbers(d, s->item, 6, to, what);
}

static void read_wrench(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    read_six(d, s, to);
    trmi_mirror_six(trmi_draft_use(d, s->item), to);
}

// A number for all, or one for each, onto the diagonal of a 6 x 6 matrix from `first` on. In plane
// models the axes of the frame are those of the plane, with one rotation, about the third; all
// three may be given there too, as in space: along the normal, and about the others, nothing moves.
static void read_diagonal(trmi_draft *d, const trmi_item *item, int first, double *matrix)
{
    bool all = d->mechanism->plane == TRMI_SPATIAL || (item->kind == TRMI_LIST && item->count == 3);
    int n = all ? 3 : first == 0 ? 2 : 1, skip = !all && first == 3 ? 2 : 0;
    double value[3] = {0};
    if (item->kind == TRMI_LIST) {
        char what[80];
        snprintf(what, sizeof what, "'%.60s'", item->key);
        if (!trmi_draft_numbers(d, item, n, value, what))
            return;
    } else {
        trmi_draft_number(d, item, &value[0]);
        value[1] = value[2] = value[0];
    }
    for (int k = 0; k < n; k++) {
        int at = first + skip + k;
        matrix[7 * at] = value[k];
        if (value[k] < 0)
            trmi_report(d->r->document, item, "'%s' must be 0 or more, not %g", item->key,
                        value[k]);
    }
}

static bool is_full_matrix(const trmi_item *item)
{
    return item && item->kind == TRMI_LIST && item->count == 6 && item->child->kind == TRMI_LIST;
}

static void read_matrix(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    double *matrix = to;
    if (!is_full_matrix(s->item)) {
        read_diagonal(d, s->item, 0, matrix);
        return;
    }
    for (const trmi_item *row = s->item->child; row; row = row->next, matrix += 6)
        if (!trmi_draft_numbers(d, row, 6, matrix, "a row of this matrix"))
            return;
    trmi_mirror_matrix(trmi_draft_use(d, s->item), to);
}

// the second half of the diagonal; the key is "rotation_" and that of the matrix
static void read_rotations(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    const char *matrix = s->item->key + strlen("rotation_");
    if (is_full_matrix(trmi_item_find(s->map, matrix)))
        trmi_report_key(d->r->document, s->item, "'%s' is part of the matrix '%s' already",
                        s->item->key, matrix);
    else
        read_diagonal(d, s->item, 3, to);
}

static void read_points(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    trmi_v3 *point;
    int n = 0;
    if (!TRMI_TAKE(d->r->memory, point, s->item->count)) {
        d->r->failed = true;
        return;
    }
    for (const trmi_item *i = s->item->child; i; i = i->next)
        if (!trmi_draft_point(d, i, &point[n++]))
            return;
    *(trmi_point_list *)to = (trmi_point_list){n, point};
}

static void read_truth(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    (void)d;
    trmi_item_truth(s->item, to);
}

// [[x, F], ...] with ascending x
static void read_curve(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    const trmi_item *list = s->item;
    double *x, *y, pair[2];
    int n = 0;
    if (list->count < 2) {
        trmi_report(d->r->document, list, "'%s' needs at least two points", list->key);
        return;
    }
    if (!TRMI_TAKE(d->r->memory, x, list->count) || !TRMI_TAKE(d->r->memory, y, list->count)) {
        d->r->failed = true;
        return;
    }
    for (const trmi_item *i = list->child; i; i = i->next, n++) {
        if (!trmi_draft_numbers(d, i, 2, pair, "a point of the table"))
            return;
        x[n] = pair[0];
        y[n] = pair[1];
        if (n > 0 && x[n] <= x[n - 1]) {
            trmi_report(d->r->document, i, "the table must ascend: %g comes after %g", x[n],
                        x[n - 1]);
            return;
        }
    }
    *(trmi_interpolant *)to = (trmi_interpolant){.count = n, .x = x, .y = y};
}

// a table of the section `tables`
static void read_table(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    trmi_graph *graph = &d->r->graph;
    int number = trmi_graph_find_curve(graph, s->item->text);
    if (number < 0) {
        trmi_report(d->r->document, s->item, "there is no table '%.60s'", s->item->text);
        return;
    }
    graph->curve[number].used = true;
    *(const trmi_interpolant **)to = &graph->curve[number];
}

static void read_interpolation(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    (void)d;
    *(trmi_interpolation *)to = strcmp(s->item->text, "spline") == 0 ? TRMI_INTERPOLATION_SPLINE
                                : strcmp(s->item->text, "monotone") == 0
                                    ? TRMI_INTERPOLATION_MONOTONE
                                    : TRMI_INTERPOLATION_LINEAR;
}

static void read_choice(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    (void)d;
    for (int k = 0; s->parameter->choices[k]; k++)
        if (strcmp(s->item->text, s->parameter->choices[k]) == 0)
            *(int *)to = k;
}

static bool has_word(const trmi_item *map, const char *key, const char *word)
{
    const trmi_item *item = trmi_item_find(map, key);
    return item && item->text && strcmp(item->text, word) == 0;
}

static void read_tyre_law(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    unsigned use = TRMI_TYRE_FOR_ALL;
    if (has_word(s->map, "slip", "combined"))
        use |= TRMI_TYRE_FOR_SLIP;
    if (has_word(s->map, "slip", "weighted"))
        use |= TRMI_TYRE_FOR_SLIP | TRMI_TYRE_FOR_WEIGHTS;
    if (has_word(s->map, "relaxation", "law"))
        use |= TRMI_TYRE_FOR_LENGTH;
    if (has_word(s->map, "relaxation_along", "law"))
        use |= TRMI_TYRE_FOR_LENGTHS;
    trmi_draft_tyre_law(d, s->item, use, to);
}

static void read_relaxation(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    if (has_word(s->map, s->parameter->key, "law"))
        *(double *)to = 0;
    else
        read_positive(d, s, to);
}

static void read_road(trmi_draft *d, const trmi_parameter_source *s, void *to)
{
    *(const trmi_road **)to = trmi_draft_road(d, s->item, strcmp(s->parameter->key, "road") != 0);
}

// ---- all -------------------------------------------------------------------------------------

// NULL: it is read with another parameter.
static trmi_parameter_reader *const reader[TRMI_PARAMETER_KINDS] = {
    [TRMI_PARAMETER_BODIES] = read_bodies,
    [TRMI_PARAMETER_BODY] = read_body,
    [TRMI_PARAMETER_POINT] = read_point,
    [TRMI_PARAMETER_POINTS] = read_points,
    [TRMI_PARAMETER_TRUTH] = read_truth,
    [TRMI_PARAMETER_DIRECTION] = read_direction,
    [TRMI_PARAMETER_NORMAL] = read_normal,
    [TRMI_PARAMETER_FRAME] = read_frame,
    [TRMI_PARAMETER_NUMBER] = read_number,
    [TRMI_PARAMETER_POSITIVE] = read_positive,
    [TRMI_PARAMETER_NOT_NEGATIVE] = read_not_negative,
    [TRMI_PARAMETER_SIX] = read_six,
    [TRMI_PARAMETER_WRENCH] = read_wrench,
    [TRMI_PARAMETER_MATRIX] = read_matrix,
    [TRMI_PARAMETER_ROTATIONS] = read_rotations,
    [TRMI_PARAMETER_CURVE] = read_curve,
    [TRMI_PARAMETER_TABLE] = read_table,
    [TRMI_PARAMETER_INTERPOLATION] = read_interpolation,
    [TRMI_PARAMETER_CHOICE] = read_choice,
    [TRMI_PARAMETER_TYRE_LAW] = read_tyre_law,
    [TRMI_PARAMETER_RELAXATION] = read_relaxation,
    [TRMI_PARAMETER_ROAD] = read_road,
    [TRMI_PARAMETER_FORMULA] = trmi_parameter_read_formula,
    [TRMI_PARAMETER_EFFORT] = trmi_parameter_read_effort,
    [TRMI_PARAMETER_FORCE] = trmi_parameter_read_force,
    [TRMI_PARAMETER_TORQUE] = trmi_parameter_read_torque,
    [TRMI_PARAMETER_MEASURE] = trmi_parameter_read_measure,
    [TRMI_PARAMETER_TRAVEL] = trmi_parameter_read_travel,
    [TRMI_PARAMETER_ANGLE] = trmi_parameter_read_angle,
    [TRMI_PARAMETER_TERMS] = trmi_parameter_read_terms,
    [TRMI_PARAMETER_RELATION] = trmi_parameter_read_relation,
    [TRMI_PARAMETER_LIBRARY] = trmi_parameter_read_library,
    [TRMI_PARAMETER_CONSTRAINT_LIBRARY] = trmi_parameter_read_constraint_library,
};

// The value without the key: a number that has a default is that, vectors are NAN, formulas 0.
static void set_preset(const trmi_parameter *p, void *to)
{
    const trmi_v3 none = {NAN, NAN, NAN};
    switch (p->kind) {
    case TRMI_PARAMETER_POINT:
    case TRMI_PARAMETER_DIRECTION:
    case TRMI_PARAMETER_NORMAL:
        *(trmi_v3 *)to = none;
        break;
    case TRMI_PARAMETER_FRAME:
        *(trmi_m3 *)to = (trmi_m3){{none, none, none}};
        break;
    case TRMI_PARAMETER_NUMBER:
    case TRMI_PARAMETER_POSITIVE:
    case TRMI_PARAMETER_NOT_NEGATIVE:
    case TRMI_PARAMETER_RELAXATION:
        *(double *)to = p->preset && strcmp(p->preset, "null") != 0 ? strtod(p->preset, NULL) : NAN;
        break;
    case TRMI_PARAMETER_SIX:
        for (int k = 0; k < 6; k++)
            ((double *)to)[k] = NAN;
        break;
    case TRMI_PARAMETER_FORMULA:
    case TRMI_PARAMETER_EFFORT:
        ((trmi_formula *)to)->value = TRMI_NOTHING;
        break;
    case TRMI_PARAMETER_FORCE:
    case TRMI_PARAMETER_TORQUE:
        for (int k = 0; k < 3; k++)
            ((trmi_formula *)to)[k].value = TRMI_NOTHING;
        break;
    default: // zeros
        break;
    }
}

static void report(trmi_finish *finish, const char *key, trmi_notice notice, const char *text)
{
    const trmi_type_reading *t = finish->user;
    const trmi_item *named = key ? trmi_item_find(t->map, key) : NULL,
                    *item = named ? named : t->map;
    trmi_document *document = t->draft->r->document;
    bool missing = key && !named;
    if (notice == TRMI_NOTICE_WARNING)
        (missing ? trmi_warn_key : trmi_warn)(document, item, "%s", text);
    else
        (notice == TRMI_NOTICE_KEY_ERROR || missing ? trmi_report_key : trmi_report)(document, item,
                                                                                     "%s", text);
}

// Whether what a kind of parameter reads are numbers that a law may change smoothly with.
static bool is_law_number(trmi_parameter_kind kind)
{
    return kind == TRMI_PARAMETER_NUMBER || kind == TRMI_PARAMETER_POSITIVE ||
           kind == TRMI_PARAMETER_NOT_NEGATIVE || kind == TRMI_PARAMETER_SIX ||
           kind == TRMI_PARAMETER_WRENCH || kind == TRMI_PARAMETER_MATRIX ||
           kind == TRMI_PARAMETER_ROTATIONS;
}

bool trmi_draft_parameters(trmi_draft *d, const trmi_item *map, const char *name,
                           const trmi_parameter *const *list, void *to)
{
    int errors = trmi_document_errors(d->r->document);
    for (int k = 0; list[k]; k++)
        set_preset(list[k], (char *)to + list[k]->offset);
    for (int k = 0; list[k]; k++) {
        const trmi_parameter_source s = {trmi_item_find(map, list[k]->key), map, name, list[k]};
        d->r->noted = is_law_number(list[k]->kind) ? d->law_follows : NULL;
        if (reader[list[k]->kind] && s.item && !trmi_item_null(s.item))
            reader[list[k]->kind](d, &s, (char *)to + list[k]->offset);
    }
    d->r->noted = NULL;
    return trmi_document_errors(d->r->document) == errors && !d->r->failed;
}

trmi_finish trmi_draft_finish(trmi_type_reading *t)
{
    return (trmi_finish){.memory = t->draft->r->memory,
                         .mechanism = t->draft->mechanism,
                         .report = report,
                         .user = t};
}
