// SPDX-License-Identifier: Apache-2.0
// A generator of model files: bytes are choices, so that a fuzzer can change them and a seed can be
// expanded to them. Every text is a model that could have been meant: the sections fit each other,
// names exist, joints make a tree with cuts. `smooth` models have positive masses, bounded forces
// without kinks and no redundant rows, so that every method has to find the same motion; others
// have all that the format allows, also what cannot be simulated.
#ifndef GENERATE_H
#define GENERATE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { GENERATED_BYTES = 1 << 15 };

typedef struct generator {
    const uint8_t *data;
    size_t left;
    bool smooth;
    char *text;
    size_t length;
} generator;

__attribute__((format(printf, 2, 3))) static inline void put(generator *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(g->text + g->length, GENERATED_BYTES - g->length, format, arguments);
    va_end(arguments);
    if (n > 0 && g->length + (size_t)n < GENERATED_BYTES)
        g->length += (size_t)n;
    g->text[g->length] = '\0';
}

// one of n choices; the first when the bytes are used up
static inline int pick(generator *g, int n)
{
    if (g->left == 0)
        return 0;
    g->left--;
    return *g->data++ % n;
}

static inline bool maybe(generator *g, int in)
{
    return pick(g, in) == in - 1;
}

// a number: small and positive for smooth models
static inline const char *number(generator *g)
{
    static const char *const tame[] = {"0.5", "1", "2", "0.3", "1.5", "0.8", "3", "0.1"};
    static const char *const wild[] = {"0", "-1", "1e-9", "1e9", "-0.5", "1e-300", "7", "1e20"};
    return !g->smooth && maybe(g, 8) ? wild[pick(g, 8)] : tame[pick(g, 8)];
}

// ---- formulas ----

// a formula of the names, in at most `depth` levels
static inline void put_formula(generator *g, const char *const *name, int names, int depth)
{
    static const char *const functions[] = {"sin", "cos", "tanh", "atan"};
    static const char *const kinked[] = {"abs",  "sign",  "exp", "log",
                                         "sqrt", "floor", "tan", "asin"};
    static const char *const operators[] = {" + ", " - ", "*"};
    static const char *const wild[] = {"/", "^", " % "};
    if (depth == 0 || maybe(g, 3)) {
        if (names > 0 && !maybe(g, 3))
            put(g, "%s", name[pick(g, names)]);
        else
            put(g, "%s", number(g));
        return;
    }
    switch (pick(g, 4)) {
    case 0: // bounded
        put(g, "%s(", functions[pick(g, 4)]);
        put_formula(g, name, names, depth - 1);
        put(g, ")");
        break;
    case 1:
        if (!g->smooth) {
            if (maybe(g, 2)) {
                put(g, "if(");
                put_formula(g, name, names, depth - 1);
                put(g, " < %s, ", number(g));
                put_formula(g, name, names, depth - 1);
                put(g, ", %s)", number(g));
            } else {
                put(g, "%s(", kinked[pick(g, 8)]);
                put_formula(g, name, names, depth - 1);
                put(g, ")");
            }
            break;
        } // fall through
    default:
        put(g, "(");
        put_formula(g, name, names, depth - 1);
        put(g, "%s", !g->smooth && maybe(g, 4) ? wild[pick(g, 2)] : operators[pick(g, 3)]);
        put_formula(g, name, names, depth - 1);
        put(g, ")");
    }
}

// ---- settings ----

static inline void put_settings(generator *g)
{
    static const char *const integrators[] = {
        "auto",  "bdf", "radau",   "radau-adaptive",   "explicit",
        "adams", "hht", "newmark", "generalized-alpha"};
    static const char *const formulations[] = {
        "cs",     "cm",     "ggl",       "ggl-star",         "index1",
        "index2", "index3", "baumgarte", "index1-projected", "cm-frozen"};
    static const char *const solvers[] = {"auto", "dense", "sparse", "block"};
    put(g, "simulate: {end: %s", g->smooth ? "0.5" : number(g));
    if (!g->smooth) {
        if (maybe(g, 2))
            put(g, ", integrator: %s", integrators[pick(g, 9)]);
        if (maybe(g, 3))
            put(g, ", formulation: %s", formulations[pick(g, 10)]);
        if (maybe(g, 3))
            put(g, ", linear_solver: %s", solvers[pick(g, 4)]);
        if (maybe(g, 3))
            put(g, ", tolerance: %s", maybe(g, 2) ? "1e-3" : "1e-8");
        if (maybe(g, 6))
            put(g, ", control: classic");
        if (maybe(g, 6))
            put(g, ", step: {fixed: 0.01}");
        if (maybe(g, 6))
            put(g, ", output_interval: %s", number(g));
    }
    put(g, "}\n");
}

static inline void put_events(generator *g, const char *const *name, int names, const char *set)
{
    static const char *const directions[] = {"rising", "falling", "both"};
    static const char *const actions[] = {"log", "restart", "stop"};
    if (g->smooth || !maybe(g, 3))
        return;
    put(g, "events:\n");
    for (int k = 0, n = 1 + pick(g, 3); k < n; k++) {
        put(g, "  event%d: {when: \"", k);
        put_formula(g, name, names, 2);
        put(g, "\", direction: %s", directions[pick(g, 3)]);
        if (set && maybe(g, 2))
            put(g, ", set: {%s: \"-0.5*%s\"}", set, set);
        else if (maybe(g, 2))
            put(g, ", action: %s", actions[pick(g, 3)]);
        put(g, "}\n");
    }
}

// ---- equations ----

enum { MAX_COORDINATES = 5 };

static inline void put_rows(generator *g, const char *key, const char *row, const char *const *name,
                            int names, int rows)
{
    if (rows > 0)
        put(g, "  %s: {", key);
    for (int k = 0; k < rows; k++) {
        put(g, "%s%s%d: \"", k ? ", " : "", row, k);
        put_formula(g, name, names, 2);
        put(g, "\"");
    }
    if (rows > 0)
        put(g, "}\n");
}

static inline void generate_equations(generator *g)
{
    static const char *const q[] = {"q0", "q1", "q2", "q3", "q4"}, *const v[] = {"v0", "v1", "v2",
                                                                                 "v3", "v4"};
    int n = 1 + pick(g, MAX_COORDINATES), states = pick(g, 3) == 2, algebraic = pick(g, 4) == 3;
    const char *all[2 * MAX_COORDINATES + 4];
    int count = 0;
    for (int k = 0; k < n; k++)
        all[count++] = q[k];
    for (int k = 0; k < n; k++)
        all[count++] = v[k];
    all[count++] = "t";
    all[count++] = "p0";
    put(g, "parameters: {p0: %s, p1: %s}\nequations:\n  coordinates: {", number(g), number(g));
    for (int k = 0; k < n; k++)
        put(g, "%sq%d: v%d", k ? ", " : "", k, k);
    put(g, "}\n  mass: [");
    for (int k = 0; k < n; k++) {
        put(g, "%s", k ? ", " : "");
        if (!g->smooth && maybe(g, 8))
            put(g, "\""), put_formula(g, q, n, 1), put(g, "\"");
        else
            put(g, "%s", number(g));
    }
    put(g, "]\n  force: [");
    for (int k = 0; k < n; k++) { // a spring keeps the motion bounded
        put(g, "%s\"-p1*q%d - 0.1*v%d + tanh(", k ? ", " : "", k, k);
        put_formula(g, all, count, 2);
        put(g, ")%s\"", states ? " + 0.1*s" : "");
    }
    put(g, "]\n");
    if (states)
        put(g, "  states: {s: \"-s + q0\"}\n");
    if (algebraic && !g->smooth)
        put(g, "  algebraic: {w: \"w - 0.5*q0\"}\n");
    if (g->smooth) { // a circle and a plane, of which the start is a point
        if (n > 2 && maybe(g, 2))
            put(g, "  constraints: {rod: \"(q0^2 + q1^2 - 1)/2\"}\n");
        if (n > 3 && maybe(g, 2))
            put(g, "  velocity_constraints: {slide: \"v2 - %s*v3\"}\n", number(g));
    } else {
        int rows = pick(g, 4), rolling = pick(g, 4);
        put_rows(g, "constraints", "g", q, n, rows == 3 ? 2 : 0);
        if (rows == 1 || rows == 2)
            put(g, "  constraints: {g0: \"q0\"%s}\n", rows == 2 ? ", g1: \"2*q0\"" : "");
        if (rolling > 1) // redundant ones too
            put(g, "  velocity_constraints: {a0: \"v%d\", a1: \"%s*v%d\"}\n", pick(g, n), number(g),
                pick(g, n));
        else if (rolling == 1)
            put(g, "  velocity_constraints: {a0: \"v0 - sin(q0)*v%d\"}\n", n - 1);
        if (maybe(g, 5))
            put(g, "  energy: {potential: \"p1*q0^2/2\"}\n");
        if (maybe(g, 8))
            put(g, "  invariants: {i0: \"v0^2 + q0^2\"}\n");
    }
    put(g, "initial: {values: {q0: 1%s}}\n", n > 3 ? ", q3: 0.2" : "");
    put(g, "outputs: {");
    for (int k = 0; k < n; k++)
        put(g, "%so%d: \"q%d\"", k ? ", " : "", k, k);
    put(g, "}\n");
    put_events(g, all, count, maybe(g, 2) ? "v0" : "p0");
}

// ---- mechanisms ----

// the joint between body `before` and body k, at x = k
static inline void put_joint(generator *g, int k, int before, bool cut)
{
    static const char *const axes[] = {"x", "y", "z", "[1, 0.3, 0.2]"};
    static const char *const plain[] = {"revolute", "prismatic",      "cylindrical",
                                        "planar",   "point-on-plane", "point-on-line"};
    static const char *const edges[] = {"revolute", "revolute", "universal", "spherical",
                                        "cylindrical"};
    char one[16] = "ground";
    if (before >= 0)
        snprintf(one, sizeof one, "b%d", before);
    const char *type = g->smooth ? edges[pick(g, 5)] : NULL;
    put(g, "    %s%d: {", cut ? "cut" : "j", k);
    int kind = g->smooth ? -1 : pick(g, 13);
    if (kind == 0)
        put(g, "fixed: {between: [%s, b%d]}", one, k);
    else if (kind == 1)
        put(g, "free: {between: [%s, b%d]}", one, k);
    else if (kind == 2)
        put(g, "rod: {between: [%s, b%d], from: [%d, 1, 0], to: [%d, 0, 0]}", one, k, k, k);
    else if (kind == 3)
        put(g, "screw: {between: [%s, b%d], at: [%d, 0, 0], axis: x, pitch: %s}", one, k, k,
            number(g));
    else if (kind == 4)
        put(g, "rolling: {between: [ground, b%d], at: [%d, 0, 0], axis: y, normal: z, radius: 0.3}",
            k, k);
    else if (kind == 5)
        put(g, "knife-edge: {between: [ground, b%d], at: [%d, 0, 0], axis: y}", k, k);
    else if (kind == 6)
        put(g,
            "constant-velocity: {between: [%s, b%d], at: [%d, 0, 0], axis: x, second_axis: [1, "
            "0.3, 0]}",
            one, k, k);
    else if (kind == 7 || (type && strcmp(type, "universal") == 0))
        put(g, "universal: {between: [%s, b%d], at: [%d, 0, 0], axis: y, second_axis: z}", one, k,
            k);
    else if (kind == 8 || (type && strcmp(type, "spherical") == 0))
        put(g, "spherical: {between: [%s, b%d], at: [%d, 0, 0]}", one, k, k);
    else
        put(g, "%s: {between: [%s, b%d], at: [%d, 0, 0], axis: %s}",
            type ? type : plain[pick(g, 6)], one, k, k,
            g->smooth ? axes[pick(g, 3)] : axes[pick(g, 4)]);
    if (!g->smooth && maybe(g, 8))
        put(g, ", friction: {static: 0.2, dynamic: 0.1, radius: 0.01}");
    put(g, "}\n");
}

static inline void put_force(generator *g, int k, int body)
{
    switch (pick(g, g->smooth ? 3 : 8)) {
    case 0:
        put(g,
            "    f%d: {spring: {between: [ground, b%d], from: [%d, 0, 2], to: [%g, 0, 0], "
            "stiffness: %s, damping: 0.1}}\n",
            k, body, body, body + 0.5, number(g));
        break;
    case 1:
        put(g, "    f%d: {force: {on: b%d, at: [%g, 0, 0], value: [0, \"%s*sin(3*t)\", 0]}}\n", k,
            body, body + 0.5, number(g));
        break;
    case 2:
        put(g, "    f%d: {torque: {on: b%d, value: \"-0.1*cos(t)\", axis: y}}\n", k, body);
        break;
    case 3:
        put(g,
            "    f%d: {bushing: {between: [ground, b%d], at: [%d, 0, 0], stiffness: %s, damping: "
            "1}}\n",
            k, body, body, number(g));
        break;
    case 4:
        put(g,
            "    f%d: {bump-stop: {between: [ground, b%d], from: [%d, 0, -3], to: [%d, 0, 0], gap: "
            "2, stiffness: 1e4}}\n",
            k, body, body, body);
        break;
    case 5:
        put(g,
            "    f%d: {contact: {between: [ground, b%d], at: [0, 0, -1], normal: z, center: [%d, "
            "0, 0], radius: 0.1, "
            "stiffness: 1e4, friction: 0.3}}\n",
            k, body, body);
        break;
    case 6:
        put(g,
            "    f%d: {beam: {between: [ground, b%d], from: [%g, 0, 0.1], to: [%g, 0, 0.1], area: "
            "1e-4, modulus: "
            "1e9, inertia_y: 1e-9, inertia_z: 1e-9}}\n",
            k, body, body + 0.1, body + 0.4);
        break;
    default:
        put(g,
            "    f%d: {spring: {between: [ground, b%d], from: [%d, 0, 2], to: [%d, 0, 0], "
            "spring_table: [[0, 0], [1, "
            "%s]], force: \"b%d_x\"}}\n",
            k, body, body, body, number(g), body);
    }
}

static inline void generate_mechanism(generator *g)
{
    static const char *const wild_inertia[] = {"0", "[1, 1, 1]", "{xx: 1, yy: 2, zz: 1.5, xy: 0.1}",
                                               "[0, 0, 0]"};
    int bodies = 1 + pick(g, 4);
    put(g, "mechanism:\n");
    if (maybe(g, 2))
        put(g, "  coordinates: %s\n", maybe(g, 2) ? "absolute" : "joint");
    if (!g->smooth && maybe(g, 5))
        put(g, "  plane: xz\n");
    put(g, "  gravity: [0, 0, %s]\n  bodies:\n", maybe(g, 3) ? "0" : "-9.81");
    for (int k = 0; k < bodies; k++)
        put(g, "    b%d: {mass: %s, center: [%g, 0, 0.1], inertia: %s}\n", k, number(g), k + 0.5,
            !g->smooth && maybe(g, 6) ? wild_inertia[pick(g, 4)] : "[0.1, 0.2, 0.3]");
    put(g, "  joints:\n");
    for (int k = 0; k < bodies; k++)
        put_joint(g, k, k == 0 ? -1 : maybe(g, 4) ? pick(g, k) : k - 1, false);
    for (int k = 0; !g->smooth && k < bodies; k++)
        if (maybe(g, 3))
            put_joint(g, k, k > 1 && maybe(g, 2) ? k - 2 : -1, true);
    put(g, "  forces:\n");
    for (int k = 0, n = 1 + pick(g, 3); k < n; k++)
        put_force(g, k, pick(g, bodies));
    put(g, "outputs: {");
    for (int k = 0; k < bodies; k++)
        put(g, "%sx%d: b%d_x, y%d: b%d_y, z%d: b%d_z", k ? ", " : "", k, k, k, k, k, k);
    put(g, "}\n");
    const char *const names[] = {"b0_x", "b0_z_rate", "t"};
    put_events(g, names, 3, NULL);
}

// Writes the model that the bytes choose into text, which has GENERATED_BYTES; returns its length.
static inline size_t generate_model(const uint8_t *data, size_t size, bool smooth, char *text)
{
    generator g = {.data = data, .left = size, .smooth = smooth, .text = text};
    put(&g, "trammel: 1\n");
    if (pick(&g, 2) == 0)
        generate_equations(&g);
    else
        generate_mechanism(&g);
    put_settings(&g);
    return g.length;
}

// Expands a seed to bytes (xorshift).
static inline void expand_seed(uint64_t seed, uint8_t *data, size_t size)
{
    uint64_t x = seed * 0x9E3779B97F4A7C15u + 1;
    for (size_t k = 0; k < size; k++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        data[k] = (uint8_t)(x >> 32);
    }
}

#endif
