// SPDX-License-Identifier: Apache-2.0
// What can be asked of a model that has been read, and its end.
#include "modelling/reader/model_type.h"

#include <string.h>

void trm_model_destroy(trm_model *m)
{
    if (!m)
        return;
    if (m->type && m->type->release)
        m->type->release(m);
    trmi_channel_names_release(m->channel_names);
    trmi_memory_release_all(&m->kept.memory);
    trmi_memory memory = m->memory; // the model lies in it
    trmi_memory_release_all(&memory);
}

const char *trm_model_name(const trm_model *m)
{
    return m ? m->name : "";
}

const char *trm_model_text(const trm_model *m, size_t *length)
{
    if (!m && length)
        *length = 0;
    if (!m)
        return NULL;
    if (length)
        *length = m->text_length;
    return m->text;
}

const trm_options *trm_model_options(const trm_model *m)
{
    return m ? &m->options : NULL;
}

const trm_schedule *trm_model_schedule(const trm_model *m)
{
    return m ? &m->schedule : NULL;
}

int trm_model_count(const trm_model *m, trm_channel_kind kind)
{
    return m && (unsigned)kind < TRM_CHANNEL_KINDS ? m->names[kind].count : 0;
}

const char *trm_model_unit(const trm_model *m, trm_channel_kind kind, int index)
{
    const trmi_names *names =
        index >= 0 && index < trm_model_count(m, kind) ? &m->names[kind] : NULL;
    return names ? names->unit[index % names->units] : NULL;
}

trm_event_action trm_model_event_action(const trm_model *m, int event)
{
    return m && event >= 0 && event < m->events ? m->event[event].action : TRM_EVENT_LOG;
}

const char *trm_model_event_text(const trm_model *m, int event)
{
    return m && event >= 0 && event < m->events ? m->event[event].text : "";
}

trmi_line_column trmi_model_row_place(const trm_model *m, int row)
{
    return m->type->row_place ? m->type->row_place(m, row) : (trmi_line_column){0};
}

const trmi_machine *trmi_model_machine(const trm_model *m)
{
    return m->type->machine ? m->type->machine(m) : NULL;
}

void trmi_model_describe(const trm_model *m, const trm_simulation *simulation, const char **text)
{
    if (m->type->describe)
        m->type->describe(m, simulation, text);
}

void trmi_model_mark_open(const trm_model *m, const trm_simulation *simulation, bool *open)
{
    bool *multiplier = open;
    if (m->type->mark_open)
        m->type->mark_open(m, simulation, open);
    for (int kind = 0; kind < TRM_CHANNEL_MULTIPLIER; kind++)
        multiplier += trm_model_count(m, (trm_channel_kind)kind);
    for (int i = 0; i < trm_model_count(m, TRM_CHANNEL_MULTIPLIER); i++)
        multiplier[i] = !trm_simulation_row_unique(simulation, i);
}

bool trmi_model_remember(trm_model *m, const trm_system *system, const trm_state *state)
{
    const int n = m->system.n_memories;
    double *copy;
    if (n == 0 || system->n_memories != n)
        return true;
    if (!TRMI_TAKE(&m->memory, copy, n))
        return false;
    memcpy(copy, state->held + system->first_memory, (size_t)n * sizeof *copy);
    m->remembered = copy;
    return true;
}

bool trmi_model_has_powers(const trm_model *m)
{
    return m->type->powers != NULL;
}
