// SPDX-License-Identifier: Apache-2.0
// What systems warn of: once each, with the time, and nothing without a log.
#include "fail/fail.h"
#include "models.h"

#include <stdio.h>
#include <string.h>

// A particle that flies at unit speed, and how often it was asked and the log was written.
typedef struct particle {
    int asked, warned;
    char text[200];
} particle;

static int mass(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 1;
    return 0;
}

static int force(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 0;
    return 0;
}

// warning 0 beyond 0.5, warning 1 beyond 5
static int warning(const trm_state *s, int number, char *text, size_t size, void *user)
{
    ((particle *)user)->asked++;
    snprintf(text, size, "the particle is at %.1f", s->q[0]);
    return s->q[0] > (number ? 5 : 0.5);
}

static void collect(trm_log_level level, const char *text, void *user)
{
    particle *p = user;
    if (level != TRM_LOG_WARNING)
        return;
    p->warned++;
    snprintf(p->text, sizeof p->text, "%s", text);
}

static trm_system particle_system(particle *p)
{
    return (trm_system){.n_q = 1,
                        .function = {[TRM_QUANTITY_MASS] = mass, [TRM_QUANTITY_FORCE] = force},
                        .n_warnings = 2,
                        .warning = warning,
                        .user = p};
}

static void fly(particle *p, bool logged)
{
    static const double q[] = {0}, v[] = {1};
    const trm_system system = particle_system(p);
    const trm_initial start = {.q = q, .v = v};
    trm_options o = trm_options_default();
    trm_simulation *s;
    trm_error error;
    o.h_max = 0.1;
    o.log = logged ? collect : NULL;
    o.user = p;
    assert_int_equal(trm_simulation_create(&s, &system, &o, &start, &error), TRM_OK);
    assert_int_equal(trm_simulation_run(s, 2), TRM_OK);
    trm_simulation_destroy(s);
}

static void test_warnings_are_reported_once(void **state)
{
    (void)state;
    particle p = {0};
    fly(&p, true);
    assert_int_equal(p.warned, 1);
    // steps of 0.1 at most: the first one beyond 0.5 ends at 0.6 or before
    double t = 0;
    assert_int_equal(sscanf(p.text, "t = %lf: the particle is at", &t), 1);
    assert_true(t > 0.5 && t < 0.6 + 1e-6);
    // 20 steps at least, and the first warning is not asked for any more after its 5 or so
    assert_true(p.asked >= 25);
}

static void test_warnings_without_a_log_are_not_asked_for(void **state)
{
    (void)state;
    particle p = {0};
    fly(&p, false);
    assert_int_equal(p.asked, 0);
}

static void test_warnings_without_callback_are_refused(void **state)
{
    (void)state;
    particle p = {0};
    trm_system system = particle_system(&p);
    system.warning = NULL;
    assert_refused(&system, NULL, NULL, TRM_ERR_SYSTEM, "n_warnings = 2, but warning is NULL");
    system.warning = warning;
    system.n_warnings = -1;
    assert_refused(&system, NULL, NULL, TRM_ERR_SYSTEM, "n_warnings = -1");
}

// x' is driven to 1 from both sides: steps at the limit of roundoff, of which there are more than
// max_steps. The sine beside it has as many steps as are allowed, of the length that it needs.
static void test_warnings_of_a_pace_that_comes_to_no_end(void **state)
{
    (void)state;
    static const char *const force[] = {"if(v > 1, -5, 5)", "-x"};
    for (int k = 0; k < 2; k++) {
        char text[200];
        particle p = {0};
        double t = 0;
        model_case c;
        snprintf(text, sizeof text,
                 "trammel: 1\nequations: {coordinates: {x: v}, mass: [1], force: [\"%s\"]}\n"
                 "simulate: {end: 10}\ninitial: {values: {x: 1}}\n",
                 force[k]);
        model_read(&c, text);
        trm_options o = trm_options_default();
        o.log = collect;
        o.user = &p;
        o.h_max = k == 0 ? o.h_max : 10.0 / 40000;
        trm_simulation *s;
        assert_int_equal(
            trm_simulation_create(&s, c.system, &o, trm_instance_initial(c.instance), &c.error),
            TRM_OK);
        while (trm_simulation_statistics(s)->steps < 40000 && t < 10)
            assert_int_equal(trm_simulation_step(s, 10, &t), TRM_OK);
        assert_int_equal(p.warned, k == 0);
        if (k == 0)
            assert_non_null(strstr(p.text, "s, at which max_steps = 10000000 end at t = "));
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_warnings_are_reported_once),
        cmocka_unit_test(test_warnings_without_a_log_are_not_asked_for),
        cmocka_unit_test(test_warnings_without_callback_are_refused),
        cmocka_unit_test(test_warnings_of_a_pace_that_comes_to_no_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
