// SPDX-License-Identifier: Apache-2.0
// A clock that only goes forward.
#ifndef TRMI_BASE_CLOCK_H
#define TRMI_BASE_CLOCK_H

// Seconds since some fixed moment.
double trmi_clock_seconds(void);
// CPU time of this thread in seconds; on a machine with other work it passes more slowly.
double trmi_cpu_seconds(void);

#endif
