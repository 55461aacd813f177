// SPDX-License-Identifier: MIT
// Fusing of static bodies (compiler fusestatic): a body without joints joins its parent with its mass, geoms
// and children. Bodies that an element names are kept.
#include "compile.h"

/// Inertia of b, which stands in p's frame, added to p.
static void add_mass(tl_body_build* p, const tl_body_build* b)
{
    double ipos[3], iquat[4], com[3], full[6] = {0.0}, r[3];
    memcpy(ipos, b->pos, sizeof ipos);
    memcpy(iquat, b->quat, sizeof iquat);
    tl_pose_accum(ipos, iquat, b->ipos, b->iquat);
    const double mass = p->mass + b->mass;
    for (int i = 0; i < 3; i++)
        com[i] = (p->mass * p->ipos[i] + b->mass * ipos[i]) / mass;
    for (int i = 0; i < 3; i++)
        r[i] = p->ipos[i] - com[i];
    tl_inertia_add(full, p->inertia, p->iquat, p->mass, r);
    for (int i = 0; i < 3; i++)
        r[i] = ipos[i] - com[i];
    tl_inertia_add(full, b->inertia, iquat, b->mass, r);
    p->mass = mass;
    memcpy(p->ipos, com, sizeof com);
    tl_principal(full, p->iquat, p->inertia);
}

static void move_into(const tl_body_build* b, double* pos, double* quat)
{
    double p[3], q[4];
    memcpy(p, b->pos, sizeof p);
    memcpy(q, b->quat, sizeof q);
    tl_pose_accum(p, q, pos, quat);
    memcpy(pos, p, sizeof p);
    memcpy(quat, q, sizeof q);
}

/// Geoms of a body: its own, then those of the bodies fused into it, in their order.
static talus_status regroup(tl_compile* c)
{
    int32_t *order = TL_ARENA(&c->scratch, int32_t, c->ngeom),
            *owner = TL_ARENA(&c->scratch, int32_t, c->nbody);
    if (!order || !owner)
        return tl_nomem(c->spec->ctx, sizeof *order * (size_t)c->ngeom);
    for (int32_t i = 0; i < c->nbody; i++) {
        owner[i] = c->body[i].gone ? owner[c->body[i].parent] : i;
        if (c->body[i].gone)
            c->body[owner[i]].ngeom += c->body[i].ngeom;
    }
    // the room of each body, own geoms first
    for (int32_t i = 0, next = 0; i < c->nbody; i++) {
        tl_body_build* b = &c->body[i];
        if (b->gone)
            continue;
        b->first_geom = next;
        next += b->ngeom;
        b->ngeom = 0;
    }
    for (int fused = 0; fused < 2; fused++)
        for (int32_t g = 0; g < c->ngeom; g++) {
            const int32_t body = c->spec->geom[c->geom[g]].body;
            tl_body_build* b = &c->body[owner[body]];
            if (c->body[body].gone == (fused == 1))
                order[b->first_geom + b->ngeom++] = c->geom[g];
        }
    memcpy(c->geom, order, sizeof *order * (size_t)c->ngeom);
    return TALUS_OK;
}

talus_status tl_compile_fuse(tl_compile* c)
{
    tl_spec* s = c->spec;
    if (!s->compiler.fusestatic)
        return TALUS_OK;
    // a parent stands before its children: its own place is final when a child comes
    for (int32_t i = 1; i < c->nbody; i++) {
        tl_body_build *b = &c->body[i], *p = &c->body[b->parent];
        if (p->gone) {
            move_into(p, b->pos, b->quat);
            b->parent = p->parent;
        }
        if (b->njoint > 0 || s->body[i].mocap || s->body_used[i])
            continue;
        if (b->parent > 0 && b->mass > 0.0)
            add_mass(&c->body[b->parent], b);
        for (int32_t j = b->first_geom; j < b->first_geom + b->ngeom; j++) {
            tl_spec_geom* g = &s->geom[c->geom[j]];
            move_into(b, g->pos, g->quat);
        }
        b->gone = true;
    }
    return regroup(c);
}
