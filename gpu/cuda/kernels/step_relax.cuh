/*
step_relax.cuh: how a superstep relaxes the arcs of a list of vertices.

Short    A list of few turns a warp: every vertex has 2^spread lanes side by side (the mean
         degree, rounded up) and each lane takes one arc.
         No prefix sum, no search for an arc's owner: on a road network the frontier is small,
         and what a superstep costs is instructions and a chain of trips to the cache. Whether
         the vertex is stale is loaded together with its arcs; the atomic goes out without a
         look before it; the far end's row comes along with it. DEPTH vertices a lane are in
         flight together where a list is longer than one turn of the block.
Long     Wide lists, and turns with a vertex of more arcs than four to a lane: the arcs laid end
         to end and dealt to the lanes (relax.cuh).
Hubs     A vertex with more than HUB_DEGREE arcs is put aside for the whole block.
*/
#pragma once
#include "step_piles.cuh"

#define WARPS (THREADS / 32)
#define LONG_TURN 4u    // arcs a lane, beyond which a turn goes the long way
#define SHORT_TURNS 4u  // turns a warp that block 0 works at by the short way

// DEPTH vertices that a lane has its part of, one in each turn of the warp.
template <int DEPTH> struct Turn {
    Vertex vertex[DEPTH];  // `first` is this lane's next arc
    bool valid[DEPTH];     // not stale
    bool left_out[DEPTH];  // this lane met an arc that this superstep does not take
};

// One arc of each of a lane's vertices.
template <int DEPTH> struct Arcs {
    Arc to[DEPTH];
    uint2 row[DEPTH];   // the head's first and end arc
    Dist reach[DEPTH];  // distance by this arc, or NO_DIST
    Dist old[DEPTH];    // what it was before the atomic
};

struct Relaxer {
    static constexpr bool WANTS_ROWS = true;
    const Run &run;
    Shared &s;
    Piles &piles;
    Counts counts = {0, 0, 0, 0};
    u32 ticks = 0;
    u32 spread;  // lanes a vertex in the short way, as a power of two

    __device__ Relaxer(Piles &piles) : run(piles.run), s(piles.s), piles(piles) {
        u32 degree = run.mean_degree > 31.0 ? 32u : (u32)ceil(run.mean_degree);
        spread = degree <= 1 ? 0 : 32 - __clz(degree - 1);
    }

    // Vertices that a warp takes at a time in the short way.
    __device__ __forceinline__ u32 turn_size() const { return 32u >> spread; }

    // Vertices of each of `warps` warps in the long way: a power of two, so that all have some.
    __device__ __forceinline__ u32 share_of(u32 count, u32 warps) const {
        if (count >= warps * 32) return 32;
        return count <= warps ? 1 : 1u << (32 - __clz((count - 1) / warps));
    }

    // The vertex is not stale and was not counted yet.
    __device__ __forceinline__ void count(bool valid, u32 vertex) {
        if (valid && !(HEAVY_ARCS && piles.heavy)) {
            counts.processed += 1;
            note_processed(run, vertex);
        }
    }

    // All lanes: queue what improved.
    __device__ __forceinline__ void push(bool won, u32 vertex, Dist dist, uint2 row) {
        counts.improved += won;
        piles.sort(won, vertex, dist, row);
    }

    // ---- short ----------------------------------------------------------------------

    // All lanes: vertices from `base` on, DEPTH turns of the warp at `step` places from each other;
    // false where one of them has so many arcs that the long way is shorter.
    template <int DEPTH>
    __device__ __forceinline__ bool relax_turns(u32 base, u32 step, u32 total) {
        Turn<DEPTH> turn;
        u32 rank = lane_id() & ((1u << spread) - 1);
        if (!take_turn(turn, base, step, total)) return false;
        drop_stale(turn, rank);
        bool more = true;
        for (bool first = true; more; first = false) {
            Arcs<DEPTH> arcs;
            relax_one_each(turn, arcs);
            more = queue_one_each(turn, arcs, first && rank == 0);
        }
        if (piles.settling()) settle_turn(turn, rank);
        return true;
    }

    // Load the vertices; false where one has too many arcs.
    template <int DEPTH>
    __device__ __forceinline__ bool take_turn(Turn<DEPTH> &turn, u32 base, u32 step, u32 total) {
        u32 largest = 0;
#pragma unroll
        for (int j = 0; j < DEPTH; j++) {
            u32 place = base + j * step + (lane_id() >> spread);
            turn.vertex[j] = {0, NO_DIST, 0, 0};
            if (place < total) turn.vertex[j] = piles.fetch(place);
            largest = max(largest, turn.vertex[j].degree());
        }
        return !__any_sync(ALL_LANES, largest > LONG_TURN << spread);
    }

    template <int DEPTH> __device__ __forceinline__ void drop_stale(Turn<DEPTH> &turn, u32 rank) {
#pragma unroll
        for (int j = 0; j < DEPTH; j++) {
            Vertex &vertex = turn.vertex[j];
            turn.left_out[j] = false;
            turn.valid[j] = vertex.dist != NO_DIST && peek(run.dist + vertex.id) == vertex.dist;
            vertex.first += rank;
        }
    }

    // This lane's next arc of each vertex: all loads first, then all atomics.
    template <int DEPTH>
    __device__ __forceinline__ void relax_one_each(const Turn<DEPTH> &turn, Arcs<DEPTH> &arcs) {
#pragma unroll
        for (int j = 0; j < DEPTH; j++) {
            const Vertex &vertex = turn.vertex[j];
            arcs.to[j] = vertex.first < vertex.end ? arc_at(run.arcs + vertex.first) : Arc{0, 0};
        }
#pragma unroll
        for (int j = 0; j < DEPTH; j++) {
            const Vertex &vertex = turn.vertex[j];
            Arc to = arcs.to[j];
            bool real = turn.valid[j] && vertex.first < vertex.end && piles.takes(to.weight);
            arcs.reach[j] = real ? plus(vertex.dist, to.weight) : NO_DIST;
            arcs.old[j] = 0;
            arcs.row[j] = make_uint2(0, 0);
            counts.relaxed += real;
            if (arcs.reach[j] < UNREACHED) {
                arcs.old[j] = atomicMin(run.dist + to.head, arcs.reach[j]);
                arcs.row[j] = __ldg(run.rows + to.head);
            } else if (real && peek(run.dist + to.head) == UNREACHED) {
                note_overflow(run, vertex.first);
            }
        }
    }

    // Queue what improved and go on to the next arcs; whether any lane has one.
    template <int DEPTH>
    __device__ __forceinline__ bool queue_one_each(Turn<DEPTH> &turn, const Arcs<DEPTH> &arcs, bool counts_it) {
        bool more = false;
#pragma unroll
        for (int j = 0; j < DEPTH; j++) {
            Vertex &vertex = turn.vertex[j];
            u32 head = arcs.to[j].head;
            count(counts_it && turn.valid[j], vertex.id);
            turn.left_out[j] |= turn.valid[j] && vertex.first < vertex.end && !piles.takes(arcs.to[j].weight);
            bool won = arcs.reach[j] < arcs.old[j];
            if (won) note_improved(run, head, arcs.old[j], ticks);
            push(won, head, arcs.reach[j], arcs.row[j]);
            vertex.first += 1u << spread;
            more |= turn.valid[j] && vertex.first < vertex.end;
        }
        return __any_sync(ALL_LANES, more);
    }

    // Note the vertices of which some lane has left out a heavy arc.
    template <int DEPTH> __device__ __forceinline__ void settle_turn(const Turn<DEPTH> &turn, u32 rank) {
#pragma unroll
        for (int j = 0; j < DEPTH; j++) {
            u32 who = __ballot_sync(ALL_LANES, turn.left_out[j]) >> (lane_id() - rank);
            if (spread < 5) who &= (1u << (1u << spread)) - 1;
            piles.settle(rank == 0 && who != 0, turn.vertex[j].id);
        }
    }

    // ---- long -----------------------------------------------------------------------

    // All lanes: `share` vertices from `base` on, a power of two; hubs are put aside.
    __device__ __forceinline__ void relax_long(u32 base, u32 share, u32 total) {
        bool mine = lane_id() < share && base + lane_id() < total;
        Vertex vertex = {0, 0, 0, 0};
        if (mine) vertex = piles.fetch(base + lane_id());
        if (vertex.degree() > HUB_DEGREE && put_aside(vertex)) mine = false;
        mine = mine && peek(run.dist + vertex.id) == vertex.dist;
        if (!mine) vertex.end = vertex.first;
        count(mine, vertex.id);
        if (piles.settling()) piles.settle(mine, vertex.id);  // of many arcs some are heavy
        u32 scan = prefix_sum(vertex.degree(), share);
        u32 shift = vertex.end - scan;  // arc number minus place in the row of all arcs
        u32 arcs = __shfl_sync(ALL_LANES, scan, share - 1);
#pragma unroll 1
        for (u32 start = 0; start < arcs; start += 32 * UNROLL) {
            u32 arc[UNROLL];
            Dist from[UNROLL];
            Arc to[UNROLL];
            int steps = min((arcs - start + 31) / 32, (u32)UNROLL);
#pragma unroll
            for (int j = 0; j < UNROLL; j++) {
                arc[j] = NO_ARC;
                from[j] = NO_DIST;
                to[j] = {0, 0};
                if (j < steps) {
                    u32 place = start + 32 * j + lane_id();
                    u32 owner = owner_of(place, scan, share);
                    u32 at = __shfl_sync(ALL_LANES, shift, owner) + place;
                    from[j] = __shfl_sync(ALL_LANES, vertex.dist, owner);
                    if (place < arcs) {
                        arc[j] = at;
                        to[j] = arc_at(run.arcs + at);
                    }
                }
            }
            leave_out(to, arc, from);
            relax_step(run, to, arc, from, steps, arcs > DIRECT_ARCS, *this);
        }
    }

    // Arcs that this superstep does not take become none; the others are counted.
    __device__ __forceinline__ void leave_out(const Arc (&to)[UNROLL], u32 (&arc)[UNROLL],
                                              const Dist (&from)[UNROLL]) {
#pragma unroll
        for (int j = 0; j < UNROLL; j++) {
            if (!piles.takes(to[j].weight)) arc[j] = NO_ARC;
            counts.relaxed += arc[j] != NO_ARC && from[j] != NO_DIST;
        }
    }

    // ---- hubs -----------------------------------------------------------------------

    // One lane: leave its vertex to the whole block; false where there is no room for one more.
    __device__ __forceinline__ bool put_aside(const Vertex &vertex) {
        u32 hub = atomicAdd(&s.hubs[piles.turn.step], 1u);
        if (hub >= MOST_HUBS) return false;
        s.hub_vertex[hub] = vertex.id;
        s.hub_dist[hub] = vertex.dist;
        return true;
    }

    // All threads, between barriers: what was put aside, by the whole block.
    __device__ __forceinline__ void relax_hubs() {
        u32 hubs = min(s.hubs[piles.turn.step], MOST_HUBS);
#pragma unroll 1
        for (u32 hub = 0; hub < hubs; hub++) {
            u32 id = s.hub_vertex[hub];
            Dist dist = s.hub_dist[hub];
            uint2 row = __ldg(run.rows + id);
            // One thread's answer for all; where it is stale the newer item does the rest.
            bool stale = __syncthreads_or(threadIdx.x == 0 && peek(run.dist + id) != dist);
            count(threadIdx.x == 0 && !stale, id);
            if (piles.settling()) piles.settle(threadIdx.x == 0 && !stale, id);
#pragma unroll 1
            for (u32 first = row.x; first < row.y; first += THREADS * UNROLL) {
                relax_slice(stale ? NO_DIST : dist, first, min(row.y, first + THREADS * UNROLL));
                if (piles.wide) piles.unload(false);
            }
        }
    }

    // All threads: arcs [first, end) of one vertex, end - first <= THREADS * UNROLL.
    __device__ __forceinline__ void relax_slice(Dist dist, u32 first, u32 end) {
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
        leave_out(to, arc, from);
        relax_step(run, to, arc, from, steps, true, *this);
    }

    // ---- the far pile, sorted again -------------------------------------------------

    // Dealt to `blocks` blocks; stale items fall out.
    __device__ __forceinline__ void scan_far(u32 total, u32 block, u32 blocks) {
        Dist nearest = UNREACHED;
        const Item *from = piles.far_pile(piles.turn.far);
#pragma unroll 1
        for (u32 base = block * THREADS; base < total; base += blocks * THREADS) {
            u32 place = base + threadIdx.x;
            Item item = {};
            if (place < total) item = peek(from + place);
            u32 vertex = vertex_of(item);
            Dist dist = dist_of(item);
            bool valid = place < total && peek(run.dist + vertex) == dist;
            uint2 row = valid ? __ldg(run.rows + vertex) : make_uint2(0, 0);
            if (valid && dist >= piles.split_at) nearest = min(nearest, dist);
            piles.sort(valid, vertex, dist, row);
            if (piles.wide) piles.unload(false);
        }
        if (nearest != UNREACHED) atomicMin(piles.wide ? &piles.state.far_min : &s.far_min, nearest);
    }
};
