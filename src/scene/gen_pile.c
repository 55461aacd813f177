// SPDX-License-Identifier: MIT
// Scenes of free bodies: loose grids above an open bin (spheres, boxes, clutter, bin), a wall of bricks, a
// tower.
#include "gen.h"

#include <math.h>

/// n bodies on a jittered cubic grid of spacing `pitch`, turned by about `tilt`.
static void write_pile(tl_text* t, const char* scene, int32_t n, uint64_t seed, int32_t nshape,
                       const tl_gen_shape* shapes, double tilt, double pitch)
{
    tl_gen_rng rng;
    int32_t k, layers;
    tl_gen_seed(&rng, (uint64_t)n, seed);
    tl_gen_grid(n, &k, &layers);
    const double half = k * pitch / 2 + 0.01, jitter = 0.02 * TL_GEN_SIZE;
    tl_gen_head(t, scene);
    tl_gen_bin(t, half, half, layers * pitch + 0.2);
    for (int32_t i = 0; i < n; i++) {
        const int32_t ix = i % k, iy = (i / k) % k, iz = i / (k * k);
        const double x = (ix - (k - 1) / 2.0) * pitch + jitter * tl_gen_uniform(&rng, -1.0, 1.0);
        const double y = (iy - (k - 1) / 2.0) * pitch + jitter * tl_gen_uniform(&rng, -1.0, 1.0);
        const double pos[3] = {x, y, 0.02 + pitch / 2 + iz * pitch};
        double q[4];
        tl_gen_quat(&rng, tilt, q);
        tl_gen_free_body(t, i, shapes[(i * 7LL + iz) % nshape], pos, q);
    }
    tl_gen_tail(t);
}

void tl_gen_spheres(tl_text* t, const char* scene, int32_t n, uint64_t seed)
{
    write_pile(t, scene, n, seed, 1, (tl_gen_shape[]){TL_GEN_SPHERE}, 0.0, 1.08 * TL_GEN_SIZE);
}

void tl_gen_boxes(tl_text* t, const char* scene, int32_t n, uint64_t seed)
{
    write_pile(t, scene, n, seed, 1, (tl_gen_shape[]){TL_GEN_BOX}, 0.05, 1.2 * TL_GEN_SIZE);
}

void tl_gen_clutter(tl_text* t, const char* scene, int32_t n, uint64_t seed)
{
    write_pile(t, scene, n, seed, 4,
               (tl_gen_shape[]){TL_GEN_SPHERE, TL_GEN_BOX, TL_GEN_CYLINDER, TL_GEN_CAPSULE}, 0.4,
               1.5 * TL_GEN_SIZE);
}

void tl_gen_stack(tl_text* t, const char* scene, int32_t n, uint64_t seed)
{
    (void)seed; // nothing in a tower is random
    tl_gen_head(t, scene);
    tl_gen_floor(t, 1.0, 1.0, "floor");
    for (int32_t i = 0; i < n; i++)
        tl_gen_free_body(t, i, TL_GEN_BOX, (double[]){0, 0, TL_GEN_SIZE / 2 + i * TL_GEN_SIZE},
                         (double[]){1, 0, 0, 0});
    tl_gen_tail(t);
}

void tl_gen_bricks(tl_text* t, const char* scene, int32_t n, uint64_t seed)
{
    (void)seed;
    const double pitch = 1.03 * TL_GEN_SIZE;
    int32_t k, layers;
    tl_gen_grid(n, &k, &layers);
    const double half = k * pitch / 2 + 0.25 * pitch + 0.01;
    tl_gen_head(t, scene);
    tl_gen_bin(t, half, half, layers * TL_GEN_SIZE + 0.2);
    for (int32_t i = 0; i < n; i++) {
        const int32_t ix = i % k, iy = (i / k) % k, iz = i / (k * k);
        // every other layer is shifted by half a box in x and y
        const double shift = 0.25 * pitch * (iz % 2 ? 1 : -1);
        tl_gen_free_body(t, i, TL_GEN_BOX,
                         (double[]){(ix - (k - 1) / 2.0) * pitch + shift,
                                    (iy - (k - 1) / 2.0) * pitch + shift, TL_GEN_SIZE / 2 + iz * TL_GEN_SIZE},
                         (double[]){1, 0, 0, 0});
    }
    tl_gen_tail(t);
}

/// One body of the mixed bin; s is its size relative to TL_GEN_SIZE. All fit into a ball of diameter 0.16 s /
/// 0.1.
static void write_mixed_geom(tl_text* t, int32_t i, double s, double a, double b)
{
    static const char* const colour[] = {"0.89 0.47 0.20 1", "0.25 0.53 0.77 1", "0.93 0.76 0.29 1",
                                         "0.36 0.66 0.43 1", "0.70 0.36 0.53 1"};
    static const char* const type[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid"};
    const double r = s * TL_GEN_SIZE / 2;
    tl_gen_num size;
    switch (i % 5) {
    case 0:
        size = tl_gen_numbers(1, (double[]){r});
        break;
    case 1:
        size = tl_gen_numbers(3, (double[]){r, r * a, r * b});
        break;
    case 2:
        size = tl_gen_numbers(2, (double[]){0.65 * r, 0.7 * r * a});
        break;
    case 3:
        size = tl_gen_numbers(2, (double[]){0.9 * r, r * b});
        break;
    default:
        size = tl_gen_numbers(3, (double[]){1.2 * r, r * a, 0.9 * r * b});
        break;
    }
    tl_text_add(t, "      <geom name=\"g%d\" type=\"%s\" size=\"%s\" rgba=\"%s\"/>\n", i, type[i % 5],
                size.text, colour[i % 5]);
}

void tl_gen_bin_mixed(tl_text* t, const char* scene, int32_t n, uint64_t seed)
{
    const double pitch = 1.7 * TL_GEN_SIZE;
    tl_gen_rng rng;
    int32_t k, layers;
    tl_gen_seed(&rng, 3000 + (uint64_t)n, seed);
    tl_gen_grid(n, &k, &layers);
    const double half = k * pitch / 2 + 0.01;
    tl_gen_head(t, scene);
    tl_gen_bin(t, half, half, 0.55 * layers * pitch + 0.1);
    for (int32_t i = 0; i < n; i++) {
        const int32_t ix = i % k, iy = (i / k) % k, iz = i / (k * k);
        double q[4];
        const double x = (ix - (k - 1) / 2.0) * pitch + 0.005 * tl_gen_uniform(&rng, -1.0, 1.0);
        const double y = (iy - (k - 1) / 2.0) * pitch + 0.005 * tl_gen_uniform(&rng, -1.0, 1.0);
        tl_gen_quat(&rng, 1.0, q);
        const double s = tl_gen_uniform(&rng, 0.7, 1.0), a = tl_gen_uniform(&rng, 0.6, 1.0);
        const double b = tl_gen_uniform(&rng, 0.6, 1.0);
        tl_text_add(t, "    <body name=\"b%d\" pos=\"%s\" quat=\"%s\">\n      <freejoint name=\"fj%d\"/>\n",
                    i, TL_NUM(x, y, 0.02 + pitch / 2 + iz * pitch), tl_gen_numbers(4, q).text, i);
        write_mixed_geom(t, i, s, a, b);
        tl_text_add(t, "    </body>\n");
    }
    tl_gen_tail(t);
}
