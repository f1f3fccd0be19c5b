/*
step_piles.cuh: what waits in an algorithm of supersteps, and the barrier between supersteps.

The file that includes it says first what kind of algorithm it is:

    FAR_PILE    true: what is at `threshold` or beyond waits in a far pile until near is empty
    HEAVY_ARCS  true: light arcs (weight <= delta) are relaxed while near refills, heavy ones once
                for everything that was near and has any, which waits in a settled pile meanwhile
    BY_COUNT    true: what improves is near, whatever its distance. Before a superstep, where far
                is not empty or near has more than RUN.chunk_largest vertices, a split of both
                piles leaves about so many in near, the closest (`choose`)

Near     while block 0 works alone in shared memory, else items[2][pile_room]; with rows, which
         came with the atomic
Far      far[2][pile_room]; settled far[2 * pile_room ..], whose items say the vertex alone
Stale    An item whose vertex has improved since it was queued is dropped when it comes up. So a
         superstep processes a vertex at most once, and queues at most an item an arc.
Wide     Each block collects what it pushes in shared memory and reserves its places by one
         atomic a pile.
*/
#pragma once
#include "relax.cuh"

// Items of the frontier in shared memory, each of two lists; items that a block collects before it
// writes them. An item of 64-bit distances takes half as much again, or twice as much.
#define NEAR_ROOM (WEIGHT_WIDE ? 896u : 1024u)
#define STAGE_NEAR (WEIGHT_WIDE ? 1152u : 2048u)
#define STAGE_FAR (WEIGHT_WIDE ? 960u : 1536u)
#define MOST_HUBS 64u
#define SAMPLE 256u  // of what waits, for a threshold; gpu.algorithms.rho_stepping

constexpr bool HAS_DELTA = FAR_PILE && !BY_COUNT;

struct Heard {  // by thread 0 after a barrier, of the superstep to come
    u32 near, far, settled, status;
};

struct Shared {  // by the threads of a block
    union {
        Vertex near[2][NEAR_ROOM];  // alone: this superstep's frontier and the next one's
        struct {
            Vertex near[STAGE_NEAR];
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

// One block's view of what waits.
struct Piles {
    Shared &s;
    Turns turn;
    Dist split_at = 0;       // the threshold as bits: below it is near
    Dist light_limit = 0;    // the heaviest light arc, bits
    bool has_heavy = false;  // whether any arc is heavier
    bool wide = false;       // all blocks share the frontier
    bool splitting = false;  // far is being sorted again
    bool heavy = false;      // this superstep relaxes heavy arcs

    // ---- where near ends, and which arcs are light ----------------------------------

    // One thread of a block; the others take it over after the next barrier (`obey`).
    DEVICE void set_threshold(double threshold, double delta) {
        s.threshold = threshold;
        s.delta = delta;
        Dist up = dist_up(threshold);
        Dist down = dist_down(delta);
        s.split_at = threshold >= value_of(UNREACHED) ? UNREACHED : up;
        s.light_limit = delta >= value_of(UNREACHED) ? UNREACHED : down;
    }

    // All threads: what `set_threshold` left.
    DEVICE void obey() {
        split_at = s.split_at;
        if constexpr (HEAVY_ARCS) {
            light_limit = s.light_limit;
            has_heavy = RUN.weight_max > light_limit;
        }
    }

    // One thread: near ends delta further on, or after a split that found nothing beyond `nearest`.
    DEVICE void move_threshold(bool found_nothing, Dist nearest, double held) {
        double delta = held > 0.0 ? held : s.delta;
        double next = s.threshold + delta;
        if (found_nothing) {
            next = (floor(value_of(nearest) / delta) + 1.0) * delta;
            if (!(next > value_of(nearest)))  // delta is lost in rounding: the next number there is
                next = as_double(double_bits(value_of(nearest)) + 1);
        }
        set_threshold(next, delta);
    }

    // All threads: near ends where about RUN.chunk_largest of what waits lie below, by a sample.
    // All blocks look at the same places, so all choose the same distance.
    DEVICE void choose(u32 near, u32 total) {
        __shared__ Dist sample[SAMPLE], last;
        u32 taken = min(total, SAMPLE), mine = threadIdx.x;
        if (mine < taken) {
            Item item = waiting((u64)mine * total / taken, near);
            sample[mine] = peek(RUN.dist + item.vertex) == item.dist ? item.dist : UNREACHED;
        }
        __syncthreads();
        u64 wanted = ((u64)RUN.chunk_largest * taken + total - 1) / total - 1;
        if (mine == 0) last = UNREACHED;  // where fewer wait
        __syncthreads();
        if (mine < taken) {
            Dist dist = sample[mine];
            u32 closer = 0;
            for (u32 i = 0; i < taken; i++)
                closer += sample[i] < dist || (sample[i] == dist && i < mine);
            if (closer == wanted) last = dist;
            if (closer == 0 && dist != UNREACHED) s.threshold = value_of(dist);  // for samples
        }
        __syncthreads();
        split_at = last == UNREACHED ? UNREACHED : last + 1;
    }

    // Whether this superstep relaxes arcs of that weight.
    DEVICE bool takes(Dist weight) const { return !HEAVY_ARCS || (weight > light_limit) == heavy; }

    // Whether what is processed, if it has heavy arcs, is to have them relaxed later.
    DEVICE bool settling() const { return HEAVY_ARCS && has_heavy && !heavy; }

    // ---- the piles in device memory -------------------------------------------------

    DEVICE Vertex *near_pile(u32 which) const {
        return (Vertex *)RUN.items + (u64)which * RUN.pile_room;
    }
    DEVICE Item *far_pile(u32 which) const { return RUN.far + (u64)which * RUN.pile_room; }
    DEVICE Item *settled_pile() const { return RUN.far + 2 * (u64)RUN.pile_room; }
    // Where near ended when a vertex was noted as settled, and 0 where its heavy arcs are done.
    DEVICE Dist *noted() const { return (Dist *)RUN.written; }

    // The far pile that is pushed to: while one is split, the other.
    DEVICE u32 target() const { return turn.far ^ (u32)splitting; }

    template <class Waiting> DEVICE void write(Waiting *pile, u32 place, Waiting item) {
        if (place < RUN.pile_room) poke(pile + place, item);
        else atomicCAS(&RUN.state->published.status, (u32)RUNNING, (u32)POOL_DRY);
    }

    // Item `place` of the list that this superstep works at.
    DEVICE Vertex fetch(u32 place) const {
        if (HEAVY_ARCS && heavy) {
            u32 vertex = peek(settled_pile() + place).vertex;
            uint2 row = __ldg(RUN.rows + vertex);
            poke(noted() + vertex, (Dist)0);
            return {vertex, peek(RUN.dist + vertex), row.x, row.y};
        }
        return wide ? peek(near_pile(turn.near) + place) : s.near[turn.near][place];
    }

    // Item `place` of far; BY_COUNT of all that waits, `near` items in near first.
    DEVICE Item waiting(u32 place, u32 near) const {
        if (!BY_COUNT) return peek(far_pile(turn.far) + place);
        if (place >= near) return peek(far_pile(turn.far) + place - near);
        Vertex vertex = fetch(place);
        return {vertex.id, vertex.dist};
    }

    // All lanes: to the next near list, or far.
    DEVICE void sort(bool queued, u32 vertex, Dist dist, uint2 row) {
        bool close = queued && (!FAR_PILE || dist < split_at);
        bool away = FAR_PILE && queued && !close;
        u32 who = __ballot_sync(ALL_LANES, close);
        if (who != 0) {
            u32 place = places(who, wide ? &s.staged[0] : &s.count[after(turn.step)]);
            if (close) put_near(place, {vertex, dist, row.x, row.y});
        }
        if (!FAR_PILE) return;
        who = __ballot_sync(ALL_LANES, away);
        if (who != 0) {
            u32 place = places(who, wide ? &s.staged[1] : (splitting ? &s.far_next : &s.far_count));
            if (away) put_far(place, {vertex, dist});
        }
    }

    DEVICE void put_near(u32 place, const Vertex &item) {
        u32 next = turn.near ^ 1;
        if (!wide && place < NEAR_ROOM) s.near[next][place] = item;
        else if (!wide) write(near_pile(0), place, item);  // it will go wide
        else if (place < STAGE_NEAR) s.stage.near[place] = item;
        else write(near_pile(next), atomicAdd(&RUN.state->near_count[after(turn.step)], 1u), item);
    }

    DEVICE void put_far(u32 place, const Item &item) {
        if (!wide) write(far_pile(target()), place, item);
        else if (place < STAGE_FAR) s.stage.far[place] = item;
        else write(far_pile(target()), atomicAdd(&RUN.state->far_count[target()], 1u), item);
    }

    // All lanes, while `settling`: note those whose heavy arcs are to be relaxed later, each once
    // a bucket: a superstep processes a vertex once at most, and a barrier follows.
    DEVICE void settle(bool valid, u32 vertex) {
        valid = valid && peek(noted() + vertex) != split_at;
        u32 who = __ballot_sync(ALL_LANES, valid), place;
        if (who == 0) return;
        if (wide) place = places(who, &RUN.state->settled_count[turn.settled]);
        else place = places(who, &s.settled[turn.settled]);
        if (!valid) return;
        poke(noted() + vertex, split_at);
        write(settled_pile(), place, Item{vertex, 0});
    }

    // All threads: write to the piles what the block has collected, where it is much or `all`.
    DEVICE void unload(bool all) {
        __syncthreads();
        u32 near = min(s.staged[0], STAGE_NEAR), far = min(s.staged[1], STAGE_FAR);
        bool much = near > STAGE_NEAR / 2 || far > STAGE_FAR / 2;
        if (all && near + far == 0) return;  // a grid barrier follows
        __syncthreads();
        if (!all && !much) return;
        u32 *near_count = &RUN.state->near_count[after(turn.step)];
        if (threadIdx.x == 0 && near > 0) s.first[0] = atomicAdd(near_count, near);
        u32 *far_count = &RUN.state->far_count[target()];
        if (threadIdx.x == 32 && far > 0) s.first[1] = atomicAdd(far_count, far);
        if (threadIdx.x == 64) {
            s.staged[0] = 0;
            s.staged[1] = 0;
        }
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
template <class Hear> DEVICE void grid_barrier(Shared &s, Hear hear) {
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 *arrived = &RUN.state->barrier_arrived;
        u32 target = s.barrier_target += RUN.workers;
        fence();
        atomicAdd(arrived, 1u);
        bool gave_up = false;
        for (u32 turns = 0; (int)(peek(arrived) - target) < 0 && !gave_up;)
            gave_up = gives_up(&RUN.state->published.status, turns);
        fence();
        hear();
        if (gave_up) {
            s.gave_up = true;
            s.heard.status = TIMED_OUT;
        }
    }
    __syncthreads();
}
