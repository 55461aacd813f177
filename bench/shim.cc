// SPDX-License-Identifier: MIT
// The C face of Google Benchmark (shim.h). bm_state and bm_case wrap the library's objects.
#include "shim.h"

#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <ctime>

// what bm_next needs beside the library's state: its own clock, so that counters may hold times and shares
struct bm_state {
    benchmark::State& state;
    bool wall;
    bool started = false;
    double start = 0.0, elapsed = 0.0;
};

// a registered benchmark; lives to the end of the program, as the library's own object does
struct bm_case {
    benchmark::internal::Benchmark* benchmark;
    bm_fn* fn;
    void* user;
    bool wall = false;
};

namespace {

double now(const bm_state* s)
{
    timespec t;
    clock_gettime(s->wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

std::vector<std::unique_ptr<bm_case>>& cases()
{
    static std::vector<std::unique_ptr<bm_case>> list;
    return list;
}

} // namespace

extern "C" {

bm_case* bm_register(const char* name, bm_fn* fn, void* user)
{
    auto made = std::make_unique<bm_case>(bm_case{nullptr, fn, user});
    bm_case* c = made.get();
    c->benchmark = benchmark::RegisterBenchmark(name, [c](benchmark::State& state) {
        bm_state s{state, c->wall};
        c->fn(&s, c->user);
    });
    cases().push_back(std::move(made));
    return c;
}

void bm_unit(bm_case* c, const char* unit)
{
    benchmark::TimeUnit u = benchmark::kNanosecond;
    if (std::strcmp(unit, "us") == 0)
        u = benchmark::kMicrosecond;
    else if (std::strcmp(unit, "ms") == 0)
        u = benchmark::kMillisecond;
    else if (std::strcmp(unit, "s") == 0)
        u = benchmark::kSecond;
    c->benchmark->Unit(u);
}

void bm_real_time(bm_case* c)
{
    c->wall = true;
    c->benchmark->UseRealTime();
}

void bm_manual_time(bm_case* c)
{
    c->benchmark->UseManualTime();
}

void bm_iterations(bm_case* c, int64_t n)
{
    c->benchmark->Iterations(n);
}

bool bm_next(bm_state* s)
{
    if (!s->started) {
        s->started = true;
        const bool any = s->state.KeepRunning();
        s->start = now(s);
        return any;
    }
    if (s->state.KeepRunning())
        return true;
    s->elapsed += now(s) - s->start;
    return false;
}

void bm_pause(bm_state* s)
{
    s->elapsed += now(s) - s->start;
    s->state.PauseTiming();
}

void bm_resume(bm_state* s)
{
    s->state.ResumeTiming();
    s->start = now(s);
}

void bm_took(bm_state* s, double seconds)
{
    s->state.SetIterationTime(seconds);
}

double bm_seconds(const bm_state* s)
{
    return s->elapsed / double(s->state.iterations());
}

void bm_fail(bm_state* s, const char* why)
{
    s->state.SkipWithError(why);
}

void bm_counter(bm_state* s, const char* name, double value)
{
    s->state.counters[name] = benchmark::Counter(value);
}

void bm_rate(bm_state* s, const char* name, double per_iteration)
{
    s->state.counters[name] =
        benchmark::Counter(per_iteration, benchmark::Counter::kIsIterationInvariantRate);
}

void bm_items(bm_state* s, int64_t per_iteration)
{
    s->state.SetItemsProcessed(s->state.iterations() * per_iteration);
}

void bm_bytes(bm_state* s, int64_t per_iteration)
{
    s->state.SetBytesProcessed(s->state.iterations() * per_iteration);
}

void bm_label(bm_state* s, const char* text)
{
    s->state.SetLabel(text);
}

int bm_main_built(int argc, char** argv, bool optimized)
{
#ifndef NDEBUG
    optimized = false;
#endif
    if (!optimized) {
        std::fprintf(stderr,
                     "%s: built without NDEBUG: its times would mean nothing; use CMAKE_BUILD_TYPE=Release\n",
                     argc > 0 ? argv[0] : "bench");
        return 1;
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}

} // extern "C"
