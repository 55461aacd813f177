// SPDX-License-Identifier: MIT
// Trajectory files: HDF5, one row a step, row 0 before the first step.
//
//   time (n)  q (n x nq)  v (n x nv)           as in src/README.md#state
//   body/{pos (n x nbody x 3), quat (n x nbody x 4, w x y z), name (nbody)}
//   contacts (n)                               number of contacts with overlap
//   step/{iterations, factorizations, substeps, lagged, unconverged, asleep (bodies), max_depth, residual (n),
//   phase (n x phases, s)} scene (text); attributes: talus (version), path, dt, phase (names)
//
// Readable while it grows: rows are collected in memory and a few times a second the file is opened, appended
// to and closed again. Between these moments it is a complete, closed file, so any reader works, and a run
// that is killed leaves all but the last half second. Within them (some milliseconds) readers that opened it
// with swmr=True work.
#include "trajectory.h"
#include "h5.h"
#include "model.h"

#include <stdio.h>

#define FLUSH_SECONDS 0.5
#define BUFFER_BYTES (4 << 20)
#define CHUNK_BYTES (256 << 10)

typedef struct column {
    const char* name;
    tl_h5_type type;
    int32_t rank;
    int64_t dims[2];
    int64_t width; // values a row
    void* rows;
} column;

enum {
    COL_TIME,
    COL_Q,
    COL_V,
    COL_POS,
    COL_QUAT,
    COL_CONTACTS,
    COL_ITERATIONS,
    COL_FACTORIZATIONS,
    COL_SUBSTEPS,
    COL_LAGGED,
    COL_UNCONVERGED,
    COL_ASLEEP,
    COL_DEPTH,
    COL_RESIDUAL,
    COL_PHASE,
    COL_COUNT
};

struct tl_trajectory {
    talus_context* ctx;
    talus_sim* sim;
    const talus_model* model;
    const char* path;
    tl_arena memory;
    column columns[COL_COUNT];
    int64_t rows, rows_max; // in the buffer
    double flushed;         // when
    bool failed;            // no more attempts
};

static int64_t value_bytes(const column* c)
{
    return c->type == TL_H5_I32 ? 4 : 8;
}

static void describe(tl_trajectory* t)
{
    const tl_mb* mb = &t->model->mb;
    const column columns[COL_COUNT] = {
        [COL_TIME] = {"time", TL_H5_F64, 0, {0}, 1, NULL},
        [COL_Q] = {"q", TL_H5_F64, 1, {mb->nq}, mb->nq, NULL},
        [COL_V] = {"v", TL_H5_F64, 1, {mb->nv}, mb->nv, NULL},
        [COL_POS] = {"body/pos", TL_H5_F64, 2, {mb->nbody, 3}, 3 * (int64_t)mb->nbody, NULL},
        [COL_QUAT] = {"body/quat", TL_H5_F64, 2, {mb->nbody, 4}, 4 * (int64_t)mb->nbody, NULL},
        [COL_CONTACTS] = {"contacts", TL_H5_I32, 0, {0}, 1, NULL},
        [COL_ITERATIONS] = {"step/iterations", TL_H5_I32, 0, {0}, 1, NULL},
        [COL_FACTORIZATIONS] = {"step/factorizations", TL_H5_I32, 0, {0}, 1, NULL},
        [COL_SUBSTEPS] = {"step/substeps", TL_H5_I32, 0, {0}, 1, NULL},
        [COL_LAGGED] = {"step/lagged", TL_H5_I32, 0, {0}, 1, NULL},
        [COL_UNCONVERGED] = {"step/unconverged", TL_H5_I32, 0, {0}, 1, NULL},
        [COL_ASLEEP] = {"step/asleep", TL_H5_I32, 0, {0}, 1, NULL},
        [COL_DEPTH] = {"step/max_depth", TL_H5_F64, 0, {0}, 1, NULL},
        [COL_RESIDUAL] = {"step/residual", TL_H5_F64, 0, {0}, 1, NULL},
        [COL_PHASE] = {"step/phase", TL_H5_F64, 1, {TALUS_PHASE_COUNT}, TALUS_PHASE_COUNT, NULL},
    };
    memcpy(t->columns, columns, sizeof columns);
}

static talus_status allocate(tl_trajectory* t)
{
    int64_t row = 0;
    for (int32_t c = 0; c < COL_COUNT; c++)
        row += t->columns[c].width * value_bytes(&t->columns[c]);
    t->rows_max = TL_MAX(1, TL_MIN(BUFFER_BYTES / row, 4096));
    for (int32_t c = 0; c < COL_COUNT; c++) {
        const int64_t bytes = t->rows_max * t->columns[c].width * value_bytes(&t->columns[c]);
        if (!(t->columns[c].rows = tl_arena_alloc(&t->memory, (size_t)TL_MAX(bytes, 1))))
            return tl_nomem(t->ctx, (size_t)bytes);
    }
    return TALUS_OK;
}

static talus_status write_names(tl_trajectory* t, tl_h5* h)
{
    const int32_t n = t->model->mb.nbody;
    const char** names = tl_alloc(t->ctx, (size_t)n * sizeof *names);
    if (!names)
        return tl_nomem(t->ctx, (size_t)n * sizeof *names);
    for (int32_t i = 0; i < n; i++)
        names[i] = talus_model_name(t->model, TALUS_BODY, i);
    const talus_status status = tl_h5_write_names(h, "body/name", n, names);
    tl_free(t->ctx, names);
    return status;
}

static talus_status write_head(tl_trajectory* t, tl_h5* h, double dt)
{
    char text[512] = "";
    snprintf(text, sizeof text, "%d.%d.%d", TALUS_VERSION_MAJOR, TALUS_VERSION_MINOR, TALUS_VERSION_PATCH);
    TL_TRY(tl_h5_attr_text(h, "/", "talus", text));
    TL_TRY(tl_h5_attr_text(h, "/", "path", t->model->path ? t->model->path : ""));
    TL_TRY(tl_h5_attr_real(h, "/", "dt", dt));
    text[0] = '\0';
    for (int32_t i = 0; i < TALUS_PHASE_COUNT; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
                 talus_phase_name((talus_phase)i));
    TL_TRY(tl_h5_attr_text(h, "/", "phase", text));
    TL_TRY(tl_h5_write_text(h, "scene", t->model->text ? t->model->text : ""));
    TL_TRY(tl_h5_group(h, "body"));
    TL_TRY(tl_h5_group(h, "step"));
    TL_TRY(write_names(t, h));
    for (int32_t c = 0; c < COL_COUNT; c++) {
        const column* k = &t->columns[c];
        const int64_t chunk = TL_MAX(1, TL_MIN(CHUNK_BYTES / (TL_MAX(k->width, 1) * value_bytes(k)), 1024));
        TL_TRY(tl_h5_series(h, k->name, k->type, k->rank, k->dims, chunk));
    }
    return TALUS_OK;
}

static talus_status write_file(tl_trajectory* t, double dt)
{
    tl_h5 h;
    TL_TRY(tl_h5_create(t->ctx, t->path, &h));
    const talus_status status = write_head(t, &h, dt), closed = tl_h5_close(&h);
    return status < 0 ? status : closed;
}

talus_status tl_trajectory_create(talus_context* ctx, const talus_model* model, talus_sim* sim,
                                  const talus_state* state, double dt, const char* path, tl_trajectory** out)
{
    tl_trajectory* t = tl_calloc(ctx, sizeof *t);
    if (!t)
        return tl_nomem(ctx, sizeof *t);
    t->ctx = ctx;
    t->sim = sim;
    t->model = model;
    t->path = path;
    tl_arena_init(&t->memory, ctx);
    describe(t);
    talus_status status = allocate(t);
    if (status >= 0)
        status = write_file(t, dt);
    t->flushed = tl_now();
    if (status >= 0)
        status = tl_trajectory_add(t, state, NULL);
    if (status < 0) {
        t->failed = true;
        tl_trajectory_close(t);
        return status;
    }
    *out = t;
    return TALUS_OK;
}

static talus_status append(tl_trajectory* t, tl_h5* h)
{
    for (int32_t c = 0; c < COL_COUNT; c++)
        TL_TRY(tl_h5_append(h, t->columns[c].name, t->columns[c].type, t->rows, t->columns[c].rows));
    return TALUS_OK;
}

static talus_status flush(tl_trajectory* t)
{
    tl_h5 h;
    if (t->failed || t->rows == 0)
        return TALUS_OK;
    talus_status status = tl_h5_open(t->ctx, t->path, true, &h);
    if (status >= 0) {
        status = append(t, &h);
        const talus_status closed = tl_h5_close(&h);
        status = status < 0 ? status : closed;
    }
    t->failed = status < 0;
    t->rows = 0;
    t->flushed = tl_now();
    return status;
}

static double* real_row(tl_trajectory* t, int32_t c)
{
    return (double*)t->columns[c].rows + t->rows * t->columns[c].width;
}

static void put_integer(tl_trajectory* t, int32_t c, int32_t value)
{
    ((int32_t*)t->columns[c].rows)[t->rows] = value;
}

talus_status tl_trajectory_add(tl_trajectory* t, const talus_state* state, const talus_step_info* info)
{
    static const talus_step_info none = {.substeps = 0};
    talus_state* s = (talus_state*)state; // read only; the accessors are for both
    const talus_step_info* i = info ? info : &none;
    *real_row(t, COL_TIME) = talus_state_time(state);
    memcpy(real_row(t, COL_Q), talus_state_q(s), (size_t)t->model->mb.nq * sizeof(double));
    memcpy(real_row(t, COL_V), talus_state_v(s), (size_t)t->model->mb.nv * sizeof(double));
    TL_TRY(talus_sim_bodies(t->sim, state, real_row(t, COL_POS), real_row(t, COL_QUAT), NULL, NULL));
    put_integer(t, COL_CONTACTS, i->contacts);
    put_integer(t, COL_ITERATIONS, i->solve.iterations_max);
    put_integer(t, COL_FACTORIZATIONS, i->solve.factorizations_max);
    put_integer(t, COL_SUBSTEPS, i->substeps);
    put_integer(t, COL_LAGGED, i->lagged);
    put_integer(t, COL_UNCONVERGED, i->unconverged);
    put_integer(t, COL_ASLEEP, i->bodies_asleep);
    *real_row(t, COL_DEPTH) = i->max_depth;
    *real_row(t, COL_RESIDUAL) = i->solve.residual;
    memcpy(real_row(t, COL_PHASE), i->phase, sizeof i->phase);
    t->rows++;
    return t->rows == t->rows_max || tl_now() - t->flushed > FLUSH_SECONDS ? flush(t) : TALUS_OK;
}

talus_status tl_trajectory_close(tl_trajectory* t)
{
    if (!t)
        return TALUS_OK;
    talus_context* ctx = t->ctx;
    const talus_status status = flush(t);
    tl_arena_fini(&t->memory);
    tl_free(ctx, t);
    return status;
}
