// SPDX-License-Identifier: MIT
// States as JSON. `--final` writes everything: q and v bit for bit (17 digits), and for people and scripts
// the body poses, velocities and contact forces. Reading takes the parts it finds in this order, so the exact
// ones win: bodies on free joints, joints by name, the `free` and `hinge` lists of the peer benchmarks, then
// q and v. A body that has no name is called #INDEX. `last_forces`, where the next step's search starts, by indices
// of geoms, is read with q and v only: then a run goes on with the same bits where the solver keeps no factors.
#include "state_file.h"
#include "json_file.h"
#include "model.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct reader {
    talus_context* ctx;
    const char* path;
    const talus_model* model;
    double *q, *v;
    int32_t posed; // bodies that their joints place
    talus_last_force* force;
    int64_t nforce;
    double* joint; // (2 nv) of limits, of dry friction
} reader;

TL_PRINTF(3, 4) static talus_status bad(const reader* r, const char* where, const char* fmt, ...)
{
    char text[256];
    va_list list;
    va_start(list, fmt);
    vsnprintf(text, sizeof text, fmt, list);
    va_end(list);
    return tl_fail_at(r->ctx, TALUS_ERR_INPUT, r->path, 0, "%s: %s", where, text);
}

/// n numbers from an array, or one from a bare number.
static talus_status read_numbers(const reader* r, const char* where, const json_t* x, double* out, int32_t n)
{
    if (n == 1 && json_is_number(x)) {
        *out = json_number_value(x);
        return TALUS_OK;
    }
    if (!json_is_array(x) || (int32_t)json_array_size(x) != n)
        return bad(r, where, "%d numbers are wanted", n);
    for (int32_t i = 0; i < n; i++) {
        const json_t* value = json_array_get(x, (size_t)i);
        if (!json_is_number(value))
            return bad(r, where, "value %d is not a number", i);
        out[i] = json_number_value(value);
    }
    return TALUS_OK;
}

static talus_status read_object(const reader* r, const json_t* root, const char* name, json_t** out)
{
    *out = json_object_get(root, name);
    return !*out || json_is_object(*out) ? TALUS_OK : bad(r, name, "an object is wanted");
}

static int32_t find_body(const talus_model* m, const char* name)
{
    int32_t index;
    char end;
    if (name[0] == '#' && sscanf(name, "#%d%c", &index, &end) == 1)
        return index >= 0 && index < m->mb.nbody ? index : -1;
    return talus_model_find(m, TALUS_BODY, name);
}

/// The free joint of a body, or -1.
static int32_t free_joint(const tl_mb* mb, int32_t body)
{
    const int32_t j = mb->body_jnt[body];
    return mb->body_njnt[body] == 1 && mb->jnt_type[j] == TL_JOINT_FREE ? j : -1;
}

static talus_status check_quat(const reader* r, const char* where, double* quat)
{
    return tl_quat_normalize(quat) ? TALUS_OK : bad(r, where, "the quaternion is zero");
}

/// World angular velocity to the body frame of a free joint, and back.
static void turn(const double* quat, bool to_body, const double* in, double* out)
{
    const double q[4] = {quat[0], to_body ? -quat[1] : quat[1], to_body ? -quat[2] : quat[2],
                         to_body ? -quat[3] : quat[3]};
    tl_quat_rotate(q, in, out);
}

static talus_status read_pose(const reader* r, const char* name, json_t* x, double* q, double* v)
{
    char where[256];
    double w[3];
    turn(q + 3, false, v + 3, w); // kept in world axes where the file turns the body only
    const struct {
        const char* name;
        double* to;
        int32_t n;
    } fields[] = {{"pos", q, 3}, {"quat", q + 3, 4}, {"linvel", v, 3}, {"angvel", w, 3}};
    const char* key;
    json_t* value;
    json_object_foreach(x, key, value)
    {
        bool known = false;
        for (int32_t i = 0; i < TL_COUNT(fields); i++)
            known |= strcmp(key, fields[i].name) == 0;
        if (!known)
            return bad(r, "bodies", "'%.150s': unknown field '%.60s'; expected: pos, quat, linvel, angvel",
                       name, key);
    }
    for (int32_t i = 0; i < TL_COUNT(fields); i++) {
        const json_t* field = json_object_get(x, fields[i].name);
        snprintf(where, sizeof where, "bodies.%.150s.%s", name, fields[i].name);
        if (field)
            TL_TRY(read_numbers(r, where, field, fields[i].to, fields[i].n));
        if (field && i == 1)
            TL_TRY(check_quat(r, where, q + 3));
    }
    turn(q + 3, true, w, v + 3);
    return TALUS_OK;
}

static talus_status read_bodies(reader* r, json_t* bodies)
{
    const tl_mb* mb = &r->model->mb;
    const char* name;
    json_t* x;
    json_object_foreach(bodies, name, x)
    {
        const int32_t body = find_body(r->model, name);
        if (body < 0)
            return bad(r, "bodies", "the scene has no body '%.150s'", name);
        if (!json_is_object(x))
            return bad(r, "bodies", "'%.150s': an object is wanted", name);
        const int32_t j = free_joint(mb, body);
        r->posed += j < 0 && body > 0;
        if (j >= 0)
            TL_TRY(read_pose(r, name, x, r->q + mb->jnt_q[j], r->v + mb->jnt_dof[j]));
    }
    return TALUS_OK;
}

static talus_status read_joints(reader* r, const char* list, json_t* joints)
{
    static const int32_t nq[] = {7, 4, 1, 1}, nv[] = {6, 3, 1, 1};
    const tl_mb* mb = &r->model->mb;
    const char* name;
    json_t* x;
    json_object_foreach(joints, name, x)
    {
        char where[256];
        const int32_t j = talus_model_find(r->model, TALUS_JOINT, name);
        if (j < 0)
            return bad(r, list, "the scene has no joint '%.150s'", name);
        snprintf(where, sizeof where, "%s.%.150s", list, name);
        if (!json_is_array(x) || json_array_size(x) != 2)
            return bad(r, where, "[q, v] is wanted");
        const int32_t type = mb->jnt_type[j];
        double* q = r->q + mb->jnt_q[j];
        TL_TRY(read_numbers(r, where, json_array_get(x, 0), q, nq[type]));
        TL_TRY(read_numbers(r, where, json_array_get(x, 1), r->v + mb->jnt_dof[j], nv[type]));
        if (type == TL_JOINT_FREE || type == TL_JOINT_BALL)
            TL_TRY(check_quat(r, where, type == TL_JOINT_FREE ? q + 3 : q));
    }
    return TALUS_OK;
}

/// {body: [pos 3, quat 4, linvel 3, body-frame angvel 3]}: a free joint's q and v as they are.
static talus_status read_free(reader* r, json_t* list)
{
    const tl_mb* mb = &r->model->mb;
    const char* name;
    json_t* x;
    json_object_foreach(list, name, x)
    {
        char where[256];
        double value[13];
        const int32_t body = find_body(r->model, name), j = body >= 0 ? free_joint(mb, body) : -1;
        snprintf(where, sizeof where, "free.%.150s", name);
        if (j < 0)
            return bad(r, where, body < 0 ? "the scene has no such body" : "the body has no free joint");
        TL_TRY(read_numbers(r, where, x, value, 13));
        TL_TRY(check_quat(r, where, value + 3));
        memcpy(r->q + mb->jnt_q[j], value, 7 * sizeof *value);
        memcpy(r->v + mb->jnt_dof[j], value + 7, 6 * sizeof *value);
    }
    return TALUS_OK;
}

static talus_status read_one_force(const reader* r, const char* where, const json_t* x, talus_last_force* f)
{
    if (!json_is_array(x) || json_array_size(x) != 7)
        return bad(r, where, "[geom, geom, feature, three numbers, number] is wanted");
    int64_t id[3];
    double value[4];
    for (int32_t k = 0; k < 7; k++) {
        const json_t* y = json_array_get(x, (size_t)k);
        if (k < 3 ? !json_is_integer(y) : !json_is_number(y))
            return bad(r, where, "value %d: %s is wanted", k, k < 3 ? "an integer" : "a number");
        if (k < 3)
            id[k] = json_integer_value(y);
        else
            value[k - 3] = json_number_value(y);
    }
    for (int32_t k = 0; k < 2; k++)
        if (id[k] < 0 || id[k] >= r->model->info.ngeom)
            return bad(r, where, "geom %lld: the scene has %d geoms", (long long)id[k], r->model->info.ngeom);
    *f = (talus_last_force){.geom_a = (int32_t)id[0],
                            .geom_b = (int32_t)id[1],
                            .feature = id[2],
                            .ft = {value[0], value[1], value[2]},
                            .fn = value[3]};
    return TALUS_OK;
}

static talus_status read_forces(reader* r, json_t* x)
{
    const int32_t nv = r->model->mb.nv;
    const json_t *contacts = json_object_get(x, "contacts"), *limits = json_object_get(x, "limits"),
                 *losses = json_object_get(x, "losses");
    if (!json_is_array(contacts) || !limits || !losses)
        return bad(r, "last_forces", "{contacts, limits, losses} is wanted");
    r->nforce = (int64_t)json_array_size(contacts);
    r->force = tl_alloc(r->ctx, sizeof *r->force * (size_t)TL_MAX(r->nforce, 1));
    r->joint = tl_calloc(r->ctx, sizeof *r->joint * (size_t)TL_MAX(2 * nv, 1));
    if (!r->force || !r->joint)
        return tl_nomem(r->ctx, sizeof *r->force * (size_t)r->nforce);
    for (int64_t i = 0; i < r->nforce; i++) {
        char where[64];
        snprintf(where, sizeof where, "last_forces.contacts[%lld]", (long long)i);
        TL_TRY(read_one_force(r, where, json_array_get(contacts, (size_t)i), r->force + i));
    }
    if (nv == 0)
        return TALUS_OK;
    TL_TRY(read_numbers(r, "last_forces.limits", limits, r->joint, nv));
    return read_numbers(r, "last_forces.losses", losses, r->joint + nv, nv);
}

static talus_status read_parts(reader* r, json_t* root, double* time)
{
    const tl_mb* mb = &r->model->mb;
    json_t *bodies, *joints, *list, *hinge;
    if (!json_is_object(root))
        return bad(r, "state", "an object is wanted");
    static const char* const known[] = {"time", "q",     "v",        "bodies",  "joints",
                                        "free", "hinge", "contacts", "patches", "last_forces"};
    const char* key;
    json_t* value;
    json_object_foreach(root, key, value)
    {
        bool found = false;
        for (int32_t i = 0; i < TL_COUNT(known); i++)
            found |= strcmp(key, known[i]) == 0;
        if (!found)
            tl_notice(r->ctx, "%s: unknown field '%.60s' is ignored", r->path, key);
    }
    TL_TRY(read_object(r, root, "bodies", &bodies));
    TL_TRY(read_object(r, root, "joints", &joints));
    TL_TRY(read_object(r, root, "free", &list));
    TL_TRY(read_object(r, root, "hinge", &hinge));
    const json_t *q = json_object_get(root, "q"), *v = json_object_get(root, "v"),
                 *t = json_object_get(root, "time");
    if (!bodies && !joints && !list && !hinge && !q && !v)
        return bad(r, "state", "none of q, v, bodies, joints, free, hinge is in the file");
    if (bodies && !q)
        TL_TRY(read_bodies(r, bodies));
    TL_TRY(read_joints(r, "joints", joints));
    TL_TRY(read_free(r, list));
    TL_TRY(read_joints(r, "hinge", hinge));
    if (q)
        TL_TRY(read_numbers(r, "q", q, r->q, mb->nq));
    if (v)
        TL_TRY(read_numbers(r, "v", v, r->v, mb->nv));
    if (t)
        TL_TRY(read_numbers(r, "time", t, time, 1));
    json_t* forces;
    TL_TRY(read_object(r, root, "last_forces", &forces));
    if (q && v && forces)
        TL_TRY(read_forces(r, forces));
    if (r->posed > 0)
        tl_notice(r->ctx,
                  "%s: %d bodies without a free joint are placed by their joints; their poses are not read",
                  r->path, r->posed);
    return TALUS_OK;
}

talus_status tl_state_load(talus_context* ctx, const talus_model* model, const char* path, talus_state* state)
{
    const size_t nq = (size_t)model->mb.nq, nv = (size_t)model->mb.nv;
    json_t* root = NULL;
    TL_TRY(tl_json_load(ctx, path, &root));
    // into copies first: a file that is wrong further down must not leave half a state
    double* copy = tl_alloc(ctx, (nq + nv) * sizeof *copy);
    double time = talus_state_time(state);
    talus_status status = copy ? TALUS_OK : tl_nomem(ctx, (nq + nv) * sizeof *copy);
    reader r = {.ctx = ctx, .path = path, .model = model};
    if (copy) {
        r.q = copy;
        r.v = copy + nq;
        memcpy(copy, talus_state_q(state), nq * sizeof *copy);
        memcpy(copy + nq, talus_state_v(state), nv * sizeof *copy);
        status = read_parts(&r, root, &time);
    }
    if (status >= 0 && r.joint)
        status = talus_state_set_forces(state, r.force, r.nforce, r.joint, r.joint + nv);
    if (status >= 0) {
        memcpy(talus_state_q(state), copy, nq * sizeof *copy);
        memcpy(talus_state_v(state), copy + nq, nv * sizeof *copy);
        talus_state_set_time(state, time);
    }
    tl_free(ctx, r.joint);
    tl_free(ctx, r.force);
    tl_free(ctx, copy);
    json_decref(root);
    return status;
}

// ---- writing ----------------------------------------------------------------------------------------------

static json_t* object_name(const talus_model* m, talus_object kind, int32_t index)
{
    const char* name = talus_model_name(m, kind, index);
    return name && *name ? json_string(name) : json_sprintf("#%d", index);
}

static json_t* bodies_json(const talus_model* m, const double* pos, const double* quat, const double* lin,
                           const double* ang)
{
    json_t* bodies = json_object();
    for (int32_t i = 1; i < m->mb.nbody && bodies; i++) {
        json_t* name = object_name(m, TALUS_BODY, i);
        json_t* x = json_pack("{s:o, s:o, s:o, s:o}", "pos", tl_json_reals(pos + 3 * i, 3), "quat",
                              tl_json_reals(quat + 4 * i, 4), "linvel", tl_json_reals(lin + 3 * i, 3),
                              "angvel", tl_json_reals(ang + 3 * i, 3));
        if (!name || !x || json_object_set_new(bodies, json_string_value(name), x)) {
            json_decref(bodies);
            bodies = NULL;
        }
        json_decref(name);
    }
    return bodies;
}

// appended to the list, which may be NULL; asleep: of sleeping bodies
static json_t* add_contacts(json_t* contacts, const talus_model* m, const talus_contacts* c, bool asleep)
{
    for (int32_t i = 0; i < c->count && contacts; i++) {
        json_t* x = json_pack(
            "{s:[o,o], s:[o,o], s:o, s:o, s:o, s:o, s:o, s:b}", "bodies",
            object_name(m, TALUS_BODY, c->body_a[i]), object_name(m, TALUS_BODY, c->body_b[i]), "geoms",
            object_name(m, TALUS_GEOM, c->geom_a[i]), object_name(m, TALUS_GEOM, c->geom_b[i]), "point",
            tl_json_reals(c->point + 3 * i, 3), "normal", tl_json_reals(c->normal + 3 * i, 3), "depth",
            tl_json_real(c->depth[i]), "force", tl_json_reals(c->force + 3 * i, 3), "slip",
            tl_json_real(c->slip[i]), "asleep", asleep);
        if (!x || json_array_append_new(contacts, x)) {
            json_decref(contacts);
            contacts = NULL;
        }
    }
    return contacts;
}

static json_t* add_patches(json_t* patches, const talus_model* m, const talus_patch* p, int32_t n,
                           bool asleep)
{
    for (int32_t i = 0; i < n && patches; i++, p++) {
        json_t* x =
            json_pack("{s:[o,o], s:[o,o], s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "bodies",
                      object_name(m, TALUS_BODY, p->body_a), object_name(m, TALUS_BODY, p->body_b), "geoms",
                      object_name(m, TALUS_GEOM, p->geom_a), object_name(m, TALUS_GEOM, p->geom_b), "faces",
                      p->faces, "left_out", p->left_out, "area", tl_json_real(p->area), "left_out_area",
                      tl_json_real(p->left_out_area), "centroid", tl_json_reals(p->centroid, 3),
                      "pressure_max", tl_json_real(p->pressure_max), "force", tl_json_reals(p->force, 3),
                      "moment", tl_json_reals(p->moment, 3), "asleep", asleep);
        if (!x || json_array_append_new(patches, x)) {
            json_decref(patches);
            patches = NULL;
        }
    }
    return patches;
}

static json_t* forces_json(const talus_model* m, const talus_state* s)
{
    const talus_last_force* f;
    const double *limit, *loss;
    const int64_t n = talus_state_forces(s, &f, &limit, &loss);
    json_t* contacts = json_array();
    for (int64_t i = 0; i < n && contacts; i++, f++) {
        json_t* x = json_pack("[i, i, I, o, o, o, o]", f->geom_a, f->geom_b, (json_int_t)f->feature,
                              tl_json_real(f->ft[0]), tl_json_real(f->ft[1]), tl_json_real(f->ft[2]),
                              tl_json_real(f->fn));
        if (!x || json_array_append_new(contacts, x)) {
            json_decref(contacts);
            contacts = NULL;
        }
    }
    return json_pack("{s:o, s:o, s:o}", "contacts", contacts, "limits", tl_json_reals(limit, m->mb.nv),
                     "losses", tl_json_reals(loss, m->mb.nv));
}

talus_status tl_state_save(talus_context* ctx, const talus_model* model, talus_sim* sim,
                           const talus_state* state, const char* path)
{
    const size_t n = (size_t)model->mb.nbody;
    talus_state* s = (talus_state*)state; // the accessors give writable arrays; nothing is written here
    double* x = tl_alloc(ctx, 13 * n * sizeof *x);
    if (!x)
        return tl_nomem(ctx, 13 * n * sizeof *x);
    double *pos = x, *quat = x + 3 * n, *lin = x + 7 * n, *ang = x + 10 * n;
    talus_status status = talus_sim_bodies(sim, state, pos, quat, lin, ang);
    if (status >= 0) {
        const talus_contacts awake = talus_sim_contacts(sim), asleep = talus_state_sleeping_contacts(state);
        const talus_patch* p;
        int32_t npatch = talus_sim_patches(sim, &p);
        json_t* contacts = add_contacts(json_array(), model, &awake, false);
        json_t* patches = add_patches(json_array(), model, p, npatch, false);
        npatch = talus_state_sleeping_patches(state, &p);
        contacts = add_contacts(contacts, model, &asleep, true);
        patches = add_patches(patches, model, p, npatch, true);
        json_t* root = json_pack(
            "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "time", tl_json_real(talus_state_time(state)), "q",
            tl_json_reals(talus_state_q(s), model->mb.nq), "v", tl_json_reals(talus_state_v(s), model->mb.nv),
            "bodies", bodies_json(model, pos, quat, lin, ang), "contacts", contacts, "patches", patches,
            "last_forces", forces_json(model, state));
        status = tl_json_save(ctx, path, root);
        json_decref(root);
    }
    tl_free(ctx, x);
    return status;
}
