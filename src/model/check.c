// SPDX-License-Identifier: Apache-2.0
// A document against the table of keys: one walk, no key has code of its own.
#include "base/nearest.h"
#include "model/keys.h"

#include <math.h>
#include <string.h>

enum { LABEL_BYTES = 100, LIST_BYTES = 700, MOST_KEYS = 64 };

typedef struct checker {
    trmi_document *document;
    trmi_key_index index;
    bool failed; // no memory
} checker;

static void check_map(checker *c, const trmi_item *map, const trmi_key_map *keys);

// more messages would not be shown
static bool is_full(const trmi_document *d)
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

// text += "a, b, c"
static void append_words(char *text, size_t size, const char *const *word, int count)
{
    for (int k = 0; k < count; k++) {
        append(text, size, k ? ", " : "");
        append(text, size, word[k]);
    }
}

static int count_words(const char *const *word)
{
    int count = 0;
    while (word && word[count])
        count++;
    return count;
}

static bool is_among(const char *text, const char *const *word, int count)
{
    for (int k = 0; k < count; k++)
        if (strcmp(word[k], text) == 0)
            return true;
    return false;
}

// what may stand at a key
static void describe(const trmi_key *row, char *text, size_t size)
{
    const char *const *choices = trmi_key_choices(row);
    text[0] = '\0';
    if (row->kind == TRMI_KEY_CHOICE) {
        append(text, size, choices[1] ? "one of " : "");
        append_words(text, size, choices, count_words(choices));
    } else {
        append(text, size, trmi_key_kind_text(row->kind));
        for (int k = 0; choices && choices[k]; k++) {
            append(text, size, ", or the word ");
            append(text, size, choices[k]);
        }
    }
    if (row->kind != TRMI_KEY_SECTION && trmi_key_below(row->path, 0) >= 0)
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

static label label_key(const trmi_item *item)
{
    return (label){.key = item->key ? item->key : ""};
}

static label label_element(label l, int index)
{
    l.index[l.depth++] = index;
    return l;
}

static label_text say(label l)
{
    label_text t, list;
    snprintf(t.text, sizeof t.text, "'%.60s'", l.key);
    for (int k = 0; k < l.depth; k++) {
        list = t;
        snprintf(t.text, sizeof t.text, "element %d of %.70s", l.index[k] + 1, list.text);
    }
    return t;
}

// "... must be a number or a formula, not a list"
static void report_kind(trmi_document *d, const trmi_item *item, label l, const char *wanted)
{
    if (item->kind != TRMI_SCALAR || trmi_item_null(item))
        trmi_report(d, item, "%s must be %s, not %s", say(l).text, wanted,
                    trmi_item_kind_text(item));
    else
        trmi_report(d, item, "%s must be %s, not '%.60s'", say(l).text, wanted, item->text);
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
        trmi_report(d, item, "%s must be from %g to %g, not %.60s", say(l).text, option->least,
                    option->greatest, item->text);
    else
        trmi_report(d, item, "%s must be at least %g, not %.60s", say(l).text, option->least,
                    item->text);
}

// a number or a formula; what the formula says is for the model to find out
static void check_number(trmi_document *d, const trmi_item *item, const trmi_key *row, label l,
                         trmi_key_kind kind)
{
    double value = 0;
    if (trmi_item_number(item, &value))
        check_range(d, item, row, l, value);
    else if (isinf(value))
        trmi_report(d, item, "%s is a number that is too large or too long", say(l).text);
    else if (item->text[0] == '\0')
        trmi_report(d, item, "%s is empty", say(l).text);
    else if (!item->quoted && is_foreign_number(item->text))
        trmi_report(d, item,
                    "%s must be %s, not '%.60s'; numbers are decimal, such as 16 or 1.5e-3",
                    say(l).text, trmi_key_kind_text(kind), item->text);
}

static void check_whole(trmi_document *d, const trmi_item *item, const trmi_key *row, label l)
{
    double value;
    if (trmi_item_number(item, &value) && value == floor(value))
        check_range(d, item, row, l, value);
    else
        report_kind(d, item, l, trmi_key_kind_text(row->kind));
}

static bool is_choice(const trmi_key *row, const char *text)
{
    const char *const *choices = trmi_key_choices(row);
    return is_among(text, choices, count_words(choices));
}

static void check_choice(trmi_document *d, const trmi_item *item, const trmi_key *row, label l)
{
    const char *const *choices = trmi_key_choices(row);
    int count = count_words(choices);
    if (is_choice(row, item->text))
        return;
    const char *near = trmi_nearest(item->text, choices, count);
    char list[LIST_BYTES] = "";
    append_words(list, sizeof list, choices, count);
    if (count == 1)
        trmi_report(d, item, "%s must be %s, not '%.60s': %s", say(l).text, list, item->text,
                    trmi_key_help(row));
    else if (near)
        trmi_report(d, item, "%s cannot be '%.60s'; did you mean '%s'?", say(l).text, item->text,
                    near);
    else
        trmi_report(d, item, "%s cannot be '%.60s'; it is one of %s", say(l).text, item->text,
                    list);
}

static void check_name(trmi_document *d, const trmi_item *item, label l)
{
    const char *text = item->text;
    static const char letters[] = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    bool digit = *text >= '0' && *text <= '9';
    if (*text == '\0' || digit || text[strspn(text, letters)] != '\0')
        trmi_report(d, item, "%s must be a name of letters, digits and _, not '%.60s'", say(l).text,
                    item->text);
}

static void check_scalar(trmi_document *d, const trmi_item *item, const trmi_key *row, label l)
{
    bool truth;
    char wanted[LIST_BYTES];
    switch (row->kind) {
    case TRMI_KEY_NUMBER:
    case TRMI_KEY_FORMULA:
    case TRMI_KEY_AMOUNTS:
        if (!is_choice(row, item->text))
            check_number(d, item, row, l, row->kind);
        return;
    case TRMI_KEY_WHOLE:
        check_whole(d, item, row, l);
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
    describe(row, wanted, sizeof wanted);
    report_kind(d, item, l, wanted);
}

// ---- lists ----

// the elements of a list of numbers or formulas, or (deep) of lists of them
static void check_elements(trmi_document *d, const trmi_item *list, const trmi_key *row, label l,
                           bool deep)
{
    trmi_key_kind kind = row->kind == TRMI_KEY_NUMBERS ? TRMI_KEY_NUMBER : TRMI_KEY_FORMULA;
    int index = 0;
    for (const trmi_item *item = list->child; item && !is_full(d); item = item->next) {
        label element = label_element(l, index++);
        if (item->kind == TRMI_LIST && deep)
            check_elements(d, item, row, element, false);
        else if (item->kind != TRMI_SCALAR || trmi_item_null(item))
            report_kind(d, item, element, trmi_key_kind_text(kind));
        else
            check_number(d, item, row, element, kind);
    }
}

static void check_names(trmi_document *d, const trmi_item *list, label l)
{
    int index = 0;
    for (const trmi_item *item = list->child; item && !is_full(d); item = item->next) {
        label element = label_element(l, index++);
        if (item->kind != TRMI_SCALAR || trmi_item_null(item))
            report_kind(d, item, element, trmi_key_kind_text(TRMI_KEY_NAME));
        else
            check_name(d, item, element);
    }
}

static void check_list(trmi_document *d, const trmi_item *list, const trmi_key *row, label l)
{
    if (row->kind == TRMI_KEY_NAMES)
        check_names(d, list, l);
    else
        check_elements(d, list, row, l,
                       row->kind == TRMI_KEY_MATRIX || row->kind == TRMI_KEY_AMOUNTS);
}

// The rows below a row; NULL without memory.
static const trmi_key_map *keys_below(checker *c, int row)
{
    const trmi_key_map *keys = trmi_key_index_below(&c->index, row);
    c->failed = c->failed || !keys;
    return keys;
}

static void check_value(checker *c, const trmi_item *item, int number)
{
    char buffer[40], wanted[LIST_BYTES];
    trmi_document *d = c->document;
    const trmi_key *row = trmi_key_row(number);
    const trmi_key_map *keys = keys_below(c, number);
    label l = label_key(item);
    if (!keys)
        return;
    bool null = trmi_item_null(item), map = keys->count > 0 || keys->free_name >= 0;
    if (row->kind == TRMI_KEY_VALUE || (null && trmi_key_preset(row, buffer, sizeof buffer)))
        return;
    if (null && row->kind != TRMI_KEY_SECTION) {
        trmi_report_key(d, item, "%s has no value", say(l).text);
    } else if (map && (item->kind == TRMI_MAP || null)) {
        check_map(c, item, keys);
    } else if (trmi_key_is_list(row->kind) && item->kind == TRMI_LIST) {
        check_list(d, item, row, l);
    } else if (item->kind == TRMI_SCALAR) {
        check_scalar(d, item, row, l);
    } else {
        describe(row, wanted, sizeof wanted);
        report_kind(d, item, l, wanted);
    }
}

// ---- maps ----

// the names of keys, only those of a need when it is not TRMI_KEY_OPTIONAL
static int collect_keys(const trmi_key_map *keys, trmi_key_need need, const char **name)
{
    int count = 0;
    for (int k = 0; k < keys->count && count < MOST_KEYS; k++)
        if (!need || keys->key[k].need == need)
            name[count++] = keys->key[k].name;
    return count;
}

static void report_unknown(trmi_document *d, const trmi_item *item, const trmi_key_map *keys)
{
    const char *name[MOST_KEYS] = {NULL};
    int count = collect_keys(keys, TRMI_KEY_OPTIONAL, name);
    const char *near = trmi_nearest(item->key, name, count);
    char list[LIST_BYTES] = "";
    append_words(list, sizeof list, name, count);
    if (near)
        trmi_report_key(d, item, "unknown key '%.60s'; did you mean '%s'?", item->key, near);
    else
        trmi_report_key(d, item, "unknown key '%.60s'; valid here: %s", item->key, list);
}

// whether an unknown key of the map was probably meant to be this one: its message says enough
static bool is_misspelt(const trmi_item *map, const trmi_key_map *keys, const char *name)
{
    int left = MOST_KEYS; // in a long map this is not worth the search
    for (const trmi_item *item = map->child; item && left-- > 0; item = item->next)
        if (trmi_key_map_find(keys, item->key) < 0 && trmi_nearest(item->key, &name, 1))
            return true;
    return false;
}

static void check_required(trmi_document *d, const trmi_item *map, const trmi_key_map *keys)
{
    for (int k = 0; k < keys->count && keys->needs[TRMI_KEY_REQUIRED] > 0; k++) {
        const char *name = keys->key[k].name;
        if (keys->key[k].need != TRMI_KEY_REQUIRED || trmi_item_find(map, name) ||
            is_misspelt(map, keys, name))
            continue;
        const trmi_key *row = trmi_key_row(keys->key[k].row);
        const char *const *choices = trmi_key_choices(row);
        if (count_words(choices) == 1)
            trmi_report_key(d, map, "the key '%s' is missing; add '%s: %s' (%s)", name, name,
                            choices[0], trmi_key_help(row));
        else
            trmi_report_key(d, map, "the key '%s' is missing: %s", name, trmi_key_help(row));
    }
}

// exactly one of the keys with that need
static void check_one_of(trmi_document *d, const trmi_item *map, const trmi_key_map *keys)
{
    const char *name[MOST_KEYS];
    const trmi_item *first = NULL;
    if (keys->needs[TRMI_KEY_ONE_OF] == 0)
        return;
    int count = collect_keys(keys, TRMI_KEY_ONE_OF, name);
    bool several = false, misspelt = false;
    for (const trmi_item *item = map->child; item; item = item->next)
        if (is_among(item->key, name, count)) {
            several = several || first;
            first = first ? first : item;
        }
    if (first && !several)
        return;
    char list[LIST_BYTES] = "";
    append_words(list, sizeof list, name, count);
    for (const trmi_item *item = first ? first->next : NULL; item; item = item->next)
        if (is_among(item->key, name, count))
            trmi_report_key(d, item, "'%s' beside '%s': exactly one of %s is accepted", item->key,
                            first->key, list);
    for (int k = 0; k < count && !first; k++)
        misspelt = misspelt || is_misspelt(map, keys, name[k]);
    if (!first && !misspelt)
        trmi_report_key(d, map, "none of the keys %s is there; exactly one is needed", list);
}

// keys: those that may stand there; null is an empty map
static void check_map(checker *c, const trmi_item *map, const trmi_key_map *keys)
{
    trmi_document *d = c->document;
    check_required(d, map, keys);
    check_one_of(d, map, keys);
    for (const trmi_item *item = map->child; item && !is_full(d) && !c->failed; item = item->next) {
        int row = trmi_key_map_find(keys, item->key);
        if (row >= 0)
            check_value(c, item, row);
        else
            report_unknown(d, item, keys);
    }
}

bool trmi_keys_check(trmi_document *d)
{
    const trmi_item *root = trmi_document_root(d);
    checker c = {.document = d};
    if (root->kind != TRMI_MAP) {
        trmi_report(d, root, "a model is a map that begins with 'trammel: 1', not %s",
                    trmi_item_kind_text(root));
        return true;
    }
    const trmi_key_map *top =
        trmi_key_index_create(&c.index, d) ? keys_below(&c, TRMI_KEY_NONE) : NULL;
    if (top)
        check_map(&c, root, top);
    return top && !c.failed;
}
