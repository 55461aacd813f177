// SPDX-License-Identifier: MIT
// Command line options, on glibc's argp. One list holds every option of every command; a command names the
// letters it takes and argp gets just those, so an option has the same spelling, unit and help wherever it
// appears.
#define _GNU_SOURCE
#include "cli.h"

#include <argp.h>
#include <errno.h>
#include <math.h>

typedef struct cli_option {
    char letter; // in cli_command.options
    struct argp_option argp;
} cli_option;

// keys above the character range have no short form
enum { KEY_FIRST = 0x100 };
#define KEY(letter) (KEY_FIRST + (letter))

static const cli_option options[] = {
    {'t', {"time", KEY('t'), "SECONDS", 0, "Simulated time (default 1)", 1}},
    {'d', {"dt", KEY('d'), "SECONDS", 0, "Step length (default: the scene's timestep)", 1}},
    {'s',
     {"state", KEY('s'), "FILE.json", 0, "Start from a state that --final wrote, or from parts of one", 1}},
    {'k', {"key", KEY('k'), "NAME", 0, "Start from a keyframe of the scene", 1}},
    {'o', {"set", KEY('o'), "NAME=VALUE", 0, "Set an option, see 'talus info options'; may be repeated", 1}},
    {'j', {"threads", KEY('j'), "N", 0, "Threads (default: the cores this process may use)", 1}},
    {'S',
     {"strict", KEY('S'), NULL, 0,
      "Refuse scenes with elements that change the dynamics and are not understood", 1}},
    {'g', {"keep-going", KEY('g'), NULL, 0, "Go on after a step that does not converge", 1}},
    {'n', {NULL, 'n', "COUNT", 0, "How many bodies (arms, links, humanoids)", 1}},
    {'e', {"seed", KEY('e'), "SEED", 0, "Seed of the random placement", 1}},
    {'w', {"output", 'o', "FILE", 0, "Write there (default: standard output)", 2}},
    {'O', {"out", KEY('O'), "FILE.h5", 0, "Trajectory (HDF5)", 2}},
    {'f',
     {"final", KEY('f'), "FILE.json", 0,
      "Last state, body poses, contact forces, and totals of contact patches", 2}},
    {'p',
     {"picture", KEY('p'), "FILE.png", 0,
      "Picture of the last state, contact patches coloured by pressure, and of phases and contacts over time",
      2}},
    {'M', {"picture", KEY('p'), "FILE.png", 0, "Map of the patch of one case, coloured by pressure", 2}},
    {'K', {"case", KEY('K'), "NAME", 0, "This case alone", 1}},
    {'c',
     {"capture", KEY('c'), "STEP FILE.json", 0,
      "Contact problem of step STEP (0: the first), for 'talus solve'", 2}},
    {'F', {"families", KEY('F'), "LIST", 0, "Kinds of scenes, with commas", 1}},
    {'Z', {"sizes", KEY('Z'), "LIST", 0, "Counts of bodies", 1}},
    {'T', {"cores", KEY('T'), "LIST", 0, "Thread counts (default: 1 and the cores this process may use)", 1}},
    {'R', {"repeat", KEY('R'), "N", 0, "Repetitions, the best counts (default 5)", 1}},
    {'Q', {"quick", KEY('Q'), NULL, 0, "Small scenes, one short repetition", 1}},
    {'r',
     {"refine", KEY('r'), "LIST", 0,
      "Grid refinement study: divide the hints of pressure fields by each factor", 1}},
    {'C', {"cases", KEY('C'), "FILE.json", 0, "Pairs of bodies and their poses", 1}},
    {'P',
     {"patches", KEY('P'), "FILE%05d.vtu", 0,
      "Contact patches of the run, a file a frame, and FILE.pvd that ParaView opens with the times", 2}},
    {'H', {"rate", KEY('H'), "FPS", 0, "Frames of --patches per simulated second (default 30)", 2}},
    {'V', {"vtu", KEY('V'), "FILE.vtu", 0, "Patches as polygons with pressure, for ParaView", 2}},
    {'J', {"json", KEY('J'), NULL, 0, "Print the result as one JSON object", 2}},
    {'q', {"quiet", KEY('q'), NULL, 0, "No progress and no notices", 2}},
};

typedef struct parser {
    const cli_command* command;
    cli_args* args;
} parser;

static double read_number(struct argp_state* state, const char* name, const char* text, double min,
                          bool whole)
{
    char* end;
    errno = 0;
    const double x = strtod(text, &end);
    if (end == text || *end || !isfinite(x) || x < min || (whole && x != floor(x)))
        argp_error(state, "%s: '%s' is not %s >= %g", name, text, whole ? "an integer" : "a number", min);
    return x;
}

static int32_t read_count(struct argp_state* state, const char* name, const char* text, int32_t min,
                          int32_t max)
{
    const double x = read_number(state, name, text, min, true);
    if (x > max)
        argp_error(state, "%s: '%s' is more than %d", name, text, max);
    return (int32_t)x;
}

static uint64_t read_seed(struct argp_state* state, const char* text)
{
    char* end;
    errno = 0;
    const unsigned long long x = strtoull(text, &end, 10);
    if (end == text || *end || errno || strchr(text, '-'))
        argp_error(state, "--seed: '%s' is not a whole number", text);
    return x;
}

static void read_capture(struct argp_state* state, cli_args* a, const char* arg)
{
    // the one option with two values: the second is the next word
    a->capture_step = (int64_t)read_number(state, "--capture", arg, 0, true);
    if (state->next >= state->argc)
        argp_error(state, "--capture: STEP and FILE.json are needed");
    else
        a->capture = state->argv[state->next++];
}

static error_t parse_option(int key, char* arg, struct argp_state* state)
{
    parser* p = state->input;
    cli_args* a = p->args;
    switch (key) {
    case KEY('t'):
        a->time = read_number(state, "--time", arg, 0.0, false);
        break;
    case KEY('d'):
        a->dt = read_number(state, "--dt", arg, 0.0, false);
        if (a->dt <= 0)
            argp_error(state, "--dt: '%s' is not a number > 0", arg);
        break;
    case KEY('s'):
        a->state = arg;
        break;
    case KEY('k'):
        a->key = arg;
        break;
    case KEY('o'):
        a->set[a->nset++] = arg;
        break;
    case KEY('j'):
        a->threads = read_count(state, "--threads", arg, 1, 4096);
        break;
    case KEY('S'):
        a->strict = true;
        break;
    case KEY('g'):
        a->keep_going = true;
        break;
    case 'n':
        a->n = read_count(state, "-n", arg, 1, 10000000);
        break;
    case KEY('e'):
        a->seed = read_seed(state, arg);
        a->seeded = true;
        break;
    case 'o':
        a->output = arg;
        break;
    case KEY('O'):
        a->out = arg;
        break;
    case KEY('f'):
        a->final = arg;
        break;
    case KEY('p'):
        a->picture = arg;
        break;
    case KEY('c'):
        read_capture(state, a, arg);
        break;
    case KEY('F'):
        a->families = arg;
        break;
    case KEY('Z'):
        a->sizes = arg;
        break;
    case KEY('T'):
        a->cores = arg;
        break;
    case KEY('R'):
        a->repeat = read_count(state, "--repeat", arg, 1, 1000);
        break;
    case KEY('Q'):
        a->quick = true;
        break;
    case KEY('r'):
        a->refine = arg;
        break;
    case KEY('C'):
        a->cases = arg;
        break;
    case KEY('K'):
        a->only = arg;
        break;
    case KEY('V'):
        a->vtu = arg;
        break;
    case KEY('P'):
        a->patches = arg;
        break;
    case KEY('H'):
        a->rate = read_number(state, "--rate", arg, 0.0, false);
        if (a->rate <= 0)
            argp_error(state, "--rate: '%s' is not a number > 0", arg);
        break;
    case KEY('J'):
        a->json = true;
        break;
    case KEY('q'):
        a->quiet = true;
        break;
    case ARGP_KEY_ARG:
        if (a->nfile >= p->command->max_files)
            argp_error(state, "'%s' is one argument too many", arg);
        else
            a->file[a->nfile++] = arg;
        break;
    case ARGP_KEY_END:
        if (a->nfile < p->command->min_files)
            argp_error(state, "%s is missing", p->command->args_doc);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

void cli_parse(const cli_command* command, int argc, char** argv, cli_args* args)
{
    struct argp_option list[TL_COUNT(options) + 1] = {0};
    int32_t count = 0;
    for (int32_t i = 0; i < TL_COUNT(options); i++)
        if (strchr(command->options, options[i].letter))
            list[count++] = options[i].argp;
    const struct argp argp = {
        .options = list, .parser = parse_option, .args_doc = command->args_doc, .doc = command->doc};
    parser p = {.command = command, .args = args};
    args->command = command->name;
    argp_err_exit_status = CLI_BAD_INPUT;
    // in order: --capture reads the word after its first value
    if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &p))
        exit(CLI_BAD_INPUT);
}
