// SPDX-License-Identifier: Apache-2.0
// Slider-crank with an elastic rod: Yen, Petzold and Raha, CMAME 158 (1998) 341-355, section 4.3,
// with the data of B. Simeon's test problem crank. The rod is the beam of multibody/beam.h, its
// frame at the crank pin: r = l1 e1(phi1), phi = phi2. In q = (phi1, phi2, x3, u)
//
//     R_1 = J1 phi1'' + l1 n1.R_r - torque,   R_2 = R_phi,   R_3 = m3 x3'',   R_u
//     g   = (P_y, x3 - P_x),   P = l1 e1 + l2 e2 + w(l2) n2    the end of the rod
//
// with r'' = l1 (n1 phi1'' - e1 phi1'^2). The torque is a first-order state of rate 0, so that an
// event can switch it off with values on either side; nothing is smoothed or stepped over.
#include "model/problems/collection.h"
#include "multibody/beam.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PHI1, PHI2, X3, U }; // coordinates; those of the rod from U on

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
    CHORD_FRAME,
    STIFFENING,
    OPTIONS
};

typedef struct crank {
    trmi_beam rod;
    double l1, l2, J1, m3;
    int tip; // coordinate of w(l2), -1: it is zero
} crank;

// What the quantities share: the rod, and where its frame goes with phi1.
typedef struct motion {
    trmi_beam_state rod;
    trmi_beam_terms terms;
    double e1[2], n1[2];
    double w, rate; // deflection of the end
} motion;

static double dot2(const double x[2], const double y[2])
{
    return x[0] * y[0] + x[1] * y[1];
}

// with the accelerations of the state, or without any
static motion move(const crank *c, const trm_state *s, bool accelerated)
{
    const double *q = s->q, *v = s->v, *a = accelerated ? s->a : NULL;
    const double c1 = cos(q[PHI1]), s1 = sin(q[PHI1]), square = v[PHI1] * v[PHI1];
    const double a1 = a ? a[PHI1] : 0;
    motion m = {.e1 = {c1, s1}, .n1 = {-s1, c1}};
    m.rod = (trmi_beam_state){.angle = q[PHI2],
                              .rate = v[PHI2],
                              .angular = a ? a[PHI2] : 0,
                              .u = q + U,
                              .v = v + U,
                              .w = a ? a + U : NULL};
    for (int i = 0; i < 2; i++)
        m.rod.a[i] = c->l1 * (m.n1[i] * a1 - m.e1[i] * square);
    m.terms = trmi_beam_move(&c->rod, &m.rod);
    m.w = c->tip >= 0 ? q[c->tip] : 0;
    m.rate = c->tip >= 0 ? v[c->tip] : 0;
    return m;
}

// Entries of M and K: four of (phi1, phi2), (x3, x3), then rows phi1, phi2 and columns phi1, phi2
// over u, then those of the rod: as many as the matrix has.
enum { HEAD = 5 };

static int mass(const trm_state *s, double *out, void *user)
{
    const crank *c = user;
    const trmi_beam *rod = &c->rod;
    const motion m = move(c, s, false);
    const int n = rod->n;
    const double across = c->l1 * dot2(m.n1, m.terms.n);
    out[0] = c->J1 + rod->mass * c->l1 * c->l1;
    out[1] = out[2] = c->l1 * dot2(m.n1, m.terms.m_rphi);
    out[3] = m.terms.m_phi;
    out[4] = c->m3;
    out += HEAD;
    trmi_beam_mass_terms(rod, &m.terms, out + n, out + 4 * n);
    for (int i = 0; i < n; i++) {
        out[i] = out[2 * n + i] = across * rod->c[i];
        out[3 * n + i] = out[n + i];
    }
    return 0;
}

static int force(const trm_state *s, double *out, void *user)
{
    const crank *c = user;
    const motion m = move(c, s, false);
    out[PHI1] = s->x[0] - c->l1 * dot2(m.n1, m.terms.residual_r);
    out[PHI2] = -m.terms.residual_phi;
    out[X3] = 0;
    trmi_beam_residual(&c->rod, &m.rod, &m.terms, out + U);
    for (int i = 0; i < c->rod.n; i++)
        out[U + i] = -out[U + i];
    return 0;
}

// R_q; R_1 depends on phi1 through n1 and r'', the rest through r''
static int stiffness(const trm_state *s, double *out, void *user)
{
    const crank *c = user;
    const trmi_beam *rod = &c->rod;
    const motion m = move(c, s, true);
    const trmi_beam_terms *t = &m.terms;
    const int n = rod->n;
    const double l1 = c->l1, square = s->v[PHI1] * s->v[PHI1];
    double turn[2]; // r'' by phi1
    for (int i = 0; i < 2; i++)
        turn[i] = -l1 * (m.e1[i] * s->a[PHI1] + m.n1[i] * square);
    out[0] = -l1 * dot2(m.e1, t->residual_r) + l1 * rod->mass * dot2(m.n1, turn);
    out[1] = l1 * dot2(m.n1, t->k_rphi);
    out[2] = dot2(turn, t->m_rphi);
    out[3] = t->k_phi;
    out[4] = 0;
    out += HEAD;
    const double row = l1 * dot2(m.n1, t->k_ru), column = dot2(turn, t->n);
    for (int i = 0; i < n; i++) {
        out[i] = row * rod->c[i];
        out[2 * n + i] = column * rod->c[i];
        out[3 * n + i] = t->k_c * rod->c[i];
    }
    trmi_beam_stiffness_terms(rod, &m.rod, t, out + n, out + 4 * n);
    return 0;
}

// R_v; r'' by phi1' is -2 l1 e1 phi1'
static int damping(const trm_state *s, double *out, void *user)
{
    const crank *c = user;
    const trmi_beam *rod = &c->rod;
    const motion m = move(c, s, false);
    const trmi_beam_terms *t = &m.terms;
    const int n = rod->n;
    const double rate = m.rod.rate, spin = -2 * c->l1 * s->v[PHI1];
    out[0] = 0;
    out[1] = c->l1 * dot2(m.n1, t->d_rphi);
    out[2] = spin * dot2(m.e1, t->m_rphi);
    out[3] = t->d_phi;
    out[4] = 0;
    out += HEAD;
    const double row = -2 * rate * c->l1 * dot2(m.n1, t->e), column = spin * dot2(m.e1, t->n);
    for (int i = 0; i < n; i++) {
        out[i] = row * rod->c[i];
        out[2 * n + i] = column * rod->c[i];
    }
    trmi_beam_damping_terms(rod, &m.rod, t, out + n, out + 3 * n, out + 4 * n);
    return 0;
}

static int energy(const trm_state *s, double *out, void *user)
{
    const crank *c = user;
    const motion m = move(c, s, false);
    const double *v = s->v, speed = c->l1 * v[PHI1];
    const double pin[] = {speed * m.n1[0], speed * m.n1[1]};
    out[0] = 0.5 * c->J1 * v[PHI1] * v[PHI1] + 0.5 * c->m3 * v[X3] * v[X3] +
             trmi_beam_energy(&c->rod, &m.rod, pin);
    return 0;
}

static int force_x(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 1;
    return 0;
}

static int rate(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 0;
    return 0;
}

static int constraint(const trm_state *s, double *out, void *user)
{
    const crank *c = user;
    const motion m = move(c, s, false);
    double end[2];
    for (int i = 0; i < 2; i++)
        end[i] = c->l1 * m.e1[i] + c->l2 * m.terms.e[i] + m.w * m.terms.n[i];
    out[0] = end[1];
    out[1] = s->q[X3] - end[0];
    return 0;
}

// rows (P_y, -P_x) of a column of P
static void put_rows(double *out, double x, double y)
{
    out[0] = y;
    out[1] = -x;
}

static int constraint_q(const trm_state *s, double *out, void *user)
{
    const crank *c = user;
    const motion m = move(c, s, false);
    const double *e = m.terms.e, *n = m.terms.n;
    put_rows(out, c->l1 * m.n1[0], c->l1 * m.n1[1]);
    put_rows(out + 2, c->l2 * n[0] - m.w * e[0], c->l2 * n[1] - m.w * e[1]);
    out[4] = 1;
    if (c->tip >= 0)
        put_rows(out + 5, n[0], n[1]);
    return 0;
}

static int gamma_term(const trm_state *s, double *out, void *user)
{
    const crank *c = user;
    const motion m = move(c, s, false);
    const double v1 = s->v[PHI1], v2 = s->v[PHI2];
    double end[2];
    for (int i = 0; i < 2; i++) {
        const double e = m.terms.e[i], n = m.terms.n[i];
        end[i] = -c->l1 * m.e1[i] * v1 * v1 - (c->l2 * e + m.w * n) * v2 * v2 - 2 * m.rate * v2 * e;
    }
    put_rows(out, end[0], end[1]);
    return 0;
}

static int velocity_q(const trm_state *s, double *out, void *user)
{
    const crank *c = user;
    const motion m = move(c, s, false);
    const double *e = m.terms.e, *n = m.terms.n, v1 = s->v[PHI1], v2 = s->v[PHI2];
    double rod[2];
    for (int i = 0; i < 2; i++)
        rod[i] = -(c->l2 * e[i] + m.w * n[i]) * v2 - m.rate * e[i];
    put_rows(out, -c->l1 * m.e1[0] * v1, -c->l1 * m.e1[1] * v1);
    put_rows(out + 2, rod[0], rod[1]);
    if (c->tip >= 0)
        put_rows(out + 4, -e[0] * v2, -e[1] * v2);
    return 0;
}

// second derivatives of L.P with L = (-lambda_2, lambda_1)
static int geometric(const trm_state *s, double *out, void *user)
{
    const crank *c = user;
    const motion m = move(c, s, false);
    const double L[] = {-s->lambda[1], s->lambda[0]};
    out[0] = -c->l1 * dot2(L, m.e1);
    out[1] = -c->l2 * dot2(L, m.terms.e) - m.w * dot2(L, m.terms.n);
    if (c->tip >= 0)
        out[2] = out[3] = -dot2(L, m.terms.e);
    return 0;
}

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

static bool create_entries(entries *e, trmi_memory *memory, int most)
{
    *e = (entries){0};
    return TRMI_TAKE(memory, e->row, most) && TRMI_TAKE(memory, e->column, most);
}

static bool declare_matrices(trm_problem *p, const crank *c)
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
    const int before = e.count, damped = rod->stiffening_u ? rod->entries : 0;
    for (int k = 0; k < rod->entries; k++)
        add_entry(&e, U + rod->row[k], U + rod->column[k]);
    s->pattern[TRM_MASS] = s->pattern[TRM_STIFFNESS] = pattern_of(&e);
    s->pattern[TRM_DAMPING] =
        (trm_pattern){.count = before + damped, .row = e.row, .column = e.column};
    return true;
}

static bool declare_rows(trm_problem *p, const crank *c)
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
    s->pattern[TRM_CONSTRAINT_Q] = pattern_of(&gradient);
    s->pattern[TRM_VELOCITY_Q] = pattern_of(&bend);
    s->pattern[TRM_GEOMETRIC] = pattern_of(&hessian);
    return true;
}

// "w_3", "slope_3" by node
static bool name_coordinates(trm_problem *p, const trmi_beam *rod)
{
    enum { LENGTH = 24 };
    const char **names;
    char *text;
    if (!TRMI_TAKE(&p->memory, names, U + rod->n) ||
        !TRMI_TAKE(&p->memory, text, (size_t)LENGTH * (size_t)rod->n))
        return false;
    names[PHI1] = "phi1";
    names[PHI2] = "phi2";
    names[X3] = "x3";
    for (int i = 0; i < 2 * (rod->data.elements + 1); i++) {
        int at = rod->coordinate[i];
        if (at < 0)
            continue;
        char *name = text + (size_t)LENGTH * (size_t)at;
        snprintf(name, LENGTH, "%s_%d", i % 2 ? "slope" : "w", i / 2);
        names[U + at] = name;
    }
    p->system.q_names = names;
    return true;
}

static bool create_rod(crank *c, trmi_memory *memory, const double *o)
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
                                 .frame = o[CHORD_FRAME] > 0 ? TRMI_BEAM_CHORD : TRMI_BEAM_TANGENT,
                                 .stiffening = o[STIFFENING] > 0};
    if (!trmi_beam_create(&c->rod, memory, &data))
        return false;
    const int end = c->rod.coordinate[2 * data.elements];
    c->tip = end >= 0 ? U + end : -1;
    return true;
}

static bool start(trm_problem *p, const crank *c, double torque)
{
    double *q, *x;
    const int n = U + c->rod.n;
    if (!TRMI_TAKE(&p->memory, q, 2 * n) || !TRMI_TAKE(&p->memory, x, 1))
        return false;
    q[X3] = c->l1 + c->l2; // stretched
    x[0] = torque;
    p->initial.q = q;
    p->initial.v = q + n;
    p->initial.x = x;
    return true;
}

static bool create(trm_problem *p, const double *o)
{
    static const char *const x_names[] = {"torque"};
    static const char *const g_names[] = {"slider across", "slider along"};
    static const int zero[] = {0};
    crank *c;
    if (!TRMI_TAKE(&p->memory, c, 1) || !create_rod(c, &p->memory, o))
        return false;
    c->l1 = o[CRANK_LENGTH];
    c->l2 = o[ROD_LENGTH];
    c->J1 = o[CRANK_INERTIA];
    c->m3 = o[SLIDER_MASS];
    trm_system *s = &p->system;
    *s = (trm_system){.name = s->name,
                      .n_q = U + c->rod.n,
                      .n_x = 1,
                      .n_g = 2,
                      .function = {[TRM_MASS] = mass,
                                   [TRM_FORCE] = force,
                                   [TRM_STIFFNESS] = stiffness,
                                   [TRM_DAMPING] = damping,
                                   [TRM_ENERGY] = energy,
                                   [TRM_FORCE_X] = force_x,
                                   [TRM_RATE] = rate,
                                   [TRM_CONSTRAINT] = constraint,
                                   [TRM_CONSTRAINT_Q] = constraint_q,
                                   [TRM_GAMMA] = gamma_term,
                                   [TRM_VELOCITY_Q] = velocity_q,
                                   [TRM_GEOMETRIC] = geometric},
                      .pattern = {[TRM_FORCE_X] = {.count = 1, .row = zero, .column = zero},
                                  [TRM_CONSTRAINT_T] = {.count = TRM_PATTERN_ZERO},
                                  [TRM_RATE_Q] = {.count = TRM_PATTERN_ZERO},
                                  [TRM_RATE_V] = {.count = TRM_PATTERN_ZERO},
                                  [TRM_RATE_X] = {.count = TRM_PATTERN_ZERO},
                                  [TRM_RATE_LAMBDA] = {.count = TRM_PATTERN_ZERO}},
                      .x_names = x_names,
                      .g_names = g_names,
                      .user = c};
    s->constant = TRM_BIT(TRM_FORCE_X) | TRM_BIT(TRM_RATE);
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
                                             [CHORD_FRAME] = {"chord_frame", 0},
                                             [STIFFENING] = {"stiffening", 0},
                                             [OPTIONS] = {NULL, 0}};

static const trmi_problem_range range[] = {
    [ELEMENTS] = {1, 100000, true},    [MODULUS] = {1e-6, 1e15, false},
    [WIDTH] = {1e-6, 100, false},      [HEIGHT] = {1e-6, 100, false},
    [DENSITY] = {1e-6, 1e6, false},    [CRANK_LENGTH] = {1e-6, 1e3, false},
    [ROD_LENGTH] = {1e-6, 1e3, false}, [CRANK_INERTIA] = {0, 1e12, false},
    [ROD_MASS] = {0, 1e9, false},      [ROD_INERTIA] = {0, 1e12, false},
    [SLIDER_MASS] = {0, 1e9, false},   [TORQUE] = {-1e12, 1e12, false},
    [CHORD_FRAME] = {0, 1, true},      [STIFFENING] = {0, 1, true}};

const trmi_problem_kind trmi_problem_flexible_slider_crank = {
    {"flexible-slider-crank",
     "slider-crank whose rod is a beam of finite elements; the torque is a state that events set",
     options},
    range,
    create};
