// SPDX-License-Identifier: MIT
// dispatch: which set is chosen, and that tables are complete.
#include "kernel_inputs.h"

static void select__takes_the_widest(void** state)
{
    (void)state;
    unsetenv("TALUS_ISA");
    const tl_kernels* widest = NULL;
    for (int i = 0; i < TL_COUNT(all_isas); i++)
        if (tl_kernels_by_name(all_isas[i]))
            widest = tl_kernels_by_name(all_isas[i]);
    assert_non_null(widest);
    assert_ptr_equal(tl_kernels_select(), widest);
}

static void select__obeys_the_environment(void** state)
{
    (void)state;
    for (int i = 0; i < TL_COUNT(all_isas); i++) {
        const tl_kernels* set = tl_kernels_by_name(all_isas[i]);
        if (!set)
            continue;
        setenv("TALUS_ISA", all_isas[i], 1);
        assert_ptr_equal(tl_kernels_select(), set);
        assert_string_equal(set->isa, all_isas[i]);
    }
    setenv("TALUS_ISA", "abacus", 1); // unknown: as if it were not set
    const tl_kernels* unknown = tl_kernels_select();
    unsetenv("TALUS_ISA");
    assert_ptr_equal(unknown, tl_kernels_select());
}

static void by_name__knows_ref_and_refuses_others(void** state)
{
    (void)state;
    assert_non_null(tl_kernels_by_name("ref"));
    assert_null(tl_kernels_by_name("abacus"));
    assert_null(tl_kernels_by_name(""));
    assert_null(tl_kernels_by_name(NULL));
}

static void tables__have_no_holes(void** state)
{
    (void)state;
    for (int i = 0; i < TL_COUNT(all_isas); i++) {
        const tl_kernels* set = tl_kernels_by_name(all_isas[i]);
        // after the name come only function pointers
        for (size_t at = sizeof(char*); set && at < sizeof *set; at += sizeof(char*)) {
            const char* entry;
            memcpy(&entry, (const char*)set + at, sizeof entry);
            assert_non_null(entry);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(select__takes_the_widest),
        cmocka_unit_test(select__obeys_the_environment),
        cmocka_unit_test(by_name__knows_ref_and_refuses_others),
        cmocka_unit_test(tables__have_no_holes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
