// SPDX-License-Identifier: Apache-2.0
// Units of all channels: those of the section `units`, those that follow from them, those that a
// mechanism knows; an output that shows another channel has that of it. Channels of bodies and
// joints have them in turn, so that one turn is kept.
#include "modelling/reader/reading.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_TURN = 12 };

// the section as a table of names
static bool collect_units(trmi_reading *r, trmi_symbols *units)
{
    const trmi_item *section = trmi_item_find(r->root, "units");
    if (!trmi_symbols_create(units, r->scratch, section ? section->count : 0))
        return false;
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next)
        trmi_symbols_add(units, i->key, TRMI_SYMBOL_DEFINITION, 0, i);
    return true;
}

// the unit of a name, or one that follows from that of its position: m, m/s, m/s^2; "" when nothing
// is given, NULL when there is no memory
static const char *unit_of(trmi_reading *r, const trmi_symbols *units, const char *name,
                           const char *position, const char *suffix)
{
    trmi_symbol *own = trmi_symbols_find(units, name);
    const trmi_symbol *base = position ? trmi_symbols_find(units, position) : NULL;
    char text[80];
    if (own && own->item->kind == TRMI_SCALAR) {
        own->used = true;
        return trmi_keep_line(r, own->item->text);
    }
    if (!base || base->item->kind != TRMI_SCALAR || base->item->text[0] == '\0')
        return "";
    snprintf(text, sizeof text, "%.60s%s", base->item->text, suffix);
    return trmi_keep_line(r, text);
}

// the units of the section for one kind of channel replace the known ones; false: no memory
static bool apply_section(trmi_reading *r, const trmi_symbols *units, trm_channel_kind kind,
                          const char **unit)
{
    bool velocity = kind == TRM_CHANNEL_VELOCITY, a = kind == TRM_CHANNEL_ACCELERATION;
    for (int i = 0; i < trm_model_count(r->model, kind); i++) {
        const char *base =
            velocity || a ? trm_model_channel(r->model, TRM_CHANNEL_POSITION, i) : NULL;
        const char *given = unit_of(r, units, a ? "" : trm_model_channel(r->model, kind, i), base,
                                    velocity ? "/s" : "/s^2");
        if (!given)
            return false;
        unit[i] = *given ? given : unit[i];
    }
    return true;
}

// the shortest turn that gives all units
static int find_turn(const char *const *unit, int count)
{
    for (int turn = 1; turn <= LONGEST_TURN && turn < count; turn++) {
        int k = turn;
        while (k < count && strcmp(unit[k], unit[k - turn]) == 0)
            k++;
        if (k == count)
            return turn;
    }
    return count;
}

// the units of one kind of channel: those known, and before them those of the section; false
// without memory
static bool keep_units(trmi_reading *r, const trmi_symbols *units, trm_channel_kind kind)
{
    trmi_names *names = &r->model->names[kind];
    const char **unit, **kept;
    if (!TRMI_TAKE(r->scratch, unit, names->count))
        return false;
    for (int i = 0; i < names->count; i++)
        unit[i] = names->unit ? names->unit[i % names->units] : "";
    if (units->count > 0 && !apply_section(r, units, kind, unit))
        return false;
    int turn = find_turn(unit, names->count);
    if (!TRMI_TAKE(r->memory, kept, turn))
        return false;
    for (int i = 0; i < turn; i++)
        kept[i] = unit[i];
    names->unit = kept;
    names->units = turn;
    return true;
}

// The channel that an output shows, as it is or with the other sign; NULL: another formula.
static const char *shown_by(const trmi_item *output)
{
    if (output->kind != TRMI_SCALAR)
        return NULL;
    const char *name = output->text + strspn(output->text, " +-");
    const char *end = name;
    while (isalnum((unsigned char)*end) || *end == '_')
        end++;
    return end > name && *end == '\0' ? name : NULL;
}

// the units of channels by the names in the table; those of accelerations are those of positions
static void find_units(const trm_model *m, const trmi_symbols *wanted, const char **unit)
{
    for (int k = 0; k < TRM_CHANNEL_KINDS && wanted->count > 0; k++) {
        trm_channel_kind kind = (trm_channel_kind)k;
        bool own = kind != TRM_CHANNEL_OUTPUT && kind != TRM_CHANNEL_ACCELERATION;
        for (int i = 0; own && i < trm_model_count(m, kind); i++) {
            const trmi_symbol *s = trmi_symbols_find(wanted, trm_model_channel(m, kind, i));
            if (s && !unit[s - wanted->symbol])
                unit[s - wanted->symbol] = trm_model_unit(m, kind, i);
        }
    }
}

// the units of outputs that show other channels, whose units are known; false: no memory
static bool take_over_units(trmi_reading *r)
{
    const trmi_item *section = trmi_item_find(r->root, "outputs");
    trmi_names *names = &r->model->names[TRM_CHANNEL_OUTPUT];
    const int count = section ? section->count : 0;
    const char **unit, **found;
    trmi_symbols wanted;
    int k = 0;
    if (!trmi_symbols_create(&wanted, r->scratch, count) || !TRMI_TAKE(r->scratch, found, count) ||
        !TRMI_TAKE(r->scratch, unit, names->count))
        return false;
    for (const trmi_item *i = count > 0 ? section->child : NULL; i; i = i->next)
        if (shown_by(i))
            trmi_symbols_add(&wanted, shown_by(i), TRMI_SYMBOL_DEFINITION, 0, i);
    find_units(r->model, &wanted, found);
    for (int j = 0; j < names->count; j++)
        unit[j] = "";
    for (const trmi_item *i = count > 0 ? section->child : NULL; i; i = i->next, k++) {
        const trmi_symbol *s = shown_by(i) ? trmi_symbols_find(&wanted, shown_by(i)) : NULL;
        if (s && found[s - wanted.symbol])
            unit[k] = found[s - wanted.symbol];
    }
    names->unit = unit;
    names->units = names->count;
    return true;
}

// a trmi_signal_visit: signals may have a unit too
static void mark_used(void *to, const char *name, bool force)
{
    (void)force;
    trmi_symbol *unit = trmi_symbols_find(to, name);
    if (unit)
        unit->used = true;
}

void trmi_read_units(trmi_reading *r)
{
    trmi_symbols units;
    bool good = collect_units(r, &units);
    for (int kind = 0; kind < TRM_CHANNEL_KINDS && good; kind++)
        good = kind == TRM_CHANNEL_OUTPUT || keep_units(r, &units, (trm_channel_kind)kind);
    good = good && take_over_units(r) && keep_units(r, &units, TRM_CHANNEL_OUTPUT);
    if (!good) {
        r->failed = true;
        return;
    }
    if (units.count > 0)
        trmi_walk_signals(r, mark_used, &units);
    for (int i = 0; i < units.count; i++) { // parameters and definitions may have one too
        const char *name = units.symbol[i].name;
        if (units.symbol[i].used || trmi_symbols_find(&r->symbols, name))
            continue;
        trmi_report_key(r->document, units.symbol[i].item,
                        "there is nothing called '%.60s' that could have a unit", name);
    }
}
