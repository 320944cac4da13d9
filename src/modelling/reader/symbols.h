// SPDX-License-Identifier: Apache-2.0
// The names of a model file: what each means, and where formulas may use it.
#ifndef TRMI_MODELLING_READER_SYMBOLS_H
#define TRMI_MODELLING_READER_SYMBOLS_H

#include "modelling/expression/graph.h"
#include "modelling/reader/yaml/document.h"

#include <stdint.h>

// What a formula depends on, as bits.
enum {
    TRMI_USES_TIME = 1,
    TRMI_USES_POSITIONS = 2,
    TRMI_USES_VELOCITIES = 4,
    TRMI_USES_STATES = 8,
    TRMI_USES_ALGEBRAIC = 16,
    TRMI_USES_MULTIPLIERS = 32,
    TRMI_USES_ACCELERATIONS = 64,
    TRMI_USES_UNKNOWNS = TRMI_USES_POSITIONS | TRMI_USES_VELOCITIES | TRMI_USES_STATES |
                         TRMI_USES_ALGEBRAIC | TRMI_USES_MULTIPLIERS,
    TRMI_USES_STATE_AND_TIME = TRMI_USES_TIME | TRMI_USES_UNKNOWNS
};

typedef enum trmi_symbol_kind {
    TRMI_SYMBOL_PARAMETER,
    TRMI_SYMBOL_DEFINITION,
    TRMI_SYMBOL_EXCITATION,
    TRMI_SYMBOL_POSITION,
    TRMI_SYMBOL_VELOCITY,
    TRMI_SYMBOL_STATE,
    TRMI_SYMBOL_ALGEBRAIC,
    TRMI_SYMBOL_MULTIPLIER,
    TRMI_SYMBOL_SIGNAL, // of a mechanism, and its rate
    TRMI_SYMBOL_SIGNAL_RATE,
    TRMI_SYMBOL_EFFECT // force or reaction of a mechanism
} trmi_symbol_kind;

typedef struct trmi_symbol {
    const char *name;
    trmi_symbol_kind kind;
    int index;             // among those of its kind
    trmi_node node;        // TRMI_NO_NODE until its formula is read
    unsigned uses;         // what its formula depends on
    uint64_t follows;      // from which parameters that vary: bits of their numbers
    bool used;             // by some formula
    bool fixed;            // the problem was made with its value
    bool set;              // PARAMETER: by some event
    const trmi_item *item; // where it is introduced; NULL when by no line of the file
} trmi_symbol;

// A hash table of fixed capacity.
typedef struct trmi_symbols {
    int count, capacity;
    trmi_symbol *symbol; // in the order of introduction
    int *slot, slots;    // open addressing: symbol + 1
} trmi_symbols;

bool trmi_symbols_create(trmi_symbols *symbols, trmi_memory *memory, int capacity);

// NULL when there is none.
trmi_symbol *trmi_symbols_find(const trmi_symbols *symbols, const char *name);

// Adds a name; NULL when it exists already (or the table is full).
trmi_symbol *trmi_symbols_add(trmi_symbols *symbols, const char *name, trmi_symbol_kind kind,
                              int index, const trmi_item *item);

// Makes a name free again; nodes made of it stay.
void trmi_symbols_forget(trmi_symbol *symbol);

// The name nearest to one that does not exist, among those that may be used; NULL if none is near.
const char *trmi_symbols_nearest(const trmi_symbols *symbols, const char *name, unsigned allowed);

// "a position", "a parameter".
const char *trmi_symbol_kind_text(trmi_symbol_kind kind);
// "t, positions and velocities" for a set of bits.
const char *trmi_uses_text(unsigned uses, char *buffer, size_t size);

#endif
