// SPDX-License-Identifier: Apache-2.0
// Trammel from a mechanism file.
#include "contender.h"
#include "mechanism_text.h"

#include <math.h>
#include <string.h>

// places of the links from their relative angles
static void place_chain(const double *q, int links, double *out)
{
    double x = 0, y = 0, angle = 0;
    for (int i = 0; i < links; i++, out += 3) {
        angle += q[i];
        out[0] = x + 0.5 * cos(angle);
        out[1] = y + 0.5 * sin(angle);
        out[2] = angle;
        x += cos(angle);
        y += sin(angle);
    }
}

// angles of files count from the reference configuration, in which cranks stand upright
static void place_bodies(const contest *c, const double *q, double *out)
{
    const double upright = 2 * atan(1);
    memcpy(out, q, 3 * (size_t)c->bodies * sizeof *q);
    for (int i = 0; i <= c->size && c->four_bar; i++)
        out[3 * i + 2] += upright;
}

static double contend(const contest *c, const char *words, trm_integrator integrator, peer_run *run)
{
    mechanism m;
    trm_simulation *simulation;
    trm_options options = trm_options_default();
    options.rtol = c->accuracy;
    options.atol = 1e-2 * c->accuracy;
    options.integrator = integrator;
    if (mechanism_open(&m, c->script, words, c->size) != 0) {
        peer_run_fail(run, "no model");
        return NAN;
    }
    const trm_system *system = trm_instance_system(m.instance);
    double begin = peer_cpu_seconds();
    trm_status status = trm_simulation_create(&simulation, system, &options,
                                              trm_instance_initial(m.instance), NULL);
    if (status >= 0) {
        status = trm_simulation_run(simulation, c->t_end);
        run->steps = trm_simulation_statistics(simulation)->steps;
        const double *q = trm_simulation_state(simulation)->q;
        if (system->n_q == c->bodies)
            place_chain(q, c->bodies, run->q);
        else
            place_bodies(c, q, run->q);
        trm_simulation_destroy(simulation);
    }
    double seconds = peer_cpu_seconds() - begin;
    if (status < 0)
        peer_run_fail(run, trm_status_name(status));
    mechanism_close(&m);
    return seconds;
}

double contend_absolute(const contest *c, peer_run *run)
{
    return contend(c, c->four_bar ? "four-bar" : "chain", TRM_INTEGRATOR_BDF, run);
}

double contend_joint(const contest *c, peer_run *run)
{
    return contend(c, "--joint chain", TRM_INTEGRATOR_BDF, run);
}

double contend_explicit(const contest *c, peer_run *run)
{
    return contend(c, "--joint --explicit chain", TRM_INTEGRATOR_ADAMS, run);
}
