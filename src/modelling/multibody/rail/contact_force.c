// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/rail/contact_force.h"

#include <stdio.h>

// ---- rows ------------------------------------------------------------------------------------

static trmi_row_value evaluate_gap(const trmi_row_type *type, const trmi_view *view)
{
    (void)type;
    return trmi_wheel_rail_row(view);
}

const trmi_row_type trmi_rail_gap = {
    .name = "normal", .shape = TRMI_ROW_GENERAL, .evaluate = evaluate_gap};

// the gap, then the velocities
static void evaluate_all(const trmi_view *view, trmi_row_value *row)
{
    row[0] = trmi_wheel_rail_row(view);
    trmi_wheel_rail_creep(view, row + 1);
}

static const trmi_row_type elastic_gap = {
    .name = "normal", .shape = TRMI_ROW_GENERAL, .evaluate_all = evaluate_all};

// the same with the curvature, behind them
static void evaluate_with_curvature(const trmi_view *view, trmi_row_value *row)
{
    trmi_wheel_rail_creep(view, row);
    row[TRMI_CREEP_ROWS] = trmi_wheel_rail_curvature(view);
}

static void evaluate_all_with_curvature(const trmi_view *view, trmi_row_value *row)
{
    row[0] = trmi_wheel_rail_row(view);
    evaluate_with_curvature(view, row + 1);
}

static trmi_row_value evaluate_curvature(const trmi_row_type *type, const trmi_view *view)
{
    (void)type;
    return trmi_wheel_rail_curvature(view);
}

static const trmi_row_type gap_with_curvature = {
    .name = "normal", .shape = TRMI_ROW_GENERAL, .evaluate_all = evaluate_all_with_curvature};
static const trmi_row_type creep_with_curvature = {.name = "creep_x",
                                                   .shape = TRMI_ROW_GENERAL,
                                                   .velocity = true,
                                                   .absolute = true,
                                                   .evaluate_all = evaluate_with_curvature};
static const trmi_row_type curvature = {
    .name = "curvature", .shape = TRMI_ROW_GENERAL, .evaluate = evaluate_curvature};

#define CREEP(label)                                                                               \
    {                                                                                              \
        .name = label, .shape = TRMI_ROW_GENERAL, .velocity = true, .absolute = true,              \
        .evaluate_all = trmi_wheel_rail_creep                                                      \
    }
static const trmi_row_type creep_row[TRMI_CREEP_ROWS] = {
    [TRMI_CREEP_X] = CREEP("creep_x"),
    [TRMI_CREEP_Y] = CREEP("creep_y"),
    [TRMI_CREEP_SPIN] = CREEP("spin"),
    [TRMI_CREEP_SPEED] = CREEP("speed"),
};

// ---- laws ------------------------------------------------------------------------------------

// Normal forces below this are those of wheels that barely touch: they creep as with it, and the
// forces shrink in proportion.
static const double MIN_LOAD = 1; // N

// Forces of the law pull back: they are the negative ones of the formulas. N enters row by row. The
// first row of the velocities is `first`.
static void add_creep(const trmi_rail_data *r, const trmi_law_input *in, double N, int first,
                      trmi_law *out, double F_N[3])
{
    trmi_dual F[3];
    const double *V = in->v + first;
    const int bend = first + TRMI_CREEP_ROWS; // the row of the curvature
    double share = fmin(fmax(N / MIN_LOAD, 0), 1), K = r->creep.follows ? in->p[bend] : 0;
    trmi_creep_forces(&r->creep, V, fmax(N, MIN_LOAD), K, F);
    for (int k = 0; k < 3; k++) {
        out->F[first + k] = -share * F[k].v;
        for (int s = 0; s < TRMI_CREEP_ROWS; s++)
            out->F_v[first + k][first + s] = -share * F[k].d[s];
        if (r->creep.follows)
            out->F_p[first + k][bend] = -share * F[k].d[TRMI_CREEP_K];
        out->dissipated -= share * F[k].v * V[k];
        F_N[k] = N > MIN_LOAD ? -F[k].d[TRMI_CREEP_N] : N > 0 ? -F[k].v / MIN_LOAD : 0;
    }
}

static void creep_law(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    double F_N[3];
    add_creep(element->data, in, in->load[0], 0, out, F_N);
    for (int k = 0; k < 3; k++)
        out->F_l[k][0] = F_N[k];
}

static void elastic_law(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const trmi_rail_data *r = element->data;
    const trmi_press on = trmi_press_on(&r->law, in->p[0], in->v[0], trmi_locked(in, 0));
    double F_N[3];
    if (on.N == 0)
        return;
    trmi_press_put(&on, 1, out);
    add_creep(r, in, on.N, 1, out, F_N);
    for (int k = 0; k < 3; k++) {
        out->F_p[1 + k][0] = F_N[k] * on.N_d;
        out->F_v[1 + k][0] = F_N[k] * on.N_v;
    }
}

// ---- channels --------------------------------------------------------------------------------

const trmi_shown trmi_rail_channels[] = {
    {"n", "N"}, {"xi", "m"},  {"angle", "rad"}, {"radius", "m"}, {"y", "N"},       {"q", "N"},
    {"yq", ""}, {"nu_x", ""}, {"nu_y", ""},     {"phi", "1/m"},  {"slip_use", ""}, {NULL, NULL},
};
enum { N_, XI, ANGLE, RADIUS, LATERAL, VERTICAL, QUOTIENT, NU_X, NU_Y, PHI, USE };

static bool is_elastic(const trmi_element *e)
{
    return e->law == elastic_law;
}

static double normal_force(const trmi_element *e, const trmi_set_state *x, const trmi_law *law)
{
    if (is_elastic(e))
        return law->F[0];
    return x->state->lambda ? x->state->lambda[e->load[0]] : 0;
}

static double place_of_contact(const trmi_set_state *x)
{
    double at[TRMI_RAIL_VARIABLES];
    trmi_row_value row[TRMI_RAIL_VARIABLES];
    trmi_rail_memo local;
    trmi_wheel_rail_variables(&x->view, at, row);
    return trmi_wheel_rail_contact(&x->view, at, &local)->contact.xi;
}

// force of the wheel on the rail: outwards (Y), downwards (Q)
static void guide_forces(const trmi_element *e, const trmi_set_state *x, const trmi_law *law,
                         double *Y, double *Q)
{
    trmi_v3 f = trmi_set_wrench(x, law->F).f;
    if (!is_elastic(e))
        f = trmi_v3_axpy(f, normal_force(e, x, law), trmi_wheel_rail_row(&x->view).gamma.f);
    *Y = trmi_v3_dot(f, x->view.u[1]);
    *Q = -trmi_v3_dot(f, x->view.u[2]);
}

// between the tangent of the contact and the plane of the track, from the normal n
static double contact_angle(const trmi_element *e, const trmi_set_state *x)
{
    trmi_v3 n = x->value[(is_elastic(e) ? 1 : 0) + TRMI_CREEP_SPIN].gamma.n;
    return atan2(-trmi_v3_dot(n, x->view.u[1]), trmi_v3_dot(n, x->view.u[2]));
}

static double creepage(const trmi_element *e, const trmi_set_state *x, int number)
{
    const trmi_rail_data *r = e->data;
    double V[TRMI_CREEP_ROWS];
    trmi_dual nu[3];
    for (int k = 0; k < TRMI_CREEP_ROWS; k++)
        V[k] = trmi_set_rate(x, (is_elastic(e) ? 1 : 0) + k);
    trmi_creepages(&r->creep, V, nu);
    return nu[number].v;
}

static double guide_force(const trmi_element *e, const trmi_set_state *x, const trmi_law *law,
                          int channel)
{
    double Y, Q;
    guide_forces(e, x, law, &Y, &Q);
    return channel == LATERAL ? Y : channel == VERTICAL ? Q : Q != 0 ? Y / Q : 0;
}

static double show(const trmi_element *e, const trmi_set_state *x, const trmi_law *law, int channel)
{
    const trmi_rail_data *r = e->data;
    const int first = is_elastic(e) ? 1 : 0;
    double N = normal_force(e, x, law);
    switch (channel) {
    case N_:
        return N;
    case XI:
        return place_of_contact(x);
    case ANGLE:
        return contact_angle(e, x);
    case RADIUS:
        return r->pair.radius + trmi_interpolant_at(r->pair.wheel, 0, place_of_contact(x));
    case LATERAL:
    case VERTICAL:
    case QUOTIENT:
        return guide_force(e, x, law, channel);
    case USE:
        return N > 0 ? hypot(law->F[first], law->F[first + 1]) / (r->creep.mu * N) : 0;
    default:
        return creepage(e, x, channel - NU_X);
    }
}

// ---- derailment ------------------------------------------------------------------------------

// the last points of the profile on either side are beyond the contact of a wheel on its rail
static bool is_at_end(const trmi_wheel_rail *pair, double xi)
{
    const trmi_wheel_points *p = &pair->points;
    return xi <= p->xi[1] || xi >= p->xi[p->count - 2];
}

static bool warn(const trmi_element *e, const trmi_force_work *work, const trmi_set_state *x,
                 const trmi_law *law, char *text, size_t size)
{
    (void)work;
    const trmi_rail_data *r = e->data;
    double N = normal_force(e, x, law), gap = trmi_wheel_rail_row(&x->view).p;
    if (is_elastic(e) ? gap < -r->pair.softness : N < 0) {
        if (is_elastic(e))
            snprintf(text, size, "the wheel of '%.60s' lifts off its rail: it is %.3g mm above it",
                     e->joint->name, -1e3 * gap);
        else
            snprintf(text, size,
                     "the wheel of '%.60s' would lift off its rail: the contact pulls with %.4g N, "
                     "and what follows is no motion of a wheel on a rail; elastic-wheel-rail lets "
                     "it go",
                     e->joint->name, -N);
        return true;
    }
    double xi = place_of_contact(x);
    if (!is_at_end(&r->pair, xi))
        return false;
    snprintf(
        text, size,
        "the wheel of '%.60s' leaves its rail: the contact is at %.4g mm, at the %s end of the "
        "profile of the wheel",
        e->joint->name, 1e3 * xi, xi > 0 ? "flange" : "outer");
    return true;
}

// ---- elements --------------------------------------------------------------------------------

static trmi_element *add_element(trmi_force_maker *m, int joint, trmi_law_function *law)
{
    const trmi_joint *of = &m->mechanism->joint[joint];
    trmi_element *e = &m->element[m->elements++];
    e->joint = of;
    e->law = law;
    e->damped = true;
    e->data = trmi_extra_of(of).data;
    e->show = show;
    e->warn = warn;
    return e;
}

static bool follows(const trmi_element *e)
{
    return ((const trmi_rail_data *)e->data)->creep.follows;
}

bool trmi_make_creep(trmi_force_maker *m, int joint)
{
    trmi_element *e = add_element(m, joint, creep_law);
    const trmi_row_type *const rows[] = {follows(e) ? &creep_with_curvature : &creep_row[0],
                                         &creep_row[1],
                                         &creep_row[2],
                                         &creep_row[3],
                                         follows(e) ? &curvature : NULL,
                                         NULL};
    e->loads = 1;
    e->load[0] = trmi_constraint_number(trmi_constraint_of(m->constraints, joint), 0);
    e->set = trmi_set_of_joint(m->mechanism, e->joint, rows, m->n_held);
    return trmi_set_finish(&e->set, m->memory, m->tree);
}

bool trmi_make_elastic_rail(trmi_force_maker *m, int joint)
{
    trmi_element *e = add_element(m, joint, elastic_law);
    const trmi_row_type *const rows[] = {follows(e) ? &gap_with_curvature : &elastic_gap,
                                         &creep_row[0],
                                         &creep_row[1],
                                         &creep_row[2],
                                         &creep_row[3],
                                         follows(e) ? &curvature : NULL,
                                         NULL};
    trmi_force_add_switch(e, 0, -1);
    e->set = trmi_set_of_joint(m->mechanism, e->joint, rows, m->n_held);
    return trmi_set_finish(&e->set, m->memory, m->tree);
}
