/*
step_piles.cuh: what waits in an algorithm of supersteps, and the barrier between supersteps.

The file that includes it says first what kind of algorithm it is:

    FAR_PILE    true: what is at `threshold` or beyond waits in a far pile until near is empty
    HEAVY_ARCS  true: light arcs (weight <= delta) are relaxed while near refills, heavy ones once
                for everything that was near and has any, which waits in a settled pile meanwhile

Near     while block 0 works alone in shared memory, else items[2][pile_room] of QueueEntry: vertex,
         the distance that it was queued with, first and end arc (they came with the atomic)
Far      far[2][pile_room] of Item: distance and vertex; settled far[2 * pile_room ..], whose items
         say the vertex alone, once a bucket: its distance is the one that it has in the end
Stale    An item whose vertex has improved since it was queued is dropped when it comes up. A
         distance is queued once, so one vertex is processed at most once a superstep, and near
         never holds more items than the superstep relaxed arcs.
Wide     Each block collects what it pushes in shared memory and reserves its places by one
         atomic a pile. One thread of a block waits at the barrier and reads what all need to
         know: the same word read by every warp of the grid costs more than the barrier.
*/
#pragma once
#include "relax.cuh"

// Items of the frontier in shared memory, each of two lists; items that a block collects before it
// writes them. An item of 64-bit distances takes half as much again, or twice as much.
#define NEAR_ROOM (WEIGHT_WIDE ? 896u : 1024u)
#define STAGE_NEAR (WEIGHT_WIDE ? 1152u : 2048u)
#define STAGE_FAR (WEIGHT_WIDE ? 960u : 1536u)
#define MOST_HUBS 64u

struct Heard {  // by thread 0 after a barrier, of the superstep to come
    u32 near, far, settled, status;
};

struct Shared {  // by the threads of a block
    union {
        QueueEntry near[2][NEAR_ROOM];  // alone: this superstep's frontier and the next one's
        struct {
            QueueEntry near[STAGE_NEAR];
            Item far[STAGE_FAR];
        } stage;  // wide: what is pushed until it is written to the piles
    };
    u32 count[3], hubs[3], status[3];  // near's items, hubs and the run's status: see Turns
    u32 staged[2], first[2];           // items of stage, and their place in near and far
    u32 far_count, far_next;           // items of the far pile, and of the one that a split fills
    Dist far_min;                      // the nearest that a split has left in far
    u32 settled[2];                    // items of the settled pile: see Turns
    u32 barrier_target, mode;
    bool gave_up;                      // the barrier was left before all had arrived
    Dist split_at, light_limit;        // for Piles
    u32 switches, wide_steps, side;
    double threshold, delta, held;     // held : the delta that the host holds, or 0
    u64 start_ns;
    Heard heard;
    u32 hub_vertex[MOST_HUBS];
    Dist hub_dist[MOST_HUBS];
};

// Whose turn it is among the places that are used in turn; the same on every thread of all blocks.
struct Turns {
    u32 step = 0;     // of three counts: this superstep's; one is the next one's, one being cleared
    u32 near = 0;     // of two near lists: the one that is processed
    u32 far = 0;      // of two far piles: the one that waits
    u32 settled = 0;  // of two counts: the one that is added to
};

__device__ __forceinline__ u32 after(u32 step) { return step == 2 ? 0 : step + 1; }
__device__ __forceinline__ u32 before(u32 step) { return step == 0 ? 2 : step - 1; }

// All lanes: places for the lanes of `who`, which is not empty.
__device__ __forceinline__ u32 places(u32 who, u32 *counter) {
    u32 place = 0;
    if (lane_id() == 0) place = atomicAdd(counter, (u32)__popc(who));
    return __shfl_sync(ALL_LANES, place, 0) + __popc(who & lanes_below());
}

// One block's view of what waits.
struct Piles {
    const Run &run;
    Shared &s;
    State &state;
    Turns turn;
    Dist split_at = 0;       // the threshold as bits: below it is near
    Dist light_limit = 0;    // the heaviest light arc, bits
    bool has_heavy = false;  // whether any arc is heavier
    bool wide = false;       // all blocks share the frontier
    bool splitting = false;  // far is being sorted again
    bool heavy = false;      // this superstep relaxes heavy arcs

    __device__ Piles(const Run &run, Shared &s) : run(run), s(s), state(*run.state) {}

    // ---- where near ends, and which arcs are light ----------------------------------

    // One thread of a block; the others take it over after the next barrier (`obey`).
    __device__ __forceinline__ void set_threshold(double threshold, double delta) {
        s.threshold = threshold;
        s.delta = delta;
        Dist up = dist_up(threshold);
        Dist down = dist_down(delta);
        s.split_at = threshold >= value_of(UNREACHED) ? UNREACHED : up;
        s.light_limit = delta >= value_of(UNREACHED) ? UNREACHED : down;
    }

    // All threads: what `set_threshold` left.
    __device__ __forceinline__ void obey() {
        split_at = s.split_at;
        if constexpr (HEAVY_ARCS) {
            light_limit = s.light_limit;
            has_heavy = run.weight_max > light_limit;
        }
    }

    // One thread: near ends delta further on, or after a split that found nothing beyond `nearest`.
    __device__ __forceinline__ void move_threshold(bool found_nothing, Dist nearest, double held) {
        double delta = held > 0.0 ? held : s.delta;
        double next = s.threshold + delta;
        if (found_nothing) {
            next = (floor(value_of(nearest) / delta) + 1.0) * delta;
            if (!(next > value_of(nearest)))  // delta is lost in rounding: the next number there is
                next = __longlong_as_double(__double_as_longlong(value_of(nearest)) + 1);
        }
        set_threshold(next, delta);
    }

    // Whether this superstep relaxes arcs of that weight.
    __device__ __forceinline__ bool takes(Dist weight) const {
        return !HEAVY_ARCS || (weight > light_limit) == heavy;
    }

    // Whether what is processed, if it has heavy arcs, is to have them relaxed later.
    __device__ __forceinline__ bool settling() const { return HEAVY_ARCS && has_heavy && !heavy; }

    // ---- the piles in device memory -------------------------------------------------

    __device__ __forceinline__ QueueEntry *near_pile(u32 which) const {
        return (QueueEntry *)run.items + (u64)which * run.pile_room;
    }
    __device__ __forceinline__ Item *far_pile(u32 which) const {
        return run.far + (u64)which * run.pile_room;
    }
    __device__ __forceinline__ Item *settled_pile() const { return run.far + 2 * (u64)run.pile_room; }
    // Where near ended when a vertex was noted as settled, and 0 where its heavy arcs are done.
    __device__ __forceinline__ Dist *noted() const { return (Dist *)run.written; }

    // The far pile that is pushed to: while one is split, the other.
    __device__ __forceinline__ u32 target() const { return turn.far ^ (u32)splitting; }

    template <class Waiting>
    __device__ __forceinline__ void write(Waiting *pile, u32 place, Waiting item) {
        if (place < run.pile_room) poke(pile + place, item);
        else atomicCAS(&state.published.status, (u32)RUNNING, (u32)POOL_DRY);
    }

    // Item `place` of the list that this superstep works at.
    __device__ __forceinline__ Vertex fetch(u32 place) const {
        if (HEAVY_ARCS && heavy) {
            u32 vertex = vertex_of(peek(settled_pile() + place));
            uint2 row = __ldg(run.rows + vertex);
            poke(noted() + vertex, (Dist)0);
            return {vertex, peek(run.dist + vertex), row.x, row.y};
        }
        return vertex_of(wide ? peek(near_pile(turn.near) + place) : s.near[turn.near][place]);
    }

    // ---- queueing -------------------------------------------------------------------

    // All lanes: to the next near list, or far.
    __device__ __forceinline__ void sort(bool queued, u32 vertex, Dist dist, uint2 row) {
        bool close = queued && (!FAR_PILE || dist < split_at);
        bool away = FAR_PILE && queued && !close;
        u32 who = __ballot_sync(ALL_LANES, close);
        if (who != 0) {
            u32 place = places(who, wide ? &s.staged[0] : &s.count[after(turn.step)]);
            if (close) put_near(place, entry_of(vertex, dist, row.x, row.y));
        }
        if (!FAR_PILE) return;
        who = __ballot_sync(ALL_LANES, away);
        if (who != 0) {
            u32 place = places(who, wide ? &s.staged[1] : (splitting ? &s.far_next : &s.far_count));
            if (away) put_far(place, packed(vertex, dist));
        }
    }

    __device__ __forceinline__ void put_near(u32 place, const QueueEntry &item) {
        u32 next = turn.near ^ 1;
        if (!wide && place < NEAR_ROOM) s.near[next][place] = item;
        else if (!wide) write(near_pile(0), place, item);  // it will go wide
        else if (place < STAGE_NEAR) s.stage.near[place] = item;
        else write(near_pile(next), atomicAdd(&state.near_count[after(turn.step)], 1u), item);
    }

    __device__ __forceinline__ void put_far(u32 place, const Item &item) {
        if (!wide) write(far_pile(target()), place, item);
        else if (place < STAGE_FAR) s.stage.far[place] = item;
        else write(far_pile(target()), atomicAdd(&state.far_count[target()], 1u), item);
    }

    // All lanes, while `settling`: note those whose heavy arcs are to be relaxed later, each once
    // a bucket: a superstep processes a vertex once at most, and a barrier follows.
    __device__ __forceinline__ void settle(bool valid, u32 vertex) {
        valid = valid && peek(noted() + vertex) != split_at;
        u32 who = __ballot_sync(ALL_LANES, valid), place;
        if (who == 0) return;
        if (wide) place = places(who, &state.settled_count[turn.settled]);
        else place = places(who, &s.settled[turn.settled]);
        if (!valid) return;
        poke(noted() + vertex, split_at);
        write(settled_pile(), place, packed(vertex, (Dist)0));
    }

    // All threads: write to the piles what the block has collected, where it is much or `all`.
    __device__ __forceinline__ void unload(bool all) {
        __syncthreads();
        u32 near = min(s.staged[0], STAGE_NEAR), far = min(s.staged[1], STAGE_FAR);
        bool much = near > STAGE_NEAR / 2 || far > STAGE_FAR / 2;
        if (all && near + far == 0) return;  // a grid barrier follows
        __syncthreads();
        if (!all && !much) return;
        if (threadIdx.x == 0 && near > 0) s.first[0] = atomicAdd(&state.near_count[after(turn.step)], near);
        if (threadIdx.x == 32 && far > 0) s.first[1] = atomicAdd(&state.far_count[target()], far);
        if (threadIdx.x == 64) s.staged[0] = s.staged[1] = 0;
        __syncthreads();
        u32 near_first = s.first[0], far_first = s.first[1];
#pragma unroll 1
        for (u32 i = threadIdx.x; i < near; i += THREADS)
            write(near_pile(turn.near ^ 1), near_first + i, s.stage.near[i]);
#pragma unroll 1
        for (u32 i = threadIdx.x; FAR_PILE && i < far; i += THREADS)
            write(far_pile(target()), far_first + i, s.stage.far[i]);
        __syncthreads();
    }
};

// The barrier of all blocks but the courier: what was written before is seen after. Thread 0
// returns last of its block; `hear` is what it then reads for all. Where the run has ended, or its
// time, nobody waits longer, and `s.gave_up` tells the block to leave.
template <class Hear>
__device__ __forceinline__ void grid_barrier(const Run &run, Shared &s, Hear hear) {
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 *arrived = &run.state->barrier_arrived;
        u32 target = s.barrier_target += run.workers;
        fence();
        if (LOSE != LOST_ARRIVAL || blockIdx.x > 0) atomicAdd(arrived, 1u);
        bool gave_up = false;
        for (u32 turns = 0; (int)(peek(arrived) - target) < 0 && !gave_up;)
            gave_up = gives_up(run, &run.state->published.status, turns);
        fence();
        hear();
        if (gave_up) {
            s.gave_up = true;
            s.heard.status = TIMED_OUT;
        }
    }
    __syncthreads();
}
