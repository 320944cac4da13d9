// SPDX-License-Identifier: Apache-2.0
// Reading by precedence: an expression of at least level L is an operand, then operators of level L
// or above with their right operands, which are expressions of the next level. Operators of one
// level are taken in a loop, so a sum of a million terms needs no stack; what does is counted in
// `depth`.
#include "modelling/expression/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- errors ----

trmi_node trmi_parser_fail(trmi_parser *p, int offset, int length, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    p->error->offset = offset;
    p->error->length = length;
    vsnprintf(p->error->message, sizeof p->error->message, format, arguments);
    va_end(arguments);
    return TRMI_NO_NODE;
}

static int shown(int length)
{
    return length < TRMI_SHOWN ? length : TRMI_SHOWN;
}

static bool begins_operand(trmi_token_kind kind)
{
    return kind == TRMI_TOKEN_NUMBER || kind == TRMI_TOKEN_NAME || kind == TRMI_TOKEN_OPEN ||
           kind == TRMI_TOKEN_NOT;
}

trmi_node trmi_parser_fail_after_operand(trmi_parser *p, int open)
{
    const trmi_token *t = &p->token;
    const char *start = p->text + t->offset;
    if (t->kind == TRMI_TOKEN_WRONG)
        return trmi_parser_fail(p, t->offset, t->length, "'%.*s': %s", shown(t->length), start,
                                t->wrong);
    if (begins_operand(t->kind))
        return trmi_parser_fail(p, t->offset, t->length,
                                "expected an operator before '%.*s'; is a '*' missing?",
                                shown(t->length), start);
    if (open >= 0)
        return trmi_parser_fail(p, t->offset, t->length, "missing ')' for the '(' at column %d",
                                open + 1);
    if (t->kind == TRMI_TOKEN_CLOSE)
        return trmi_parser_fail(p, t->offset, t->length, "this ')' has no '('");
    return trmi_parser_fail(p, t->offset, t->length,
                            "',' only separates the arguments of a function");
}

static trmi_node fail_at_operand(trmi_parser *p)
{
    const trmi_token *t = &p->token;
    const char *start = p->text + t->offset;
    if (t->kind == TRMI_TOKEN_WRONG)
        return trmi_parser_fail(p, t->offset, t->length, "'%.*s': %s", shown(t->length), start,
                                t->wrong);
    if (t->kind == TRMI_TOKEN_NOT)
        return trmi_parser_fail(p, t->offset, t->length,
                                "'not' must stand in parentheses here: (not ...)");
    if (t->kind == TRMI_TOKEN_END && t->offset > 0)
        return trmi_parser_fail(p, t->offset, 0,
                                "the formula ends where a number, a name or '(' is expected");
    return trmi_parser_fail(p, t->offset, t->length, "expected a number, a name or '(' here");
}

// ---- words ----

void trmi_parser_advance(trmi_parser *p)
{
    p->end = p->token.offset + p->token.length;
    p->token = trmi_next_token(p->text, p->end);
}

bool trmi_parser_enter(trmi_parser *p)
{
    if (p->depth++ < TRMI_FORMULA_DEPTH)
        return true;
    trmi_parser_fail(
        p, p->token.offset, p->token.length,
        "parentheses and signs are nested more than %d deep; name parts of the formula",
        TRMI_FORMULA_DEPTH);
    return false;
}

void trmi_parser_leave(trmi_parser *p)
{
    p->depth--;
}

// ---- expressions ----

static trmi_node parse_parenthesis(trmi_parser *p)
{
    const int open = p->token.offset;
    if (!trmi_parser_enter(p))
        return TRMI_NO_NODE;
    trmi_parser_advance(p);
    trmi_node inside = trmi_parser_expression(p, TRMI_LEVEL_OR);
    trmi_parser_leave(p);
    if (inside == TRMI_NO_NODE)
        return TRMI_NO_NODE;
    if (p->token.kind != TRMI_TOKEN_CLOSE)
        return trmi_parser_fail_after_operand(p, open);
    trmi_parser_advance(p);
    return inside;
}

// -x, +x, not x: the operand is an expression of that level
static trmi_node parse_prefix(trmi_parser *p, int level)
{
    const trmi_token_kind sign = p->token.kind;
    if (!trmi_parser_enter(p))
        return TRMI_NO_NODE;
    trmi_parser_advance(p);
    trmi_node operand = trmi_parser_expression(p, level);
    trmi_parser_leave(p);
    if (operand == TRMI_NO_NODE || sign == TRMI_TOKEN_PLUS)
        return operand;
    return trmi_apply(p->graph, sign == TRMI_TOKEN_NOT ? TRMI_NOT : TRMI_NEGATE, operand,
                      TRMI_NO_NODE, TRMI_NO_NODE);
}

static trmi_node parse_operand(trmi_parser *p, int level)
{
    trmi_node number;
    switch (p->token.kind) {
    case TRMI_TOKEN_NUMBER:
        number = trmi_constant(p->graph, p->token.value);
        trmi_parser_advance(p);
        return number;
    case TRMI_TOKEN_NAME:
        return trmi_parser_name(p);
    case TRMI_TOKEN_OPEN:
        return parse_parenthesis(p);
    case TRMI_TOKEN_MINUS:
    case TRMI_TOKEN_PLUS:
        return parse_prefix(p, TRMI_LEVEL_SIGN);
    case TRMI_TOKEN_NOT: // a + not b would have to bind tighter than it does
        return level <= TRMI_LEVEL_NOT ? parse_prefix(p, TRMI_LEVEL_NOT) : fail_at_operand(p);
    default:
        return fail_at_operand(p);
    }
}

typedef struct binary_operator {
    int level;       // 0: no operator
    int right_level; // of the right operand: the next one, or the same when it groups to the right
    trmi_operation operation;
    bool exchanged; // a > b is b < a
    bool negated;   // a != b is not a == b
} binary_operator;

static const binary_operator operators[TRMI_TOKEN_COUNT] = {
    [TRMI_TOKEN_OR] = {TRMI_LEVEL_OR, TRMI_LEVEL_AND, TRMI_OR, false, false},
    [TRMI_TOKEN_AND] = {TRMI_LEVEL_AND, TRMI_LEVEL_NOT, TRMI_AND, false, false},
    [TRMI_TOKEN_LESS] = {TRMI_LEVEL_COMPARE, TRMI_LEVEL_SUM, TRMI_LESS, false, false},
    [TRMI_TOKEN_LESS_EQUAL] = {TRMI_LEVEL_COMPARE, TRMI_LEVEL_SUM, TRMI_LESS_EQUAL, false, false},
    [TRMI_TOKEN_GREATER] = {TRMI_LEVEL_COMPARE, TRMI_LEVEL_SUM, TRMI_LESS, true, false},
    [TRMI_TOKEN_GREATER_EQUAL] = {TRMI_LEVEL_COMPARE, TRMI_LEVEL_SUM, TRMI_LESS_EQUAL, true, false},
    [TRMI_TOKEN_EQUAL] = {TRMI_LEVEL_COMPARE, TRMI_LEVEL_SUM, TRMI_EQUAL, false, false},
    [TRMI_TOKEN_NOT_EQUAL] = {TRMI_LEVEL_COMPARE, TRMI_LEVEL_SUM, TRMI_EQUAL, false, true},
    [TRMI_TOKEN_PLUS] = {TRMI_LEVEL_SUM, TRMI_LEVEL_PRODUCT, TRMI_ADD, false, false},
    [TRMI_TOKEN_MINUS] = {TRMI_LEVEL_SUM, TRMI_LEVEL_PRODUCT, TRMI_SUBTRACT, false, false},
    [TRMI_TOKEN_TIMES] = {TRMI_LEVEL_PRODUCT, TRMI_LEVEL_SIGN, TRMI_MULTIPLY, false, false},
    [TRMI_TOKEN_OVER] = {TRMI_LEVEL_PRODUCT, TRMI_LEVEL_SIGN, TRMI_DIVIDE, false, false},
    [TRMI_TOKEN_POWER] = {TRMI_LEVEL_POWER, TRMI_LEVEL_POWER, TRMI_POWER, false, false},
};

static trmi_node apply_operator(trmi_parser *p, const binary_operator *op, trmi_node left,
                                trmi_node right)
{
    trmi_node node = op->exchanged ? trmi_apply(p->graph, op->operation, right, left, TRMI_NO_NODE)
                                   : trmi_apply(p->graph, op->operation, left, right, TRMI_NO_NODE);
    return op->negated ? trmi_apply(p->graph, TRMI_NOT, node, TRMI_NO_NODE, TRMI_NO_NODE) : node;
}

// the right operand; those of '^' nest without parentheses
static trmi_node parse_right(trmi_parser *p, const binary_operator *op)
{
    if (op->level != TRMI_LEVEL_POWER)
        return trmi_parser_expression(p, op->right_level);
    if (!trmi_parser_enter(p))
        return TRMI_NO_NODE;
    trmi_node exponent = trmi_parser_expression(p, op->right_level);
    trmi_parser_leave(p);
    return exponent;
}

trmi_node trmi_parser_expression(trmi_parser *p, int level)
{
    trmi_node left = parse_operand(p, level);
    while (left != TRMI_NO_NODE) {
        const binary_operator *op = &operators[p->token.kind];
        if (op->level == 0 || op->level < level)
            break;
        trmi_parser_advance(p);
        trmi_node right = parse_right(p, op);
        if (right == TRMI_NO_NODE)
            return TRMI_NO_NODE;
        left = apply_operator(p, op, left, right);
        if (op->level == TRMI_LEVEL_COMPARE && operators[p->token.kind].level == TRMI_LEVEL_COMPARE)
            return trmi_parser_fail(p, p->token.offset, p->token.length,
                                    "comparisons cannot be chained: write a < b and b < c");
    }
    return left;
}

trmi_node trmi_parse(trmi_graph *graph, const char *text, trmi_resolve *resolve_name, void *user,
                     trmi_parse_error *error)
{
    trmi_parser p = {
        .graph = graph, .text = text, .resolve = resolve_name, .user = user, .error = error};
    *error = (trmi_parse_error){0};
    if (!memchr(text, '\0', TRMI_FORMULA_BYTES + 1))
        return trmi_parser_fail(&p, 0, 0, "the formula has more than %d bytes; name parts of it",
                                TRMI_FORMULA_BYTES);
    p.token = trmi_next_token(text, 0);
    if (p.token.kind == TRMI_TOKEN_END)
        return trmi_parser_fail(&p, 0, 0, "the formula is empty");
    trmi_node node = trmi_parser_expression(&p, TRMI_LEVEL_OR);
    if (node == TRMI_NO_NODE)
        return TRMI_NO_NODE;
    if (p.token.kind != TRMI_TOKEN_END)
        return trmi_parser_fail_after_operand(&p, -1);
    if (graph->failed)
        return trmi_parser_fail(&p, 0, 0, "no memory for the formula");
    return node;
}
