// SPDX-License-Identifier: Apache-2.0
// Making a tape: find the nodes that are needed and by which groups, join pairs of operations to
// one instruction, sort into segments, give registers.
//
// Sorting by the size of the group set, largest first, keeps operands before what uses them: the
// set S(u) of an operand contains the set S(w) of its user, so either S(u) = S(w), and both are
// in one segment in the order of the walk, or |S(u)| > |S(w)|, and u is in an earlier one.
#include "modelling/expression/plan.h"

#include <assert.h>
#include <stdlib.h>

enum { GROUPS = 64 };

// ---- what is needed ----

static bool is_operation(trmi_operation operation)
{
    return operation != TRMI_CONSTANT && operation != TRMI_INPUT;
}

static bool find_nodes(trmi_compiler *c)
{
    for (int k = 0; k < c->outputs; k++) {
        assert(c->output[k].group >= 0 && c->output[k].group < GROUPS);
        if (!trmi_walk_add(&c->walk, c->graph, c->output[k].node))
            return false;
    }
    return true;
}

static void find_slow(trmi_compiler *c)
{
    for (int i = 0; i < c->walk.count; i++) {
        const trmi_graph_node *n = &c->graph->node[c->walk.order[i]];
        assert(n->operation != TRMI_INPUT || n->a < c->inputs);
        bool slow = n->operation != TRMI_INPUT || n->a >= c->slow;
        for (int k = 0; k < trmi_operation_operands(n->operation); k++)
            slow = slow && c->plan[trmi_operand(n, k)].slow;
        trmi_node_plan *plan = &c->plan[c->walk.order[i]];
        *plan = (trmi_node_plan){.partner = TRMI_NO_NODE, .product = TRMI_NO_NODE, .slow = slow};
    }
}

// groups and uses, from the outputs down
static void find_groups(trmi_compiler *c)
{
    for (int k = 0; k < c->outputs; k++) {
        c->plan[c->output[k].node].groups |= UINT64_C(1) << c->output[k].group;
        c->plan[c->output[k].node].uses++;
    }
    for (int i = c->walk.count - 1; i >= 0; i--) {
        trmi_node node = c->walk.order[i];
        const trmi_graph_node *n = &c->graph->node[node];
        for (int k = 0; k < trmi_operation_operands(n->operation); k++) {
            c->plan[trmi_operand(n, k)].groups |= c->plan[node].groups;
            c->plan[trmi_operand(n, k)].uses++;
        }
    }
}

// ---- two operations in one instruction ----

static bool run_together(const trmi_compiler *c, trmi_node a, trmi_node b)
{
    const trmi_node_plan *p = &c->plan[a], *q = &c->plan[b];
    return p->slow == q->slow && (p->slow || p->groups == q->groups);
}

// a*b + c, where a*b has no other use
static void absorb_product(trmi_compiler *c, trmi_node node)
{
    const trmi_graph_node *n = &c->graph->node[node];
    if (n->operation != TRMI_ADD && n->operation != TRMI_SUBTRACT)
        return;
    for (int k = 0; k < 2; k++) {
        trmi_node product = trmi_operand(n, k);
        if (c->graph->node[product].operation == TRMI_MULTIPLY && c->plan[product].uses == 1 &&
            run_together(c, node, product)) {
            c->plan[node].product = product;
            c->plan[product].absorbed = true;
            return;
        }
    }
}

// sin(a), cos(a): seen[a] is the first of them on the way, whose instruction computes both
static void pair_sin_cos(trmi_compiler *c, trmi_node node, trmi_node *seen)
{
    const trmi_graph_node *n = &c->graph->node[node];
    if (n->operation != TRMI_SIN && n->operation != TRMI_COS)
        return;
    trmi_node other = seen[n->a];
    seen[n->a] = node;
    if (other != TRMI_NO_NODE && run_together(c, node, other)) {
        c->plan[other].partner = node;
        c->plan[node].absorbed = true;
    }
}

static bool join_operations(trmi_compiler *c, int nodes)
{
    trmi_node *seen;
    if (!TRMI_TAKE(&c->scratch, seen, nodes))
        return false;
    for (int i = 0; i < c->walk.count; i++)
        seen[c->walk.order[i]] = TRMI_NO_NODE;
    for (int i = 0; i < c->walk.count; i++) {
        absorb_product(c, c->walk.order[i]);
        pair_sin_cos(c, c->walk.order[i], seen);
    }
    return true;
}

// ---- order ----

static int count_bits(uint64_t set)
{
    int count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

// an instruction while it is sorted
typedef struct sort_key {
    uint64_t groups;
    int size;  // of that set
    int place; // on the walk
} sort_key;

static int compare_keys(const void *a, const void *b)
{
    const sort_key *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    if (x->groups != y->groups)
        return x->groups < y->groups ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

// c->order: the slow nodes as the walk found them, then the others by group set
static bool order_nodes(trmi_compiler *c)
{
    sort_key *key;
    int fast = 0;
    if (!TRMI_TAKE(&c->scratch, key, c->walk.count) ||
        !TRMI_TAKE(&c->scratch, c->order, c->walk.count))
        return false;
    for (int i = 0; i < c->walk.count; i++) {
        trmi_node node = c->walk.order[i];
        const trmi_node_plan *plan = &c->plan[node];
        if (!is_operation(c->graph->node[node].operation) || plan->absorbed)
            continue;
        if (plan->slow)
            c->order[c->slow_count++] = node;
        else
            key[fast++] = (sort_key){plan->groups, count_bits(plan->groups), i};
    }
    if (fast > 1)
        qsort(key, (size_t)fast, sizeof *key, compare_keys);
    for (int i = 0; i < fast; i++)
        c->order[c->slow_count + i] = c->walk.order[key[i].place];
    c->count = c->slow_count + fast;
    return true;
}

// ---- registers and segments ----

static bool place_constants(trmi_compiler *c, trmi_memory *memory, trmi_tape *tape)
{
    for (int pass = 0; pass < 2; pass++) { // counts, then writes
        int count = 0;
        for (int i = 0; i < c->walk.count; i++) {
            trmi_node node = c->walk.order[i];
            const trmi_graph_node *n = &c->graph->node[node];
            if (n->operation == TRMI_INPUT)
                c->plan[node].result = n->a;
            if (n->operation != TRMI_CONSTANT)
                continue;
            if (pass == 1)
                tape->constant[count] = n->value;
            c->plan[node].result = c->inputs + count++;
        }
        if (pass == 0 && !TRMI_TAKE(memory, tape->constant, count))
            return false;
        tape->constants = count;
    }
    tape->first_constant = c->inputs;
    tape->registers = c->inputs + tape->constants;
    return true;
}

static void place_results(trmi_compiler *c, trmi_tape *tape)
{
    for (int i = 0; i < c->count; i++) {
        trmi_node node = c->order[i], partner = c->plan[node].partner;
        if (partner == TRMI_NO_NODE) {
            c->plan[node].result = tape->registers++;
            continue;
        }
        bool sine_first = c->graph->node[node].operation == TRMI_SIN;
        c->plan[sine_first ? node : partner].result = tape->registers++;
        c->plan[sine_first ? partner : node].result = tape->registers++;
    }
}

// the lower one of the registers that an instruction writes
static int first_result(const trmi_compiler *c, trmi_node node)
{
    trmi_node partner = c->plan[node].partner;
    int own = c->plan[node].result;
    return partner == TRMI_NO_NODE || own < c->plan[partner].result ? own : c->plan[partner].result;
}

bool trmi_plan_same_segment(const trmi_compiler *c, trmi_node a, trmi_node b)
{
    return run_together(c, a, b);
}

// Goes through the instructions in their order and notes where segments and runs begin; with
// segment and run NULL it only counts them.
static void make_segments(const trmi_compiler *c, trmi_tape *tape)
{
    int segments = 0, runs = 0;
    for (int i = 0; i < c->count; i++) {
        trmi_node node = c->order[i];
        bool first = i == 0 || !run_together(c, c->order[i - 1], node);
        int code = trmi_plan_code(c, node);
        if (first && tape->segment)
            tape->segment[segments] = (trmi_segment){.groups = c->plan[node].groups,
                                                     .first_run = runs,
                                                     .first = i,
                                                     .result = first_result(c, node)};
        segments += first;
        bool begins = first || trmi_plan_code(c, c->order[i - 1]) != code;
        if (begins && tape->run)
            tape->run[runs] = (trmi_operation_run){.code = code};
        runs += begins;
        if (tape->segment && tape->run) {
            tape->segment[segments - 1].runs += begins;
            tape->segment[segments - 1].count++;
            tape->run[runs - 1].count++;
        }
    }
    tape->segments = segments;
    tape->runs = runs;
}

static bool place_segments(const trmi_compiler *c, trmi_memory *memory, trmi_tape *tape)
{
    make_segments(c, tape);
    if (!TRMI_TAKE(memory, tape->segment, tape->segments) ||
        !TRMI_TAKE(memory, tape->run, tape->runs))
        return false;
    make_segments(c, tape);
    if (c->slow_count > 0) {
        tape->slow = *tape->segment++;
        tape->segments--;
    }
    return true;
}

// ---- instructions ----

int trmi_plan_code(const trmi_compiler *c, trmi_node node)
{
    const trmi_graph_node *n = &c->graph->node[node];
    trmi_node product = c->plan[node].product;
    if (c->plan[node].partner != TRMI_NO_NODE)
        return TRMI_CODE_SIN_COS;
    if (product == TRMI_NO_NODE)
        return (int)n->operation;
    if (n->operation == TRMI_ADD)
        return TRMI_CODE_MULTIPLY_ADD;
    return product == n->a ? TRMI_CODE_MULTIPLY_SUBTRACT : TRMI_CODE_SUBTRACT_PRODUCT;
}

int trmi_plan_operands(const trmi_compiler *c, trmi_node node, trmi_node operand[3])
{
    const trmi_graph_node *n = &c->graph->node[node];
    trmi_node product = c->plan[node].product;
    int count = trmi_operation_operands(n->operation);
    for (int k = 0; k < count; k++)
        operand[k] = trmi_operand(n, k);
    if (product == TRMI_NO_NODE)
        return count;
    operand[2] = product == n->a ? n->b : n->a;
    operand[0] = c->graph->node[product].a;
    operand[1] = c->graph->node[product].b;
    return 3;
}

static trmi_instruction encode(const trmi_compiler *c, trmi_node node)
{
    trmi_node operand[3];
    uint32_t reg[3] = {0};
    int count = trmi_plan_operands(c, node, operand);
    for (int k = 0; k < count; k++)
        reg[k] = (uint32_t)c->plan[operand[k]].result;
    return (trmi_instruction){reg[0], reg[1], reg[2]};
}

// outputs by group, in the order in which they were given
static void place_outputs(const trmi_compiler *c, trmi_tape *tape)
{
    for (int k = 0; k < c->outputs; k++)
        tape->group_start[c->output[k].group + 1]++;
    for (int g = 0; g < GROUPS; g++)
        tape->group_start[g + 1] += tape->group_start[g];
    int next[GROUPS];
    for (int g = 0; g < GROUPS; g++)
        next[g] = tape->group_start[g];
    for (int k = 0; k < c->outputs; k++)
        tape->output[next[c->output[k].group]++] = c->plan[c->output[k].node].result;
}

static bool compile(trmi_compiler *c, trmi_memory *memory, trmi_tape *tape)
{
    int nodes = c->graph->count;
    if (!find_nodes(c) || !TRMI_TAKE(&c->scratch, c->plan, nodes))
        return false;
    find_slow(c);
    find_groups(c);
    if (!join_operations(c, nodes) || !order_nodes(c) || !trmi_plan_schedule(c) ||
        !place_constants(c, memory, tape))
        return false;
    place_results(c, tape);
    if (!place_segments(c, memory, tape) || !TRMI_TAKE(memory, tape->instruction, c->count) ||
        !TRMI_TAKE(memory, tape->output, c->outputs))
        return false;
    for (int i = 0; i < c->count; i++)
        tape->instruction[i] = encode(c, c->order[i]);
    place_outputs(c, tape);
    return true;
}

const trmi_tape *trmi_tape_create(trmi_memory *memory, const trmi_graph *graph,
                                  const trmi_tape_output *output, int outputs, int inputs, int slow)
{
    trmi_compiler c = {
        .graph = graph, .output = output, .outputs = outputs, .inputs = inputs, .slow = slow};
    trmi_tape *tape;
    if (graph->failed || !TRMI_TAKE(memory, tape, 1))
        return NULL;
    tape->curve = graph->curve;
    trmi_memory_init(&c.scratch, &memory->allocator);
    bool done = compile(&c, memory, tape);
    trmi_memory_release_all(&c.scratch);
    trmi_walk_release(&c.walk);
    return done ? tape : NULL;
}
