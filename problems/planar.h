// SPDX-License-Identifier: Apache-2.0
// Planar mechanisms in absolute coordinates: body b has q[3b..3b+2] = (x, y, theta) of its centre
// of mass. Pins hold two points together (2 rows each: p_a - p_b = 0), springs pull them together.
//
// A mechanism is never changed after trp_planar_finish and the evaluation keeps its intermediate
// values on the stack: one system may serve any number of simulations at the same time.
#ifndef TRP_PLANAR_H
#define TRP_PLANAR_H

#include "problems/problems.h"

enum { TRP_PLANAR_GROUND = -1 };

// A point fixed to a body, in the frame of the body (or to the ground).
typedef struct trp_anchor {
    int body;
    double x, y;
} trp_anchor;

typedef struct trp_pin {
    trp_anchor a, b; // on two different bodies
} trp_pin;

// With d = p_a - p_b, l = |d|, e = d/l the force on a is
//     axial:    -(k (l - rest) + c l') e          spring along the line of the points
//     bushing:  -k d - c d'                       linear in both directions
typedef struct trp_spring {
    trp_anchor a, b;
    double k, c, rest;
    bool axial;
} trp_spring;

// A spring at one state. Index 0-2: coordinates of the body of a, 3-5: of b (zero on the ground).
typedef struct trp_spring_result {
    double force[6];
    double stiffness[6][6]; // -df/dq
    double damping[6][6];   // -df/dv
    double energy;
} trp_spring_result;

// Returns 0, or 1 where an axial spring has length 0. The matrices are formed only on demand.
int trp_spring_evaluate(const trp_spring *spring, const double *q, const double *v,
                        bool with_matrices, trp_spring_result *out);

// Several pin ends and the bodies they are on, evaluated together.
typedef struct trp_planar_batch {
    int first_body, bodies, first_end, ends;
} trp_planar_batch;

enum { TRP_BATCH_BODIES = 16, TRP_BATCH_ENDS = 32 };

typedef struct trp_planar {
    int n_bodies, n_pins, n_springs;
    double *mass;  // 3 per body: m, m, inertia
    double *force; // 3 per body, constant: weight and torque
    trp_pin *pin;
    trp_spring *spring;

    // set by trp_planar_finish. Ends of pins on bodies, sorted by body; sign + for a, - for b
    int n_ends, n_batches;
    trp_planar_batch *batch;
    int *end_body, *end_row; // first of the 2 constraint rows
    double *end_sign;
    double *end_x, *end_y; // sign times the point on the body
    double *ground;        // 2 per pin: contribution of the ends on the ground to g
    // values of the springs: place of each of the 36 entries in the pattern, -1 for the ground
    int n_spring_entries;
    int *spring_place;
} trp_planar;

// A mechanism with memory for so many parts, all zero; NULL when there is no memory.
trp_planar *trp_planar_create(trp_problem *problem, int bodies, int pins, int springs);

// Sets mass, inertia and weight of a body (gravity in -y).
void trp_planar_body(trp_planar *planar, int body, double mass, double inertia, double gravity);

// The point on `body` that lies at (x, y) in the plane when the bodies are at q.
trp_anchor trp_planar_anchor(const double *q, int body, double x, double y);

// Prepares the evaluation and fills problem->system. False when there is no memory.
bool trp_planar_finish(trp_planar *planar, trp_problem *problem);

// The callback (planar_kernel.c).
int trp_planar_evaluate(const trm_state *state, double *const want[TRM_QUANTITY_COUNT], void *user);

// c[i], s[i] = cosine and sine of angle[i], i < count, all three with space for TRP_BATCH_BODIES
// numbers, angles behind the last one 0 (planar_kernel.c).
void trp_cosines(int count, const double *restrict angle, double *restrict c, double *restrict s);

#endif
