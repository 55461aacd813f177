// SPDX-License-Identifier: MIT
// The solver from C++: a block on an incline. Below the angle of friction it stays, above it slides with
// g (sin a - mu cos a): its own dynamics, one contact, no geometry but a plane.
#include <cmath>
#include <cstdio>
#include <memory>
#include <talus/solver.h>

static double speed_after(talus_solver* solver, double angle, double mu, double time)
{
    const double g = 9.81, h = 1e-3, mass = 3.0, k = 1e6, d = 1.0;
    const double M[9] = {mass, 0, 0, 0, mass, 0, 0, 0, mass}, J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int32_t nv = 3, a = 0, b = -1;
    double v[3] = {0, 0, 0},
           z = -mass * g * std::cos(angle) / k; // the incline's axes: down the slope, across, normal
    for (int step = 0; step < static_cast<int>(time / h); step++) {
        const double v_star[3] = {v[0] + h * g * std::sin(angle), v[1], v[2] - h * g * std::cos(angle)};
        const double delta0 = -z;
        talus_problem_view p = talus_problem_default();
        p.ntree = 1;
        p.nc = 1;
        p.h = h;
        p.tree_nv = &nv;
        p.M = M;
        p.v0 = v;
        p.v_star = v_star;
        p.tree_a = &a;
        p.tree_b = &b;
        p.J = J;
        p.delta0 = &delta0;
        p.k = &k;
        p.d = &d;
        p.mu = &mu;
        double next[3];
        talus_solution s = {};
        s.v = next;
        if (talus_solver_step(solver, &p, &s, nullptr) < 0)
            return NAN;
        for (int i = 0; i < 3; i++)
            v[i] = next[i];
        z += h * v[2];
    }
    return v[0];
}

int main()
{
    talus_context* ctx = nullptr;
    talus_solver* solver = nullptr;
    if (talus_context_create(nullptr, &ctx) < 0)
        return 1;
    const std::unique_ptr<talus_context, decltype(&talus_context_destroy)> own_ctx(ctx,
                                                                                   talus_context_destroy);
    if (talus_solver_create(ctx, nullptr, &solver) < 0)
        return 1;
    const std::unique_ptr<talus_solver, decltype(&talus_solver_destroy)> own(solver, talus_solver_destroy);
    const double g = 9.81, mu = 0.5, steep = 0.6, flat = 0.4;
    const double slides = speed_after(solver, steep, mu, 1.0),
                 want = g * (std::sin(steep) - mu * std::cos(steep));
    const double sticks = speed_after(solver, flat, mu, 1.0);
    std::printf("slides with %.6f m/s, wanted %.6f; sticks with %.2e m/s; NaN never\n", slides, want, sticks);
    return std::fabs(slides - want) < 1e-3 * want && std::fabs(sticks) < 1e-4 ? 0 : 1;
}
