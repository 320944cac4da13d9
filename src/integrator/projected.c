// SPDX-License-Identifier: Apache-2.0
// Projection of points inside and at the end of a step.
#include "integrator/simulation.h"

trm_status trmi_project_output(trm_simulation *s, trmi_saddle *saddle, trmi_point *p,
                               trm_error *error)
{
    trmi_projection projection = s->projection; // what it counts is not counted here
    projection.saddle = saddle;
    return trmi_project_onto(&projection, p, error);
}
