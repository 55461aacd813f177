// SPDX-License-Identifier: MIT
// Contact patches as VTK XML unstructured grids, and a collection (.pvd) of those of a run.
#include "patch_vtu.h"
#include "model.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define VTK_POLYGON 7
#define NUMBER_MOST 9 // digits of a frame's number

// ---- one grid -------------------------------------------------------------------------------------------------

static void open_array(FILE* f, const char* type, const char* name, int32_t width)
{
    fprintf(f, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"ascii\">\n", type, name,
            width);
}

static void close_array(FILE* f)
{
    fputs("</DataArray>\n", f);
}

// rows of 1 or 3 numbers; 12 digits are a picometre at a metre
static void write_rows(FILE* f, int64_t n, int32_t width, const double* x)
{
    for (int64_t i = 0; i < n; i++, x += width)
        if (width == 1)
            fprintf(f, "%.12g\n", x[0]);
        else
            fprintf(f, "%.12g %.12g %.12g\n", x[0], x[1], x[2]);
}

static void write_reals(FILE* f, const char* name, int64_t n, int32_t width, const double* x)
{
    open_array(f, "Float64", name, width);
    write_rows(f, n, width, x);
    close_array(f);
}

static int64_t corners(const tl_patch* p)
{
    int64_t n = 0;
    for (int32_t i = 0; i < p->n; i++)
        n += p->nvertex[i];
    return n;
}

// an array of tl_patch, of all patches one after another
static void write_field(FILE* f, const tl_patch_view* v, const char* name, int32_t width, size_t field,
                        bool points)
{
    open_array(f, "Float64", name, width);
    for (int32_t k = 0; k < v->n; k++) {
        const double* x;
        memcpy(&x, (const char*)v->patch[k] + field, sizeof x);
        write_rows(f, points ? corners(v->patch[k]) : v->patch[k]->n, width, x);
    }
    close_array(f);
}

// one integer a face
static void write_integers(FILE* f, const tl_patch_view* v, const char* name, size_t field)
{
    open_array(f, "Int32", name, 1);
    for (int32_t k = 0; k < v->n; k++) {
        int32_t x;
        memcpy(&x, (const char*)(v->pair + k) + field, sizeof x);
        for (int32_t i = 0; i < v->patch[k]->n; i++)
            fprintf(f, "%d\n", x);
    }
    close_array(f);
}

static void write_cells(FILE* f, const tl_patch_view* v, int64_t points, int64_t cells)
{
    int64_t at = 0;
    fputs("<Cells>\n", f);
    open_array(f, "Int32", "connectivity", 1);
    for (int64_t i = 0; i < points; i++)
        fprintf(f, "%lld%c", (long long)i, i % 12 == 11 ? '\n' : ' ');
    close_array(f);
    open_array(f, "Int32", "offsets", 1);
    for (int32_t k = 0; k < v->n; k++)
        for (int32_t i = 0; i < v->patch[k]->n; i++)
            fprintf(f, "%lld\n", (long long)(at += v->patch[k]->nvertex[i]));
    close_array(f);
    open_array(f, "UInt8", "types", 1);
    for (int64_t i = 0; i < cells; i++)
        fprintf(f, "%d\n", VTK_POLYGON);
    close_array(f);
    fputs("</Cells>\n", f);
}

static void write_cell_data(FILE* f, const tl_patch_view* v, int64_t cells)
{
    fputs("<CellData Scalars=\"pressure\" Normals=\"normal\">\n", f);
    write_field(f, v, "pressure", 1, offsetof(tl_patch, pressure), false);
    write_field(f, v, "area", 1, offsetof(tl_patch, area), false);
    write_field(f, v, "normal", 3, offsetof(tl_patch, normal), false);
    open_array(f, "Int32", "contact", 1);
    for (int32_t k = 0; k < v->n; k++)
        for (int32_t i = 0; i < v->patch[k]->n; i++)
            fprintf(f, "%d\n", tl_patch_is_contact(v->patch[k], i));
    close_array(f);
    open_array(f, "Int32", "patch", 1);
    for (int32_t k = 0; k < v->n; k++)
        for (int32_t i = 0; i < v->patch[k]->n; i++)
            fprintf(f, "%d\n", k);
    close_array(f);
    if (v->slip)
        write_reals(f, "slip", cells, 3, v->slip);
    if (v->traction)
        write_reals(f, "traction", cells, 3, v->traction);
    if (v->pair) {
        write_integers(f, v, "geom_A", offsetof(talus_patch, geom_a));
        write_integers(f, v, "geom_B", offsetof(talus_patch, geom_b));
        write_integers(f, v, "body_A", offsetof(talus_patch, body_a));
        write_integers(f, v, "body_B", offsetof(talus_patch, body_b));
    }
    fputs("</CellData>\n", f);
}

static void write_grid(FILE* f, const tl_patch_view* v)
{
    int64_t points = 0, cells = 0;
    for (int32_t k = 0; k < v->n; k++) {
        points += corners(v->patch[k]);
        cells += v->patch[k]->n;
    }
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
          "byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n",
          f);
    if (v->pair) // a state's patches have a time
        fprintf(f,
                "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                "format=\"ascii\">%.17g</DataArray>\n</FieldData>\n",
                v->time);
    fprintf(f, "<Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n<Points>\n", (long long)points,
            (long long)cells);
    write_field(f, v, "Points", 3, offsetof(tl_patch, vertex), true);
    fputs("</Points>\n", f);
    write_cells(f, v, points, cells);
    fputs("<PointData Scalars=\"pressure\">\n", f);
    write_field(f, v, "pressure", 1, offsetof(tl_patch, vertex_p), true);
    fputs("</PointData>\n", f);
    write_cell_data(f, v, cells);
    fputs("</Piece>\n</UnstructuredGrid>\n</VTKFile>\n", f);
}

talus_status tl_patch_vtu_save(talus_context* ctx, const char* path, const tl_patch_view* view)
{
    errno = 0;
    FILE* f = fopen(path, "w");
    if (!f)
        return tl_fail_at(ctx, TALUS_ERR_IO, path, 0, "cannot be written: %s", strerror(errno));
    write_grid(f, view);
    const bool failed = ferror(f) != 0;
    if (fclose(f) != 0 || failed)
        return tl_fail_at(ctx, TALUS_ERR_IO, path, 0, "cannot be written: %s",
                          errno ? strerror(errno) : "write failed");
    return TALUS_OK;
}

// ---- a run ----------------------------------------------------------------------------------------------------

struct tl_patch_series {
    talus_context* ctx;
    talus_sim* sim;
    char *head, *tail, *path, *pvd_path; // names: head NUMBER tail
    int32_t width;                       // digits of the number, 0: as many as it has
    bool zeros;
    double start, interval, shown; // time of frame 0, between frames, of the last frame
    int32_t frames;
    FILE* pvd;
};

static const char pvd_end[] = "</Collection>\n</VTKFile>\n";

static talus_status bad_pattern(talus_context* ctx, const char* pattern, const char* fmt, ...)
    TL_PRINTF(3, 4);
static talus_status bad_pattern(talus_context* ctx, const char* pattern, const char* fmt, ...)
{
    char text[128];
    va_list list;
    va_start(list, fmt);
    vsnprintf(text, sizeof text, fmt, list);
    va_end(list);
    return tl_fail(ctx, TALUS_ERR_INPUT, "'%s': %s; expected a pattern like run%%05d.vtu", pattern, text);
}

// "folder/run_%05d.vtu": head "folder/run_", tail ".vtu"; the collection is folder/run.pvd
static talus_status read_pattern(tl_patch_series* s, const char* pattern)
{
    const char* slash = strrchr(pattern, '/');
    const char *name = slash ? slash + 1 : pattern, *at = strchr(name, '%');
    const size_t length = strlen(pattern);
    if (length < 4 || strcmp(pattern + length - 4, ".vtu") != 0)
        return bad_pattern(s->ctx, pattern, "the name does not end in .vtu");
    if (slash && memchr(pattern, '%', (size_t)(slash - pattern)))
        return bad_pattern(s->ctx, pattern, "the number of a frame cannot stand in a folder's name");
    if (!at)
        return bad_pattern(s->ctx, pattern, "the number of a frame has no place in the name");
    const char* end = at + 1;
    s->zeros = *end == '0';
    for (; *end >= '0' && *end <= '9' && s->width <= NUMBER_MOST; end++)
        s->width = 10 * s->width + (*end - '0');
    if (*end != 'd' || s->width > NUMBER_MOST)
        return bad_pattern(s->ctx, pattern, "'%.*s' is not %%d or %%Nd with N = 1 .. %d", (int)(end - at) + 1,
                           at, NUMBER_MOST);
    if (strchr(end, '%'))
        return bad_pattern(s->ctx, pattern, "there are two numbers in the name");
    const size_t head = (size_t)(at - pattern), folder = (size_t)(name - pattern);
    s->head = tl_strdup(s->ctx, pattern);
    s->tail = tl_strdup(s->ctx, end + 1);
    s->path = tl_alloc(s->ctx, length + 16);
    s->pvd_path = tl_alloc(s->ctx, length + 16);
    if (!s->head || !s->tail || !s->path || !s->pvd_path)
        return tl_nomem(s->ctx, length);
    s->head[head] = '\0';
    size_t stem = head;
    while (stem > folder && strchr("_-.", pattern[stem - 1]))
        stem--;
    snprintf(s->pvd_path, length + 16, "%.*s%s.pvd", (int)stem, pattern, stem > folder ? "" : "patches");
    return TALUS_OK;
}

static void put_escaped(FILE* f, const char* text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", f);
            break;
        case '<':
            fputs("&lt;", f);
            break;
        case '"':
            fputs("&quot;", f);
            break;
        default:
            fputc(*text, f);
        }
}

static talus_status pvd_failed(const tl_patch_series* s)
{
    return tl_fail_at(s->ctx, TALUS_ERR_IO, s->pvd_path, 0, "cannot be written: %s",
                      errno ? strerror(errno) : "write failed");
}

// over the end of the collection, and the end again
static talus_status list_frame(tl_patch_series* s, double time)
{
    const char* slash = strrchr(s->path, '/');
    errno = 0;
    fseek(s->pvd, -(long)(sizeof pvd_end - 1), SEEK_END);
    fprintf(s->pvd, "<DataSet timestep=\"%.17g\" group=\"\" part=\"0\" file=\"", time);
    put_escaped(s->pvd, slash ? slash + 1 : s->path);
    fprintf(s->pvd, "\"/>\n%s", pvd_end);
    return fflush(s->pvd) == 0 && !ferror(s->pvd) ? TALUS_OK : pvd_failed(s);
}

static talus_status write_frame(tl_patch_series* s, const talus_state* state)
{
    tl_patch_view view;
    TL_TRY(tl_sim_patch_view(s->sim, state, &view));
    const size_t room = strlen(s->head) + strlen(s->tail) + 16;
    snprintf(s->path, room, s->zeros ? "%s%0*d%s" : "%s%*d%s", s->head, (int)s->width, s->frames, s->tail);
    TL_TRY(tl_patch_vtu_save(s->ctx, s->path, &view));
    TL_TRY(list_frame(s, view.time));
    s->shown = view.time;
    s->frames++;
    return TALUS_OK;
}

static talus_status begin(tl_patch_series* s, const talus_model* model, const talus_state* state,
                          const char* pattern, double rate)
{
    if (model->nfield == 0)
        return tl_fail(s->ctx, TALUS_ERR_INPUT,
                       "'%s': the scene has no pressure fields, so there are no patches to write; "
                       "expected geoms with contact=compliant or contact=rigid",
                       pattern);
    TL_TRY(read_pattern(s, pattern));
    s->start = talus_state_time(state);
    s->interval = 1.0 / rate;
    errno = 0;
    s->pvd = fopen(s->pvd_path, "wb+");
    if (!s->pvd)
        return pvd_failed(s);
    fprintf(s->pvd,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n%s",
            pvd_end);
    return write_frame(s, state);
}

static void destroy(tl_patch_series* s)
{
    if (s->pvd)
        fclose(s->pvd);
    tl_free(s->ctx, s->head);
    tl_free(s->ctx, s->tail);
    tl_free(s->ctx, s->path);
    tl_free(s->ctx, s->pvd_path);
    tl_free(s->ctx, s);
}

talus_status tl_patch_series_create(talus_context* ctx, const talus_model* model, talus_sim* sim,
                                    const talus_state* state, const char* pattern, double rate,
                                    tl_patch_series** out)
{
    tl_patch_series* s = tl_calloc(ctx, sizeof *s);
    *out = NULL;
    if (!s)
        return tl_nomem(ctx, sizeof *s);
    s->ctx = ctx;
    s->sim = sim;
    const talus_status status = begin(s, model, state, pattern, rate);
    if (status < 0)
        destroy(s);
    else
        *out = s;
    return status;
}

talus_status tl_patch_series_add(tl_patch_series* s, const talus_state* state)
{
    // frames stand at whole intervals from the start, however the steps fall
    const double t = talus_state_time(state), done = floor((s->shown - s->start) / s->interval + 1e-6);
    return t >= s->start + (done + 1.0 - 1e-6) * s->interval ? write_frame(s, state) : TALUS_OK;
}

talus_status tl_patch_series_close(tl_patch_series* s, const talus_state* state, int32_t* frames, char* pvd,
                                   size_t size)
{
    if (!s)
        return TALUS_OK;
    talus_status status = talus_state_time(state) > s->shown ? write_frame(s, state) : TALUS_OK;
    *frames = s->frames;
    snprintf(pvd, size, "%s", s->pvd_path);
    FILE* list = s->pvd;
    errno = 0;
    s->pvd = NULL;
    if (fclose(list) != 0 && status >= 0)
        status = pvd_failed(s);
    destroy(s);
    return status;
}
