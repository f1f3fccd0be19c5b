/*
scout.cuh: how the graph looks from the source, breadth first, seen by one block of `begin`.

Reads    rows, arcs            Writes   host->levels, level_arcs, level_count, scouted
Ends     after SCOUT_HOPS hops, where a hop reaches nothing, or before the hop that would look at
         more than SCOUT_ARCS arcs or reach more than SCOUT_VERTICES vertices in all

The other blocks set the distances up meanwhile, so nothing here touches them: what was reached
stands in a table in shared memory. Whole hops alone are told, so that the same graph and source
are told the same every time, whoever was first. `gpu.algorithms.adaptive.scout` is the twin.
*/
#pragma once
#include "common.cuh"

#define SCOUT_VERTICES 4096u
#define SCOUT_ARCS 32768u
#define SCOUT_TABLE 6144u  // room for what all threads may try to reach beyond SCOUT_VERTICES
#define SCOUT_LONG 256u    // arcs of a row that the whole block looks at
#define NO_VERTEX 0xffffffffu

struct Scout {
    u32 table[SCOUT_TABLE];     // reached vertices, hashed
    u32 reached[SCOUT_VERTICES];  // the same, hop by hop
    u32 count, arcs;            // of `reached`; of the newest hop
    u32 rows, row[SCOUT_ARCS / SCOUT_LONG];  // long rows of the hop at hand: places in `reached`

    // One thread: reach a vertex; the first to do so gives it a place, if there is one.
    __device__ void reach(const Run &run, u32 vertex) {
        u32 at = (u32)((u64)(vertex * 2654435769u) * SCOUT_TABLE >> 32);
        for (;;) {
            u32 old = atomicCAS(table + at, NO_VERTEX, vertex);
            if (old == vertex) return;
            if (old == NO_VERTEX) break;
            at = at + 1 == SCOUT_TABLE ? 0 : at + 1;
        }
        u32 place = atomicAdd(&count, 1u);
        if (place >= SCOUT_VERTICES) return;
        reached[place] = vertex;
        uint2 row = __ldg(run.rows + vertex);
        atomicAdd(&arcs, row.y - row.x);
    }

    __device__ __forceinline__ bool is_full() const { return *(volatile const u32 *)&count > SCOUT_VERTICES; }

    // All threads: what lies one hop beyond reached[first, end).
    __device__ void hop(const Run &run, u32 first, u32 end) {
        u32 warps = blockDim.x / 32;
        for (u32 place = first + warp_id(); place < end; place += warps) {
            uint2 row = __ldg(run.rows + reached[place]);
            if (row.y - row.x >= SCOUT_LONG) {
                if (lane_id() == 0) this->row[atomicAdd(&rows, 1u)] = place;
                continue;
            }
            for (u32 arc = row.x + lane_id(); arc < row.y && !is_full(); arc += 32)
                reach(run, arc_at(run.arcs + arc).head);
        }
        __syncthreads();
        for (u32 k = 0; k < rows; k++) {
            uint2 row = __ldg(run.rows + reached[this->row[k]]);
            for (u32 arc = row.x + threadIdx.x; arc < row.y && !is_full(); arc += blockDim.x)
                reach(run, arc_at(run.arcs + arc).head);
        }
        __syncthreads();
    }

    // All threads of one block.
    __device__ void look(const Run &run) {
        for (u32 i = threadIdx.x; i < SCOUT_TABLE; i += blockDim.x) table[i] = NO_VERTEX;
        if (threadIdx.x == 0) count = arcs = rows = 0;
        __syncthreads();
        if (threadIdx.x == 0) reach(run, run.source);
        __syncthreads();
        u32 first = 0, end = 1, level = 0, level_arcs = arcs;
        bool wide = false;
        for (;;) {
            if (threadIdx.x == 0) run.host->levels[level] = end - first;
            level_arcs = arcs;
            __syncthreads();
            wide = level_arcs > SCOUT_ARCS;
            if (level == SCOUT_HOPS || end == first || wide) break;
            if (threadIdx.x == 0) arcs = rows = 0;
            __syncthreads();
            hop(run, first, end);
            wide = count > SCOUT_VERTICES;
            if (wide) break;
            first = end;
            end = count;
            level += 1;
        }
        if (threadIdx.x > 0) return;
        run.host->level_arcs = level_arcs;
        run.host->level_count = level + 1;
        __threadfence_system();
        *(volatile u32 *)&run.host->scouted = 1u + (wide && level < SCOUT_HOPS && end > first);
    }
};
