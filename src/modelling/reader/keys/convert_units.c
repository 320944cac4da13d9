// SPDX-License-Identifier: Apache-2.0
// Numbers with units: "30 deg", "5 mm", "120 kN/m" become plain numbers in SI units before anything
// else reads them. The table of keys knows the unit of each; another dimension is an error.
#include "modelling/expression/unit.h"
#include "modelling/reader/keys/check.h"
#include "modelling/reader/yaml/source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a key measures: its unit, or several with '|' between them; "?": anything; "measure": that
// of the measure which is its name or that of the map it is in.
typedef struct place {
    const trmi_key *key;
    const char *name, *above;
} place;

// ---- dimensions ----

// the name of what a unit measures, as of "N"
static const char *dimension(const trmi_unit *unit, char *buffer, size_t size)
{
    static const struct {
        const char *unit, *name;
    } known[] = {{"1", "a number or an angle"},
                 {"m", "a length"},
                 {"kg", "a mass"},
                 {"s", "a time"},
                 {"m/s", "a speed"},
                 {"1/s", "an angular velocity or a frequency"},
                 {"m/s^2", "an acceleration"},
                 {"N", "a force"},
                 {"N m", "a torque or an energy"},
                 {"N/m", "a stiffness"},
                 {"N s/m", "a damping"},
                 {"N m s", "a rotational damping"},
                 {"Pa", "a pressure"},
                 {"W", "a power"},
                 {"m^2", "an area"},
                 {"m^3", "a volume"},
                 {"m^4", "a second moment of area"},
                 {"kg m^2", "a moment of inertia"},
                 {"kg/m^3", "a density"},
                 {"s/m", "an inverse speed"},
                 {"V", "a voltage"},
                 {"A", "a current"}};
    static const char *const base[TRMI_BASE_UNITS] = {"m", "kg", "s", "A", "K"};
    trmi_unit other;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (trmi_unit_read(known[k].unit, (int)strlen(known[k].unit), &other) &&
            trmi_unit_same_kind(unit, &other))
            return known[k].name;
    size_t used = (size_t)snprintf(buffer, size, "of dimension");
    for (int k = 0; k < TRMI_BASE_UNITS; k++)
        if (unit->power[k] && used < size)
            used += (size_t)snprintf(buffer + used, size - used, " %s^%d", base[k], unit->power[k]);
    return buffer;
}

// The unit of a measure of a joint by its name: "angle", "travel_rate". Whether other names are
// angles ("yaw") is known with the joint: trmi_check_unit.
static const char *unit_of_measure(const char *name)
{
    size_t length = strlen(name);
    bool rate = length >= 4 && strcmp(name + length - 4, "rate") == 0;
    if (strncmp(name, "angle", 5) == 0 || strncmp(name, "rotation", 8) == 0)
        return rate ? "rad/s" : "rad";
    return rate ? "m/s|rad/s" : "m|rad";
}

static const char *unit_of(const place *p)
{
    const char *unit = p->key->unit;
    if (!unit || strcmp(unit, "measure") != 0)
        return unit;
    return unit_of_measure(strcmp(trmi_key_name(p->key), "*") == 0 ? p->name : p->above);
}

// whether a unit is one of those of a key
static bool fits(const char *units, const trmi_unit *unit)
{
    for (const char *at = units;; at++) {
        trmi_unit other;
        int length = (int)strcspn(at, "|");
        if (trmi_unit_read(at, length, &other) && trmi_unit_same_kind(unit, &other))
            return true;
        at += length;
        if (!*at)
            return false;
    }
}

// ---- numbers ----

// where the unit begins in "30 deg"; 0: it is not a number with a word after it
static int find_unit(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    if (end == text || !isdigit((unsigned char)end[-1]))
        return 0; // "inf", "0x"
    const char *unit = end + strspn(end, " ");
    bool word = isalpha((unsigned char)*unit) || *unit == '%';
    if (!word || unit[strspn(unit, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789^*/ %-")])
        return 0;
    return strncmp(unit, "and ", 4) == 0 || strncmp(unit, "or ", 3) == 0 ? 0 : (int)(unit - text);
}

// What a unit is, and what is needed in its place: one of `units`.
typedef struct mistake {
    char is[80], needed[200];
} mistake;

static mistake mistake_of(const trmi_unit *unit, const char *units)
{
    mistake m;
    char buffer[80], should[80];
    trmi_unit wanted = {.factor = 1};
    int first = (int)strcspn(units, "|");
    trmi_unit_read(units, first, &wanted);
    snprintf(m.is, sizeof m.is, "%s", dimension(unit, buffer, sizeof buffer));
    snprintf(m.needed, sizeof m.needed, "%s (%.*s%s%.40s)",
             dimension(&wanted, should, sizeof should), first, units, units[first] ? " or " : "",
             units[first] ? units + first + 1 : "");
    return m;
}

static void report_dimension(trmi_document *d, const trmi_item *item, int at, const char *units,
                             const trmi_unit *unit)
{
    mistake m = mistake_of(unit, units);
    trmi_report_inside(d, item, at, (int)strlen(item->text + at),
                       "'%.40s' is %s; %s is needed here", item->text + at, m.is, m.needed);
}

bool trmi_check_unit(trmi_document *d, const trmi_item *item, bool angle)
{
    trmi_unit given, needed;
    if (!item || !item->unit)
        return true;
    const char *unit = item->unit->allowed;
    unit = angle ? strchr(unit, '|') + 1 : unit;
    int length = (int)strcspn(unit, "|");
    char needs[60];
    snprintf(needs, sizeof needs, "%.*s", length, unit);
    if (!trmi_unit_read(item->unit->given, (int)strlen(item->unit->given), &given) ||
        !trmi_unit_read(unit, length, &needed) || trmi_unit_same_kind(&given, &needed))
        return true;
    mistake m = mistake_of(&given, needs);
    trmi_report(d, item, "'%.40s' is %s; this measure is %s: %s is needed here", item->unit->given,
                m.is, angle ? "an angle" : "a travel", m.needed);
    return false;
}

// whether the unit is known and right; reported otherwise
static bool check_unit(trmi_document *d, const trmi_item *item, int at, const place *p,
                       trmi_unit *unit)
{
    const char *units = unit_of(p);
    int length = (int)strlen(item->text + at);
    if (!trmi_unit_read(item->text + at, length, unit))
        trmi_report_inside(
            d, item, at, length,
            "'%.40s' is not a known unit; such as mm, kg, s, deg, rpm, N, kN/m, N m s, "
            "MPa, kg m^2",
            item->text + at);
    else if (!units)
        trmi_report_inside(d, item, at, length, "'%.60s' takes plain numbers, without unit",
                           p->name);
    else if (strcmp(units, "?") != 0 && !fits(units, unit))
        report_dimension(d, item, at, units, unit);
    else
        return true;
    return false;
}

static bool keep_unit(trmi_document *d, trmi_item *item, int at, const char *allowed)
{
    trmi_item_unit *unit = trmi_document_take(d, sizeof *unit);
    if (unit)
        *unit = (trmi_item_unit){item->text + at, allowed};
    item->unit = unit;
    return unit != NULL;
}

// After an error the number stays, so that there is no other message about it.
static bool convert_number(trmi_document *d, trmi_item *item, const place *p)
{
    double number;
    char text[40];
    int at = find_unit(item->text, &number);
    trmi_unit unit;
    if (at == 0)
        return true;
    bool good = check_unit(d, item, at, p, &unit);
    double factor = good ? unit.factor : 1;
    if (good && strchr(unit_of(p), '|') && !keep_unit(d, item, at, unit_of(p)))
        return false;
    snprintf(text, sizeof text, "%.17g", number * factor);
    item->text = trmi_document_copy(d, text, strlen(text));
    item->quoted = false;
    return item->text != NULL;
}

static bool takes_numbers(trmi_key_kind kind)
{
    return kind == TRMI_KEY_NUMBER || kind == TRMI_KEY_FORMULA || kind == TRMI_KEY_NUMBERS ||
           kind == TRMI_KEY_FORMULAS || kind == TRMI_KEY_AMOUNTS || kind == TRMI_KEY_MATRIX;
}

// a number, a list of them, or a list of such lists
static bool convert_value(trmi_document *d, trmi_item *item, const place *p)
{
    if (item->kind == TRMI_SCALAR)
        return !item->text || convert_number(d, item, p);
    for (trmi_item *i = item->kind == TRMI_LIST ? item->child : NULL; i; i = i->next)
        if (!convert_value(d, i, p))
            return false;
    return true;
}

static bool convert_map(trmi_document *d, trmi_item *map, const trmi_key *keys)
{
    for (trmi_item *i = map->child; i; i = i->next) {
        const place p = {trmi_key_find(keys, i->key), i->key, map->key ? map->key : ""};
        if (!p.key)
            continue; // which is reported later
        bool good = p.key->below && i->kind == TRMI_MAP ? convert_map(d, i, p.key)
                    : takes_numbers(p.key->kind)        ? convert_value(d, i, &p)
                                                        : true;
        if (!good)
            return false;
    }
    return true;
}

bool trmi_keys_convert_units(trmi_document *d)
{
    trmi_item *root = trmi_document_root(d);
    if (root->kind != TRMI_MAP)
        return true;
    trmi_key *tree =
        trmi_document_take(d, (size_t)trmi_keys_count(&trmi_model_keys) * sizeof *tree);
    return tree && convert_map(d, root, trmi_keys_build(&trmi_model_keys, tree));
}
