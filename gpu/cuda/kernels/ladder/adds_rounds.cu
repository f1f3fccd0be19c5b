/*
adds_rounds.cu: ADDS whose workers go on by themselves. Step 3 of 3; before it: adds_pool.cu.

What is new
Rounds    In step 2 an improved vertex travels through its bucket and the manager to a worker: about ten
          microseconds, and on a road network the way to the last vertex has thousands of such trips.
          Now a worker keeps what belongs to its own bucket or an earlier one, in shared memory, and
          processes it in its next round. Its bucket cannot retire meanwhile, since the worker has not
          reported yet. What finds no room goes to the bucket, and so to workers that are idle.

After it  ../adds.cu, the kernel that is measured: items dealt to warps and lanes, pushes of a block
          collected in shared memory, hubs shared, four number types, probes, a word with the host
*/
#define ROUNDS
__device__ void process(const struct Run &run, const struct Order &order);
#include "ladder/adds_pool.cu"

struct Kept {
    Item items[THREADS];
    int count[2];  // by turns: one is added to, the other is cleared
    int turn;
};

__shared__ Kept kept;

__device__ void improved(const Run &run, const Order &order, Item item) {
    if ((item.dist - order.base) >> order.shift <= order.bucket - order.head) {
        int place = atomicAdd(&kept.count[kept.turn], 1);
        if (place < THREADS) {
            kept.items[place] = item;
            return;
        }
    }
    push(run, order, item);
}

__device__ void process(const Run &run, const Order &order) {
    int thread = threadIdx.x;
    int count = order.count;
    Item item = {};
    if (thread < count) item = peek(place_of(run, order.bucket % SLOTS, order.first + thread));
    if (thread == 0) kept.count[0] = kept.turn = 0;
    __syncthreads();
    for (int turn = 0;; turn ^= 1) {
        if (thread < count) relax(run, order, item);
        __syncthreads();
        count = min(kept.count[turn], THREADS);
        if (count == 0) return;
        if (thread < count) item = kept.items[thread];
        if (thread == 0) {
            kept.turn = turn ^ 1;
            kept.count[turn ^ 1] = 0;
        }
        __syncthreads();
    }
}
