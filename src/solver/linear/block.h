// SPDX-License-Identifier: Apache-2.0
// Block LDL^T on the graph of bodies and joints: what the symbolic part hands to the numeric one.
//
// Node k in elimination order owns a piece of `value`: its diagonal block (s x s, entries in the
// lower triangle), then for each later node q it is coupled with, in elimination order, the block
// A_qk (m x s). All blocks are column-major. Eliminating node k means
//
//     L_q = A_q D^-1,   A_qp -= L_q A_p^T   (the targets),   D := D^-1,  A_q := L_q
//
// The unknowns stay where the caller has them: only the schedule is permuted.
#ifndef TRMI_SOLVER_LINEAR_BLOCK_H
#define TRMI_SOLVER_LINEAR_BLOCK_H

#include "solver/linear/solver.h"

enum {
    TRMI_BLOCK_SIZE = 6,  // unknowns of a node at most
    TRMI_BLOCK_ROWS = 64, // blocks below a diagonal block at most: more means a hub
    TRMI_BLOCK_FILL = 40, // the same on average
    TRMI_BLOCK_LINKS = 16 // of a group at most
};

// The kernel for a node. In the plane a body has 3 unknowns, a joint 2; these kernels are for
// nodes coupled with nothing but such joints.
enum {
    TRMI_BLOCK_ANY,
    TRMI_BLOCK_BODY,    // in the plane
    TRMI_BLOCK_JOINT,   // in the plane
    TRMI_BLOCK_LINK,    // body between joints p and q, followed by ...
    TRMI_BLOCK_LINK_END // ... joint p, coupled with q only: the step along a chain, one of a group
};

typedef struct trmi_block_node {
    int x;                   // first unknown
    int value;               // first entry in `value`
    int row;                 // first of its blocks in row_x, row_size
    int target;              // first of its row_count (row_count + 1) / 2 targets
    unsigned char size;      // s
    unsigned char row_count; // blocks below the diagonal one
    unsigned char shape;     // TRMI_BLOCK_...
    unsigned char links;     // of the group whose first body, or last joint, it is; otherwise 0
} trmi_block_node;

// Nodes that are eliminated while their pieces of `value` are in the cache, up to those of the next
// part, and the node before which all pieces must be there: they change nothing from there on.
typedef struct trmi_block_part {
    int node, needs;
} trmi_block_part;

typedef struct trmi_block {
    trmi_solver base;
    int node_count;
    int body_end;            // unknowns below belong to bodies, the others to joints
    bool waits_for_body;     // a node has a body among its rows
    trmi_block_node *node;   // elimination order
    int *row_x;              // first unknown of the later node
    unsigned char *row_size; // m
    int *target;             // place of A_qp in `value`: for p, for q >= p
    int *node_of;            // unknown -> node
    // per unknown: what eliminated nodes of the same kind took away from the diagonal
    double *reduced;
    double *work;          // the blocks L of one node
    int longest;           // entries of `work`
    trmi_block_part *part; // part_count, and one that marks the end
    int part_count;
} trmi_block;

// The order in which the nodes are eliminated, and the fill this causes.
typedef struct trmi_block_order {
    int count;
    int *order; // nodes by place
    int *rank;  // places by node
    // places of the nodes coupled with that of place k and eliminated later, ascending:
    // rows[row_start[k]] .. rows[row_start[k+1]-1]
    int *rows, *row_start;
} trmi_block_order;

// Finds the order. node_of: the node of an unknown; the arrays of *order are in `scratch`. False:
// no memory, or the structure does not fit (trmi_block_plan).
bool trmi_block_find_order(trmi_block_order *order, trmi_memory *scratch,
                           const trmi_structure *structure, const int *node_of);

// Ordering, fill, layout and targets. False when there is no memory or the structure does not fit:
// an entry between two joints, a node of 0 or more than 6 unknowns, too much fill (a hub).
bool trmi_block_plan(trmi_block *block, trmi_memory *memory, const trmi_structure *structure);

// Replaces the matrix by its factors.
trmi_factor_status trmi_block_factor(trmi_solver *solver);

// The same while the matrix is filled (factor_filled of trmi_solver_type).
trmi_factor_status trmi_block_factor_filled(trmi_solver *solver, trmi_fill *fill, void *user,
                                            double *x);

// Replaces `count` right-hand sides, one after the other in x, by the solutions.
void trmi_block_solve(trmi_solver *solver, double *x, int count);

// The forward substitution of the nodes node .. end-1.
void trmi_block_forward(const trmi_block *block, const trmi_block_node *node,
                        const trmi_block_node *end, double *x);

// The backward substitution of all nodes.
void trmi_block_finish(trmi_solver *solver, double *x);

// Solves where only the unknowns of joints are needed; the others are undefined.
void trmi_block_solve_joints(trmi_solver *solver, double *x);

// Solves where only the entries of joints are given and those of bodies are taken as 0.
void trmi_block_solve_from_joints(trmi_solver *solver, double *x);

#endif
