// SPDX-License-Identifier: Apache-2.0
// The wish that a run ends, set by a signal handler or another thread and read between steps. 0:
// none.
#ifndef TRMI_BASE_STOP_H
#define TRMI_BASE_STOP_H

#include <stdatomic.h>

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler may only set what needs no lock");
typedef atomic_int trmi_stop;

#endif
