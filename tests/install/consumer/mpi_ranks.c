// SPDX-License-Identifier: MIT
// Ranks of an MPI program step their own bodies through talus::solver, one thread each. The work is BOXES
// boxes of sliding pucks; rank r has boxes r, r + size, ... and also repeats one box of its neighbour. The
// same box must have the same bits on both ranks, and the hash over all boxes must not depend on how many
// ranks there are.
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <talus/solver.h>

enum { BOXES = 6, N = 12, MAX = N * N + 4 * N, STEPS = 300 };

typedef struct box {
    double x[N][2], v[2 * N];
    double M[4 * N], v_star[2 * N], next[2 * N], J[12 * MAX], delta0[MAX], k[MAX], d[MAX], mu[MAX];
    int32_t tree_nv[N], a[MAX], b[MAX];
} box;

// pucks move in a plane; the second tangent, out of the plane, has no velocity
static void add(box* o, talus_problem_view* p, int64_t* nj, int32_t a, int32_t b, double nx, double ny,
                double delta)
{
    if (delta <= 0)
        return;
    const double rows[6] = {-ny, nx, 0, 0, nx, ny};
    for (int side = 0; side < (b < 0 ? 1 : 2); side++)
        for (int i = 0; i < 6; i++)
            o->J[(*nj)++] = side ? -rows[i] : rows[i];
    const int32_t i = p->nc++;
    o->a[i] = a, o->b[i] = b, o->delta0[i] = delta, o->k[i] = 1e5, o->d[i] = 0.1, o->mu[i] = 0.3;
}

static void find_contacts(box* o, talus_problem_view* p)
{
    const double r = 0.1, half = 0.5;
    int64_t nj = 0;
    p->nc = 0;
    for (int32_t i = 0; i < N; i++) {
        for (int c = 0; c < 2; c++)
            for (int s = -1; s <= 1; s += 2)
                add(o, p, &nj, i, -1, c ? 0 : s, c ? s : 0, r - (half + s * o->x[i][c]));
        for (int32_t j = 0; j < i; j++) {
            const double dx = o->x[i][0] - o->x[j][0], dy = o->x[i][1] - o->x[j][1],
                         l = sqrt(dx * dx + dy * dy);
            add(o, p, &nj, i, j, dx / l, dy / l, 2 * r - l);
        }
    }
}

static uint64_t step_box(talus_solver* solver, int index, int* failed)
{
    static box o;
    memset(&o, 0, sizeof o);
    for (int i = 0; i < N; i++) {
        o.tree_nv[i] = 2, o.M[4 * i] = o.M[4 * i + 3] = 1 + 0.1 * i;
        o.x[i][0] = 0.22 * (i % 4) - 0.33, o.x[i][1] = 0.24 * (i / 4) - 0.24;
        o.v[2 * i] = sin(1.7 * i + index), o.v[2 * i + 1] = cos(2.3 * i - index);
    }
    talus_problem_view p = talus_problem_default();
    p.ntree = N, p.h = 0.002, p.v_s = 1e-3, p.tree_nv = o.tree_nv, p.M = o.M, p.v0 = o.v, p.v_star = o.v_star;
    p.tree_a = o.a, p.tree_b = o.b, p.J = o.J, p.delta0 = o.delta0, p.k = o.k, p.d = o.d, p.mu = o.mu;
    talus_solver_reset(solver); // one box knows nothing of the ones before
    uint64_t hash = 1469598103934665603u;
    for (int step = 0; step < STEPS; step++) {
        find_contacts(&o, &p);
        memcpy(o.v_star, o.v, sizeof o.v);
        o.v_star[2 * (step % N)] += 0.05; // a push
        talus_solution s = {.v = o.next};
        if (talus_solver_step(solver, &p, &s, NULL) < 0)
            *failed = 1;
        memcpy(o.v, o.next, sizeof o.v);
        for (int i = 0; i < 2 * N; i++) {
            uint64_t bits;
            o.x[i / 2][i % 2] += p.h * o.v[i];
            memcpy(&bits, &o.v[i], sizeof bits);
            hash = (hash ^ bits) * 1099511628211u;
        }
    }
    return hash;
}

int main(int argc, char** argv)
{
    int rank = 0, size = 1, failed = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    talus_context_def def = talus_context_default();
    talus_context* ctx = NULL;
    talus_solver* solver = NULL;
    def.nthreads = 1;
    if (talus_context_create(&def, &ctx) < 0 || talus_solver_create(ctx, NULL, &solver) < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    uint64_t mine[BOXES] = {0}, all[BOXES], hash = 0;
    for (int i = rank; i < BOXES; i += size)
        mine[i] = step_box(solver, i, &failed);
    // each box has one owner, others hold zero: the sum is the owner's
    MPI_Allreduce(mine, all, BOXES, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    const int other = (rank + 1) % size;
    const uint64_t repeated = step_box(solver, other, &failed);
    if (repeated != all[other]) {
        fprintf(stderr, "rank %d: box %d is %016" PRIx64 ", its owner has %016" PRIx64 "\n", rank, other,
                repeated, all[other]);
        failed = 1;
    }
    for (int i = 0; i < BOXES; i++)
        hash = hash * 31 + all[i];
    int any = 0;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && !any)
        printf("%d ranks, %d boxes: hash %016" PRIx64 "\n", size, BOXES, hash);
    talus_solver_destroy(solver);
    talus_context_destroy(ctx);
    MPI_Finalize();
    return any;
}
