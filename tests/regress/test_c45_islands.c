// SPDX-License-Identifier: MIT
// C45: ten separate stacks of five, solved as one problem or by islands, end at the same places, and twice as
// many stacks cost twice the factor flops.
#include "scene.h"

static void stacks(scene* s, int32_t n, const talus_sim_options* opt)
{
    scene_begin(s, 1);
    scene_head(s, 1e5, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(s, "<geom type=\"plane\" size=\"9 9 1\"/>\n");
    for (int32_t k = 0; k < n; k++)
        for (int32_t i = 0; i < 5; i++)
            scene_add(s,
                      "<body pos=\"%d 0 %.17g\"><freejoint/>"
                      "<geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"1\"/></body>\n",
                      k, 0.1 + 0.2 * i);
    scene_tail(s);
    scene_start(s, opt);
    // each stack gets a push of its own
    for (int32_t k = 0; k < n; k++)
        s->v[6 * (5 * k + 4)] = 0.02 + 0.01 * (k % 5);
}

static void islands__same_places(void** state)
{
    (void)state;
    talus_sim_options opt = talus_sim_options_default();
    opt.solver.tol = 1e-12;
    scene on, off;
    opt.solver.islands = 1;
    stacks(&on, 10, &opt);
    opt.solver.islands = 0;
    stacks(&off, 10, &opt);
    for (int32_t i = 0; i < 500; i++) {
        scene_step(&on, 2e-3);
        scene_step(&off, 2e-3);
    }
    assert_int_equal(on.info.solve.nislands, 10);
    assert_int_equal(off.info.solve.nislands, 1);
    double most = 0.0;
    for (int32_t i = 0; i < 350; i++)
        most = fmax(most, fabs(on.q[i] - off.q[i]));
    print_message("after 1 s, islands on and off: positions differ by %.3g m\n", most);
    assert_true(most <= 1e-9);
    scene_end(&on);
    scene_end(&off);
}

static double flops(int32_t n, int32_t islands)
{
    talus_sim_options opt = talus_sim_options_default();
    opt.solver.islands = islands;
    opt.solver.reuse = 0; // a factorization each iteration
    scene s;
    stacks(&s, n, &opt);
    double sum = 0.0;
    for (int32_t i = 0; i < 100; i++) {
        scene_step(&s, 2e-3);
        sum += s.info.solve.flops;
    }
    scene_end(&s);
    return sum;
}

static void islands__flops_grow_with_their_number(void** state)
{
    (void)state;
    const double ten = flops(10, 1), twenty = flops(20, 1);
    print_message("by islands: factor flops of 10 stacks %.4g, of 20 %.4g, ratio %.4f\n", ten, twenty,
                  twenty / ten);
    assert_true(ten > 0.0);
    assert_true(fabs(twenty / ten - 2.0) <= 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(islands__same_places),
        cmocka_unit_test(islands__flops_grow_with_their_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
