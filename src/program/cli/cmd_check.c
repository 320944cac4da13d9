// SPDX-License-Identifier: Apache-2.0
// trammel check: reads, assembles and judges a model without running it.
#include "base/error.h"
#include "modelling/multibody/assembly.h"
#include "modelling/reader/model.h"
#include "program/cli/command.h"
#include "program/cli/complaints.h"
#include "program/cli/mechanism_report.h"
#include "program/cli/report.h"
#include "program/files/format.h"
#include "program/files/hdf5/layout.h"
#include "program/plot/matrix_picture.h"
#include "trammel/check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const trmi_flag flags[] = {
    {"set", 's', "PATH=VALUE", "override a key of the file", NULL},
    TRMI_FLAG_ALLOW_CODE,
    {"tolerance", '\0', "NUMBER", "largest relative error of a derivative (1e-6)", NULL},
    {"pattern", '\0', "FILE", "draw the Newton matrix as SVG and count its entries and groups",
     NULL},
    {NULL, '\0', NULL, NULL, NULL},
};

// "1 position", "2 positions"
static void print_count(const char *before, int count, const char *what)
{
    trmi_print("%s%d %s%s", before, count, what, count == 1 ? "" : "s");
}

static void print_unknowns(const trm_model *m, const trm_start_report *start, const trm_system *s)
{
    trmi_print("%s: %s\n", m->path, trm_model_name(m));
    trmi_print("  %-14s ", "unknowns");
    print_count("", s->n_q, "position");
    if (s->n_x > 0)
        print_count(", ", s->n_x, "state");
    if (s->n_z > 0)
        print_count(", ", s->n_z, "algebraic variable");
    if (s->n_u > 0)
        trmi_print("\n  %-14s %d", "inputs", s->n_u);
    trmi_print("\n  %-14s %d", "constraints", s->n_g + s->n_a);
    if (s->n_a > 0)
        trmi_print(", %d of them on velocities", s->n_a);
    trmi_print("; rank %d, mobility %d\n", start->rank, start->mobility);
}

// of the result file without its steps, at most
static double result_bytes(const trm_model *m)
{
    const trm_schedule *s = trm_model_schedule(m);
    double rows = trmi_schedule_rows(s), bytes = trmi_hdf5_base_bytes();
    int named = 0;
    size_t text;
    trm_model_text(m, &text);
    for (int kind = 0; kind < TRM_CHANNEL_KINDS; kind++) {
        int count = trm_model_count(m, (trm_channel_kind)kind);
        bytes += trmi_hdf5_group_bytes(count, rows);
        if (s->verify != 0) // the errors of all of them
            bytes += trmi_hdf5_error_bytes(count, rows);
        named += count;
    }
    return bytes + trmi_hdf5_group_bytes(trmi_model_channels(m) - named, rows) + (double)text;
}

static void print_start(const trm_start_report *r, const trm_model *m)
{
    // a mechanism was assembled before the simulation saw it
    const trmi_assembly *assembly = m->assembly;
    trmi_print("  %-14s |g| %.2g -> %.2g in %d iterations, |G v + g_t| %.2g -> %.2g, "
               "|G a + gamma| %.2g\n",
               "start", assembly ? assembly->before : r->position_before, r->position_after,
               r->position_iterations + (assembly ? assembly->iterations : 0),
               assembly ? assembly->rate_before : r->velocity_before, r->velocity_after,
               r->acceleration_after);
    trmi_print("  %-14s %s\n", "linear solver", r->solver);
    const trm_schedule *s = trm_model_schedule(m);
    if (s->output_interval > 0)
        trmi_print(
            "  %-14s %.0f rows of %d channels, at most %.3g MB and %zu bytes for each step\n",
            "result file", trmi_schedule_rows(s), trmi_model_channels(m), 1e-6 * result_bytes(m),
            TRMI_STEP_COLUMNS * sizeof(double));
}

// A copy of a part of the state, moved by small fixed amounts, so that entries that vanish at the
// start are seen too.
static double *copy_part(const double *value, int n, double relative, double absolute)
{
    double *copy = calloc((size_t)n + 1, sizeof *copy);
    for (int i = 0; copy && i < n; i++) {
        double shift = sin(1.0 + 2.0 * i); // some number between -1 and 1
        double x = value && isfinite(value[i]) ? value[i] : 0;
        copy[i] = x + shift * (relative * fabs(x) + absolute);
    }
    return copy;
}

// Compares with states and algebraic variables, a pressure of 1e6 Pa, as large as they are.
static trm_status compare(const trm_system *system, const trm_state *at, double tolerance,
                          trm_derivative_report *report, trm_error *error)
{
    trm_system s = *system;
    const double **scales[] = {&s.q_scale, &s.v_scale, &s.x_scale, &s.z_scale};
    const double *const value[] = {NULL, NULL, at->x, at->z};
    const int n[] = {s.n_q, s.n_q, s.n_x, s.n_z};
    double *own[4] = {NULL};
    trm_status status = TRM_OK;
    for (int k = 0; k < 4; k++) {
        own[k] = calloc((size_t)n[k] + 1, sizeof *own[k]);
        if (!own[k])
            status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory");
        for (int i = 0; own[k] && i < n[k]; i++)
            own[k][i] = *scales[k] ? (*scales[k])[i] : value[k] ? fmax(1, fabs(value[k][i])) : 1;
        *scales[k] = own[k];
    }
    if (status == TRM_OK)
        status = trm_system_check_derivatives(&s, at, tolerance, report, error);
    for (int k = 0; k < 4; k++)
        free(own[k]);
    return status;
}

// Derivatives at the start, or (moved) near it. A state that cannot be evaluated is not a verdict;
// with `kink` a disagreement is reported, but no error. The exit code.
static int check_derivatives(const trm_instance *instance, const trm_state *state, bool moved,
                             double tolerance, bool kink, const trmi_console *console)
{
    const trm_system *s = trm_instance_system(instance);
    const double r = moved ? 1 : 0;
    double *part[] = {copy_part(state->q, s->n_q, 1e-3 * r, 1e-4 * r),
                      copy_part(state->v, s->n_q, 0.1 * r, 0.1 * r),
                      copy_part(state->a, s->n_q, 0.1 * r, r),
                      copy_part(state->x, s->n_x, 0.01 * r, 0.01 * r),
                      copy_part(state->z, s->n_z, 1e-4 * r, 1e-5 * r),
                      copy_part(state->lambda, s->n_g + s->n_a, 0.1 * r, moved && !s->n_z ? 1 : 0)};
    const trm_state at = {state->t, part[0], part[1],  part[2],    part[3],
                          part[4],  part[5], state->u, state->held};
    trm_derivative_report report = {0};
    trm_error error = {.text = "no memory"};
    trm_status status = TRM_ERR_MEMORY;
    if (part[0] && part[1] && part[2] && part[3] && part[4] && part[5])
        status = compare(s, &at, tolerance, &report, &error);
    for (int k = 0; k < 6; k++)
        free(part[k]);
    const char *where = moved ? "near the start" : "at the start";
    if (status == TRM_ERR_MEMORY)
        return trmi_exit_with(TRMI_EXIT_FAILED, "no memory to compare derivatives %s", where);
    if (status == TRM_ERR_DERIVATIVE && !kink)
        trmi_print_error(console, where, &error);
    else if (console->level == 0)
        ;
    else if (status == TRM_OK)
        trmi_print("  %-14s %s: %d compared with differences, largest relative error %.2g\n",
                   "derivatives", where, report.quantities, report.error);
    else
        trmi_print("  %-14s %s: %s %s\n", "derivatives", where,
                   status == TRM_ERR_DERIVATIVE ? "a kink?" : "not compared:", error.text);
    return status == TRM_ERR_DERIVATIVE && !kink ? TRMI_EXIT_MODEL : TRMI_EXIT_DONE;
}

// The pattern of the Newton matrix near the start: its picture, entries and groups of columns.
static int draw_pattern(const trm_model *m, const trm_system *system, const trm_state *state,
                        const char *path, const trmi_console *console)
{
    trmi_memory memory;
    trmi_newton_pattern p, declared, dependent;
    trm_error error = trmi_no_error();
    trmi_memory_init(&memory, NULL);
    int code = TRMI_EXIT_DONE;
    if (trmi_newton_pattern_create(&p, &memory, TRMI_PATTERN_FOUND, system, state, &error) !=
            TRM_OK ||
        trmi_newton_pattern_create(&declared, &memory, TRMI_PATTERN_DECLARED, system, state,
                                   &error) != TRM_OK ||
        trmi_newton_pattern_create(&dependent, &memory, TRMI_PATTERN_DEPENDENT, system, state,
                                   &error) != TRM_OK)
        code = trmi_exit_after(TRMI_EXIT_FAILED, console, m->path, &error);
    else if (trmi_matrix_picture_write(path, &p, trm_model_name(m), &error) != TRM_OK)
        code = trmi_exit_after(TRMI_EXIT_RESULTS, console, m->path, &error);
    else if (console->level > 0)
        trmi_print("  %-14s %d x %d, %d entries (%.1f %%), %d groups of columns, at least %d are "
                   "needed\n  %-14s the structure has %d entries, %d groups of columns\n",
                   "Newton matrix", p.n, p.n, p.count, 100.0 * p.count / ((double)p.n * p.n),
                   p.groups.count, p.groups.bound, "", declared.count, declared.groups.count);
    if (code == TRMI_EXIT_DONE && console->level > 0 && dependent.count < declared.count)
        trmi_print("  %-14s %d of them without coordinates on which constraints never depend\n", "",
                   dependent.count);
    trmi_memory_release_all(&memory);
    return code;
}

// Prints the first few diagnostics and counts them all.
typedef struct counted_print {
    const trmi_console *console;
    int count;
    trm_diagnostic last; // without its text
} counted_print;

static void print_counted(const trm_diagnostic *d, void *user)
{
    counted_print *p = user;
    p->last = *d;
    if (++p->count <= TRMI_SHOWN_OF_A_KIND)
        trmi_print_diagnostic(d, (void *)p->console);
}

static void print_redundant(const trm_model *m, const trm_simulation *simulation,
                            const trmi_console *console)
{
    counted_print p = {.console = console};
    trmi_report_redundant(m, simulation, print_counted, &p);
    if (p.count <= TRMI_SHOWN_OF_A_KIND)
        return;
    char text[80];
    int more = p.count - TRMI_SHOWN_OF_A_KIND;
    snprintf(text, sizeof text, "and %d more redundant constraint%s, the last one here", more,
             more == 1 ? "" : "s");
    p.last.text = text;
    trmi_print_diagnostic(&p.last, (void *)console);
}

static int judge(const trm_model *m, const trmi_console *console, double tolerance,
                 const char *pattern)
{
    trm_instance *instance = NULL;
    trm_simulation *simulation = NULL;
    trm_error error = trmi_no_error();
    trm_options options = *trm_model_options(m);
    int code = TRMI_EXIT_DONE;
    trm_status status = trm_instance_create(&instance, m, &error);
    if (status == TRM_OK)
        status = trm_simulation_create(&simulation, trm_instance_system(instance), &options,
                                       trm_instance_initial(instance), &error);
    if (status != TRM_OK) {
        trmi_instance_explain(instance, &error);
        trmi_print_model_error(console, m, &error);
        bool model = status == TRM_ERR_OPTION || status == TRM_ERR_SYSTEM;
        code = model ? TRMI_EXIT_MODEL : TRMI_EXIT_INITIAL;
    } else {
        const trm_start_report *start = trm_simulation_start(simulation);
        if (console->level > 0) {
            print_unknowns(m, start, &m->system);
            trmi_print_mechanism(m);
            trmi_print_shared(m, simulation);
            print_start(start, m);
        }
        const trm_state *state = trm_simulation_state(simulation);
        code = check_derivatives(instance, state, true, tolerance, false, console);
        // a kink just there, as abs and sign have at rest, is not a mistake
        int there = code != TRMI_EXIT_FAILED ? check_derivatives(instance, state, false, tolerance,
                                                                 code == TRMI_EXIT_DONE, console)
                                             : code;
        code = there == TRMI_EXIT_FAILED ? there : code;
        code = trmi_flush_output(code);
        print_redundant(m, simulation, console);
        trmi_report_locked(m, start, trmi_print_diagnostic, (void *)console);
        if (pattern && code == TRMI_EXIT_DONE)
            code = draw_pattern(m, trm_instance_system(instance), state, pattern, console);
    }
    trm_simulation_destroy(simulation);
    trm_instance_destroy(instance);
    return code;
}

static int run(const trmi_arguments *a)
{
    const trmi_console console = trmi_console_of(a);
    double tolerance = 1e-6;
    if (!trmi_flag_number(a, "tolerance", DBL_MIN, DBL_MAX, "a positive number", &tolerance))
        return TRMI_EXIT_USAGE;
    const char *pattern = trmi_flag_value(a, "pattern");
    if (pattern && strcmp(pattern, "-") == 0)
        return trmi_exit_with(TRMI_EXIT_USAGE,
                              "--pattern needs a file: the standard output has the report");
    int code = TRMI_EXIT_MODEL;
    trm_model *model = trmi_load_model(a, a->word[0], &console, &code);
    if (!model)
        return code;
    code = judge(model, &console, tolerance, pattern);
    trm_model_destroy(model);
    return code;
}

const trmi_command trmi_cmd_check = {
    "check",
    "MODEL",
    1,
    1,
    "judge a model without running it",
    "Prints mobility and rank, redundant constraints by name, how far the initial state is from\n"
    "a consistent one, and compares every derivative with differences. The Newton matrix of\n"
    "--pattern has all unknowns of the stabilized index-2 form: positions, velocities, states,\n"
    "multipliers; columns of a group have no row in common and one colour.",
    flags,
    run,
};
