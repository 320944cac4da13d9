// SPDX-License-Identifier: Apache-2.0
// The table of the study file.
#include "program/study/study.h"

const char *const trmi_record_names[TRMI_RECORD_KINDS] = {
    "end", "maximum", "minimum", "integral", "events", "summary", "channels"};

const char *const trmi_sampling_names[TRMI_SAMPLINGS] = {"grid",  "list",   "latin-hypercube",
                                                         "sobol", "random", "saltelli"};

static const trmi_key table[] = {
    {"trammel-study", TRMI_KEY_CHOICE, .choices = TRMI_WORDS("1"), .need = TRMI_KEY_REQUIRED,
     .help = "version of this format"},
    {"name", TRMI_KEY_TEXT, .preset = "null", .help = "free text; the name of the file without it"},
    {"model", TRMI_KEY_TEXT, .need = TRMI_KEY_REQUIRED,
     .help = "the model file, relative to the folder of the study"},
    {"settings", TRMI_KEY_SECTION, .help = "what all runs have in place of what the model has"},
    {"settings.*", TRMI_KEY_VALUE, .help = "key: a path as of --set, such as simulate.tolerance"},
    {"parameters", TRMI_KEY_SECTION, .need = TRMI_KEY_ONE_OF,
     .help = "parameters of the model, and their values"},
    {"parameters.*", TRMI_KEY_AMOUNTS, .help = "a number or a list of numbers"},
    {"parameters.*.from", TRMI_KEY_NUMBER, .help = "one end of a range"},
    {"parameters.*.to", TRMI_KEY_NUMBER, .help = "the other end"},
    {"parameters.*.count", TRMI_KEY_WHOLE,
     .help = "how many values of the range a grid or list has, the ends among them"},
    {"parameters.*.spacing", TRMI_KEY_CHOICE, .preset = "linear",
     .choices = TRMI_WORDS("linear", "logarithmic"),
     .help = "equal steps, or equal ratios; of samples: uniform in the value or in its logarithm"},
    {"parameters.*.mean", TRMI_KEY_NUMBER, .help = "samples: of a normal distribution"},
    {"parameters.*.deviation", TRMI_KEY_NUMBER, .help = "its standard deviation"},
    {"points", TRMI_KEY_TEXT, .need = TRMI_KEY_ONE_OF,
     .help =
         "a CSV file instead, relative to the folder of the study: a column for each parameter, "
         "with its name in the first line, and a line for each run"},
    {"sampling", TRMI_KEY_SECTION, .help = "how the values are combined to runs"},
    {"sampling.method", TRMI_KEY_CHOICE, .preset = "grid",
     .choices = TRMI_WORDS("grid", "list", "latin-hypercube", "sobol", "random", "saltelli"),
     .help = "grid: each with each, the last parameter varies fastest; list: the first value of "
             "all, then the second; the others sample ranges, distributions and lists"},
    {"sampling.runs", TRMI_KEY_WHOLE, .preset = "null",
     .help = "how many samples; saltelli has as many runs for each as there are parameters, and "
             "two more"},
    {"sampling.seed", TRMI_KEY_WHOLE, .preset = "0",
     .help = "of the random numbers; a study with the same seed has the same runs. sobol: 0 is the "
             "sequence itself from its second point on, others shift it"},
    {"record", TRMI_KEY_SECTION,
     .help = "what a row has of each run; without it the outputs of the model at the end"},
    {"record.end", TRMI_KEY_TEXTS, .help = "channels by name or pattern: their values at the end"},
    {"record.maximum", TRMI_KEY_TEXTS, .help = "their largest values"},
    {"record.minimum", TRMI_KEY_TEXTS, .help = "their smallest values"},
    {"record.integral", TRMI_KEY_TEXTS, .help = "their integrals over the time"},
    {"record.events", TRMI_KEY_TEXTS,
     .help = "events by name or pattern: when each fired first, and how often"},
    {"record.summary", TRMI_KEY_TEXTS,
     .help = "numbers of the summary of a run by name or pattern, such as newton_iterations or "
             "energy_defect"},
    {"record.channels", TRMI_KEY_TEXTS,
     .help = "channels by name or pattern: their values at 'times' times"},
    {"record.times", TRMI_KEY_WHOLE, .preset = "101",
     .help = "how many times, evenly from the start to the end of the model, both among them"},
    {"limit", TRMI_KEY_SECTION, .help = "of each run, which fails where it would take more"},
    {"limit.seconds", TRMI_KEY_NUMBER, .preset = "null",
     .help = "of processor time: which runs reach it depends on the machine"},
    {"limit.steps", TRMI_KEY_WHOLE, .preset = "null",
     .help = "as simulate.max_steps: the same everywhere"},
    {"verify", TRMI_KEY_TRUTH, .preset = "false",
     .help = "a companion run beside each, which shows how many digits are right"},
};

static const trmi_key *row(int index)
{
    return index >= 0 && index < (int)(sizeof table / sizeof *table) ? &table[index] : NULL;
}

const trmi_key_table trmi_study_keys = {
    "Trammel study file", "a study is a map that begins with 'trammel-study: 1'", row};
