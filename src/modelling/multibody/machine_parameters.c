// SPDX-License-Identifier: Apache-2.0
// Parameters that enter laws of forces alone: with the rows Gam of an element and its law F,
//
//     f_p = -Gam^T F_p,      F_p = (F(p + h) - F(p - h))/(2 h)
//
// at one state of the rows, which K and D need anyway. The two laws are those of neighbours of the
// mechanism; their geometry, which is that of the mechanism, is not evaluated.
#include "modelling/multibody/machine.h"

#include <string.h>

static bool same_rows(const trmi_row_set *a, const trmi_row_set *b)
{
    bool same = a->rows == b->rows;
    for (int r = 0; r < a->rows && same; r++)
        same = a->row[r].type == b->row[r].type;
    return same;
}

// Whether the law of an element is a smooth function of its rows and its numbers alone.
static bool is_smooth(const trmi_element *e)
{
    return e->switches == 0 && e->memories == 0 && e->states == 0 && e->loads == 0 && !e->road &&
           !e->arguments;
}

static bool alike(const trmi_element *a, const trmi_element *b)
{
    return a->law == b->law && is_smooth(b) && same_rows(&a->set, &b->set);
}

// Number of the force of an element, sought from that of the one before it on: elements are in the
// order of forces. TRMI_NOTHING: it belongs to a joint.
static int force_of(const trmi_mechanism *m, const trmi_element *e, int *from)
{
    for (int i = 0; i < m->forces && e->force; i++) {
        const int number = (*from + i) % m->forces;
        if (m->force[number] == e->force)
            return *from = number;
    }
    return TRMI_NOTHING;
}

// Which elements change. False: none, or one of them has a law with more than numbers, or formulas
// use forces.
static bool find_changes(const trmi_machine *machine, const trmi_mechanism *described, uint64_t bit,
                         const trmi_forces *above, const trmi_forces *below, bool *changes)
{
    const trmi_forces *f = &machine->forces;
    int last = 0;
    bool some = false;
    bool good = described->forces == machine->mechanism->forces && f->elements == above->elements &&
                f->elements == below->elements && machine->mechanism->feedbacks == 0;
    for (int i = 0; i < f->elements && good; i++) {
        const trmi_element *e = &f->element[i];
        const int force = force_of(machine->mechanism, e, &last);
        changes[i] = force != TRMI_NOTHING && (described->force[force]->follows & bit) != 0;
        some = some || changes[i];
        good = !changes[i] ||
               (is_smooth(e) && alike(e, &above->element[i]) && alike(e, &below->element[i]));
    }
    return good && some;
}

bool trmi_machine_add_parameter(trmi_machine_work *work, trmi_memory *memory, trm_system *system,
                                const trmi_mechanism *described, uint64_t bit,
                                const trmi_machine *above, const trmi_machine *below, double width,
                                int *column)
{
    trmi_force_parameters *p = &work->parameters;
    trmi_force_parameter *all;
    bool *changes;
    *column = 0;
    if (trmi_machine_explicit(work->machine)) // f is M^-1 times that of the laws
        return true;
    if (!TRMI_TAKE(memory, changes, work->machine->forces.elements) ||
        !TRMI_TAKE(memory, all, p->count + 1))
        return false;
    if (!find_changes(work->machine, described, bit, &above->forces, &below->forces, changes))
        return true;
    if (p->count > 0)
        memcpy(all, p->parameter, (size_t)p->count * sizeof *all);
    all[p->count] = (trmi_force_parameter){&above->forces, &below->forces, width, changes};
    *p = (trmi_force_parameters){p->count + 1, all};
    system->n_p = *column = p->count;
    system->evaluates |= TRM_BIT(FORCE_P);
    return true;
}
