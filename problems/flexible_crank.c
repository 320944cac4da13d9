// SPDX-License-Identifier: Apache-2.0
// Slider-crank with an elastic rod: Yen, Petzold and Raha, CMAME 158 (1998) 341-355, section 4.3,
// with the data of B. Simeon's test problem crank. The rod is the beam of multibody/beams/beam.h,
// its frame at the crank pin: r = l1 e1(phi1), phi = phi2. In q = (phi1, phi2, x3, u)
//
//     R_1 = J1 phi1'' + l1 n1.R_r - torque,   R_2 = R_phi,   R_3 = m3 x3'',   R_u
//     g   = (P_y, x3 - P_x),   P = l1 e1 + l2 e2 + w(l2) n2    the end of the rod
//
// with r'' = l1 (n1 phi1'' - e1 phi1'^2). The torque is a first-order state of rate 0, so that an
// event can switch it off with values on either side; nothing is smoothed or stepped over. With
// torque_off > 0 it is a function of the time instead, for methods that know positions only.
#include "problems/flexible_crank.h"
#include "problems/problems.h"

#include <stdio.h>

enum {
    ELEMENTS,
    MODULUS,
    WIDTH,
    HEIGHT,
    DENSITY,
    CRANK_LENGTH,
    ROD_LENGTH,
    CRANK_INERTIA,
    ROD_MASS,
    ROD_INERTIA,
    SLIDER_MASS,
    TORQUE,
    TORQUE_OFF,
    CHORD_FRAME,
    OPTIONS
};

// Positions under collection.
typedef struct entries {
    int count, *row, *column;
} entries;

static void add_entry(entries *e, int row, int column)
{
    e->row[e->count] = row;
    e->column[e->count++] = column;
}

static trm_pattern pattern_of(const entries *e)
{
    return (trm_pattern){.count = e->count, .row = e->row, .column = e->column};
}

static bool create_entries(entries *e, trp_memory *memory, int most)
{
    *e = (entries){0};
    return TRP_TAKE(memory, e->row, most) && TRP_TAKE(memory, e->column, most);
}

static bool declare_matrices(trp_problem *p, const trp_crank *c)
{
    const trmi_beam *rod = &c->rod;
    trm_system *s = &p->system;
    entries e;
    if (!create_entries(&e, &p->memory, HEAD + 4 * rod->n + rod->entries))
        return false;
    add_entry(&e, PHI1, PHI1);
    add_entry(&e, PHI1, PHI2);
    add_entry(&e, PHI2, PHI1);
    add_entry(&e, PHI2, PHI2);
    add_entry(&e, X3, X3);
    for (int part = 0; part < 4; part++)
        for (int i = 0; i < rod->n; i++)
            add_entry(&e, part < 2 ? part : U + i, part < 2 ? U + i : part - 2);
    const int before = e.count;
    for (int k = 0; k < rod->entries; k++)
        add_entry(&e, U + rod->u_row[k], U + rod->u_column[k]);
    s->pattern[TRM_QUANTITY_MASS] = s->pattern[TRM_QUANTITY_STIFFNESS] = pattern_of(&e);
    s->pattern[TRM_QUANTITY_DAMPING] =
        (trm_pattern){.count = before, .row = e.row, .column = e.column};
    return true;
}

static bool declare_rows(trp_problem *p, const trp_crank *c)
{
    trm_system *s = &p->system;
    entries gradient, bend, hessian;
    if (!create_entries(&gradient, &p->memory, 7) || !create_entries(&bend, &p->memory, 6) ||
        !create_entries(&hessian, &p->memory, 4))
        return false;
    for (int k = 0; k < 4; k++) {
        add_entry(&gradient, k % 2, k / 2);
        add_entry(&bend, k % 2, k / 2);
    }
    add_entry(&gradient, 1, X3);
    add_entry(&hessian, PHI1, PHI1);
    add_entry(&hessian, PHI2, PHI2);
    for (int k = 0; k < 2 && c->tip >= 0; k++) {
        add_entry(&gradient, k, c->tip);
        add_entry(&bend, k, c->tip);
        add_entry(&hessian, k ? c->tip : PHI2, k ? PHI2 : c->tip);
    }
    s->pattern[TRM_QUANTITY_CONSTRAINT_Q] = pattern_of(&gradient);
    s->pattern[TRM_QUANTITY_VELOCITY_Q] = pattern_of(&bend);
    s->pattern[TRM_QUANTITY_GEOMETRIC] = pattern_of(&hessian);
    return true;
}

// "w_3", "slope_3" by node
static bool name_coordinates(trp_problem *p, const trmi_beam *rod)
{
    enum { LENGTH = 24 };
    const char **names;
    char *text;
    if (!TRP_TAKE(&p->memory, names, U + rod->n) ||
        !TRP_TAKE(&p->memory, text, (size_t)LENGTH * (size_t)rod->n))
        return false;
    names[PHI1] = "phi1";
    names[PHI2] = "phi2";
    names[X3] = "x3";
    for (int i = 0; i < TRMI_BEAM_DOFS * (rod->data.elements + 1); i++) {
        int at = rod->coordinate[i];
        if (at < 0)
            continue;
        char *name = text + (size_t)LENGTH * (size_t)at;
        snprintf(name, LENGTH, "%s_%d", i % TRMI_BEAM_DOFS == TRMI_BEAM_SLOPE ? "slope" : "w",
                 i / TRMI_BEAM_DOFS);
        names[U + at] = name;
    }
    p->system.q_names = names;
    return true;
}

static bool create_rod(trp_crank *c, const double *o)
{
    const double area = o[WIDTH] * o[HEIGHT], bend = area * o[HEIGHT] * o[HEIGHT] / 12;
    const double line = o[DENSITY] * area, l = o[ROD_LENGTH];
    // a rod that is not thin: its sections turn too
    const double sections = o[DENSITY] * bend * l;
    const trmi_beam_data data = {.elements = (int)o[ELEMENTS],
                                 .length = l,
                                 .line_mass = line,
                                 .stiffness = o[MODULUS] * bend,
                                 .mass = o[ROD_MASS],
                                 .inertia = o[ROD_INERTIA] > 0 ? o[ROD_INERTIA]
                                                               : line * l * l * l / 3 + sections,
                                 .frame = o[CHORD_FRAME] > 0 ? TRMI_BEAM_CHORD : TRMI_BEAM_TANGENT};
    trmi_memory_init(&c->rod_memory, NULL);
    if (!trmi_beam_create(&c->rod, &c->rod_memory, &data))
        return false;
    const int end = c->rod.coordinate[TRMI_BEAM_DOFS * data.elements + TRMI_BEAM_DEFLECTION];
    c->tip = end >= 0 ? U + end : -1;
    return true;
}

static void release_rod(trp_problem *p)
{
    trp_crank *c = p->system.user;
    trmi_memory_release_all(&c->rod_memory);
}

static bool start(trp_problem *p, const trp_crank *c, double torque)
{
    double *q, *x;
    const int n = U + c->rod.n;
    if (!TRP_TAKE(&p->memory, q, 2 * n) || !TRP_TAKE(&p->memory, x, 1))
        return false;
    q[X3] = c->l1 + c->l2; // stretched
    x[0] = torque;
    p->initial.q = q;
    p->initial.v = q + n;
    p->initial.x = x;
    return true;
}

static bool create(trp_problem *p, const double *o)
{
    static const char *const x_names[] = {"torque"};
    static const char *const g_names[] = {"slider across", "slider along"};
    static const int zero[] = {0};
    trp_crank *c;
    if (!TRP_TAKE(&p->memory, c, 1))
        return false;
    p->system.user = c;
    p->release = release_rod;
    if (!create_rod(c, o))
        return false;
    c->l1 = o[CRANK_LENGTH];
    c->l2 = o[ROD_LENGTH];
    c->J1 = o[CRANK_INERTIA];
    c->m3 = o[SLIDER_MASS];
    c->torque = o[TORQUE];
    c->off = o[TORQUE_OFF];
    trm_system *s = &p->system;
    *s =
        (trm_system){.name = s->name,
                     .n_q = U + c->rod.n,
                     .n_x = c->off > 0 ? 0 : 1,
                     .n_g = 2,
                     .pattern = {[TRM_QUANTITY_FORCE_X] = {.count = 1, .row = zero, .column = zero},
                                 [TRM_QUANTITY_CONSTRAINT_T] = {.count = TRM_PATTERN_ZERO},
                                 [TRM_QUANTITY_RATE_Q] = {.count = TRM_PATTERN_ZERO},
                                 [TRM_QUANTITY_RATE_V] = {.count = TRM_PATTERN_ZERO},
                                 [TRM_QUANTITY_RATE_X] = {.count = TRM_PATTERN_ZERO},
                                 [TRM_QUANTITY_RATE_LAMBDA] = {.count = TRM_PATTERN_ZERO}},
                     .x_names = x_names,
                     .g_names = g_names,
                     .user = c};
    trp_crank_equations(s);
    s->constant = TRM_BIT(FORCE_X) | TRM_BIT(RATE);
    if (s->n_x == 0) {
        s->pattern[TRM_QUANTITY_FORCE_X] = (trm_pattern){.count = TRM_PATTERN_ZERO};
        s->constant = 0;
        s->x_names = NULL;
    }
    p->end = 1;
    return declare_matrices(p, c) && declare_rows(p, c) && name_coordinates(p, &c->rod) &&
           start(p, c, o[TORQUE]);
}

static const trm_problem_option options[] = {[ELEMENTS] = {"elements", 4},
                                             [MODULUS] = {"modulus", 2e11},
                                             [WIDTH] = {"width", 0.008},
                                             [HEIGHT] = {"height", 0.008},
                                             [DENSITY] = {"density", 7870},
                                             [CRANK_LENGTH] = {"crank_length", 0.15},
                                             [ROD_LENGTH] = {"rod_length", 0.3},
                                             [CRANK_INERTIA] = {"crank_inertia", 0.002727},
                                             [ROD_MASS] = {"rod_mass", 0},
                                             [ROD_INERTIA] = {"rod_inertia", 0},
                                             [SLIDER_MASS] = {"slider_mass", 0.075552},
                                             [TORQUE] = {"torque", 0.2},
                                             [TORQUE_OFF] = {"torque_off", 0},
                                             [CHORD_FRAME] = {"chord_frame", 0},
                                             [OPTIONS] = {NULL, 0}};

static const trp_problem_range range[] = {
    [ELEMENTS] = {1, 100000, true},    [MODULUS] = {1e-6, 1e15, false},
    [WIDTH] = {1e-6, 100, false},      [HEIGHT] = {1e-6, 100, false},
    [DENSITY] = {1e-6, 1e6, false},    [CRANK_LENGTH] = {1e-6, 1e3, false},
    [ROD_LENGTH] = {1e-6, 1e3, false}, [CRANK_INERTIA] = {0, 1e12, false},
    [ROD_MASS] = {0, 1e9, false},      [ROD_INERTIA] = {0, 1e12, false},
    [SLIDER_MASS] = {0, 1e9, false},   [TORQUE] = {-1e12, 1e12, false},
    [TORQUE_OFF] = {0, 1e9, false},    [CHORD_FRAME] = {0, 1, true}};

const trp_problem_kind trp_problem_flexible_slider_crank = {
    {"flexible-slider-crank",
     "slider-crank whose rod is a beam of finite elements; the torque is a state that events set",
     options},
    range,
    create};
