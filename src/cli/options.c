// SPDX-License-Identifier: MIT
// `talus info options`: the one list of options, as a table or as JSON.
#include "cli.h"

static void choice_name(const talus_option_info* o, int32_t value, char* out, size_t size)
{
    const char* p = o->choices;
    for (; value > 0 && p && (p = strchr(p, '|')); value--)
        p++;
    snprintf(out, size, "%.*s", p ? (int)strcspn(p, "|") : 0, p ? p : "");
}

static void describe(const talus_option_info* o, char* value, char* range, size_t size)
{
    if (o->kind == TALUS_OPTION_ENUM) {
        choice_name(o, (int32_t)o->value_default, value, size);
        snprintf(range, size, "%s", o->choices);
    } else {
        snprintf(value, size, "%g", o->value_default);
        snprintf(range, size, "%g .. %g", o->min, o->max);
    }
}

static const char* unit_of(const talus_option_info* o)
{
    return o->unit && *o->unit ? o->unit : "-";
}

static json_t* option_json(const talus_option_info* o)
{
    static const char* const kinds[] = {"number", "integer", "choice"};
    char text[128], range[128];
    describe(o, text, range, sizeof text);
    const bool choice = o->kind == TALUS_OPTION_ENUM;
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:s}", "name", o->name, "kind", kinds[o->kind],
                     "default", choice ? json_string(text) : tl_json_real(o->value_default), "min",
                     choice ? json_null() : tl_json_real(o->min), "max",
                     choice ? json_null() : tl_json_real(o->max), "choices",
                     choice ? json_string(o->choices) : json_null(), "unit", unit_of(o), "help", o->help);
}

int cli_print_options(cli_args* args)
{
    const talus_option_info* list = NULL;
    const int32_t n = talus_sim_options_list(&list);
    if (args->json) {
        json_t* array = json_array();
        for (int32_t i = 0; i < n; i++)
            json_array_append_new(array, option_json(&list[i]));
        return cli_print_json(args, json_pack("{s:o}", "options", array));
    }
    printf("%-26s %-10s %-28s %-16s %s\n", "option", "default", "range", "unit", "meaning");
    for (int32_t i = 0; i < n; i++) {
        char value[128], range[128];
        describe(&list[i], value, range, sizeof value);
        printf("%-26s %-10s %-28s %-16s %s\n", list[i].name, value, range, unit_of(&list[i]), list[i].help);
    }
    printf("\nUse: talus run SCENE --set contact.mu=0.3 --set solver.tol=1e-8\n"
           "Where contact.k, contact.d and contact.mu are not set (-1 in the list), the scene says them.\n");
    return cli_flush(args);
}
