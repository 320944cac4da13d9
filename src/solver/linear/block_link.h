// SPDX-License-Identifier: Apache-2.0
// The factors of a group of links, body and joint p between joints p and q in the plane, one link
// after the other. Sweeps along long chains are as fast as memory, so each kind of numbers is
// together, and none is stored twice:
//
//     12 numbers per link   L_p, L_q of the body              read forward and backward
//      4                    L_q of joint p                    always
//      3                    D^-1 of joint p, lower triangle   backward
//      6                    D^-1 of the body, likewise        backward, if bodies are given
//
// They begin where the piece of the first link did, which had 29 numbers for each.
#ifndef TRMI_SOLVER_LINEAR_BLOCK_LINK_H
#define TRMI_SOLVER_LINEAR_BLOCK_LINK_H

#include "solver/linear/block.h"
#include "solver/linear/block_kernels.h"

enum { LINK_PIECE = 29, LINK_FACTORS = 25, GROUP = LINK_PIECE * TRMI_BLOCK_LINKS };

typedef struct link_group {
    double *rows, *below, *joint, *body;
} link_group;

KERNEL link_group group_at(double *value, const int links)
{
    return (link_group){value, value + 12 * links, value + 16 * links, value + 19 * links};
}

KERNEL void store_link(link_group g, const int k, rows3 lp, rows3 lq, rows2 l, symmetric2 joint,
                       symmetric3 body)
{
    store_rows3(g.rows + 12 * k, lp);
    store_rows3(g.rows + 12 * k + 6, lq);
    store_rows2(g.below + 4 * k, l);
    memcpy(g.joint + 3 * k, &joint, sizeof joint);
    memcpy(g.body + 6 * k, &body, sizeof body);
}

KERNEL rows2 load_joint(link_group g, const int k)
{
    const double *d = g.joint + 3 * k;
    return (rows2){{d[0], d[1]}, {d[1], d[2]}};
}

KERNEL symmetric3 load_packed3(const double *d)
{
    return (symmetric3){d[0], d[1], d[2], d[3], d[4], d[5]};
}

// Where the unknowns of a group are.
typedef struct link_places {
    int body, joint;           // of the first link: body and joint p
    int next_body, next_joint; // from link to link
} link_places;

KERNEL link_places places_of(const trmi_block *block, const trmi_block_node *first)
{
    const int *row_x = block->row_x + first->row;
    return (link_places){first->x, row_x[0], first->links > 1 ? first[2].x - first->x : 0,
                         row_x[1] - row_x[0]};
}

#endif
