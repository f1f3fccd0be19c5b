/*
superstep.cuh: the persistent kernel of algorithms that run in supersteps, as wide as its frontier.

Alone    A small frontier stays in block 0: a superstep is one turn and one barrier inside the
         block, and nothing of it leaves the multiprocessor but the arcs. The other blocks wait at
         the grid barrier meanwhile.
Wide     From `wide_enter` vertices on all blocks share the frontier, until it has shrunk to
         `wide_leave`; a grid barrier ends the superstep. Every block takes the same turns,
         because each decides by what was settled before the last barrier.
Split    When near is empty (and, with HEAVY_ARCS, what was near has relaxed its heavy arcs), the
         threshold moves on by delta and far is sorted again; where that finds nothing, it jumps
         to the nearest vertex that the split has seen.
Counts   that a superstep adds to stand in one of three places by turns: this superstep's, the
         next one's, the one being cleared. Settled vertices need two.
Resident The grid is launched cooperatively: no block waits for one that is not there.
*/
#pragma once
#include "step_courier.cuh"
#include "step_relax.cuh"

#define SPLIT_ALONE 8192u    // far items up to which block 0 splits by itself
#define HAND_OVER_STEPS 32u  // supersteps between two sums of the counts, probe level 1 on

enum Mode { ALONE, WIDE, DONE };

struct Team : Relaxer {
    __device__ Team(const Run &run, Shared &s) : Relaxer(run, s) {}

    // ---- block 0 alone --------------------------------------------------------------

    // Returns WIDE or DONE; `near` vertices wait in s.near[list].
    __device__ __forceinline__ Mode work_alone(u32 near) {
        for (;;) {
            if (s.status[phase] != RUNNING) return DONE;
            // While near waits, a warp may push already where another has not looked yet.
            u32 settled = HEAVY_ARCS && near == 0 ? min(s.settled[turn], run.pile_room) : 0;
            u32 count = near + settled, far = 0;
            if (FAR_PILE && count == 0) far = min(s.far_count, run.pile_room);
            if (count == 0 && far == 0) {
                if (threadIdx.x == 0) atomicCAS(&state.published.status, (u32)RUNNING, (u32)FINISHED);
                return DONE;
            }
            if (count > min(run.wide_enter, NEAR_ROOM) || far > SPLIT_ALONE) {
                export_piles(near);
                return WIDE;
            }
            if (count == 0) {
                near = split_alone();
                continue;
            }
            heavy = near == 0;
            log_step(count, 0, 1);
            near = step_alone(count);
        }
    }

    __device__ __forceinline__ u32 step_alone(u32 count) {
        u32 fresh = RUNNING, share = turn_size();
        u64 held = 0;
        begin_step();
        if (threadIdx.x == THREADS - 1) {
            fresh = peek(&state.published.status);
            if (FAR_PILE) held = peek((const u64 *)&state.hand_delta);
        }
        u32 turns = count <= WARPS * share ? 1 : (count <= SHORT_TURNS * WARPS * share ? 2 : 0);
        if (turns == 0) share = share_of(count, WARPS);
        u32 stride = WARPS * share, step = turns == 2 ? 2 * stride : stride;
#pragma unroll 1
        for (u32 base = warp_id() * share; base < count; base += step) {
            if (turns == 1 && relax_turns<1>(base, 0, count)) break;
            if (turns == 2 && relax_turns<2>(base, stride, count)) continue;
#pragma unroll 1
            for (u32 at = base; at < min(base + step, count); at += stride) relax_long(at, share, count);
        }
        if (threadIdx.x == THREADS - 1) {
            s.status[after(phase)] = fresh;
            s.hubs[after(phase)] = s.count[before(phase)] = 0;
            if (FAR_PILE) s.held = __longlong_as_double((long long)held);
        }
        __syncthreads();
        if (s.hubs[phase] > 0) {
            relax_hubs();
            __syncthreads();
        }
        if (heavy) {
            if (threadIdx.x == 0) s.settled[turn] = 0;
            turn ^= 1;
        }
        end_step();
        return s.count[phase];
    }

    // Split far until something is near, or nothing is left; returns how many are near.
    __device__ __forceinline__ u32 split_alone() {
        u32 count = 0, left = 0, nearest = 0;
        bool found_nothing = false;
        splitting = true;
        do {
            if (threadIdx.x == 0) {
                move_threshold(found_nothing, nearest, s.held);
                s.far_next = 0, s.far_min = UNREACHED, s.count[after(phase)] = 0, s.switches += 1;
            }
            __syncthreads();
            obey();
            scan_far(min(s.far_count, run.pile_room), 0, 1);
            __syncthreads();
            left = s.far_next, nearest = s.far_min, count = s.count[after(phase)];
            __syncthreads();
            if (threadIdx.x == 0) s.far_count = left;
            side ^= 1;
            found_nothing = true;
        } while (count == 0 && left > 0);
        splitting = false;
        if (threadIdx.x == 0) {
            s.count[before(phase)] = s.hubs[after(phase)] = 0;
            s.status[after(phase)] = s.status[phase];
        }
        __syncthreads();
        phase = after(phase);
        list ^= 1;
        return count;
    }

    __device__ __forceinline__ void export_piles(u32 near) {
#pragma unroll 1
        for (u32 i = threadIdx.x; i < min(near, NEAR_ROOM); i += THREADS)
            write(near_pile(0), i, s.near[list][i]);
        if (threadIdx.x == 0) {
            poke(&state.near_count[0], min(near, run.pile_room));
            poke(&state.near_count[1], 0u), poke(&state.near_count[2], 0u);
            poke(&state.far_count[side], min(s.far_count, run.pile_room));
            poke(&state.far_count[side ^ 1], 0u), poke(&state.settled_count[1], 0u);
            poke(&state.settled_count[0], min(s.settled[turn], run.pile_room));
            poke(&state.side, side);
            tell_threshold();
        }
    }

    // Block 0, after a wide stretch: its frontier back into shared memory.
    __device__ __forceinline__ void import_piles(u32 near) {
        const uint4 *from = near_pile(list);
        __syncthreads();
#pragma unroll 1
        for (u32 i = threadIdx.x; i < min(near, NEAR_ROOM); i += THREADS) s.near[0][i] = peek(from + i);
        start_alone(s.heard.far, s.heard.settled);
    }

    __device__ __forceinline__ void start_alone(u32 far, u32 settled) {
        list = phase = turn = 0;
        if (threadIdx.x < 3) s.count[threadIdx.x] = s.hubs[threadIdx.x] = 0;
        if (threadIdx.x < 3) s.status[threadIdx.x] = peek(&state.published.status);
        if (threadIdx.x == 0) s.far_count = far, s.settled[0] = settled, s.settled[1] = 0;
        if (threadIdx.x == 0) s.held = __longlong_as_double(peek((const u64 *)&state.hand_delta));
        __syncthreads();
    }

    // ---- all blocks -----------------------------------------------------------------

    __device__ __forceinline__ void tell_threshold() {
        poke((u64 *)&state.threshold, (u64)__double_as_longlong(s.threshold));
        poke((u64 *)&state.delta, (u64)__double_as_longlong(s.delta));
    }

    // Thread 0 of a block, after a barrier.
    __device__ __forceinline__ void hear_threshold() {
        u64 threshold = peek((const u64 *)&state.threshold), delta = peek((const u64 *)&state.delta);
        set_threshold(__longlong_as_double(threshold), __longlong_as_double(delta));
    }

    // Counts go on where a pile is full, and the run ends after the next superstep.
    __device__ __forceinline__ void hear_counts(u32 status) {
        u32 near = peek(&state.near_count[phase]), far = FAR_PILE ? peek(&state.far_count[side]) : 0;
        u32 settled = HEAVY_ARCS ? peek(&state.settled_count[turn]) : 0, room = run.pile_room;
        s.heard = {min(near, room), min(far, room), min(settled, room), status};
    }

    // Returns the vertices left in near.
    __device__ __forceinline__ u32 work_wide() {
        list = phase = turn = 0;
        if (threadIdx.x == 0) {
            s.side = side = peek(&state.side);
            hear_threshold();
            hear_counts(RUNNING);
            s.staged[0] = s.staged[1] = 0;
        }
        if (threadIdx.x < 3) s.hubs[threadIdx.x] = 0;
        __syncthreads();
        side = s.side;
        obey();
        __syncthreads();  // a split begins with another threshold
        wide = true;
        bool first = true, after_split = false;
        Heard heard = s.heard;
        while (heard.status == RUNNING) {
            bool step = heard.near > 0 || heard.settled > 0;
            if (!step && heard.far == 0) break;
            if (!first && heard.near > 0 && heard.near <= run.wide_leave) break;
            if (!first && heard.near == 0 && step && heard.settled <= run.wide_leave) break;
            bool leader = blockIdx.x == 0 && threadIdx.x == 0;
            u32 fresh = RUNNING;
            if (leader) {
                poke(&state.near_count[before(phase)], 0u);
                fresh = peek(&state.published.status);
            }
            heavy = HEAVY_ARCS && heard.near == 0 && step;
            if (step) step_wide(heavy ? heard.settled : heard.near, heard.far);
            else split_wide(heard.far, after_split);
            if (leader) poke(&state.step_status[phase], fresh);
            if (leader && !step) s.switches += 1;
            u32 ended = phase;
            phase = after(phase), list ^= 1;
            if (!step) side ^= 1;
            if (heavy) turn ^= 1;
            grid_barrier([&] { hear_counts(peek(&state.step_status[ended])); });
            if (leader && !step) poke(&state.far_count[side ^ 1], 0u);
            if (leader && heavy) poke(&state.settled_count[turn ^ 1], 0u);
            heard = s.heard;
            first = false, after_split = !step;
        }
        wide = false;
        return heard.near;
    }

    __device__ __forceinline__ void step_wide(u32 count, u32 far) {
        u32 warps = run.workers * WARPS, share = turn_size();
        bool narrow = count <= warps * share;
        if (!narrow) share = share_of(count, warps);
        if (blockIdx.x == 0) log_step(count, far, run.workers);
        begin_step();
        u32 stride = warps * share, mine = (blockIdx.x + warp_id() * run.workers) * share;
#pragma unroll 1
        for (u32 base = 0; base < count; base += stride) {
            bool done = base + mine >= count || (narrow && relax_turns<1>(mine, 0, count));
            if (!done) relax_long(base + mine, share, count);
            __syncthreads();
            if (s.hubs[phase] > 0) {
                relax_hubs();
                __syncthreads();
                if (threadIdx.x == 0) s.hubs[phase] = 0;
            }
            unload(base + stride >= count);
        }
        steps += 1;
        if (blockIdx.x == 0 && threadIdx.x == 0) s.wide_steps += 1;
        if (LEVEL >= 1 && steps % HAND_OVER_STEPS == 0) hand_counts_over();
    }

    __device__ __forceinline__ void split_wide(u32 total, bool found_nothing) {
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            double held = __longlong_as_double(peek((const u64 *)&state.hand_delta));
            move_threshold(found_nothing, peek(&state.far_min), held);
            tell_threshold();
            poke(&state.far_min, UNREACHED);
        }
        grid_barrier([&] { hear_threshold(); });
        obey();
        splitting = true;
        scan_far(total, blockIdx.x, run.workers);
        unload(true);
        splitting = false;
    }

    // ---- records --------------------------------------------------------------------

    __device__ __forceinline__ void begin_step() { ticks = ticks_since(s.start_ns); }

    __device__ __forceinline__ void end_step() {
        phase = after(phase);
        list ^= 1;
        steps += 1;
        if (LEVEL >= 1 && steps % HAND_OVER_STEPS == 0) hand_counts_over();
    }

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

    __device__ __forceinline__ double base() const { return FAR_PILE ? s.threshold - s.delta : 0.0; }

    // One superstep for the courier: three 16-byte stores that nobody waits for, each with the
    // record's number, by which the courier knows that it is whole.
    __device__ __forceinline__ void log_step(u32 near, u32 far, u32 blocks) {
        if (LEVEL < 1 || threadIdx.x != THREADS - 1) return;
        if (FAR_PILE && !wide) far = atomicAdd(&s.far_count, 0u);  // others may be pushing already
        uint4 *to = (uint4 *)run.readings + (steps & (LOG_RECORDS - 1)) * 3;
        u64 t = now_ns() - s.start_ns, edge = (u64)__double_as_longlong(base());
        u32 delta = __float_as_uint((float)s.delta);
        poke(to, make_uint4(steps + 1, near, far, blocks));
        poke(to + 1, make_uint4(steps + 1, (u32)t, (u32)(t >> 32), s.switches));
        poke(to + 2, make_uint4(steps + 1, (u32)edge, (u32)(edge >> 32), delta));
    }

    __device__ __forceinline__ void leave_record() {
        state.end_ns = now_ns();
        state.bucket_switches = state.head_bucket = s.switches;
        state.delta = s.delta, state.base = base();
        state.open_buckets = 1, state.reason = FAR_PILE ? START : NONE;
        state.by_hand = FAR_PILE && peek((const u64 *)&state.hand_delta) != 0;
        state.status = state.published.status;
        state.supersteps = steps, state.wide_supersteps = s.wide_steps;
    }

    // ---- the whole run --------------------------------------------------------------

    // Thread 0 of every block: the first threshold; block 0 also the source.
    __device__ __forceinline__ void set_up() {
        double total = WEIGHT_FLOAT ? state.weight_total : (double)state.weight_sum, delta = run.rule.given;
        if (!(delta > 0.0))
            delta = near_far_delta(run.m ? total / run.m : 0.0, run.mean_degree, !WEIGHT_FLOAT);
        if (FAR_PILE) set_threshold(delta, delta);
        else s.delta = s.threshold = 0.0, s.split_at = UNREACHED;
        s.barrier_target = s.switches = s.wide_steps = 0, s.start_ns = state.start_ns;
        if (blockIdx.x > 0) return;
        uint2 row = run.rows[run.source];
        s.near[0][0] = make_uint4(run.source, 0, row.x, row.y);
        poke(run.dist + run.source, 0u);
        if (LEVEL >= 2) run.first_ticks[run.source] = run.last_ticks[run.source] = 0;
    }

    __device__ __forceinline__ void work() {
        u32 near = 1;
        if (threadIdx.x == 0) set_up();
        __syncthreads();
        obey();
        if (blockIdx.x == 0) start_alone(0, 0);
        for (;;) {
            if (blockIdx.x == 0) {
                Mode mode = work_alone(near);
                if (threadIdx.x == 0) poke(&state.mode, (u32)mode);
            }
            grid_barrier([&] { s.mode = peek(&state.mode); });
            if (s.mode == DONE) break;
            near = work_wide();
            if (blockIdx.x == 0) import_piles(near);
        }
        hand_counts_over();
        if (blockIdx.x == 0 && threadIdx.x == 0) leave_record();
    }
};

// The body of a kernel of run.workers + 1 blocks; the last is the courier.
__device__ __forceinline__ void run_supersteps(const Run &run) {
    __shared__ Shared shared;
    if (blockIdx.x < run.workers) Team(run, shared).work();
    else if (warp_id() == 0) Courier(run).carry();
}
