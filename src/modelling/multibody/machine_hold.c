// SPDX-License-Identifier: Apache-2.0
// Start values of joints that are not edges of the tree: cuts, joints with friction, kind closes
// loops. While the mechanism is assembled they are held as prescribed motions are, by one more row
// each; then the rows are gone, and the other constraints have the last word:
//
//     positions with the values held, without;    rates with the rates held, without
//
// Values that cannot be held together with the rest are dropped if they are guesses. Of rotations
// in space the rows hold the rotation vector theta, whose rate follows from the angular velocity w
// in the axes of the second body (phi = |theta|):
//
//     theta' = w + theta x w / 2 + (1 - phi/2 cot(phi/2)) / phi^2 theta x (theta x w)
#include "modelling/multibody/machine.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

// What is assembled: the mechanism, its tree and its inputs with more drives.
typedef struct held {
    trmi_mechanism mechanism;
    trmi_tree tree;
    trmi_joint *joint;
    double *u, *held;
    trm_state state;
} held;

typedef enum held_kind { VALUES, KEPT_VALUES, RATES } held_kind;

bool trmi_find_edges(trmi_memory *memory, const trmi_mechanism *m, const trmi_tree *tree,
                     bool **edge)
{
    if (!TRMI_TAKE(memory, *edge, m->joints))
        return false;
    for (int k = 0; k < tree->columns; k++)
        if (tree->column[k].joint != TRMI_NOTHING)
            (*edge)[tree->column[k].joint] = true;
    return true;
}

static bool is_held(const trmi_mechanism *m, const bool *edge, int j, int i, held_kind kind)
{
    trmi_start_value s = trmi_start_of(&m->joint[j], i);
    return !edge[j] && trmi_drive_of(&m->joint[j], i) == TRMI_NOTHING &&
           (kind == RATES ? s.rate_given : s.given && (kind == VALUES || s.keep));
}

// How many values are held; *reach (unless NULL) grows to the largest of them.
static int count_held(const trmi_mechanism *m, const bool *edge, held_kind kind, double *reach)
{
    int count = 0;
    for (int j = 0; j < m->joints; j++)
        for (int i = 0; trmi_extra_of(&m->joint[j]).start &&
                        i < trmi_measure_count(m->joint[j].type, m->plane);
             i++)
            if (is_held(m, edge, j, i, kind)) {
                count++;
                if (reach)
                    *reach = fmax(*reach, fabs(trmi_start_of(&m->joint[j], i).value));
            }
    return count;
}

// a copy of the joint whose measures that are held have drives from number `next` on
static bool drive_joint(held *h, trmi_memory *memory, const trmi_mechanism *m, const bool *edge,
                        int j, held_kind kind, int *next)
{
    trmi_joint *joint = &h->joint[j];
    trmi_joint_extra *extra;
    int count = trmi_measure_count(joint->type, m->plane), *drive;
    if (!TRMI_SHARE(memory, extra, 1) || !TRMI_SHARE(memory, drive, count))
        return false;
    *extra = trmi_extra_of(joint);
    for (int i = 0; i < count; i++)
        drive[i] = is_held(m, edge, j, i, kind) ? (*next)++ : trmi_drive_of(joint, i);
    extra->drive = drive;
    joint->extra = extra;
    return true;
}

static bool create(held *h, trmi_memory *memory, const trmi_mechanism *m, const trmi_tree *tree,
                   const bool *edge, held_kind kind)
{
    int next = m->drives;
    h->mechanism = *m;
    h->tree = *tree;
    // the size of the mechanism limits the steps of the assembly: here with the way it has to go
    int more = count_held(m, edge, kind, &h->mechanism.length);
    h->mechanism.drives = h->tree.n_u = m->drives + more;
    if (!TRMI_TAKE(memory, h->joint, m->joints) || !TRMI_TAKE(memory, h->u, 3 * h->tree.n_u))
        return false;
    memcpy(h->joint, m->joint, (size_t)m->joints * sizeof *h->joint);
    h->mechanism.joint = h->joint;
    for (int j = 0; j < m->joints; j++)
        if (!edge[j] && trmi_extra_of(&m->joint[j]).start &&
            !drive_joint(h, memory, m, edge, j, kind, &next))
            return false;
    return true;
}

static trmi_v3 rate_of_rotation(trmi_v3 theta, trmi_v3 w)
{
    double phi = trmi_v3_length(theta), half = 0.5 * phi;
    double c = phi > 1e-3 ? (1 - half / tan(half)) / (phi * phi) : 1.0 / 12; // + phi^2/720
    trmi_v3 once = trmi_v3_cross(theta, w);
    return trmi_v3_axpy(trmi_v3_axpy(w, 0.5, once), c, trmi_v3_cross(theta, once));
}

bool trmi_start_rate(const trmi_mechanism *m, const trmi_kinematics *k, const trm_state *state,
                     double *held_values, int n_held, int j, int i, double *rate)
{
    const trmi_joint *joint = &m->joint[j];
    trmi_measure measure = trmi_measure_of(joint->type, m->plane, i);
    int first = trmi_measure_first(joint->type, m->plane, i);
    double theta[3], w[3], unused;
    *rate = trmi_start_of(joint, i).rate;
    if (measure.kind != TRMI_MEASURE_ROTATION)
        return true;
    for (int c = 0; c < 3; c++) {
        w[c] = trmi_start_of(joint, first + c).rate;
        if (!trmi_measure_at(m, k, state, held_values, n_held, j, first + c, &theta[c], &unused))
            return false;
    }
    trmi_v3 all = rate_of_rotation(trmi_three(theta, 0), trmi_three(w, 0));
    *rate = trmi_component(all, (int)measure.axis);
    return true;
}

// u and u' of the drives there are, and of those that hold: the start value, or the rate where the
// mechanism is
static bool set_inputs(held *h, const trmi_mechanism *m, const trm_state *state,
                       const trmi_kinematics *k, double *held_values, int n_held, held_kind kind)
{
    int old = m->drives, n = h->tree.n_u;
    for (int order = 0; order < 3 && old > 0; order++)
        memcpy(h->u + order * n, state->u + order * old, (size_t)old * sizeof *h->u);
    for (int j = 0; j < m->joints; j++)
        for (int i = 0; h->joint[j].extra != m->joint[j].extra &&
                        i < trmi_measure_count(m->joint[j].type, m->plane);
             i++) {
            int drive = trmi_drive_of(&h->joint[j], i);
            trmi_start_value start = trmi_start_of(&m->joint[j], i);
            double now = start.value, rate = start.rate, unused;
            if (drive < old)
                continue;
            if (kind == RATES &&
                (!trmi_measure_at(m, k, state, held_values, n_held, j, i, &now, &unused) ||
                 !trmi_start_rate(m, k, state, held_values, n_held, j, i, &rate)))
                return false;
            h->u[drive] = now;
            h->u[n + drive] = rate;
        }
    return true;
}

static trm_status assemble(held *h, trmi_memory *memory, const trm_state *state, double *q,
                           double *v, trm_error *error)
{
    trmi_constraints constraints;
    trmi_assembly report;
    int tree_held = h->tree.n_held, n_held = tree_held;
    trm_status status =
        trmi_constraints_create_far(&constraints, memory, &h->mechanism, &h->tree, &n_held, error);
    if (status == TRM_OK && !TRMI_TAKE(memory, h->held, n_held))
        status = TRM_ERR_MEMORY;
    if (status != TRM_OK)
        return status;
    memcpy(h->held, state->held, (size_t)tree_held * sizeof *h->held);
    h->state = (trm_state){.t = state->t, .q = q, .v = v, .u = h->u, .held = h->held};
    trmi_seed_constraints(&h->mechanism, &h->tree, &constraints, &h->state, h->held);
    return trmi_close_loops(&h->mechanism, &h->tree, &constraints, h->state, q, v, &report, error);
}

// Into q, or into v where rates are held; unchanged after a failure.
static trm_status hold(const trmi_mechanism *m, const trmi_tree *tree, const bool *edge,
                       const trm_state *state, double *held_values, int n_held, held_kind kind,
                       double *q, double *v, trm_error *error)
{
    held h = {0};
    trmi_memory scratch;
    trmi_kinematics k;
    double *to[2];
    size_t size = (size_t)tree->n_q * sizeof *q;
    trmi_memory_init(&scratch, NULL);
    bool good = create(&h, &scratch, m, tree, edge, kind) &&
                TRMI_TAKE(&scratch, to[0], tree->n_q) && TRMI_TAKE(&scratch, to[1], tree->n_q) &&
                trmi_kinematics_create(&k, &scratch, tree, true);
    if (good) {
        trmi_kinematics_move(&k, state);
        good = set_inputs(&h, m, state, &k, held_values, n_held, kind);
    }
    trm_status status = good ? TRM_OK : TRM_ERR_MEMORY;
    if (good) {
        memcpy(to[0], q, size);
        memcpy(to[1], v, size);
        status = assemble(&h, &scratch, state, to[0], to[1], error);
    }
    if (status == TRM_OK)
        memcpy(kind == RATES ? v : q, to[kind == RATES], size);
    trmi_memory_release_all(&scratch);
    return status;
}

trm_status trmi_hold_values(const trmi_mechanism *m, const trmi_tree *tree, const bool *edge,
                            const trm_state *state, double *held_values, int n_held, double *q,
                            double *v, trm_error *error)
{
    trm_status status = TRM_OK;
    trm_error unheard;
    trmi_error_clear(&unheard);
    int all = count_held(m, edge, VALUES, NULL), kept = count_held(m, edge, KEPT_VALUES, NULL);
    if (all > kept)
        status = hold(m, tree, edge, state, held_values, n_held, VALUES, q, v, &unheard);
    bool again = all == kept || status == TRM_ERR_INITIAL; // without the guesses
    if (again)
        status = kept > 0
                     ? hold(m, tree, edge, state, held_values, n_held, KEPT_VALUES, q, v, error)
                     : TRM_OK;
    return status;
}

trm_status trmi_hold_rates(const trmi_mechanism *m, const trmi_tree *tree, const bool *edge,
                           const trm_state *state, double *held_values, int n_held, double *q,
                           double *v, trm_error *error)
{
    return count_held(m, edge, RATES, NULL) > 0
               ? hold(m, tree, edge, state, held_values, n_held, RATES, q, v, error)
               : TRM_OK;
}
