// SPDX-License-Identifier: Apache-2.0
// A plane Bernoulli-Euler beam in a floating frame: k elements, elastic coordinates u (of every
// node its shift along the beam, its deflection w and its slope), and all that is constant about
// them. The frame has its origin r at the left end and the angle phi, e = (cos phi, sin phi), n =
// (-sin phi, cos phi). Nodes have the displacement U = (shift, w) and, with the slope theta, the
// tangent (1, 0) + (cos theta - 1, sin theta); between them cubic Hermite polynomials N follow
// both:
//
//     r + (x + s(x)) e + w(x) n,   s = Ne(x)^T U,   w = Nn(x)^T U,   U = U(u)
//
// so that the curve is the same in whichever frame it is counted. With m = int rA, S = int rA x,
// J = int rA x^2, c_e = int rA Ne, d_e = int rA x Ne, c_n and d_n likewise, Mq = int rA (Ne Ne^T +
// Nn Nn^T), B = int rA (Ne Nn^T - Nn Ne^T), Kq = int EI Nn'' Nn''^T the energies are
//
//     T = m r'^2/2 + phi'^2 (J + 2 d_e.U + U.Mq U)/2 + U'.Mq U'/2 + phi' (d_n.U' + U.B U')
//         + r'.e (c_e.U' - phi' c_n.U) + r'.n (phi' (S + c_e.U) + c_n.U')
//     V = u.Kq u/2
//
// T is that of material points: the mass matrix is positive however far the beam is bent. A beam
// that bends does not stretch: that s_2 - s_1 + int w'^2/2 = 0 of every element is a constraint of
// the machine (joints/inextensible.c), whose multiplier is its axial force, or a stiff force
// (forces/stretching.c). The work of that force in the shortening is what makes columns buckle and
// blades stiff.
//
// Without shifts (`shortens` is false) the beam is linear, U = (0, w) and (0, theta): no axial
// force acts on its bending.
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

// Of a node: shift, deflection, slope; and what its tangent has along the beam, cos theta - 1.
enum {
    TRMI_BEAM_SHIFT,
    TRMI_BEAM_DEFLECTION,
    TRMI_BEAM_SLOPE,
    TRMI_BEAM_DOFS,
    TRMI_BEAM_COSINE = 3
};

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
    int n;                        // elastic coordinates u: 3 k, without shifts 2 k
    int *coordinate;              // TRMI_BEAM_DOFS for each of k + 1 nodes; -1: fixed
    double mass, moment, inertia; // m, S, J
    int points;                   // numbers U,
    int *of;                      // the coordinate that each depends on,
    int *part;                    // and how: TRMI_BEAM_SHIFT ..; of a linear beam U is u
    double *c[2], *d[2];          // points each: c_e, c_n, d_e, d_n
    int count;                    // entries of the matrices of U, both triangles,
    int *row, *column;            //
    double *mass_U, *turning_U;   // Mq, B (NULL: none)
    int entries;                  // and of those of u
    int *u_row, *u_column;        //
    int *entry;                   // per entry of U: the one of u it adds to
    double *stiffness_u;          // Kq
} trmi_beam;

bool trmi_beam_create(trmi_beam *beam, trmi_memory *memory, const trmi_beam_data *data);

// y += factor A x, x^T A y with one of the matrices of U
void trmi_beam_multiply(const trmi_beam *beam, const double *a, double factor, const double *x,
                        double *restrict y);
double trmi_beam_product(const trmi_beam *beam, const double *a, const double *x, const double *y);
// y += factor Kq u, element by element from the rotations of its ends against its chord: the forces
// of each element are in balance, so that roundoff does not bend the beam however fine it is.
void trmi_beam_bend(const trmi_beam *beam, double factor, const double *u, double *restrict y);
// u.Kq u
double trmi_beam_bending(const trmi_beam *beam, const double *u);

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

// Arrays for the points of one beam: U, U', U'', J = dU/du, J1 = dJ/dtheta theta', J2 = the same of
// its rate, and one more. All NULL for a linear beam, which needs none.
typedef struct trmi_beam_work {
    double *U, *V, *W, *J, *J1, *J2, *X;
} trmi_beam_work;

bool trmi_beam_work_create(trmi_beam_work *work, trmi_memory *memory, int points);

// Where the beam is and how it moves. a = r'' less gravity; missing accelerations count as zero.
typedef struct trmi_beam_state {
    double angle, rate, a[2], angular; // phi, phi', a, phi''
    const double *u, *v, *w;           // u, u', u''; v and w may be NULL
    const double *U, *V, *W;           // of trmi_beam_curve
    const trmi_beam_work *work;
} trmi_beam_state;

// Sets U, U' and U'' from u, u' and u'', before anything else. The state uses `work`, which is not
// asked for a linear beam.
void trmi_beam_curve(const trmi_beam *beam, const trmi_beam_work *work, trmi_beam_state *state);

// R = M a - f in the coordinates (r, phi, U), with the parts of its derivatives that are not
// constant (K = R_q, D = R_v). With a_e = a.e, a_n = a.n:
//
//     M:  r,r m    r,phi m_rphi    r,U e c_e^T + n c_n^T    phi,phi m_phi
//         phi,U (d_n - B U)^T      U,U Mq
//     K:  r,phi k_rphi             phi,phi k_phi            U,phi a_n c_e - a_e c_n
//         r,U e (-phi'^2 c_e - phi'' c_n)^T + n (phi'' c_e - phi'^2 c_n)^T
//         phi,U (a_n c_e - a_e c_n + 2 phi'' (d_e + Mq U) + 2 phi' Mq U' + B U'')^T
//         U,U -phi'^2 Mq - phi'' B
//     D:  r,phi d_rphi             phi,phi d_phi            r,U 2 phi' (n c_e - e c_n)^T
//         phi,U 2 phi' (d_e + Mq U)^T    U,phi -2 phi' (d_e + Mq U) - 2 B U'    U,U -2 phi' B
//
// and in those of u, since U depends on the slopes, with U' = J u', U'' = J u'' + J' u'
//
//     R_u = J^T R_U + Kq (u + damping u'),     M_xu = M_xU J,     D_xu = D_xU J + 2 M_xU J1
//     K_xu = K_xU J + D_xU J1 + M_xU J2        (and dJ/du^T R_U in u,u)
typedef struct trmi_beam_terms {
    double e[2], n[2];
    double residual_r[2], residual_phi;
    double m_rphi[2], m_phi;
    double k_rphi[2], k_phi;
    double d_rphi[2], d_phi;
    double a_e, a_n;
} trmi_beam_terms;

trmi_beam_terms trmi_beam_move(const trmi_beam *beam, const trmi_beam_state *state);

// out (points) = R_U
void trmi_beam_inertia(const trmi_beam *beam, const trmi_beam_state *state,
                       const trmi_beam_terms *terms, double *restrict out);

// out (n) = R_u
void trmi_beam_residual(const trmi_beam *beam, const trmi_beam_state *state,
                        const trmi_beam_terms *terms, double *restrict out);

// Whether D has entries u,u.
bool trmi_beam_is_damped(const trmi_beam *beam);

// J^T c_e and J^T c_n, n numbers each
void trmi_beam_arms(const trmi_beam *beam, const trmi_beam_state *state, double *restrict along,
                    double *restrict across);

// Parts of M, K or D: r,u along e and along n, phi,u and u,phi have n numbers, u,u has `entries`,
// in D only if trmi_beam_is_damped. r_e and r_n may be NULL. u,phi is written for D only: that of M
// is its phi,u, that of K a_n J^T c_e - a_e J^T c_n.
typedef struct trmi_beam_block {
    double *r_e, *r_n, *phi_u, *u_phi, *u_u;
} trmi_beam_block;

// M of the beam and its frame. After trmi_beam_move with velocities.
void trmi_beam_mass_terms(const trmi_beam *beam, const trmi_beam_state *state,
                          const trmi_beam_block *out);
// K, likewise; needs accelerations too.
void trmi_beam_stiffness_terms(const trmi_beam *beam, const trmi_beam_state *state,
                               const trmi_beam_terms *terms, const trmi_beam_block *out);
// D, likewise.
void trmi_beam_damping_terms(const trmi_beam *beam, const trmi_beam_state *state,
                             const trmi_beam_block *out);

// First moments of the displacements, c_e.U and c_n.U.
void trmi_beam_moments(const trmi_beam *beam, const trmi_beam_state *state, double *along,
                       double *across);

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
