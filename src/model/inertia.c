// SPDX-License-Identifier: MIT
// Masses: of every geom from its shape and density or mass, of every body as given or as the sum of its
// geoms, with the bounds, the balancing and the checks of <compiler>. Inertia is kept as principal moments in
// a principal frame:
//
//     I = sum_g R_g diag(I_g) R_g^T + m_g (|r|^2 1 - r r^T),   r = p_g - p_com
//
// A body's inertia must be one of a mass distribution: moments >= 0 and none larger than the sum of the other
// two.
#include "compile.h"

#include <math.h>

// ---- geoms
// -----------------------------------------------------------------------------------------------------------

/// Area and inertia of a thin shell of area density 1.
static void shell(const tl_spec_geom* g, double* area, double* I)
{
    const double pi = 3.14159265358979323846, *s = g->size;
    const double r = s[0], h = 2.0 * s[1];
    switch (g->type) {
    case TL_SHAPE_SPHERE:
        *area = 4.0 * pi * r * r;
        I[0] = I[1] = I[2] = 2.0 / 3.0 * *area * r * r;
        return;
    case TL_SHAPE_CAPSULE: {
        const double ms = 4.0 * pi * r * r, mc = 2.0 * pi * r * h, com = 0.5 * r, at = 0.5 * h + com;
        *area = ms + mc;
        I[0] = I[1] = mc * (6.0 * r * r + h * h) / 12.0 + 2.0 / 3.0 * ms * r * r + ms * (at * at - com * com);
        I[2] = mc * r * r + 2.0 / 3.0 * ms * r * r;
        return;
    }
    case TL_SHAPE_CYLINDER: {
        const double md = pi * r * r, mc = 2.0 * pi * r * h;
        *area = 2.0 * md + mc;
        I[0] = I[1] = mc * (6.0 * r * r + h * h) / 12.0 + 2.0 * md * (r * r + h * h) / 4.0;
        I[2] = mc * r * r + md * r * r;
        return;
    }
    case TL_SHAPE_BOX: {
        // pairs of faces normal to z, x, y
        *area = 0.0;
        I[0] = I[1] = I[2] = 0.0;
        for (int k = 0; k < 3; k++) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            const double m = 8.0 * s[i] * s[j]; // both faces
            *area += m;
            I[k] += m * (s[i] * s[i] + s[j] * s[j]) / 3.0;
            I[i] += m * (s[j] * s[j] / 3.0 + s[k] * s[k]);
            I[j] += m * (s[i] * s[i] / 3.0 + s[k] * s[k]);
        }
        return;
    }
    case TL_SHAPE_ELLIPSOID: {
        // area: Thomsen; inertia: the difference to an ellipsoid larger by 1e-6, as MuJoCo does
        const double p = 1.6075, e = 1e-6, big[3] = {s[0] + e, s[1] + e, s[2] + e};
        const double va = s[0] * s[1] * s[2], vb = big[0] * big[1] * big[2];
        *area =
            4.0 * pi * pow((pow(s[0] * s[1], p) + pow(s[1] * s[2], p) + pow(s[2] * s[0], p)) / 3.0, 1.0 / p);
        for (int k = 0; k < 3; k++) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            I[k] = *area / (vb - va) / 5.0 *
                   (vb * (big[i] * big[i] + big[j] * big[j]) - va * (s[i] * s[i] + s[j] * s[j]));
        }
        return;
    }
    default:
        *area = 0.0;
        I[0] = I[1] = I[2] = 0.0;
    }
}

/// Volume (or area) and the moments for density 1.
static void measure(const tl_spec* s, const tl_spec_geom* g, double* volume, double* I)
{
    if (g->mesh >= 0 && g->type == TL_SHAPE_MESH) {
        const tl_spec_mesh* m = &s->mesh[g->mesh];
        *volume = m->volume;
        for (int k = 0; k < 3; k++) {
            const double a = m->boxsize[(k + 1) % 3], b = m->boxsize[(k + 2) % 3];
            I[k] = m->volume * (a * a + b * b) / 3.0;
        }
    } else if (g->shellinertia) {
        shell(g, volume, I);
    } else {
        const tl_shape shape = {.type = g->type == TL_SHAPE_HFIELD ? TL_SHAPE_BOX : g->type,
                                .size = {g->size[0], g->size[1], g->size[2]}};
        tl_shape_inertia(&shape, volume, I);
    }
}

/// A mesh geom: measure its file, fit a primitive to it, move the geom into the mesh's principal frame.
static talus_status place_mesh(tl_compile* c, tl_spec_geom* g, bool for_mass)
{
    tl_spec* s = c->spec;
    tl_spec_mesh* m = &s->mesh[g->mesh];
    // a primitive needs its size as a mass does
    TL_TRY(tl_mesh_prepare(s, m, g->contype || g->conaffinity, for_mass || g->type != TL_SHAPE_MESH));
    if (!m->ready)
        return TALUS_OK;
    double center[3] = {0.0, 0.0, 0.0}, at[3];
    if (g->type != TL_SHAPE_MESH) {
        TL_TRY(tl_mesh_fit(s, m, g, center));
    } else {
        if (g->shellinertia)
            return tl_fail_at(
                s->ctx, TALUS_ERR_INPUT, g->at.file, g->at.line,
                "<geom %s>: shellinertia of a mesh; expected: inertia=\"shell\" of the mesh asset", g->name);
        for (int i = 0; i < 3; i++)
            g->size[i] = fmax(fabs(m->lo[i]), fabs(m->hi[i]));
    }
    tl_quat_rotate(m->quat, center, at);
    for (int i = 0; i < 3; i++)
        at[i] += m->pos[i];
    tl_pose_accum(g->pos, g->quat, at, m->quat);
    return TALUS_OK;
}

static talus_status geom_mass(tl_compile* c, int32_t i)
{
    tl_spec* s = c->spec;
    tl_spec_geom* g = &s->geom[i];
    const tl_spec_body* b = &s->body[g->body];
    const tl_spec_compiler* k = b->compiler;
    const bool infer = g->body > 0 && (!b->inertial || k->inertiafromgeom == 1) &&
                       g->group >= k->inertiagrouprange[0] && g->group <= k->inertiagrouprange[1] &&
                       g->mass != 0.0 && (!isnan(g->mass) || g->density != 0.0);
    if (g->mesh >= 0)
        TL_TRY(place_mesh(c, g, infer));
    if (g->hfield >= 0) {
        const double* size = s->hfield[g->hfield].size;
        g->size[0] = size[0];
        g->size[1] = size[1];
        g->size[2] = 0.25 * size[2] + 0.5 * size[3];
    }
    if (!infer)
        return TALUS_OK;
    double volume, I[3];
    measure(s, g, &volume, I);
    if (!(volume > 0.0))
        return TALUS_OK;
    const double density = isnan(g->mass) ? g->density : g->mass / volume;
    c->geom_mass[i] = density * volume;
    for (int k3 = 0; k3 < 3; k3++)
        c->geom_inertia[3 * i + k3] = density * I[k3];
    return TALUS_OK;
}

// ---- bodies
// ----------------------------------------------------------------------------------------------------------

/// Sum of the geoms that count.
static bool sum_geoms(tl_compile* c, const tl_spec_body* sb, tl_body_build* b)
{
    const tl_spec* s = c->spec;
    int32_t count = 0, last = -1;
    double com[3] = {0.0, 0.0, 0.0}, mass = 0.0;
    for (int32_t i = b->first_geom; i < b->first_geom + b->ngeom; i++) {
        const int32_t g = c->geom[i];
        if (!(c->geom_mass[g] > 0.0) || s->geom[g].group < sb->compiler->inertiagrouprange[0] ||
            s->geom[g].group > sb->compiler->inertiagrouprange[1])
            continue;
        count++;
        last = g;
        mass += c->geom_mass[g];
        for (int k = 0; k < 3; k++)
            com[k] += c->geom_mass[g] * s->geom[g].pos[k];
    }
    if (count == 0)
        return false;
    b->mass = mass;
    if (count == 1) {
        memcpy(b->ipos, s->geom[last].pos, sizeof b->ipos);
        memcpy(b->iquat, s->geom[last].quat, sizeof b->iquat);
        memcpy(b->inertia, c->geom_inertia + 3 * last, sizeof b->inertia);
        return true;
    }
    for (int k = 0; k < 3; k++)
        b->ipos[k] = com[k] / mass;
    double full[6] = {0.0};
    for (int32_t i = b->first_geom; i < b->first_geom + b->ngeom; i++) {
        const int32_t g = c->geom[i];
        if (!(c->geom_mass[g] > 0.0))
            continue;
        double r[3];
        for (int k = 0; k < 3; k++)
            r[k] = s->geom[g].pos[k] - b->ipos[k];
        tl_inertia_add(full, c->geom_inertia + 3 * g, s->geom[g].quat, c->geom_mass[g], r);
    }
    tl_principal(full, b->iquat, b->inertia);
    return true;
}

/// Given moments may be anything; those of geoms are right by construction.
static talus_status check_sign(tl_compile* c, const tl_spec_body* sb, const double* I)
{
    const double slack = -1e-12 * (fabs(I[0]) + fabs(I[1]) + fabs(I[2])); // rounding of the principal axes
    if (I[0] >= slack && I[1] >= slack && I[2] >= slack)
        return TALUS_OK;
    return tl_fail_at(c->spec->ctx, TALUS_ERR_INPUT, sb->at.file, sb->at.line,
                      "<body %s>: a moment of inertia is negative: (%g, %g, %g)", sb->name, I[0], I[1], I[2]);
}

static talus_status check_triangle(tl_compile* c, const tl_spec_body* sb, tl_body_build* b)
{
    double* I = b->inertia;
    const double slack = 1e-12 * (I[0] + I[1] + I[2]);
    for (int k = 0; k < 3; k++) {
        if (I[(k + 1) % 3] + I[(k + 2) % 3] >= I[k] - slack)
            continue;
        if (!sb->compiler->balanceinertia)
            return tl_fail_at(
                c->spec->ctx, TALUS_ERR_INPUT, sb->at.file, sb->at.line,
                "<body %s>: no body has the moments of inertia (%g, %g, %g): one is larger than the sum "
                "of the others; expected: A + B >= C, or compiler balanceinertia=\"true\"",
                sb->name, I[0], I[1], I[2]);
        I[0] = I[1] = I[2] = (I[0] + I[1] + I[2]) / 3.0;
        return TALUS_OK;
    }
    return TALUS_OK;
}

static talus_status body_inertia(tl_compile* c, int32_t i)
{
    const tl_spec_body* sb = &c->spec->body[i];
    tl_body_build* b = &c->body[i];
    const tl_spec_compiler* k = sb->compiler;
    bool defined = sb->inertial;
    b->iquat[0] = 1.0;
    if (sb->inertial) {
        memcpy(b->ipos, sb->ipos, sizeof b->ipos);
        memcpy(b->iquat, sb->iquat, sizeof b->iquat);
        memcpy(b->inertia, sb->diag, sizeof b->inertia);
        b->mass = sb->mass;
        if (sb->full)
            tl_principal(sb->full6, b->iquat, b->inertia);
        TL_TRY(check_sign(c, sb, b->inertia));
    }
    if (i == 0)
        return TALUS_OK;
    if (k->inertiafromgeom == 1 || (!sb->inertial && k->inertiafromgeom == 2))
        defined |= sum_geoms(c, sb, b);
    if (!defined) {
        memcpy(b->ipos, b->pos, sizeof b->ipos); // MuJoCo's choice; it matters only with boundmass
        memcpy(b->iquat, b->quat, sizeof b->iquat);
    }
    b->mass = fmax(b->mass, k->boundmass);
    for (int a = 0; a < 3; a++)
        b->inertia[a] = fmax(b->inertia[a], k->boundinertia);
    return check_triangle(c, sb, b);
}

/// Move a free body's frame to its inertial frame: the geoms follow, the inertial frame becomes the identity.
static void align_free(tl_compile* c, tl_body_build* b)
{
    tl_spec* s = c->spec;
    double inverse_quat[4] = {b->iquat[0], -b->iquat[1], -b->iquat[2], -b->iquat[3]}, inverse_pos[3];
    tl_quat_rotate(inverse_quat, b->ipos, inverse_pos);
    for (int i = 0; i < 3; i++)
        inverse_pos[i] = -inverse_pos[i];
    tl_pose_accum(b->pos, b->quat, b->ipos, b->iquat);
    for (int32_t i = b->first_geom; i < b->first_geom + b->ngeom; i++) {
        tl_spec_geom* g = &s->geom[c->geom[i]];
        double pos[3], quat[4];
        memcpy(pos, inverse_pos, sizeof pos);
        memcpy(quat, inverse_quat, sizeof quat);
        tl_pose_accum(pos, quat, g->pos, g->quat);
        memcpy(g->pos, pos, sizeof pos);
        memcpy(g->quat, quat, sizeof quat);
    }
    memset(b->ipos, 0, sizeof b->ipos);
    memcpy(b->iquat, (double[4]){1.0, 0.0, 0.0, 0.0}, sizeof b->iquat);
}

talus_status tl_compile_inertia(tl_compile* c)
{
    tl_spec* s = c->spec;
    for (int32_t i = 0; i < c->ngeom; i++)
        TL_TRY(geom_mass(c, c->geom[i]));
    // a parent stands before its children: a body without children is never a parent
    uint8_t* has_child = TL_ARENA(&c->scratch, uint8_t, c->nbody);
    if (!has_child)
        return tl_nomem(s->ctx, (size_t)c->nbody);
    memset(has_child, 0, (size_t)c->nbody);
    for (int32_t i = 1; i < c->nbody; i++)
        has_child[c->body[i].parent] = 1;
    for (int32_t i = 0; i < c->nbody; i++) {
        tl_body_build* b = &c->body[i];
        TL_TRY(body_inertia(c, i));
        if (b->njoint == 1 && !has_child[i]) {
            const tl_spec_joint* j = &s->joint[c->joint[b->first_joint]];
            if (j->type == TL_JOINT_FREE && j->align)
                align_free(c, b);
        }
    }
    return TALUS_OK;
}
