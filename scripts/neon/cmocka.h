// SPDX-License-Identifier: MIT
// As much of cmocka's interface as the tests of kernels and linear algebra use: Debian has cmocka for the machine it runs
// on only, and scripts/neon/run tests code for another one.
#pragma once

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char* name;
    void (*run)(void** state);
};

#define cmocka_unit_test(f) {#f, f}
#define fail_msg(...) (fprintf(stderr, __VA_ARGS__), fprintf(stderr, "\n%s:%d\n", __FILE__, __LINE__), exit(1))
#define print_message(...) printf(__VA_ARGS__)
#define skip() exit(77)
#define assert_true(x) ((x) ? (void)0 : fail_msg("not true: %s", #x))
#define assert_false(x) assert_true(!(x))
#define assert_non_null(x) assert_true((x) != NULL)
#define assert_null(x) assert_true((x) == NULL)
#define assert_int_equal(a, b) assert_true((intmax_t)(a) == (intmax_t)(b))
#define assert_int_not_equal(a, b) assert_true((intmax_t)(a) != (intmax_t)(b))
#define assert_string_equal(a, b) assert_true(strcmp(a, b) == 0)
#define assert_string_not_equal(a, b) assert_true(strcmp(a, b) != 0)
#define assert_memory_equal(a, b, n) assert_true(memcmp(a, b, n) == 0)
#define assert_ptr_equal(a, b) assert_true((a) == (b))
#define assert_in_range(x, lo, hi) assert_true((x) >= (lo) && (x) <= (hi))

static inline int test_run_all(const struct CMUnitTest* tests, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        tests[i].run(NULL);
        printf("ok %s\n", tests[i].name);
        fflush(stdout);
    }
    return 0;
}
#define cmocka_run_group_tests(tests, setup, teardown) test_run_all(tests, sizeof(tests) / sizeof((tests)[0]))
