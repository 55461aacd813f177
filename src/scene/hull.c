// SPDX-License-Identifier: MIT
// Convex hulls by qhull, reentrant (the only file that includes it). qhull reports into a sink: its messages
// are replaced by ours.
#include "mesh.h"

#if defined(TALUS_HAVE_QHULL)
#include <stdio.h>
#include <libqhull_r/qhull_ra.h>

static talus_status copy_facets(tl_spec* s, const tl_spec_mesh* m, qhT* qh, int32_t** face, int64_t* nface)
{
    facetT* facet;
    int64_t n = 0;
    FORALLfacets
    {
        n++;
    }
    int32_t* out = tl_arena_alloc(&s->memory, sizeof *out * 3 * (size_t)n);
    if (!out)
        return tl_nomem(s->ctx, sizeof *out * 3 * (size_t)n);
    n = 0;
    FORALLfacets
    {
        int32_t* f = out + 3 * n++;
        int32_t k = 0;
        vertexT *vertex, **vertexp;
        FOREACHvertex_(facet->vertices)
        {
            if (k < 3)
                f[k] = qh_pointid(qh, vertex->point);
            k++;
        }
        if (k != 3)
            return tl_mesh_bad(s, m, "a facet of the convex hull has %d corners", k);
        if (facet->toporient) { // qhull lists these clockwise
            k = f[0];
            f[0] = f[1];
            f[1] = k;
        }
    }
    *face = out;
    *nface = n;
    return TALUS_OK;
}

talus_status tl_mesh_hull(tl_spec* s, const tl_spec_mesh* m, int32_t** face, int64_t* nface)
{
    char options[64] = "qhull Qt";
    if (m->maxhullvert > -1)
        snprintf(options, sizeof options, "qhull Qt Q9 TA%d", m->maxhullvert - 4);
    if (m->nvert > INT32_MAX / 4)
        return tl_mesh_bad(s, m, "too many vertices for a convex hull: %lld", (long long)m->nvert);
    FILE* sink = fopen("/dev/null", "w");
    if (!sink)
        return tl_fail(s->ctx, TALUS_ERR_IO, "cannot open /dev/null");
    // qhull scales and joggles nothing with these options: the vertices are read only
    qhT qh;
    qh_zero(&qh, sink);
    talus_status status;
    if (qh_new_qhull(&qh, 3, (int)m->nvert, m->vert, qh_False, options, sink, sink) != 0)
        status = tl_mesh_bad(s, m, "no convex hull: the vertices lie in a plane, on a line or at a point");
    else
        status = copy_facets(s, m, &qh, face, nface);
    int left = 0, bytes = 0;
    qh_freeqhull(&qh, !qh_ALL);
    qh_memfreeshort(&qh, &left, &bytes);
    fclose(sink);
    return status;
}
#else
talus_status tl_mesh_hull(tl_spec* s, const tl_spec_mesh* m, int32_t** face, int64_t* nface)
{
    (void)face, (void)nface;
    return tl_fail_at(s->ctx, TALUS_ERR_UNSUPPORTED, m->at.file, m->at.line,
                      "<mesh %s>: this build makes no convex hulls (no qhull)", m->name);
}
#endif

bool tl_spec_makes_hulls(void)
{
#if defined(TALUS_HAVE_QHULL)
    return true;
#else
    return false;
#endif
}
