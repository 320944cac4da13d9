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

enum { SEED_BYTES = 400, MAX_OUTPUTS = 32, HANG_SECONDS = 60 };

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

// Runs to the end; the outputs there. False: refused or failed, which is a result too.
static bool run_outputs(const char *text, size_t length, const char *const *set, double *value,
                        int *count)
{
    trm_model *model;
    trm_instance *instance = NULL;
    trm_simulation *s = NULL;
    const trm_load load = {.set = set};
    bool good = false;
    if (trm_model_read(&model, text, length, "generated.yaml", &load, NULL) != TRM_OK)
        return false;
    *count = trm_model_count(model, TRM_CHANNEL_OUTPUT);
    if (*count <= MAX_OUTPUTS && trm_instance_create(&instance, model, NULL) == TRM_OK &&
        trm_simulation_create(&s, trm_instance_system(instance), trm_model_options(model),
                              trm_instance_initial(instance), NULL) == TRM_OK)
        good = trm_simulation_run(s, trm_model_schedule(model)->end) == TRM_OK &&
               trm_simulation_trust(s) == TRM_OK &&
               trm_instance_outputs(instance, trm_simulation_state(s), value) == 0;
    trm_simulation_destroy(s);
    trm_instance_destroy(instance);
    trm_model_destroy(model);
    return good;
}

typedef struct variant {
    const char *name, *set[4];
    double tolerance; // of the largest difference, see try_smooth
} variant;

// The same model by another way. Tolerance 1e-9 of each step; the sum over a motion of half a
// second stays below 1e-6, that of the methods of second order, whose steps are as small as they
// can be, below 1e-4.
static const variant variants[] = {
    {"bdf", {"simulate.integrator=bdf"}, 1e-6},
    {"radau", {"simulate.integrator=radau"}, 1e-6},
    {"explicit", {"simulate.integrator=explicit"}, 1e-6},
    {"adams", {"simulate.integrator=adams"}, 1e-6},
    {"generalized-alpha",
     {"simulate.integrator=generalized-alpha", "simulate.tolerance=1e-7"},
     1e-4},
    {"ggl", {"simulate.integrator=bdf", "simulate.formulation=ggl"}, 1e-6},
    {"index1-projected",
     {"simulate.integrator=bdf", "simulate.formulation=index1-projected"},
     1e-6},
    {"dense", {"simulate.integrator=bdf", "simulate.linear_solver=dense"}, 1e-6},
    {"sparse", {"simulate.integrator=bdf", "simulate.linear_solver=sparse"}, 1e-6},
    {"differences", {"simulate.integrator=radau", "simulate.jacobian.source=differences"}, 1e-6},
    {"absolute", {"simulate.integrator=radau-adaptive", "mechanism.coordinates=absolute"}, 1e-6},
    {"joint", {"simulate.integrator=radau-adaptive", "mechanism.coordinates=joint"}, 1e-6},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static bool try_smooth(uint64_t first, long count, double seconds, long *tried, long *runs,
                       long *failed, long *faults)
{
    static const char *const reference_set[] = {"simulate.integrator=radau-adaptive",
                                                "simulate.tolerance=1e-11", NULL};
    double begin = now();
    bool good = true;
    char text[GENERATED_BYTES];
    for (uint64_t seed = first; seed < first + (uint64_t)count && now() - begin < seconds; seed++) {
        size_t length = text_of(seed, true, text);
        double reference[MAX_OUTPUTS], value[MAX_OUTPUTS];
        int outputs = 0;
        bool mechanism = strstr(text, "mechanism:") != NULL;
        if (!run_outputs(text, length, reference_set, reference, &outputs))
            continue; // a model without a motion that can be trusted proves nothing
        ++*tried;
        for (int k = 0; k < VARIANTS; k++) {
            const char *set[5] = {"simulate.tolerance=1e-9"};
            for (int i = 0; i < 3 && variants[k].set[i]; i++)
                set[i + 1] = variants[k].set[i];
            if (!mechanism && strstr(set[2] ? set[2] : "", "coordinates"))
                continue;
            ++*runs;
            if (!run_outputs(text, length, set, value, &outputs)) {
                ++*failed;
                continue;
            }
            double worst = 0;
            for (int i = 0; i < outputs; i++)
                worst = fmax(worst, fabs(value[i] - reference[i]) / (1 + fabs(reference[i])));
            if (worst > variants[k].tolerance) {
                printf("FAILED: model %llu (generated print %llu smooth): %s differs by %.2g\n",
                       (unsigned long long)seed, (unsigned long long)seed, variants[k].name, worst);
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
