// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/rows/relation.h"

#include "modelling/multibody/slots.h"

#include <float.h>
#include <math.h>

static const trmi_relation *relation_of(const trmi_mechanism *m, int joint)
{
    return trmi_extra_of(&m->joint[joint]).relation;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// arrays for the largest function in C
static bool take_code(trmi_code_work *work, trmi_memory *memory, const trmi_mechanism *m)
{
    int first = 0, second = 0, arguments = 0;
    for (int j = 0; j < m->joints; j++) {
        const trmi_relation *r = relation_of(m, j);
        if (!r || !r->code)
            continue;
        first = larger(first, r->arguments * (2 + r->signals) + r->parameters);
        second = larger(second, r->arguments * (1 + r->signals + r->signals * r->signals));
        arguments = larger(arguments, r->arguments);
    }
    return TRMI_TAKE(memory, work->first, first) && TRMI_TAKE(memory, work->second, second) &&
           TRMI_TAKE(memory, work->value, arguments) && TRMI_TAKE(memory, work->h_a, arguments) &&
           TRMI_TAKE(memory, work->h_ab, arguments * arguments) &&
           TRMI_TAKE(memory, work->plus, arguments) && TRMI_TAKE(memory, work->minus, arguments);
}

bool trmi_relation_work_create(trmi_relation_work **out, trmi_memory *memory,
                               const trmi_mechanism *m, int columns)
{
    int registers = 0, n = 0;
    for (int j = 0; j < m->joints; j++) {
        const trmi_relation *r = relation_of(m, j);
        int end = r ? r->first + trmi_tape_registers(r->tape) : 0;
        registers = end > registers ? end : registers;
        n = r && r->signals > n ? r->signals : n;
    }
    *out = NULL;
    if (registers == 0)
        return true;
    trmi_relation_work *work;
    if (!TRMI_TAKE(memory, work, 1) || !TRMI_TAKE(memory, work->reg, registers) ||
        !TRMI_TAKE(memory, work->set, n) || !TRMI_TAKE(memory, work->first, 2 + n) ||
        !TRMI_TAKE(memory, work->second, 1 + n + n * n) ||
        !TRMI_TAKE(memory, work->gradient, n * columns) || !take_code(&work->code, memory, m))
        return false;
    work->columns = columns;
    *out = work;
    trmi_relation_set_parameters(work, m, NULL);
    return true;
}

void trmi_relation_set(const trmi_relation *r, trmi_relation_work *work, const trmi_mechanism *m,
                       const double *parameters)
{
    const double *value = parameters ? parameters : r->value;
    for (int k = 0; k < m->parameters; k++)
        work->reg[r->first + r->parameter + k] = value[k];
    trmi_tape_prepare(r->tape, work->reg + r->first);
}

void trmi_relation_set_parameters(trmi_relation_work *work, const trmi_mechanism *m,
                                  const double *parameters)
{
    for (int j = 0; j < m->joints && work; j++)
        if (relation_of(m, j))
            trmi_relation_set(relation_of(m, j), work, m, parameters);
}

// u, u', u'' of the inputs of the file, the last ones of all drives
static void set_inputs(const trmi_relation *r, const trmi_kinematics *k, const trm_state *state,
                       double *reg)
{
    for (int level = 0; level < 3; level++)
        for (int i = 0; i < r->inputs && state->u; i++)
            reg[r->u + level * r->inputs + i] =
                state->u[(level + 1) * k->tree->n_u - r->inputs + i];
}

// ---- functions in C ----

static int call_code(const trmi_relation *r, const trmi_code_work *c, double *h, double *h_a,
                     double *h_ab)
{
    const double *parameter = c->first + (ptrdiff_t)r->arguments * (2 + r->signals);
    trmi_clear(h_a, r->arguments);
    if (h_ab)
        trmi_clear(h_ab, r->arguments * r->arguments);
    return r->code->constraint(parameter, c->value, h, h_a, h_ab, r->code->user);
}

// h_ab from central differences of h_a, the mean of both orders
static int differentiate_code(const trmi_relation *r, const trmi_code_work *c)
{
    const int m = r->arguments;
    int failed = 0;
    double unused;
    trmi_clear(c->h_ab, m * m);
    for (int b = 0; b < m && !failed; b++) {
        double kept = c->value[b], step = cbrt(DBL_EPSILON) * (1 + fabs(kept));
        c->value[b] = kept + step;
        failed = call_code(r, c, &unused, c->plus, NULL);
        c->value[b] = kept - step;
        failed = failed ? failed : call_code(r, c, &unused, c->minus, NULL);
        c->value[b] = kept;
        for (int a = 0; a < m && !failed; a++) {
            double slope = (c->plus[a] - c->minus[a]) / (2 * step);
            c->h_ab[a * m + b] += slope / 2;
            c->h_ab[b * m + a] += slope / 2;
        }
    }
    return failed;
}

// f_ij at i, j = 0 .. n of t and the signals
static double second_of(const trmi_relation *r, const trmi_code_work *c, int i, int j, int place)
{
    const int n = r->signals, m = r->arguments, first = 2 + n, second = 1 + n + n * n;
    double sum = 0;
    for (int a = 0; a < m; a++) {
        sum += c->h_a[a] * c->second[a * second + place];
        for (int b = 0; b < m; b++)
            sum += c->h_ab[a * m + b] * c->first[a * first + 1 + i] * c->first[b * first + 1 + j];
    }
    return sum;
}

// first and second derivatives of f = h(a) from those of the formulas a
static void combine(const trmi_relation *r, trmi_relation_work *work, bool second)
{
    const trmi_code_work *c = &work->code;
    const int n = r->signals;
    int place = 0;
    trmi_clear(work->first + 1, 1 + n);
    for (int a = 0; a < r->arguments; a++)
        for (int i = 0; i <= n; i++)
            work->first[1 + i] += c->h_a[a] * c->first[a * (2 + n) + 1 + i];
    for (int i = 0; i <= n && second; i++)
        for (int j = i > 0; j <= n; j++, place++)
            work->second[place] = second_of(r, c, i, j, place);
}

static void run_code(const trmi_relation *r, trmi_relation_work *work, const double *reg,
                     bool second)
{
    const trmi_code_work *c = &work->code;
    bool own = second && !r->code->differences;
    trmi_tape_fetch(r->tape, reg, TRMI_RELATION_FIRST, c->first);
    if (second)
        trmi_tape_fetch(r->tape, reg, TRMI_RELATION_SECOND, c->second);
    for (int a = 0; a < r->arguments; a++)
        c->value[a] = c->first[a * (2 + r->signals)];
    int failed = call_code(r, c, work->first, c->h_a, own ? c->h_ab : NULL);
    if (!failed && second && !own)
        failed = differentiate_code(r, c);
    for (int a = 0; a < r->arguments && failed; a++)
        c->h_a[a] = NAN; // and so are all derivatives
    if (failed)
        work->first[0] = NAN;
    combine(r, work, second);
}

void trmi_relation_at(const trmi_relation *relation, trmi_relation_work *work,
                      const trmi_row_set *set, const trmi_kinematics *k, const trm_state *state,
                      bool second)
{
    double *reg = work->reg + relation->first;
    reg[relation->time] = state->t;
    set_inputs(relation, k, state, reg);
    for (int i = 0; i < relation->signals; i++) {
        trmi_set_at(&work->set[i], &set[i], k, state);
        reg[relation->input[i]] = work->set[i].value[0].p;
    }
    trmi_tape_run(relation->tape, reg,
                  (uint64_t)1 << TRMI_RELATION_FIRST |
                      (second ? (uint64_t)1 << TRMI_RELATION_SECOND : 0));
    if (relation->code) {
        run_code(relation, work, reg, second);
        return;
    }
    trmi_tape_fetch(relation->tape, reg, TRMI_RELATION_FIRST, work->first);
    if (second)
        trmi_tape_fetch(relation->tape, reg, TRMI_RELATION_SECOND, work->second);
}

double trmi_relation_turning(const trmi_relation *relation, const trmi_relation_work *work, int i)
{
    int n = relation->signals;
    double sum = work->second[1 + i];
    for (int j = 0; j < n; j++)
        sum += work->second[1 + n + i * n + j] * trmi_set_rate(&work->set[j], 0);
    return sum;
}

// sum (c_i + f_ti) p_i' + f_tt
double trmi_relation_bias(const trmi_relation *relation, const trmi_relation_work *work)
{
    double sum = work->second[0];
    for (int i = 0; i < relation->signals; i++)
        sum += (trmi_relation_turning(relation, work, i) + work->second[1 + i]) *
               trmi_set_rate(&work->set[i], 0);
    return sum;
}
