// SPDX-License-Identifier: Apache-2.0
// Checkpoints: a run that is saved, destroyed, created anew and loaded goes on bit for bit. Bytes
// that do not fit are refused and change nothing.
#include "unit/cases.h"

#include "base/archive.h"
#include "solver/integrator/simulation.h"

// ---- the visitor itself ----

typedef struct thing {
    double x[3];
    int n;
    bool yes;
    long many;
    int order[2];
} thing;

static void archive_thing(thing *t, trmi_archive *a)
{
    trmi_archive_doubles(a, t->x, 3);
    trmi_archive_int(a, &t->n, 0, 10);
    trmi_archive_bool(a, &t->yes);
    trmi_archive_long(a, &t->many);
    trmi_archive_indices(a, t->order, 2, 2);
}

static size_t save_thing(thing *t, void *buffer, size_t size)
{
    trmi_archive a = trmi_archive_save(buffer, size);
    archive_thing(t, &a);
    return trmi_archive_end(&a, 5);
}

static void test_archive_what_is_saved_is_loaded(void **state)
{
    (void)state;
    thing t = {{1, NAN, -0.0}, 7, true, 1L << 40, {1, 0}}, back = {0};
    unsigned char bytes[200];
    size_t size = save_thing(&t, NULL, 0);
    assert_true(size <= sizeof bytes);
    memset(bytes, 0xee, sizeof bytes);
    assert_int_equal(save_thing(&t, bytes, size - 1), size); // too small: the size, nothing beyond
    assert_int_equal(bytes[size - 1], 0xee);
    assert_int_equal(save_thing(&t, bytes, sizeof bytes), size);
    assert_int_equal(bytes[size], 0xee);
    trmi_archive a;
    trm_error error;
    assert_status(trmi_archive_load(&a, bytes, size, 5, &error), TRM_OK, &error);
    archive_thing(&back, &a);
    assert_int_equal(a.status, TRM_OK);
    assert_int_equal(a.at, size);
    assert_memory_equal(t.x, back.x, sizeof t.x);
    assert_true(back.n == 7 && back.yes && back.many == 1L << 40 && back.order[0] == 1);
}

// FNV-1a, 64 bits, of "foobar": from the reference table of the algorithm
static void test_archive_hash_is_fnv1a(void **state)
{
    (void)state;
    assert_true(trmi_hash(TRMI_HASH, "foobar", 6) == UINT64_C(0x85944171f73967e8));
    assert_true(trmi_hash(TRMI_HASH, "", 0) == UINT64_C(0xcbf29ce484222325));
}

static void test_archive_numbers_outside_their_range_are_not_taken(void **state)
{
    (void)state;
    thing t = {{1, 2, 3}, 11, true, 1, {0, 1}}, back = {.n = 4};
    unsigned char bytes[200];
    size_t size = save_thing(&t, bytes, sizeof bytes);
    trmi_archive a;
    trm_error error;
    assert_status(trmi_archive_load(&a, bytes, size, 5, &error), TRM_OK, &error);
    archive_thing(&back, &a);
    assert_int_equal(a.status, TRM_ERR_RANGE);
    assert_int_equal(back.n, 4);
    // and a visit longer than the bytes ends there
    assert_status(trmi_archive_load(&a, bytes, size, 5, &error), TRM_OK, &error);
    double much[100] = {0};
    trmi_archive_doubles(&a, much, 100);
    assert_int_equal(a.status, TRM_ERR_RANGE);
    assert_true(much[0] == 0);
}

// ---- checkpoints of simulations ----

typedef struct checkpoint {
    unsigned char *bytes;
    size_t size;
} checkpoint;

static checkpoint save(trm_simulation *s)
{
    checkpoint c = {.size = trm_simulation_save(s, NULL, 0)};
    c.bytes = malloc(c.size);
    assert_non_null(c.bytes);
    assert_int_equal(trm_simulation_save(s, c.bytes, c.size), c.size);
    return c;
}

// another process: the simulation is destroyed and created anew
static trm_simulation *reopen(const trial_case *c, trm_simulation *s, const trm_events *events)
{
    checkpoint point = save(s);
    trm_simulation_destroy(s);
    s = create(&c->system, &c->options, &c->initial);
    assert_int_equal(trm_simulation_watch(s, events), TRM_OK);
    assert_status(trm_simulation_load(s, point.bytes, point.size), TRM_OK, trm_simulation_error(s));
    checkpoint again = save(s); // the same bytes once more
    assert_int_equal(again.size, point.size);
    assert_memory_equal(again.bytes, point.bytes, point.size);
    free(point.bytes);
    free(again.bytes);
    return s;
}

// everything that is saved of both has the same bits
static void assert_same_checkpoint(const trial_case *c, trm_simulation *a, trm_simulation *b)
{
    checkpoint x = save(a), y = save(b);
    if (x.size != y.size || memcmp(x.bytes, y.bytes, x.size) != 0)
        fail_msg("%s: the checkpoints differ at t = %g", c->name, trm_simulation_state(a)->t);
    free(x.bytes);
    free(y.bytes);
}

static void check_steps(const trial *a, double rtol, double atol, int every)
{
    trial_case c = open_trial(a);
    c.options.rtol = rtol;
    c.options.atol = atol;
    trm_simulation *plain = create(&c.system, &c.options, &c.initial);
    trm_simulation *s = create(&c.system, &c.options, &c.initial);
    s = reopen(&c, s, NULL);
    assert_same_run(&c, plain, s);
    double t = 0;
    for (int step = 1; t < c.end; step++) {
        assert_status(trm_simulation_step(plain, c.end, &t), TRM_OK, trm_simulation_error(plain));
        assert_status(trm_simulation_step(s, c.end, NULL), TRM_OK, trm_simulation_error(s));
        if (step % every == 0)
            s = reopen(&c, s, NULL);
        assert_same_run(&c, plain, s);
        if (step % 5 == 0)
            assert_same_checkpoint(&c, plain, s);
    }
    assert_int_equal(trm_simulation_trust(plain), trm_simulation_trust(s));
    trm_simulation_destroy(plain);
    trm_simulation_destroy(s);
    close_trial(&c);
}

static void test_archive_goes_on_bit_for_bit(void **state)
{
    (void)state;
    for (int k = 0; k < TRIALS; k++) {
        check_steps(&trials[k], 1e-6, 1e-8, 1);
        check_steps(&trials[k], 1e-6, 1e-8, 7);
    }
}

// At a loose tolerance the block solver meets wrong signs in this problem, and KLU, created then,
// helps out: the checkpoint grows.
static void test_archive_with_the_reserve_goes_on_bit_for_bit(void **state)
{
    (void)state;
    const trial stiff = {.problem = "stiff-bushing",
                         .option = "k",
                         .value = 1e8,
                         .solver = TRM_SOLVER_BLOCK,
                         .end = 1};
    trial_case c = open_trial(&stiff);
    c.options.rtol = c.options.atol = 1e-3;
    trm_simulation *s = create(&c.system, &c.options, &c.initial);
    size_t size = trm_simulation_save(s, NULL, 0);
    while (trm_simulation_state(s)->t < c.end)
        assert_int_equal(trm_simulation_step(s, c.end, NULL), TRM_OK);
    assert_true(trm_simulation_save(s, NULL, 0) > size);
    trm_simulation_destroy(s);
    close_trial(&c);
    check_steps(&stiff, 1e-3, 1e-3, 1);
    check_steps(&stiff, 1e-3, 1e-3, 5);
}

// a warning that comes once in a run comes once in its parts
static void test_archive_what_was_told_is_not_told_again(void **state)
{
    (void)state;
    trial_case c = open_trial(&trials[0]);
    trm_simulation *s = create(&c.system, &c.options, &c.initial);
    s->watch.velocity_warned = true;
    s = reopen(&c, s, NULL);
    assert_true(s->watch.velocity_warned);
    trm_simulation_destroy(s);
    close_trial(&c);
}

// ---- events, restarts, glides ----

// user: {count, times}
static int clocks(const trm_state *s, double *out, void *user)
{
    const double *numbers = user;
    for (int i = 0; i < (int)numbers[0]; i++)
        out[i] = s->t - numbers[1 + i];
    return 0;
}

// the next piece of a run with ends closer than the steps, events, a restart at every second one
static void do_piece(trm_simulation *s, double end, int piece)
{
    double t = trm_simulation_state(s)->t;
    double to = piece % 3 == 0 ? t + 0.05 * trm_simulation_next_step(s) : end;
    trm_status status = trm_simulation_step(s, fmin(to > t ? to : end, end), NULL);
    if (status != TRM_OK)
        assert_status(status, TRM_STOP_EVENT, trm_simulation_error(s));
    for (int i = 0; i < 9; i += 2)
        if (trm_simulation_fired(s, i))
            assert_status(trm_simulation_restart(s, NULL), TRM_OK, trm_simulation_error(s));
}

static void check_pieces(const trial *a)
{
    trial_case c = open_trial(a);
    trm_simulation *plain = create(&c.system, &c.options, &c.initial);
    trm_simulation *s = create(&c.system, &c.options, &c.initial);
    double end = 0.3 * c.end, numbers[10] = {9};
    for (int k = 1; k <= 9; k++)
        numbers[k] = end * (k / 2 + 0.5 + 1e-4 * k) / 6; // pairs: two in one step
    const trm_events events = {9, clocks, NULL, NULL, numbers, NULL};
    assert_int_equal(trm_simulation_watch(plain, &events), TRM_OK);
    assert_int_equal(trm_simulation_watch(s, &events), TRM_OK);
    for (int piece = 0; trm_simulation_state(plain)->t < end; piece++) {
        do_piece(plain, end, piece);
        do_piece(s, end, piece);
        if (piece % 2 == 0)
            s = reopen(&c, s, &events);
        assert_same_run(&c, plain, s);
        for (int i = 0; i < 9; i++)
            assert_int_equal(trm_simulation_fired(plain, i), trm_simulation_fired(s, i));
        assert_memory_equal(&trm_simulation_start(plain)->velocity_before,
                            &trm_simulation_start(s)->velocity_before, sizeof(double));
        assert_true(piece < 20000);
    }
    trm_simulation_destroy(plain);
    trm_simulation_destroy(s);
    close_trial(&c);
}

static void test_archive_events_restarts_and_glides_go_on_bit_for_bit(void **state)
{
    (void)state;
    for (int k = 0; k < TRIALS; k++)
        check_pieces(&trials[k]);
}

// into a simulation that has gone elsewhere in the meantime
static void test_archive_used_simulation_returns_to_the_checkpoint(void **state)
{
    (void)state;
    for (int k = 0; k < TRIALS; k++) {
        trial_case c = open_trial(&trials[k]);
        trm_simulation *plain = create(&c.system, &c.options, &c.initial);
        trm_simulation *s = create(&c.system, &c.options, &c.initial);
        for (int step = 0; step < 10; step++) {
            trm_simulation_step(plain, c.end, NULL);
            trm_simulation_step(s, c.end, NULL);
        }
        checkpoint point = save(s);
        for (int step = 0; step < 9; step++)
            trm_simulation_step(s, 0.9 * c.end, NULL);
        assert_int_equal(trm_simulation_restart(s, NULL), TRM_OK);
        assert_int_equal(trm_simulation_load(s, point.bytes, point.size), TRM_OK);
        assert_same_run(&c, plain, s);
        for (int step = 0; step < 10; step++) {
            trm_simulation_step(plain, c.end, NULL);
            trm_simulation_step(s, c.end, NULL);
            assert_same_run(&c, plain, s);
        }
        free(point.bytes);
        trm_simulation_destroy(plain);
        trm_simulation_destroy(s);
        close_trial(&c);
    }
}

// ---- refusals ----

static trm_simulation *pendulum_with(double rtol)
{
    trm_options options = trm_options_default();
    options.rtol = rtol;
    const trm_system system = pendulum(NULL);
    return create(&system, &options, &pendulum_start);
}

static void assert_not_loaded(trm_simulation *s, const checkpoint *c, const char *text)
{
    kept before = {.n_q = 2};
    keep(s, &before);
    assert_status(trm_simulation_load(s, c->bytes, c->size), TRM_ERR_RANGE,
                  trm_simulation_error(s));
    assert_contains(trm_simulation_error(s)->text, text);
    assert_last_good(s, &before);
}

static void test_archive_what_does_not_fit_is_refused(void **state)
{
    (void)state;
    trm_simulation *s = pendulum_with(1e-6), *other = pendulum_with(1e-7);
    assert_int_equal(trm_simulation_run(s, 0.5), TRM_OK);
    assert_int_equal(trm_simulation_run(other, 0.3), TRM_OK);
    checkpoint c = save(s), bad = c;
    assert_not_loaded(other, &c, "another system or to other options");
    assert_int_equal(trm_simulation_load(s, NULL, 0), TRM_ERR_ARGUMENT);
    assert_not_loaded(s, &(checkpoint){(unsigned char *)"trammel", 8}, "not a checkpoint");
    bad.size--;
    assert_not_loaded(s, &bad, "were given");
    bad.size = 20;
    assert_not_loaded(s, &bad, "not a checkpoint");
    c.bytes[9]++; // of the version
    assert_not_loaded(s, &c, "written by version");
    c.bytes[9]--;
    const trm_system chain = doubled_pendulum();
    trm_simulation *doubled = create(&chain, NULL, &pendulum_start);
    assert_not_loaded(doubled, &c, "another system");
    double numbers[] = {1, 0.9};
    const trm_events events = {1, clocks, NULL, NULL, numbers, NULL};
    assert_int_equal(trm_simulation_watch(s, &events), TRM_OK);
    assert_not_loaded(s, &c, "watches 0 events, this simulation 1");
    assert_contains(trm_simulation_error(s)->advice, "then load");
    assert_int_equal(trm_simulation_watch(s, NULL), TRM_OK);
    assert_int_equal(trm_simulation_load(s, c.bytes, c.size), TRM_OK);
    assert_int_equal(trm_simulation_run(s, 1), TRM_OK);
    free(c.bytes);
    trm_simulation_destroy(s);
    trm_simulation_destroy(other);
    trm_simulation_destroy(doubled);
}

static void test_archive_without_memory_is_not_loaded(void **state)
{
    (void)state;
    supply memory = {0};
    trm_options options = trm_options_default();
    options.allocator = (trm_allocator){take, give, &memory};
    const trm_system system = pendulum(NULL);
    trm_simulation *s = create(&system, &options, &pendulum_start);
    assert_int_equal(trm_simulation_run(s, 0.5), TRM_OK);
    checkpoint c = save(s);
    assert_int_equal(trm_simulation_run(s, 0.6), TRM_OK);
    memory.fail_at = memory.calls + 1;
    assert_status(trm_simulation_load(s, c.bytes, c.size), TRM_ERR_MEMORY, trm_simulation_error(s));
    assert_contains(trm_simulation_error(s)->text, "no memory");
    assert_true(trm_simulation_state(s)->t == 0.6);
    assert_int_equal(trm_simulation_load(s, c.bytes, c.size), TRM_OK);
    assert_true(trm_simulation_state(s)->t == 0.5);
    free(c.bytes);
    trm_simulation_destroy(s);
    assert_int_equal(memory.held, 0);
}

// any byte that changed is noticed
static void test_archive_damage_is_noticed(void **state)
{
    (void)state;
    trm_simulation *s = pendulum_with(1e-6);
    assert_int_equal(trm_simulation_run(s, 0.5), TRM_OK);
    checkpoint c = save(s);
    for (size_t i = 0; i < c.size; i++) {
        c.bytes[i] ^= (unsigned char)(1u << i % 8);
        assert_int_equal(trm_simulation_load(s, c.bytes, c.size), TRM_ERR_RANGE);
        c.bytes[i] ^= (unsigned char)(1u << i % 8);
    }
    assert_int_equal(trm_simulation_load(s, c.bytes, c.size), TRM_OK);
    free(c.bytes);
    trm_simulation_destroy(s);
}

// Damage that hides behind a right hash: refused or loaded, but never more than that, and what was
// refused left the simulation as it was. The hash stands at the end of the header, 48 bytes long.
static void test_archive_forged_bytes_do_no_harm(void **state)
{
    (void)state;
    const int some[] = {0, 3, 8, 11, 15, 18, 21, 22};
    for (int k = 0; k < 8; k++) {
        trial_case t = open_trial(&trials[some[k]]);
        trm_simulation *s = create(&t.system, &t.options, &t.initial);
        for (int step = 0; step < 12; step++)
            assert_int_equal(trm_simulation_step(s, t.end, NULL), TRM_OK);
        checkpoint c = save(s), now;
        uint64_t seed = 1;
        for (int n = 0; n < 60; n++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            size_t i = 48 + (size_t)(seed >> 20) % (c.size - 48);
            unsigned char old = c.bytes[i];
            c.bytes[i] = (unsigned char)(seed >> 12);
            uint64_t hash = trmi_hash(TRMI_HASH, c.bytes + 48, c.size - 48);
            memcpy(c.bytes + 40, &hash, sizeof hash);
            trm_status status = trm_simulation_load(s, c.bytes, c.size);
            assert_true(status == TRM_OK || status == TRM_ERR_RANGE);
            c.bytes[i] = old;
            hash = trmi_hash(TRMI_HASH, c.bytes + 48, c.size - 48);
            memcpy(c.bytes + 40, &hash, sizeof hash);
            if (status == TRM_OK)
                assert_int_equal(trm_simulation_load(s, c.bytes, c.size), TRM_OK);
            now = save(s);
            assert_int_equal(now.size, c.size);
            assert_memory_equal(now.bytes, c.bytes, c.size);
            free(now.bytes);
        }
        free(c.bytes);
        trm_simulation_destroy(s);
        close_trial(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archive_what_is_saved_is_loaded),
        cmocka_unit_test(test_archive_hash_is_fnv1a),
        cmocka_unit_test(test_archive_numbers_outside_their_range_are_not_taken),
        cmocka_unit_test(test_archive_goes_on_bit_for_bit),
        cmocka_unit_test(test_archive_with_the_reserve_goes_on_bit_for_bit),
        cmocka_unit_test(test_archive_what_was_told_is_not_told_again),
        cmocka_unit_test(test_archive_events_restarts_and_glides_go_on_bit_for_bit),
        cmocka_unit_test(test_archive_used_simulation_returns_to_the_checkpoint),
        cmocka_unit_test(test_archive_what_does_not_fit_is_refused),
        cmocka_unit_test(test_archive_without_memory_is_not_loaded),
        cmocka_unit_test(test_archive_damage_is_noticed),
        cmocka_unit_test(test_archive_forged_bytes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
