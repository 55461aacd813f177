// SPDX-License-Identifier: MIT
// HDF5 behind a few functions. The newest file format is used, since it alone can be read while it grows: a
// writer opens with "single writer, many readers" and takes no lock, so a reader that keeps the file open
// does not stop it. The library's own error printing is off while a file is open; failures come back as one
// message of ours.
#include "h5.h"

#ifdef TALUS_HAVE_HDF5

#include <errno.h>
#include <hdf5.h>
#include <stdio.h>

static talus_status failed(tl_h5* h, const char* what, const char* name)
{
    const int error = errno;
    if (h->failed)
        return TALUS_ERR_IO;
    h->failed = true;
    return tl_fail_at(h->ctx, TALUS_ERR_IO, h->path, 0, "%s%s%s failed%s%s", what, name ? " " : "",
                      name ? name : "", error ? ": " : "", error ? strerror(error) : "");
}

// what a file holds is not what it should: bad input, unless the device failed
static talus_status damaged(tl_h5* h, const char* what, const char* name)
{
    if (errno == EIO)
        return failed(h, what, name);
    if (h->failed)
        return TALUS_ERR_INPUT;
    h->failed = true;
    return tl_fail_at(h->ctx, TALUS_ERR_INPUT, h->path, 0, "%s%s%s: not an HDF5 file, or a damaged one", what,
                      name ? " " : "", name ? name : "");
}

static hid_t memory_type(tl_h5_type type)
{
    switch (type) {
    case TL_H5_F64:
        return H5T_NATIVE_DOUBLE;
    case TL_H5_I32:
        return H5T_NATIVE_INT32;
    case TL_H5_I64:
        break;
    }
    return H5T_NATIVE_INT64;
}

static hid_t access_list(void)
{
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(list, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(list, 0, 1);
#endif
    return list;
}

static void start(talus_context* ctx, const char* path, tl_h5* h)
{
    H5E_auto2_t handler = NULL;
    *h = (tl_h5){.ctx = ctx, .path = path, .file = -1};
    H5Eget_auto2(H5E_DEFAULT, &handler, &h->handler_data);
    memcpy(&h->handler, &handler, sizeof handler); // a function pointer in an object pointer
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    errno = 0;
}

static talus_status finish_open(tl_h5* h, hid_t list, const char* what)
{
    H5Pclose(list);
    if (h->file >= 0)
        return TALUS_OK;
    const talus_status status = failed(h, what, NULL);
    tl_h5_close(h);
    return status;
}

void tl_h5_no_exit_handler(void)
{
    H5dont_atexit();
}

talus_status tl_h5_create(talus_context* ctx, const char* path, tl_h5* out)
{
    start(ctx, path, out);
    const hid_t list = access_list();
    out->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, list);
    return finish_open(out, list, "creating the file");
}

talus_status tl_h5_open(talus_context* ctx, const char* path, bool append, tl_h5* out)
{
    FILE* f = fopen(path, append ? "r+b" : "rb");
    const int error = errno;
    start(ctx, path, out);
    if (!f) {
        const talus_status status =
            tl_fail_at(ctx, TALUS_ERR_IO, path, 0, "cannot be opened: %s", strerror(error));
        tl_h5_close(out);
        return status;
    }
    fclose(f);
    errno = 0;
    const hid_t list = access_list();
    out->file = H5Fopen(path, append ? H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE : H5F_ACC_RDONLY, list);
    H5Pclose(list);
    if (out->file >= 0)
        return TALUS_OK;
    const talus_status status = damaged(out, "reading", NULL);
    tl_h5_close(out);
    return status;
}

talus_status tl_h5_close(tl_h5* h)
{
    if (!h->ctx)
        return TALUS_OK;
    talus_status status = TALUS_OK;
    errno = 0;
    if (h->file >= 0) {
        // flushed on its own: only then is a full disk told apart from a close that failed for another reason
        if (H5Fflush(h->file, H5F_SCOPE_GLOBAL) < 0)
            status = failed(h, "writing", NULL);
        if (H5Fclose(h->file) < 0 && status == TALUS_OK)
            status = failed(h, "closing", NULL);
    }
    H5E_auto2_t handler;
    memcpy(&handler, &h->handler, sizeof handler);
    H5Eset_auto2(H5E_DEFAULT, handler, h->handler_data);
    *h = (tl_h5){.file = -1};
    return status;
}

talus_status tl_h5_group(tl_h5* h, const char* name)
{
    const hid_t group = H5Gcreate2(h->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0)
        return failed(h, "creating group", name);
    H5Gclose(group);
    return TALUS_OK;
}

#define RANK_MAX 4

talus_status tl_h5_write(tl_h5* h, const char* name, tl_h5_type type, int32_t rank, const int64_t* dims,
                         const void* data)
{
    hsize_t size[RANK_MAX] = {0};
    bool empty = false;
    TL_ASSERT(rank <= RANK_MAX);
    for (int32_t i = 0; i < rank; i++) {
        size[i] = (hsize_t)dims[i];
        empty |= dims[i] == 0;
    }
    const hid_t space = rank ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
    const hid_t set =
        H5Dcreate2(h->file, name, memory_type(type), space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool ok =
        set >= 0 && (empty || H5Dwrite(set, memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    if (set >= 0)
        H5Dclose(set);
    H5Sclose(space);
    return ok ? TALUS_OK : failed(h, "writing", name);
}

static hid_t text_type(const char* text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, TL_MAX(strlen(text), 1));
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

talus_status tl_h5_write_text(tl_h5* h, const char* name, const char* text)
{
    const hid_t type = text_type(text), space = H5Screate(H5S_SCALAR);
    const hid_t set = H5Dcreate2(h->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool ok = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (set >= 0)
        H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    return ok ? TALUS_OK : failed(h, "writing", name);
}

talus_status tl_h5_write_names(tl_h5* h, const char* name, int32_t n, const char* const* texts)
{
    // of one fixed length: arrays of variable strings cannot be read while a file grows
    size_t longest = 1;
    for (int32_t i = 0; i < n; i++)
        longest = TL_MAX(longest, strlen(texts[i]));
    char* block = tl_calloc(h->ctx, longest * (size_t)TL_MAX(n, 1));
    if (!block)
        return tl_nomem(h->ctx, longest * (size_t)n);
    for (int32_t i = 0; i < n; i++)
        memcpy(block + longest * (size_t)i, texts[i], strlen(texts[i]));
    const hsize_t size = (hsize_t)n;
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &size, NULL);
    H5Tset_size(type, longest);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    const hid_t set = H5Dcreate2(h->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool ok = set >= 0 && (n == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, block) >= 0);
    if (set >= 0)
        H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    tl_free(h->ctx, block);
    return ok ? TALUS_OK : failed(h, "writing", name);
}

talus_status tl_h5_series(tl_h5* h, const char* name, tl_h5_type type, int32_t rank, const int64_t* dims,
                          int64_t chunk)
{
    hsize_t size[RANK_MAX] = {0}, most[RANK_MAX] = {H5S_UNLIMITED}, piece[RANK_MAX] = {(hsize_t)chunk};
    TL_ASSERT(rank < RANK_MAX);
    for (int32_t i = 0; i < rank; i++) {
        size[i + 1] = most[i + 1] = (hsize_t)dims[i];
        piece[i + 1] = (hsize_t)TL_MAX(dims[i], 1);
    }
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(rank + 1, size, most);
    H5Pset_chunk(list, rank + 1, piece);
    const hid_t set = H5Dcreate2(h->file, name, memory_type(type), space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(list);
    if (set < 0)
        return failed(h, "creating", name);
    H5Dclose(set);
    return TALUS_OK;
}

static bool append_rows(hid_t set, tl_h5_type type, int64_t rows, const void* data)
{
    hsize_t size[RANK_MAX], from[RANK_MAX] = {0}, count[RANK_MAX];
    hid_t space = H5Dget_space(set);
    const int rank = H5Sget_simple_extent_dims(space, size, NULL);
    H5Sclose(space);
    if (rank < 1)
        return false;
    memcpy(count, size, sizeof count);
    from[0] = size[0];
    count[0] = (hsize_t)rows;
    size[0] += (hsize_t)rows;
    if (H5Dset_extent(set, size) < 0)
        return false;
    space = H5Dget_space(set);
    const hid_t block = H5Screate_simple(rank, count, NULL);
    const bool ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
                    (H5Sget_select_npoints(space) == 0 ||
                     H5Dwrite(set, memory_type(type), block, space, H5P_DEFAULT, data) >= 0);
    H5Sclose(block);
    H5Sclose(space);
    return ok;
}

talus_status tl_h5_append(tl_h5* h, const char* name, tl_h5_type type, int64_t rows, const void* data)
{
    errno = 0;
    const hid_t set = H5Dopen2(h->file, name, H5P_DEFAULT);
    bool ok = set >= 0 && append_rows(set, type, rows, data);
    if (set >= 0)
        ok &= H5Dclose(set) >= 0;
    return ok ? TALUS_OK : failed(h, "appending to", name);
}

static talus_status write_attr(tl_h5* h, const char* object, const char* name, hid_t type, const void* value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attr =
        H5Acreate_by_name(h->file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool ok = attr >= 0 && H5Awrite(attr, type, value) >= 0;
    if (attr >= 0)
        H5Aclose(attr);
    H5Sclose(space);
    return ok ? TALUS_OK : failed(h, "writing attribute", name);
}

talus_status tl_h5_attr_text(tl_h5* h, const char* object, const char* name, const char* text)
{
    // of variable length: h5py shows it as a str
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const talus_status status = write_attr(h, object, name, type, &text);
    H5Tclose(type);
    return status;
}

talus_status tl_h5_attr_real(tl_h5* h, const char* object, const char* name, double x)
{
    return write_attr(h, object, name, H5T_NATIVE_DOUBLE, &x);
}

// ---- reading ----------------------------------------------------------------------------------------------

bool tl_h5_has(tl_h5* h, const char* name)
{
    // each group on the way must be there before the whole name may be asked for
    char part[256];
    for (const char* slash = strchr(name + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - name), name);
        if (H5Lexists(h->file, part, H5P_DEFAULT) <= 0)
            return false;
    }
    return H5Lexists(h->file, name, H5P_DEFAULT) > 0;
}

static talus_status read_set(tl_h5* h, const char* name, hid_t set, tl_h5_type type, tl_arena* memory,
                             void** data, int64_t* n)
{
    const hid_t space = H5Dget_space(set), file_type = H5Dget_type(set);
    const H5T_class_t class = H5Tget_class(file_type);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    H5Tclose(file_type);
    H5Sclose(space);
    // an index read from a dataset of numbers would be cut off silently
    if (class != H5T_INTEGER && (class != H5T_FLOAT || type != TL_H5_F64))
        return tl_fail_at(h->ctx, TALUS_ERR_INPUT, h->path, 0, "%s: %s are wanted", name,
                          type == TL_H5_F64 ? "numbers" : "integers");
    const size_t elem = type == TL_H5_I32 ? sizeof(int32_t) : 8;
    if (count < 0 || (uint64_t)count > SIZE_MAX / 16)
        return damaged(h, "reading", name);
    *n = (int64_t)count;
    *data = tl_arena_alloc(memory, (size_t)TL_MAX(count, 1) * elem);
    if (!*data)
        return tl_nomem(h->ctx, (size_t)count * elem);
    errno = 0;
    if (count > 0 && H5Dread(set, memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, *data) < 0)
        return damaged(h, "reading", name);
    return TALUS_OK;
}

talus_status tl_h5_read(tl_h5* h, const char* name, tl_h5_type type, tl_arena* memory, void** data,
                        int64_t* n)
{
    errno = 0;
    const hid_t set = tl_h5_has(h, name) ? H5Dopen2(h->file, name, H5P_DEFAULT) : -1;
    if (set < 0)
        return tl_fail_at(h->ctx, TALUS_ERR_INPUT, h->path, 0, "%s: missing", name);
    const talus_status status = read_set(h, name, set, type, memory, data, n);
    H5Dclose(set);
    return status;
}

talus_status tl_h5_read_text(tl_h5* h, const char* name, char* text, size_t size)
{
    const hid_t set = tl_h5_has(h, name) ? H5Dopen2(h->file, name, H5P_DEFAULT) : -1;
    if (set < 0)
        return tl_fail_at(h->ctx, TALUS_ERR_INPUT, h->path, 0, "%s: missing", name);
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    bool ok = H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1;
    text[0] = '\0';
    if (ok && H5Tis_variable_str(type) > 0) {
        char* value = NULL;
        const hid_t native = H5Tcopy(type);
        ok = H5Dread(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0 && value;
        if (ok) {
            snprintf(text, size, "%s", value);
            H5free_memory(value);
        }
        H5Tclose(native);
    } else if (ok) {
        const hid_t native = H5Tcopy(H5T_C_S1);
        H5Tset_size(native, size);
        H5Tset_cset(native, H5Tget_cset(type));
        ok = H5Dread(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
        text[size - 1] = '\0';
        H5Tclose(native);
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    return ok ? TALUS_OK : tl_fail_at(h->ctx, TALUS_ERR_INPUT, h->path, 0, "%s: one text is wanted", name);
}

#else // without HDF5 no file can be opened, so the rest is never reached

void tl_h5_no_exit_handler(void)
{
}

talus_status tl_h5_create(talus_context* ctx, const char* path, tl_h5* out)
{
    *out = (tl_h5){.file = -1};
    return tl_fail_at(ctx, TALUS_ERR_UNSUPPORTED, path, 0, "this talus was built without HDF5");
}

talus_status tl_h5_open(talus_context* ctx, const char* path, bool append, tl_h5* out)
{
    (void)append;
    return tl_h5_create(ctx, path, out);
}

talus_status tl_h5_close(tl_h5* h)
{
    (void)h;
    return TALUS_OK;
}

#define NEVER(name, ...)                                                                                     \
    talus_status name(__VA_ARGS__)                                                                           \
    {                                                                                                        \
        return TALUS_ERR_UNSUPPORTED;                                                                        \
    }
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
NEVER(tl_h5_group, tl_h5* h, const char* name)
NEVER(tl_h5_write, tl_h5* h, const char* name, tl_h5_type type, int32_t rank, const int64_t* dims,
      const void* data)
NEVER(tl_h5_write_text, tl_h5* h, const char* name, const char* text)
NEVER(tl_h5_write_names, tl_h5* h, const char* name, int32_t n, const char* const* texts)
NEVER(tl_h5_series, tl_h5* h, const char* name, tl_h5_type type, int32_t rank, const int64_t* dims,
      int64_t chunk)
NEVER(tl_h5_append, tl_h5* h, const char* name, tl_h5_type type, int64_t rows, const void* data)
NEVER(tl_h5_attr_text, tl_h5* h, const char* object, const char* name, const char* text)
NEVER(tl_h5_attr_real, tl_h5* h, const char* object, const char* name, double x)
NEVER(tl_h5_read, tl_h5* h, const char* name, tl_h5_type type, tl_arena* memory, void** data, int64_t* n)
NEVER(tl_h5_read_text, tl_h5* h, const char* name, char* text, size_t size)

bool tl_h5_has(tl_h5* h, const char* name)
{
    (void)h;
    (void)name;
    return false;
}

#endif
