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
#define LONG_TURN 4u  // arcs a lane, beyond which a turn goes the long way
#define SHORT_TURNS 4u  // turns a warp that block 0 works at by the short way

struct Relaxer : Piles {
    u32 spread;  // lanes a vertex in the short way, as a power of two

    __device__ Relaxer(const Run &run, Shared &s) : Piles(run, s) {
        u32 degree = run.mean_degree > 31.0 ? 32u : (u32)ceil(run.mean_degree);
        spread = degree <= 1 ? 0 : 32 - __clz(degree - 1);
    }

    __device__ __forceinline__ u32 turn_size() const { return 32u >> spread; }

    // Item `place` of the list that this superstep works at.
    __device__ __forceinline__ uint4 fetch(u32 place) const {
        if (HEAVY_ARCS && heavy) {
            u64 item = peek(settled_pile() + place);
            uint2 row = __ldg(run.rows + (u32)item);
            return make_uint4((u32)item, (u32)(item >> 32), row.x, row.y);
        }
        return wide ? peek(near_pile(list) + place) : s.near[list][place];
    }

    // The vertex is not stale and was not counted yet.
    __device__ __forceinline__ void count(bool valid, u32 vertex) {
        if (valid && !(HEAVY_ARCS && heavy)) counts.processed += 1, note_processed(run, vertex);
    }

    // ---- short ----------------------------------------------------------------------

    // All lanes: vertices from `base` on, DEPTH turns of the warp at `step` places from each other;
    // false where one of them has so many arcs that the long way is shorter.
    template <int DEPTH>
    __device__ __forceinline__ bool relax_turns(u32 base, u32 step, u32 total) {
        uint4 item[DEPTH];
        u32 rank = lane_id() & ((1u << spread) - 1), largest = 0;
#pragma unroll
        for (int j = 0; j < DEPTH; j++) {
            u32 place = base + j * step + (lane_id() >> spread);
            item[j] = place < total ? fetch(place) : make_uint4(0, NO_ARC, 0, 0);
            largest = max(largest, item[j].w - item[j].z);
        }
        if (__any_sync(ALL_LANES, largest > LONG_TURN << spread)) return false;
        bool valid[DEPTH], left_out[DEPTH], more = true;
#pragma unroll
        for (int j = 0; j < DEPTH; j++) {  // NO_ARC is the distance of no vertex
            left_out[j] = false;
            valid[j] = item[j].y != NO_ARC && peek(run.dist + item[j].x) == item[j].y;
            item[j].z += rank;
        }
        for (bool first = true; more; first = false) {
            u32 reach[DEPTH], old[DEPTH];
            uint2 to[DEPTH], row[DEPTH];
#pragma unroll
            for (int j = 0; j < DEPTH; j++)
                to[j] = item[j].z < item[j].w ? __ldg(run.arcs + item[j].z) : make_uint2(0, 0);
#pragma unroll
            for (int j = 0; j < DEPTH; j++) {
                bool real = valid[j] && item[j].z < item[j].w && takes(to[j].y);
                reach[j] = real ? plus(item[j].y, to[j].y) : NO_ARC;
                old[j] = 0, row[j] = make_uint2(0, 0);
                counts.relaxed += real;
                if (reach[j] < UNREACHED) {
                    old[j] = atomicMin(run.dist + to[j].x, reach[j]);
                    row[j] = __ldg(run.rows + to[j].x);
                } else if (real && peek(run.dist + to[j].x) == UNREACHED) {
                    report_overflow(run, item[j].z);
                }
            }
            more = false;
#pragma unroll
            for (int j = 0; j < DEPTH; j++) {
                if (first) count(valid[j] && rank == 0, item[j].x);
                left_out[j] |= valid[j] && item[j].z < item[j].w && !takes(to[j].y);
                bool won = reach[j] < old[j];
                if (won) note_improved(run, to[j].x, old[j], ticks);
                push(won, to[j].x, reach[j], row[j]);
                item[j].z += 1u << spread;
                more |= valid[j] && item[j].z < item[j].w;
            }
            more = __any_sync(ALL_LANES, more);
        }
#pragma unroll
        for (int j = 0; j < DEPTH && settling(); j++) {
            u32 who = __ballot_sync(ALL_LANES, left_out[j]) >> (lane_id() - rank);
            if (spread < 5) who &= (1u << (1u << spread)) - 1;
            settle(rank == 0 && who != 0, item[j].x, item[j].y);
        }
        return true;
    }

    // ---- long -----------------------------------------------------------------------

    __device__ __forceinline__ u32 share_of(u32 count, u32 warps) const {
        return count >= warps * 32 ? 32 : (count <= warps ? 1 : 1u << (32 - __clz((count - 1) / warps)));
    }

    // All lanes: `share` vertices from `base` on, a power of two; hubs are put aside.
    __device__ __forceinline__ void relax_long(u32 base, u32 share, u32 total) {
        bool mine = lane_id() < share && base + lane_id() < total;
        uint4 item = mine ? fetch(base + lane_id()) : make_uint4(0, 0, 0, 0);
        Vertex vertex = {item.x, item.y, item.z, item.w};
        if (vertex.degree() > HUB_DEGREE) {
            u32 hub = atomicAdd(&s.hubs[phase], 1u);
            if (hub < MOST_HUBS) s.hub_vertex[hub] = vertex.id, s.hub_dist[hub] = vertex.dist, mine = false;
        }
        mine = mine && peek(run.dist + vertex.id) == vertex.dist;
        if (!mine) vertex.end = vertex.first;
        count(mine, vertex.id);
        if (settling()) settle(mine, vertex.id, vertex.dist);  // of many arcs some are heavy
        u32 scan = prefix_sum(vertex.degree(), share), shift = vertex.end - scan;
        u32 arcs = __shfl_sync(ALL_LANES, scan, share - 1);
#pragma unroll 1
        for (u32 start = 0; start < arcs; start += 32 * UNROLL) {
            u32 arc[UNROLL], from[UNROLL];
            uint2 to[UNROLL];
            int steps = min((arcs - start + 31) / 32, (u32)UNROLL);
#pragma unroll
            for (int j = 0; j < UNROLL; j++) {
                arc[j] = NO_ARC, from[j] = NO_ARC, to[j] = make_uint2(0, 0);
                if (j < steps) {
                    u32 place = start + 32 * j + lane_id(), owner = owner_of(place, scan, share);
                    u32 at = __shfl_sync(ALL_LANES, shift, owner) + place;
                    from[j] = __shfl_sync(ALL_LANES, vertex.dist, owner);
                    if (place < arcs) arc[j] = at, to[j] = __ldg(run.arcs + at);
                }
            }
            leave_out(to, arc, from);
            relax_step(run, to, arc, from, steps, arcs > DIRECT_ARCS, *this);
        }
    }

    // Arcs that this phase does not take become none; the others are counted.
    __device__ __forceinline__ void leave_out(const uint2 (&to)[UNROLL], u32 (&arc)[UNROLL],
                                              const u32 (&from)[UNROLL]) {
#pragma unroll
        for (int j = 0; j < UNROLL; j++) {
            if (!takes(to[j].y)) arc[j] = NO_ARC;
            counts.relaxed += arc[j] != NO_ARC && from[j] != NO_ARC;
        }
    }

    // ---- hubs -----------------------------------------------------------------------

    // All threads, between barriers: what was put aside, by the whole block.
    __device__ __forceinline__ void relax_hubs() {
        u32 hubs = min(s.hubs[phase], MOST_HUBS);
#pragma unroll 1
        for (u32 hub = 0; hub < hubs; hub++) {
            u32 id = s.hub_vertex[hub], dist = s.hub_dist[hub];
            uint2 row = __ldg(run.rows + id);
            // One thread's answer for all; where it is stale the newer item does the rest.
            bool stale = __syncthreads_or(threadIdx.x == 0 && peek(run.dist + id) != dist);
            count(threadIdx.x == 0 && !stale, id);
            if (settling()) settle(threadIdx.x == 0 && !stale, id, dist);
#pragma unroll 1
            for (u32 first = row.x; first < row.y; first += THREADS * UNROLL) {
                relax_slice(stale ? NO_ARC : dist, first, min(row.y, first + THREADS * UNROLL));
                if (wide) unload(false);
            }
        }
    }

    // All threads: arcs [first, end) of one vertex, end - first <= THREADS * UNROLL.
    __device__ __forceinline__ void relax_slice(u32 dist, u32 first, u32 end) {
        u32 arc[UNROLL], from[UNROLL];
        uint2 to[UNROLL];
        int steps = min((end - first + THREADS - 1) / THREADS, (u32)UNROLL);
#pragma unroll
        for (int j = 0; j < UNROLL; j++) {
            u32 place = first + j * THREADS + threadIdx.x;
            arc[j] = place < end ? place : NO_ARC;
            to[j] = place < end ? __ldg(run.arcs + place) : make_uint2(0, 0);
            from[j] = dist;
        }
        leave_out(to, arc, from);
        relax_step(run, to, arc, from, steps, true, *this);
    }

    // ---- the far pile, sorted again -------------------------------------------------

    // Dealt to `blocks` blocks; stale items fall out.
    __device__ __forceinline__ void scan_far(u32 total, u32 block, u32 blocks) {
        u32 nearest = UNREACHED;
        const u64 *from = far_pile(side);
#pragma unroll 1
        for (u32 base = block * THREADS; base < total; base += blocks * THREADS) {
            u32 place = base + threadIdx.x;
            u64 item = place < total ? peek(from + place) : 0;
            u32 vertex = (u32)item, dist = (u32)(item >> 32);
            bool valid = place < total && peek(run.dist + vertex) == dist;
            uint2 row = valid ? __ldg(run.rows + vertex) : make_uint2(0, 0);
            if (valid && dist >= split_at) nearest = min(nearest, dist);
            sort(valid, vertex, dist, row);
            if (wide) unload(false);
        }
        if (nearest != UNREACHED) atomicMin(wide ? &state.far_min : &s.far_min, nearest);
    }
};
