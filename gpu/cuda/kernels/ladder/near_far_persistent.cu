/*
near_far_persistent.cu: Near-Far in one launch. Step 3 of 4; before it: near_far_lanes.cu.

What is new
One      In step 2 a superstep is a launch, and the host reads the counts before it knows whether there
launch   is another: about ten microseconds, where the work of a narrow frontier is two. Now the
         blocks stay on the device to the end. All decide alike, because all look at the same counts
         after the same barrier.
Barrier  `wait_for_all`: each block adds one to a counter and waits until all have. So every block must
         be resident: the launch is cooperative, and the host asks how many fit.
Turns    A count cannot be set to zero while others still read it. So near has three, by turns: one is
         read, one is added to, one is cleared; far and `nearest` have two, one a pile.

Launch   near_far<<<at most as many blocks as are resident, 1,024 threads, cooperative>>>; `state` zero but
         near[0] = 1; the first item of near is the source, at 0; dist[source] = 0, others 2^31 - 1
*/
#include "ladder/lanes.cuh"

#define LIMIT_CYCLES (1ll << 38)  // about two minutes: a block is lost, the launch ends with an error

struct State {
    int near[3], far[2], nearest[2], full;
    unsigned arrived;
    int side;  // of near_far_one_block.cu, as the threshold
    long long threshold;
};

struct Search {  // the same on all threads that work
    Graph graph;
    State *state;
    Item *near, *far;  // two piles each, of `room` items
    int room;
    long long delta, threshold;
    int side;  // the far pile that waits
    Item *lists;  // where near lies: two lists of `list_room` items, three counts
    int list_room, *counts;
    int step, near_count, far_count;
    bool after_split;
    int block = blockIdx.x, blocks = gridDim.x;  // of those that work
    unsigned target = 0;  // arrivals at the barrier of all blocks
};

// All threads that work: what was written before is seen after.
__device__ void wait_for_all(Search &s) {
    __syncthreads();
    if (s.blocks == 1) return;
    s.target += s.blocks;
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&s.state->arrived, 1u);
        long long begun = clock64();
        while ((int)(peek(&s.state->arrived) - s.target) < 0) {
            __nanosleep(20);
            if (clock64() - begun > LIMIT_CYCLES) __trap();
        }
        __threadfence();
    }
    __syncthreads();
}

// Count what the next superstep reads; false where that is nothing, or a pile is full. While near is not
// empty, other blocks may be pushing to far by now: what it holds then decides nothing.
__device__ bool count(Search &s) {
    s.near_count = peek(&s.counts[s.step % 3]);
    s.far_count = peek(&s.state->far[s.side]);
    int waiting = s.near_count > 0 ? s.near_count : s.far_count;
    if (waiting <= s.room) return waiting > 0;
    s.state->full = 1;
    s.near_count = 0;
    return false;
}

// One superstep: relax near or, where near is empty, split far.
__device__ void superstep(Search &s) {
    bool leader = s.block == 0 && threadIdx.x == 0;
    bool split = s.near_count == 0;
    int fills = split ? s.side ^ 1 : s.side;  // the far pile that is pushed to
    if (split) {
        s.threshold += s.delta;
        // The last split found nothing: to the bucket of the nearest that it saw.
        if (s.after_split) s.threshold = (peek(&s.state->nearest[s.side]) / s.delta + 1) * s.delta;
    }
    if (leader) s.counts[(s.step + 2) % 3] = 0;
    if (leader && split) {
        s.state->far[fills] = 0;
        s.state->nearest[fills] = 0x7fffffff;
    }
    if (split) wait_for_all(s);  // nobody pushes to the other pile before it is empty
    Item *next = s.lists + (s.step + 1) % 2 * (long long)s.list_room;
    Piles piles = {{next, &s.counts[(s.step + 1) % 3], s.list_room, s.near, s.room},
                   {s.far + fills * (long long)s.room, &s.state->far[fills], s.room}, s.threshold};
    const Item *far = s.far + s.side * (long long)s.room;
    const Item *near = s.lists + s.step % 2 * (long long)s.list_room;
    int warps = s.blocks * (blockDim.x / 32);
    int warp = s.block * (blockDim.x / 32) + threadIdx.x / 32;
    for (int base = warp * 32; base < (split ? s.far_count : s.near_count); base += warps * 32) {
        if (split) split_warp(s.graph, far, s.far_count, base, piles, &s.state->nearest[fills]);
        else relax_warp(s.graph, near, s.near_count, base, piles);
    }
    wait_for_all(s);
    s.step += 1;
    s.side = fills;
    s.after_split = split;
}

#ifndef ALONE
extern "C" __global__ void __launch_bounds__(1024)
near_far(const long long *indptr, const int *indices, const int *weights, int *dist, Item *near, Item *far,
         int room, State *state, long long delta) {
    Search s = {{indptr, indices, weights, dist}, state, near, far, room, delta, delta, 0, near, room, state->near};
    while (count(s)) superstep(s);
}
#endif
