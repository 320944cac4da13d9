// SPDX-License-Identifier: Apache-2.0
#include "modelling/reader/part_names.h"

#include "modelling/expression/lexer.h"
#include "modelling/reader/yaml/source.h"

#include <stdio.h>
#include <string.h>

// The sections of a part whose entries have names, and what may follow these in a formula.
typedef enum following { NOTHING, SIGNAL, NAMES } following;
static const struct {
    const char *section;
    following follows;
} named[] = {{"parameters", NOTHING}, {"bodies", SIGNAL},   {"joints", SIGNAL},
             {"forces", SIGNAL},      {"points", SIGNAL},   {"inputs", NOTHING},
             {"define", NOTHING},     {"states", NOTHING},  {"algebraic", NOTHING},
             {"samples", NOTHING},    {"outputs", NOTHING}, {"use", NAMES}};

// whether the rest of a word after a name is that of a signal, or (uses) ".foot" or "_2.foot"
static bool may_follow(following kind, const char *rest, size_t length)
{
    if (kind == SIGNAL)
        return *rest == '_';
    if (kind != NAMES)
        return false;
    size_t digits = *rest == '_' ? strspn(rest + 1, "0123456789") + 1 : 0;
    return digits != 1 && digits < length && rest[digits] == '.';
}

bool trmi_part_has(const trmi_use *use, const char *text, size_t length)
{
    for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
        const trmi_item *section = trmi_item_find(use->part, named[k].section);
        for (const trmi_item *i = section && section->kind == TRMI_MAP ? section->child : NULL; i;
             i = i->next) {
            size_t own = strlen(i->key);
            bool begins = length >= own && strncmp(text, i->key, own) == 0;
            if (begins &&
                ((length == own && named[k].follows != NAMES) ||
                 (length > own && may_follow(named[k].follows, text + own, length - own))))
                return true;
        }
    }
    return false;
}

// A change of a text: `remove` bytes at `offset` become `before`, `text`, `after`.
typedef struct change {
    int offset, remove;
    const char *before, *text, *after;
} change;

// the innermost use whose part has the word; NULL: none
static const trmi_use *owner(const trmi_use *use, const char *word, int length)
{
    while (use && !trmi_part_has(use, word, (size_t)length))
        use = use->outer;
    return use;
}

// What a name of the section `names` of a part stands for: `with` of the use, or the default. The
// length of that name; 0: the word does not begin with one.
static int given_name(const trmi_use *use, const char *word, int length, const char **text)
{
    for (; use; use = use->outer) {
        const trmi_item *names = trmi_item_find(use->part, "names");
        const trmi_item *with = trmi_item_find(use->item, "with");
        for (const trmi_item *i = names && names->kind == TRMI_MAP ? names->child : NULL; i;
             i = i->next) {
            int own = (int)strlen(i->key);
            const trmi_item *given = trmi_item_find(with, i->key), *value = given ? given : i;
            bool whole = length == own || (length > own && (word[own] == '_' || word[own] == '.'));
            if (whole && strncmp(word, i->key, (size_t)own) == 0 && value->text) {
                *text = value->text;
                return own;
            }
        }
    }
    return 0;
}

static bool change_of(const trmi_part_naming *n, const char *text, trmi_token token, change *out)
{
    static const char multiplier[] = "lambda_";
    const int skip = (int)sizeof multiplier - 1, length = token.length;
    const char *word = text + token.offset;
    if (token.kind != TRMI_TOKEN_NAME)
        return false;
    for (const trmi_item *i = n->lists ? n->lists->child : NULL; i; i = i->next) {
        const trmi_item *value = trmi_item_at(i, n->element);
        if (value && value->text && strlen(i->key) == (size_t)length &&
            strncmp(word, i->key, (size_t)length) == 0) {
            *out = (change){token.offset, length, "(", value->text, ")"};
            return true;
        }
    }
    const char *given;
    int own = given_name(n->use, word, length, &given);
    if (own > 0) {
        *out = (change){token.offset, own, "", given, ""};
        return true;
    }
    const trmi_use *use = owner(n->use, word, length);
    int at = token.offset;
    if (!use && length > skip && strncmp(word, multiplier, (size_t)skip) == 0) {
        use = owner(n->use, word + skip, length - skip);
        at += skip;
    }
    *out = (change){at, 0, "", use ? use->name : "", "."};
    return use != NULL;
}

// Goes through the words of a text that change. With `out` the new text is written there; how many
// bytes it has.
static size_t change_words(const trmi_part_naming *n, const char *text, char *out, int *changes)
{
    size_t size = 0;
    int done = 0;
    change c;
    trmi_token token = trmi_next_token(text, 0);
    for (; token.kind != TRMI_TOKEN_END && token.length > 0;
         token = trmi_next_token(text, token.offset + token.length)) {
        if (!change_of(n, text, token, &c))
            continue;
        ++*changes;
        if (out)
            sprintf(out + size, "%.*s%s%s%s", c.offset - done, text + done, c.before, c.text,
                    c.after);
        size += (size_t)(c.offset - done) + strlen(c.before) + strlen(c.text) + strlen(c.after);
        done = c.offset + c.remove;
    }
    if (out)
        strcpy(out + size, text + done);
    return size + strlen(text + done);
}

const char *trmi_part_text(const trmi_part_naming *naming, const char *text)
{
    int changes = 0;
    size_t size = change_words(naming, text, NULL, &changes);
    if (changes == 0)
        return text;
    char *changed = trmi_document_take(naming->document, size + 1);
    if (changed)
        change_words(naming, text, changed, &changes);
    return changed;
}
