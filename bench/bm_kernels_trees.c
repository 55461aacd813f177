// SPDX-License-Identifier: MIT
// bm_kernels_OP/n:N/isa:ISA for the kernels of trees of any size, small dense islands, Krylov bases and the
// elimination graph, in every instruction set this CPU has. Counters as in roof.h; the counts are of one call.
#include "roof.h"
#include "kernels.h"

#include <stdio.h>
#include <string.h>

enum {
    CONTACTS = 512,
    TREES = 64,
    DOFS = 36, // of a tree: a humanoid and some
    LD = CONTACTS + 24,
    ISLAND = 72, // dofs of a small island
    BASIS_N = 6000,
    BASIS = 8,
    WORDS = 32, // a graph of 2048 nodes
    JOINED = 40,
};

static struct data {
    int64_t at[CONTACTS];
    int32_t a[CONTACTS], b[CONTACTS], dof[TREES + 1];
    tl_tree_rows J;
    const double* block[TREES]; // symmetric, DOFS x DOFS
    double *rows, *B, *w, *x, *y, *Wt, *Wn;
    double *spd, *factor, *rhs; // ISLAND
    double *small, *inverse;    // 6 x 6; DOFS x DOFS
    double *basis, *vector, *sum;
    uint64_t *bits, *pivot, *alive;
    int32_t list[JOINED], count[JOINED];
} data;

static void make_data(void)
{
    struct data* d = &data;
    uint64_t s = 5;
    const int64_t row = 3 * 2 * DOFS;
    d->rows = doubles((size_t)(row * CONTACTS));
    d->B = doubles((size_t)(row * CONTACTS));
    d->w = doubles(3 * LD);
    d->Wt = doubles(CONTACTS);
    d->Wn = doubles(CONTACTS);
    d->x = doubles(TREES * DOFS);
    d->y = doubles(TREES * DOFS);
    for (int64_t i = 0; i < row * CONTACTS; i++)
        d->rows[i] = uniform(&s, -1, 1);
    for (int i = 0; i < TREES * DOFS; i++)
        d->x[i] = uniform(&s, -1, 1);
    for (int i = 0; i < 3 * LD; i++)
        d->w[i] = uniform(&s, -1, 1);
    for (int t = 0; t <= TREES; t++)
        d->dof[t] = t * DOFS;
    for (int i = 0; i < CONTACTS; i++) {
        d->at[i] = row * i;
        d->a[i] = i * TREES / CONTACTS;
        d->b[i] = (d->a[i] + 1 + i % 3) % TREES;
    }
    d->J = (tl_tree_rows){.rows = d->rows, .at = d->at, .a = d->a, .b = d->b, .dof = d->dof};
    double* blocks = doubles((size_t)TREES * DOFS * DOFS);
    for (int t = 0; t < TREES; t++, blocks += DOFS * DOFS) {
        for (int i = 0; i < DOFS * DOFS; i++)
            blocks[i] = i % (DOFS + 1) == 0 ? 2.0 : 0.01;
        d->block[t] = blocks;
    }
    d->spd = doubles(ISLAND * ISLAND);
    d->factor = doubles(ISLAND * ISLAND);
    d->rhs = doubles(ISLAND);
    for (int i = 0; i < ISLAND * ISLAND; i++)
        d->spd[i] = i % (ISLAND + 1) == 0 ? 2.0 : 0.01;
    d->small = doubles(36);
    d->inverse = doubles(DOFS * DOFS);
    for (int i = 0; i < 36; i++)
        d->small[i] = i % 7 == 0 ? 2.0 : 0.01;
    d->basis = doubles(BASIS * BASIS_N);
    d->vector = doubles(BASIS_N);
    d->sum = doubles(BASIS);
    for (int i = 0; i < BASIS * BASIS_N; i++)
        d->basis[i] = uniform(&s, -1, 1);
    d->bits = (uint64_t*)doubles(JOINED * WORDS);
    d->pivot = (uint64_t*)doubles(WORDS);
    d->alive = (uint64_t*)doubles(WORDS);
    for (int i = 0; i < WORDS; i++) {
        d->pivot[i] = (uint64_t)1 << i;
        d->alive[i] = ~(uint64_t)0;
    }
    for (int i = 0; i < JOINED; i++)
        d->list[i] = i;
}

typedef struct work {
    const tl_kernels* set;
    const limits* roof;
    counts each;
} work;

#define TIMED(name, call)                                                                                    \
    static void name(bm_state* s, void* user)                                                                \
    {                                                                                                        \
        const work* w = user;                                                                                \
        struct data* d = &data;                                                                              \
        while (bm_next(s)) {                                                                                 \
            call;                                                                                            \
            bm_clobber();                                                                                    \
        }                                                                                                    \
        roof_report(s, w->roof, &w->each);                                                                   \
    }

TIMED(rows_apply, w->set->rows_apply(CONTACTS, NULL, &d->J, d->x, LD, d->w))
TIMED(rows_add, w->set->rows_add(CONTACTS, NULL, &d->J, 1e-9, d->w, LD, d->y))
TIMED(rows_response, w->set->rows_response(CONTACTS, &d->J, d->block, 5e-3, d->B, d->Wt, d->Wn))
TIMED(block_multiply, w->set->block_multiply(TREES, d->dof, d->block, d->x, d->y))
TIMED(block_add, w->set->block_add(DOFS, DOFS, d->rows, d->rows + 3 * DOFS, DOFS, 1, d->factor))
TIMED(dense_factor, memcpy(d->factor, d->spd, sizeof(double) * ISLAND * ISLAND);
      bm_keep(w->set->dense_factor(ISLAND, ISLAND, d->factor)))
TIMED(mass_inverse_6, bm_keep(w->set->mass_inverse(6, d->small, d->inverse)))
TIMED(mass_inverse_36, bm_keep(w->set->mass_inverse(DOFS, d->block[0], d->inverse)))
TIMED(vector_dots, w->set->vector_dots(BASIS_N, BASIS, d->basis, BASIS_N, d->vector, d->sum))
TIMED(vector_combine, w->set->vector_combine(BASIS_N, BASIS, d->sum, d->basis, BASIS_N, d->vector))
TIMED(bit_join, w->set->bit_join(WORDS, JOINED, d->list, d->pivot, d->alive, d->bits, d->count))

static void dense_solve(bm_state* s, void* user)
{
    const work* w = user;
    memcpy(data.factor, data.spd, sizeof(double) * ISLAND * ISLAND);
    if (!w->set->dense_factor(ISLAND, ISLAND, data.factor)) {
        bm_fail(s, "not positive definite");
        return;
    }
    while (bm_next(s)) {
        for (int i = 0; i < ISLAND; i++)
            data.rhs[i] = 1.0;
        w->set->dense_solve(ISLAND, ISLAND, data.factor, data.rhs);
        bm_clobber();
    }
    roof_report(s, w->roof, &w->each);
}

typedef struct operation {
    const char* format; // the set's name goes in
    bm_fn* fn;
    counts each;
} operation;

#define ROWS (2.0 * DOFS * CONTACTS) // columns of all contacts
#define I3 ((double)ISLAND * ISLAND * ISLAND)
#define I2 ((double)ISLAND * ISLAND)

static const operation operations_timed[] = {
    // three rows, 2 a column each
    {"bm_kernels_rows_apply/n:512/dofs:36/isa:%s", rows_apply, {.flops = 6 * ROWS, .bytes = 24 * ROWS}},
    {"bm_kernels_rows_add/n:512/dofs:36/isa:%s", rows_add, {.flops = 6 * ROWS, .bytes = 24 * ROWS}},
    // three rows: 1 to scale, 2 DOFS for B, 2 for W a column; rows in, B out, blocks in the cache
    {"bm_kernels_rows_response/n:512/dofs:36/isa:%s",
     rows_response,
     {.flops = 3 * ROWS * (2 * DOFS + 3), .bytes = 48 * ROWS}},
    {"bm_kernels_block_multiply/n:64/dofs:36/isa:%s",
     block_multiply,
     {.flops = 2.0 * TREES * DOFS * DOFS, .bytes = 8.0 * TREES * DOFS * (DOFS + 2)}},
    // the lower triangle: three multiplications and additions an entry, read and written
    {"bm_kernels_block_add/dofs:36/isa:%s",
     block_add,
     {.flops = 3.0 * DOFS * (DOFS + 1), .bytes = 8.0 * DOFS * (DOFS + 1)}},
    // lower triangle in and out, and the copy that refreshes it
    {"bm_kernels_dense_factor/n:72/isa:%s",
     dense_factor,
     {.flops = I3 / 3, .divs = ISLAND, .roots = ISLAND, .bytes = 24 * I2}},
    {"bm_kernels_dense_solve/n:72/isa:%s",
     dense_solve,
     {.flops = 2 * I2, .divs = 2 * ISLAND, .bytes = 8 * I2}},
    // per pivot: n (n + 1) / 2 entries lose a product, n are scaled
    {"bm_kernels_mass_inverse/n:6/isa:%s",
     mass_inverse_6,
     {.flops = 6 * (6 * 7 + 6), .divs = 6, .bytes = 16 * 36}},
    {"bm_kernels_mass_inverse/n:36/isa:%s",
     mass_inverse_36,
     {.flops = DOFS * (DOFS * (DOFS + 1.0) + DOFS), .divs = DOFS, .bytes = 16 * DOFS * DOFS}},
    {"bm_kernels_vector_dots/n:6000/columns:8/isa:%s",
     vector_dots,
     {.flops = 2.0 * BASIS * BASIS_N, .bytes = 8.0 * (BASIS + 1) * BASIS_N}},
    {"bm_kernels_vector_combine/n:6000/columns:8/isa:%s",
     vector_combine,
     {.flops = 2.0 * BASIS * BASIS_N, .bytes = 8.0 * (BASIS + 2) * BASIS_N}},
    {"bm_kernels_bit_join/n:40/words:32/isa:%s", bit_join, {.bytes = 16.0 * JOINED * WORDS}},
};
#define OPERATIONS ((int)(sizeof operations_timed / sizeof operations_timed[0]))

int main(int argc, char** argv)
{
    static limits roofs[LIMIT_SETS];
    static work works[OPERATIONS][LIMIT_SETS];
    make_data();
    for (int i = 0; i < LIMIT_SETS; i++)
        if (tl_kernels_by_name(limit_isa[i]))
            roofs[i] = limits_measure(i, (int64_t)BASIS * BASIS_N);
    for (int j = 0; j < OPERATIONS; j++)
        for (int i = 0; i < LIMIT_SETS; i++) {
            const operation* o = &operations_timed[j];
            const tl_kernels* set = tl_kernels_by_name(limit_isa[i]);
            char name[128];
            if (!set || roofs[i].peak == 0.0)
                continue;
            works[j][i] = (work){.set = set, .roof = &roofs[i], .each = o->each};
            snprintf(name, sizeof name, o->format, set->isa);
            bm_register(name, o->fn, &works[j][i]);
        }
    return bm_main(argc, argv);
}
