// SPDX-License-Identifier: Apache-2.0
// The numbers of a summary by name.
#include "program/run/summary_fields.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static double events_of(const trmi_run *run)
{
    return (double)run->events;
}

static double energy_start_of(const trmi_run *run)
{
    return run->energy_start;
}

static double energy_end_of(const trmi_run *run)
{
    return run->energy_end;
}

static double energy_work_of(const trmi_run *run)
{
    return run->balance.work[0];
}

static double energy_dissipated_of(const trmi_run *run)
{
    return run->balance.work[1];
}

static double energy_jumps_of(const trmi_run *run)
{
    return run->balance.jumps;
}

static double energy_defect_of(const trmi_run *run)
{
    return trmi_balance_defect(&run->balance);
}

static double energy_defect_error_of(const trmi_run *run)
{
    return run->balance.error;
}

// name, kind, and where it is: in the statistics, or by a function
typedef struct field {
    const char *name;
    trmi_summary_kind kind;
    size_t offset;
    double (*value)(const trmi_run *run);
} field;

#define COUNTER(name)                                                                              \
    {                                                                                              \
#name, TRMI_SUMMARY_COUNTER, offsetof(trm_statistics, name), NULL                          \
    }
#define EXTREME(name)                                                                              \
    {                                                                                              \
#name, TRMI_SUMMARY_EXTREME, offsetof(trm_statistics, name), NULL                          \
    }

static const field table[] = {
    COUNTER(steps),
    COUNTER(rejected_error),
    COUNTER(rejected_newton),
    COUNTER(repeated),
    COUNTER(newton_iterations),
    COUNTER(residual_evaluations),
    COUNTER(residual_evaluations_for_jacobian),
    COUNTER(jacobian_evaluations),
    COUNTER(jacobian_updates),
    COUNTER(jacobian_dense_evaluations),
    COUNTER(jacobian_groups),
    COUNTER(jacobian_nonzeros),
    COUNTER(factorizations),
    COUNTER(solves),
    COUNTER(split_changes),
    COUNTER(near_singular_steps),
    COUNTER(recentrings),
    COUNTER(coupled_steps),
    EXTREME(position_residual_max),
    EXTREME(velocity_residual_max),
    {"events", TRMI_SUMMARY_EVENTS, 0, events_of},
    {"energy_start", TRMI_SUMMARY_ENERGY, 0, energy_start_of},
    {"energy_end", TRMI_SUMMARY_ENERGY, 0, energy_end_of},
    {"energy_work", TRMI_SUMMARY_BALANCE, 0, energy_work_of},
    {"energy_dissipated", TRMI_SUMMARY_BALANCE, 0, energy_dissipated_of},
    {"energy_jumps", TRMI_SUMMARY_BALANCE, 0, energy_jumps_of},
    {"energy_defect", TRMI_SUMMARY_BALANCE, 0, energy_defect_of},
    {"energy_defect_error", TRMI_SUMMARY_BALANCE, 0, energy_defect_error_of},
};

int trmi_summary_fields(void)
{
    return (int)(sizeof table / sizeof *table);
}

const char *trmi_summary_name(int index)
{
    return table[index].name;
}

trmi_summary_kind trmi_summary_kind_of(int index)
{
    return table[index].kind;
}

double trmi_summary_value(const trmi_run *run, int index)
{
    static const trm_statistics none;
    const field *f = &table[index];
    if (f->value)
        return f->value(run);
    const char *at =
        (const char *)(run->simulation ? trm_simulation_statistics(run->simulation) : &none) +
        f->offset;
    long count;
    double value;
    if (f->kind == TRMI_SUMMARY_COUNTER)
        memcpy(&count, at, sizeof count);
    else
        memcpy(&value, at, sizeof value);
    return f->kind == TRMI_SUMMARY_COUNTER ? (double)count : value;
}
