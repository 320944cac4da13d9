// SPDX-License-Identifier: Apache-2.0
// What touches where: a plane or the shape of a body on one side, a sphere or the shape of a body
// on the other.
//
//     plane     with sphere, capsule (its two ends), box (its corners), cylinder (its two rims)
//     sphere    with sphere, capsule
//     capsule   with sphere, capsule
//     box       with sphere, capsule; a box without thickness is a plate
#include "modelling/multibody/forces/contact.h"

#include "modelling/multibody/frames.h"

// of a box across a plane model: everything is inside
static const double UNLIMITED = 1e30;

static const trmi_shape *shape_of(const trmi_finish *finish, int body)
{
    return finish->mechanism->body[body].shape;
}

static const char *name_of(const trmi_finish *finish, int body)
{
    return body == TRMI_GROUND ? "ground" : finish->mechanism->body[body].name;
}

static trmi_v3 middle_of(const trmi_shape *s)
{
    return s->points == 1 ? s->point[0] : trmi_v3_scale(0.5, trmi_v3_add(s->point[0], s->point[1]));
}

// a line of spheres: a sphere, or a capsule
static bool is_round(const trmi_shape *s)
{
    return s->kind == TRMI_SHAPE_SPHERE || s->kind == TRMI_SHAPE_CAPSULE;
}

static bool pair_error(trmi_finish *finish, const trmi_contact *c)
{
    static const char *const what[] = {
        [TRMI_SHAPE_NONE] = "no shape",     [TRMI_SHAPE_BAR] = "a bar",
        [TRMI_SHAPE_BOX] = "a box",         [TRMI_SHAPE_CYLINDER] = "a cylinder",
        [TRMI_SHAPE_SPHERE] = "a sphere",   [TRMI_SHAPE_POLYLINE] = "a polyline",
        [TRMI_SHAPE_CAPSULE] = "a capsule", [TRMI_SHAPE_MESH] = "a mesh"};
    const trmi_shape *a = shape_of(finish, c->force.body[0]),
                     *b = shape_of(finish, c->force.body[1]);
    bool plane = trmi_given_vector(c->normal), sphere = !isnan(c->force.size);
    const char *first = plane ? "a plane" : what[a ? a->kind : TRMI_SHAPE_NONE];
    const char *second = sphere ? "a sphere" : what[b ? b->kind : TRMI_SHAPE_NONE];
    return trmi_finish_key_error(
        finish, NULL,
        "'%.60s': '%.60s' has %s and '%.60s' %s, between which there is no contact; possible are, "
        "first and second: a plane (`at`, `normal`) and a sphere, capsule, box or cylinder; a "
        "sphere, capsule or box and a sphere or capsule",
        c->force.name, name_of(finish, c->force.body[0]), first, name_of(finish, c->force.body[1]),
        second);
}

// ---- on a plane ------------------------------------------------------------------------------

// the corners of a box: eight, in plane models four
static void find_corners(trmi_contact *c, const trmi_shape *box, trmi_plane plane)
{
    int axis[3];
    trmi_plane_axes(plane, axis);
    int count = plane == TRMI_SPATIAL ? 8 : 4;
    const trmi_v3 end[2] = {trmi_m3_tr_times(box->axes, box->point[0]),
                            trmi_m3_tr_times(box->axes, box->point[1])};
    for (int k = 0; k < count; k++) {
        double x[3] = {0};
        for (int i = 0; i < 3; i++)
            x[axis[i]] = trmi_component(end[(k >> i) & 1], axis[i]);
        c->spot[c->spots++] = trmi_m3_times(box->axes, trmi_v3_of(x));
    }
    c->force.size = 0;
}

// two rims; in plane models a cylinder across the plane is a circle
static bool find_rims(trmi_finish *finish, trmi_contact *c, const trmi_shape *s)
{
    trmi_form *form;
    trmi_v3 along = trmi_v3_sub(s->point[1], s->point[0]);
    double length = trmi_v3_length(along);
    if (finish->mechanism->plane != TRMI_SPATIAL)
        return pair_error(finish, c);
    if (!(length > 0))
        return trmi_finish_key_error(finish, NULL, "the cylinder of '%.60s' has no length",
                                     name_of(finish, c->force.body[1]));
    if (!TRMI_TAKE(finish->memory, form, 1)) {
        finish->no_memory = true;
        return false;
    }
    trmi_v3 local = trmi_m3_tr_times(c->force.frame, along);
    *form = (trmi_form){
        .find = trmi_touch_rim, .radius_b = s->size, .axis_b = trmi_v3_scale(1 / length, local)};
    c->form = form;
    for (int k = 0; k < 2; k++)
        c->spot[c->spots++] = s->point[k];
    c->force.at_second = s->point[0];
    return true;
}

static bool find_on_plane(trmi_finish *finish, trmi_contact *c)
{
    trmi_plane plane = finish->mechanism->plane;
    const trmi_shape *b = shape_of(finish, c->force.body[1]);
    // z is the normal; plane models: x lies in the plane of the model
    trmi_v3 y = trmi_plane_normal(plane);
    c->force.frame = plane == TRMI_SPATIAL
                         ? trmi_frame_about(c->normal)
                         : trmi_frame_of(trmi_v3_cross(y, c->normal), y, c->normal);
    if (!isnan(c->force.size)) {
        c->spot[c->spots++] = c->force.at_second;
        return true;
    }
    if (!b)
        return pair_error(finish, c);
    c->force.at_second = middle_of(b);
    c->force.size = b->size;
    if (b->kind == TRMI_SHAPE_CYLINDER)
        return find_rims(finish, c, b);
    if (b->kind == TRMI_SHAPE_BOX)
        find_corners(c, b, plane);
    for (int k = 0; k < b->points && is_round(b); k++)
        c->spot[c->spots++] = b->point[k];
    c->force.size = c->spots > 0 ? c->force.size : (double)NAN;
    return c->spots > 0 || pair_error(finish, c);
}

// ---- shapes ----------------------------------------------------------------------------------

// the core of the first body: half edges, and its axes
static void find_core(trmi_contact *c, trmi_form *form, const trmi_shape *a, trmi_plane plane)
{
    trmi_v3 along = trmi_v3_sub(a->point[a->points - 1], a->point[0]);
    double length = trmi_v3_length(along);
    c->force.frame = trmi_plane_frame(plane);
    if (a->kind == TRMI_SHAPE_BOX) {
        c->force.frame = trmi_m3_mul(a->axes, c->force.frame);
        for (int i = 0; i < 3; i++)
            form->half[i] = 0.5 * fabs(trmi_v3_dot(along, trmi_m3_column(c->force.frame, i)));
    } else if (length > 0) {
        trmi_v3 x = trmi_v3_scale(1 / length, along);
        trmi_m3 about = trmi_frame_about(x);
        trmi_v3 z = plane == TRMI_SPATIAL ? trmi_m3_column(about, 0) : trmi_plane_normal(plane);
        c->force.frame = trmi_frame_of(x, trmi_v3_cross(z, x), z);
        form->half[0] = 0.5 * length;
    }
    if (plane != TRMI_SPATIAL)
        form->half[2] = UNLIMITED;
    form->radius = a->kind == TRMI_SHAPE_BOX ? 0 : a->size;
    c->force.at = middle_of(a);
}

static bool find_between_shapes(trmi_finish *finish, trmi_contact *c)
{
    const trmi_shape *a = shape_of(finish, c->force.body[0]),
                     *b = shape_of(finish, c->force.body[1]);
    bool sphere = !isnan(c->force.size);
    trmi_form *form;
    if (!a || !(is_round(a) || a->kind == TRMI_SHAPE_BOX) || !(sphere || (b && is_round(b))))
        return pair_error(finish, c);
    if (!TRMI_TAKE(finish->memory, form, 1)) {
        finish->no_memory = true;
        return false;
    }
    *form = (trmi_form){.find = trmi_touch_cores, .radius_b = sphere ? c->force.size : b->size};
    find_core(c, form, a, finish->mechanism->plane);
    if (!sphere) {
        trmi_v3 along = trmi_v3_sub(b->point[b->points - 1], b->point[0]);
        double length = trmi_v3_length(along);
        c->force.at_second = middle_of(b);
        form->half_b = 0.5 * length;
        if (length > 0)
            form->axis_b = trmi_v3_scale(1 / length, trmi_m3_tr_times(c->force.frame, along));
    }
    c->form = form;
    c->force.size = form->radius_b;
    c->spot[c->spots++] = c->force.at_second;
    return true;
}

bool trmi_contact_find_shapes(trmi_finish *finish, trmi_contact *c)
{
    bool at = trmi_given_vector(c->force.at), normal = trmi_given_vector(c->normal);
    bool center = trmi_given_vector(c->force.at_second), radius = !isnan(c->force.size);
    c->spots = 0;
    c->form = NULL;
    c->force.on_plane = normal;
    if (at != normal)
        return trmi_finish_key_error(finish, NULL, "the plane of '%.60s' needs '%s' as well",
                                     c->force.name, at ? "normal" : "at");
    if (center != radius)
        return trmi_finish_key_error(finish, NULL, "the sphere of '%.60s' needs '%s' as well",
                                     c->force.name, center ? "radius" : "center");
    return normal ? find_on_plane(finish, c) : find_between_shapes(finish, c);
}
