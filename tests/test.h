// SPDX-License-Identifier: MIT
// cmocka with a worst-offender comparison: which index, got, want, allowed.
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base.h"

/// TALUS_TOL_SCALE=0 shows the real margins: every comparison fails and prints its worst offender.
static inline double test_tol_scale(void)
{
    const char* s = getenv("TALUS_TOL_SCALE");
    return s ? atof(s) : 1.0;
}

/// |got - want| <= tol max(1e-300, scale) for each i; scale 0: max |want|.
static inline void test_near(const char* what, const double* got, const double* want, int64_t n, double tol,
                             double scale)
{
    double largest = scale, worst = -1.0;
    int64_t at = -1;
    if (scale <= 0.0)
        for (int64_t i = 0; i < n; i++)
            largest = fmax(largest, fabs(want[i]));
    for (int64_t i = 0; i < n; i++) {
        const double e = fabs(got[i] - want[i]);
        if (!(e <= worst)) {
            worst = e;
            at = i;
        }
        if (!isfinite(e))
            break;
    }
    const double allowed = tol * fmax(largest, 1e-300) * test_tol_scale();
    if (n > 0 && !(worst <= allowed))
        fail_msg("%s[%lld]: got %.17g, want %.17g, off by %.3g, allowed %.3g", what, (long long)at, got[at],
                 want[at], worst, allowed);
}

static inline void test_near1(const char* what, double got, double want, double tol)
{
    test_near(what, &got, &want, 1, tol, fabs(want) > 0 ? fabs(want) : 1.0);
}

static inline void test_print_message(void* user, const talus_message* m)
{
    (void)user;
    fprintf(stderr, "%s\n", m->text);
}

/// A context with `threads` threads that prints messages.
static inline talus_context* test_context(int32_t threads)
{
    talus_context_def def = talus_context_default();
    def.nthreads = threads;
    def.message = test_print_message;
    talus_context* ctx = NULL;
    assert_int_equal(talus_context_create(&def, &ctx), TALUS_OK);
    return ctx;
}
