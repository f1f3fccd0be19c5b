/*
async_near_far.cu: Near-Far on the device without a barrier: nobody waits for anybody.

Launch   async_near_far<<<workers + 1, THREADS, shared, cooperative>>>; each block but the last has
         THREADS / 32 - 1 hands and a herald; the last has the pacer and the courier. `begin` of
         prepare.cu runs before it, and RUN.slots, reports, assign and table are zero.
Reads    rows, arcs            Writes   dist, per-vertex probes, stats, state, the sample ring
Knobs    RUN.buckets           near entries below which the threshold moves on (target)
         RUN.flush_rounds      readings of the pacer between two moves (settle)
         RUN.keep              near entries from which a block gives to idle ones
         RUN.chunk_smallest    near entries below which it takes
         RUN.chunk_largest     entries of a packet, at most 32
         RUN.rule.start_factor the stride, x mean weight / mean degree
         RUN.pile_room         places for items in chunks
Needs    every block resident: the pacer waits for reports. At most 32 * REPORTS_A_LANE workers
Ends     FINISHED, STOPPED (the host asked), POOL_DRY, TIMED_OUT; in state.status
Idea     gpu/algorithms/async_near_far.py: whoever improved a vertex processes it next
*/
#include "async_hand.cuh"
#include "async_pacer.cuh"

DEVICE void set_up() {
    for (u32 i = threadIdx.x; i < RING; i += THREADS) S.ring[i].id = EMPTY;
    const Own nothing = {NO_DIST, UNREACHED, NO_DIST, 0, NO_CHUNK, CHUNK, NO_CHUNK};
    if (threadIdx.x < WARPS) S.own[threadIdx.x] = nothing;
    if (threadIdx.x < 2) {
        S.ends[threadIdx.x] = 0;
        S.net[threadIdx.x] = blockIdx.x == 0;
    }
    if (threadIdx.x > 0) return;
    S.threshold = as_threshold(first_stride());
    S.stride = S.threshold;
    S.status = RUNNING;
    S.idle_warps = 0;
    S.idle_blocks = 0;
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) async_near_far() {
    if (blockIdx.x == RUN.workers) {
        PacerShared &p = *(PacerShared *)ROOM;
        if (threadIdx.x == 0) p = {{0, 0, 0.0}, 0, 0, 0, RUNNING, 0, 0.0, 0.0};
        __syncthreads();
        if (warp_id() == 0) Pacer{p}.work();
        AsyncSampler sampler{p};
        if (warp_id() == 1) carry(p.wishes, sampler);
        return;
    }
    set_up();
    __syncthreads();
    if (warp_id() == WARPS - 1) {
        Herald().work();
        return;
    }
    Hand hand{};
    if (blockIdx.x == 0 && warp_id() == 0) {
        if (lane_id() == 0) {
            uint2 row = RUN.rows[RUN.source];
            S.mine[0][0] = {RUN.source, 0, row.x, row.y};
            reach_source();
        }
        hand.count = 1;
        __syncwarp();
    }
    hand.work();
}
