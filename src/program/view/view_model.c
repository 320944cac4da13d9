// SPDX-License-Identifier: Apache-2.0
// A model that was not run, as a run of the page with a single row.
#include "program/view/view_page.h"

#include "modelling/multibody/machine.h"
#include "modelling/reader/model.h"
#include "program/view/scene.h"
#include "program/view/series.h"

#include <stdlib.h>

static const trmi_series_style style = {1, false}; // a single value needs no levels

static void add_channel(trmi_json *json, const char *group, const char *name, const char *unit,
                        double value)
{
    trmi_json_begin_object(json, NULL);
    trmi_json_string(json, "group", group);
    trmi_json_string(json, "name", name);
    trmi_json_string(json, "unit", unit);
    trmi_series_add(json, "series", &value, 1, style);
    trmi_json_end(json);
}

static void add_assembled(trmi_json *json, const trm_model *m, const double *value)
{
    static const struct {
        trm_channel_kind kind;
        const char *group;
    } part[] = {{TRM_CHANNEL_BODY, "body"},
                {TRM_CHANNEL_REACTION, "reaction"},
                {TRM_CHANNEL_OUTPUT, "output"}};
    for (size_t p = 0; p < sizeof part / sizeof *part; p++)
        for (int i = 0; i < trm_model_count(m, part[p].kind); i++)
            add_channel(json, part[p].group, trm_model_channel(m, part[p].kind, i),
                        trm_model_unit(m, part[p].kind, i), *value++);
}

// where the file puts the bodies; the page needs no names of these channels
static void add_described(trmi_json *json, const trmi_machine *machine)
{
    const trmi_mechanism *m = machine->mechanism;
    static const int axes[][3] = {{0, 1, 2}, {0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
    for (int b = 1; b < m->bodies; b++) {
        trmi_v3 c = m->body[b].center;
        int size = trmi_pose_size(machine);
        for (int k = 0; k < size; k++) {
            double value = k < (size == 3 ? 2 : 3) ? trmi_component(c, axes[m->plane][k])
                           : size == 7 && k == 3   ? 1
                                                   : 0;
            char name[100];
            snprintf(name, sizeof name, "%.60s_%d", m->body[b].name, k);
            add_channel(json, "body", name, "", value);
        }
    }
}

void trmi_view_add_model(trmi_json *json, const trmi_view_model *view)
{
    const trm_model *m = view->model;
    const trmi_machine *machine = trmi_model_machine(m);
    char *scene = trmi_scene_json(m);
    const double t = view->values ? m->initial.t : 0;
    trmi_json_begin_object(json, NULL);
    trmi_json_string(json, "title", trm_model_name(m));
    trmi_json_string(json, "path", m->path);
    trmi_json_string(json, "status", view->values ? "model" : "apart");
    trmi_json_raw(json, "scene", scene);
    trmi_json_raw(json, "problems", view->problems);
    trmi_json_raw(json, "facts", view->facts);
    trmi_series_add(json, "time", &t, 1, style);
    trmi_series_add(json, "steps", &t, 0, style);
    trmi_json_begin_array(json, "channels");
    if (view->values)
        add_assembled(json, m, view->values);
    else if (machine)
        add_described(json, machine);
    trmi_json_end(json);
    trmi_json_end(json);
    free(scene);
}
