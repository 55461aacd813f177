// SPDX-License-Identifier: MIT
// Fields and poses for the tests of contact patches, and a context that keeps the last message.
#pragma once

#define _DEFAULT_SOURCE // M_PI
#include "patch.h"
#include "vec3.h"
#include "test.h"

static char last_message[512];

static inline void keep_message(void* user, const talus_message* m)
{
    (void)user;
    snprintf(last_message, sizeof last_message, "%s", m->text);
}

static inline int field_context_begin(void** state)
{
    talus_context_def def = talus_context_default();
    def.nthreads = 1;
    def.message = keep_message;
    return talus_context_create(&def, (talus_context**)state) == TALUS_OK ? 0 : -1;
}

static inline int field_context_end(void** state)
{
    talus_context_destroy(*state);
    return 0;
}

static inline tl_field* field_of(talus_context* ctx, int32_t type, const double* size, int32_t kind,
                                 double modulus, double hint)
{
    tl_shape shape = {.type = type};
    if (size)
        memcpy(shape.size, size, sizeof shape.size);
    const tl_field_spec spec = {.kind = kind, .modulus = modulus, .hint = hint, .thickness = 0.1};
    tl_field* f = NULL;
    assert_int_equal(tl_field_from_shape(ctx, &shape, &spec, "shape", &f), TALUS_OK);
    return f;
}

static inline tl_pose at(double x, double y, double z)
{
    return (tl_pose){.p = {x, y, z}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

/// X R = X A, with A the pose of B's frame in X
static inline tl_pose compose(const tl_pose* X, const tl_pose* A)
{
    tl_pose out;
    for (int i = 0; i < 3; i++) {
        out.p[i] = X->p[i] + X->R[3 * i] * A->p[0] + X->R[3 * i + 1] * A->p[1] + X->R[3 * i + 2] * A->p[2];
        for (int j = 0; j < 3; j++)
            out.R[3 * i + j] =
                X->R[3 * i] * A->R[j] + X->R[3 * i + 1] * A->R[3 + j] + X->R[3 * i + 2] * A->R[6 + j];
    }
    return out;
}

/// Turn about the pose's own axis k.
static inline void turn_about(tl_pose* X, int k, double angle)
{
    tl_pose A = at(0, 0, 0);
    const int u = (k + 1) % 3, v = (k + 2) % 3;
    A.R[3 * u + u] = A.R[3 * v + v] = cos(angle);
    A.R[3 * v + u] = sin(angle);
    A.R[3 * u + v] = -sin(angle);
    *X = compose(X, &A);
}

static inline tl_patch_sum sum_of(talus_context* ctx, const tl_field* a, tl_pose Xa, const tl_field* b,
                                  tl_pose Xb)
{
    tl_patch p = {0};
    tl_patch_sum s;
    const double origin[3] = {0};
    assert_int_equal(tl_patch_collide(ctx, a, &Xa, b, &Xb, NULL, &p), TALUS_OK);
    tl_patch_total(&p, origin, &s);
    tl_patch_free(ctx, &p);
    return s;
}

/// Area of the patch on the half space z < 0.
static inline double all_area(talus_context* ctx, const tl_field* a, const tl_pose* Xa, const tl_field* half)
{
    return sum_of(ctx, a, *Xa, half, at(0, 0, 0)).area;
}
