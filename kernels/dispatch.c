// SPDX-License-Identifier: MIT
// Chooses a set of kernels: the widest that was built and that this CPU runs. TL_HAVE_W2, TL_HAVE_AVX2 and
// TL_HAVE_AVX512 come from the build and tell which sets exist. All sets give the same bits, so the choice
// moves time and no result.
#include "kernels.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define TABLE(name)                                                                                          \
    {                                                                                                        \
        .isa = #name, .contact_force = tl_contact_force_##name, .contact_local = tl_contact_local_##name,    \
        .tals_limit = tl_tals_limit_##name, .gradient_apply = tl_gradient_apply_##name,                      \
        .jacobian_apply = tl_jacobian_apply_##name, .jacobian_add = tl_jacobian_add_##name,                  \
        .jacobian_gather = tl_jacobian_gather_##name, .rows_gather = tl_rows_gather_##name,                  \
        .jacobian_gram = tl_jacobian_gram_##name, .jacobian_response = tl_jacobian_response_##name,          \
        .rows_apply = tl_rows_apply_##name, .dense_factor = tl_dense_factor_##name,                          \
        .mass_inverse = tl_mass_inverse_##name, .dense_solve = tl_dense_solve_##name,                        \
        .rows_add = tl_rows_add_##name, .rows_response = tl_rows_response_##name,                            \
        .block_multiply = tl_block_multiply_##name, .block_add = tl_block_add_##name,                        \
        .vector_dots = tl_vector_dots_##name, .vector_combine = tl_vector_combine_##name,                    \
        .bit_join = tl_bit_join_##name, .boxes_overlap = tl_boxes_overlap_##name,                            \
        .leaf_bounds = tl_leaf_bounds_##name, .leaf_pairs = tl_leaf_pairs_##name,                            \
        .clip_meet = tl_clip_meet_##name, .tet_clip = tl_tet_clip_##name,                                    \
        .tet_section = tl_tet_section_##name, .tet_fan = tl_tet_fan_##name,                                  \
        .section_fan = tl_section_fan_##name,                                                                \
    }

// widest first
static const tl_kernels tables[] = {
#ifdef TL_HAVE_AVX512
    TABLE(avx512),
#endif
#ifdef TL_HAVE_AVX2
    TABLE(avx2),
#endif
#ifdef TL_HAVE_W2
    TABLE(w2),
#endif
    TABLE(ref),
};

#define TABLE_COUNT ((int)(sizeof tables / sizeof tables[0]))

// the features are those of the flags in kernels/CMakeLists.txt; the builtins also ask the system to save the
// registers
static int cpu_runs(const char* isa)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    if (strcmp(isa, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (strcmp(isa, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx2") &&
               __builtin_cpu_supports("fma");
#endif
    return strcmp(isa, "ref") == 0 || strcmp(isa, "w2") == 0;
}

const tl_kernels* tl_kernels_by_name(const char* isa)
{
    for (int i = 0; isa && i < TABLE_COUNT; i++)
        if (strcmp(tables[i].isa, isa) == 0)
            return cpu_runs(isa) ? &tables[i] : NULL;
    return NULL;
}

const tl_kernels* tl_kernels_select(void)
{
    const tl_kernels* asked = tl_kernels_by_name(getenv("TALUS_ISA"));
    if (asked)
        return asked;
    for (int i = 0; i < TABLE_COUNT - 1; i++)
        if (cpu_runs(tables[i].isa))
            return &tables[i];
    return &tables[TABLE_COUNT - 1];
}
