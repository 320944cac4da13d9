// SPDX-License-Identifier: Apache-2.0
// A point, a roller or a curve stays on a curve: cams, guides, tracks of rollers.
#include "modelling/multibody/joints/path.h"
#include "modelling/multibody/frames.h"
#include "modelling/multibody/joints/joints.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MIN_POINTS = 4 };

// All points of a curve lie in one plane, but for roundoff.
static bool check_plane(trmi_finish *finish, const char *key, const trmi_point_list *points,
                        trmi_v3 normal)
{
    double size = 0;
    for (int i = 1; i < points->count; i++)
        size = fmax(size, trmi_v3_length(trmi_v3_sub(points->point[i], points->point[0])));
    for (int i = 1; i < points->count; i++) {
        double out = trmi_v3_dot(normal, trmi_v3_sub(points->point[i], points->point[0]));
        if (fabs(out) > 1e-9 * size)
            return trmi_finish_error(
                finish, key,
                "point %d of '%s' is %.3g m outside the plane of the curve, which is normal to "
                "'axis'",
                i + 1, key, fabs(out));
    }
    return true;
}

// points of a curve in the axes of a frame, from `at`; false after an error
static bool take_curve(trmi_finish *finish, const char *key, const trmi_point_list *points,
                       bool closed, trmi_v3 at, trmi_m3 frame, trmi_plane_curve *out)
{
    if (points->count < MIN_POINTS)
        return trmi_finish_error(finish, key, "'%s' needs at least %d points", key, MIN_POINTS);
    if (!check_plane(finish, key, points, trmi_m3_column(frame, 2)))
        return false;
    double *p = malloc(2 * (size_t)points->count * sizeof *p);
    bool good = p != NULL;
    for (int i = 0; i < points->count && p; i++) {
        trmi_v3 d = trmi_v3_sub(points->point[i], at);
        for (int k = 0; k < 2; k++)
            p[2 * i + k] = trmi_v3_dot(trmi_m3_column(frame, k), d);
    }
    for (int i = closed ? 0 : 1; i < points->count && good; i++) {
        const double *here = p + 2 * i, *before = p + 2 * (i > 0 ? i - 1 : points->count - 1);
        if (here[0] != before[0] || here[1] != before[1])
            continue;
        free(p);
        return i > 0 ? trmi_finish_error(finish, key, "points %d and %d of '%s' coincide", i, i + 1,
                                         key)
                     : trmi_finish_error(finish, key,
                                         "the first and the last point of '%s' coincide: it is "
                                         "closed without that",
                                         key);
    }
    good = good && trmi_plane_curve_create(out, finish->memory, points->count, p, closed);
    finish->no_memory = finish->no_memory || !good;
    free(p);
    return good;
}

// On which side of the curve of A the other one is: where the point is, or the farthest sample of
// the curve; a point on it has no side.
static double side_of(const trmi_path_pair *pair, const double d[2])
{
    double farthest = 0;
    int count = pair->second.samples > 0 ? pair->second.samples : 1;
    for (int i = 0; i < count; i++) {
        const double *b = pair->second.samples > 0 ? pair->second.sample + 3 * i + 1 : NULL;
        double x = d[0] + (b ? b[0] : 0), y = d[1] + (b ? b[1] : 0);
        trmi_curve_point a =
            trmi_plane_curve_at(&pair->first, trmi_plane_curve_nearest(&pair->first, x, y));
        double left = a.tangent[0] * (y - a.at[1]) - a.tangent[1] * (x - a.at[0]);
        farthest = fabs(left) > fabs(farthest) ? left : farthest;
    }
    return farthest < 0 ? -1 : 1;
}

// The sample of a curve with the largest curvature: to a side, 1: left, -1: right; 0: to either.
static int sharpest(const trmi_plane_curve *curve, double side, double *curvature)
{
    int at = 0;
    *curvature = 0;
    for (int i = 0; i < curve->samples; i++) {
        double k = trmi_plane_curve_at(curve, curve->sample[3 * i]).curvature,
               toward = side == 0 ? fabs(k) : side * k;
        if (toward > *curvature) {
            *curvature = toward;
            at = i;
        }
    }
    return at;
}

// "at its point 3", "between its points 3 and 4": where a sample of a curve is
static void place_on(const trmi_plane_curve *curve, int sample, char text[60])
{
    int before = sample / TRMI_CURVE_SAMPLES,
        points = (curve->samples - 1) / TRMI_CURVE_SAMPLES +
                 (curve->part[0].beyond != TRMI_BEYOND_REPEAT); // else the last leads to the first
    if (sample % TRMI_CURVE_SAMPLES == 0)
        snprintf(text, 60, "at its point %d", before % points + 1);
    else
        snprintf(text, 60, "between its points %d and %d", before + 1, (before + 1) % points + 1);
}

// Where a point (x, y) of the plane of the curves is in the model.
static trmi_v3 in_space(trmi_v3 origin, trmi_m3 frame, const double at[2])
{
    return trmi_v3_axpy(trmi_v3_axpy(origin, at[0], trmi_m3_column(frame, 0)), at[1],
                        trmi_m3_column(frame, 1));
}

// an error, of a force a warning: whether the reading may go on
static bool refuse(trmi_finish *finish, bool one_sided, const char *text)
{
    if (!one_sided)
        return trmi_finish_error(finish, "path", "%s", text);
    trmi_finish_warning(finish, "path", "%s", text);
    return true;
}

// A roller, or a curve even where it is sharpest, that is larger than a hollow of the curve of A
// touches there at two places: its centre has a corner. One that fits, but for roundoff, is good.
static bool check_hollow(trmi_finish *finish, const trmi_path_pair *pair, const char *name,
                         bool one_sided, trmi_v3 origin, trmi_m3 frame)
{
    double hollow, second = 0;
    int i = sharpest(&pair->first, pair->side, &hollow);
    if (pair->second.samples > 0)
        sharpest(&pair->second, 0, &second);
    double size = pair->second.samples > 0 ? 1 / second : pair->radius;
    if (!(hollow * size > 1 + 1e-9))
        return true;
    trmi_v3 at = in_space(origin, frame, pair->first.sample + 3 * i + 1);
    char text[400], place[60];
    place_on(&pair->first, i, place);
    snprintf(text, sizeof text,
             "%s of '%.60s' is larger than a hollow of the curve: radius %.4g m, that of the curve "
             "is %.4g m %s, near [%.4g, %.4g, %.4g]; it touches there at two places at once",
             pair->second.samples > 0 ? "the second curve" : "the roller", name, size, 1 / hollow,
             place, at.x, at.y, at.z);
    return refuse(finish, one_sided, text);
}

// A roller that touches one arm of the curve and reaches another one, as in a bend that is too
// narrow for it, cannot pass: a warning, since it may never come there. The deepest place is named.
static void check_arms(trmi_finish *finish, const trmi_path_pair *pair, const char *name,
                       trmi_v3 origin, trmi_m3 frame)
{
    double least = pair->radius * (1 - 1e-6), there[2] = {0, 0}, hollow;
    int at = -1;
    sharpest(&pair->first, pair->side, &hollow);
    bool fits = pair->radius > 0 && hollow * pair->radius <= 1; // otherwise that was reported
    for (int i = 0; i < pair->first.samples && fits; i += TRMI_CURVE_SAMPLES / 2) {
        trmi_curve_point p = trmi_plane_curve_at(&pair->first, pair->first.sample[3 * i]);
        double reach = pair->side * pair->radius;
        double x = p.at[0] - reach * p.tangent[1], y = p.at[1] + reach * p.tangent[0];
        p = trmi_plane_curve_at(&pair->first, trmi_plane_curve_nearest(&pair->first, x, y));
        double distance = hypot(p.at[0] - x, p.at[1] - y);
        if (!(distance < least))
            continue;
        least = distance;
        at = i;
        there[0] = p.at[0];
        there[1] = p.at[1];
    }
    if (at < 0)
        return;
    char place[60];
    trmi_v3 p = in_space(origin, frame, there);
    place_on(&pair->first, at, place);
    trmi_finish_warning(finish, "path",
                        "the roller of '%.60s' does not fit between two arms of the curve: where "
                        "it touches it %s, it also reaches [%.4g, %.4g, %.4g], which is %.4g m "
                        "from its centre, and its radius is %.4g m; it cannot pass there",
                        name, place, p.x, p.y, p.z, least, pair->radius);
}

// Where a curve crosses itself the nearest point changes to the other branch, and the way on is not
// known: an error, of a force a warning.
static bool check_crossing(trmi_finish *finish, const trmi_plane_curve *curve, const char *name,
                           bool one_sided, trmi_v3 origin, trmi_m3 frame)
{
    int sample[2];
    double at[2];
    char text[400], place[2][60];
    if (!trmi_plane_curve_crossing(curve, sample, at))
        return true;
    for (int k = 0; k < 2; k++)
        place_on(curve, sample[k], place[k]);
    trmi_v3 p = in_space(origin, frame, at);
    snprintf(text, sizeof text,
             "the curve of '%.60s' crosses itself, %s and %s, near [%.4g, %.4g, %.4g]: which "
             "branch is followed there is not known; let it end before that place",
             name, place[0], place[1], p.x, p.y, p.z);
    return refuse(finish, one_sided, text);
}

const trmi_path_pair *trmi_path_finish(trmi_finish *finish, const trmi_path_input *in,
                                       const char *name, bool one_sided, trmi_v3 at[2],
                                       trmi_m3 *frame)
{
    trmi_path_pair *pair;
    bool plane = finish->mechanism->plane != TRMI_SPATIAL, curves = in->second_path.count > 0;
    *frame = plane                         ? trmi_plane_frame(finish->mechanism->plane)
             : trmi_given_vector(in->axis) ? trmi_frame_about(in->axis)
                                           : trmi_m3_unit();
    if (!TRMI_TAKE(finish->memory, pair, 1)) {
        finish->no_memory = true;
        return NULL;
    }
    if (curves && in->radius > 0) {
        trmi_finish_error(finish, "radius", "'%.60s' has a curve in the place of a roller", name);
        return NULL;
    }
    at[0] = in->path.count > 0 ? in->path.point[0] : in->at;
    at[1] = curves ? in->second_path.point[0] : in->at;
    pair->radius = in->radius;
    if (!take_curve(finish, "path", &in->path, in->closed, at[0], *frame, &pair->first) ||
        (curves && !take_curve(finish, "second_path", &in->second_path, in->second_closed, at[1],
                               *frame, &pair->second)))
        return NULL;
    if (!check_crossing(finish, &pair->first, name, one_sided, at[0], *frame))
        return NULL;
    trmi_v3 d = trmi_v3_sub(at[1], at[0]);
    pair->side = side_of(pair, (double[]){trmi_v3_dot(trmi_m3_column(*frame, 0), d),
                                          trmi_v3_dot(trmi_m3_column(*frame, 1), d)});
    if (!check_hollow(finish, pair, name, one_sided, at[0], *frame))
        return NULL;
    check_arms(finish, pair, name, at[0], *frame);
    return pair;
}

typedef struct path_input {
    trmi_joint_input joint;
    trmi_path_input path;
} path_input;

TRMI_PATH_PARAMETERS(path_input)

static bool finish_path(trmi_finish *finish, void *input, trmi_joint *joint)
{
    path_input *in = input;
    trmi_v3 at[2];
    const trmi_path_pair *pair =
        trmi_path_finish(finish, &in->path, joint->name, false, at, &in->joint.frame);
    if (!pair || !trmi_take_second_marker(finish, &in->joint, joint))
        return false;
    joint->at = at[0];
    *joint->extra->second = (trmi_marker){at[1], in->joint.frame};
    joint->extra->data = pair;
    return true;
}

const trmi_joint_type trmi_joint_path = {
    .name = "path",
    .help = "a point, roller or curve stays on a curve",
    .synonyms = (const char *const[]){"point-on-curve", "curve", NULL},
    .in_plane = true,
    .row = {&trmi_path_row},
    .plane_row = {&trmi_path_row},
    .parameter = {&trmi_joint_between, &path, &closed, &at, &radius, &second_path, &second_closed,
                  &axis},
    .input_size = sizeof(path_input),
    .finish = finish_path,
};

const trmi_path_pair *trmi_joint_path_pair(const trmi_joint *joint)
{
    return joint->type == &trmi_joint_path ? joint->extra->data : NULL;
}
