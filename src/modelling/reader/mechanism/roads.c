// SPDX-License-Identifier: Apache-2.0
// Roads of tyres: the height as a formula of the place, road_x and road_y, or of the way road_s,
// with its derivatives on a tape of its own (multibody/forces/road.h).
#include "modelling/reader/mechanism/draft.h"

static const char *const in_plane[] = {"road_x", "road_y", NULL};
static const char *const on_way[] = {"road_s", NULL};

// r, r_x, r_y, r_xx, r_xy, r_yy; r_xxx, r_xxy, r_xyy, r_yyy
static const trmi_tape *make_tape(trmi_draft *d, trmi_node r, int x, int inputs)
{
    enum { R, R_X, R_Y, R_XX, R_XY, R_YY, R_XXX, R_XXY, R_XYY, R_YYY, OUTPUTS };
    static const struct {
        int of, by; // derivative of which output, by x or y
    } made[OUTPUTS] = {[R_X] = {R, 0},      [R_Y] = {R, 1},      [R_XX] = {R_X, 0},
                       [R_XY] = {R_X, 1},   [R_YY] = {R_Y, 1},   [R_XXX] = {R_XX, 0},
                       [R_XXY] = {R_XX, 1}, [R_XYY] = {R_XY, 1}, [R_YYY] = {R_YY, 1}};
    trmi_tape_output o[OUTPUTS] = {{r, TRMI_ROAD_SECOND}};
    for (int k = R_X; k < OUTPUTS; k++)
        o[k] = (trmi_tape_output){trmi_draft_derivative(d, o[made[k].of].node, x + made[k].by),
                                  k < R_XXX ? TRMI_ROAD_SECOND : TRMI_ROAD_THIRD};
    return d->r->graph.failed
               ? NULL
               : trmi_tape_create(d->r->memory, &d->r->graph, o, OUTPUTS, inputs, inputs);
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
    const trmi_interpolant *curve = trmi_graph_cornered(&r->graph, node);
    if (curve)
        trmi_warn(r->document, item,
                  "table '%.60s' has corners, where the normal of the road jumps; 'interpolation: "
                  "monotone' makes it smooth",
                  curve->name);
    *road = (trmi_road){.tape = make_tape(d, node, l->count, l->count + 2),
                        .place = l->count,
                        .parameter = l->parameter,
                        .value = r->model->parameter_value,
                        .line = item->line,
                        .column = item->column};
    r->failed = r->failed || !road->tape;
    return road->tape ? road : NULL;
}
