// SPDX-License-Identifier: Apache-2.0
// How the equations of algebraic variables change with time, everything else at rest.
#include "modelling/multibody/laws.h"

// p_t and p'_t of a signal: what prescribed motions of the tree do to it,
//     p_t = G_j u_j',   p'_t = (Gv)_q,j u_j' + G_j u_j''
static void signal_in_time(const trmi_forces *f, const trmi_force_work *work,
                           const trm_state *state, int signal, double *p_t, double *rate_t)
{
    const trmi_row_set *set = &f->signals->set[signal];
    const double *G = work->signal_G + f->column[signal], *Gv = work->signal_Gv + f->column[signal];
    int n = f->tree->n_u;
    *p_t = *rate_t = 0;
    for (int j = 0; j < set->columns; j++) {
        const trmi_column column = trmi_column_of(f->tree, set->column[j]);
        if (column.coordinate != TRMI_NOTHING)
            continue;
        *p_t += G[j] * state->u[n + column.drive];
        *rate_t += Gv[j] * state->u[n + column.drive] + G[j] * state->u[2 * n + column.drive];
    }
}

void trmi_laws_in_time(const trmi_laws *l, trmi_force_work *work, const trm_state *state,
                       double *out)
{
    const trmi_forces *f = l->forces;
    const trmi_mechanism *m = f->mechanism;
    const trmi_tape *tape = m->tape;
    const trmi_formula *law = m->law + m->states;
    int count = m->algebraics;
    trmi_clear(out, count);
    if (!tape)
        return;
    trmi_tape_run(tape, work->tape, UINT64_C(1) << TRMI_TAPE_RATES);
    trmi_tape_fetch(tape, work->tape, TRMI_TAPE_RATES, out);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < law[k].uses; i++) {
            const double *slope = work->slope + law[k].slope;
            double p_t, rate_t;
            signal_in_time(f, work, state, law[k].signal[i], &p_t, &rate_t);
            out[k] += slope[i] * p_t + slope[law[k].uses + i] * rate_t;
        }
}
