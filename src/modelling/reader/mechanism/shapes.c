// SPDX-License-Identifier: Apache-2.0
// The shapes of bodies, for pictures and contacts.
#include "modelling/reader/beside.h"
#include "modelling/reader/mechanism/draft.h"
#include "modelling/reader/mesh/mesh.h"

#include <string.h>

static trmi_shape_kind shape_kind(const char *name)
{
    static const char *const names[] = {
        [TRMI_SHAPE_BAR] = "bar",           [TRMI_SHAPE_BOX] = "box",
        [TRMI_SHAPE_CYLINDER] = "cylinder", [TRMI_SHAPE_SPHERE] = "sphere",
        [TRMI_SHAPE_POLYLINE] = "polyline", [TRMI_SHAPE_CAPSULE] = "capsule",
        [TRMI_SHAPE_MESH] = "mesh"};
    for (int k = TRMI_SHAPE_BAR; k <= TRMI_SHAPE_MESH; k++)
        if (strcmp(name, names[k]) == 0)
            return (trmi_shape_kind)k;
    return TRMI_SHAPE_NONE;
}

// the points of a shape: from and to, the centre of a sphere, or a list
static void read_shape_points(trmi_draft *d, const trmi_item *kind, trmi_shape_kind shape,
                              trmi_v3 *point)
{
    if (shape == TRMI_SHAPE_POLYLINE) {
        for (const trmi_item *i = trmi_item_find(kind, "points")->child; i; i = i->next)
            trmi_draft_point(d, i, point++);
    } else if (shape == TRMI_SHAPE_SPHERE || shape == TRMI_SHAPE_MESH) {
        trmi_draft_point(d, trmi_item_find(kind, "at"), point);
    } else {
        trmi_draft_point(d, trmi_item_find(kind, "from"), &point[0]);
        trmi_draft_point(d, trmi_item_find(kind, "to"), &point[1]);
    }
}

// its file, unless another shape has it already; NULL: it cannot be read, which was reported once
static const trmi_mesh *find_mesh(trmi_draft *d, const trmi_item *file)
{
    char path[4096];
    trmi_mesh **end = &d->mesh, *mesh;
    trmi_path_beside(d->r->model->path, file->text, path, sizeof path);
    for (; *end; end = &(*end)->next)
        if (strcmp((*end)->path, path) == 0)
            return (*end)->points > 0 ? *end : NULL;
    if (!TRMI_TAKE(d->r->memory, mesh, 1)) {
        d->r->failed = true;
        return NULL;
    }
    *mesh = (trmi_mesh){.path = trmi_keep_text(d->r, path), .number = d->meshes};
    if (!mesh->path) {
        d->r->failed = true;
        return NULL;
    }
    *end = mesh;
    d->meshes++;
    d->mechanism->mesh = d->mesh;
    return trmi_mesh_read(d->r, file, mesh) ? mesh : NULL;
}

// a mesh without `at` and `frame` has the origin and the axes of the model or of its part
static void read_mesh(trmi_draft *d, const trmi_item *kind, trmi_shape *shape, trmi_v3 *origin)
{
    const trmi_item *frame = trmi_item_find(kind, "frame"), *at = trmi_item_find(kind, "at");
    const trmi_use *use = trmi_draft_use(d, kind);
    trmi_m3 R = trmi_m3_unit();
    double scale = 1;
    if (!at || trmi_item_null(at))
        *origin = trmi_place_point(use, (trmi_v3){0, 0, 0});
    if (frame && frame->count > 0)
        trmi_draft_written_frame(d, frame, &R);
    trmi_draft_positive(d, kind, "scale", false, &scale);
    for (int i = 0; i < 3; i++)
        shape->axes.row[i] = trmi_v3_scale(scale, R.row[i]);
    shape->axes = use ? trmi_m3_mul(use->axes, shape->axes) : shape->axes;
    shape->mesh = find_mesh(d, trmi_item_find(kind, "file"));
}

void trmi_draft_shape(trmi_draft *d, const trmi_item *item, trmi_body *body)
{
    const trmi_item *kind = item ? item->child : NULL, *line = trmi_item_find(kind, "points");
    trmi_shape *shape;
    trmi_v3 *point;
    if (!kind)
        return;
    trmi_shape_kind form = shape_kind(kind->key);
    bool single = form == TRMI_SHAPE_SPHERE || form == TRMI_SHAPE_MESH;
    int points = line ? line->count : single ? 1 : 2;
    if (line && line->count < 2) {
        trmi_report(d->r->document, line, "a polyline needs at least two points, not %d",
                    line->count);
        return;
    }
    if (!TRMI_TAKE(d->r->memory, shape, 1) || !TRMI_TAKE(d->r->memory, point, points)) {
        d->r->failed = true;
        return;
    }
    point[0] = body->center;
    read_shape_points(d, kind, form, point);
    *shape = (trmi_shape){.kind = form, .points = points, .point = point};
    shape->axes = trmi_place_frame(trmi_draft_use(d, kind), trmi_m3_unit());
    if (form == TRMI_SHAPE_MESH)
        read_mesh(d, kind, shape, point);
    trmi_draft_positive(d, kind, "width", false, &shape->size);
    trmi_draft_positive(d, kind, "radius", false, &shape->size);
    body->shape = form == TRMI_SHAPE_MESH && !shape->mesh ? NULL : shape;
}
