// SPDX-License-Identifier: MIT
// Load an MJCF scene, step it for a second, read the contact forces.
#include <stdio.h>
#include <talus/talus.h>

static void print(void* user, const talus_message* m)
{
    (void)user;
    fprintf(stderr, "%s\n", m->text);
}

int main(int argc, char** argv)
{
    talus_context_def def = talus_context_default();
    talus_context* ctx = NULL;
    talus_model* model = NULL;
    talus_state* state = NULL;
    talus_sim* sim = NULL;
    def.message = print;
    talus_status status = argc == 2 ? talus_context_create(&def, &ctx) : TALUS_ERR_ARG;
    if (status >= 0 && (status = talus_model_load(ctx, argv[1], NULL, &model)) >= 0 &&
        (status = talus_state_create(ctx, model, &state)) >= 0)
        status = talus_sim_create(ctx, model, NULL, &sim);
    while (status >= 0 && talus_state_time(state) < 1.0)
        if ((status = talus_sim_step(sim, state, 0.005, 0, NULL)) == TALUS_NOT_CONVERGED)
            break;
    const talus_contacts c = sim ? talus_sim_contacts(sim) : (talus_contacts){0};
    for (int32_t i = 0; i < c.count; i++)
        printf("%s on %s: %.3f %.3f %.3f N\n", talus_model_name(model, TALUS_BODY, c.body_b[i]),
               talus_model_name(model, TALUS_BODY, c.body_a[i]), c.force[3 * i], c.force[3 * i + 1],
               c.force[3 * i + 2]);
    talus_sim_destroy(sim);
    talus_state_destroy(state);
    talus_model_destroy(model);
    talus_context_destroy(ctx);
    return status != TALUS_OK && status != TALUS_LAGGED;
}
