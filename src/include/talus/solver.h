// SPDX-License-Identifier: MIT
/// The contact solver alone: arrays in, a velocity out. No bodies, no geometry, no files.
#pragma once

#include <talus/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum talus_friction { TALUS_FRICTION_QUADRATIC = 0, TALUS_FRICTION_LINEAR = 1 } talus_friction;
/// Normal force of a contact: k (1 - d v_n)+ (delta)+, d in s/m, or (k delta - d v_n)+, d in N s/m; delta = delta0 - h v_n.
typedef enum talus_dissipation {
    TALUS_DISSIPATION_HUNT_CROSSLEY = 0,
    TALUS_DISSIPATION_LINEAR = 1
} talus_dissipation;
typedef enum talus_globalization {
    TALUS_GLOBALIZATION_LIFTING = 0, ///< per-contact transition-aware lifting (src/README.md#lifting)
    TALUS_GLOBALIZATION_TALS = 1,    ///< Castro et al. 2020: one step length, the minimum over all contacts
    TALUS_GLOBALIZATION_NONE = 2     ///< plain Newton
} talus_globalization;
typedef enum talus_coupling { TALUS_COUPLING_TWO_WAY = 0, TALUS_COUPLING_ONE_WAY = 1 } talus_coupling;
typedef enum talus_backend {
    TALUS_BACKEND_AUTO = 0, ///< dense for small islands, own sparse otherwise, by problem size
    TALUS_BACKEND_DENSE = 1,
    TALUS_BACKEND_OWN = 2,
    TALUS_BACKEND_CHOLMOD = 3,
    TALUS_BACKEND_UMFPACK = 4
} talus_backend;

/// Solver options: D(name, default, min, max, unit, help), I(...) for integers,
/// E(name, default, choices, help) for enumerations whose values are the positions in `choices`.
#define TALUS_SOLVER_OPTIONS(D, I, E)                                                                        \
    D(tol, 1e-6, 1e-14, 1.0, "-", "relative momentum residual, in the M^-1 norm, at which an island stops")  \
    E(globalization, 0, "lifting|tals|none", "how Newton is kept on course")                                 \
    E(coupling, 0, "two-way|one-way", "one-way freezes the normal forces at (q0, v0)")                       \
    E(islands, 1, "off|on", "solve connected components apart, each with its own tolerance")                 \
    E(reuse, 1, "off|on", "try the kept factor before making a new one")                                     \
    E(backend, 0, "auto|dense|own|cholmod|umfpack", "factorization of the linear systems")                   \
    I(sweeps, 10, 0, 1000, "-", "nonlinear Gauss-Seidel sweeps at the start of a moving island")             \
    I(max_iter, 20, 0, 100000, "-", "Newton iterations of the first try (tals, none: of the only try)")      \
    I(max_iter_restart, 40, 0, 100000, "-", "Newton iterations after a cold restart")                        \
    I(resweep, 4, 0, 100000, "-",                                                                            \
      "sweep again every so many slow iterations, each time more often, 0: never")                           \
    I(patch_rounds, 3, 0, 100, "-", "6x6 rounds of a body pair with many contacts")                          \
    I(patch_min, 9, 1, 1000000, "-", "contacts of one body pair from which the 6x6 rounds are made")         \
    I(substeps_max, 16, 0, 16, "-", "largest number of substeps tried when an island does not converge")     \
    E(lagged, 1, "off|on", "accept the lagged convex problem as last resort")                                \
    D(quiet, 0.1, 0.0, 1.0, "-", "relative residual at v0 below which an island starts at v0 without sweeps")

typedef struct talus_solver_options {
    uint32_t cookie;
#define TALUS_SOLVER_FIELD_D(name, ...) double name;
#define TALUS_SOLVER_FIELD_I(name, ...) int32_t name;
    TALUS_SOLVER_OPTIONS(TALUS_SOLVER_FIELD_D, TALUS_SOLVER_FIELD_I, TALUS_SOLVER_FIELD_I)
#undef TALUS_SOLVER_FIELD_D
#undef TALUS_SOLVER_FIELD_I
} talus_solver_options;

TALUS_API talus_solver_options talus_solver_options_default(void);
/// The list of descriptions, for --set and help. @return number of entries
TALUS_API int32_t talus_solver_options_list(const talus_option_info** list);

/// One step's contact problem with frozen kinematics (theory: src/README.md#problem). All arrays are borrowed until
/// the call returns. Trees are the diagonal blocks of M; velocities are numbered tree after tree.
/// Start from talus_problem_default().
typedef struct talus_problem_view {
    uint32_t cookie;
    int32_t ntree;
    int32_t nc; ///< contacts
    int32_t nl; ///< joint limits
    int32_t nf; ///< dofs with dry friction
    double h;   ///< step length                                                  s
    double v_s; ///< stiction tolerance                                           m/s
    talus_friction friction;
    talus_dissipation dissipation; ///< of contacts; joint limits are Hunt-Crossley's
    int32_t ahead; ///< 1: contacts and limits with delta0 <= 0 take part, they push once delta0 - h v_n > 0
    const int32_t* tree_nv; ///< dofs of each tree                                (ntree)
    const double* M;        ///< blocks one after another, each nv_t x nv_t, symmetric positive definite
    const double* v0;       ///< velocity at the start of the step                (nv)
    const double* v_star;   ///< velocity at its end without contact              (nv)

    const int32_t* tree_a; ///< tree of the body the force acts on, -1: world     (nc)
    const int32_t* tree_b; ///< tree of the other body, -1: world                 (nc)
    const int64_t* pair;   ///< contacts of one body pair share a value; NULL: the pair of trees  (nc)
    const double* J;       ///< per contact J_a (3 x nv_a) then J_b (3 x nv_b), row-major, rows t1 t2 n;
                           ///< v_c = J_a v_a + J_b v_b, v_n > 0 separates; nothing stored for the world
    const double*
        delta0; ///< overlap at the start; contacts with delta0 <= 0 exert no force unless `ahead`  (nc) m
    const double* k;  ///< stiffness                                         (nc) N/m
    const double* d;  ///< dissipation; linear: acts where delta0 > 0        (nc) s/m | N s/m
    const double* mu; ///< friction coefficient                              (nc)
    const double* f0; ///< (t1, t2, n) forces to start from, or NULL         (nc x 3) N

    const int32_t* limit_tree;  ///<                                              (nl)
    const int32_t* limit_dof;   ///< within its tree                              (nl)
    const double* limit_delta0; ///< how far the limit is passed                  (nl) m | rad
    const double* limit_k;      ///<                                              (nl) N/m | N m/rad
    const double* limit_d;      ///<                                              (nl) s/m | s/rad
    const double* limit_sign;   ///< +1: lower limit, -1: upper: v_n = sign v_dof (nl)
    const double* limit_f0;     ///< or NULL                                      (nl) N | N m

    const int32_t* loss_tree; ///<                                               (nf)
    const int32_t* loss_dof;  ///< within its tree                               (nf)
    const double* loss_bound; ///< largest friction force                        (nf) N | N m
    const double* loss_f0;    ///< or NULL                                       (nf) N | N m
    double loss_v_s;          ///< stiction tolerance of dry joint friction      m/s | rad/s
} talus_problem_view;

TALUS_API talus_problem_view talus_problem_default(void);

/// Where results go; any pointer may be NULL except v.
typedef struct talus_solution {
    double* v;       ///< velocity at the end of the step                      (nv)
    double* v_mean;  ///< mean velocity to advance positions with; equals v but for substepped islands (nv)
    double* f;       ///< contact forces (t1, t2, n)                           (nc x 3) N
    double* limit_f; ///< limit forces, along sign * dof                       (nl)
    double* loss_f;  ///< dry friction forces along the dof                    (nf)
} talus_solution;

/// What a solve did. Counts named _max are the largest over the islands, others are sums.
typedef struct talus_solve_info {
    int32_t nislands;
    int32_t ncontacts_active; ///< that take part
    int32_t iterations, iterations_max;
    int32_t factorizations, factorizations_max;
    int32_t linear_steps; ///< GMRES steps
    int32_t symbolic;     ///< symbolic analyses
    int32_t restarted;    ///< islands solved by a cold restart
    int32_t substepped;   ///< islands solved by substeps
    int32_t lagged;       ///< islands accepted as LAGGED
    int32_t unconverged;  ///< islands not solved
    double residual;      ///< largest relative momentum residual over the islands
    double lagged_err;    ///< largest max mu |pi - b| / max mu pi of LAGGED islands
    int32_t
        worst_contact; ///< contact with the largest velocity change in the last iteration of the worst island
    int32_t dense_islands; ///< islands factored densely
    double flops;          ///< of the numeric factorizations
    int64_t nnz_L;         ///< stored entries of the factors
    double t_setup;        ///< islands, gathering, W_i, B_i                       s
    double t_assemble, t_symbolic, t_factor, t_solve, t_limit; ///< CPU-side wall per phase, s
} talus_solve_info;

/// Workspace, kept factors and symbolic analyses. One caller at a time.
typedef struct talus_solver talus_solver;

/// @param options  NULL: defaults; copied
/// @return OK, ERR_ARG, ERR_NOMEM
TALUS_API talus_status talus_solver_create(talus_context* ctx, const talus_solver_options* options,
                                           talus_solver** out);
TALUS_API void talus_solver_destroy(talus_solver* s);

/// Forget kept factors: the next solve is independent of the ones before.
TALUS_API void talus_solver_reset(talus_solver* s);

/// Solve one step for the next-step velocity.
/// Theory: src/README.md#lifting; Castro et al. 2020 for tals.
/// @param prob  checked for sizes, signs and finite values before anything is computed
/// @param sol   filled on OK, NOT_CONVERGED and LAGGED; untouched on errors
/// @param info  NULL: not wanted
/// @return OK, LAGGED, NOT_CONVERGED (sol is the best iterate), ERR_ARG, ERR_INPUT (names the field and index),
///         ERR_NOMEM
/// Memory: solver workspace only; allocates when a problem is larger than all before. Threads: context tasks over
/// islands; results do not depend on their number.
TALUS_API talus_status talus_solver_step(talus_solver* s, const talus_problem_view* prob, talus_solution* sol,
                                         talus_solve_info* info);

/// Matrix-free y = A(v) x, A = M + h J^T G(J v) J with the full coupling column (theory: src/README.md#operators).
/// @param v  linearization velocity (nv)  @param x (nv)  @param y (nv), no alias
TALUS_API talus_status talus_problem_apply_A(talus_solver* s, const talus_problem_view* prob, const double* v,
                                             const double* x, double* y);

/// r(v) = M (v - v*) - h J^T f(J v) and its relative M^-1 norm. @param r (nv) or NULL
TALUS_API talus_status talus_problem_residual(talus_solver* s, const talus_problem_view* prob,
                                              const double* v, double* r, double* relative);

#ifdef __cplusplus
}
#endif
