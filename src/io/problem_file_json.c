// SPDX-License-Identifier: MIT
// Contact problems as JSON:
//
//   {"h", "v_s", "friction": "linear|quadratic", "dissipation": "hunt-crossley|linear",
//    "trees":    [{"nv", "M" (flat, row-major), "v0", "v_star"}],
//    "contacts": [{"trees": [a, b], "pair", "J_a", "J_b" (flat 3 x nv, rows t1 t2 n), "delta0", "k", "d",
//    "mu", "f0"}], "limits":   [{"tree", "dof", "delta0", "k", "d", "sign", "f0"}], "losses":   [{"tree",
//    "dof", "bound", "f0"}], "loss_v_s"}
//
// Two passes: sizes first, so that everything lies in one arena, then values. Every message names the file,
// the array index and the field. Optional: v_s, friction, dissipation, ahead, contacts, limits, losses, loss_v_s, pair, f0. A
// field of another name is told in a notice, since it is either a misspelling or somebody's own remark.
#include "json_file.h"
#include "problem_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define NV_MAX 100000       // of one tree; its block then has 1e10 entries
#define PAIR_NONE INT64_MIN // + index: a contact without a pair among others that have one stands alone

typedef struct reader {
    talus_context* ctx;
    const char* path;
    const char* array; // "contacts", or NULL at the top
    size_t index;
    bool told; // about an unknown field
} reader;

TL_PRINTF(3, 4) static talus_status bad(const reader* r, const char* field, const char* fmt, ...)
{
    char text[256], where[96] = "";
    va_list list;
    va_start(list, fmt);
    vsnprintf(text, sizeof text, fmt, list);
    va_end(list);
    if (r->array)
        snprintf(where, sizeof where, "%s[%lld]%s", r->array, (long long)r->index, field ? "." : "");
    return tl_fail_at(r->ctx, TALUS_ERR_INPUT, r->path, 0, "%s%s: %s", where, field ? field : "", text);
}

static const char* type_name(const json_t* x)
{
    static const char* const names[] = {"an object", "an array", "a string", "an integer",
                                        "a number",  "true",     "false",    "null"};
    return x ? names[json_typeof(x)] : "nothing";
}

static talus_status need(const reader* r, const json_t* object, const char* field, json_t** out)
{
    *out = json_object_get(object, field);
    return *out ? TALUS_OK : bad(r, field, "missing");
}

static talus_status read_real(const reader* r, const json_t* object, const char* field, double* out)
{
    json_t* x;
    TL_TRY(need(r, object, field, &x));
    if (!json_is_number(x))
        return bad(r, field, "a number is wanted, not %s", type_name(x));
    *out = json_number_value(x);
    return TALUS_OK;
}

static talus_status to_integer(const reader* r, const char* field, const json_t* x, int64_t low, int64_t high,
                               int64_t* out)
{
    // 3.0 is as good as 3: many writers have only one kind of number
    const double value = json_number_value(x);
    if (!json_is_number(x) || value != floor(value))
        return bad(r, field, "an integer is wanted, not %s", type_name(x));
    *out = json_is_integer(x) ? json_integer_value(x) : (int64_t)fmax(-9e15, fmin(9e15, value));
    return *out >= low && *out <= high ? TALUS_OK
                                       : bad(r, field, "%lld is not from %lld to %lld", (long long)*out,
                                             (long long)low, (long long)high);
}

static talus_status read_integer(const reader* r, const json_t* object, const char* field, int64_t low,
                                 int64_t high, int64_t* out)
{
    json_t* x;
    TL_TRY(need(r, object, field, &x));
    return to_integer(r, field, x, low, high, out);
}

static talus_status read_reals(const reader* r, const json_t* object, const char* field, double* out,
                               int64_t n)
{
    json_t* x;
    TL_TRY(need(r, object, field, &x));
    if (!json_is_array(x))
        return bad(r, field, "an array of %lld numbers is wanted, not %s", (long long)n, type_name(x));
    if ((int64_t)json_array_size(x) != n)
        return bad(r, field, "%lld numbers are wanted, not %lld", (long long)n,
                   (long long)json_array_size(x));
    for (int64_t i = 0; i < n; i++) {
        const json_t* value = json_array_get(x, (size_t)i);
        if (!json_is_number(value))
            return bad(r, field, "value %lld: a number is wanted, not %s", (long long)i, type_name(value));
        out[i] = json_number_value(value);
    }
    return TALUS_OK;
}

/// Names of the fields of one object, separated by blanks.
static void tell_unknown(reader* r, json_t* object, const char* known)
{
    const char* name;
    json_t* value;
    json_object_foreach(object, name, value)
    {
        const char* p = strstr(known, name);
        const size_t n = strlen(name);
        while (p && !((p == known || p[-1] == ' ') && (p[n] == ' ' || !p[n])))
            p = strstr(p + 1, name);
        if (!p && !r->told) {
            tl_notice(r->ctx, "%s: unknown field '%s'%s%s is ignored", r->path, name, r->array ? " of " : "",
                      r->array ? r->array : "");
            r->told = true;
        }
    }
}

/// An array of objects, or NULL where it is optional and not there.
static talus_status find_array(reader* r, const json_t* root, const char* name, bool optional, json_t** out)
{
    *out = json_object_get(root, name);
    r->array = NULL;
    if (!*out)
        return optional ? TALUS_OK : bad(r, name, "missing");
    if (!json_is_array(*out))
        return bad(r, name, "an array is wanted, not %s", type_name(*out));
    if (json_array_size(*out) > INT32_MAX / 8)
        return bad(r, name, "%zu entries are too many", json_array_size(*out));
    r->array = name;
    for (r->index = 0; r->index < json_array_size(*out); r->index++) {
        const json_t* x = json_array_get(*out, r->index);
        if (!json_is_object(x))
            return bad(r, NULL, "an object is wanted, not %s", type_name(x));
    }
    return TALUS_OK;
}

// ---- reading ----------------------------------------------------------------------------------------------

typedef struct lists {
    json_t *trees, *contacts, *limits, *losses;
} lists;

/// A law that is "linear" or, the default, the other one.
static talus_status read_law(const reader* r, const json_t* root, const char* field, const char* other,
                             bool* linear)
{
    const json_t* law = json_object_get(root, field);
    const char* text = json_string_value(law);
    if (law && !text)
        return bad(r, field, "\"linear\" or \"%s\" is wanted, not %s", other, type_name(law));
    if (text && strcmp(text, "linear") != 0 && strcmp(text, other) != 0)
        return bad(r, field, "'%.60s' is unknown, \"linear\" or \"%s\" is wanted", text, other);
    *linear = text && strcmp(text, "linear") == 0;
    return TALUS_OK;
}

static talus_status read_options(reader* r, json_t* root, talus_problem_view* view)
{
    r->array = NULL;
    TL_TRY(read_real(r, root, "h", &view->h));
    if (json_object_get(root, "v_s"))
        TL_TRY(read_real(r, root, "v_s", &view->v_s));
    if (json_object_get(root, "loss_v_s"))
        TL_TRY(read_real(r, root, "loss_v_s", &view->loss_v_s));
    const json_t* ahead = json_object_get(root, "ahead");
    if (ahead && !json_is_boolean(ahead))
        return bad(r, "ahead", "true or false is wanted, not %s", type_name(ahead));
    view->ahead = json_is_true(ahead);
    bool linear;
    TL_TRY(read_law(r, root, "friction", "quadratic", &linear));
    view->friction = linear ? TALUS_FRICTION_LINEAR : TALUS_FRICTION_QUADRATIC;
    TL_TRY(read_law(r, root, "dissipation", "hunt-crossley", &linear));
    view->dissipation = linear ? TALUS_DISSIPATION_LINEAR : TALUS_DISSIPATION_HUNT_CROSSLEY;
    tell_unknown(r, root, "h v_s friction dissipation ahead trees contacts limits losses loss_v_s");
    return TALUS_OK;
}

static talus_status tree_size(const reader* r, const json_t* trees, const char* field, const json_t* x,
                              int64_t* nv)
{
    int64_t tree = -1;
    *nv = 0;
    TL_TRY(to_integer(r, field, x, -1, (int64_t)json_array_size(trees) - 1, &tree));
    if (tree >= 0)
        *nv = json_integer_value(json_object_get(json_array_get(trees, (size_t)tree), "nv"));
    return TALUS_OK;
}

static talus_status measure(reader* r, const lists* l, tl_problem_file_size* s)
{
    s->ntree = (int64_t)json_array_size(l->trees);
    s->nc = (int64_t)json_array_size(l->contacts);
    s->nl = (int64_t)json_array_size(l->limits);
    s->nf = (int64_t)json_array_size(l->losses);
    r->array = "trees";
    for (r->index = 0; r->index < json_array_size(l->trees); r->index++) {
        json_t* tree = json_array_get(l->trees, r->index);
        int64_t nv = 0;
        TL_TRY(read_integer(r, tree, "nv", 1, NV_MAX, &nv));
        json_object_set_new(tree, "nv", json_integer(nv)); // 3.0 becomes 3
        s->nv += nv;
        s->nM += nv * nv;
        // the array must be there before memory for it is asked for
        if ((int64_t)json_array_size(json_object_get(tree, "M")) != nv * nv)
            return bad(r, "M", "%lld numbers (nv x nv) are wanted, not %lld", (long long)nv * nv,
                       (long long)json_array_size(json_object_get(tree, "M")));
    }
    if (s->nv > INT32_MAX / 8)
        return bad(r, "nv", "%lld dofs in all are too many", (long long)s->nv);
    r->array = "contacts";
    for (r->index = 0; r->index < json_array_size(l->contacts); r->index++) {
        const json_t* contact = json_array_get(l->contacts, r->index);
        json_t* pair;
        int64_t nv[2];
        TL_TRY(need(r, contact, "trees", &pair));
        if (!json_is_array(pair) || json_array_size(pair) != 2)
            return bad(r, "trees", "two indices [a, b] are wanted, -1 for the world");
        for (size_t side = 0; side < 2; side++) {
            static const char* const names[] = {"J_a", "J_b"};
            TL_TRY(tree_size(r, l->trees, "trees", json_array_get(pair, side), &nv[side]));
            const int64_t got = (int64_t)json_array_size(json_object_get(contact, names[side]));
            if (got != 3 * nv[side])
                return bad(r, names[side], "%lld numbers (3 x nv) are wanted, not %lld",
                           3 * (long long)nv[side], (long long)got);
        }
        s->nJ += 3 * (nv[0] + nv[1]);
        s->pair |= json_object_get(contact, "pair") != NULL;
        s->f0 |= json_object_get(contact, "f0") != NULL;
    }
    for (int64_t i = 0; i < s->nl; i++)
        s->limit_f0 |= json_object_get(json_array_get(l->limits, (size_t)i), "f0") != NULL;
    for (int64_t i = 0; i < s->nf; i++)
        s->loss_f0 |= json_object_get(json_array_get(l->losses, (size_t)i), "f0") != NULL;
    return TALUS_OK;
}

static talus_status read_trees(reader* r, const json_t* list, const tl_problem_file_arrays* a)
{
    double *M = a->M, *v0 = a->v0, *v_star = a->v_star;
    json_t* tree;
    r->array = "trees";
    json_array_foreach(list, r->index, tree)
    {
        const int64_t nv = json_integer_value(json_object_get(tree, "nv"));
        a->tree_nv[r->index] = (int32_t)nv;
        TL_TRY(read_reals(r, tree, "M", M, nv * nv));
        TL_TRY(read_reals(r, tree, "v0", v0, nv));
        TL_TRY(read_reals(r, tree, "v_star", v_star, nv));
        tell_unknown(r, tree, "nv M v0 v_star");
        M += nv * nv;
        v0 += nv;
        v_star += nv;
    }
    return TALUS_OK;
}

static talus_status read_contacts(reader* r, const json_t* list, const tl_problem_file_arrays* a)
{
    double* J = a->J;
    json_t* contact;
    r->array = "contacts";
    json_array_foreach(list, r->index, contact)
    {
        const int64_t i = (int64_t)r->index;
        const json_t* trees = json_object_get(contact, "trees");
        int32_t* const sides[] = {&a->tree_a[i], &a->tree_b[i]};
        for (size_t side = 0; side < 2; side++) {
            const int32_t t = (int32_t)json_number_value(json_array_get(trees, side));
            const int64_t n = t >= 0 ? 3 * (int64_t)a->tree_nv[t] : 0;
            *sides[side] = t;
            // the world's Jacobian is [], or left out
            if (n > 0)
                TL_TRY(read_reals(r, contact, side ? "J_b" : "J_a", J, n));
            J += n;
        }
        TL_TRY(read_real(r, contact, "delta0", &a->delta0[i]));
        TL_TRY(read_real(r, contact, "k", &a->k[i]));
        TL_TRY(read_real(r, contact, "d", &a->d[i]));
        TL_TRY(read_real(r, contact, "mu", &a->mu[i]));
        if (a->pair) {
            a->pair[i] = PAIR_NONE + i;
            if (json_object_get(contact, "pair"))
                TL_TRY(read_integer(r, contact, "pair", PAIR_NONE / 2, INT64_MAX, &a->pair[i]));
        }
        if (json_object_get(contact, "f0"))
            TL_TRY(read_reals(r, contact, "f0", a->f0 + 3 * i, 3));
        tell_unknown(r, contact, "trees pair J_a J_b delta0 k d mu f0");
    }
    return TALUS_OK;
}

static talus_status read_place(reader* r, const json_t* object, int32_t* tree, int32_t* dof)
{
    int64_t t, d;
    TL_TRY(read_integer(r, object, "tree", 0, INT32_MAX, &t));
    TL_TRY(read_integer(r, object, "dof", 0, INT32_MAX, &d));
    *tree = (int32_t)t;
    *dof = (int32_t)d;
    return TALUS_OK;
}

static talus_status read_limits(reader* r, const lists* l, const tl_problem_file_arrays* a)
{
    json_t* x;
    r->array = "limits";
    json_array_foreach(l->limits, r->index, x)
    {
        const int64_t i = (int64_t)r->index;
        TL_TRY(read_place(r, x, &a->limit_tree[i], &a->limit_dof[i]));
        TL_TRY(read_real(r, x, "delta0", &a->limit_delta0[i]));
        TL_TRY(read_real(r, x, "k", &a->limit_k[i]));
        TL_TRY(read_real(r, x, "d", &a->limit_d[i]));
        TL_TRY(read_real(r, x, "sign", &a->limit_sign[i]));
        if (json_object_get(x, "f0"))
            TL_TRY(read_real(r, x, "f0", &a->limit_f0[i]));
        tell_unknown(r, x, "tree dof delta0 k d sign f0");
    }
    r->array = "losses";
    json_array_foreach(l->losses, r->index, x)
    {
        const int64_t i = (int64_t)r->index;
        TL_TRY(read_place(r, x, &a->loss_tree[i], &a->loss_dof[i]));
        TL_TRY(read_real(r, x, "bound", &a->loss_bound[i]));
        if (json_object_get(x, "f0"))
            TL_TRY(read_real(r, x, "f0", &a->loss_f0[i]));
        tell_unknown(r, x, "tree dof bound f0");
    }
    return TALUS_OK;
}

static talus_status read_root(reader* r, json_t* root, tl_problem_file* p)
{
    lists l = {0};
    tl_problem_file_size size = {0};
    tl_problem_file_arrays arrays;
    if (!json_is_object(root))
        return bad(r, "problem", "an object is wanted, not %s", type_name(root));
    TL_TRY(read_options(r, root, &p->view));
    TL_TRY(find_array(r, root, "trees", false, &l.trees));
    TL_TRY(find_array(r, root, "contacts", true, &l.contacts));
    TL_TRY(find_array(r, root, "limits", true, &l.limits));
    TL_TRY(find_array(r, root, "losses", true, &l.losses));
    TL_TRY(measure(r, &l, &size));
    TL_TRY(tl_problem_file_alloc(p, &size, &arrays));
    TL_TRY(read_trees(r, l.trees, &arrays));
    TL_TRY(read_contacts(r, l.contacts, &arrays));
    return read_limits(r, &l, &arrays);
}

talus_status tl_problem_file_load_json(talus_context* ctx, const char* path, tl_problem_file* out)
{
    json_t* root = NULL;
    TL_TRY(tl_json_load(ctx, path, &root));
    reader r = {.ctx = ctx, .path = path};
    const talus_status status = read_root(&r, root, out);
    json_decref(root);
    return status;
}

// ---- writing ----------------------------------------------------------------------------------------------

/// Appends to an array, either may be NULL; false when out of memory.
static bool add(json_t* array, json_t* value)
{
    return array && value && json_array_append_new(array, value) == 0;
}

static bool write_trees(json_t* list, const talus_problem_view* v)
{
    const double *M = v->M, *v0 = v->v0, *v_star = v->v_star;
    bool ok = true;
    for (int32_t t = 0; t < v->ntree && ok; t++) {
        const int32_t n = v->tree_nv[t];
        ok = add(list, json_pack("{s:i, s:o, s:o, s:o}", "nv", n, "M", tl_json_reals(M, (int64_t)n * n), "v0",
                                 tl_json_reals(v0, n), "v_star", tl_json_reals(v_star, n)));
        M += n * n;
        v0 += n;
        v_star += n;
    }
    return ok;
}

static bool write_contacts(json_t* list, const talus_problem_view* v)
{
    const double* J = v->J;
    bool ok = true;
    for (int32_t i = 0; i < v->nc && ok; i++) {
        const int32_t a = v->tree_a[i], b = v->tree_b[i];
        const int64_t na = a >= 0 ? 3 * (int64_t)v->tree_nv[a] : 0,
                      nb = b >= 0 ? 3 * (int64_t)v->tree_nv[b] : 0;
        json_t* x =
            json_pack("{s:[i,i], s:o, s:o, s:o, s:o, s:o, s:o}", "trees", a, b, "J_a", tl_json_reals(J, na),
                      "J_b", tl_json_reals(J + na, nb), "delta0", tl_json_real(v->delta0[i]), "k",
                      tl_json_real(v->k[i]), "d", tl_json_real(v->d[i]), "mu", tl_json_real(v->mu[i]));
        if (v->pair && v->pair[i] >= PAIR_NONE / 2)
            json_object_set_new(x, "pair", json_integer(v->pair[i]));
        if (v->f0)
            json_object_set_new(x, "f0", tl_json_reals(v->f0 + 3 * (int64_t)i, 3));
        ok = add(list, x);
        J += na + nb;
    }
    return ok;
}

static bool write_limits(json_t* limits, json_t* losses, const talus_problem_view* v)
{
    bool ok = true;
    for (int32_t i = 0; i < v->nl && ok; i++) {
        json_t* x =
            json_pack("{s:i, s:i, s:o, s:o, s:o, s:i}", "tree", v->limit_tree[i], "dof", v->limit_dof[i],
                      "delta0", tl_json_real(v->limit_delta0[i]), "k", tl_json_real(v->limit_k[i]), "d",
                      tl_json_real(v->limit_d[i]), "sign", v->limit_sign[i] > 0 ? 1 : -1);
        if (v->limit_f0)
            json_object_set_new(x, "f0", tl_json_real(v->limit_f0[i]));
        ok = add(limits, x);
    }
    for (int32_t i = 0; i < v->nf && ok; i++) {
        json_t* x = json_pack("{s:i, s:i, s:o}", "tree", v->loss_tree[i], "dof", v->loss_dof[i], "bound",
                              tl_json_real(v->loss_bound[i]));
        if (v->loss_f0)
            json_object_set_new(x, "f0", tl_json_real(v->loss_f0[i]));
        ok = add(losses, x);
    }
    return ok;
}

talus_status tl_problem_file_save_json(talus_context* ctx, const char* path, const talus_problem_view* v)
{
    json_t *trees = json_array(), *contacts = json_array(), *limits = json_array(), *losses = json_array();
    const bool ok = write_trees(trees, v) && write_contacts(contacts, v) && write_limits(limits, losses, v);
    json_t* root =
        json_pack("{s:o, s:o, s:s, s:o, s:o, s:o}", "h", tl_json_real(v->h), "v_s", tl_json_real(v->v_s),
                  "friction", v->friction == TALUS_FRICTION_LINEAR ? "linear" : "quadratic", "trees", trees,
                  "contacts", contacts, "limits", limits);
    if (v->ahead)
        json_object_set_new(root, "ahead", json_true());
    if (v->dissipation == TALUS_DISSIPATION_LINEAR)
        json_object_set_new(root, "dissipation", json_string("linear"));
    if (v->nf > 0) {
        json_object_set_new(root, "losses", losses);
        json_object_set_new(root, "loss_v_s", tl_json_real(v->loss_v_s));
    } else {
        json_decref(losses);
    }
    const talus_status status = tl_json_save(ctx, path, ok ? root : NULL);
    json_decref(root);
    return status;
}
