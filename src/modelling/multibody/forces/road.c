// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/forces/road.h"

#include "modelling/expression/kinks.h"

#include <math.h>

void trmi_road_prepare(const trmi_road *road, double *reg, const double *parameters, int count)
{
    const double *value = parameters ? parameters : road->value;
    for (int k = 0; k < count; k++)
        reg[road->parameter + k] = value[k];
    trmi_tape_prepare(road->tape, reg);
}

trmi_road_point trmi_road_at(const trmi_road *road, double *reg, double x, double y,
                             const double *lock, bool third)
{
    double d[6], e[4] = {0};
    reg[road->place] = x;
    reg[road->place + 1] = y;
    for (int k = 0; k < 2 * road->conditions; k++)
        reg[road->lock + k] = lock ? lock[k] : 0;
    trmi_tape_run(road->tape, reg,
                  UINT64_C(1) << TRMI_ROAD_SECOND | (uint64_t)third << TRMI_ROAD_THIRD);
    trmi_tape_fetch(road->tape, reg, TRMI_ROAD_SECOND, d);
    if (third)
        trmi_tape_fetch(road->tape, reg, TRMI_ROAD_THIRD, e);
    return (trmi_road_point){d[0], d[1], d[2], d[3], d[4], d[5], e[0], e[1], e[2], e[3]};
}

void trmi_road_conditions(const trmi_road *road, double *reg, const double v[2], const double a[2],
                          double *out)
{
    double s[6 * TRMI_MAX_KINKS];
    trmi_tape_run(road->tape, reg, UINT64_C(1) << TRMI_ROAD_CONDITIONS);
    trmi_tape_fetch(road->tape, reg, TRMI_ROAD_CONDITIONS, s);
    for (int k = 0; k < road->conditions; k++) {
        const double *d = s + 6 * k;
        out[3 * k] = d[0];
        out[3 * k + 1] = d[1] * v[0] + d[2] * v[1];
        out[3 * k + 2] = d[3] * v[0] * v[0] + 2 * d[4] * v[0] * v[1] + d[5] * v[1] * v[1] +
                         d[1] * a[0] + d[2] * a[1];
    }
}

void trmi_road_height(const trmi_road_point *r, const double place[3], const double v[3],
                      const double a[3], double out[3])
{
    // slopes along the motion: s = (r_x, r_y), s' = H v, s'' = T v v + H a
    double s[2] = {r->x, r->y};
    double ds[2] = {r->xx * v[0] + r->xy * v[1], r->xy * v[0] + r->yy * v[1]};
    double dds[2] = {r->xxx * v[0] * v[0] + 2 * r->xxy * v[0] * v[1] + r->xyy * v[1] * v[1] +
                         r->xx * a[0] + r->xy * a[1],
                     r->xxy * v[0] * v[0] + 2 * r->xyy * v[0] * v[1] + r->yyy * v[1] * v[1] +
                         r->xy * a[0] + r->yy * a[1]};
    double w = sqrt(1 + s[0] * s[0] + s[1] * s[1]), dw = (s[0] * ds[0] + s[1] * ds[1]) / w;
    double ddw = (ds[0] * ds[0] + ds[1] * ds[1] + s[0] * dds[0] + s[1] * dds[1]) / w - dw * dw / w;
    // z - r, its rates, then the quotient by w
    double d = place[2] - r->r, dd = v[2] - s[0] * v[0] - s[1] * v[1];
    double ddd = a[2] - s[0] * a[0] - s[1] * a[1] - ds[0] * v[0] - ds[1] * v[1];
    out[0] = d / w;
    out[1] = (dd - out[0] * dw) / w;
    out[2] = (ddd - 2 * out[1] * dw - out[0] * ddw) / w;
}
