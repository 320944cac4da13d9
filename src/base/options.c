// SPDX-License-Identifier: Apache-2.0
// The option table: defaults, range checks, setting by name.
#include "base/options.h"

#include "base/error.h"
#include "base/integrators.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// A mark that options were initialised; the cookie holds it together with their size in the
// program.
enum { MARK = 0x74720000 };

// NULL-terminated keys of every type of option: type##_keys
#define CHOICE_KEY(name, value, key, help) [name] = key,
#define CHOICE_KEYS(type, list)                                                                    \
    static const char *const type##_keys[TRM_CHOICE_MAX(list) + 2] = {list(CHOICE_KEY)}
CHOICE_KEYS(trm_integrator, TRM_INTEGRATOR_LIST);
CHOICE_KEYS(trm_formulation, TRM_FORMULATION_LIST);
CHOICE_KEYS(trm_control, TRM_CONTROL_LIST);
CHOICE_KEYS(trm_solver, TRM_SOLVER_LIST);
CHOICE_KEYS(trm_start, TRM_START_LIST);
CHOICE_KEYS(trm_error_test, TRM_ERROR_TEST_LIST);
CHOICE_KEYS(trm_annihilator, TRM_ANNIHILATOR_LIST);
CHOICE_KEYS(trm_projection_norm, TRM_PROJECTION_NORM_LIST);
CHOICE_KEYS(trm_projection_method, TRM_PROJECTION_METHOD_LIST);
CHOICE_KEYS(trm_projection_estimate, TRM_PROJECTION_ESTIMATE_LIST);
CHOICE_KEYS(trm_jacobian_source, TRM_JACOBIAN_SOURCE_LIST);
CHOICE_KEYS(trm_jacobian_pattern, TRM_JACOBIAN_PATTERN_LIST);
CHOICE_KEYS(trm_jacobian_update, TRM_JACOBIAN_UPDATE_LIST);
CHOICE_KEYS(trm_increments, TRM_INCREMENTS_LIST);
CHOICE_KEYS(trm_alpha_parameters, TRM_ALPHA_PARAMETERS_LIST);
#define double_keys NULL
#define int_keys NULL

static const trm_option_info table[] = {
#define OPTION_INFO(type, name, preset, least, greatest, unit, help)                               \
    {#name, #type, unit, help, preset, least, greatest, type##_keys},
    TRM_OPTION_LIST(OPTION_INFO)};
enum { OPTION_COUNT = sizeof table / sizeof *table };

void trm_options_init(trm_options *options, size_t size)
{
    if (!options)
        return;
    const trm_options all = {.cookie = MARK | (uint32_t)(size & 0xffff),
                             .log_level = TRM_LOG_DEBUG,
#define OPTION_DEFAULT(type, name, preset, least, greatest, unit, help) .name = preset,
                             TRM_OPTION_LIST(OPTION_DEFAULT)};
    memset(options, 0, size);
    memcpy(options, &all, size < sizeof all ? size : sizeof all);
}

const trm_option_info *trm_option(int index)
{
    return index >= 0 && index < OPTION_COUNT ? &table[index] : NULL;
}

const trm_option_info *trmi_option_named(const char *name)
{
    for (int k = 0; k < OPTION_COUNT && name; k++)
        if (strcmp(table[k].name, name) == 0)
            return &table[k];
    return NULL;
}

// every option as a number, in the order of the table
static void values_of(const trm_options *o, double *values)
{
    const double all[] = {
#define OPTION_VALUE(type, name, preset, least, greatest, unit, help) (double)o->name,
        TRM_OPTION_LIST(OPTION_VALUE)};
    memcpy(values, all, sizeof all);
}

double trm_options_get(const trm_options *o, const char *name)
{
    const trm_option_info *info = trmi_option_named(name);
    if (!o || !info)
        return NAN;
    double values[OPTION_COUNT];
    values_of(o, values);
    return values[info - table];
}

trm_status trm_options_check(const trm_options *o, trm_error *error)
{
    trmi_error_clear(error);
    if (!o || (o->cookie & ~0xffffu) != MARK) {
        trmi_error_advise(error, "start from trm_options_default()");
        return trmi_error_set(error, TRM_ERR_OPTION, "the options were not initialised");
    }
    if ((o->cookie & 0xffff) != sizeof *o) {
        trmi_error_advise(error, "compile the program with the headers of this version");
        return trmi_error_set(error, TRM_ERR_OPTION,
                              "the options have %u bytes, those of this version of the library %u",
                              (unsigned)(o->cookie & 0xffff), (unsigned)sizeof *o);
    }
    double values[OPTION_COUNT];
    values_of(o, values);
    for (int k = 0; k < OPTION_COUNT; k++) {
        const trm_option_info *info = &table[k];
        if (values[k] >= info->least && values[k] <= info->greatest)
            continue;
        trmi_error_item(error, "%s", info->name);
        return trmi_error_set(error, TRM_ERR_OPTION, "%s = %g is outside [%g, %g]", info->name,
                              values[k], info->least, info->greatest);
    }
    if (o->h_min > o->h_max)
        return trmi_error_set(error, TRM_ERR_OPTION, "h_min = %g exceeds h_max = %g", o->h_min,
                              o->h_max);
    if (o->formulation == TRM_FORMULATION_BAUMGARTE &&
        !(o->baumgarte_alpha > 0 && o->baumgarte_beta > 0)) {
        trmi_error_advise(error, "give both; none fits every machine: 1/alpha and 1/beta are the "
                                 "times in which violations decay");
        return trmi_error_set(error, TRM_ERR_OPTION,
                              "formulation baumgarte needs baumgarte_alpha and baumgarte_beta");
    }
    return trmi_integrator_check(o, error);
}

static trm_status unknown_choice(const trm_option_info *info, const char *value, trm_error *error)
{
    char list[200] = "";
    for (int k = 0; info->choices[k]; k++) {
        strncat(list, k ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, info->choices[k], sizeof list - strlen(list) - 1);
    }
    trmi_error_item(error, "%s", info->name);
    trmi_error_advise(error, "one of %s", list);
    return trmi_error_set(error, TRM_ERR_OPTION, "%s cannot be '%.60s'", info->name, value);
}

// text to number, through the keys of an enumeration where there are any
static trm_status parse(const trm_option_info *info, const char *text, double *value,
                        trm_error *error)
{
    if (info->choices) {
        for (int k = 0; info->choices[k]; k++)
            if (strcmp(info->choices[k], text) == 0) {
                *value = k;
                return TRM_OK;
            }
        return unknown_choice(info, text, error);
    }
    char *end;
    *value = strtod(text, &end);
    bool whole = strcmp(info->type, "int") != 0 || *value == floor(*value);
    if (*text && !*end && whole && *value >= info->least && *value <= info->greatest)
        return TRM_OK;
    trmi_error_item(error, "%s", info->name);
    return trmi_error_set(error, TRM_ERR_OPTION, "%s = '%.60s' is not %s in [%g, %g]", info->name,
                          text, strcmp(info->type, "int") ? "a number" : "a whole number",
                          info->least, info->greatest);
}

trm_status trm_options_set(trm_options *o, const char *name, const char *text, trm_error *error)
{
    TRMI_REQUIRE(error, o, "options");
    TRMI_REQUIRE(error, name, "name");
    TRMI_REQUIRE(error, text, "value");
    trmi_error_clear(error);
    double value;
    trm_status status;
    int k = 0;
#define OPTION_SET(type, field, preset, least, greatest, unit, help)                               \
    if (strcmp(name, #field) == 0) {                                                               \
        status = parse(&table[k], text, &value, error);                                            \
        if (status == TRM_OK)                                                                      \
            o->field = (type)value;                                                                \
        return status;                                                                             \
    }                                                                                              \
    k++;
    TRM_OPTION_LIST(OPTION_SET)
    trmi_error_item(error, "%.60s", name);
    return trmi_error_set(error, TRM_ERR_OPTION, "there is no option '%.60s'", name);
}
