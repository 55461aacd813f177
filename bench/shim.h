// SPDX-License-Identifier: MIT
// Google Benchmark from C. A benchmark is a function, a name and a pointer:
//
//   static void run(bm_state* s, void* user)
//   {
//       struct data* d = user;                  // set up here: outside the loop nothing is timed
//       while (bm_next(s)) {
//           work(d);
//           bm_clobber();                       // the stores of work() count as seen
//       }
//       bm_rate(s, "flops", d->flops);          // per iteration; printed per second
//   }
//   int main(int argc, char** argv)
//   {
//       bm_register("bm_la_factor/pile/n:64/t:1", run, &data);
//       return bm_main(argc, argv);
//   }
//
// Names are bm_MODULE_OP/SCENE/n:N/t:T/isa:ISA. Times are CPU time of the thread unless bm_real_time is set.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bm_state bm_state;
typedef struct bm_case bm_case;
typedef void bm_fn(bm_state* state, void* user);

/// @param name  copied   @param user  handed to fn; borrowed until bm_main returns
bm_case* bm_register(const char* name, bm_fn* fn, void* user);
void bm_unit(bm_case* c, const char* unit); // "ns" (default), "us", "ms", "s"
void bm_real_time(bm_case* c);              // wall time; for work done by several threads
void bm_manual_time(bm_case* c);            // every iteration says its seconds with bm_took
void bm_iterations(bm_case* c, int64_t n);  // fixed count, for work that cannot be repeated freely

/// True while the timed loop goes on.
bool bm_next(bm_state* state);
void bm_pause(bm_state* state); // costs some 100 ns: for long iterations only
void bm_resume(bm_state* state);
void bm_took(bm_state* state, double seconds); // of this iteration
/// Report the benchmark as failed; leave the loop after it.
void bm_fail(bm_state* state, const char* why);

// counters, after the loop
double bm_seconds(const bm_state* state);                              // of one iteration
void bm_counter(bm_state* state, const char* name, double value);      // as it is
void bm_rate(bm_state* state, const char* name, double per_iteration); // per second
void bm_items(bm_state* state, int64_t per_iteration);                 // items_per_second
void bm_bytes(bm_state* state, int64_t per_iteration);                 // bytes_per_second
void bm_label(bm_state* state, const char* text);

/// Keep the compiler from dropping or moving stores to memory.
static inline void bm_clobber(void)
{
    __asm__ volatile("" : : : "memory");
}

/// Keep a value from being optimized away.
static inline void bm_keep(double x)
{
    __asm__ volatile("" : : "m"(x) : "memory");
}

int bm_main_built(int argc, char** argv, bool optimized);

/// Run what was registered, with Google Benchmark's flags. Debug builds refuse: their times mean nothing.
static inline int bm_main(int argc, char** argv)
{
#ifdef NDEBUG
    return bm_main_built(argc, argv, true);
#else
    return bm_main_built(argc, argv, false);
#endif
}

#ifdef __cplusplus
}
#endif
