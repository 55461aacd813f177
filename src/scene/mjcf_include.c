// SPDX-License-Identifier: MIT
// Files: reading, and splicing of <include>. The children of an included file's root take the place of the
// include element. A file may be included once; a file that includes itself, directly or through others, is
// named with the whole chain.
#include "mjcf.h"

#include <errno.h>
#include <stdio.h>

#define MAX_FILE ((size_t)1 << 30)

/// Whole file into the pool, with a final zero. @return OK, ERR_IO (no message when quiet), ERR_NOMEM
static talus_status read_file(tl_reader* r, const char* path, char** text, size_t* bytes)
{
    FILE* f = fopen(path, "rb");
    if (!f)
        return TALUS_ERR_IO;
    char* p = NULL;
    int64_t cap = 0;
    size_t n = 0;
    talus_status status = TALUS_OK;
    while (status == TALUS_OK) {
        status = TL_GROW(r->ctx, p, cap, (int64_t)n, (int64_t)n + 65537);
        if (status != TALUS_OK)
            break;
        const size_t got = fread(p + n, 1, (size_t)cap - n - 1, f);
        n += got;
        if (got == 0)
            break;
        if (n > MAX_FILE)
            status = tl_fail_at(r->ctx, TALUS_ERR_INPUT, path, 0, "the file is larger than 1 GiB");
    }
    if (status == TALUS_OK && ferror(f))
        status = TALUS_ERR_IO;
    fclose(f);
    if (status == TALUS_OK) {
        *text = tl_pool_strndup(&r->pool, p, n);
        *bytes = n;
        if (!*text)
            status = tl_nomem(r->ctx, n);
    }
    tl_free(r->ctx, p);
    return status;
}

static const char* join_path(tl_reader* r, const char* dir, size_t ndir, const char* file)
{
    if (file[0] == '/')
        ndir = 0;
    const size_t n = strlen(file);
    char* p = tl_pool_alloc(&r->pool, ndir + n + 1);
    if (p) {
        memcpy(p, dir, ndir);
        memcpy(p + ndir, file, n + 1);
    }
    return p;
}

static size_t dir_length(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static talus_status parse_file(tl_reader* r, const char* path, int32_t parent, char* text, size_t bytes,
                               tl_xml_node** root)
{
    tl_doc* d = TL_PUSH(r, r, doc);
    if (!d)
        return TALUS_ERR_NOMEM;
    d->path = path;
    d->parent = parent;
    return tl_xml_parse(r->ctx, &r->pool, path, text, bytes, (int32_t)r->ndoc - 1, false, root);
}

/// "a -> b -> a" for a file that is being included by itself; NULL when `path` is not open above `doc`.
static const char* cycle_text(const tl_reader* r, int32_t doc, const char* path, char* text, size_t size)
{
    bool found = false;
    for (int32_t d = doc; d >= 0 && !found; d = r->doc[d].parent)
        found = strcmp(r->doc[d].path, path) == 0;
    if (!found)
        return NULL;
    char tail[600];
    snprintf(text, size, "%s", path);
    for (int32_t d = doc;; d = r->doc[d].parent) {
        snprintf(tail, sizeof tail, "%.250s -> %.340s", r->doc[d].path, text);
        snprintf(text, size, "%s", tail);
        if (strcmp(r->doc[d].path, path) == 0)
            return text;
    }
}

/// Open the file of an include: beside the model's main file, else beside the including file.
static talus_status open_include(tl_reader* r, const tl_xml_node* n, int32_t first_doc, tl_xml_node** root)
{
    const char* file = tl_xml_get(n, "file");
    if (!file || !*file)
        return tl_bad(r, n, "attribute 'file' is missing");
    if (n->child)
        return tl_bad(r, n, "an include cannot have children");
    const char* bases[2] = {r->doc[first_doc].path, r->doc[n->doc].path};
    for (int i = 0; i < 2; i++) {
        const char* path = join_path(r, bases[i], dir_length(bases[i]), file);
        if (!path)
            return tl_nomem(r->ctx, 0);
        char chain[600], *text = NULL;
        size_t bytes = 0;
        const char* cycle = cycle_text(r, n->doc, path, chain, sizeof chain);
        if (cycle)
            return tl_fail_at(r->ctx, TALUS_ERR_INPUT, r->doc[n->doc].path, n->line, "include cycle: %s",
                              cycle);
        for (int32_t d = first_doc; d < r->ndoc; d++)
            if (strcmp(r->doc[d].path, path) == 0)
                return tl_bad(r, n, "file '%.200s' is already included", path);
        const talus_status status = read_file(r, path, &text, &bytes);
        if (status == TALUS_OK)
            return parse_file(r, path, n->doc, text, bytes, root);
        if (status != TALUS_ERR_IO)
            return status;
    }
    return tl_bad(r, n, "cannot read '%.200s'", file);
}

/// Put the children of `root` where `n` stands. @return the node to go on with, NULL: there is none beside
static tl_xml_node* splice(tl_xml_node* n, tl_xml_node* root)
{
    tl_xml_node* parent = n->parent;
    tl_xml_node *first = root->child, *last = root->last;
    for (tl_xml_node* c = first; c; c = c->next)
        c->parent = parent;
    if (first)
        last->next = n->next;
    else
        first = n->next;
    if (parent->child == n) {
        parent->child = first;
    } else {
        tl_xml_node* before = parent->child;
        while (before->next != n)
            before = before->next;
        before->next = first;
    }
    if (parent->last == n) {
        parent->last = last;
        if (!last)
            for (tl_xml_node* c = parent->child; c; c = c->next)
                parent->last = c;
    }
    return first;
}

talus_status tl_read_document(tl_reader* r, const char* path, tl_xml_node** root, bool keep_text)
{
    char* text = NULL;
    size_t bytes = 0;
    const talus_status status = read_file(r, path, &text, &bytes);
    if (status == TALUS_ERR_IO)
        return r->ndoc > 0 ? status // the caller names the place that asks for it
                           : tl_fail(r->ctx, TALUS_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
    TL_TRY(status);
    const int32_t first_doc = (int32_t)r->ndoc;
    TL_TRY(parse_file(r, path, -1, text, bytes, root));
    if (keep_text)
        r->spec->text = text;
    for (tl_xml_node* n = *root;;) {
        tl_xml_node* next = n->child;
        if (n != *root && strcmp(n->name, "include") == 0) {
            tl_xml_node *sub = NULL, *parent = n->parent;
            TL_TRY(open_include(r, n, first_doc, &sub));
            next = splice(n, sub);
            n = parent; // when nothing stands beside: go on above
            if (next) {
                n = next;
                continue;
            }
        }
        while (!next && n != *root) {
            next = n->next;
            if (!next)
                n = n->parent;
        }
        if (!next)
            return TALUS_OK;
        n = next;
    }
}
