// SPDX-License-Identifier: Apache-2.0
// A function on an interval, known at the five points of Gauss and Lobatto's formula: its integral,
// which is exact for degree 7, how well the points resolve it, and where it is largest.
#ifndef TRMI_PROGRAM_RUN_LOBATTO_H
#define TRMI_PROGRAM_RUN_LOBATTO_H

enum { TRMI_LOBATTO_POINTS = 5, TRMI_LOBATTO_MORE = 6 };

// The points of an interval.
void trmi_lobatto_points(double from, double to, double t[TRMI_LOBATTO_POINTS]);

// What the values show of the function.
typedef struct trmi_lobatto {
    double mean;  // integral by length
    double error; // of the mean, estimated
    double bend;  // by how much it differs from a straight line
    double decay; // of the terms of its series, from degree n to n + 2; 1: it is not resolved
} trmi_lobatto;

trmi_lobatto trmi_lobatto_judge(const double y[TRMI_LOBATTO_POINTS]);

// What the polynomial may be off by, where its series falls.
double trmi_lobatto_miss(const trmi_lobatto *lobatto);

// Where to test whether a polynomial that is highest at a point, or with sign -1 lowest, is the
// function: half way to the higher one of its neighbours.
double trmi_lobatto_test(const double t[TRMI_LOBATTO_POINTS], const double y[TRMI_LOBATTO_POINTS],
                         double sign);

// A polynomial through points of any order: Newton's form.
typedef struct trmi_newton_form {
    int count;
    double t[TRMI_LOBATTO_POINTS + TRMI_LOBATTO_MORE], d[TRMI_LOBATTO_POINTS + TRMI_LOBATTO_MORE];
} trmi_newton_form;

// Adds a point, which must differ from the others and fit into the arrays.
void trmi_newton_form_add(trmi_newton_form *form, double t, double y);
double trmi_newton_form_value(const trmi_newton_form *form, double t);
// Where it is largest between two times, to the root of roundoff.
double trmi_newton_form_top(const trmi_newton_form *form, double from, double to);

#endif
