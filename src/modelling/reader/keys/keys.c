// SPDX-License-Identifier: Apache-2.0
// The table of the model file. Rows of one map are together, in the order of the manual.
#include "modelling/reader/keys/keys.h"

#include "base/options.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const trmi_key table[] = {
    // ---- common ----
    {"trammel", TRMI_KEY_CHOICE, .choices = TRMI_WORDS("1"), .need = TRMI_KEY_REQUIRED,
     .help = "version of this format"},
    {"name", TRMI_KEY_TEXT, .preset = "null", .help = "free text; the name of the file without it"},
    {"include", TRMI_KEY_VALUE,
     .help = "path of a file, or a list of paths, whose sections come before those of this one"},
    {"variants", TRMI_KEY_SECTION, .help = "sections by name that may be laid over those above"},
    {"variants.*", TRMI_KEY_VALUE,
     .help = "a map of sections: maps are joined, other values replaced, null removes"},
    {"variant", TRMI_KEY_VALUE, .help = "the variant to take, or a list; none without it"},
    {"parameters", TRMI_KEY_SECTION, .help = "named numbers for the formulas"},
    {"parameters.*", TRMI_KEY_NUMBER, .unit = "?",
     .help = "a number, or a formula of the parameters above it"},
    {"tables", TRMI_KEY_SECTION, .help = "functions of one variable, given by points"},
    {"tables.*", TRMI_KEY_MATRIX,
     .help = "[[x, y], ...], used as table(NAME, x) in formulas; integral(NAME, x) is its integral "
             "from 0 to x"},
    {"tables.*.points", TRMI_KEY_MATRIX, .help = "[[x, y], ...] with ascending x"},
    {"tables.*.file", TRMI_KEY_TEXT,
     .help = "instead: a CSV file, relative to the folder of the model file"},
    {"tables.*.x", TRMI_KEY_TEXT, .preset = "1",
     .help = "its column with x: a name of its first line, or a number"},
    {"tables.*.y", TRMI_KEY_TEXT, .preset = "2", .help = "its column with y"},
    {"tables.*.interpolation", TRMI_KEY_CHOICE, .preset = "linear",
     .choices = TRMI_WORDS("linear", "monotone", "spline"),
     .help = "between the points: straight lines; cubics with continuous slope that do not "
             "overshoot; cubics with continuous second derivative"},
    {"tables.*.beyond", TRMI_KEY_CHOICE, .preset = "straight",
     .choices = TRMI_WORDS("straight", "hold", "repeat"),
     .help = "beyond the ends: with the slope there, with the value there, or again from the "
             "beginning"},
    {"units", TRMI_KEY_SECTION, .help = "units for files and plots; nothing is converted"},
    {"units.*", TRMI_KEY_TEXT, .help = "unit of the unknown, multiplier or output of that name"},

    // ---- equations ----
    {"equations", TRMI_KEY_SECTION, .need = TRMI_KEY_ONE_OF,
     .help = "a model given by its equations M v' = force - G^T lambda - A^T lambda_a"},
    {"equations.define", TRMI_KEY_SECTION, .help = "intermediate formulas"},
    {"equations.define.*", TRMI_KEY_FORMULA, .help = "may use those above it"},
    {"equations.inputs", TRMI_KEY_SECTION, .help = "external excitations"},
    {"equations.inputs.*", TRMI_KEY_FORMULA,
     .help = "formula of t, used by name; d(NAME) and dd(NAME) are its rates"},
    {"equations.inputs.*.hold", TRMI_KEY_CHOICE, .need = TRMI_KEY_REQUIRED,
     .choices = TRMI_WORDS("zero", "linear"),
     .help = "of values from outside (trm_instance_set_input): constant from then on, or straight "
             "to the next one"},
    {"equations.inputs.*.start", TRMI_KEY_NUMBER, .preset = "0", .unit = "?",
     .help = "its value before the first one"},
    {"equations.coordinates", TRMI_KEY_SECTION, .need = TRMI_KEY_REQUIRED,
     .help = "positions and their velocities"},
    {"equations.coordinates.*", TRMI_KEY_NAME,
     .help = "key: name of the position, value: name of its velocity"},
    {"equations.mass", TRMI_KEY_MATRIX, .need = TRMI_KEY_REQUIRED,
     .help = "M: a list is its diagonal, a list of lists the full symmetric matrix; formulas of t "
             "and positions"},
    {"equations.force", TRMI_KEY_FORMULAS, .need = TRMI_KEY_REQUIRED,
     .help = "one formula for each coordinate"},
    {"equations.states", TRMI_KEY_SECTION, .help = "unknowns with a rate"},
    {"equations.states.*", TRMI_KEY_FORMULA, .help = "rate of the state of that name"},
    {"equations.algebraic", TRMI_KEY_SECTION, .help = "unknowns without a rate"},
    {"equations.algebraic.*", TRMI_KEY_FORMULA, .help = "formula that is zero"},
    {"equations.constraints", TRMI_KEY_SECTION, .help = "constraints of the positions"},
    {"equations.constraints.*", TRMI_KEY_FORMULA,
     .help = "formula of t, positions and algebraic unknowns that is zero; its name is also that "
             "of the multiplier"},
    {"equations.velocity_constraints", TRMI_KEY_SECTION, .help = "constraints of the velocities"},
    {"equations.velocity_constraints.*", TRMI_KEY_FORMULA,
     .help = "formula linear in the velocities that is zero"},
    {"equations.invariants", TRMI_KEY_SECTION,
     .help = "energy, momentum, ...: kept by index1-projected, adams and explicit"},
    {"equations.invariants.*", TRMI_KEY_FORMULA,
     .help = "formula of t, positions, velocities and states that keeps its initial value"},
    {"equations.energy", TRMI_KEY_SECTION, .help = "for the energy balance"},
    {"equations.energy.potential", TRMI_KEY_FORMULA, .help = "kinetic is 1/2 v^T M v"},

    // ---- mechanism, problem ----
    {"parts", TRMI_KEY_SECTION, .help = "parts of mechanisms that are used several times"},
    {"parts.*", TRMI_KEY_SECTION, .help = "one part, with sections of its own"},
    {"parts.*.parameters", TRMI_KEY_VALUE,
     .help = "its parameters with their defaults, formulas of those above and of the model's"},
    {"parts.*.names", TRMI_KEY_VALUE,
     .help = "names of bodies, joints, .. outside of it that `with` replaces, with their defaults"},
    {"parts.*.bodies", TRMI_KEY_VALUE, .help = "as in `mechanism`, likewise the others"},
    {"parts.*.joints", TRMI_KEY_VALUE, .help = "they may also name what is not in the part"},
    {"parts.*.forces", TRMI_KEY_VALUE, .help = "as in `mechanism`"},
    {"parts.*.points", TRMI_KEY_VALUE, .help = "as in `mechanism`"},
    {"parts.*.inputs", TRMI_KEY_VALUE, .help = "as in `mechanism`"},
    {"parts.*.define", TRMI_KEY_VALUE, .help = "as in `mechanism`"},
    {"parts.*.states", TRMI_KEY_VALUE, .help = "as in `mechanism`"},
    {"parts.*.algebraic", TRMI_KEY_VALUE, .help = "as in `mechanism`"},
    {"parts.*.samples", TRMI_KEY_VALUE, .help = "as in `mechanism`"},
    {"parts.*.outputs", TRMI_KEY_VALUE, .help = "as `outputs` of the model"},
    {"parts.*.use", TRMI_KEY_VALUE, .help = "other parts, as `use` of the model"},
    {"use", TRMI_KEY_SECTION, .help = "parts as they are used, by the names that theirs get"},
    {"use.*", TRMI_KEY_SECTION, .help = "one use: NAME.body, NAME.joint, ..."},
    {"use.*.part", TRMI_KEY_TEXT, .need = TRMI_KEY_REQUIRED, .help = "of `parts`"},
    {"use.*.mirror", TRMI_KEY_CHOICE, .preset = "null", .choices = TRMI_WORDS("x", "y", "z"),
     .help = "the coordinate whose sign is changed: a mirror image"},
    {"use.*.frame", TRMI_KEY_SECTION, .parts = trmi_frame_keys,
     .help = "where its axes are (after the mirror); parallel to those of the model without it"},
    {"use.*.at", TRMI_KEY_NUMBERS, .preset = "null", .unit = "m",
     .help = "where its origin is; at that of the model without it"},
    {"use.*.for", TRMI_KEY_SECTION,
     .help = "lists that are gone through together: a use NAME_1, NAME_2, .. for each element"},
    {"use.*.for.*", TRMI_KEY_FORMULAS, .help = "what the name is in the formulas of each use"},
    {"use.*.with", TRMI_KEY_SECTION, .help = "values of its parameters and names"},
    {"use.*.with.*", TRMI_KEY_NUMBER, .unit = "?",
     .help = "a number, or a formula of the model's parameters"},
    {"mechanism", TRMI_KEY_SECTION, .need = TRMI_KEY_ONE_OF,
     .help = "a model given by bodies, joints and forces"},
    {"problem", TRMI_KEY_SECTION, .need = TRMI_KEY_ONE_OF, .help = "a system written in C"},
    {"problem.name", TRMI_KEY_TEXT, .need = TRMI_KEY_ONE_OF,
     .help = "of the problems that the program offers"},
    {"problem.library", TRMI_KEY_TEXT, .need = TRMI_KEY_ONE_OF,
     .help = "path of a shared object that exports the entry point of problems"},
    {"problem.*", TRMI_KEY_VALUE, .help = "options of the problem"},

    // ---- initial ----
    {"initial", TRMI_KEY_SECTION, .help = "where the motion begins"},
    {"initial.values", TRMI_KEY_SECTION, .help = "by name; what is missing is 0"},
    {"initial.values.*", TRMI_KEY_NUMBER, .unit = "?",
     .help = "position, velocity, state, algebraic unknown or multiplier (a guess)"},
    {"initial.consistent", TRMI_KEY_CHOICE, .option = "start",
     .help = "project: nearest consistent state; keep: as given, an error if badly inconsistent; "
             "raw: as given even where it violates the constraints"},

    // ---- equilibrium ----
    {"equilibrium", TRMI_KEY_SECTION,
     .help = "what `equilibrium`, `run --from equilibrium` and `modes --equilibrium` search for"},
    {"equilibrium.speeds", TRMI_KEY_CHOICE, .preset = "zero",
     .choices = TRMI_WORDS("zero", "start"),
     .help = "zero: at rest; start: steady motion with the velocities of the start, in which "
             "nothing accelerates"},
    {"equilibrium.hold", TRMI_KEY_NAMES,
     .help = "coordinates that a force holds where they start; in steady motion they keep the "
             "velocity they start with"},
    {"equilibrium.rates", TRMI_KEY_NAMES,
     .help = "velocities that are found instead, from those of the start, in steady motion"},
    {"equilibrium.parameters", TRMI_KEY_SECTION,
     .help = "parameters with another value during the search"},
    {"equilibrium.parameters.*", TRMI_KEY_NUMBER, .help = "their values then"},
    {"equilibrium.find", TRMI_KEY_SECTION,
     .help = "parameters that are found, from their values in the file"},
    {"equilibrium.find.*", TRMI_KEY_TEXT,
     .help = "the held coordinate that needs no force then; a run keeps the parameter found"},

    // ---- simulate ----
    {"simulate", TRMI_KEY_SECTION, .help = "time span, method, tolerance, output"},
    {"simulate.start", TRMI_KEY_NUMBER, .preset = "0", .unit = "s",
     .help = "time at the beginning"},
    {"simulate.end", TRMI_KEY_NUMBER, .unit = "s", .help = "time at the end"},
    {"simulate.integrator", TRMI_KEY_CHOICE, .option = "integrator", .preset = "auto",
     .help = "integration method"},
    {"simulate.formulation", TRMI_KEY_CHOICE, .option = "formulation",
     .help = "how the step equations meet the constraints"},
    {"simulate.tolerance", TRMI_KEY_NUMBER, .option = "rtol", .preset = "null",
     .help = "relative and absolute tolerance in one number, or a map of both"},
    {"simulate.tolerance.relative", TRMI_KEY_NUMBER, .option = "rtol"},
    {"simulate.tolerance.absolute", TRMI_KEY_NUMBER, .option = "atol",
     .help = "absolute tolerance, times the scale of the unknown; or a map by name"},
    {"simulate.tolerance.absolute.*", TRMI_KEY_NUMBER, .option = "atol",
     .help = "absolute tolerance of the unknown of that name"},
    {"simulate.accuracy", TRMI_KEY_NUMBER, .preset = "null",
     .help = "instead of a tolerance: largest error of positions and states over what they move; "
             "tolerance and method are searched until a companion run confirms it"},
    {"simulate.verify", TRMI_KEY_TRUTH, .preset = "null",
     .help =
         "compare with a companion run: the error of every channel; without it where that takes "
         "a few seconds"},
    {"simulate.max_order", TRMI_KEY_WHOLE, .option = "max_order",
     .help = "bdf, adams, radau-adaptive"},
    {"simulate.control", TRMI_KEY_CHOICE, .option = "control",
     .help = "step and Newton control; classic: DASSL-faithful, for reproducing the papers"},
    {"simulate.step", TRMI_KEY_SECTION, .help = "step size"},
    {"simulate.step.initial", TRMI_KEY_NUMBER, .option = "h_initial", .unit = "s"},
    {"simulate.step.min", TRMI_KEY_NUMBER, .option = "h_min", .unit = "s"},
    {"simulate.step.max", TRMI_KEY_NUMBER, .option = "h_max", .unit = "s"},
    {"simulate.step.fixed", TRMI_KEY_NUMBER, .option = "h_fixed", .unit = "s"},
    {"simulate.rho", TRMI_KEY_NUMBER, .option = "rho"},
    {"simulate.alpha", TRMI_KEY_NUMBER, .option = "alpha"},
    {"simulate.beta", TRMI_KEY_NUMBER, .option = "beta"},
    {"simulate.gamma", TRMI_KEY_NUMBER, .option = "gamma"},
    {"simulate.alpha_parameters", TRMI_KEY_CHOICE, .option = "alpha_parameters"},
    {"simulate.alpha_m", TRMI_KEY_NUMBER, .option = "alpha_m"},
    {"simulate.alpha_f", TRMI_KEY_NUMBER, .option = "alpha_f"},
    {"simulate.newton", TRMI_KEY_SECTION, .help = "Newton iteration"},
    {"simulate.newton.tolerance", TRMI_KEY_NUMBER, .option = "newton_tolerance"},
    {"simulate.newton.max_iterations", TRMI_KEY_WHOLE, .option = "newton_iterations"},
    {"simulate.jacobian", TRMI_KEY_SECTION, .help = "iteration matrix"},
    {"simulate.jacobian.source", TRMI_KEY_CHOICE, .option = "jacobian_source"},
    {"simulate.jacobian.update", TRMI_KEY_CHOICE, .option = "jacobian_update"},
    {"simulate.jacobian.pattern", TRMI_KEY_CHOICE, .option = "jacobian_pattern"},
    {"simulate.jacobian.increments", TRMI_KEY_CHOICE, .option = "jacobian_increments"},
    {"simulate.projection", TRMI_KEY_SECTION, .help = "of index1-projected, adams and explicit"},
    {"simulate.projection.norm", TRMI_KEY_CHOICE, .option = "projection_norm"},
    {"simulate.projection.method", TRMI_KEY_CHOICE, .option = "projection_method"},
    {"simulate.projection.estimate", TRMI_KEY_CHOICE, .option = "projection_estimate"},
    {"simulate.annihilator", TRMI_KEY_CHOICE, .option = "annihilator"},
    {"simulate.baumgarte", TRMI_KEY_SECTION, .help = "constants of formulation baumgarte"},
    {"simulate.baumgarte.alpha", TRMI_KEY_NUMBER, .option = "baumgarte_alpha"},
    {"simulate.baumgarte.beta", TRMI_KEY_NUMBER, .option = "baumgarte_beta"},
    {"simulate.linear_solver", TRMI_KEY_CHOICE, .option = "linear_solver"},
    {"simulate.error_test", TRMI_KEY_CHOICE, .option = "error_test"},
    {"simulate.max_steps", TRMI_KEY_WHOLE, .option = "max_steps"},
    {"simulate.output_times", TRMI_KEY_NUMBERS, .preset = "null", .unit = "s",
     .help = "exact times for the samples of the summary"},
    {"simulate.output_interval", TRMI_KEY_NUMBER, .preset = "null", .choices = TRMI_WORDS("steps"),
     .unit = "s",
     .help = "spacing of the result file; about 500 points without it, fewer for very many "
             "channels; steps: every step"},
    {"simulate.max_output", TRMI_KEY_NUMBER, .preset = "1e10",
     .help = "bytes of rows beyond which a run is refused, a guard against an output_interval that "
             "was not meant"},

    // ---- outputs, events ----
    {"outputs", TRMI_KEY_SECTION, .help = "extra channels of the result file"},
    {"outputs.channels", TRMI_KEY_TEXTS, .preset = "null",
     .help = "patterns of the channels that are written; all without it"},
    {"outputs.*", TRMI_KEY_FORMULA, .help = "formula of t, all unknowns, accelerations a(name)"},
    {"draw", TRMI_KEY_SECTION, .help = "what the page of the viewer draws, tied to formulas"},
    {"draw.*", TRMI_KEY_SECTION, .help = "a point, line or circle; its numbers are outputs too"},
    {"draw.*.point", TRMI_KEY_FORMULAS, .need = TRMI_KEY_ONE_OF, .help = "[x, y] or [x, y, z], m"},
    {"draw.*.line", TRMI_KEY_MATRIX, .need = TRMI_KEY_ONE_OF,
     .help = "the points of a line: [[x, y], [x, y], ...]"},
    {"draw.*.circle", TRMI_KEY_FORMULAS, .need = TRMI_KEY_ONE_OF, .help = "its centre"},
    {"draw.*.radius", TRMI_KEY_FORMULA, .preset = "null", .help = "of a circle, m"},
    {"events", TRMI_KEY_SECTION, .help = "named zero crossings"},
    {"events.*", TRMI_KEY_SECTION, .help = "one event"},
    {"events.*.when", TRMI_KEY_FORMULA, .need = TRMI_KEY_REQUIRED,
     .help = "formula that crosses zero"},
    {"events.*.direction", TRMI_KEY_CHOICE, .preset = "both",
     .choices = TRMI_WORDS("both", "rising", "falling"), .help = "crossings that count"},
    {"events.*.action", TRMI_KEY_CHOICE, .preset = "log",
     .choices = TRMI_WORDS("log", "restart", "stop"),
     .help = "log: noted, nothing changes; restart: the integration starts again; stop: the run "
             "ends"},
    {"events.*.set", TRMI_KEY_SECTION, .help = "new values at the event; implies restart"},
    {"events.*.set.*", TRMI_KEY_FORMULA,
     .help = "new value of the velocity, state or parameter of that name"},
    {"events.*.log", TRMI_KEY_TEXT, .preset = "null", .help = "text for the log"},
};
enum { KEY_COUNT = sizeof table / sizeof *table };

const trmi_key *trmi_key_row(int index)
{
    return index < 0           ? NULL
           : index < KEY_COUNT ? &table[index]
                               : trmi_mechanism_key(index - KEY_COUNT);
}

const trmi_key_table trmi_model_keys = {
    "Trammel model file", "a model is a map that begins with 'trammel: 1'", trmi_key_row};

const trmi_item *trmi_item_of_option(const trmi_item *root, const char *option)
{
    const trmi_key *key;
    for (int k = 0; (key = trmi_key_row(k)); k++)
        if (key->option && strcmp(key->option, option) == 0)
            return trmi_item_path(root, key->path);
    return NULL;
}

// ---- the tree ----

trmi_key *trmi_keys_add(trmi_key_builder *b, trmi_key *up, const trmi_key *key)
{
    trmi_key *added = b->key ? &b->key[b->count] : NULL;
    b->count++;
    if (added) {
        *added = *key;
        added->up = up;
        trmi_key **link = &up->below;
        while (*link)
            link = &(*link)->next;
        *link = added;
    }
    for (const trmi_key *part = key->parts; part && part->path; part++)
        trmi_keys_add(b, added, part);
    return added;
}

// the key above a row: the last one of the tree whose path is that of the row but for its last part
static trmi_key *find_parent(const trmi_key_builder *b, const char *path)
{
    const char *dot = strrchr(path, '.');
    size_t length = dot ? (size_t)(dot - path) : 0;
    for (int k = b->count - 1; k > 0 && length > 0; k--)
        if (strncmp(b->key[k].path, path, length) == 0 && b->key[k].path[length] == '\0')
            return &b->key[k];
    return b->key;
}

static void build(const trmi_key_table *table, trmi_key_builder *b)
{
    const trmi_key *row;
    b->count = 1;
    for (int k = 0; (row = table->row(k)); k++) {
        trmi_key *up = b->key ? find_parent(b, row->path) : NULL;
        trmi_keys_add_types(b, trmi_keys_add(b, up, row), row->types);
    }
}

int trmi_keys_count(const trmi_key_table *table)
{
    trmi_key_builder b = {0};
    build(table, &b);
    return b.count;
}

const trmi_key *trmi_keys_build(const trmi_key_table *table, trmi_key *tree)
{
    tree[0] = (trmi_key){.path = "", .kind = TRMI_KEY_SECTION};
    build(table, &(trmi_key_builder){.key = tree});
    return tree;
}

const trmi_key *trmi_key_find(const trmi_key *up, const char *name)
{
    const trmi_key *free_name = NULL;
    for (const trmi_key *key = up->below; key; key = key->next) {
        const char *own = trmi_key_name(key);
        if (strcmp(own, name) == 0)
            return strcmp(own, "*") == 0 ? NULL : key;
        free_name = strcmp(own, "*") == 0 ? key : free_name;
    }
    return free_name;
}

const char *trmi_key_name(const trmi_key *row)
{
    const char *dot = strrchr(row->path, '.');
    return dot ? dot + 1 : row->path;
}

const trm_option_info *trmi_key_option(const trmi_key *row)
{
    return trmi_option_named(row->option);
}

const char *const *trmi_key_choices(const trmi_key *row)
{
    const trm_option_info *option = trmi_key_option(row);
    return row->choices ? row->choices : option ? option->choices : NULL;
}

const char *trmi_key_help(const trmi_key *row)
{
    const trm_option_info *option = trmi_key_option(row);
    return row->help ? row->help : option ? option->help : "";
}

const char *trmi_key_preset(const trmi_key *row, char *buffer, size_t size)
{
    const trm_option_info *option = trmi_key_option(row);
    if (row->preset || !option)
        return row->preset;
    if (option->choices)
        return option->choices[(int)option->preset];
    if (!isfinite(option->preset))
        return "null";
    snprintf(buffer, size, "%.15g", option->preset);
    return buffer;
}

bool trmi_key_is_list(trmi_key_kind kind)
{
    return kind == TRMI_KEY_NUMBERS || kind == TRMI_KEY_FORMULAS || kind == TRMI_KEY_MATRIX ||
           kind == TRMI_KEY_AMOUNTS || kind == TRMI_KEY_NAMES || kind == TRMI_KEY_TEXTS;
}

const char *trmi_key_kind_text(trmi_key_kind kind)
{
    static const char *const text[TRMI_KEY_KINDS] = {
        [TRMI_KEY_SECTION] = "a map",
        [TRMI_KEY_NUMBER] = "a number or a formula",
        [TRMI_KEY_FORMULA] = "a formula or a number",
        [TRMI_KEY_TEXT] = "a text",
        [TRMI_KEY_NAME] = "a name",
        [TRMI_KEY_CHOICE] = "a word",
        [TRMI_KEY_TRUTH] = "true or false",
        [TRMI_KEY_WHOLE] = "a whole number",
        [TRMI_KEY_NUMBERS] = "a list of numbers or formulas",
        [TRMI_KEY_FORMULAS] = "a list of formulas",
        [TRMI_KEY_MATRIX] = "a list of formulas or a list of lists of formulas",
        [TRMI_KEY_AMOUNTS] = "a number, a formula or a list of them",
        [TRMI_KEY_NAMES] = "a list of names",
        [TRMI_KEY_TEXTS] = "a list of texts",
        [TRMI_KEY_VALUE] = "a value",
    };
    return text[kind];
}
