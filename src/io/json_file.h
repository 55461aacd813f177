// SPDX-License-Identifier: MIT
// JSON values on jansson: reading with clear messages, numbers with 17 digits, no NaN.
#pragma once

#include "base.h"
#include <jansson.h>

/// Read a whole file. @return OK, ERR_IO (cannot be read), ERR_INPUT (file:line: what is wrong), ERR_NOMEM
talus_status tl_json_load(talus_context* ctx, const char* path, json_t** out);

/// Write compactly with a final newline to a file (path NULL: standard output), checked to the last byte.
/// @return OK, ERR_IO (names the file), ERR_NOMEM (root is NULL or the text does not fit)
talus_status tl_json_save(talus_context* ctx, const char* path, const json_t* root);

/// A number; null where it is not finite, since JSON has no NaN.
json_t* tl_json_real(double x);
/// An array of n numbers; NULL when out of memory.
json_t* tl_json_reals(const double* x, int64_t n);
/// The same as rows of `width` numbers: [[..], [..], ..].
json_t* tl_json_rows(const double* x, int64_t n, int32_t width);
