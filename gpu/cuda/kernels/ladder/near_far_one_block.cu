/*
near_far_one_block.cu: Near-Far as wide as its frontier. Step 4 of 4; before it: near_far_persistent.cu.

What is new
Alone    On a road network most supersteps have a few dozen vertices, and a barrier of all blocks
         takes longer than their arcs. Now a frontier of up to SMALL vertices stays in block 0: in
         shared memory, with a barrier of that block alone, while the others wait at theirs.
Wide     A larger one is copied to where all blocks find it; they share it as in step 3, until it is
         down to half of SMALL. `Search` says where near lies.

After it ../near_far.cu, the kernel that is measured
*/
#define ALONE
#include "ladder/near_far_persistent.cu"

#define SMALL 1024  // vertices of a frontier in shared memory

// Supersteps to the end, or until near has more than `most` or, after the first, at most `least`.
__device__ void work(Search &s, int most, int least) {
    s.step = 0;
    for (; count(s); superstep(s)) {
        if (s.near_count > most) return;
        if (s.step > 0 && s.near_count > 0 && s.near_count <= least) return;
    }
}

// Block 0, all threads: items from one place to another.
__device__ void copy(const Item *from, Item *to, int count) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) poke(to + i, peek(from + i));
    __syncthreads();
}

// Block 0: a frontier that is small, until it is not. Then it lies in near, where all blocks find it.
__device__ void work_alone(Search s, int count) {
    __shared__ Item small[2 * SMALL];
    __shared__ int counts[3];
    copy(s.lists + s.step % 2 * (long long)s.room, small, count);
    s.lists = small;
    s.list_room = SMALL;
    s.counts = counts;
    s.blocks = 1;
    if (threadIdx.x < 3) counts[threadIdx.x] = threadIdx.x == 0 ? count : 0;
    __syncthreads();
    work(s, SMALL, 0);
    // The first SMALL of them; those beyond are in near already.
    copy(small + s.step % 2 * SMALL, s.near, min(s.near_count, SMALL));
    if (threadIdx.x > 0) return;
    s.state->near[0] = s.near_count;
    s.state->near[1] = s.state->near[2] = 0;
    s.state->side = s.side;
    s.state->threshold = s.threshold;
}

extern "C" __global__ void __launch_bounds__(1024)
near_far(const long long *indptr, const int *indices, const int *weights, int *dist, Item *near, Item *far,
         int room, State *state, long long delta) {
    Search s = {{indptr, indices, weights, dist}, state, near, far, room, delta, delta, 0, near, room, state->near};
    s.near_count = 1;  // the source
    do {
        if (s.block == 0) work_alone(s, s.near_count);
        wait_for_all(s);
        if (peek(&state->near[0]) == 0) return;
        s.side = peek(&state->side);
        s.threshold = peek(&state->threshold);
        s.after_split = false;
        work(s, room, SMALL / 2);
        wait_for_all(s);  // all have seen the counts that block 0 goes on with
    } while (s.near_count > 0);
}
