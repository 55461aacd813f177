// SPDX-License-Identifier: MIT
// `talus info`: what a scene file was understood to be.
#include "cli.h"
#include "model.h"

static const char doc[] =
    "Say what a scene holds: sizes, bodies with mass and moments of inertia, joints, actuators, keyframes, "
    "and "
    "everything in the file that is not used. 'talus info options' lists the options of --set instead.\n\v"
    "With --json: {\"nq\", \"nv\", \"nbody\" (the world counts), \"njnt\", \"ngeom\", \"ntree\", \"nu\", "
    "\"nkey\", "
    "\"total_mass\", \"timestep\", \"gravity\", \"bodies\": [{\"name\", \"parent\", \"tree\", \"mass\", "
    "\"inertia\", ...}], "
    "\"joints\", \"geoms\", \"actuators\", \"keyframes\", \"notices\": [text]}.\n\n"
    "Example: does Talus understand all of this model that changes its motion?\n"
    "  talus info humanoid.xml --strict";

static const char* const joint_types[] = {"free", "ball", "slide", "hinge"};
static const char* const shape_types[] = {"plane",    "sphere", "capsule", "ellipsoid",
                                          "cylinder", "box",    "mesh",    "hfield"};

// ---- JSON
// ------------------------------------------------------------------------------------------------------------

static json_t* bodies_json(const talus_model* m)
{
    json_t* list = json_array();
    for (int32_t b = 0; b < m->info.nbody; b++)
        json_array_append_new(
            list,
            json_pack("{s:s, s:i, s:i, s:i, s:o, s:o, s:o, s:o}", "name", m->body_name[b], "parent",
                      m->mb.parent[b], "tree", m->mb.body_tree[b], "ndof", m->mb.body_ndof[b], "mass",
                      tl_json_real(m->mb.mass[b]), "inertia", tl_json_reals(m->mb.inertia + 3 * b, 3), "ipos",
                      tl_json_reals(m->mb.ipos + 3 * b, 3), "iquat", tl_json_reals(m->mb.iquat + 4 * b, 4)));
    return list;
}

static json_t* joints_json(const talus_model* m)
{
    json_t* list = json_array();
    for (int32_t j = 0; j < m->info.njnt; j++) {
        const bool limited = m->jnt_limited[j];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:i, s:i, s:i, s:o, s:o, s:o}", "name", m->jnt_name[j],
                                        "type", joint_types[m->mb.jnt_type[j]], "body", m->mb.jnt_body[j],
                                        "q", m->mb.jnt_q[j], "dof", m->mb.jnt_dof[j], "range",
                                        limited ? tl_json_reals(m->jnt_range + 2 * j, 2) : json_null(),
                                        "damping", tl_json_real(m->dof_damping[m->mb.jnt_dof[j]]),
                                        "stiffness", tl_json_real(m->jnt_stiffness[j])));
    }
    return list;
}

static json_t* geoms_json(const talus_model* m)
{
    json_t* list = json_array();
    for (int32_t g = 0; g < m->info.ngeom; g++)
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:i, s:o, s:i, s:i, s:o, s:o, s:o}", "name", m->geom_name[g], "type",
                            shape_types[m->geom_shape[g].type], "body", m->geom_body[g], "size",
                            tl_json_reals(m->geom_shape[g].size, 3), "contype", m->geom_contype[g],
                            "conaffinity", m->geom_conaffinity[g], "k", tl_json_real(m->geom_k[g]), "d",
                            tl_json_real(m->geom_d[g]), "mu", tl_json_real(m->geom_mu[g])));
    return list;
}

static json_t* names_json(const char* const* names, int32_t n)
{
    json_t* list = json_array();
    for (int32_t i = 0; i < n; i++)
        json_array_append_new(list, json_string(names[i]));
    return list;
}

static json_t* to_json(const talus_model* m)
{
    const talus_model_info* i = &m->info;
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "nq", i->nq, "nv", i->nv, "nbody", i->nbody, "njnt", i->njnt, "ngeom", i->ngeom, "ntree",
                     i->ntree, "nu", i->nu, "nkey", i->nkey, "total_mass", tl_json_real(i->total_mass),
                     "timestep", tl_json_real(i->timestep), "gravity", tl_json_reals(i->gravity, 3), "bodies",
                     bodies_json(m), "joints", joints_json(m), "geoms", geoms_json(m), "actuators",
                     names_json(m->actuator_name, i->nu), "keyframes", names_json(m->key_name, i->nkey),
                     "notices", names_json(m->notice, i->nnotice));
}

// ---- text
// ------------------------------------------------------------------------------------------------------------

static const char* shown(const char* name)
{
    return name[0] ? name : "-";
}

static void print_bodies(const talus_model* m)
{
    printf("\n%-5s %-24s %-7s %-5s %-5s %11s   %s\n", "body", "name", "parent", "tree", "dofs", "mass (kg)",
           "moments of inertia (kg m^2)");
    for (int32_t b = 1; b < m->info.nbody; b++) {
        const double* I = m->mb.inertia + 3 * b;
        char tree[16] = "-";
        if (m->mb.body_tree[b] >= 0)
            snprintf(tree, sizeof tree, "%d", m->mb.body_tree[b]);
        printf("%-5d %-24s %-7d %-5s %-5d %11.5g   %.5g %.5g %.5g\n", b, shown(m->body_name[b]),
               m->mb.parent[b], tree, m->mb.body_ndof[b], m->mb.mass[b], I[0], I[1], I[2]);
    }
}

static void print_joints(const talus_model* m)
{
    if (m->info.njnt == 0)
        return;
    printf("\n%-5s %-24s %-6s %-5s %s\n", "joint", "name", "type", "body", "range");
    for (int32_t j = 0; j < m->info.njnt; j++) {
        printf("%-5d %-24s %-6s %-5d ", j, shown(m->jnt_name[j]), joint_types[m->mb.jnt_type[j]],
               m->mb.jnt_body[j]);
        if (m->jnt_limited[j])
            printf("%.5g .. %.5g\n", m->jnt_range[2 * j], m->jnt_range[2 * j + 1]);
        else
            printf("-\n");
    }
}

static void print_geoms(const talus_model* m)
{
    int32_t count[TL_SHAPE_COUNT] = {0};
    for (int32_t g = 0; g < m->info.ngeom; g++)
        count[m->geom_shape[g].type]++;
    printf("geoms       %d", m->info.ngeom);
    const char* separator = ": ";
    for (int t = 0; t < TL_SHAPE_COUNT; t++)
        if (count[t] > 0) {
            printf("%s%d %s", separator, count[t], shape_types[t]);
            separator = ", ";
        }
    printf("\n");
}

static int print_text(cli_args* a, const talus_model* m)
{
    const talus_model_info* i = &m->info;
    printf("%s\n", m->path);
    printf("bodies      %d (with the world), %.6g kg, in %d moving trees\n", i->nbody, i->total_mass,
           i->ntree);
    printf("joints      %d: nq %d, nv %d\n", i->njnt, i->nq, i->nv);
    print_geoms(m);
    printf("actuators   %d, keyframes %d\n", i->nu, i->nkey);
    printf("time step   %g s, gravity %g %g %g m/s^2\n", i->timestep, i->gravity[0], i->gravity[1],
           i->gravity[2]);
    print_bodies(m);
    print_joints(m);
    printf("\nnot used in this file: %s\n", i->nnotice ? "" : "nothing, all of it is understood");
    for (int32_t k = 0; k < i->nnotice; k++)
        printf("  %s\n", m->notice[k]);
    return cli_flush(a);
}

static int run(cli_args* a)
{
    talus_model* model = NULL;
    const talus_status status = cli_load_model(a, &model);
    if (status < 0)
        return cli_exit_code(status);
    const int code = a->json ? cli_print_json(a, to_json(model)) : print_text(a, model);
    talus_model_destroy(model);
    return code;
}

const cli_command cli_cmd_info = {
    "info", "SCENE", "what a scene holds and what of it is not used", doc, "JSq", 1, 1, run};
