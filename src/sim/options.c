// SPDX-License-Identifier: MIT
// Options of a simulation: the solver's list and the contact list as one, and the names of phases.
#include "sim.h"

#define SIM_COOKIE 0x74616c35u

talus_sim_options talus_sim_options_default(void)
{
    return (talus_sim_options){.cookie = SIM_COOKIE,
                               .solver = talus_solver_options_default(),
#define DEFAULT(name, value, ...) .name = (value),
                               TALUS_CONTACT_OPTIONS(DEFAULT, DEFAULT, DEFAULT)
#undef DEFAULT
    };
}

static const talus_option_info contact_entries[] = {
#define ENTRY_D(field, value, lo, hi, units, text)                                                           \
    {.name = "contact." #field,                                                                              \
     .kind = TALUS_OPTION_DOUBLE,                                                                            \
     .offset = offsetof(talus_sim_options, field),                                                           \
     .min = (lo),                                                                                            \
     .max = (hi),                                                                                            \
     .value_default = (value),                                                                               \
     .unit = (units),                                                                                        \
     .help = (text)},
#define ENTRY_I(field, value, lo, hi, units, text)                                                           \
    {.name = "contact." #field,                                                                              \
     .kind = TALUS_OPTION_INT,                                                                               \
     .offset = offsetof(talus_sim_options, field),                                                           \
     .min = (lo),                                                                                            \
     .max = (hi),                                                                                            \
     .value_default = (value),                                                                               \
     .unit = (units),                                                                                        \
     .help = (text)},
#define ENTRY_E(field, value, list_, text)                                                                   \
    {.name = "contact." #field,                                                                              \
     .kind = TALUS_OPTION_ENUM,                                                                              \
     .offset = offsetof(talus_sim_options, field),                                                           \
     .value_default = (value),                                                                               \
     .unit = "",                                                                                             \
     .choices = (list_),                                                                                     \
     .help = (text)},
    TALUS_CONTACT_OPTIONS(ENTRY_D, ENTRY_I, ENTRY_E)
#undef ENTRY_D
#undef ENTRY_I
#undef ENTRY_E
// the solver's entries, moved to where its options lie in talus_sim_options
#define SHIFTED(field) offsetof(talus_sim_options, solver) + offsetof(talus_solver_options, field)
#define ENTRY_D(field, value, lo, hi, units, text)                                                           \
    {.name = "solver." #field,                                                                               \
     .kind = TALUS_OPTION_DOUBLE,                                                                            \
     .offset = SHIFTED(field),                                                                               \
     .min = (lo),                                                                                            \
     .max = (hi),                                                                                            \
     .value_default = (value),                                                                               \
     .unit = (units),                                                                                        \
     .help = (text)},
#define ENTRY_I(field, value, lo, hi, units, text)                                                           \
    {.name = "solver." #field,                                                                               \
     .kind = TALUS_OPTION_INT,                                                                               \
     .offset = SHIFTED(field),                                                                               \
     .min = (lo),                                                                                            \
     .max = (hi),                                                                                            \
     .value_default = (value),                                                                               \
     .unit = (units),                                                                                        \
     .help = (text)},
#define ENTRY_E(field, value, list_, text)                                                                   \
    {.name = "solver." #field,                                                                               \
     .kind = TALUS_OPTION_ENUM,                                                                              \
     .offset = SHIFTED(field),                                                                               \
     .value_default = (value),                                                                               \
     .unit = "",                                                                                             \
     .choices = (list_),                                                                                     \
     .help = (text)},
        TALUS_SOLVER_OPTIONS(ENTRY_D, ENTRY_I, ENTRY_E)
#undef ENTRY_D
#undef ENTRY_I
#undef ENTRY_E
#undef SHIFTED
};

int32_t talus_sim_options_list(const talus_option_info** list)
{
    *list = contact_entries;
    return TL_COUNT(contact_entries);
}

const char* talus_phase_name(talus_phase phase)
{
    static const char* const names[TALUS_PHASE_COUNT] = {
        "geometry", "dynamics", "assemble", "symbolic", "factor", "solve", "limit", "integrate", "io"};
    return phase >= 0 && phase < TALUS_PHASE_COUNT ? names[phase] : "";
}
