// SPDX-License-Identifier: Apache-2.0
#include "solver/formulation/scatter.h"

#include "base/hash.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// entries of a run and their distances at most, and runs that grow at the same time: rows of a
// joint alternate between the pieces of its bodies
enum { LONGEST = 64, FARTHEST = 8000, OPEN = 8 };

// a run whose entries are still being collected
typedef struct open_run {
    int count, piece, source;
    int place, highest; // lowest and highest place
    int sources[LONGEST], places[LONGEST];
} open_run;

// the lists of the scatter while they grow, with memory for every entry
typedef struct builder {
    trmi_scatter_run *run;
    trmi_scatter_step *step;
    int *shape, *slot; // slot: hash table of shapes, number + 1, 0 = free
    int run_count, shape_count, slot_mask;
    open_run open[OPEN];
    int oldest;
} builder;

static int place_of(int place)
{
    return place < 0 ? ~place : place;
}

// the number of the shape of these steps, which are stored after the last one: an old or a new one
static int find_shape(builder *b, int count)
{
    int first = b->shape[b->shape_count];
    const trmi_scatter_step *step = b->step + first;
    size_t size = (size_t)count * sizeof *step;
    int i = (int)(trmi_hash(TRMI_HASH, step, size) >> 32) & b->slot_mask;
    for (; b->slot[i] != 0; i = (i + 1) & b->slot_mask) {
        int k = b->slot[i] - 1, other = b->shape[k];
        if (b->shape[k + 1] - other == count && memcmp(b->step + other, step, size) == 0)
            return k;
    }
    b->slot[i] = ++b->shape_count;
    b->shape[b->shape_count] = first + count;
    return b->shape_count - 1;
}

static void close_run(builder *b, open_run *r)
{
    trmi_scatter_step *step = b->step + b->shape[b->shape_count];
    if (r->count == 0)
        return;
    for (int i = 0; i < r->count; i++) {
        short place = (short)(place_of(r->places[i]) - r->place);
        step[i] = (trmi_scatter_step){(short)(r->sources[i] - r->source),
                                      r->places[i] < 0 ? (short)~place : place};
    }
    int shape = find_shape(b, r->count);
    b->run[b->run_count++] = (trmi_scatter_run){r->place, r->source, shape};
    r->count = 0;
}

// the first and the last place of a run do not come farther apart either: steps are short
static bool fits(const open_run *r, const trmi_scatter_entry *e)
{
    int place = place_of(e->place);
    return r->count > 0 && r->count < LONGEST && r->piece == e->piece &&
           e->source - r->source < FARTHEST && place - r->place < FARTHEST &&
           r->highest - place < FARTHEST;
}

static void add_entry(builder *b, const trmi_scatter_entry *e)
{
    open_run *r = NULL;
    for (int i = 0; i < OPEN && !r; i++)
        r = fits(&b->open[i], e) ? &b->open[i] : NULL;
    int place = place_of(e->place);
    if (!r) {
        r = &b->open[b->oldest];
        b->oldest = (b->oldest + 1) % OPEN;
        close_run(b, r);
        r->piece = e->piece;
        r->source = e->source;
        r->place = r->highest = place;
    }
    r->sources[r->count] = e->source;
    r->places[r->count++] = e->place;
    r->place = place < r->place ? place : r->place;
    r->highest = place > r->highest ? place : r->highest;
}

static int by_place(const void *a, const void *b)
{
    const trmi_scatter_run *r = a, *s = b;
    if (r->place != s->place)
        return r->place < s->place ? -1 : 1;
    return (r->source > s->source) - (r->source < s->source);
}

// the lists as long as they are
static bool keep(trmi_scatter *t, trmi_memory *memory, const builder *b)
{
    int steps = b->shape[b->shape_count];
    if (!TRMI_TAKE(memory, t->run, b->run_count) ||
        !TRMI_TAKE(memory, t->shape, b->shape_count + 1) || !TRMI_TAKE(memory, t->step, steps) ||
        !TRMI_TAKE(memory, t->whole, b->shape_count))
        return false;
    t->run_count = b->run_count;
    memcpy(t->run, b->run, (size_t)b->run_count * sizeof *t->run);
    memcpy(t->shape, b->shape, (size_t)(b->shape_count + 1) * sizeof *t->shape);
    memcpy(t->step, b->step, (size_t)steps * sizeof *t->step);
    for (int k = 0; k < b->shape_count; k++) {
        t->whole[k] = true;
        for (int i = t->shape[k]; i < t->shape[k + 1]; i++)
            t->whole[k] = t->whole[k] && t->step[i].place >= 0;
    }
    qsort(t->run, (size_t)t->run_count, sizeof *t->run, by_place);
    return true;
}

bool trmi_scatter_create(trmi_scatter *t, trmi_memory *memory, const trmi_scatter_entry *entry,
                         int count)
{
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    builder *b;
    int slots = 64;
    while (slots < count && slots <= INT_MAX / 2)
        slots *= 2;
    // steps are written before it is known whether their shape is new
    bool good = TRMI_TAKE(&scratch, b, 1) && TRMI_TAKE(&scratch, b->run, count) &&
                TRMI_TAKE(&scratch, b->step, (size_t)count + LONGEST) &&
                TRMI_TAKE(&scratch, b->shape, (size_t)count + 1) &&
                TRMI_TAKE(&scratch, b->slot, 2 * (size_t)slots);
    if (good) {
        b->slot_mask = 2 * slots - 1;
        for (int k = 0; k < count; k++)
            add_entry(b, &entry[k]);
        for (int i = 0; i < OPEN; i++)
            close_run(b, &b->open[(b->oldest + i) % OPEN]);
        good = keep(t, memory, b);
    }
    trmi_memory_release_all(&scratch);
    return good;
}

int trmi_scatter_add(const trmi_scatter *t, const double *restrict from, int run, int end, double c,
                     double *restrict value)
{
    const double share[] = {c, 0.5 * c};
    for (; run < t->run_count && t->run[run].place < end; run++) {
        const trmi_scatter_run *r = &t->run[run];
        const trmi_scatter_step *step = t->step + t->shape[r->shape];
        const trmi_scatter_step *last = t->step + t->shape[r->shape + 1];
        const double *source = from + r->source;
        double *to = value + r->place;
        for (; step < last && t->whole[r->shape]; step++)
            to[step->place] += c * source[step->source];
        for (; step < last; step++) {
            int place = step->place, half = place < 0;
            to[half ? ~place : place] += share[half] * source[step->source];
        }
    }
    return run;
}
