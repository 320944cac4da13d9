// SPDX-License-Identifier: Apache-2.0
// How the swing of a pendulum depends on its length: q is the angle, q'' = -(g/L) sin q. The
// derivative by L is integrated along with the motion, from two systems with L a little larger and
// a little smaller, and compared with the difference of two runs.
#include "trammel/trammel.h"

#include <math.h>
#include <stdio.h>

static int mass(const trm_state *state, double *M, void *user)
{
    (void)state;
    (void)user;
    M[0] = 1;
    return 0;
}

static int force(const trm_state *state, double *f, void *user)
{
    const double *length = user;
    f[0] = -9.81 / *length * sin(state->q[0]);
    return 0;
}

static trm_system pendulum(double *length)
{
    return (trm_system){
        .n_q = 1,
        .function = {[TRM_QUANTITY_MASS] = mass, [TRM_QUANTITY_FORCE] = force},
        .user = length,
    };
}

// The angle at the end; *by (may be NULL): its derivative by the length.
static int swing(double length, double end, double *angle, double *by)
{
    double above = length * (1 + 5e-6), below = length * (1 - 5e-6), q = 1;
    const trm_system system = pendulum(&length), more = pendulum(&above), less = pendulum(&below);
    const trm_parameter parameter = {
        .name = "length", .width = above - below, .above = &more, .below = &less};
    const trm_initial initial = {.q = &q};
    trm_options options = trm_options_default();
    options.integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE;
    options.rtol = options.atol = 1e-10;
    trm_simulation *simulation;
    const trm_state *along;
    trm_error error;
    trm_status status = trm_simulation_create_sensitive(&simulation, &system, &options, &initial,
                                                        &parameter, 1, &error);
    if (status == TRM_OK)
        status = trm_simulation_run(simulation, end);
    if (status == TRM_OK)
        status = trm_simulation_sensitivity(simulation, end, 0, &along);
    if (status == TRM_OK) {
        *angle = trm_simulation_state(simulation)->q[0];
        if (by)
            *by = along->q[0];
    } else {
        fprintf(stderr, "%s\n", simulation ? trm_simulation_error(simulation)->text : error.text);
    }
    trm_simulation_destroy(simulation);
    return status == TRM_OK;
}

int main(void)
{
    double angle, by, longer, shorter, step = 1e-4;
    if (!swing(1, 5, &angle, &by) || !swing(1 + step, 5, &longer, NULL) ||
        !swing(1 - step, 5, &shorter, NULL))
        return 1;
    double difference = (longer - shorter) / (2 * step);
    printf("angle at 5 s       %12.8f rad\n", angle);
    printf("by the length      %12.6f rad/m\n", by);
    printf("two runs, apart    %12.6f rad/m\n", difference);
    return fabs(by - difference) < 1e-5 * fabs(by) ? 0 : 1;
}
