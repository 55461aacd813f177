// SPDX-License-Identifier: MIT
// One lane of the same source: the independent form of this kernel is the clipping of src/patch/collide.c, which
// the callers need anyway for pairs in special position.
#define TL_ISA ref
#define TL_LANES 1
#include "tet_clip_wide.c" // NOLINT(bugprone-suspicious-include)
