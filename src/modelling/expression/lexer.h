// SPDX-License-Identifier: Apache-2.0
// The words of a formula.
#ifndef TRMI_MODELLING_EXPRESSION_LEXER_H
#define TRMI_MODELLING_EXPRESSION_LEXER_H

#include "modelling/expression/graph.h"

typedef enum trmi_token_kind {
    TRMI_TOKEN_END,
    TRMI_TOKEN_NUMBER,
    TRMI_TOKEN_NAME,
    TRMI_TOKEN_OPEN,
    TRMI_TOKEN_CLOSE,
    TRMI_TOKEN_COMMA,
    TRMI_TOKEN_PLUS,
    TRMI_TOKEN_MINUS,
    TRMI_TOKEN_TIMES,
    TRMI_TOKEN_OVER,
    TRMI_TOKEN_POWER,
    TRMI_TOKEN_LESS,
    TRMI_TOKEN_LESS_EQUAL,
    TRMI_TOKEN_GREATER,
    TRMI_TOKEN_GREATER_EQUAL,
    TRMI_TOKEN_EQUAL,
    TRMI_TOKEN_NOT_EQUAL,
    TRMI_TOKEN_AND,
    TRMI_TOKEN_OR,
    TRMI_TOKEN_NOT,
    TRMI_TOKEN_WRONG, // no word of the language
    TRMI_TOKEN_COUNT
} trmi_token_kind;

typedef struct trmi_token {
    trmi_token_kind kind;
    int offset, length; // in bytes
    double value;       // NUMBER
    const char *wrong;  // WRONG: why, a sentence
} trmi_token;

// The first word at or after `offset`.
trmi_token trmi_next_token(const char *text, int offset);

// Letters of names: a letter or _, digits after the first one. ASCII whatever the locale is.
bool trmi_begins_name(char c);
bool trmi_continues_name(char c);
// How many characters a name has that begins there; names of parts have points in them, left.foot.
int trmi_name_length(const char *text);

#endif
