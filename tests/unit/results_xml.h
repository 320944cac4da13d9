// SPDX-License-Identifier: Apache-2.0
// Common to the tests of pictures and pages: the output as a text, and a checker of XML.
#ifndef RESULTS_XML_H
#define RESULTS_XML_H

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is missing in:\n%.3000s", part, text);
}

static inline void assert_has_not(const char *text, const char *part)
{
    const char *at = strstr(text, part);
    if (at)
        fail_msg("\"%s\" is there: ...%.200s", part, at);
}

static inline void assert_near(double is, double should, double tolerance)
{
    if (!(fabs(is - should) <= tolerance))
        fail_msg("%.9g instead of %.9g, tolerance %g", is, should, tolerance);
}

static inline int count_parts(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        count++;
    return count;
}

// ---- XML ----

// Where the parser is; why != NULL after an error.
typedef struct xml {
    const char *at, *why;
    char open[32][32]; // names of the open elements
    int depth, roots;
} xml;

static inline void xml_fail(xml *x, const char *why)
{
    if (!x->why)
        x->why = why;
}

static inline void xml_name(xml *x, char *name)
{
    size_t n = 0;
    while (isalnum((unsigned char)*x->at) || (*x->at && strchr("-:_", *x->at))) {
        if (n < 31)
            name[n++] = *x->at;
        x->at++;
    }
    name[n] = '\0';
    if (n == 0)
        xml_fail(x, "a name is missing");
}

// one character of a text or of a value
static inline void xml_character(xml *x)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    unsigned char c = (unsigned char)*x->at;
    if (c == '&') {
        for (int k = 0; k < 5; k++)
            if (strncmp(x->at, entities[k], strlen(entities[k])) == 0) {
                x->at += strlen(entities[k]);
                return;
            }
        xml_fail(x, "& is not escaped");
        return;
    }
    int more = c < 0x80 ? 0 : c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC2 ? 1 : -1;
    if (more < 0 || c > 0xF4 || (c < 0x20 && c != '\n' && c != '\t'))
        xml_fail(x, "a byte that is not a character");
    x->at++;
    for (; more > 0; more--, x->at++)
        if (((unsigned char)*x->at & 0xC0) != 0x80) {
            xml_fail(x, "broken UTF-8");
            return;
        }
}

static inline void xml_attributes(xml *x)
{
    char names[32][32];
    int count = 0;
    while (!x->why && *x->at == ' ') {
        x->at++;
        xml_name(x, names[count]);
        for (int k = 0; k < count; k++)
            if (strcmp(names[k], names[count]) == 0)
                xml_fail(x, "an attribute twice");
        count++;
        if (count == 32 || strncmp(x->at, "=\"", 2) != 0) {
            xml_fail(x, "an attribute without value");
            return;
        }
        for (x->at += 2; !x->why && *x->at != '"';)
            if (!*x->at || *x->at == '<')
                xml_fail(x, "a value without end");
            else
                xml_character(x);
        x->at++;
    }
}

// at '<'
static inline void xml_tag(xml *x)
{
    char name[32];
    bool end = x->at[1] == '/';
    x->at += end ? 2 : 1;
    xml_name(x, name);
    if (end) {
        if (x->depth == 0 || strcmp(x->open[x->depth - 1], name) != 0)
            xml_fail(x, "the wrong end tag");
        else
            x->depth--;
    } else {
        x->roots += x->depth == 0;
        xml_attributes(x);
        if (x->why)
            return;
        if (strncmp(x->at, "/>", 2) == 0)
            x->at++;
        else if (x->depth == 32)
            xml_fail(x, "too deep");
        else
            strcpy(x->open[x->depth++], name);
    }
    if (*x->at != '>')
        xml_fail(x, "> is missing");
    x->at++;
}

// NULL when text is a well-formed document of the kind written here, otherwise the reason.
static inline const char *xml_error(const char *text)
{
    static const char doctype[] = "<!DOCTYPE html>";
    xml x = {.at = text};
    if (strncmp(text, doctype, strlen(doctype)) == 0)
        x.at += strlen(doctype);
    while (*x.at && !x.why) {
        if (*x.at == '<')
            xml_tag(&x);
        else if (x.depth == 0 && !isspace((unsigned char)*x.at))
            xml_fail(&x, "text outside");
        else
            xml_character(&x);
    }
    if (x.depth != 0)
        xml_fail(&x, "an element without end");
    if (x.roots != 1)
        xml_fail(&x, "not one root");
    return x.why;
}

static inline void assert_xml(const char *text)
{
    const char *why = xml_error(text);
    if (why)
        fail_msg("%s in:\n%.6000s", why, text);
}

// a number in the range of the generator, the same on every machine
static inline uint32_t random_bits(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static inline double random_unit(uint64_t *state)
{
    return random_bits(state) / 2147483648.0;
}

#endif
