// SPDX-License-Identifier: MIT
// The few HDF5 operations the product needs; h5.c alone sees the library's headers.
#pragma once

#include "base.h"

/// An open file. Every failure names the file and the object.
typedef struct tl_h5 {
    talus_context* ctx;
    const char* path;
    int64_t file;
    bool failed;   // told once
    void* handler; // the library's error printer, restored by close
    void* handler_data;
} tl_h5;

typedef enum tl_h5_type { TL_H5_F64, TL_H5_I32, TL_H5_I64 } tl_h5_type;

/// For programs, before the first use: the library's handler at exit has nothing to close then, but where a
/// file could not be written it would print pages about it.
void tl_h5_no_exit_handler(void);

/// Replace or make a file. @return OK, ERR_IO, ERR_UNSUPPORTED (built without HDF5)
talus_status tl_h5_create(talus_context* ctx, const char* path, tl_h5* out);
/// Open to read, or to append so that others may read meanwhile (single writer, many readers).
talus_status tl_h5_open(talus_context* ctx, const char* path, bool append, tl_h5* out);
/// Everything is on its way to the disk when this returns OK. Safe on a zeroed struct.
talus_status tl_h5_close(tl_h5* h);

talus_status tl_h5_group(tl_h5* h, const char* name);
/// A dataset of fixed size; rank 0: a scalar.
talus_status tl_h5_write(tl_h5* h, const char* name, tl_h5_type type, int32_t rank, const int64_t* dims,
                         const void* data);
talus_status tl_h5_write_text(tl_h5* h, const char* name, const char* text);
/// An array of texts.
talus_status tl_h5_write_names(tl_h5* h, const char* name, int32_t n, const char* const* texts);
/// A dataset that grows in its first dimension; rank, dims: of one row. chunk: rows a chunk.
talus_status tl_h5_series(tl_h5* h, const char* name, tl_h5_type type, int32_t rank, const int64_t* dims,
                          int64_t chunk);
talus_status tl_h5_append(tl_h5* h, const char* name, tl_h5_type type, int64_t rows, const void* data);
/// Attributes; object "/" is the file itself.
talus_status tl_h5_attr_text(tl_h5* h, const char* object, const char* name, const char* text);
talus_status tl_h5_attr_real(tl_h5* h, const char* object, const char* name, double x);

bool tl_h5_has(tl_h5* h, const char* name);
/// All values of a dataset, converted to `type`, in `memory`. @param n number of values
/// @return OK, ERR_INPUT (missing, or not numbers), ERR_NOMEM
talus_status tl_h5_read(tl_h5* h, const char* name, tl_h5_type type, tl_arena* memory, void** data,
                        int64_t* n);
/// A text dataset, cut to size - 1 bytes.
talus_status tl_h5_read_text(tl_h5* h, const char* name, char* text, size_t size);
