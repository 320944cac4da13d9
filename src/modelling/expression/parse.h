// SPDX-License-Identifier: Apache-2.0
// Formulas as text: numbers, names, + - * / ^, parentheses, comparisons, and or not, functions.
// From loosest to tightest: or, and, not, comparison (one only, not a < b < c), + -, * /, sign, ^.
// `^` groups to the right, -x^2 is -(x^2), 2^-1 is allowed.
#ifndef TRMI_MODELLING_EXPRESSION_PARSE_H
#define TRMI_MODELLING_EXPRESSION_PARSE_H

#include "modelling/expression/graph.h"

// Resolves a name. `argument` is NULL for a plain name; for name(argument) where `name` is
// no function of the language it is the name in the parentheses (accelerations: a(x)). A name that
// is not known: TRMI_NO_NODE, with a sentence in `message` ("'rood' is not defined; did you mean
// ..."), or nothing: then the parser has one. For name(argument) where `name` resembles a
// function the parser always reports the error itself ("unknown function 'sine'; did you mean
// 'sin'?").
typedef trmi_node trmi_resolve(void *user, const char *name, const char *argument, char *message,
                               size_t size);

// Where and why a formula is wrong.
typedef struct trmi_parse_error {
    int offset, length; // the offending text, in bytes
    char message[200];
} trmi_parse_error;

// Limits against hostile input: bytes of a formula, nested parentheses and prefix operators.
enum { TRMI_FORMULA_BYTES = 1 << 20, TRMI_FORMULA_DEPTH = 200 };

// The node of a formula, or TRMI_NO_NODE with the error filled in. `t`, `pi`, `e` are names as any
// other for the parser except that `pi` and `e` are constants that it knows.
trmi_node trmi_parse(trmi_graph *graph, const char *text, trmi_resolve *resolve, void *user,
                     trmi_parse_error *error);

// Whether text is a name: a letter or _, then letters, digits, _.
bool trmi_is_name(const char *text);
// Whether it is taken: a function, a constant, a word of the language, or t.
bool trmi_is_reserved(const char *text);

#endif
