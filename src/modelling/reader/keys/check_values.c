// SPDX-License-Identifier: Apache-2.0
// Values against the table of keys: numbers, words, names, and lists of them.
#include "modelling/reader/keys/check.h"

#include "base/nearest.h"
#include "modelling/expression/parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL_BYTES = 100 };

bool trmi_check_full(const trmi_document *d)
{
    return trmi_document_errors(d) > TRMI_DOCUMENT_ERRORS;
}

// ---- texts ----

// text += part, cut where it is full
static void append(char *text, size_t size, const char *part)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", part);
}

void trmi_append_words(char *text, size_t size, const char *const *word, int count)
{
    for (int k = 0; k < count; k++) {
        append(text, size, k ? ", " : "");
        append(text, size, word[k]);
    }
}

int trmi_count_words(const char *const *word)
{
    int count = 0;
    while (word && word[count])
        count++;
    return count;
}

bool trmi_is_among(const char *text, const char *const *word, int count)
{
    for (int k = 0; k < count; k++)
        if (strcmp(word[k], text) == 0)
            return true;
    return false;
}

// the values that a key takes
static void describe(const trmi_key *row, char *text, size_t size)
{
    const char *const *choices = trmi_key_choices(row);
    text[0] = '\0';
    if (row->kind == TRMI_KEY_CHOICE) {
        append(text, size, choices[1] ? "one of " : "");
        trmi_append_words(text, size, choices, trmi_count_words(choices));
    } else {
        append(text, size, trmi_key_kind_text(row->kind));
        for (int k = 0; choices && choices[k]; k++) {
            append(text, size, ", or the word ");
            append(text, size, choices[k]);
        }
    }
    if (row->kind != TRMI_KEY_SECTION && row->below)
        append(text, size, ", or a map");
}

// The item in a sentence: 'end', or element 2 of 'mass'. Only messages make the text.
typedef struct label {
    const char *key;
    int depth, index[2]; // of lists in lists
} label;

typedef struct label_text {
    char text[LABEL_BYTES];
} label_text;

static label label_element(label l, int index)
{
    l.index[l.depth++] = index;
    return l;
}

static label_text text_of(const label *l)
{
    label_text t, list;
    snprintf(t.text, sizeof t.text, "'%.60s'", l->key);
    for (int k = 0; k < l->depth; k++) {
        list = t;
        snprintf(t.text, sizeof t.text, "element %d of %.70s", l->index[k] + 1, list.text);
    }
    return t;
}

// "... must be a number or a formula, not a list"
static void report_kind(trmi_document *d, const trmi_item *item, label l, const char *expected)
{
    if (item->kind != TRMI_SCALAR || trmi_item_null(item))
        trmi_report(d, item, "%s must be %s, not %s", text_of(&l).text, expected,
                    trmi_item_kind_text(item));
    else
        trmi_report(d, item, "%s must be %s, not '%.60s'", text_of(&l).text, expected, item->text);
}

// ---- values ----

// b in lower case
static bool equals_ignoring_case(const char *a, const char *b)
{
    for (; *a && (*a >= 'A' && *a <= 'Z' ? *a - 'A' + 'a' : *a) == *b; a++)
        b++;
    return *a == '\0' && *b == '\0';
}

// Whether a plain text is what other languages take for a number or a truth value: 0x10, 1_000,
// nan, .inf, yes. As a formula it would only be an unknown name.
static bool is_foreign_number(const char *text)
{
    static const char *const words[] = {"nan", "inf", "infinity", "yes",  "no",
                                        "on",  "off", "true",     "false"};
    text += *text == '+' || *text == '-';
    const char *digits = text + strspn(text, "0123456789");
    if (digits > text && *digits == '_')
        return true;
    if (text[0] == '0' && text[1] && strchr("xXoObB", text[1]))
        return true;
    text += *text == '.';
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (equals_ignoring_case(text, words[k]))
            return true;
    return false;
}

// a number against the range of its option
static void check_range(trmi_document *d, const trmi_item *item, const trmi_key *row, label l,
                        double value)
{
    const trm_option_info *option = trmi_key_option(row);
    if (!option || (value >= option->least && value <= option->greatest))
        return;
    if (isfinite(option->greatest))
        trmi_report(d, item, "%s must be from %g to %g, not %.60s", text_of(&l).text, option->least,
                    option->greatest, item->text);
    else
        trmi_report(d, item, "%s must be at least %g, not %.60s", text_of(&l).text, option->least,
                    item->text);
}

// Formulas may compare with any parameter, and a largest step of 1e300 is none.
static void check_magnitude(trmi_document *d, const trmi_item *item, const trmi_key *row, label l,
                            double value)
{
    bool parameter = strncmp(row->path, "parameters", strlen("parameters")) == 0;
    bool no_limit = strcmp(row->path, "simulate.step.max") == 0 && value > 1;
    if (!parameter && !no_limit)
        trmi_check_magnitude(d, item, text_of(&l).text, value);
}

// a number or a formula, which is read later
static void check_number(trmi_document *d, const trmi_item *item, const trmi_key *row, label l,
                         trmi_key_kind kind)
{
    double value = 0;
    if (trmi_item_number(item, &value)) {
        check_range(d, item, row, l, value);
        check_magnitude(d, item, row, l, value);
    } else if (isinf(value))
        trmi_report(d, item, "%s is a number that is too large or too long", text_of(&l).text);
    else if (item->text[0] == '\0')
        trmi_report(d, item, "%s is empty", text_of(&l).text);
    else if (!item->quoted && is_foreign_number(item->text))
        trmi_report(d, item,
                    "%s must be %s, not '%.60s'; numbers are decimal, such as 16 or 1.5e-3",
                    text_of(&l).text, trmi_key_kind_text(kind), item->text);
}

static bool is_choice(const trmi_key *row, const char *text)
{
    const char *const *choices = trmi_key_choices(row);
    return trmi_is_among(text, choices, trmi_count_words(choices));
}

static void check_choice(trmi_document *d, const trmi_item *item, const trmi_key *row, label l)
{
    const char *const *choices = trmi_key_choices(row);
    int count = trmi_count_words(choices);
    if (is_choice(row, item->text))
        return;
    const char *near = trmi_nearest(item->text, choices, count);
    char list[TRMI_LIST_BYTES] = "";
    trmi_append_words(list, sizeof list, choices, count);
    if (count == 1)
        trmi_report(d, item, "%s must be %s, not '%.60s': %s", text_of(&l).text, list, item->text,
                    trmi_key_help(row));
    else if (near)
        trmi_report(d, item, "%s cannot be '%.60s'; did you mean '%s'?", text_of(&l).text,
                    item->text, near);
    else
        trmi_report(d, item, "%s cannot be '%.60s'; it is one of %s", text_of(&l).text, item->text,
                    list);
}

static void check_name(trmi_document *d, const trmi_item *item, label l)
{
    if (!trmi_is_name(item->text))
        trmi_report(d, item, "%s must be a name of letters, digits and _, not '%.60s'",
                    text_of(&l).text, item->text);
}

static void check_scalar(trmi_document *d, const trmi_item *item, const trmi_key *row, label l)
{
    bool truth;
    double value;
    char expected[TRMI_LIST_BYTES];
    switch (row->kind) {
    case TRMI_KEY_NUMBER:
    case TRMI_KEY_FORMULA:
    case TRMI_KEY_AMOUNTS:
        if (!is_choice(row, item->text))
            check_number(d, item, row, l, row->kind);
        return;
    case TRMI_KEY_WHOLE:
        if (trmi_item_number(item, &value) && value == floor(value))
            check_range(d, item, row, l, value);
        else
            report_kind(d, item, l, trmi_key_kind_text(row->kind));
        return;
    case TRMI_KEY_CHOICE:
        check_choice(d, item, row, l);
        return;
    case TRMI_KEY_NAME:
        check_name(d, item, l);
        return;
    case TRMI_KEY_TEXT:
        return;
    case TRMI_KEY_NUMBERS:
        if (is_choice(row, item->text))
            return;
        break;
    case TRMI_KEY_TRUTH:
        if (trmi_item_truth(item, &truth))
            return;
        break;
    default:
        break;
    }
    describe(row, expected, sizeof expected);
    report_kind(d, item, l, expected);
}

// ---- lists ----

// the elements of a list of numbers, formulas or names, or (deep) of lists of them
static void check_elements(trmi_document *d, const trmi_item *list, const trmi_key *row, label l,
                           bool deep)
{
    trmi_key_kind kind = row->kind == TRMI_KEY_NUMBERS ? TRMI_KEY_NUMBER
                         : row->kind == TRMI_KEY_NAMES ? TRMI_KEY_NAME
                         : row->kind == TRMI_KEY_TEXTS ? TRMI_KEY_TEXT
                                                       : TRMI_KEY_FORMULA;
    int index = 0;
    for (const trmi_item *item = list->child; item && !trmi_check_full(d); item = item->next) {
        label element = label_element(l, index++);
        if (item->kind == TRMI_LIST && deep)
            check_elements(d, item, row, element, false);
        else if (item->kind != TRMI_SCALAR || trmi_item_null(item))
            report_kind(d, item, element, trmi_key_kind_text(kind));
        else if (kind == TRMI_KEY_NAME)
            check_name(d, item, element);
        else if (kind != TRMI_KEY_TEXT)
            check_number(d, item, row, element, kind);
    }
}

void trmi_check_value(trmi_document *d, const trmi_item *item, const trmi_key *row)
{
    char expected[TRMI_LIST_BYTES];
    label l = {.key = item->key ? item->key : ""};
    if (trmi_key_is_list(row->kind) && item->kind == TRMI_LIST) {
        check_elements(d, item, row, l,
                       row->kind == TRMI_KEY_MATRIX || row->kind == TRMI_KEY_AMOUNTS);
    } else if (item->kind == TRMI_SCALAR) {
        check_scalar(d, item, row, l);
    } else {
        describe(row, expected, sizeof expected);
        report_kind(d, item, l, expected);
    }
}
