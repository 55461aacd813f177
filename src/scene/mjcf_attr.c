// SPDX-License-Identifier: MIT
// Attributes of MJCF elements: numbers, words, quaternions and the other ways to write an orientation. Every
// failure names the file, the line, the element, the attribute and what was expected.
#define _GNU_SOURCE
#include "mjcf.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

tl_src tl_at(const tl_reader* r, const tl_xml_node* n)
{
    return (tl_src){.file = r->doc[n->doc].path, .line = n->line};
}

talus_status tl_bad(const tl_reader* r, const tl_xml_node* n, const char* fmt, ...)
{
    char text[700];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const char* name = tl_xml_get(n, "name");
    return tl_fail_at(r->ctx, TALUS_ERR_INPUT, r->doc[n->doc].path, n->line, "<%s%s%.80s>: %s", n->name,
                      name ? " " : "", name ? name : "", text);
}

/// Next number of a blank-separated list. @return 1 a number, 0 the end, -1 not a number, -2 not finite
static int next_number(const tl_reader* r, const char** p, double* v)
{
    *p += strspn(*p, " \t\r\n");
    if (!**p)
        return 0;
    char* end;
    *v = strtod_l(*p, &end, (locale_t)r->locale);
    if (end == *p || (*end && !strchr(" \t\r\n", *end)))
        return -1;
    if (!isfinite(*v))
        return -2;
    *p = end;
    return 1;
}

static talus_status bad_number(const tl_reader* r, const tl_xml_node* n, const char* attr, const char* p,
                               int code)
{
    return tl_bad(r, n, "attribute '%s': %s '%.*s'", attr,
                  code == -2 ? "not a finite number:" : "expected a number, not",
                  (int)TL_MIN(strcspn(p, " \t\r\n"), 40), p);
}

talus_status tl_read_numbers(tl_reader* r, const tl_xml_node* n, const char* attr, int32_t min, int32_t max,
                             double* v, int32_t* got)
{
    const char* p = tl_xml_get(n, attr);
    *got = 0;
    if (!p)
        return TALUS_OK;
    double x;
    int32_t count = 0;
    for (int code; (code = next_number(r, &p, &x)) != 0; count++) {
        if (code < 0)
            return bad_number(r, n, attr, p, code);
        if (count < max)
            v[count] = x;
    }
    if (count < min || count > max) {
        if (min == max)
            return tl_bad(r, n, "attribute '%s' has %d number%s, expected %d", attr, count,
                          count == 1 ? "" : "s", min);
        return tl_bad(r, n, "attribute '%s' has %d number%s, expected %d to %d", attr, count,
                      count == 1 ? "" : "s", min, max);
    }
    *got = count;
    return TALUS_OK;
}

talus_status tl_read_list(tl_reader* r, const tl_xml_node* n, const char* attr, double** v, int64_t* got)
{
    const char* text = tl_xml_get(n, attr);
    *v = NULL;
    *got = 0;
    if (!text)
        return TALUS_OK;
    int64_t count = 0;
    double x;
    const char* p = text;
    for (int code; (code = next_number(r, &p, &x)) != 0; count++)
        if (code < 0)
            return bad_number(r, n, attr, p, code);
    double* out = tl_pool_alloc(&r->pool, sizeof *out * (size_t)TL_MAX(count, 1));
    if (!out)
        return tl_nomem(r->ctx, sizeof *out * (size_t)count);
    p = text;
    for (int64_t i = 0; i < count; i++)
        next_number(r, &p, &out[i]);
    *v = out;
    *got = count;
    return TALUS_OK;
}

int32_t tl_choice(const char* choices, const char* word)
{
    const size_t n = strlen(word);
    int32_t index = 0;
    for (const char* p = choices; *p; index++) {
        const size_t k = strcspn(p, "|");
        if (k == n && memcmp(p, word, n) == 0)
            return index;
        p += k + (p[k] == '|');
    }
    return -1;
}

static talus_status read_integer(tl_reader* r, const tl_xml_node* n, const char* attr, int32_t* out)
{
    double v;
    int32_t got;
    TL_TRY(tl_read_numbers(r, n, attr, 1, 1, &v, &got));
    if (!got)
        return TALUS_OK;
    if (v != floor(v) || fabs(v) > INT_MAX)
        return tl_bad(r, n, "attribute '%s': expected an integer, not %g", attr, v);
    *out = (int32_t)v;
    return TALUS_OK;
}

talus_status tl_read_fields(tl_reader* r, const tl_xml_node* n, const tl_field* fields, int32_t count,
                            void* object)
{
    for (int32_t i = 0; i < count; i++) {
        const tl_field* f = &fields[i];
        void* to = (char*)object + f->offset;
        int32_t got;
        const char* text = tl_xml_get(n, f->name);
        if (!text)
            continue;
        switch (f->kind) {
        case FIELD_NUM:
            TL_TRY(tl_read_numbers(r, n, f->name, f->min, f->max, to, &got));
            break;
        case FIELD_INT:
            TL_TRY(read_integer(r, n, f->name, to));
            break;
        case FIELD_ENUM:
            got = tl_choice(f->choices, text);
            if (got < 0)
                return tl_bad(r, n, "attribute '%s': unknown '%.40s'; expected: %s", f->name, text,
                              f->choices);
            *(int32_t*)to = got;
            break;
        default:
            *(const char**)to = text;
        }
    }
    return TALUS_OK;
}

talus_status tl_read_quat(tl_reader* r, const tl_xml_node* n, double* quat)
{
    int32_t got;
    TL_TRY(tl_read_numbers(r, n, "quat", 4, 4, quat, &got));
    if (got && !tl_quat_normalize(quat))
        return tl_bad(r, n, "attribute 'quat': a zero quaternion is not a rotation");
    return TALUS_OK;
}

talus_status tl_read_alt(tl_reader* r, const tl_xml_node* n, tl_alt* alt)
{
    static const struct {
        const char* name;
        int32_t kind, size;
    } kinds[] = {{"axisangle", ALT_AXISANGLE, 4},
                 {"xyaxes", ALT_XYAXES, 6},
                 {"zaxis", ALT_ZAXIS, 3},
                 {"euler", ALT_EULER, 3}};
    int count = tl_xml_get(n, "quat") != NULL;
    if (count)
        alt->kind = ALT_NONE; // over the one of a default class
    for (int32_t i = 0; i < TL_COUNT(kinds); i++) {
        double v[6];
        int32_t got;
        TL_TRY(tl_read_numbers(r, n, kinds[i].name, kinds[i].size, kinds[i].size, v, &got));
        if (!got)
            continue;
        count++;
        alt->kind = kinds[i].kind;
        memcpy(alt->v, v, sizeof(double) * (size_t)kinds[i].size);
    }
    return count > 1 ? tl_bad(r, n, "more than one of quat, axisangle, xyaxes, zaxis, euler") : TALUS_OK;
}

static double norm3(const double* v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/// v /= |v|; false when it is too short to have a direction
static bool normalize3(double* v)
{
    const double n = norm3(v);
    if (!(n > 1e-14))
        return false;
    for (int i = 0; i < 3; i++)
        v[i] /= n;
    return true;
}

static talus_status resolve_axes(tl_reader* r, const tl_xml_node* n, const double* v, double* quat)
{
    double x[3], y[3];
    memcpy(x, v, sizeof x);
    memcpy(y, v + 3, sizeof y);
    if (!normalize3(x))
        return tl_bad(r, n, "attribute 'xyaxes': the x axis is zero");
    const double d = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    for (int i = 0; i < 3; i++)
        y[i] -= d * x[i];
    if (!normalize3(y))
        return tl_bad(r, n, "attribute 'xyaxes': the y axis is zero or along x");
    const double z[3] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
    const double R[9] = {x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]};
    tl_mat_to_quat(R, quat);
    return TALUS_OK;
}

/// Rotations about the letters of the sequence: lower case about the axes so far, upper case about the fixed
/// ones.
static void resolve_euler(const char* sequence, const double* angle, double* quat)
{
    double q[4] = {1.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        double rot[4] = {cos(angle[i] / 2), 0.0, 0.0, 0.0}, out[4];
        const char c = sequence[i];
        rot[1 + (c | 32) - 'x'] = sin(angle[i] / 2);
        if (c >= 'x')
            tl_quat_mul(q, rot, out);
        else
            tl_quat_mul(rot, q, out);
        memcpy(q, out, sizeof q);
    }
    tl_quat_normalize(q);
    memcpy(quat, q, sizeof q);
}

talus_status tl_resolve_alt(tl_reader* r, const tl_xml_node* n, const tl_spec_compiler* c, const tl_alt* alt,
                            double* quat)
{
    const double unit = c->degree ? 3.14159265358979323846 / 180.0 : 1.0;
    double v[6];
    memcpy(v, alt->v, sizeof v);
    switch (alt->kind) {
    case ALT_AXISANGLE:
        if (!normalize3(v))
            return tl_bad(r, n, "attribute 'axisangle': the axis is zero");
        quat[0] = cos(v[3] * unit / 2);
        for (int i = 0; i < 3; i++)
            quat[i + 1] = v[i] * sin(v[3] * unit / 2);
        return TALUS_OK;
    case ALT_XYAXES:
        return resolve_axes(r, n, v, quat);
    case ALT_ZAXIS:
        if (!normalize3(v))
            return tl_bad(r, n, "attribute 'zaxis': the axis is zero");
        tl_quat_from_z(v, quat);
        return TALUS_OK;
    case ALT_EULER:
        for (int i = 0; i < 3; i++)
            v[i] *= unit;
        resolve_euler(c->eulerseq, v, quat);
        return TALUS_OK;
    default:
        return TALUS_OK;
    }
}

talus_status tl_read_pose(tl_reader* r, const tl_xml_node* n, const tl_spec_compiler* c, double* pos,
                          double* quat)
{
    tl_alt alt = {.kind = ALT_NONE};
    int32_t got;
    TL_TRY(tl_read_numbers(r, n, "pos", 3, 3, pos, &got));
    TL_TRY(tl_read_quat(r, n, quat));
    TL_TRY(tl_read_alt(r, n, &alt));
    return tl_resolve_alt(r, n, c, &alt, quat);
}
