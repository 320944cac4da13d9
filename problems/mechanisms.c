// SPDX-License-Identifier: Apache-2.0
// Mechanisms in absolute coordinates, built on planar.h. Rods are uniform: 1 m, 1 kg.
#include "problems/andrews_data.h"
#include "problems/planar.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double rod_inertia = 1.0 / 12.0, gravity = 9.81;

// Memory for the start values of n bodies; the problem keeps them.
static bool take_start(trp_problem *problem, int bodies, double **q, double **v)
{
    if (!TRP_TAKE(&problem->memory, *q, 3 * bodies) || !TRP_TAKE(&problem->memory, *v, 3 * bodies))
        return false;
    problem->initial.q = *q;
    problem->initial.v = *v;
    return true;
}

// A row of rods, the first pinned to the ground, horizontal at rest.
static bool create_chain(trp_problem *problem, const double *o)
{
    const int links = (int)o[0];
    double *q, *v;
    trp_planar *p = trp_planar_create(problem, links, links, 0);
    if (!p || !take_start(problem, links, &q, &v))
        return false;
    for (int i = 0; i < links; i++) {
        trp_planar_body(p, i, 1.0, rod_inertia, gravity);
        q[3 * i] = i + 0.5;
        p->pin[i].a = (trp_anchor){i, -0.5, 0.0};
        p->pin[i].b =
            i > 0 ? (trp_anchor){i - 1, 0.5, 0.0} : (trp_anchor){TRP_PLANAR_GROUND, 0.0, 0.0};
    }
    problem->end = 1.0;
    return trp_planar_finish(p, problem);
}

// IFToMM A02: cranks 0 .. N stand upright on the ground at (i, 0), couplers N+1 .. 2N join their
// tips, which move with 1 m/s in x. At an inner tip both couplers are pinned to the crank, so no
// row follows from the others (but for the moments when the cranks lie flat).
static bool create_four_bar(trp_problem *problem, const double *o)
{
    const int loops = (int)o[0], bodies = 2 * loops + 1;
    double *q, *v;
    trp_planar *p = trp_planar_create(problem, bodies, 3 * loops + 1, 0);
    if (!p || !take_start(problem, bodies, &q, &v))
        return false;
    for (int b = 0; b < bodies; b++)
        trp_planar_body(p, b, 1.0, rod_inertia, gravity);
    for (int i = 0; i <= loops; i++) {
        q[3 * i] = i;
        q[3 * i + 1] = 0.5;
        q[3 * i + 2] = 0.5 * pi;
        v[3 * i] = 0.5;
        v[3 * i + 2] = -1.0;
        p->pin[i] = (trp_pin){{i, -0.5, 0.0}, {TRP_PLANAR_GROUND, i, 0.0}};
    }
    for (int i = 0; i < loops; i++) {
        const int b = loops + 1 + i;
        q[3 * b] = i + 0.5;
        q[3 * b + 1] = 1.0;
        v[3 * b] = 1.0;
        p->pin[b + i] = (trp_pin){{b, -0.5, 0.0}, {i, 0.5, 0.0}};
        p->pin[b + i + 1] = (trp_pin){{b, 0.5, 0.0}, {i + 1, 0.5, 0.0}};
    }
    problem->end = 10.0;
    return trp_planar_finish(p, problem);
}

// Two rods in a row, horizontal at rest: the first pinned to the ground, the second held at its
// tip by a bushing with stiffness k and damping c = 2 zeta sqrt(k).
static bool create_stiff_bushing(trp_problem *problem, const double *o)
{
    double *q, *v;
    trp_planar *p = trp_planar_create(problem, 2, 1, 1);
    if (!p || !take_start(problem, 2, &q, &v))
        return false;
    for (int i = 0; i < 2; i++) {
        trp_planar_body(p, i, 1.0, rod_inertia, gravity);
        q[3 * i] = i + 0.5;
    }
    p->pin[0] = (trp_pin){{0, -0.5, 0.0}, {TRP_PLANAR_GROUND, 0.0, 0.0}};
    p->spring[0] = (trp_spring){
        .a = {1, -0.5, 0.0}, .b = {0, 0.5, 0.0}, .k = o[0], .c = 2.0 * o[1] * sqrt(o[0])};
    problem->end = 2.0;
    return trp_planar_finish(p, problem);
}

// The seven bodies of Andrews' mechanism at the start: centre of mass and angle of each.
static void place_andrews(double *q)
{
    const double cb = cos(beta_0), nb = sin(beta_0), cg = cos(gamma_0), ng = sin(gamma_0);
    const double cd = cos(delta_0), nd = sin(delta_0), ce = cos(epsilon_0), ne = sin(epsilon_0);
    const double p = phi_0 + delta_0, o = omega_0 + epsilon_0;
    const double start[7][3] = {{ra * cb, ra * nb, beta_0},
                                {(rr - da) * cb, (rr - da) * nb, beta_0},
                                {xb + sa * ng + sb * cg, yb - sa * cg + sb * ng, gamma_0},
                                {xa + zt * cd + e_ea * sin(p), ya + zt * nd - e_ea * cos(p), p},
                                {xa + ta * cd - tb * nd, ya + ta * nd + tb * cd, delta_0},
                                {xa + u * ne + zf_fa * cos(o), ya - u * ce + zf_fa * sin(o), o},
                                {xa + ua * ne - ub * ce, ya - ua * ce - ub * ne, epsilon_0}};
    memcpy(q, start, sizeof start);
}

// Pins and spring of Andrews' mechanism, given by where they are at the start q.
static void join_andrews(trp_planar *p, const double *q)
{
    const double cb = cos(beta_0), nb = sin(beta_0), cg = cos(gamma_0), ng = sin(gamma_0);
    const double ex = (rr - d) * cb, ey = (rr - d) * nb; // where bodies 2, 3, 4 and 6 meet
    const struct {
        int a, b;
        double x, y;
    } pin[10] = {{0, TRP_PLANAR_GROUND, 0.0, 0.0},
                 {1, 0, rr * cb, rr * nb},
                 {2, 1, ex, ey},
                 {3, 1, ex, ey},
                 {5, 1, ex, ey},
                 {2, TRP_PLANAR_GROUND, xb, yb},
                 {3, 4, xa + zt * cos(delta_0), ya + zt * sin(delta_0)},
                 {4, TRP_PLANAR_GROUND, xa, ya},
                 {5, 6, xa + u * sin(epsilon_0), ya - u * cos(epsilon_0)},
                 {6, TRP_PLANAR_GROUND, xa, ya}};
    for (int i = 0; i < 10; i++)
        p->pin[i] = (trp_pin){trp_planar_anchor(q, pin[i].a, pin[i].x, pin[i].y),
                              trp_planar_anchor(q, pin[i].b, pin[i].x, pin[i].y)};
    p->spring[0] =
        (trp_spring){.a = trp_planar_anchor(q, 2, sd * cg + sc * ng + xb, sd * ng - sc * cg + yb),
                     .b = {TRP_PLANAR_GROUND, xc, yc},
                     .k = c0,
                     .rest = l0,
                     .axial = true};
}

static bool create_andrews_absolute(trp_problem *problem, const double *o)
{
    (void)o;
    const double mass[] = {m1, m2, m3, m4, m5, m6, m7}, inertia[] = {i1, i2, i3, i4, i5, i6, i7};
    double *q, *v;
    trp_planar *p = trp_planar_create(problem, 7, 10, 1);
    if (!p || !take_start(problem, 7, &q, &v))
        return false;
    for (int b = 0; b < 7; b++)
        trp_planar_body(p, b, mass[b], inertia[b], 0.0);
    p->force[2] = mom;
    place_andrews(q);
    join_andrews(p, q);
    problem->end = .03;
    return trp_planar_finish(p, problem);
}

static const trp_problem_range count_range[] = {{1.0, 100000.0, true}};
static const trp_problem_range bushing_range[] = {{0.0, 1e16, false}, {0.0, 1e3, false}};

static const trm_problem_option chain_options[] = {{"links", 10.0}, {NULL, 0.0}};
static const trm_problem_option four_bar_options[] = {{"loops", 2.0}, {NULL, 0.0}};
static const trm_problem_option bushing_options[] = {{"k", 1e6}, {"zeta", 0.02}, {NULL, 0.0}};
static const trm_problem_option no_options[] = {{NULL, 0.0}};

const trp_problem_kind trp_problem_chain = {
    {"chain", "pinned rods, horizontal at rest, absolute coordinates", chain_options},
    count_range,
    create_chain};

const trp_problem_kind trp_problem_four_bar = {
    {"four-bar", "N loops of four bars that pass singular positions (IFToMM A02)",
     four_bar_options},
    count_range,
    create_four_bar};

const trp_problem_kind trp_problem_andrews_absolute = {
    {"andrews-absolute", "Andrews' squeezing mechanism as 7 bodies and 10 pins", no_options},
    NULL,
    create_andrews_absolute};

const trp_problem_kind trp_problem_stiff_bushing = {
    {"stiff-bushing", "two rods, a pin and a bushing of stiffness k, damping ratio zeta",
     bushing_options},
    bushing_range,
    create_stiff_bushing};
