// SPDX-License-Identifier: Apache-2.0
#include "modelling/reader/symbols.h"

#include "base/hash.h"
#include "base/nearest.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool trmi_symbols_create(trmi_symbols *symbols, trmi_memory *memory, int capacity)
{
    *symbols = (trmi_symbols){.capacity = capacity, .slots = 2 * capacity + 1};
    if (TRMI_TAKE(memory, symbols->symbol, capacity) &&
        TRMI_TAKE(memory, symbols->slot, symbols->slots))
        return true;
    *symbols = (trmi_symbols){0};
    return false;
}

// The slot of a name, or the free one where it belongs (linear probing).
static int find_slot(const trmi_symbols *symbols, const char *name)
{
    int slot = (int)(trmi_hash(TRMI_HASH, name, strlen(name)) % (uint64_t)symbols->slots);
    while (symbols->slot[slot] && strcmp(symbols->symbol[symbols->slot[slot] - 1].name, name) != 0)
        slot = (slot + 1) % symbols->slots;
    return slot;
}

trmi_symbol *trmi_symbols_find(const trmi_symbols *symbols, const char *name)
{
    int number = symbols->slots > 0 ? symbols->slot[find_slot(symbols, name)] : 0;
    return number ? &symbols->symbol[number - 1] : NULL;
}

static unsigned uses_of_kind(trmi_symbol_kind kind)
{
    static const unsigned uses[] = {
        [TRMI_SYMBOL_PARAMETER] = 0,
        [TRMI_SYMBOL_DEFINITION] = 0, // known once its formula is read
        [TRMI_SYMBOL_EXCITATION] = TRMI_USES_TIME,
        [TRMI_SYMBOL_POSITION] = TRMI_USES_POSITIONS,
        [TRMI_SYMBOL_VELOCITY] = TRMI_USES_VELOCITIES,
        [TRMI_SYMBOL_STATE] = TRMI_USES_STATES,
        [TRMI_SYMBOL_ALGEBRAIC] = TRMI_USES_ALGEBRAIC,
        [TRMI_SYMBOL_MULTIPLIER] = TRMI_USES_MULTIPLIERS,
        [TRMI_SYMBOL_SIGNAL] = TRMI_USES_POSITIONS,
        [TRMI_SYMBOL_SIGNAL_RATE] = TRMI_USES_VELOCITIES,
        [TRMI_SYMBOL_EFFECT] = TRMI_USES_MULTIPLIERS,
    };
    return uses[kind];
}

trmi_symbol *trmi_symbols_add(trmi_symbols *symbols, const char *name, trmi_symbol_kind kind,
                              int index, const trmi_item *item)
{
    if (symbols->count == symbols->capacity)
        return NULL;
    int slot = find_slot(symbols, name);
    if (symbols->slot[slot])
        return NULL;
    trmi_symbol *symbol = &symbols->symbol[symbols->count++];
    *symbol = (trmi_symbol){.name = name,
                            .kind = kind,
                            .index = index,
                            .node = TRMI_NO_NODE,
                            .uses = uses_of_kind(kind),
                            .item = item};
    symbols->slot[slot] = symbols->count;
    return symbol;
}

void trmi_symbols_forget(trmi_symbol *symbol)
{
    symbol->name = ""; // which no formula can write; its slot stays taken
}

const char *trmi_symbols_nearest(const trmi_symbols *symbols, const char *name, unsigned allowed)
{
    const char **candidate = malloc(((size_t)symbols->count + 1) * sizeof *candidate);
    int count = 0;
    for (int i = 0; candidate && i < symbols->count; i++)
        if (!(symbols->symbol[i].uses & ~allowed) && symbols->symbol[i].name[0])
            candidate[count++] = symbols->symbol[i].name;
    const char *nearest = candidate ? trmi_nearest(name, candidate, count) : NULL;
    free(candidate);
    return nearest;
}

const char *trmi_symbol_kind_text(trmi_symbol_kind kind)
{
    static const char *const text[] = {
        [TRMI_SYMBOL_PARAMETER] = "a parameter",
        [TRMI_SYMBOL_DEFINITION] = "a definition",
        [TRMI_SYMBOL_EXCITATION] = "an input",
        [TRMI_SYMBOL_POSITION] = "a position",
        [TRMI_SYMBOL_VELOCITY] = "a velocity",
        [TRMI_SYMBOL_STATE] = "a state",
        [TRMI_SYMBOL_ALGEBRAIC] = "an algebraic variable",
        [TRMI_SYMBOL_MULTIPLIER] = "a constraint (its multiplier)",
        [TRMI_SYMBOL_SIGNAL] = "a measure",
        [TRMI_SYMBOL_SIGNAL_RATE] = "a rate",
        [TRMI_SYMBOL_EFFECT] = "a force of the mechanism",
    };
    return text[kind];
}

const char *trmi_uses_text(unsigned uses, char *buffer, size_t size)
{
    static const char *const word[] = {
        "t",           "positions",    "velocities", "states", "algebraic variables",
        "multipliers", "accelerations"};
    size_t length = 0;
    buffer[0] = '\0';
    for (unsigned bit = 0; bit < sizeof word / sizeof *word && length < size; bit++)
        if (uses & (1u << bit)) {
            const char *joint = length == 0 ? "" : uses >> (bit + 1) ? ", " : " and ";
            int written = snprintf(buffer + length, size - length, "%s%s", joint, word[bit]);
            length += written > 0 ? (size_t)written : 0;
        }
    if (length == 0)
        snprintf(buffer, size, "parameters");
    return buffer;
}
