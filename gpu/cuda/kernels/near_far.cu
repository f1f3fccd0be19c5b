/*
near_far.cu: Near-Far on the device: one persistent kernel, as wide as its frontier.

Launch   near_far<<<workers + 1, THREADS, cooperative>>>; the last block is the courier.
         `begin` of prepare.cu runs before it.
Reads    rows, arcs            Writes   dist, per-vertex probes, stats, state, the sample ring
Piles    near: in shared memory while block 0 works alone, else items[2][pile_room];
         far: far[2][pile_room]; an item is a vertex and the distance it was queued with
Ends     FINISHED, STOPPED, POOL_DRY (a pile overflowed), DISTANCE_OVERFLOW, TIMED_OUT

Alone    A small frontier stays in block 0: a superstep is one round and one barrier inside the
         block, about a microsecond, and nothing of it leaves the multiprocessor but the arcs.
         The other blocks wait at the grid barrier meanwhile.
Wide     From `wide_enter` vertices on all blocks share the frontier, until it has shrunk to
         `wide_leave`: each block collects what it pushes in shared memory, reserves its places
         by one atomic a pile, and a grid barrier ends the superstep.
Duplicates  An item whose vertex has improved since it was queued is dropped when it comes up,
         so one vertex is processed at most once a superstep.
Far      is split when near is empty: the threshold moves on by delta; where that finds
         nothing, it jumps to the nearest vertex that the split has seen.
*/
#include "relax.cuh"
#include "step_courier.cuh"

#define NEAR_ROOM 1024u      // items of the frontier in shared memory, each of two lists
#define STAGE_ROOM 2048u     // items that a block collects before it writes them, each pile
#define SPLIT_ALONE 8192u    // far items up to which block 0 splits by itself
#define HAND_OVER_STEPS 16u  // supersteps between two sums of the counts, probe level 1 on
#define MOST_HUBS 64u
#define WARPS (THREADS / 32)

enum Mode { ALONE, WIDE, DONE };

extern "C" {
__constant__ Run RUN;  // filled by the launcher
}

struct Shared {
    union {
        uint4 near[2][NEAR_ROOM];  // alone: vertex, distance, first and end arc
        u64 stage[2][STAGE_ROOM];  // wide: near and far items to be written
    };
    u32 count[3], hubs[3], status[3];  // of three supersteps by turns, as in worker.cuh
    u32 staged[2], first[2], far_count, far_next, far_min;
    u32 hub_vertex[MOST_HUBS], hub_dist[MOST_HUBS];
};

__device__ __forceinline__ void write(const Run &run, u64 *piles, u32 which, u32 place, u64 item) {
    if (place < run.pile_room) poke(piles + (u64)which * run.pile_room + place, item);
    else atomicCAS(&run.state->published.status, (u32)RUNNING, (u32)POOL_DRY);
}

// Wide: collect one item, or write it at once where there is no room.
__device__ __noinline__ void stage(const Run &run, Shared &s, u32 which, u32 place, u32 pile,
                                   u32 *counter, u64 item) {
    if (place < STAGE_ROOM) s.stage[which][place] = item;
    else write(run, which == 0 ? run.items : run.far, pile, atomicAdd(counter, 1u), item);
}

struct Team {
    static constexpr bool WANTS_ROWS = true;
    const Run &run;
    Shared &s;
    State &state;
    Counts counts = {0, 0, 0, 0};
    double delta = 0.0, threshold = 0.0;
    u32 split_at = 0;   // the threshold as bits: below it is near
    u32 side = 0;       // which far pile
    u32 list = 0;       // which near list
    u32 phase = 0, steps = 0, switches = 0, wide_steps = 0, ticks = 0;
    u64 start_ns;
    bool wide = false, splitting = false;

    __device__ Team(const Run &run, Shared &s) : run(run), s(s), state(*run.state) { start_ns = state.start_ns; }

    __device__ __forceinline__ u32 after(u32 one) const { return one == 2 ? 0 : one + 1; }
    __device__ __forceinline__ u32 before(u32 one) const { return one == 0 ? 2 : one - 1; }
    __device__ __forceinline__ u32 target() const { return side ^ (u32)splitting; }  // far pile

    __device__ __forceinline__ void set_threshold(double value) {
        threshold = value;
        if (value >= value_of(UNREACHED)) split_at = UNREACHED;
        else split_at = WEIGHT_FLOAT ? __float_as_uint((float)value) : (u32)ceil(value);
    }

    // ---- queueing -------------------------------------------------------------------

    // All lanes: places for the lanes of `who` in a counter of shared memory.
    __device__ __forceinline__ u32 places(u32 who, u32 *counter) {
        u32 place = 0;
        if (lane_id() == 0) place = atomicAdd(counter, (u32)__popc(who));
        return __shfl_sync(ALL_LANES, place, 0) + __popc(who & lanes_below());
    }

    // All lanes: queue what improved.
    __device__ __forceinline__ void push(bool won, u32 vertex, u32 dist, uint2 row) {
        counts.improved += won;
        sort(won, vertex, dist, row);
    }

    // All lanes: to the next near list, or far.
    __device__ __forceinline__ void sort(bool queued, u32 vertex, u32 dist, uint2 row) {
        bool close = queued && dist < split_at, away = queued && !close;
        u32 near = __ballot_sync(ALL_LANES, close), far = __ballot_sync(ALL_LANES, away);
        if (near != 0) {
            u32 place = places(near, wide ? &s.staged[0] : &s.count[after(phase)]);
            if (close && wide) stage(run, s, 0, place, list ^ 1, &state.near_count[after(phase)], packed(vertex, dist));
            else if (close && place < NEAR_ROOM) s.near[list ^ 1][place] = make_uint4(vertex, dist, row.x, row.y);
            else if (close) write(run, run.items, 0, place, packed(vertex, dist));  // it will go wide
        }
        if (far != 0) {
            u32 place = places(far, wide ? &s.staged[1] : (splitting ? &s.far_next : &s.far_count));
            if (away && wide) stage(run, s, 1, place, target(), &state.far_count[target()], packed(vertex, dist));
            else if (away) write(run, run.far, target(), place, packed(vertex, dist));
        }
    }

    // All threads: write to the piles what the block has collected, where it is much or `all`.
    __device__ __forceinline__ void unload(bool all) {
        __syncthreads();
        u32 near = min(s.staged[0], STAGE_ROOM), far = min(s.staged[1], STAGE_ROOM);
        bool much = max(near, far) > STAGE_ROOM / 2;
        __syncthreads();
        if (!all && !much) return;
        if (threadIdx.x == 0 && near > 0) s.first[0] = atomicAdd(&state.near_count[after(phase)], near);
        if (threadIdx.x == 32 && far > 0) s.first[1] = atomicAdd(&state.far_count[target()], far);
        __syncthreads();
#pragma unroll 1
        for (u32 i = threadIdx.x; i < near; i += THREADS) write(run, run.items, list ^ 1, s.first[0] + i, s.stage[0][i]);
#pragma unroll 1
        for (u32 i = threadIdx.x; i < far; i += THREADS) write(run, run.far, target(), s.first[1] + i, s.stage[1][i]);
        if (threadIdx.x == 0) s.staged[0] = s.staged[1] = 0;
        __syncthreads();
    }

    // All blocks but the courier. What was written before is seen after.
    __device__ __forceinline__ void grid_barrier() {
        fence();
        __syncthreads();
        if (threadIdx.x == 0) {
            u32 round = peek(&state.barrier_round);
            if (atomicAdd(&state.barrier_arrived, 1u) == run.workers - 1) {
                poke(&state.barrier_arrived, 0u);
                fence();
                poke(&state.barrier_round, round + 1);
            } else {
                while (peek(&state.barrier_round) == round) {}
            }
            fence();
        }
        __syncthreads();
    }

    // ---- relaxing -------------------------------------------------------------------

    __device__ __forceinline__ u32 share_of(u32 count, u32 warps) const {
        return count >= warps * 32 ? 32 : (count <= warps ? 1 : 1u << (32 - __clz((count - 1) / warps)));
    }

    // All lanes: relax the vertices on the first `share` lanes; large ones are put aside.
    __device__ __forceinline__ void relax(Vertex vertex, bool mine, u32 share) {
        if (vertex.degree() > HUB_DEGREE) {
            u32 hub = atomicAdd(&s.hubs[phase], 1u);
            if (hub < MOST_HUBS) {
                s.hub_vertex[hub] = vertex.id, s.hub_dist[hub] = vertex.dist;
                mine = false, vertex.end = vertex.first;
            }
        }
        __syncwarp();
        if (__any_sync(ALL_LANES, mine)) relax_warp(run, vertex, mine, share, counts, *this);
    }

    // All threads, between barriers: what was put aside, by the whole block.
    __device__ __forceinline__ void relax_hubs() {
        u32 hubs = min(s.hubs[phase], MOST_HUBS);
#pragma unroll 1
        for (u32 hub = 0; hub < hubs; hub++) {
            u32 id = s.hub_vertex[hub], dist = s.hub_dist[hub];
            uint2 row = __ldg(run.rows + id);
            bool stale = peek(run.dist + id) != dist;  // the newer item does the rest
            if (threadIdx.x == 0 && !stale) {
                counts.processed += 1, counts.relaxed += row.y - row.x;
                note_processed(run, id);
            }
#pragma unroll 1
            for (u32 first = row.x; first < row.y; first += THREADS * UNROLL) {
                relax_span(run, stale ? NO_ARC : dist, first, min(row.y, first + THREADS * UNROLL), *this);
                if (wide) unload(false);
            }
        }
    }

    // Sort the far pile again, dealt to `blocks` blocks; stale items fall out.
    __device__ __forceinline__ void scan_far(u32 total, u32 block, u32 blocks) {
        u32 nearest = UNREACHED;
        const u64 *from = run.far + (u64)side * run.pile_room;
#pragma unroll 1
        for (u32 base = block * THREADS; base < total; base += blocks * THREADS) {
            u32 place = base + threadIdx.x;
            u64 item = place < total ? peek(from + place) : 0;
            u32 vertex = (u32)item, dist = (u32)(item >> 32);
            bool valid = place < total && peek(run.dist + vertex) == dist;
            uint2 row = valid && !wide ? __ldg(run.rows + vertex) : make_uint2(0, 0);
            if (valid && dist >= split_at) nearest = min(nearest, dist);
            sort(valid, vertex, dist, row);
            if (wide) unload(false);
        }
        if (nearest != UNREACHED) atomicMin(wide ? &state.far_min : &s.far_min, nearest);
    }

    // Where near ends after a split; `nearest` is known where the last one found nothing.
    __device__ __forceinline__ double next_threshold(bool found_nothing, u32 nearest) {
        double held = __longlong_as_double(peek((const u64 *)&state.hand_delta));
        if (held > 0.0) delta = held;
        if (!found_nothing) return threshold + delta;
        double edge = (floor(value_of(nearest) / delta) + 1.0) * delta;
        return edge > value_of(nearest) ? edge : value_of(nearest) + delta;
    }

    // ---- block 0 alone --------------------------------------------------------------

    // Returns WIDE or DONE; `count` vertices wait in s.near[list].
    __device__ __forceinline__ Mode work_alone(u32 count) {
        for (;;) {
            if (s.status[phase] != RUNNING) return DONE;
            bool far_is_large = count == 0 && s.far_count > SPLIT_ALONE;
            if (count > min(run.wide_enter, NEAR_ROOM) || far_is_large) {
                export_near(count);
                return WIDE;
            }
            if (count == 0) {
                if (s.far_count == 0) {
                    if (threadIdx.x == 0) atomicCAS(&state.published.status, (u32)RUNNING, (u32)FINISHED);
                    return DONE;
                }
                count = split_alone();
                continue;
            }
            log_step(count, s.far_count, 1);
            count = step_alone(count);
        }
    }

    __device__ __forceinline__ u32 step_alone(u32 count) {
        u32 fresh = RUNNING, share = share_of(count, WARPS);
        ticks = ticks_since(start_ns);
        if (threadIdx.x == THREADS - 1) fresh = peek(&state.published.status);
#pragma unroll 1
        for (u32 base = warp_id() * share; base < count; base += WARPS * share) {
            u32 place = base + lane_id();
            bool mine = lane_id() < share && place < count;
            uint4 item = mine ? s.near[list][place] : make_uint4(0, 0, 0, 0);
            relax({item.x, item.y, item.z, item.w}, mine, share);
        }
        if (threadIdx.x == THREADS - 1) {
            s.status[after(phase)] = fresh;
            s.hubs[after(phase)] = s.count[before(phase)] = 0;
        }
        __syncthreads();
        if (s.hubs[phase] > 0) {
            relax_hubs();
            __syncthreads();
        }
        phase = after(phase);
        list ^= 1;
        steps += 1;
        if (LEVEL >= 1 && steps % HAND_OVER_STEPS == 0) hand_counts_over();
        return s.count[phase];
    }

    // Split far until something is near, or nothing is left; returns how many are near.
    __device__ __forceinline__ u32 split_alone() {
        u32 count = 0, left = 0, nearest = 0;
        bool found_nothing = false;
        do {
            set_threshold(next_threshold(found_nothing, nearest));
            splitting = true;
            __syncthreads();
            if (threadIdx.x == 0) s.far_next = 0, s.far_min = UNREACHED, s.count[after(phase)] = 0;
            __syncthreads();
            scan_far(s.far_count, 0, 1);
            __syncthreads();
            left = s.far_next, nearest = s.far_min, count = s.count[after(phase)];
            __syncthreads();
            if (threadIdx.x == 0) s.far_count = left;
            splitting = false;
            side ^= 1;
            switches += 1;
            found_nothing = true;
        } while (count == 0 && left > 0);
        if (threadIdx.x == 0) {
            s.count[before(phase)] = s.hubs[after(phase)] = 0;
            s.status[after(phase)] = s.status[phase];
        }
        __syncthreads();
        phase = after(phase);
        list ^= 1;
        return count;
    }

    __device__ __forceinline__ void export_near(u32 count) {
#pragma unroll 1
        for (u32 i = threadIdx.x; i < min(count, NEAR_ROOM); i += THREADS) {
            uint4 item = s.near[list][i];
            write(run, run.items, 0, i, packed(item.x, item.y));
        }
        if (threadIdx.x == 0) {
            poke(&state.near_count[0], count);
            poke(&state.near_count[1], 0u), poke(&state.near_count[2], 0u);
            poke(&state.far_count[side], s.far_count), poke(&state.far_count[side ^ 1], 0u);
            poke(&state.side, side);
            tell_threshold();
        }
    }

    __device__ __forceinline__ void tell_threshold() {
        poke((u64 *)&state.threshold, (u64)__double_as_longlong(threshold));
        poke((u64 *)&state.delta, (u64)__double_as_longlong(delta));
    }

    __device__ __forceinline__ void hear_threshold() {
        delta = __longlong_as_double(peek((const u64 *)&state.delta));
        set_threshold(__longlong_as_double(peek((const u64 *)&state.threshold)));
    }

    // Block 0, after a wide stretch: its frontier back into shared memory.
    __device__ __forceinline__ void import_near(u32 count) {
        const u64 *from = run.items + (u64)list * run.pile_room;
        __syncthreads();
#pragma unroll 1
        for (u32 i = threadIdx.x; i < min(count, NEAR_ROOM); i += THREADS) {
            u64 item = peek(from + i);
            uint2 row = __ldg(run.rows + (u32)item);
            s.near[0][i] = make_uint4((u32)item, (u32)(item >> 32), row.x, row.y);
        }
        start_alone(peek(&state.far_count[side]));
    }

    __device__ __forceinline__ void start_alone(u32 far) {
        list = phase = 0;
        if (threadIdx.x < 3) s.count[threadIdx.x] = s.hubs[threadIdx.x] = 0;
        if (threadIdx.x < 3) s.status[threadIdx.x] = peek(&state.published.status);
        if (threadIdx.x == 0) s.far_count = far;
        __syncthreads();
    }

    // ---- all blocks -----------------------------------------------------------------

    // Every block takes the same turns, because each decides by what was settled before the
    // last barrier. Returns the vertices left in near.
    __device__ __forceinline__ u32 work_wide() {
        side = peek(&state.side), list = phase = 0;
        hear_threshold();
        __syncthreads();
        if (threadIdx.x < 3) s.hubs[threadIdx.x] = 0;
        if (threadIdx.x < 2) s.staged[threadIdx.x] = 0;
        __syncthreads();
        wide = true;
        u32 count = peek(&state.near_count[0]), status = RUNNING;
        bool first = true, after_split = false;
        while (status == RUNNING) {
            bool split = count == 0;
            u32 far = split ? peek(&state.far_count[side]) : 0;
            if (split && far == 0) break;
            if (!first && !split && count <= run.wide_leave) break;
            bool leader = blockIdx.x == 0 && threadIdx.x == 0;
            if (leader) poke(&state.near_count[before(phase)], 0u);
            if (split) split_wide(far, after_split);
            else step_wide(count);
            if (leader) poke(&state.step_status[phase], peek(&state.published.status));
            grid_barrier();
            status = peek(&state.step_status[phase]);
            phase = after(phase);
            list ^= 1;
            if (split) {
                if (leader) poke(&state.far_count[side], 0u);  // before the next split's barrier
                side ^= 1;
                switches += 1;
            }
            count = peek(&state.near_count[phase]);
            first = false, after_split = split;
        }
        wide = false;
        return count;
    }

    __device__ __forceinline__ void step_wide(u32 count) {
        u32 warps = run.workers * WARPS, share = share_of(count, warps), stride = warps * share;
        if (blockIdx.x == 0) log_step(count, peek(&state.far_count[side]), run.workers);
        const u64 *from = run.items + (u64)list * run.pile_room;
        ticks = ticks_since(start_ns);
#pragma unroll 1
        for (u32 base = 0; base < count; base += stride) {
            u32 place = base + (blockIdx.x + warp_id() * run.workers) * share + lane_id();
            bool mine = lane_id() < share && place < count;
            Vertex vertex = {0, 0, 0, 0};
            if (mine) {
                u64 item = peek(from + place);
                uint2 row = __ldg(run.rows + (u32)item);
                vertex = {(u32)item, (u32)(item >> 32), row.x, row.y};
            }
            relax(vertex, mine, share);
            __syncthreads();
            if (s.hubs[phase] > 0) {
                relax_hubs();
                __syncthreads();
                if (threadIdx.x == 0) s.hubs[phase] = 0;
            }
            unload(base + stride >= count);
        }
        steps += 1, wide_steps += 1;
        if (LEVEL >= 1 && steps % HAND_OVER_STEPS == 0) hand_counts_over();
    }

    __device__ __forceinline__ void split_wide(u32 total, bool found_nothing) {
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            threshold = next_threshold(found_nothing, peek(&state.far_min));
            tell_threshold();
            poke(&state.far_min, UNREACHED);
        }
        grid_barrier();
        hear_threshold();
        splitting = true;
        scan_far(total, blockIdx.x, run.workers);
        unload(true);
        splitting = false;
    }

    // ---- records --------------------------------------------------------------------

    __device__ __forceinline__ void hand_over(u64 *to, u32 value) {
#pragma unroll
        for (int reach = 16; reach > 0; reach /= 2) value += __shfl_xor_sync(ALL_LANES, value, reach);
        if (lane_id() == 0 && value > 0) atomicAdd(to, (u64)value);
    }

    __device__ __forceinline__ void hand_counts_over() {
        Stats *to = run.stats + blockIdx.x;
        hand_over(&to->processed, counts.processed);
        hand_over(&to->relaxed, counts.relaxed);
        hand_over(&to->improved, counts.improved);
        counts = {0, 0, 0, 0};
    }

    // One superstep for the courier: three 16-byte stores that nobody waits for, each with the
    // record's number, by which the courier knows that it is whole.
    __device__ __forceinline__ void log_step(u32 near, u32 far, u32 blocks) {
        if (LEVEL < 1 || threadIdx.x != THREADS - 1) return;
        uint4 *to = (uint4 *)run.readings + (steps & (LOG_RECORDS - 1)) * 3;
        u64 t = now_ns() - start_ns, edge = (u64)__double_as_longlong(threshold - delta);
        poke(to, make_uint4(steps + 1, near, far, blocks));
        poke(to + 1, make_uint4(steps + 1, (u32)t, (u32)(t >> 32), switches));
        poke(to + 2, make_uint4(steps + 1, (u32)edge, (u32)(edge >> 32), __float_as_uint((float)delta)));
    }

    __device__ __forceinline__ void leave_record() {
        state.end_ns = now_ns();
        state.bucket_switches = state.head_bucket = switches;
        state.delta = delta, state.base = threshold - delta;
        state.open_buckets = 1, state.reason = START;
        state.status = state.published.status;
        state.supersteps = steps, state.wide_supersteps = wide_steps;
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, 1) near_far() {
    __shared__ Shared shared;
    if (blockIdx.x == RUN.workers) {
        if (warp_id() == 0) Courier(RUN).carry();
        return;
    }
    Team team(RUN, shared);
    State &state = *RUN.state;
    double total = WEIGHT_FLOAT ? state.weight_total : (double)state.weight_sum;
    team.delta = near_far_delta(RUN.m ? total / RUN.m : 0.0, RUN.mean_degree, !WEIGHT_FLOAT);
    if (RUN.rule.given > 0.0) team.delta = RUN.rule.given;
    team.set_threshold(team.delta);
    u32 count = 1;
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            uint2 row = RUN.rows[RUN.source];
            shared.near[0][0] = make_uint4(RUN.source, 0, row.x, row.y);
            poke(RUN.dist + RUN.source, 0u);
            if (LEVEL >= 2) RUN.first_ticks[RUN.source] = RUN.last_ticks[RUN.source] = 0;
        }
        team.start_alone(0);
    }
    for (;;) {
        if (blockIdx.x == 0) {
            Mode mode = team.work_alone(count);
            if (threadIdx.x == 0) poke(&state.mode, (u32)mode);
        }
        team.grid_barrier();
        if (peek(&state.mode) == DONE) break;
        count = team.work_wide();
        if (blockIdx.x == 0) team.import_near(count);
    }
    team.hand_counts_over();
    if (blockIdx.x == 0 && threadIdx.x == 0) team.leave_record();
}
