// SPDX-License-Identifier: MIT
// C40: threads that libraries make by themselves. 100 boxes in stacks of 5, one thread asked for, with
// OMP_NUM_THREADS and OPENBLAS_NUM_THREADS unset and then both 1: the process takes the CPU time of one thread, and
// a step the same time. Elsewhere small systems ran up to 100 times slower with a BLAS of many threads.
//
// Variables act when a program is loaded, so the test runs itself again. Times are sums over the steps of the
// least time of each step over rounds, which other programs on the machine hardly touch.
#define _GNU_SOURCE
#include "scene.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#define STEPS 20
#define ROUNDS 30
#define CHILDREN                                                                                             \
    12 // of each kind, in turns, until the least of each kind agree: the machine has other work too
#define H 2e-3

typedef struct timing {
    double wall;            // least of every step, summed, s
    double thread, process; // CPU time of all rounds, s
} timing;

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void measure(timing* out)
{
    scene s;
    scene_begin(&s, 1);
    scene_head(&s, 1e5, 5.0, 0.5, 0.0, 0.0, -SCENE_G);
    scene_add(&s, "<geom type=\"plane\" size=\"9 9 1\"/>\n");
    for (int32_t i = 0; i < 100; i++)
        scene_add(&s,
                  "<body pos=\"%g %g %g\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\" "
                  "mass=\"1\"/></body>\n",
                  1.0 * (i / 5 % 5), 1.0 * (i / 25), 0.1 + 0.2 * (i % 5));
    scene_tail(&s);
    scene_start(&s, NULL);
    scene_run(&s, H, 50);
    talus_state* start;
    assert_int_equal(talus_state_create(s.ctx, s.model, &start), TALUS_OK);
    assert_int_equal(talus_state_copy(start, s.state), TALUS_OK);
    // threads that a library makes when the program is loaded look for work for a moment before they sleep
    const struct timespec moment = {.tv_nsec = 300000000};
    nanosleep(&moment, NULL);
    double least[STEPS];
    const double process = seconds(CLOCK_PROCESS_CPUTIME_ID), thread = seconds(CLOCK_THREAD_CPUTIME_ID);
    for (int32_t round = 0; round < ROUNDS; round++) {
        assert_int_equal(talus_state_copy(s.state, start), TALUS_OK);
        for (int32_t k = 0; k < STEPS; k++) {
            const double t = tl_now();
            scene_step(&s, H);
            const double took = tl_now() - t;
            least[k] = round == 0 ? took : fmin(least[k], took);
        }
    }
    out->process = seconds(CLOCK_PROCESS_CPUTIME_ID) - process;
    out->thread = seconds(CLOCK_THREAD_CPUTIME_ID) - thread;
    out->wall = 0.0;
    for (int32_t k = 0; k < STEPS; k++)
        out->wall += least[k];
    assert_int_equal(s.info.solve.nislands, 20);
    talus_state_destroy(start);
    scene_end(&s);
}

// this program again; it writes its timing into a pipe
static timing run_child(bool one)
{
    int fd[2];
    timing t = {0};
    assert_int_equal(pipe(fd), 0);
    const pid_t child = fork();
    if (child == 0) {
        char out[16];
        snprintf(out, sizeof out, "%d", fd[1]);
        for (int32_t i = 0; i < 2; i++) {
            const char* name = i ? "OPENBLAS_NUM_THREADS" : "OMP_NUM_THREADS";
            if (one)
                setenv(name, "1", 1);
            else
                unsetenv(name);
        }
        execl("/proc/self/exe", "c40", out, (char*)NULL);
        _exit(127);
    }
    close(fd[1]);
    const bool got = read(fd[0], &t, sizeof t) == (ssize_t)sizeof t;
    close(fd[0]);
    int status = -1;
    waitpid(child, &status, 0);
    if (!got || status != 0)
        fail_msg("the program could not run itself again: status %d", status);
    return t;
}

static void small_systems__take_one_thread(void** state)
{
    (void)state;
    double wall[2] = {INFINITY, INFINITY}, share[2] = {INFINITY, INFINITY};
    bool fair = false;
    for (int32_t i = 0; i < 2 * CHILDREN && !fair; i++) {
        const timing t = run_child(i % 2);
        print_message("%s: %.1f us a step, CPU time of the process %.3f of the thread's\n",
                      i % 2 ? "both 1" : "unset ", 1e6 * t.wall / STEPS, t.process / t.thread);
        wall[i % 2] = fmin(wall[i % 2], t.wall);
        share[i % 2] = fmin(share[i % 2], t.process / t.thread);
        fair = wall[0] <= 1.1 * wall[1] && wall[1] <= 1.1 * wall[0] && share[0] <= 1.1 && share[1] <= 1.1;
    }
    assert_true(share[0] <= 1.1); // CPU / wall <= 1.1 on a machine of one's own
    assert_true(share[1] <= 1.1);
    assert_true(wall[0] <= 1.1 * wall[1]);
    assert_true(wall[1] <= 1.1 * wall[0]);
}

int main(int argc, char** argv)
{
    if (argc == 2) {
        timing t;
        measure(&t);
        return write(atoi(argv[1]), &t, sizeof t) != (ssize_t)sizeof t;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_systems__take_one_thread)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
