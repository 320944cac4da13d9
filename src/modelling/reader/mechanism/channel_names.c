// SPDX-License-Identifier: Apache-2.0
// Names of the channels of a model. A mechanism has some thirty for a body, which follow from the
// names of bodies and joints: those of a kind are made, one after another, when the first of them
// is asked for.
#include "base/texts.h"
#include "modelling/multibody/machine.h"
#include "modelling/reader/mechanism/names.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// name k begins at text[place[k]]
typedef struct pool {
    uint32_t *place;
    char *text;
    size_t used;
} pool;

struct trmi_channel_names {
    _Atomic(pool *) pool[TRM_CHANNEL_KINDS];
};

trmi_channel_names *trmi_channel_names_create(trmi_memory *memory)
{
    trmi_channel_names *book;
    return TRMI_TAKE(memory, book, 1) ? book : NULL;
}

void trmi_channel_names_release(trmi_channel_names *book)
{
    for (int k = 0; k < TRM_CHANNEL_KINDS && book; k++)
        free(atomic_exchange(&book->pool[k], NULL));
}

// ---- what they are called ----

// "pivot_rate" where the joint has one measure only, otherwise "pivot_travel_rate"
static void name_rates(const trm_model *m, trmi_name_sink *sink, void *to)
{
    const trmi_tree *t = m->machine->tree;
    for (int k = 0; k < t->columns; k++) {
        const trmi_column c = trmi_column_of(t, k);
        if (c.coordinate == TRMI_NOTHING)
            continue;
        trmi_coordinate_words words = trmi_machine_words(m->machine, &c);
        bool shorter = trmi_has_short_rate(m->mechanism, &c);
        sink(to, c.coordinate,
             shorter ? (const char *const[]){words.owner, "_rate", NULL}
                     : (const char *const[]){words.owner, "_", words.measure, "_rate", NULL});
    }
}

static void name_bodies(const trm_model *m, trmi_name_sink *sink, void *to)
{
    const trmi_channel_parts parts = trmi_pose_parts(m->mechanism->plane);
    for (int b = 1; b < m->mechanism->bodies; b++) // without the ground
        for (int k = 0; k < parts.count; k++)
            sink(to, parts.count * (b - 1) + k,
                 (const char *const[]){m->mechanism->body[b].name, parts.name[k], NULL});
}

static void name_reactions(const trm_model *m, trmi_name_sink *sink, void *to)
{
    const trmi_channel_parts parts = trmi_reaction_parts(m->mechanism->plane);
    for (int j = 0; j < m->mechanism->joints - m->mechanism->links; j++)
        for (int k = 0; k < parts.count; k++)
            sink(to, parts.count * j + k,
                 (const char *const[]){m->mechanism->joint[j].name, parts.name[k], NULL});
}

static void name_all(const trm_model *m, trm_channel_kind kind, trmi_name_sink *sink, void *to)
{
    if (kind == TRM_CHANNEL_VELOCITY)
        name_rates(m, sink, to);
    else if (kind == TRM_CHANNEL_MULTIPLIER)
        trmi_constraints_name_rows(&m->machine->constraints, sink, to);
    else if (kind == TRM_CHANNEL_BODY)
        name_bodies(m, sink, to);
    else if (kind == TRM_CHANNEL_REACTION)
        name_reactions(m, sink, to);
    else
        trmi_machine_name_coordinates(m->machine, sink, to);
}

// ---- pools ----

static void count_bytes(void *to, int index, const char *const *part)
{
    pool *p = to;
    (void)index;
    for (int k = 0; part[k]; k++)
        p->used += strlen(part[k]);
    p->used++;
}

static void add_name(void *to, int index, const char *const *part)
{
    pool *p = to;
    p->place[index] = (uint32_t)p->used;
    for (int k = 0; part[k]; k++) {
        size_t length = strlen(part[k]);
        memcpy(p->text + p->used, part[k], length);
        p->used += length;
    }
    p->text[p->used++] = '\0';
}

static pool *make_pool(const trm_model *m, trm_channel_kind kind)
{
    size_t count = (size_t)m->names[kind].count;
    pool size = {0}, *p;
    name_all(m, kind, count_bytes, &size);
    p = size.used <= UINT32_MAX ? malloc(sizeof *p + count * sizeof *p->place + size.used) : NULL;
    if (!p)
        return NULL;
    *p = (pool){.place = (uint32_t *)(p + 1)};
    p->text = (char *)(p->place + count);
    name_all(m, kind, add_name, p);
    return p;
}

// Two threads may make one at the same time: the first stays.
static const pool *pool_of(const trm_model *m, trm_channel_kind kind)
{
    _Atomic(pool *) *place = &m->channel_names->pool[kind];
    pool *p = atomic_load(place), *none = NULL;
    if (p)
        return p;
    p = make_pool(m, kind);
    if (p && !atomic_compare_exchange_strong(place, &none, p)) {
        free(p);
        p = none;
    }
    return p;
}

const char *trm_model_channel(const trm_model *m, trm_channel_kind kind, int index)
{
    if (index < 0 || index >= trm_model_count(m, kind))
        return NULL;
    const trmi_names *names = &m->names[kind];
    const pool *p = names->name ? NULL : pool_of(m, kind);
    return names->name ? names->name[index] : p ? p->text + p->place[index] : "";
}
