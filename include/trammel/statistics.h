// SPDX-License-Identifier: Apache-2.0
/// What happened at the start of a simulation and since.
#ifndef TRAMMEL_STATISTICS_H
#define TRAMMEL_STATISTICS_H

/// Counters and extremes since the start.
typedef struct trm_statistics {
    long steps;                             ///< accepted steps
    long rejected_error;                    ///< attempts that failed the error test
    long rejected_newton;                   ///< attempts that failed to converge
    long repeated;                          ///< steps replaced by trm_simulation_repeat
    long newton_iterations;                 ///<
    long residual_evaluations;              ///< without those for differences
    long residual_evaluations_for_jacobian; ///< for differences
    long jacobian_evaluations;              ///< sets of derivatives
    long jacobian_updates;                  ///< matrices formed from kept derivatives
    long jacobian_dense_evaluations;        ///< column by column, to find patterns
    long jacobian_groups;                   ///< of columns that are differenced together
    long jacobian_nonzeros;                 ///< entries of the derivatives by differences
    long factorizations;                    ///<
    long solves;                            ///<
    long split_changes;                     ///< new choices of the independent coordinates
    long near_singular_steps;               ///< steps whose matrix was close to losing rank
    long recentrings;                       ///< times coordinates were re-expressed
    long coupled_steps;                     ///< radau: steps with one matrix for all stages
    double error_sum;                       ///< error estimates of accepted steps, in tolerances
    double position_residual_max;           ///< max |g| over the accepted points
    double velocity_residual_max;           ///< max |G v + g_t| over the accepted points
    double position_residual;               ///< max |g| at the last accepted point
    double velocity_residual;               ///< max |G v + g_t| there
    double t_last;                          ///< end of the last accepted step
    double h_last;                          ///< its length
    int order_last;                         ///< its order
} trm_statistics;

/// What happened at the start, or at the last restart: three stages.
typedef struct trm_start_report {
    int rank;                  ///< of the constraints, of n_g + n_a
    int mobility;              ///< n_q - rank
    int redundant;             ///< rows that follow from others
    int position_iterations;   ///<
    double position_before;    ///< max |g|
    double position_after;     ///<
    double velocity_before;    ///< max |G v + g_t|
    double velocity_after;     ///<
    double acceleration_after; ///< max |G a + gamma|
    const char *solver;        ///< linear solver in use
    const char *integrator;    ///< in use, also where auto chose it
    const char *because;       ///< why auto chose it, "" where it did not
    const char *formulation;   ///< in use; index1-projected where an explicit integrator has cs
} trm_start_report;

#endif
