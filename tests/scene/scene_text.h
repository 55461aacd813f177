// SPDX-License-Identifier: MIT
// Scenes as text in tests: write a file into a folder of this process, load it, keep the messages.
#pragma once

#include "test.h"
#include "model.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct scene_log {
    char error[1200], notice[4000];
    int32_t errors, notices;
} scene_log;

static inline void scene_message(void* user, const talus_message* m)
{
    scene_log* log = user;
    if (m->severity == TALUS_ERROR) {
        snprintf(log->error, sizeof log->error, "%s", m->text);
        log->errors++;
    } else {
        const size_t n = strlen(log->notice);
        snprintf(log->notice + n, sizeof log->notice - n, "%s\n", m->text);
        log->notices++;
    }
}

static inline talus_context* scene_context(scene_log* log)
{
    memset(log, 0, sizeof *log);
    talus_context_def def = talus_context_default();
    def.nthreads = 1;
    def.message = scene_message;
    def.message_user = log;
    talus_context* ctx = NULL;
    assert_int_equal(talus_context_create(&def, &ctx), TALUS_OK);
    return ctx;
}

/// Path of a file in this process's folder; the result lives until the next four calls.
static inline const char* scene_path(const char* name)
{
    static char paths[4][256];
    static int next;
    char* p = paths[next++ % 4];
    snprintf(p, sizeof paths[0], "/tmp/talus_scene_%ld", (long)getpid());
    mkdir(p, 0700);
    snprintf(p, sizeof paths[0], "/tmp/talus_scene_%ld/%s", (long)getpid(), name);
    return p;
}

static inline const char* scene_write_bytes(const char* name, const void* data, size_t n)
{
    const char* path = scene_path(name);
    FILE* f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    fclose(f);
    return path;
}

static inline const char* scene_write(const char* name, const char* text)
{
    return scene_write_bytes(name, text, strlen(text));
}

static inline talus_status scene_load(talus_context* ctx, const char* text, int32_t strict, talus_model** m)
{
    talus_load_options o = talus_load_default();
    o.strict = strict;
    *m = NULL;
    return talus_model_load(ctx, scene_write("scene.xml", text), &o, m);
}

/// A model that must load.
static inline talus_model* scene_model(talus_context* ctx, scene_log* log, const char* text)
{
    talus_model* m = NULL;
    if (scene_load(ctx, text, 0, &m) != TALUS_OK)
        fail_msg("%s", log->error);
    return m;
}
