// SPDX-License-Identifier: Apache-2.0
/// Sensitivities: how a trajectory depends on parameters of its system, integrated along with it.
#ifndef TRAMMEL_SENSITIVITY_H
#define TRAMMEL_SENSITIVITY_H

#include "trammel/model.h"
#include "trammel/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A parameter p of a system, given by the system at two values close to p: above p and below it.
/// Derivatives of the equations by p are central differences of their values between the two at the
/// same state, exact but for roundoff where p enters them linearly or squared. Derivatives by the
/// state are those of the system itself. With a width of 1e-5 |p| ten digits are right.
typedef struct trm_parameter {
    const char *name;        ///< for messages; may be NULL
    double width;            ///< p above - p below, > 0
    const trm_system *above; ///< borrowed like the system; with the same sizes and meaning of rows
    const trm_system *below; ///< likewise
    const trm_initial *initial_above; ///< where its trajectory starts; made consistent like that of
                                      ///< the system. NULL: where that starts
    const trm_initial *initial_below; ///< likewise
    const trm_system
        *derivative;  ///< NULL, or the derivatives of all quantities by p at a fixed state
                      ///< in the place of these, M_p for M, f_p for f, ..: then they take
                      ///< the place of differences. Its excitations are those of p
    int force_column; ///< 0, or 1 + its column of TRM_QUANTITY_FORCE_P, where the system supplies
                      ///< that and p enters nothing but the forces: the derivative is taken from
                      ///< there then, where derivatives by the state are evaluated
} trm_parameter;

/// Like trm_simulation_create, with the sensitivities by `count` parameters. Integrators bdf and
/// radau have them; auto becomes bdf. TRM_ERR_OPTION: the integrator, or constant steps, have none;
/// TRM_ERR_SYSTEM: the systems of a parameter are not alike. The parameters are copied.
TRM_API trm_status trm_simulation_create_sensitive(trm_simulation **out, const trm_system *system,
                                                   const trm_options *options,
                                                   const trm_initial *initial,
                                                   const trm_parameter *parameters, int count,
                                                   trm_error *error);

/// The derivatives by one parameter of what trm_simulation_sample gives at time t inside the last
/// step: q, v, a, x, z, lambda and held of *out; u is NULL. Borrowed until the next call of this
/// function or the next step. TRM_ERR_RANGE: there is no such parameter or time.
TRM_API trm_status trm_simulation_sensitivity(trm_simulation *simulation, double t, int parameter,
                                              const trm_state **out);

/// After trm_simulation_restart: the sensitivities by one parameter after the jump, at a fixed
/// time (x may be NULL). Velocities are moved onto the constraints. TRM_ERR_RANGE: there is no such
/// parameter, or a step was made since.
TRM_API trm_status trm_simulation_set_sensitivity(trm_simulation *simulation, int parameter,
                                                  const double *q, const double *v,
                                                  const double *x);

/// The neighbours of a model: instances of it with each of the parameters that trm_load.vary named
/// a little larger and a little smaller.
typedef struct trm_neighbours trm_neighbours;

/// Creates them for the model as it was read, or (values not NULL) with these values of its
/// parameters. Fails as trm_model_vary; on failure *out is NULL. They outlive the simulation.
TRM_API trm_status trm_neighbours_create(trm_neighbours **out, const trm_model *model,
                                         const double *values, trm_error *error);
TRM_API void trm_neighbours_destroy(trm_neighbours *neighbours);

/// The parameters for trm_simulation_create_sensitive, *count of them.
TRM_API const trm_parameter *trm_neighbours_parameters(const trm_neighbours *neighbours,
                                                       int *count);

/// Lets an instance of the model supply the derivatives of its forces by those parameters that
/// enter no more than smooth laws of forces of a mechanism (TRM_QUANTITY_FORCE_P): sensitivities
/// cost less then. Before its system is used; the neighbours outlive the instance's use in
/// simulations. TRM_ERR_MEMORY: no memory.
TRM_API trm_status trm_neighbours_attach(trm_neighbours *neighbours, trm_instance *instance);

/// Like trm_instance_event, with the jump of the sensitivities: the time of the event depends on
/// the parameters, and so does what it sets.
TRM_API trm_status trm_neighbours_event(trm_neighbours *neighbours, trm_instance *instance,
                                        trm_simulation *simulation, int event);

/// Derivatives of the outputs of an instance of the model by one parameter, at the state of
/// trm_simulation_sample and along that of trm_simulation_sensitivity. Returns as a trm_function.
TRM_API int trm_neighbours_outputs(trm_neighbours *neighbours, int parameter,
                                   trm_instance *instance, const trm_state *state,
                                   const trm_state *along, double *values);

#ifdef __cplusplus
}
#endif
#endif
