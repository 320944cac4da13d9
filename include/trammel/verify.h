// SPDX-License-Identifier: Apache-2.0
/// Error bars: a run is compared with a companion, a second run of the same model by another
/// method, at a tighter tolerance and with steps no longer than the distance of the rows. The
/// companion is right to more digits, so that the difference is the error of the run.
#ifndef TRAMMEL_VERIFY_H
#define TRAMMEL_VERIFY_H

#include "trammel/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A result is trusted where its error stays below this share of the motion.
#define TRM_VERIFY_LIMIT 0.01

/// The options of the companion of a run with these options. Not copied: callbacks and their user,
/// constant steps, limits of order and step. interval: longest step, the distance at which rows
/// are compared.
TRM_API trm_options trm_verify_companion(const trm_options *options, double interval);

/// What the errors of a channel are compared with.
typedef enum trm_verify_measure {
    TRM_VERIFY_RANGE,     ///< largest less smallest value: positions
    TRM_VERIFY_SIZE,      ///< the largest magnitude: velocities, forces
    TRM_VERIFY_QUATERNION ///< as range; four channels e0 .. e3, e and -e being the same
} trm_verify_measure;

/// What an error of a channel beyond the limit means for the result.
typedef enum trm_verify_decision {
    TRM_VERIFY_DECIDES_NOT,
    TRM_VERIFY_DECIDES,       ///< it is not trusted
    TRM_VERIFY_DECIDES_PASSED ///< likewise, for channels that may jump: not trusted when the values
                              ///< that run and companion pass between two rows do not meet
} trm_verify_decision;

/// Channels of one kind and one unit. A channel that moves less than TRM_VERIFY_LIMIT of the
/// largest of its group is judged as if it moved so much; one of a group that may jump likewise by
/// the largest of all with its unit, where that is not "", or of its name: the difference of two
/// positions is as right as they are.
typedef struct trm_verify_group {
    const char *name; ///< "positions"; groups may share it. Borrowed
    trm_verify_measure measure;
    trm_verify_decision decides;
    const char *unit; ///< NULL: not known. Borrowed
} trm_verify_group;

/// A comparison of two trajectories.
typedef struct trm_verify trm_verify;

/// Creates a comparison of `channels` numbers per row; group_of[k] is the group of channel k, -1
/// when it is not compared. options are those of the run. error may be NULL.
TRM_API trm_status trm_verify_create(trm_verify **out, const trm_verify_group *group, int groups,
                                     const int *group_of, int channels, const trm_options *options,
                                     trm_error *error);
TRM_API void trm_verify_destroy(trm_verify *verify);

/// Compares the rows of the run and of its companion at t. Times ascend. Allocates memory, up to
/// 64 MB; from there on a stored row stands for several. companion NULL: a row that the companion
/// did not reach; it counts only in what the channels move.
TRM_API trm_status trm_verify_add(trm_verify *verify, double t, const double *run,
                                  const double *companion);

/// How the error of a result grows.
typedef enum trm_verify_growth {
    TRM_VERIFY_STEADY,    ///< like a power of t: the tolerance decides
    TRM_VERIFY_SENSITIVE, ///< by a factor e in each time constant: neighbouring motions part
    TRM_VERIFY_SUDDEN     ///< within few rows: something was missed, or another branch was taken
} trm_verify_growth;

/// The judgement of a comparison.
typedef struct trm_verify_report {
    long rows;         ///< compared
    double t_first, t; ///< of the first row and of the last, NaN: there is none
    double error;      ///< largest of the channels that decide, relative
    int channel;       ///< which, -1: none
    int open;          ///< a channel whose motion is below what the tolerance leaves open, and off
                       ///< by more than TRM_VERIFY_LIMIT of it; -1: none
    double t_right;    ///< until then the error stays below TRM_VERIFY_LIMIT
    int trusted;       ///< 1: to the last row
    trm_verify_growth growth;
    double growth_time; ///< of TRM_VERIFY_SENSITIVE: in which errors grow by a factor e
} trm_verify_report;

/// Judges what was compared so far. TRM_OK, or TRM_UNTRUSTED with sentences in error, which may be
/// NULL. neighbours, if not NULL, is a comparison of the companion with one like it that began a
/// little beside it (trm_verify_neighbour): it distinguishes a sensitive machine
/// from a loose tolerance. It must have the same channels; those in which the run is wrong count.
TRM_API trm_status trm_verify_judge(const trm_verify *verify, const trm_verify *neighbours,
                                    trm_verify_report *report, trm_error *error);

/// Moves n positions or velocities of a start a little: by the tolerance of options, in turn to
/// either side; the first to `side`, 1 or -1.
TRM_API void trm_verify_neighbour(const trm_options *options, int side, int n, double *value);

/// The largest error of a channel so far, NaN when it was not compared.
TRM_API double trm_verify_error(const trm_verify *verify, int channel);
/// The same over what the channel is measured by.
TRM_API double trm_verify_relative_error(const trm_verify *verify, int channel);
/// How far it moved in both runs together, or its largest size; NaN when it was not compared.
TRM_API double trm_verify_motion(const trm_verify *verify, int channel);
/// The largest relative error of all groups of a name, NaN when nothing was compared.
TRM_API double trm_verify_group_error(const trm_verify *verify, const char *name);
/// The errors of all channels at t, those of the next row that is stored; 0 when none is.
TRM_API int trm_verify_row(const trm_verify *verify, double t, double *error);

/// Runs a simulation and its companion side by side to t_end, in this thread, and compares
/// positions and velocities at `rows` equal distances. Both must have systems of their own where
/// these have a workspace. TRM_OK, TRM_UNTRUSTED with the reason in error, or the status of what
/// failed. report and error may be NULL.
TRM_API trm_status trm_verify_run(trm_simulation *simulation, trm_simulation *companion,
                                  double t_end, int rows, trm_verify_report *report,
                                  trm_error *error);

#ifdef __cplusplus
}
#endif
#endif
