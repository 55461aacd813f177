// SPDX-License-Identifier: MIT
// Private to the height-field files of module scene.
#pragma once

#include "scene.h"

#define TL_HFIELD_MOST (1 << 28) // points of a grid

/// "file:line: <hfield NAME>: text", ERR_INPUT
talus_status tl_hfield_bad(const tl_spec* s, const tl_spec_hfield* h, const char* fmt, ...) TL_PRINTF(3, 4);
/// Sets nrow, ncol and makes room for the elevation; refuses sizes below 2 and above TL_HFIELD_MOST.
talus_status tl_hfield_resize(tl_spec* s, tl_spec_hfield* h, int64_t nrow, int64_t ncol);
/// hfield_png.c: grey values of h->file, open in f; the picture's first row is the one at +y.
talus_status tl_hfield_read_png(tl_spec* s, tl_spec_hfield* h, void* f);
