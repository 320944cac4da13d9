// SPDX-License-Identifier: Apache-2.0
// The bodies of a mechanism, and whether their inertia is that of anything real.
#include "modelling/multibody/frames.h"
#include "modelling/reader/mechanism/draft.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- inertia ----

static const trmi_m3 ZERO = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};

// by which entries that should be equal may differ, relative to the largest one
#define ROUNDOFF (9 * DBL_EPSILON)

static bool read_entries(trmi_draft *d, const trmi_item *map, trmi_m3 *J)
{
    double xx = 0, yy = 0, zz = 0, xy = 0, yz = 0, zx = 0;
    bool good = trmi_draft_number(d, trmi_item_find(map, "xx"), &xx) &&
                trmi_draft_number(d, trmi_item_find(map, "yy"), &yy) &&
                trmi_draft_number(d, trmi_item_find(map, "zz"), &zz) &&
                trmi_draft_number(d, trmi_item_find(map, "xy"), &xy) &&
                trmi_draft_number(d, trmi_item_find(map, "yz"), &yz) &&
                trmi_draft_number(d, trmi_item_find(map, "zx"), &zx);
    *J = (trmi_m3){{{xx, xy, zx}, {xy, yy, yz}, {zx, yz, zz}}};
    return good;
}

static bool read_matrix(trmi_draft *d, const trmi_item *list, trmi_m3 *J)
{
    double a[3][3], largest = 0;
    int i = 0;
    for (const trmi_item *row = list->child; row; row = row->next, i++)
        if (!trmi_draft_numbers(d, row, 3, a[i], "a row of 'inertia'"))
            return false;
    for (int k = 0; k < 9; k++)
        largest = fmax(largest, fabs(a[k / 3][k % 3]));
    for (i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        double mean = 0.5 * (a[i][j] + a[j][i]);
        if (fabs(a[i][j] - a[j][i]) <= ROUNDOFF * largest) {
            a[i][j] = a[j][i] = mean;
            continue;
        }
        trmi_report(d->r->document, list, "'inertia' is not symmetric: %c%c is %g and %c%c is %g",
                    "xyz"[i], "xyz"[j], a[i][j], "xyz"[j], "xyz"[i], a[j][i]);
        return false;
    }
    for (i = 0; i < 3; i++)
        J->row[i] = trmi_v3_of(a[i]);
    return true;
}

// a number (plane models: about the normal), [xx, yy, zz], a matrix, or a map of entries
static bool read_inertia(trmi_draft *d, const trmi_item *item, trmi_m3 *J)
{
    double diagonal[3] = {0};
    *J = ZERO;
    if (!item || trmi_item_null(item))
        return true;
    if (item->kind == TRMI_MAP)
        return read_entries(d, item, J);
    if (item->kind == TRMI_LIST && item->count == 3 && item->child->kind == TRMI_LIST)
        return read_matrix(d, item, J);
    if (item->kind == TRMI_LIST) {
        if (!trmi_draft_numbers(d, item, 3, diagonal, "'inertia'"))
            return false;
    } else {
        int axis[3];
        trmi_plane_axes(d->mechanism->plane, axis);
        if (!trmi_draft_number(d, item, &diagonal[axis[2]]))
            return false;
        if (d->mechanism->plane == TRMI_SPATIAL && diagonal[2] != 0) {
            trmi_report(d->r->document, item,
                        "'inertia' is one number only in plane models; write [xx, yy, zz]");
            return false;
        }
    }
    *J = (trmi_m3){{{diagonal[0], 0, 0}, {0, diagonal[1], 0}, {0, 0, diagonal[2]}}};
    return true;
}

// Principal moments in ascending order: eigenvalues of a symmetric matrix, by its invariants.
static void principal_moments(trmi_m3 J, double p[3])
{
    const trmi_v3 *r = J.row;
    double mean = (r[0].x + r[1].y + r[2].z) / 3;
    trmi_m3 B = trmi_m3_axpy(J, -mean, trmi_m3_unit());
    double size = sqrt((trmi_v3_dot(B.row[0], B.row[0]) + trmi_v3_dot(B.row[1], B.row[1]) +
                        trmi_v3_dot(B.row[2], B.row[2])) /
                       6);
    double det = trmi_v3_dot(B.row[0], trmi_v3_cross(B.row[1], B.row[2]));
    double c = size > 0 ? fmax(-1, fmin(1, det / (2 * size * size * size))) : 0;
    const double third = 2.0943951023931953; // 2 pi/3
    double phi = acos(c) / 3;
    p[2] = mean + 2 * size * cos(phi);
    p[0] = mean + 2 * size * cos(phi + third);
    p[1] = 3 * mean - p[0] - p[2];
}

// No body has a principal moment that is negative or greater than the sum of the other two.
static void check_inertia(trmi_draft *d, const trmi_item *item, const char *name, trmi_m3 J)
{
    double p[3], slack;
    int axis[3];
    if (d->mechanism->plane != TRMI_SPATIAL) {
        trmi_plane_axes(d->mechanism->plane, axis);
        double n = axis[2] == 0 ? J.row[0].x : axis[2] == 1 ? J.row[1].y : J.row[2].z;
        if (n < 0)
            trmi_report(d->r->document, item, "the inertia of '%.60s' is negative: %g", name, n);
        return;
    }
    principal_moments(J, p);
    slack = 1e-6 * fabs(p[2]);
    if (p[0] < -slack)
        trmi_report(d->r->document, item,
                    "the inertia of '%.60s' has a negative principal moment: %g, %g, %g", name,
                    p[0], p[1], p[2]);
    else if (p[0] + p[1] < p[2] - slack)
        trmi_report(d->r->document, item,
                    "no body has the inertia of '%.60s': of its principal moments %g, %g, %g the "
                    "largest exceeds the sum of the others",
                    name, p[0], p[1], p[2]);
}

// ---- bodies ----

static bool read_body_frame(trmi_draft *d, const trmi_item *item, int b)
{
    const trmi_item *frame = trmi_item_find(item, "frame");
    d->origin[b] = d->body[b].center;
    d->axes[b] = trmi_place_frame(trmi_draft_use(d, item), d->axes[b]);
    if (!frame)
        return true;
    const trmi_item *at = trmi_item_find(frame, "origin");
    bool turned = frame->count > (at != NULL);
    return trmi_draft_point(d, at, &d->origin[b]) &&
           (!turned || trmi_draft_frame(d, frame, &d->axes[b]));
}

static void check_plane_frame(trmi_draft *d, const trmi_item *item, int b)
{
    if (d->mechanism->plane == TRMI_SPATIAL)
        return;
    trmi_v3 n = trmi_plane_normal(d->mechanism->plane);
    if (trmi_v3_dot(n, trmi_m3_times(d->axes[b], n)) < 1 - 1e-12)
        trmi_report(d->r->document, trmi_item_find(item, "frame"),
                    "the frame of '%.60s' is turned out of the plane of the model",
                    d->body[b].name);
}

// what every body but a beam has
static bool has_key(trmi_draft *d, const trmi_item *item, const char *key, const char *help)
{
    if (trmi_item_find(item, key))
        return true;
    trmi_report_key(d->r->document, item, "the key '%s' is missing: %s", key, help);
    return false;
}

static void read_body(trmi_draft *d, const trmi_item *item, int b)
{
    trmi_body *body = &d->body[b];
    const trmi_item *mass = trmi_item_find(item, "mass"),
                    *inertia = trmi_item_find(item, "inertia");
    trmi_m3 J;
    if (!(body->name = trmi_keep_text(d->r, item->key))) {
        d->r->failed = true;
        return;
    }
    if (trmi_item_find(item, "beam")) {
        trmi_draft_beam_body(d, item, b);
        trmi_draft_shape(d, trmi_item_find(item, "shape"), body);
        return;
    }
    if (!has_key(d, item, "mass", "kg") ||
        !has_key(d, item, "center", "centre of mass in the reference configuration, global axes"))
        return;
    if (!trmi_draft_number(d, mass, &body->mass) ||
        !trmi_draft_point(d, trmi_item_find(item, "center"), &body->center) ||
        !read_body_frame(d, item, b) || !read_inertia(d, inertia, &J))
        return;
    if (body->mass < 0)
        trmi_report(d->r->document, mass, "the mass of '%.60s' is negative: %g", body->name,
                    body->mass);
    check_plane_frame(d, item, b);
    check_inertia(d, inertia ? inertia : item, body->name, J);
    J = trmi_mirror_tensor(trmi_draft_use(d, item), J);
    // R J R^T
    trmi_m3 R = d->axes[b];
    body->inertia = trmi_s3_of(trmi_m3_mul(trmi_m3_mul(R, J), trmi_m3_transpose(R)));
    trmi_draft_shape(d, trmi_item_find(item, "shape"), body);
}

void trmi_draft_bodies(trmi_draft *d, const trmi_item *section)
{
    int b = 1;
    d->body[TRMI_GROUND] = (trmi_body){.name = "ground"};
    for (const trmi_item *i = section->child; i; i = i->next, b++)
        read_body(d, i, b);
}
