// SPDX-License-Identifier: MIT
// Articulated scenes: rows of 7-joint arms over boxes, one long chain, rag dolls.
#include "gen.h"

#include <math.h>

// ---- arms -------------------------------------------------------------------------------------------------

typedef struct arm_link {
    double offset, length, radius; // along the parent's z; of the capsule                m
    const char* axis;
    double bend; // in the reference pose                                                 rad
    double damping;
} arm_link;

// link lengths of a common 14 kg collaborative arm
static const arm_link arm_links[] = {
    {0.16, 0.14, 0.07, "0 0 1", 0.0, 4.0},  {0.20, 0.14, 0.07, "0 1 0", 0.9, 8.0},
    {0.20, 0.14, 0.065, "0 0 1", 0.0, 4.0}, {0.20, 0.14, 0.065, "0 1 0", 1.0, 4.0},
    {0.20, 0.12, 0.06, "0 0 1", 0.0, 1.0},  {0.19, 0.08, 0.055, "0 1 0", 0.6, 1.0},
    {0.10, 0.06, 0.045, "0 0 1", 0.0, 0.2},
};

static void write_arm(tl_text* t, int32_t k, double y)
{
    tl_text_add(t, "    <body name=\"a%d_base\" pos=\"%s\">\n", k, TL_NUM(-0.55, y, 0));
    tl_text_add(
        t, "      <geom name=\"a%d_basegeom\" type=\"cylinder\" size=\"0.09 0.04\" pos=\"0 0 0.04\"/>\n", k);
    for (int32_t i = 0; i < TL_COUNT(arm_links); i++) {
        const arm_link* l = &arm_links[i];
        const int indent = 4 + 2 * (i + 1);
        tl_text_add(t, "%*s<body name=\"a%d_l%d\" pos=\"%s\" quat=\"%s\">\n", indent, "", k, i,
                    TL_NUM(0, 0, l->offset), TL_NUM(cos(l->bend / 2), 0, sin(l->bend / 2), 0));
        tl_text_add(t, "%*s  <joint name=\"a%d_j%d\" type=\"hinge\" axis=\"%s\" damping=\"%g\"/>\n", indent,
                    "", k, i, l->axis, l->damping);
        tl_text_add(t, "%*s  <geom name=\"a%d_g%d\" type=\"capsule\" size=\"%s\" pos=\"%s\"/>\n", indent, "",
                    k, i, TL_NUM(l->radius, l->length / 2), TL_NUM(0, 0, l->length / 2));
    }
    for (int32_t i = TL_COUNT(arm_links); i >= 0; i--)
        tl_text_add(t, "%*s</body>\n", 4 + 2 * i, "");
}

void tl_gen_arms(tl_text* t, const char* scene, int32_t n, uint64_t seed)
{
    const double pitch = 0.5;
    tl_gen_rng rng;
    tl_gen_seed(&rng, 1000 + (uint64_t)n, seed);
    tl_gen_head(t, scene);
    tl_gen_bin(t, 1.0, n * pitch / 2 + 0.1, 0.3);
    for (int32_t k = 0; k < n; k++) {
        const double y = (k - (n - 1) / 2.0) * pitch;
        write_arm(t, k, y);
        for (int32_t i = 0; i < 12; i++) {
            const int32_t ix = i % 3, iy = (i / 3) % 2, iz = i / 6;
            const double px = 0.02 + 0.13 * ix + 0.004 * tl_gen_uniform(&rng, -1.0, 1.0);
            const double py = y + 0.13 * (iy - 0.5) + 0.004 * tl_gen_uniform(&rng, -1.0, 1.0);
            double q[4];
            tl_gen_quat(&rng, 0.0, q);
            tl_gen_free_body(t, 12 * k + i, TL_GEN_BOX,
                             (double[]){px, py, 0.001 + TL_GEN_SIZE / 2 + iz * (TL_GEN_SIZE + 0.001)}, q);
        }
    }
    tl_gen_tail(t);
}

// ---- chain ------------------------------------------------------------------------------------------------

void tl_gen_chain(tl_text* t, const char* scene, int32_t n, uint64_t seed)
{
    (void)seed;
    const double length = 0.1, r = 0.02;
    tl_gen_head(t, scene);
    tl_gen_floor(t, n * length + 1.0, 2.0, "floor");
    for (int32_t i = 0; i < n; i++) {
        const int indent = 4 + 2 * i;
        const tl_gen_num pos = i == 0 ? tl_gen_numbers(3, (double[]){-n * length / 2, 0, 0.06})
                                      : tl_gen_numbers(3, (double[]){length, 0, 0});
        const double turn = i == 0 ? 0.0 : i % 2 ? 0.3 : -0.3;
        tl_text_add(t, "%*s<body name=\"c%d\" pos=\"%s\" quat=\"%s\">\n", indent, "", i, pos.text,
                    TL_NUM(cos(turn / 2), 0, 0, sin(turn / 2)));
        tl_text_add(t, "%*s  <joint name=\"cj%d\" type=\"hinge\" axis=\"%s\" damping=\"0.01\"/>\n", indent,
                    "", i, i % 2 ? "0 0 1" : "0 1 0");
        tl_text_add(t, "%*s  <geom name=\"cg%d\" type=\"capsule\" size=\"%s\" pos=\"%s\" quat=\"%s\"/>\n",
                    indent, "", i, TL_NUM(r, length / 2 - r), TL_NUM(length / 2, 0, 0),
                    TL_NUM(sqrt(0.5), 0, sqrt(0.5), 0));
    }
    for (int32_t i = n - 1; i >= 0; i--)
        tl_text_add(t, "%*s</body>\n", 4 + 2 * i, "");
    tl_gen_tail(t);
}

// ---- humanoids --------------------------------------------------------------------------------------------
// ----------------------------------------------------------------------------------------------- 24 dofs: 6
// free, 2 abdomen, 2 x (2 shoulder, 1 elbow, 3 hip, 1 knee, 1 ankle). A limb's text is a table of parts in
// depth-first order; `close` tells how many bodies end after it.

typedef struct part {
    const char* name; // one %s takes the side, l or r
    double x, y, z;   // y is mirrored for the right side
    const char* axes[3];
    const char* geom;
    int32_t depth; // below the torso
    int32_t close;
} part;

static void write_part(tl_text* t, int32_t k, const part* p, const char* side, double mirror)
{
    const int indent = 4 + 2 * p->depth;
    tl_text_add(t, "%*s<body name=\"h%d_%s%s\" pos=\"%s\">\n", indent, "", k, p->name, side,
                TL_NUM(p->x, mirror * p->y, p->z));
    for (int32_t j = 0; j < 3 && p->axes[j]; j++)
        tl_text_add(t, "%*s  <joint name=\"h%d_%s%s_j%d\" type=\"hinge\" axis=\"%s\" damping=\"1\"/>\n",
                    indent, "", k, p->name, side, j, p->axes[j]);
    tl_text_add(t, "%*s  <geom name=\"h%d_%s%s_g\" %s/>\n", indent, "", k, p->name, side, p->geom);
    for (int32_t i = 0; i < p->close; i++)
        tl_text_add(t, "%*s</body>\n", indent - 2 * i, "");
}

static const part arm_parts[] = {
    {"uarm_",
     0,
     0.20,
     0.14,
     {"0 1 0", "1 0 0"},
     "type=\"capsule\" size=\"0.04 0.1\" pos=\"0 0 -0.13\"",
     1,
     0},
    {"larm_", 0, 0, -0.27, {"0 1 0"}, "type=\"capsule\" size=\"0.035 0.1\" pos=\"0 0 -0.14\"", 2, 2},
};
static const part pelvis_part = {
    "pelvis", 0, 0, -0.26, {"0 0 1", "0 1 0"}, "type=\"box\" size=\"0.07 0.12 0.06\"", 1, 0};
static const part leg_parts[] = {
    {"thigh_",
     0,
     0.09,
     -0.12,
     {"1 0 0", "0 0 1", "0 1 0"},
     "type=\"capsule\" size=\"0.06 0.13\" pos=\"0 0 -0.2\"",
     2,
     0},
    {"shin_", 0, 0, -0.40, {"0 1 0"}, "type=\"capsule\" size=\"0.05 0.14\" pos=\"0 0 -0.19\"", 3, 0},
    {"foot_", 0, 0, -0.40, {"0 1 0"}, "type=\"box\" size=\"0.10 0.05 0.03\" pos=\"0.04 0 0\"", 4, 3},
};

static void write_limb(tl_text* t, int32_t k, const part* parts, int32_t n)
{
    for (int32_t side = 0; side < 2; side++)
        for (int32_t i = 0; i < n; i++)
            write_part(t, k, &parts[i], side ? "r" : "l", side ? -1.0 : 1.0);
}

static void write_humanoid(tl_text* t, int32_t k, const double* pos, const double* quat)
{
    tl_text_add(t,
                "    <body name=\"h%d_torso\" pos=\"%s\" quat=\"%s\">\n"
                "      <freejoint name=\"h%d_free\"/>\n"
                "      <geom name=\"h%d_torso_g\" type=\"box\" size=\"0.08 0.14 0.18\"/>\n"
                "      <geom name=\"h%d_head_g\" type=\"sphere\" size=\"0.09\" pos=\"0 0 0.28\"/>\n",
                k, tl_gen_numbers(3, pos).text, tl_gen_numbers(4, quat).text, k, k, k);
    write_limb(t, k, arm_parts, TL_COUNT(arm_parts));
    write_part(t, k, &pelvis_part, "", 1.0);
    write_limb(t, k, leg_parts, TL_COUNT(leg_parts));
    tl_text_add(t, "      </body>\n    </body>\n");
}

void tl_gen_humanoids(tl_text* t, const char* scene, int32_t n, uint64_t seed)
{
    tl_gen_rng rng;
    tl_gen_seed(&rng, 2000 + (uint64_t)n, seed);
    // on their backs, in two layers
    const int32_t per = (n + 1) / 2, nx = TL_MAX(1, (int32_t)nearbyint(sqrt(per / 2.0)));
    const int32_t ny = (per + nx - 1) / nx;
    const double px = 1.8, py = 0.62, root = sqrt(0.5);
    tl_gen_head(t, scene);
    tl_gen_bin(t, nx * px / 2 + 0.1, ny * py / 2 + 0.15, 0.8);
    for (int32_t i = 0; i < n; i++) {
        const int32_t j = i % per, x = j % nx, y = j / nx, layer = i / per;
        double q[4] = {root, 0, -root, 0};
        q[0] = root + 0.02 * tl_gen_uniform(&rng, -1.0, 1.0);
        q[1] = 0.02 * tl_gen_uniform(&rng, -1.0, 1.0);
        q[3] = 0.02 * tl_gen_uniform(&rng, -1.0, 1.0);
        const double s = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (int32_t c = 0; c < 4; c++)
            q[c] /= s;
        write_humanoid(t, i,
                       (double[]){px * (x - (nx - 1) / 2.0) - 0.44 + 0.02 * tl_gen_uniform(&rng, -1.0, 1.0),
                                  py * (y - (ny - 1) / 2.0), 0.2 + 0.35 * layer},
                       q);
    }
    tl_gen_tail(t);
}
