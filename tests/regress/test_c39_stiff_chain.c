// SPDX-License-Identifier: MIT
// C39: arm links of 1 g beside 1000 kg, k = 1e9 N/m, h = 1e-4 s: condition about 1e12. No NaN, no false "not
// positive definite": the step is solved with a residual of 1e-10 of the load, the same for one thread and
// two.
#include "scene.h"

#define LINKS 7

// heavy and light links of 0.6 m, then a finger of three links of 1 cm whose tip presses on the floor. Floor and
// friction hold two of the finger's three hinges; the third sees 1e-8 kg m^2 beside the first link's 1e4
static const double mass[LINKS] = {1e3, 1e-3, 1e3, 1e3, 1e-3, 1e-3, 1e-3},
                    length[LINKS] = {0.6, 0.6, 0.6, 0.6, 0.01, 0.01, 0.01};

static void arms(scene* s, int32_t threads)
{
    scene_begin(s, threads);
    scene_head(s, 1e9, 1.0, 0.5, 0.0, 0.0, 0.0);
    scene_add(s, "<geom type=\"plane\" size=\"1 1 1\"/>\n");
    for (int32_t arm = 0; arm < 2; arm++) {
        scene_add(s, "<body name=\"arm%d\" pos=\"0 %d 0.0049999\">\n", arm, arm);
        for (int32_t i = 0; i < LINKS; i++) {
            const double m = mass[i], l = length[i], I = m * l * l / 12.0;
            if (i > 0)
                scene_add(s, "<body name=\"arm%d_%d\" pos=\"%g 0 0\">\n", arm, i, length[i - 1]);
            scene_add(s,
                      "<joint type=\"hinge\" axis=\"0 1 0\"/>\n<inertial pos=\"%g 0 0\" mass=\"%.17g\" "
                      "diaginertia=\"%.17g %.17g %.17g\"/>\n",
                      0.5 * l, m, 0.01 * I, I, I);
        }
        scene_add(s, "<geom type=\"sphere\" size=\"0.005\" pos=\"0.01 0 0\"/>\n");
        for (int32_t i = 0; i < LINKS; i++)
            scene_add(s, "</body>");
    }
    scene_tail(s);
    talus_sim_options opt = talus_sim_options_default();
    opt.solver.tol = 1e-10;
    scene_start(s, &opt);
    for (int32_t arm = 0; arm < 2; arm++) // joint torques that press the tip down with 10 N
        for (int32_t i = 0; i < LINKS; i++) {
            double reach = 0.0;
            for (int32_t k = i; k < LINKS; k++)
                reach += length[k];
            s->force[arm * LINKS + i] = 10.0 * reach;
            s->v[arm * LINKS + i] = 0.01 * (i % 2 ? -1.0 : 1.0); // and something to solve
        }
}

static void stiff_chain__is_solved(void** state)
{
    (void)state;
    uint64_t hash[2];
    for (int32_t threads = 1; threads <= 2; threads++) {
        scene s;
        arms(&s, threads);
        talus_solver* solver;
        talus_solver_options opt = talus_solver_options_default();
        opt.tol = 1e-10;
        assert_int_equal(talus_solver_create(s.ctx, &opt, &solver), TALUS_OK);
        double worst = 0.0, norm = 0.0;
        int32_t contacts = 0, iterations = 0;
        for (int32_t i = 0; i < 200; i++) {
            // the problem of this step, and its residual at the velocity that the step finds
            talus_problem_view p;
            assert_int_equal(talus_sim_problem(s.sim, s.state, 1e-4, &p), TALUS_OK);
            contacts += p.nc;
            iterations += s.info.solve.iterations;
            // the condition number of M is at least this ratio; normal and friction stiffness leave it at 1e12
            assert_true(p.M[0] > 1e11 * p.M[LINKS * LINKS - 1]);
            double v[2 * LINKS], relative;
            talus_solution sol = {.v = v};
            talus_solve_info info;
            assert_int_equal(talus_solver_step(solver, &p, &sol, &info), TALUS_OK);
            assert_int_equal(talus_problem_residual(solver, &p, v, NULL, &relative), TALUS_OK);
            worst = fmax(worst, relative);
            scene_step(&s, 1e-4);
            assert_int_equal(s.info.lagged + s.info.solve.substepped, 0);
            worst = fmax(worst, s.info.solve.residual);
            for (int32_t k = 0; k < 2 * LINKS; k++) {
                assert_true(isfinite(s.v[k]));
                norm = fmax(norm, fabs(s.v[k]));
            }
        }
        hash[threads - 1] = talus_state_hash(s.state);
        print_message(
            "%d threads: %d contacts and %d iterations in 200 steps, worst residual %.3g, fastest joint "
            "%.3g rad/s\n",
            threads, contacts, iterations, worst, norm);
        assert_true(contacts > 100 && iterations > 100);
        assert_true(worst <= 1e-10);
        talus_solver_destroy(solver);
        scene_end(&s);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stiff_chain__is_solved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
