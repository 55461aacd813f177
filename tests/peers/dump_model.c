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

static void print_info(const talus_model* m)
{
    const talus_model_info i = talus_model_get_info(m);
    printf("{\"nq\":%d,\"nv\":%d,\"nbody\":%d,\"njnt\":%d,\"ngeom\":%d,\"ntree\":%d,\"nu\":%d,\"nkey\":%d,",
           i.nq, i.nv, i.nbody, i.njnt, i.ngeom, i.ntree, i.nu, i.nkey);
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
