// SPDX-License-Identifier: MIT
// One Newton step by every factorization, on contact problems of every kind of generated scene: bodies in
// bins, stacks, bricks, arms, chains, and humanoids that lie in a heap (branching trees with many limbs).
// Dense LU, block LU and UMFPACK solve the same full A; whole solves by lifting take the same iterations
// whatever factors A_s. What is not built is left out.
#include "regress/scene.h"

#define AGREE 1e-9 // of the largest velocity

typedef struct sample {
    const char* kind;
    int32_t n, steps; // bodies; steps until most of them touch
} sample;

static const sample samples[] = {{"spheres", 60, 60}, {"boxes", 40, 60},    {"clutter", 60, 60},
                                 {"bricks", 27, 20},  {"stack", 10, 10},    {"arms", 4, 60},
                                 {"chain", 24, 60},   {"humanoids", 4, 120}};

static void begin(scene* s, const sample* of)
{
    scene_begin(s, 1);
    tl_text_fini(&s->text);
    assert_int_equal(tl_gen_scene(s->ctx, of->kind, of->n, 0, &s->text), TALUS_OK);
    scene_start(s, NULL);
    scene_run(s, 5e-3, of->steps);
}

static bool solve(scene* s, const talus_problem_view* p, const talus_solver_options* opt, double* v,
                  talus_solve_info* info)
{
    talus_solver* solver;
    const talus_status made = talus_solver_create(s->ctx, opt, &solver);
    if (made == TALUS_ERR_UNSUPPORTED)
        return false;
    assert_int_equal(made, TALUS_OK);
    assert_true(talus_solver_step(solver, p, &(talus_solution){.v = v}, info) >= 0);
    talus_solver_destroy(solver);
    return true;
}

// the change of v over one step of plain Newton from v0: A(v0)^-1 r(v0)
static void newton_step__is_the_same_by_all_backends(void** state)
{
    (void)state;
    static const int32_t backends[] = {TALUS_BACKEND_OWN, TALUS_BACKEND_UMFPACK};
    for (int32_t i = 0; i < TL_COUNT(samples); i++) {
        scene s;
        talus_problem_view p;
        talus_solve_info info;
        begin(&s, &samples[i]);
        assert_int_equal(talus_sim_problem(s.sim, s.state, 5e-3, &p), TALUS_OK);
        const int32_t nv = talus_model_get_info(s.model).nv;
        double *want = calloc((size_t)nv, 8), *got = calloc((size_t)nv, 8);
        talus_solver_options opt = talus_solver_options_default();
        opt.globalization = TALUS_GLOBALIZATION_NONE;
        opt.max_iter = 1;
        opt.backend = TALUS_BACKEND_DENSE;
        assert_true(solve(&s, &p, &opt, want, &info));
        assert_true(p.nc > 0 && info.factorizations > 0);
        for (int32_t k = 0; k < TL_COUNT(backends); k++) {
            opt.backend = backends[k];
            if (solve(&s, &p, &opt, got, &info))
                test_near(samples[i].kind, got, want, nv, AGREE, 0.0);
        }
        free(want);
        free(got);
        scene_end(&s);
    }
}

static void lifting__takes_the_same_iterations_with_all_backends(void** state)
{
    (void)state;
    static const int32_t backends[] = {TALUS_BACKEND_OWN, TALUS_BACKEND_CHOLMOD, TALUS_BACKEND_UMFPACK};
    for (int32_t i = 0; i < TL_COUNT(samples); i++) {
        scene s;
        talus_problem_view p;
        talus_solve_info want_info, info;
        begin(&s, &samples[i]);
        assert_int_equal(talus_sim_problem(s.sim, s.state, 5e-3, &p), TALUS_OK);
        const int32_t nv = talus_model_get_info(s.model).nv;
        double *want = calloc((size_t)nv, 8), *got = calloc((size_t)nv, 8);
        talus_solver_options opt = talus_solver_options_default();
        opt.quiet = 0.0; // settled islands are to be solved too
        opt.reuse = 0;   // whether a kept factor pays depends on what it costs, hence on the backend
        opt.backend = TALUS_BACKEND_DENSE;
        assert_true(solve(&s, &p, &opt, want, &want_info));
        for (int32_t k = 0; k < TL_COUNT(backends); k++) {
            opt.backend = backends[k];
            if (!solve(&s, &p, &opt, got, &info))
                continue;
            test_near(samples[i].kind, got, want, nv, AGREE, 0.0);
            assert_int_equal(info.iterations, want_info.iterations);
            assert_int_equal(info.factorizations, want_info.factorizations);
        }
        free(want);
        free(got);
        scene_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_step__is_the_same_by_all_backends),
        cmocka_unit_test(lifting__takes_the_same_iterations_with_all_backends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
