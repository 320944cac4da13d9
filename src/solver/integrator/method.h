// SPDX-License-Identifier: Apache-2.0
// How the integrators differ. The driver, events, samples, restarts and checkpoints know them only
// through this table (method.c).
#ifndef TRMI_SOLVER_INTEGRATOR_METHOD_H
#define TRMI_SOLVER_INTEGRATOR_METHOD_H

#include "base/archive.h"
#include "solver/system/evaluator.h"
#include "trammel/simulation.h"

// A change of the held values that changes what the coordinates mean.
typedef struct trmi_recentring {
    const double *from, *to;
} trmi_recentring;

typedef struct trmi_method {
    const char *name;
    int order_max;
    double tightening; // of the tolerances in the error test
    bool implicit;     // derivatives of the forces stand in its matrix
    bool multistep;    // the corrector of corrector.h from several points, any formulation
    bool glides;       // a stop much closer than a step is reached by the dense output
    bool long_steps;   // the powers at the ends of a step do not give the work done in it
    // what to try where the method takes energy out of the motion, and where it brings energy in
    const char *energy_advice[2];
    bool (*create)(trm_simulation *s); // memory; false: there is none
    // what needs the rank of the constraints, after the start was found; NULL: nothing
    trm_status (*prepare)(trm_simulation *s);
    // first step, order and past of a start at the present point
    trm_status (*begin)(trm_simulation *s, double t_end);
    // the first steps of a constant-step run, all at once; NULL: they are like the others
    trm_status (*start_fixed)(trm_simulation *s, double t_end);
    // one accepted step, at most to t_end
    trm_status (*step)(trm_simulation *s, double t_end);
    // q, v, x, z and multipliers at t inside the last step or a little beyond; not a
    void (*dense)(trm_simulation *s, double t, trmi_point *p);
    // q, v and a at t inside the last step, without evaluations; false or NULL: there are none
    bool (*interpolate)(trm_simulation *s, double t, trmi_point *p);
    // what it keeps besides the history in other coordinates, before the history; NULL: nothing
    void (*reexpress)(trm_simulation *s, const trmi_recentring *recentring);
    // what one step leaves for the next besides the common part; NULL: nothing
    void (*archive)(trm_simulation *s, trmi_archive *archive);
} trmi_method;

// The methods in order of trm_integrator.
const trmi_method *trmi_method_of(trm_integrator integrator);
// Whether the options go with the method chosen.
trm_status trmi_check_method(trm_simulation *s);

#endif
