// SPDX-License-Identifier: Apache-2.0
// Where bodies touch: the distance against a search over both cores, and all derivatives against
// differences, for boxes, plates, capsules, spheres and rims in random positions.
#include "framework.h"

#include "modelling/multibody/rows/touch.h"

#include <math.h>

static uint64_t seed = 1;

static double between(double low, double high)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static trmi_v3 random_vector(double size)
{
    double x = between(-size, size), y = between(-size, size);
    return (trmi_v3){x, y, between(-size, size)};
}

// the view after B has moved by (w, v) against A
static trmi_view moved(const trmi_view *view, trmi_v3 w, trmi_v3 v)
{
    trmi_view out = *view;
    trmi_m3 R = trmi_quaternion_matrix(trmi_quaternion_exp(w));
    out.d = trmi_v3_add(view->d, v);
    for (int i = 0; i < 3; i++)
        out.w[i] = trmi_m3_times(R, view->w[i]);
    return out;
}

// distance of the cores by trying points of the line; the nearest point of a box is known
static double searched(const trmi_view *view)
{
    const trmi_form *f = view->data;
    trmi_v3 w = {0, 0, 0};
    double best = HUGE_VAL;
    for (int i = 0; i < 3; i++)
        w = trmi_v3_axpy(w, trmi_component(f->axis_b, i), view->w[i]);
    for (int k = -2000; k <= 2000; k++) {
        trmi_v3 z = trmi_v3_axpy(view->d, k / 2000.0 * f->half_b, w);
        double square = 0;
        for (int i = 0; i < 3; i++) {
            double over = fmax(fabs(trmi_v3_dot(z, view->u[i])) - f->half[i], 0);
            square += over * over;
        }
        best = fmin(best, square);
    }
    return sqrt(best);
}

static void check_near(const char *what, double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%s: %.12g instead of %.12g", what, value, wanted);
}

static double entry(trmi_v3 v, int i)
{
    return trmi_component(v, i);
}

// dp, dn, dc along the six motions of B, by central differences: error h^2, roundoff 1e-16/h
static void check_derivatives(const trmi_view *view)
{
    const double h = 1e-6, enough = 2e-7;
    const trmi_form *form = view->data;
    trmi_touch at, plus, minus;
    form->find(view, &at);
    for (int k = 0; k < 6; k++) {
        double unit[6] = {0};
        unit[k] = h;
        trmi_v3 w = trmi_v3_of(unit), v = trmi_v3_of(unit + 3);
        trmi_view a = moved(view, w, v);
        trmi_view b = moved(view, trmi_v3_scale(-1, w), trmi_v3_scale(-1, v));
        form->find(&a, &plus);
        form->find(&b, &minus);
        trmi_v3 arm = trmi_v3_add(v, trmi_v3_cross(w, at.c));
        check_near("p", (plus.p - minus.p) / (2 * h), trmi_v3_dot(at.n, arm) / h, enough);
        trmi_v3 dn = trmi_v3_add(trmi_m3_times(at.n_w, w), trmi_m3_times(at.n_v, v));
        trmi_v3 dc = trmi_v3_add(trmi_m3_times(at.c_w, w), trmi_m3_times(at.c_v, v));
        trmi_v3 P = trmi_v3_scale(2, v); // c is given from the marker, which moves
        for (int i = 0; i < 3; i++) {
            check_near("n", (entry(plus.n, i) - entry(minus.n, i)) / (2 * h), entry(dn, i) / h,
                       enough * 20);
            check_near("c", (entry(plus.c, i) - entry(minus.c, i) + entry(P, i)) / (2 * h),
                       entry(dc, i) / h, enough * 20);
        }
    }
}

static trmi_view random_view(const trmi_form *form)
{
    trmi_view view = {.d = random_vector(1), .data = form};
    trmi_m3 A = trmi_quaternion_matrix(trmi_quaternion_exp(random_vector(2)));
    trmi_m3 B = trmi_quaternion_matrix(trmi_quaternion_exp(random_vector(2)));
    for (int i = 0; i < 3; i++) {
        view.u[i] = trmi_m3_column(A, i);
        view.w[i] = trmi_m3_column(B, i);
    }
    return view;
}

static void test_touch_cores_are_nearest_with_exact_derivatives(void **state)
{
    (void)state;
    static const double half[][3] = {{0, 0, 0}, {0.4, 0, 0}, {0.4, 0.3, 0}, {0.4, 0.3, 0.2}};
    for (int k = 0; k < 400; k++) {
        trmi_form form = {.find = trmi_touch_cores, .radius = 0.1, .radius_b = 0.05};
        trmi_v3 axis = random_vector(1);
        memcpy(form.half, half[k % 4], sizeof form.half);
        form.axis_b = trmi_v3_scale(1 / trmi_v3_length(axis), axis);
        form.half_b = k % 8 < 4 ? 0 : 0.5;
        trmi_view view = random_view(&form);
        trmi_touch at;
        trmi_touch_cores(&view, &at);
        // points of the line are 2.5e-4 apart; squared distances are off by that squared
        if (at.p > -0.15 + 0.05) {
            check_near("distance", at.p + 0.15, searched(&view), 1e-5);
            check_derivatives(&view);
        }
    }
}

static void test_touch_inside_a_box_leaves_by_the_nearest_face(void **state)
{
    (void)state;
    trmi_form form = {.find = trmi_touch_cores, .half = {0.5, 0.4, 0.3}, .radius_b = 0.1};
    trmi_view view = {.d = {0.1, -0.35, 0.1},
                      .u = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                      .w = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                      .data = &form};
    trmi_touch at;
    trmi_touch_cores(&view, &at);
    check_near("depth", at.p, -0.05 - 0.1, 1e-15);
    check_near("normal", at.n.y, -1, 0);
    check_derivatives(&view);
}

static void test_touch_parallel_capsules_meet_in_the_middle(void **state)
{
    (void)state;
    trmi_form form = {.find = trmi_touch_cores,
                      .half = {0.5, 0, 0},
                      .radius = 0.1,
                      .radius_b = 0.1,
                      .axis_b = {1, 0, 0},
                      .half_b = 0.5};
    trmi_view view = {.d = {0.2, 0, 0.3},
                      .u = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                      .w = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                      .data = &form};
    trmi_touch at;
    trmi_touch_cores(&view, &at);
    // the lines overlap from -0.3 to 0.5: middle 0.1, from the marker -0.1
    check_near("place", at.c.x, -0.1, 1e-12);
    check_near("gap", at.p, 0.1, 1e-15);
}

static void test_touch_rim_has_exact_derivatives(void **state)
{
    (void)state;
    for (int k = 0; k < 100; k++) {
        trmi_v3 axis = random_vector(1);
        trmi_form form = {.find = trmi_touch_rim, .radius_b = 0.3};
        form.axis_b = trmi_v3_scale(1 / trmi_v3_length(axis), axis);
        trmi_view view = random_view(&form);
        check_derivatives(&view);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_touch_cores_are_nearest_with_exact_derivatives),
        cmocka_unit_test(test_touch_inside_a_box_leaves_by_the_nearest_face),
        cmocka_unit_test(test_touch_parallel_capsules_meet_in_the_middle),
        cmocka_unit_test(test_touch_rim_has_exact_derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
