// SPDX-License-Identifier: MIT
// One more geometry pass at the poses of a state, with corners, and the contact law at its velocities:
//
//   pi = k (1 - d v_n)+ delta0,   f_t = -mu~ v_t/s pi        (the law of a step with h = 0)
//
// A step's force is that of delta0 - h v_n, which is the overlap at its end to first order, so between steps both
// agree; at rest they are the same.
#include "patch_view.h"
#include "kernels.h"
#include "sim.h"

// velocity of A minus that of B
static void velocity_at(const talus_sim* sim, int32_t body_a, int32_t body_b, const double* x, double* v)
{
    double vb[3];
    tl_mb_point_velocity(&sim->model->mb, &sim->data, body_a, x, v);
    tl_mb_point_velocity(&sim->model->mb, &sim->data, body_b, x, vb);
    for (int r = 0; r < 3; r++)
        v[r] -= vb[r];
}

static double dot(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// forces of sim->now at the velocities of the state
static talus_status apply_law(talus_sim* sim)
{
    tl_contact_set* c = &sim->now;
    const int64_t n = c->n, ld = TL_PADDED(n);
    double* x = TL_ARENA(&sim->geometry, double, 12 * ld);
    if (!x)
        return tl_nomem(sim->ctx, sizeof(double) * 12 * (size_t)ld);
    memset(x, 0, sizeof(double) * 12 * (size_t)ld);
    double *k = x, *d = x + ld, *mu = x + 2 * ld, *delta0 = x + 3 * ld, *v_s = x + 4 * ld, *v = x + 5 * ld,
           *f = x + 8 * ld, *tau = sim->opt.dissipation == TALUS_DISSIPATION_LINEAR ? x + 11 * ld : NULL;
    const tl_contact_params law = {.k = k,
                                   .d = d,
                                   .mu = mu,
                                   .delta0 = delta0,
                                   .v_s = v_s,
                                   .tau = tau,
                                   .h = 0.0,
                                   .linear = sim->opt.friction};
    for (int64_t i = 0; i < ld; i++)
        v_s[i] = i < n ? sim->opt.v_s : 1.0;
    for (int64_t i = 0; i < n; i++) {
        double w[3];
        k[i] = c->k[i];
        if (!tau)
            d[i] = c->d[i];
        else if (c->depth[i] > 0.0)
            tau[i] = c->d[i] / c->k[i];
        mu[i] = c->mu[i];
        delta0[i] = c->depth[i];
        velocity_at(sim, c->body_a[i], c->body_b[i], c->point + 3 * i, w);
        v[i] = dot(w, c->t1 + 3 * i);
        v[ld + i] = dot(w, c->t2 + 3 * i);
        v[2 * ld + i] = dot(w, c->normal + 3 * i);
    }
    tl_context_kernels(sim->ctx)->contact_force((int32_t)ld, ld, &law, v, NULL, 0, f, NULL);
    for (int64_t i = 0; i < n; i++)
        for (int r = 0; r < 3; r++)
            c->force[3 * i + r] =
                f[i] * c->t1[3 * i + r] + f[ld + i] * c->t2[3 * i + r] + f[2 * ld + i] * c->normal[3 * i + r];
    tl_sim_patch_forces(c);
    return TALUS_OK;
}

// slip and traction of each face of one patch
static void describe_faces(const talus_sim* sim, const talus_patch* pair, const tl_patch* p, double* slip,
                           double* traction)
{
    const double* force = sim->now.force + 3 * (int64_t)pair->first;
    for (int64_t i = 0; i < p->n; i++, slip += 3, traction += 3) {
        const double* n = p->normal + 3 * i;
        velocity_at(sim, pair->body_a, pair->body_b, p->centroid + 3 * i, slip);
        const double vn = dot(slip, n);
        const bool contact = tl_sim_makes_contact(p, (int32_t)i);
        for (int r = 0; r < 3; r++) {
            slip[r] -= vn * n[r];
            traction[r] = contact ? force[r] / p->area[i] : 0.0;
        }
        force += contact ? 3 : 0;
    }
}

talus_status tl_sim_patch_view(talus_sim* sim, const talus_state* state, tl_patch_view* out)
{
    TL_TRY(tl_sim_refresh(sim, state));
    talus_step_info info = {0};
    sim->corners = true;
    const talus_status status = tl_sim_geometry(sim, 0.0, &info);
    sim->corners = false;
    TL_TRY(status);
    TL_TRY(apply_law(sim));
    int64_t faces = 0;
    for (int32_t i = 0; i < sim->npatch; i++)
        faces += sim->patch[i].now.n;
    const tl_patch** patch = TL_ARENA(&sim->geometry, const tl_patch*, sim->now.npatch);
    double *slip = TL_ARENA(&sim->geometry, double, 3 * faces),
           *traction = TL_ARENA(&sim->geometry, double, 3 * faces);
    if (!patch || !slip || !traction)
        return tl_nomem(sim->ctx, sizeof(double) * 6 * (size_t)faces);
    *out = (tl_patch_view){.n = sim->now.npatch,
                           .patch = patch,
                           .pair = sim->now.patch,
                           .slip = slip,
                           .traction = traction,
                           .time = state->time};
    for (int32_t i = 0, k = 0; i < sim->npatch; i++) {
        const tl_patch* p = &sim->patch[i].now;
        if (p->n == 0)
            continue; // as in the list of sim->now
        describe_faces(sim, sim->now.patch + k, p, slip, traction);
        patch[k++] = p;
        slip += 3 * (int64_t)p->n;
        traction += 3 * (int64_t)p->n;
    }
    return TALUS_OK;
}
