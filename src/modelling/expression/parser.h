// SPDX-License-Identifier: Apache-2.0
// A formula under reading, shared by parse.c (operators) and name.c (names, functions).
#ifndef TRMI_MODELLING_EXPRESSION_PARSER_H
#define TRMI_MODELLING_EXPRESSION_PARSER_H

#include "modelling/expression/lexer.h"
#include "modelling/expression/parse.h"

// What binds how tightly.
enum {
    TRMI_LEVEL_OR = 1,
    TRMI_LEVEL_AND,
    TRMI_LEVEL_NOT,
    TRMI_LEVEL_COMPARE,
    TRMI_LEVEL_SUM,
    TRMI_LEVEL_PRODUCT,
    TRMI_LEVEL_SIGN,
    TRMI_LEVEL_POWER
};

enum { TRMI_SHOWN = 40 }; // bytes of the user's text in a message, at most

typedef struct trmi_parser {
    trmi_graph *graph;
    const char *text;
    trmi_resolve *resolve;
    void *user;
    trmi_parse_error *error;
    trmi_token token; // the next one
    int end;          // of the one before
    int depth;
} trmi_parser;

// Fills in the error (printf style) and returns TRMI_NO_NODE.
trmi_node trmi_parser_fail(trmi_parser *p, int offset, int length, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Reports that the next word is not allowed here, after an operand; `open` is the offset of the
// parenthesis that is not closed yet, or -1.
trmi_node trmi_parser_fail_after_operand(trmi_parser *p, int open);

// Goes to the next word.
void trmi_parser_advance(trmi_parser *p);

// Enters one more level of nesting; false with an error when there are too many.
bool trmi_parser_enter(trmi_parser *p);

// Leaves a level of nesting.
void trmi_parser_leave(trmi_parser *p);

// An expression of that level or above; TRMI_NO_NODE with an error.
trmi_node trmi_parser_expression(trmi_parser *p, int level);

// A name with its arguments, if it has any: the next word is one.
trmi_node trmi_parser_name(trmi_parser *p);

#endif
