// SPDX-License-Identifier: MIT
// The elements and attributes of MJCF: what may stand where.
#pragma once

#include "xml.h"

/// Check a whole document (includes already spliced in): every element and attribute is known where it
/// stands. Fills tl_xml_node.row. `docs[i]` is the path of document i, for messages.
talus_status tl_schema_check(talus_context* ctx, const char* const* docs, tl_xml_node* root);
