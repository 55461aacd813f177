// SPDX-License-Identifier: MIT
// `talus gen`: scenes as MJCF text.
#include "cli.h"
#include "gen.h"

#include <errno.h>

static const char doc[] = "Write a scene as MJCF, which MuJoCo and Drake read too.\n\v"
                          "KIND is one of\n"
                          "  bin        mixed bodies of five shapes and many sizes above a bin\n"
                          "  spheres    equal spheres on a loose grid above a bin\n"
                          "  boxes      equal cubes, slightly turned, above a bin\n"
                          "  clutter    spheres, boxes, cylinders and capsules, turned, above a bin\n"
                          "  bricks     cubes in layers, each on up to four others: one contact island\n"
                          "  stack      one tower of cubes\n"
                          "  arms       limp 7-joint arms that fall onto 12 loose boxes each\n"
                          "  chain      one tree of hinged links that drops onto the floor\n"
                          "  humanoids  rag dolls of 24 dofs in two layers over a bin\n\n"
                          "The same KIND, COUNT and SEED give the same bytes everywhere.\n\n"
                          "Example: drop 216 mixed bodies into a bin and watch where the time goes\n"
                          "  talus gen bin -n 216 -o bin.xml\n"
                          "  talus run bin.xml --time 2 --dt 0.005 --picture bin.png";

static int write_text(cli_args* a, const tl_text* text)
{
    const char* name = a->output ? a->output : "standard output";
    errno = 0;
    FILE* f = a->output ? fopen(a->output, "wb") : stdout;
    bool ok = f && fwrite(text->data, 1, (size_t)text->length, f) == (size_t)text->length;
    ok = ok && fflush(f) == 0;
    const int error = errno;
    if (f && a->output)
        ok = fclose(f) == 0 && ok;
    if (!ok)
        cli_error(a, "%s: cannot be written: %s", name, strerror(error ? error : errno));
    return ok ? CLI_DONE : CLI_IO;
}

static int run(cli_args* a)
{
    tl_text text;
    if (a->n == 0) {
        cli_error(a, "-n COUNT is missing, see 'talus gen --help'");
        return CLI_BAD_INPUT;
    }
    const talus_status status = tl_gen_scene(a->ctx, a->file[0], a->n, a->seed, &text);
    const int code = status < 0 ? cli_exit_code(status) : write_text(a, &text);
    tl_text_fini(&text);
    return code;
}

const cli_command cli_cmd_gen = {"gen", "KIND", "write a scene as MJCF", doc, "new", 1, 1, run};
