// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L // mkstemp
#include "scene.h"

#include <stdlib.h>
#include <unistd.h>

#include "base.h"
#include "gen.h"

// a model is read from a file
talus_status scene_load(talus_context* ctx, const char* family, int32_t n, talus_model** model)
{
    char path[] = "/tmp/talus_bench_XXXXXX";
    tl_text text;
    talus_status status = tl_gen_scene(ctx, family, n, 0, &text);
    const int fd = status < 0 ? -1 : mkstemp(path);
    if (fd >= 0) {
        const bool written = write(fd, text.data, (size_t)text.length) == (ssize_t)text.length;
        close(fd);
        status = written ? talus_model_load(ctx, path, NULL, model) : TALUS_ERR_IO;
        unlink(path);
    } else if (status >= 0)
        status = TALUS_ERR_IO;
    tl_text_fini(&text);
    return status;
}
