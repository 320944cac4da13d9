// SPDX-License-Identifier: Apache-2.0
/// Options of a simulation: one table, from which defaults, range checks and help are derived.
#ifndef TRAMMEL_OPTIONS_H
#define TRAMMEL_OPTIONS_H

#include "trammel/status.h"

#include <math.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The method that advances in time.
#define TRM_INTEGRATOR_LIST(X)                                                                     \
    X(TRM_INTEGRATOR_BDF, 0, "bdf", "backward differences of orders 1 to 5, or 6; the default")    \
    X(TRM_INTEGRATOR_ADAMS, 1, "adams",                                                            \
      "predictor-corrector of orders 1 to 10, not for stiff systems")                              \
    X(TRM_INTEGRATOR_EXPLICIT, 2, "explicit",                                                      \
      "Runge-Kutta of order 8(5,3), not for stiff systems")                                        \
    X(TRM_INTEGRATOR_RADAU, 3, "radau", "Radau IIA of order 5, for stiff systems")                 \
    X(TRM_INTEGRATOR_NEWMARK, 4, "newmark", "Newmark's method of order 2, with beta and gamma")    \
    X(TRM_INTEGRATOR_HHT, 5, "hht", "Hilber-Hughes-Taylor of order 2, damping set by alpha")       \
    X(TRM_INTEGRATOR_GENERALIZED_ALPHA, 6, "generalized-alpha",                                    \
      "of order 2, damping of fast modes set by rho")                                              \
    X(TRM_INTEGRATOR_RADAU_ADAPTIVE, 7, "radau-adaptive",                                          \
      "Radau IIA of orders 5, 9 and 13, for stiff systems and small errors")                       \
    X(TRM_INTEGRATOR_AUTO, 8, "auto",                                                              \
      "explicit, radau-adaptive and bdf in turn, by what each needs for a second of motion")

/// How the step equations meet the constraints (docs/formulations.md).
#define TRM_FORMULATION_LIST(X)                                                                    \
    X(TRM_FORMULATION_CS, 0, "cs", "coordinate split, exact; the default")                         \
    X(TRM_FORMULATION_CM, 1, "cm", "coordinate split, geometric stiffness left out of the matrix") \
    X(TRM_FORMULATION_CM_FROZEN, 2, "cm-frozen",                                                   \
      "the printed CM iteration: a smoother, inconsistent")                                        \
    X(TRM_FORMULATION_GGL, 3, "ggl", "stabilized index 2 with extrapolated multipliers")           \
    X(TRM_FORMULATION_GGL_STAR, 4, "ggl-star", "ggl, multipliers started from the residual")       \
    X(TRM_FORMULATION_GGL_UNTESTED, 10, "ggl-untested",                                            \
      "ggl, multipliers extrapolated but left out of the Newton test")                             \
    X(TRM_FORMULATION_INDEX1_PROJECTED, 5, "index1-projected",                                     \
      "acceleration level, then projected onto the constraints")                                   \
    X(TRM_FORMULATION_INDEX1, 6, "index1", "acceleration level alone: drifts off")                 \
    X(TRM_FORMULATION_INDEX2, 7, "index2", "velocity level alone: positions drift")                \
    X(TRM_FORMULATION_INDEX3, 8, "index3", "position level alone: velocities are poor")            \
    X(TRM_FORMULATION_BAUMGARTE, 9, "baumgarte", "acceleration level with feedback of the user's")

/// Step and Newton control.
#define TRM_CONTROL_LIST(X)                                                                        \
    X(TRM_CONTROL_DEFAULT, 0, "default", "fresh matrices, guarded Newton, smooth step control")    \
    X(TRM_CONTROL_CLASSIC, 1, "classic", "DASSL-faithful, for reproducing the papers")

/// Linear solver of the corrector.
#define TRM_SOLVER_LIST(X)                                                                         \
    X(TRM_SOLVER_AUTO, 0, "auto", "by size, density and declared blocks")                          \
    X(TRM_SOLVER_DENSE, 1, "dense", "null-space or LU through LAPACK")                             \
    X(TRM_SOLVER_SPARSE, 2, "sparse", "KLU")                                                       \
    X(TRM_SOLVER_BLOCK, 3, "block", "block LDL^T on the graph of bodies and joints")

/// What happens to the given initial state.
#define TRM_START_LIST(X)                                                                          \
    X(TRM_START_PROJECT, 0, "project", "move to the nearest consistent state")                     \
    X(TRM_START_KEEP, 1, "keep", "take as given, an error if badly inconsistent")                  \
    X(TRM_START_RAW, 2, "raw", "take as given with zero accelerations, whatever it violates")

/// What the error test covers.
#define TRM_ERROR_TEST_LIST(X)                                                                     \
    X(TRM_ERROR_TEST_AUTO, 0, "auto", "what the formulation and the control prescribe")            \
    X(TRM_ERROR_TEST_Q, 1, "q", "all positions")                                                   \
    X(TRM_ERROR_TEST_QV, 2, "qv", "positions and velocities")                                      \
    X(TRM_ERROR_TEST_INDEPENDENT, 3, "independent", "independent positions X^T q")                 \
    X(TRM_ERROR_TEST_INDEPENDENT_QV, 4, "independent-qv", "independent positions and velocities")  \
    X(TRM_ERROR_TEST_KAPPA, 5, "kappa", "the same times sqrt(1 + kappa^2), kappa = |(GY)^-1 G X|")

/// The matrix P with P G^T = 0 of control classic.
#define TRM_ANNIHILATOR_LIST(X)                                                                    \
    X(TRM_ANNIHILATOR_SPLIT, 0, "split", "by LU of G^T: independent and dependent coordinates")    \
    X(TRM_ANNIHILATOR_QR, 1, "qr", "by QR of G^T: orthonormal rows, no independent coordinates")

/// Norm in which a projection moves a state as little as possible.
#define TRM_PROJECTION_NORM_LIST(X)                                                                \
    X(TRM_PROJECTION_NORM_MASS, 0, "mass", "of the mass matrix: the correction is an impulse")     \
    X(TRM_PROJECTION_NORM_EUCLIDEAN, 1, "euclidean",                                               \
      "all coordinates alike, whatever their units")                                               \
    X(TRM_PROJECTION_NORM_WEIGHTS, 2, "weights", "of the error test")

/// Iteration of the projection of positions.
#define TRM_PROJECTION_METHOD_LIST(X)                                                              \
    X(TRM_PROJECTION_METHOD_EXACT, 0, "exact", "Gauss-Newton: the nearest point")                  \
    X(TRM_PROJECTION_METHOD_NEWTON, 1, "newton", "minimum-norm Newton steps")                      \
    X(TRM_PROJECTION_METHOD_FROZEN, 2, "frozen", "the same with one matrix")

/// Which error of an index1-projected step is tested.
#define TRM_PROJECTION_ESTIMATE_LIST(X)                                                            \
    X(TRM_PROJECTION_ESTIMATE_RAW, 0, "raw", "before the projection; safer")                       \
    X(TRM_PROJECTION_ESTIMATE_PROJECTED, 1, "projected",                                           \
      "its part along the constraints; fewer steps")

/// Where the derivatives of the iteration matrix come from.
#define TRM_JACOBIAN_SOURCE_LIST(X)                                                                \
    X(TRM_JACOBIAN_SOURCE_AUTO, 0, "auto", "what the system supplies; the rest by differences")    \
    X(TRM_JACOBIAN_SOURCE_ANALYTIC, 1, "analytic",                                                 \
      "what the system supplies; an error if that is not all")                                     \
    X(TRM_JACOBIAN_SOURCE_DIFFERENCES, 2, "differences", "differences, one evaluation per column") \
    X(TRM_JACOBIAN_SOURCE_GROUPED, 3, "grouped-differences", "differences by groups of columns")

/// The states at which patterns of derivatives by groups of columns are estimated.
#define TRM_JACOBIAN_PATTERN_LIST(X)                                                               \
    X(TRM_JACOBIAN_PATTERN_PERTURBED, 0, "perturbed", "three, a little beside the initial one")    \
    X(TRM_JACOBIAN_PATTERN_START, 1, "start", "the initial one alone, Arnold et al.")

/// How the iteration matrix is renewed.
#define TRM_JACOBIAN_UPDATE_LIST(X)                                                                \
    X(TRM_JACOBIAN_UPDATE_AUTO, 0, "auto",                                                         \
      "exact derivatives evaluated again, differences kept; classic: full")                        \
    X(TRM_JACOBIAN_UPDATE_FULL, 1, "full", "all derivatives evaluated again with every matrix")    \
    X(TRM_JACOBIAN_UPDATE_PARTITIONED, 2, "partitioned", "kept derivatives with the new step")     \
    X(TRM_JACOBIAN_UPDATE_EXTENDED, 3, "extended",                                                 \
      "kept, following excitations by second derivatives")                                         \
    X(TRM_JACOBIAN_UPDATE_SECANT, 4, "secant", "kept, following excitations by earlier evaluations")

/// Increments of one-sided differences.
#define TRM_INCREMENTS_LIST(X)                                                                     \
    X(TRM_INCREMENTS_SCALED, 0, "scaled", "by the typical size of the variable")                   \
    X(TRM_INCREMENTS_PAPER, 1, "paper", "sqrt(eps) max(|y|, eps^(1/4)), Arnold et al.")

/// Where the parameters of generalized-alpha come from.
#define TRM_ALPHA_PARAMETERS_LIST(X)                                                               \
    X(TRM_ALPHA_PARAMETERS_RHO, 0, "rho",                                                          \
      "Chung and Hulbert: all by rho, slow modes damped least")                                    \
    X(TRM_ALPHA_PARAMETERS_WBZ, 1, "wbz",                                                          \
      "Wood, Bossak and Zienkiewicz: alpha_f = 0, rest by rho")                                    \
    X(TRM_ALPHA_PARAMETERS_GIVEN, 2, "given", "alpha_m, alpha_f, beta and gamma as they are set")

/// The lists above: enumerator, its value, key in files and on the command line, help. Values are
/// part of the binary interface: they run from 0 without gaps, and a new choice gets the next one
/// wherever it is listed.
#define TRM_CHOICE_ENUM(name, value, key, help) name = value,
typedef enum trm_integrator { TRM_INTEGRATOR_LIST(TRM_CHOICE_ENUM) } trm_integrator;
typedef enum trm_formulation { TRM_FORMULATION_LIST(TRM_CHOICE_ENUM) } trm_formulation;
typedef enum trm_control { TRM_CONTROL_LIST(TRM_CHOICE_ENUM) } trm_control;
typedef enum trm_solver { TRM_SOLVER_LIST(TRM_CHOICE_ENUM) } trm_solver;
typedef enum trm_start { TRM_START_LIST(TRM_CHOICE_ENUM) } trm_start;
typedef enum trm_error_test { TRM_ERROR_TEST_LIST(TRM_CHOICE_ENUM) } trm_error_test;
typedef enum trm_annihilator { TRM_ANNIHILATOR_LIST(TRM_CHOICE_ENUM) } trm_annihilator;
typedef enum trm_projection_norm { TRM_PROJECTION_NORM_LIST(TRM_CHOICE_ENUM) } trm_projection_norm;
typedef enum trm_projection_method {
    TRM_PROJECTION_METHOD_LIST(TRM_CHOICE_ENUM)
} trm_projection_method;
typedef enum trm_projection_estimate {
    TRM_PROJECTION_ESTIMATE_LIST(TRM_CHOICE_ENUM)
} trm_projection_estimate;
typedef enum trm_jacobian_source { TRM_JACOBIAN_SOURCE_LIST(TRM_CHOICE_ENUM) } trm_jacobian_source;
typedef enum trm_jacobian_pattern {
    TRM_JACOBIAN_PATTERN_LIST(TRM_CHOICE_ENUM)
} trm_jacobian_pattern;
typedef enum trm_jacobian_update { TRM_JACOBIAN_UPDATE_LIST(TRM_CHOICE_ENUM) } trm_jacobian_update;
typedef enum trm_alpha_parameters {
    TRM_ALPHA_PARAMETERS_LIST(TRM_CHOICE_ENUM)
} trm_alpha_parameters;
typedef enum trm_increments { TRM_INCREMENTS_LIST(TRM_CHOICE_ENUM) } trm_increments;
#undef TRM_CHOICE_ENUM

/// The largest value of a list of choices.
#define TRM_CHOICE_MAX(list) (list(TRM_CHOICE_ONE) - 1)
#define TRM_CHOICE_ONE(name, value, key, help) +1

/// The table: C type, field, default, least, greatest, unit, help.
#define TRM_OPTION_LIST(X)                                                                         \
    X(trm_integrator, integrator, TRM_INTEGRATOR_BDF, 0, TRM_CHOICE_MAX(TRM_INTEGRATOR_LIST), "-", \
      "method that advances in time")                                                              \
    X(trm_formulation, formulation, TRM_FORMULATION_CS, 0, TRM_CHOICE_MAX(TRM_FORMULATION_LIST),   \
      "-", "formulation")                                                                          \
    X(trm_control, control, TRM_CONTROL_DEFAULT, 0, TRM_CHOICE_MAX(TRM_CONTROL_LIST), "-",         \
      "step and Newton control")                                                                   \
    X(trm_solver, linear_solver, TRM_SOLVER_AUTO, 0, TRM_CHOICE_MAX(TRM_SOLVER_LIST), "-",         \
      "linear solver")                                                                             \
    X(trm_start, start, TRM_START_PROJECT, 0, TRM_CHOICE_MAX(TRM_START_LIST), "-",                 \
      "treatment of the initial state")                                                            \
    X(trm_error_test, error_test, TRM_ERROR_TEST_AUTO, 0, TRM_CHOICE_MAX(TRM_ERROR_TEST_LIST),     \
      "-", "what the error test covers")                                                           \
    X(double, rtol, 1e-6, 1e-13, 0.1, "-", "relative tolerance")                                   \
    X(double, atol, 1e-8, 1e-16, 1e6, "-", "absolute tolerance, times the scale of the unknown")   \
    X(int, max_order, 0, 0, 13, "-",                                                               \
      "highest order, 0: bdf 5 (of 6), adams 10, radau-adaptive 13")                               \
    X(double, h_initial, 0.0, 0.0, HUGE_VAL, "s", "first step, 0: chosen")                         \
    X(double, h_min, 0.0, 0.0, HUGE_VAL, "s", "smallest step, 0: by roundoff")                     \
    X(double, h_max, HUGE_VAL, 1e-300, HUGE_VAL, "s", "largest step")                              \
    X(double, h_fixed, 0.0, 0.0, HUGE_VAL, "s", "constant step without error control, 0: off")     \
    X(int, max_steps, 10000000, 1, 2000000000, "-", "limit on the number of steps")                \
    X(int, newton_iterations, 0, 0, 100, "-", "limit per step, 0: 6, classic 4")                   \
    X(double, newton_tolerance, 0.33, 1e-6, 1.0, "-", "Newton error in units of the tolerance")    \
    X(trm_jacobian_source, jacobian_source, TRM_JACOBIAN_SOURCE_AUTO, 0,                           \
      TRM_CHOICE_MAX(TRM_JACOBIAN_SOURCE_LIST), "-", "source of derivatives")                      \
    X(trm_jacobian_update, jacobian_update, TRM_JACOBIAN_UPDATE_AUTO, 0,                           \
      TRM_CHOICE_MAX(TRM_JACOBIAN_UPDATE_LIST), "-", "renewal of the matrix")                      \
    X(trm_jacobian_pattern, jacobian_pattern, TRM_JACOBIAN_PATTERN_PERTURBED, 0,                   \
      TRM_CHOICE_MAX(TRM_JACOBIAN_PATTERN_LIST), "-", "states of estimated patterns")              \
    X(trm_increments, jacobian_increments, TRM_INCREMENTS_SCALED, 0,                               \
      TRM_CHOICE_MAX(TRM_INCREMENTS_LIST), "-", "increments of differences")                       \
    X(trm_projection_norm, projection_norm, TRM_PROJECTION_NORM_MASS, 0,                           \
      TRM_CHOICE_MAX(TRM_PROJECTION_NORM_LIST), "-", "norm of projections")                        \
    X(trm_projection_method, projection_method, TRM_PROJECTION_METHOD_EXACT, 0,                    \
      TRM_CHOICE_MAX(TRM_PROJECTION_METHOD_LIST), "-", "iteration of projections")                 \
    X(trm_projection_estimate, projection_estimate, TRM_PROJECTION_ESTIMATE_RAW, 0,                \
      TRM_CHOICE_MAX(TRM_PROJECTION_ESTIMATE_LIST), "-", "error of projected steps")               \
    X(double, baumgarte_alpha, 0.0, 0.0, HUGE_VAL, "1/s", "feedback of velocities, baumgarte")     \
    X(double, baumgarte_beta, 0.0, 0.0, HUGE_VAL, "1/s", "feedback of positions, baumgarte")       \
    X(double, rho, 0.8, 0.0, 1.0, "-",                                                             \
      "generalized-alpha: what a step leaves of the fastest mode")                                 \
    X(double, alpha, -0.1, -1.0 / 3, 0.0, "-", "hht: damping, 0 none, -1/3 most")                  \
    X(double, beta, 0.25, 1.0 / 12, 1.0, "-", "newmark: share of the new acceleration in q")       \
    X(double, gamma, 0.5, 0.5, 1.5, "-", "newmark: share of the new acceleration in v")            \
    X(trm_alpha_parameters, alpha_parameters, TRM_ALPHA_PARAMETERS_RHO, 0,                         \
      TRM_CHOICE_MAX(TRM_ALPHA_PARAMETERS_LIST), "-", "generalized-alpha: origin of parameters")   \
    X(trm_annihilator, annihilator, TRM_ANNIHILATOR_SPLIT, 0,                                      \
      TRM_CHOICE_MAX(TRM_ANNIHILATOR_LIST), "-", "classic: the matrix P with P G^T = 0")           \
    X(double, alpha_m, 0.0, -1.0, 0.5, "-", "generalized-alpha: share of the last acceleration")   \
    X(double, alpha_f, 0.0, 0.0, 0.5, "-", "generalized-alpha: share of the last forces")

/// The state of a run, for the progress callback.
typedef struct trm_progress {
    double t;      ///< time reached
    double t_end;  ///< end of the run
    double h;      ///< length of the last step
    int order;     ///< order of the last step
    long steps;    ///< accepted steps
    long rejected; ///< rejected attempts
} trm_progress;

/// Called after every accepted step; a value other than 0 ends the run with TRM_STOP_USER.
typedef int trm_progress_function(const trm_progress *progress, void *user);

/// Options by value: start from trm_options_default().
typedef struct trm_options {
    uint32_t cookie; ///< set by trm_options_init, with the size of the struct; checked on use
#define TRM_OPTION_FIELD(type, name, preset, least, greatest, unit, help) type name;
    TRM_OPTION_LIST(TRM_OPTION_FIELD)
#undef TRM_OPTION_FIELD
    trm_progress_function *progress; ///< may be NULL
    trm_log_function *log;           ///< may be NULL: silent
    trm_row_log_function *log_row;   ///< messages about a row; may be NULL: they go to log
    trm_log_level log_level;         ///< the most detailed messages to log, preset: debug
    void *user;                      ///< passed to progress, log and log_row
    trm_allocator allocator;         ///< default: malloc and free
} trm_options;

/// Fills options with the defaults of the table. size is sizeof(trm_options) in the calling
/// program: one compiled with the headers of another version is refused by trm_options_check.
TRM_API void trm_options_init(trm_options *options, size_t size);

/// The defaults of the table.
static inline trm_options trm_options_default(void)
{
    trm_options options;
    trm_options_init(&options, sizeof options);
    return options;
}

/// Checks cookie and ranges; the message names the option, its value and its range.
TRM_API trm_status trm_options_check(const trm_options *options, trm_error *error);

/// One line of the table, for programs that read or print options by name.
typedef struct trm_option_info {
    const char *name, *type, *unit, *help;
    double preset, least, greatest;
    const char *const *choices; ///< NULL-terminated keys of an enumeration, NULL for numbers
} trm_option_info;

/// The option with that index, or NULL past the end.
TRM_API const trm_option_info *trm_option(int index);

/// The value of an option by name (the number of a choice), NaN when no option has that name.
TRM_API double trm_options_get(const trm_options *options, const char *name);

/// Sets an option by name from text ("cs", "1e-8").
TRM_API trm_status trm_options_set(trm_options *options, const char *name, const char *value,
                                   trm_error *error);

#ifdef __cplusplus
}
#endif
#endif
