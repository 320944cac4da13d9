// SPDX-License-Identifier: Apache-2.0
// Names in formulas: functions with their arguments, constants, and what the model calls its own.
#include "base/nearest.h"
#include "base/space.h"
#include "modelling/expression/parser.h"

#include <string.h>

enum { LONGEST_NAME = 200 };

// copies a word; false with an error when it is too long
static bool copy_name(trmi_parser *p, const trmi_token *token, char *name)
{
    if (token->length > LONGEST_NAME) {
        trmi_parser_fail(p, token->offset, token->length, "this name has more than %d characters",
                         LONGEST_NAME);
        return false;
    }
    memcpy(name, p->text + token->offset, (size_t)token->length);
    name[token->length] = '\0';
    return true;
}

// ---- functions ----

// the operation with that name in formulas, TRMI_OPERATION_COUNT when there is none
static trmi_operation find_function(const char *name)
{
    for (int k = 0; k < TRMI_OPERATION_COUNT; k++) {
        const char *text = trmi_operation_text((trmi_operation)k);
        if (text && !strcmp(text, name))
            return (trmi_operation)k;
    }
    return TRMI_OPERATION_COUNT;
}

static const char *nearest_function(const char *name)
{
    const char *all[TRMI_OPERATION_COUNT];
    int count = 0;
    for (int k = 0; k < TRMI_OPERATION_COUNT; k++)
        if (trmi_operation_text((trmi_operation)k))
            all[count++] = trmi_operation_text((trmi_operation)k);
    return trmi_nearest(name, all, count);
}

static bool takes_many(trmi_operation operation)
{
    return operation == TRMI_MIN || operation == TRMI_MAX;
}

// reads "argument, argument)" after "("; how many there are, -1 with an error. Those beyond the
// third are counted, for min and max they go into argument[0] one by one.
static int parse_arguments(trmi_parser *p, trmi_operation operation, int open,
                           trmi_node argument[3])
{
    int count = 0;
    while (p->token.kind != TRMI_TOKEN_CLOSE || count > 0) {
        trmi_node next = trmi_parser_expression(p, TRMI_LEVEL_OR);
        if (next == TRMI_NO_NODE)
            return -1;
        if (takes_many(operation) && count > 0)
            argument[0] = trmi_apply(p->graph, operation, argument[0], next, TRMI_NO_NODE);
        else if (count < 3)
            argument[count] = next;
        count++;
        if (p->token.kind != TRMI_TOKEN_COMMA)
            break;
        trmi_parser_advance(p);
    }
    if (p->token.kind != TRMI_TOKEN_CLOSE) {
        trmi_parser_fail_after_operand(p, open);
        return -1;
    }
    trmi_parser_advance(p);
    return count;
}

// name(...), the parenthesis is the next word
static trmi_node parse_call(trmi_parser *p, const trmi_token *name, trmi_operation operation)
{
    const char *text = trmi_operation_text(operation);
    const int open = p->token.offset, operands = trmi_operation_operands(operation);
    trmi_node argument[3] = {TRMI_NO_NODE, TRMI_NO_NODE, TRMI_NO_NODE};
    if (!trmi_parser_enter(p))
        return TRMI_NO_NODE;
    trmi_parser_advance(p);
    int given = parse_arguments(p, operation, open, argument);
    trmi_parser_leave(p);
    if (given < 0)
        return TRMI_NO_NODE;
    if (takes_many(operation))
        return given >= 2
                   ? argument[0]
                   : trmi_parser_fail(p, name->offset, name->length,
                                      "'%s' takes 2 or more arguments, %d given", text, given);
    if (given != operands)
        return trmi_parser_fail(p, name->offset, name->length, "'%s' takes %d argument%s, %d given",
                                text, operands, operands == 1 ? "" : "s", given);
    return trmi_apply(p->graph, operation, argument[0], argument[1], argument[2]);
}

// ---- names ----

// resolves a name; the error covers the text from the name to the end of what was read
static trmi_node resolve(trmi_parser *p, const trmi_token *at, const char *name,
                         const char *argument)
{
    char message[sizeof p->error->message] = "";
    trmi_node node = TRMI_NO_NODE;
    if (p->resolve)
        node = p->resolve(p->user, name, argument, message, sizeof message);
    if (node != TRMI_NO_NODE)
        return node;
    const char *function = argument ? nearest_function(name) : NULL;
    if (function)
        return trmi_parser_fail(p, at->offset, at->length,
                                "unknown function '%.*s'; did you mean '%s'?", TRMI_SHOWN, name,
                                function);
    if (message[0])
        return trmi_parser_fail(p, at->offset, p->end - at->offset, "%s", message);
    return trmi_parser_fail(p, at->offset, at->length,
                            argument ? "unknown function '%.*s'" : "'%.*s' is not defined",
                            TRMI_SHOWN, name);
}

// name(name) where the first is not a function of the language
static trmi_node parse_reference(trmi_parser *p, const trmi_token *at, const char *name)
{
    char argument[LONGEST_NAME + 1];
    const int open = p->token.offset;
    trmi_parser_advance(p);
    trmi_token inner = p->token;
    trmi_token behind = trmi_next_token(p->text, inner.offset + inner.length);
    if (inner.kind != TRMI_TOKEN_NAME || behind.kind != TRMI_TOKEN_CLOSE) {
        const char *function = nearest_function(name);
        if (inner.kind == TRMI_TOKEN_NAME && behind.kind == TRMI_TOKEN_END && !function)
            return trmi_parser_fail(p, behind.offset, 0, "missing ')' for the '(' at column %d",
                                    open + 1);
        return trmi_parser_fail(p, at->offset, at->length, "unknown function '%.*s'%s%s%s",
                                TRMI_SHOWN, name,
                                function ? "; did you mean '" : "; is a '*' missing?",
                                function ? function : "", function ? "'?" : "");
    }
    if (!copy_name(p, &inner, argument))
        return TRMI_NO_NODE;
    trmi_parser_advance(p);
    trmi_parser_advance(p);
    return resolve(p, at, name, argument);
}

// ---- tables ----

static trmi_node fail_curve(trmi_parser *p, const trmi_token *at, const char *name)
{
    const char *near = NULL, *one[1];
    for (int k = 0; k < p->graph->curves && !near; k++) {
        one[0] = p->graph->curve[k].name;
        near = trmi_nearest(name, one, 1);
    }
    if (p->graph->curves == 0)
        return trmi_parser_fail(p, at->offset, at->length,
                                "there is no table '%.*s' here: no table is known", TRMI_SHOWN,
                                name);
    return trmi_parser_fail(p, at->offset, at->length, "there is no table '%.*s'%s%.*s%s",
                            TRMI_SHOWN, name, near ? "; did you mean '" : "", TRMI_SHOWN,
                            near ? near : "", near ? "'?" : "");
}

// Functions of a curve: its name, then formulas.
typedef struct curve_function {
    const char *name, *usage;
    int formulas;
} curve_function;

enum { TABLE_VALUE, TABLE_INTEGRAL, PATH_X, PATH_Y, CURVE_FUNCTIONS };

static const curve_function curve_functions[CURVE_FUNCTIONS] = {
    [TABLE_VALUE] = {"table", "the name of a table and a formula: table(NAME, x)", 1},
    [TABLE_INTEGRAL] = {"integral", "the name of a table and a formula: integral(NAME, x)", 1},
    [PATH_X] = {"path_x", "the name of a table of curvatures and two formulas: path_x(NAME, a, b)",
                2},
    [PATH_Y] = {"path_y", "the name of a table of curvatures and two formulas: path_y(NAME, a, b)",
                2},
};

static int find_curve_function(const char *name)
{
    int k = 0;
    while (k < CURVE_FUNCTIONS && strcmp(curve_functions[k].name, name) != 0)
        k++;
    return k;
}

static trmi_node apply_to_curve(trmi_parser *p, int function, int number, const trmi_node x[2])
{
    trmi_interpolant *curve = &p->graph->curve[number];
    curve->used = true;
    if (function == TABLE_VALUE)
        return trmi_table(p->graph, number, TRMI_INTERPOLANT_VALUE, x[0]);
    if (function == TABLE_INTEGRAL)
        return trmi_table(p->graph, number, TRMI_INTERPOLANT_INTEGRAL, x[0]);
    curve->bends = true;
    return trmi_path(p->graph, number, function == PATH_Y, x[0], x[1]);
}

// the formulas after the name of the curve, up to the closing parenthesis
static bool parse_formulas(trmi_parser *p, const trmi_token *at, int function, int open,
                           trmi_node x[2])
{
    const curve_function *f = &curve_functions[function];
    for (int k = 0; k < f->formulas; k++) {
        trmi_parser_advance(p);
        x[k] = trmi_parser_expression(p, TRMI_LEVEL_OR);
        if (x[k] == TRMI_NO_NODE)
            return false;
        bool more = p->token.kind == TRMI_TOKEN_COMMA;
        if (more != (k + 1 < f->formulas) && (more || p->token.kind == TRMI_TOKEN_CLOSE)) {
            trmi_parser_fail(p, at->offset, at->length, "'%s' takes %d arguments", f->name,
                             1 + f->formulas);
            return false;
        }
    }
    if (p->token.kind == TRMI_TOKEN_CLOSE)
        return true;
    trmi_parser_fail_after_operand(p, open);
    return false;
}

// table(NAME, x) and its kin; the parenthesis is the next word
static trmi_node parse_curve(trmi_parser *p, const trmi_token *at, int function)
{
    char name[LONGEST_NAME + 1];
    trmi_node x[2];
    const int open = p->token.offset;
    if (!trmi_parser_enter(p))
        return TRMI_NO_NODE;
    trmi_parser_advance(p);
    const trmi_token first = p->token;
    const trmi_token behind = trmi_next_token(p->text, first.offset + first.length);
    if (first.kind != TRMI_TOKEN_NAME || behind.kind != TRMI_TOKEN_COMMA)
        return trmi_parser_fail(p, at->offset, at->length, "'%s' takes %s",
                                curve_functions[function].name, curve_functions[function].usage);
    if (!copy_name(p, &first, name))
        return TRMI_NO_NODE;
    int curve = trmi_graph_find_curve(p->graph, name);
    if (curve < 0)
        return fail_curve(p, &first, name);
    trmi_parser_advance(p);
    bool good = parse_formulas(p, at, function, open, x);
    trmi_parser_leave(p);
    if (!good)
        return TRMI_NO_NODE;
    trmi_parser_advance(p);
    return apply_to_curve(p, function, curve, x);
}

static bool find_constant(const char *name, double *value)
{
    const bool pi = !strcmp(name, "pi");
    *value = pi ? TRMI_PI : 2.718281828459045235360287;
    return pi || !strcmp(name, "e");
}

trmi_node trmi_parser_name(trmi_parser *p)
{
    const trmi_token at = p->token;
    char name[LONGEST_NAME + 1];
    double value;
    if (!copy_name(p, &at, name))
        return TRMI_NO_NODE;
    trmi_parser_advance(p);
    const bool called = p->token.kind == TRMI_TOKEN_OPEN;
    trmi_operation function = find_function(name);
    if (function != TRMI_OPERATION_COUNT && called)
        return parse_call(p, &at, function);
    if (function != TRMI_OPERATION_COUNT)
        return trmi_parser_fail(p, at.offset, at.length, "'%s' is a function: write %s(...)", name,
                                name);
    const int of_curve = find_curve_function(name);
    if (called && of_curve != CURVE_FUNCTIONS)
        return parse_curve(p, &at, of_curve);
    if (find_constant(name, &value))
        return called ? trmi_parser_fail(p, p->token.offset, 1,
                                         "'%s' is a number; is a '*' missing before '('?", name)
                      : trmi_constant(p->graph, value);
    return called ? parse_reference(p, &at, name) : resolve(p, &at, name, NULL);
}

// ---- names as such ----

bool trmi_is_name(const char *text)
{
    if (!trmi_begins_name(*text))
        return false;
    return text[trmi_name_length(text)] == '\0';
}

bool trmi_is_reserved(const char *text)
{
    static const char *const word[] = {"and", "or", "not", "t"};
    double value;
    for (size_t k = 0; k < sizeof word / sizeof *word; k++)
        if (!strcmp(word[k], text))
            return true;
    return find_constant(text, &value) || find_function(text) != TRMI_OPERATION_COUNT;
}
