// SPDX-License-Identifier: Apache-2.0
// Lists of entries become blocks, and blocks lists.
#include "base/pattern.h"

#include <limits.h>
#include <string.h>

void trm_pattern_list(const trm_pattern *p, int *row, int *column)
{
    if (!p || !row || !column)
        return;
    for (trmi_cursor at = trmi_pattern_begin(p); at.k < p->count; trmi_pattern_next(&at)) {
        row[at.k] = at.row;
        column[at.k] = at.column;
    }
}

trmi_cursor trmi_pattern_at(const trm_pattern *p, int k)
{
    trmi_cursor at = trmi_pattern_begin(p);
    while (at.k < k)
        trmi_pattern_next(&at);
    return at;
}

int trmi_blocks_count(const trm_block *block, int blocks)
{
    long long count = 0;
    for (int b = 0; b < blocks && count <= INT_MAX; b++) {
        if (block[b].rows == 0)
            return 0;
        count += (long long)block[b].rows * (block[b].columns ? block[b].columns : 1);
    }
    return count <= INT_MAX ? (int)count : 0;
}

// ---- packing ----

// Entries in the order of their values, and a row among them: first .. end-1.
typedef struct entries {
    int count;
    const int *row, *column;
} entries;

static int row_end(const entries *e, int first)
{
    int k = first;
    while (k < e->count && e->row[k] == e->row[first])
        k++;
    return k;
}

// the end of the columns that follow each other from entry k on, before `end`
static int run_end(const entries *e, int k, int end)
{
    int from = k;
    while (k < end && e->column[k] - e->column[from] == k - from && k - from < USHRT_MAX)
        k++;
    return k;
}

// Whether the entries from k on continue a block in the row below it. A single entry may go on in
// the same column or beside it: the second row decides.
static bool continues(const entries *e, const trm_block *b, int k, int end)
{
    int columns = b->columns ? b->columns : 1, shift = e->column[k] - b->column;
    bool diagonal = b->columns == 0 || (b->columns == 1 && b->rows == 1 && shift != 0);
    return k + columns <= end && shift == (diagonal ? b->rows : 0) &&
           run_end(e, k, k + columns) == k + columns;
}

// Whether the row from entry `next` on is the next one of a panel.
static bool fits_below(const entries *e, const trm_block *block, int blocks, int next)
{
    int end = row_end(e, next), k = next;
    if (next == e->count || e->row[next] != block->row + block->rows || block->rows == USHRT_MAX)
        return false;
    for (int b = 0; b < blocks; b++) {
        if (k == end || !continues(e, &block[b], k, end))
            return false;
        k += block[b].columns ? block[b].columns : 1;
    }
    return k == end;
}

static void add_row(const entries *e, trm_block *block, int blocks, int k)
{
    for (int b = 0; b < blocks; b++) {
        if (block[b].columns == 1 && e->column[k] != block[b].column)
            block[b].columns = 0;
        block[b].rows++;
        k += block[b].columns ? block[b].columns : 1;
    }
}

// Whether a block ends before entry k > first of the row from `first` on, so that the rows first
// and `below` both consist of these blocks: columns that follow each other in both, and stay.
static bool splits(const entries *e, int first, int below, int k)
{
    int shift = e->column[below + k - first] - e->column[k];
    int before = e->column[below + k - 1 - first] - e->column[k - 1];
    return e->column[k] != e->column[k - 1] + 1 || shift != before || shift != 0;
}

// The blocks of one panel from entry `first` on, cut as its first row alone has them, or with the
// second one in mind. Returns the entry after it.
static int make_panel(const entries *e, int first, bool alone, trm_block *block, int *blocks)
{
    int end = row_end(e, first), below_end = row_end(e, end), n = 0;
    bool pair = !alone && below_end - end == end - first;
    for (int k = first, run; k < end; k = run) {
        run = run_end(e, k, end);
        for (int j = k + 1; j < run && pair; j++)
            run = splits(e, first, end, j) ? j : run;
        block[n++] = (trm_block){e->row[first], e->column[k], 1, (unsigned short)(run - k)};
    }
    for (; fits_below(e, block, n, end); end = row_end(e, end))
        add_row(e, block, n, end);
    *blocks = n;
    return end;
}

// the better of both: fewer blocks for an entry
static int make_best_panel(const entries *e, int first, trm_block *block, int *blocks)
{
    int end = make_panel(e, first, false, block, blocks), n;
    double each = (double)*blocks / (end - first);
    int other = make_panel(e, first, true, block, &n);
    if ((double)n / (other - first) > each)
        return make_panel(e, first, false, block, blocks);
    *blocks = n;
    return other;
}

// Panels one after another. Two neighbouring panels of the same rows could not be distinguished:
// there the entries stay lists. Returns the number of blocks; 0: lists are as good.
static int make_blocks(const entries *e, trm_block *block)
{
    int blocks = 0, more;
    for (int k = 0; k < e->count; blocks += more) {
        trm_block *panel = block + blocks;
        k = make_best_panel(e, k, panel, &more);
        if (blocks > 0 && panel[-1].row == panel->row && panel[-1].rows == panel->rows)
            return 0;
    }
    size_t listed = (size_t)e->count * 2 * sizeof *e->row;
    return (size_t)blocks * sizeof *block < listed ? blocks : 0;
}

bool trmi_pattern_pack(trm_pattern *p, trmi_memory *memory, int count, const int *row,
                       const int *column)
{
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    trm_block *block, *kept;
    int *lists, blocks = 0;
    bool good = TRMI_TAKE(&scratch, block, count); // at most one for each entry
    if (good)
        blocks = make_blocks(&(entries){count, row, column}, block);
    if (good && blocks > 0 && (good = TRMI_TAKE(memory, kept, blocks))) {
        memcpy(kept, block, (size_t)blocks * sizeof *block);
        *p = (trm_pattern){.count = count, .blocks = blocks, .block = kept};
    } else if (good && (good = TRMI_TAKE(memory, lists, 2 * (size_t)count))) {
        memcpy(lists, row, (size_t)count * sizeof *row);
        memcpy(lists + count, column, (size_t)count * sizeof *column);
        *p = (trm_pattern){.count = count, .row = lists, .column = lists + count};
    }
    trmi_memory_release_all(&scratch);
    return good;
}
