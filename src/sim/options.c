// SPDX-License-Identifier: MIT
// Options of a simulation: the solver's list and the contact list as one, and the names of phases.
#include "sim.h"
#include "option_entry.h"

#define SIM_COOKIE 0x74616c35u

talus_sim_options talus_sim_options_default(void)
{
    return (talus_sim_options){
        .cookie = SIM_COOKIE,
        .solver = talus_solver_options_default(),
        TALUS_CONTACT_OPTIONS(TL_OPTION_DEFAULT, TL_OPTION_DEFAULT, TL_OPTION_DEFAULT)};
}

#define CONTACT_AT(field) offsetof(talus_sim_options, field)
#define CONTACT_D(...) TL_OPTION_D("contact.", CONTACT_AT, __VA_ARGS__)
#define CONTACT_I(...) TL_OPTION_I("contact.", CONTACT_AT, __VA_ARGS__)
#define CONTACT_E(...) TL_OPTION_E("contact.", CONTACT_AT, __VA_ARGS__)
// the solver's entries, moved to where its options lie in talus_sim_options
#define SOLVER_AT(field) offsetof(talus_sim_options, solver) + offsetof(talus_solver_options, field)
#define SOLVER_D(...) TL_OPTION_D("solver.", SOLVER_AT, __VA_ARGS__)
#define SOLVER_I(...) TL_OPTION_I("solver.", SOLVER_AT, __VA_ARGS__)
#define SOLVER_E(...) TL_OPTION_E("solver.", SOLVER_AT, __VA_ARGS__)

static const talus_option_info entries[] = {TALUS_CONTACT_OPTIONS(CONTACT_D, CONTACT_I, CONTACT_E)
                                                TALUS_SOLVER_OPTIONS(SOLVER_D, SOLVER_I, SOLVER_E)};

int32_t talus_sim_options_list(const talus_option_info** list)
{
    *list = entries;
    return TL_COUNT(entries);
}

const char* talus_phase_name(talus_phase phase)
{
    static const char* const names[TALUS_PHASE_COUNT] = {
        "geometry", "dynamics", "assemble", "symbolic", "factor", "solve", "limit", "integrate", "io"};
    return phase >= 0 && phase < TALUS_PHASE_COUNT ? names[phase] : "";
}
