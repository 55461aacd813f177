// SPDX-License-Identifier: MIT
// A cursor over files of text and binary numbers. The text has a final zero, so that strtod and strtoll end;
// binary reads check the bytes left. A line number is counted when a message needs it.
#define _GNU_SOURCE
#include "mesh_file.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

size_t tl_number_size(tl_number type)
{
    static const size_t size[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return size[type];
}

static int32_t line_of(const tl_scan* s)
{
    int32_t line = s->line0;
    for (const char* p = s->begin; p < s->p && line < INT32_MAX; p++)
        line += *p == '\n';
    return line;
}

talus_status tl_scan_bad(const tl_scan* s, const char* fmt, ...)
{
    char text[300], place[40];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (s->binary)
        snprintf(place, sizeof place, "byte %lld", (long long)(s->p - s->begin));
    else
        snprintf(place, sizeof place, "line %d", line_of(s));
    return tl_mesh_file_bad(s->m, "%s: %s%s%s", place, s->where ? s->where : "", s->where ? ": " : "", text);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_blanks(tl_scan* s)
{
    while (s->p < s->end && is_blank(*s->p))
        s->p++;
}

const char* tl_scan_word(tl_scan* s, int32_t* length)
{
    skip_blanks(s);
    const char* word = s->p;
    while (s->p < s->end && !is_blank(*s->p))
        s->p++;
    *length = (int32_t)TL_MIN(s->p - word, INT32_MAX);
    return *length ? word : NULL;
}

bool tl_scan_is(const char* word, int32_t length, const char* want)
{
    return word && length == (int32_t)strlen(want) && strncasecmp(word, want, (size_t)length) == 0;
}

void tl_scan_skip_line(tl_scan* s)
{
    while (s->p < s->end && *s->p != '\n')
        s->p++;
    s->p += s->p < s->end;
}

/// The word at the cursor for a message, and the end of it.
static talus_status bad_word(tl_scan* s, const char* expected)
{
    const char* at = s->p;
    int32_t length;
    const char* word = tl_scan_word(s, &length);
    s->p = at;
    if (!word)
        return tl_scan_bad(s, "the file ends too early; expected: %s", expected);
    return tl_scan_bad(s, "'%.*s'; expected: %s", TL_MIN(length, 40), word, expected);
}

talus_status tl_scan_line_end(tl_scan* s)
{
    while (s->p < s->end && is_blank(*s->p) && *s->p != '\n')
        s->p++;
    if (s->p < s->end && *s->p != '\n')
        return bad_word(s, "the end of the line");
    s->p += s->p < s->end;
    return TALUS_OK;
}

talus_status tl_scan_int(tl_scan* s, int64_t least, int64_t most, int64_t* out)
{
    char expected[80];
    skip_blanks(s);
    char* stop;
    errno = 0;
    const long long x = strtoll(s->p, &stop, 10);
    if (stop == s->p || stop > s->end || (stop < s->end && !is_blank(*stop)) || errno || x < least ||
        x > most) {
        snprintf(expected, sizeof expected, "an integer from %lld to %lld", (long long)least,
                 (long long)most);
        return bad_word(s, expected);
    }
    *out = x;
    s->p = stop;
    return TALUS_OK;
}

talus_status tl_scan_double(tl_scan* s, double* out)
{
    skip_blanks(s);
    char* stop;
    *out = strtod_l(s->p, &stop, (locale_t)s->m->locale);
    if (stop == s->p || stop > s->end || (stop < s->end && !is_blank(*stop)) || !isfinite(*out))
        return bad_word(s, "a finite number");
    s->p = stop;
    return TALUS_OK;
}

talus_status tl_scan_room(const tl_scan* s, int64_t n, int64_t bytes, const char* what)
{
    if (n <= (s->end - s->p + bytes) / bytes) // the last one may lack its white space
        return TALUS_OK;
    return tl_scan_bad(s, "%lld %s, but only %lld bytes are left in the file", (long long)n, what,
                       (long long)(s->end - s->p));
}

talus_status tl_scan_binary(tl_scan* s, tl_number type, int64_t n, const char** data)
{
    const int64_t size = (int64_t)tl_number_size(type), left = s->end - s->p;
    if (n < 0 || n > left / size)
        return tl_scan_bad(s,
                           "the file ends too early: %lld numbers of %lld bytes are expected, %lld bytes "
                           "are left",
                           (long long)n, (long long)size, (long long)left);
    *data = s->p;
    s->p += n * size;
    return TALUS_OK;
}

talus_status tl_scan_binary_int(tl_scan* s, tl_number type, int64_t least, int64_t most, int64_t* out)
{
    const char* data = NULL;
    TL_TRY(tl_scan_binary(s, type, 1, &data));
    *out = tl_number_int(data, type, 0, s->swap);
    if (*out >= least && *out <= most)
        return TALUS_OK;
    s->p = data;
    return tl_scan_bad(s, "%lld; expected: an integer from %lld to %lld", (long long)*out, (long long)least,
                       (long long)most);
}

static void fetch(const char* data, tl_number type, int64_t i, bool swap, void* out)
{
    const size_t n = tl_number_size(type);
    char* to = out;
    data += (size_t)i * n;
    for (size_t k = 0; k < n; k++)
        to[k] = data[swap ? n - 1 - k : k];
}

int64_t tl_number_int(const char* data, tl_number type, int64_t i, bool swap)
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } v;
    fetch(data, type, i, swap, &v);
    switch (type) {
    case TL_INT8:
        return v.i8;
    case TL_UINT8:
        return v.u8;
    case TL_INT16:
        return v.i16;
    case TL_UINT16:
        return v.u16;
    case TL_INT32:
        return v.i32;
    case TL_UINT32:
        return v.u32;
    case TL_INT64:
        return v.i64;
    case TL_UINT64:
        return v.u64 > INT64_MAX ? INT64_MAX : (int64_t)v.u64;
    case TL_FLOAT32:
        return fabsf(v.f32) <= 4e18F ? (int64_t)v.f32 : INT64_MIN;
    case TL_FLOAT64:
        break;
    }
    return fabs(v.f64) <= 4e18 ? (int64_t)v.f64 : INT64_MIN;
}

double tl_number_double(const char* data, tl_number type, int64_t i, bool swap)
{
    float f32;
    double f64;
    switch (type) {
    case TL_FLOAT32:
        fetch(data, type, i, swap, &f32);
        return f32;
    case TL_FLOAT64:
        fetch(data, type, i, swap, &f64);
        return f64;
    default:
        return (double)tl_number_int(data, type, i, swap);
    }
}
