// SPDX-License-Identifier: MIT
// Everything from C++: load a scene, step it to rest, and add up what the world carries.
#include <cmath>
#include <cstdio>
#include <memory>
#include <talus/talus.h>

template <class T, void (*destroy)(T*)> struct deleter {
    void operator()(T* p) const
    {
        destroy(p);
    }
};
using context = std::unique_ptr<talus_context, deleter<talus_context, talus_context_destroy>>;
using model = std::unique_ptr<talus_model, deleter<talus_model, talus_model_destroy>>;
using state = std::unique_ptr<talus_state, deleter<talus_state, talus_state_destroy>>;
using sim = std::unique_ptr<talus_sim, deleter<talus_sim, talus_sim_destroy>>;

int main(int argc, char** argv)
{
    talus_context* c = nullptr;
    if (argc != 2 || talus_context_create(nullptr, &c) < 0)
        return 1;
    const context ctx(c);
    talus_model* m = nullptr;
    if (talus_model_load(c, argv[1], nullptr, &m) < 0)
        return 1;
    const model own_model(m);
    talus_state* x = nullptr;
    if (talus_state_create(c, m, &x) < 0)
        return 1;
    const state own_state(x);
    talus_sim* s = nullptr;
    if (talus_sim_create(c, m, nullptr, &s) < 0)
        return 1;
    const sim own_sim(s);
    for (int step = 0; step < 400; step++)
        if (talus_sim_step(s, x, 0.005, 0, nullptr) < 0)
            return 1;
    const talus_contacts t = talus_sim_contacts(s);
    double load = 0;
    for (int32_t i = 0; i < t.count; i++)
        load += t.body_b[i] == 0 ? t.force[3 * i + 2] : t.body_a[i] == 0 ? -t.force[3 * i + 2] : 0;
    const talus_model_info info = talus_model_get_info(m);
    const double weight = -info.total_mass * info.gravity[2];
    std::printf("%d contacts, the world carries %.4f N of %.4f N\n", t.count, load, weight);
    return std::fabs(load - weight) < 1e-3 * weight ? 0 : 1;
}
