// SPDX-License-Identifier: MIT
// The solver alone: own bodies, own geometry, own time stepping. Balls (which do not spin, to stay short)
// fall into a box; each step lists who overlaps whom and asks for the velocities at the end of the step.
#include <math.h>
#include <stdio.h>
#include <talus/solver.h>

enum { N = 27, MAX = N * (N + 5) };
static const double R = 0.1, MASS = 2.0, WALL = 0.36, G = 9.81, H = 0.002;
static double x[N][3], v[3 * N], v_star[3 * N], v_next[3 * N], M[9 * N];
static double J[18 * MAX], delta0[MAX], k[MAX], d[MAX], mu[MAX], f[3 * MAX];
static int32_t tree_nv[N], tree_a[MAX], tree_b[MAX], nc, nj;

// n points from b (another ball, or -1: a wall) into ball a; they touch when delta > 0
static void add_contact(int32_t a, int32_t b, const double n[3], double delta)
{
    const int p = fabs(n[0]) < 0.6 ? 0 : 1;          // an axis that is not along n
    double e[3][3] = {{0}, {0}, {n[0], n[1], n[2]}}; // t1 t2 n
    if (delta <= 0)
        return;
    for (int i = 0; i < 3; i++)
        e[0][i] = ((i == p) - n[p] * n[i]) / sqrt(1 - n[p] * n[p]);
    for (int i = 0; i < 3; i++)
        e[1][i] = n[(i + 1) % 3] * e[0][(i + 2) % 3] - n[(i + 2) % 3] * e[0][(i + 1) % 3];
    for (int side = 0; side < (b < 0 ? 1 : 2); side++)
        for (int i = 0; i < 9; i++)
            J[nj++] = side ? -e[i / 3][i % 3] : e[i / 3][i % 3];
    tree_a[nc] = a, tree_b[nc] = b, delta0[nc] = delta, k[nc] = 1e5, d[nc] = 1, mu[nc] = 0.4, nc++;
}

static void find_contacts(void)
{
    nc = 0, nj = 0;
    for (int32_t a = 0; a < N; a++) {
        for (int i = 0; i < 5; i++) { // walls with normals x -x y -y, floor at z = 0
            const int c = i / 2, s = i % 2 ? -1 : 1;
            add_contact(a, -1, (double[]){s * !c, s * (c == 1), c == 2},
                        R - (c < 2 ? WALL : 0) - s * x[a][c]);
        }
        for (int32_t b = 0; b < a; b++) {
            const double r[3] = {x[a][0] - x[b][0], x[a][1] - x[b][1], x[a][2] - x[b][2]};
            const double l = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
            add_contact(a, b, (double[]){r[0] / l, r[1] / l, r[2] / l}, 2 * R - l);
        }
    }
}

int main(void)
{
    talus_context* ctx = NULL;
    talus_solver* solver = NULL;
    if (talus_context_create(NULL, &ctx) < 0 || talus_solver_create(ctx, NULL, &solver) < 0)
        return 1;
    for (int i = 0; i < N; i++) {
        tree_nv[i] = 3, M[9 * i] = M[9 * i + 4] = M[9 * i + 8] = MASS;
        for (int c = 0, at = i; c < 3; c++, at /= 3)
            x[i][c] = 0.21 * (at % 3) + (c == 2 ? 0.3 : 0.03 * (i / 9) - 0.24);
    }
    talus_problem_view p = talus_problem_default();
    p.ntree = N, p.h = H, p.tree_nv = tree_nv, p.M = M, p.v0 = v, p.v_star = v_star, p.J = J;
    p.tree_a = tree_a, p.tree_b = tree_b, p.delta0 = delta0, p.k = k, p.d = d, p.mu = mu;
    for (int step = 0; step < 2000; step++) {
        find_contacts(), p.nc = nc;
        for (int i = 0; i < 3 * N; i++)
            v_star[i] = v[i] - (i % 3 == 2 ? H * G : 0); // without contact
        if (talus_solver_step(solver, &p, &(talus_solution){.v = v_next, .f = f}, NULL) < 0)
            return 1;
        for (int i = 0; i < 3 * N; i++)
            x[i / 3][i % 3] += H * (v[i] = v_next[i]);
    }
    double load = 0; // at rest the weight: z parts of the rows t1 t2 n of floor and walls
    for (int64_t i = 0, j = 0; i < nc; j += tree_b[i++] < 0 ? 9 : 18)
        for (int r = 0; r < 3 && tree_b[i] < 0; r++)
            load += f[3 * i + r] * J[j + 3 * r + 2];
    printf("%d balls, %d contacts: the box carries %.3f N of %.3f N\n", N, nc, load, N * MASS * G);
    talus_solver_destroy(solver);
    talus_context_destroy(ctx);
    return fabs(load / (N * MASS * G) - 1) < 1e-2 ? 0 : 1;
}
