// SPDX-License-Identifier: MIT
// Scene generators: MJCF text that MuJoCo and Drake read too (primitives, no assets). Used by tests,
// benchmarks and `talus gen` alike. The same kind, n and seed give the same bytes on every machine.
#pragma once

#include "base.h"

/// A text that grows. A failure is kept in `status`, later additions then do nothing.
typedef struct tl_text {
    talus_context* ctx;
    char* data; // zero-terminated
    int64_t length, cap;
    talus_status status;
} tl_text;

void tl_text_init(tl_text* t, talus_context* ctx);
void tl_text_fini(tl_text* t);
void tl_text_add(tl_text* t, const char* fmt, ...) TL_PRINTF(2, 3);

typedef struct tl_gen_kind {
    const char* name;
    const char* summary;
    int32_t n_max;
    void (*write)(tl_text* t, const char* scene, int32_t n, uint64_t seed);
} tl_gen_kind;

/// @return number of kinds
int32_t tl_gen_kinds(const tl_gen_kind** list);
/// Write a scene of kind `kind`. @param seed 0: the usual placement
/// @return OK, ERR_ARG (names the kinds or the range of n), ERR_NOMEM; out is to be freed with tl_text_fini
/// in any case
talus_status tl_gen_scene(talus_context* ctx, const char* kind, int32_t n, uint64_t seed, tl_text* out);

// ---- shared by gen_*.c ------------------------------------------------------------------------------------

#define TL_GEN_SIZE 0.1 // edge or diameter of the free bodies   m
#define TL_GEN_WALL 0.1 // half thickness of floor and walls     m

typedef enum tl_gen_shape { TL_GEN_SPHERE, TL_GEN_BOX, TL_GEN_CYLINDER, TL_GEN_CAPSULE } tl_gen_shape;

/// Uniform numbers of a 64-bit linear congruential generator.
typedef struct tl_gen_rng {
    uint64_t s;
} tl_gen_rng;
void tl_gen_seed(tl_gen_rng* r, uint64_t base, uint64_t seed);
double tl_gen_uniform(tl_gen_rng* r, double lo, double hi);
/// Unit quaternion; amount 0: none, 1: nearly uniform.
void tl_gen_quat(tl_gen_rng* r, double amount, double* q);

/// Numbers with 9 digits, separated by blanks, into a buffer of the caller; n <= 4.
typedef struct tl_gen_num {
    char text[96];
} tl_gen_num;
tl_gen_num tl_gen_numbers(int32_t n, const double* x);
#define TL_NUM(...)                                                                                          \
    tl_gen_numbers((int32_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__}).text

void tl_gen_head(tl_text* t, const char* name);
void tl_gen_tail(tl_text* t);
void tl_gen_floor(tl_text* t, double hx, double hy, const char* name);
/// Open bin with inner half widths hx, hy: a floor and four walls.
void tl_gen_bin(tl_text* t, double hx, double hy, double height);
void tl_gen_free_body(tl_text* t, int32_t index, tl_gen_shape shape, const double* pos, const double* quat);
/// Bodies of a cube of n: edge count and number of layers.
void tl_gen_grid(int32_t n, int32_t* side, int32_t* layers);

void tl_gen_spheres(tl_text* t, const char* scene, int32_t n, uint64_t seed);
void tl_gen_boxes(tl_text* t, const char* scene, int32_t n, uint64_t seed);
void tl_gen_clutter(tl_text* t, const char* scene, int32_t n, uint64_t seed);
void tl_gen_bricks(tl_text* t, const char* scene, int32_t n, uint64_t seed);
void tl_gen_stack(tl_text* t, const char* scene, int32_t n, uint64_t seed);
void tl_gen_bin_mixed(tl_text* t, const char* scene, int32_t n, uint64_t seed);
void tl_gen_arms(tl_text* t, const char* scene, int32_t n, uint64_t seed);
void tl_gen_chain(tl_text* t, const char* scene, int32_t n, uint64_t seed);
void tl_gen_humanoids(tl_text* t, const char* scene, int32_t n, uint64_t seed);
