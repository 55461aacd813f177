// SPDX-License-Identifier: MIT
// Log-log plots with fitted powers, for scaling studies.
#pragma once

#include "base.h"

/// One line of a plot: y = factor x^exponent is fitted to it.
typedef struct tl_series {
    char name[48];
    int32_t n;
    const double *x, *y; // (n) positive
} tl_series;

typedef struct tl_loglog {
    const char *title, *x_label, *y_label;
    int32_t nseries;
    const tl_series* series;
} tl_loglog;

/// Least squares of log y over log x. @return false: fewer than two different x
bool tl_power_fit(const tl_series* s, double* exponent, double* factor);
/// Write as PNG. @return OK, ERR_IO, ERR_UNSUPPORTED (this build draws no pictures), ERR_NOMEM
talus_status tl_loglog_save(talus_context* ctx, const tl_loglog* p, const char* path);
