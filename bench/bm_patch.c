// SPDX-License-Identifier: MIT
// Patches: one whole query of two fields, by pair and number of faces; nanoseconds a face and a candidate.
#include "patch.h"
#include "shim.h"

#include <math.h>
#include <stdio.h>

typedef struct scene {
    const char* name;
    int32_t type[2], kind[2];
    double size[2][3], hint, depth;
} scene;

typedef struct run {
    const scene* scene;
    bool warm; // a list of leaves of the query before may be used
    bool fans; // triangles instead of polygons
} run;

static tl_field* make(talus_context* ctx, const scene* s, int k, double hint)
{
    tl_shape shape = {.type = s->type[k]};
    memcpy(shape.size, s->size[k], sizeof shape.size);
    const tl_field_spec spec = {.kind = s->kind[k], .modulus = 1e5, .hint = hint, .thickness = 0.1};
    tl_field* f = NULL;
    tl_field_from_shape(ctx, &shape, &spec, "bench", &f);
    return f;
}

static void run_query(bm_state* s, void* user)
{
    const run* r = user;
    const scene* c = r->scene;
    talus_context* ctx;
    talus_context_def def = talus_context_default();
    def.nthreads = 1;
    talus_context_create(&def, &ctx);
    tl_field* a = make(ctx, c, 0, c->hint);
    tl_field* b = make(ctx, c, 1, c->hint);
    tl_pose Xa = {.p = {0.003, 0.002, c->depth},
                  .R = {0.97517032720181596, -0.10022964659204525, 0.19747620334900365, 0.19767681165408388,
                        0.79595419953967272, -0.57217199369545768, -0.099833416646828155, 0.59700161656329931,
                        0.79600399417429313}};
    const tl_pose Xb = {.p = {0}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    tl_patch p = {0};
    int64_t q = 0;
    while (bm_next(s)) {
        Xa.p[0] = 0.003 + 1e-7 * (double)(q++ % 16);
        const tl_patch_options options = {.cold = !r->warm, .triangles = r->fans};
        if (tl_patch_collide(ctx, a, &Xa, b, &Xb, &options, &p) < 0)
            bm_fail(s, "query");
        bm_clobber();
    }
    bm_counter(s, "faces", p.n);
    bm_counter(s, "candidates", (double)p.candidates);
    bm_counter(s, "met", (double)p.met);
    bm_counter(s, "careful", (double)p.careful);
    bm_counter(s, "boxes", (double)p.boxes);
    bm_counter(s, "ns_face", 1e9 * bm_seconds(s) / fmax(p.n, 1));
    tl_patch_free(ctx, &p);
    tl_field_destroy(ctx, a);
    tl_field_destroy(ctx, b);
    talus_context_destroy(ctx);
}

int main(int argc, char** argv)
{
#define BALL TL_SHAPE_SPHERE
#define C TL_FIELD_COMPLIANT
#define RG TL_FIELD_RIGID
    static scene scenes[] = {
        {"ball_ball", {BALL, BALL}, {C, C}, {{0.1}, {0.1}}, 0.02, 0.18},
        {"ball_ball", {BALL, BALL}, {C, C}, {{0.1}, {0.1}}, 0.01, 0.18},
        {"ball_ball", {BALL, BALL}, {C, C}, {{0.1}, {0.1}}, 0.005, 0.188},
        {"ball_ball", {BALL, BALL}, {C, C}, {{0.1}, {0.1}}, 0.0025, 0.188},
        {"ball_rigid", {BALL, BALL}, {C, RG}, {{0.1}, {0.1}}, 0.02, 0.18},
        {"ball_rigid", {BALL, BALL}, {C, RG}, {{0.1}, {0.1}}, 0.01, 0.18},
        {"ball_rigid", {BALL, BALL}, {C, RG}, {{0.1}, {0.1}}, 0.005, 0.188},
        {"ball_rigid", {BALL, BALL}, {C, RG}, {{0.1}, {0.1}}, 0.0025, 0.188},
        {"ball_box", {BALL, TL_SHAPE_BOX}, {C, C}, {{0.1}, {0.1, 0.1, 0.1}}, 0.01, 0.19},
        {"ball_box_rigid", {BALL, TL_SHAPE_BOX}, {C, RG}, {{0.1}, {0.1, 0.1, 0.1}}, 0.005, 0.19},
        {"cylinders", {TL_SHAPE_CYLINDER, TL_SHAPE_CYLINDER}, {C, C}, {{0.1, 0.05}, {0.1, 0.05}}, 0.01, 0.09},
        {"ball_plane", {BALL, TL_SHAPE_PLANE}, {C, RG}, {{0.1}, {0}}, 0.005, 0.09},
    };
    char name[128];
    enum { N = sizeof scenes / sizeof *scenes };
    static const struct {
        const char* name;
        bool warm, fans;
    } kinds[] = {{"query", false, false}, {"query_warm", true, false}, {"fans_warm", true, true}};
    enum { K = sizeof kinds / sizeof *kinds };
    static run runs[K * N];
    for (int i = 0; i < K * N; i++) {
        const scene* c = scenes + i / K;
        runs[i] = (run){c, kinds[i % K].warm, kinds[i % K].fans};
        snprintf(name, sizeof name, "bm_patch_%s/%s/hint:%g/t:1", kinds[i % K].name, c->name, c->hint);
        bm_unit(bm_register(name, run_query, &runs[i]), "us");
    }
    return bm_main(argc, argv);
}
