// SPDX-License-Identifier: Apache-2.0
// In a mode the coordinates are q + e Re(shape exp(i phase)). The amplitude e is such that no body
// moves farther than a tenth of the machine's size, and none turns by more than a third of a
// radian: far enough to be seen, and small where joints that are cut do not hold to first order.
#include "program/cli/view_modes.h"

#include "base/error.h"
#include "base/space.h"
#include "modelling/multibody/machine.h"
#include "modelling/reader/model.h"
#include "program/cli/view_results.h"
#include "program/view/scene.h"
#include "program/view/series.h"
#include "program/view/view_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PHASES = 48, LEVELS = 1 << 20, SHOWN = 40 };

// What the poses are computed with.
typedef struct swing {
    const trm_model *model;
    trm_instance *instance;
    const trm_initial *at;
    const double *held; // to which the coordinates refer
    const trm_mode *mode;
    int n_q, poses, reactions;
    double *q, *zero;          // n_q; zeros for all other parts of a state
    double *value, *rest;      // poses and reactions
    double *track[PHASES + 1]; // poses of every phase
} swing;

// poses at an amplitude and a phase
static void place(swing *s, double amplitude, double phase, double *pose)
{
    for (int i = 0; i < s->n_q; i++)
        s->q[i] = s->at->q[i] +
                  amplitude * (s->mode->shape[i] * cos(phase) - s->mode->imaginary[i] * sin(phase));
    const trm_state state = {s->at->t, s->q,    s->zero, s->zero, s->at->x ? s->at->x : s->zero,
                             s->zero,  s->zero, s->zero, s->held};
    trmi_instance_mechanism(s->instance, &state, s->value);
    memcpy(pose, s->value, (size_t)s->poses * sizeof *pose);
}

// The largest shift of a centre in units of the machine, and the largest turn.
static double largest_motion(const swing *s, const double *pose, double size)
{
    const trmi_machine *machine = trmi_model_machine(s->model);
    int step = trmi_pose_size(machine);
    double largest = 0;
    for (int b = 0; b < s->poses; b += step) {
        const double *p = pose + b, *r = s->rest + b;
        double turn;
        if (step == 3) {
            turn = fabs(p[2] - r[2]);
            largest = fmax(largest, hypot(p[0] - r[0], p[1] - r[1]) / (0.1 * size));
        } else {
            double c = fabs(p[3] * r[3] + p[4] * r[4] + p[5] * r[5] + p[6] * r[6]);
            turn = 2 * acos(fmin(1, c));
            double d = hypot(hypot(p[0] - r[0], p[1] - r[1]), p[2] - r[2]);
            largest = fmax(largest, d / (0.1 * size));
        }
        largest = fmax(largest, turn / (1.0 / 3));
    }
    return largest;
}

// the amplitude at which the largest motion is 1, from a small one
static double find_amplitude(swing *s, double size)
{
    double small = 1e-4 * size, largest = 0;
    for (int k = 0; k < 4; k++) {
        place(s, small, TRMI_PI * k / 4, s->track[0]);
        largest = fmax(largest, largest_motion(s, s->track[0], size));
    }
    return largest > 0 ? small / largest : 0;
}

static void add_series(trmi_json *json, const swing *s, int channel)
{
    double value[PHASES + 1];
    for (int k = 0; k <= PHASES; k++)
        value[k] = s->track[k][channel];
    trmi_series_add(json, "series", value, PHASES + 1, (trmi_series_style){LEVELS, false});
}

static void add_mode(trmi_json *json, swing *s, int index, const char *scene, double size)
{
    double amplitude = find_amplitude(s, size), phase[PHASES + 1];
    for (int k = 0; k <= PHASES; k++) {
        phase[k] = (double)k / PHASES; // of a period
        place(s, amplitude, 2 * TRMI_PI * phase[k], s->track[k]);
    }
    char title[120];
    snprintf(title, sizeof title, "Mode %d: %.4g Hz", index + 1, s->mode->frequency);
    trmi_json_begin_object(json, NULL);
    trmi_json_string(json, "title", title);
    trmi_json_string(json, "path", s->model->path);
    trmi_json_string(json, "status", "mode");
    trmi_json_begin_object(json, "mode");
    trmi_json_number(json, "frequency", s->mode->frequency);
    trmi_json_number(json, "damping", s->mode->damping);
    trmi_json_number(json, "growth", s->mode->growth);
    trmi_json_end(json);
    trmi_json_raw(json, "scene", scene);
    trmi_series_add(json, "time", phase, PHASES + 1, (trmi_series_style){LEVELS, false});
    trmi_series_add(json, "steps", phase, 0, (trmi_series_style){LEVELS, false});
    trmi_json_begin_array(json, "channels");
    for (int i = 0; i < s->poses; i++) {
        trmi_json_begin_object(json, NULL);
        trmi_json_string(json, "group", "body");
        trmi_json_string(json, "name", trm_model_channel(s->model, TRM_CHANNEL_BODY, i));
        add_series(json, s, i);
        trmi_json_end(json);
    }
    trmi_json_end(json);
    trmi_json_end(json);
}

// the size of the machine: the largest distance of two bodies, or of a joint from its body
static double machine_size(const swing *s)
{
    const trmi_machine *machine = trmi_model_machine(s->model);
    const trmi_mechanism *m = machine->mechanism;
    double size = m->length;
    for (int b = 2; b < m->bodies; b++)
        size = fmax(size, trmi_v3_length(trmi_v3_sub(m->body[b].center, m->body[1].center)));
    return size > 0 ? size : 1;
}

static bool take_swing(swing *s, trmi_memory *memory)
{
    const trm_system *y = trm_instance_system(s->instance);
    s->n_q = y->n_q;
    s->poses = trm_model_count(s->model, TRM_CHANNEL_BODY);
    s->reactions = trm_model_count(s->model, TRM_CHANNEL_REACTION);
    int zeros = y->n_q + y->n_x + y->n_z + y->n_g + y->n_a + 3 * y->n_u;
    bool good = TRMI_TAKE(memory, s->q, s->n_q) && TRMI_TAKE(memory, s->zero, zeros + 1) &&
                TRMI_TAKE(memory, s->value, s->poses + s->reactions) &&
                TRMI_TAKE(memory, s->rest, s->poses);
    for (int k = 0; k <= PHASES && good; k++)
        good = TRMI_TAKE(memory, s->track[k], s->poses);
    return good;
}

int trmi_view_modes(const trmi_mode_table *table, trm_instance *instance, const trm_initial *at,
                    const double *held, const char *page, const trmi_console *console)
{
    if (!trmi_viewer_there())
        return TRMI_EXIT_FAILED;
    if (!trmi_model_machine(table->model))
        return trmi_exit_with(TRMI_EXIT_USAGE, "--view draws mechanisms; this model has equations");
    swing s = {.model = table->model, .instance = instance, .at = at, .held = held};
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trm_error error = trmi_no_error();
    trmi_json json = {0};
    char *scene = trmi_scene_json(table->model);
    int code = TRMI_EXIT_DONE, count = trm_modes_count(table->modes);
    if (!scene || !take_swing(&s, &memory)) {
        code = trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the modes");
    } else {
        trmi_view_begin(&json);
        s.mode = trm_modes_get(table->modes, 0);
        if (s.mode)
            place(&s, 0, 0, s.rest);
        for (int k = 0; k < count && k < SHOWN; k++) {
            s.mode = trm_modes_get(table->modes, k);
            add_mode(&json, &s, k, scene, machine_size(&s));
        }
        if (trmi_view_write(&json, trm_model_name(table->model), page, &error) != TRM_OK)
            code = trmi_exit_after(TRMI_EXIT_RESULTS, console, page, &error);
    }
    trmi_json_free(&json);
    free(scene);
    trmi_memory_release_all(&memory);
    return code;
}
