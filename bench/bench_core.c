// SPDX-License-Identifier: Apache-2.0
// Trammel against SUNDIALS IDA and CVODE in one run, on identical models: every code calls the same
// kernels. Four planar problems in absolute coordinates:
//
//     P1  chain of N rods          P3  N four-bar loops, singular positions
//     P2  Andrews' squeezer        P4  two rods and a bushing of stiffness k
//
// Each code runs over a range of tolerances; codes are compared by CPU time at equal end error.
#include "bench_table.h"
#include "peer_file.h"
#include "peer_run.h"
#include "problems/problems.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef BENCH_CACHE
#define BENCH_CACHE NULL
#endif

enum { MAX_SIZES = 8, MAX_CODES = 12 };

// All codes take turns, so that a slow moment of the machine does not hit one of them alone.
enum { ROUNDS = 3 };
static const double round_seconds = 0.1; // for one code at one tolerance, at least one run
static const double repeat_below = 4.0;  // runs of more seconds than this are not repeated

typedef struct session {
    int quick;
    const char *problem; ///< NULL: all
    const char *cache;   ///< folder for references, NULL: none
    int sizes, size[MAX_SIZES];
    bench_output out;
} session;

typedef struct code {
    const char *name;
    peer_function *run;
} code;

static const code trammel = {"trammel", peer_trammel};
static const code trammel_klu = {"trammel-klu", peer_trammel_klu};
static const code adams = {"adams", peer_adams};
static const code explicit = {"explicit", peer_explicit};
static const code radau = {"radau", peer_radau};
static const code file = {"file", peer_file_absolute};
static const code file_joint = {"file-joint", peer_file_joint};
static const code file_adams = {"file-adams", peer_file_adams};
static const code ida = {"ida", peer_ida};
static const code cvode = {"cvode", peer_cvode};
static const code by_hand = {"floor", peer_floor};

/// A problem, its reference, and the codes that run on it.
typedef struct scene {
    session *session;
    const char *option; ///< the number that varies, for example links = 100; NULL: none
    double size;
    int codes;
    const code *code[MAX_CODES];
    bench_curve curve[MAX_CODES];
    trp_problem *problem;
    trm_initial initial;
    peer_task task;
    peer_file file, joint, adams; ///< the same mechanism from files
    reference ref;
    double *memory; ///< zeros for a start at rest, then q and v at the end
} scene;

static void scene_close(scene *s)
{
    peer_file_close(&s->file);
    peer_file_close(&s->joint);
    peer_file_close(&s->adams);
    trp_problem_destroy(s->problem);
    reference_destroy(&s->ref);
    free(s->memory);
}

static void set_title(const scene *s)
{
    bench_output *out = &s->session->out;
    out->label[0] = '\0';
    if (s->option != NULL && strcmp(s->option, "k") == 0)
        snprintf(out->label, sizeof out->label, "k=%.0e", s->size);
    else if (s->option != NULL)
        snprintf(out->label, sizeof out->label, "N=%g", s->size);
    snprintf(out->title, sizeof out->title, "%s%s%s", out->problem, s->option != NULL ? " " : "",
             out->label);
}

// Returns 0, or -1 with a message.
static int scene_open(scene *s, session *session, const char *name, const char *option, double size)
{
    trm_problem_option options[] = {{option, size}, {NULL, 0.0}};
    trm_error error;
    *s = (scene){.session = session, .option = option, .size = size};
    if (trp_problem_create(&s->problem, name, options, &error) != TRM_OK) {
        fprintf(stderr, "%s: %s\n", name, error.text);
        return -1;
    }
    const trm_system *system = trp_problem_system(s->problem);
    size_t n = (size_t)system->n_q;
    s->memory = calloc(3 * n, sizeof *s->memory);
    if (s->memory == NULL || reference_create(&s->ref, name, size, session->cache) != 0 ||
        s->ref.n != system->n_q) {
        fprintf(stderr, "%s: no reference\n", name);
        scene_close(s);
        return -1;
    }
    s->initial = *trp_problem_initial(s->problem);
    if (s->initial.v == NULL)
        s->initial.v = s->memory;
    s->task =
        (peer_task){.system = system, .initial = &s->initial, .t_end = trp_problem_end(s->problem)};
    return 0;
}

// Reads the mechanism of the problem from the file that a command prints, in absolute and joint
// coordinates, and for adams as `for_adams` changes it. The scene is closed after a failure.
static int scene_read(scene *s, const char *command, const char *const *for_adams)
{
    static const char *const absolute[] = {"mechanism.coordinates=absolute", NULL};
    static const char *const joint[] = {"mechanism.coordinates=joint", NULL};
    const double *q = s->initial.q;
    int n = s->task.system->n_q;
    if (peer_file_open(&s->file, command, absolute, n, q) != 0 ||
        peer_file_open(&s->joint, command, joint, n, q) != 0 ||
        peer_file_open(&s->adams, command, for_adams, n, q) != 0) {
        scene_close(s);
        return -1;
    }
    s->task.file = &s->file;
    s->task.joint = &s->joint;
    s->task.adams = &s->adams;
    return 0;
}

// The same with a mechanism of scripts/make-mechanism, accelerations by recursion for adams.
static int scene_make(scene *s, const char *words)
{
    static const char *const recursion[] = {"mechanism.coordinates=joint",
                                            "mechanism.formalism=explicit", NULL};
    char command[1024];
    snprintf(command, sizeof command, BENCH_SOURCE "/scripts/make-mechanism %s %g", words, s->size);
    return scene_read(s, command, recursion);
}

static double largest_difference(const double *a, const double *b, int n)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        if (isnan(a[i]))
            return NAN;
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

// One code at one tolerance for one round: creation, integration and destruction.
static void measure(scene *s, peer_function *function, bench_point *point)
{
    int n = s->task.system->n_q;
    double spent = 0.0;
    s->task.rtol = point->rtol;
    s->task.atol = 1e-2 * point->rtol;
    while (spent < round_seconds && !point->run.failed) {
        peer_run *run = &point->run;
        *run = (peer_run){.q = s->memory + n, .v = s->memory + 2 * n};
        double cpu = peer_cpu_seconds();
        function(&s->task, run);
        cpu = peer_cpu_seconds() - cpu;
        point->cpu = fmin(point->cpu, cpu);
        point->error_q = run->failed ? NAN : largest_difference(run->q, s->ref.q, n);
        point->error_v = run->failed ? NAN : largest_difference(run->v, s->ref.v, n);
        spent += cpu;
    }
}

// Lets a code take part, with tolerances from `loose` to `tight`, `per_decade` of them in a decade.
static const bench_curve *add_code(scene *s, const code *code, double loose, double tight,
                                   int per_decade)
{
    bench_curve *curve = &s->curve[s->codes];
    s->code[s->codes++] = code;
    *curve = (bench_curve){.code = code->name};
    curve->count = (int)lround(log10(loose / tight) * per_decade) + 1;
    for (int k = 0; k < curve->count; k++) {
        curve->point[k].rtol = loose * pow(10.0, -(double)k / per_decade);
        curve->point[k].cpu = HUGE_VAL;
    }
    return curve;
}

static void print_scene(scene *s)
{
    const bench_output *out = &s->session->out;
    set_title(s);
    bench_table_head(out, s->ref.uncertainty);
    for (int c = 0; c < s->codes; c++)
        for (int k = 0; k < s->curve[c].count; k++)
            bench_table_row(out, &s->curve[c], &s->curve[c].point[k]);
}

static void run_round(scene *s, int first)
{
    for (int c = 0; c < s->codes; c++)
        for (int k = 0; k < s->curve[c].count; k++) {
            bench_point *point = &s->curve[c].point[k];
            if (first || point->cpu < repeat_below)
                measure(s, s->code[c]->run, point);
        }
}

// Runs all codes on several scenes in turn and prints the tables.
static void run_codes(scene *s, int scenes)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < scenes; k++)
            run_round(&s[k], round == 0);
    for (int k = 0; k < scenes; k++)
        print_scene(&s[k]);
}

// ---- P1 ---------------------------------------------------------------------------------------

static void chain_at_size(session *session, int links)
{
    scene s;
    if (scene_open(&s, session, "chain", "links", links) != 0 || scene_make(&s, "chain") != 0)
        return;
    int per_decade = session->quick ? 1 : 2;
    double error = links < 1000 ? 7e-6 : 1e-5, tight = session->quick ? 1e-7 : 1e-8;
    const bench_curve *ours = add_code(&s, &trammel, 1e-4, tight, per_decade);
    const bench_curve *with_klu = add_code(&s, &trammel_klu, 1e-4, tight, per_decade);
    const bench_curve *peer = add_code(&s, &ida, 1e-4, session->quick ? 1e-6 : 1e-8, per_decade);
    const bench_curve *with_adams = add_code(&s, &adams, 1e-3, tight, per_decade);
    const bench_curve *with_explicit = add_code(&s, &explicit, 1e-2, tight, per_decade);
    const bench_curve *with_radau = add_code(&s, &radau, 1e-3, tight, per_decade);
    const bench_curve *projecting =
        add_code(&s, &cvode, 1e-4, session->quick ? 1e-6 : 1e-8, per_decade);
    const bench_curve *files[3];
    int n_files = 0;
    files[n_files++] = add_code(&s, &file, 1e-4, 1e-8, per_decade);
    files[n_files++] = add_code(&s, &file_adams, 1e-3, tight, per_decade);
    if (links <= 100) // matrices are full
        files[n_files++] = add_code(&s, &file_joint, 1e-4, tight, per_decade);
    add_code(&s, &by_hand, 1e-2, 1e-3, per_decade);
    run_codes(&s, 1);
    bench_verdict(&session->out, ours, peer, error, 0, (bench_bar){8.0, 13.0});
    bench_verdict(&session->out, with_klu, peer, error, 0, (bench_bar){5.0, 6.0});
    bench_verdict(&session->out, with_adams, peer, error, 0, (bench_bar){12.0, 22.0});
    bench_verdict(&session->out, with_explicit, peer, error, 0, (bench_bar){10.0, 16.0});
    for (int k = 0; k < n_files; k++)
        bench_ratio(&session->out, files[k], peer, error, 0);
    bench_ratio(&session->out, with_radau, peer, error, 0);
    bench_ratio(&session->out, with_radau, ours, error, 0);
    bench_verdict(&session->out, with_adams, projecting, error, 0, (bench_bar){1.0, 1.0});
    bench_verdict(&session->out, with_explicit, projecting, error, 0, (bench_bar){1.0, 1.0});
    scene_close(&s);
}

static double nanoseconds_per_body_step(const bench_point *point, int links)
{
    return 1e9 * point->cpu / ((double)point->run.steps * links);
}

// of an attempt of radau: rejected ones cost as much, and there are few of either
static double nanoseconds_per_body_attempt(const bench_point *point, int links)
{
    double attempts = (double)(point->run.steps + point->run.rejected);
    return 1e9 * point->cpu / (attempts * links);
}

// What an attempt of radau did, so that costs are of equal work: the number of iterations, of
// stages (one evaluation of forces each) and of factorizations differs a little with the size.
static void print_attempts(const bench_output *out, const bench_point *point, int links)
{
    const peer_run *run = &point->run;
    double attempts = (double)(run->steps + run->rejected);
    bench_line(out,
               "P1 N=%d: radau per attempt %.2f iterations, %.1f evaluations of stages, %.1f "
               "factorizations; %.0f ns per body and evaluation",
               links, (double)run->iterations / attempts, (double)run->residuals / attempts,
               (double)run->factorizations / attempts,
               1e9 * point->cpu / ((double)run->residuals * links));
}

// Cost per body and step of a long chain, and how it grows from N = 100.
static void long_chain(session *session, int links)
{
    scene s[2];
    if (scene_open(&s[0], session, "chain", "links", 100) != 0)
        return;
    if (scene_open(&s[1], session, "chain", "links", links) != 0) {
        scene_close(&s[0]);
        return;
    }
    add_code(&s[0], &trammel, 1e-6, 1e-6, 1);
    add_code(&s[1], &trammel, 1e-6, 1e-6, 1);
    add_code(&s[0], &radau, 1e-6, 1e-6, 1);
    add_code(&s[1], &radau, 1e-6, 1e-6, 1);
    add_code(&s[1], &ida, 1e-5, 1e-5, 1);
    run_codes(s, 2);
    double cost[2], stages[2];
    for (int k = 0; k < 2; k++) {
        cost[k] = nanoseconds_per_body_step(&s[k].curve[0].point[0], (int)s[k].size);
        stages[k] = nanoseconds_per_body_attempt(&s[k].curve[1].point[0], (int)s[k].size);
        print_attempts(&session->out, &s[k].curve[1].point[0], (int)s[k].size);
        scene_close(&s[k]);
    }
    double growth = cost[1] / cost[0];
    bench_line(&session->out,
               "P1 N=%d: trammel %.0f ns per body and step (must 300, aim 190), "
               "%.2f times that of N=100 (must 1.3, aim 1.1): %s",
               links, cost[1], growth,
               cost[1] <= 190.0 && growth <= 1.1   ? "aim reached"
               : cost[1] <= 300.0 && growth <= 1.3 ? "must reached"
                                                   : "MISSED");
    double stages_growth = stages[1] / stages[0];
    bench_line(&session->out,
               "P1 N=%d: radau %.0f ns per body and attempt, %.2f times that of N=100 "
               "(must 1.5): %s",
               links, stages[1], stages_growth, stages_growth <= 1.5 ? "must reached" : "MISSED");
}

static void run_p1(session *session)
{
    static const int all[] = {10, 100, 1000, 10000};
    const int *size = session->sizes > 0 ? session->size : all;
    int sizes = session->sizes > 0 ? session->sizes : session->quick ? 3 : 4;
    for (int k = 0; k < sizes; k++) {
        if (size[k] > 2000)
            long_chain(session, size[k]);
        else
            chain_at_size(session, size[k]);
    }
}

// ---- P2, P3, P4 -------------------------------------------------------------------------------

// End errors of single runs scatter here, so a line is fitted through the whole curve.
static void run_p2(session *session)
{
    static const char *const absolute[] = {"mechanism.coordinates=absolute", NULL};
    scene s;
    if (scene_open(&s, session, "andrews-absolute", NULL, 0.0) != 0 ||
        scene_read(&s, "cat " BENCH_SOURCE "/examples/mechanisms/andrews-squeezer.yaml",
                   absolute) != 0)
        return;
    int per_decade = session->quick ? 1 : 2;
    const bench_curve *ours = add_code(&s, &trammel, 1e-4, 1e-8, per_decade);
    const bench_curve *with_klu = add_code(&s, &trammel_klu, 1e-4, 1e-8, per_decade);
    const bench_curve *peer = add_code(&s, &ida, 1e-4, 1e-8, per_decade);
    const bench_curve *with_adams = add_code(&s, &adams, 1e-4, 1e-8, per_decade);
    const bench_curve *with_explicit = add_code(&s, &explicit, 1e-4, 1e-8, per_decade);
    const bench_curve *with_radau = add_code(&s, &radau, 1e-3, 1e-8, per_decade);
    const bench_curve *files[] = {add_code(&s, &file, 1e-4, 1e-8, per_decade),
                                  add_code(&s, &file_joint, 1e-4, 1e-8, per_decade),
                                  add_code(&s, &file_adams, 1e-4, 1e-8, per_decade)};
    run_codes(&s, 1);
    for (int k = 0; k < 3; k++)
        bench_ratio(&session->out, files[k], peer, 1e-5, 1);
    bench_verdict(&session->out, ours, peer, 1e-5, 1, (bench_bar){8.0, 14.0});
    bench_verdict(&session->out, with_klu, peer, 1e-5, 1, (bench_bar){7.0, 9.0});
    bench_verdict(&session->out, with_adams, peer, 1e-5, 1, (bench_bar){12.0, 22.0});
    bench_verdict(&session->out, with_explicit, peer, 1e-5, 1, (bench_bar){10.0, 16.0});
    bench_verdict(&session->out, with_radau, ours, 1e-6, 1, (bench_bar){1.0, 1.5});
    bench_verdict(&session->out, with_radau, ours, 1e-7, 1, (bench_bar){1.0, 1.5});
    bench_ratio(&session->out, with_radau, peer, 1e-6, 1);
    scene_close(&s);
}

static void run_p3(session *session)
{
    static const int all[] = {10, 40};
    const int *size = session->sizes > 0 ? session->size : all;
    int sizes = session->sizes > 0 ? session->sizes : 2;
    int per_decade = session->quick ? 1 : 2;
    for (int k = 0; k < sizes; k++) {
        scene s;
        if (scene_open(&s, session, "four-bar", "loops", size[k]) != 0 ||
            scene_make(&s, "four-bar") != 0)
            return;
        const bench_curve *ours = add_code(&s, &trammel, 1e-4, 1e-8, per_decade);
        const bench_curve *peer = add_code(&s, &cvode, 1e-4, 1e-7, per_decade);
        const bench_curve *files[] = {add_code(&s, &file, 1e-4, 1e-8, per_decade),
                                      add_code(&s, &file_joint, 1e-4, 1e-8, per_decade)};
        add_code(&s, &ida, 1e-4, 1e-6, 1);
        run_codes(&s, 1);
        bench_verdict(&session->out, ours, peer, 1e-3, 0, (bench_bar){5.0, 9.0});
        for (int i = 0; i < 2; i++)
            bench_ratio(&session->out, files[i], peer, 1e-3, 0);
        scene_close(&s);
    }
}

// Very stiff and loose: the result must be right, or the status must report it.
static void check_reports(const bench_output *out, const bench_curve *curve)
{
    for (int k = 0; k < curve->count && curve->point[k].rtol > 0.9e-5; k++) {
        const bench_point *point = &curve->point[k];
        const char *note = point->run.note;
        int right = point->error_q <= 1000.0 * point->rtol; // false for NaN
        bench_line(out, "%s rtol %.0e: %s, error %.1e (at most %.0e, or reported): %s", out->title,
                   point->rtol, note[0] != '\0' ? note : "TRM_OK", point->error_q,
                   1000.0 * point->rtol,
                   right             ? "right"
                   : note[0] != '\0' ? "reported"
                                     : "MISSED");
    }
}

static double smallest_error(const bench_curve *curve)
{
    double smallest = HUGE_VAL;
    for (int k = 0; k < curve->count; k++)
        smallest = fmin(smallest, curve->point[k].error_q); // NaN: the other one
    return smallest;
}

// An error that can be trusted: no run of the curve is off by more than ten times its tolerance.
static void check_trust(const bench_output *out, const bench_curve *curve)
{
    double worst = 0.0;
    for (int k = 0; k < curve->count; k++) {
        double share = curve->point[k].error_q / curve->point[k].rtol;
        worst = isnan(share) ? HUGE_VAL : fmax(worst, share);
    }
    bench_line(out, "%s: %s errs by at most %.2g rtol (must 10): %s", out->title, curve->code,
               worst, worst <= 10.0 ? "must reached" : "MISSED");
}

static void run_p4(session *session)
{
    static const double all[] = {1e4, 1e6, 1e8, 1e10};
    for (int k = session->quick ? 2 : 0; k < 4; k++) {
        scene s;
        if (scene_open(&s, session, "stiff-bushing", "k", all[k]) != 0)
            return;
        // from k = 1e8 on IDA gets cheaper as the tolerance gets tighter: go further
        int compared = all[k] >= 1e8;
        const bench_curve *ours = add_code(&s, &trammel, 1e-3, 1e-8, 1);
        const bench_curve *with_radau = add_code(&s, &radau, 1e-3, 1e-8, 1);
        const bench_curve *peer = NULL;
        if (compared || !session->quick)
            peer = add_code(&s, &ida, 1e-4, compared ? 1e-8 : 1e-6, 1);
        if (all[k] <= 1e8) { // for comparison: stability limits their steps
            add_code(&s, &adams, 1e-4, 1e-6, 1);
            add_code(&s, &explicit, 1e-4, 1e-6, 1);
        }
        run_codes(&s, 1);
        if (all[k] == 1e8)
            bench_verdict(&session->out, ours, peer, 2e-4, 0, (bench_bar){50.0, 500.0});
        if (peer != NULL) { // at what IDA reaches
            double error = fmax(smallest_error(peer), 1e-5);
            bench_bar bar = compared ? (bench_bar){100.0, 100.0} : (bench_bar){1.0, 10.0};
            bench_verdict(&session->out, with_radau, peer, error, 0, bar);
            bench_ratio(&session->out, with_radau, ours, error, 0);
        }
        check_trust(&session->out, with_radau);
        if (all[k] == 1e10)
            check_reports(&session->out, ours);
        scene_close(&s);
    }
}

// ---- command line -----------------------------------------------------------------------------

static const char usage[] =
    "usage: bench_core [--quick] [--problem P1|P2|P3|P4] [--sizes N,N,...] [--csv FILE]\n"
    "                  [--cache FOLDER]\n"
    "  --quick    fewer tolerances, chains up to N = 1000\n"
    "  --sizes    sizes of the chain (P1) or of the four-bar loops (P3)\n"
    "  --csv      all rows as CSV, verdicts as comments\n"
    "  --cache    where computed references are kept\n";

static int parse_sizes(session *session, char *list)
{
    for (char *item = strtok(list, ","); item != NULL; item = strtok(NULL, ",")) {
        char *rest;
        long size = strtol(item, &rest, 10);
        if (*rest != '\0' || size < 1 || size > 100000 || session->sizes == MAX_SIZES)
            return -1;
        session->size[session->sizes++] = (int)size;
    }
    return session->sizes > 0 ? 0 : -1;
}

static int set_option(session *session, const char *name, char *value)
{
    if (strcmp(name, "--sizes") == 0)
        return parse_sizes(session, value);
    if (strcmp(name, "--csv") == 0) {
        session->out.csv = fopen(value, "w");
        return session->out.csv != NULL ? 0 : -1;
    }
    if (strcmp(name, "--cache") == 0) {
        session->cache = value;
        return 0;
    }
    session->problem = value;
    return strcmp(name, "--problem") == 0 && strlen(value) == 2 && value[0] == 'P' &&
                   value[1] >= '1' && value[1] <= '4'
               ? 0
               : -1;
}

static int parse(session *session, int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--quick") == 0)
            session->quick = 1;
        else if (k + 1 == argc || set_option(session, argv[k], argv[k + 1]) != 0)
            return -1;
        else
            k++;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *key;
        void (*run)(session *session);
    } problems[] = {{"P1", run_p1}, {"P2", run_p2}, {"P3", run_p3}, {"P4", run_p4}};
    session session = {.cache = BENCH_CACHE};
    if (parse(&session, argc, argv) != 0) {
        fputs(usage, stderr);
        return 2;
    }
    bench_csv_head(&session.out);
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++)
        if (session.problem == NULL || strcmp(session.problem, problems[k].key) == 0) {
            session.out.problem = problems[k].key;
            problems[k].run(&session);
        }
    if (session.out.csv != NULL)
        fclose(session.out.csv);
    return 0;
}
