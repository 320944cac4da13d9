// SPDX-License-Identifier: Apache-2.0
// The shapes of bodies, for pictures and contacts.
#include "modelling/multibody/frames.h"
#include "modelling/reader/beside.h"
#include "modelling/reader/mechanism/draft.h"
#include "modelling/reader/mesh/mesh.h"

#include <string.h>

// cams are meshes
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
    return TRMI_SHAPE_MESH;
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

// a new one at the end of the list; NULL: no memory
static trmi_mesh *add_mesh(trmi_draft *d, const char *path)
{
    trmi_mesh **end = &d->mesh, *mesh;
    while (*end)
        end = &(*end)->next;
    if (!TRMI_TAKE(d->r->memory, mesh, 1)) {
        d->r->failed = true;
        return NULL;
    }
    *mesh = (trmi_mesh){.path = path, .number = d->meshes++};
    *end = mesh;
    d->mechanism->mesh = d->mesh;
    return mesh;
}

// its file, unless another shape has it already; NULL: it cannot be read, which was reported once
static const trmi_mesh *find_mesh(trmi_draft *d, const trmi_item *file)
{
    char path[4096];
    trmi_path_beside(d->r->model->path, file->text, path, sizeof path);
    for (const trmi_mesh *m = d->mesh; m; m = m->next)
        if (m->path && strcmp(m->path, path) == 0)
            return m->points > 0 ? m : NULL;
    const char *kept = trmi_keep_text(d->r, path);
    trmi_mesh *mesh = kept ? add_mesh(d, kept) : NULL;
    d->r->failed = d->r->failed || !mesh;
    return mesh && trmi_mesh_read(d->r, file, mesh) ? mesh : NULL;
}

// x where the angle is 0, z along the axis; in a mirror image angles go the other way
static void read_cam(trmi_draft *d, const trmi_item *kind, trmi_shape *shape)
{
    const trmi_item *table = trmi_item_find(kind, "table"), *zero = trmi_item_find(kind, "zero");
    const trmi_use *use = trmi_draft_use(d, kind);
    int number = trmi_graph_find_curve(&d->r->graph, table->text);
    trmi_v3 z = trmi_place_direction(use, (trmi_v3){0, 0, 1});
    trmi_v3 x = trmi_place_direction(use, (trmi_v3){1, 0, 0});
    double radius = 0, width = 0;
    if (number < 0) {
        trmi_report(d->r->document, table, "there is no table '%.60s'", table->text);
        return;
    }
    trmi_interpolant *lift = &d->r->graph.curve[number];
    lift->used = true;
    if (!trmi_draft_direction(d, trmi_item_find(kind, "axis"), true, &z) ||
        !trmi_draft_direction(d, zero, false, &x) ||
        !trmi_draft_positive(d, kind, "radius", false, &radius) ||
        !trmi_draft_positive(d, kind, "width", false, &width) || lift->count == 0)
        return;
    if (fabs(trmi_v3_dot(x, z)) > 1e-6) {
        trmi_report(d->r->document, zero ? zero : kind,
                    "'zero' and 'axis' of a cam must be perpendicular");
        return;
    }
    trmi_v3 y = trmi_v3_scale(use ? use->sign : 1, trmi_v3_cross(z, x));
    shape->axes = trmi_frame_of(x, y, z);
    trmi_mesh *mesh = add_mesh(d, NULL);
    bool made =
        mesh && trmi_mesh_cam(d->r->memory, lift, radius, width > 0 ? width : radius / 4, mesh);
    d->r->failed = d->r->failed || !made;
    shape->mesh = made ? mesh : NULL;
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
    if (form == TRMI_SHAPE_MESH && strcmp(kind->key, "cam") == 0)
        read_cam(d, kind, shape);
    else if (form == TRMI_SHAPE_MESH)
        read_mesh(d, kind, shape, point);
    trmi_draft_positive(d, kind, "width", false, &shape->size);
    trmi_draft_positive(d, kind, "radius", false, &shape->size);
    body->shape = form == TRMI_SHAPE_MESH && !shape->mesh ? NULL : shape;
}
