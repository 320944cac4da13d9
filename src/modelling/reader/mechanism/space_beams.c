// SPDX-License-Identifier: Apache-2.0
// Beams in space: bodies at the nodes, and between neighbours the massless beam of
// forces/bushing.c, which bends in two planes, twists and stretches. The masses are those of the
// trapezoidal rule,
//
//     int rA w^2 = h (w_0^2/2 + w_1^2 + .. + w_k^2/2) - h^2/12 [(rA w^2)']
//
// whose last term, of order h^2, is that of bodies at the ends with their centres of mass h/6
// inside: 2 rA h/2 (-h/6) w w'. So frequencies converge as the stiffness does, with h^4. Inertias
// of the nodes are those of the sections, rI h: with Rayleigh's rotary inertia.
#include "modelling/multibody/forces/forces.h"
#include "modelling/multibody/frames.h"
#include "modelling/reader/mechanism/draft.h"

#include <string.h>

// where a parameter of a type is in the struct of a force
static double *number_of(trmi_force *force, const char *key)
{
    for (int k = 0; force->type->parameter[k]; k++)
        if (strcmp(force->type->parameter[k]->key, key) == 0)
            return (double *)((char *)force + force->type->parameter[k]->offset);
    return NULL;
}

// The massless beam of the first element: its section from the keys of the body; NULL after errors.
static trmi_force *read_section(trmi_draft *d, const trmi_item *beam, const char *name)
{
    static const char *const own[] = {"between", "from", "to", "inertia_z", NULL};
    const trmi_force_type *type = &trmi_force_beam;
    trmi_force *force = trmi_memory_take(d->r->memory, 1, type->size);
    trmi_parameter_list list = {NULL};
    int count = 0;
    d->r->failed = d->r->failed || !force;
    if (!force)
        return NULL;
    *force = (trmi_force){.name = name, .type = type, .frame = trmi_m3_unit()};
    for (int k = 0; type->parameter[k]; k++) {
        bool given = true;
        for (int i = 0; own[i]; i++)
            given = given && strcmp(type->parameter[k]->key, own[i]) != 0;
        if (given)
            list[count++] = type->parameter[k];
    }
    return trmi_draft_parameters(d, beam, name, list, force) &&
                   trmi_draft_positive(d, beam, "inertia", false, number_of(force, "inertia_z"))
               ? force
               : NULL;
}

// the force of element k, as the first one
static bool couple(trmi_draft *d, const trmi_item *beam, const trmi_flexible *f,
                   const trmi_force *like, int k)
{
    double h = f->data.length / f->data.elements;
    trmi_force *force = trmi_memory_take(d->r->memory, 1, like->type->size);
    trmi_type_reading reading = {d, beam};
    trmi_finish finish = trmi_draft_finish(&reading);
    if (!force) {
        d->r->failed = true;
        return false;
    }
    memcpy(force, like, like->type->size);
    force->body[0] = trmi_draft_node(d, f, k);
    force->body[1] = trmi_draft_node(d, f, k + 1);
    force->name = d->body[force->body[1]].name;
    force->at = trmi_v3_axpy(f->from, k * h, f->along);
    force->at_second = trmi_v3_axpy(f->from, (k + 1) * h, f->along);
    d->force[d->coupled++] = force;
    return force->type->finish(&finish, force);
}

// mass and inertia of node k; axes: of the section, x along the beam
static void give_mass(trmi_draft *d, const trmi_flexible *f, trmi_m3 axes, double density,
                      double I_y, double I_z, int k)
{
    int last = f->data.elements;
    double h = f->data.length / last, share = k == 0 || k == last ? 0.5 : 1;
    double inward = k == 0 ? h / 6 : k == last ? -h / 6 : 0, scale = density * h * share;
    trmi_body *body = &d->body[trmi_draft_node(d, f, k)];
    trmi_v3 node = trmi_v3_axpy(f->from, k * h, f->along);
    const trmi_m3 J = {{{scale * (I_y + I_z), 0, 0}, {0, scale * I_y, 0}, {0, 0, scale * I_z}}};
    body->mass = f->data.line_mass * h * share;
    body->center = trmi_v3_axpy(node, inward, f->along);
    body->inertia = trmi_s3_of(trmi_m3_mul(axes, trmi_m3_mul(J, trmi_m3_transpose(axes))));
    d->origin[trmi_draft_node(d, f, k)] = node;
}

void trmi_draft_space_beam(trmi_draft *d, const trmi_item *item, const trmi_flexible *f)
{
    const trmi_item *beam = trmi_item_find(item, "beam");
    double density = 0;
    trmi_force *section = read_section(d, beam, d->body[f->body].name);
    if (!section || !trmi_draft_positive(d, beam, "density", false, &density))
        return;
    for (int k = 0; k < f->data.elements; k++)
        if (!couple(d, beam, f, section, k))
            return;
    trmi_force *first = d->force[d->coupled - 1]; // finished: with its axes and what follows
    for (int k = 0; k <= f->data.elements; k++)
        give_mass(d, f, first->frame, density, *number_of(first, "inertia_y"),
                  *number_of(first, "inertia_z"), k);
}
