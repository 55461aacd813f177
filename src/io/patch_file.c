// SPDX-License-Identifier: MIT
// Cases of two bodies as JSON.
#include "patch_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct reader {
    talus_context* ctx;
    const char* path;
    const char* name; // of the case
} reader;

TL_PRINTF(3, 4) static talus_status bad(const reader* r, const char* where, const char* fmt, ...)
{
    char text[256];
    va_list list;
    va_start(list, fmt);
    vsnprintf(text, sizeof text, fmt, list);
    va_end(list);
    return tl_fail_at(r->ctx, TALUS_ERR_INPUT, r->path, 0, "case '%s': %s: %s", r->name, where, text);
}

static talus_status read_numbers(const reader* r, const char* where, const json_t* x, double* out, int32_t n)
{
    if (!json_is_array(x) || (int32_t)json_array_size(x) != n)
        return bad(r, where, "an array of %d numbers is wanted", n);
    for (int32_t i = 0; i < n; i++) {
        const json_t* value = json_array_get(x, (size_t)i);
        if (!json_is_number(value) || !isfinite(json_number_value(value)))
            return bad(r, where, "value %d is not a number", i);
        out[i] = json_number_value(value);
    }
    return TALUS_OK;
}

static void pose_of(const double* xyz_rpy, talus_pose* X)
{
    const double cr = cos(xyz_rpy[3]), sr = sin(xyz_rpy[3]), cp = cos(xyz_rpy[4]), sp = sin(xyz_rpy[4]),
                 cy = cos(xyz_rpy[5]), sy = sin(xyz_rpy[5]);
    const double R[9] = {cy * cp,
                         cy * sp * sr - sy * cr,
                         cy * sp * cr + sy * sr,
                         sy * cp,
                         sy * sp * sr + cy * cr,
                         sy * sp * cr - cy * sr,
                         -sp,
                         cp * sr,
                         cp * cr};
    memcpy(X->R, R, sizeof R);
    memcpy(X->p, xyz_rpy, sizeof X->p);
}

static double number_or(const json_t* body, const char* key, double otherwise)
{
    const json_t* x = json_object_get(body, key);
    return json_is_number(x) ? json_number_value(x) : otherwise;
}

// rows of `width` numbers into one array; the integers of elements are exact as doubles
static talus_status read_rows(const reader* r, const char* where, const json_t* x, int32_t width,
                              double** out, int32_t* n)
{
    if (!json_is_array(x) || json_array_size(x) == 0 || json_array_size(x) > INT32_MAX / 8)
        return bad(r, where, "an array of rows of %d numbers is wanted", width);
    *n = (int32_t)json_array_size(x);
    *out = tl_alloc(r->ctx, sizeof(double) * (size_t)width * (size_t)*n);
    if (!*out)
        return tl_nomem(r->ctx, sizeof(double) * (size_t)width * (size_t)*n);
    for (int32_t i = 0; i < *n; i++) {
        const json_t* row = json_array_get(x, (size_t)i);
        if (width == 1 && json_is_number(row))
            (*out)[i] = json_number_value(row);
        else
            TL_TRY(read_numbers(r, where, row, *out + (int64_t)width * i, width));
    }
    return TALUS_OK;
}

typedef struct mesh_data {
    double *x, *rows, *p;
    int32_t* element;
    int32_t nv, ne, np;
} mesh_data;

static talus_status read_mesh(const reader* r, const json_t* body, talus_field_def* def, mesh_data* d)
{
    const bool compliant = def->kind == TALUS_FIELD_COMPLIANT;
    const char* key = compliant ? "tets" : "tris";
    const int32_t width = compliant ? 4 : 3;
    const json_t* pressure = json_object_get(body, "pressure");
    TL_TRY(read_rows(r, "vertices", json_object_get(body, "vertices"), 3, &d->x, &d->nv));
    TL_TRY(read_rows(r, key, json_object_get(body, key), width, &d->rows, &d->ne));
    if (compliant && pressure) {
        TL_TRY(read_rows(r, "pressure", pressure, 1, &d->p, &d->np));
        if (d->np != d->nv)
            return bad(r, "pressure", "%d numbers for %d vertices", d->np, d->nv);
    }
    d->element = tl_alloc(r->ctx, sizeof(int32_t) * (size_t)width * (size_t)d->ne);
    if (!d->element)
        return tl_nomem(r->ctx, sizeof(int32_t) * (size_t)width * (size_t)d->ne);
    for (int32_t i = 0; i < width * d->ne; i++) {
        if (!(d->rows[i] >= 0.0 && d->rows[i] < d->nv) || d->rows[i] != floor(d->rows[i]))
            return bad(r, key, "row %d names vertex %g, but there are %d", i / width, d->rows[i], d->nv);
        d->element[i] = (int32_t)d->rows[i];
    }
    def->nvert = d->nv;
    def->nelement = d->ne;
    def->x = d->x;
    def->element = d->element;
    def->p = d->p;
    return TALUS_OK;
}

static talus_status inline_field(const reader* r, const json_t* body, talus_field_def* def, talus_field** out)
{
    mesh_data d = {0};
    talus_status status = read_mesh(r, body, def, &d);
    if (status >= 0)
        status = talus_field_create(r->ctx, def, out);
    void* const arrays[] = {d.x, d.rows, d.p, d.element};
    for (int32_t i = 0; i < TL_COUNT(arrays); i++)
        tl_free(r->ctx, arrays[i]);
    return status;
}

// a path in a file of cases starts where that file is
static talus_status file_field(const reader* r, const char* which, const json_t* body,
                               const talus_field_def* def, talus_field** out)
{
    static const char* const inline_keys[] = {"vertices", "tets", "tris", "pressure"};
    const char *file = json_string_value(json_object_get(body, "file")), *slash = strrchr(r->path, '/');
    if (!file || !file[0])
        return bad(r, which, "file: the path of a mesh file is wanted");
    for (int32_t i = 0; i < TL_COUNT(inline_keys); i++)
        if (json_object_get(body, inline_keys[i]))
            return bad(r, which, "file and %s exclude each other", inline_keys[i]);
    const size_t folder = file[0] == '/' || !slash ? 0 : (size_t)(slash + 1 - r->path), n = strlen(file);
    char* path = tl_alloc(r->ctx, folder + n + 1);
    if (!path)
        return tl_nomem(r->ctx, folder + n + 1);
    memcpy(path, r->path, folder);
    memcpy(path + folder, file, n + 1);
    const talus_status status = talus_field_load(r->ctx, path, def, out);
    tl_free(r->ctx, path);
    return status;
}

static talus_status read_body(const reader* r, const char* which, const json_t* body, talus_field** out)
{
    static const struct {
        const char* name;
        int32_t shape, ndims;
    } shapes[] = {{"sphere", TALUS_FIELD_SPHERE, 1},   {"ellipsoid", TALUS_FIELD_ELLIPSOID, 3},
                  {"box", TALUS_FIELD_BOX, 3},         {"cylinder", TALUS_FIELD_CYLINDER, 2},
                  {"capsule", TALUS_FIELD_CAPSULE, 2}, {"halfspace", TALUS_FIELD_HALF_SPACE, 0},
                  {"mesh", TALUS_FIELD_MESH, 0}};
    if (!json_is_object(body))
        return bad(r, which, "an object with type, shape and dims is wanted");
    const char* type = json_string_value(json_object_get(body, "type"));
    const char* word = json_string_value(json_object_get(body, "shape"));
    if (!type || (strcmp(type, "compliant") != 0 && strcmp(type, "rigid") != 0))
        return bad(r, which, "type is '%s', expected compliant or rigid", type ? type : "missing");
    int32_t k = 0;
    while (k < TL_COUNT(shapes) && (!word || strcmp(word, shapes[k].name) != 0))
        k++;
    if (k == TL_COUNT(shapes))
        return bad(r, which,
                   "shape is '%s', expected sphere, ellipsoid, box, cylinder, capsule, halfspace or mesh",
                   word ? word : "missing");
    char name[192];
    snprintf(name, sizeof name, "case '%s': %s", r->name, which);
    talus_field_def def = talus_field_default();
    def.kind = type[0] == 'c' ? TALUS_FIELD_COMPLIANT : TALUS_FIELD_RIGID;
    def.shape = shapes[k].shape;
    def.modulus = number_or(body, "E", 0.0);
    def.hint = number_or(body, "hint", 0.0);
    def.thickness = number_or(body, "thickness", 0.0);
    def.name = name;
    if (def.shape == TALUS_FIELD_MESH)
        return json_object_get(body, "file") ? file_field(r, which, body, &def, out)
                                             : inline_field(r, body, &def, out);
    if (shapes[k].ndims)
        TL_TRY(read_numbers(r, "dims", json_object_get(body, "dims"), def.size, shapes[k].ndims));
    for (int32_t i = 0; i < shapes[k].ndims; i++)
        if (!(def.size[i] > 0.0))
            return bad(r, which, "dims: %g m, expected positive lengths", def.size[i]);
    // full sizes and lengths in the file
    for (int i = 0; i < 3 && def.shape == TALUS_FIELD_BOX; i++)
        def.size[i] *= 0.5;
    if (def.shape == TALUS_FIELD_CYLINDER || def.shape == TALUS_FIELD_CAPSULE)
        def.size[1] *= 0.5;
    return talus_field_create(r->ctx, &def, out);
}

int32_t tl_patch_cases(talus_context* ctx, const char* path, const json_t* root)
{
    const json_t* cases = json_object_get(root, "cases");
    if (!json_is_array(cases))
        return tl_fail_at(ctx, TALUS_ERR_INPUT, path, 0, "expected an object with an array \"cases\"");
    return (int32_t)json_array_size(cases);
}

talus_status tl_patch_case_read(talus_context* ctx, const char* path, const json_t* root, int32_t i,
                                tl_patch_case* out)
{
    const json_t* c = json_array_get(json_object_get(root, "cases"), (size_t)i);
    const char* name = json_string_value(json_object_get(c, "name"));
    memset(out, 0, sizeof *out);
    if (name)
        snprintf(out->name, sizeof out->name, "%s", name);
    else
        snprintf(out->name, sizeof out->name, "#%d", i);
    const reader r = {.ctx = ctx, .path = path, .name = out->name};
    const char* const bodies[] = {"A", "B"};
    const char* const poses[] = {"X_WA_xyz_rpy", "X_WB_xyz_rpy"};
    for (int k = 0; k < 2; k++) {
        double x[6];
        talus_status status = read_numbers(&r, poses[k], json_object_get(c, poses[k]), x, 6);
        if (status >= 0)
            status = read_body(&r, bodies[k], json_object_get(c, bodies[k]), &out->field[k]);
        if (status < 0) {
            tl_patch_case_free(out);
            return status;
        }
        pose_of(x, &out->pose[k]);
    }
    return TALUS_OK;
}

void tl_patch_case_free(tl_patch_case* c)
{
    for (int k = 0; k < 2; k++)
        talus_field_destroy(c->field[k]);
    c->field[0] = c->field[1] = NULL;
}
