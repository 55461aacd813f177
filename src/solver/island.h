// SPDX-License-Identifier: MIT
// One island: a connected set of trees with their contacts, gathered for the Newton iteration.
//
// A contact here is anything with the contact law: contacts proper, joint limits (mu = 0, J_n = sign e_dof,
// no tangential rows) and dry joint friction (J_t1 = e_dof, J_n = 0: its normal force is the constant k
// delta0 = bound).
//
// Layout: contact fields are structure of arrays, ld = nc rounded up to 8, three-vectors as rows (t1, t2, n)
// with stride ld; padding lanes have k = mu = 0, v_s = 1. Jacobians are packed contact after contact,
//
//     J + joff[i] -> | t1: n_a + n_b | t2: n_a + n_b | n: n_a + n_b |      B = h M^-1 J^T in the same layout
//
// where a, b are the contact's trees; b = -1 for one tree (then n_b = 0).
#pragma once

#include <talus/solver.h>
#include "base.h"
#include "kernels.h"
#include "la.h"

typedef struct tl_slot tl_slot; // kept factor of an island (solver.c)

/// A selection of contacts with its own padded copies of their parameters, so that kernels run on it.
typedef struct tl_batch {
    int32_t n;          // padded
    const int32_t* idx; // (n) contact in the island, -1: padding
    tl_contact_params p;
    const double *Wt, *Wn;
    const double* bound; // one-way: frozen normal forces, else NULL
} tl_batch;

/// A body pair with many contacts: J_i = S_i J_pair with J_pair M^-1 J_pair^T = 1.
typedef struct tl_patch {
    tl_batch batch;
    int32_t rank, nd; // rank <= 6
    const double* S;  // per contact 3 x rank, row-major
    const double* Jp; // rank x nd
} tl_patch;

typedef struct tl_island {
    const talus_solver_options* opt;
    const tl_kernels* kernels;
    talus_context* ctx;
    tl_arena work; // scratch of this island's task
    tl_slot* slot;

    double h;
    int32_t linear; // friction law
    int32_t ntree, nv, nc, ld;
    int32_t* tree;       // (ntree) global index, ascending
    int32_t* gdof;       // (ntree) first global dof
    int32_t* dof;        // (ntree + 1) first local dof
    const double** M;    // (ntree) blocks
    double** Minv;       // (ntree) inverses
    double *v0, *v_star; // (nv)
    double momentum;     // |M v*|_{M^-1}

    int32_t* source;                   // (nc) contact, limit or loss of the problem view
    int32_t *ta, *tb;                  // (nc) local trees
    int64_t* pair;                     // (nc) body pair
    int64_t* joff;                     // (nc)
    double *J, *B;                     // packed
    double *k, *d, *mu, *delta0, *v_s; // (ld)
    double* tau;                       // (ld) linear dissipation: its relaxation time, d is 0; else NULL
    double *Wt, *Wn;                   // (ld) h J M^-1 J^T, tangential mean and normal
    double* f0;                        // (3 x ld) history
    double* bound;                     // (ld) one-way coupling: pi at v0; else NULL
    double jsize;                      // doubles in J
    bool six;                          // every tree has six dofs: the kernels for free bodies apply

    const int32_t* side_start; // (ntree + 1) contacts of each tree, in their order: side[side_start[t] .. )
    const int32_t* side;       // (2 nc) 2 contact + (0: the tree is its a, 1: its b)
    double* partial;           // (2 + GMRES columns for each chunk of trees) sums of chunks

    int32_t nparts, ncolour; // of the sweeps; 0: not coloured yet
    int32_t ninner;          // colours of contacts inside parts, which come first
    int32_t *part, *colour;  // (nc) of each contact; part nparts: between parts
    int32_t* place;          // (ntree) first dof of a tree of six in the sweeps' own order

    // result
    double *v, *v_mean, *f; // (nv) (nv) (3 x ld)
    talus_solve_info info;
    bool alone;   // no task beside it: what is inside may use the threads
    double clock; // end of the stage before
    bool failed_memory;
} tl_island;

/// The time since the last lap belongs to *phase (s->info.t_...): one reading of the clock a stage, because
/// small islands take microseconds.
static inline void tl_isl_lap(tl_island* s, double* phase)
{
    const double now = tl_now();
    *phase += now - s->clock;
    s->clock = now;
}

/// Sum from left to right: the same bits wherever it is used.
static inline double tl_dot(const double* a, const double* b, int32_t n)
{
    double s = 0.0;
    for (int32_t i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

// ---- operators.c: y = op(x), no aliasing
// ------------------------------------------------------------------------
#define TL_CONTACT_CHUNK 128 // a microsecond of work; a multiple of TL_PAD
#define TL_TREE_CHUNK 32
#define TL_PARTIALS 20 // sums of a chunk of trees

/// fn over chunks of `grain` indices, on the threads where the island is alone. Over all contacts with their
/// padding; over all trees.
void tl_isl_over(const tl_island* s, int32_t n, int32_t grain, tl_range_fn* fn, void* arg);
void tl_isl_over_contacts(const tl_island* s, tl_range_fn* fn, void* arg);
void tl_isl_over_trees(const tl_island* s, tl_range_fn* fn, void* arg);
/// The sum over the chunks of trees of partial[chunk * stride], in their order.
double tl_isl_sum(const tl_island* s, const double* partial, int32_t stride);

void tl_isl_velocity(const tl_island* s, const double* v, double* w);          // w (3 x ld) = J v, padding 0
void tl_isl_gen(const tl_island* s, const double* f, double scale, double* p); // p (nv) += scale J^T f
void tl_isl_M(const tl_island* s, const double* x, double* y);
void tl_isl_Minv(const tl_island* s, const double* x, double* y);
double tl_isl_norm(const tl_island* s, const double* p, double* work); // |p|_{M^-1}; work (nv)
double tl_isl_momentum(const tl_island* s, double* work); // |M v*|_{M^-1} = sqrt(v*^T M v*); work (nv)
/// y = A x with A = M + h J^T G J; w, g (3 x ld) scratch
void tl_isl_A(const tl_island* s, const double* G, const double* x, double* y, double* w, double* g);

/// Forces and gradients at contact velocities w in this island's coupling. `bound`: lagged friction bounds or
/// NULL.
void tl_isl_force(const tl_island* s, const double* w, const double* bound, bool secant, double* f,
                  double* G);

/// The same for a chunk, for regions that do several of them: contacts or trees [begin, end) of whole arrays.
void tl_chunk_velocity(const tl_island* s, int32_t begin, int32_t end, const double* v, double* w);
void tl_chunk_force(const tl_island* s, int32_t begin, int32_t end, const double* w, const double* bound,
                    bool secant, double* f, double* G);
void tl_chunk_GJ(const tl_island* s, int32_t begin, int32_t end, const double* G, const double* w,
                 double* g); // g = G w, both (3 x ld)
void tl_chunk_gen(const tl_island* s, int32_t begin, int32_t end, const double* f, double scale, double* p);
void tl_chunk_M(const tl_island* s, int32_t begin, int32_t end, const double* x, double* y);
void tl_chunk_Minv(const tl_island* s, int32_t begin, int32_t end, const double* x, double* y);
double tl_chunk_dot(const tl_island* s, int32_t begin, int32_t end, const double* x, const double* y);

/// Parameters and packed rows J or B from contact `at` on, for the kernels: of trees with six dofs, of any.
tl_contact_params tl_isl_params(const tl_island* s, int32_t at);
tl_jacobian6 tl_isl_rows(const tl_island* s, const double* rows, int32_t at);
tl_tree_rows tl_isl_tree_rows(const tl_island* s, const double* rows, int32_t at);
/// w = rows v and v += scale rows^T f for the contacts in `list` (NULL: all), -1: none; rows = J or B.
void tl_isl_apply(const tl_island* s, int32_t n, const int32_t* list, const double* rows, const double* v,
                  int32_t ld, double* w);
void tl_isl_add(const tl_island* s, int32_t n, const int32_t* list, const double* rows, double scale,
                const double* f, int32_t ld, double* v);

/// r = M (v - v*) - h J^T f(w), w = J v (3 x ld). @param f (3 x ld) out   @return relative residual
typedef struct tl_residual {
    double relative, scale;
} tl_residual;
tl_residual tl_isl_residual(const tl_island* s, const double* v, const double* bound, double* r,
                            const double* w, double* f, double* work2);
/// The same with the forces f (3 x ld) given. @param work2 (2 nv)
tl_residual tl_isl_residual_of(const tl_island* s, const double* v, const double* f, double* r,
                               double* work2);

// ---- batch.c
// -----------------------------------------------------------------------------------------------------
talus_status tl_batch_make(tl_island* s, const int32_t* idx, int32_t n, tl_batch* out);
void tl_batch_gather(const tl_batch* b, const double* from, int32_t ld, double* to); // (3 x ld) -> (3 x n)
void tl_batch_scatter(const tl_batch* b, const double* from, double* to, int32_t ld);
void tl_batch_force(const tl_island* s, const tl_batch* b, const double* w, double* f, double* G);
void tl_batch_local(const tl_island* s, const tl_batch* b, const double* w, const double* fl, double* nu,
                    double* f);

// ---- sweeps.c: impulse start and coloured nonlinear Gauss-Seidel
// -------------------------------------------------------
/// v (nv) and nu (3 x ld) out, from forces f (3 x ld).
typedef struct tl_sweep {
    tl_island* s;
    const double* f;
    double *v, *nu;
} tl_sweep;
/// `sweeps` sweeps of n islands together; each has what it would have alone. @return OK or ERR_NOMEM
talus_status tl_sweep_islands(tl_arena* work, int32_t n, tl_sweep* const* part, int32_t sweeps);
/// Bytes of `work` for n islands with nc contacts together, and at most so many colours and dofs each.
size_t tl_sweep_bytes(int32_t n, int32_t nc, int32_t ncolour, int32_t nv);

// ---- sweep_parts.c: colours, and sweeps of an island alone on the threads
// -------------------------------------------------------
/// Most contacts of any tree: twice of it bounds the number of colours.
int32_t tl_isl_degree(const tl_island* s);
/// Colours of an island that has none yet.
talus_status tl_isl_colour(tl_island* s);
/// The sweeps of an island of several parts, after the start from its forces: v in and out.
talus_status tl_sweep_parts(const tl_sweep* x, int32_t sweeps);

// ---- patches.c
// ---------------------------------------------------------------------------------------------------
talus_status tl_isl_patches(tl_island* s, tl_patch** out, int32_t* n);
void tl_isl_pair_rounds(tl_island* s, const tl_patch* patches, int32_t n, const double* v, const double* fl,
                        double* nu);

// ---- linear.c: assembly, factorization
// --------------------------------------------------------------------
/// Factor of A_s (full = false) or LU of A in the slot. @return OK, ERR_SINGULAR, ERR_NOMEM, ERR_UNSUPPORTED
talus_status tl_isl_factor(tl_island* s, const double* G, bool full);
/// Steps of GMRES with the kept factor that cost as much as a new one, from work counts alone.
double tl_isl_factor_worth(const tl_island* s);
void tl_isl_solve(tl_island* s, double* x);
void tl_isl_precondition(tl_island* s, double* x); // nearly the same, for less
bool tl_isl_has_factor(const tl_island* s);

// ---- gmres.c
// -----------------------------------------------------------------------------------------------------
/// How far GMRES goes: until |b - A x| <= stop in the M^-1 norm, at most `steps` times, and no longer than
/// while its residuals promise to be there within `worth` further steps.
typedef struct tl_gmres_goal {
    double stop;
    int32_t steps;
    double worth;
} tl_gmres_goal;
/// x += the solution of A d = b by GMRES, right-preconditioned with the slot's factor, in the M^-1 inner
/// product; what it has when it ends early. @return true: reached `stop`
bool tl_isl_gmres(tl_island* s, const double* G, const double* b, const tl_gmres_goal* goal, double* x);

// ---- the iterations
// ------------------------------------------------------------------------------------------------
/// lifting.c: steps 1-5 of islands, whose first sweeps are made together with scratch from `work`.
void tl_isl_lifting(tl_arena* work, int32_t n, tl_island* const* list);
size_t tl_isl_lifting_bytes(int32_t n, int32_t nc, int32_t ncolour,
                            int32_t nv);       // of `work`, as tl_sweep_bytes
void tl_isl_newton(tl_island* s);              // newton.c: tals and none
bool tl_isl_substeps(tl_island* s, int32_t n); // fallback.c
void tl_isl_lagged(tl_island* s);              // fallback.c
/// lifting.c: one more try of steps 1-4 without history (cold = from v0 without sweeps); result in s->v.
/// @return converged
bool tl_isl_try(tl_island* s, bool cold);
