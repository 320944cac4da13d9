// SPDX-License-Identifier: Apache-2.0
#include "modelling/reader/yaml/syntax.h"

#include <limits.h>
#include <string.h>

static int one_based(size_t number)
{
    return number < INT_MAX ? (int)number + 1 : INT_MAX;
}

trmi_place trmi_place_of_mark(int source, yaml_mark_t mark)
{
    return (trmi_place){source, one_based(mark.line), one_based(mark.column), 0};
}

// what to try, by a part of the message of libyaml
static const char *find_hint(const char *problem, char character)
{
    static const char *const hints[][2] = {
        {"cannot start any token", "; a text that begins with this character needs quotes"},
        {"mapping values are not allowed", "; a text with ': ' in it needs quotes, and the keys of "
                                           "a map begin in the same column"},
        {"did not find expected key", "; the keys of a map begin in the same column"},
        {"did not find expected ',' or", "; a comma or the closing bracket is missing"},
    };
    if (character == '\t')
        return "; indent with spaces, not with tabs";
    for (size_t k = 0; k < sizeof hints / sizeof *hints; k++)
        if (strstr(problem, hints[k][0]))
            return hints[k][1];
    return "";
}

trmi_yaml_result trmi_report_syntax(trmi_document *d, int source, const yaml_parser_t *p)
{
    if (p->error == YAML_MEMORY_ERROR || !p->problem)
        return TRMI_READING_NO_MEMORY;
    if (p->error == YAML_READER_ERROR) {
        trmi_report_at(d, trmi_place_of(d, source, p->problem_offset),
                       "invalid character: %s (0x%X); the text must be UTF-8 without control "
                       "characters",
                       p->problem, (unsigned)p->problem_value);
        return TRMI_READING_STOPPED;
    }
    size_t left;
    trmi_place place = trmi_place_of_mark(source, p->problem_mark);
    trmi_place begin = trmi_place_of_mark(source, p->context_mark);
    const char *text = trmi_find_place(d, place, &left);
    const char *hint = find_hint(p->problem, left > 0 ? *text : '\0');
    bool at_end = text == d->source[source].text + d->source[source].length;
    if (!p->context)
        trmi_report_at(d, place, "invalid YAML: %s%s", p->problem, hint);
    else if (at_end) // what is never closed is shown where it begins
        trmi_report_at(d, begin, "invalid YAML: %s, %s%s", p->problem, p->context, hint);
    else if (place.line == begin.line)
        trmi_report_at(d, place, "invalid YAML: %s, %s%s", p->problem, p->context, hint);
    else
        trmi_report_at(d, place, "invalid YAML: %s, %s that begins in line %d%s", p->problem,
                       p->context, begin.line, hint);
    return TRMI_READING_STOPPED;
}
