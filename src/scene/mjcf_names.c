// SPDX-License-Identifier: MIT
// Names of a scene. Inside <replicate> and <attach> a name gets a suffix or a prefix for every level, from
// the inside out; a scope is one such level (one copy of a replicate, one attachment). All full names live in
// one open hash table keyed by kind and text.
#include "mjcf.h"

#include <stdio.h>

static const char* const kind_text[] = {"body",   "joint",    "geom", "site",         "mesh",
                                        "hfield", "actuator", "key",  "default class"};

const char* tl_full_name(tl_reader* r, int32_t scope, const char* name)
{
    if (!name || !*name)
        return "";
    size_t before = 0, after = 0;
    for (int32_t s = scope; s >= 0; s = r->scope[s].parent) {
        before += strlen(r->scope[s].prefix);
        after += strlen(r->scope[s].suffix);
    }
    if (before + after == 0)
        return name;
    const size_t n = strlen(name);
    char* out = tl_pool_alloc(&r->pool, before + n + after + 1);
    if (!out)
        return NULL;
    char *front = out + before, *back = out + before + n;
    memcpy(front, name, n);
    for (int32_t s = scope; s >= 0; s = r->scope[s].parent) {
        const size_t p = strlen(r->scope[s].prefix), q = strlen(r->scope[s].suffix);
        front -= p;
        memcpy(front, r->scope[s].prefix, p);
        memcpy(back, r->scope[s].suffix, q);
        back += q;
    }
    *back = '\0';
    return out;
}

static uint64_t slot_hash(tl_name_kind kind, int32_t owner, const char* name)
{
    return tl_hash(name, strlen(name), (uint64_t)kind * 1000003u + (uint64_t)owner);
}

static int64_t find_slot(const tl_reader* r, tl_name_kind kind, int32_t owner, const char* name)
{
    int64_t i = (int64_t)(slot_hash(kind, owner, name) % (uint64_t)r->nslot);
    for (; r->name_slot[i] >= 0; i = (i + 1) % r->nslot) {
        const tl_name* x = &r->name[r->name_slot[i]];
        if (x->kind == (int32_t)kind && x->owner == owner && strcmp(x->text, name) == 0)
            break;
    }
    return i;
}

int32_t tl_find_name(const tl_reader* r, tl_name_kind kind, int32_t owner, const char* name)
{
    if (r->nslot == 0 || !name || !*name)
        return -1;
    const int32_t at = r->name_slot[find_slot(r, kind, owner, name)];
    return at < 0 ? -1 : r->name[at].index;
}

static talus_status grow_table(tl_reader* r)
{
    const int64_t n = TL_MAX(1024, 4 * r->nname);
    tl_free(r->ctx, r->name_slot);
    r->nslot = 0;
    r->name_slot = tl_alloc(r->ctx, sizeof *r->name_slot * (size_t)n);
    if (!r->name_slot)
        return tl_nomem(r->ctx, sizeof *r->name_slot * (size_t)n);
    r->nslot = n;
    for (int64_t i = 0; i < n; i++)
        r->name_slot[i] = -1;
    for (int32_t i = 0; i < r->nname; i++)
        r->name_slot[find_slot(r, (tl_name_kind)r->name[i].kind, r->name[i].owner, r->name[i].text)] = i;
    return TALUS_OK;
}

talus_status tl_add_name(tl_reader* r, const tl_xml_node* n, tl_name_kind kind, int32_t owner,
                         const char* name, int32_t index)
{
    if (!name)
        return tl_nomem(r->ctx, 0);
    if (!*name)
        return TALUS_OK;
    if (2 * r->nname >= r->nslot)
        TL_TRY(grow_table(r));
    const int64_t slot = find_slot(r, kind, owner, name);
    if (r->name_slot[slot] >= 0) {
        const tl_src first = r->name[r->name_slot[slot]].at;
        return tl_fail_at(r->ctx, TALUS_ERR_INPUT, r->doc[n->doc].path, n->line,
                          "duplicate name: %s '%.80s' stands already at %s:%d", kind_text[kind], name,
                          first.file, first.line);
    }
    tl_name* x = TL_PUSH(r, r, name);
    if (!x)
        return TALUS_ERR_NOMEM;
    *x = (tl_name){.text = name, .kind = (int32_t)kind, .index = index, .owner = owner, .at = tl_at(r, n)};
    r->name_slot[slot] = (int32_t)r->nname - 1;
    return TALUS_OK;
}
