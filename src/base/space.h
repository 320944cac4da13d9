// SPDX-License-Identifier: Apache-2.0
// Vectors, rotations and 6D algebra, as small values.
//
// Motion m = (w; v): w angular, v velocity of the body-fixed point at the reference point O.
// Wrench f = (n; f): moment about O, force. Pairing m . f = w.n + v.f.
//
//     m x  (w'; v') = (w x w'; w x v' + v x w')      motion on motion
//     m x* (n; f)   = (w x n + v x f; w x f)         motion on wrench,  (m x a).f = - a.(m x* f)
//     moved to P = O + d:  motion (w; v + w x d),  wrench (n - d x f; f)
#ifndef TRMI_BASE_SPACE_H
#define TRMI_BASE_SPACE_H

#include <math.h>

#define TRMI_PI 3.14159265358979323846264

typedef struct trmi_v2 {
    double x, y;
} trmi_v2;

typedef struct trmi_v3 {
    double x, y, z;
} trmi_v3;

typedef struct trmi_m3 {
    trmi_v3 row[3];
} trmi_m3;

typedef struct trmi_motion {
    trmi_v3 w, v;
} trmi_motion;

typedef struct trmi_wrench {
    trmi_v3 n, f;
} trmi_wrench;

// A unit quaternion: scalar, vector.
typedef struct trmi_quaternion {
    double s;
    trmi_v3 v;
} trmi_quaternion;

// ---- vectors ----

static inline trmi_v3 trmi_v3_of(const double a[3])
{
    return (trmi_v3){a[0], a[1], a[2]};
}

// x, y or z
static inline double trmi_component(trmi_v3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static inline trmi_v3 trmi_v3_add(trmi_v3 a, trmi_v3 b)
{
    return (trmi_v3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline trmi_v3 trmi_v3_sub(trmi_v3 a, trmi_v3 b)
{
    return (trmi_v3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline trmi_v3 trmi_v3_scale(double s, trmi_v3 a)
{
    return (trmi_v3){s * a.x, s * a.y, s * a.z};
}

// a + s b
static inline trmi_v3 trmi_v3_axpy(trmi_v3 a, double s, trmi_v3 b)
{
    return (trmi_v3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double trmi_v3_dot(trmi_v3 a, trmi_v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline trmi_v3 trmi_v3_cross(trmi_v3 a, trmi_v3 b)
{
    return (trmi_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double trmi_v3_length(trmi_v3 a)
{
    return sqrt(trmi_v3_dot(a, a));
}

// ---- matrices ----

static inline trmi_m3 trmi_m3_unit(void)
{
    return (trmi_m3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static inline trmi_m3 trmi_m3_transpose(trmi_m3 a)
{
    return (trmi_m3){{{a.row[0].x, a.row[1].x, a.row[2].x},
                      {a.row[0].y, a.row[1].y, a.row[2].y},
                      {a.row[0].z, a.row[1].z, a.row[2].z}}};
}

// A v
static inline trmi_v3 trmi_m3_times(trmi_m3 a, trmi_v3 v)
{
    return (trmi_v3){trmi_v3_dot(a.row[0], v), trmi_v3_dot(a.row[1], v), trmi_v3_dot(a.row[2], v)};
}

// A^T v
static inline trmi_v3 trmi_m3_tr_times(trmi_m3 a, trmi_v3 v)
{
    return trmi_v3_axpy(trmi_v3_axpy(trmi_v3_scale(v.x, a.row[0]), v.y, a.row[1]), v.z, a.row[2]);
}

// A B
static inline trmi_m3 trmi_m3_mul(trmi_m3 a, trmi_m3 b)
{
    return (trmi_m3){{trmi_m3_tr_times(b, a.row[0]), trmi_m3_tr_times(b, a.row[1]),
                      trmi_m3_tr_times(b, a.row[2])}};
}

// A + s B
static inline trmi_m3 trmi_m3_axpy(trmi_m3 a, double s, trmi_m3 b)
{
    return (trmi_m3){{trmi_v3_axpy(a.row[0], s, b.row[0]), trmi_v3_axpy(a.row[1], s, b.row[1]),
                      trmi_v3_axpy(a.row[2], s, b.row[2])}};
}

// s A
static inline trmi_m3 trmi_m3_scale(double s, trmi_m3 a)
{
    return (trmi_m3){
        {trmi_v3_scale(s, a.row[0]), trmi_v3_scale(s, a.row[1]), trmi_v3_scale(s, a.row[2])}};
}

// a b^T
static inline trmi_m3 trmi_m3_outer(trmi_v3 a, trmi_v3 b)
{
    return (trmi_m3){{trmi_v3_scale(a.x, b), trmi_v3_scale(a.y, b), trmi_v3_scale(a.z, b)}};
}

// [a], [a] b = a x b
static inline trmi_m3 trmi_m3_cross(trmi_v3 a)
{
    return (trmi_m3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}

static inline trmi_v3 trmi_m3_column(trmi_m3 a, int j)
{
    return j == 0   ? (trmi_v3){a.row[0].x, a.row[1].x, a.row[2].x}
           : j == 1 ? (trmi_v3){a.row[0].y, a.row[1].y, a.row[2].y}
                    : (trmi_v3){a.row[0].z, a.row[1].z, a.row[2].z};
}

// ---- motions and wrenches ----

static inline trmi_motion trmi_motion_add(trmi_motion a, trmi_motion b)
{
    return (trmi_motion){trmi_v3_add(a.w, b.w), trmi_v3_add(a.v, b.v)};
}

static inline trmi_motion trmi_motion_sub(trmi_motion a, trmi_motion b)
{
    return (trmi_motion){trmi_v3_sub(a.w, b.w), trmi_v3_sub(a.v, b.v)};
}

// a + s b
static inline trmi_motion trmi_motion_axpy(trmi_motion a, double s, trmi_motion b)
{
    return (trmi_motion){trmi_v3_axpy(a.w, s, b.w), trmi_v3_axpy(a.v, s, b.v)};
}

static inline trmi_wrench trmi_wrench_axpy(trmi_wrench a, double s, trmi_wrench b)
{
    return (trmi_wrench){trmi_v3_axpy(a.n, s, b.n), trmi_v3_axpy(a.f, s, b.f)};
}

static inline double trmi_power(trmi_motion m, trmi_wrench f)
{
    return trmi_v3_dot(m.w, f.n) + trmi_v3_dot(m.v, f.f);
}

// a x b
static inline trmi_motion trmi_motion_cross(trmi_motion a, trmi_motion b)
{
    return (trmi_motion){trmi_v3_cross(a.w, b.w),
                         trmi_v3_add(trmi_v3_cross(a.w, b.v), trmi_v3_cross(a.v, b.w))};
}

// m x* f
static inline trmi_wrench trmi_wrench_cross(trmi_motion m, trmi_wrench f)
{
    return (trmi_wrench){trmi_v3_add(trmi_v3_cross(m.w, f.n), trmi_v3_cross(m.v, f.f)),
                         trmi_v3_cross(m.w, f.f)};
}

// the same motion, wrench with reference point O + d
static inline trmi_motion trmi_motion_at(trmi_motion m, trmi_v3 d)
{
    return (trmi_motion){m.w, trmi_v3_add(m.v, trmi_v3_cross(m.w, d))};
}

static inline trmi_wrench trmi_wrench_at(trmi_wrench f, trmi_v3 d)
{
    return (trmi_wrench){trmi_v3_sub(f.n, trmi_v3_cross(d, f.f)), f.f};
}

// ---- quaternions ----

// a o b: first b, then a
static inline trmi_quaternion trmi_quaternion_mul(trmi_quaternion a, trmi_quaternion b)
{
    trmi_v3 v = trmi_v3_axpy(trmi_v3_scale(a.s, b.v), b.s, a.v);
    return (trmi_quaternion){a.s * b.s - trmi_v3_dot(a.v, b.v),
                             trmi_v3_add(v, trmi_v3_cross(a.v, b.v))};
}

static inline trmi_quaternion trmi_quaternion_conjugate(trmi_quaternion a)
{
    return (trmi_quaternion){a.s, trmi_v3_scale(-1, a.v)};
}

static inline trmi_quaternion trmi_quaternion_unit(trmi_quaternion a)
{
    double c = 1 / sqrt(a.s * a.s + trmi_v3_dot(a.v, a.v));
    return (trmi_quaternion){c * a.s, trmi_v3_scale(c, a.v)};
}

// The unit quaternion of a rotation vector.
static inline trmi_quaternion trmi_quaternion_exp(trmi_v3 vector)
{
    double angle = trmi_v3_length(vector), half = 0.5 * angle;
    double c = angle > 0 ? sin(half) / angle : 0.5;
    return (trmi_quaternion){cos(half), trmi_v3_scale(c, vector)};
}

// The unit quaternion of a rotation matrix, s >= 0: from the largest of its four components.
static inline trmi_quaternion trmi_quaternion_of(trmi_m3 R)
{
    const trmi_v3 *r = R.row;
    double t = r[0].x + r[1].y + r[2].z;
    trmi_quaternion q = {1 + t, {r[2].y - r[1].z, r[0].z - r[2].x, r[1].x - r[0].y}};
    if (t < 0 && r[0].x >= r[1].y && r[0].x >= r[2].z)
        q = (trmi_quaternion){q.v.x, {1 + 2 * r[0].x - t, r[0].y + r[1].x, r[0].z + r[2].x}};
    else if (t < 0 && r[1].y >= r[2].z)
        q = (trmi_quaternion){q.v.y, {r[0].y + r[1].x, 1 + 2 * r[1].y - t, r[1].z + r[2].y}};
    else if (t < 0)
        q = (trmi_quaternion){q.v.z, {r[0].z + r[2].x, r[1].z + r[2].y, 1 + 2 * r[2].z - t}};
    q = trmi_quaternion_unit(q);
    return q.s < 0 ? (trmi_quaternion){-q.s, trmi_v3_scale(-1, q.v)} : q;
}

// rotation matrix of a unit quaternion, R = 1 + 2 s [v] + 2 [v]^2
static inline trmi_m3 trmi_quaternion_matrix(trmi_quaternion a)
{
    trmi_m3 c = trmi_m3_cross(a.v);
    return trmi_m3_axpy(trmi_m3_axpy(trmi_m3_unit(), 2 * a.s, c), 2, trmi_m3_mul(c, c));
}

#endif
