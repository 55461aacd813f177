// SPDX-License-Identifier: MIT
// <asset>: meshes and height fields (file or inline data; prepared later, when a geom uses them), models to
// attach. Textures, materials and skins are only for drawing.
#include "hfield_file.h"
#include "mjcf.h"

#include <limits.h>
#include <math.h>

#define MAX_MODEL_DEPTH 32

static bool is_uri(const char* file)
{
    return strstr(file, "://") != NULL;
}

/// dir + sub + '/' + file; an absolute part drops what stands before it.
static const char* asset_path(tl_reader* r, const char* dir, const char* sub, const char* file)
{
    static const char scheme[] = "file://";
    if (strncmp(file, scheme, sizeof scheme - 1) == 0)
        file += sizeof scheme - 1;
    if (file[0] == '/' || is_uri(file))
        dir = sub = "";
    else if (sub[0] == '/')
        dir = "";
    const size_t a = strlen(dir), b = strlen(sub), c = strlen(file);
    char* p = tl_pool_alloc(&r->pool, a + b + c + 2);
    if (!p)
        return NULL;
    memcpy(p, dir, a);
    memcpy(p + a, sub, b);
    size_t n = a + b;
    if (b > 0 && sub[b - 1] != '/')
        p[n++] = '/';
    memcpy(p + n, file, c + 1);
    return p;
}

/// File name without folders and extension: the name of an asset that has none.
static const char* stem(tl_reader* r, const char* file)
{
    const char* slash = strrchr(file, '/');
    const char* base = slash ? slash + 1 : file;
    const char* dot = strrchr(base, '.');
    return tl_pool_strndup(&r->pool, base, dot ? (size_t)(dot - base) : strlen(base));
}

/// The path of an asset's file; *name: its stem, unless it has a name.
static talus_status asset_file(tl_reader* r, const tl_mjcf_model* owner, const char* file, const char** name,
                               const char** path)
{
    const char* slash = owner->compiler->strippath ? strrchr(file, '/') : NULL;
    *path = asset_path(r, owner->dir, owner->compiler->meshdir, slash ? slash + 1 : file);
    if (!*name)
        *name = stem(r, file);
    return *path && *name ? TALUS_OK : tl_nomem(r->ctx, 0);
}

static talus_status inline_mesh(tl_reader* r, const tl_xml_node* n, tl_spec_mesh* m)
{
    double *vert, *face;
    int64_t nvert, nface;
    TL_TRY(tl_read_list(r, n, "vertex", &vert, &nvert));
    TL_TRY(tl_read_list(r, n, "face", &face, &nface));
    if (nvert % 3 != 0 || nface % 3 != 0)
        return tl_bad(r, n, "attribute '%s': expected a multiple of 3 numbers, not %lld",
                      nvert % 3 ? "vertex" : "face", (long long)(nvert % 3 ? nvert : nface));
    if (nface > 0 && nvert == 0)
        return tl_bad(r, n, "faces without vertices");
    m->vert = vert;
    m->nvert = nvert / 3;
    m->nface = nface / 3;
    if (nface == 0)
        return TALUS_OK;
    m->face = tl_pool_alloc(&r->pool, sizeof *m->face * (size_t)nface);
    if (!m->face)
        return tl_nomem(r->ctx, sizeof *m->face * (size_t)nface);
    for (int64_t i = 0; i < nface; i++) {
        if (face[i] != floor(face[i]) || face[i] < 0 || face[i] >= (double)m->nvert)
            return tl_bad(r, n, "attribute 'face': %g is not a vertex; expected: 0 to %lld", face[i],
                          (long long)m->nvert - 1);
        m->face[i] = (int32_t)face[i];
    }
    return TALUS_OK;
}

static talus_status read_mesh(tl_reader* r, const tl_xml_node* n, int32_t model)
{
    const tl_mjcf_model* owner = &r->model[model];
    int32_t cls;
    TL_TRY(tl_find_class(r, n, model, tl_xml_get(n, "class"), owner->class0, &cls));
    tl_spec_mesh* m = TL_PUSH(r, r->spec, mesh);
    if (!m)
        return TALUS_ERR_NOMEM;
    *m = r->class[cls].mesh;
    m->at = tl_at(r, n);
    TL_TRY(tl_read_raw_mesh(r, n, m));
    TL_TRY(inline_mesh(r, n, m));
    const char *file = tl_xml_get(n, "file"), *name = tl_xml_get(n, "name");
    if (file)
        TL_TRY(asset_file(r, owner, file, &name, &m->file));
    m->builtin = tl_xml_get(n, "builtin");
    double* params;
    int64_t nparam;
    TL_TRY(tl_read_list(r, n, "params", &params, &nparam));
    if (nparam > TL_COUNT(m->params))
        return tl_bad(r, n, "attribute 'params' has %lld numbers, expected at most %d", (long long)nparam,
                      TL_COUNT(m->params));
    m->nparam = (int32_t)nparam;
    memcpy(m->params, params ? params : m->params, sizeof(double) * (size_t)nparam);
    if (m->builtin && (file || m->nvert > 0))
        return tl_bad(r, n, "builtin excludes file and vertex");
    m->plugin = n->child != NULL; // <plugin> is the only child of a mesh
    if (m->plugin)
        TL_TRY(tl_unsupported(r, n->child, true, "plugins"));
    m->name = name ? name : "";
    return tl_add_name(r, n, NAME_MESH, model, m->name, (int32_t)r->spec->nmesh - 1);
}

/// The first row of the text is the one at +y.
static talus_status inline_elevation(tl_reader* r, const tl_xml_node* n, tl_spec_hfield* h)
{
    double* given;
    int64_t count;
    const int64_t cols = h->ncol, want = h->nrow * cols;
    TL_TRY(tl_read_list(r, n, "elevation", &given, &count));
    if (h->nrow < 2 || h->ncol < 2)
        return tl_bad(r, n, "nrow %d, ncol %d; expected: at least 2 of each, or a file", h->nrow, h->ncol);
    if (want > TL_HFIELD_MOST)
        return tl_bad(r, n, "nrow x ncol = %lld; expected: at most %d", (long long)want, TL_HFIELD_MOST);
    if (count > 0 && count != want)
        return tl_bad(r, n, "attribute 'elevation' has %lld numbers, expected nrow x ncol = %lld",
                      (long long)count, (long long)want);
    h->elevation = tl_pool_alloc(&r->pool, sizeof(double) * (size_t)want);
    if (!h->elevation)
        return tl_nomem(r->ctx, sizeof(double) * (size_t)want);
    for (int64_t i = 0; i < want; i++)
        h->elevation[i] = count > 0 ? given[(h->nrow - 1 - i / cols) * cols + i % cols] : 0.0;
    return TALUS_OK;
}

static talus_status read_hfield(tl_reader* r, const tl_xml_node* n, int32_t model)
{
    static const tl_field fields[] = {FIELD_INTEGER(tl_spec_hfield, "nrow", nrow),
                                      FIELD_INTEGER(tl_spec_hfield, "ncol", ncol)};
    tl_spec_hfield* h = TL_PUSH(r, r->spec, hfield);
    if (!h)
        return TALUS_ERR_NOMEM;
    h->at = tl_at(r, n);
    int32_t got;
    TL_TRY(tl_read_numbers(r, n, "size", 4, 4, h->size, &got));
    if (!got)
        return tl_bad(r, n, "attribute 'size' is missing");
    for (int i = 0; i < 4; i++)
        if (!(h->size[i] > 0.0))
            return tl_bad(r, n, "attribute 'size': number %d must be positive, not %g", i + 1, h->size[i]);
    TL_TRY(tl_read_fields(r, n, fields, TL_COUNT(fields), h));
    const char *file = tl_xml_get(n, "file"), *name = tl_xml_get(n, "name");
    h->content_type = tl_xml_get(n, "content_type");
    if (file && (h->nrow != 0 || h->ncol != 0 || tl_xml_get(n, "elevation")))
        return tl_bad(r, n, "file excludes nrow, ncol and elevation: the file gives them");
    if (file)
        TL_TRY(asset_file(r, &r->model[model], file, &name, &h->file));
    else
        TL_TRY(inline_elevation(r, n, h));
    h->name = name ? name : "";
    return tl_add_name(r, n, NAME_HFIELD, model, h->name, (int32_t)r->spec->nhfield - 1);
}

static talus_status read_submodel(tl_reader* r, const tl_xml_node* n, int32_t model)
{
    const char* file = tl_xml_get(n, "file");
    if (!file)
        return tl_bad(r, n, "attribute 'file' is missing");
    const char* path = asset_path(r, r->model[model].dir, "", file);
    if (!path)
        return tl_nomem(r->ctx, 0);
    // a model that is an asset of itself would never end
    for (int32_t m = model, depth = 0; m >= 0; m = r->model[m].owner, depth++)
        if (strcmp(r->doc[r->model[m].root->doc].path, path) == 0 || depth > MAX_MODEL_DEPTH)
            return tl_bad(r, n, "include cycle: %.200s -> %.200s", r->doc[n->doc].path, path);
    int32_t child = -1;
    const talus_status status = tl_read_model(r, path, tl_xml_get(n, "name"), n, model, &child);
    if (status == TALUS_ERR_IO)
        return tl_bad(r, n, "cannot read the model '%.200s'", path);
    return status;
}

talus_status tl_read_assets(tl_reader* r, int32_t model)
{
    for (const tl_xml_node* s = r->model[model].root->child; s; s = s->next) {
        if (strcmp(s->name, "asset") != 0)
            continue;
        for (const tl_xml_node* n = s->child; n; n = n->next) {
            if (strcmp(n->name, "mesh") == 0)
                TL_TRY(read_mesh(r, n, model));
            else if (strcmp(n->name, "hfield") == 0)
                TL_TRY(read_hfield(r, n, model));
            else if (strcmp(n->name, "model") == 0)
                TL_TRY(read_submodel(r, n, model));
        }
    }
    return TALUS_OK;
}
