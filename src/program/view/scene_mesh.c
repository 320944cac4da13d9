// SPDX-License-Identifier: Apache-2.0
#include "program/view/scene_mesh.h"

#include "program/view/series.h"

#include <stdlib.h>

static const int64_t POINT_LEVELS = 1 << 16;

static void add_mesh(trmi_json *json, const trmi_mesh *mesh, double *value)
{
    static const char *const name[] = {"x", "y", "z"};
    const trmi_series_style coordinates = {POINT_LEVELS, false};
    const trmi_series_style numbers = {mesh->points > 1 ? mesh->points - 1 : 1,
                                       false}; // steps of 1
    trmi_json_begin_object(json, NULL);
    for (int axis = 0; axis < 3; axis++) {
        for (int k = 0; k < mesh->points; k++)
            value[k] = trmi_component(mesh->point[k], axis);
        trmi_series_add(json, name[axis], value, mesh->points, coordinates);
    }
    for (int k = 0; k < 3 * mesh->triangles; k++)
        value[k] = mesh->corner[k];
    trmi_series_add(json, "corners", value, 3 * (int64_t)mesh->triangles, numbers);
    trmi_json_end(json);
}

void trmi_scene_add_meshes(trmi_json *json, const trmi_mesh *first)
{
    if (!first)
        return;
    trmi_json_begin_array(json, "meshes");
    for (const trmi_mesh *mesh = first; mesh; mesh = mesh->next) {
        // every point is the corner of a triangle
        double *value = malloc(3 * (size_t)mesh->triangles * sizeof *value);
        if (value)
            add_mesh(json, mesh, value);
        json->text.failed = json->text.failed || !value;
        free(value);
    }
    trmi_json_end(json);
}
