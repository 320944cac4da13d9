// SPDX-License-Identifier: Apache-2.0
// Derivatives by a parameter of what callbacks give besides the equations, gaps of switches and
// values that forces remember,
//
//     dF/dp = F_p + F_y s + F_m m_p,
//
// between the neighbours, each at the state that it has with its parameter. Terms alone would be
// differences over far more than the way that a joint gives while it sticks.
#include "solver/integrator/sensitivity/sensitivity.h"

#include "solver/formulation/redundancy.h"
#include "solver/integrator/output.h"
#include "solver/integrator/simulation.h"

#include <string.h>

bool trmi_sensitivities_state(trm_simulation *of, const trmi_point *p, const double *held,
                              trm_state *out)
{
    // the excitations; those of the step stay at its time
    trmi_values *values = of->sensitivity ? &of->sensitivity->moved : &of->values;
    if (trmi_evaluate(&of->e, p, 0, values) != 0)
        return false;
    const double *lambda = trmi_all_multipliers(of, p->lambda);
    *out = (trm_state){p->t, p->q, p->v, p->a, p->x, p->z, lambda, values->input, held};
    return true;
}

bool trmi_sensitivities_rates_at(trm_simulation *s, const trmi_point *at, double *out)
{
    trmi_copy_point(&s->e, at, &s->sampler->point);
    return trmi_sample_rates(s, out);
}

void trmi_sensitivities_move(trm_simulation *s, int k, const trmi_point *p, const double *y,
                             double delay, double h)
{
    trmi_sensitivities *z = s->sensitivity;
    const trm_system *u = &s->e.user;
    const double *memory = z->jumps.memory + (size_t)k * (size_t)u->n_memories;
    trmi_point *to = &z->beside;
    const int n = s->e.n_q;
    trmi_copy_point(&s->e, p, to);
    memcpy(to->a, p->a, (size_t)n * sizeof *p->a);
    to->t = trmi_sensitivities_time(s, k, p->t + h * delay);
    for (int i = 0; i < n; i++) {
        to->q[i] += h * y[i];
        to->v[i] += h * y[n + i];
    }
    for (int i = 0; i < s->e.n_x; i++)
        to->x[i] += h * y[2 * n + i];
    for (int i = 0; i < u->n_held; i++)
        z->jumps.held[i] = s->e.held[i];
    for (int i = 0; i < u->n_memories; i++)
        z->jumps.held[u->first_memory + i] += h * memory[i];
}

bool trmi_sensitivities_derive(trm_simulation *s, int k, const trmi_point *p, const double *y,
                               double delay, trmi_held_function *function, int count, double *out)
{
    trmi_sensitivities *z = s->sensitivity;
    trmi_jumps *j = &z->jumps;
    const double width = z->parameter[k].width;
    trm_state state;
    for (int i = 0; i < 2; i++) {
        trm_simulation *of = z->parameter[k].side[i];
        trmi_sensitivities_move(s, k, p, y, delay, (i == 0 ? 0.5 : -0.5) * width);
        if (!trmi_sensitivities_state(of, &z->beside, j->held, &state) ||
            !function(of, &state, j->held, j->value[i]))
            return false;
    }
    for (int i = 0; i < count; i++)
        out[i] = (j->value[0][i] - j->value[1][i]) / width;
    return true;
}
