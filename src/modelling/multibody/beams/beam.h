// SPDX-License-Identifier: Apache-2.0
// A plane Bernoulli-Euler beam in a floating frame: k cubic Hermite elements, elastic coordinates u
// (deflections and slopes of the nodes), and all that is constant about them. The frame has its
// origin r at the left end and the angle phi; with e = (cos phi, sin phi), n = (-sin phi, cos phi)
// a point of the beam is
//
//     r + x e + w(x) n,   w = N(x)^T u
//
// and with w (rotation of the frame), m = int rA, S = int rA x, J = int rA x^2, c = int rA N,
// d = int rA x N, Mq = int rA N N^T, Kq = int EI N'' N''^T the energies are
//
//     T = m r'^2/2 + w^2 (J + u^T Mq u)/2 + u'^T Mq u'/2 + w d^T u' + r'.n (S w + c^T u')
//         - r'.e w c^T u - wm^2 s(u^T Kg u)/2
//     V = u^T Kq u/2
//
// Kg = int P N' N'^T with P = rA (l^2 - x^2)/2, the axial force of a unit rotation about the
// origin: centrifugal stiffening, on request. It is the work of that force in the shortening int
// w'^2/2, so that energy is kept; axial forces of other origin (motion of r, loads) do not stiffen.
//
// The rotation is the mean one of the beam, wm = w + t^T u' with t = (d - c l/2) / Jc, where Jc =
// rA l^3/12. That of the frame is not: the tangent at a free end turns with next to no inertia, so
// that -w^2 u^T Kg u makes the mass matrix indefinite at deflections of a hundredth of the length.
// With the velocities y across the beam
//
//     int rA y^2 >= (int rA (x - l/2) y)^2 / Jc = Jc wm^2        (Cauchy, Schwarz)
//
// so that the mass matrix is positive as long as s < Jc. That of u^T Kg u alone ends at slopes of
// 1/2 or more: it is the first term of T in the shortening, and the others, which would keep T
// positive, are left out. Therefore s(z) = z / sqrt(1 + (z/Jc)^2), which is z but for z/Jc squared:
// 1e-4 of the stiffening at a deflection of 1/20, and never more than Jc.
//
// t couples all coordinates. With many elements (TRMI_BEAM_COUPLED) it takes the deflections of a
// few nodes instead, by the trapezoidal rule, and s(z) = z.
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

// Coordinates of neighbouring nodes meet in the matrices, numbers that differ by this or less.
enum { TRMI_BEAM_BAND = 3 };

// Up to so many elements t is exact; beyond, this many intervals of it.
enum { TRMI_BEAM_COUPLED = 16 };

typedef struct trmi_beam_data {
    int elements;
    double length;
    double line_mass; // rA
    double stiffness; // EI
    double mass;      // m; 0: rA l
    double inertia;   // J; 0: rA l^3/3
    trmi_beam_frame frame;
    bool stiffening;
} trmi_beam_data;

typedef struct trmi_beam {
    trmi_beam_data data;
    int n;                        // elastic coordinates, 2 k
    int *coordinate;              // 2 (k + 1): that of w, w' at node 0, 1, ..; -1: fixed
    double mass, moment, inertia; // m, S, J
    double *c, *d, *t;            // n
    int count;                    // entries of the matrices below, both triangles,
    int entries;                  // and behind them the others where t has its rows and columns
    int *row, *column;            //
    double *mass_u, *stiffness_u; // Mq, Kq
    double *stiffening_u;         // Kg, NULL: none
} trmi_beam;

bool trmi_beam_create(trmi_beam *beam, trmi_memory *memory, const trmi_beam_data *data);

// y += factor A x, x^T A y with one of the matrices
void trmi_beam_multiply(const trmi_beam *beam, const double *a, double factor, const double *x,
                        double *restrict y);
// y += Kq u, element by element from the rotations of its ends against its chord: the forces of
// each element are in balance, so that roundoff does not bend the beam however fine it is.
void trmi_beam_bend(const trmi_beam *beam, const double *u, double *restrict y);
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
// constant (K = R_q, D = R_v). Rows of u are proportional to c, or sums with the matrices:
//
//     M:  r,r m    r,phi m_rphi          r,u n c^T          phi,phi m_phi
//         phi,u (d - s t)^T              u,u Mq - s t t^T
//     K:  r,phi k_rphi                   r,u k_ru c^T       phi,phi k_phi   u,phi k_c c
//         phi,u (k_c c + 2 phi'' Mq u + 2 phi' Mq u' - p)^T
//         u,u Kq - phi'^2 Mq + wm^2 (s1 Kg + 2 s2 Kg u (Kg u)^T) - t p^T
//             p = 2 (wm' s1 + wm s1') Kg u + 2 wm s1 Kg u'
//     D:  r,phi d_rphi                   r,u -2 phi' e c^T  phi,phi d_phi
//         phi,u (2 phi' Mq u - 2 wm s1 Kg u - s' t)^T          u,phi -2 phi' Mq u + 2 wm s1 Kg u -
//         s' t u,u 2 wm s1 (Kg u t^T - t (Kg u)^T) - s' t t^T
typedef struct trmi_beam_terms {
    double e[2], n[2];
    double residual_r[2], residual_phi;
    double m_rphi[2], m_phi;
    double k_rphi[2], k_ru[2], k_phi, k_c;
    double d_rphi[2], d_phi;
    double mean_rate, mean_angular; // wm, wm'
    double s, s_rate;               // s(u.Kg u), its time derivative
    double s1, s2, s1_rate;         // ds/dz, d^2s/dz^2 at u.Kg u, that of s1
    double residual_c;              // R_u = residual_c c + phi'' d + Mq u'' - phi'^2 Mq u
    double residual_t;              //       + wm^2 s1 Kg u + Kq u + residual_t t
} trmi_beam_terms;

trmi_beam_terms trmi_beam_move(const trmi_beam *beam, const trmi_beam_state *state);

// out (n) = R_u
void trmi_beam_residual(const trmi_beam *beam, const trmi_beam_state *state,
                        const trmi_beam_terms *terms, double *restrict out);

// phi,u and u,u of M, K and D, of D also u,phi (that of M is its phi,u, that of K k_c c). Rows and
// columns have n numbers, u,u has `entries` of them; in D only with stiffening, otherwise none.
// After trmi_beam_move with velocities, for K accelerations too.
void trmi_beam_mass_terms(const trmi_beam *beam, const trmi_beam_terms *terms,
                          double *restrict phi_u, double *restrict u_u);
void trmi_beam_stiffness_terms(const trmi_beam *beam, const trmi_beam_state *state,
                               const trmi_beam_terms *terms, double *restrict phi_u,
                               double *restrict u_u);
void trmi_beam_damping_terms(const trmi_beam *beam, const trmi_beam_state *state,
                             const trmi_beam_terms *terms, double *restrict phi_u,
                             double *restrict u_phi, double *restrict u_u);

// The kinetic energy T with the velocity r' of the frame.
double trmi_beam_kinetic(const trmi_beam *beam, const trmi_beam_state *state,
                         const double velocity[2]);

// The strain energy V.
double trmi_beam_strain(const trmi_beam *beam, const double *u);

// T + V
double trmi_beam_energy(const trmi_beam *beam, const trmi_beam_state *state,
                        const double velocity[2]);

#endif
