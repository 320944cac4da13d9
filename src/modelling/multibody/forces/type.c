// SPDX-License-Identifier: Apache-2.0
// What types of forces share.
#include "modelling/multibody/forces/force.h"

#include "modelling/multibody/frames.h"

const trmi_parameter trmi_force_between = {"between", TRMI_PARAMETER_BODIES,
                                           offsetof(trmi_force, body), .required = true,
                                           .help = "first and second body"};
const trmi_parameter trmi_force_at = {"at", TRMI_PARAMETER_POINT, offsetof(trmi_force, at),
                                      .required = true, .help = "where it acts"};
const trmi_parameter trmi_force_from = {"from", TRMI_PARAMETER_POINT, offsetof(trmi_force, at),
                                        .required = true, .help = "its end on the first body"};
const trmi_parameter trmi_force_to = {"to", TRMI_PARAMETER_POINT, offsetof(trmi_force, at_second),
                                      .required = true, .help = "its end on the second body"};
const trmi_parameter trmi_force_frame = {"frame", TRMI_PARAMETER_FRAME, offsetof(trmi_force, frame),
                                         .help = "axes; global ones without it"};

double trmi_finish_ends(trmi_finish *finish, const trmi_force *force)
{
    double distance = trmi_v3_length(trmi_v3_sub(force->at_second, force->at));
    if (distance == 0)
        trmi_finish_key_error(
            finish, NULL, "the ends of '%.60s' coincide: it has no direction; a bushing has one",
            force->name);
    return distance;
}

bool trmi_finish_at(trmi_finish *finish, trmi_force *force)
{
    force->at_second = force->at;
    if (!trmi_given_frame(force->frame))
        force->frame = trmi_plane_frame(finish->mechanism->plane);
    return true;
}

int trmi_refuse_coincidence(const trmi_element *element, double length)
{
    return element->set.own == TRMI_NOTHING && element->set.row[0].type == &trmi_plain_length &&
           !(length > 0);
}

trmi_element *trmi_force_add(trmi_force_maker *m, const trmi_force *force)
{
    trmi_element *e = &m->element[m->elements++];
    e->force = force;
    e->law = force->type->law;
    e->sign = 1;
    e->gaps = force->type->gaps;
    e->states = force->states;
    e->first_state = force->first_state;
    return e;
}

bool trmi_force_rows_of(trmi_force_maker *m, trmi_element *e, const int body[2], trmi_v3 at,
                        trmi_v3 at_second, trmi_m3 frame, trmi_m3 frame_second,
                        const trmi_row_type *const *row)
{
    e->set = (trmi_row_set){.pair = trmi_pair_at(m->mechanism, body, at, at_second, frame,
                                                 frame_second, e->force->size)};
    for (int r = 0; r < TRMI_MAX_ROWS && row[r]; r++)
        trmi_set_add(&e->set, row[r], m->n_held);
    return trmi_set_finish(&e->set, m->memory, m->tree);
}

bool trmi_force_rows(trmi_force_maker *m, trmi_element *e, const int body[2], trmi_v3 at,
                     trmi_v3 at_second, trmi_m3 frame, const trmi_row_type *const *row)
{
    return trmi_force_rows_of(m, e, body, at, at_second, frame, frame, row);
}

bool trmi_force_own_rows(trmi_force_maker *m, trmi_element *e)
{
    const trmi_force *force = e->force;
    return trmi_force_rows(m, e, force->body, force->at, force->at_second, force->frame,
                           force->type->row);
}

bool trmi_force_measure(trmi_force_maker *m, trmi_element *e, int joint, int measure)
{
    e->joint = &m->mechanism->joint[joint];
    e->measure = measure;
    return trmi_set_of_measure(&e->set, m->memory, m->mechanism, m->tree, joint, measure,
                               m->n_held);
}

void trmi_force_add_switch(trmi_element *e, double at, double sign)
{
    e->open[e->switches++] = (trmi_switch){at, sign};
}
