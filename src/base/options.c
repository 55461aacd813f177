// SPDX-License-Identifier: MIT
// One parser for every option list: a value outside its range or an unknown name is an error that teaches.
#include "base.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

static int32_t find_choice(const char* choices, const char* value)
{
    const size_t n = strlen(value);
    int32_t index = 0;
    for (const char* p = choices;; index++) {
        const char* end = strchr(p, '|');
        const size_t len = end ? (size_t)(end - p) : strlen(p);
        if (len == n && n > 0 && strncmp(p, value, n) == 0)
            return index;
        if (!end)
            return -1;
        p = end + 1;
    }
}

talus_status talus_option_set(talus_context* ctx, const talus_option_info* list, int32_t n, void* options,
                              const char* name, const char* value)
{
    const talus_option_info* o = NULL;
    for (int32_t i = 0; i < n && !o; i++)
        if (strcmp(list[i].name, name) == 0)
            o = &list[i];
    if (!o)
        return tl_fail(ctx, TALUS_ERR_ARG, "unknown option '%s'; `talus info options` lists them all", name);
    char* field = (char*)options + o->offset;
    if (o->kind == TALUS_OPTION_ENUM) {
        const int32_t index = find_choice(o->choices, value);
        if (index < 0)
            return tl_fail(ctx, TALUS_ERR_ARG, "option %s: '%s' is not one of %s", name, value, o->choices);
        memcpy(field, &index, sizeof index);
        return TALUS_OK;
    }
    char* end;
    errno = 0;
    const double x = strtod(value, &end);
    if (end == value || *end || !isfinite(x) || x < o->min || x > o->max ||
        (o->kind == TALUS_OPTION_INT && x != floor(x)))
        return tl_fail(ctx, TALUS_ERR_ARG, "option %s: '%s' is not %s from %g to %g [%s]", name, value,
                       o->kind == TALUS_OPTION_INT ? "an integer" : "a number", o->min, o->max, o->unit);
    if (o->kind == TALUS_OPTION_INT) {
        const int32_t i = (int32_t)x;
        memcpy(field, &i, sizeof i);
    } else {
        memcpy(field, &x, sizeof x);
    }
    return TALUS_OK;
}
