// SPDX-License-Identifier: Apache-2.0
// Reading by precedence: an expression of at least level L is an operand, then operators of level L
// or above with their right operands, which are expressions of the next level. Operators of one
// level are taken in a loop, so a sum of a million terms needs no stack; what does is counted in
// `depth`.
#include "expression/parse.h"

#include "base/nearest.h"
#include "expression/lexer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// what binds how tightly
enum {
    LEVEL_OR = 1,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARE,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_SIGN,
    LEVEL_POWER
};

enum { LONGEST_NAME = 200 };

typedef struct parser {
    trmi_graph *graph;
    const char *text;
    trmi_resolve *resolve;
    void *user;
    trmi_parse_error *error;
    trmi_token token; // the next one
    int end;          // of the one before
    int depth;
} parser;

static trmi_node parse_expression(parser *p, int level);

// ---- errors ----

__attribute__((format(printf, 4, 5))) static trmi_node fail(parser *p, int offset, int length,
                                                            const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    p->error->offset = offset;
    p->error->length = length;
    vsnprintf(p->error->message, sizeof p->error->message, format, arguments);
    va_end(arguments);
    return TRMI_NO_NODE;
}

// at most this much of somebody's text in a message
enum { SHOWN = 40 };

static int shown(int length)
{
    return length < SHOWN ? length : SHOWN;
}

static bool begins_operand(trmi_token_kind kind)
{
    return kind == TRMI_TOKEN_NUMBER || kind == TRMI_TOKEN_NAME || kind == TRMI_TOKEN_OPEN ||
           kind == TRMI_TOKEN_NOT;
}

// the next word is none that can stand here, after an operand; `open` is the offset of the
// parenthesis that waits for its end, or -1
static trmi_node fail_after_operand(parser *p, int open)
{
    const trmi_token *t = &p->token;
    const char *start = p->text + t->offset;
    if (t->kind == TRMI_TOKEN_WRONG)
        return fail(p, t->offset, t->length, "'%.*s': %s", shown(t->length), start, t->wrong);
    if (begins_operand(t->kind))
        return fail(p, t->offset, t->length,
                    "expected an operator before '%.*s'; is a '*' missing?", shown(t->length),
                    start);
    if (open >= 0)
        return fail(p, t->offset, t->length, "missing ')' for the '(' at column %d", open + 1);
    if (t->kind == TRMI_TOKEN_CLOSE)
        return fail(p, t->offset, t->length, "this ')' has no '('");
    return fail(p, t->offset, t->length, "',' only separates the arguments of a function");
}

static trmi_node fail_at_operand(parser *p)
{
    const trmi_token *t = &p->token;
    const char *start = p->text + t->offset;
    if (t->kind == TRMI_TOKEN_WRONG)
        return fail(p, t->offset, t->length, "'%.*s': %s", shown(t->length), start, t->wrong);
    if (t->kind == TRMI_TOKEN_NOT)
        return fail(p, t->offset, t->length, "'not' must stand in parentheses here: (not ...)");
    if (t->kind == TRMI_TOKEN_END && t->offset > 0)
        return fail(p, t->offset, 0, "the formula ends where a number, a name or '(' is expected");
    return fail(p, t->offset, t->length, "expected a number, a name or '(' here");
}

// ---- words ----

static void advance(parser *p)
{
    p->end = p->token.offset + p->token.length;
    p->token = trmi_next_token(p->text, p->end);
}

// one nesting more; false with an error when it is one too many
static bool enter(parser *p)
{
    if (p->depth++ < TRMI_FORMULA_DEPTH)
        return true;
    fail(p, p->token.offset, p->token.length,
         "parentheses and signs are nested more than %d deep; name parts of the formula",
         TRMI_FORMULA_DEPTH);
    return false;
}

static void leave(parser *p)
{
    p->depth--;
}

// copies a word; false with an error when it is too long
static bool copy_name(parser *p, const trmi_token *token, char *name)
{
    if (token->length > LONGEST_NAME) {
        fail(p, token->offset, token->length, "this name has more than %d characters",
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
static int parse_arguments(parser *p, trmi_operation operation, int open, trmi_node argument[3])
{
    int count = 0;
    while (p->token.kind != TRMI_TOKEN_CLOSE || count > 0) {
        trmi_node next = parse_expression(p, LEVEL_OR);
        if (next == TRMI_NO_NODE)
            return -1;
        if (takes_many(operation) && count > 0)
            argument[0] = trmi_apply(p->graph, operation, argument[0], next, TRMI_NO_NODE);
        else if (count < 3)
            argument[count] = next;
        count++;
        if (p->token.kind != TRMI_TOKEN_COMMA)
            break;
        advance(p);
    }
    if (p->token.kind != TRMI_TOKEN_CLOSE) {
        fail_after_operand(p, open);
        return -1;
    }
    advance(p);
    return count;
}

// name(...), the parenthesis is the next word
static trmi_node parse_call(parser *p, const trmi_token *name, trmi_operation operation)
{
    const char *text = trmi_operation_text(operation);
    const int open = p->token.offset, operands = trmi_operation_operands(operation);
    trmi_node argument[3] = {TRMI_NO_NODE, TRMI_NO_NODE, TRMI_NO_NODE};
    if (!enter(p))
        return TRMI_NO_NODE;
    advance(p);
    int given = parse_arguments(p, operation, open, argument);
    leave(p);
    if (given < 0)
        return TRMI_NO_NODE;
    if (takes_many(operation))
        return given >= 2 ? argument[0]
                          : fail(p, name->offset, name->length,
                                 "'%s' takes 2 or more arguments, %d given", text, given);
    if (given != operands)
        return fail(p, name->offset, name->length, "'%s' takes %d argument%s, %d given", text,
                    operands, operands == 1 ? "" : "s", given);
    return trmi_apply(p->graph, operation, argument[0], argument[1], argument[2]);
}

// ---- names ----

// asks what a name stands for; the error covers the text from the name to the end of what was read
static trmi_node resolve(parser *p, const trmi_token *at, const char *name, const char *argument)
{
    char message[sizeof p->error->message] = "";
    trmi_node node = TRMI_NO_NODE;
    if (p->resolve)
        node = p->resolve(p->user, name, argument, message, sizeof message);
    if (node != TRMI_NO_NODE)
        return node;
    const char *function = argument ? nearest_function(name) : NULL;
    if (function)
        return fail(p, at->offset, at->length, "unknown function '%.*s'; did you mean '%s'?", SHOWN,
                    name, function);
    if (message[0])
        return fail(p, at->offset, p->end - at->offset, "%s", message);
    return fail(p, at->offset, at->length,
                argument ? "unknown function '%.*s'" : "'%.*s' is not defined", SHOWN, name);
}

// name(name) where the first is no function of the language
static trmi_node parse_reference(parser *p, const trmi_token *at, const char *name)
{
    char argument[LONGEST_NAME + 1];
    const int open = p->token.offset;
    advance(p);
    trmi_token inner = p->token;
    trmi_token behind = trmi_next_token(p->text, inner.offset + inner.length);
    if (inner.kind != TRMI_TOKEN_NAME || behind.kind != TRMI_TOKEN_CLOSE) {
        const char *function = nearest_function(name);
        if (inner.kind == TRMI_TOKEN_NAME && behind.kind == TRMI_TOKEN_END && !function)
            return fail(p, behind.offset, 0, "missing ')' for the '(' at column %d", open + 1);
        return fail(p, at->offset, at->length, "unknown function '%.*s'%s%s%s", SHOWN, name,
                    function ? "; did you mean '" : "; is a '*' missing?", function ? function : "",
                    function ? "'?" : "");
    }
    if (!copy_name(p, &inner, argument))
        return TRMI_NO_NODE;
    advance(p);
    advance(p);
    return resolve(p, at, name, argument);
}

static bool find_constant(const char *name, double *value)
{
    const bool pi = !strcmp(name, "pi");
    *value = pi ? 3.141592653589793238462643 : 2.718281828459045235360287;
    return pi || !strcmp(name, "e");
}

static trmi_node parse_name(parser *p)
{
    const trmi_token at = p->token;
    char name[LONGEST_NAME + 1];
    double value;
    if (!copy_name(p, &at, name))
        return TRMI_NO_NODE;
    advance(p);
    const bool called = p->token.kind == TRMI_TOKEN_OPEN;
    trmi_operation function = find_function(name);
    if (function != TRMI_OPERATION_COUNT && called)
        return parse_call(p, &at, function);
    if (function != TRMI_OPERATION_COUNT)
        return fail(p, at.offset, at.length, "'%s' is a function: write %s(...)", name, name);
    if (find_constant(name, &value))
        return called ? fail(p, p->token.offset, 1,
                             "'%s' is a number; is a '*' missing before '('?", name)
                      : trmi_constant(p->graph, value);
    return called ? parse_reference(p, &at, name) : resolve(p, &at, name, NULL);
}

// ---- expressions ----

static trmi_node parse_parenthesis(parser *p)
{
    const int open = p->token.offset;
    if (!enter(p))
        return TRMI_NO_NODE;
    advance(p);
    trmi_node inside = parse_expression(p, LEVEL_OR);
    leave(p);
    if (inside == TRMI_NO_NODE)
        return TRMI_NO_NODE;
    if (p->token.kind != TRMI_TOKEN_CLOSE)
        return fail_after_operand(p, open);
    advance(p);
    return inside;
}

// -x, +x, not x: the operand is an expression of that level
static trmi_node parse_prefix(parser *p, int level)
{
    const trmi_token_kind sign = p->token.kind;
    if (!enter(p))
        return TRMI_NO_NODE;
    advance(p);
    trmi_node operand = parse_expression(p, level);
    leave(p);
    if (operand == TRMI_NO_NODE || sign == TRMI_TOKEN_PLUS)
        return operand;
    return trmi_apply(p->graph, sign == TRMI_TOKEN_NOT ? TRMI_NOT : TRMI_NEGATE, operand,
                      TRMI_NO_NODE, TRMI_NO_NODE);
}

static trmi_node parse_operand(parser *p, int level)
{
    trmi_node number;
    switch (p->token.kind) {
    case TRMI_TOKEN_NUMBER:
        number = trmi_constant(p->graph, p->token.value);
        advance(p);
        return number;
    case TRMI_TOKEN_NAME:
        return parse_name(p);
    case TRMI_TOKEN_OPEN:
        return parse_parenthesis(p);
    case TRMI_TOKEN_MINUS:
    case TRMI_TOKEN_PLUS:
        return parse_prefix(p, LEVEL_SIGN);
    case TRMI_TOKEN_NOT: // a + not b would have to bind tighter than it does
        return level <= LEVEL_NOT ? parse_prefix(p, LEVEL_NOT) : fail_at_operand(p);
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
    [TRMI_TOKEN_OR] = {LEVEL_OR, LEVEL_AND, TRMI_OR, false, false},
    [TRMI_TOKEN_AND] = {LEVEL_AND, LEVEL_NOT, TRMI_AND, false, false},
    [TRMI_TOKEN_LESS] = {LEVEL_COMPARE, LEVEL_SUM, TRMI_LESS, false, false},
    [TRMI_TOKEN_LESS_EQUAL] = {LEVEL_COMPARE, LEVEL_SUM, TRMI_LESS_EQUAL, false, false},
    [TRMI_TOKEN_GREATER] = {LEVEL_COMPARE, LEVEL_SUM, TRMI_LESS, true, false},
    [TRMI_TOKEN_GREATER_EQUAL] = {LEVEL_COMPARE, LEVEL_SUM, TRMI_LESS_EQUAL, true, false},
    [TRMI_TOKEN_EQUAL] = {LEVEL_COMPARE, LEVEL_SUM, TRMI_EQUAL, false, false},
    [TRMI_TOKEN_NOT_EQUAL] = {LEVEL_COMPARE, LEVEL_SUM, TRMI_EQUAL, false, true},
    [TRMI_TOKEN_PLUS] = {LEVEL_SUM, LEVEL_PRODUCT, TRMI_ADD, false, false},
    [TRMI_TOKEN_MINUS] = {LEVEL_SUM, LEVEL_PRODUCT, TRMI_SUBTRACT, false, false},
    [TRMI_TOKEN_TIMES] = {LEVEL_PRODUCT, LEVEL_SIGN, TRMI_MULTIPLY, false, false},
    [TRMI_TOKEN_OVER] = {LEVEL_PRODUCT, LEVEL_SIGN, TRMI_DIVIDE, false, false},
    [TRMI_TOKEN_POWER] = {LEVEL_POWER, LEVEL_POWER, TRMI_POWER, false, false},
};

static trmi_node apply_operator(parser *p, const binary_operator *op, trmi_node left,
                                trmi_node right)
{
    trmi_node node = op->exchanged ? trmi_apply(p->graph, op->operation, right, left, TRMI_NO_NODE)
                                   : trmi_apply(p->graph, op->operation, left, right, TRMI_NO_NODE);
    return op->negated ? trmi_apply(p->graph, TRMI_NOT, node, TRMI_NO_NODE, TRMI_NO_NODE) : node;
}

// the right operand; those of '^' nest without parentheses
static trmi_node parse_right(parser *p, const binary_operator *op)
{
    if (op->level != LEVEL_POWER)
        return parse_expression(p, op->right_level);
    if (!enter(p))
        return TRMI_NO_NODE;
    trmi_node exponent = parse_expression(p, op->right_level);
    leave(p);
    return exponent;
}

static trmi_node parse_expression(parser *p, int level)
{
    trmi_node left = parse_operand(p, level);
    while (left != TRMI_NO_NODE) {
        const binary_operator *op = &operators[p->token.kind];
        if (op->level == 0 || op->level < level)
            break;
        advance(p);
        trmi_node right = parse_right(p, op);
        if (right == TRMI_NO_NODE)
            return TRMI_NO_NODE;
        left = apply_operator(p, op, left, right);
        if (op->level == LEVEL_COMPARE && operators[p->token.kind].level == LEVEL_COMPARE)
            return fail(p, p->token.offset, p->token.length,
                        "comparisons cannot be chained: write a < b and b < c");
    }
    return left;
}

trmi_node trmi_parse(trmi_graph *graph, const char *text, trmi_resolve *resolve_name, void *user,
                     trmi_parse_error *error)
{
    parser p = {
        .graph = graph, .text = text, .resolve = resolve_name, .user = user, .error = error};
    *error = (trmi_parse_error){0};
    if (!memchr(text, '\0', TRMI_FORMULA_BYTES + 1))
        return fail(&p, 0, 0, "the formula has more than %d bytes; name parts of it",
                    TRMI_FORMULA_BYTES);
    p.token = trmi_next_token(text, 0);
    if (p.token.kind == TRMI_TOKEN_END)
        return fail(&p, 0, 0, "the formula is empty");
    trmi_node node = parse_expression(&p, LEVEL_OR);
    if (node == TRMI_NO_NODE)
        return TRMI_NO_NODE;
    if (p.token.kind != TRMI_TOKEN_END)
        return fail_after_operand(&p, -1);
    if (graph->failed)
        return fail(&p, 0, 0, "no memory for the formula");
    return node;
}

// ---- names as such ----

bool trmi_is_name(const char *text)
{
    if (!trmi_begins_name(*text))
        return false;
    while (trmi_continues_name(*text))
        text++;
    return !*text;
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
