// SPDX-License-Identifier: MIT
// The progress line of a run.
#define _GNU_SOURCE
#include "simulate.h"

#include <unistd.h>

#define BAR 30

void cli_progress_begin(cli_progress* p)
{
    p->start = tl_now();
    p->terminal = isatty(STDERR_FILENO) == 1;
    p->next = p->start + (p->terminal ? 0.2 : 5.0);
}

static void print_duration(char* out, size_t size, double s)
{
    if (s < 100)
        snprintf(out, size, "%.0f s", s);
    else if (s < 6000)
        snprintf(out, size, "%.0f min", s / 60);
    else
        snprintf(out, size, "%.1f h", s / 3600);
}

void cli_progress_show(cli_progress* p, cli_args* args, int64_t step, int64_t steps, double dt,
                       int32_t contacts)
{
    const double now = tl_now();
    if (args->quiet || now < p->next)
        return;
    p->next = now + (p->terminal ? 0.1 : 5.0);
    const double done = (double)step / (double)TL_MAX(steps, 1), spent = now - p->start;
    char left[32], bar[BAR + 1];
    print_duration(left, sizeof left, done > 0 ? spent * (1 - done) / done : 0);
    for (int32_t i = 0; i < BAR; i++)
        bar[i] = i < done * BAR ? '#' : '.';
    bar[BAR] = '\0';
    fprintf(stderr, "%s[%s] %3.0f %%  %.4g of %.4g s  %d contacts  %.2gx real time  %s left%s",
            p->terminal ? "\r" : "", bar, 100 * done, (double)step * dt, (double)steps * dt, contacts,
            (double)step * dt / TL_MAX(spent, 1e-9), left, p->terminal ? "\033[K" : "\n");
    fflush(stderr);
    args->progress_shown = p->terminal;
}

void cli_progress_end(cli_progress* p, cli_args* args)
{
    (void)p;
    if (args->progress_shown)
        fputs("\r\033[K", stderr);
    args->progress_shown = false;
}
