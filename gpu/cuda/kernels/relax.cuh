/*
relax.cuh: one warp relaxes the arcs of up to 32 vertices, all lanes busy.

The arcs of the warp's vertices are laid end to end (a prefix sum over their degrees) and dealt to
the lanes one by one: a vertex of degree 2 and one of degree 200 cost what their arcs cost. A lane
finds whose arc it holds by a binary search through the prefix sums. UNROLL arcs a lane are in
flight together. Stale vertices are dropped first, and a look saves most atomics.

On a road network the frontier is small and time is a chain of dependent trips to the cache. So
where vertices have few arcs a lane (`relax_few`), each has lanes of its own, without sum or search,
whether it is stale is loaded together with its arcs, the atomic goes out without a look before it,
and the row bounds of the far end come along with it.

Sink has   bool takes(bool real, Dist weight)   whether to relax an arc that the lane may have
           void push(bool won, u32 vertex, Dist dist, uint2 row)   called by all 32 lanes
           double base()   of the lowest bucket in which something waits, for distance errors
           ticks        when this round began, probe level 2
           QUEUES_LOSERS   whether what looked better is pushed though another's atomic was first
           void lost(bool)   such a push; only where QUEUES_LOSERS
*/
#pragma once
#include "common.cuh"

#ifndef UNROLL
#define UNROLL (WEIGHT_WIDE ? 2 : 4)
#endif
#define HUB_DEGREE 512  // of supersteps
#define DIRECT_ARCS 64  // up to here no look before the atomic
#define WARPS (THREADS / 32)
#define LONG_TURN 4u  // arcs a lane, beyond which a turn goes the long way

struct Counts {  // of one lane
    u32 processed, relaxed, improved, clipped, measured;
    float error;  // distance errors of `measured` vertices, probe level 1 on
};

// A vertex is processed, not for the second time in this round.
DEVICE void count_vertex(Counts &counts, bool counts_it, u32 vertex) {
    counts.processed += counts_it;
    note_processed(counts_it, vertex);
}

// The same, of a vertex at `dist` where the lowest bucket in which something waits begins at `base`.
DEVICE void count_vertex(Counts &counts, bool counts_it, u32 vertex, Dist dist, double base) {
    count_vertex(counts, counts_it, vertex);
    if (LEVEL < 1 || !counts_it) return;
    counts.measured += 1;
    counts.error += fmaxf((float)(value_of(dist) - base), 0.f);
}

// Relax one arc a lane and step: `arc` NO_ARC where the lane has none.
template <class Sink> DEVICE void relax_step(const Arc (&to)[UNROLL], const u32 (&arc)[UNROLL],
                       const Dist (&from)[UNROLL], int steps, bool look, Sink &sink) {
    Dist reach[UNROLL], known[UNROLL];
    bool better[UNROLL];
    uint2 row[UNROLL];
    for (int j = 0; j < UNROLL; j++) {
        bool real = sink.takes(arc[j] != NO_ARC && from[j] != NO_DIST, to[j].weight);
        reach[j] = real ? plus(from[j], to[j].weight) : NO_DIST;
        known[j] = reach[j] < UNREACHED ? UNREACHED : 0;
        if (reach[j] != NO_DIST && (look || Sink::QUEUES_LOSERS || reach[j] >= UNREACHED)) {
            Dist seen = peek(RUN.dist + to[j].head);
            if (reach[j] < UNREACHED) known[j] = seen;
            else if (seen == UNREACHED) note_overflow(arc[j]);
        }
    }
    for (int j = 0; j < UNROLL; j++) {
        row[j] = make_uint2(0, 0);
        better[j] = reach[j] < known[j];
        if (better[j]) {
            known[j] = atomicMin(RUN.dist + to[j].head, reach[j]);
            row[j] = __ldg(RUN.rows + to[j].head);
        }
    }
#pragma unroll
    for (int j = 0; j < UNROLL; j++)
        if (j < steps) {
            bool won = reach[j] < known[j];
            note_improved(won, to[j].head, known[j], sink.ticks);
            sink.push(Sink::QUEUES_LOSERS ? better[j] : won, to[j].head, reach[j], row[j]);
            if constexpr (Sink::QUEUES_LOSERS) sink.lost(better[j] && !won);
        }
}

// All lanes: the arcs of the vertices of lanes below `lanes`, UNROLL of each lane's at a time.
// `scan` is the prefix sum of their degrees, `known` the distance that each vertex starts from.
template <class Sink> DEVICE void relax_rows(const Vertex &mine, Dist known, u32 scan, u32 lanes,
                       Sink &sink) {
    u32 total = __shfl_sync(ALL_LANES, scan, lanes - 1);
    u32 shift = mine.end - scan;  // arc number minus place in the row of all arcs
    for (u32 start = 0; start < total; start += 32 * UNROLL) {
        u32 arc[UNROLL];
        Dist from[UNROLL];
        Arc to[UNROLL];
        int steps = min((total - start + 31) / 32, (u32)UNROLL);
        for (int j = 0; j < UNROLL; j++) {
            arc[j] = NO_ARC;
            from[j] = NO_DIST;
            to[j] = {0, 0};
            if (j < steps) {
                u32 place = start + 32 * j + lane_id();
                u32 owner = owner_of(place, scan, lanes);
                u32 at = __shfl_sync(ALL_LANES, shift, owner) + place;
                from[j] = __shfl_sync(ALL_LANES, known, owner);
                if (place < total) {
                    arc[j] = at;
                    to[j] = arc_at(RUN.arcs + at);
                }
            }
        }
        relax_step(to, arc, from, steps, total > DIRECT_ARCS, sink);
    }
}

// All lanes, the short way: each vertex has 2^spread of them side by side, and each lane takes one
// of its arcs, and the next.
template <class Sink> DEVICE void relax_few(const Vertex &mine, bool valid, u32 spread,
                      Counts &counts, Sink &sink) {
    Dist known = valid ? peek(RUN.dist + mine.id) : 0;
    u32 rank = lane_id() & ((1u << spread) - 1), arc = mine.first + rank;
    bool counts_it = rank == 0, more;
    do {
        bool real = arc < mine.end;
        Arc to = real ? arc_at(RUN.arcs + arc) : Arc{0, 0};
        if (RUN.drop_stale && known != mine.dist) valid = false;
        Dist reach = real && valid ? plus(known, to.weight) : NO_DIST, old = 0;
        uint2 row = make_uint2(0, 0);
        bool better = !Sink::QUEUES_LOSERS || (reach < UNREACHED && reach < peek(RUN.dist + to.head));
        if (reach < UNREACHED && better) {
            old = atomicMin(RUN.dist + to.head, reach);
            row = __ldg(RUN.rows + to.head);
        } else if (reach != NO_DIST && peek(RUN.dist + to.head) == UNREACHED) {
            note_overflow(arc);
        }
        count_vertex(counts, valid && counts_it, mine.id, known, sink.base());
        if (valid && counts_it) counts.relaxed += mine.degree();
        counts_it = false;
        bool won = reach < old;
        note_improved(won, to.head, old, sink.ticks);
        sink.push(Sink::QUEUES_LOSERS ? better : won, to.head, reach, row);
        if constexpr (Sink::QUEUES_LOSERS) sink.lost(better && !won);
        arc += 1u << spread;
        more = valid && arc < mine.end;
    } while (__any_sync(ALL_LANES, more));
}

// All lanes: relax the arcs of this warp's vertices, which stand on lanes below `lanes`, a
// power of two. `mine.dist` is what the vertex was queued with.
template <class Sink> DEVICE void relax_warp(Vertex mine, bool valid, u32 lanes, Counts &counts,
                       Sink &sink) {
    Dist known = valid ? peek(RUN.dist + mine.id) : 0;
    if (RUN.drop_stale && valid && known != mine.dist) {
        valid = false;
        mine.end = mine.first;
    }
    count_vertex(counts, valid, mine.id, known, sink.base());
    if (valid) counts.relaxed += mine.degree();
    relax_rows(mine, known, prefix_sum(mine.degree(), lanes), lanes, sink);
}

// All threads of a block: relax arcs [first, end) of one vertex, end - first <= THREADS * UNROLL.
template <class Sink> DEVICE void relax_span(Dist dist, u32 first, u32 end, Sink &sink) {
    u32 arc[UNROLL];
    Dist from[UNROLL];
    Arc to[UNROLL];
    int steps = min((end - first + THREADS - 1) / THREADS, (u32)UNROLL);
    for (int j = 0; j < UNROLL; j++) {
        u32 place = first + j * THREADS + threadIdx.x;
        arc[j] = place < end ? place : NO_ARC;
        to[j] = place < end ? arc_at(RUN.arcs + place) : Arc{0, 0};
        from[j] = dist;
    }
    relax_step(to, arc, from, steps, true, sink);
}

// An index before and after, of what is used in three places by turns.
DEVICE u32 after(u32 place) { return place == 2 ? 0 : place + 1; }
DEVICE u32 before(u32 place) { return place == 0 ? 2 : place - 1; }

// The lanes that share a vertex in the short way of supersteps and of hands, as a power of two.
DEVICE u32 spread_of() {
    u32 degree = RUN.mean_degree > 31.0 ? 32u : (u32)ceil(RUN.mean_degree);
    return degree <= 1 ? 0 : 32 - __clz(degree - 1);
}

// All lanes: in halves, since the sum of 32 counts may pass 32 bits.
DEVICE void hand_over(u64 *to, u32 value) {
    u64 sum = (u64)sum_over_lanes(value >> 16) << 16;
    sum += sum_over_lanes(value & 0xffffu);
    if (lane_id() == 0 && sum > 0) add(to, sum);
}

// All lanes: add the warp's counts to its block's, where the host finds them, and begin anew.
DEVICE void hand_counts_over(Counts &counts, Stats *to) {
    hand_over(&to->processed, counts.processed);
    hand_over(&to->relaxed, counts.relaxed);
    hand_over(&to->improved, counts.improved);
    hand_over(&to->clipped, counts.clipped);
    if (LEVEL >= 1) {
        hand_over(&to->measured, counts.measured);
        double error = sum_over_lanes((double)counts.error);
        if (lane_id() == 0 && error > 0.0) atomicAdd(&to->error, error);
    }
    counts = {0, 0, 0, 0, 0, 0.f};
}

// One thread, before the first round: the source stands at 0.
DEVICE void reach_source() {
    poke(RUN.dist + RUN.source, (Dist)0);
    if (LEVEL < 2) return;
    RUN.ticks[RUN.source] = make_uint2(0, 0);
}
