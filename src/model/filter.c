// SPDX-License-Identifier: MIT
// Which geoms may touch, MuJoCo's rules. Called for every pair of overlapping boxes, so the usual answer
// needs only loads and compares; lists are searched only for geoms that are known to be in one.
#include "model.h"

/// Sorted by (a, b), a < b.
static bool in_list(const tl_pair* list, int32_t n, int32_t a, int32_t b)
{
    if (a > b) {
        const int32_t t = a;
        a = b;
        b = t;
    }
    int32_t lo = 0, hi = n;
    while (lo < hi) {
        const int32_t mid = lo + (hi - lo) / 2;
        if (list[mid].a < a || (list[mid].a == a && list[mid].b < b))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && list[lo].a == a && list[lo].b == b;
}

bool tl_model_may_collide(const talus_model* m, int32_t a, int32_t b)
{
    if (m->contact_off)
        return false;
    const int32_t wa = m->geom_weld[a], wb = m->geom_weld[b];
    if (wa == 0 && wb == 0)
        return false;
    const uint8_t listed = m->geom_listed[a] & m->geom_listed[b];
    if ((listed & 2) && in_list(m->pairs, m->npair, a, b))
        return true;
    if (wa == wb)
        return false;
    if (!(m->geom_contype[a] & m->geom_conaffinity[b]) && !(m->geom_contype[b] & m->geom_conaffinity[a]))
        return false;
    // parent and child, unless the parent is fixed to the world
    if (wa != 0 && wb != 0 && !m->parent_touches &&
        (wa == m->geom_weld_parent[b] || wb == m->geom_weld_parent[a]))
        return false;
    return !(listed & 1) || !in_list(m->excludes, m->nexclude, m->geom_body[a], m->geom_body[b]);
}
