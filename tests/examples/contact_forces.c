// SPDX-License-Identifier: MIT
// Who pushes whom: throw the ball of blocks.xml at the crates, report the hardest impact, let everything come
// to rest, then list the load between each pair of bodies. The floor must end up carrying the weight.
#include <math.h>
#include <stdio.h>
#include <talus/talus.h>

static const char* body(const talus_model* model, int32_t b)
{
    const char* name = talus_model_name(model, TALUS_BODY, b);
    return b == 0 ? "floor" : *name ? name : "(no name)";
}

// the largest normal force of the last step
static double hardest(const talus_contacts* c, int32_t* at)
{
    double most = 0;
    for (int32_t i = 0; i < c->count; i++) {
        const double *f = &c->force[3 * i], *n = &c->normal[3 * i];
        const double fn = f[0] * n[0] + f[1] * n[1] + f[2] * n[2];
        if (fn > most)
            most = fn, *at = i;
    }
    return most;
}

static int simulate(talus_model* model, talus_sim* sim, talus_state* state)
{
    const int32_t ball = talus_model_find(model, TALUS_BODY, "ball");
    const double start[3] = {-1.5, 0.1, 0.15}, quat[4] = {1, 0, 0, 0}, speed[3] = {6, 0, 0}, spin[3] = {0};
    if (talus_state_set_free_body(state, ball, start, quat, speed, spin) < 0)
        return 1;
    double worst = 0;
    while (talus_state_time(state) < 8.0) {
        const talus_status status = talus_sim_step(sim, state, 0.002, 0, NULL);
        if (status < 0 || status == TALUS_NOT_CONVERGED)
            return 1;
        const talus_contacts c = talus_sim_contacts(sim);
        int32_t i = 0;
        const double fn = hardest(&c, &i);
        if (fn > worst && (c.body_a[i] == ball || c.body_b[i] == ball) && c.body_a[i] && c.body_b[i]) {
            worst = fn;
            printf("t = %.3f s: %s hits %s with %.0f N\n", talus_state_time(state), body(model, c.body_a[i]),
                   body(model, c.body_b[i]), fn);
        }
    }
    const talus_contacts c = talus_sim_contacts(sim);
    double load = 0;
    for (int32_t i = 0; i < c.count; i++) {
        const double *f = &c.force[3 * i], *p = &c.point[3 * i]; // on body a; -f acts on body b
        printf("%-6s on %-6s at (%6.3f %6.3f %6.3f): (%8.3f %8.3f %8.3f) N\n", body(model, c.body_b[i]),
               body(model, c.body_a[i]), p[0], p[1], p[2], f[0], f[1], f[2]);
        load += c.body_b[i] == 0 ? f[2] : c.body_a[i] == 0 ? -f[2] : 0;
    }
    const talus_model_info info = talus_model_get_info(model);
    const double weight = -info.total_mass * info.gravity[2];
    printf("the floor carries %.3f N of %.3f N\n", load, weight);
    return fabs(load - weight) < 1e-2 * weight ? 0 : 1;
}

int main(int argc, char** argv)
{
    talus_context* ctx = NULL;
    talus_model* model = NULL;
    talus_state* state = NULL;
    talus_sim* sim = NULL;
    int failed = argc != 2 || talus_context_create(NULL, &ctx) < 0 ||
                 talus_model_load(ctx, argv[1], NULL, &model) < 0 ||
                 talus_state_create(ctx, model, &state) < 0 || talus_sim_create(ctx, model, NULL, &sim) < 0 ||
                 simulate(model, sim, state);
    talus_sim_destroy(sim);
    talus_state_destroy(state);
    talus_model_destroy(model);
    talus_context_destroy(ctx);
    return failed;
}
