// SPDX-License-Identifier: Apache-2.0
// Numbers, points, directions and frames of a mechanism.
#include "modelling/multibody/frames.h"
#include "modelling/reader/mechanism/draft.h"

#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

static trmi_node number_node(trmi_draft *d, const trmi_item *item)
{
    return trmi_read_formula(d->r, item, 0, "this number");
}

bool trmi_draft_number(trmi_draft *d, const trmi_item *item, double *value)
{
    trmi_reading *r = d->r;
    int errors = trmi_document_errors(r->document);
    if (!item || trmi_item_null(item))
        return true;
    trmi_read_quantity(r, item, value);
    if (trmi_document_errors(r->document) > errors)
        return false;
    if (r->model->parameters == 0 || trmi_is_constant(&r->graph, number_node(d, item), NULL))
        return true;
    trmi_report(r->document, item,
                "an event sets a parameter of this number; only formulas of forces and motions "
                "can follow");
    return false;
}

bool trmi_draft_positive(trmi_draft *d, const trmi_item *map, const char *key, bool or_zero,
                         double *value)
{
    const trmi_item *item = trmi_item_find(map, key);
    if (!item || trmi_item_null(item))
        return true;
    if (!trmi_draft_number(d, item, value))
        return false;
    if (*value > 0 || (or_zero && *value == 0))
        return true;
    trmi_report(d->r->document, item, "'%s' must be %s, not %g", key,
                or_zero ? "0 or more" : "positive", *value);
    return false;
}

bool trmi_draft_numbers(trmi_draft *d, const trmi_item *list, int n, double *out, const char *what)
{
    bool good = true;
    if (list->kind != TRMI_LIST || list->count != n) {
        trmi_report(d->r->document, list, "%s must be a list of %d numbers, not %d", what, n,
                    list->count);
        return false;
    }
    for (const trmi_item *i = list->child; i; i = i->next)
        good = trmi_draft_number(d, i, out++) && good;
    return good;
}

// ---- names ----

static const char *nearest_name(const trmi_draft *d, const trmi_symbols *names, const char *name)
{
    if (trmi_document_errors(d->r->document) > TRMI_DOCUMENT_ERRORS)
        return NULL; // not shown
    const char **list = malloc(((size_t)names->count + 1) * sizeof *list);
    for (int k = 0; list && k < names->count; k++)
        list[k] = names->symbol[k].name;
    const char *near = list ? trmi_nearest(name, list, names->count) : NULL;
    free(list);
    return near;
}

int trmi_draft_find(trmi_draft *d, const trmi_symbols *names, const trmi_item *item,
                    const char *what)
{
    const trmi_symbol *found = trmi_symbols_find(names, item->text);
    if (found)
        return found->index;
    const char *near = nearest_name(d, names, item->text);
    trmi_report(d->r->document, item, "there is no %s '%.60s'%s%.60s%s", what, item->text,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return TRMI_NOTHING;
}

bool trmi_draft_between(trmi_draft *d, const trmi_item *list, int body[2])
{
    if (!list)
        return false;
    if (list->count != 2) {
        trmi_report(d->r->document, list, "'%s' needs two bodies, not %d", list->key, list->count);
        return false;
    }
    const trmi_item *first = list->child, *second = first->next;
    body[0] = trmi_draft_find(d, &d->bodies, first, "body");
    body[1] = trmi_draft_find(d, &d->bodies, second, "body");
    if (body[0] == TRMI_NOTHING || body[1] == TRMI_NOTHING)
        return false;
    if (body[0] == body[1])
        trmi_report(d->r->document, second, "'%.60s' cannot be between itself and itself",
                    second->text);
    return body[0] != body[1];
}

// ---- vectors ----

static trmi_v3 unit_vector(int axis)
{
    return trmi_m3_unit().row[axis];
}

// Three components, or the two of the plane; plane models accept no other normal component than 0.
static bool read_components(trmi_draft *d, const trmi_item *list, bool normal, trmi_v3 *out)
{
    trmi_plane plane = d->mechanism->plane;
    int axis[3], n = list->count;
    double given[3] = {0}, global[3] = {0};
    char what[100];
    snprintf(what, sizeof what, "'%.60s'", list->key ? list->key : "a point");
    trmi_plane_axes(plane, axis);
    bool two = plane != TRMI_SPATIAL && n != 3; // other counts are reported as wrong
    if (!trmi_draft_numbers(d, list, two ? 2 : 3, given, what))
        return false;
    for (int k = 0; k < 3; k++)
        global[two ? axis[k] : k] = given[k];
    *out = trmi_v3_of(global);
    double off = plane == TRMI_SPATIAL || normal ? 0 : global[axis[2]];
    if (off != 0)
        trmi_report(d->r->document, list, "%s is out of the plane %c%c: its %c is %g, not 0", what,
                    "xyz"[axis[0]], "xyz"[axis[1]], "xyz"[axis[2]], off);
    return off == 0;
}

// "-y" and the like
static bool read_axis_word(const trmi_item *item, trmi_v3 *out)
{
    const char *word = item->kind == TRMI_SCALAR ? item->text : "";
    double sign = *word == '-' ? -1 : 1;
    word += *word == '-';
    if (*word < 'x' || *word > 'z' || word[1])
        return false;
    *out = trmi_v3_scale(sign, unit_vector(*word - 'x'));
    return true;
}

bool trmi_draft_written_point(trmi_draft *d, const trmi_item *item, trmi_v3 *point)
{
    return !item || trmi_item_null(item) || read_components(d, item, false, point);
}

// A point in the frame of a body has its place with the body; of a mirrored one its coordinates are
// mirrored.
bool trmi_draft_point(trmi_draft *d, const trmi_item *item, trmi_v3 *point)
{
    if (!item || trmi_item_null(item))
        return true;
    if (item->kind != TRMI_MAP) {
        if (!read_components(d, item, false, point))
            return false;
        *point = trmi_place_point(trmi_draft_use(d, item), *point);
        return true;
    }
    int b = trmi_draft_find(d, &d->bodies, trmi_item_find(item, "body"), "body");
    trmi_v3 local;
    if (b == TRMI_NOTHING || !read_components(d, trmi_item_find(item, "point"), false, &local))
        return false;
    local = trmi_mirror_local(trmi_draft_common_use(d, item, b), local);
    *point = trmi_v3_add(d->origin[b], trmi_m3_times(d->axes[b], local));
    return true;
}

static bool normalise(trmi_draft *d, const trmi_item *item, trmi_v3 *direction)
{
    double length = trmi_v3_length(*direction);
    if (!(length > 0) || !isfinite(length)) {
        trmi_report(d->r->document, item, "'%.60s' has length %g: it gives no direction",
                    item->key ? item->key : "this", length);
        return false;
    }
    *direction = trmi_v3_scale(1 / length, *direction);
    return true;
}

bool trmi_draft_direction(trmi_draft *d, const trmi_item *item, bool normal, trmi_v3 *direction)
{
    const trmi_item *list = item->kind == TRMI_MAP ? trmi_item_find(item, "axis") : item;
    trmi_v3 given;
    if (!read_axis_word(list, &given) && !(read_components(d, list, true, &given)))
        return false;
    if (item->kind == TRMI_MAP) {
        int b = trmi_draft_find(d, &d->bodies, trmi_item_find(item, "body"), "body");
        if (b == TRMI_NOTHING)
            return false;
        given = trmi_mirror_local(trmi_draft_common_use(d, item, b), given);
        given = trmi_m3_times(d->axes[b], given);
    } else {
        given = trmi_place_direction(trmi_draft_use(d, item), given);
    }
    if (!normalise(d, list, &given))
        return false;
    if (d->mechanism->plane != TRMI_SPATIAL) {
        double along = fabs(trmi_v3_dot(given, trmi_plane_normal(d->mechanism->plane)));
        if (normal ? along < 1 - 1e-12 : along > 1e-12) {
            trmi_report(d->r->document, list, "'%.60s' must %s the plane of the model",
                        item->key ? item->key : "axis", normal ? "be normal to" : "lie in");
            return false;
        }
    }
    *direction = given;
    return true;
}

// ---- frames ----

// R = 1 + sin(angle) [e] + (1 - cos(angle)) [e]^2
static trmi_m3 turn_about(trmi_v3 e, double angle)
{
    trmi_m3 c = trmi_m3_cross(e);
    return trmi_m3_axpy(trmi_m3_axpy(trmi_m3_unit(), sin(angle), c), 1 - cos(angle),
                        trmi_m3_mul(c, c));
}

static bool read_vector(trmi_draft *d, const trmi_item *item, trmi_v3 *out)
{
    return (read_axis_word(item, out) || read_components(d, item, true, out)) &&
           normalise(d, item, out);
}

// one or two of x, y, z; the second one is made exactly perpendicular to the first
static bool frame_of_axes(trmi_draft *d, const trmi_item *const axis[3], trmi_m3 *frame)
{
    trmi_v3 e[3];
    int first = -1, second = -1;
    for (int k = 2; k >= 0; k--) // z leads
        if (axis[k]) {
            if (!read_vector(d, axis[k], &e[k]))
                return false;
            second = first >= 0 ? k : second;
            first = first >= 0 ? first : k;
        }
    if (second < 0 && first < 2 && d->mechanism->plane != TRMI_SPATIAL) {
        e[2] = trmi_plane_normal(d->mechanism->plane); // plane models: x or y is enough
        e[1 - first] = first == 0 ? trmi_v3_cross(e[2], e[0]) : trmi_v3_cross(e[1], e[2]);
    } else if (second < 0) {
        trmi_m3 about = trmi_frame_about(e[first]);
        for (int k = 1; k < 3; k++)
            e[(first + k) % 3] = trmi_m3_column(about, k - 1);
    } else {
        double cosine = trmi_v3_dot(e[first], e[second]);
        if (fabs(cosine) > 1e-6) {
            trmi_report(d->r->document, axis[second],
                        "'%s' is not perpendicular to '%s': the angle between them has cosine %.3g",
                        axis[second]->key, axis[first]->key, cosine);
            return false;
        }
        e[second] = trmi_v3_axpy(e[second], -cosine, e[first]);
        e[second] = trmi_v3_scale(1 / trmi_v3_length(e[second]), e[second]);
        int third = 3 - first - second;
        e[third] = trmi_v3_cross(e[(third + 1) % 3], e[(third + 2) % 3]);
    }
    *frame = trmi_frame_of(e[0], e[1], e[2]);
    return true;
}

bool trmi_draft_written_frame(trmi_draft *d, const trmi_item *item, trmi_m3 *frame)
{
    const trmi_item *const axis[3] = {trmi_item_find(item, "x"), trmi_item_find(item, "y"),
                                      trmi_item_find(item, "z")};
    const trmi_item *about = trmi_item_find(item, "axis"), *angle = trmi_item_find(item, "angle");
    int given = (axis[0] != NULL) + (axis[1] != NULL) + (axis[2] != NULL);
    trmi_v3 e;
    double phi = 0;
    if (about && angle && given == 0) {
        if (!read_vector(d, about, &e) || !trmi_draft_number(d, angle, &phi))
            return false;
        *frame = turn_about(e, phi);
        return true;
    }
    if (about || angle || given == 0 || given == 3) {
        trmi_report(d->r->document, item,
                    "a frame needs one or two of x, y and z, or both of axis and angle");
        return false;
    }
    return frame_of_axes(d, axis, frame);
}

bool trmi_draft_frame(trmi_draft *d, const trmi_item *item, trmi_m3 *frame)
{
    if (!trmi_draft_written_frame(d, item, frame))
        return false;
    *frame = trmi_place_frame(trmi_draft_use(d, item), *frame);
    return true;
}
