// SPDX-License-Identifier: Apache-2.0
// The end of the wheel set's run in the test set.
#ifndef TESTS_WHEELSET_H
#define TESTS_WHEELSET_H

#include "models.h"

// The published state at t = 10.
static const model_point published_end = {
    .t = 10,
    .q = {0.86355386965811e-2, 0.13038281022727e-4, -0.93635784016818e-4, -0.13642299804033e-1,
          0.15292895005422e-2},
    .v = {-0.76985374142666e-1, -0.25151106429207e-3, 0.20541188079539e-2, -0.23904837703692,
          -0.13633468454173e-1},
    .x = {-0.24421377661131},
    .z = {0.37839614386969e-3, 0.14173214964613, -0.33666751972196e-3, -0.15949425684022},
    .lambda = {101.240449032010, 56.285630573753}};

#endif
