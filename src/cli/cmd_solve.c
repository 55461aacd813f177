// SPDX-License-Identifier: MIT
// `talus solve`: one contact problem as data, no model needed.
#include "cli.h"
#include "problem_file.h"

static const char doc[] =
    "Solve one step's contact problem for the velocity at its end.\n\v"
    "The file holds mass matrices, contact Jacobians and materials (JSON, or HDF5 with the same names where "
    "it ends "
    "in .h5); 'talus run --capture' writes such files. Friction is regularized: a velocity below v_s "
    "sticks.\n\n"
    "Example: a 2 kg cube, sliding and falling onto a spring of 1e4 N/m\n"
    "  cat > cube.json <<END\n"
    "  {\"h\": 0.01, \"v_s\": 1e-4, \"friction\": \"quadratic\",\n"
    "   \"trees\": [{\"nv\": 3, \"M\": [2,0,0, 0,2,0, 0,0,2],\n"
    "              \"v0\": [0.5,0,-0.1], \"v_star\": [0.5,0,-0.1981]}],\n"
    "   \"contacts\": [{\"trees\": [0,-1], \"J_a\": [1,0,0, 0,1,0, 0,0,1],\n"
    "                 \"J_b\": [], \"delta0\": 0.001,\n"
    "                 \"k\": 1e4, \"d\": 1, \"mu\": 0.5}]}\n"
    "  END\n"
    "  talus solve cube.json --json --set solver.tol=1e-10\n\n"
    "The result has status exact, lagged (friction bounds lag the normal forces) or failed (the best "
    "iterate, exit "
    "code 1). iterations and factorizations are those of the worst island.";

typedef struct solution {
    talus_solution s;
    talus_solve_info info;
    talus_status status;
    double wall;
} solution;

static talus_status allocate(tl_problem_file* p, solution* out)
{
    const talus_problem_view* v = &p->view;
    tl_arena* m = &p->memory;
    out->s.v = TL_ARENA(m, double, p->nv);
    out->s.v_mean = TL_ARENA(m, double, p->nv);
    out->s.f = TL_ARENA(m, double, 3 * (int64_t)v->nc);
    out->s.limit_f = TL_ARENA(m, double, v->nl);
    out->s.loss_f = TL_ARENA(m, double, v->nf);
    if (!out->s.v || !out->s.v_mean || !out->s.f || !out->s.limit_f || !out->s.loss_f)
        return tl_nomem(m->ctx, (size_t)v->nc * 24);
    return TALUS_OK;
}

static talus_status solve(cli_args* a, tl_problem_file* p, solution* out)
{
    talus_sim_options options;
    talus_solver* solver = NULL;
    for (int32_t i = 0; i < a->nset; i++)
        if (!strncmp(a->set[i], "contact.", 8))
            return tl_fail(a->ctx, TALUS_ERR_ARG,
                           "--set %s: a contact problem holds its own contact properties", a->set[i]);
    TL_TRY(cli_load_options(a, &options));
    TL_TRY(allocate(p, out));
    TL_TRY(talus_solver_create(a->ctx, &options.solver, &solver));
    const double start = tl_now();
    out->status = talus_solver_step(solver, &p->view, &out->s, &out->info);
    out->wall = tl_now() - start;
    talus_solver_destroy(solver);
    return out->status;
}

static const char* status_word(const solution* s)
{
    return s->status == TALUS_OK ? "exact" : s->status == TALUS_LAGGED ? "lagged" : "failed";
}

static json_t* to_json(const tl_problem_file* p, const solution* s)
{
    const talus_solve_info* i = &s->info;
    return json_pack(
        "{s:s, s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:o}",
        "status", status_word(s), "v", tl_json_reals(s->s.v, p->nv), "forces",
        tl_json_rows(s->s.f, p->view.nc, 3), "iterations", i->iterations_max, "factorizations",
        i->factorizations_max, "residual", tl_json_real(i->residual), "v_mean",
        tl_json_reals(s->s.v_mean, p->nv), "limit_forces", tl_json_reals(s->s.limit_f, p->view.nl),
        "loss_forces", tl_json_reals(s->s.loss_f, p->view.nf), "iterations_total", i->iterations,
        "factorizations_total", i->factorizations, "linear_steps", i->linear_steps, "islands", i->nislands,
        "restarted", i->restarted, "substepped", i->substepped, "worst_contact", i->worst_contact,
        "lagged_error", tl_json_real(i->lagged_err), "wall_s", tl_json_real(s->wall));
}

static void print_text(const tl_problem_file* p, const solution* s)
{
    const talus_solve_info* i = &s->info;
    printf("status          %s\n", status_word(s));
    printf("problem         %d dofs in %d trees, %d contacts (%d touching), %d limits\n", p->nv,
           p->view.ntree, p->view.nc, i->ncontacts_active, p->view.nl);
    printf("islands         %d\n", i->nislands);
    printf("iterations      %d (worst island), %d in all\n", i->iterations_max, i->iterations);
    printf("factorizations  %d (worst island), %d in all\n", i->factorizations_max, i->factorizations);
    printf("residual        %.3g (relative)\n", i->residual);
    printf("wall time       %.3g ms\n", 1e3 * s->wall);
    printf("Velocities and forces: add --json.\n");
}

static int run(cli_args* a)
{
    tl_problem_file problem;
    solution s = {0};
    talus_status status = tl_problem_file_load(a->ctx, a->file[0], &problem);
    if (status < 0)
        return cli_exit_code(status);
    status = solve(a, &problem, &s);
    int code = cli_exit_code(status);
    if (status == TALUS_NOT_CONVERGED)
        cli_error(a,
                  "%s: not converged: residual %.3g, worst contact %d; try --set solver.max_iter=100 or a "
                  "smaller h",
                  a->file[0], s.info.residual, s.info.worst_contact);
    if (status >= 0) {
        if (!a->json)
            print_text(&problem, &s);
        const int printed = a->json ? cli_print_json(a, to_json(&problem, &s)) : cli_flush(a);
        code = printed ? printed : code;
    }
    tl_problem_file_fini(&problem);
    return code;
}

const cli_command cli_cmd_solve = {
    "solve", "FILE.json", "solve one contact problem given as data", doc, "ojJq", 1, 1, run};
