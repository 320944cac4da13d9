// SPDX-License-Identifier: Apache-2.0
// A ball that bounces: a small model with a parameter, an output and an event.
#ifndef FAIL_BALL_H
#define FAIL_BALL_H

static const char text[] = "trammel: 1\n"
                           "parameters: {b: 0.8}\n"
                           "equations: {coordinates: {y: vy}, mass: [1], force: [-9.81]}\n"
                           "initial: {values: {y: 1}}\n"
                           "simulate: {end: 1.5}\n"
                           "outputs: {o: \"y*2\"}\n"
                           "events:\n"
                           "  hit: {when: y, direction: falling, set: {vy: -b*vy}}\n";

#endif
