// SPDX-License-Identifier: Apache-2.0
// Prints one table of the public headers as Markdown: options, choices, quantities or status.
// check_docs.sh compares the output with docs/c-api.md.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/trammel.h>

typedef struct choice {
    const char *type, *name, *key, *help;
} choice;

#define INTEGRATOR(name, value, key, help) {"trm_integrator", #name, key, help},
#define FORMULATION(name, value, key, help) {"trm_formulation", #name, key, help},
#define CONTROL(name, value, key, help) {"trm_control", #name, key, help},
#define SOLVER(name, value, key, help) {"trm_solver", #name, key, help},
#define START(name, value, key, help) {"trm_start", #name, key, help},
#define ERROR_TEST(name, value, key, help) {"trm_error_test", #name, key, help},
#define PROJECTION_NORM(name, value, key, help) {"trm_projection_norm", #name, key, help},
#define PROJECTION_METHOD(name, value, key, help) {"trm_projection_method", #name, key, help},
#define PROJECTION_ESTIMATE(name, value, key, help) {"trm_projection_estimate", #name, key, help},
#define JACOBIAN_SOURCE(name, value, key, help) {"trm_jacobian_source", #name, key, help},
#define JACOBIAN_UPDATE(name, value, key, help) {"trm_jacobian_update", #name, key, help},
#define JACOBIAN_PATTERN(name, value, key, help) {"trm_jacobian_pattern", #name, key, help},
#define ANNIHILATOR(name, value, key, help) {"trm_annihilator", #name, key, help},
#define ALPHA_PARAMETERS(name, value, key, help) {"trm_alpha_parameters", #name, key, help},
#define INCREMENTS(name, value, key, help) {"trm_increments", #name, key, help},
// clang-format off
static const choice choices[] = {
    TRM_INTEGRATOR_LIST(INTEGRATOR)
    TRM_FORMULATION_LIST(FORMULATION)
    TRM_CONTROL_LIST(CONTROL)
    TRM_SOLVER_LIST(SOLVER)
    TRM_START_LIST(START)
    TRM_ERROR_TEST_LIST(ERROR_TEST)
    TRM_PROJECTION_NORM_LIST(PROJECTION_NORM)
    TRM_PROJECTION_METHOD_LIST(PROJECTION_METHOD)
    TRM_PROJECTION_ESTIMATE_LIST(PROJECTION_ESTIMATE)
    TRM_JACOBIAN_SOURCE_LIST(JACOBIAN_SOURCE)
    TRM_JACOBIAN_UPDATE_LIST(JACOBIAN_UPDATE)
    TRM_INCREMENTS_LIST(INCREMENTS)
    TRM_JACOBIAN_PATTERN_LIST(JACOBIAN_PATTERN)
    TRM_ANNIHILATOR_LIST(ANNIHILATOR)
    TRM_ALPHA_PARAMETERS_LIST(ALPHA_PARAMETERS)
};
// clang-format on
enum { CHOICES = sizeof choices / sizeof choices[0] };

// the choice number `index` of a type, NULL for numbers
static const choice *find_choice(const char *type, int index)
{
    for (int i = 0; i < CHOICES; i++)
        if (strcmp(choices[i].type, type) == 0 && index-- == 0)
            return &choices[i];
    return NULL;
}

static void print_option(const char *type, const char *name, double preset, double least,
                         double greatest, const char *unit, const char *help)
{
    const choice *c = find_choice(type, (int)preset);
    const bool integer = strcmp(type, "int") == 0;
    if (!c && !integer && strcmp(type, "double") != 0) {
        fprintf(stderr, "option %s: the choices of %s are unknown here\n", name, type);
        exit(1);
    }
    if (c)
        printf("| `%s` | choice | `%s` | | | %s |\n", name, c->key, help);
    else
        printf("| `%s` | %s | %g | %g to %g | %s | %s |\n", name, integer ? "integer" : "number",
               preset, least, greatest, strcmp(unit, "-") == 0 ? "" : unit, help);
}

static void print_options(void)
{
    puts("| option | type | default | range | unit | meaning |\n|---|---|---|---|---|---|");
#define OPTION(type, name, preset, least, greatest, unit, help)                                    \
    print_option(#type, #name, (double)(preset), (double)(least), (double)(greatest), unit, help);
    TRM_OPTION_LIST(OPTION)
}

static void print_choices_of(const char *type, const char *option)
{
    const choice *c;
    for (int i = 0; (c = find_choice(type, i)); i++)
        printf("| `%s` | `%s` | `%s` | %s |\n", option, c->key, c->name, c->help);
}

static void print_choices(void)
{
    puts("| option | choice | in C | meaning |\n|---|---|---|---|");
#define OPTION_CHOICES(type, name, preset, least, greatest, unit, help)                            \
    print_choices_of(#type, #name);
    TRM_OPTION_LIST(OPTION_CHOICES)
}

static const char *size_text(const char *size)
{
    return strcmp(size, "one") == 0 ? "1" : strcmp(size, "three") == 0 ? "3" : size;
}

static void print_quantities(void)
{
    puts("| quantity | symbol | rows | columns | meaning |\n|---|---|---|---|---|");
#define QUANTITY(name, rows, columns, symbol, text)                                                \
    printf("| `TRM_QUANTITY_%s` | `%s` | %s | %s | %s |\n", #name, symbol, size_text(#rows),       \
           size_text(#columns), text);
    TRM_QUANTITY_LIST(QUANTITY)
}

static void print_status(void)
{
    puts("| status | value | meaning |\n|---|---|---|");
#define STATUS(name, value, text) printf("| `%s` | %d | %s |\n", #name, value, text);
    TRM_STATUS_LIST(STATUS)
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } tables[] = {{"options", print_options},
                  {"choices", print_choices},
                  {"quantities", print_quantities},
                  {"status", print_status}};
    for (size_t i = 0; count == 2 && i < sizeof tables / sizeof tables[0]; i++)
        if (strcmp(arguments[1], tables[i].name) == 0) {
            tables[i].print();
            return 0;
        }
    fputs("usage: print_tables options|choices|quantities|status\n", stderr);
    return 2;
}
