// SPDX-License-Identifier: Apache-2.0
// Bringing equal instructions together. The instructions of a window of the order are dealt out to
// a row of places, each for one kind: an instruction goes to the first place of its kind that is
// not before those of its operands, or opens a new one at the end. Within a place they keep their
// order, so an operand may stand in the same place as its user. Windows keep results near their
// use.
#include "modelling/expression/plan.h"

enum {
    WINDOW = 4096,   // instructions: their operands and results stay in the first caches
    MAX_PLACES = 64, // places that are searched; bounds the work for hostile formulas
};

typedef struct scheduler {
    trmi_compiler *compiler;
    int window; // counts them
    int *code;  // per place: the kind
    int *size;  // per place: instructions in it, then where they begin
    int places;
    trmi_node *sorted;
} scheduler;

// the first place an instruction may have: that of the last of its operands from this window
static int earliest_place(const scheduler *s, trmi_node node)
{
    trmi_node operand[3];
    int earliest = 0, count = trmi_plan_operands(s->compiler, node, operand);
    for (int k = 0; k < count; k++) {
        const trmi_node_plan *plan = &s->compiler->plan[operand[k]];
        if (plan->window == s->window && plan->place > earliest)
            earliest = plan->place;
    }
    return earliest;
}

static int find_place(scheduler *s, int code, int earliest)
{
    for (int k = earliest; k < s->places && k < earliest + MAX_PLACES; k++)
        if (s->code[k] == code)
            return k;
    s->code[s->places] = code;
    s->size[s->places] = 0;
    return s->places++;
}

static void schedule_window(scheduler *s, trmi_node *order, int count)
{
    trmi_node_plan *plan = s->compiler->plan;
    s->places = 0;
    s->window++;
    for (int i = 0; i < count; i++) {
        trmi_node node = order[i], partner = plan[node].partner;
        int place = find_place(s, trmi_plan_code(s->compiler, node), earliest_place(s, node));
        plan[node].place = place;
        plan[node].window = s->window;
        s->size[place]++;
        if (partner != TRMI_NO_NODE) {
            plan[partner].place = place;
            plan[partner].window = s->window;
        }
    }
    for (int k = 0, start = 0; k < s->places; k++) { // sizes become beginnings
        int size = s->size[k];
        s->size[k] = start;
        start += size;
    }
    for (int i = 0; i < count; i++)
        s->sorted[s->size[plan[order[i]].place]++] = order[i];
    for (int i = 0; i < count; i++)
        order[i] = s->sorted[i];
}

bool trmi_plan_schedule(trmi_compiler *c)
{
    scheduler s = {.compiler = c};
    if (!TRMI_TAKE(&c->scratch, s.code, WINDOW) || !TRMI_TAKE(&c->scratch, s.size, WINDOW) ||
        !TRMI_TAKE(&c->scratch, s.sorted, WINDOW))
        return false;
    for (int first = 0, next; first < c->count; first = next) {
        for (next = first + 1; next < c->count && next - first < WINDOW; next++)
            if (!trmi_plan_same_segment(c, c->order[first], c->order[next]))
                break;
        schedule_window(&s, c->order + first, next - first);
    }
    return true;
}
