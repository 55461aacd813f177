// SPDX-License-Identifier: MIT
// `talus bench scaling`: step times of scene families over sizes and threads, as a table, CSV and plots.
//
// Each scene is dropped and settles once; the settled state is kept beside the results and used again. Measured
// are steps from there ("settled") and from the same poses with random velocities ("kicked"). All thread counts
// take turns within a repetition, so that a noisy machine is noisy for all; reported is the best repetition.
#define _GNU_SOURCE
#include "cli.h"
#include "counted.h"
#include "gen.h"
#include "loglog.h"
#include "model.h"
#include "simulate.h"
#include "state_file.h"

#include <errno.h>
#include <math.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

static const char doc[] =
    "Measure how step times grow with the scene and fall with threads.\n\v"
    "WHAT is scaling. Results go to the output folder (default: bench-results): scaling.csv (one row a "
    "scene, state "
    "and thread count), scaling.png (step time over contacts with fitted exponents), the scenes and their "
    "settled "
    "states, which a second run uses again. Families are the kinds of 'talus gen'.\n\n"
    "Example: spheres and cubes up to 512, with one and two threads\n"
    "  talus bench scaling --families spheres,boxes --sizes 64,125,216,512 --cores 1,2 -o results\n"
    "  talus bench scaling --quick\n\n"
    "Steps are 2 ms; --set contact.k=4e4 --set contact.d=1 --set contact.v_s=1e-3 is the material that "
    "comparisons "
    "with other programs use. Times are wall times a step; with one thread cpu_ms is what other load cannot "
    "inflate. MB is the most that the simulation held beside the model, B/cont the same in bytes a contact.";

#define H 2e-3
#define DROP_H 5e-3
#define DROP_TIME 2.0
#define MOST 32 // items of a list

enum { SETTLED, KICKED, STATES };
static const char* const state_name[STATES] = {"settled", "kicked"};

typedef struct row {
    char family[32];
    int32_t size, state, threads, repeats;
    int64_t steps, lagged, unconverged, allocations;
    int32_t nv, bodies;
    double contacts, islands, iterations, factorizations, linear_steps, pairs, depth;
    double wall, median, cpu; // s a step
    double phase[TALUS_PHASE_COUNT];
    double rss;           // largest resident set of the process so far, bytes
    double bytes;         // most that the simulation held: workspaces, kept factors, contacts
    int64_t factor_nnz;   // stored entries of the factors of one step, at most
    int32_t contacts_max; // of one step
    uint64_t hash;
} row;

typedef struct bench {
    cli_args* a;
    talus_sim_options options;
    const char* folder;
    int32_t nfamily, nsize, ncores, repeats;
    int64_t steps;
    char family[MOST][32];
    int32_t size[MOST], cores[MOST];
    talus_context* ctx[MOST]; // one for each thread count
    counted memory[MOST];     // what each holds
    row* rows;
    int32_t nrow;
    double* times; // (steps)
} bench;

// ---- lists ------------------------------------------------------------------------------------------------

static talus_status split(cli_args* a, const char* option, const char* text, char (*out)[32], int32_t* n)
{
    *n = 0;
    while (*text) {
        const size_t len = strcspn(text, ",");
        if (len == 0 || len > 31 || *n == MOST)
            return tl_fail(a->ctx, TALUS_ERR_ARG, "%s: a list of at most %d items with commas is wanted",
                           option, MOST);
        memcpy(out[*n], text, len);
        out[(*n)++][len] = '\0';
        text += len + (text[len] == ',');
    }
    return *n > 0 ? TALUS_OK : tl_fail(a->ctx, TALUS_ERR_ARG, "%s: the list is empty", option);
}

static talus_status split_numbers(cli_args* a, const char* option, const char* text, int32_t* out, int32_t* n)
{
    char item[MOST][32];
    TL_TRY(split(a, option, text, item, n));
    for (int32_t i = 0; i < *n; i++) {
        char* end;
        const long x = strtol(item[i], &end, 10);
        if (*end || x < 1 || x > 10000000)
            return tl_fail(a->ctx, TALUS_ERR_ARG, "%s: '%s' is not a number from 1 to 10000000", option,
                           item[i]);
        out[i] = (int32_t)x;
    }
    return TALUS_OK;
}

static talus_status make_folder(cli_args* a, const char* path)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return tl_fail_at(a->ctx, TALUS_ERR_IO, path, 0, "cannot be made: %s", strerror(errno));
    return TALUS_OK;
}

static talus_status begin(bench* b, cli_args* a)
{
    b->a = a;
    b->folder = a->output ? a->output : "bench-results";
    b->repeats = a->repeat > 0 ? a->repeat : a->quick ? 1 : 5;
    b->steps = a->quick ? 20 : 50;
    TL_TRY(cli_load_options(a, &b->options));
    TL_TRY(split(a, "--families",
                 a->families ? a->families
                 : a->quick  ? "spheres,boxes"
                             : "spheres,boxes,clutter,bricks",
                 b->family, &b->nfamily));
    TL_TRY(split_numbers(a, "--sizes",
                         a->sizes   ? a->sizes
                         : a->quick ? "8,27,64"
                                    : "64,125,216,512",
                         b->size, &b->nsize));
    char all[32] = "1";
    if (talus_allowed_cores() > 1)
        snprintf(all, sizeof all, "1,%d", talus_allowed_cores());
    TL_TRY(split_numbers(a, "--cores", a->cores ? a->cores : all, b->cores, &b->ncores));
    TL_TRY(make_folder(a, b->folder));
    b->rows = tl_calloc(a->ctx, sizeof(row) * (size_t)(b->nfamily * b->nsize * b->ncores * STATES));
    b->times = tl_alloc(a->ctx, sizeof(double) * (size_t)b->steps);
    if (!b->rows || !b->times)
        return tl_nomem(a->ctx, sizeof(row));
    for (int32_t i = 0; i < b->ncores; i++) {
        talus_context_def def = talus_context_default();
        def.nthreads = b->cores[i];
        b->memory[i].fail_at = -1;
        def.allocator = counted_allocator(&b->memory[i]);
        TL_TRY(talus_context_create(&def, &b->ctx[i]));
    }
    return TALUS_OK;
}

// ---- one scene --------------------------------------------------------------------------------------------

static talus_status load_scene(bench* b, const char* family, int32_t size, const char* path,
                               talus_model** out)
{
    tl_text text;
    talus_status status = tl_gen_scene(b->a->ctx, family, size, 0, &text);
    if (status >= 0) {
        FILE* f = fopen(path, "wb");
        const bool ok = f && fwrite(text.data, 1, (size_t)text.length, f) == (size_t)text.length;
        if (!f || fclose(f) != 0 || !ok)
            status = tl_fail_at(b->a->ctx, TALUS_ERR_IO, path, 0, "cannot be written: %s", strerror(errno));
    }
    tl_text_fini(&text);
    return status < 0 ? status : talus_model_load(b->a->ctx, path, NULL, out);
}

// dropped for two seconds, or as an earlier run left it
static talus_status settle(bench* b, const talus_model* m, const char* path, talus_state* s)
{
    FILE* f = fopen(path, "rb");
    if (f) {
        fclose(f);
        return tl_state_load(b->a->ctx, m, path, s);
    }
    talus_sim* sim = NULL;
    TL_TRY(talus_sim_create(b->a->ctx, m, &b->options, &sim));
    talus_status status = TALUS_OK;
    cli_progress progress;
    cli_progress_begin(&progress);
    const int64_t steps = (int64_t)(DROP_TIME / DROP_H);
    for (int64_t k = 0; k < steps && status >= 0; k++) {
        talus_step_info info;
        status = talus_sim_step(sim, s, DROP_H, 1, &info);
        cli_progress_show(&progress, b->a, k + 1, steps, DROP_H, info.contacts);
    }
    cli_progress_end(&progress, b->a);
    if (status >= 0) {
        talus_state_set_time(s, 0.0);
        status = tl_state_save(b->a->ctx, m, sim, s, path);
    }
    talus_sim_destroy(sim);
    return status;
}

// 0.3 m/s and 3 rad/s on free bodies, 1.5 on single joints: the same numbers everywhere
static void kick(const talus_model* m, talus_state* s)
{
    tl_rng rng;
    double* v = talus_state_v(s);
    tl_rng_seed(&rng, 77);
    for (int32_t j = 0; j < m->mb.njnt; j++) {
        const int32_t type = m->mb.jnt_type[j], at = m->mb.jnt_dof[j],
                      n = type == TL_JOINT_FREE   ? 6
                          : type == TL_JOINT_BALL ? 3
                                                  : 1;
        for (int32_t i = 0; i < n; i++)
            v[at + i] = tl_rng_uniform(&rng, -1.0, 1.0) * (n == 6 && i < 3 ? 0.3 : n == 1 ? 1.5 : 3.0);
    }
}

static double process_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void* x, const void* y)
{
    const double a = *(const double*)x, c = *(const double*)y;
    return a < c ? -1 : a > c;
}

static void add_step(row* r, const talus_step_info* i)
{
    r->contacts += i->contacts;
    r->pairs += i->pairs;
    r->islands += i->solve.nislands;
    r->iterations += i->solve.iterations_max;
    r->factorizations += i->solve.factorizations_max;
    r->linear_steps += (double)i->solve.linear_steps;
    r->lagged += i->lagged;
    r->unconverged += i->unconverged;
    r->depth = fmax(r->depth, i->max_depth);
    r->contacts_max = TL_MAX(r->contacts_max, i->contacts);
    r->factor_nnz = TL_MAX(r->factor_nnz, i->solve.nnz_L);
    for (int32_t p = 0; p < TALUS_PHASE_COUNT; p++)
        r->phase[p] += i->phase[p];
}

// one repetition into `out`
static talus_status repetition(bench* b, const talus_model* m, const talus_state* start, int32_t core,
                               row* out)
{
    talus_context* ctx = b->ctx[core];
    counted* memory = &b->memory[core];
    const int64_t held = memory->bytes;
    memory->most = held;
    talus_sim* sim = NULL;
    talus_state* s = NULL;
    talus_status status = talus_sim_create(ctx, m, &b->options, &sim);
    if (status >= 0)
        status = talus_state_create(ctx, m, &s);
    if (status >= 0)
        status = talus_state_copy(s, start);
    int64_t allocated = 0;
    for (int64_t k = 0; k < b->steps && status >= 0; k++) {
        talus_step_info info;
        const double t = tl_now(), cpu = process_cpu();
        const int64_t before = talus_context_allocations(ctx);
        status = talus_sim_step(sim, s, H, 1, &info);
        b->times[k] = tl_now() - t;
        out->wall += b->times[k];
        out->cpu += process_cpu() - cpu;
        if (k >= b->steps / 2)
            allocated += talus_context_allocations(ctx) - before;
        add_step(out, &info);
    }
    if (status >= 0) {
        qsort(b->times, (size_t)b->steps, sizeof(double), by_value);
        out->median = b->times[b->steps / 2];
        out->steps = b->steps;
        out->allocations = allocated;
        out->bytes = (double)(memory->most - held);
        out->hash = talus_state_hash(s);
    }
    talus_state_destroy(s);
    talus_sim_destroy(sim);
    return status;
}

static talus_status measure(bench* b, const talus_model* m, const talus_state* start, const char* family,
                            int32_t size, int32_t state)
{
    row* first = b->rows + b->nrow;
    for (int32_t repeat = 0; repeat < b->repeats; repeat++)
        for (int32_t c = 0; c < b->ncores; c++) {
            row r = {.size = size,
                     .state = state,
                     .threads = b->cores[c],
                     .nv = m->mb.nv,
                     .bodies = m->mb.nbody - 1};
            snprintf(r.family, sizeof r.family, "%s", family);
            TL_TRY(repetition(b, m, start, c, &r));
            struct rusage use;
            getrusage(RUSAGE_SELF, &use);
            r.rss = 1024.0 * (double)use.ru_maxrss;
            r.repeats = b->repeats;
            if (repeat == 0 || r.wall < first[c].wall)
                first[c] = r;
        }
    b->nrow += b->ncores;
    for (int32_t c = 1; c < b->ncores; c++)
        if (first[c].hash != first[0].hash)
            return tl_fail(b->a->ctx, TALUS_ERR_SINGULAR, "%s-%d: %d and %d threads gave different states",
                           family, size, first[0].threads, first[c].threads);
    return TALUS_OK;
}

static void print_row(const row* r)
{
    const double n = (double)r->steps;
    printf("%-10s %6d  %-8s %3d %9.0f %7.0f %7.2f %7.2f %10.3f %10.3f %10.3f %8.2f %8.1f %7.0f  %s\n",
           r->family, r->size, state_name[r->state], r->threads, r->contacts / n, r->islands / n,
           r->iterations / n, r->factorizations / n, 1e3 * r->wall / n, 1e3 * r->median, 1e3 * r->cpu / n,
           1e3 * r->depth, 1e-6 * r->bytes, r->bytes / TL_MAX(r->contacts_max, 1),
           r->unconverged ? "not converged"
           : r->lagged    ? "lagged"
                          : "");
    fflush(stdout);
}

static talus_status one_scene(bench* b, const char* family, int32_t size)
{
    char scene[512], state[512];
    talus_model* m = NULL;
    talus_state* s = NULL;
    snprintf(scene, sizeof scene, "%s/%s-%d.xml", b->folder, family, size);
    snprintf(state, sizeof state, "%s/%s-%d.json", b->folder, family, size);
    talus_status status = load_scene(b, family, size, scene, &m);
    if (status >= 0)
        status = talus_state_create(b->a->ctx, m, &s);
    if (status >= 0)
        status = settle(b, m, state, s);
    for (int32_t k = 0; k < STATES && status >= 0; k++) {
        const int32_t first = b->nrow;
        if (k == KICKED)
            kick(m, s);
        status = measure(b, m, s, family, size, k);
        for (int32_t i = first; i < b->nrow && !b->a->json && status >= 0; i++)
            print_row(&b->rows[i]);
    }
    talus_state_destroy(s);
    talus_model_destroy(m);
    return status;
}

// ---- results ----------------------------------------------------------------------------------------------

static talus_status write_csv(bench* b)
{
    char path[512];
    snprintf(path, sizeof path, "%s/scaling.csv", b->folder);
    FILE* f = fopen(path, "w");
    if (!f)
        return tl_fail_at(b->a->ctx, TALUS_ERR_IO, path, 0, "cannot be written: %s", strerror(errno));
    fputs(
        "family,size,state,threads,repeats,steps,bodies,nv,pairs,contacts,islands,iterations,factorizations,"
        "linear_steps,lagged,unconverged,penetration_m,wall_ms,median_ms,cpu_ms",
        f);
    for (int32_t p = 0; p < TALUS_PHASE_COUNT; p++)
        fprintf(f, ",%s_ms", talus_phase_name((talus_phase)p));
    fputs(",peak_rss_bytes,peak_rss_per_contact,sim_bytes,sim_bytes_per_contact,factor_nonzeros,allocator_"
          "calls,state_hash,isa\n",
          f);
    for (int32_t i = 0; i < b->nrow; i++) {
        const row* r = &b->rows[i];
        const double n = (double)r->steps;
        fprintf(f, "%s,%d,%s,%d,%d,%lld,%d,%d,%.1f,%.1f,%.1f,%.3f,%.3f,%.2f,%lld,%lld,%.3e,%.5f,%.5f,%.5f",
                r->family, r->size, state_name[r->state], r->threads, r->repeats, (long long)r->steps,
                r->bodies, r->nv, r->pairs / n, r->contacts / n, r->islands / n, r->iterations / n,
                r->factorizations / n, r->linear_steps / n, (long long)r->lagged, (long long)r->unconverged,
                r->depth, 1e3 * r->wall / n, 1e3 * r->median, 1e3 * r->cpu / n);
        for (int32_t p = 0; p < TALUS_PHASE_COUNT; p++)
            fprintf(f, ",%.5f", 1e3 * r->phase[p] / n);
        fprintf(f, ",%.0f,%.0f,%.0f,%.0f,%lld,%lld,%016llx,%s\n", r->rss, r->rss / fmax(r->contacts / n, 1.0),
                r->bytes, r->bytes / TL_MAX(r->contacts_max, 1), (long long)r->factor_nnz,
                (long long)r->allocations, (unsigned long long)r->hash, talus_context_isa(b->a->ctx));
    }
    const bool failed = ferror(f) != 0;
    if (fclose(f) != 0 || failed)
        return tl_fail_at(b->a->ctx, TALUS_ERR_IO, path, 0, "writing failed");
    return TALUS_OK;
}

// series of one family, state and thread count over sizes; x contacts, y wall time
static int32_t make_series(const bench* b, tl_series* series, double* values)
{
    int32_t n = 0;
    for (int32_t i = 0; i < b->nrow; i++) {
        const row* r = &b->rows[i];
        char name[48];
        snprintf(name, sizeof name, "%s, %s, %d", r->family, state_name[r->state], r->threads);
        int32_t k = 0;
        while (k < n && strcmp(series[k].name, name) != 0)
            k++;
        double* x = values + 2 * (int64_t)MOST * k;
        if (k == n) {
            series[n] = (tl_series){.x = x, .y = x + MOST};
            snprintf(series[n++].name, sizeof series[k].name, "%s", name);
        }
        x[series[k].n] = r->contacts / (double)r->steps;
        x[MOST + series[k].n++] = 1e3 * r->wall / (double)r->steps;
    }
    return n;
}

static json_t* rows_json(const bench* b, const tl_series* series, int32_t nseries)
{
    json_t *rows = json_array(), *fits = json_array();
    for (int32_t i = 0; i < b->nrow; i++) {
        const row* r = &b->rows[i];
        const double n = (double)r->steps;
        json_array_append_new(
            rows,
            json_pack("{s:s, s:i, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I}",
                      "family", r->family, "size", r->size, "state", state_name[r->state], "threads",
                      r->threads, "contacts", tl_json_real(r->contacts / n), "iterations",
                      tl_json_real(r->iterations / n), "factorizations", tl_json_real(r->factorizations / n),
                      "wall_ms", tl_json_real(1e3 * r->wall / n), "median_ms", tl_json_real(1e3 * r->median),
                      "cpu_ms", tl_json_real(1e3 * r->cpu / n), "peak_rss_bytes", tl_json_real(r->rss),
                      "sim_bytes", tl_json_real(r->bytes), "factor_nonzeros", (json_int_t)r->factor_nnz,
                      "lagged", (json_int_t)r->lagged, "unconverged", (json_int_t)r->unconverged,
                      "allocator_calls", (json_int_t)r->allocations));
    }
    for (int32_t k = 0; k < nseries; k++) {
        double exponent, factor;
        if (tl_power_fit(&series[k], &exponent, &factor))
            json_array_append_new(
                fits, json_pack("{s:s, s:o}", "series", series[k].name, "exponent", tl_json_real(exponent)));
    }
    return json_pack("{s:o, s:o, s:s}", "rows", rows, "fits", fits, "isa", talus_context_isa(b->a->ctx));
}

static talus_status report(bench* b, int* code)
{
    tl_series series[MOST * 4];
    const int32_t most = TL_MIN(b->nfamily * b->ncores * STATES, TL_COUNT(series));
    double* values = tl_alloc(b->a->ctx, sizeof(double) * 2 * MOST * (size_t)most);
    if (!values)
        return tl_nomem(b->a->ctx, sizeof(double) * 2 * MOST * (size_t)most);
    const int32_t n = make_series(b, series, values);
    char path[512];
    snprintf(path, sizeof path, "%s/scaling.png", b->folder);
    const tl_loglog plot = {.title = "Step time over contacts: family, state, threads",
                            .x_label = "contacts",
                            .y_label = "wall time of a step [ms]",
                            .nseries = n,
                            .series = series};
    const talus_status drawn = tl_loglog_save(b->a->ctx, &plot, path);
    if (b->a->json) {
        *code = cli_print_json(b->a, rows_json(b, series, n));
    } else {
        printf("\nGrowth of the step time with contacts:\n");
        for (int32_t k = 0; k < n; k++) {
            double exponent, factor;
            if (tl_power_fit(&series[k], &exponent, &factor))
                printf("  %-32s x^%.2f\n", series[k].name, exponent);
        }
        printf("\nwritten: %s/scaling.csv %s\n", b->folder, drawn >= 0 ? path : "(no plot)");
        *code = cli_flush(b->a);
    }
    tl_free(b->a->ctx, values);
    return drawn == TALUS_ERR_UNSUPPORTED ? TALUS_OK : drawn;
}

static int run(cli_args* a)
{
    bench b = {0};
    int code = CLI_DONE;
    if (strcmp(a->file[0], "scaling") != 0) {
        cli_error(a, "bench: '%s' is not known; expected: scaling", a->file[0]);
        return CLI_BAD_INPUT;
    }
    talus_status status = begin(&b, a);
    if (status >= 0 && !a->json)
        printf("%-10s %6s  %-8s %3s %9s %7s %7s %7s %10s %10s %10s %8s %8s %7s\n", "family", "size", "state",
               "thr", "contacts", "islands", "iters", "factors", "wall ms", "median ms", "cpu ms", "deep mm",
               "MB", "B/cont");
    for (int32_t f = 0; f < b.nfamily && status >= 0; f++)
        for (int32_t k = 0; k < b.nsize && status >= 0; k++)
            status = one_scene(&b, b.family[f], b.size[k]);
    if (b.nrow > 0) {
        const talus_status written = write_csv(&b);
        status = status < 0 ? status : written;
    }
    if (status >= 0)
        status = report(&b, &code);
    for (int32_t i = 0; i < b.ncores; i++)
        talus_context_destroy(b.ctx[i]);
    tl_free(a->ctx, b.rows);
    tl_free(a->ctx, b.times);
    return status < 0 ? cli_exit_code(status) : code;
}

const cli_command cli_cmd_bench = {
    "bench", "WHAT", "scaling: step times over sizes and threads", doc, "FZTRQwojJq", 1, 1, run};
