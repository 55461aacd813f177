// SPDX-License-Identifier: MIT
// bm_kernels_OP/n:N/isa:ISA: every per-contact kernel in every instruction set this CPU has.
//
// Beside the times each row prints how near it is to what the machine can do (roof.h). flops and bytes are counted by
// hand from the reference loops (a quotient or root counts 1; negations, comparisons and blends 0).
#include "roof.h"
#include "kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 4096
#define LD (N + 40) // rows a multiple of 4096 bytes apart would all fall into one set of the cache

// ---- data ------------------------------------------------------------------------------------------

typedef struct contacts {
    double *k, *d, *mu, *delta0, *v_s, *Wt, *Wn;
    double *v, *fl, *nu, *f, *G, *alpha; // rows LD apart
    tl_jacobian6 J;
    double* tree_v; // six each
    const double** Minv;
    double* B; // like the rows of J
} contacts;

/// a pile's contacts: a third sticks, a third slides, a third separates; one block, as the solver's arena
/// lays them
static contacts make_contacts(void)
{
    contacts c = {0};
    struct {
        double** field;
        int rows;
    } const fields[] = {{&c.k, 1},  {&c.d, 1},  {&c.mu, 1},    {&c.delta0, 1}, {&c.v_s, 1},
                        {&c.Wt, 1}, {&c.Wn, 1}, {&c.alpha, 1}, {&c.v, 3},      {&c.fl, 3},
                        {&c.nu, 3}, {&c.f, 3},  {&c.G, 6}};
    double* at = doubles(32 * LD);
    for (size_t j = 0; j < sizeof fields / sizeof fields[0]; j++) {
        *fields[j].field = at;
        at += fields[j].rows * LD;
    }
    uint64_t s = 1;
    for (int i = 0; i < N; i++) {
        const double slip = i % 3 == 0 ? 1e-4 : 1e-1;
        c.k[i] = uniform(&s, 1e4, 1e6);
        c.d[i] = uniform(&s, 0, 50);
        c.mu[i] = uniform(&s, 0.1, 1);
        c.delta0[i] = uniform(&s, 1e-5, 1e-3);
        c.v_s[i] = 1e-4;
        c.Wt[i] = uniform(&s, 1e-3, 1e-2);
        c.Wn[i] = uniform(&s, 1e-3, 1e-2);
        for (int r = 0; r < 2; r++)
            c.v[r * LD + i] = uniform(&s, -slip, slip);
        c.v[2 * LD + i] = i % 3 == 2 ? uniform(&s, 0, 1) : uniform(&s, -0.1, 0);
        for (int r = 0; r < 3; r++)
            c.fl[r * LD + i] = uniform(&s, -1, 1);
    }
    return c;
}

/// a pile's graph: N/3 trees, each contact between near neighbours
static void make_jacobian(contacts* c)
{
    static int64_t at[N];
    static int32_t a[N], b[N], dof[N / 3];
    double* rows = doubles(36 * N);
    uint64_t s = 2;
    for (int t = 0; t < N / 3; t++)
        dof[t] = 6 * t;
    for (int i = 0; i < N; i++) {
        at[i] = 36 * i;
        a[i] = i / 3 % (N / 3);
        b[i] = (a[i] + 1 + (int32_t)uniform(&s, 0, 100)) % (N / 3);
    }
    for (int i = 0; i < 36 * N; i++)
        rows[i] = uniform(&s, -1, 1);
    c->J = (tl_jacobian6){.rows = rows, .at = at, .a = a, .b = b, .dof = dof};
    c->tree_v = doubles(6 * N / 3 + 8);
    c->B = doubles(36 * N);
    static const double* Minv[N / 3];
    double* blocks = doubles(36 * (N / 3));
    for (int t = 0; t < N / 3; t++) {
        for (int k = 0; k < 36; k++)
            blocks[36 * t + k] = k % 7 == 0 ? 1.0 : 0.1;
        Minv[t] = blocks + 36 * t;
    }
    c->Minv = Minv;
}

// ---- the kernels -----------------------------------------------------------------------------------

typedef struct work {
    const tl_kernels* set;
    const limits* roof;
    const contacts* c;
    counts each; // per contact
} work;

static tl_contact_params params(const contacts* c)
{
    return (tl_contact_params){
        .k = c->k, .d = c->d, .mu = c->mu, .delta0 = c->delta0, .v_s = c->v_s, .h = 5e-3};
}

static void report(bm_state* s, const work* w)
{
    const counts all = {.flops = N * w->each.flops,
                        .divs = N * w->each.divs,
                        .roots = N * w->each.roots,
                        .bytes = N * w->each.bytes};
    bm_counter(s, "ns_contact", 1e9 * bm_seconds(s) / N);
    roof_report(s, w->roof, &all);
}

static void force_gradient(bm_state* s, void* user)
{
    const work* w = user;
    const tl_contact_params p = params(w->c);
    while (bm_next(s)) {
        w->set->contact_force(N, LD, &p, w->c->v, NULL, 0, w->c->f, w->c->G);
        bm_clobber();
    }
    report(s, w);
}

static void force_alone(bm_state* s, void* user)
{
    const work* w = user;
    const tl_contact_params p = params(w->c);
    while (bm_next(s)) {
        w->set->contact_force(N, LD, &p, w->c->v, NULL, 0, w->c->f, NULL);
        bm_clobber();
    }
    report(s, w);
}

static void local(bm_state* s, void* user)
{
    const work* w = user;
    const contacts* c = w->c;
    const tl_contact_params p = params(c);
    while (bm_next(s)) {
        w->set->contact_local(N, LD, &p, c->Wt, c->Wn, c->v, c->fl, NULL, c->nu, c->f);
        bm_clobber();
    }
    report(s, w);
}

static void tals(bm_state* s, void* user)
{
    const work* w = user;
    const contacts* c = w->c;
    while (bm_next(s)) {
        w->set->tals_limit(N, LD, c->v, c->fl, c->v_s, 1.0471975511965976, c->alpha);
        bm_clobber();
    }
    report(s, w);
}

static void jacobian_apply(bm_state* s, void* user)
{
    const work* w = user;
    const contacts* c = w->c;
    while (bm_next(s)) {
        w->set->jacobian_apply(N, NULL, &c->J, c->tree_v, LD, c->nu);
        bm_clobber();
    }
    report(s, w);
}

static void jacobian_add(bm_state* s, void* user)
{
    const work* w = user;
    const contacts* c = w->c;
    while (bm_next(s)) {
        w->set->jacobian_add(N, NULL, &c->J, 1e-9, c->fl, LD, c->tree_v);
        bm_clobber();
    }
    report(s, w);
}

static void jacobian_response(bm_state* s, void* user)
{
    const work* w = user;
    const contacts* c = w->c;
    while (bm_next(s)) {
        w->set->jacobian_response(N, &c->J, c->Minv, 5e-3, c->B, c->Wt, c->Wn);
        bm_clobber();
    }
    report(s, w);
}

static void gradient(bm_state* s, void* user)
{
    const work* w = user;
    const contacts* c = w->c;
    while (bm_next(s)) {
        w->set->gradient_apply(N, LD, c->G, c->v, NULL, NULL, c->nu);
        bm_clobber();
    }
    report(s, w);
}

static void jacobian_gram(bm_state* s, void* user)
{
    const work* w = user;
    const contacts* c = w->c;
    while (bm_next(s)) {
        // pairs of four contacts; which trees they join does not matter to the kernel
        for (int32_t i = 0; i < N; i += 4) {
            const int32_t list[4] = {i, i + 1, i + 2, i + 3};
            _Alignas(64) double C[TL_GRAM_SIZE];
            w->set->jacobian_gram(4, list, &c->J, 5e-3, c->G, LD, 0, C);
            bm_keep(C[0]);
        }
    }
    report(s, w);
}

static void machine(bm_state* s, void* user)
{
    const work* w = user;
    while (bm_next(s)) // the figures were taken before
        bm_clobber();
    bm_counter(s, "gflops", 1e-9 * w->roof->peak);
    bm_counter(s, "triad_GBs", 1e-9 * w->roof->triad);
    bm_counter(s, "triad_mem_GBs", 1e-9 * w->roof->triad_mem);
    bm_counter(s, "div_ns", 1e9 / w->roof->div);
    bm_counter(s, "sqrt_ns", 1e9 / w->roof->root);
}

// ---- boxes and elements of pressure fields ---------------------------------------------------------

#define NE 512

static struct elements {
    tl_box box[2][NE];
    tl_clip_element e[2][NE];
    int32_t pair[2 * N];
    uint8_t found[N], side[N];
    double row[TL_FAN_ALL * LD];
} fields;

/// tetrahedra of unit edges about the origin, their true planes, pressures along z of either sign
static void make_elements(void)
{
    static const int8_t side[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    uint64_t s = 3;
    for (int f = 0; f < 2; f++)
        for (int i = 0; i < NE; i++) {
            tl_clip_element* e = &fields.e[f][i];
            const double at[3] = {uniform(&s, -0.3, 0.3), uniform(&s, -0.3, 0.3), uniform(&s, -0.3, 0.3)};
            for (int c = 0; c < 4; c++)
                for (int k = 0; k < 3; k++)
                    e->x[c][k] = at[k] + (c == k + 1) + uniform(&s, -0.1, 0.1);
            for (int k = 0; k < 4; k++) {
                const double *a = e->x[side[k][0]], *b = e->x[side[k][1]], *c = e->x[side[k][2]];
                double *p = e->plane[k], l = 0.0;
                for (int j = 0; j < 3; j++) {
                    const int u = (j + 1) % 3, v = (j + 2) % 3;
                    p[j] = (c[u] - a[u]) * (b[v] - a[v]) - (c[v] - a[v]) * (b[u] - a[u]);
                    l += p[j] * p[j];
                }
                for (int j = 0; j < 3; j++)
                    p[j] /= sqrt(l);
                p[3] = -(p[0] * a[0] + p[1] * a[1] + p[2] * a[2]);
                e->grad[k] = k < 2 ? uniform(&s, -0.3, 0.3) : k == 2 ? 1.0 - 2.0 * f : 0.4 * f;
            }
            for (int k = 0; k < 3; k++) {
                fields.box[f][i].c[k] = at[k];
                fields.box[f][i].h[k] = uniform(&s, 0.0, 0.3);
                fields.box[f][i].hp[k] = 0.1;
            }
        }
    for (int i = 0; i < 2 * N; i++)
        fields.pair[i] = (int32_t)uniform(&s, 0, NE);
}

static const double turned[9] = {0.8, -0.6, 0, 3.0 / 13, 4.0 / 13, -12.0 / 13, 7.2 / 13, 9.6 / 13, 5.0 / 13};

static void boxes_overlap(bm_state* s, void* user)
{
    const work* w = user;
    tl_boxes_placed p = {.a = fields.box[0], .b = fields.box[1], .pa = 0.3, .pb = 0.2};
    memcpy(p.R, turned, sizeof p.R);
    while (bm_next(s)) {
        w->set->boxes_overlap(N, fields.pair, &p, fields.found);
        bm_clobber();
    }
    report(s, w);
}

static tl_leaf_placed leaf_placed(void)
{
    tl_leaf_placed p = {.t = {0.1, 0.2, 0.3}, .pressure = 0.3};
    memcpy(p.R, turned, sizeof p.R);
    return p;
}

static void leaf_bounds(bm_state* s, void* user)
{
    const work* w = user;
    const tl_leaf_placed p = leaf_placed();
    static tl_leaf_box box[NE / TL_LEAF];
    while (bm_next(s)) {
        for (int k = 0; k < N / TL_LEAF; k++)
            w->set->leaf_bounds(TL_LEAF, fields.e[0] + TL_LEAF * (k % (NE / TL_LEAF)), &p,
                                box + k % (NE / TL_LEAF));
        bm_clobber();
    }
    report(s, w);
}

static void leaf_pairs(bm_state* s, void* user)
{
    const work* w = user;
    const tl_leaf_placed p = leaf_placed();
    static tl_leaf_box box[NE / TL_LEAF];
    uint64_t met = 0;
    for (int k = 0; k < NE / TL_LEAF; k++)
        w->set->leaf_bounds(TL_LEAF, fields.e[0] + TL_LEAF * k, &p, box + k);
    while (bm_next(s)) {
        for (int k = 0; k < N / (TL_LEAF * TL_LEAF); k++)
            met += w->set->leaf_pairs(box + k % 7, box + k);
        fields.found[0] = (uint8_t)met;
        bm_clobber();
    }
    report(s, w);
}

static const tl_clip_axes world = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static tl_clip_placed clip_placed(int triangles)
{
    tl_clip_placed p = {.a = fields.e[0],
                        .b = fields.e[1],
                        .world = &world,
                        .triangles = triangles,
                        .tolerance = 1e-9,
                        .near = 1e-12,
                        .turned = -0.38,
                        .across = 1e-10};
    memcpy(p.R, turned, sizeof p.R);
    return p;
}

static void clip_meet(bm_state* s, void* user)
{
    const work* w = user;
    const tl_clip_placed p = clip_placed(0);
    while (bm_next(s)) {
        w->set->clip_meet(N, fields.pair, &p, fields.found);
        bm_clobber();
    }
    report(s, w);
}

static void clip(bm_state* s, void* user, int triangles)
{
    const work* w = user;
    const tl_clip_placed p = clip_placed(triangles);
    while (bm_next(s)) {
        w->set->tet_clip(N, fields.pair, &p, fields.found, LD, fields.row);
        bm_clobber();
    }
    report(s, w);
}

static void clip_tets(bm_state* s, void* user)
{
    clip(s, user, 0);
}

static void clip_triangles(bm_state* s, void* user)
{
    clip(s, user, 2);
}

static void fan(bm_state* s, void* user, int triangles)
{
    const work* w = user;
    const tl_clip_placed p = clip_placed(triangles);
    enum { BLOCK = 64 }; // as queries do: the rows stay in the cache
    while (bm_next(s)) {
        for (int i = 0; i < N; i += BLOCK)
            w->set->tet_fan(BLOCK, fields.pair + 2 * i, &p, fields.found, fields.side, BLOCK, fields.row);
        bm_clobber();
    }
    report(s, w);
}

static void fan_tets(bm_state* s, void* user)
{
    fan(s, user, 0);
}

static void fan_triangles(bm_state* s, void* user)
{
    fan(s, user, 2);
}

static void section(bm_state* s, void* user)
{
    const work* w = user;
    const tl_section_placed p = {.e = fields.e[0],
                                 .world = &world,
                                 .plane = {0, 0, 1, -0.2},
                                 .tolerance = 1e-9,
                                 .near = 1e-12,
                                 .turned = -0.38,
                                 .across = 1e-10};
    while (bm_next(s)) {
        w->set->tet_section(N, fields.pair, &p, fields.found, LD, fields.row);
        bm_clobber();
    }
    report(s, w);
}

typedef struct operation {
    const char* format; // the set's name goes in
    bm_fn* fn;
    double flops, divs, roots; // per contact; flops contain the other two
    double loads, stores;
} operation;

static const operation operations_timed[] = {
    {"bm_kernels_limits/isa:%s", machine, 0, 0, 0, 0, 0},
    {"bm_kernels_contact_force/n:4096/isa:%s", force_gradient, 45, 1, 1, 8, 9},
    {"bm_kernels_contact_force/f_only/n:4096/isa:%s", force_alone, 22, 1, 1, 8, 3},
    {"bm_kernels_contact_local/n:4096/isa:%s", local, 71, 2, 3, 13, 6},
    {"bm_kernels_tals_limit/n:4096/isa:%s", tals, 40, 2, 2, 5, 1},
    {"bm_kernels_gradient_apply/n:4096/isa:%s", gradient, 11, 0, 0, 9, 3},
    // 36 entries, 2 words of indices, velocities in the first-level cache
    {"bm_kernels_jacobian_apply/n:4096/isa:%s", jacobian_apply, 69, 0, 0, 38, 3},
    {"bm_kernels_jacobian_add/n:4096/isa:%s", jacobian_add, 75, 0, 0, 41, 0},
    // a row and a tree: 6 to scale, 66 for B, 12 for its products; 17 to add them up; rows and B, M^-1 in the cache
    {"bm_kernels_jacobian_response/n:4096/isa:%s", jacobian_response, 521, 0, 0, 38, 38},
    // T: 6 + 11 a column; three blocks of 36 entries, 6 each
    {"bm_kernels_jacobian_gram/n:4096/isa:%s", jacobian_gram, 786, 0, 0, 43, 0},
    // a pair of boxes or elements: 24 to set them, 21 the distance, 57 + 99 the axes, 12 the sizes
    {"bm_kernels_boxes_overlap/n:4096/isa:%s", boxes_overlap, 213, 0, 0, 33, 0},
    // an element: 72 to place corners, 8 the pressure, in six directions 8 to compare, 24 the part, 4 to widen
    {"bm_kernels_leaf_bounds/n:4096/isa:%s", leaf_bounds, 296, 0, 0, 24, 12},
    // a pair of boxes: 12 differences, 11 to compare, 1 to zero
    {"bm_kernels_leaf_pairs/n:4096/isa:%s", leaf_pairs, 24, 0, 0, 1.5, 0},
    // 105 to place planes, 14 the plane, 24 + 96 heights, 84 the crossed edges
    {"bm_kernels_clip_meet/n:4096/isa:%s", clip_meet, 323, 10, 1, 49, 0},
    // 177 to place B, 42 plane and gradients; a section 258 and four segments of 54; 15 to finish, 33 to turn it
    {"bm_kernels_tet_clip/tets/n:4096/isa:%s", clip_tets, 1215, 49, 3, 81, 10},
    // three segments of the triangle with 72 of heights, a section with three planes
    {"bm_kernels_tet_clip/triangles/n:4096/isa:%s", clip_triangles, 933, 31, 1, 81, 10},
    // and eight triangles of 59: 15 to the centroid, 16 area and pressure, 10 their own centroid, 18 to turn it
    {"bm_kernels_tet_fan/tets/n:4096/isa:%s", fan_tets, 1687, 49, 3, 81, 10},
    {"bm_kernels_tet_fan/triangles/n:4096/isa:%s", fan_triangles, 1405, 31, 1, 81, 10},
    // heights 24, crossed edges 66, four segments of 32, 73 for gradients, to finish and to turn
    {"bm_kernels_tet_section/n:4096/isa:%s", section, 291, 7, 1, 24, 10},
};
#define OPERATIONS ((int)(sizeof operations_timed / sizeof operations_timed[0]))

int main(int argc, char** argv)
{
    static limits roofs[LIMIT_SETS];
    static work works[OPERATIONS][LIMIT_SETS];
    static contacts c;
    c = make_contacts();
    make_jacobian(&c);
    make_elements();
    for (int i = 0; i < LIMIT_SETS; i++)
        if (tl_kernels_by_name(limit_isa[i]))
            roofs[i] = limits_measure(i, 6 * N);
    for (int j = 0; j < OPERATIONS; j++)
        for (int i = 0; i < LIMIT_SETS; i++) {
            const operation* o = &operations_timed[j];
            const tl_kernels* set = tl_kernels_by_name(limit_isa[i]);
            char name[128];
            if (!set || roofs[i].peak == 0.0)
                continue;
            works[j][i] = (work){.set = set,
                                 .roof = &roofs[i],
                                 .c = &c,
                                 .each = {.flops = o->flops,
                                          .divs = o->divs,
                                          .roots = o->roots,
                                          .bytes = 8 * (o->loads + o->stores)}};
            snprintf(name, sizeof name, o->format, set->isa);
            bm_register(name, o->fn, &works[j][i]);
        }
    return bm_main(argc, argv);
}
