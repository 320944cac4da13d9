// SPDX-License-Identifier: Apache-2.0
// The message of a row about maxima, minima and integrals that cannot be relied on.
#include "program/run/resolve.h"

#include "program/run/values.h"

#include <stdio.h>
#include <string.h>

enum { MORE = 50 }; // characters that are kept for the words on those that do not fit

// adds a text; false: it does not fit into the first `size` characters
static bool add_text(trmi_resolver *s, size_t size, const char *text)
{
    size_t length = strlen(s->note);
    if (length + strlen(text) + 3 > size)
        return false;
    snprintf(s->note + length, sizeof s->note - length, "%s%s", length > 0 ? "; " : "", text);
    return true;
}

void trmi_resolve_note_value(trmi_resolver *s, int k, double t, double y)
{
    const trmi_resolved *c = &s->channel[k];
    char item[120], text[200];
    snprintf(item, sizeof item, "%s '%.80s'", c->group, c->name);
    snprintf(text, sizeof text, "%s is %s at t = %.9g", item, trmi_lost_text(y), t);
    if (!strstr(s->note, item))
        add_text(s, sizeof s->note, text);
}

// The second half of the message is for what has no value, the last words are for all that do not
// fit.
static void add_rough(trmi_resolver *s, const char *item, const char *text)
{
    if (!strstr(s->note, item) && !strstr(s->note, "more are not") &&
        !add_text(s, sizeof s->note / 2 - MORE, text))
        add_text(s, sizeof s->note, "more are not resolved");
}

// the first one has an explanation, others are short
void trmi_resolve_note_rough(trmi_resolver *s, int k, double t, double change)
{
    const trmi_resolved *c = &s->channel[k];
    const bool first = !strstr(s->note, "is not resolved: near");
    char item[120], text[300];
    snprintf(item, sizeof item, "%s(%.80s)", c->what, c->name);
    snprintf(text, sizeof text, "%s is not resolved: near t = %.9g it changes by %.2g%s", item, t,
             change,
             first ? " within the shortest part of a step (a jump, a kink, or it is too fast)"
                   : "");
    add_rough(s, item, text);
}

void trmi_resolve_note_pole(trmi_resolver *s, int k, double size)
{
    const trmi_resolved *c = &s->channel[k];
    char item[120], text[300];
    snprintf(item, sizeof item, "%s(%.80s)", c->what, c->name);
    snprintf(
        text, sizeof text,
        "%s is not resolved: beside values of %.2g the tolerance leaves it no digit (a pole, or "
        "a spike that is too short)",
        item, size);
    add_rough(s, item, text);
}
