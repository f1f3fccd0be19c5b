/*
scout.cuh: how the graph looks from the source, breadth first, seen by one block before `begin`.

Reads    rows, arcs            Writes   host->levels, level_arcs, level_count, scouted
Ends     as soon as the shape shows (`has_seen_enough`), or before the hop that would look at more
         than SCOUT_ARCS arcs or reach more than SCOUT_VERTICES vertices in all

Distances are set up only after it, so nothing here touches them: what was reached stands in a
table in shared memory. Whole hops alone are told, so that the same graph and source
are told the same every time, whoever was first. `gpu.algorithms.adaptive.scout` is the twin.
A hop is two trips to memory one after the other: arcs, then the rows of what they reach.
*/
#pragma once
#include "common.cuh"

#define SCOUT_VERTICES 2048u
#define SCOUT_ARCS 12288u
#define SCOUT_MANY 64u     // vertices of a hop from which its growth says enough
#define SCOUT_SURE 5u      // hops from which two that grew say enough
#define SCOUT_TABLE 4096u  // a power of two; room for what all threads try beyond SCOUT_VERTICES
#define SCOUT_LONG 256u    // arcs of a row that the whole block looks at
#define NO_VERTEX 0xffffffffu

struct Scout {
    u32 table[SCOUT_TABLE];      // reached vertices, hashed
    uint2 row[SCOUT_VERTICES];   // first and end arc of the same, hop by hop
    u32 count, arcs;             // of `row`; of the newest hop
    u32 long_rows, long_row[SCOUT_ARCS / SCOUT_LONG];  // of the hop at hand: places in `row`
    u32 level[SCOUT_HOPS + 1];

    // One thread: reach a vertex; the first to do so gives it a place, if there is one.
    __device__ __forceinline__ void reach(const uint2 *rows, u32 vertex) {
        u32 at = vertex * 2654435769u >> 20;
        for (;;) {
            u32 old = atomicCAS(table + at, NO_VERTEX, vertex);
            if (old == vertex) return;
            if (old == NO_VERTEX) break;
            at = (at + 1) & (SCOUT_TABLE - 1);
        }
        u32 place = atomicAdd(&count, 1u);
        if (place >= SCOUT_VERTICES) return;
        uint2 found = __ldg(rows + vertex);
        row[place] = found;
        atomicAdd(&arcs, found.y - found.x);
    }

    __device__ __forceinline__ bool is_full() const { return *(volatile const u32 *)&count > SCOUT_VERTICES; }

    // All threads: what lies one hop beyond row[first, end); `lanes` look at a row together.
    __device__ __forceinline__ void hop(const uint2 *rows, const ArcWords *arcs, u32 first, u32 end, u32 lanes) {
        for (u32 place = first + threadIdx.x / lanes; place < end; place += blockDim.x / lanes) {
            uint2 at = row[place];
            if (at.y - at.x >= SCOUT_LONG) {
                if (threadIdx.x % lanes == 0) long_row[atomicAdd(&long_rows, 1u)] = place;
                continue;
            }
            for (u32 arc = at.x + threadIdx.x % lanes; arc < at.y && !is_full(); arc += lanes)
                reach(rows, arc_at(arcs + arc).head);
        }
        __syncthreads();
        for (u32 k = 0; k < long_rows; k++) {
            uint2 at = row[long_row[k]];
            for (u32 arc = at.x + threadIdx.x; arc < at.y && !is_full(); arc += blockDim.x)
                reach(rows, arc_at(arcs + arc).head);
        }
        __syncthreads();
    }

    // Whether the shape shows: the last hop, nothing left, or many that grow by multiples or do not.
    __device__ __forceinline__ bool has_seen_enough(u32 hops) const {
        u32 newest = level[hops];
        if (hops == SCOUT_HOPS || newest == 0) return true;
        if (hops < 2 || newest < SCOUT_MANY) return false;
        if (newest >= 4 * level[hops - 1] || 4 * newest < 7 * level[hops - 1]) return true;
        return hops >= SCOUT_SURE && 4 * level[hops - 1] >= 7 * level[hops - 2];
    }

    // All threads of one block.
    __device__ __forceinline__ void look(const Run &run) {
        const uint2 *rows = run.rows;
        const ArcWords *all_arcs = run.arcs;
        u32 lanes = 1;
        while (lanes < 32 && lanes < run.mean_degree) lanes *= 2;
        for (u32 i = threadIdx.x; i < SCOUT_TABLE; i += blockDim.x) table[i] = NO_VERTEX;
        if (threadIdx.x == 0) count = arcs = long_rows = 0;
        __syncthreads();
        if (threadIdx.x == 0) reach(rows, run.source), level[0] = 1;
        __syncthreads();
        u32 first = 0, end = 1, hops = 0, newest_arcs = arcs;
        bool enough = false, wide = newest_arcs > SCOUT_ARCS;
        while (!enough && !wide) {
            __syncthreads();
            if (threadIdx.x == 0) arcs = long_rows = 0;
            __syncthreads();
            hop(rows, all_arcs, first, end, lanes);
            wide = count > SCOUT_VERTICES;
            if (wide) break;
            first = end;
            end = count;
            hops += 1;
            newest_arcs = arcs;
            if (threadIdx.x == 0) level[hops] = end - first;
            __syncthreads();
            enough = has_seen_enough(hops);
            wide = !enough && newest_arcs > SCOUT_ARCS;
        }
        if (threadIdx.x > 0) return;
        for (u32 i = 0; i <= hops; i++) run.host->levels[i] = level[i];
        run.host->level_arcs = newest_arcs;
        run.host->level_count = hops + 1;
        __threadfence_system();
        *(volatile u32 *)&run.host->scouted = 1u + wide;
    }
};
