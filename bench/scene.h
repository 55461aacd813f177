// SPDX-License-Identifier: MIT
// Generated scenes for benchmarks.
#pragma once

#include <talus/talus.h>

/// A scene of `talus gen FAMILY -n N`, loaded. @return OK, ERR_ARG, ERR_IO, ERR_NOMEM
talus_status scene_load(talus_context* ctx, const char* family, int32_t n, talus_model** model);
/// The scene of an MJCF text. @return as above
talus_status scene_load_text(talus_context* ctx, const char* text, size_t length, talus_model** model);
