// SPDX-License-Identifier: MIT
// Default classes, and the tables of attributes that a class and an element share: an element starts as a
// copy of its class and reads its own attributes over it. Classes belong to one file (an attached file has
// its own), nest, and start as copies of their parents.
#include "mjcf.h"

#include <math.h>

talus_status tl_read_raw_geom(tl_reader* r, const tl_xml_node* n, tl_raw_geom* g)
{
    // the words are in the order of tl_shape_type; sdf is read as a mesh
    static const tl_field fields[] = {
        FIELD_CHOICE(tl_raw_geom, "type", g.type,
                     "plane|sphere|capsule|ellipsoid|cylinder|box|mesh|hfield|sdf"),
        FIELD_INTEGER(tl_raw_geom, "contype", g.contype),
        FIELD_INTEGER(tl_raw_geom, "conaffinity", g.conaffinity),
        FIELD_INTEGER(tl_raw_geom, "condim", g.condim),
        FIELD_INTEGER(tl_raw_geom, "priority", g.priority),
        FIELD_INTEGER(tl_raw_geom, "group", g.group),
        FIELD_NUMBERS(tl_raw_geom, "size", g.size, 1, 3),
        FIELD_NUMBERS(tl_raw_geom, "friction", g.friction, 1, 3),
        FIELD_NUMBER(tl_raw_geom, "mass", g.mass),
        FIELD_NUMBER(tl_raw_geom, "density", g.density),
        FIELD_BOOL(tl_raw_geom, "shellinertia", g.shellinertia),
        FIELD_NUMBERS(tl_raw_geom, "solref", g.solref, 1, 2),
        FIELD_NUMBERS(tl_raw_geom, "solimp", g.solimp, 1, 5),
        FIELD_NUMBER(tl_raw_geom, "margin", g.margin),
        FIELD_NUMBER(tl_raw_geom, "gap", g.gap),
        FIELD_NUMBERS(tl_raw_geom, "pos", g.pos, 3, 3),
        FIELD_NUMBERS(tl_raw_geom, "rgba", g.rgba, 1, 4),
        FIELD_NUMBER(tl_raw_geom, "fitscale", g.fitscale),
        FIELD_NUMBERS(tl_raw_geom, "surfacevel", surfacevel, 1, 6),
        FIELD_NUMBER(tl_raw_geom, "adhesion", adhesion),
        FIELD_STRING(tl_raw_geom, "mesh", mesh),
        FIELD_STRING(tl_raw_geom, "hfield", hfield),
    };
    int32_t got;
    TL_TRY(tl_read_fields(r, n, fields, TL_COUNT(fields), g));
    if (g->g.type > TL_SHAPE_HFIELD)
        g->g.type = TL_SHAPE_MESH;
    TL_TRY(tl_read_numbers(r, n, "fromto", 6, 6, g->fromto, &got));
    g->has_fromto |= got > 0;
    TL_TRY(tl_read_quat(r, n, g->g.quat));
    return tl_read_alt(r, n, &g->alt);
}

talus_status tl_read_raw_joint(tl_reader* r, const tl_xml_node* n, tl_raw_joint* j)
{
    static const tl_field fields[] = {
        FIELD_CHOICE(tl_raw_joint, "type", j.type, "free|ball|slide|hinge"),
        FIELD_NUMBERS(tl_raw_joint, "pos", j.pos, 3, 3),
        FIELD_NUMBERS(tl_raw_joint, "axis", j.axis, 3, 3),
        FIELD_AUTO(tl_raw_joint, "limited", j.limited),
        FIELD_NUMBERS(tl_raw_joint, "range", j.range, 2, 2),
        FIELD_NUMBER(tl_raw_joint, "ref", j.ref),
        FIELD_NUMBER(tl_raw_joint, "springref", j.springref),
        FIELD_NUMBERS(tl_raw_joint, "springdamper", j.springdamper, 2, 2),
        FIELD_NUMBERS(tl_raw_joint, "stiffness", poly_stiffness, 1, 3),
        FIELD_NUMBERS(tl_raw_joint, "damping", poly_damping, 1, 3),
        FIELD_NUMBERS(tl_raw_joint, "actuatorfrcrange", actuatorfrcrange, 2, 2),
        FIELD_STRING(tl_raw_joint, "springyield", springyield),
        FIELD_NUMBER(tl_raw_joint, "armature", j.armature),
        FIELD_NUMBER(tl_raw_joint, "frictionloss", j.frictionloss),
    };
    return tl_read_fields(r, n, fields, TL_COUNT(fields), j);
}

talus_status tl_read_raw_pair(tl_reader* r, const tl_xml_node* n, tl_raw_pair* p)
{
    static const tl_field fields[] = {
        FIELD_STRING(tl_raw_pair, "geom1", geom1),    FIELD_STRING(tl_raw_pair, "geom2", geom2),
        FIELD_INTEGER(tl_raw_pair, "condim", condim), FIELD_NUMBERS(tl_raw_pair, "friction", friction, 1, 5),
        FIELD_NUMBER(tl_raw_pair, "margin", margin),  FIELD_NUMBER(tl_raw_pair, "gap", gap),
    };
    return tl_read_fields(r, n, fields, TL_COUNT(fields), p);
}

talus_status tl_read_raw_mesh(tl_reader* r, const tl_xml_node* n, tl_spec_mesh* m)
{
    static const tl_field fields[] = {
        FIELD_CHOICE(tl_spec_mesh, "inertia", inertia, "convex|legacy|exact|shell"),
        FIELD_INTEGER(tl_spec_mesh, "maxhullvert", maxhullvert),
        FIELD_NUMBERS(tl_spec_mesh, "scale", scale, 3, 3),
        FIELD_NUMBERS(tl_spec_mesh, "refpos", refpos, 3, 3),
        FIELD_NUMBERS(tl_spec_mesh, "refquat", refquat, 4, 4),
    };
    TL_TRY(tl_read_fields(r, n, fields, TL_COUNT(fields), m));
    if (!tl_quat_normalize(m->refquat))
        return tl_bad(r, n, "attribute 'refquat': a zero quaternion is not a rotation");
    if (m->maxhullvert != -1 && m->maxhullvert < 4)
        return tl_bad(r, n, "attribute 'maxhullvert' must be -1 or at least 4, not %d", m->maxhullvert);
    return TALUS_OK;
}

// ---- actuators
// -------------------------------------------------------------------------------------------------------

static const char gain_words[] = "fixed|affine|muscle|dcmotor|so3|pid|user";
static const char bias_words[] = "none|affine|muscle|dcmotor|so3|user";
static const char dyn_words[] = "none|integrator|filter|filterexact|muscle|dcmotor|pid|user";
enum { DYN_NONE, DYN_INTEGRATOR, DYN_FILTER, DYN_FILTEREXACT };

bool tl_is_actuator(const char* element)
{
    return tl_choice(
               "general|motor|position|velocity|intvelocity|orientation|pid|damper|cylinder|muscle|adhesion|"
               "dcmotor|plugin",
               element) >= 0;
}

static void set_kind(tl_raw_actuator* a, int32_t dyn, int32_t gain, int32_t bias)
{
    a->dyn = dyn;
    a->gain = gain;
    a->bias = bias;
}

/// position, intvelocity: force = kp (ctrl - length) - kv velocity; dampratio is kept as a positive
/// biasprm[2] until masses are known
static talus_status set_position(tl_reader* r, const tl_xml_node* n, tl_raw_actuator* a)
{
    double kp = a->gainprm[0], kv = 0.0, ratio = 0.0, tau = 0.0;
    int32_t has_kp, has_kv, has_ratio, has_tau;
    TL_TRY(tl_read_numbers(r, n, "kp", 1, 1, &kp, &has_kp));
    TL_TRY(tl_read_numbers(r, n, "kv", 1, 1, &kv, &has_kv));
    TL_TRY(tl_read_numbers(r, n, "dampratio", 1, 1, &ratio, &has_ratio));
    TL_TRY(tl_read_numbers(r, n, "timeconst", 1, 1, &tau, &has_tau));
    if (has_kv && has_ratio)
        return tl_bad(r, n, "kv and dampratio exclude each other");
    if (kv < 0.0 || ratio < 0.0 || tau < 0.0)
        return tl_bad(r, n, "attribute '%s' is negative",
                      kv < 0.0      ? "kv"
                      : ratio < 0.0 ? "dampratio"
                                    : "timeconst");
    a->gainprm[0] = kp;
    a->biasprm[1] = -kp;
    if (has_kv)
        a->biasprm[2] = -kv;
    if (has_ratio)
        a->biasprm[2] = ratio;
    if (has_tau) {
        a->dynprm[0] = tau;
        a->dyn = tau > 0.0 ? DYN_FILTEREXACT : DYN_NONE;
    }
    if (a->a.inheritrange > 0.0 && (a->a.ctrlrange[0] != 0.0 || a->a.ctrlrange[1] != 0.0))
        return tl_bad(r, n, "ctrlrange and inheritrange exclude each other");
    set_kind(a, strcmp(n->name, "intvelocity") == 0 ? DYN_INTEGRATOR : a->dyn, TL_GAIN_FIXED, TL_BIAS_AFFINE);
    return TALUS_OK;
}

static talus_status set_velocity(tl_reader* r, const tl_xml_node* n, tl_raw_actuator* a)
{
    int32_t got;
    TL_TRY(tl_read_numbers(r, n, "kv", 1, 1, &a->gainprm[0], &got));
    memset(a->biasprm, 0, sizeof a->biasprm);
    a->biasprm[2] = -a->gainprm[0];
    set_kind(a, DYN_NONE, TL_GAIN_FIXED, TL_BIAS_AFFINE);
    return TALUS_OK;
}

static talus_status set_damper(tl_reader* r, const tl_xml_node* n, tl_raw_actuator* a)
{
    double kv = a->gain == TL_GAIN_AFFINE ? -a->gainprm[2] : 0.0;
    int32_t got;
    TL_TRY(tl_read_numbers(r, n, "kv", 1, 1, &kv, &got));
    if (kv < 0.0)
        return tl_bad(r, n, "attribute 'kv' is negative");
    if (a->a.ctrlrange[0] < 0.0 || a->a.ctrlrange[1] < 0.0)
        return tl_bad(r, n, "attribute 'ctrlrange' of a damper is negative");
    memset(a->gainprm, 0, sizeof a->gainprm);
    a->gainprm[2] = -kv;
    a->a.ctrllimited = 1;
    set_kind(a, DYN_NONE, TL_GAIN_AFFINE, TL_BIAS_NONE);
    return TALUS_OK;
}

talus_status tl_read_raw_actuator(tl_reader* r, const tl_xml_node* n, tl_raw_actuator* a)
{
    static const tl_field fields[] = {
        FIELD_AUTO(tl_raw_actuator, "ctrllimited", a.ctrllimited),
        FIELD_AUTO(tl_raw_actuator, "forcelimited", a.forcelimited),
        FIELD_NUMBERS(tl_raw_actuator, "ctrlrange", a.ctrlrange, 2, 2),
        FIELD_NUMBERS(tl_raw_actuator, "forcerange", a.forcerange, 2, 2),
        FIELD_NUMBERS(tl_raw_actuator, "gear", a.gear, 1, 6),
        FIELD_NUMBER(tl_raw_actuator, "inheritrange", a.inheritrange),
        FIELD_NUMBER(tl_raw_actuator, "armature", a.armature),
        FIELD_NUMBERS(tl_raw_actuator, "damping", damping, 1, 3),
        FIELD_INTEGER(tl_raw_actuator, "group", a.group),
        FIELD_NUMBERS(tl_raw_actuator, "gainprm", gainprm, 1, 10),
        FIELD_NUMBERS(tl_raw_actuator, "biasprm", biasprm, 1, 10),
        FIELD_NUMBERS(tl_raw_actuator, "dynprm", dynprm, 1, 10),
        FIELD_CHOICE(tl_raw_actuator, "gaintype", gain, gain_words),
        FIELD_CHOICE(tl_raw_actuator, "biastype", bias, bias_words),
        FIELD_CHOICE(tl_raw_actuator, "dyntype", dyn, dyn_words),
    };
    TL_TRY(tl_read_fields(r, n, fields, TL_COUNT(fields), a));
    switch (tl_choice("general|motor|position|intvelocity|velocity|damper", n->name)) {
    case 0:
        return TALUS_OK;
    case 1:
        a->gainprm[0] = 1.0;
        set_kind(a, DYN_NONE, TL_GAIN_FIXED, TL_BIAS_NONE);
        return TALUS_OK;
    case 2:
    case 3:
        return set_position(r, n, a);
    case 4:
        return set_velocity(r, n, a);
    case 5:
        return set_damper(r, n, a);
    default: // muscle, cylinder, adhesion, ...: named in a notice when used
        set_kind(a, DYN_NONE, TL_GAIN_OTHER, TL_BIAS_OTHER);
        return TALUS_OK;
    }
}

// ---- classes
// ---------------------------------------------------------------------------------------------------------

static void init_class(tl_class* c)
{
    c->geom.g = (tl_spec_geom){.type = TL_SHAPE_SPHERE,
                               .quat = {1.0},
                               .contype = 1,
                               .conaffinity = 1,
                               .condim = 3,
                               .friction = {1.0, 0.005, 0.0001},
                               .solref = {0.02, 1.0},
                               .solimp = {0.9, 0.95, 0.001, 0.5, 2.0},
                               .rgba = {0.5, 0.5, 0.5, 1.0},
                               .mass = NAN,
                               .density = 1000.0,
                               .fitscale = 1.0,
                               .mesh = -1,
                               .hfield = -1,
                               .k = NAN,
                               .d = NAN,
                               .mu = NAN,
                               .modulus = NAN,
                               .hint = NAN,
                               .thickness = NAN};
    c->joint.j = (tl_spec_joint){.type = TL_JOINT_HINGE, .axis = {0.0, 0.0, 1.0}, .limited = 2, .align = 2};
    c->pair = (tl_raw_pair){.friction = {NAN}};
    c->mesh = (tl_spec_mesh){
        .inertia = TL_MESH_LEGACY, .maxhullvert = -1, .scale = {1.0, 1.0, 1.0}, .refquat = {1.0}};
    c->actuator = (tl_raw_actuator){.a = {.joint = -1, .ctrllimited = 2, .forcelimited = 2, .gear = {1.0}},
                                    .gainprm = {1.0},
                                    .dynprm = {1.0}};
}

talus_status tl_find_class(tl_reader* r, const tl_xml_node* n, int32_t model, const char* name,
                           int32_t inherited, int32_t* out)
{
    *out = name ? tl_find_name(r, NAME_CLASS, model, name) : inherited;
    return *out < 0 ? tl_bad(r, n, "unknown default class '%.60s'", name) : TALUS_OK;
}

/// The elements of one <default>, over what the class inherited.
static talus_status read_class(tl_reader* r, const tl_xml_node* section, tl_class* c)
{
    for (const tl_xml_node* n = section->child; n; n = n->next) {
        if (strcmp(n->name, "geom") == 0)
            TL_TRY(tl_read_raw_geom(r, n, &c->geom));
        else if (strcmp(n->name, "joint") == 0)
            TL_TRY(tl_read_raw_joint(r, n, &c->joint));
        else if (strcmp(n->name, "pair") == 0)
            TL_TRY(tl_read_raw_pair(r, n, &c->pair));
        else if (strcmp(n->name, "mesh") == 0)
            TL_TRY(tl_read_raw_mesh(r, n, &c->mesh));
        else if (tl_is_actuator(n->name))
            TL_TRY(tl_read_raw_actuator(r, n, &c->actuator));
    }
    return TALUS_OK;
}

/// Make the class of a <default> that lies in `parent`; -1: at the top, which is "main" again.
static talus_status open_class(tl_reader* r, const tl_xml_node* n, int32_t model, int32_t parent,
                               int32_t* out)
{
    const char* name = tl_xml_get(n, "class");
    if (parent < 0) {
        if (name && strcmp(name, "main") != 0)
            return tl_bad(r, n, "the top default class is called 'main', not '%.60s'", name);
        *out = r->model[model].class0;
        return TALUS_OK;
    }
    if (!name || !*name)
        return tl_bad(r, n, "a nested default needs a class name");
    tl_class* c = TL_PUSH(r, r, class);
    if (!c)
        return TALUS_ERR_NOMEM;
    *c = r->class[parent];
    c->name = name;
    c->parent = parent;
    *out = (int32_t)r->nclass - 1;
    return tl_add_name(r, n, NAME_CLASS, model, name, *out);
}

talus_status tl_read_defaults(tl_reader* r, int32_t model)
{
    tl_class* main_class = TL_PUSH(r, r, class);
    if (!main_class)
        return TALUS_ERR_NOMEM;
    init_class(main_class);
    main_class->name = "main";
    main_class->parent = -1;
    r->model[model].class0 = (int32_t)r->nclass - 1;
    TL_TRY(tl_add_name(r, r->model[model].root, NAME_CLASS, model, "main", r->model[model].class0));

    for (tl_xml_node* top = r->model[model].root->child; top; top = top->next) {
        if (strcmp(top->name, "default") != 0)
            continue;
        // preorder: a class is complete before the classes inside it are made
        int32_t cls = -1;
        for (tl_xml_node* n = top;;) {
            int32_t inner = -1;
            TL_TRY(open_class(r, n, model, cls, &inner));
            TL_TRY(read_class(r, n, &r->class[inner]));
            tl_xml_node* next = n->child;
            cls = inner;
            while (next && strcmp(next->name, "default") != 0)
                next = next->next;
            while (!next && n != top) {
                // no default inside: the next one beside, or beside an ancestor
                next = n->next;
                cls = r->class[cls].parent;
                while (next && strcmp(next->name, "default") != 0)
                    next = next->next;
                n = n->parent;
            }
            if (!next)
                break;
            n = next;
        }
    }
    return TALUS_OK;
}
