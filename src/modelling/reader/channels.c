// SPDX-License-Identifier: Apache-2.0
// Which channels a run writes: those that a pattern of `outputs.channels` fits, "GROUP/NAME" or
// only the name; all without it, but for those of forces where they are very many.
#include "modelling/reader/reading.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

const char *const trmi_channel_group[TRM_CHANNEL_KINDS] = {
    "position",   "velocity", "acceleration", "state",    "algebraic",
    "multiplier", "output",   "body",         "reaction", "force"};

const trmi_own_channel trmi_own_channels[TRMI_OWN_CHANNELS] = {
    [TRMI_OWN_KINETIC] = {"energy", "kinetic", "J", "kinetic energy"},
    [TRMI_OWN_POTENTIAL] = {"energy", "potential", "J", "potential energy"},
    [TRMI_OWN_TOTAL] = {"energy", "total", "J", "total energy"},
    [TRMI_OWN_POSITION_RESIDUAL] = {"constraint", "position", "", "largest |g| at the last step"},
    [TRMI_OWN_VELOCITY_RESIDUAL] = {"constraint", "velocity", "",
                                    "largest |G v + g_t| at the last step"},
};

static bool fits(const char *pattern, const char *group, const char *name)
{
    char full[300];
    snprintf(full, sizeof full, "%s/%.250s", group, name);
    return fnmatch(pattern, full, 0) == 0 || fnmatch(pattern, name, 0) == 0;
}

bool trmi_model_writes(const trm_model *m, const char *group, const char *name)
{
    for (int k = 0; k < m->patterns; k++)
        if (fits(m->pattern[k], group, name))
            return true;
    return m->patterns == 0;
}

// a trmi_channel_visit: false ends the walk
typedef bool channel_visit(void *to, const char *group, const char *name);

static void walk_channels(const trm_model *m, channel_visit *visit, void *to)
{
    for (int kind = 0; kind < TRM_CHANNEL_KINDS; kind++)
        for (int i = 0; i < trm_model_count(m, (trm_channel_kind)kind); i++)
            if (!visit(to, trmi_channel_group[kind],
                       trm_model_channel(m, (trm_channel_kind)kind, i)))
                return;
    for (int k = 0; k < TRMI_OWN_CHANNELS; k++)
        if (!visit(to, trmi_own_channels[k].group, trmi_own_channels[k].name))
            return;
}

typedef struct written {
    const trm_model *model;
    int count;
} written;

static bool count_written(void *to, const char *group, const char *name)
{
    written *w = to;
    w->count += trmi_model_writes(w->model, group, name);
    return true;
}

// with the time
int trmi_model_channels(const trm_model *m)
{
    written w = {m, 1};
    if (m->patterns > 0) {
        walk_channels(m, count_written, &w);
        return w.count;
    }
    w.count += TRMI_OWN_CHANNELS;
    for (int kind = 0; kind < TRM_CHANNEL_KINDS; kind++)
        w.count += m->names[kind].count;
    return w.count;
}

// ---- reading ----

void trmi_take_channels(trmi_reading *r)
{
    trmi_item *outputs = trmi_item_find(r->root, "outputs");
    const trmi_item *list = trmi_item_find(outputs, "channels");
    const char **pattern;
    int k = 0;
    for (trmi_item **i = list ? &outputs->child : NULL; i && *i; i = &(*i)->next)
        if (*i == list) {
            *i = list->next;
            outputs->count--;
            break;
        }
    if (!list || list->kind != TRMI_LIST)
        return; // reported with the keys
    if (!TRMI_TAKE(r->memory, pattern, list->count)) {
        r->failed = true;
        return;
    }
    for (const trmi_item *i = list->child; i; i = i->next)
        if (i->kind == TRMI_SCALAR && i->text)
            r->failed = !(pattern[k++] = trmi_keep_text(r, i->text)) || r->failed;
    r->channels = list;
    r->model->pattern = pattern;
    r->model->patterns = r->failed ? 0 : k;
}

typedef struct search {
    const char *pattern;
    bool found;
} search;

static bool match(void *to, const char *group, const char *name)
{
    search *s = to;
    s->found = fits(s->pattern, group, name);
    return !s->found;
}

void trmi_check_channels(trmi_reading *r)
{
    for (const trmi_item *i = r->channels ? r->channels->child : NULL; i; i = i->next) {
        search s = {i->kind == TRMI_SCALAR ? i->text : NULL, false};
        if (!s.pattern)
            continue;
        walk_channels(r->model, match, &s);
        if (!s.found)
            trmi_report(r->document, i,
                        "no channel fits '%.60s'; groups of channels: position, velocity, "
                        "acceleration, state, algebraic, multiplier, output, body, reaction, "
                        "force, energy, constraint, such as 'output/*'",
                        s.pattern);
    }
}
