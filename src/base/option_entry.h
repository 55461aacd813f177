// SPDX-License-Identifier: MIT
// From a list of options (the columns of TALUS_SOLVER_OPTIONS) to its defaults and descriptions. The caller says where
// a field lies and what its names begin with:
//
//   #define AT(field) offsetof(talus_sim_options, field)
//   #define ENTRY_D(...) TL_OPTION_D("contact.", AT, __VA_ARGS__)     and ENTRY_I, ENTRY_E
//   static const talus_option_info entries[] = {TALUS_CONTACT_OPTIONS(ENTRY_D, ENTRY_I, ENTRY_E)};
#pragma once

#include <stddef.h>
#include <talus/base.h>

#define TL_OPTION_DEFAULT(field, value, ...) .field = (value),

#define TL_OPTION_D(prefix, at, field, value, lo, hi, units, text)                                           \
    TL_OPTION_NUMBER(TALUS_OPTION_DOUBLE, prefix #field, at(field), value, lo, hi, units, text)
#define TL_OPTION_I(prefix, at, field, value, lo, hi, units, text)                                           \
    TL_OPTION_NUMBER(TALUS_OPTION_INT, prefix #field, at(field), value, lo, hi, units, text)
#define TL_OPTION_E(prefix, at, field, value, list, text)                                                    \
    {.name = prefix #field,                                                                                  \
     .kind = TALUS_OPTION_ENUM,                                                                              \
     .offset = at(field),                                                                                    \
     .value_default = (value),                                                                               \
     .unit = "",                                                                                             \
     .choices = (list),                                                                                      \
     .help = (text)},
#define TL_OPTION_NUMBER(number, label, where, value, lo, hi, units, text)                                   \
    {.name = label,                                                                                          \
     .kind = (number),                                                                                       \
     .offset = where,                                                                                        \
     .min = (lo),                                                                                            \
     .max = (hi),                                                                                            \
     .value_default = (value),                                                                               \
     .unit = (units),                                                                                        \
     .help = (text)},
