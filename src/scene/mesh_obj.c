// SPDX-License-Identifier: MIT
// Wavefront OBJ: the lines "v x y z" and "f a b c ...", whose corners are a, a/t, a//n or a/t/n, counted from
// 1 or, when negative, from the last vertex. Everything else is skipped.
//
// Why not assimp, which reads the other formats: it accumulates decimal digits in single precision, off by
// some 1e-7, and cuts quadrilaterals along another diagonal than MuJoCo; both show in the inertia.
#define _GNU_SOURCE
#include "mesh_file.h"

#include <locale.h>
#include <math.h>

#define MAX_CORNERS 256

typedef struct obj {
    tl_mesh_file* m;
    int64_t nvert, nface; // counted in the first pass, filled in the second
    bool fill;
} obj;

static talus_status read_vertex(obj* o, const char* p)
{
    if (!o->fill) {
        o->nvert++;
        return TALUS_OK;
    }
    for (int k = 0; k < 3; k++) {
        char* end;
        o->m->vert[3 * o->nvert + k] = strtod_l(p, &end, (locale_t)o->m->locale);
        if (end == p)
            return tl_mesh_file_bad(o->m, "vertex %lld has no three numbers", (long long)o->nvert + 1);
        p = end;
    }
    o->nvert++;
    return TALUS_OK;
}

static double distance2(const obj* o, int32_t a, int32_t b)
{
    double d = 0.0;
    if (a < 0 || b < 0 || a >= o->nvert || b >= o->nvert)
        return 0.0;
    for (int k = 0; k < 3; k++) {
        const double x =
            (double)(float)o->m->vert[3 * (int64_t)a + k] - (double)(float)o->m->vert[3 * (int64_t)b + k];
        d += x * x;
    }
    return d;
}

static void add_triangle(obj* o, int32_t a, int32_t b, int32_t c)
{
    if (o->fill) {
        int32_t* f = o->m->face + 3 * o->nface;
        f[0] = a;
        f[1] = b;
        f[2] = c;
    }
    o->nface++;
}

static talus_status read_face(obj* o, const char* p)
{
    int32_t corner[MAX_CORNERS], n = 0;
    for (;;) {
        p += strspn(p, " \t\r");
        char* end;
        const long index = strtol(p, &end, 10);
        if (end == p)
            break;
        if (n == MAX_CORNERS)
            return tl_mesh_file_bad(o->m, "a face has more than %d corners", MAX_CORNERS);
        // out of range stays out of range: the caller checks
        const int64_t v = index > 0 ? index - 1 : index < 0 ? o->nvert + index : -1;
        corner[n++] = v >= 0 && v < INT32_MAX ? (int32_t)v : -1;
        p = end + strcspn(end, " \t\r\n");
    }
    if (n == 4 && o->fill && !(distance2(o, corner[0], corner[2]) < distance2(o, corner[1], corner[3]))) {
        add_triangle(o, corner[0], corner[1], corner[3]);
        add_triangle(o, corner[1], corner[2], corner[3]);
        return TALUS_OK;
    }
    for (int32_t i = 2; i < n; i++)
        add_triangle(o, corner[0], corner[i - 1], corner[i]);
    return TALUS_OK;
}

static talus_status scan(obj* o, const char* text)
{
    o->nvert = o->nface = 0;
    for (const char* p = text; *p;) {
        p += strspn(p, " \t\r\n");
        const bool blank = p[0] && (p[1] == ' ' || p[1] == '\t');
        if (blank && p[0] == 'v')
            TL_TRY(read_vertex(o, p + 1));
        else if (blank && p[0] == 'f')
            TL_TRY(read_face(o, p + 1));
        p += strcspn(p, "\n");
    }
    return TALUS_OK;
}

talus_status tl_mesh_read_obj(tl_mesh_file* m, const char* text)
{
    obj o = {.m = m};
    TL_TRY(scan(&o, text));
    TL_TRY(tl_mesh_file_resize(m, o.nvert, o.nface));
    o.fill = true;
    return scan(&o, text);
}
