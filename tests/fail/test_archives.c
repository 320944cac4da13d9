// SPDX-License-Identifier: Apache-2.0
// Archives of simulations whose checksum fits, with a number in them that no run writes: not a
// number, beyond all bounds, counters at the end of their range. They are refused, or the
// simulation goes on in some way; none crashes or hangs, and sanitizers find nothing.
#include "base/hash.h"
#include "fail/fail.h"

#include <limits.h>
#include <stdlib.h>

// calls of callbacks after which STEPS steps hang (they take some hundred); bytes of a header
enum { HANGS = 1000000, STEPS = 3, HEADER = 48 };

typedef struct counted {
    int calls;
} counted;

static void count(void *user)
{
    counted *c = user;
    if (c->calls++ > HANGS)
        fail_msg("no end");
}

static int mass(const trm_state *s, double *out, void *user)
{
    (void)s;
    count(user);
    out[0] = out[1] = 1;
    return 0;
}

static int force(const trm_state *s, double *out, void *user)
{
    count(user);
    out[0] = s->x[0];
    out[1] = -9.81;
    return 0;
}

static int circle(const trm_state *s, double *out, void *user)
{
    count(user);
    out[0] = 0.5 * (s->q[0] * s->q[0] + s->q[1] * s->q[1] - 1);
    return 0;
}

static int rate(const trm_state *s, double *out, void *user)
{
    count(user);
    out[0] = s->q[0] - s->x[0];
    return 0;
}

static int crossing(const trm_state *s, double *out, void *user)
{
    count(user);
    out[0] = s->q[0] - 0.9;
    return 0;
}

// what is archived depends on
typedef struct variant {
    trm_integrator integrator;
    trm_control control;
    trm_formulation formulation;
    trm_solver solver;
} variant;

static const variant variants[] = {
#define INTEGRATOR(name, ...) {.integrator = (name)},
    TRM_INTEGRATOR_LIST(INTEGRATOR)
#undef INTEGRATOR
        {.control = TRM_CONTROL_CLASSIC},
    {.control = TRM_CONTROL_CLASSIC, .solver = TRM_SOLVER_SPARSE},
    {.formulation = TRM_FORMULATION_GGL},
    {.solver = TRM_SOLVER_SPARSE},
    {.integrator = TRM_INTEGRATOR_RADAU, .solver = TRM_SOLVER_SPARSE},
    {.integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE, .solver = TRM_SOLVER_SPARSE},
    {.integrator = TRM_INTEGRATOR_EXPLICIT, .solver = TRM_SOLVER_SPARSE},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

// a pendulum with a state and an event, on its way
static trm_simulation *swing(const variant *v, counted *c)
{
    static trm_system system;
    static trm_events events;
    const trm_initial initial = {.q = (double[]){1, 0}};
    trm_options options = trm_options_default();
    system = (trm_system){.n_q = 2,
                          .n_x = 1,
                          .n_g = 1,
                          .function = {[TRM_QUANTITY_MASS] = mass,
                                       [TRM_QUANTITY_FORCE] = force,
                                       [TRM_QUANTITY_CONSTRAINT] = circle,
                                       [TRM_QUANTITY_RATE] = rate},
                          .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}},
                          .user = c};
    events = (trm_events){.count = 1, .function = crossing, .user = c};
    options.integrator = v->integrator;
    options.control = v->control;
    options.formulation = v->formulation;
    options.linear_solver = v->solver;
    trm_simulation *s = create(&system, &options, &initial);
    assert_int_equal(trm_simulation_watch(s, &events), TRM_OK);
    assert_int_equal(trm_simulation_run(s, 0.5), TRM_STOP_EVENT);
    assert_int_equal(trm_simulation_run(s, 0.5), TRM_OK);
    return s;
}

// The header of an archive ends with the hash of what follows (base/archive.c).
static void seal(unsigned char *bytes, size_t size)
{
    uint64_t hash = trmi_hash(TRMI_HASH, bytes + HEADER, size - HEADER);
    memcpy(bytes + HEADER - sizeof hash, &hash, sizeof hash);
}

// whether it was loaded
static bool load_and_go_on(trm_simulation *s, unsigned char *bytes, size_t size)
{
    seal(bytes, size);
    if (trm_simulation_load(s, bytes, size) != TRM_OK)
        return false;
    for (int k = 0; k < STEPS; k++)
        trm_simulation_step(s, 0.6, NULL);
    trm_simulation_trust(s);
    return true;
}

// A simulation on its way, its archive, and a copy of that to be changed.
typedef struct original {
    counted counted;
    trm_simulation *simulation;
    size_t size;
    unsigned char *good, *bytes;
    int loaded, refused;
} original;

static void begin(original *o, const variant *v)
{
    *o = (original){0};
    o->simulation = swing(v, &o->counted);
    o->size = trm_simulation_save(o->simulation, NULL, 0);
    o->good = malloc(o->size);
    o->bytes = malloc(o->size);
    assert_true(o->good && o->bytes);
    assert_int_equal(trm_simulation_save(o->simulation, o->good, o->size), o->size);
    memcpy(o->bytes, o->good, o->size);
}

static void change(original *o, size_t place, const void *value, size_t width)
{
    if (place + width <= o->size)
        memcpy(o->bytes + place, value, width);
}

static void try_changed(original *o)
{
    o->counted.calls = 0;
    bool loaded = load_and_go_on(o->simulation, o->bytes, o->size);
    o->loaded += loaded;
    o->refused += !loaded;
    memcpy(o->bytes, o->good, o->size);
}

// nothing of all that is left
static void end(original *o)
{
    assert_true(o->loaded > 0 && o->refused > 0);
    assert_int_equal(trm_simulation_load(o->simulation, o->good, o->size), TRM_OK);
    assert_int_equal(trm_simulation_run(o->simulation, 0.6), TRM_OK);
    free(o->good);
    free(o->bytes);
    trm_simulation_destroy(o->simulation);
}

// A number of the environment, with which the test takes all cases, or those of an hour.
static int given_or(const char *name, int preset)
{
    const char *given = getenv(name);
    return given && atoi(given) > 0 ? atoi(given) : preset;
}

static const double numbers[] = {NAN,  INFINITY, -INFINITY, 1e308, -1e308, 0,
                                 -0.0, 5e-324,   1e20,      -1e-3, 1e9,    1e-9};
static const int integers[] = {INT_MAX, INT_MAX - 1, INT_MAX / 4, INT_MIN, -1, 0, 1};
static const long longs[] = {LONG_MAX, LONG_MAX - 1, LONG_MAX / 4, LONG_MIN};
enum {
    NUMBERS = sizeof numbers / sizeof *numbers,
    INTEGERS = sizeof integers / sizeof *integers,
    LONGS = sizeof longs / sizeof *longs,
    VALUES = NUMBERS + INTEGERS + LONGS
};

static void change_to(original *o, size_t place, int k)
{
    if (k < NUMBERS)
        change(o, place, &numbers[k], sizeof *numbers);
    else if (k < NUMBERS + INTEGERS)
        change(o, place, &integers[k - NUMBERS], sizeof *integers);
    else
        change(o, place, &longs[k - NUMBERS - INTEGERS], sizeof *longs);
}

// Numbers lie behind each other without gaps: every 14th byte, or all even ones (ARCHIVE_STRIDE=2).
static void test_archives_with_an_absurd_number_do_not_crash(void **state)
{
    (void)state;
    const size_t stride = (size_t)given_or("ARCHIVE_STRIDE", 14);
    for (int i = 0; i < VARIANTS; i++) {
        original o;
        begin(&o, &variants[i]);
        for (size_t place = HEADER; place < o.size; place += stride)
            for (int k = 0; k < VALUES; k++) {
                change_to(&o, place, k);
                try_changed(&o);
            }
        end(&o);
    }
}

// 2 to 5 of them at once, in random places
static void test_archives_with_absurd_numbers_do_not_crash(void **state)
{
    (void)state;
    const int cases = given_or("ARCHIVE_CASES", 1000);
    uint32_t random = (uint32_t)given_or("ARCHIVE_SEED", 1);
#define DRAW(n) (random = random * 1664525 + 1013904223, (random >> 8) % (uint32_t)(n))
    for (int i = 0; i < VARIANTS; i++) {
        original o;
        begin(&o, &variants[i]);
        for (int k = 0; k < cases; k++) {
            for (int left = 2 + (int)DRAW(4); left > 0; left--) {
                size_t place = HEADER + 2 * (size_t)DRAW((o.size - HEADER) / 2);
                change_to(&o, place, (int)DRAW(VALUES));
            }
            try_changed(&o);
        }
        end(&o);
    }
#undef DRAW
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archives_with_an_absurd_number_do_not_crash),
        cmocka_unit_test(test_archives_with_absurd_numbers_do_not_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
