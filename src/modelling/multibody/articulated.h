// SPDX-License-Identifier: Apache-2.0
// Articulated inertias: what a body and all that hangs on it by free columns weighs against an
// acceleration of the body. [aa, al; al^T, ll], aa and ll symmetric.
#ifndef TRMI_MODELLING_MULTIBODY_ARTICULATED_H
#define TRMI_MODELLING_MULTIBODY_ARTICULATED_H

#include "base/space.h"

typedef struct trmi_articulated {
    trmi_m3 aa, al, ll;
} trmi_articulated;

// A m
static inline trmi_wrench trmi_articulated_times(const trmi_articulated *A, trmi_motion m)
{
    return (trmi_wrench){trmi_v3_add(trmi_m3_times(A->aa, m.w), trmi_m3_times(A->al, m.v)),
                         trmi_v3_add(trmi_m3_tr_times(A->al, m.w), trmi_m3_times(A->ll, m.v))};
}

// A + c f f^T
static inline trmi_articulated trmi_articulated_update(const trmi_articulated *A, double c,
                                                       trmi_wrench f)
{
    return (trmi_articulated){trmi_m3_axpy(A->aa, c, trmi_m3_outer(f.n, f.n)),
                              trmi_m3_axpy(A->al, c, trmi_m3_outer(f.n, f.f)),
                              trmi_m3_axpy(A->ll, c, trmi_m3_outer(f.f, f.f))};
}

static inline void trmi_articulated_add(trmi_articulated *to, const trmi_articulated *A)
{
    to->aa = trmi_m3_axpy(to->aa, 1, A->aa);
    to->al = trmi_m3_axpy(to->al, 1, A->al);
    to->ll = trmi_m3_axpy(to->ll, 1, A->ll);
}

#endif
