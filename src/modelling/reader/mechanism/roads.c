// SPDX-License-Identifier: Apache-2.0
// Roads of tyres: the height as a formula of the place, road_x and road_y, or of the way road_s,
// with its derivatives on a tape of its own (multibody/forces/road.h).
#include "modelling/reader/mechanism/draft.h"

#include "modelling/expression/kinks.h"

#include <stdlib.h>

static const char *const in_plane[] = {"road_x", "road_y", NULL};
static const char *const on_way[] = {"road_s", NULL};

// r, r_x, r_y, r_xx, r_xy, r_yy; r_xxx, r_xxy, r_xyy, r_yyy; s, s_x, .. of conditions
static const trmi_tape *make_tape(trmi_draft *d, trmi_node r, const trmi_kinks *kinks, int x)
{
    enum { R, R_X, R_Y, R_XX, R_XY, R_YY, R_XXX, R_XXY, R_XYY, R_YYY, OF_HEIGHT, OF_CONDITION = 6 };
    static const struct {
        int of, by; // derivative of which output, by x or y
    } made[OF_HEIGHT] = {[R_X] = {R, 0},      [R_Y] = {R, 1},      [R_XX] = {R_X, 0},
                         [R_XY] = {R_X, 1},   [R_YY] = {R_Y, 1},   [R_XXX] = {R_XX, 0},
                         [R_XXY] = {R_XX, 1}, [R_XYY] = {R_XY, 1}, [R_YYY] = {R_YY, 1}};
    trmi_tape_output o[OF_HEIGHT + OF_CONDITION * TRMI_MAX_KINKS] = {{r, TRMI_ROAD_SECOND}};
    int count = OF_HEIGHT, inputs = kinks->first_lock + 2 * kinks->count;
    for (int k = R_X; k < OF_HEIGHT; k++)
        o[k] = (trmi_tape_output){trmi_draft_derivative(d, o[made[k].of].node, x + made[k].by),
                                  k < R_XXX ? TRMI_ROAD_SECOND : TRMI_ROAD_THIRD};
    for (int i = 0; i < kinks->count; i++) {
        int first = count;
        o[count++] = (trmi_tape_output){kinks->condition[i], TRMI_ROAD_CONDITIONS};
        for (int k = R_X; k < OF_CONDITION; k++)
            o[count++] = (trmi_tape_output){
                trmi_draft_derivative(d, o[first + made[k].of].node, x + made[k].by),
                TRMI_ROAD_CONDITIONS};
    }
    return d->r->graph.failed
               ? NULL
               : trmi_tape_create(d->r->memory, &d->r->graph, o, count, inputs, inputs);
}

// the formula with its conditions, and the tape of both; false: no memory
static bool complete(trmi_draft *d, trmi_node node, trmi_road *road)
{
    trmi_reading *r = d->r;
    trmi_tape_output height = {node, TRMI_ROAD_SECOND};
    char *input = calloc((size_t)road->lock, 1);
    trmi_kinks kinks = {
        .input = input, .inputs = road->lock, .first_lock = road->lock, .all_points = true};
    if (!input)
        return false;
    input[road->place] = input[road->place + 1] = TRMI_KINK_OF_STATE;
    if (trmi_kinks_separate(&kinks, &r->graph, &height, 1))
        road->tape = make_tape(d, height.node, &kinks, road->place);
    road->conditions = kinks.count;
    trmi_kinks_release(&kinks);
    free(input);
    return road->tape != NULL;
}

// names of the place, for one formula; false: reported
static bool name_place(trmi_draft *d, const trmi_item *item, int first,
                       const char *const *place_name, trmi_symbol *symbol[2])
{
    trmi_reading *r = d->r;
    if (!trmi_symbols_reserve(r, 2)) {
        r->failed = true;
        return false;
    }
    for (int k = 0; place_name[k]; k++) {
        symbol[k] = trmi_symbols_add(&r->symbols, place_name[k], TRMI_SYMBOL_DEFINITION, k, NULL);
        if (!symbol[k]) {
            trmi_report(r->document, item,
                        "'%s' is the place in a road here; give what has that name in the model "
                        "another one",
                        place_name[k]);
            return false;
        }
        symbol[k]->node = trmi_input(&r->graph, first + k);
    }
    return true;
}

const trmi_road *trmi_draft_road(trmi_draft *d, const trmi_item *item, bool along)
{
    trmi_reading *r = d->r;
    const trmi_layout *l = &r->model->layout;
    int errors = trmi_document_errors(r->document);
    trmi_symbol *place[2] = {NULL};
    trmi_road *road;
    if (!TRMI_TAKE(r->memory, road, 1)) {
        r->failed = true;
        return NULL;
    }
    trmi_node node = trmi_constant(&r->graph, 0);
    if (name_place(d, item, l->count, along ? on_way : in_plane, place))
        node = trmi_read_formula(r, item, 0, "the height of a road");
    for (int k = 0; k < 2; k++)
        if (place[k])
            trmi_symbols_forget(place[k]);
    if (trmi_document_errors(r->document) > errors || r->failed)
        return NULL;
    *road = (trmi_road){.place = l->count,
                        .lock = l->count + 2,
                        .parameter = l->parameter,
                        .value = r->model->parameter_value,
                        .line = item->line,
                        .column = item->column};
    if (!complete(d, node, road))
        r->failed = true;
    return road->tape ? road : NULL;
}
