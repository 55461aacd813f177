// SPDX-License-Identifier: MIT
// Files of one command line that are the same: an output is not written over an input or another output.
#define _GNU_SOURCE
#include "cli.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct named {
    const char *option, *path;
} named;

// the file as its folder and name, links of the folder followed. @return false: the folder is not there
static bool place(const char* path, char* out)
{
    char copy[PATH_MAX], folder[PATH_MAX];
    if (strlen(path) >= sizeof copy)
        return false;
    strcpy(copy, path);
    if (!realpath(dirname(copy), folder))
        return false;
    strcpy(copy, path);
    return snprintf(out, PATH_MAX, "%s/%s", folder, basename(copy)) < PATH_MAX;
}

// devices and pipes may be named as often as one likes
static bool is_same(const char* a, const char* b)
{
    struct stat x, y;
    char p[PATH_MAX], q[PATH_MAX];
    const bool has_a = stat(a, &x) == 0, has_b = stat(b, &y) == 0;
    if (has_a && has_b)
        return x.st_dev == y.st_dev && x.st_ino == y.st_ino && S_ISREG(x.st_mode);
    return !has_a && !has_b && place(a, p) && place(b, q) && strcmp(p, q) == 0;
}

talus_status cli_check_files(const cli_command* command, const cli_args* a)
{
    const bool reads = strstr(command->args_doc, "SCENE") || strstr(command->args_doc, "FILE");
    // --state may be written again: it is read as a whole before
    const named in[] = {{a->command, reads ? a->file[0] : NULL},
                        {a->command, reads ? a->file[1] : NULL},
                        {"--cases", a->cases}};
    const named out[] = {{"--out", a->out},         {"--final", a->final}, {"--picture", a->picture},
                         {"--capture", a->capture}, {"--vtu", a->vtu},     {"-o", a->output}};
    for (int32_t i = 0; i < TL_COUNT(out); i++) {
        for (int32_t k = 0; k < TL_COUNT(in) && out[i].path; k++)
            if (in[k].path && is_same(in[k].path, out[i].path))
                return tl_fail(a->ctx, TALUS_ERR_ARG, "%s %s: would write over the file that %s reads",
                               out[i].option, out[i].path, in[k].option);
        for (int32_t k = 0; k < i && out[i].path; k++)
            if (out[k].path && is_same(out[k].path, out[i].path))
                return tl_fail(a->ctx, TALUS_ERR_ARG, "%s and %s name the same file %s", out[k].option,
                               out[i].option, out[i].path);
    }
    if (a->state && ((a->out && is_same(a->state, a->out)) || (a->picture && is_same(a->state, a->picture)) ||
                     (a->capture && is_same(a->state, a->capture))))
        return tl_fail(a->ctx, TALUS_ERR_ARG, "--state %s: only --final may write over it", a->state);
    return TALUS_OK;
}
