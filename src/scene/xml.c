// SPDX-License-Identifier: MIT
// libxml2, used as a stream of events into our own node tree (the only file that includes it).
//
// Why not libxml2's tree: ours lives in the spec's arena and is freed with it, keeps line numbers above
// 65,535, and is walked without recursion, so the depth of a document is bounded by memory and not by the
// stack. XML_PARSE_HUGE lifts libxml2's own depth limit of 256, which a serial chain reaches; it would also
// lift the guard against entity bombs, therefore a document type declaration, the only place where entities
// are born, is an error.
#include "xml.h"

#include <libxml/parser.h>
#include <limits.h>

typedef struct reading {
    talus_context* ctx;
    tl_pool* pool;
    const char* path;
    xmlParserCtxtPtr parser;
    tl_xml_node *root, *top;
    int32_t doc;
    int32_t line; // after the last event: where the next tag begins
    bool keep_text;
    char* piece; // text since the last tag, with keep_text
    int64_t npiece, cap_piece;
    int32_t piece_line;
    talus_status status;
} reading;

void* tl_pool_alloc(tl_pool* pool, size_t bytes)
{
    const size_t n = (bytes + 15) / 16 * 16, chunk = 1 << 16;
    if (n > chunk / 4)
        return tl_arena_alloc(pool->arena, n);
    if (n > pool->left) {
        pool->p = tl_arena_alloc(pool->arena, chunk);
        pool->left = pool->p ? chunk : 0;
        if (!pool->p)
            return NULL;
    }
    void* p = pool->p;
    pool->p += n;
    pool->left -= n;
    return p;
}

char* tl_pool_strndup(tl_pool* pool, const char* s, size_t n)
{
    char* p = tl_pool_alloc(pool, n + 1);
    if (p) {
        memcpy(p, s, n);
        p[n] = '\0';
    }
    return p;
}

static void stop(reading* r, talus_status status)
{
    if (r->status == TALUS_OK)
        r->status = status;
    xmlStopParser(r->parser);
}

static bool copy_attributes(reading* r, tl_xml_node* n, int count, const xmlChar** attrs)
{
    tl_xml_attr* a = tl_pool_alloc(r->pool, sizeof *a * (size_t)count);
    if (!a)
        return false;
    for (int i = 0; i < count; i++) {
        // five pointers each: local name, prefix, namespace, begin and end of the value
        const char* name = (const char*)attrs[5 * i];
        const char *begin = (const char*)attrs[5 * i + 3], *end = (const char*)attrs[5 * i + 4];
        a[i].name = tl_pool_strndup(r->pool, name, strlen(name));
        a[i].value = tl_pool_strndup(r->pool, begin, (size_t)(end - begin));
        if (!a[i].name || !a[i].value)
            return false;
    }
    n->attr = a;
    n->nattr = count;
    return true;
}

static int32_t current_line(const reading* r)
{
    return r->parser->input ? r->parser->input->line : 0;
}

/// The text since the last tag is n's, unless it is blank or n has some.
static void keep_piece(reading* r, tl_xml_node* n)
{
    const int64_t bytes = r->npiece;
    r->npiece = 0;
    int64_t i = 0;
    while (i < bytes && strchr(" \t\r\n", r->piece[i]))
        i++;
    if (i == bytes || n->text)
        return;
    n->text = tl_pool_strndup(r->pool, r->piece, (size_t)bytes);
    n->ntext = (size_t)bytes;
    n->text_line = r->piece_line;
    if (!n->text)
        stop(r, tl_nomem(r->ctx, n->ntext));
}

static void on_text(void* user, const xmlChar* text, int n)
{
    reading* r = user;
    r->line = current_line(r);
    if (!r->keep_text || r->status != TALUS_OK)
        return;
    if (TL_GROW(r->ctx, r->piece, r->cap_piece, r->npiece, r->npiece + n) < 0) {
        stop(r, TALUS_ERR_NOMEM);
        return;
    }
    memcpy(r->piece + r->npiece, text, (size_t)n);
    r->npiece += n;
}

static void on_comment(void* user, const xmlChar* text)
{
    (void)text;
    reading* r = user;
    r->line = current_line(r);
}

static void on_start(void* user, const xmlChar* name, const xmlChar* prefix, const xmlChar* uri,
                     int nnamespace, const xmlChar** namespaces, int nattr, int ndefault,
                     const xmlChar** attrs)
{
    (void)prefix, (void)uri, (void)nnamespace, (void)namespaces, (void)ndefault;
    reading* r = user;
    if (r->status != TALUS_OK)
        return;
    tl_xml_node* n = tl_pool_alloc(r->pool, sizeof *n);
    if (!n) {
        stop(r, tl_nomem(r->ctx, sizeof *n));
        return;
    }
    *n = (tl_xml_node){.name = tl_pool_strndup(r->pool, (const char*)name, strlen((const char*)name)),
                       .line = r->line ? r->line : current_line(r),
                       .doc = r->doc,
                       .row = -1,
                       .parent = r->top};
    if (!n->name || (nattr > 0 && !copy_attributes(r, n, nattr, attrs))) {
        stop(r, tl_nomem(r->ctx, sizeof *n));
        return;
    }
    if (!r->top)
        r->root = n;
    else if (r->top->last)
        r->top->last->next = n;
    else
        r->top->child = n;
    if (r->top)
        r->top->last = n;
    if (r->top)
        keep_piece(r, r->top);
    r->top = n;
    r->line = r->piece_line = current_line(r);
}

static void on_end(void* user, const xmlChar* name, const xmlChar* prefix, const xmlChar* uri)
{
    (void)name, (void)prefix, (void)uri;
    reading* r = user;
    tl_xml_node* n = r->top;
    if (r->status == TALUS_OK && n) {
        keep_piece(r, n);
        r->top = n->parent;
    }
    r->line = r->piece_line = current_line(r);
}

static void on_doctype(void* user, const xmlChar* name, const xmlChar* external, const xmlChar* system)
{
    (void)name, (void)external, (void)system;
    reading* r = user;
    stop(r, tl_fail_at(r->ctx, TALUS_ERR_INPUT, r->path, current_line(r),
                       "document type declarations are not accepted"));
}

static void on_error(void* user, xmlErrorPtr e)
{
    reading* r = user;
    if (e->level < XML_ERR_ERROR || r->status != TALUS_OK)
        return;
    if (e->code == XML_ERR_NO_MEMORY) {
        stop(r, tl_nomem(r->ctx, 0));
        return;
    }
    size_t n = e->message ? strlen(e->message) : 0;
    while (n > 0 && (e->message[n - 1] == '\n' || e->message[n - 1] == ' '))
        n--;
    stop(r, tl_fail_at(r->ctx, TALUS_ERR_INPUT, r->path, e->line, "not well-formed XML: %.*s",
                       (int)TL_MIN(n, 300), e->message ? e->message : ""));
}

talus_status tl_xml_parse(talus_context* ctx, tl_pool* pool, const char* path, const char* text, size_t bytes,
                          int32_t doc, bool keep_text, tl_xml_node** root)
{
    xmlSAXHandler sax = {.initialized = XML_SAX2_MAGIC,
                         .startElementNs = on_start,
                         .endElementNs = on_end,
                         .internalSubset = on_doctype,
                         .characters = on_text,
                         .ignorableWhitespace = on_text,
                         .cdataBlock = on_text,
                         .comment = on_comment};
    sax.serror = (xmlStructuredErrorFunc)on_error;
    reading r = {.ctx = ctx, .pool = pool, .path = path, .doc = doc, .keep_text = keep_text};
    xmlInitParser();
    r.parser = xmlCreatePushParserCtxt(&sax, &r, NULL, 0, NULL);
    if (!r.parser)
        return tl_nomem(ctx, sizeof(xmlParserCtxt));
    // NOENT: &amp; and the like arrive decoded; there are no other entities without a document type
    xmlCtxtUseOptions(r.parser, XML_PARSE_NONET | XML_PARSE_HUGE | XML_PARSE_NOENT);
    const size_t piece = 1 << 20;
    for (size_t i = 0; i < bytes && r.status == TALUS_OK; i += piece)
        xmlParseChunk(r.parser, text + i, (int)TL_MIN(piece, bytes - i), 0);
    if (r.status == TALUS_OK)
        xmlParseChunk(r.parser, NULL, 0, 1);
    const int well_formed = r.parser->wellFormed;
    xmlFreeParserCtxt(r.parser);
    tl_free(ctx, r.piece);
    TL_TRY(r.status);
    if (!well_formed || !r.root)
        return tl_fail_at(ctx, TALUS_ERR_INPUT, path, 0, "not well-formed XML: no root element");
    *root = r.root;
    return TALUS_OK;
}

const char* tl_xml_get(const tl_xml_node* n, const char* name)
{
    for (int32_t i = 0; i < n->nattr; i++)
        if (strcmp(n->attr[i].name, name) == 0)
            return n->attr[i].value;
    return NULL;
}
