// SPDX-License-Identifier: Apache-2.0
/// Trammel: constrained mechanical systems. Include this.
#ifndef TRAMMEL_TRAMMEL_H
#define TRAMMEL_TRAMMEL_H

#include "trammel/check.h"
#include "trammel/equilibrium.h"
#include "trammel/force.h"
#include "trammel/model.h"
#include "trammel/modes.h"
#include "trammel/options.h"
#include "trammel/problem.h"
#include "trammel/sensitivity.h"
#include "trammel/simulation.h"
#include "trammel/status.h"
#include "trammel/system.h"
#include "trammel/verify.h"
#include "trammel/version.h"

#endif
