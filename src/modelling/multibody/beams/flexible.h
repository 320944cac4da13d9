// SPDX-License-Identifier: Apache-2.0
// Beams (beam.h) as bodies of a plane machine. The frame is a body of the tree with the mass and
// inertia of the straight beam, which the recursions account for; what bending adds is here, in the
// coordinates of the columns on the way to the frame and of the elastic coordinates u.
//
// x = (r, phi) of the frame and u have the residual R = (R_r, R_phi, R_u) of beam.h, without the
// rigid part. With j_k = dr/dq_k, t_k = dphi/dq_k of column k (and r'' by q_k = j_k'', by q_k' =
// 2 j_k', by q_k'' = j_k),
//
//     tau_k = j_k.R_r + t_k R_phi
//     M_kl  = j_k.M_r(l) + t_k M_phi(l)                  l: a column, with the motion (j_l, t_l)
//     D_kl  = j_k.D_r(l) + t_k D_phi(l)                  or an elastic coordinate
//     K_kl  = j_k.K_r(l) + t_k K_phi(l) + R_r.dj_k/dq_l
//
// and dj_k/dq_l = t_i n x j_i' where i is the first of both on the way from the ground, i' the
// last.
#ifndef TRMI_MODELLING_MULTIBODY_BEAMS_FLEXIBLE_H
#define TRMI_MODELLING_MULTIBODY_BEAMS_FLEXIBLE_H

#include "modelling/multibody/kinematics.h"
#include "modelling/multibody/slots.h"

// One beam; immutable.
typedef struct trmi_bending {
    trmi_beam beam; // without mass, moment and inertia: those are the body's
    int body;
    trmi_v3 arm, along; // left end from the centre of mass, direction; in the axes of the body
    int columns;        // unknown ones on the way to the frame,
    const int *column;  // from the ground on
    int first;          // coordinate of u_0
    int first_column;   // its column
    int M, K, D;        // first of its positions there
} trmi_bending;

// All of them.
typedef struct trmi_bendings {
    int count, max_columns, max_coordinates, max_points, max_entries;
    int axis[3]; // of the plane; the last one is the normal
    const trmi_bending *bending;
} trmi_bendings;

// Where the frame of a beam is and how it moves, world axes.
typedef struct trmi_frame_place {
    trmi_v3 c, velocity, acceleration; // r - O, r', r'' less gravity
    trmi_beam_state state;
} trmi_frame_place;

// The wrench at O of a force in the plane and a moment, both at the frame.
trmi_wrench trmi_bending_wrench(const trmi_bendings *bendings, const trmi_frame_place *place,
                                const double force[2], double moment);

// How r and phi of a frame change with the coordinate of one column.
typedef struct trmi_frame_motion {
    double j[2], j1[2], j2[2], t; // j, j', j''
} trmi_frame_motion;

typedef struct trmi_bending_work {
    trmi_frame_motion *motion;     // max_columns
    double *bent, *along, *across; // max_coordinates: R_u, J^T c_e, J^T c_n
    trmi_beam_work beam;           // max_points
    trmi_beam_block block;         // of one matrix
} trmi_bending_work;

// Announces positions of M, K and D. False: no memory.
bool trmi_bendings_create(trmi_bendings *bendings, trmi_memory *memory,
                          const trmi_mechanism *mechanism, const trmi_tree *tree, trmi_slots *M,
                          trmi_slots *K, trmi_slots *D);
bool trmi_bending_work_create(trmi_bending_work *work, trmi_memory *memory,
                              const trmi_bendings *bendings);

// With u'' = those of a (NULL: 0). After a move; accelerations after trmi_kinematics_accelerate.
trmi_frame_place trmi_bending_place(const trmi_bendings *bendings, const trmi_bending *bending,
                                    const trmi_beam_work *work, const trmi_kinematics *k,
                                    const double *a);

// Adds -R to the wrenches on bodies (at O) and to the forces on columns, at the accelerations of
// the kinematics. After trmi_kinematics_accelerate with this a.
void trmi_bendings_load(const trmi_bendings *bendings, trmi_bending_work *work,
                        const trmi_kinematics *k, const double *a, trmi_wrench *on_body,
                        double *on_column);

// The same with all accelerations 0, those of the frame as motions in space: what is left of R
// where recursions account for the masses. After a move.
void trmi_bendings_resist(const trmi_bendings *bendings, trmi_bending_work *work,
                          const trmi_kinematics *k, trmi_wrench *on_body, double *on_column);

// Where the matrices of the machine are; those that are not wanted are NULL.
typedef struct trmi_bending_matrices {
    const trmi_slots *M_slots, *K_slots, *D_slots;
    double *M, *K, *D;
} trmi_bending_matrices;

// Adds to M, K and D; for K after trmi_kinematics_accelerate with this a, and second.
void trmi_bendings_matrices(const trmi_bendings *bendings, trmi_bending_work *work,
                            const trmi_kinematics *k, const double *a,
                            const trmi_bending_matrices *out);

// Adds what bending has. After a move.
void trmi_bendings_energy(const trmi_bendings *bendings, const trmi_bending_work *work,
                          const trmi_kinematics *k, double *kinetic, double *potential,
                          double *dissipated);

// Whether a beam loses energy in its material.
bool trmi_bendings_lose(const trmi_bendings *bendings);

#endif
