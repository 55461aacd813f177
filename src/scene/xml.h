// SPDX-License-Identifier: MIT
// A document as a tree of nodes, each with its file and line.
#pragma once

#include "base.h"

typedef struct tl_xml_attr {
    const char* name;
    const char* value;
} tl_xml_attr;

typedef struct tl_xml_node {
    const char* name;
    const tl_xml_attr* attr;
    int32_t nattr;
    int32_t line;
    int32_t doc; // set by the caller: which file
    int32_t row; // set by the schema check
    const char*
        text; // when asked for: the first between its tags and its children's that is not blank; NULL: none
    size_t ntext;
    int32_t text_line; // where it begins
    struct tl_xml_node *parent, *child, *last, *next;
} tl_xml_node;

/// Bump allocation of small pieces out of an arena.
typedef struct tl_pool {
    tl_arena* arena;
    char* p;
    size_t left;
} tl_pool;

void* tl_pool_alloc(tl_pool* pool, size_t bytes);
char* tl_pool_strndup(tl_pool* pool, const char* s, size_t n);

/// Parse `bytes` of `text`; `path` is for messages. Document type declarations are refused: no entities, no
/// network. @param keep_text  nodes keep the text between their tags
/// @return OK, ERR_INPUT (names file and line), ERR_NOMEM
talus_status tl_xml_parse(talus_context* ctx, tl_pool* pool, const char* path, const char* text, size_t bytes,
                          int32_t doc, bool keep_text, tl_xml_node** root);
/// NULL when absent.
const char* tl_xml_get(const tl_xml_node* n, const char* name);
