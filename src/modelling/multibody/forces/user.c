// SPDX-License-Identifier: Apache-2.0
// Forces from shared objects: three displacements and three rotations. Their signals, and the
// parameters that events may set, are formulas whose values the function gets.
#include "modelling/multibody/forces/forces.h"

#include <float.h>
#include <string.h>

typedef struct user_force {
    trmi_force force;
    trmi_user_code code;
} user_force;

static const trmi_parameter library = {"library", TRMI_PARAMETER_LIBRARY,
                                       offsetof(user_force, code), .required = true,
                                       .help = "path of a shared object"};
static const trmi_parameter name = {"name", TRMI_PARAMETER_LIBRARY_NAME, 0, .required = true,
                                    .help = "the function it exports"};
static const trmi_parameter parameters = {"parameters", TRMI_PARAMETER_LIBRARY_PARAMETERS,
                                          .help = "numbers it gets, by the names it exports"};
static const trmi_parameter signals = {"signals", TRMI_PARAMETER_LIBRARY_SIGNALS,
                                       .help = "formulas whose values it gets, likewise"};

// What a function gets; argument: signals, then parameters.
typedef struct call {
    const trmi_user_code *code;
    double t, p[6], v[6], *argument;
} call;

static int evaluate(const call *c, const trm_force_output *out)
{
    const trm_user_force *user = c->code->force;
    if (!user->law)
        return user->force(c->t, c->p, c->v, out->F, out->F_p, out->F_v, user->user);
    const trm_force_input in = {.t = c->t,
                                .p = c->p,
                                .v = c->v,
                                .parameter = c->argument ? c->argument + c->code->signals : NULL,
                                .signal = c->argument};
    return user->law(&in, out, user->user);
}

// one column of a derivative by central differences: (F(x + h) - F(x - h))/(2h)
static int difference(const call *c, double *x, double *column, int stride)
{
    double kept = *x, h = cbrt(DBL_EPSILON) * (1 + fabs(kept)), plus[6], minus[6];
    *x = kept + h;
    int failed = evaluate(c, &(trm_force_output){.F = plus});
    *x = kept - h;
    failed = failed ? failed : evaluate(c, &(trm_force_output){.F = minus});
    *x = kept;
    for (int i = 0; i < 6 && !failed; i++)
        column[i * stride] = (plus[i] - minus[i]) / (2 * h);
    return failed;
}

static int differentiate(call *c, const trm_force_output *out)
{
    int failed = 0;
    for (int j = 0; j < 6 && !failed; j++) {
        failed = difference(c, &c->p[j], out->F_p + j, 6);
        failed = failed ? failed : difference(c, &c->v[j], out->F_v + j, 6);
    }
    for (int j = 0; j < c->code->signals && !failed; j++)
        failed = difference(c, &c->argument[j], out->F_signal + (ptrdiff_t)6 * j, 1);
    return failed;
}

// users give the force on the second body, laws the one that pulls it back
static void law(const trmi_element *element, const trmi_law_input *in, trmi_law *out)
{
    const trmi_user_code *code = &((const user_force *)element->force)->code;
    double F[6], F_p[36] = {0}, F_v[36] = {0};
    const trm_force_output wanted = {F, F_p, F_v, out->F_a};
    const bool asked = in->derivatives && !code->force->differences;
    call c = {.code = code, .t = in->t, .argument = in->argument};
    memcpy(c.p, in->p, sizeof c.p);
    memcpy(c.v, in->v, sizeof c.v);
    out->failed = evaluate(&c, asked ? &wanted : &(trm_force_output){.F = F});
    if (!out->failed && in->derivatives && code->force->differences)
        out->failed = differentiate(&c, &wanted);
    for (int i = 0; i < 6 && !out->failed; i++) {
        out->F[i] = -F[i];
        out->supplied += F[i] * in->v[i];
        for (int j = 0; j < 6; j++) {
            out->F_p[i][j] = -F_p[6 * i + j];
            out->F_v[i][j] = -F_v[6 * i + j];
        }
        for (int j = 0; j < code->signals; j++)
            out->F_a[6 * j + i] *= -1;
    }
}

static bool make(trmi_force_maker *m, const trmi_force *force)
{
    const trmi_user_code *code = &((const user_force *)force)->code;
    trmi_element *e = trmi_force_add(m, force);
    e->damped = true;
    e->formulas = code->signals + code->parameters;
    e->formula = code->argument;
    e->arguments = e->formulas > 0;
    return trmi_force_own_rows(m, e);
}

const trmi_force_type trmi_force_user = {
    .name = "user",
    .help = "a force from a shared object",
    .row = {&trmi_slide[0], &trmi_slide[1], &trmi_slide[2], &trmi_rotation[0], &trmi_rotation[1],
            &trmi_rotation[2]},
    .acts = TRMI_ACTS_WITH_BOTH,
    .law = law,
    .parameter = {&trmi_force_between, &trmi_force_at, &trmi_force_frame, &library, &name,
                  &parameters, &signals},
    .size = sizeof(user_force),
    .finish = trmi_finish_at,
    .make = make,
};
