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

void tl_compile_fuse(tl_compile* c)
{
    tl_spec* s = c->spec;
    if (!s->compiler.fusestatic)
        return;
    for (int32_t i = 1; i < c->nbody; i++) {
        tl_body_build* b = &c->body[i];
        if (b->njoint > 0 || s->body[i].mocap || s->body_used[i])
            continue;
        if (b->parent > 0 && b->mass > 0.0)
            add_mass(&c->body[b->parent], b);
        for (int32_t j = i + 1; j < c->nbody; j++)
            if (c->body[j].parent == i) {
                move_into(b, c->body[j].pos, c->body[j].quat);
                c->body[j].parent = b->parent;
            }
        for (int32_t j = b->first_geom; j < b->first_geom + b->ngeom; j++) {
            tl_spec_geom* g = &s->geom[c->geom[j]];
            move_into(b, g->pos, g->quat);
        }
        b->gone = true;
    }
}
