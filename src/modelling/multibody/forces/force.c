// SPDX-License-Identifier: Apache-2.0
// Forces at one state: the law of an element, then all elements. Formulas that they use:
// force_formulas.c; their derivatives: force_derivatives.c.
#include "modelling/multibody/forces/force.h"
#include "modelling/multibody/rows/formula_row.h"

#include <math.h>
#include <string.h>

// ---- one element -----------------------------------------------------------------------------

// what its law gets; p and v are of TRMI_MAX_ROWS
static trmi_law_input gather_input(const trmi_element *e, const trmi_force_work *work,
                                   const trmi_set_state *x, double *p, double *v)
{
    static const double undeformed[TRMI_MAX_OWN_STATES] = {0};
    trmi_law_input in = {.t = x->state->t, .p = p, .v = v};
    for (int r = 0; r < e->set.rows; r++) {
        p[r] = x->value[r].p;
        v[r] = trmi_set_rate(x, r);
    }
    for (int i = 0; i < e->loads; i++)
        in.load[i] = x->state->lambda ? x->state->lambda[e->load[i]] : 0;
    if (e->set.formula_row)
        in.moving = trmi_formula_row_time_rate(x);
    if (e->states > 0)
        in.x = x->state->x ? x->state->x + e->first_state : undeformed;
    if (e->road)
        in.road = work->road + e->first_register;
    if (e->memories > 0 && x->state->held)
        in.memory = x->state->held + e->memory;
    if (e->switches > 0 && x->state->held)
        in.lock = x->state->held + e->first_lock;
    if (e->arguments)
        in.argument = work->argument;
    for (int i = 0; in.argument && i < e->formulas; i++)
        in.argument[i] = trmi_formula_value(work, &e->formula[i]);
    return in;
}

double trmi_element_channel(const trmi_element *e, const trmi_force_work *work,
                            const trmi_set_state *x, int channel)
{
    double p[TRMI_MAX_ROWS], v[TRMI_MAX_ROWS];
    trmi_law_input in = gather_input(e, work, x, p, v);
    return e->force->type->channel_value(e, &in, channel);
}

// zero as far as an element of that many rows uses it: the arrays are made for the largest one
static void clear_law(trmi_law *law, int rows)
{
    size_t row = (size_t)rows * sizeof *law->F;
    memset(law->F, 0, row);
    for (int r = 0; r < rows; r++) {
        memset(law->F_p[r], 0, row);
        memset(law->F_v[r], 0, row);
        memset(law->F_l[r], 0, sizeof law->F_l[r]);
        memset(law->F_x[r], 0, sizeof law->F_x[r]);
    }
    for (int i = 0; i < TRMI_MAX_OWN_STATES; i++) {
        law->c[i] = 0;
        memset(law->c_p[i], 0, row);
        memset(law->c_v[i], 0, row);
        memset(law->c_x[i], 0, sizeof law->c_x[i]);
    }
    law->potential = law->dissipated = law->supplied = 0;
    law->failed = 0;
}

void trmi_element_apply(const trmi_element *e, const trmi_force_work *work, const trmi_set_state *x,
                        bool derivatives, trmi_law *out)
{
    double p[TRMI_MAX_ROWS], v[TRMI_MAX_ROWS];
    trmi_law_input in = gather_input(e, work, x, p, v);
    in.derivatives = derivatives;
    clear_law(out, e->set.rows);
    out->F_a = e->arguments ? work->F_a : NULL;
    if (out->F_a)
        trmi_clear(out->F_a, e->set.rows * e->formulas);
    e->law(e, &in, out);
    for (int i = 0; !e->arguments && i < e->formulas; i++) {
        double F = e->sign * trmi_formula_value(work, &e->formula[i]);
        out->F[i] += F;
        out->supplied -= F * v[i];
    }
}

// F alone of a law; what else it has in `out` is of no use then
static void find_force(const trmi_element *e, const trmi_law_input *in, trmi_law *out)
{
    memset(out->F, 0, (size_t)e->set.rows * sizeof *out->F);
    e->law(e, in, out);
}

void trmi_element_compare(const trmi_element *one, const trmi_element *other,
                          const trmi_force_work *work, const trmi_set_state *x, trmi_law *spent,
                          double *F)
{
    double p[TRMI_MAX_ROWS], v[TRMI_MAX_ROWS];
    const trmi_law_input in = gather_input(one, work, x, p, v);
    const int rows = one->set.rows;
    find_force(one, &in, spent);
    memcpy(F, spent->F, (size_t)rows * sizeof *F);
    find_force(other, &in, spent);
    for (int r = 0; r < rows; r++)
        F[r] -= spent->F[r];
}

trmi_wrench trmi_forces_friction(const trmi_forces *f, const trmi_force_work *work,
                                 const trmi_kinematics *k, const trm_state *state, int joint)
{
    const trmi_joint *of = &f->mechanism->joint[joint];
    for (int i = 0; trmi_extra_of(of).friction && i < f->elements; i++) {
        const trmi_element *e = &f->element[i];
        trmi_set_state x;
        trmi_law law;
        if (e->law != trmi_law_friction || e->joint != of)
            continue;
        trmi_set_straight_at(&x, &e->set, k, state);
        trmi_element_apply(e, work, &x, false, &law);
        return trmi_set_wrench(&x, &(double){-law.F[0]});
    }
    return (trmi_wrench){0};
}

// ---- all elements ----------------------------------------------------------------------------

// whether all forces have a value
static bool is_finite(const trmi_law *law, int rows)
{
    double sum = 0;
    for (int r = 0; r < rows; r++)
        sum += 0 * law->F[r];
    return sum == 0;
}

int trmi_element_load(const trmi_element *e, trmi_force_work *work, const trmi_set_state *x,
                      const trmi_law *law, trmi_wrench *on_body, double *on_column)
{
    if (law->failed || !is_finite(law, e->set.rows))
        work->faulty = e;
    if (law->failed)
        return law->failed;
    work->energy.potential += law->potential;
    work->energy.dissipated += law->dissipated;
    work->energy.supplied += law->supplied;
    if (on_body)
        trmi_set_load(x, law->F, on_body, on_column);
    return 0;
}

int trmi_forces_load(const trmi_forces *f, trmi_force_work *work, const trmi_kinematics *k,
                     const trm_state *state, trmi_wrench *on_body, double *on_column)
{
    if (on_body) // energies are asked for where forces had values
        work->faulty = NULL;
    work->energy = (trmi_force_energy){0, 0, 0};
    trmi_forces_formulas(f, work, k, state, false);
    for (int i = 0; i < f->elements; i++) {
        const trmi_element *e = &f->element[i];
        trmi_set_state x;
        trmi_law law;
        trmi_set_straight_at(&x, &e->set, k, state);
        trmi_element_apply(e, work, &x, false, &law);
        int result = trmi_element_load(e, work, &x, &law, on_body, on_column);
        if (result != 0)
            return result;
    }
    return 0;
}

bool trmi_forces_settle(const trmi_forces *f, const trmi_kinematics *k, const trm_state *state,
                        double *held)
{
    bool changed = false;
    for (int i = 0; i < f->elements; i++) {
        const trmi_element *e = &f->element[i];
        trmi_set_state x;
        double before[TRMI_MAX_MEMORIES], *memory = held + e->memory;
        size_t size = (size_t)e->memories * sizeof *before;
        if (trmi_set_settle(&e->set, k, state, held))
            changed = true;
        if (e->memories == 0)
            continue;
        memcpy(before, memory, size);
        trmi_set_at(&x, &e->set, k, state);
        e->remember(e, &x, false, memory);
        changed = changed || memcmp(before, memory, size) != 0;
    }
    return changed;
}

void trmi_forces_remember(const trmi_forces *f, const trmi_kinematics *k, const trm_state *state,
                          double *held)
{
    for (int i = 0; i < f->elements; i++) {
        const trmi_element *e = &f->element[i];
        trmi_set_state x;
        if (e->memories == 0)
            continue;
        trmi_set_at(&x, &e->set, k, state);
        e->remember(e, &x, true, held + e->memory);
    }
}

void trmi_element_gaps(const trmi_element *e, const trmi_force_work *work, const trmi_set_state *x,
                       bool second, trmi_gap *out)
{
    double p[TRMI_MAX_ROWS], v[TRMI_MAX_ROWS], a[TRMI_MAX_ROWS];
    for (int j = 0; j < e->switches && !e->gaps; j++) {
        const trmi_switch *open = &e->open[j];
        out[j] =
            (trmi_gap){open->sign * (x->value[0].p - open->at), open->sign * trmi_set_rate(x, 0),
                       second ? open->sign * trmi_set_second(x, 0) : 0};
    }
    if (!e->gaps)
        return;
    trmi_law_input in = gather_input(e, work, x, p, v);
    for (int r = 0; r < e->set.rows && second; r++)
        a[r] = trmi_set_second(x, r);
    e->gaps(e, &in, second ? a : NULL, out);
}

void trmi_forces_switches(const trmi_forces *f, trmi_force_work *work, const trmi_kinematics *k,
                          const trm_state *state, double *gap, double *rate, double *second)
{
    trmi_forces_conditions(f, work, k, state, gap, rate, second);
    for (int i = 0; i < f->elements; i++) {
        const trmi_element *e = &f->element[i];
        trmi_set_state x;
        trmi_gap value[TRMI_MAX_GAPS];
        if (e->switches == 0)
            continue;
        trmi_set_at(&x, &e->set, k, state);
        trmi_element_gaps(e, work, &x, second != NULL, value);
        for (int j = 0; j < e->switches; j++) {
            int number = e->first_switch + j;
            gap[number] = value[j].gap;
            rate[number] = value[j].rate;
            if (second)
                second[number] = value[j].second;
        }
    }
}

void trmi_forces_set_parameters(const trmi_forces *f, trmi_force_work *work,
                                const double *parameters)
{
    for (int i = 0; i < f->elements; i++)
        if (f->element[i].road)
            trmi_road_prepare(f->element[i].road, work->road + f->element[i].first_register,
                              parameters, f->mechanism->parameters);
}
