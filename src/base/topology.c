// SPDX-License-Identifier: MIT
// How many cores this process may use: the affinity mask (Slurm cpusets, taskset, containers) restricted to
// cores, so that two hardware threads of one core count once. The only place that names hwloc.
#define _GNU_SOURCE
#include "base.h"

#include <sched.h>
#include <unistd.h>

#if defined(TALUS_HAVE_HWLOC)
#include <hwloc.h>

static int32_t cores_in_mask(void)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return 0;
    int32_t cores = 0;
    hwloc_cpuset_t mask = hwloc_bitmap_alloc();
    if (mask && hwloc_topology_load(topology) == 0) {
        if (hwloc_get_cpubind(topology, mask, HWLOC_CPUBIND_PROCESS) != 0)
            hwloc_bitmap_copy(mask, hwloc_topology_get_allowed_cpuset(topology));
        const int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
        for (int i = 0; i < n; i++) {
            const hwloc_obj_t core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, (unsigned)i);
            cores += hwloc_bitmap_intersects(core->cpuset, mask) ? 1 : 0;
        }
    }
    hwloc_bitmap_free(mask);
    hwloc_topology_destroy(topology);
    return cores;
}
#else
static int32_t cores_in_mask(void)
{
    return 0;
}
#endif

int32_t tl_topology_allowed_cores(void)
{
    const int32_t cores = cores_in_mask();
    return cores > 0 ? cores : tl_topology_hardware_threads();
}

int32_t tl_topology_hardware_threads(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return TL_MAX(1, CPU_COUNT(&set));
    return 1;
}
