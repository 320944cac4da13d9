// SPDX-License-Identifier: Apache-2.0
#include "program/view/scene_path.h"

#include "modelling/multibody/joints/path.h"

// a curve in the axes of its marker
static void add_curve(trmi_json *json, int body, const trmi_plane_curve *curve, trmi_v3 at,
                      const trmi_m3 *frame)
{
    trmi_json_begin_object(json, NULL);
    trmi_json_integer(json, "body", body);
    trmi_json_begin_array(json, "points");
    for (int i = 0; i < curve->samples; i++) {
        const double *xy = curve->sample + 3 * i + 1;
        trmi_v3 p = trmi_v3_add(at, trmi_m3_times(*frame, (trmi_v3){xy[0], xy[1], 0}));
        trmi_json_begin_array(json, NULL);
        for (int k = 0; k < 3; k++)
            trmi_json_number(json, NULL, trmi_component(p, k));
        trmi_json_end(json);
    }
    trmi_json_end(json);
    trmi_json_end(json);
}

static void add_pair(trmi_json *json, const trmi_path_pair *pair, const int body[2],
                     const trmi_v3 at[2], const trmi_m3 *frame)
{
    if (!pair)
        return;
    trmi_json_begin_array(json, "curves");
    add_curve(json, body[0], &pair->first, at[0], frame);
    if (pair->second.samples > 0)
        add_curve(json, body[1], &pair->second, at[1], frame);
    trmi_json_end(json);
    if (pair->second.samples == 0)
        trmi_json_number(json, "roller", pair->radius);
}

void trmi_scene_add_joint_path(trmi_json *json, const trmi_joint *joint)
{
    const trmi_v3 at[2] = {joint->at, trmi_second_marker(joint).at};
    add_pair(json, trmi_joint_path_pair(joint), joint->body, at, joint->frame);
}

void trmi_scene_add_force_path(trmi_json *json, const trmi_force *force)
{
    const trmi_v3 at[2] = {force->at, force->at_second};
    add_pair(json, trmi_force_path_pair(force), force->body, at, &force->frame);
}
