// SPDX-License-Identifier: MIT
// Memory of a whole run. Every allocation from loading to the third step fails once: the call that needed it
// says so, a step leaves time, q and v as they were, the same objects serve when memory is there again and
// reach the same bits, and nothing leaks. And a settled scene steps without asking the allocator, neither the
// context's nor malloc behind its back (qsort of the C library may take some).
#define _POSIX_C_SOURCE 200809L

#include <talus/talus.h>
#include <unistd.h>

#include "test.h"
#include "counted.h"
#include "gen.h"

#define STEPS 3
#define NQ_MOST 256

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COUNTS_MALLOC 0
#endif
#endif
#if !defined(COUNTS_MALLOC) && defined(__GLIBC__)
#define COUNTS_MALLOC 1
#elif !defined(COUNTS_MALLOC)
#define COUNTS_MALLOC 0
#endif

#if COUNTS_MALLOC
static int64_t mallocs;
extern void* __libc_malloc(size_t bytes);
__attribute__((visibility("default"))) void* malloc(size_t bytes); // else the C library keeps to its own
void* malloc(size_t bytes)
{
    __atomic_fetch_add(&mallocs, 1, __ATOMIC_RELAXED);
    return __libc_malloc(bytes);
}
#else
static const int64_t mallocs = 0;
#endif

static void write_file(char* path, const char* text, size_t length)
{
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, length), length);
    close(fd);
}

typedef struct objects {
    talus_model* model;
    talus_sim* sim;
    talus_state* state;
} objects;

static void destroy(objects* o)
{
    talus_state_destroy(o->state);
    talus_sim_destroy(o->sim);
    talus_model_destroy(o->model);
    *o = (objects){0};
}

// what is not there yet is made; a failure leaves what is
static talus_status create(talus_context* ctx, const char* path, bool sleep, objects* o)
{
    talus_sim_options opt = talus_sim_options_default();
    opt.solver.reuse = 0; // a kept factor makes other last bits
    opt.sleep = sleep;    // at once, at any velocity
    opt.sleep_v = 1e12;
    opt.sleep_time = 1e-3;
    if (!o->model)
        TL_TRY(talus_model_load(ctx, path, NULL, &o->model));
    if (!o->state)
        TL_TRY(talus_state_create(ctx, o->model, &o->state));
    return o->sim ? TALUS_OK : talus_sim_create(ctx, o->model, &opt, &o->sim);
}

// steps to the end; a failed one must change nothing
static talus_status run(objects* o, bool sleep, int32_t* done)
{
    const talus_model_info info = talus_model_get_info(o->model);
    double q[NQ_MOST], v[NQ_MOST];
    assert_true(info.nq <= NQ_MOST);
    for (; *done < STEPS; ++*done) {
        const double time = talus_state_time(o->state);
        if (sleep)
            talus_state_v(o->state)[2] = -0.1; // wakes the pile
        memcpy(q, talus_state_q(o->state), sizeof(double) * (size_t)info.nq);
        memcpy(v, talus_state_v(o->state), sizeof(double) * (size_t)info.nv);
        const talus_status status = talus_sim_step(o->sim, o->state, 5e-3, 0, NULL);
        if (status == TALUS_OK)
            continue;
        assert_true(talus_state_time(o->state) == time);
        assert_memory_equal(talus_state_q(o->state), q, sizeof(double) * (size_t)info.nq);
        assert_memory_equal(talus_state_v(o->state), v, sizeof(double) * (size_t)info.nv);
        return status;
    }
    return TALUS_OK;
}

// a pile of overlapping boxes (one island for the sparse backend), a body with all kinds of joint terms, a soft ball that
// comes to the ground within the first step
static const char scene_text[] =
    "<mujoco><worldbody><geom name='ground' type='plane' size='5 5 1'/>"
    "<body pos='0 2 0.0501'><freejoint/><geom name='ball' size='0.05'/></body>"
    "<replicate count='12' offset='0.05 0.01 0.0995'><body name='box' pos='0 0 0.0498'><freejoint/>"
    "<geom type='box' size='0.05 0.05 0.05'/></body></replicate>"
    "<body name='arm' pos='-1 0 1'><joint name='a' axis='0 1 0' range='-10 10' frictionloss='0.1'/>"
    "<geom type='capsule' size='0.05' fromto='0 0 0 0.5 0 0'/><body name='hand' pos='0.5 0 0'>"
    "<joint name='b' type='ball' range='0 20' stiffness='1'/><geom size='0.06'/></body></body></worldbody>"
    "<actuator><position name='p' joint='a' kp='10'/></actuator>"
    "<custom><text name='talus.geom.ground' data='contact=rigid'/>"
    "<text name='talus.geom.ball' data='contact=compliant E=1e5 hint=0.05'/></custom>"
    "<keyframe><key name='k'/></keyframe></mujoco>";

static void survive_every_failed_allocation(bool sleep)
{
    char path[] = "/tmp/talus_fault_XXXXXX";
    write_file(path, scene_text, sizeof scene_text - 1);
    counted c = {.fail_at = -1};
    talus_context_def def = talus_context_default();
    def.nthreads = 1;
    def.allocator = counted_allocator(&c);
    talus_context* ctx = NULL;
    assert_int_equal(talus_context_create(&def, &ctx), TALUS_OK);
    const int64_t before = c.live;
    objects o = {0};
    int32_t done = 0, failures = 0, failed_steps = 0;
    assert_int_equal(create(ctx, path, sleep, &o), TALUS_OK);
    assert_int_equal(run(&o, sleep, &done), TALUS_OK);
    assert_true((sleep ? talus_state_sleeping_contacts(o.state) : talus_sim_contacts(o.sim)).count > 40);
    const uint64_t want = talus_state_hash(o.state);
    destroy(&o);
    assert_int_equal(c.live, before);
    for (int64_t at = 0, failed = 1; failed; at++) {
        c.calls = done = 0;
        c.fail_at = at;
        talus_status status = create(ctx, path, sleep, &o);
        if (status == TALUS_OK)
            status = run(&o, sleep, &done);
        failed = c.calls > at;
        failures += failed != 0;
        failed_steps += o.sim && status < 0;
        if (status != (failed ? TALUS_ERR_NOMEM : TALUS_OK))
            fail_msg("allocation %lld failed: %s", (long long)at, talus_status_text(status));
        // memory is there again: on with the same objects
        c.fail_at = -1;
        assert_int_equal(create(ctx, path, sleep, &o), TALUS_OK);
        if (run(&o, sleep, &done) != TALUS_OK || talus_state_hash(o.state) != want)
            fail_msg("after allocation %lld failed the run ends elsewhere", (long long)at);
        destroy(&o);
        assert_int_equal(c.live, before);
    }
    print_message("%d allocations failed, %d of them in steps\n", failures, failed_steps);
    assert_true(failures > 100 && failed_steps > 20);
    talus_context_destroy(ctx);
    assert_int_equal(c.live, 0);
    unlink(path);
}

static void run__survives_every_failed_allocation(void** state)
{
    (void)state;
    survive_every_failed_allocation(false);
    survive_every_failed_allocation(true);
}

static void load(talus_context* ctx, const char* kind, int32_t n, objects* o)
{
    tl_text text;
    tl_text_init(&text, ctx);
    assert_int_equal(tl_gen_scene(ctx, kind, n, 0, &text), TALUS_OK);
    char path[] = "/tmp/talus_fault_XXXXXX";
    write_file(path, text.data, (size_t)text.length);
    tl_text_fini(&text);
    assert_int_equal(talus_model_load(ctx, path, NULL, &o->model), TALUS_OK);
    assert_int_equal(talus_state_create(ctx, o->model, &o->state), TALUS_OK);
    assert_int_equal(talus_sim_create(ctx, o->model, NULL, &o->sim), TALUS_OK);
    unlink(path);
}

static void steps(objects* o, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        assert_int_equal(talus_sim_step(o->sim, o->state, 5e-3, 0, NULL), TALUS_OK);
}

// n steps in which nobody asks for memory; making a thread may
static void quiet_steps(talus_context* ctx, objects* o, int32_t n, const char* what)
{
    for (int32_t i = 0; i < n; i++) {
        const int64_t calls = talus_context_allocations(ctx), own = mallocs;
        steps(o, 1);
        const int64_t more = talus_context_allocations(ctx) - calls;
        const int64_t hidden = talus_context_threads(ctx) > 1 ? 0 : mallocs - own;
        if (more || hidden)
            fail_msg("%s, step %d: %lld allocations, %lld hidden ones, %d contacts", what, i, (long long)more,
                     (long long)hidden, talus_sim_contacts(o->sim).count);
    }
}

static void settled_bin__steps_without_allocating(void** state)
{
    (void)state;
    for (int32_t threads = 1; threads <= 2; threads++) {
        talus_context* ctx = test_context(threads);
        objects o = {0};
        load(ctx, "spheres", 64, &o);
        steps(&o, 400 + 50);
        quiet_steps(ctx, &o, 20, "64 spheres at rest");
        destroy(&o);
        talus_context_destroy(ctx);
    }
}

// at rest little is done; so the impacts of a fall, a second time with the same simulation
static void again(const char* kind, int32_t n)
{
    talus_context* ctx = test_context(1);
    objects o = {0};
    load(ctx, kind, n, &o);
    talus_state* start = NULL;
    assert_int_equal(talus_state_create(ctx, o.model, &start), TALUS_OK);
    assert_int_equal(talus_state_copy(start, o.state), TALUS_OK);
    for (int32_t pass = 0; pass < 2; pass++) {
        steps(&o, 100);
        assert_int_equal(talus_state_copy(o.state, start), TALUS_OK);
    }
    quiet_steps(ctx, &o, 100, kind);
    assert_true(talus_sim_contacts(o.sim).count > 0);
    talus_state_destroy(start);
    destroy(&o);
    talus_context_destroy(ctx);
}

static void fall_seen_before__steps_without_allocating(void** state)
{
    (void)state;
    static const char* kinds[] = {"spheres", "boxes", "clutter", "bricks", "arms", "chain", "humanoids"};
    static const int32_t counts[] = {64, 27, 64, 40, 4, 30, 4};
    for (int32_t i = 0; i < TL_COUNT(kinds); i++)
        again(kinds[i], counts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__survives_every_failed_allocation),
        cmocka_unit_test(settled_bin__steps_without_allocating),
        cmocka_unit_test(fall_seen_before__steps_without_allocating),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
