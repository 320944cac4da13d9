// SPDX-License-Identifier: Apache-2.0
// Elastic bodies in the explicit formalism: accelerations, products with M^-1 and derivatives on
// random trees of bodies and beams, against M, f and G of the residual formalism.
#include "models.h"

#include "modelling/multibody/machine.h"
#include "modelling/reader/model.h"

enum { PARTS = 5, TREES = 16 };

// ---- random trees ----

// The text of a model: every part hangs on one before it, or on the ground.
typedef struct writer {
    uint64_t seed;
    int elements[PARTS]; // 0: a rigid body
    double at[PARTS][2]; // its joint, the left end of a beam
    char text[6000];
    size_t length;
} writer;

static void add_text(writer *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    w->length += (size_t)vsnprintf(w->text + w->length, sizeof w->text - w->length, format, list);
    va_end(list);
    assert_true(w->length < sizeof w->text);
}

// 0 .. count - 1
static int choose(writer *w, int count)
{
    int n = (int)((model_noise(&w->seed) + 1) / 2 * count);
    return n < count ? n : count - 1;
}

static void add_part(writer *w, int i)
{
    const double x = model_noise(&w->seed), y = model_noise(&w->seed);
    w->at[i][0] = i + 0.3 * x;
    w->at[i][1] = -0.4 * y;
    w->elements[i] = i % 2 ? choose(w, 4) : 1 + choose(w, 3);
    if (w->elements[i] > 0)
        add_text(
            w,
            "    p%d: {beam: {from: [%.17g, %.17g], to: [%g, %g], elements: %d, modulus: 100,\n"
            "         area: 0.5, inertia: 0.2, density: %g, frame: %s, stiffening: %s}}\n",
            i, w->at[i][0], w->at[i][1], i + 1 + 0.5 * y, 2 * x, w->elements[i], 2 + x,
            choose(w, 3) ? "tangent" : "chord", choose(w, 4) ? "false" : "true");
    else
        add_text(w, "    p%d: {mass: %g, center: [%g, %g], inertia: 0.3}\n", i, 2 + x, i + y, x);
}

static void add_joint(writer *w, int i)
{
    static const char *const kinds[] = {"revolute", "fixed", "prismatic"};
    const char *kind = kinds[choose(w, 3)];
    int on = choose(w, i + 1) - 1;
    char name[20] = "ground";
    if (on >= 0 && w->elements[on] > 0) // an arm leads from the node to the joint
        snprintf(name, sizeof name, "p%d_%d", on, 1 + choose(w, w->elements[on]));
    else if (on >= 0)
        snprintf(name, sizeof name, "p%d", on);
    add_text(w, "    j%d: {%s: {between: [%s, p%d], at: [%.17g, %.17g]%s}}\n", i, kind, name, i,
             w->at[i][0], w->at[i][1], *kind == 'p' ? ", axis: x" : "");
}

static void open_tree(model_case *c, uint64_t seed, bool absolute, bool explicit)
{
    writer w = {.seed = seed};
    add_text(&w, "trammel: 1\n"
                 "mechanism:\n"
                 "  plane: xy\n"
                 "  gravity: [1, -9.81]\n"
                 "  bodies:\n");
    for (int i = 0; i < PARTS; i++)
        add_part(&w, i);
    add_text(&w, "  joints:\n");
    for (int i = 0; i < PARTS; i++)
        add_joint(&w, i);
    add_text(&w, "  forces:\n"
                 "    pull: {spring: {between: [ground, p0_1], from: [3, 3], to: [1, 1], "
                 "stiffness: 5, damping: 2}}\n"
                 "simulate: {end: 1}\n");
    const char *const set[] = {
        absolute ? "mechanism.coordinates=absolute" : "mechanism.coordinates=joint",
        explicit ? "mechanism.formalism=explicit" : "mechanism.formalism=residual", NULL};
    model_try(c, w.text, "m.yaml", set);
    model_instantiate(c);
}

// A random state at which every term counts. Beams bend little: stiffening takes u^T Kg u from
// their inertia, and is made for slopes below 0.3.
static model_point shake(const model_case *c, uint64_t seed)
{
    const trm_system *s = c->system;
    model_point p = model_near(s, trm_instance_initial(c->instance), 0.4, seed);
    for (int i = 0; i < s->n_q; i++) {
        char name[64];
        trm_coordinate_name(s, i, name, sizeof name);
        if (strstr(name, "_w") || strstr(name, "_slope") || strstr(name, "_shift"))
            p.q[i] *= 0.25;
    }
    return p;
}

// ---- comparisons ----

// |M x - y| in units of the terms of the sums
static double misfit(const double *M, const double *x, const double *y, int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double sum = -y[i], size = 1 + fabs(y[i]);
        for (int j = 0; j < n; j++) {
            sum += M[i + n * j] * x[j];
            size += fabs(M[i + n * j] * x[j]);
        }
        worst = fmax(worst, fabs(sum) / size);
    }
    return worst;
}

// f -= G^T lambda, dense
static void subtract_constraints(const trm_system *s, const double *G, const double *lambda,
                                 double *f)
{
    for (int j = 0; j < s->n_q; j++)
        for (int i = 0; i < s->n_g; i++)
            f[j] -= G[i + s->n_g * j] * lambda[i];
}

// phi(lambda) = M^-1 (f - G^T lambda)
static void test_articulated_beam_accelerations_balance_the_forces(void **state)
{
    (void)state;
    int closed = 0;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        model_case c[2];
        for (int i = 0; i < 2; i++)
            open_tree(&c[i], seed, false, i == 1);
        const trm_system *s = c[0].system;
        model_point p = shake(&c[0], seed);
        double *M = model_dense(s, TRM_QUANTITY_MASS, &p),
               *f = model_dense(s, TRM_QUANTITY_FORCE, &p);
        double *G = model_dense(s, TRM_QUANTITY_CONSTRAINT_Q, &p);
        double *phi = model_dense(c[1].system, TRM_QUANTITY_FORCE, &p);
        subtract_constraints(s, G, p.lambda, f);
        subtract_constraints(s, G, p.lambda, phi);
        closed += s->n_g > 0;
        // rounding of two recursions, of the size of the terms
        double found = misfit(M, phi, f, s->n_q);
        if (!(found < 1e-11))
            fail_msg("tree %d: %.3g", (int)seed, found);
        free(M);
        free(f);
        free(G);
        free(phi);
        model_close(&c[0]);
        model_close(&c[1]);
    }
    assert_true(closed > 0 && closed < TREES); // with constraints, and without
}

// The metric is M, and multipliers push along M^-1 G^T: W (G^T - f_lambda) = G^T.
static void test_articulated_beam_metric_is_the_mass(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        model_case c[2];
        for (int i = 0; i < 2; i++)
            open_tree(&c[i], seed, false, i == 1);
        const trm_system *s = c[1].system;
        int n = s->n_q, m = s->n_g;
        model_point p = shake(&c[1], seed);
        assert_true((m > 0) == model_supplies(s, TRM_QUANTITY_METRIC));
        for (int k = 0; k < m; k++) {
            double *M = model_dense(c[0].system, TRM_QUANTITY_MASS, &p);
            double *W = model_dense(s, TRM_QUANTITY_METRIC, &p),
                   *G = model_dense(s, TRM_QUANTITY_CONSTRAINT_Q, &p);
            double *L = model_dense(s, TRM_QUANTITY_FORCE_LAMBDA, &p), push[MODEL_LARGEST];
            assert_memory_equal(M, W, (size_t)(n * n) * sizeof *M);
            double row[MODEL_LARGEST];
            for (int j = 0; j < n; j++) {
                row[j] = G[k + m * j];
                push[j] = row[j] - L[j + n * k];
            }
            assert_true(misfit(W, push, row, n) < 1e-11); // as above
            free(M);
            free(W);
            free(G);
            free(L);
        }
        model_close(&c[0]);
        model_close(&c[1]);
    }
}

// M D = D and M (K + N) = K + N with the explicit formalism on the left, the residual one at a =
// phi on the right, whose derivatives are compared with differences in test_flexible.c.
static void test_articulated_beam_derivatives_are_those_of_the_residual(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        model_case c[2];
        for (int i = 0; i < 2; i++)
            open_tree(&c[i], seed, false, i == 1);
        const trm_system *s = c[0].system;
        const int n = s->n_q;
        model_point p = shake(&c[0], seed);
        double *M = model_dense(s, TRM_QUANTITY_MASS, &p),
               *G = model_dense(s, TRM_QUANTITY_CONSTRAINT_Q, &p);
        double *phi = model_dense(c[1].system, TRM_QUANTITY_FORCE, &p);
        double *N = model_dense(s, TRM_QUANTITY_GEOMETRIC, &p), *D[2], *K[2];
        subtract_constraints(s, G, p.lambda, phi);
        memcpy(p.a, phi, (size_t)n * sizeof *phi);
        for (int i = 0; i < 2; i++) {
            D[i] = model_dense(c[i].system, TRM_QUANTITY_DAMPING, &p);
            K[i] = model_dense(c[i].system, TRM_QUANTITY_STIFFNESS, &p);
            for (int k = 0; k < n * n; k++)
                K[i][k] += N[k];
        }
        for (int j = 0; j < n; j++) { // as above
            assert_true(misfit(M, D[1] + n * j, D[0] + n * j, n) < 1e-11);
            assert_true(misfit(M, K[1] + n * j, K[0] + n * j, n) < 1e-11);
        }
        double *all[] = {M, G, phi, N, D[0], D[1], K[0], K[1]};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            free(all[i]);
        model_close(&c[0]);
        model_close(&c[1]);
    }
}

// The recursion itself, also over the columns of absolute coordinates, where every body and every
// beam is a tree: q'' from the forces, and x := M^-1 x.
static void test_articulated_beam_recursion_inverts_the_mass(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * TREES; i++) {
        model_case c;
        open_tree(&c, (uint64_t)i / 2 + 1, i % 2, false);
        const trm_system *s = c.system;
        model_point p = shake(&c, (uint64_t)i + 1);
        double *M = model_dense(s, TRM_QUANTITY_MASS, &p),
               *f = model_dense(s, TRM_QUANTITY_FORCE, &p);
        trmi_machine_work *work = c.instance->machine;
        const trmi_machine *machine = work->machine;
        trmi_memory memory;
        trmi_recursion r;
        trmi_memory_init(&memory, NULL);
        assert_true(trmi_recursion_create(&r, &memory, &work->kinematics));
        assert_true(trmi_recursion_create_explicit(&r, &memory, &machine->bendings));
        const trm_state view = model_view(&p);
        double force[MODEL_LARGEST], a[MODEL_LARGEST], x[MODEL_LARGEST];
        int singular;
        trmi_kinematics_move(&work->kinematics, &view);
        assert_int_equal(trmi_machine_load(work, &view), 0);
        trmi_bendings_resist(&machine->bendings, &work->bending, &work->kinematics, work->applied,
                             work->effort);
        for (int k = 0; k < machine->tree->columns; k++) // none is driven
            force[machine->tree->column[k].coordinate] = work->effort[k];
        assert_true(trmi_recursion_explicit(&r, &view, force, work->applied, a, &singular));
        assert_true(misfit(M, a, f, s->n_q) < 1e-11); // as above
        memcpy(x, p.a, sizeof x);
        trmi_recursion_solve(&r, x);
        assert_true(misfit(M, x, p.a, s->n_q) < 1e-11);
        trmi_memory_release_all(&memory);
        free(M);
        free(f);
        model_close(&c);
    }
}

// In absolute coordinates, where M falls into blocks of bodies, the formalisms are one.
static void test_articulated_beam_absolute_formalisms_are_one(void **state)
{
    (void)state;
    model_case c[2];
    double *f[2];
    for (int i = 0; i < 2; i++) {
        open_tree(&c[i], 3, true, i == 1);
        model_point p = shake(&c[i], 1);
        f[i] = model_dense(c[i].system, TRM_QUANTITY_FORCE, &p);
    }
    assert_memory_equal(f[0], f[1], (size_t)c[0].system->n_q * sizeof **f);
    for (int i = 0; i < 2; i++) {
        free(f[i]);
        model_close(&c[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_articulated_beam_accelerations_balance_the_forces),
        cmocka_unit_test(test_articulated_beam_metric_is_the_mass),
        cmocka_unit_test(test_articulated_beam_derivatives_are_those_of_the_residual),
        cmocka_unit_test(test_articulated_beam_recursion_inverts_the_mass),
        cmocka_unit_test(test_articulated_beam_absolute_formalisms_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
