// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/rows/row_euler.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const trmi_euler sequence[TRMI_EULER_SEQUENCES] = {
    {"xyz", 0, 1, 2, false, 1}, {"xzy", 0, 2, 1, false, -1}, {"yxz", 1, 0, 2, false, -1},
    {"yzx", 1, 2, 0, false, 1}, {"zxy", 2, 0, 1, false, 1},  {"zyx", 2, 1, 0, false, -1},
    {"xyx", 0, 1, 2, true, 1},  {"xzx", 0, 2, 1, true, -1},  {"yxy", 1, 0, 2, true, -1},
    {"yzy", 1, 2, 0, true, 1},  {"zxz", 2, 0, 1, true, 1},   {"zyz", 2, 1, 0, true, -1},
};

const trmi_euler *trmi_euler_find(const char *name, int length)
{
    for (int n = 0; n < TRMI_EULER_SEQUENCES; n++)
        if (length == 3 && strncmp(sequence[n].name, name, 3) == 0)
            return &sequence[n];
    return NULL;
}

const trmi_euler *trmi_euler_at(int index)
{
    return &sequence[index];
}

int trmi_euler_index(const trmi_euler *of)
{
    return (int)(of - sequence);
}

static trmi_row_value entry(const trmi_view *view, int i, int j, double factor)
{
    return trmi_row_dot(trmi_v3_scale(factor, view->u[i]), view->w[j]);
}

static trmi_row_value negative(const trmi_row_value *row)
{
    return trmi_row_composite(1, row, &(trmi_composition){.f = -row->p, .f_i = {-1}});
}

// cosine and sine of each angle, times a common factor; of the second angle one of the two is the
// root of the sum of the squares of root[0] and root[1] instead
typedef struct parts {
    trmi_row_value cosine[3], sine[3], root[2];
} parts;

static void find_parts(const trmi_view *view, parts *p)
{
    *p = (parts){.root = {{.p = 0}}};
    const trmi_euler *s = view->data;
    int i = s->i, j = s->j, k = s->k;
    if (s->twice) {
        p->sine[0] = entry(view, j, i, 1);
        p->cosine[0] = entry(view, k, i, -s->e);
        p->sine[2] = p->root[0] = entry(view, i, j, 1);
        p->cosine[2] = p->root[1] = entry(view, i, k, s->e);
        p->cosine[1] = entry(view, i, i, 1);
    } else {
        p->sine[0] = entry(view, j, k, -s->e);
        p->cosine[0] = entry(view, k, k, 1);
        p->sine[2] = p->root[0] = entry(view, i, j, -s->e);
        p->cosine[2] = p->root[1] = entry(view, i, i, 1);
        p->sine[1] = entry(view, i, k, s->e);
    }
}

static double nearest_turn(double angle, double last)
{
    return angle + 2 * TRMI_PI * round((last - angle) / (2 * TRMI_PI));
}

// Cosine and sine of the angles of a matrix, and the root, as in `parts`.
typedef struct numbers {
    double cosine[3], sine[3], root;
} numbers;

static numbers numbers_of(const trmi_euler *s, const parts *p)
{
    numbers n = {.root = hypot(p->root[0].p, p->root[1].p)};
    for (int i = 0; i < 3; i++) {
        n.cosine[i] = p->cosine[i].p;
        n.sine[i] = p->sine[i].p;
    }
    *(s->twice ? &n.sine[1] : &n.cosine[1]) = n.root;
    return n;
}

static numbers numbers_of_matrix(const trmi_euler *s, trmi_m3 R)
{
    const trmi_view view = {.u = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                            .w = {trmi_m3_column(R, 0), trmi_m3_column(R, 1), trmi_m3_column(R, 2)},
                            .data = s};
    parts p;
    find_parts(&view, &p);
    return numbers_of(s, &p);
}

// Where the first and the third axis agree, only the rotation about both of them is known. So close
// to it, roundoff is as large as their difference: 1 - root^2/2 is 1.
static bool singular(const numbers *p)
{
    return p->root * p->root < DBL_EPSILON;
}

// What a rotation about the third axis is about the first one, where they agree: as much, or its
// opposite.
static double sense(const trmi_euler *s, double second)
{
    return s->twice ? (cos(second) > 0 ? 1 : -1) : s->e * (sin(second) > 0 ? 1 : -1);
}

// the triple nearest to another one; whether it is the second of the two
static bool choose(const trmi_euler *s, const numbers *p, const double *last, double angle[3])
{
    double other[3], distance[2] = {0, 0};
    for (int n = 0; n < 3; n++) {
        double first = atan2(p->sine[n], p->cosine[n]);
        double flipped = n != 1 ? first + TRMI_PI : s->twice ? -first : TRMI_PI - first;
        bool open = n != 1 && singular(p);
        angle[n] = open ? last[n] : nearest_turn(first, last[n]);
        other[n] = open ? last[n] : nearest_turn(flipped, last[n]);
        distance[0] += fabs(angle[n] - last[n]);
        distance[1] += fabs(other[n] - last[n]);
    }
    bool flips = distance[1] < distance[0];
    for (int n = 0; n < 3 && flips; n++)
        angle[n] = other[n];
    return flips;
}

static trmi_quaternion turned_about(int axis, double angle)
{
    return trmi_quaternion_exp(trmi_v3_scale(angle, trmi_m3_unit().row[axis]));
}

// What is held: the angles, their time, and the angular velocity in the axes of B then (NaN: not
// known).
enum { TIME = 3, SPIN = 4, HELD = 7 };

// The angle by which B has turned about an axis n of its own, of which full turns are not known:
// that nearest to what the mean of the angular velocities at both ends makes of it.
static double whole_angle(const trmi_view *view, const double *held, trmi_v3 n, double angle)
{
    double expected = 0;
    const double part[3] = {n.x, n.y, n.z};
    for (int i = 0; i < 3; i++) {
        double now = trmi_v3_dot(view->w[i], view->spin), then = held[SPIN + i];
        expected += part[i] * (view->t - held[TIME]) * (isnan(then) ? now : 0.5 * (then + now));
    }
    return nearest_turn(angle, expected);
}

// A rotation about one axis n of B, from q by `angle`.
typedef struct way {
    const trmi_euler *sequence;
    trmi_quaternion q;
    trmi_v3 n;
    double angle;
} way;

static trmi_quaternion rotation_of(const trmi_euler *s, const double angle[3])
{
    trmi_quaternion q =
        trmi_quaternion_mul(turned_about(s->i, angle[0]), turned_about(s->j, angle[1]));
    return trmi_quaternion_mul(q, turned_about(s->twice ? s->i : s->k, angle[2]));
}

// Where only the rotation about the common axis is known, both angles take half of what it has
// turned: of all that make the matrix these are nearest to the last ones.
static void share(const trmi_euler *s, trmi_quaternion q, double angle[3])
{
    trmi_quaternion turned =
        trmi_quaternion_mul(q, trmi_quaternion_conjugate(rotation_of(s, angle)));
    const double part[3] = {turned.v.x, turned.v.y, turned.v.z};
    double half = 0.5 * nearest_turn(2 * atan2(part[s->i], turned.s), 0);
    angle[0] += half;
    angle[2] += half * sense(s, angle[1]);
}

// The angles after a part of the way. A part on which the branch changes passes the position in
// which angles are not known: it is halved until it is known on which side, unless it is closer
// than NEAR, where the way goes over it.
static bool follow_part(const way *w, double from, double to, double angle[3])
{
    const double NEAR = 1e-5;
    const trmi_euler *s = w->sequence;
    bool flipped = (s->twice ? sin(angle[1]) : cos(angle[1])) < 0;
    trmi_quaternion q =
        trmi_quaternion_mul(w->q, trmi_quaternion_exp(trmi_v3_scale(to * w->angle, w->n)));
    numbers p = numbers_of_matrix(s, trmi_quaternion_matrix(q));
    double next[3], middle = 0.5 * (from + to);
    bool flips = choose(s, &p, angle, next);
    if (flips != flipped && !singular(&p) && fabs((to - from) * w->angle) > NEAR) {
        follow_part(w, from, middle, angle);
        return follow_part(w, middle, to, angle);
    }
    if (singular(&p))
        share(s, q, next);
    for (int i = 0; i < 3; i++)
        angle[i] = next[i];
    return flips;
}

// The angles on the way from those that are held to the present ones, a rotation about one axis,
// step by step: so the length of a step of the integrator does not matter. Whether they are the
// second of the two triples.
static bool follow(const trmi_view *view, const double *held, double angle[3])
{
    const double STEP = 0.1, MAX_STEPS = 1000;
    const trmi_v3 *u = view->u, *w = view->w;
    trmi_m3 R;
    for (int i = 0; i < 3; i++)
        R.row[i] =
            (trmi_v3){trmi_v3_dot(u[i], w[0]), trmi_v3_dot(u[i], w[1]), trmi_v3_dot(u[i], w[2])};
    way x = {.sequence = view->data, .q = rotation_of(view->data, held)};
    trmi_quaternion turned =
        trmi_quaternion_mul(trmi_quaternion_conjugate(x.q), trmi_quaternion_of(R));
    double sine = trmi_v3_length(turned.v);
    x.n = sine > 0 ? trmi_v3_scale(1 / sine, turned.v) : (trmi_v3){1, 0, 0};
    x.angle = whole_angle(view, held, x.n, 2 * atan2(sine, turned.s));
    double steps = fmax(1, fmin(ceil(fabs(x.angle) / STEP), MAX_STEPS));
    bool flips = false;
    for (int i = 0; i < 3; i++)
        angle[i] = held[i];
    for (double k = 0; k < steps; k++)
        flips = follow_part(&x, k / steps, (k + 1) / steps, angle);
    return flips;
}

// f = sign sqrt(a^2 + b^2)
static trmi_row_value root_of(const trmi_row_value *row, double sign)
{
    double a = row[0].p, b = row[1].p, r = sign * hypot(a, b), cube = r * r * r;
    trmi_composition f = {.f = r, .f_i = {a / r, b / r}};
    f.f_ij[0][0] = b * b / cube;
    f.f_ij[1][1] = a * a / cube;
    f.f_ij[0][1] = -a * b / cube;
    return trmi_row_composite(2, row, &f);
}

// In the singular position: half the rotation about the common axis; the second angle is about its
// own axis, as everywhere.
static trmi_row_value evaluate_singular(const trmi_view *view, int n, const double angle[3])
{
    const trmi_euler *s = view->data;
    const trmi_v3 *u = view->u;
    trmi_v3 across =
        trmi_v3_axpy(trmi_v3_scale(cos(angle[0]), u[s->j]), s->e * sin(angle[0]), u[s->k]);
    double half = n == 0 ? 0.5 : 0.5 * sense(s, angle[1]);
    return (trmi_row_value){.p = angle[n],
                            .gamma.n = n == 1 ? across : trmi_v3_scale(half, u[s->i])};
}

static trmi_row_value evaluate(const trmi_row_type *type, const trmi_view *view)
{
    const trmi_euler *s = view->data;
    parts p;
    double angle[3];
    int n = type->axis;
    find_parts(view, &p);
    bool flips = follow(view, view->held, angle);
    numbers now = numbers_of(s, &p);
    if (singular(&now))
        return evaluate_singular(view, n, angle);
    if (n == 1)
        *(s->twice ? &p.sine[1] : &p.cosine[1]) = root_of(p.root, flips ? -1 : 1);
    if (n != 1 && flips) { // half a turn more
        p.cosine[n] = negative(&p.cosine[n]);
        p.sine[n] = negative(&p.sine[n]);
    }
    return trmi_row_angle(&p.cosine[n], &p.sine[n], angle[n]);
}

static void hold(const trmi_row_type *type, const trmi_view *view, double *held)
{
    (void)type;
    double angle[3];
    follow(view, view->held, angle);
    for (int i = 0; i < 3; i++) {
        held[i] = angle[i];
        held[SPIN + i] = trmi_v3_dot(view->w[i], view->spin);
    }
    held[TIME] = view->t;
}

static void seed(double t, double *held)
{
    held[0] = held[1] = held[2] = 0;
    held[TIME] = t;
    held[SPIN] = held[SPIN + 1] = held[SPIN + 2] = NAN;
}

#define ANGLE(label, k)                                                                            \
    {                                                                                              \
        .name = label, .shape = TRMI_ROW_ANGULAR, .axis = k, .evaluate = evaluate, .held = HELD,   \
        .hold = hold, .seed = seed                                                                 \
    }
const trmi_row_type trmi_euler_row[3] = {ANGLE("first", 0), ANGLE("second", 1), ANGLE("third", 2)};
