// SPDX-License-Identifier: Apache-2.0
#include "program/cli/complaints.h"

#include "modelling/reader/model.h"

#include <stdio.h>

static void report_row(const trm_model *m, const trm_simulation *simulation, int row,
                       trm_diagnostic_function *report, void *user)
{
    const trm_system *s = &m->system;
    const trm_start_report *start = trm_simulation_start(simulation);
    int from = trm_simulation_row_follows(simulation, row);
    char text[400], other[120] = "; it is fulfilled whatever moves (gradient 0)";
    if (from >= 0)
        snprintf(other, sizeof other, "; it follows from others, most of all from '%.60s'",
                 trm_model_channel(m, TRM_CHANNEL_MULTIPLIER, from));
    snprintf(text, sizeof text,
             "constraint '%.60s' is redundant (%d coordinates, %d constraints, rank %d, "
             "mobility %d)%s",
             trm_model_channel(m, TRM_CHANNEL_MULTIPLIER, row), s->n_q, s->n_g + s->n_a,
             start->rank, start->mobility, other);
    trmi_line_column place = trmi_model_row_place(m, row);
    const trm_diagnostic d = {
        .error = 0, .file = m->path, .line = place.line, .column = place.column, .text = text};
    report(&d, user);
}

void trmi_report_redundant(const trm_model *m, const trm_simulation *simulation,
                           trm_diagnostic_function *report, void *user)
{
    for (int i = 0; i < m->system.n_g + m->system.n_a; i++)
        if (trm_simulation_row_redundant(simulation, i))
            report_row(m, simulation, i, report, user);
}

void trmi_report_locked(const trm_model *m, const trm_start_report *start,
                        trm_diagnostic_function *report, void *user)
{
    if (!trmi_model_machine(m) || start->mobility > 0 || m->system.n_u > 0)
        return;
    char text[200];
    snprintf(text, sizeof text,
             "nothing can move: %d constraints of rank %d hold %d coordinates (mobility 0)",
             m->system.n_g + m->system.n_a, start->rank, m->system.n_q);
    const trm_diagnostic d = {.file = m->path, .text = text};
    report(&d, user);
}
