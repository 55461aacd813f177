// SPDX-License-Identifier: MIT
// One <joint>, <geom> or <inertial> of a body into the spec: class, attributes, unit of angles, orientation,
// fromto, the pose of the frames around it, and every check that needs no other element.
#include "mjcf.h"

#include <math.h>

#define DEGREE (3.14159265358979323846 / 180.0)

static double norm3(const double* v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static talus_status element_class(tl_reader* r, const tl_xml_node* n, int32_t scope, int32_t inherited,
                                  int32_t* cls)
{
    return tl_find_class(r, n, r->scope[scope].model, tl_xml_get(n, "class"), inherited, cls);
}

static talus_status too_many(tl_reader* r, const tl_xml_node* n)
{
    if (r->spec->nbody + r->spec->njoint + r->spec->ngeom < TL_MAX_ELEMENTS)
        return TALUS_OK;
    return tl_bad(r, n, "more than %d bodies, joints and geoms: is a replicate count too large?",
                  TL_MAX_ELEMENTS);
}

// ---- joints
// ----------------------------------------------------------------------------------------------------------

static talus_status joint_limits(tl_reader* r, const tl_xml_node* n, const tl_spec_compiler* c,
                                 tl_spec_joint* j)
{
    const bool has_range = j->range[0] != 0.0 || j->range[1] != 0.0;
    if (j->type == TL_JOINT_FREE) {
        if (j->limited == 1 && tl_xml_get(n, "limited"))
            return tl_bad(r, n, "a free joint cannot be limited");
        j->limited = 0;
        return TALUS_OK;
    }
    if (j->limited == 2) {
        if (!c->autolimits && has_range)
            return tl_bad(r, n,
                          "range without limited; expected: limited=\"true\" or \"false\", or compiler "
                          "autolimits=\"true\"");
        j->limited = j->range[0] < j->range[1];
        if (has_range && !j->limited)
            return tl_bad(r, n, "range [%g, %g] is empty", j->range[0], j->range[1]);
    }
    if (!j->limited)
        return TALUS_OK;
    if (j->type == TL_JOINT_BALL && (j->range[0] != 0.0 || j->range[1] < 0.0))
        return tl_bad(r, n, "range [%g, %g] of a ball joint; expected: 0 and an angle", j->range[0],
                      j->range[1]);
    if (j->type != TL_JOINT_BALL && j->range[0] >= j->range[1])
        return tl_bad(r, n, "range [%g, %g] is empty", j->range[0], j->range[1]);
    if (c->degree && j->type != TL_JOINT_SLIDE) {
        j->range[0] *= DEGREE;
        j->range[1] *= DEGREE;
    }
    return TALUS_OK;
}

static talus_status joint_forces(tl_reader* r, const tl_xml_node* n, tl_raw_joint* raw)
{
    tl_spec_joint* j = &raw->j;
    if (raw->poly_stiffness[1] != 0.0 || raw->poly_stiffness[2] != 0.0)
        TL_TRY(tl_unsupported(r, n, true, "joint stiffness polynomial: only the linear coefficient acts"));
    if (raw->poly_damping[1] != 0.0 || raw->poly_damping[2] != 0.0)
        TL_TRY(tl_unsupported(r, n, true, "joint damping polynomial: only the linear coefficient acts"));
    if (raw->actuatorfrcrange[0] != 0.0 || raw->actuatorfrcrange[1] != 0.0)
        TL_TRY(tl_unsupported(r, n, true, "limits of the actuator forces on a joint (actuatorfrcrange)"));
    if (raw->springyield)
        TL_TRY(tl_unsupported(r, n, true, "springs that yield (springyield)"));
    j->stiffness = raw->poly_stiffness[0];
    j->damping = raw->poly_damping[0];
    const struct {
        const char* name;
        double value;
    } signs[] = {{"stiffness", j->stiffness},
                 {"damping", j->damping},
                 {"armature", j->armature},
                 {"frictionloss", j->frictionloss}};
    for (int i = 0; i < TL_COUNT(signs); i++)
        if (signs[i].value < 0.0)
            return tl_bad(r, n, "attribute '%s' is negative: %g", signs[i].name, signs[i].value);
    const double* sd = j->springdamper;
    if ((sd[0] != 0.0 || sd[1] != 0.0) && !(sd[0] > 0.0 && sd[1] > 0.0))
        return tl_bad(r, n, "attribute 'springdamper': both numbers must be positive");
    return TALUS_OK;
}

talus_status tl_read_joint(tl_reader* r, const tl_xml_node* n, int32_t scope, int32_t cls, int32_t body,
                           const double* fpos, const double* fquat)
{
    const tl_spec_compiler* c = r->model[r->scope[scope].model].compiler;
    const bool free_element = strcmp(n->name, "freejoint") == 0;
    TL_TRY(too_many(r, n));
    TL_TRY(element_class(r, n, scope, cls, &cls));
    tl_raw_joint raw = r->class[cls].joint;
    if (free_element) {
        raw = (tl_raw_joint){.j = {.type = TL_JOINT_FREE, .axis = {0.0, 0.0, 1.0}, .align = 2}};
        static const tl_field fields[] = {FIELD_AUTO(tl_raw_joint, "align", j.align)};
        TL_TRY(tl_read_fields(r, n, fields, TL_COUNT(fields), &raw));
    } else {
        TL_TRY(tl_read_raw_joint(r, n, &raw));
    }
    tl_spec_joint* j = &raw.j;
    j->at = tl_at(r, n);
    j->name = tl_full_name(r, scope, tl_xml_get(n, "name"));
    j->body = body;
    j->instance = r->scope[scope].root;
    if (j->align == 2)
        j->align = c->alignfree;
    TL_TRY(joint_limits(r, n, c, j));
    TL_TRY(joint_forces(r, n, &raw));
    if (j->type == TL_JOINT_FREE) {
        memset(j->pos, 0, sizeof j->pos);
    } else {
        double pos[3] = {fpos[0], fpos[1], fpos[2]}, quat[4], one[4] = {1.0, 0.0, 0.0, 0.0};
        memcpy(quat, fquat, sizeof quat);
        tl_pose_accum(pos, quat, j->pos, one);
        memcpy(j->pos, pos, sizeof pos);
    }
    if (j->type == TL_JOINT_FREE || j->type == TL_JOINT_BALL) {
        j->axis[0] = j->axis[1] = 0.0;
        j->axis[2] = 1.0;
    } else {
        const double length = norm3(j->axis);
        if (!(length > 1e-14))
            return tl_bad(r, n, "attribute 'axis': a zero vector is not an axis");
        for (int i = 0; i < 3; i++)
            j->axis[i] /= length;
        double axis[3];
        tl_quat_rotate(fquat, j->axis, axis);
        memcpy(j->axis, axis, sizeof axis);
    }
    if (j->type == TL_JOINT_HINGE && c->degree) {
        j->ref *= DEGREE;
        j->springref *= DEGREE;
    }
    tl_spec_joint* out = TL_PUSH(r, r->spec, joint);
    if (!out)
        return TALUS_ERR_NOMEM;
    *out = *j;
    return tl_add_name(r, n, NAME_JOINT, 0, j->name, (int32_t)r->spec->njoint - 1);
}

// ---- geoms
// -----------------------------------------------------------------------------------------------------------

static const char* const type_name[TL_SHAPE_COUNT] = {"plane",    "sphere", "capsule", "ellipsoid",
                                                      "cylinder", "box",    "mesh",    "hfield"};
static const int32_t type_sizes[TL_SHAPE_COUNT] = {0, 1, 2, 3, 2, 3, 0, 0};

static talus_status geom_fromto(tl_reader* r, const tl_xml_node* n, const double* ft, tl_spec_geom* g)
{
    if (g->type != TL_SHAPE_CAPSULE && g->type != TL_SHAPE_CYLINDER && g->type != TL_SHAPE_ELLIPSOID &&
        g->type != TL_SHAPE_BOX)
        return tl_bad(r, n, "fromto of a %s; expected: capsule, cylinder, ellipsoid or box",
                      type_name[g->type]);
    if (g->pos[0] != 0.0 || g->pos[1] != 0.0 || g->pos[2] != 0.0)
        return tl_bad(r, n, "pos and fromto exclude each other");
    double z[3];
    for (int i = 0; i < 3; i++) {
        z[i] = ft[i] - ft[i + 3];
        g->pos[i] = 0.5 * (ft[i] + ft[i + 3]);
    }
    const double length = norm3(z);
    if (!(length > 1e-14))
        return tl_bad(r, n, "attribute 'fromto': the two points coincide");
    for (int i = 0; i < 3; i++)
        z[i] /= length;
    tl_quat_from_z(z, g->quat);
    g->size[1] = 0.5 * length;
    if (g->type == TL_SHAPE_ELLIPSOID || g->type == TL_SHAPE_BOX) {
        g->size[2] = g->size[1];
        g->size[1] = g->size[0];
    }
    return TALUS_OK;
}

static talus_status geom_values(tl_reader* r, const tl_xml_node* n, const tl_spec_geom* g)
{
    if (g->condim != 1 && g->condim != 3 && g->condim != 4 && g->condim != 6)
        return tl_bad(r, n, "attribute 'condim': %d; expected: 1, 3, 4 or 6", g->condim);
    if (g->mass < 0.0 || g->density < 0.0)
        return tl_bad(r, n, "attribute '%s' is negative: %g", g->mass < 0.0 ? "mass" : "density",
                      g->mass < 0.0 ? g->mass : g->density);
    if (g->friction[0] < 0.0)
        return tl_bad(r, n, "attribute 'friction' is negative: %g", g->friction[0]);
    if (g->mesh < 0)
        for (int i = 0; i < type_sizes[g->type]; i++)
            if (!(g->size[i] > 0.0))
                return tl_bad(r, n, "attribute 'size': number %d of a %s must be positive, not %g", i + 1,
                              type_name[g->type], g->size[i]);
    return TALUS_OK;
}

talus_status tl_contact_notices(tl_reader* r, const tl_xml_node* n, int32_t condim, double margin, double gap)
{
    if (condim > 3)
        TL_TRY(tl_unsupported(r, n, true, "condim 4, 6: contacts have no torsional and rolling friction"));
    if (margin > gap)
        TL_TRY(tl_unsupported(r, n, true, "margin: contacts act where geoms overlap"));
    return TALUS_OK;
}

/// What a contact law of a file says beyond ours.
static talus_status geom_notices(tl_reader* r, const tl_xml_node* n, const tl_raw_geom* raw)
{
    const tl_spec_geom* g = &raw->g;
    for (int i = 0; i < 6; i++)
        if (raw->surfacevel[i] != 0.0)
            TL_TRY(tl_unsupported(r, n, true, "moving surfaces (surfacevel)"));
    if (raw->adhesion != 0.0)
        TL_TRY(tl_unsupported(r, n, true, "adhesion of geoms"));
    if (!g->contype && !g->conaffinity)
        return TALUS_OK;
    return tl_contact_notices(r, n, g->condim, g->margin, g->gap);
}

static talus_status geom_assets(tl_reader* r, const tl_xml_node* n, int32_t model, const tl_raw_geom* raw,
                                tl_spec_geom* g)
{
    if (raw->mesh) {
        g->mesh = tl_find_name(r, NAME_MESH, model, raw->mesh);
        if (g->mesh < 0)
            return tl_bad(r, n, "unknown mesh '%.60s'", raw->mesh);
        if (raw->has_fromto)
            return tl_bad(r, n, "mesh and fromto exclude each other");
    } else if (g->type == TL_SHAPE_MESH) {
        return tl_bad(r, n, "a mesh geom needs the attribute 'mesh'");
    }
    if (raw->hfield) {
        g->hfield = tl_find_name(r, NAME_HFIELD, model, raw->hfield);
        if (g->hfield < 0)
            return tl_bad(r, n, "unknown hfield '%.60s'", raw->hfield);
    }
    if ((g->hfield >= 0) != (g->type == TL_SHAPE_HFIELD))
        return tl_bad(r, n, "type hfield and the attribute 'hfield' belong together");
    return TALUS_OK;
}

talus_status tl_read_geom(tl_reader* r, const tl_xml_node* n, int32_t scope, int32_t cls, int32_t body,
                          const double* fpos, const double* fquat)
{
    const int32_t model = r->scope[scope].model;
    const tl_spec_compiler* c = r->model[model].compiler;
    TL_TRY(too_many(r, n));
    TL_TRY(element_class(r, n, scope, cls, &cls));
    tl_raw_geom raw = r->class[cls].geom;
    TL_TRY(tl_read_raw_geom(r, n, &raw));
    tl_spec_geom* g = &raw.g;
    g->at = tl_at(r, n);
    g->name = tl_full_name(r, scope, tl_xml_get(n, "name"));
    g->body = body;
    g->fitaabb = c->fitaabb;
    TL_TRY(geom_assets(r, n, model, &raw, g));
    if (raw.has_fromto)
        TL_TRY(geom_fromto(r, n, raw.fromto, g));
    else
        TL_TRY(tl_resolve_alt(r, n, c, &raw.alt, g->quat));
    TL_TRY(geom_values(r, n, g));
    TL_TRY(geom_notices(r, n, &raw));
    if (n->child) // <plugin>: the only child of a geom
        TL_TRY(tl_unsupported(r, n->child, true, "plugins"));
    double pos[3], quat[4];
    memcpy(pos, fpos, sizeof pos);
    memcpy(quat, fquat, sizeof quat);
    tl_pose_accum(pos, quat, g->pos, g->quat);
    memcpy(g->pos, pos, sizeof pos);
    memcpy(g->quat, quat, sizeof quat);
    tl_spec_geom* out = TL_PUSH(r, r->spec, geom);
    if (!out)
        return TALUS_ERR_NOMEM;
    *out = *g;
    return tl_add_name(r, n, NAME_GEOM, 0, g->name, (int32_t)r->spec->ngeom - 1);
}

// ---- given inertia
// ---------------------------------------------------------------------------------------------------

talus_status tl_read_inertial(tl_reader* r, const tl_xml_node* n, int32_t model, int32_t body)
{
    const tl_spec_compiler* c = r->model[model].compiler;
    tl_spec_body* b = &r->spec->body[body];
    int32_t got, diag;
    tl_alt alt = {.kind = ALT_NONE};
    b->iquat[0] = 1.0;
    b->iquat[1] = b->iquat[2] = b->iquat[3] = 0.0;
    TL_TRY(tl_read_numbers(r, n, "pos", 3, 3, b->ipos, &got));
    if (!got)
        return tl_bad(r, n, "attribute 'pos' is missing");
    TL_TRY(tl_read_numbers(r, n, "mass", 1, 1, &b->mass, &got));
    if (!got)
        return tl_bad(r, n, "attribute 'mass' is missing");
    if (b->mass < 0.0)
        return tl_bad(r, n, "attribute 'mass' is negative: %g", b->mass);
    TL_TRY(tl_read_numbers(r, n, "diaginertia", 3, 3, b->diag, &diag));
    TL_TRY(tl_read_numbers(r, n, "fullinertia", 6, 6, b->full6, &got));
    TL_TRY(tl_read_quat(r, n, b->iquat));
    TL_TRY(tl_read_alt(r, n, &alt));
    b->inertial = true;
    b->full = got > 0;
    if (b->full && diag)
        return tl_bad(r, n, "diaginertia and fullinertia exclude each other");
    if (b->full && (alt.kind != ALT_NONE || tl_xml_get(n, "quat")))
        return tl_bad(r, n, "fullinertia and an orientation exclude each other");
    return tl_resolve_alt(r, n, c, &alt, b->iquat);
}
