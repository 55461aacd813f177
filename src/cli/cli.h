// SPDX-License-Identifier: MIT
// Frame of the talus command: one file a command (cmd_NAME.c), one list of options for all (args.c), one
// place where statuses become exit codes (main.c). Standard output carries the result alone; all else goes to
// standard error.
//
// A command is a constant `cli_cmd_NAME`. main.c has parsed its arguments and made the context when `run` is
// called:
//
//     static int run(cli_args* a)
//     {
//         talus_model* model = NULL;
//         const talus_status status = cli_load_model(a, &model);
//         if (status < 0)
//             return cli_exit_code(status);
//         ...
//         return a->json ? cli_print_json(a, object) : CLI_DONE;
//     }
//     const cli_command cli_cmd_info = {"info", "SCENE", "one line for talus --help", "paragraph with an
//     example",
//                                       "jstS", 1, 1, run};
#pragma once

#include <talus/talus.h>
#include "json_file.h"
#include <stdio.h>

typedef enum cli_exit {
    CLI_DONE = 0,
    CLI_UNCONVERGED = 1, // some step did not converge
    CLI_BAD_INPUT = 2,
    CLI_IO = 3,
    CLI_NOMEM = 4
} cli_exit;

/// Everything that can stand on a command line; a command names the options it takes (cli_command.options).
typedef struct cli_args {
    const char* command;
    talus_context* ctx; // made by main
    int32_t nfile;
    const char* file[2];  // positional arguments: SCENE, FILE.json, KIND
    int32_t threads;      // j: --threads, 0: the cores this process may use
    int32_t nset;         // o: --set NAME=VALUE, in order
    const char** set;     //
    bool json;            // J: --json
    bool quiet;           // q: --quiet
    bool strict;          // S: --strict
    const char* state;    // s: --state FILE.json
    const char* key;      // k: --key NAME of a keyframe
    double time;          // t: --time seconds, < 0: not given
    double dt;            // d: --dt seconds, 0: not given
    bool keep_going;      // g: --keep-going
    const char* final;    // f: --final FILE.json
    const char* out;      // O: --out FILE.h5
    const char* picture;  // p, of a patch M: --picture FILE.png
    int64_t capture_step; // c: --capture STEP FILE.json, < 0: none
    const char* capture;  //
    int32_t n;            // n: -n COUNT
    uint64_t seed;        // e: --seed
    bool seeded;          //    given
    const char* output;   // w: -o FILE
    const char* families; // F: --families LIST
    const char* sizes;    // Z: --sizes LIST
    const char* cores;    // T: --cores LIST of thread counts
    int32_t repeat;       // R: --repeat N, 0: not given
    bool quick;           // Q: --quick
    const char* refine;   // r: --refine LIST
    double refine_by;     //    the factor of this run, 0: 1
    const char* cases;    // C: --cases FILE.json
    const char* only;     // K: --case NAME
    const char* vtu;      // V: --vtu FILE.vtu
    const char* patches;  // P: --patches FILE%05d.vtu
    double rate;          // H: --rate frames per simulated second, 0: not given
    // messages
    int32_t notices;     // sent so far
    bool progress_shown; // a progress line stands on standard error
} cli_args;

typedef struct cli_command {
    const char* name;
    const char* args_doc; // "SCENE"
    const char* summary;  // one line
    const char* doc;      // paragraphs with an example, after the usage line
    const char* options;  // letters of the options it takes, see cli_args
    int32_t min_files, max_files;
    int (*run)(cli_args* args); // exit code
} cli_command;

extern const cli_command cli_cmd_run, cli_cmd_solve, cli_cmd_gen, cli_cmd_info, cli_cmd_dynamics,
    cli_cmd_profile, cli_cmd_patches, cli_cmd_bench;

/// Parse argv[1..] for a command (argv[0] is shown in usage lines). Ends the process on --help (0) and on
/// wrong usage (2).
void cli_parse(const cli_command* command, int argc, char** argv, cli_args* args);

/// files.c: an output that is the file of an input or of another output. @return OK, ERR_ARG (names both options)
talus_status cli_check_files(const cli_command* command, const cli_args* args);

int cli_exit_code(talus_status status);
/// "talus: error: ..." on standard error.
void cli_error(cli_args* args, const char* fmt, ...) TL_PRINTF(2, 3);
void cli_notice(cli_args* args, const char* fmt, ...) TL_PRINTF(2, 3);

/// Load args->file[0], with --strict.
talus_status cli_load_model(cli_args* args, talus_model** out);
/// Defaults with every --set applied.
talus_status cli_load_options(cli_args* args, talus_sim_options* out);
/// The reference configuration, then --key, then --state.
talus_status cli_load_state(cli_args* args, const talus_model* model, talus_state** out);
/// Print one JSON object on standard output and drop it. root NULL: out of memory. @return exit code
int cli_print_json(cli_args* args, json_t* root);
/// Flush standard output. @return exit code: CLI_IO when it could not be written
int cli_flush(cli_args* args);

/// `talus info options`: every option with its range, unit, default and meaning.
int cli_print_options(cli_args* args);
