// SPDX-License-Identifier: MIT
// `talus dynamics`: mass matrix, bias force and body poses of one state.
#include "cli.h"
#include "model.h"

static const char doc[] =
    "Print the mass matrix M (armature included), the bias force (Coriolis, centrifugal, gravity) and the "
    "poses "
    "of all bodies at a state: M(q) dv/dt + bias(q, v) = applied forces.\n\v"
    "With --json: {\"nq\", \"nv\", \"q\", \"v\", \"M\": nv x nv numbers row by row, \"bias\": nv numbers, "
    "\"bodies\": {name: {\"pos\", \"quat\"}}, \"xpos\": nbody x 3, \"xquat\": nbody x 4 (w x y z), the world "
    "first}. "
    "Order and meaning of q and v are MuJoCo's.\n\n"
    "Example: the inertia a gripper sees at a keyframe\n"
    "  talus dynamics arm.xml --key grasp --json";

typedef struct numbers {
    double *M, *bias, *pos, *quat;
} numbers;

// ---- JSON, written as it goes: M of a large scene has millions of numbers
// --------------------------------------------

static void write_numbers(const char* name, const double* x, int64_t n)
{
    printf(",\"%s\":[", name);
    for (int64_t i = 0; i < n; i++)
        printf(x[i] == 0.0 ? "%s0" : "%s%.17g", i ? "," : "", x[i]);
    putchar(']');
}

static void write_bodies(const talus_model* m, const numbers* x)
{
    printf(",\"bodies\":{");
    bool first = true;
    for (int32_t b = 0; b < m->info.nbody; b++) {
        if (!m->body_name[b][0])
            continue; // the arrays below have all of them
        json_t* name = json_string(m->body_name[b]);
        char* text = json_dumps(name, JSON_ENCODE_ANY);
        const double *p = x->pos + 3 * b, *q = x->quat + 4 * b;
        printf("%s%s:{\"pos\":[%.17g,%.17g,%.17g],\"quat\":[%.17g,%.17g,%.17g,%.17g]}", first ? "" : ",",
               text ? text : "\"\"", p[0], p[1], p[2], q[0], q[1], q[2], q[3]);
        free(text);
        json_decref(name);
        first = false;
    }
    putchar('}');
}

static int print_json(cli_args* a, const talus_model* m, talus_state* s, const numbers* x)
{
    const int64_t nq = m->info.nq, nv = m->info.nv, nbody = m->info.nbody;
    printf("{\"nq\":%d,\"nv\":%d", m->info.nq, m->info.nv);
    write_numbers("q", talus_state_q(s), nq);
    write_numbers("v", talus_state_v(s), nv);
    write_numbers("M", x->M, nv * nv);
    write_numbers("bias", x->bias, nv);
    write_bodies(m, x);
    write_numbers("xpos", x->pos, 3 * nbody);
    write_numbers("xquat", x->quat, 4 * nbody);
    printf("}\n");
    return cli_flush(a);
}

// ---- text
// ------------------------------------------------------------------------------------------------------------

#define WIDE 12 // dofs up to which M is printed as a table

static int print_text(cli_args* a, const talus_model* m, const numbers* x)
{
    const int32_t nv = m->info.nv;
    printf("%-5s %-24s %12s %12s\n", "dof", "joint", "M_ii", "bias");
    for (int32_t i = 0; i < nv; i++)
        printf("%-5d %-24s %12.6g %12.6g\n", i, m->jnt_name[m->mb.dof_jnt[i]], x->M[(int64_t)i * nv + i],
               x->bias[i]);
    if (nv <= WIDE) {
        printf("\nM\n");
        for (int32_t i = 0; i < nv; i++)
            for (int32_t j = 0; j < nv; j++)
                printf("%12.5g%s", x->M[(int64_t)i * nv + j], j + 1 < nv ? " " : "\n");
    }
    printf("\n%-24s %-38s %s\n", "body", "position (m)", "quaternion (w x y z)");
    for (int32_t b = 0; b < m->info.nbody; b++) {
        const double *p = x->pos + 3 * b, *q = x->quat + 4 * b;
        printf("%-24s %12.6f %12.6f %12.6f %9.6f %9.6f %9.6f %9.6f\n", m->body_name[b], p[0], p[1], p[2],
               q[0], q[1], q[2], q[3]);
    }
    return cli_flush(a);
}

static talus_status compute(cli_args* a, const talus_model* m, talus_state** state, talus_sim** sim,
                            numbers* x)
{
    const int64_t nv = m->info.nv, nbody = m->info.nbody;
    TL_TRY(cli_load_state(a, m, state));
    TL_TRY(talus_sim_create(a->ctx, m, NULL, sim));
    double* all = tl_alloc(a->ctx, sizeof(double) * (size_t)(nv * nv + nv + 7 * nbody));
    if (!all)
        return tl_nomem(a->ctx, sizeof(double) * (size_t)(nv * nv));
    *x = (numbers){.M = all, .bias = all + nv * nv, .pos = all + nv * nv + nv};
    x->quat = x->pos + 3 * nbody;
    TL_TRY(talus_sim_dynamics(*sim, *state, x->M, x->bias));
    return talus_sim_bodies(*sim, *state, x->pos, x->quat, NULL, NULL);
}

static int run(cli_args* a)
{
    talus_model* model = NULL;
    talus_state* state = NULL;
    talus_sim* sim = NULL;
    numbers x = {0};
    talus_status status = cli_load_model(a, &model);
    if (status == TALUS_OK)
        status = compute(a, model, &state, &sim, &x);
    int code = cli_exit_code(status);
    if (status == TALUS_OK)
        code = a->json ? print_json(a, model, state, &x) : print_text(a, model, &x);
    tl_free(a->ctx, x.M);
    talus_sim_destroy(sim);
    talus_state_destroy(state);
    talus_model_destroy(model);
    return code;
}

const cli_command cli_cmd_dynamics = {
    "dynamics", "SCENE", "mass matrix, bias force and body poses at a state", doc, "JskSjq", 1, 1, run};
