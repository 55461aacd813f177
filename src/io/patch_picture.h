// SPDX-License-Identifier: MIT
// Map of one contact patch.
#pragma once

#include "patch.h"

/// Write a PNG: the faces seen from A against their mean normal, coloured by pressure, with scales and totals. An empty
/// patch gives an empty map. @param p  keeps its corners   @return OK, ERR_IO, ERR_NOMEM, ERR_UNSUPPORTED (no cairo)
talus_status tl_patch_picture_save(talus_context* ctx, const char* title, const tl_patch* p,
                                   const char* path);
