// SPDX-License-Identifier: Apache-2.0
// The joints of a mechanism: each is read by the parameters of its type.
#include "modelling/multibody/frames.h"
#include "modelling/reader/mechanism/draft.h"

#include <string.h>

const trmi_item *trmi_draft_joint_type(const trmi_item *joint, const trmi_joint_type **type)
{
    for (const trmi_item *i = joint->child; i; i = i->next)
        for (int k = 0; (*type = trmi_joint_type_at(k)); k++)
            if (strcmp(i->key, (*type)->name) == 0)
                return i;
    return NULL;
}

// ---- what a joint keeps ----

// axes that one of the last joints has too, or new ones
static const trmi_m3 *keep_frame(trmi_draft *d)
{
    for (int k = 0; k < d->frames; k++)
        if (memcmp(&d->kept_frame[k], &d->frame, sizeof d->frame) == 0)
            return &d->kept_frame[k];
    if (d->frames == 0 || d->frames == TRMI_FRAMES_OF_A_BLOCK) {
        d->frames = 0;
        if (!TRMI_SHARE(d->r->memory, d->kept_frame, TRMI_FRAMES_OF_A_BLOCK)) {
            d->r->failed = true;
            return NULL;
        }
    }
    d->kept_frame[d->frames] = d->frame;
    return &d->kept_frame[d->frames++];
}

trmi_joint_extra *trmi_draft_extra(trmi_draft *d, trmi_joint *joint)
{
    if (!joint->extra && !TRMI_SHARE(d->r->memory, joint->extra, 1))
        d->r->failed = true;
    return joint->extra;
}

static bool has_extra(const trmi_joint_extra *m)
{
    return m->size != 0 || m->terms > 0 || m->offset != 0 || m->second || m->drive || m->start ||
           m->friction || m->stop || m->relation || m->data;
}

// from the draft into the memory of the model
static void keep_joint(trmi_draft *d, trmi_joint *joint)
{
    const trmi_m3 *frame = keep_frame(d);
    joint->frame = frame ? frame : joint->frame; // without memory that of the draft will do
    joint->extra = NULL;
    if (has_extra(&d->extra) && trmi_draft_extra(d, joint))
        *joint->extra = d->extra;
}

// ---- joints ----

// the parameters of a joint, read into `in`, which has the size of the largest type
static void read_parameters(trmi_draft *d, const trmi_item *map, trmi_joint *joint,
                            trmi_joint_input *in)
{
    const trmi_v3 none = {NAN, NAN, NAN};
    trmi_type_reading reading = {d, map};
    trmi_finish finish = trmi_draft_finish(&reading);
    memset(in, 0, d->input_size);
    *in = (trmi_joint_input){
        .at = none, .axis = none, .second_axis = none, .frame = {{none, none, none}}};
    bool good = trmi_draft_parameters(d, map, joint->name, joint->type->parameter, in);
    joint->body[0] = in->body[0];
    joint->body[1] = in->body[1];
    if (good && joint->type->finish(&finish, in, joint) && trmi_given_frame(in->frame)) {
        trmi_place_joint(d, map, joint, &in->frame);
        d->frame = in->frame;
    }
    d->r->failed = d->r->failed || finish.no_memory;
}

static void read_joint(trmi_draft *d, const trmi_item *item, trmi_joint *joint,
                       trmi_joint_input *in)
{
    const trmi_item *map = trmi_draft_joint_type(item, &joint->type);
    bool cut = false;
    if (d->mechanism->plane != TRMI_SPATIAL && !joint->type->in_plane) {
        trmi_report_key(d->r->document, map, "a plane model has no %s joints", map->key);
        return;
    }
    read_parameters(d, map, joint, in);
    if (trmi_joint_rows(joint->type, d->mechanism->plane)[0])
        trmi_draft_attach(d, item, joint->body, joint->at, trmi_second_marker(joint).at);
    trmi_draft_motion(d, item, joint);
    if (trmi_item_find(item, "cut") && trmi_item_truth(trmi_item_find(item, "cut"), &cut))
        joint->cut = cut;
}

void trmi_draft_joints(trmi_draft *d, const trmi_item *section)
{
    const trmi_joint_type *type;
    trmi_joint_input *in;
    d->input_size = sizeof *in;
    for (int k = 0; (type = trmi_joint_type_at(k)); k++)
        d->input_size = type->input_size > d->input_size ? type->input_size : d->input_size;
    in = trmi_memory_take(d->r->scratch, 1, d->input_size);
    d->r->failed = d->r->failed || !in;
    int j = 0;
    for (const trmi_item *i = section && in ? section->child : NULL; i; i = i->next) {
        trmi_joint *joint = &d->joint[j++];
        d->extra = (trmi_joint_extra){0};
        d->frame = trmi_m3_unit();
        joint->extra = &d->extra;
        joint->frame = &d->frame;
        read_joint(d, i, joint, in);
        keep_joint(d, joint);
    }
}
