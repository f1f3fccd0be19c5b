/*
step_relax.cuh: how a superstep relaxes the arcs of a list of vertices.

Short    A list of few turns a warp: every vertex has 2^spread lanes side by side (the mean
         degree, rounded up) and each lane takes one arc, as in `relax_few` of relax.cuh. DEPTH
         vertices a lane are in flight together where a list is longer than a turn of the block.
Long     Other lists, and vertices of more arcs than four to a lane: the arcs laid end to end and
         dealt to the lanes (relax.cuh).
*/
#pragma once
#include "step_piles.cuh"

#define SHORT_TURNS 4u  // turns a warp that block 0 works at by the short way

struct Part {  // a lane's of one vertex
    Vertex vertex;  // `first` is this lane's next arc
    bool valid;     // not stale
    bool left_out;  // this lane met an arc that this superstep does not take
    Arc to;         // the arc at hand
    uint2 row;      // its head's first and end arc
    Dist reach;     // distance by it, or NO_DIST
    Dist old;       // what it was before the atomic
    DEVICE bool has_arc() const { return valid && vertex.first < vertex.end; }
};

struct Relaxer {
    static constexpr bool QUEUES_LOSERS = false;
    Shared &s;
    Piles &piles;
    Counts counts = {0, 0, 0, 0, 0, 0.f};
    u32 ticks = 0;
    u32 spread = spread_of();  // lanes a vertex in the short way, as a power of two

    // Vertices of each of `warps` warps in the long way: a power of two, so that all have some.
    DEVICE u32 share_of(u32 count, u32 warps) const {
        if (count >= warps * 32) return 32;
        return count <= warps ? 1 : 1u << (32 - __clz((count - 1) / warps));
    }

    // A heavy superstep processes no vertex again. Near has no lower end where nothing is far.
    DEVICE void count(bool valid, u32 vertex, Dist dist) {
        valid = valid && !(HEAVY_ARCS && piles.heavy);
        if (FAR_PILE) count_vertex(counts, valid, vertex, dist, s.threshold - s.delta);
        else count_vertex(counts, valid, vertex);
    }

    // Whether this superstep takes an arc; what it takes is counted.
    DEVICE bool takes(bool real, Dist weight) {
        real = real && piles.takes(weight);
        counts.relaxed += real;
        return real;
    }

    // All lanes: queue what improved.
    DEVICE void push(bool won, u32 vertex, Dist dist, uint2 row) {
        counts.improved += won;
        piles.sort(won, vertex, dist, row);
    }

    // All lanes: vertices from `base` on, DEPTH turns of the warp at `step` places from each other;
    // false where one of them has so many arcs that the long way is shorter.
    template <int DEPTH> DEVICE bool relax_turns(u32 base, u32 step, u32 total) {
        Part parts[DEPTH];
        u32 rank = lane_id() & ((1u << spread) - 1);
        if (!take_turn(parts, base, step, total)) return false;
        for (Part &part : parts) {
            const Vertex &vertex = part.vertex;
            part.valid = vertex.dist != NO_DIST && peek(RUN.dist + vertex.id) == vertex.dist;
            part.left_out = false;
            part.vertex.first += rank;
        }
        bool more = true;
        for (bool first = true; more; first = false) {
            relax_one_each(parts);
            more = queue_one_each(parts, first && rank == 0);
        }
        if (piles.settling()) settle_turn(parts, rank);
        return true;
    }

    // Load the vertices; false where one has too many arcs.
    template <int DEPTH>
    DEVICE bool take_turn(Part (&parts)[DEPTH], u32 base, u32 step, u32 total) const {
        u32 largest = 0;
        for (int j = 0; j < DEPTH; j++) {
            u32 place = base + j * step + (lane_id() >> spread);
            parts[j].vertex = {0, NO_DIST, 0, 0};
            if (place < total) parts[j].vertex = piles.fetch(place);
            largest = max(largest, parts[j].vertex.degree());
        }
        return !__any_sync(ALL_LANES, largest > LONG_TURN << spread);
    }

    // This lane's next arc of each vertex: all loads first, then all atomics.
    template <int DEPTH> DEVICE void relax_one_each(Part (&parts)[DEPTH]) {
        for (Part &part : parts) {
            const Vertex &vertex = part.vertex;
            part.to = vertex.first < vertex.end ? arc_at(RUN.arcs + vertex.first) : Arc{0, 0};
        }
#pragma unroll
        for (Part &part : parts) {
            Arc to = part.to;
            bool real = takes(part.has_arc(), to.weight);
            part.reach = real ? plus(part.vertex.dist, to.weight) : NO_DIST;
            part.old = 0;
            part.row = make_uint2(0, 0);
            if (part.reach < UNREACHED) {
                part.old = atomicMin(RUN.dist + to.head, part.reach);
                part.row = __ldg(RUN.rows + to.head);
            } else if (real && peek(RUN.dist + to.head) == UNREACHED) {
                note_overflow(part.vertex.first);
            }
        }
    }

    // Queue what improved and go on to the next arcs; whether any lane has one.
    template <int DEPTH> DEVICE bool queue_one_each(Part (&parts)[DEPTH], bool counts_it) {
        bool more = false;
        for (Part &part : parts) {
            u32 head = part.to.head;
            count(counts_it && part.valid, part.vertex.id, part.vertex.dist);
            part.left_out |= part.has_arc() && !piles.takes(part.to.weight);
            bool won = part.reach < part.old;
            note_improved(won, head, part.old, ticks);
            push(won, head, part.reach, part.row);
            part.vertex.first += 1u << spread;
            more |= part.has_arc();
        }
        return __any_sync(ALL_LANES, more);
    }

    // Note the vertices of which some lane has left out a heavy arc.
    template <int DEPTH> DEVICE void settle_turn(const Part (&parts)[DEPTH], u32 rank) {
        for (const Part &part : parts) {
            u32 who = __ballot_sync(ALL_LANES, part.left_out) >> (lane_id() - rank);
            if (spread < 5) who &= (1u << (1u << spread)) - 1;
            piles.settle(rank == 0 && who != 0, part.vertex.id);
        }
    }

    // All lanes: `share` vertices from `base` on, a power of two; hubs are put aside.
    DEVICE void relax_long(u32 base, u32 share, u32 total) {
        bool mine = lane_id() < share && base + lane_id() < total;
        Vertex vertex = {0, 0, 0, 0};
        if (mine) vertex = piles.fetch(base + lane_id());
        if (vertex.degree() > HUB_DEGREE && put_aside(vertex)) mine = false;
        mine = mine && peek(RUN.dist + vertex.id) == vertex.dist;
        if (!mine) vertex.end = vertex.first;
        count(mine, vertex.id, vertex.dist);
        if (piles.settling()) piles.settle(mine, vertex.id);  // of many arcs some are heavy
        relax_rows(vertex, vertex.dist, prefix_sum(vertex.degree(), share), share, *this);
    }

    // One lane: leave its vertex to the whole block; false where there is no room for one more.
    DEVICE bool put_aside(const Vertex &vertex) {
        u32 hub = atomicAdd(&s.hubs[piles.turn.step], 1u);
        if (hub >= MOST_HUBS) return false;
        s.hub_vertex[hub] = vertex.id;
        s.hub_dist[hub] = vertex.dist;
        return true;
    }

    // All threads, between barriers: what was put aside, by the whole block.
    DEVICE void relax_hubs() {
        u32 hubs = min(s.hubs[piles.turn.step], MOST_HUBS);
        for (u32 hub = 0; hub < hubs; hub++) {
            u32 id = s.hub_vertex[hub];
            Dist dist = s.hub_dist[hub];
            uint2 row = __ldg(RUN.rows + id);
            // One thread's answer for all; where it is stale the newer item does the rest.
            bool stale = __syncthreads_or(threadIdx.x == 0 && peek(RUN.dist + id) != dist);
            count(threadIdx.x == 0 && !stale, id, dist);
            if (piles.settling()) piles.settle(threadIdx.x == 0 && !stale, id);
            for (u32 first = row.x; first < row.y; first += THREADS * UNROLL) {
                u32 end = min(row.y, first + THREADS * UNROLL);
                relax_span(stale ? NO_DIST : dist, first, end, *this);
                if (piles.wide) piles.unload(false);
            }
        }
    }

    // What waits, sorted again; dealt to `blocks` blocks. Stale items fall out.
    DEVICE void scan(u32 total, u32 near, u32 block, u32 blocks) {
        Dist nearest = UNREACHED;
        for (u32 base = block * THREADS; base < total; base += blocks * THREADS) {
            u32 place = base + threadIdx.x;
            Item item = {};
            if (place < total) item = piles.waiting(place, near);
            bool valid = place < total && peek(RUN.dist + item.vertex) == item.dist;
            uint2 row = valid ? __ldg(RUN.rows + item.vertex) : make_uint2(0, 0);
            if (valid && item.dist >= piles.split_at) nearest = min(nearest, item.dist);
            piles.sort(valid, item.vertex, item.dist, row);
            if (piles.wide) piles.unload(false);
        }
        Dist *far_min = piles.wide ? &RUN.state->far_min : &s.far_min;
        if (HAS_DELTA && nearest != UNREACHED) atomicMin(far_min, nearest);
    }
};
