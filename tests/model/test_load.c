// SPDX-License-Identifier: MIT
#include "../scene/scene_text.h"
#include "counted.h"

// ---- pair filter ------------------------------------------------------------------------------------------------------

static const char filter_scene[] =
    "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><geom name='wall' size='.1'/>"
    "<body name='post' pos='0 0 1'><geom name='post' size='.1'/>"
    "<body name='door'><joint/><geom name='door' size='.1'/><geom name='door2' size='.1'/>"
    "<body name='knob'><geom name='knob' size='.1'/></body>"
    "<body name='latch'><joint/><geom name='latch' size='.1'/><body name='tip'><joint/><geom name='tip' "
    "size='.1'/>"
    "</body></body></body></body>"
    "<body name='ball'><freejoint/><geom name='ball' size='.1'/></body>"
    "<body name='ghost'><freejoint/><geom name='ghost' size='.1' contype='2' conaffinity='4'/></body>"
    "<body name='other'><freejoint/><geom name='other' size='.1' contype='4' "
    "conaffinity='0'/></body></worldbody>"
    "<contact><exclude body1='ball' body2='tip'/><pair geom1='ghost' geom2='ball'/><pair geom1='latch' "
    "geom2='door'/>"
    "<pair geom1='door' geom2='floor'/></contact></mujoco>";

/// Ancestor with joints, 0: the world. Walks up, unlike the model's table.
static int32_t slow_weld(const tl_mb* mb, int32_t b)
{
    while (b > 0 && mb->body_njnt[b] == 0)
        b = mb->parent[b];
    return b;
}

static bool slow_may_collide(const talus_model* m, int32_t a, int32_t b)
{
    const int32_t ba = m->geom_body[a], bb = m->geom_body[b], wa = slow_weld(&m->mb, ba),
                  wb = slow_weld(&m->mb, bb);
    if (wa == 0 && wb == 0)
        return false;
    for (int32_t i = 0; i < m->npair; i++)
        if ((m->pairs[i].a == a && m->pairs[i].b == b) || (m->pairs[i].a == b && m->pairs[i].b == a))
            return true;
    if (wa == wb ||
        (!(m->geom_contype[a] & m->geom_conaffinity[b]) && !(m->geom_contype[b] & m->geom_conaffinity[a])))
        return false;
    const int32_t pa = slow_weld(&m->mb, m->mb.parent[wa]), pb = slow_weld(&m->mb, m->mb.parent[wb]);
    if (wa && wb && (pa == wb || pb == wa))
        return false;
    for (int32_t i = 0; i < m->nexclude; i++)
        if ((m->excludes[i].a == ba && m->excludes[i].b == bb) ||
            (m->excludes[i].a == bb && m->excludes[i].b == ba))
            return false;
    return true;
}

static bool may(const talus_model* m, const char* a, const char* b)
{
    return tl_model_may_collide(m, talus_model_find(m, TALUS_GEOM, a), talus_model_find(m, TALUS_GEOM, b));
}

static void filter__equals_the_rules_pair_by_pair(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = scene_model(ctx, &log, filter_scene);
    for (int32_t a = 0; a < m->info.ngeom; a++)
        for (int32_t b = 0; b < m->info.ngeom; b++)
            if (a != b && tl_model_may_collide(m, a, b) != slow_may_collide(m, a, b))
                fail_msg("%s, %s: %d", m->geom_name[a], m->geom_name[b], tl_model_may_collide(m, a, b));
    assert_true(may(m, "ball", "door"));
    assert_true(may(m, "door", "post"));   // its parent is fixed
    assert_false(may(m, "door", "knob"));  // welded
    assert_false(may(m, "knob", "latch")); // parent and child
    assert_true(may(m, "latch", "door"));  // but listed
    assert_true(may(m, "door2", "tip"));   // grandparent
    assert_false(may(m, "ball", "tip"));   // excluded
    assert_false(may(m, "ghost", "door")); // masks
    assert_true(may(m, "ghost", "other"));
    assert_true(may(m, "ghost", "ball")); // listed
    assert_false(may(m, "floor", "wall"));
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

static void filter__obeys_the_flags(void** state)
{
    (void)state;
    static const char body[] =
        "<worldbody><body><joint/><geom name='a' size='1'/><body><joint/><geom name='b' size='1'/>"
        "</body></body><geom name='c' size='1'/></worldbody></mujoco>";
    scene_log log;
    talus_context* ctx = scene_context(&log);
    char text[600];
    snprintf(text, sizeof text, "<mujoco><option><flag filterparent='disable'/></option>%s", body);
    talus_model* m = scene_model(ctx, &log, text);
    assert_true(may(m, "a", "b"));
    talus_model_destroy(m);
    snprintf(text, sizeof text, "<mujoco><option><flag contact='disable'/></option>%s", body);
    m = scene_model(ctx, &log, text);
    assert_false(may(m, "a", "c"));
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

// ---- materials --------------------------------------------------------------------------------------------------------

static void material__default_given_or_mapped(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = scene_model(
        ctx, &log,
        "<mujoco><option gravity='0 0 -10'/><custom><text name='talus.geom.given' data='k=2e5, d=3; "
        "mu=0.25'/>"
        "<text name='talus.geom.part' data='d=7'/></custom><worldbody>"
        "<body><freejoint/><geom name='plain' size='1' mass='2'/></body>"
        "<body><freejoint/><geom name='given' size='1' mass='2' solref='0.1 1'/></body>"
        "<body><freejoint/><geom name='part' size='1' mass='2' friction='0.7'/></body>"
        "<body><freejoint/><geom name='soft' size='1' mass='2' solref='0.1 2'/></body>"
        "<body><freejoint/><geom name='direct' size='1' mass='2' solref='-100 -5' solimp='.5 .75'/></body>"
        "<geom name='fixed' size='1' solref='0.1 2'/></worldbody></mujoco>");
    // soft: k = 2 m / ((1 - .95) T^2 z^2), d = 2 / ((1 - .95) T g); direct: k = 2 m s / (1 - .75), d = b / ((1 - .75) g)
    static const struct {
        const char* name;
        double k, d, mu;
    } want[] = {{"plain", 1e6, 50, 1},
                {"given", 2e5, 3, 0.25},
                {"part", 1e6, 7, 0.7},
                {"soft", 2 * 2 / (0.05 * 0.04), 2 / (0.05 * 0.1 * 10), 1},
                {"direct", 2 * 2 * 100 / 0.25, 5 / (0.25 * 10), 1},
                {"fixed", 2 * 2 / (0.05 * 0.04), 2 / (0.05 * 0.1 * 10), 1}};
    for (int i = 0; i < TL_COUNT(want); i++) {
        const int32_t g = talus_model_find(m, TALUS_GEOM, want[i].name);
        test_near1(want[i].name, m->geom_k[g], want[i].k, 1e-12);
        test_near1(want[i].name, m->geom_d[g], want[i].d, 1e-12);
        test_near1(want[i].name, m->geom_mu[g], want[i].mu, 1e-12);
    }
    talus_model_destroy(m);
    m = scene_model(ctx, &log,
                    "<mujoco><custom><text name='talus.default' data='k=5e4 mu=0.1'/><text "
                    "name='talus.geom.b' data='mu=0.9'/></custom><worldbody><geom name='a' size='1'/>"
                    "<geom name='b' size='1'/></worldbody></mujoco>");
    test_near("k", m->geom_k, (double[]){5e4, 5e4}, 2, 0.0, 1.0);
    test_near("d", m->geom_d, (double[]){50, 50}, 2, 0.0, 1.0);
    test_near("mu", m->geom_mu, (double[]){0.1, 0.9}, 2, 0.0, 1.0);
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

// ---- layout -----------------------------------------------------------------------------------------------------------

static void layout__is_depth_first_with_contiguous_trees(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = scene_model(ctx, &log, filter_scene);
    const tl_mb* mb = &m->mb;
    assert_int_equal(mb->ntree, 4);
    for (int32_t b = 1; b < mb->nbody; b++) {
        assert_true(mb->parent[b] < b);
        assert_int_equal(mb->weld[b], slow_weld(mb, b));
        if (mb->weld[b] == 0)
            assert_int_equal(mb->body_tree[b], -1);
    }
    assert_int_equal(mb->tree_dof[mb->ntree], mb->nv);
    for (int32_t t = 0; t < mb->ntree; t++) {
        const int64_t n = mb->tree_dof[t + 1] - mb->tree_dof[t];
        assert_int_equal(mb->tree_M[t + 1] - mb->tree_M[t], n * n);
        assert_int_equal(mb->tree_free[t], t > 0);
        for (int32_t d = mb->tree_dof[t]; d < mb->tree_dof[t + 1]; d++) {
            assert_int_equal(mb->body_tree[mb->dof_body[d]], t);
            assert_true(mb->dof_parent[d] < d &&
                        (mb->dof_parent[d] >= mb->tree_dof[t] || mb->dof_parent[d] == -1));
        }
    }
    assert_string_equal(talus_model_name(m, TALUS_BODY, 0), "world");
    assert_null(talus_model_name(m, TALUS_BODY, mb->nbody));
    assert_null(talus_model_name(m, TALUS_BODY, -1));
    assert_int_equal(talus_model_find(m, TALUS_BODY, "nobody"), -1);
    talus_model_destroy(m);
    talus_context_destroy(ctx);
}

static void fused_bodies__weigh_the_same(void** state)
{
    (void)state;
    static const char body[] = "<worldbody><body><joint axis='0 1 0'/><geom size='.1' pos='.3 0 0'/><body "
                               "pos='0 0 .5' euler='0 40 10'>"
                               "<geom type='box' size='.1 .2 .3'/><body pos='.2 0 0'><geom type='capsule' "
                               "size='.1 .2' euler='30 0 0'/></body>"
                               "</body></body></worldbody></mujoco>";
    scene_log log;
    talus_context* ctx = scene_context(&log);
    char text[1000];
    double M[2];
    for (int fuse = 0; fuse < 2; fuse++) {
        snprintf(text, sizeof text, "<mujoco><compiler fusestatic='%s'/>%s", fuse ? "true" : "false", body);
        talus_model* m = scene_model(ctx, &log, text);
        assert_int_equal(m->mb.nbody, fuse ? 2 : 4);
        assert_int_equal(m->info.ngeom, 3);
        void* memory = tl_alloc(ctx, tl_mb_data_bytes(&m->mb));
        tl_mb_data d;
        tl_mb_data_init(&m->mb, &d, memory);
        tl_mb_kinematics(&m->mb, m->mb.qpos0, &d);
        tl_mb_crba(&m->mb, &d, &M[fuse]);
        tl_free(ctx, memory);
        talus_model_destroy(m);
    }
    test_near1("M", M[1], M[0], 1e-13);
    talus_context_destroy(ctx);
}

static void millimetres_and_kilometres__give_the_same_model(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    double inertia[3][3], mass[3];
    static const double scale[3] = {1.0, 1e-3, 1e3};
    for (int i = 0; i < 3; i++) {
        const double s = scale[i];
        char text[600];
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><body><freejoint/><geom type='box' size='%.17g %.17g %.17g'/>"
                 "<geom type='capsule' size='%.17g %.17g' pos='%.17g 0 0' euler='10 20 "
                 "30'/></body></worldbody></mujoco>",
                 0.1 * s, 0.2 * s, 0.3 * s, 0.1 * s, 0.2 * s, 0.4 * s);
        talus_model* m = scene_model(ctx, &log, text);
        mass[i] = m->mb.mass[1] / (s * s * s);
        for (int k = 0; k < 3; k++)
            inertia[i][k] = m->mb.inertia[3 + k] / pow(s, 5);
        talus_model_destroy(m);
    }
    for (int i = 1; i < 3; i++) {
        test_near1("mass", mass[i], mass[0], 1e-13);
        test_near("inertia", inertia[i], inertia[0], 3, 1e-13, 0.0);
    }
    talus_context_destroy(ctx);
}

// ---- memory -----------------------------------------------------------------------------------------------------------

static void load__survives_every_failed_allocation(void** state)
{
    (void)state;
    const char* path = scene_write(
        "scene.xml", "<mujoco><default><default class='c'/></default><asset><mesh name='m' vertex='0 0 0 1 0 "
                     "0 0 1 0 0 0 1' "
                     "face='0 2 1 0 1 3 0 3 2 1 2 3'/></asset>"
                     "<worldbody><replicate count='2' offset='1 0 0'><body name='a'><joint name='j'/><geom "
                     "name='g' size='1'/></body>"
                     "</replicate><body><freejoint/><geom type='mesh' mesh='m'/></body></worldbody>"
                     "<contact><exclude body1='a0' body2='a1'/><pair geom1='g0' geom2='g1'/></contact>"
                     "<actuator><position joint='j' dampratio='1'/></actuator><keyframe><key "
                     "name='k'/></keyframe></mujoco>");
    counted f = {.fail_at = -1};
    talus_context_def def = talus_context_default();
    def.nthreads = 1;
    def.allocator = counted_allocator(&f);
    talus_context* ctx = NULL;
    assert_int_equal(talus_context_create(&def, &ctx), TALUS_OK);
    const int64_t before = f.live;
    int32_t failures = 0;
    for (int64_t i = 0;; i++) {
        talus_model* m = NULL;
        f.calls = 0;
        f.fail_at = i;
        const talus_status status = talus_model_load(ctx, path, NULL, &m);
        f.fail_at = -1;
        talus_model_destroy(m);
        assert_int_equal(f.live, before);
        if (status == TALUS_OK)
            break;
        assert_int_equal(status, TALUS_ERR_NOMEM);
        failures++;
    }
    assert_true(failures > 50);
    talus_context_destroy(ctx);
}

static void load__refuses_bad_arguments(void** state)
{
    (void)state;
    scene_log log;
    talus_context* ctx = scene_context(&log);
    talus_model* m = NULL;
    const talus_load_options zero = {0};
    assert_int_equal(talus_model_load(ctx, NULL, NULL, &m), TALUS_ERR_ARG);
    assert_int_equal(talus_model_load(ctx, "x.xml", &zero, &m), TALUS_ERR_ARG);
    assert_int_equal(talus_model_load(ctx, "/nowhere/x.xml", NULL, &m), TALUS_ERR_IO);
    assert_non_null(strstr(log.error, "/nowhere/x.xml: cannot read"));
    talus_model_destroy(NULL);
    talus_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter__equals_the_rules_pair_by_pair),
        cmocka_unit_test(filter__obeys_the_flags),
        cmocka_unit_test(material__default_given_or_mapped),
        cmocka_unit_test(layout__is_depth_first_with_contiguous_trees),
        cmocka_unit_test(fused_bodies__weigh_the_same),
        cmocka_unit_test(millimetres_and_kilometres__give_the_same_model),
        cmocka_unit_test(load__survives_every_failed_allocation),
        cmocka_unit_test(load__refuses_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
