// SPDX-License-Identifier: Apache-2.0
// A plane Bernoulli-Euler beam in a floating frame: k elements, elastic coordinates u (of every node
// its shift along the beam, its deflection and its slope), and all that is constant about them. The
// frame has its origin r at the left end and the angle phi; with e = (cos phi, sin phi),
// n = (-sin phi, cos phi) a point of the beam is
//
//     r + (x + s(x)) e + w(x) n,   w = Nn(x)^T u (cubic Hermite)
//
// A beam that bends does not stretch, s' = -w'^2/2 to second order. Of every element
//
//     s_2 - s_1 + int w'^2/2 = 0
//
// is a constraint of the machine (joints/inextensible.c), whose multiplier is its axial force; the
// work of that force in the shortening is what makes columns buckle and blades stiff. Between its
// nodes s is linear and, where w' is not constant, a bubble more:
//
//     s = Ne(x)^T u - 1/2 int_0^x (w'^2 - mean of w'^2)
//
// With m = int rA, S = int rA x, J = int rA x^2, c_n = int rA Nn, d_n = int rA x Nn,
// Mq = int rA (Ne Ne^T + Nn Nn^T), B = int rA (Ne Nn^T - Nn Ne^T), Kq = int EI Nn'' Nn''^T and
//
//     E(u) = int rA s = c_e.u - u.Q0 u/2,   D(u) = int rA x s = d_e.u - u.Q1 u/2
//
// the energies are, to second order in u,
//
//     T = m r'^2/2 + phi'^2 (J + 2 D + u.Mq u)/2 + u'.Mq u'/2 + phi' (d_n.u' + u.B u')
//         + r'.e (E' - phi' c_n.u) + r'.n (phi' (S + E) + c_n.u')
//     V = u.Kq u/2
//
// The bubble makes them those of the same curve, whichever the frame. Without shifts (`shortens` is
// false) s = 0 and the beam is linear: no axial force acts on its bending.
//
// Everything takes work and memory in proportion to k. Nothing here changes after creation: one
// beam serves any number of simulations at once.
#ifndef TRMI_MODELLING_MULTIBODY_BEAMS_BEAM_H
#define TRMI_MODELLING_MULTIBODY_BEAMS_BEAM_H

#include "base/memory.h"

// Which two coordinates are missing, so that the frame is determined.
typedef enum trmi_beam_frame {
    TRMI_BEAM_TANGENT, // w = w' = 0 at the left end
    TRMI_BEAM_CHORD    // w = 0 at both ends
} trmi_beam_frame;

// Of a node: shift, deflection, slope.
enum { TRMI_BEAM_SHIFT, TRMI_BEAM_DEFLECTION, TRMI_BEAM_SLOPE, TRMI_BEAM_DOFS };

// Coordinates of neighbouring nodes meet in the matrices, numbers that differ by this or less.
enum { TRMI_BEAM_BAND = 2 * TRMI_BEAM_DOFS - 1 };

typedef struct trmi_beam_data {
    int elements;
    double length;
    double line_mass; // rA
    double stiffness; // EI
    double damping;   // of the material: moments EI (w'' + damping w''')
    double mass;      // m; 0: rA l
    double inertia;   // J; 0: rA l^3/3
    trmi_beam_frame frame;
    bool shortens; // nodes shift along the beam
} trmi_beam_data;

typedef struct trmi_beam {
    trmi_beam_data data;
    int n;                        // elastic coordinates: 3 k, without shifts 2 k
    int *coordinate;              // TRMI_BEAM_DOFS for each of k + 1 nodes; -1: fixed
    double mass, moment, inertia; // m, S, J
    double *c[2], *d[2];          // n each: c_e, c_n, d_e, d_n
    int count;                    // entries of the matrices below, both triangles
    int *row, *column;            //
    double *mass_u, *stiffness_u; // Mq, Kq
    double *turning_u;            // B, NULL: none
    double *bubble_u[2];          // Q0, Q1, NULL: none
} trmi_beam;

bool trmi_beam_create(trmi_beam *beam, trmi_memory *memory, const trmi_beam_data *data);

// y += factor A x, x^T A y with one of the matrices
void trmi_beam_multiply(const trmi_beam *beam, const double *a, double factor, const double *x,
                        double *restrict y);
// y += factor Kq u, element by element from the rotations of its ends against its chord: the forces of
// each element are in balance, so that roundoff does not bend the beam however fine it is.
void trmi_beam_bend(const trmi_beam *beam, double factor, const double *u, double *restrict y);
double trmi_beam_product(const trmi_beam *beam, const double *a, const double *x, const double *y);

// A place on the beam: w(x) = sum shape_i u_i, w'(x) = sum slope_i u_i over four coordinates, those
// with number -1 being fixed.
typedef struct trmi_beam_marker {
    double x;
    int coordinate[4];
    double shape[4], slope[4];
} trmi_beam_marker;

trmi_beam_marker trmi_beam_mark(const trmi_beam *beam, double x);
double trmi_beam_deflection(const trmi_beam_marker *marker, const double *u);
double trmi_beam_slope(const trmi_beam_marker *marker, const double *u);

// ---- motion -----------------------------------------------------------------------------------

// Where the beam is and how it moves. a = r'' less gravity; missing accelerations count as zero.
typedef struct trmi_beam_state {
    double angle, rate, a[2], angular; // phi, phi', a, phi''
    const double *u, *v, *w;           // u, u', u''; v and w may be NULL
} trmi_beam_state;

// R = M a - f in the coordinates (r, phi, u), with the parts of its derivatives that are not
// constant (K = R_q, D = R_v). With a_e = a.e, a_n = a.n, g_e = E_u = c_e - Q0 u, g_d = D_u =
// d_e - Q1 u:
//
//     M:  r,r m    r,phi m_rphi    r,u e g_e^T + n c_n^T    phi,phi m_phi
//         phi,u (d_n - B u)^T      u,u Mq
//     K:  r,phi k_rphi             phi,phi k_phi            u,phi a_n g_e - a_e c_n
//         r,u e (-phi'^2 g_e - phi'' c_n - Q0 u'')^T + n (phi'' g_e - phi'^2 c_n - 2 phi' Q0 u')^T
//         phi,u (a_n g_e - a_e c_n + 2 phi'' (g_d + Mq u) + 2 phi' (Mq - Q1) u' + B u'')^T
//         u,u Kq - phi'^2 (Mq - Q1) - phi'' B - a_e Q0
//     D:  r,phi d_rphi             phi,phi d_phi
//         r,u e (-2 phi' c_n - 2 Q0 u')^T + 2 phi' n g_e^T
//         phi,u 2 phi' (g_d + Mq u)^T    u,phi -2 phi' (g_d + Mq u) - 2 B u'
//         u,u -2 phi' B + damping Kq
typedef struct trmi_beam_terms {
    double e[2], n[2];
    double residual_r[2], residual_phi;
    double m_rphi[2], m_phi;
    double k_rphi[2], k_phi;
    double d_rphi[2], d_phi;
    double a_e, a_n;
} trmi_beam_terms;

trmi_beam_terms trmi_beam_move(const trmi_beam *beam, const trmi_beam_state *state);

// out (n) = R_u
void trmi_beam_residual(const trmi_beam *beam, const trmi_beam_state *state,
                        const trmi_beam_terms *terms, double *restrict out);

// Whether D has entries u,u.
bool trmi_beam_is_damped(const trmi_beam *beam);

// g_e, n numbers
void trmi_beam_arm(const trmi_beam *beam, const double *u, double *restrict arm);

// Parts of M, K or D: r,u along e and along n, phi,u and u,phi have n numbers, u,u has `count`, in D
// only if trmi_beam_is_damped. r_e and r_n may be NULL. u,phi is written for D only: that of M is
// its phi,u, that of K above.
typedef struct trmi_beam_block {
    double *r_e, *r_n, *phi_u, *u_phi, *u_u;
} trmi_beam_block;

// After trmi_beam_move with velocities, for K accelerations too.
void trmi_beam_mass_terms(const trmi_beam *beam, const trmi_beam_state *state,
                          const trmi_beam_block *out);
void trmi_beam_stiffness_terms(const trmi_beam *beam, const trmi_beam_state *state,
                               const trmi_beam_terms *terms, const trmi_beam_block *out);
void trmi_beam_damping_terms(const trmi_beam *beam, const trmi_beam_state *state,
                             const trmi_beam_block *out);

// First moments of the displacements, E and c_n.u.
void trmi_beam_moments(const trmi_beam *beam, const double *u, double *along, double *across);

// The kinetic energy T with the velocity r' of the frame.
double trmi_beam_kinetic(const trmi_beam *beam, const trmi_beam_state *state,
                         const double velocity[2]);

// The strain energy V.
double trmi_beam_strain(const trmi_beam *beam, const double *u);

// The power lost in the material, damping u'.Kq u'.
double trmi_beam_loss(const trmi_beam *beam, const double *v);

// T + V
double trmi_beam_energy(const trmi_beam *beam, const trmi_beam_state *state,
                        const double velocity[2]);

#endif
