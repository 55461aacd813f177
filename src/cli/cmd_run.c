// SPDX-License-Identifier: MIT
// `talus run`: simulate a scene; `talus profile`: the same, and tell where the time went.
#include "loglog.h"
#include "model.h"
#include "simulate.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

static const char run_doc[] =
    "Simulate a scene.\n\v"
    "Without files named, only a summary is printed. A step that does not converge is retried with substeps; "
    "if that "
    "fails the run ends with the state before it (exit code 1), or goes on with --keep-going.\n\n"
    "Example: five seconds, with a trajectory for h5py and a picture\n"
    "  talus run scene.xml --time 5 --dt 0.002 --out run.h5 --picture run.png\n\n"
    "Example: slippery contacts, from where another run ended\n"
    "  talus run scene.xml --time 1 --final a.json\n"
    "  talus run scene.xml --time 1 --state a.json --set contact.mu=0.2 --json\n\n"
    "Example: contact patches of a soft scene in ParaView, 100 frames a second: open pads.pvd, press play\n"
    "  talus run soft.xml --time 2 --patches pads_%05d.vtu --rate 100\n\n"
    "Example: look at the contact problem of step 100 alone\n"
    "  talus run scene.xml --time 1 --capture 100 problem.json\n"
    "  talus solve problem.json --json\n\n"
    "iterations and factorizations are those of the worst island of a step. SIGINT and SIGTERM end the run "
    "after the "
    "current step with all files complete.";

static const char profile_doc[] =
    "Simulate a scene and print where the time went.\n\v"
    "Example: which part grows with the number of bodies?\n"
    "  talus gen spheres -n 216 -o s.xml\n"
    "  talus profile s.xml --time 0.5 --dt 0.005 --threads 1\n\n"
    "Example: cost of contact patches over their resolution, as a table and a plot\n"
    "  talus profile soft.xml --time 0.2 --refine 1,2,4,8 -o refine       (refine.csv, .json, .png)";

static double per_step(const cli_run* r, double sum)
{
    return sum / (double)TL_MAX(r->steps, 1);
}

static double realtime(const cli_run* r)
{
    return r->wall > 0 ? (double)r->steps * r->dt / r->wall : 0.0;
}

// what is left of the geometry phase: poses before its parts, contact data after them
static double data_time(const cli_run* r)
{
    return fmax(0.0, r->phase[TALUS_PHASE_GEOMETRY] - r->t_broad - r->t_points - r->t_trees - r->t_clip);
}

static json_t* phases_json(const cli_run* r)
{
    json_t* phases = json_object();
    for (int32_t p = 0; p < TALUS_PHASE_COUNT; p++)
        json_object_set_new(phases, talus_phase_name((talus_phase)p), tl_json_real(r->phase[p]));
    return phases;
}

static json_t* patches_json(const cli_run* r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o, s:o, s:o}}", "patches_mean",
                     tl_json_real(per_step(r, (double)r->patches)), "faces_mean",
                     tl_json_real(per_step(r, (double)r->faces)), "faces_left_out_mean",
                     tl_json_real(per_step(r, (double)r->left_out)), "face_candidates_mean",
                     tl_json_real(per_step(r, (double)r->candidates)), "tree_boxes_mean",
                     tl_json_real(per_step(r, (double)r->boxes)), "geometry_parts", "broad",
                     tl_json_real(r->t_broad), "points", tl_json_real(r->t_points), "trees",
                     tl_json_real(r->t_trees), "clip", tl_json_real(r->t_clip), "assembly",
                     tl_json_real(data_time(r)));
}

static json_t* to_json(const cli_run* r)
{
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, r->hash);
    json_t* x = json_pack(
        "{s:s, s:I, s:o, s:o, s:i, s:i, s:o, s:i, s:o, s:i, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:s}",
        "scene", r->args->file[0], "steps", (json_int_t)r->steps, "time",
        tl_json_real(talus_state_time(r->state)), "dt", tl_json_real(r->dt), "nv", r->model->mb.nv, "threads",
        talus_context_threads(r->args->ctx), "contacts_mean", tl_json_real(per_step(r, (double)r->contacts)),
        "contacts_max", r->contacts_max, "iterations_mean", tl_json_real(per_step(r, (double)r->iterations)),
        "iterations_max", r->iterations_max, "factorizations_mean",
        tl_json_real(per_step(r, (double)r->factorizations)), "unconverged", (json_int_t)r->unconverged,
        "lagged", (json_int_t)r->lagged, "wall_s", tl_json_real(r->wall), "cpu_s", tl_json_real(r->cpu),
        "realtime_factor", tl_json_real(realtime(r)), "phases", phases_json(r), "max_penetration",
        tl_json_real(r->max_depth), "energy",
        tl_json_real(r->energy.kinetic + r->energy.gravity + r->energy.elastic), "state_hash", hash);
    json_t* more = json_pack(
        "{s:o, s:o, s:o, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:i, s:b, s:i, s:s, s:o, s:i, s:i}",
        "energy_kinetic", tl_json_real(r->energy.kinetic), "energy_gravity", tl_json_real(r->energy.gravity),
        "energy_elastic", tl_json_real(r->energy.elastic), "factorizations_max", r->factorizations_max,
        "islands_max", r->islands_max, "linear_steps", (json_int_t)r->linear_steps, "symbolic",
        (json_int_t)r->symbolic, "substepped", (json_int_t)r->substepped, "restarted",
        (json_int_t)r->restarted, "redundant_contacts", (json_int_t)r->redundant, "missed", r->missed,
        "interrupted", r->interrupted, "notices", r->args->notices, "isa", talus_context_isa(r->args->ctx),
        "bodies_awake_mean", tl_json_real(per_step(r, (double)r->bodies_awake)), "bodies_asleep",
        r->bodies_asleep, "islands_asleep", r->islands_asleep);
    json_t* patches = patches_json(r);
    if (x && more && patches && json_object_update(x, more) == 0 && json_object_update(x, patches) == 0) {
        json_decref(more);
        json_decref(patches);
        return x;
    }
    json_decref(more);
    json_decref(patches);
    json_decref(x);
    return NULL;
}

static void print_geometry(const cli_run* r)
{
    const char* const name[] = {"broad phase", "points", "trees", "clipping", "poses, assembly"};
    const double t[] = {r->t_broad, r->t_points, r->t_trees, r->t_clip, data_time(r)};
    for (int32_t i = 0; i < TL_COUNT(t); i++)
        printf("    %-18s %10.4f\n", name[i], 1e3 * per_step(r, t[i]));
}

static void print_phases(const cli_run* r)
{
    double sum = 0.0;
    for (int32_t p = 0; p < TALUS_PHASE_COUNT; p++)
        sum += r->phase[p];
    printf("\n  where the time went     ms/step    share\n");
    for (int32_t p = 0; p < TALUS_PHASE_COUNT; p++) {
        printf("  %-20s %10.4f   %5.1f %%\n", talus_phase_name((talus_phase)p),
               1e3 * per_step(r, r->phase[p]), sum > 0 ? 100 * r->phase[p] / sum : 0.0);
        if (p == TALUS_PHASE_GEOMETRY && r->candidates > 0)
            print_geometry(r);
    }
    printf("  %-20s %10.4f   wall %.4f, cpu %.4f\n", "all", 1e3 * per_step(r, sum),
           1e3 * per_step(r, r->wall), 1e3 * per_step(r, r->cpu));
}

static void print_summary(const cli_run* r)
{
    const cli_args* a = r->args;
    printf("%s: %lld steps of %g s to t = %.6g s%s\n", a->file[0], (long long)r->steps, r->dt,
           talus_state_time(r->state), r->interrupted ? " (stopped by a signal)" : "");
    printf("  bodies               %10d   (%d degrees of freedom)\n", r->model->mb.nbody - 1,
           r->model->mb.nv);
    printf("  contacts             %10.1f   on average, %d at most\n", per_step(r, (double)r->contacts),
           r->contacts_max);
    if (r->sleep)
        printf("  asleep               %10d   bodies in %d islands at the end, %.1f awake on average\n",
               r->bodies_asleep, r->islands_asleep, per_step(r, (double)r->bodies_awake));
    printf("  solver iterations    %10.2f   on average, %d at most (worst island of a step)\n",
           per_step(r, (double)r->iterations), r->iterations_max);
    printf("  factorizations       %10.2f   on average, %d at most\n", per_step(r, (double)r->factorizations),
           r->factorizations_max);
    printf("  not converged        %10lld   lagged %lld, with substeps %lld\n", (long long)r->unconverged,
           (long long)r->lagged, (long long)r->substepped);
    printf("  largest overlap      %10.3g m\n", r->max_depth);
    printf("  energy               %10.4g J  kinetic %.4g, gravity %.4g, elastic %.4g\n",
           r->energy.kinetic + r->energy.gravity + r->energy.elastic, r->energy.kinetic, r->energy.gravity,
           r->energy.elastic);
    if (r->missed > 0)
        printf("  missed contacts?     %10d   bodies moved farther than their size in a step\n", r->missed);
    printf("  real-time factor     %10.3g   (%.3g s wall, %.3g s cpu, %d threads, %s)\n", realtime(r),
           r->wall, r->cpu, talus_context_threads(a->ctx), talus_context_isa(a->ctx));
}

static void print_counts(const cli_run* r)
{
    printf("\n  what was done           a step\n");
    printf("  pairs of boxes       %10.1f   from the broad phase\n", per_step(r, (double)r->pairs));
    printf("  contacts             %10.1f   redundant %.1f\n", per_step(r, (double)r->contacts),
           per_step(r, (double)r->redundant));
    if (r->candidates > 0) {
        printf("  contact patches      %10.1f   of %.1f faces, %.1f left out\n",
               per_step(r, (double)r->patches), per_step(r, (double)r->faces),
               per_step(r, (double)r->left_out));
        printf("  boxes of trees       %10.1f   compared, which leave %.1f pairs of elements to clip\n",
               per_step(r, (double)r->boxes), per_step(r, (double)r->candidates));
    }
    printf("  iterations           %10.2f   worst island\n", per_step(r, (double)r->iterations));
    printf("  factorizations       %10.2f   worst island\n", per_step(r, (double)r->factorizations));
    printf("  linear steps         %10.2f   of GMRES, all islands\n", per_step(r, (double)r->linear_steps));
    printf("  symbolic analyses    %10.2f   all islands\n", per_step(r, (double)r->symbolic));
}

static void print_files(const cli_run* r)
{
    const cli_args* a = r->args;
    const char* const files[] = {a->out, a->picture, a->final, a->capture};
    const char* before = "\nwritten:";
    for (int32_t i = 0; i < TL_COUNT(files); i++)
        if (files[i]) {
            printf("%s %s", before, files[i]);
            before = "";
        }
    if (r->frames > 0) {
        printf("%s %s (%d frames of %s)", before, r->pvd, r->frames, a->patches);
        before = "";
    }
    if (!*before)
        putchar('\n');
}

static int report(cli_args* a, bool profile)
{
    cli_run* r = tl_alloc(a->ctx, sizeof *r);
    if (!r)
        return CLI_NOMEM;
    int code = cli_simulate(a, r);
    // a run that stopped has a result too; bad input has none
    if (r->sim && code <= CLI_UNCONVERGED) {
        if (a->json) {
            const int printed = cli_print_json(a, to_json(r));
            code = printed ? printed : code;
        } else {
            print_summary(r);
            print_phases(r);
            if (profile)
                print_counts(r);
            print_files(r);
            const int printed = cli_flush(a);
            code = printed ? printed : code;
        }
    }
    cli_run_fini(r);
    tl_free(a->ctx, r);
    return code;
}

static int run(cli_args* a)
{
    return report(a, false);
}

// ---- grid refinement study: cost over constraints as hints shrink (Masterjohn et al. 2022, Fig. 8) -------------

#define MOST_FACTORS 16

typedef struct study {
    int32_t n;
    double factor[MOST_FACTORS], constraints[MOST_FACTORS], geometry[MOST_FACTORS], solver[MOST_FACTORS];
} study;

static talus_status read_factors(cli_args* a, study* s)
{
    const char* text = a->refine;
    while (*text) {
        char* end;
        const double x = strtod(text, &end);
        if (end == text || !(x > 0.0) || !isfinite(x) || (*end && *end != ',') || s->n == MOST_FACTORS)
            return tl_fail(a->ctx, TALUS_ERR_ARG,
                           "--refine: '%s' is not a list of at most %d positive numbers", a->refine,
                           MOST_FACTORS);
        s->factor[s->n++] = x;
        text = end + (*end == ',');
    }
    return s->n > 0 ? TALUS_OK : tl_fail(a->ctx, TALUS_ERR_ARG, "--refine: the list is empty");
}

static int one_factor(cli_args* a, study* s, int32_t i, json_t* rows)
{
    cli_run* r = tl_alloc(a->ctx, sizeof *r);
    if (!r)
        return CLI_NOMEM;
    a->refine_by = s->factor[i];
    const int code = cli_simulate(a, r);
    if (r->sim && code <= CLI_UNCONVERGED) {
        const talus_phase solving[] = {TALUS_PHASE_SYMBOLIC, TALUS_PHASE_FACTOR, TALUS_PHASE_SOLVE,
                                       TALUS_PHASE_LIMIT};
        s->constraints[i] = per_step(r, (double)r->contacts);
        s->geometry[i] = 1e3 * per_step(r, r->phase[TALUS_PHASE_GEOMETRY]);
        for (int32_t k = 0; k < TL_COUNT(solving); k++)
            s->solver[i] += 1e3 * per_step(r, r->phase[solving[k]]);
        const double assemble = 1e3 * per_step(r, r->phase[TALUS_PHASE_ASSEMBLE]);
        json_array_append_new(
            rows, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "refine", tl_json_real(s->factor[i]),
                            "contacts", tl_json_real(s->constraints[i]), "faces",
                            tl_json_real(per_step(r, (double)r->faces)), "candidates",
                            tl_json_real(per_step(r, (double)r->candidates)), "factorizations",
                            tl_json_real(per_step(r, (double)r->factorizations)), "geometry_ms",
                            tl_json_real(s->geometry[i]), "assemble_ms", tl_json_real(assemble), "solver_ms",
                            tl_json_real(s->solver[i])));
        if (!a->json) {
            printf("%8g %10.1f %10.1f %12.1f %9.2f %11.4f %11.4f %11.4f\n", s->factor[i], s->constraints[i],
                   per_step(r, (double)r->faces), per_step(r, (double)r->candidates),
                   per_step(r, (double)r->factorizations), s->geometry[i], assemble, s->solver[i]);
            fflush(stdout);
        }
    }
    cli_run_fini(r);
    tl_free(a->ctx, r);
    return code;
}

static talus_status write_rows(cli_args* a, const json_t* rows, const char* path)
{
    FILE* f = fopen(path, "w");
    if (!f)
        return tl_fail_at(a->ctx, TALUS_ERR_IO, path, 0, "cannot be written: %s", strerror(errno));
    size_t i;
    json_t *row, *x;
    const char* key;
    json_array_foreach(rows, i, row)
    {
        const char* comma = "";
        if (i == 0) {
            json_object_foreach(row, key, x)
            {
                fprintf(f, "%s%s", comma, key);
                comma = ",";
            }
            fputc('\n', f);
            comma = "";
        }
        json_object_foreach(row, key, x)
        {
            fprintf(f, "%s%.9g", comma, json_number_value(x));
            comma = ",";
        }
        fputc('\n', f);
    }
    const bool failed = ferror(f) != 0;
    if (fclose(f) != 0 || failed)
        return tl_fail_at(a->ctx, TALUS_ERR_IO, path, 0, "writing failed");
    return TALUS_OK;
}

static int write_study(cli_args* a, const study* s, json_t* rows)
{
    const tl_series series[] = {{.name = "geometry", .n = s->n, .x = s->constraints, .y = s->geometry},
                                {.name = "solver", .n = s->n, .x = s->constraints, .y = s->solver}};
    json_t* fits = json_object();
    for (int32_t k = 0; k < TL_COUNT(series); k++) {
        double exponent, factor;
        if (!tl_power_fit(&series[k], &exponent, &factor))
            continue;
        json_object_set_new(fits, series[k].name, tl_json_real(exponent));
        if (!a->json)
            printf("%s time grows as constraints^%.2f\n", series[k].name, exponent);
    }
    talus_status status = TALUS_OK;
    if (a->output) {
        char path[512];
        snprintf(path, sizeof path, "%s.json", a->output);
        json_t* all = json_pack("{s:O, s:O}", "rows", rows, "exponents", fits);
        status = tl_json_save(a->ctx, path, all);
        json_decref(all);
        snprintf(path, sizeof path, "%s.csv", a->output);
        status = status < 0 ? status : write_rows(a, rows, path);
        snprintf(path, sizeof path, "%s.png", a->output);
        const tl_loglog plot = {.title = "Cost of a step over contact constraints",
                                .x_label = "constraints",
                                .y_label = "wall time of a step [ms]",
                                .nseries = TL_COUNT(series),
                                .series = series};
        const talus_status drawn = status < 0 ? status : tl_loglog_save(a->ctx, &plot, path);
        status = drawn == TALUS_ERR_UNSUPPORTED ? TALUS_OK : drawn;
        if (status >= 0 && !a->json)
            printf("written: %s.json %s.csv %s\n", a->output, a->output, drawn >= 0 ? path : "(no plot)");
    }
    int code = cli_exit_code(status);
    if (status >= 0)
        code = a->json ? cli_print_json(a, json_pack("{s:O, s:O}", "rows", rows, "exponents", fits))
                       : cli_flush(a);
    json_decref(fits);
    return code;
}

static int refine(cli_args* a)
{
    study s = {0};
    const talus_status status = read_factors(a, &s);
    if (status < 0)
        return cli_exit_code(status);
    json_t* rows = json_array();
    if (!a->json)
        printf("%8s %10s %10s %12s %9s %11s %11s %11s\n", "refine", "contacts", "faces", "candidates",
               "factors", "geometry ms", "assemble ms", "solver ms");
    int code = CLI_DONE;
    for (int32_t i = 0; i < s.n && code <= CLI_UNCONVERGED; i++) {
        const int done = one_factor(a, &s, i, rows);
        code = TL_MAX(code, done);
    }
    if (code <= CLI_UNCONVERGED) {
        const int written = write_study(a, &s, rows);
        code = written ? written : code;
    }
    json_decref(rows);
    return code;
}

static int run_profile(cli_args* a)
{
    return a->refine ? refine(a) : report(a, true);
}

const cli_command cli_cmd_run = {"run", "SCENE", "simulate a scene", run_doc, "tdskojSgOfpPHcJq", 1, 1, run};
const cli_command cli_cmd_profile = {"profile",   "SCENE",        "simulate and tell where the time went",
                                     profile_doc, "tdskojSgrwJq", 1,
                                     1,           run_profile};
