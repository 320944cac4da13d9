// SPDX-License-Identifier: Apache-2.0
// Where the parts of a mechanism are (reader/parts.h): points, directions, axes, inertia and joints
// of a use that is moved, turned or mirrored.
//
// An axis that one turns about is axial: the image of a turn about e is one about det(A) A e.
// Forces are polar, torques axial; a stiffness of displacements and rotations K becomes D K D, D =
// diag(L, det(A) L).
#include "modelling/multibody/frames.h"
#include "modelling/reader/mechanism/draft.h"

#include <string.h>

// ---- the place of a use ----

static trmi_m3 diagonal(const double d[3])
{
    return (trmi_m3){{{d[0], 0, 0}, {0, d[1], 0}, {0, 0, d[2]}}};
}

static void check_plane(trmi_draft *d, const trmi_use *use, trmi_m3 own)
{
    if (d->mechanism->plane == TRMI_SPATIAL)
        return;
    trmi_v3 n = trmi_plane_normal(d->mechanism->plane);
    if (trmi_v3_dot(n, trmi_m3_times(own, n)) < 1 - 1e-12)
        trmi_report_key(d->r->document, use->item,
                        "'%.60s' is turned or mirrored out of the plane of the model", use->name);
}

static void read_use(trmi_draft *d, trmi_use *use)
{
    const trmi_item *frame = trmi_item_find(use->item, "frame");
    const trmi_item *mirror = trmi_item_find(use->item, "mirror");
    trmi_m3 R = trmi_m3_unit();
    trmi_v3 at = {0, 0, 0};
    double M[3] = {1, 1, 1};
    uint64_t *noted = d->r->noted;
    use->read = true;
    d->r->noted = NULL; // the place is no number of a law, whoever asks for it first
    if (frame && frame->count > 0)
        trmi_draft_written_frame(d, frame, &R);
    trmi_draft_written_point(d, trmi_item_find(use->item, "at"), &at);
    if (mirror && !trmi_item_null(mirror))
        M[mirror->text[0] - 'x'] = -1;
    trmi_m3 own = trmi_m3_mul(R, diagonal(M));
    const trmi_use *outer = trmi_draft_use(d, use->item);
    use->shift = trmi_place_point(outer, at);
    use->axes = outer ? trmi_m3_mul(outer->axes, own) : own;
    use->sign = (outer ? outer->sign : 1) * M[0] * M[1] * M[2];
    for (int k = 0; k < 3; k++)
        use->local[k] = (outer ? outer->local[k] : 1) * M[k];
    d->r->noted = noted;
    check_plane(d, use, own);
}

const trmi_use *trmi_draft_use(trmi_draft *d, const trmi_item *item)
{
    if (item->use && !item->use->read)
        read_use(d, item->use);
    return item->use;
}

const trmi_use *trmi_draft_common_use(trmi_draft *d, const trmi_item *item, int body)
{
    const trmi_item *other = NULL;
    for (int k = 0; k < d->bodies.count && !other; k++)
        if (d->bodies.symbol[k].index == body)
            other = d->bodies.symbol[k].item;
    for (trmi_use *u = item->use; u && other; u = u->outer)
        for (const trmi_use *v = other->use; v; v = v->outer)
            if (u == v)
                return trmi_draft_use(d, &(trmi_item){.use = u});
    return NULL;
}

// ---- vectors and frames ----

trmi_v3 trmi_place_point(const trmi_use *use, trmi_v3 p)
{
    return use ? trmi_v3_add(use->shift, trmi_m3_times(use->axes, p)) : p;
}

trmi_v3 trmi_place_direction(const trmi_use *use, trmi_v3 e)
{
    return use ? trmi_m3_times(use->axes, e) : e;
}

trmi_v3 trmi_place_axis(const trmi_use *use, trmi_v3 e)
{
    return use ? trmi_v3_scale(use->sign, trmi_m3_times(use->axes, e)) : e;
}

trmi_m3 trmi_place_frame(const trmi_use *use, trmi_m3 F)
{
    return use ? trmi_m3_mul(use->axes, trmi_m3_mul(F, diagonal(use->local))) : F;
}

trmi_v3 trmi_mirror_local(const trmi_use *use, trmi_v3 x)
{
    return use ? trmi_m3_times(diagonal(use->local), x) : x;
}

trmi_m3 trmi_mirror_tensor(const trmi_use *use, trmi_m3 J)
{
    if (!use)
        return J;
    trmi_m3 L = diagonal(use->local);
    return trmi_m3_mul(L, trmi_m3_mul(J, L));
}

// D, of three displacements and three rotations
static double sign_of(const trmi_use *use, int k)
{
    return k < 3 ? use->local[k] : use->sign * use->local[k - 3];
}

void trmi_mirror_matrix(const trmi_use *use, double *K)
{
    for (int k = 0; k < 36 && use; k++)
        K[k] *= sign_of(use, k / 6) * sign_of(use, k % 6);
}

void trmi_mirror_six(const trmi_use *use, double *F)
{
    for (int k = 0; k < 6 && use; k++)
        F[k] *= sign_of(use, k);
}

// ---- joints ----

static bool has_key(const trmi_item *map, const char *key)
{
    const trmi_item *item = trmi_item_find(map, key);
    return item && !trmi_item_null(item);
}

// the axes of the joint in the part
static trmi_m3 frame_in_part(const trmi_use *use, const trmi_item *map, trmi_m3 F)
{
    trmi_m3 back = trmi_m3_transpose(use->axes);
    if (has_key(map, "second_axis"))
        return trmi_m3_mul(back, F);
    if (has_key(map, "axis"))
        return trmi_frame_about(trmi_m3_times(back, trmi_m3_column(F, 2)));
    return has_key(map, "frame") ? trmi_m3_mul(back, trmi_m3_mul(F, diagonal(use->local))) : F;
}

// F = A F_0 S: S is 1 for axes of travels, s = det(A) for those of turns; its determinant is s.
void trmi_place_joint(trmi_draft *d, const trmi_item *map, trmi_joint *joint, trmi_m3 *frame)
{
    const trmi_use *use = trmi_draft_use(d, map);
    if (!use || joint->type->mirror == TRMI_MIRROR_AS_BUILT || d->mechanism->plane != TRMI_SPATIAL)
        return;
    const double s = use->sign, *L = use->local;
    const double S[][3] = {
        [TRMI_MIRROR_FRAME] = {L[0], L[1], L[2]}, [TRMI_MIRROR_TRAVEL] = {1, s, 1},
        [TRMI_MIRROR_ANGLE] = {1, 1, s},          [TRMI_MIRROR_ANGLES] = {s, s, s},
        [TRMI_MIRROR_CROSS] = {s, s, 1},
    };
    trmi_m3 own = frame_in_part(use, map, *frame);
    *frame = trmi_m3_mul(use->axes, trmi_m3_mul(own, diagonal(S[joint->type->mirror])));
    if (joint->type->screw)
        joint->extra->size *= s;
}
