// SPDX-License-Identifier: Apache-2.0
// Patterns of matrices, entry by entry, however they are given:
//
//     for (trmi_cursor at = trmi_pattern_begin(p); at.k < p->count; trmi_pattern_next(&at))
//         y[at.row] += value[at.k] * x[at.column];
//
// What runs in every iteration goes block by block instead (levels.c).
#ifndef TRMI_BASE_PATTERN_H
#define TRMI_BASE_PATTERN_H

#include "base/memory.h"
#include "trammel/system.h"

// An entry of a pattern: number, row and column.
typedef struct trmi_cursor {
    int k, row, column;
    int left;                       // entries of this block after it in its row
    const trm_pattern *pattern;     //
    const trm_block *block;         // block of the entry
    const trm_block *panel, *after; // first and end of the blocks side by side with it
} trmi_cursor;

// The end of the blocks that lie side by side with this one and come after it.
static inline const trm_block *trmi_panel_end(const trm_pattern *p, const trm_block *block)
{
    const trm_block *last = p->block + p->blocks, *next = block + 1;
    while (next < last && next->row == block->row && next->rows == block->rows)
        next++;
    return next;
}

// to the first entry of a block in row `at->row`
static inline void trmi_cursor_enter(trmi_cursor *at)
{
    const trm_block *b = at->block;
    at->column = b->column + (b->columns ? 0 : at->row - b->row);
    at->left = b->columns ? b->columns - 1 : 0;
}

static inline void trmi_cursor_open_panel(trmi_cursor *at, const trm_block *panel)
{
    at->panel = at->block = panel;
    at->after = trmi_panel_end(at->pattern, panel);
    at->row = panel->row;
    trmi_cursor_enter(at);
}

// The first entry; a pattern with count <= 0 has none.
static inline trmi_cursor trmi_pattern_begin(const trm_pattern *p)
{
    trmi_cursor at = {.pattern = p};
    if (p->count > 0 && p->block) {
        trmi_cursor_open_panel(&at, p->block);
    } else if (p->count > 0) {
        at.row = p->row[0];
        at.column = p->column[0];
    }
    return at;
}

static inline void trmi_pattern_next(trmi_cursor *at)
{
    const trm_pattern *p = at->pattern;
    if (++at->k >= p->count)
        return;
    if (!p->block) {
        at->row = p->row[at->k];
        at->column = p->column[at->k];
    } else if (at->left > 0) {
        at->left--;
        at->column++;
    } else if (at->block + 1 < at->after) {
        at->block++;
        trmi_cursor_enter(at);
    } else if (at->row + 1 < at->panel->row + at->panel->rows) {
        at->row++;
        at->block = at->panel;
        trmi_cursor_enter(at);
    } else {
        trmi_cursor_open_panel(at, at->after);
    }
}

// Entry number k, found by going there.
trmi_cursor trmi_pattern_at(const trm_pattern *pattern, int k);

// The pattern of `count` > 0 entries in `memory`: by blocks where that takes less than the lists.
// False: no memory.
bool trmi_pattern_pack(trm_pattern *pattern, trmi_memory *memory, int count, const int *row,
                       const int *column);

// The entries of the blocks of a pattern; 0: they cannot be (none at all, a block without rows, or
// more than an int counts).
int trmi_blocks_count(const trm_block *block, int blocks);

#endif
