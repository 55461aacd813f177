// SPDX-License-Identifier: MIT
/// Status codes, messages, allocator, threads: what every other Talus header stands on.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(TALUS_SHARED)
#define TALUS_API __declspec(dllexport)
#elif defined(__GNUC__)
#define TALUS_API __attribute__((visibility("default")))
#else
#define TALUS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define TALUS_VERSION_MAJOR 0
#define TALUS_VERSION_MINOR 1
#define TALUS_VERSION_PATCH 0

/// Every status: X(name, value, meaning). Positive: an outcome whose result is valid. Negative: a failure that
/// leaves every output and the state as they were.
#define TALUS_STATUS_LIST(X)                                                                                 \
    X(OK, 0, "ok")                                                                                           \
    X(NOT_CONVERGED, 1, "not converged: the result is the best iterate")                                     \
    X(LAGGED, 2, "accepted with friction bounds that lag the normal forces")                                 \
    X(INTERRUPTED, 3, "stopped on request")                                                                  \
    X(ERR_ARG, -1, "invalid argument")                                                                       \
    X(ERR_INPUT, -2, "invalid input data")                                                                   \
    X(ERR_IO, -3, "input or output failed")                                                                  \
    X(ERR_NOMEM, -4, "out of memory")                                                                        \
    X(ERR_SINGULAR, -5, "singular or indefinite matrix")                                                     \
    X(ERR_UNSUPPORTED, -6, "not supported")

typedef enum talus_status {
#define TALUS_STATUS_ENUM(name, value, text) TALUS_##name = (value),
    TALUS_STATUS_LIST(TALUS_STATUS_ENUM)
#undef TALUS_STATUS_ENUM
} talus_status;

/// Short English text of a status; static storage, never NULL.
TALUS_API const char* talus_status_text(talus_status status);

typedef enum talus_severity { TALUS_NOTICE = 0, TALUS_WARNING = 1, TALUS_ERROR = 2 } talus_severity;

/// One message, valid only during the call of the handler.
typedef struct talus_message {
    talus_severity severity;
    talus_status status; ///< TALUS_OK for notices and warnings
    const char* text;    ///< one line without a newline, already with file:line where they are known
    const char* file;    ///< input file the message is about, or NULL
    int32_t line;        ///< 1-based line in that file, 0: unknown
} talus_message;

typedef void talus_message_fn(void* user, const talus_message* message);

/// Run `task(arg, i)` for i = 0 .. n-1 in any order, on any threads, and return when all are done.
typedef void talus_task_fn(void* arg, int32_t i);
typedef void talus_run_fn(void* user, int32_t n, talus_task_fn* task, void* arg);

typedef struct talus_allocator {
    void* (*alloc)(void* user, size_t bytes,
                   size_t align); ///< NULL when out of memory; align is a power of 2
    void (*free)(void* user, void* p);
    void* user;
} talus_allocator;

/// Plain input of talus_context_create; start from talus_context_default().
typedef struct talus_context_def {
    uint32_t cookie;
    int32_t nthreads;  ///< 0: the cores this process may use
    talus_run_fn* run; ///< host's task runner, NULL: built-in pool on OpenMP
    void* run_user;
    int32_t run_light; ///< 1: `run` starts and ends within a microsecond or so, and gets small tasks too
    talus_allocator allocator; ///< all-NULL: aligned malloc
    talus_message_fn* message; ///< NULL: messages are dropped
    void* message_user;
} talus_context_def;

/// Allocator, tasks, kernel table and message handler. One per host thread or shared: see each type's contract.
typedef struct talus_context talus_context;

TALUS_API talus_context_def talus_context_default(void);

/// @param def  NULL: defaults
/// @return OK, ERR_ARG (cookie, nthreads < 0), ERR_NOMEM
TALUS_API talus_status talus_context_create(const talus_context_def* def, talus_context** out);
TALUS_API void talus_context_destroy(talus_context* ctx);

/// Threads this context uses (>= 1).
TALUS_API int32_t talus_context_threads(const talus_context* ctx);

/// Instruction set of the kernels in use: "ref", "w2", "avx2" or "avx512".
TALUS_API const char* talus_context_isa(const talus_context* ctx);

/// Calls of the allocator since creation: a steady step must not change it.
TALUS_API int64_t talus_context_allocations(const talus_context* ctx);

/// Number of cores (not hardware threads) in this process's affinity mask.
TALUS_API int32_t talus_allowed_cores(void);

/// One settable option, described once: the struct field, `--set group.name=value`, help and docs expand from it.
typedef enum talus_option_kind { TALUS_OPTION_DOUBLE, TALUS_OPTION_INT, TALUS_OPTION_ENUM } talus_option_kind;

typedef struct talus_option_info {
    const char* name; ///< "solver.tol"
    talus_option_kind kind;
    size_t offset; ///< of the field in its options struct
    double min, max, value_default;
    const char* unit;
    const char* choices; ///< ENUM: "lifting|tals|none", values 0, 1, 2
    const char* help;
} talus_option_info;

/// Set one option by name from text. @return OK, ERR_ARG with a message that names the option, its range and unit.
TALUS_API talus_status talus_option_set(talus_context* ctx, const talus_option_info* list, int32_t n,
                                        void* options, const char* name, const char* value);

#ifdef __cplusplus
}
#endif
