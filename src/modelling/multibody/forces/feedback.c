// SPDX-License-Identifier: Apache-2.0
// Effects that formulas use, at one state.
#include "modelling/multibody/forces/feedback_piece.h"

// ---- values ----------------------------------------------------------------------------------

static double value_of(const trmi_forces *f, const trmi_force_work *work, const trmi_kinematics *k,
                       const trm_state *state, int i)
{
    const trmi_feedback_row *row = &f->feedback.row[i];
    const trmi_effect *effect = &f->mechanism->effect[i];
    double value = 0;
    if (row->multiplier != TRMI_NOTHING)
        return state->lambda ? -state->lambda[row->multiplier] : 0;
    for (int n = 0; n < row->pieces; n++) {
        trmi_acting a;
        trmi_feedback_act(&row->piece[n], work, k, state, false, &a);
        value += trmi_effect_value(&a, effect);
    }
    return value;
}

void trmi_feedback_values(const trmi_forces *f, trmi_force_work *work, const trmi_kinematics *k,
                          const trm_state *state, int level)
{
    for (int i = 0; i < f->feedback.count; i++)
        if (f->feedback.row[i].level == level)
            work->tape[f->mechanism->at.effect + i] = value_of(f, work, k, state, i);
}

// ---- derivatives -----------------------------------------------------------------------------

// The row that is filled, in the order in which its positions were announced.
typedef struct filling {
    const trmi_forces *f;
    trmi_force_work *work;
    const trmi_feedback_row *row;
    int at_Q, at_L, at_Y;
} filling;

static void put_Q(filling *x, double by_q, double by_v)
{
    const trmi_feedback_part *part = &x->row->Q;
    trmi_slots_put(&part->slots, x->at_Q, x->work->feedback.Q + part->first, by_q);
    trmi_slots_put(&part->slots, x->at_Q++, x->work->feedback.V + part->first, by_v);
}

static void put_L(filling *x, double value)
{
    const trmi_feedback_part *part = &x->row->L;
    trmi_slots_put(&part->slots, x->at_L++, x->work->feedback.L + part->first, value);
}

static void put_Y(filling *x, double value)
{
    const trmi_feedback_part *part = &x->row->Y;
    trmi_slots_put(&part->slots, x->at_Y++, x->work->feedback.Y + part->first, value);
}

// c, the derivatives of an effect by the forces of the rows
static void weigh_rows(const trmi_effect *effect, const trmi_acting *a, double *c)
{
    for (int r = 0; r < a->x.set->rows; r++)
        switch (effect->kind) {
        case TRMI_EFFECT_WRENCH:
        case TRMI_EFFECT_REACTION:
            c[r] = -trmi_wrench_component(a->x.value[r].gamma, effect->part);
            break;
        case TRMI_EFFECT_POWER:
            c[r] = -trmi_set_rate(&a->x, r);
            break;
        case TRMI_EFFECT_FORCE:
            c[r] = r == 0 ? a->element->force->type->sign : 0;
            break;
        case TRMI_EFFECT_TOUCH:
            c[r] = 0;
            break;
        default:
            c[r] = r == 0 ? -1 : 0;
        }
}

// c.(F_p G + F_v (Gv)_q) and c.F_v G, of powers also c_q.F and c_v.F
static void put_own(filling *x, const trmi_acting *a, const double *c, bool power)
{
    const trmi_row_set *set = a->x.set;
    double *G = x->work->G, *Gv = x->work->Gv;
    int n = set->columns;
    for (int r = 0; r < set->rows; r++) {
        trmi_set_gradient(&a->x, r, G + r * n);
        trmi_set_velocity_q(&a->x, r, Gv + r * n);
    }
    for (int j = 0; j < n; j++) {
        double by_q = 0, by_v = 0;
        for (int s = 0; s < set->rows; s++) {
            double F_p = 0, F_v = power ? -a->law.F[s] : 0;
            for (int r = 0; r < set->rows; r++) {
                F_p += c[r] * a->law.F_p[r][s];
                F_v += c[r] * a->law.F_v[r][s];
            }
            by_q += F_p * G[s * n + j] + F_v * Gv[s * n + j];
            by_v += F_v * G[s * n + j];
        }
        put_Q(x, by_q, by_v);
    }
}

// c_q.F of a component of the wrench W = sum F gamma, on whose point P the marker of B moves along:
//
//     dW = dx_A x* W + H (dx_B - dx_A),  less dP x f in the moment,   H = sum F H_r
static void put_turning(filling *x, const trmi_feedback_piece *piece, const trmi_acting *a,
                        int component)
{
    trmi_wrench W = trmi_set_wrench(&a->x, a->law.F);
    trmi_m6 H = {.aa = {.row = {{0, 0, 0}}}};
    for (int r = 0; r < a->x.set->rows; r++)
        trmi_m6_add(&H, a->law.F[r], &a->x.value[r].H);
    for (int side = 0; side < 2; side++)
        for (int j = 0; j < piece->path[side].columns; j++) {
            trmi_motion s = trmi_motion_at(a->x.k->s[piece->path[side].column[j]], a->x.arm[side]);
            trmi_wrench turned = trmi_m6_times(&H, s);
            trmi_wrench d =
                side == 1 ? turned : trmi_wrench_axpy(trmi_wrench_cross(s, W), -1, turned);
            if (side == 1)
                d.n = trmi_v3_sub(d.n, trmi_v3_cross(s.v, W.f));
            put_Q(x, -trmi_wrench_component(d, component), 0);
        }
}

void trmi_formula_differentiate(const trmi_forces *f, const trmi_force_work *work,
                                const trmi_formula *formula, double factor,
                                const trmi_formula_sink *sink)
{
    const trmi_feedback_work *known = &work->feedback;
    const double *slope = work->slope + formula->slope, *behind = slope + 2 * formula->uses;
    if (formula->value == TRMI_NOTHING)
        return;
    for (int i = 0; i < formula->uses; i++) {
        int first = f->column[formula->signal[i]];
        double F_p = factor * slope[i], F_v = factor * slope[formula->uses + i];
        for (int j = 0; j < f->signals->set[formula->signal[i]].columns; j++) {
            double G = work->signal_G[first + j], Gv = work->signal_Gv[first + j];
            sink->by_motion(sink->to, F_p * G + F_v * Gv, F_v * G);
        }
    }
    for (int i = 0; i < formula->others; i++)
        sink->by_other(sink->to, formula->other[i], factor * behind[i]);
    for (int i = 0; i < formula->effects; i++) {
        const trmi_feedback_row *of = &f->feedback.row[formula->effect[i]];
        double F_e = factor * behind[formula->others + i];
        for (int j = 0; j < of->Q.count; j++)
            sink->by_motion(sink->to, F_e * known->Q[of->Q.first + j],
                            F_e * known->V[of->Q.first + j]);
        for (int j = 0; j < of->L.count; j++)
            sink->by_multiplier(sink->to, F_e * known->L[of->L.first + j]);
        for (int j = 0; j < of->Y.count; j++)
            sink->by_other(sink->to, of->Y.index[j], F_e * known->Y[of->Y.first + j]);
    }
}

static void take_Q(void *to, double by_q, double by_v)
{
    put_Q(to, by_q, by_v);
}

static void take_L(void *to, double value)
{
    put_L(to, value);
}

static void take_Y(void *to, int other, double value)
{
    (void)other;
    put_Y(to, value);
}

// c.F_lambda, where the forces of a joint are its multipliers, and c.F_x of states of its own
static void put_loads(filling *x, const trmi_feedback_piece *piece, const trmi_acting *a,
                      const double *c)
{
    for (int i = 0; piece->element && i < piece->element->loads; i++) {
        double sum = 0;
        for (int r = 0; r < a->x.set->rows; r++)
            sum += c[r] * a->law.F_l[r][i];
        put_L(x, sum);
    }
    for (int r = 0; !piece->element && r < a->x.set->rows; r++)
        put_L(x, c[r]);
    for (int i = 0; piece->element && i < piece->element->states; i++) {
        double sum = 0;
        for (int r = 0; r < a->x.set->rows; r++)
            sum += c[r] * a->law.F_x[r][i];
        put_Y(x, sum);
    }
}

static void put_piece(filling *x, const trmi_effect *effect, const trmi_feedback_piece *piece,
                      const trmi_kinematics *k, const trm_state *state)
{
    const trmi_element *e = piece->element;
    trmi_acting a;
    double c[TRMI_MAX_ROWS];
    trmi_feedback_act(piece, x->work, k, state, true, &a);
    weigh_rows(effect, &a, c);
    if (e)
        put_own(x, &a, c, effect->kind == TRMI_EFFECT_POWER);
    if (trmi_feedback_turns(effect))
        put_turning(x, piece, &a, effect->part);
    put_loads(x, piece, &a, c);
    for (int i = 0; e && i < e->formulas; i++) {
        double factor = 0;
        for (int r = 0; r < e->set.rows; r++)
            factor += c[r] * trmi_law_by_formula(e, &a.law, r, i);
        trmi_formula_differentiate(x->f, x->work, &e->formula[i], factor,
                                   &(trmi_formula_sink){x, take_Q, take_L, take_Y});
    }
}

void trmi_feedback_differentiate(const trmi_forces *f, trmi_force_work *work,
                                 const trmi_kinematics *k, const trm_state *state)
{
    const trmi_feedback *b = &f->feedback;
    trmi_clear(work->feedback.Q, b->size_Q);
    trmi_clear(work->feedback.V, b->size_Q);
    trmi_clear(work->feedback.L, b->size_L);
    trmi_clear(work->feedback.Y, b->size_Y);
    for (int level = 0; level < b->levels; level++)
        for (int i = 0; i < b->count; i++) {
            filling x = {.f = f, .work = work, .row = &b->row[i]};
            if (b->row[i].level != level)
                continue;
            if (b->row[i].multiplier != TRMI_NOTHING)
                put_L(&x, -1);
            for (int n = 0; n < b->row[i].pieces; n++)
                put_piece(&x, &f->mechanism->effect[i], &b->row[i].piece[n], k, state);
        }
}
