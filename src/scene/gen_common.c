// SPDX-License-Identifier: MIT
// What all generators share: a growing text, reproducible random numbers, the frame of a scene, free bodies.
// Numbers are printed with 9 digits: enough to place a body to a nanometre, few enough to read.
#include "gen.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void tl_text_init(tl_text* t, talus_context* ctx)
{
    *t = (tl_text){.ctx = ctx};
}

void tl_text_fini(tl_text* t)
{
    tl_free(t->ctx, t->data);
    t->data = NULL;
}

void tl_text_add(tl_text* t, const char* fmt, ...)
{
    if (t->status < 0)
        return;
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n >= 0)
        t->status = TL_GROW(t->ctx, t->data, t->cap, t->length, t->length + n + 1);
    if (n >= 0 && t->status >= 0)
        t->length += vsnprintf(t->data + t->length, (size_t)n + 1, fmt, again);
    va_end(again);
}

// ---- random numbers ---------------------------------------------------------------------------------------

void tl_gen_seed(tl_gen_rng* r, uint64_t base, uint64_t seed)
{
    r->s = (base + seed * 1000003u) * 2654435761u + 12345u;
}

double tl_gen_uniform(tl_gen_rng* r, double lo, double hi)
{
    r->s = r->s * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * ((double)(r->s >> 11) / 9007199254740992.0);
}

void tl_gen_quat(tl_gen_rng* r, double amount, double* q)
{
    q[0] = 1.0;
    for (int32_t i = 1; i < 4; i++)
        q[i] = amount * tl_gen_uniform(r, -1.0, 1.0);
    const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int32_t i = 0; i < 4; i++)
        q[i] /= n;
}

// ---- pieces of a scene ------------------------------------------------------------------------------------

tl_gen_num tl_gen_numbers(int32_t n, const double* x)
{
    tl_gen_num out = {""};
    int used = 0;
    for (int32_t i = 0; i < n && used < (int)sizeof out.text; i++)
        used += snprintf(out.text + used, sizeof out.text - (size_t)used, i ? " %.9g" : "%.9g", x[i]);
    return out;
}

void tl_gen_head(tl_text* t, const char* name)
{
    tl_text_add(t,
                "<mujoco model=\"%s\">\n"
                "  <compiler angle=\"radian\" autolimits=\"true\"/>\n"
                "  <option gravity=\"0 0 -9.81\"/>\n"
                "  <default>\n"
                "    <geom friction=\"0.5\" density=\"1000\" condim=\"3\"/>\n"
                "  </default>\n"
                "  <worldbody>\n",
                name);
}

void tl_gen_tail(tl_text* t)
{
    tl_text_add(t, "  </worldbody>\n</mujoco>\n");
}

void tl_gen_floor(tl_text* t, double hx, double hy, const char* name)
{
    tl_text_add(t, "    <geom name=\"%s\" type=\"box\" size=\"%s\" pos=\"%s\"/>\n", name,
                TL_NUM(hx, hy, TL_GEN_WALL), TL_NUM(0, 0, -TL_GEN_WALL));
}

void tl_gen_bin(tl_text* t, double hx, double hy, double height)
{
    const double w = TL_GEN_WALL, hz = height / 2;
    const double wall[4][4] = {
        {hx + w, 0, w, hy + 2 * w}, {-hx - w, 0, w, hy + 2 * w}, {0, hy + w, hx, w}, {0, -hy - w, hx, w}};
    tl_gen_floor(t, hx + 2 * w, hy + 2 * w, "bin_floor");
    for (int32_t i = 0; i < 4; i++)
        tl_text_add(t, "    <geom name=\"bin_wall%d\" type=\"box\" size=\"%s\" pos=\"%s\"/>\n", i,
                    TL_NUM(wall[i][2], wall[i][3], hz), TL_NUM(wall[i][0], wall[i][1], hz));
}

void tl_gen_free_body(tl_text* t, int32_t index, tl_gen_shape shape, const double* pos, const double* quat)
{
    static const char* const geom[] = {
        [TL_GEN_SPHERE] = "type=\"sphere\" size=\"0.05\"",
        [TL_GEN_BOX] = "type=\"box\" size=\"0.05 0.05 0.05\"",
        [TL_GEN_CYLINDER] = "type=\"cylinder\" size=\"0.05 0.05\"",
        [TL_GEN_CAPSULE] = "type=\"capsule\" size=\"0.035 0.035\"",
    };
    tl_text_add(t,
                "    <body name=\"b%d\" pos=\"%s\" quat=\"%s\">\n"
                "      <freejoint name=\"fj%d\"/>\n"
                "      <geom name=\"g%d\" %s/>\n"
                "    </body>\n",
                index, tl_gen_numbers(3, pos).text, tl_gen_numbers(4, quat).text, index, index, geom[shape]);
}

void tl_gen_grid(int32_t n, int32_t* side, int32_t* layers)
{
    // rounded first: the cube root of 27 may come out above 3
    *side = (int32_t)ceil(floor(cbrt((double)n) * 1e9 + 0.5) / 1e9);
    *layers = (n + *side * *side - 1) / (*side * *side);
}

// ---- table ------------------------------------------------------------------------------------------------

static const tl_gen_kind kinds[] = {
    {"bin", "mixed bodies of five shapes and many sizes above a bin", 1000000, tl_gen_bin_mixed},
    {"spheres", "equal spheres on a loose grid above a bin", 1000000, tl_gen_spheres},
    {"boxes", "equal cubes, slightly turned, above a bin", 1000000, tl_gen_boxes},
    {"clutter", "spheres, boxes, cylinders and capsules, turned, above a bin", 1000000, tl_gen_clutter},
    {"bricks", "cubes in layers, each resting on up to four others: one contact island", 1000000,
     tl_gen_bricks},
    {"stack", "one tower of cubes", 1000000, tl_gen_stack},
    {"arms", "limp 7-joint arms that fall onto 12 loose boxes each", 100000, tl_gen_arms},
    {"chain", "one tree of hinged links that drops onto the floor", 2000, tl_gen_chain},
    {"humanoids", "rag dolls of 24 dofs in two layers over a bin", 100000, tl_gen_humanoids},
};

int32_t tl_gen_kinds(const tl_gen_kind** list)
{
    *list = kinds;
    return TL_COUNT(kinds);
}

talus_status tl_gen_scene(talus_context* ctx, const char* kind, int32_t n, uint64_t seed, tl_text* out)
{
    char names[256] = "";
    tl_text_init(out, ctx);
    for (int32_t i = 0; i < TL_COUNT(kinds); i++) {
        char scene[64];
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", kinds[i].name);
        if (strcmp(kind, kinds[i].name) != 0)
            continue;
        if (n < 1 || n > kinds[i].n_max)
            return tl_fail(ctx, TALUS_ERR_ARG, "%s: n = %d is not from 1 to %d", kind, n, kinds[i].n_max);
        snprintf(scene, sizeof scene, "%s-%d", kind, n);
        kinds[i].write(out, scene, n, seed);
        return out->status;
    }
    return tl_fail(ctx, TALUS_ERR_ARG, "unknown kind of scene '%s', there are %s", kind, names);
}
