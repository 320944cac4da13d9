// SPDX-License-Identifier: Apache-2.0
#include "program/cli/rest.h"

#include "base/error.h"
#include "program/cli/equilibrium_report.h"
#include "program/cli/report.h"

trm_equilibrium *trmi_find_rest(const trm_model *model, const trmi_console *console,
                                trm_instance **instance, int *exit_code)
{
    trm_equilibrium *found = NULL;
    trm_error error = trmi_no_error();
    *exit_code = TRMI_EXIT_MODEL;
    trm_status status = trm_instance_create(instance, model, &error);
    if (status == TRM_OK) {
        status =
            trm_equilibrium_create(&found, trm_instance_system(*instance), trm_model_options(model),
                                   trm_instance_initial(*instance), &error);
        bool start = status == TRM_ERR_INITIAL || status == TRM_ERR_CONTRADICTION;
        *exit_code = start ? TRMI_EXIT_INITIAL : TRMI_EXIT_FAILED;
    }
    if (status == TRM_OK)
        return found;
    trmi_print_error(console, trm_model_name(model), &error);
    return NULL;
}

trm_model *trmi_load_at_rest(const trmi_arguments *a, const char *path, const trmi_console *console,
                             int *exit_code)
{
    trm_model *model = trmi_load_model(a, path, console, exit_code), *at_rest = NULL;
    trmi_rest rest = {.model = model};
    trmi_text values = {0};
    trm_equilibrium *found =
        model ? trmi_find_rest(model, console, &rest.instance, exit_code) : NULL;
    rest.equilibrium = found;
    if (found)
        trmi_rest_write_values(&rest, &values);
    if (found && values.failed)
        *exit_code = trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the equilibrium");
    else if (found)
        at_rest = trmi_load_model_with(a, path, values.data, console, exit_code);
    trmi_text_free(&values);
    trm_equilibrium_destroy(found);
    trm_instance_destroy(rest.instance);
    trm_model_destroy(model);
    return at_rest;
}
