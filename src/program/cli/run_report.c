// SPDX-License-Identifier: Apache-2.0
#include "program/cli/run_report.h"

#include "program/run/console.h"

#include <math.h>

static void print_balance(FILE *out, const trmi_run *run)
{
    const trmi_balance *b = &run->balance;
    if (isnan(b->t))
        trmi_print_to(out, "  %-12s not known: %s\n", "balance",
                      trm_model_count(run->request.model, TRM_CHANNEL_BODY) > 0
                          ? "an earlier part ran without --energy"
                          : "only a mechanism knows its powers");
    else {
        double defect = trmi_balance_defect(b);
        trmi_print_to(out, "  %-12s %.9g J put in, %.9g J dissipated, defect %.2g J", "balance",
                      b->work[0], b->work[1], defect);
        if (b->error > fabs(defect))
            trmi_print_to(out, ", known to %.1g J", b->error);
        trmi_print_to(out, "\n");
    }
}

// rows that take longer are counted apart
static const double NOTABLE_SECONDS = 0.5;

// which methods auto has used, and how long
static void print_methods(FILE *out, const trm_simulation *simulation)
{
    trm_method_share share;
    if (!trm_simulation_method(simulation, 0, &share))
        return; // no step
    trmi_print_to(out, "  %-12s ", "auto");
    for (int k = 0; trm_simulation_method(simulation, k, &share); k++)
        trmi_print_to(out, "%s%s %ld steps for %.4g s", k ? ", " : "", share.name, share.steps,
                      share.time);
    trmi_print_to(out, "\n");
}

void trmi_run_print_end(FILE *out, const trmi_run *run)
{
    const trm_statistics *s = trm_simulation_statistics(run->simulation);
    const trm_options *o = trmi_run_options(run);
    bool apart = run->output_seconds > NOTABLE_SECONDS; // from the steps
    trmi_print_to(out, "%s: %s at t = %.9g s%s%s\n", trm_model_name(run->request.model),
                  trmi_run_outcome_text(run), trm_simulation_state(run->simulation)->t,
                  run->stopped_by[0] ? ", stopped by event " : "", run->stopped_by);
    const trm_start_report *start = trm_simulation_start(run->simulation);
    trmi_print_to(out, "  %-12s %s, %s, rtol %g, %s solver\n", "method", start->integrator,
                  start->formulation, o->rtol, start->solver);
    if (start->because[0])
        trmi_print_to(out, "  %-12s %s, because %s\n", "auto", start->integrator, start->because);
    else if (o->integrator == TRM_INTEGRATOR_AUTO)
        print_methods(out, run->simulation);
    trmi_print_to(out, "  %-12s %ld in %.3g s; rejected %ld by the error test, %ld by Newton",
                  "steps", s->steps, run->wall_seconds - (apart ? run->output_seconds : 0),
                  s->rejected_error, s->rejected_newton);
    if (s->repeated > 0)
        trmi_print_to(out, ", %ld by rows", s->repeated);
    trmi_print_to(out, "\n");
    if (apart)
        trmi_print_to(out, "  %-12s %ld in %.3g s\n", "rows", run->rows, run->output_seconds);
    trmi_print_to(out, "  %-12s %ld residuals, %ld Jacobian%s, %ld factorizations\n", "work",
                  s->residual_evaluations, s->jacobian_evaluations,
                  s->jacobian_evaluations == 1 ? "" : "s", s->factorizations);
    trmi_print_to(out, "  %-12s |g| <= %.2g, |G v + g_t| <= %.2g\n", "constraints",
                  s->position_residual_max, s->velocity_residual_max);
    if (!isnan(run->energy_start))
        trmi_print_to(out, "  %-12s %.9g J at the start, %.9g J at the end\n", "energy",
                      run->energy_start, run->energy_end);
    if (run->request.energy)
        print_balance(out, run);
    if (run->events > 0)
        trmi_print_to(out, "  %-12s %ld\n", "events", run->events);
    char accuracy[300];
    trmi_accuracy_text(run, accuracy, sizeof accuracy);
    trmi_print_to(out, "  %-12s %s\n", "accuracy", accuracy);
}
