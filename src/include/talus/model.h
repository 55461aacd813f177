// SPDX-License-Identifier: MIT
/// A model: bodies, joints, geoms, materials, actuators. Immutable after loading; any number of threads may read it.
#pragma once

#include <talus/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct talus_model talus_model;

/// Plain input of talus_model_load; start from talus_load_default().
typedef struct talus_load_options {
    uint32_t cookie;
    int32_t strict; ///< 1: elements that change the dynamics and are not understood are errors, not notices
    double refine;  ///< resolution hints of pressure fields are divided by it; > 0
} talus_load_options;

TALUS_API talus_load_options talus_load_default(void);

/// Read an MJCF file. Elements that are not understood are sent to the context's handler, once each, as notices.
/// @return OK, ERR_IO (cannot be read), ERR_INPUT (names file, line, element and what was expected), ERR_UNSUPPORTED
///         (strict, or a mesh that is needed and that this build cannot make), ERR_NOMEM
TALUS_API talus_status talus_model_load(talus_context* ctx, const char* path,
                                        const talus_load_options* options, talus_model** out);
TALUS_API void talus_model_destroy(talus_model* model);

typedef struct talus_model_info {
    int32_t nq, nv, nbody; ///< nbody counts the world, as MuJoCo does
    int32_t njnt, ngeom, ntree, nu, nkey;
    int32_t nnotice;   ///< notices sent while loading
    double total_mass; ///< kg
    double timestep;   ///< the file's, s
    double gravity[3]; ///< m/s^2
} talus_model_info;

TALUS_API talus_model_info talus_model_get_info(const talus_model* model);

typedef enum talus_object {
    TALUS_BODY,
    TALUS_JOINT,
    TALUS_GEOM,
    TALUS_ACTUATOR,
    TALUS_KEYFRAME
} talus_object;

/// Name of an object, "" when it has none, NULL when the index is out of range. Owned by the model.
TALUS_API const char* talus_model_name(const talus_model* model, talus_object kind, int32_t index);
/// Index of a named object, -1 when there is none.
TALUS_API int32_t talus_model_find(const talus_model* model, talus_object kind, const char* name);

#ifdef __cplusplus
}
#endif
