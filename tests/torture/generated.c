// SPDX-License-Identifier: Apache-2.0
// Generated models, many of them.
//     generated wild FIRST COUNT SECONDS     simulated or refused, without a crash
//     generated smooth FIRST COUNT SECONDS   every integrator, coordinates and linear solver gives
//     the same motion generated print SEED wild|smooth       the text of a model
#define _DEFAULT_SOURCE // setitimer
#include "torture/exercise.h"
#include "torture/generate.h"

#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SEED_BYTES = 400, MAX_OUTPUTS = 32, MAX_NUMBERS = 200, HANG_SECONDS = 60 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t text_of(uint64_t seed, bool smooth, char *text)
{
    uint8_t data[SEED_BYTES];
    expand_seed(seed, data, sizeof data);
    return generate_model(data, sizeof data, smooth, text);
}

// ---- models of all kinds ----

typedef struct tally {
    long tried, refused, no_start, failed, done, faults;
} tally;

// From now on so many seconds of the processor, then SIGPROF: a loaded machine does not look like a
// model that never ends.
static void limit_processor(int seconds)
{
    const struct itimerval limit = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_PROF, &limit, NULL);
}

// Models one after another in a child process: a crash costs the child, and is known by its seed.
static bool try_wild(uint64_t first, long count, double seconds, tally *total)
{
    double begin = now();
    bool good = true;
    for (uint64_t seed = first; seed < first + (uint64_t)count && now() - begin < seconds;) {
        int channel[2], status;
        if (pipe(channel) != 0)
            return false;
        pid_t child = fork();
        if (child == 0) {
            char text[GENERATED_BYTES];
            for (uint64_t k = seed; k < first + (uint64_t)count && now() - begin < seconds; k++) {
                limit_processor(HANG_SECONDS);
                exercised e = exercise_model(text, text_of(k, false, text), NULL);
                char kind = e.read != TRM_OK      ? 'r'
                            : e.started != TRM_OK ? 's'
                            : e.ran < 0           ? 'f'
                                                  : 'd';
                if (write(channel[1], &kind, 1) != 1)
                    _exit(1);
            }
            _exit(0);
        }
        close(channel[1]);
        for (char kind; read(channel[0], &kind, 1) == 1; seed++) {
            total->tried++;
            total->refused += kind == 'r';
            total->no_start += kind == 's';
            total->failed += kind == 'f';
            total->done += kind == 'd';
        }
        close(channel[0]);
        if (child < 0 || waitpid(child, &status, 0) != child)
            return false;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            break;
        total->faults++;
        printf("FAILED: model %llu (generated print %llu wild): %s %d\n", (unsigned long long)seed,
               (unsigned long long)seed, WIFSIGNALED(status) ? "signal" : "exit code",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        good = false;
        seed++;
    }
    return good;
}

// ---- differences between methods ----

// the end of a run
typedef struct arrival {
    double output[MAX_OUTPUTS];
    int outputs;
    long steps;
    double tolerance;
} arrival;

// A start beside the given one: positions, velocities and states moved by MOVED of themselves, or
// by MOVED where they are small; velocities to the other side when `turned`.
static const double MOVED = 1e-7;

static trm_initial move_start(const trm_system *system, const trm_initial *start, bool turned,
                              double *memory)
{
    const trm_options distance = {.rtol = MOVED};
    const struct {
        const double *from;
        int count;
    } parts[] = {{start->q, system->n_q}, {start->v, system->n_q}, {start->x, system->n_x}};
    trm_initial moved = *start;
    const double **to[] = {&moved.q, &moved.v, &moved.x};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < parts[k].count; i++)
            memory[i] = parts[k].from ? parts[k].from[i] : 0;
        trm_verify_neighbour(&distance, turned && k == 1 ? -1 : 1, parts[k].count, memory);
        *to[k] = memory;
        memory += parts[k].count;
    }
    return moved;
}

typedef enum start_kind { AS_GIVEN, BESIDE, BESIDE_TURNED } start_kind;

// Runs to the end. False: refused, failed or not trusted, which is a result too.
static bool run_to_end(const char *text, size_t length, const char *const *set, start_kind from,
                       arrival *end)
{
    trm_model *model;
    trm_instance *instance = NULL;
    trm_simulation *s = NULL;
    double memory[MAX_NUMBERS];
    const trm_load load = {.set = set};
    bool good = false;
    if (trm_model_read(&model, text, length, "generated.yaml", &load, NULL) != TRM_OK)
        return false;
    end->outputs = trm_model_count(model, TRM_CHANNEL_OUTPUT);
    end->tolerance = trm_model_options(model)->rtol;
    if (end->outputs <= MAX_OUTPUTS && trm_instance_create(&instance, model, NULL) == TRM_OK) {
        const trm_system *system = trm_instance_system(instance);
        trm_initial start = *trm_instance_initial(instance);
        if (from != AS_GIVEN && 2 * system->n_q + system->n_x <= MAX_NUMBERS)
            start = move_start(system, &start, from == BESIDE_TURNED, memory);
        if (trm_simulation_create(&s, system, trm_model_options(model), &start, NULL) == TRM_OK)
            good = trm_simulation_run(s, trm_model_schedule(model)->end) == TRM_OK &&
                   trm_simulation_trust(s) == TRM_OK &&
                   trm_instance_outputs(instance, trm_simulation_state(s), end->output) == 0;
        if (good)
            end->steps = trm_simulation_statistics(s)->steps;
    }
    trm_simulation_destroy(s);
    trm_instance_destroy(instance);
    trm_model_destroy(model);
    return good;
}

// largest difference of two runs, of each output over its size where that is more than 1
static double difference(const arrival *a, const arrival *reference)
{
    double worst = 0;
    for (int i = 0; i < reference->outputs; i++)
        worst = fmax(worst,
                     fabs(a->output[i] - reference->output[i]) / (1 + fabs(reference->output[i])));
    return worst;
}

static const char *const reference_set[] = {"simulate.integrator=radau-adaptive",
                                            "simulate.tolerance=1e-11", NULL};

// By how much a small change of the start is larger at the end; at least 1. Two starts beside the
// given one, so that what changes of positions and of velocities do cannot cancel in both.
static double growth(const char *text, size_t length, const arrival *reference)
{
    double sum = 0;
    for (start_kind from = BESIDE; from <= BESIDE_TURNED; from++) {
        arrival end;
        if (run_to_end(text, length, reference_set, from, &end))
            sum += difference(&end, reference);
    }
    return fmax(1, sum / MOVED);
}

typedef struct variant {
    const char *name, *set[4];
} variant;

// the same model by another way
static const variant variants[] = {
    {"bdf", {"simulate.integrator=bdf"}},
    {"radau", {"simulate.integrator=radau"}},
    {"explicit", {"simulate.integrator=explicit"}},
    {"adams", {"simulate.integrator=adams"}},
    // of second order: its steps would be too many at 1e-9
    {"generalized-alpha", {"simulate.integrator=generalized-alpha", "simulate.tolerance=1e-7"}},
    {"ggl", {"simulate.integrator=bdf", "simulate.formulation=ggl"}},
    {"index1-projected", {"simulate.integrator=bdf", "simulate.formulation=index1-projected"}},
    {"dense", {"simulate.integrator=bdf", "simulate.linear_solver=dense"}},
    {"sparse", {"simulate.integrator=bdf", "simulate.linear_solver=sparse"}},
    {"differences", {"simulate.integrator=radau", "simulate.jacobian.source=differences"}},
    {"absolute", {"simulate.integrator=radau-adaptive", "mechanism.coordinates=absolute"}},
    {"joint", {"simulate.integrator=radau-adaptive", "mechanism.coordinates=joint"}},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

// Whether a difference of one way at its tolerance is an error that converges to none: half of the
// digits of the tolerance are right, and a hundredth of it leaves a tenth of the difference at
// most; both are what an error of the order tolerance^(1/2) would do, and methods do better.
static bool converges(const char *text, size_t length, const char *const *set, const arrival *end,
                      const arrival *reference, double grown)
{
    char tighter[64];
    const char *more[6] = {NULL};
    int count = 0;
    arrival closer;
    double worst = difference(end, reference);
    while (set[count]) {
        more[count] = set[count];
        count++;
    }
    snprintf(tighter, sizeof tighter, "simulate.tolerance=%g", 0.01 * end->tolerance);
    more[count] = tighter;
    return worst <= sqrt(end->tolerance) * grown &&
           run_to_end(text, length, more, AS_GIVEN, &closer) &&
           difference(&closer, reference) <= 0.1 * worst;
}

// the tolerances of all steps together are less than what two ways may differ by in any case
static bool try_smooth(uint64_t first, long count, double seconds, long *tried, long *runs,
                       long *failed, long *faults)
{
    double begin = now();
    bool good = true;
    char text[GENERATED_BYTES];
    for (uint64_t seed = first; seed < first + (uint64_t)count && now() - begin < seconds; seed++) {
        size_t length = text_of(seed, true, text);
        arrival reference, end;
        double grown = 0;
        bool mechanism = strstr(text, "mechanism:") != NULL;
        if (!run_to_end(text, length, reference_set, AS_GIVEN, &reference))
            continue; // a model without a motion that can be trusted proves nothing
        ++*tried;
        for (int k = 0; k < VARIANTS; k++) {
            const char *set[5] = {"simulate.tolerance=1e-9"};
            for (int i = 0; i < 3 && variants[k].set[i]; i++)
                set[i + 1] = variants[k].set[i];
            if (!mechanism && strstr(set[2] ? set[2] : "", "coordinates"))
                continue;
            ++*runs;
            if (!run_to_end(text, length, set, AS_GIVEN, &end)) {
                ++*failed;
                continue;
            }
            double worst = difference(&end, &reference);
            if (worst <= (double)end.steps * end.tolerance)
                continue;
            grown = grown > 0 ? grown : growth(text, length, &reference);
            if (!converges(text, length, set, &end, &reference, grown)) {
                printf("FAILED: model %llu (generated print %llu smooth): %s differs by %.2g, %ld "
                       "steps, growth %.2g\n",
                       (unsigned long long)seed, (unsigned long long)seed, variants[k].name, worst,
                       end.steps, grown);
                good = false;
                ++*faults;
            }
        }
    }
    return good;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "print") == 0) {
        char text[GENERATED_BYTES];
        text_of(strtoull(argv[2], NULL, 10), strcmp(argv[3], "smooth") == 0, text);
        fputs(text, stdout);
        return 0;
    }
    if (argc != 5) {
        fputs("usage: generated wild|smooth FIRST COUNT SECONDS | print SEED wild|smooth\n",
              stderr);
        return 2;
    }
    uint64_t first = strtoull(argv[2], NULL, 10);
    long count = strtol(argv[3], NULL, 10);
    double seconds = strtod(argv[4], NULL);
    bool good;
    if (strcmp(argv[1], "wild") == 0) {
        tally t = {0};
        good = try_wild(first, count, seconds, &t);
        printf("generated: models %ld, refused by the reader %ld, without a start %ld, failed %ld, "
               "done %ld, faults %ld\n",
               t.tried, t.refused, t.no_start, t.failed, t.done, t.faults);
    } else {
        long tried = 0, runs = 0, failed = 0, faults = 0;
        good = try_smooth(first, count, seconds, &tried, &runs, &failed, &faults);
        printf("differences of %d ways: models %ld, runs %ld, refused or not trusted %ld, "
               "faults %ld\n",
               VARIANTS, tried, runs, failed, faults);
    }
    return good ? 0 : 1;
}
