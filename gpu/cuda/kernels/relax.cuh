/*
relax.cuh: one warp relaxes the arcs of up to 32 vertices, all lanes busy.

The arcs of the warp's vertices are laid end to end (a prefix sum over their degrees) and dealt
to the lanes one by one, so that a vertex of degree 2 and one of degree 200 cost what their
arcs cost. Each lane finds whose arc it holds by a binary search through the lanes' prefix
sums. UNROLL arcs a lane are in flight together: their loads do not wait for each other.

On a road network the frontier is small and time is a chain of dependent trips to the cache.
So where a warp has no more arcs than lanes (`relax_few`), nothing waits that need not: whether
a vertex is stale is loaded together with its arcs, the atomic goes out without a look before
it, the row bounds of the far end come along with it, and the code is short (instructions come
from a cache as well: at 2,700 cycles a hop much of the time went there). With many arcs the
same would cost traffic; there stale vertices are dropped first and a look saves most atomics.

A vertex with more than HUB_DEGREE arcs is left to the whole block (`relax_span`).

Sink has   void push(bool won, u32 vertex, Dist dist, uint2 row)   called by all 32 lanes
           ticks        when this round began, probe level 2
           WANTS_ROWS   whether push needs the row bounds of what improved
           void lost(bool)   a push that improved nothing; only where QUEUE_LOSERS is 1

With QUEUE_LOSERS an arc is pushed if it looked better than what a look before its atomic found,
even where another's atomic was first.
*/
#pragma once
#include "common.cuh"

#ifndef UNROLL
#define UNROLL (WEIGHT_WIDE ? 2 : 4)
#endif
#define HUB_DEGREE 512
#define DIRECT_ARCS 64  // up to here no look before the atomic
#ifndef QUEUE_LOSERS
#define QUEUE_LOSERS 0
#endif

struct Counts {  // of one lane
    u32 processed, relaxed, improved, clipped;
};

// Relax one arc a lane and step: `arc` NO_ARC where the lane has none.
template <class Sink>
__device__ __forceinline__ void relax_step(const Run &run, const Arc (&to)[UNROLL],
                                           const u32 (&arc)[UNROLL], const Dist (&from)[UNROLL],
                                           int steps, bool look, Sink &sink) {
    Dist reach[UNROLL], known[UNROLL];
    bool better[UNROLL];
    uint2 row[UNROLL];
#pragma unroll
    for (int j = 0; j < UNROLL; j++) {
        bool real = arc[j] != NO_ARC && from[j] != NO_DIST;
        reach[j] = real ? plus(from[j], to[j].weight) : NO_DIST;
        known[j] = reach[j] < UNREACHED ? UNREACHED : 0;
        if (reach[j] != NO_DIST && (look || QUEUE_LOSERS || reach[j] >= UNREACHED)) {
            Dist seen = peek(run.dist + to[j].head);
            if (reach[j] < UNREACHED) known[j] = seen;
            else if (seen == UNREACHED) note_overflow(run, arc[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < UNROLL; j++) {
        row[j] = make_uint2(0, 0);
        better[j] = reach[j] < known[j];
        if (better[j]) {
            known[j] = atomicMin(run.dist + to[j].head, reach[j]);
            if (Sink::WANTS_ROWS) row[j] = __ldg(run.rows + to[j].head);
        }
    }
#pragma unroll
    for (int j = 0; j < UNROLL; j++)
        if (j < steps) {
            bool won = reach[j] < known[j];
            if (won) note_improved(run, to[j].head, known[j], sink.ticks);
            sink.push(QUEUE_LOSERS ? better[j] : won, to[j].head, reach[j], row[j]);
#if QUEUE_LOSERS
            sink.lost(better[j] && !won);
#endif
        }
}

__device__ __forceinline__ u32 prefix_sum(u32 value, u32 lanes) {
#pragma unroll 1
    for (u32 reach = 1; reach < lanes; reach *= 2) {
        u32 other = __shfl_up_sync(ALL_LANES, value, reach);
        if (lane_id() >= reach) value += other;
    }
    return value;
}

// The lane whose vertex has arc number `place` of the row of all arcs.
__device__ __forceinline__ u32 owner_of(u32 place, u32 scan, u32 lanes) {
    u32 found = 0;
#pragma unroll 1
    for (u32 half = lanes / 2; half > 0; half /= 2)
        if (__shfl_sync(ALL_LANES, scan, found + half - 1) <= place) found += half;
    return found;
}

// At most one arc a lane: the short way, where every trip and every instruction counts.
template <class Sink>
__device__ __forceinline__ void relax_few(const Run &run, const Vertex &mine, bool valid, Dist known,
                                          u32 scan, u32 total, u32 lanes, Counts &counts, Sink &sink) {
    u32 lane = lane_id(), owner = owner_of(lane, scan, lanes);
    u32 arc = __shfl_sync(ALL_LANES, mine.end - scan, owner) + lane;
    bool real = lane < total;
    Arc to = real ? arc_at(run.arcs + arc) : Arc{0, 0};
    if (run.drop_stale && known != mine.dist) valid = false;
    Dist from = __shfl_sync(ALL_LANES, valid ? known : NO_DIST, owner);
    Dist reach = real && from != NO_DIST ? plus(from, to.weight) : NO_DIST, old = 0;
    uint2 row = make_uint2(0, 0);
    bool better = !QUEUE_LOSERS || (reach < UNREACHED && reach < peek(run.dist + to.head));
    if (reach < UNREACHED && better) {
        old = atomicMin(run.dist + to.head, reach);
        if (Sink::WANTS_ROWS) row = __ldg(run.rows + to.head);
    } else if (reach != NO_DIST && peek(run.dist + to.head) == UNREACHED) {
        note_overflow(run, arc);
    }
    if (valid) {
        counts.processed += 1;
        counts.relaxed += mine.degree();
        note_processed(run, mine.id);
    }
    bool won = reach < old;
    if (won) note_improved(run, to.head, old, sink.ticks);
    sink.push(QUEUE_LOSERS ? better : won, to.head, reach, row);
#if QUEUE_LOSERS
    sink.lost(better && !won);
#endif
}

// All lanes: relax the arcs of this warp's vertices, which stand on lanes below `lanes`, a
// power of two. `mine.dist` is what the vertex was queued with.
template <class Sink>
__device__ __forceinline__ void relax_warp(const Run &run, Vertex mine, bool valid, u32 lanes,
                                           Counts &counts, Sink &sink) {
    u32 lane = lane_id();
    Dist known = valid ? peek(run.dist + mine.id) : 0;
    u32 scan = prefix_sum(mine.degree(), lanes);
    u32 total = __shfl_sync(ALL_LANES, scan, lanes - 1);
    if (total <= 32) {
        relax_few(run, mine, valid, known, scan, total, lanes, counts, sink);
        return;
    }
    if (run.drop_stale && valid && known != mine.dist) valid = false, mine.end = mine.first;
    if (valid) {
        counts.processed += 1;
        counts.relaxed += mine.degree();
        note_processed(run, mine.id);
    }
    scan = prefix_sum(mine.degree(), lanes);
    total = __shfl_sync(ALL_LANES, scan, lanes - 1);
    u32 shift = mine.end - scan;  // arc number minus place in the row of all arcs
#pragma unroll 1
    for (u32 start = 0; start < total; start += 32 * UNROLL) {
        u32 arc[UNROLL];
        Dist from[UNROLL];
        Arc to[UNROLL];
        int steps = min((total - start + 31) / 32, (u32)UNROLL);
#pragma unroll
        for (int j = 0; j < UNROLL; j++) {
            arc[j] = NO_ARC;
            from[j] = NO_DIST;
            to[j] = {0, 0};
            if (j < steps) {
                u32 place = start + 32 * j + lane, owner = owner_of(place, scan, lanes);
                arc[j] = __shfl_sync(ALL_LANES, shift, owner) + place;
                from[j] = __shfl_sync(ALL_LANES, known, owner);
                if (place >= total) arc[j] = NO_ARC;
                else to[j] = arc_at(run.arcs + arc[j]);
            }
        }
        relax_step(run, to, arc, from, steps, total > DIRECT_ARCS, sink);
    }
}

// All threads of a block: relax arcs [first, end) of one vertex, end - first <= THREADS * UNROLL.
template <class Sink>
__device__ __forceinline__ void relax_span(const Run &run, Dist dist, u32 first, u32 end,
                                           Sink &sink) {
    u32 arc[UNROLL];
    Dist from[UNROLL];
    Arc to[UNROLL];
    int steps = min((end - first + THREADS - 1) / THREADS, (u32)UNROLL);
#pragma unroll
    for (int j = 0; j < UNROLL; j++) {
        u32 place = first + j * THREADS + threadIdx.x;
        arc[j] = place < end ? place : NO_ARC;
        to[j] = place < end ? arc_at(run.arcs + place) : Arc{0, 0};
        from[j] = dist;
    }
    relax_step(run, to, arc, from, steps, true, sink);
}
