// SPDX-License-Identifier: MIT
// `talus patches`: pressure-field contact patches of two bodies at given poses, no scene needed.
#include "cli.h"
#include "patch_file.h"
#include "patch_picture.h"
#include "patch_vtu.h"

#include <math.h>

static const char doc[] =
    "Compute the contact patches of pairs of compliant and rigid bodies.\n\v"
    "The file holds cases of two bodies A and B: shapes, moduli, resolution hints, poses (xyz in m; roll, "
    "pitch, "
    "yaw about fixed axes). The result has, for polygons and for their triangle fans, the number of faces, "
    "total "
    "area, centroid, force on A, its moment about the world origin by the centroid rule and exactly, and the "
    "sum "
    "of area times pressure gradient. A pair that does not touch has 0 faces. With --repeat N queries are "
    "timed: \"seconds\" of CPU time, the least.\n\n"
    "Example: a soft ball of 0.1 m, 1 cm deep in a rigid floor\n"
    "  cat > ball.json <<END\n"
    "  {\"cases\": [{\"name\": \"ball\",\n"
    "    \"A\": {\"type\": \"compliant\", \"shape\": \"sphere\", \"dims\": [0.1], \"E\": 1e6, \"hint\": "
    "0.01},\n"
    "    \"B\": {\"type\": \"rigid\", \"shape\": \"halfspace\"},\n"
    "    \"X_WA_xyz_rpy\": [0, 0, 0.09, 0, 0, 0], \"X_WB_xyz_rpy\": [0, 0, 0, 0, 0, 0]}]}\n"
    "  END\n"
    "  talus patches --cases ball.json --picture ball.png --vtu ball.vtu\n\n"
    "Shapes and their dims: sphere [r], ellipsoid [semi-axes], box [full sizes], cylinder [r, length], "
    "capsule "
    "[r, length between the caps' centres], halfspace (z < 0; \"thickness\" where compliant), mesh "
    "(\"vertices\", "
    "\"tets\" with \"pressure\", or \"tris\"; or \"file\": tetrahedra from .vtk, .vtu or Gmsh's .msh for "
    "compliant bodies, surfaces also from .obj, .stl, .ply, .glb for rigid ones, beside the file of cases). "
    "ParaView opens the .vtu file: polygons with pressure and "
    "normals.";

/// All cases, read; their patches as polygons and as fans.
typedef struct patches {
    int32_t n;
    tl_patch_case* c;       // (n)
    talus_patch_pair* pair; // (n)
    talus_patch_query *polygon, *fan;
} patches;

static json_t* sum_json(const talus_patch_query* query, int32_t i)
{
    const talus_patch_sum s = talus_patch_query_sum(query, i, NULL);
    return json_pack("{s:i, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:I}", "num_faces", s.faces,
                     "total_area", tl_json_real(s.area), "centroid", tl_json_reals(s.centroid, 3), "M_is",
                     "A", "force_on_M_W", tl_json_reals(s.force, 3), "moment_about_Wo_centroid_rule",
                     tl_json_reals(s.moment, 3), "moment_about_Wo_exact", tl_json_reals(s.moment_exact, 3),
                     "sum_stiffness_Ag", tl_json_real(s.stiffness), "p_max_centroid",
                     tl_json_real(s.pressure_max), "left_out", s.left_out, "left_out_area",
                     tl_json_real(s.area > 0 ? s.left_out_area : 0.0), "candidates",
                     (json_int_t)s.candidates);
}

static json_t* mesh_json(const talus_field* f)
{
    const talus_field_info i = talus_field_get_info(f);
    if (i.ne == 0)
        return json_null();
    const bool tets = i.kind == TALUS_FIELD_COMPLIANT;
    return json_pack("{s:s, s:i, s:i, s:o, s:i, s:i, s:i}", "kind", tets ? "tet" : "tri", "nv", i.nv, "ne",
                     i.ne, tets ? "volume" : "area", tl_json_real(tets ? i.volume : i.area), "degenerate",
                     i.degenerate, "turned", i.turned, "without_pressure", i.without_pressure);
}

static talus_status read_cases(cli_args* a, const json_t* root, patches* p)
{
    const int32_t n = tl_patch_cases(a->ctx, a->cases, root);
    if (n < 0)
        return (talus_status)n;
    p->c = tl_calloc(a->ctx, sizeof *p->c * (size_t)TL_MAX(n, 1));
    p->pair = tl_calloc(a->ctx, sizeof *p->pair * (size_t)TL_MAX(n, 1));
    if (!p->c || !p->pair)
        return tl_nomem(a->ctx, sizeof *p->c * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        tl_patch_case* c = p->c + p->n;
        const char* name = json_string_value(
            json_object_get(json_array_get(json_object_get(root, "cases"), (size_t)i), "name"));
        if (a->only && (!name || strcmp(name, a->only) != 0))
            continue;
        TL_TRY(tl_patch_case_read(a->ctx, a->cases, root, i, c));
        p->pair[p->n++] =
            (talus_patch_pair){.a = c->field[0], .b = c->field[1], .X_WA = c->pose[0], .X_WB = c->pose[1]};
        if (!talus_patch_supported(c->field[0], c->field[1]))
            return tl_fail_at(
                a->ctx, TALUS_ERR_UNSUPPORTED, a->cases, 0,
                "case '%s': A and B: rigid with rigid, half space with half space, and a compliant half "
                "space with a compliant mesh have no patch",
                c->name);
    }
    if (a->only && p->n == 0)
        return tl_fail_at(a->ctx, TALUS_ERR_INPUT, a->cases, 0, "there is no case '%s'", a->only);
    if (a->picture && p->n != 1)
        return tl_fail_at(a->ctx, TALUS_ERR_INPUT, a->cases, 0,
                          "--picture shows one case of %d; name it with --case", p->n);
    return TALUS_OK;
}

static talus_status find_all(cli_args* a, patches* p)
{
    talus_patch_options o = talus_patch_default();
    o.vertices = 1;
    TL_TRY(talus_patch_query_create(a->ctx, &o, &p->polygon));
    o.triangles = 1;
    TL_TRY(talus_patch_query_create(a->ctx, &o, &p->fan));
    TL_TRY(talus_patch_query_run(p->polygon, p->n, p->pair));
    return talus_patch_query_run(p->fan, p->n, p->pair);
}

// the least time of a query that knows of none before
static talus_status time_pair(cli_args* a, const talus_patch_pair* pair, double* seconds)
{
    talus_patch_query* query = NULL;
    talus_patch_options o = talus_patch_default();
    o.cold = 1;
    talus_status status = talus_patch_query_create(a->ctx, &o, &query);
    *seconds = INFINITY;
    for (int32_t i = 0; i < a->repeat && status >= 0; i++) {
        const double start = tl_cpu_now();
        status = talus_patch_query_run(query, 1, pair);
        *seconds = fmin(*seconds, tl_cpu_now() - start);
    }
    talus_patch_query_destroy(query);
    return status;
}

static talus_status report(cli_args* a, const patches* p, int32_t i, json_t** out)
{
    const tl_patch_case* c = p->c + i;
    double seconds = 0.0;
    if (a->repeat > 0)
        TL_TRY(time_pair(a, p->pair + i, &seconds));
    *out = json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", c->name, "mesh_A", mesh_json(c->field[0]), "mesh_B",
                     mesh_json(c->field[1]), "polygon", sum_json(p->polygon, i), "triangle",
                     sum_json(p->fan, i));
    if (*out && a->repeat > 0)
        json_object_set_new(*out, "seconds", tl_json_real(seconds));
    return *out ? TALUS_OK : tl_nomem(a->ctx, 0);
}

static void print_text(const json_t* c)
{
    const json_t* p = json_object_get(c, "polygon");
    const json_t* f = json_object_get(p, "force_on_M_W");
    printf("%-28s %6lld faces  area %-11.5g m^2  force on A %.6g %.6g %.6g N\n",
           json_string_value(json_object_get(c, "name")), json_integer_value(json_object_get(p, "num_faces")),
           json_number_value(json_object_get(p, "total_area")), json_number_value(json_array_get(f, 0)),
           json_number_value(json_array_get(f, 1)), json_number_value(json_array_get(f, 2)));
}

static talus_status all_cases(cli_args* a, const json_t* root, patches* p, json_t* results)
{
    TL_TRY(read_cases(a, root, p));
    TL_TRY(find_all(a, p));
    for (int32_t i = 0; i < p->n; i++) {
        json_t* x = NULL;
        TL_TRY(report(a, p, i, &x));
        if (!a->json)
            print_text(x);
        json_array_append_new(results, x);
    }
    return TALUS_OK;
}

static talus_status write_vtu(cli_args* a, const patches* p)
{
    const tl_patch** list = tl_alloc(a->ctx, sizeof(tl_patch*) * (size_t)TL_MAX(p->n, 1));
    if (!list)
        return tl_nomem(a->ctx, sizeof(tl_patch*) * (size_t)p->n);
    for (int32_t i = 0; i < p->n; i++)
        list[i] = tl_patch_query_get(p->polygon, i);
    const tl_patch_view view = {.n = p->n, .patch = list};
    const talus_status status = tl_patch_vtu_save(a->ctx, a->vtu, &view);
    tl_free(a->ctx, list);
    return status;
}

static void free_all(cli_args* a, patches* p)
{
    talus_patch_query_destroy(p->polygon);
    talus_patch_query_destroy(p->fan);
    for (int32_t i = 0; i < p->n; i++)
        tl_patch_case_free(p->c + i);
    tl_free(a->ctx, p->c);
    tl_free(a->ctx, p->pair);
}

static int run(cli_args* a)
{
    json_t *root = NULL, *results = json_array();
    patches p = {0};
    if (!a->cases) {
        cli_error(a, "patches: --cases FILE.json is missing; 'talus patches --help' has an example");
        json_decref(results);
        return CLI_BAD_INPUT;
    }
    talus_status status = tl_json_load(a->ctx, a->cases, &root);
    if (status >= 0)
        status = all_cases(a, root, &p, results);
    if (status >= 0 && a->vtu)
        status = write_vtu(a, &p);
    if (status >= 0 && a->picture)
        status = tl_patch_picture_save(a->ctx, p.c[0].name, tl_patch_query_get(p.polygon, 0), a->picture);
    int code = cli_exit_code(status);
    if (status >= 0) {
        const int printed = a->json ? cli_print_json(a, json_pack("{s:O}", "cases", results)) : cli_flush(a);
        code = printed ? printed : code;
    }
    free_all(a, &p);
    json_decref(results);
    json_decref(root);
    return code;
}

const cli_command cli_cmd_patches = {
    "patches", "", "contact patches of compliant bodies given as data", doc, "CKVMRJq", 0, 0, run};
