// SPDX-License-Identifier: MIT
// A mesh file as read: counts and arrays on standard output as one JSON object. usage: dump_mesh FILE
#include "mesh_file.h"

#include <stdio.h>

static void print_message(void* user, const talus_message* m)
{
    (void)user;
    fprintf(stderr, "%s\n", m->text);
}

static void print_ints(const char* name, const int32_t* x, int64_t n)
{
    printf(",\"%s\":[", name);
    for (int64_t i = 0; i < n; i++)
        printf("%s%d", i ? "," : "", x[i]);
    printf("]");
}

int main(int argc, char** argv)
{
    talus_context_def def = talus_context_default();
    talus_context* ctx = NULL;
    def.message = print_message;
    if (argc != 2 || talus_context_create(&def, &ctx) < 0)
        return 2;
    tl_arena memory;
    tl_arena_init(&memory, ctx);
    tl_mesh_file m = {.ctx = ctx, .path = argv[1], .memory = &memory};
    bool found = false;
    const talus_status status = tl_mesh_file_read(&m, &found);
    if (status >= 0 && found) {
        printf("{\"unused\":%lld,\"vert\":[", (long long)m.unused);
        for (int64_t i = 0; i < 3 * m.nvert; i++)
            printf("%s%.17g", i ? "," : "", m.vert[i]);
        printf("]");
        print_ints("face", m.face, 3 * m.nface);
        print_ints("tet", m.tet, 4 * m.ntet);
        printf("}\n");
    }
    tl_arena_fini(&memory);
    talus_context_destroy(ctx);
    return status < 0 || !found;
}
