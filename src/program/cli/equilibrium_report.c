// SPDX-License-Identifier: Apache-2.0
#include "program/cli/equilibrium_report.h"

#include "modelling/multibody/mechanism.h"
#include "modelling/reader/model.h"
#include "program/cli/mode_table.h"
#include "program/run/console.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_DIRECTIONS = 10 };

// ---- stability ----

// The directions that are not stable, and the softest of the others.
static void print_directions(const trmi_rest *rest)
{
    static const char *const word[] = {[TRM_STABILITY_STABLE] = "stable",
                                       [TRM_STABILITY_FREE] = "free",
                                       [TRM_STABILITY_UNSTABLE] = "unstable"};
    const trm_equilibrium_report *r = trm_equilibrium_get_report(rest->equilibrium);
    int loose = r->unstable + r->free, shown = loose < r->directions ? loose + 1 : loose;
    int n = trm_model_count(rest->model, TRM_CHANNEL_POSITION);
    for (int k = 0; k < shown && k < SHOWN_DIRECTIONS; k++) {
        const trm_static_direction *d = trm_equilibrium_direction(rest->equilibrium, k);
        trmi_print("  %-12s %.7g", word[d->stability], d->stiffness);
        if (d->imaginary > 0)
            trmi_print(" +- %.7g i", d->imaginary);
        trmi_print(" 1/s^2: ");
        trmi_print_shape(rest->model, n, d->shape, NULL);
        trmi_print("\n");
    }
    if (shown > SHOWN_DIRECTIONS)
        trmi_print("  %-12s and %d more\n", "", shown - SHOWN_DIRECTIONS);
}

// ---- values ----

// roundoff is printed as 0
static void print_values(const trmi_rest *rest, const char *title, trm_channel_kind kind,
                         const double *value)
{
    const trm_model *m = rest->model;
    int count = trm_model_count(m, kind);
    if (count > 0)
        trmi_print("\n%s\n", title);
    double noise = 1e-14 * trmi_max_abs(value, count);
    for (int i = 0; i < count; i++) {
        const char *unit = trm_model_unit(m, kind, i);
        double shown = fabs(value[i]) <= noise ? 0 : value[i];
        trmi_print("  %-24s %16.9g%s%s\n", trm_model_channel(m, kind, i), shown, unit[0] ? " " : "",
                   unit);
    }
}

// The values of `initial` that are positions, for trmi_value_sink: twice, once for the largest.
typedef struct positions {
    bool print;
    double largest;
} positions;

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), more = strlen(end);
    return length >= more && strcmp(text + length - more, end) == 0;
}

static void add_position(void *to, const char *owner, const char *part, double value,
                         const char *unit)
{
    positions *p = to;
    char name[200];
    snprintf(name, sizeof name, "%s%s%s", owner, part[0] ? "_" : "", part);
    if (ends_with(name, "_rate"))
        return;
    if (!p->print)
        p->largest = fmax(p->largest, fabs(value));
    else
        trmi_print("  %-24s %16.9g %s\n", name, fabs(value) <= 1e-14 * p->largest ? 0 : value,
                   unit);
}

// Positions of a mechanism as a file gives them: rotations in space as rotation vectors, and not in
// the coordinates of the solver.
static bool print_start_values(const trmi_rest *rest, const trm_state *s)
{
    positions p = {0};
    trmi_print("\npositions\n");
    for (int pass = 0; pass < 2; pass++) {
        p.print = pass == 1;
        if (!trmi_instance_start_values(rest->instance, s, add_position, &p))
            return false;
    }
    return true;
}

// what is held, by which force, and the parameters found
static void print_trim(const trmi_rest *rest)
{
    const trm_trim *trim = trm_model_trim(rest->model);
    if (trim->n_hold > 0)
        trmi_print("\nheld, by the force\n");
    for (int k = 0; k < trim->n_hold; k++)
        trmi_print("  %-24s %16.9g\n",
                   trm_model_channel(rest->model, TRM_CHANNEL_POSITION, trim->hold[k]),
                   trm_equilibrium_holding_force(rest->equilibrium, k) + 0.0);
    if (rest->founds > 0)
        trmi_print("\nparameters found\n");
    for (int k = 0; k < rest->founds; k++)
        trmi_print("  %-24s %16.9g\n", rest->found[k].name, rest->found[k].value);
}

bool trmi_rest_print(const trmi_rest *rest)
{
    const trm_equilibrium_report *r = trm_equilibrium_get_report(rest->equilibrium);
    const trm_state *s = trm_equilibrium_state(rest->equilibrium);
    const trm_model *m = rest->model;
    const char *verdict = trm_model_trim(m)->steady ? "steady motion"
                          : r->undecided            ? "equilibrium of unknown stability"
                          : r->unstable > 0         ? "unstable equilibrium"
                          : r->free > 0             ? "equilibrium with free directions"
                                                    : "stable equilibrium";
    trmi_print("%s: %s at t = %.9g s\n", trm_model_name(m), verdict, s->t);
    trmi_print("  %-12s %d", "iterations", r->iterations);
    if (r->shifted > 0)
        trmi_print(", %d of them downhill with a shifted stiffness", r->shifted);
    trmi_print("; last correction %.2g\n", r->correction);
    if (r->pushed > 0)
        trmi_print("  %-12s %d unstable equilibri%s on the way\n", "left again", r->pushed,
                   r->pushed == 1 ? "um" : "a");
    trmi_print("  %-12s |v'| %.2g, |x'| %.2g, |g| %.2g\n", "left", r->acceleration, r->rate,
               r->constraint);
    trmi_print("  %-12s %d", "mobility", r->mobility);
    if (r->redundant > 0)
        trmi_print("; %d redundant constraints: their forces are the smallest possible ones",
                   r->redundant);
    trmi_print("\n");
    if (r->undecided && trm_model_trim(m)->steady)
        trmi_print("  %-12s not decided here: %s\n", "stability", r->undecided);
    else if (r->undecided)
        trmi_print("  %-12s stability was not decided: %s\n", "warning", r->undecided);
    print_directions(rest);
    bool mechanism = trm_model_count(m, TRM_CHANNEL_BODY) > 0;
    if (!mechanism)
        print_values(rest, "positions", TRM_CHANNEL_POSITION, s->q);
    else if (!print_start_values(rest, s))
        return false;
    if (trm_model_trim(m)->steady)
        print_values(rest, "velocities", TRM_CHANNEL_VELOCITY, s->v);
    print_trim(rest);
    print_values(rest, "states", TRM_CHANNEL_STATE, s->x);
    print_values(rest, "algebraic variables", TRM_CHANNEL_ALGEBRAIC, s->z);
    print_values(rest, "multipliers", TRM_CHANNEL_MULTIPLIER, s->lambda);
    int poses = trm_model_count(m, TRM_CHANNEL_BODY);
    int reactions = trm_model_count(m, TRM_CHANNEL_REACTION);
    double *value = calloc((size_t)(poses + reactions + 1), sizeof *value);
    if (!value)
        return false;
    trmi_instance_mechanism(rest->instance, s, value);
    if (mechanism && m->mechanism->absolute)
        print_values(rest, "bodies", TRM_CHANNEL_BODY, value);
    print_values(rest, "reactions on second bodies", TRM_CHANNEL_REACTION, value + poses);
    free(value);
    return true;
}

// ---- the start of a run ----

// a trmi_value_sink
static void add_value(void *to, const char *owner, const char *part, double value, const char *unit)
{
    trmi_text *text = to;
    (void)unit;
    TRMI_TEXT_ADD(text, "    ", owner, part[0] ? "_" : "", part, ": ");
    trmi_text_add_number(text, value);
    trmi_text_add(text, "\n");
}

static void add_channels(trmi_text *text, const trm_model *m, trm_channel_kind kind,
                         const double *value)
{
    for (int i = 0; i < trm_model_count(m, kind); i++)
        add_value(text, trm_model_channel(m, kind, i), "", value[i], "");
}

void trmi_rest_write(const trmi_rest *rest, trmi_text *text)
{
    const trm_state *s = trm_equilibrium_state(rest->equilibrium);
    const trm_model *m = rest->model;
    bool steady = trm_model_trim(m)->steady;
    TRMI_TEXT_ADD(text, steady ? "# Steady motion of " : "# Equilibrium of ", trm_model_name(m),
                  ": a run that begins with this section begins ", steady ? "in it" : "at rest",
                  "\n");
    for (int k = 0; k < rest->founds; k++) {
        TRMI_TEXT_ADD(text, "# with the parameter ", rest->found[k].name, ": ");
        trmi_text_add_number(text, rest->found[k].value);
        trmi_text_add(text, "\n");
    }
    trmi_text_add(text, "initial:\n  values:\n");
    if (!trmi_instance_start_values(rest->instance, s, add_value, text))
        text->failed = true;
    add_channels(text, m, TRM_CHANNEL_STATE, s->x);
    add_channels(text, m, TRM_CHANNEL_ALGEBRAIC, s->z);
}

// a trmi_value_sink
static void add_entry(void *to, const char *owner, const char *part, double value, const char *unit)
{
    trmi_text *text = to;
    (void)unit;
    TRMI_TEXT_ADD(text, owner, part[0] ? "_" : "", part, ": ");
    trmi_text_add_number(text, value);
    trmi_text_add(text, ", ");
}

void trmi_rest_write_values(const trmi_rest *rest, trmi_text *text)
{
    static const trm_channel_kind kinds[] = {TRM_CHANNEL_STATE, TRM_CHANNEL_ALGEBRAIC};
    const trm_state *s = trm_equilibrium_state(rest->equilibrium);
    const double *value[] = {s->x, s->z};
    trmi_text_add(text, "initial.values={");
    if (!trmi_instance_start_values(rest->instance, s, add_entry, text))
        text->failed = true;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < trm_model_count(rest->model, kinds[k]); i++)
            add_entry(text, trm_model_channel(rest->model, kinds[k], i), "", value[k][i], "");
    trmi_text_add(text, "}");
}
