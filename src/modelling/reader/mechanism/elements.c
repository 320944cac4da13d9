// SPDX-License-Identifier: Apache-2.0
// Force elements of a mechanism with several axes: bushing, beam, stop, contact, user force.
#include "modelling/reader/library.h"
#include "modelling/reader/mechanism/draft.h"

#include <stdio.h>

static bool is_plane(const trmi_draft *d)
{
    return d->mechanism->plane != TRMI_SPATIAL;
}

// ---- bushing, beam ----

// A number for all, or one for each, onto the diagonal of a 6 x 6 matrix from `first` on. In plane
// models the axes of the frame are those of the plane, with one rotation, about the third; all
// three may be given there too, as in space: along the normal, and about the others, nothing moves.
static void read_diagonal(trmi_draft *d, const trmi_item *item, int first, double *matrix)
{
    if (!item || trmi_item_null(item))
        return;
    bool all = !is_plane(d) || (item->kind == TRMI_LIST && item->count == 3);
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

static void read_six(trmi_draft *d, const trmi_item *map, const char *key, const char *rotation,
                     double *matrix)
{
    const trmi_item *item = trmi_item_find(map, key), *turn = trmi_item_find(map, rotation);
    bool full =
        item && item->kind == TRMI_LIST && item->count == 6 && item->child->kind == TRMI_LIST;
    if (!full) {
        read_diagonal(d, item, 0, matrix);
        read_diagonal(d, turn, 3, matrix);
        return;
    }
    int i = 0;
    for (const trmi_item *row = item->child; row; row = row->next, i++)
        if (!trmi_draft_numbers(d, row, 6, matrix + 6 * (size_t)i, "a row of this matrix"))
            return;
    if (turn)
        trmi_report_key(d->r->document, turn, "'%s' is part of the matrix '%s' already", rotation,
                        key);
}

void trmi_draft_bushing(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    const trmi_item *frame = trmi_item_find(map, "frame"),
                    *preload = trmi_item_find(map, "preload");
    force->frame = trmi_plane_frame(d->mechanism->plane);
    if (!trmi_draft_between(d, trmi_item_find(map, "between"), force->body) ||
        !trmi_draft_point(d, trmi_item_find(map, "at"), &force->at) ||
        (frame && !trmi_draft_frame(d, frame, &force->frame)))
        return;
    force->at_second = force->at;
    read_six(d, map, "stiffness", "rotation_stiffness", force->stiffness);
    read_six(d, map, "damping", "rotation_damping", force->damping);
    if (preload && !trmi_item_null(preload))
        trmi_draft_numbers(d, preload, 6, force->preload, "'preload'");
}

// x along it; y as given, in plane models in the plane
static bool beam_frame(trmi_draft *d, const trmi_item *y_item, double length, trmi_force *force)
{
    trmi_v3 x = trmi_v3_scale(1 / length, trmi_v3_sub(force->at_second, force->at)), y, z;
    if (is_plane(d)) {
        z = trmi_m3_column(trmi_plane_frame(d->mechanism->plane), 2);
        y = trmi_v3_cross(z, x);
    } else if (y_item) {
        if (!trmi_draft_direction(d, y_item, false, &y))
            return false;
        y = trmi_v3_axpy(y, -trmi_v3_dot(x, y), x);
        double size = trmi_v3_length(y);
        if (size < 1e-3) {
            trmi_report(d->r->document, y_item, "'y' points along the beam '%.60s'", force->name);
            return false;
        }
        y = trmi_v3_scale(1 / size, y);
    } else {
        y = trmi_m3_column(trmi_frame_about(x), 0);
    }
    force->frame = trmi_frame_of(x, y, trmi_v3_cross(x, y));
    return true;
}

void trmi_draft_beam(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    double length;
    if (!trmi_draft_ends(d, map, force, &length) ||
        !beam_frame(d, trmi_item_find(map, "y"), length, force) ||
        !trmi_draft_positive(d, map, "area", false, &force->area) ||
        !trmi_draft_positive(d, map, "modulus", false, &force->e_modulus) ||
        !trmi_draft_positive(d, map, "inertia_z", false, &force->i_z))
        return;
    force->natural = length;
    force->g_modulus = force->e_modulus / 2.6; // Poisson's ratio 0.3
    force->i_y = force->i_z;
    trmi_draft_positive(d, map, "shear_modulus", false, &force->g_modulus);
    trmi_draft_positive(d, map, "inertia_y", false, &force->i_y);
    force->j_torsion = force->i_y + force->i_z;
    trmi_draft_positive(d, map, "torsion", false, &force->j_torsion);
    trmi_draft_positive(d, map, "shear", true, &force->shear);
    trmi_draft_positive(d, map, "damping", true, &force->damping[0]);
}

// ---- stops and contact ----

static void read_hertz(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    const trmi_item *exponent = trmi_item_find(map, "exponent");
    force->exponent = 1.5;
    trmi_draft_positive(d, map, "stiffness", false, &force->stiffness[0]);
    trmi_draft_positive(d, map, "damping", true, &force->damping[0]);
    if (trmi_draft_positive(d, map, "exponent", false, &force->exponent) && force->exponent <= 1)
        trmi_report(d->r->document, exponent,
                    "'exponent' must be above 1, so that the force begins smoothly");
    if (force->stiffness[0] == 0 && !trmi_item_find(map, "stiffness"))
        trmi_report_key(d->r->document, map, "'%.60s' needs a 'stiffness'", force->name);
}

void trmi_draft_bump_stop(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    double distance;
    if (!trmi_draft_ends(d, map, force, &distance))
        return;
    trmi_draft_positive(d, map, "gap", false, &force->gap);
    read_hertz(d, map, force);
}

void trmi_draft_contact(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    trmi_v3 normal;
    force->v_slip = 1e-3;
    if (!trmi_draft_between(d, trmi_item_find(map, "between"), force->body) ||
        !trmi_draft_point(d, trmi_item_find(map, "at"), &force->at) ||
        !trmi_draft_point(d, trmi_item_find(map, "center"), &force->at_second) ||
        !trmi_draft_direction(d, trmi_item_find(map, "normal"), false, &normal))
        return;
    force->frame = trmi_frame_about(normal);
    if (is_plane(d)) { // x of the frame lies in the plane
        trmi_v3 y = trmi_m3_column(trmi_plane_frame(d->mechanism->plane), 2);
        force->frame = trmi_frame_of(trmi_v3_cross(y, normal), y, normal);
    }
    trmi_draft_positive(d, map, "radius", false, &force->radius);
    trmi_draft_positive(d, map, "friction", true, &force->mu);
    trmi_draft_positive(d, map, "slip", false, &force->v_slip);
    read_hertz(d, map, force);
}

// ---- forces from shared objects ----

void trmi_draft_user(trmi_draft *d, const trmi_item *map, trmi_force *force)
{
    const trmi_item *frame = trmi_item_find(map, "frame");
    trmi_mechanism *m = d->mechanism;
    force->frame = trmi_plane_frame(m->plane);
    if (!trmi_draft_between(d, trmi_item_find(map, "between"), force->body) ||
        !trmi_draft_point(d, trmi_item_find(map, "at"), &force->at) ||
        (frame && !trmi_draft_frame(d, frame, &force->frame)))
        return;
    force->at_second = force->at;
    if (!d->user_force && !TRMI_TAKE(d->r->memory, d->user_force, m->forces)) {
        d->r->failed = true;
        return;
    }
    const trm_user_force *user =
        trmi_library_force(d->r, trmi_item_find(map, "library"), trmi_item_find(map, "name"));
    if (!user)
        return;
    force->user = m->user_forces;
    d->user_force[m->user_forces++] = user;
    m->user_force = d->user_force;
}
