// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L // mkstemp
#include "scene.h"

#include <stdlib.h>
#include <unistd.h>

#include "base.h"
#include "gen.h"

// a model is read from a file
talus_status scene_load_text(talus_context* ctx, const char* text, size_t length, talus_model** model)
{
    char path[] = "/tmp/talus_bench_XXXXXX";
    const int fd = mkstemp(path);
    if (fd < 0)
        return TALUS_ERR_IO;
    const bool written = write(fd, text, length) == (ssize_t)length;
    close(fd);
    const talus_status status = written ? talus_model_load(ctx, path, NULL, model) : TALUS_ERR_IO;
    unlink(path);
    return status;
}

talus_status scene_load(talus_context* ctx, const char* family, int32_t n, talus_model** model)
{
    tl_text text;
    talus_status status = tl_gen_scene(ctx, family, n, 0, &text);
    if (status >= 0)
        status = scene_load_text(ctx, text.data, (size_t)text.length, model);
    tl_text_fini(&text);
    return status;
}
