// SPDX-License-Identifier: MIT
// The talus command: finds the command, parses its arguments, makes the context, turns statuses into exit
// codes. Exit codes: 0 done, 1 some step did not converge, 2 bad input, 3 input or output failed, 4 out of
// memory.
#define _GNU_SOURCE
#include "cli.h"
#include "h5.h"
#include "state_file.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

#define TEXT(x) #x
#define VERSION_TEXT(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

static const cli_command* const commands[] = {&cli_cmd_run,     &cli_cmd_profile,  &cli_cmd_gen,
                                              &cli_cmd_info,    &cli_cmd_dynamics, &cli_cmd_solve,
                                              &cli_cmd_patches, &cli_cmd_bench};

static const char help_tail[] =
    "\n"
    "A first tour:\n"
    "  talus gen bin -n 216 -o bin.xml                           write a scene of 216 mixed bodies\n"
    "  talus info bin.xml                                        what is in it\n"
    "  talus run bin.xml --time 2 --dt 0.005 --out bin.h5 --picture bin.png\n"
    "  talus run bin.xml --time 1 --dt 0.005 --set contact.mu=0.2 --json > result.json\n"
    "\n"
    "'talus COMMAND --help' explains a command, 'talus info options' lists what --set can change.\n"
    "Results go to standard output, progress and notices to standard error.\n"
    "Exit codes: 0 done, 1 some step did not converge, 2 bad input, 3 I/O error, 4 out of memory.\n";

static void print_help(FILE* f)
{
    fprintf(f, "talus simulates rigid bodies and robots in frictional contact.\n\nUsage: talus COMMAND "
               "[OPTION...]\n\n");
    for (int32_t i = 0; i < TL_COUNT(commands); i++)
        fprintf(f, "  %-9s %-18s %s\n", commands[i]->name, commands[i]->args_doc, commands[i]->summary);
    fputs(help_tail, f);
}

// ---- messages ---------------------------------------------------------------------------------------------

static void print_line(cli_args* a, const char* kind, const char* text)
{
    if (a->progress_shown)
        fputs("\r\033[K", stderr); // the message takes the place of the progress line, which is drawn again
    a->progress_shown = false;
    fprintf(stderr, "talus: %s: %s\n", kind, text);
}

static void print_message(void* user, const talus_message* m)
{
    static const char* const kind[] = {"notice", "warning", "error"};
    cli_args* a = user;
    a->notices += m->severity == TALUS_NOTICE;
    if (m->severity != TALUS_NOTICE || !a->quiet)
        print_line(a, kind[m->severity], m->text);
}

static void print_formatted(cli_args* a, const char* kind, const char* fmt, va_list list)
{
    char text[1024];
    vsnprintf(text, sizeof text, fmt, list);
    print_line(a, kind, text);
}

void cli_error(cli_args* args, const char* fmt, ...)
{
    va_list list;
    va_start(list, fmt);
    print_formatted(args, "error", fmt, list);
    va_end(list);
}

void cli_notice(cli_args* args, const char* fmt, ...)
{
    if (args->quiet)
        return;
    va_list list;
    va_start(list, fmt);
    print_formatted(args, "notice", fmt, list);
    va_end(list);
}

int cli_exit_code(talus_status status)
{
    switch (status) {
    case TALUS_OK:
    case TALUS_LAGGED:
    case TALUS_INTERRUPTED:
        return CLI_DONE;
    case TALUS_NOT_CONVERGED:
    case TALUS_ERR_SINGULAR:
        return CLI_UNCONVERGED;
    case TALUS_ERR_IO:
        return CLI_IO;
    case TALUS_ERR_NOMEM:
        return CLI_NOMEM;
    case TALUS_ERR_ARG:
    case TALUS_ERR_INPUT:
    case TALUS_ERR_UNSUPPORTED:
        break;
    }
    return CLI_BAD_INPUT;
}

// ---- what several commands do -----------------------------------------------------------------------------

talus_status cli_load_model(cli_args* args, talus_model** out)
{
    talus_load_options load = talus_load_default();
    load.strict = args->strict;
    load.refine = args->refine_by > 0.0 ? args->refine_by : 1.0;
    return talus_model_load(args->ctx, args->file[0], &load, out);
}

talus_status cli_load_options(cli_args* args, talus_sim_options* out)
{
    const talus_option_info* list = NULL;
    const int32_t n = talus_sim_options_list(&list);
    *out = talus_sim_options_default();
    for (int32_t i = 0; i < args->nset; i++) {
        const char* equals = strchr(args->set[i], '=');
        char name[128];
        if (!equals || equals - args->set[i] >= (ptrdiff_t)sizeof name)
            return tl_fail(args->ctx, TALUS_ERR_ARG, "--set %s: NAME=VALUE is wanted", args->set[i]);
        snprintf(name, sizeof name, "%.*s", (int)(equals - args->set[i]), args->set[i]);
        TL_TRY(talus_option_set(args->ctx, list, n, out, name, equals + 1));
    }
    return TALUS_OK;
}

static talus_status fill_state(cli_args* args, const talus_model* model, talus_state* state)
{
    if (args->key) {
        const int32_t key = talus_model_find(model, TALUS_KEYFRAME, args->key);
        if (key < 0)
            return tl_fail(args->ctx, TALUS_ERR_ARG, "--key %s: the scene has no keyframe of that name",
                           args->key);
        TL_TRY(talus_state_reset(state, key));
    }
    return args->state ? tl_state_load(args->ctx, model, args->state, state) : TALUS_OK;
}

talus_status cli_load_state(cli_args* args, const talus_model* model, talus_state** out)
{
    talus_state* state = NULL;
    TL_TRY(talus_state_create(args->ctx, model, &state));
    const talus_status status = fill_state(args, model, state);
    if (status < 0)
        talus_state_destroy(state);
    else
        *out = state;
    return status;
}

static bool io_failure_told;

int cli_flush(cli_args* args)
{
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout))
        return CLI_DONE;
    cli_error(args, "standard output: %s", errno ? strerror(errno) : "write failed");
    return CLI_IO;
}

// whoever ends the program, argp after --help too: a result that was not written is not a success
static void check_output(void)
{
    errno = 0;
    if ((!fflush(stdout) && !ferror(stdout)) || io_failure_told)
        return;
    fprintf(stderr, "talus: error: standard output: %s\n", errno ? strerror(errno) : "write failed");
    fflush(stderr);
    _exit(CLI_IO);
}

int cli_print_json(cli_args* args, json_t* root)
{
    const talus_status status = tl_json_save(args->ctx, NULL, root);
    json_decref(root);
    return cli_exit_code(status);
}

// ---- main -------------------------------------------------------------------------------------------------

static int run_command(const cli_command* command, int argc, char** argv)
{
    char name[64];
    snprintf(name, sizeof name, "talus %s", command->name);
    argv[0] = name;
    const char** set = calloc((size_t)argc + 1, sizeof *set);
    if (!set)
        return CLI_NOMEM;
    cli_args args = {.set = set, .time = -1.0, .capture_step = -1};
    cli_parse(command, argc, argv, &args);
    talus_context_def def = talus_context_default();
    def.nthreads = args.threads;
    def.message = print_message;
    def.message_user = &args;
    int code = CLI_NOMEM;
    if (talus_context_create(&def, &args.ctx) >= 0) {
        const bool list = command == &cli_cmd_info && strcmp(args.file[0], "options") == 0;
        code = list                                  ? cli_print_options(&args)
               : cli_check_files(command, &args) < 0 ? CLI_BAD_INPUT
                                                     : command->run(&args);
    } else {
        fprintf(stderr, "talus: error: out of memory\n");
    }
    talus_context_destroy(args.ctx);
    free(set);
    io_failure_told = code == CLI_IO;
    return code;
}

int main(int argc, char** argv)
{
    const char* word = argc > 1 ? argv[1] : "";
    tl_h5_no_exit_handler();
    atexit(check_output);
    // a reader that goes away and a file at its size limit are I/O errors like any other
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
        puts("talus " VERSION_TEXT(TALUS_VERSION_MAJOR, TALUS_VERSION_MINOR, TALUS_VERSION_PATCH));
        return CLI_DONE;
    }
    if (argc == 2 && (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))) {
        print_help(stdout);
        return CLI_DONE;
    }
    // `talus help run` is `talus run --help`
    static char help_flag[] = "--help";
    if (argc > 2 && !strcmp(word, "help")) {
        argv[1] = argv[2];
        argv[2] = help_flag;
        word = argv[1];
    }
    for (int32_t i = 0; i < TL_COUNT(commands); i++)
        if (!strcmp(word, commands[i]->name))
            return run_command(commands[i], argc - 1, argv + 1);
    if (argc > 1)
        fprintf(stderr, "talus: error: unknown command '%s'\n\n", word);
    print_help(stderr);
    return CLI_BAD_INPUT;
}
