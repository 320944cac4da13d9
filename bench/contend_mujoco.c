// SPDX-License-Identifier: Apache-2.0
// MuJoCo: hinges as joint coordinates, loops closed by its soft `connect` with the hardest settings
// that are stable, a time constant of two steps.
#define _POSIX_C_SOURCE 200809L // mkstemp
#include "contender.h"

#include <mujoco/mujoco.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char hinge[] =
    "<joint type='hinge' axis='0 0 1' pos='-0.5 0 0'/>"
    "<inertial pos='0 0 0' mass='1' diaginertia='1e-4 0.083333333333333333 0.083333333333333333'/>";

static void write_chain(FILE *file, int links)
{
    fputs("<worldbody>", file);
    for (int i = 0; i < links; i++)
        fprintf(file, "<body pos='%s 0 0'>%s\n", i == 0 ? "0.5" : "1", hinge);
    for (int i = 0; i < links; i++)
        fputs("</body>", file);
    fputs("</worldbody>", file);
}

// bodies in the order crank, coupler, crank, ...: a coupler hangs on its crank
static void write_four_bar(FILE *file, int loops, double step)
{
    fputs("<worldbody>", file);
    for (int i = 0; i <= loops; i++) {
        fprintf(file, "<body name='c%d' pos='%d 0.5 0' axisangle='0 0 1 90'>%s", i, i, hinge);
        if (i < loops)
            fprintf(file, "<body name='k%d' pos='0.5 -0.5 0' axisangle='0 0 1 -90'>%s</body>", i,
                    hinge);
        fputs("</body>\n", file);
    }
    fputs("</worldbody><equality>", file);
    for (int i = 0; i < loops; i++)
        fprintf(file,
                "<connect body1='k%d' body2='c%d' anchor='0.5 0 0' solref='%.17g 1' "
                "solimp='0.9999 0.9999 0.001'/>\n",
                i, i + 1, 2 * step);
    fputs("</equality>", file);
}

static mjModel *load(const contest *c)
{
    char name[] = "/tmp/bench-XXXXXX", error[256] = "";
    int descriptor = mkstemp(name);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file)
        return NULL;
    fprintf(file,
            "<mujoco><option timestep='%.17g' integrator='RK4' gravity='0 -9.81 0' "
            "tolerance='1e-14' iterations='100'><flag contact='disable'/></option>",
            c->accuracy);
    if (c->four_bar)
        write_four_bar(file, c->size, c->accuracy);
    else
        write_chain(file, c->size);
    fputs("</mujoco>", file);
    fclose(file);
    mjModel *model = mj_loadXML(name, NULL, error, sizeof error);
    unlink(name);
    return model;
}

static void read_place(const mjData *d, int body, double angle, double *q)
{
    q[0] = d->xpos[3 * (body + 1)];
    q[1] = d->xpos[3 * (body + 1) + 1];
    q[2] = angle;
}

static void read_places(const contest *c, const mjData *d, double *q)
{
    double angle = 0;
    for (int i = 0; i < c->bodies && !c->four_bar; i++) {
        angle += d->qpos[i];
        read_place(d, i, angle, q + 3 * i);
    }
    for (int i = 0; i <= c->size && c->four_bar; i++) {
        read_place(d, 2 * i, 2 * atan(1) + d->qpos[2 * i], q + 3 * i);
        if (i < c->size)
            read_place(d, 2 * i + 1, d->qpos[2 * i] + d->qpos[2 * i + 1],
                       q + 3 * (c->size + 1 + i));
    }
}

double contend_mujoco(const contest *c, peer_run *run)
{
    mjModel *model = load(c);
    mjData *data = model ? mj_makeData(model) : NULL;
    if (!data) {
        peer_run_fail(run, "no model");
        mj_deleteModel(model);
        return NAN;
    }
    for (int i = 0; i < model->nv && c->four_bar; i++)
        data->qvel[i] = i % 2 == 0 ? -1 : 1;
    double begin = peer_cpu_seconds();
    run->steps = lround(c->t_end / c->accuracy);
    for (long k = 0; k < run->steps; k++)
        mj_step(model, data);
    double seconds = peer_cpu_seconds() - begin;
    mj_kinematics(model, data);
    read_places(c, data, run->q);
    mj_deleteData(data);
    mj_deleteModel(model);
    return seconds;
}
