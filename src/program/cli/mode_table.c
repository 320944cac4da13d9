// SPDX-License-Identifier: Apache-2.0
#include "program/cli/mode_table.h"

#include "program/files/csv/names.h"
#include "program/files/json.h"
#include "program/run/console.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_COORDINATES = 3 };

static int shape_length(const trm_model *model)
{
    return trm_model_count(model, TRM_CHANNEL_POSITION) + trm_model_count(model, TRM_CHANNEL_STATE);
}

// coordinates, then states
static const char *name_of(const trm_model *model, int i)
{
    int n = trm_model_count(model, TRM_CHANNEL_POSITION);
    return i < n ? trm_model_channel(model, TRM_CHANNEL_POSITION, i)
                 : trm_model_channel(model, TRM_CHANNEL_STATE, i - n);
}

static void print_state(const trmi_mode_table *table)
{
    const trm_modes_report *r = trm_modes_get_report(table->modes);
    const trm_model *m = table->model;
    trmi_print("  %-12s t = %.9g s: ", "state", table->t);
    if (!r->at_rest)
        trmi_print("moving, the fastest is %s with %.4g%s\n", name_of(m, r->fastest), r->velocity,
                   r->balanced ? "" : "; not steady");
    else
        trmi_print("at rest%s\n", r->balanced ? ", in equilibrium" : ", but not in equilibrium");
    if (!r->balanced)
        trmi_print("  %-12s %s is accelerated by %.4g: these modes hold for this instant only\n",
                   "", name_of(m, r->most_accelerated), r->acceleration);
    else if (!r->at_rest)
        trmi_print("  %-12s exact if the motion is steady\n", "");
    trmi_print("  %-12s order %d, mobility %d", "system", r->states, r->mobility);
    if (r->redundant > 0)
        trmi_print(", %d redundant constraints left out", r->redundant);
    if (r->iterations > 0 && r->frequency > 0)
        trmi_print("; modes near %.4g Hz", r->frequency);
    if (r->iterations > 0)
        trmi_print("%s by %d iterations, %s solver", r->frequency > 0 ? "" : "; lowest modes",
                   r->iterations, r->solver);
    trmi_print("\n");
}

void trmi_print_shape(const trm_model *model, int n, const double *shape, const double *imaginary)
{
    int shown[SHOWN_COORDINATES];
    for (int k = 0; k < SHOWN_COORDINATES && k < n; k++) {
        int best = -1;
        double size = 1e-3;
        for (int i = 0; i < n; i++) {
            bool taken = false;
            for (int j = 0; j < k; j++)
                taken = taken || shown[j] == i;
            double here = hypot(shape[i], imaginary ? imaginary[i] : 0);
            if (!taken && here > 1.0000001 * size) { // of equal ones the first
                best = i;
                size = here;
            }
        }
        if (best < 0)
            return;
        shown[k] = best;
        trmi_print("%s%s %.4g", k ? ", " : "", name_of(model, best), shape[best]);
        if (imaginary && fabs(imaginary[best]) > 1e-6)
            trmi_print("%+.4gi", imaginary[best]);
    }
}

// reports what roundoff leaves uncertain in the fourth digit
static void print_uncertainty(const trmi_mode_table *table)
{
    double worst = 0;
    for (int k = 0; k < trm_modes_count(table->modes); k++) {
        const trm_mode *mode = trm_modes_get(table->modes, k);
        double size = hypot(mode->growth, mode->omega);
        if (size > 0)
            worst = fmax(worst, mode->uncertainty / size);
    }
    if (worst > 1e-4)
        trmi_print("  %-12s roundoff may change eigenvalues by %.2g of their size\n", "accuracy",
                   worst);
}

// The mode before, from 0 on, that an eigenvalue 0 shares its shape with; -1: none. Such a zero is
// repeated without a shape of its own: besides q = shape there are motions q = shape t + ...
static int find_twin(const trmi_mode_table *table, int k)
{
    const trm_mode *mode = trm_modes_get(table->modes, k);
    if (mode->omega != 0 || mode->growth != 0)
        return -1;
    for (int j = 0; j < k; j++) {
        const trm_mode *other = trm_modes_get(table->modes, j);
        double apart = 0, opposite = 0;
        for (int i = 0; i < shape_length(table->model); i++) {
            apart = fmax(apart, fabs(mode->shape[i] - other->shape[i]));
            opposite = fmax(opposite, fabs(mode->shape[i] + other->shape[i]));
        }
        if (other->omega == 0 && other->growth == 0 && fmin(apart, opposite) < 1e-3)
            return j;
    }
    return -1;
}

void trmi_mode_table_print(const trmi_mode_table *table)
{
    int count = trm_modes_count(table->modes);
    trmi_print("%s: %d mode%s\n", trm_model_name(table->model), count, count == 1 ? "" : "s");
    print_state(table);
    print_uncertainty(table);
    trmi_print("\n%6s %14s %14s %11s %14s   %s\n", "mode", "frequency Hz", "omega rad/s", "damping",
               "growth 1/s", "shape");
    for (int k = 0; k < count; k++) {
        const trm_mode *mode = trm_modes_get(table->modes, k);
        trmi_print("%6d %14.7g %14.7g %11.4g %14.7g   ", k + 1, mode->frequency, mode->omega,
                   mode->damping, mode->growth);
        int twin = find_twin(table, k);
        if (twin >= 0)
            trmi_print("as mode %d: a repeated zero, the motion grows with time", twin + 1);
        else
            trmi_print_shape(table->model, shape_length(table->model), mode->shape,
                             mode->imaginary);
        trmi_print("\n");
    }
}

static void add_shape(trmi_json *json, const trmi_mode_table *table, const char *key,
                      const double *value)
{
    trmi_json_begin_object(json, key);
    for (int i = 0; i < shape_length(table->model); i++)
        trmi_json_number(json, name_of(table->model, i), value[i]);
    trmi_json_end(json);
}

static void add_mode(trmi_json *json, const trmi_mode_table *table, const trm_mode *mode)
{
    trmi_json_begin_object(json, NULL);
    trmi_json_number(json, "frequency", mode->frequency);
    trmi_json_number(json, "omega", mode->omega);
    trmi_json_number(json, "damping", mode->damping);
    trmi_json_number(json, "growth", mode->growth);
    trmi_json_number(json, "uncertainty", mode->uncertainty);
    trmi_json_boolean(json, "pair", mode->pair);
    add_shape(json, table, "shape", mode->shape);
    add_shape(json, table, "shape_imaginary", mode->imaginary);
    trmi_json_end(json);
}

char *trmi_mode_table_json(const trmi_mode_table *table)
{
    const trm_modes_report *r = trm_modes_get_report(table->modes);
    trmi_json json = {0};
    trmi_json_begin_object(&json, NULL);
    trmi_json_string(&json, "model", trm_model_name(table->model));
    trmi_json_number(&json, "t", table->t);
    trmi_json_boolean(&json, "at_rest", r->at_rest);
    trmi_json_boolean(&json, "balanced", r->balanced);
    trmi_json_number(&json, "velocity", r->velocity);
    trmi_json_number(&json, "acceleration", r->acceleration);
    trmi_json_integer(&json, "states", r->states);
    trmi_json_integer(&json, "mobility", r->mobility);
    trmi_json_integer(&json, "redundant", r->redundant);
    trmi_json_begin_array(&json, "modes");
    for (int k = 0; k < trm_modes_count(table->modes); k++)
        add_mode(&json, table, trm_modes_get(table->modes, k));
    trmi_json_end(&json);
    trmi_json_end(&json);
    trmi_text_add(&json.text, "\n");
    return trmi_json_take(&json);
}

// frequency [Hz],omega [rad/s],damping,growth [1/s],uncertainty [1/s],shape/x,...,shape_imaginary/x
char *trmi_mode_table_csv(const trmi_mode_table *table)
{
    static const char *const groups[] = {"shape", "shape_imaginary"};
    const int n = shape_length(table->model);
    trmi_text text = {0};
    trmi_text_add(&text, "mode,frequency [Hz],omega [rad/s],damping,growth [1/s],"
                         "uncertainty [1/s]");
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < n; i++) {
            trmi_text_add(&text, ",");
            trmi_csv_add_label(&text, groups[part], name_of(table->model, i), "");
        }
    trmi_text_add(&text, "\n");
    for (int k = 0; k < trm_modes_count(table->modes); k++) {
        const trm_mode *mode = trm_modes_get(table->modes, k);
        const double head[] = {k + 1,         mode->frequency, mode->omega,
                               mode->damping, mode->growth,    mode->uncertainty};
        for (int i = 0; i < 6 + 2 * n; i++) {
            double value = i < 6       ? head[i]
                           : i < 6 + n ? mode->shape[i - 6]
                                       : mode->imaginary[i - 6 - n];
            if (i > 0)
                trmi_text_add(&text, ",");
            trmi_text_add_number(&text, value);
        }
        trmi_text_add(&text, "\n");
    }
    if (!text.failed)
        return text.data;
    trmi_text_free(&text);
    return NULL;
}
