/*
superstep.cuh: the persistent kernel of algorithms that run in supersteps, as wide as its frontier.

Alone    A small frontier stays in block 0: a superstep is one turn and one barrier inside the
         block. The other blocks wait at the grid barrier meanwhile.
Wide     From `wide_enter` vertices on all blocks share the frontier, until it has shrunk to
         `wide_leave`; a grid barrier ends the superstep. All blocks decide alike, because each
         decides by what was settled before the last barrier.
Split    When near is empty (and, with HEAVY_ARCS, what was near has relaxed its heavy arcs), the
         threshold moves on by delta and far is sorted again; where that finds nothing, it jumps
         to the nearest vertex that the split has seen.
Counts   that a superstep adds to stand in one of three places by turns: this superstep's, the
         next one's, the one being cleared. Settled vertices need two. The turns go on from one wide
         stretch to the next, because a block may still read the last counts of the one before.
*/
#pragma once
#include "step_relax.cuh"
#include "step_courier.cuh"

#define SPLIT_ALONE 8192u    // far items up to which block 0 splits by itself
#define HAND_OVER_STEPS 32u  // supersteps between two sums of the counts, probe level 1 on

enum Mode { ALONE, WIDE, DONE };

struct Team {
    Shared &s;
    Piles &piles;
    Relaxer &relaxer;
    Turns &turn;
    u32 steps = 0;
    u32 last_step = 2, last_settled = 1;  // places of the last counts of the last wide stretch

    // ---- the whole run --------------------------------------------------------------

    DEVICE void work() {
        u32 near = 1;
        if (threadIdx.x == 0) set_up();
        __syncthreads();
        piles.obey();
        if (blockIdx.x == 0) start_alone(0, 0);
        for (;;) {
            if (blockIdx.x == 0) {
                Mode mode = work_alone(near);
                if (threadIdx.x == 0) poke(&RUN.state->mode, (u32)mode);
            }
            grid_barrier(s, [&] {
                bool ended = peek(&RUN.state->published.status) != RUNNING;
                s.mode = ended ? (u32)DONE : peek(&RUN.state->mode);
            });
            if (s.mode == DONE || s.gave_up) break;
            near = work_wide();
            if (s.gave_up) break;
            if (blockIdx.x == 0) import_piles(near);
        }
        hand_counts_over(relaxer.counts, RUN.stats + blockIdx.x);
        if (blockIdx.x == 0 && threadIdx.x == 0) end();
    }

    // Thread 0 of every block: the first threshold; block 0 also the source.
    DEVICE void set_up() {
        double delta = RUN.rule.given;
        if (!(delta > 0.0))
            delta = near_far_delta(RUN.mean_weight, RUN.mean_degree, !WEIGHT_FLOAT);
        if constexpr (HAS_DELTA) {
            piles.set_threshold(delta, delta);
        } else {
            s.delta = 0.0;
            s.threshold = 0.0;
            s.split_at = UNREACHED;
        }
        s.barrier_target = 0;
        s.switches = 0;
        s.wide_steps = 0;
        s.gave_up = false;
        s.start_ns = RUN.state->start_ns;
        if (blockIdx.x > 0) return;
        uint2 row = RUN.rows[RUN.source];
        s.near[0][0] = {RUN.source, 0, row.x, row.y};
        reach_source();
    }

    // ---- block 0 alone --------------------------------------------------------------

    // Supersteps until near is too wide for one block or nothing waits: WIDE or DONE.
    // `near` vertices wait in s.near[turn.near].
    DEVICE Mode work_alone(u32 near) {
        for (bool after_split = false;;) {
            if (s.status[turn.step] != RUNNING) return DONE;
            // While near waits, a warp may push already where another has not looked yet.
            u32 settled = HEAVY_ARCS && near == 0 ? min(s.settled[turn.settled], RUN.pile_room) : 0;
            u32 count = near + settled;
            u32 far = 0;
            if (BY_COUNT || (FAR_PILE && count == 0)) far = min(s.far_count, RUN.pile_room);
            if (count == 0 && far == 0) {
                if (threadIdx.x == 0)
                    atomicCAS(&RUN.state->published.status, (u32)RUNNING, (u32)FINISHED);
                return DONE;
            }
            if (count > min(RUN.wide_enter, NEAR_ROOM) || far > SPLIT_ALONE) {
                export_piles(near);
                return WIDE;
            }
            if (count == 0 || (!after_split && must_choose(count, far))) {
                near = split_alone(near, after_split);
                after_split = true;
                continue;
            }
            after_split = false;
            piles.heavy = near == 0;
            log_step(count, 0, 1);
            near = step_alone(count);
        }
    }

    // Whether near is not simply all that waits, or is too much.
    DEVICE bool must_choose(u32 near, u32 far) const {
        return BY_COUNT && (far > 0 || near > RUN.chunk_largest);
    }

    // One superstep over `count` vertices; returns how many are near then. What the host and the
    // courier want is asked for before the arcs and looked at after them: nobody waits for it.
    DEVICE u32 step_alone(u32 count) {
        bool asks = threadIdx.x == THREADS - 1;
        u32 fresh = RUNNING;
        double held = 0.0;
        relaxer.ticks = ticks_since(s.start_ns);
        if (asks) {
            fresh = peek(&RUN.state->published.status);
            if (FAR_PILE) held = peek(&RUN.state->hand_delta);
        }
        relax_alone(count);
        if (asks) {
            s.status[after(turn.step)] = fresh;
            s.hubs[after(turn.step)] = 0;
            s.count[before(turn.step)] = 0;
            if (FAR_PILE) s.held = held;
        }
        __syncthreads();
        if (s.hubs[turn.step] > 0) {
            relaxer.relax_hubs();
            __syncthreads();
        }
        if (piles.heavy) {
            if (threadIdx.x == 0) s.settled[turn.settled] = 0;
            turn.settled ^= 1;
        }
        turn.step = after(turn.step);
        turn.near ^= 1;
        steps += 1;
        hand_over_now_and_then();
        return s.count[turn.step];
    }

    // The list dealt to the warps: one turn each, or two in flight together, or the long way.
    DEVICE void relax_alone(u32 count) {
        u32 share = 32u >> relaxer.spread;
        u32 turns = count <= WARPS * share ? 1 : (count <= SHORT_TURNS * WARPS * share ? 2 : 0);
        if (turns == 0) share = relaxer.share_of(count, WARPS);
        u32 stride = WARPS * share;
        u32 step = turns == 2 ? 2 * stride : stride;
        for (u32 base = warp_id() * share; base < count; base += step) {
            if (turns == 1 && relaxer.relax_turns<1>(base, 0, count)) break;
            if (turns == 2 && relaxer.relax_turns<2>(base, stride, count)) continue;
            for (u32 at = base; at < min(base + step, count); at += stride)
                relaxer.relax_long(at, share, count);
        }
    }

    // Split far once; returns how many are near.
    // near : items in near, which are none but BY_COUNT; found_nothing : by the split before
    DEVICE u32 split_alone(u32 near, bool found_nothing) {
        bool asks = threadIdx.x == THREADS - 1;
        u32 fresh = RUNNING;
        if (asks) fresh = peek(&RUN.state->published.status);
        if (threadIdx.x == 0) {
            if (HAS_DELTA) piles.move_threshold(found_nothing, s.far_min, s.held);
            s.far_next = 0;
            s.far_min = UNREACHED;
            s.count[after(turn.step)] = 0;
            s.switches += 1;
        }
        __syncthreads();
        u32 total = near + min(s.far_count, RUN.pile_room);
        if (BY_COUNT) piles.choose(near, total);
        else piles.obey();
        piles.splitting = true;
        relaxer.scan(total, near, 0, 1);
        piles.splitting = false;
        if (BY_COUNT) piles.obey();
        if (asks) s.status[after(turn.step)] = fresh;
        __syncthreads();
        if (threadIdx.x == 0) {
            s.far_count = s.far_next;
            s.count[before(turn.step)] = 0;
            s.hubs[after(turn.step)] = 0;
        }
        __syncthreads();
        turn.far ^= 1;
        turn.near ^= 1;
        turn.step = after(turn.step);
        return s.count[turn.step];
    }

    // ---- from one block to all, and back --------------------------------------------

    // Block 0: what waits goes to where every block finds it.
    DEVICE void export_piles(u32 near) {
#pragma unroll 1
        for (u32 i = threadIdx.x; i < min(near, NEAR_ROOM); i += THREADS)
            piles.write(piles.near_pile(0), i, s.near[turn.near][i]);
        if (threadIdx.x == 0) {
            u32 step = after(last_step);
            poke(&RUN.state->near_count[step], min(near, RUN.pile_room));
            poke(&RUN.state->near_count[after(step)], 0u);
            poke(&RUN.state->far_count[turn.far], min(s.far_count, RUN.pile_room));
            poke(&RUN.state->far_count[turn.far ^ 1], 0u);
            u32 settled = min(s.settled[turn.settled], RUN.pile_room);
            poke(&RUN.state->settled_count[last_settled ^ 1], settled);
            poke(&RUN.state->side, turn.far);
            tell_threshold();
        }
    }

    // Block 0, after a wide stretch: its frontier back into shared memory.
    DEVICE void import_piles(u32 near) {
        const Vertex *from = piles.near_pile(turn.near);
        __syncthreads();
#pragma unroll 1
        for (u32 i = threadIdx.x; i < min(near, NEAR_ROOM); i += THREADS)
            s.near[0][i] = peek(from + i);
        start_alone(s.heard.far, s.heard.settled);
    }

    DEVICE void start_alone(u32 far, u32 settled) {
        turn = {0, 0, turn.far, 0};
        if (threadIdx.x < 3) {
            s.count[threadIdx.x] = 0;
            s.hubs[threadIdx.x] = 0;
            s.status[threadIdx.x] = peek(&RUN.state->published.status);
        }
        if (threadIdx.x == 0) {
            s.far_count = far;
            s.settled[0] = settled;
            s.settled[1] = 0;
            s.held = peek(&RUN.state->hand_delta);
        }
        __syncthreads();
    }

    // One thread of the grid.
    DEVICE void tell_threshold() {
        poke(&RUN.state->threshold, s.threshold);
        poke(&RUN.state->delta, s.delta);
    }

    // Thread 0 of a block, after a barrier.
    DEVICE void hear_threshold() {
        if (BY_COUNT) return;
        double threshold = peek(&RUN.state->threshold);
        piles.set_threshold(threshold, peek(&RUN.state->delta));
    }

    // Counts go on where a pile is full, and the run ends after the next superstep.
    DEVICE void hear_counts(u32 status) {
        u32 near = peek(&RUN.state->near_count[turn.step]);
        u32 far = FAR_PILE ? peek(&RUN.state->far_count[turn.far]) : 0;
        u32 settled = HEAVY_ARCS ? peek(&RUN.state->settled_count[turn.settled]) : 0;
        u32 room = RUN.pile_room;
        s.heard = {min(near, room), min(far, room), min(settled, room), status};
    }

    // ---- all blocks -----------------------------------------------------------------

    // Supersteps and splits until near is narrow or nothing waits; returns what is left in near.
    DEVICE u32 work_wide() {
        start_wide();
        bool first = true, after_split = false;
        Heard heard = s.heard;
        while (heard.status == RUNNING) {
            bool step = heard.near > 0 || heard.settled > 0;
            if (!step && heard.far == 0) break;
            bool narrow = !BY_COUNT || (!after_split && heard.far <= SPLIT_ALONE / 2);
            if (!first && narrow && heard.near > 0 && heard.near <= RUN.wide_leave) break;
            if (!first && heard.near == 0 && step && heard.settled <= RUN.wide_leave) break;
            if (!after_split && must_choose(heard.near, heard.far)) step = false;
            bool leader = blockIdx.x == 0 && threadIdx.x == 0;
            u32 fresh = RUNNING;
            if (leader) {
                poke(&RUN.state->near_count[before(turn.step)], 0u);
                fresh = peek(&RUN.state->published.status);
            }
            piles.heavy = HEAVY_ARCS && heard.near == 0 && step;
            if (step) step_wide(piles.heavy ? heard.settled : heard.near, heard.far);
            else split_wide(heard.near, heard.far, after_split);
            if (leader) poke(&RUN.state->step_status[turn.step], fresh);
            close_wide(step, leader);
            heard = s.heard;
            first = false;
            after_split = !step;
        }
        piles.wide = false;
        last_step = turn.step;
        last_settled = turn.settled;
        return heard.near;
    }

    DEVICE void start_wide() {
        turn.near = 0;
        turn.step = after(last_step);
        turn.settled = last_settled ^ 1;
        if (blockIdx.x == 0 && threadIdx.x == 0) poke(&RUN.state->settled_count[last_settled], 0u);
        if (threadIdx.x == 0) {
            turn.far = peek(&RUN.state->side);
            s.side = turn.far;
            hear_threshold();
            hear_counts(RUNNING);
            s.staged[0] = 0;
            s.staged[1] = 0;
        }
        if (threadIdx.x < 3) s.hubs[threadIdx.x] = 0;
        __syncthreads();
        turn.far = s.side;
        piles.obey();
        __syncthreads();  // a split begins with another threshold
        piles.wide = true;
    }

    // The turns change, all blocks meet, and the leader clears what the next but one will add to.
    DEVICE void close_wide(bool step, bool leader) {
        if (leader && !step) s.switches += 1;
        u32 ended = turn.step;
        turn.step = after(turn.step);
        turn.near ^= 1;
        if (!step) turn.far ^= 1;
        if (piles.heavy) turn.settled ^= 1;
        grid_barrier(s, [&] { hear_counts(peek(&RUN.state->step_status[ended])); });
        if (leader && !step) poke(&RUN.state->far_count[turn.far ^ 1], 0u);
        if (leader && piles.heavy) poke(&RUN.state->settled_count[turn.settled ^ 1], 0u);
    }

    // One superstep over `count` vertices, dealt to the warps of all blocks.
    DEVICE void step_wide(u32 count, u32 far) {
        u32 warps = RUN.workers * WARPS;
        u32 share = 32u >> relaxer.spread;
        bool narrow = count <= warps * share;
        if (!narrow) share = relaxer.share_of(count, warps);
        if (blockIdx.x == 0) log_step(count, far, RUN.workers);
        relaxer.ticks = ticks_since(s.start_ns);
        u32 stride = warps * share;
        u32 mine = (blockIdx.x + warp_id() * RUN.workers) * share;
        for (u32 base = 0; base < count; base += stride) {
            bool done = base + mine >= count || (narrow && relaxer.relax_turns<1>(mine, 0, count));
            if (!done) relaxer.relax_long(base + mine, share, count);
            __syncthreads();
            if (s.hubs[turn.step] > 0) {
                relaxer.relax_hubs();
                __syncthreads();
                if (threadIdx.x == 0) s.hubs[turn.step] = 0;
            }
            piles.unload(base + stride >= count);
        }
        steps += 1;
        if (blockIdx.x == 0 && threadIdx.x == 0) s.wide_steps += 1;
        hand_over_now_and_then();
    }

    // One thread of the grid moves the threshold on; then every block sorts its part of far.
    DEVICE void split_wide(u32 near, u32 far, bool found_nothing) {
        if (HAS_DELTA && blockIdx.x == 0 && threadIdx.x == 0) {
            double held = peek(&RUN.state->hand_delta);
            piles.move_threshold(found_nothing, peek(&RUN.state->far_min), held);
            tell_threshold();
            poke(&RUN.state->far_min, (Dist)UNREACHED);
        }
        grid_barrier(s, [&] { hear_threshold(); });
        u32 total = BY_COUNT ? near + far : far;
        if (BY_COUNT) piles.choose(near, total);
        else piles.obey();
        piles.splitting = true;
        relaxer.scan(total, near, blockIdx.x, RUN.workers);
        piles.unload(true);
        piles.splitting = false;
        if (BY_COUNT) piles.obey();
    }

    // After a superstep, for samples.
    DEVICE void hand_over_now_and_then() {
        if (LEVEL < 1 || steps % HAND_OVER_STEPS != 0) return;
        hand_counts_over(relaxer.counts, RUN.stats + blockIdx.x);
    }

    DEVICE double base() const { return FAR_PILE ? s.threshold - s.delta : 0.0; }

    // One superstep for the courier, as step_courier.cuh says.
    DEVICE void log_step(u32 near, u32 far, u32 blocks) {
        if (LEVEL < 1 || threadIdx.x != THREADS - 1) return;
        // Others may be pushing already.
        if (FAR_PILE && !piles.wide) far = atomicAdd(&s.far_count, 0u);
        uint4 *to = (uint4 *)RUN.readings + (steps & (LOG_RECORDS - 1)) * 3;
        u64 t = now_ns() - s.start_ns;
        u64 edge = double_bits(base());
        u32 delta = in_one_word(s.delta);
        poke(to, make_uint4(steps + 1, near, far, blocks));
        poke(to + 1, make_uint4(steps + 1, (u32)t, (u32)(t >> 32), s.switches));
        poke(to + 2, make_uint4(steps + 1, (u32)edge, (u32)(edge >> 32), delta));
    }

    DEVICE void end() {
        bool by_hand = HAS_DELTA && peek(&RUN.state->hand_delta) != 0.0;
        u32 status = RUN.state->published.status;
        leave_record(status, s.switches, s.delta, base(), HAS_DELTA ? START : NONE, by_hand);
        RUN.state->supersteps = steps;
        RUN.state->wide_supersteps = s.wide_steps;
    }
};

// The body of a kernel of RUN.workers + 1 blocks; the last is the courier.
DEVICE void run_supersteps() {
    __shared__ Shared shared;
    if (blockIdx.x < RUN.workers) {
        Piles piles{shared};
        Relaxer relaxer{shared, piles};
        Team{shared, piles, relaxer, piles.turn}.work();
    } else if (warp_id() == 0) {
        Courier{}.carry();
    }
}
