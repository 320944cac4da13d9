// SPDX-License-Identifier: Apache-2.0
// Inputs of equation files are variables of their own with exact rates: the motion is that of the
// formulas put in their place, which definitions are.
#include "models.h"

#include "trammel/trammel.h"

enum { MOST = 8 };

// Kapitza's pendulum in the plane, with a spring to a moving point and a damper to the pivot.
static const char pendulum[] = "trammel: 1\n"
                               "parameters: {lift: 0.05}\n"
                               "equations:\n"
                               "  %s: {pivot: \"lift*sin(50*pi*t)\", point: \"0.3*cos(3*t)\"}\n"
                               "  coordinates: {x: vx, y: vy}\n"
                               "  mass: [1, 1]\n"
                               "  force: [\"-5*(x - point)\", \"-9.81 - 0.2*(vy - d(pivot))\"]\n"
                               "  states: {felt: \"20*(dd(point) - felt)\"}\n"
                               "  constraints: {rod: \"(x^2 + (y - pivot)^2 - 0.25)/2\"}\n"
                               "initial: {values: {x: 0.1, y: 0.48990, vy: \"0.05*50*pi\"}}\n"
                               "simulate: {end: 1}\n"
                               "events: {calm: {when: \"t - 0.5\", set: {lift: \"0.8*lift\"}}}\n";

typedef struct motion {
    double q[MOST], x[MOST];
} motion;

// Constant steps: an error control decides by what roundoff leaves of very short first steps, and
// two runs part there.
static motion run(const char *section, trm_integrator integrator, trm_formulation formulation)
{
    char text[1200];
    snprintf(text, sizeof text, pendulum, section);
    model_case c;
    model_read(&c, text);
    trm_options o = *trm_model_options(c.model);
    o.integrator = integrator;
    o.formulation = formulation;
    o.h_fixed = 5e-4;
    o.rtol = o.atol = 1e-10;
    trm_simulation *s;
    trm_error error;
    if (trm_simulation_create(&s, c.system, &o, trm_instance_initial(c.instance), &error) != TRM_OK)
        fail_msg("%s", error.text);
    assert_int_equal(trm_simulation_watch(s, trm_instance_events(c.instance)), TRM_OK);
    trm_status status;
    while ((status = trm_simulation_run(s, 1)) == TRM_STOP_EVENT)
        assert_int_equal(trm_instance_event(c.instance, s, 0), TRM_OK);
    if (status != TRM_OK)
        fail_msg("%s", trm_simulation_error(s)->text);
    motion m;
    assert_int_equal(trm_simulation_interpolate(s, 1, m.q, NULL, m.x, NULL, NULL), TRM_OK);
    trm_simulation_destroy(s);
    model_close(&c);
    return m;
}

static void test_inputs_move_as_formulas_in_their_place(void **state)
{
    (void)state;
    // 2000 steps of numbers below 1, measured: 2e-15; BDF finds its first points on the grid with
    // error control at a tolerance of 1e-11, which makes 1.2e-10 at the end
    const double ROUNDOFF = 1e-13, START = 1e-9;
    const struct {
        trm_integrator integrator;
        trm_formulation formulation;
        double tolerance;
    } methods[] = {{TRM_INTEGRATOR_BDF, TRM_FORMULATION_CS, START},
                   {TRM_INTEGRATOR_BDF, TRM_FORMULATION_INDEX1_PROJECTED, START},
                   {TRM_INTEGRATOR_RADAU, TRM_FORMULATION_GGL, ROUNDOFF},
                   {TRM_INTEGRATOR_EXPLICIT, TRM_FORMULATION_INDEX1_PROJECTED, ROUNDOFF}};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        motion a = run("inputs", methods[k].integrator, methods[k].formulation);
        motion b = run("define", methods[k].integrator, methods[k].formulation);
        for (int i = 0; i < 2; i++)
            assert_true(fabs(a.q[i] - b.q[i]) < methods[k].tolerance);
        assert_true(fabs(a.x[0] - b.x[0]) < methods[k].tolerance);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs_move_as_formulas_in_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
