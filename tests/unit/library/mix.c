// SPDX-License-Identifier: Apache-2.0
// Forces with parameters and signals as a shared object, for the tests: `mix` has derivatives of
// its own, `rough` none, `first` belongs to headers from before there were such laws, `empty` has
// neither function. And constraints: `cam`, and `rough_cam` without second derivatives; `no_cam`
// has no value beyond its limit.
#include "trammel/force.h"

#include <math.h>
#include <stddef.h>

static const char *const parameters[] = {"gain", "shift", NULL};
static const char *const signals[] = {"angle", "rate", "load", NULL};

// F0 = -gain p0 angle^2 - 0.3 load,  F1 = -gain v1 rate + shift sin(load/10),  F2 = -angle p2
static int mixed(const trm_force_input *in, const trm_force_output *out, void *user)
{
    const double *p = in->p, *v = in->v, *s = in->signal, gain = in->parameter[0],
                 shift = in->parameter[1];
    (void)user;
    for (int i = 0; i < 6; i++)
        out->F[i] = 0;
    out->F[0] = -gain * p[0] * s[0] * s[0] - 0.3 * s[2];
    out->F[1] = -gain * v[1] * s[1] + shift * sin(s[2] / 10);
    out->F[2] = -s[0] * p[2];
    if (!out->F_p)
        return 0;
    out->F_p[0] = -gain * s[0] * s[0];
    out->F_p[14] = -s[0];
    out->F_v[7] = -gain * s[1];
    out->F_signal[0] = -2 * gain * p[0] * s[0];
    out->F_signal[2] = -p[2];
    out->F_signal[6 + 1] = -gain * v[1];
    out->F_signal[12] = -0.3;
    out->F_signal[12 + 1] = shift * cos(s[2] / 10) / 10;
    return 0;
}

static int draw_back(double t, const double p[6], const double v[6], double F[6], double F_p[36],
                     double F_v[36], void *user)
{
    (void)t, (void)v, (void)user, (void)F_p, (void)F_v;
    for (int i = 0; i < 6; i++)
        F[i] = -p[i];
    return 0;
}

trm_force_open_function mix, rough, first, empty;

trm_status mix(trm_user_force *out, trm_error *error)
{
    (void)error;
    *out = (trm_user_force){
        .size = sizeof *out, .law = mixed, .parameter = parameters, .signal = signals};
    return TRM_OK;
}

trm_status rough(trm_user_force *out, trm_error *error)
{
    mix(out, error);
    out->differences = 1;
    return TRM_OK;
}

trm_status first(trm_user_force *out, trm_error *error)
{
    (void)error;
    out->size = offsetof(trm_user_force, law);
    out->force = draw_back;
    out->differences = 1;
    return TRM_OK;
}

trm_status empty(trm_user_force *out, trm_error *error)
{
    (void)error;
    *out = (trm_user_force){.size = sizeof *out};
    return TRM_OK;
}

// ---- constraints ----

static const char *const cam_parameters[] = {"lift", NULL};
static const char *const cam_signals[] = {"angle", "height", NULL};

// g = height (1 + height) - lift sin^2 angle
static int follow(const double *parameter, const double *s, double *g, double *g_s, double *g_ss,
                  void *user)
{
    const double lift = parameter[0];
    (void)user;
    *g = s[1] * (1 + s[1]) - lift * sin(s[0]) * sin(s[0]);
    g_s[0] = -lift * sin(2 * s[0]);
    g_s[1] = 1 + 2 * s[1];
    if (g_ss) {
        g_ss[0] = -2 * lift * cos(2 * s[0]);
        g_ss[3] = 2;
    }
    return 0;
}

static int follow_to_a_limit(const double *parameter, const double *s, double *g, double *g_s,
                             double *g_ss, void *user)
{
    return s[0] > 0.5 ? 1 : follow(parameter, s, g, g_s, g_ss, user);
}

trm_constraint_open_function cam, rough_cam, no_cam, empty_cam;

trm_status cam(trm_user_constraint *out, trm_error *error)
{
    (void)error;
    *out = (trm_user_constraint){.size = sizeof *out,
                                 .constraint = follow,
                                 .parameter = cam_parameters,
                                 .signal = cam_signals};
    return TRM_OK;
}

trm_status rough_cam(trm_user_constraint *out, trm_error *error)
{
    cam(out, error);
    out->differences = 1;
    return TRM_OK;
}

trm_status no_cam(trm_user_constraint *out, trm_error *error)
{
    cam(out, error);
    out->constraint = follow_to_a_limit;
    return TRM_OK;
}

trm_status empty_cam(trm_user_constraint *out, trm_error *error)
{
    (void)error;
    *out = (trm_user_constraint){.size = sizeof *out};
    return TRM_OK;
}
