// SPDX-License-Identifier: Apache-2.0
// The table of the optimisation file.
#include "program/optimize/optimize.h"

const char *const trmi_search_names[TRMI_SEARCH_METHODS] = {"auto", "levenberg-marquardt", "slsqp",
                                                            "lbfgs", "mma"};

static const trmi_key table[] = {
    {"trammel-optimization", TRMI_KEY_CHOICE, .choices = TRMI_WORDS("1"), .need = TRMI_KEY_REQUIRED,
     .help = "version of this format"},
    {"name", TRMI_KEY_TEXT, .preset = "null", .help = "free text; the name of the file without it"},
    {"model", TRMI_KEY_TEXT, .need = TRMI_KEY_REQUIRED,
     .help = "the model file, relative to the folder of this file"},
    {"settings", TRMI_KEY_SECTION, .help = "what all runs have in place of what the model has"},
    {"settings.*", TRMI_KEY_VALUE, .help = "key: a path as of --set, such as simulate.tolerance"},
    {"parameters", TRMI_KEY_SECTION, .need = TRMI_KEY_REQUIRED,
     .help = "parameters of the model that are sought"},
    {"parameters.*", TRMI_KEY_SECTION, .help = "where the search begins, and its bounds"},
    {"parameters.*.start", TRMI_KEY_NUMBER, .preset = "null",
     .help = "where the search begins; without it the value in the model"},
    {"parameters.*.min", TRMI_KEY_NUMBER, .preset = "null", .help = "the smallest value allowed"},
    {"parameters.*.max", TRMI_KEY_NUMBER, .preset = "null", .help = "the largest value allowed"},
    {"fit", TRMI_KEY_SECTION, .need = TRMI_KEY_ONE_OF,
     .help = "the motion fits measured data: least squares"},
    {"fit.data", TRMI_KEY_TEXT, .need = TRMI_KEY_REQUIRED,
     .help = "a CSV file with a line of names, relative to the folder of this file"},
    {"fit.time", TRMI_KEY_TEXT, .preset = "null",
     .help = "the column of the times; the first one without it"},
    {"fit.channels", TRMI_KEY_SECTION, .need = TRMI_KEY_REQUIRED,
     .help = "channels of the model, by name or as in output/height, and their columns"},
    {"fit.channels.*", TRMI_KEY_TEXT, .help = "the name of a column"},
    {"fit.channels.*.column", TRMI_KEY_TEXT, .help = "the name of a column"},
    {"fit.channels.*.deviation", TRMI_KEY_NUMBER, .preset = "null",
     .help = "standard deviation of the measurement, which weighs it; of all or of none. Without "
             "it 1, and errors are estimated from what is left of the residuals"},
    {"minimize", TRMI_KEY_SECTION, .need = TRMI_KEY_ONE_OF,
     .help = "a number of the run is as small as possible"},
    {"minimize.end", TRMI_KEY_TEXT, .need = TRMI_KEY_ONE_OF,
     .help = "a channel: its value at the end"},
    {"minimize.integral", TRMI_KEY_TEXT, .need = TRMI_KEY_ONE_OF,
     .help = "a channel: its integral over the run, to the tolerance of the run"},
    {"method", TRMI_KEY_CHOICE, .preset = "auto",
     .choices = TRMI_WORDS("auto", "levenberg-marquardt", "slsqp", "lbfgs", "mma"),
     .help = "auto: levenberg-marquardt for data, else slsqp; the last three are those of NLopt"},
    {"runs", TRMI_KEY_WHOLE, .preset = "100", .help = "at most so many runs"},
    {"tolerance", TRMI_KEY_NUMBER, .preset = "1e-6",
     .help = "the search ends when the goal, or all parameters, change by less than this part"},
};

static const trmi_key *row(int index)
{
    return index >= 0 && index < (int)(sizeof table / sizeof *table) ? &table[index] : NULL;
}

const trmi_key_table trmi_optimize_keys = {
    "Trammel optimisation file",
    "an optimisation is a map that begins with 'trammel-optimization: 1'", row};
