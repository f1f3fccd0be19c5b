/*
relax.cuh: one warp relaxes the arcs of up to 32 vertices, all lanes busy.

The arcs of the warp's vertices are laid end to end (a prefix sum over their degrees) and dealt
to the lanes one by one, so that a vertex of degree 2 and one of degree 200 cost what their
arcs cost. Each lane finds whose arc it holds by a binary search through the lanes' prefix
sums. UNROLL arcs a lane are in flight together: their loads do not wait for each other.

A vertex with more than HUB_DEGREE arcs is left to the whole block (`relax_span`).

Sink has   void push(bool won, u32 vertex, u32 dist)   called by all 32 lanes together
*/
#pragma once
#include "common.cuh"

#define UNROLL 4
#define HUB_DEGREE 512
#define DIRECT_ARCS 64  // up to here no look before the atomic: one trip less, few arcs

struct Vertex {  // one lane's vertex
    u32 id, dist, first, end;
    __device__ u32 degree() const { return end - first; }
};

// Relax one arc a lane and step: `arc` NO_ARC where the lane has none.
template <class Sink>
__device__ __forceinline__ void relax_step(const Run &run, const u32 (&arc)[UNROLL],
                                           const u32 (&from)[UNROLL], const u32 (&tail)[UNROLL],
                                           int steps, bool look, Sink &sink) {
    uint2 to[UNROLL];
    u32 reach[UNROLL], known[UNROLL];
#pragma unroll
    for (int j = 0; j < UNROLL; j++)
        if (j < steps) to[j] = arc[j] != NO_ARC ? __ldg(run.arcs + arc[j]) : make_uint2(0, 0);
#pragma unroll
    for (int j = 0; j < UNROLL; j++)
        if (j < steps) {
            reach[j] = arc[j] != NO_ARC ? plus(from[j], to[j].y) : NO_ARC;
            known[j] = UNREACHED;
            if (reach[j] >= UNREACHED) {
                if (reach[j] != NO_ARC && peek(run.dist + to[j].x) == UNREACHED)
                    report_overflow(run, arc[j], tail[j]);
                known[j] = 0;
            } else if (look) {
                known[j] = peek(run.dist + to[j].x);
            }
        }
#pragma unroll
    for (int j = 0; j < UNROLL; j++)
        if (j < steps && reach[j] < known[j]) known[j] = atomicMin(run.dist + to[j].x, reach[j]);
#pragma unroll
    for (int j = 0; j < UNROLL; j++)
        if (j < steps) {
            bool won = reach[j] < known[j];
            if (won) note_improved(run, to[j].x, known[j]);
            sink.push(won, to[j].x, reach[j]);
        }
}

// All lanes: relax the arcs of this warp's vertices; lanes without one pass degree 0.
template <class Sink>
__device__ __forceinline__ u32 relax_warp(const Run &run, const Vertex &mine, Sink &sink) {
    u32 lane = lane_id(), scan = mine.degree();
#pragma unroll
    for (int reach = 1; reach < 32; reach *= 2) {
        u32 other = __shfl_up_sync(ALL_LANES, scan, reach);
        if (lane >= reach) scan += other;
    }
    u32 total = __shfl_sync(ALL_LANES, scan, 31);
    u32 shift = mine.end - scan;  // arc number minus place in the row of all arcs
    for (u32 start = 0; start < total; start += 32 * UNROLL) {
        u32 arc[UNROLL], from[UNROLL], tail[UNROLL];
        int steps = min((total - start + 31) / 32, (u32)UNROLL);
#pragma unroll
        for (int j = 0; j < UNROLL; j++)
            if (j < steps) {
                u32 place = start + 32 * j + lane, owner = 0;
#pragma unroll
                for (int half = 16; half > 0; half /= 2)
                    if (__shfl_sync(ALL_LANES, scan, owner + half - 1) <= place) owner += half;
                arc[j] = __shfl_sync(ALL_LANES, shift, owner) + place;
                from[j] = __shfl_sync(ALL_LANES, mine.dist, owner);
                tail[j] = __shfl_sync(ALL_LANES, mine.id, owner);
                if (place >= total) arc[j] = NO_ARC;
            }
        relax_step(run, arc, from, tail, steps, total > DIRECT_ARCS, sink);
    }
    return total;
}

// All threads of a block: relax arcs [first, end) of one vertex, end - first <= THREADS * UNROLL.
template <class Sink>
__device__ __forceinline__ void relax_span(const Run &run, u32 id, u32 dist, u32 first, u32 end,
                                           Sink &sink) {
    u32 arc[UNROLL], from[UNROLL], tail[UNROLL];
    int steps = min((end - first + THREADS - 1) / THREADS, (u32)UNROLL);
#pragma unroll
    for (int j = 0; j < UNROLL; j++) {
        u32 place = first + j * THREADS + threadIdx.x;
        arc[j] = place < end ? place : NO_ARC;
        from[j] = dist;
        tail[j] = id;
    }
    relax_step(run, arc, from, tail, steps, true, sink);
}
