// SPDX-License-Identifier: Apache-2.0
#include "modelling/expression/breaks.h"

#include "modelling/expression/walk.h"

#include <math.h>
#include <stdlib.h>

// evaluations of one search, after which it is given up
enum { MAX_EVALUATIONS = 200000 };

// One operation: operands by number among the operations, which come in an order of evaluation.
typedef struct operation {
    trmi_operation operation;
    int operand[3];
    int parameter;           // of INPUT: the number of the parameter, -1: the time
    double value;            // of CONSTANT
    trmi_table_choice table; // of TABLE
    bool branches;
} operation;

struct trmi_breaks {
    int count;
    operation *operation;
    const trmi_interpolant *curve; // of the graph, for TABLE
};

// ---- creation ----

enum { OF_STATE = 1, OF_TIME = 2 }; // what a node depends on, bits

static unsigned dependence(const trmi_graph_node *node, const unsigned char *of, int t,
                           int parameter)
{
    unsigned all = 0;
    if (node->operation == TRMI_INPUT)
        return node->a == t ? OF_TIME : node->a >= parameter ? 0 : OF_STATE;
    for (int k = 0; k < trmi_operation_operands(node->operation); k++)
        all |= of[trmi_operand(node, k)];
    return all;
}

static bool has_branches(const trmi_graph *graph, const trmi_graph_node *node)
{
    if (node->operation != TRMI_TABLE)
        return trmi_operation_branches(node->operation);
    const trmi_table_choice table = trmi_table_of(graph->node[node->b].value);
    return trmi_curve_branches(&graph->curve[table.curve], table.order);
}

// The operations with branches that depend on t alone, and all they consist of, in `walk`.
static bool collect(const trmi_graph *graph, const trmi_walk *all, const unsigned char *of,
                    trmi_walk *walk)
{
    for (int i = 0; i < all->count; i++) {
        trmi_node node = all->order[i];
        if (of[node] == OF_TIME && has_branches(graph, &graph->node[node]) &&
            !trmi_walk_add(walk, graph, node))
            return false;
    }
    return true;
}

static operation copy_node(const trmi_graph *graph, trmi_node number, const int *copied,
                           int parameter, unsigned of)
{
    const trmi_graph_node *node = &graph->node[number];
    operation copy = {.operation = node->operation, .parameter = -1, .value = node->value};
    for (int k = 0; k < trmi_operation_operands(node->operation); k++)
        copy.operand[k] = copied[trmi_operand(node, k)];
    if (node->operation == TRMI_TABLE)
        copy.table = trmi_table_of(graph->node[node->b].value);
    if (node->operation == TRMI_INPUT && of != OF_TIME)
        copy.parameter = node->a - parameter;
    copy.branches = of == OF_TIME && has_branches(graph, node);
    return copy;
}

static bool keep(trmi_memory *memory, const trmi_graph *graph, const trmi_walk *walk,
                 const unsigned char *of, int parameter, const trmi_breaks **out)
{
    trmi_breaks *breaks;
    int *number = malloc((size_t)graph->count * sizeof *number);
    bool good =
        number && TRMI_TAKE(memory, breaks, 1) && TRMI_TAKE(memory, breaks->operation, walk->count);
    for (int i = 0; good && i < walk->count; i++) {
        trmi_node node = walk->order[i];
        number[node] = i;
        breaks->operation[i] = copy_node(graph, node, number, parameter, of[node]);
    }
    if (good) {
        breaks->count = walk->count;
        breaks->curve = graph->curve;
        *out = breaks;
    }
    free(number);
    return good;
}

static bool find_breaks(trmi_memory *memory, const trmi_graph *graph, const trmi_node *node,
                        int nodes, int t, int parameter, const trmi_breaks **out)
{
    trmi_walk all = {0}, walk = {0};
    unsigned char *of = calloc((size_t)graph->count, 1);
    bool good = of != NULL;
    for (int k = 0; k < nodes && good; k++)
        good = trmi_walk_add(&all, graph, node[k]);
    for (int i = 0; i < all.count && good; i++)
        of[all.order[i]] = (unsigned char)dependence(&graph->node[all.order[i]], of, t, parameter);
    good = good && collect(graph, &all, of, &walk) &&
           (walk.count == 0 || keep(memory, graph, &walk, of, parameter, out));
    trmi_walk_release(&all);
    trmi_walk_release(&walk);
    free(of);
    return good;
}

// The nodes of outputs, with the formulas of inputs in the place of these. False: no memory.
static bool insert_formulas(trmi_graph *graph, const trmi_tape_output *output, int outputs,
                            const trmi_node *formula, int parameter, trmi_node *out)
{
    trmi_walk all = {0};
    trmi_node *by = malloc((size_t)graph->count * sizeof *by);
    bool good = by != NULL;
    for (int k = 0; k < outputs && good; k++)
        good = trmi_walk_add(&all, graph, output[k].node);
    for (int i = 0; i < all.count && good; i++) {
        trmi_node node = all.order[i];
        int input = graph->node[node].operation == TRMI_INPUT ? graph->node[node].a : parameter;
        bool given = input < parameter && formula[input] != TRMI_NO_NODE;
        by[node] = given ? formula[input] : trmi_rebuild(graph, node, by);
    }
    for (int k = 0; k < outputs && good; k++)
        out[k] = by[output[k].node];
    trmi_walk_release(&all);
    free(by);
    return good && !graph->failed;
}

bool trmi_breaks_create(trmi_memory *memory, trmi_graph *graph, const trmi_tape_output *output,
                        int outputs, const trmi_node *formula, int t, int parameter,
                        const trmi_breaks **out)
{
    *out = NULL;
    if (graph->failed || graph->count == 0)
        return !graph->failed;
    trmi_node *node = malloc(((size_t)outputs + 1) * sizeof *node);
    bool good = node != NULL;
    for (int k = 0; k < outputs && good; k++)
        node[k] = output[k].node;
    if (formula)
        good = good && insert_formulas(graph, output, outputs, formula, parameter, node);
    good = good && find_breaks(memory, graph, node, outputs, t, parameter, out);
    free(node);
    return good;
}

int trmi_breaks_work(const trmi_breaks *breaks)
{
    return breaks ? breaks->count : 0;
}

// ---- search ----

typedef struct search {
    const trmi_breaks *breaks;
    const double *parameter;
    trmi_break_work *work; // one for each operation
    int evaluations;
} search;

static trmi_interval value_of(const search *s, const operation *o, const trmi_interval x[3],
                              trmi_interval t)
{
    if (o->operation == TRMI_CONSTANT)
        return (trmi_interval){o->value, o->value};
    if (o->operation == TRMI_TABLE)
        return trmi_interval_curve(&s->breaks->curve[o->table.curve], o->table.order, x[0]);
    if (o->operation == TRMI_PATH)
        return trmi_interval_path(x);
    if (o->operation != TRMI_INPUT)
        return trmi_interval_apply(o->operation, x);
    double parameter = o->parameter >= 0 ? s->parameter[o->parameter] : 0;
    return o->parameter < 0 ? t : (trmi_interval){parameter, parameter};
}

static double branch_of(const search *s, const operation *o, const trmi_interval x[3])
{
    if (!o->branches)
        return 0;
    if (o->operation == TRMI_TABLE)
        return trmi_interval_piece(&s->breaks->curve[o->table.curve], o->table.order, x[0]);
    return trmi_interval_branch(o->operation, x);
}

// Values and branches on a stretch of time; false: a branch is not decided there. all: those behind
// such a branch are wanted too.
static bool evaluate(search *s, double from, double to, bool all)
{
    const trmi_interval t = {from, to};
    bool decided = true;
    s->evaluations++;
    for (int i = 0; i < s->breaks->count && (decided || all); i++) {
        const operation *o = &s->breaks->operation[i];
        trmi_interval x[3] = {{0}};
        for (int k = 0; k < trmi_operation_operands(o->operation); k++)
            x[k] = s->work[o->operand[k]].value;
        s->work[i].value = value_of(s, o, x, t);
        s->work[i].branch = branch_of(s, o, x);
        decided = decided && !isnan(s->work[i].branch);
    }
    return decided;
}

// Whether a branch at one time is another than at the other; one without a value at both is the
// same.
static bool differ(search *s, double before, double after)
{
    bool differs = false;
    evaluate(s, before, before, true);
    for (int i = 0; i < s->breaks->count; i++)
        s->work[i].before = s->work[i].branch;
    evaluate(s, after, after, true);
    for (int i = 0; i < s->breaks->count; i++) {
        double old = s->work[i].before, new = s->work[i].branch;
        differs = differs || (old != new && !(isnan(old) && isnan(new)));
    }
    return differs;
}

// Stretches from t on: twice as long after one that is decided, half as long after one that is not.
double trmi_breaks_next(const trmi_breaks *breaks, const double *parameter, double t, double t_end,
                        trmi_break_work *work)
{
    search s = {breaks, parameter, work, 0};
    double width = t_end - t;
    while (breaks && t < t_end && s.evaluations < MAX_EVALUATIONS) {
        double next = nextafter(t, INFINITY), end = fmax(next, fmin(t + width, t_end));
        if (evaluate(&s, t, end, false)) {
            t = end;
            width *= 2;
        } else if (end > next) {
            width = 0.5 * (end - t);
        } else if (differ(&s, t, next)) {
            return next;
        } else {
            t = next;
        }
    }
    return INFINITY;
}
