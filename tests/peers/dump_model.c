// SPDX-License-Identifier: MIT
// What the peer comparison reads: sizes on standard output as one JSON object and, for given states, a binary
// file
//     qpos0 (nq); then for every state: the diagonal blocks of M in tree order, bias (nv), xpos (nbody x 3),
//     xquat (nbody x 4)
//
// usage: dump_model SCENE [STATES OUT], STATES: float64 (q, v), repeated
#include "model.h"

#include <stdio.h>

static void print_message(void* user, const talus_message* m)
{
    (void)user;
    fprintf(stderr, "%s\n", m->text);
}

static void print_array(const char* name, const double* x, int64_t n)
{
    printf("\"%s\":[", name);
    for (int64_t i = 0; i < n; i++)
        printf("%s%.17g", i ? "," : "", x[i]);
    printf("],");
}

static void print_ints(const char* name, const int32_t* x, int64_t n)
{
    printf("\"%s\":[", name);
    for (int64_t i = 0; i < n; i++)
        printf("%s%d", i ? "," : "", x[i]);
    printf("],");
}

static void print_pairs(const char* name, const tl_pair* x, int32_t n)
{
    printf("\"%s\":[", name);
    for (int32_t i = 0; i < n; i++)
        printf("%s[%d,%d]", i ? "," : "", x[i].a, x[i].b);
    printf("],");
}

/// Everything a joint, geom or actuator was read to be, in MuJoCo's names.
static void print_values(const talus_model* m)
{
    const talus_model_info i = m->info;
    print_array("jnt_range", m->jnt_range, 2 * i.njnt);
    print_array("jnt_stiffness", m->jnt_stiffness, i.njnt);
    print_array("jnt_pos", m->mb.jnt_pos, 3 * i.njnt);
    print_array("jnt_axis", m->mb.jnt_axis, 3 * i.njnt);
    print_array("qpos_spring", m->qpos_spring, i.nq);
    print_array("dof_damping", m->dof_damping, i.nv);
    print_array("dof_frictionloss", m->dof_frictionloss, i.nv);
    print_array("body_mass", m->mb.mass, i.nbody);
    print_array("key_qpos", m->key_q, (int64_t)i.nkey * i.nq);
    print_array("key_ctrl", m->key_ctrl, (int64_t)i.nkey * i.nu);
    print_array("geom_pos", m->geom_pos, 3 * i.ngeom);
    print_array("geom_quat", m->geom_quat, 4 * i.ngeom);
    print_array("geom_mu", m->geom_mu, i.ngeom);
    print_ints("geom_bodyid", m->geom_body, i.ngeom);
    print_ints("geom_contype", m->geom_contype, i.ngeom);
    print_ints("geom_conaffinity", m->geom_conaffinity, i.ngeom);
    print_pairs("excludes", m->excludes, m->nexclude);
    print_pairs("pairs", m->pairs, m->npair);
    printf("\"geom_type\":[");
    for (int32_t g = 0; g < i.ngeom; g++)
        printf("%s%d", g ? "," : "", m->geom_shape[g].type);
    printf("],\"geom_size\":[");
    for (int32_t g = 0; g < i.ngeom; g++)
        for (int k = 0; k < 3; k++)
            printf("%s%.17g", g + k ? "," : "", m->geom_shape[g].size[k]);
    printf("],\"jnt_limited\":[");
    for (int32_t j = 0; j < i.njnt; j++)
        printf("%s%d", j ? "," : "", m->jnt_limited[j]);
    printf("],\"actuators\":[");
    for (int32_t u = 0; u < i.nu; u++) {
        const tl_actuator* a = &m->actuator[u];
        printf("%s[%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%d,%d,%.17g,%.17g,%.17g,%.17g]", u ? "," : "",
               a->joint, a->gear[0], a->gain0, a->gain1, a->gain2, a->bias[0], a->bias[1], a->bias[2],
               a->ctrl_limited, a->force_limited, a->ctrl_range[0], a->ctrl_range[1], a->force_range[0],
               a->force_range[1]);
    }
    printf("],");
}

static void print_info(const talus_model* m)
{
    const talus_model_info i = talus_model_get_info(m);
    printf("{\"nq\":%d,\"nv\":%d,\"nbody\":%d,\"njnt\":%d,\"ngeom\":%d,\"ntree\":%d,\"nu\":%d,\"nkey\":%d,",
           i.nq, i.nv, i.nbody, i.njnt, i.ngeom, i.ntree, i.nu, i.nkey);
    print_values(m);
    printf("\"total_mass\":%.17g,\"tree_dof\":[", i.total_mass);
    for (int32_t t = 0; t <= m->mb.ntree; t++)
        printf("%s%d", t ? "," : "", m->mb.tree_dof[t]);
    printf("]}\n");
}

static bool put(FILE* f, const double* x, int64_t n)
{
    return fwrite(x, sizeof *x, (size_t)n, f) == (size_t)n;
}

static bool dump(talus_context* ctx, const talus_model* m, FILE* in, FILE* out)
{
    const tl_mb* mb = &m->mb;
    tl_arena a;
    tl_arena_init(&a, ctx);
    tl_mb_data d;
    tl_mb_data_init(mb, &d, tl_arena_alloc(&a, tl_mb_data_bytes(mb)));
    double *q = TL_ARENA(&a, double, mb->nq), *v = TL_ARENA(&a, double, mb->nv),
           *bias = TL_ARENA(&a, double, mb->nv), *M = TL_ARENA(&a, double, mb->tree_M[mb->ntree]);
    bool ok = put(out, mb->qpos0, mb->nq);
    while (ok && fread(q, sizeof *q, (size_t)mb->nq, in) == (size_t)mb->nq &&
           fread(v, sizeof *v, (size_t)mb->nv, in) == (size_t)mb->nv) {
        tl_mb_kinematics(mb, q, &d);
        tl_mb_velocity(mb, v, &d);
        tl_mb_crba(mb, &d, M);
        tl_mb_rnea(mb, &d, v, NULL, m->info.gravity, bias);
        ok = put(out, M, mb->tree_M[mb->ntree]) && put(out, bias, mb->nv) &&
             put(out, d.xpos, 3 * mb->nbody) && put(out, d.xquat, 4 * mb->nbody);
        if (mb->nq == 0)
            break; // a scene without joints has one state
    }
    tl_arena_fini(&a);
    return ok;
}

int main(int argc, char** argv)
{
    talus_context_def def = talus_context_default();
    def.nthreads = 1;
    def.message = print_message;
    talus_context* ctx = NULL;
    talus_model* m = NULL;
    if ((argc != 2 && argc != 4) || talus_context_create(&def, &ctx) != TALUS_OK)
        return 1;
    bool ok = talus_model_load(ctx, argv[1], NULL, &m) == TALUS_OK;
    if (ok)
        print_info(m);
    if (ok && argc == 4) {
        FILE *in = fopen(argv[2], "rb"), *out = fopen(argv[3], "wb");
        ok = in && out && dump(ctx, m, in, out);
        if (in)
            fclose(in);
        if (out)
            ok = fclose(out) == 0 && ok;
    }
    talus_model_destroy(m);
    talus_context_destroy(ctx);
    return ok ? 0 : 2;
}
