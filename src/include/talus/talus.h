// SPDX-License-Identifier: MIT
/// Everything: solver, model, simulation, contact patches.
#pragma once

#include <talus/base.h>
#include <talus/model.h>
#include <talus/patch.h>
#include <talus/sim.h>
#include <talus/solver.h>
