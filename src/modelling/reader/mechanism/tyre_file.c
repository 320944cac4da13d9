// SPDX-License-Identifier: Apache-2.0
// Tyre property files (.tir):
//
//     [SECTION]              $ a comment
//     KEY = number           $ or a text in quotes
//
// PROPERTY_FILE_FORMAT and FITTYP state which formulas the numbers belong to; LENGTH, FORCE, MASS,
// TIME and ANGLE of the section [UNITS] in which units they are, SI without them.
#include "modelling/reader/mechanism/tyre_file.h"

#include "modelling/expression/unit.h"
#include "modelling/reader/beside.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 1000 };

// Texts that such files have for quantities, with the unit of each.
enum { LENGTH, FORCE, MASS, TIME, ANGLE, UNITS };
static const struct {
    const char *key, *si;
} unit_key[UNITS] = {
    {"LENGTH", "m"}, {"FORCE", "N"}, {"MASS", "kg"}, {"TIME", "s"}, {"ANGLE", "rad"}};

static const struct {
    const char *name, *unit;
} unit_name[] = {{"meter", "m"},        {"metre", "m"},       {"millimeter", "mm"},
                 {"centimeter", "cm"},  {"kilometer", "km"},  {"newton", "N"},
                 {"knewton", "kN"},     {"kilonewton", "kN"}, {"kilogram", "kg"},
                 {"gram", "g"},         {"second", "s"},      {"sec", "s"},
                 {"millisecond", "ms"}, {"radians", "rad"},   {"radian", "rad"},
                 {"degrees", "deg"},    {"degree", "deg"}};

typedef struct tyre_file {
    trmi_tyre_reading *t;
    const trmi_item *item;
    int line;             // that is read
    bool units;           // in the section of units
    int unit_line[UNITS]; // 0: SI
    double factor[UNITS]; // SI per unit of the file
    int format_line, type_line;
} tyre_file;

int trmi_tyre_find_coefficient(const trmi_tyre_law *law, const char *name)
{
    for (int k = 0; k < law->count; k++)
        if (strcmp(law->coefficient[k].name, name) == 0)
            return k;
    return TRMI_NOTHING;
}

void trmi_tyre_list_name(char *list, size_t size, const char *name)
{
    size_t used = strlen(list);
    if (used + strlen(name) + 6 < size)
        snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
    else if (used > 3 && strcmp(list + used - 3, "...") != 0)
        snprintf(list + used, size - used, ", ...");
}

// ---- lines -----------------------------------------------------------------------------------

// An error in the line that is read. Returns false.
#define REFUSE(f, format, ...)                                                                     \
    (trmi_report((f)->t->draft->r->document, (f)->item, "%.100s, line %d: " format,                \
                 (f)->item->text, (f)->line, __VA_ARGS__),                                         \
     false)

// Whether a key is here for the first time; reported otherwise.
static bool is_first(tyre_file *f, const char *key, int *line)
{
    if (*line > 0)
        return REFUSE(f, "'%.40s' is given already in line %d", key, *line);
    *line = f->line;
    return true;
}

// the text without spaces, or one kind of quotes, around it; in place
static char *trim(char *text, const char *around)
{
    text += strspn(text, around);
    size_t n = strlen(text);
    while (n > 0 && strchr(around, text[n - 1]))
        text[--n] = '\0';
    return text;
}

static const char spaces[] = " \t\r\n";

static bool same_word(const char *a, const char *b)
{
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b))
        a++, b++;
    return *a == *b;
}

// ---- units -----------------------------------------------------------------------------------

// the unit of a quantity, as the file has its name
static bool take_unit(tyre_file *f, int quantity, const char *name)
{
    trmi_unit unit, si;
    const char *text = name, *wanted = unit_key[quantity].si;
    for (size_t k = 0; k < sizeof unit_name / sizeof *unit_name; k++)
        if (same_word(unit_name[k].name, name))
            text = unit_name[k].unit;
    if (!is_first(f, unit_key[quantity].key, &f->unit_line[quantity]))
        return false;
    trmi_unit_read(wanted, (int)strlen(wanted), &si);
    if (!trmi_unit_read(text, (int)strlen(text), &unit) || !trmi_unit_same_kind(&unit, &si))
        return REFUSE(
            f, "'%.40s' is not a unit of %s that is known here; convert the file to SI units", name,
            unit_key[quantity].key);
    if (quantity == ANGLE && unit.factor != 1)
        return REFUSE(f, "coefficients for angles in '%.40s'; those of '%s' are for radians", name,
                      f->t->law->name);
    f->factor[quantity] = unit.factor;
    return true;
}

// Powers of length, force and time: those of m, kg, s with kg = N s^2/m. MASS alone decides
// nothing, since no coefficient is one.
static double factor_of(const tyre_file *f, const char *name)
{
    trmi_unit unit;
    if (!name || !trmi_unit_read(name, (int)strlen(name), &unit))
        return 1;
    int m = unit.power[TRMI_METRE], kg = unit.power[TRMI_KILOGRAM], s = unit.power[TRMI_SECOND];
    return pow(f->factor[LENGTH], m - kg) * pow(f->factor[FORCE], kg) *
           pow(f->factor[TIME], s + 2 * kg);
}

static void convert(const tyre_file *f)
{
    const trmi_tyre_law *law = f->t->law;
    for (int k = 0; k < law->count; k++)
        if (f->t->line[k] > 0)
            f->t->value[k] *= factor_of(f, law->coefficient[k].unit);
}

// ---- keys ------------------------------------------------------------------------------------

static bool is_in(const char *const *list, const char *word)
{
    for (; list && *list; list++)
        if (same_word(*list, word))
            return true;
    return false;
}

// names of coefficients: P, Q, R, S or L, then capitals, a digit at the end
static bool is_coefficient(const char *key)
{
    size_t n = strlen(key);
    return n > 3 && strchr("PQRSL", key[0]) && isdigit((unsigned char)key[n - 1]);
}

// Which formulas the file is for; MF-Tyre 6 has other ones, with FITTYP from 60 on.
static bool take_format(tyre_file *f, const char *key, const char *value, bool *taken)
{
    const trmi_tyre_law *law = f->t->law;
    *taken = law->formats != NULL;
    if (law->formats && strcmp(key, "PROPERTY_FILE_FORMAT") == 0) {
        if (!is_first(f, key, &f->format_line))
            return false;
        return is_in(law->formats, value) ||
               REFUSE(f, "coefficients of the format '%.40s'; '%s' reads '%s'", value, law->name,
                      law->formats[0]);
    }
    if (law->formats && strcmp(key, "FITTYP") == 0) {
        if (!is_first(f, key, &f->type_line))
            return false;
        return strtod(value, NULL) < 60 ||
               REFUSE(f, "FITTYP %.20s is MF-Tyre 6, whose formulas are not those of '%s'", value,
                      law->name);
    }
    *taken = false;
    return true;
}

static bool take_number(tyre_file *f, const char *key, const char *value)
{
    trmi_tyre_reading *t = f->t;
    char *end;
    int k = trmi_tyre_find_coefficient(t->law, key);
    double x = strtod(value, &end);
    bool is_number = end != value && *end == '\0' && isfinite(x);
    if (k != TRMI_NOTHING && !is_number)
        return REFUSE(f, "'%.40s' must be a number, not '%.40s'", key, value);
    if (k != TRMI_NOTHING) {
        if (!is_first(f, key, &t->line[k]))
            return false;
        t->value[k] = x;
    } else if (is_number && x != 0 && is_in(t->law->foreign, key)) {
        return REFUSE(f, "'%.40s' is of MF-Tyre 6, whose formulas are not those of '%s'", key,
                      t->law->name);
    } else if (is_number && x != 0 && is_coefficient(key)) {
        trmi_tyre_list_name(t->unused, sizeof t->unused, key);
    }
    return true;
}

static bool is_section(const char *text, const char *name)
{
    while (*name && toupper((unsigned char)*text) == *name)
        text++, name++;
    return *name == '\0';
}

// one line without comment; false: reported
static bool take_line(tyre_file *f, char *text)
{
    char *equals = strchr(text, '=');
    bool taken;
    if (text[0] == '[')
        f->units = is_section(text, "[UNITS]"); // elsewhere MASS is a number
    if (text[0] == '\0' || text[0] == '[' || text[0] == '{')
        return true;
    if (!equals && isalpha((unsigned char)text[0]))
        return REFUSE(f, "there is no '=' in '%.40s'", text);
    if (!equals)
        return true; // rows of a table, such as [SHAPE]
    *equals = '\0';
    char *key = trim(text, spaces), *value = trim(trim(equals + 1, spaces), "'\"");
    for (char *c = key; *c; c++) // keys in small letters are the same
        *c = (char)toupper((unsigned char)*c);
    for (int k = 0; k < UNITS && f->units; k++)
        if (strcmp(key, unit_key[k].key) == 0)
            return take_unit(f, k, value);
    bool good = take_format(f, key, value, &taken);
    return good && !taken ? take_number(f, key, value) : good;
}

static bool read_lines(tyre_file *f, FILE *stream)
{
    trmi_document *document = f->t->draft->r->document;
    char text[LONGEST_LINE];
    bool good = true;
    for (f->line = 1; good && fgets(text, sizeof text, stream); f->line++) {
        if (!strchr(text, '\n') && !feof(stream)) {
            trmi_report(document, f->item, "%.100s, line %d has more than %d characters",
                        f->item->text, f->line, LONGEST_LINE - 2);
            return false;
        }
        text[strcspn(text, "$!")] = '\0';
        good = take_line(f, trim(text, spaces));
    }
    if (good && ferror(stream))
        trmi_report(document, f->item, "cannot read '%.200s'", f->item->text);
    return good && !ferror(stream);
}

bool trmi_tyre_read_file(trmi_tyre_reading *t, const trmi_item *file)
{
    trmi_reading *r = t->draft->r;
    tyre_file f = {.t = t, .item = file, .factor = {1, 1, 1, 1, 1}};
    char path[4096];
    if (file->kind != TRMI_SCALAR) {
        trmi_report(r->document, file, "'file' is the path of a tyre property file (.tir)");
        return false;
    }
    trmi_path_beside(r->model->path, file->text, path, sizeof path);
    trmi_note_source(r, path);
    FILE *stream = trmi_open_text(path);
    if (!stream) {
        trmi_report(r->document, file, "cannot read '%.200s': %s", path, trmi_read_failure());
        return false;
    }
    bool good = read_lines(&f, stream);
    fclose(stream);
    trmi_fingerprint_file(r, path);
    if (good)
        convert(&f);
    return good;
}
