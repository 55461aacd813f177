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
    "\"tets\" with \"pressure\", or \"tris\"). ParaView opens the .vtu file: polygons with pressure and "
    "normals.";

typedef struct patches {
    int32_t n;
    tl_patch* polygon; // (n), with vertices
} patches;

static json_t* sum_json(const tl_patch* p)
{
    tl_patch_sum s;
    const double origin[3] = {0};
    tl_patch_total(p, origin, &s);
    return json_pack("{s:i, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:I}", "num_faces", p->n,
                     "total_area", tl_json_real(s.area), "centroid", tl_json_reals(s.centroid, 3), "M_is",
                     "A", "force_on_M_W", tl_json_reals(s.force, 3), "moment_about_Wo_centroid_rule",
                     tl_json_reals(s.moment, 3), "moment_about_Wo_exact", tl_json_reals(s.moment_exact, 3),
                     "sum_stiffness_Ag", tl_json_real(s.stiffness), "p_max_centroid",
                     tl_json_real(s.pressure_max), "left_out", p->left_out, "left_out_area",
                     tl_json_real(s.area > 0 ? p->left_out_area : 0.0), "candidates",
                     (json_int_t)p->candidates);
}

static json_t* mesh_json(const tl_field* f)
{
    const tl_field_info* i = tl_field_get_info(f);
    if (i->ne == 0)
        return json_null();
    const bool tets = tl_field_get_kind(f) == TL_FIELD_COMPLIANT;
    return json_pack("{s:s, s:i, s:i, s:o, s:i, s:i}", "kind", tets ? "tet" : "tri", "nv", i->nv, "ne", i->ne,
                     tets ? "volume" : "area", tl_json_real(tets ? i->volume : i->area), "degenerate",
                     i->degenerate, "without_pressure", i->without_pressure);
}

// one case: polygons (kept for the file) and fans
static talus_status compute(cli_args* a, const tl_patch_case* c, tl_patch* polygon, tl_patch* fan,
                            json_t** out)
{
    if (!tl_patch_supported(c->field[0], c->field[1]))
        return tl_fail_at(
            a->ctx, TALUS_ERR_UNSUPPORTED, a->cases, 0,
            "case '%s': A and B: rigid with rigid, half space with half space, and a compliant half "
            "space with a compliant mesh have no patch",
            c->name);
    const tl_patch_options keep = {.vertices = true};
    const tl_patch_options as_fan = {.triangles = true, .vertices = true};
    TL_TRY(tl_patch_collide(a->ctx, c->field[0], c->pose, c->field[1], c->pose + 1, &keep, polygon));
    TL_TRY(tl_patch_collide(a->ctx, c->field[0], c->pose, c->field[1], c->pose + 1, &as_fan, fan));
    // the least time of a query as simulations make it
    double seconds = INFINITY;
    tl_patch timed = {0};
    for (int32_t i = 0; i < a->repeat; i++) {
        const double start = tl_cpu_now();
        TL_TRY(tl_patch_collide(a->ctx, c->field[0], c->pose, c->field[1], c->pose + 1, NULL, &timed));
        seconds = fmin(seconds, tl_cpu_now() - start);
    }
    tl_patch_free(a->ctx, &timed);
    *out = json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", c->name, "mesh_A", mesh_json(c->field[0]), "mesh_B",
                     mesh_json(c->field[1]), "polygon", sum_json(polygon), "triangle", sum_json(fan));
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

static talus_status all_cases(cli_args* a, const json_t* root, patches* kept, json_t* results)
{
    const int32_t n = tl_patch_cases(a->ctx, a->cases, root);
    if (n < 0)
        return (talus_status)n;
    kept->polygon = tl_calloc(a->ctx, sizeof(tl_patch) * (size_t)TL_MAX(n, 1));
    if (!kept->polygon)
        return tl_nomem(a->ctx, sizeof(tl_patch) * (size_t)n);
    tl_patch fan = {0};
    talus_status status = TALUS_OK;
    for (int32_t i = 0; i < n && status >= 0; i++) {
        tl_patch_case c;
        json_t* x = NULL;
        const char* name = json_string_value(
            json_object_get(json_array_get(json_object_get(root, "cases"), (size_t)i), "name"));
        if (a->only && (!name || strcmp(name, a->only) != 0))
            continue;
        status = tl_patch_case_read(a->ctx, a->cases, root, i, &c);
        if (status < 0)
            break;
        status = compute(a, &c, kept->polygon + kept->n++, &fan, &x);
        if (status >= 0 && !a->json)
            print_text(x);
        if (status >= 0)
            json_array_append_new(results, x);
        tl_patch_case_free(a->ctx, &c);
    }
    tl_patch_free(a->ctx, &fan);
    if (status >= 0 && a->only && kept->n == 0)
        return tl_fail_at(a->ctx, TALUS_ERR_INPUT, a->cases, 0, "there is no case '%s'", a->only);
    if (status >= 0 && a->picture && kept->n != 1)
        return tl_fail_at(a->ctx, TALUS_ERR_INPUT, a->cases, 0,
                          "--picture shows one case of %d; name it with --case", kept->n);
    return status;
}

static talus_status write_vtu(cli_args* a, const patches* kept)
{
    const tl_patch** list = tl_alloc(a->ctx, sizeof *list * (size_t)TL_MAX(kept->n, 1));
    if (!list)
        return tl_nomem(a->ctx, sizeof *list * (size_t)kept->n);
    for (int32_t i = 0; i < kept->n; i++)
        list[i] = kept->polygon + i;
    const tl_patch_view view = {.n = kept->n, .patch = list};
    const talus_status status = tl_patch_vtu_save(a->ctx, a->vtu, &view);
    tl_free(a->ctx, list);
    return status;
}

static talus_status write_picture(cli_args* a, const patches* kept, const json_t* results)
{
    const char* name = json_string_value(json_object_get(json_array_get(results, 0), "name"));
    return tl_patch_picture_save(a->ctx, name, kept->polygon, a->picture);
}

static int run(cli_args* a)
{
    json_t *root = NULL, *results = json_array();
    patches kept = {0};
    if (!a->cases) {
        cli_error(a, "patches: --cases FILE.json is missing; 'talus patches --help' has an example");
        json_decref(results);
        return CLI_BAD_INPUT;
    }
    talus_status status = tl_json_load(a->ctx, a->cases, &root);
    if (status >= 0)
        status = all_cases(a, root, &kept, results);
    if (status >= 0 && a->vtu)
        status = write_vtu(a, &kept);
    if (status >= 0 && a->picture)
        status = write_picture(a, &kept, results);
    int code = cli_exit_code(status);
    if (status >= 0) {
        const int printed = a->json ? cli_print_json(a, json_pack("{s:O}", "cases", results)) : cli_flush(a);
        code = printed ? printed : code;
    }
    for (int32_t i = 0; kept.polygon && i < kept.n; i++)
        tl_patch_free(a->ctx, kept.polygon + i);
    tl_free(a->ctx, kept.polygon);
    json_decref(results);
    json_decref(root);
    return code;
}

const cli_command cli_cmd_patches = {
    "patches", "", "contact patches of compliant bodies given as data", doc, "CKVMRJq", 0, 0, run};
