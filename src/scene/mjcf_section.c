// SPDX-License-Identifier: MIT
// The sections that refer to bodies, joints and geoms by name: <contact>, <actuator>, <keyframe>, <custom>.
// They are read after all bodies, once for the main file and once for every attached model, in its name
// scope.
//
// An element whose names lie inside a <replicate> is copied with it: once per copy in which all its names are
// found, at least one of them in that very copy. Elements that are not copied come first, as in MuJoCo.
//
// <tendon>, <equality>, <deformable>, plugins and actuators without an affine law are listed in notices.
#include "mjcf.h"

#include <math.h>
#include <stdio.h>

typedef struct ref {
    tl_name_kind kind;
    const char* name;
    int32_t index;
} ref;

static int32_t find_scoped(tl_reader* r, tl_name_kind kind, int32_t scope, const char* name)
{
    const char* full = tl_full_name(r, scope, name);
    return full ? tl_find_name(r, kind, 0, full) : -1;
}

/// Find all names in `scope` or the scopes around it, up to the instance. @return all found; exact: one in
/// scope itself
static bool resolve(tl_reader* r, int32_t root, int32_t scope, ref* refs, int32_t n, bool* exact)
{
    *exact = false;
    for (int32_t i = 0; i < n; i++) {
        refs[i].index = -1;
        for (int32_t s = scope;; s = r->scope[s].parent) {
            refs[i].index = find_scoped(r, refs[i].kind, s, refs[i].name);
            if (refs[i].index >= 0)
                *exact |= s == scope;
            if (refs[i].index >= 0 || s == root)
                break;
        }
        if (refs[i].index < 0)
            return false;
    }
    return true;
}

typedef talus_status make_fn(tl_reader* r, const tl_xml_node* n, int32_t scope, const ref* refs);

/// Make the element of `n` once, or once per copy of the replicate that its names are in. `copies` 0: only
/// elements whose names are found directly, 1: only the others. @return ERR_INPUT when a name is nowhere
static talus_status make(tl_reader* r, int32_t root, const tl_xml_node* n, int copies, ref* refs,
                         int32_t nref, make_fn* fn)
{
    bool exact;
    const bool direct = resolve(r, root, root, refs, nref, &exact);
    if (direct || copies == 0)
        return direct && copies == 0 ? fn(r, n, root, refs) : TALUS_OK;
    bool any = false;
    for (int32_t s = root + 1; s < r->nscope; s++) {
        if (r->scope[s].root != root || !resolve(r, root, s, refs, nref, &exact) || !exact)
            continue;
        any = true;
        TL_TRY(fn(r, n, s, refs));
    }
    if (any || !r->scope[root].whole)
        return TALUS_OK;
    resolve(r, root, root, refs, nref, &exact);
    static const char* const kind_text[] = {"body", "joint", "geom", "site"};
    for (int32_t i = 0; i < nref; i++)
        if (refs[i].index < 0)
            return tl_bad(r, n, "unknown %s '%.60s'", kind_text[refs[i].kind], refs[i].name);
    return TALUS_OK;
}

// ---- contact
// ---------------------------------------------------------------------------------------------------------

static talus_status make_exclude(tl_reader* r, const tl_xml_node* n, int32_t scope, const ref* refs)
{
    (void)n, (void)scope;
    tl_spec* s = r->spec;
    tl_pair* p = TL_PUSH(r, s, exclude);
    if (!p)
        return TALUS_ERR_NOMEM;
    p->a = TL_MIN(refs[0].index, refs[1].index);
    p->b = TL_MAX(refs[0].index, refs[1].index);
    s->body_used[p->a] = s->body_used[p->b] = 1;
    return TALUS_OK;
}

static talus_status raw_pair(tl_reader* r, const tl_xml_node* n, int32_t model, tl_raw_pair* p)
{
    int32_t cls;
    TL_TRY(tl_find_class(r, n, model, tl_xml_get(n, "class"), r->model[model].class0, &cls));
    *p = r->class[cls].pair;
    TL_TRY(tl_read_raw_pair(r, n, p));
    if (p->friction[0] < 0.0)
        return tl_bad(r, n, "attribute 'friction' is negative: %g", p->friction[0]);
    if (p->condim != 0 && p->condim != 1 && p->condim != 3 && p->condim != 4 && p->condim != 6)
        return tl_bad(r, n, "attribute 'condim': %d; expected: 1, 3, 4 or 6", p->condim);
    return tl_contact_notices(r, n, p->condim, p->margin, p->gap);
}

static talus_status make_pair(tl_reader* r, const tl_xml_node* n, int32_t scope, const ref* refs)
{
    tl_raw_pair raw;
    TL_TRY(raw_pair(r, n, r->scope[scope].model, &raw));
    if (refs[0].index == refs[1].index)
        return tl_bad(r, n, "geom1 and geom2 are the same");
    tl_spec_pair* p = TL_PUSH(r, r->spec, pair);
    if (!p)
        return TALUS_ERR_NOMEM;
    *p = (tl_spec_pair){.at = tl_at(r, n),
                        .a = TL_MIN(refs[0].index, refs[1].index),
                        .b = TL_MAX(refs[0].index, refs[1].index),
                        .mu = isnan(raw.friction[0]) ? -1.0 : raw.friction[0],
                        .condim = raw.condim};
    return TALUS_OK;
}

static talus_status read_contact(tl_reader* r, int32_t root, const tl_xml_node* n, int copies)
{
    ref refs[2];
    const bool pair = strcmp(n->name, "pair") == 0;
    if (pair) {
        tl_raw_pair raw;
        TL_TRY(raw_pair(r, n, r->scope[root].model, &raw));
        refs[0] = (ref){.kind = NAME_GEOM, .name = raw.geom1};
        refs[1] = (ref){.kind = NAME_GEOM, .name = raw.geom2};
    } else {
        refs[0] = (ref){.kind = NAME_BODY, .name = tl_xml_get(n, "body1")};
        refs[1] = (ref){.kind = NAME_BODY, .name = tl_xml_get(n, "body2")};
    }
    for (int i = 0; i < 2; i++)
        if (!refs[i].name)
            return tl_bad(r, n, "attribute '%s%d' is missing", pair ? "geom" : "body", i + 1);
    return make(r, root, n, copies, refs, 2, pair ? make_pair : make_exclude);
}

// ---- actuators
// -------------------------------------------------------------------------------------------------------

static talus_status limits(tl_reader* r, const tl_xml_node* n, const tl_spec_compiler* c, const char* what,
                           const double* range, int32_t* limited)
{
    if (*limited == 2) {
        if (!c->autolimits && (range[0] != 0.0 || range[1] != 0.0))
            return tl_bad(r, n,
                          "%srange without %slimited; expected: %slimited=\"true\" or \"false\", or compiler "
                          "autolimits=\"true\"",
                          what, what, what);
        *limited = range[0] < range[1];
    }
    if (*limited && range[0] >= range[1])
        return tl_bad(r, n, "%srange [%g, %g] is empty", what, range[0], range[1]);
    return TALUS_OK;
}

static talus_status inherit_range(tl_reader* r, const tl_xml_node* n, tl_raw_actuator* raw)
{
    tl_spec_actuator* a = &raw->a;
    const bool servo =
        raw->gain == TL_GAIN_FIXED && raw->bias == TL_BIAS_AFFINE && raw->gainprm[0] == -raw->biasprm[1];
    if (!(a->inheritrange > 0.0) || !servo)
        return TALUS_OK;
    if (a->joint < 0)
        return tl_unsupported(r, n, true, "inheritrange without a joint");
    const tl_spec_joint* j = &r->spec->joint[a->joint];
    if (j->type != TL_JOINT_HINGE && j->type != TL_JOINT_SLIDE)
        return tl_bad(r, n, "inheritrange needs a hinge or slide joint");
    if (j->range[0] == j->range[1])
        return tl_bad(r, n, "inheritrange: joint '%.60s' has no range", j->name);
    const double mean = 0.5 * (j->range[0] + j->range[1]),
                 half = 0.5 * (j->range[1] - j->range[0]) * a->inheritrange;
    a->ctrlrange[0] = mean - half;
    a->ctrlrange[1] = mean + half;
    return TALUS_OK;
}

static bool any_nonzero(const double* v, int n)
{
    for (int i = 0; i < n; i++)
        if (v[i] != 0.0)
            return true;
    return false;
}

/// What of an actuator is beyond a stateless affine law on a joint; NULL: nothing.
static const char* beyond(const tl_raw_actuator* raw)
{
    if (raw->a.trn != TL_TRN_JOINT && raw->a.trn != TL_TRN_JOINTINPARENT)
        return "actuators on tendons, sites, bodies and slider-cranks";
    if (raw->dyn != 0)
        return "actuators with an activation state (dyntype, timeconst, intvelocity)";
    if (raw->gain > TL_GAIN_AFFINE || raw->bias > TL_BIAS_AFFINE)
        return "actuators whose gain or bias is not affine (muscle, cylinder, adhesion, pid, dcmotor, ...)";
    return NULL;
}

static talus_status make_actuator(tl_reader* r, const tl_xml_node* n, int32_t scope, const ref* refs)
{
    const int32_t model = r->scope[scope].model;
    int32_t cls;
    TL_TRY(tl_find_class(r, n, model, tl_xml_get(n, "class"), r->model[model].class0, &cls));
    tl_raw_actuator raw = r->class[cls].actuator;
    TL_TRY(tl_read_raw_actuator(r, n, &raw));
    tl_spec_actuator* a = &raw.a;
    a->at = tl_at(r, n);
    a->name = tl_full_name(r, scope, tl_xml_get(n, "name"));
    a->trn = refs ? (tl_xml_get(n, "joint") ? TL_TRN_JOINT : TL_TRN_JOINTINPARENT) : TL_TRN_OTHER;
    a->joint = refs ? refs[0].index : -1;
    a->instance = r->scope[scope].root;
    TL_TRY(inherit_range(r, n, &raw));
    TL_TRY(limits(r, n, r->model[model].compiler, "ctrl", a->ctrlrange, &a->ctrllimited));
    TL_TRY(limits(r, n, r->model[model].compiler, "force", a->forcerange, &a->forcelimited));
    if (any_nonzero(raw.damping, 3)) {
        a->damping = raw.damping[0];
        if (any_nonzero(raw.damping + 1, 2))
            TL_TRY(
                tl_unsupported(r, n, true, "actuator damping polynomial: only the linear coefficient acts"));
    }
    const char* what = beyond(&raw);
    if (what) {
        TL_TRY(tl_unsupported(r, n, true, what));
        a->dynamic = 1;
    }
    a->gaintype = raw.gain;
    a->biastype = raw.bias;
    memcpy(a->gain, raw.gainprm, sizeof a->gain);
    memcpy(a->bias, raw.biasprm, sizeof a->bias);
    tl_spec_actuator* out = TL_PUSH(r, r->spec, actuator);
    if (!out)
        return TALUS_ERR_NOMEM;
    *out = *a;
    return tl_add_name(r, n, NAME_ACTUATOR, 0, a->name, (int32_t)r->spec->nactuator - 1);
}

static talus_status read_actuator(tl_reader* r, int32_t root, const tl_xml_node* n, int copies)
{
    static const char* const attrs[] = {"joint", "jointinparent", "tendon", "site", "cranksite", "body"};
    const char* target = NULL;
    int32_t which = -1;
    for (int32_t i = 0; i < TL_COUNT(attrs); i++) {
        const char* t = tl_xml_get(n, attrs[i]);
        if (t && target)
            return tl_bad(r, n, "%s and %s exclude each other", attrs[which], attrs[i]);
        if (t) {
            target = t;
            which = i;
        }
    }
    if (!target)
        return strcmp(n->name, "plugin") == 0 ? tl_unsupported(r, n, true, "plugins")
                                              : tl_bad(r, n,
                                                       "a transmission is missing; expected one of: joint "
                                                       "jointinparent tendon site cranksite body");
    if (which > 1)
        return copies == 0 ? make_actuator(r, n, root, NULL) : TALUS_OK;
    ref refs[1] = {{.kind = NAME_JOINT, .name = target}};
    return make(r, root, n, copies, refs, 1, make_actuator);
}

// ---- keyframes
// -------------------------------------------------------------------------------------------------------

/// Sizes are checked against the compiled model (model/keyframe.c), which knows nq, nv, nu.
static talus_status read_key(tl_reader* r, int32_t root, const tl_xml_node* n)
{
    tl_spec_key* k = TL_PUSH(r, r->spec, key);
    if (!k)
        return TALUS_ERR_NOMEM;
    int64_t nq, nv, nctrl;
    k->at = tl_at(r, n);
    k->name = tl_full_name(r, root, tl_xml_get(n, "name"));
    k->instance = root;
    TL_TRY(tl_read_list(r, n, "qpos", &k->q, &nq));
    TL_TRY(tl_read_list(r, n, "qvel", &k->v, &nv));
    TL_TRY(tl_read_list(r, n, "ctrl", &k->ctrl, &nctrl));
    k->nq = (int32_t)nq;
    k->nv = (int32_t)nv;
    k->nctrl = (int32_t)nctrl;
    return tl_add_name(r, n, NAME_KEY, 0, k->name, (int32_t)r->spec->nkey - 1);
}

// ---- materials: <custom><text name="talus.geom.NAME" data="k=1e6 d=50 mu=0.5"/></custom>
// -------------------------------

// numbers in the order of `keys`, and how the geom takes part
enum { MATERIAL_NUMBERS = 6 };
typedef struct material {
    double v[MATERIAL_NUMBERS];
    int32_t contact;
} material;

static talus_status parse_contact(tl_reader* r, const tl_xml_node* n, const char* word, size_t len,
                                  int32_t* out)
{
    static const char* const words[] = {"", "point", "compliant", "rigid"};
    for (int32_t k = TL_CONTACT_POINT; k <= TL_CONTACT_RIGID; k++)
        if (strlen(words[k]) == len && strncmp(words[k], word, len) == 0) {
            *out = k;
            return TALUS_OK;
        }
    return tl_bad(r, n, "contact is '%.*s'; expected: point, compliant or rigid", (int)TL_MIN(len, 40), word);
}

static talus_status parse_material(tl_reader* r, const tl_xml_node* n, const char* data, material* m)
{
    // friction and dissipation may be zero
    static const char* const keys[MATERIAL_NUMBERS] = {"d", "mu", "k", "E", "hint", "thickness"};
    for (int32_t k = 0; k < MATERIAL_NUMBERS; k++)
        m->v[k] = NAN;
    m->contact = TL_CONTACT_DEFAULT;
    for (const char* p = data + strspn(data, " \t\r\n,;"); *p; p += strspn(p, " \t\r\n,;")) {
        const size_t len = strcspn(p, " \t\r\n,;"), key = strcspn(p, "=");
        int32_t k = 0;
        if (key < len && key == strlen("contact") && strncmp(p, "contact", key) == 0) {
            TL_TRY(parse_contact(r, n, p + key + 1, len - key - 1, &m->contact));
            p += len;
            continue;
        }
        while (k < MATERIAL_NUMBERS && (strlen(keys[k]) != key || strncmp(p, keys[k], key) != 0))
            k++;
        if (k == MATERIAL_NUMBERS || key >= len)
            return tl_bad(
                r, n,
                "unknown '%.*s'; expected: k=NUMBER d=NUMBER mu=NUMBER contact=point|compliant|rigid "
                "E=NUMBER hint=NUMBER thickness=NUMBER",
                (int)TL_MIN(len, 40), p);
        char number[64];
        snprintf(number, sizeof number, "%.*s", (int)TL_MIN(len - key - 1, sizeof number - 1), p + key + 1);
        const tl_xml_attr attr = {.name = keys[k], .value = number};
        tl_xml_node one = *n;
        one.attr = &attr;
        one.nattr = 1;
        int32_t got;
        TL_TRY(tl_read_numbers(r, &one, keys[k], 1, 1, &m->v[k], &got));
        if (m->v[k] < 0.0 || (k >= 2 && m->v[k] == 0.0))
            return tl_bad(r, n, "%s must be %s, not %g", keys[k], k >= 2 ? "positive" : "at least 0",
                          m->v[k]);
        p += len;
    }
    return TALUS_OK;
}

static void set_material(tl_spec_geom* g, const material* m, bool weak)
{
    double* to[MATERIAL_NUMBERS] = {&g->d, &g->mu, &g->k, &g->modulus, &g->hint, &g->thickness};
    for (int i = 0; i < MATERIAL_NUMBERS; i++)
        if (!isnan(m->v[i]) && (!weak || isnan(*to[i])))
            *to[i] = m->v[i];
    if (m->contact != TL_CONTACT_DEFAULT && (!weak || g->contact == TL_CONTACT_DEFAULT))
        g->contact = m->contact;
}

static talus_status read_material(tl_reader* r, int32_t root, const tl_xml_node* n, bool defaults)
{
    static const char geom_prefix[] = "talus.geom.";
    const char *name = tl_xml_get(n, "name"), *data = tl_xml_get(n, "data");
    material v;
    if (!name || strncmp(name, "talus.", 6) != 0)
        return TALUS_OK;
    const bool all = strcmp(name, "talus.default") == 0;
    const size_t skip = sizeof geom_prefix - 1;
    if (!all && strncmp(name, geom_prefix, skip) != 0)
        return tl_bad(r, n, "unknown talus text; expected: talus.default or talus.geom.NAME");
    if (all != defaults)
        return TALUS_OK;
    TL_TRY(parse_material(r, n, data ? data : "", &v));
    if (all) {
        for (int64_t i = 0; i < r->spec->ngeom && root == 0; i++)
            set_material(&r->spec->geom[i], &v, true);
        return TALUS_OK;
    }
    bool any = false;
    for (int32_t s = root; s < r->nscope; s++) {
        const int32_t g = r->scope[s].root == root ? find_scoped(r, NAME_GEOM, s, name + skip) : -1;
        if (g >= 0)
            set_material(&r->spec->geom[g], &v, false);
        any |= g >= 0;
    }
    return any || !r->scope[root].whole ? TALUS_OK : tl_bad(r, n, "unknown geom '%.60s'", name + skip);
}

// ---- all sections
// ----------------------------------------------------------------------------------------------------

/// Sections that change the dynamics and are not understood; an empty one says nothing.
static talus_status list_others(tl_reader* r, const tl_xml_node* section)
{
    static const struct {
        const char *name, *what;
    } kinds[] = {{"tendon", "tendons"},
                 {"equality", "equality constraints"},
                 {"deformable", "deformable bodies (flexcomp, flex)"},
                 {"extension", "plugins"}};
    for (int32_t i = 0; i < TL_COUNT(kinds); i++)
        if (section->child && strcmp(section->name, kinds[i].name) == 0)
            return tl_unsupported(r, section->child, true, kinds[i].what);
    if (section->child && strcmp(section->name, "sensor") == 0)
        return tl_unsupported(r, section->child, false, "sensors");
    return TALUS_OK;
}

/// A model attached once per copy of a replicate brings no keyframes: each would place one copy only.
static bool is_copied(const tl_reader* r, int32_t root)
{
    for (int32_t s = root; s >= 0; s = r->scope[s].parent)
        if (!r->scope[s].attach)
            return true;
    return false;
}

static talus_status read_instance(tl_reader* r, int32_t root)
{
    const tl_xml_node* file = r->model[r->scope[root].model].root;
    for (int copies = 0; copies < 2; copies++)
        for (const tl_xml_node* s = file->child; s; s = s->next)
            for (const tl_xml_node* n = s->child; n; n = n->next) {
                if (strcmp(s->name, "contact") == 0)
                    TL_TRY(read_contact(r, root, n, copies));
                else if (strcmp(s->name, "actuator") == 0)
                    TL_TRY(read_actuator(r, root, n, copies));
                else if (strcmp(s->name, "custom") == 0 && strcmp(n->name, "text") == 0)
                    TL_TRY(read_material(r, root, n, copies == 1));
                else if (strcmp(s->name, "keyframe") == 0 && copies == 0 && !is_copied(r, root))
                    TL_TRY(read_key(r, root, n));
            }
    for (const tl_xml_node* s = file->child; s; s = s->next)
        TL_TRY(list_others(r, s));
    return TALUS_OK;
}

talus_status tl_read_sections(tl_reader* r)
{
    r->spec->body_used = tl_calloc(r->ctx, (size_t)r->spec->nbody);
    if (!r->spec->body_used)
        return tl_nomem(r->ctx, (size_t)r->spec->nbody);
    for (int32_t s = 0; s < r->nscope; s++)
        if (r->scope[s].attach)
            TL_TRY(read_instance(r, s));
    return TALUS_OK;
}
