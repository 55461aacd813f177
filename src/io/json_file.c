// SPDX-License-Identifier: MIT
// Files of JSON: one line of error with file and line, writes that are checked to the last byte (a full disk
// is an error, not a short file), 17 significant digits so that a double survives the trip.
#include "json_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

static talus_status parse(talus_context* ctx, const char* path, FILE* f, json_t** out)
{
    json_error_t error;
    json_t* root = json_loadf(f, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (root) {
        *out = root;
        return TALUS_OK;
    }
    if (ferror(f))
        return tl_fail_at(ctx, TALUS_ERR_IO, path, 0, "cannot be read: %s", strerror(errno));
    // jansson says nothing where an allocation inside it failed
    if (!error.text[0])
        return tl_fail_at(ctx, TALUS_ERR_NOMEM, path, 0, "out of memory");
    switch (json_error_code(&error)) {
    case json_error_out_of_memory:
        return tl_fail_at(ctx, TALUS_ERR_NOMEM, path, 0, "out of memory");
    case json_error_premature_end_of_input:
        return tl_fail_at(ctx, TALUS_ERR_INPUT, path, error.line, "the file ends too early: %s", error.text);
    default:
        return tl_fail_at(ctx, TALUS_ERR_INPUT, path, error.line, "not JSON: %s", error.text);
    }
}

talus_status tl_json_load(talus_context* ctx, const char* path, json_t** out)
{
    FILE* f = fopen(path, "rb");
    if (!f)
        return tl_fail_at(ctx, TALUS_ERR_IO, path, 0, "cannot be opened: %s", strerror(errno));
    const talus_status status = parse(ctx, path, f, out);
    fclose(f);
    return status;
}

static talus_status write_error(talus_context* ctx, const char* path, int error)
{
    return tl_fail_at(ctx, TALUS_ERR_IO, path, 0, "cannot be written: %s",
                      error ? strerror(error) : "write failed");
}

talus_status tl_json_save(talus_context* ctx, const char* path, const json_t* root)
{
    const bool standard = !path;
    const char* name = standard ? "standard output" : path;
    if (!root)
        return tl_fail_at(ctx, TALUS_ERR_NOMEM, name, 0, "out of memory while making JSON");
    errno = 0;
    FILE* f = standard ? stdout : fopen(path, "wb");
    if (!f)
        return write_error(ctx, name, errno);
    bool bad = json_dumpf(root, f, JSON_COMPACT | JSON_REAL_PRECISION(17)) != 0;
    bad |= fputc('\n', f) == EOF;
    bad |= fflush(f) != 0;
    bad |= ferror(f) != 0;
    const int error = errno;
    bad |= !standard && fclose(f) != 0;
    return bad ? write_error(ctx, name, error ? error : errno) : TALUS_OK;
}

json_t* tl_json_real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t* tl_json_reals(const double* x, int64_t n)
{
    json_t* array = json_array();
    for (int64_t i = 0; i < n && array; i++)
        if (json_array_append_new(array, tl_json_real(x[i]))) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

json_t* tl_json_rows(const double* x, int64_t n, int32_t width)
{
    json_t* array = json_array();
    for (int64_t i = 0; i < n && array; i++)
        if (json_array_append_new(array, tl_json_reals(x + i * width, width))) {
            json_decref(array);
            array = NULL;
        }
    return array;
}
