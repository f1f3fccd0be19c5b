/*
near_far_simple.cu: Near-Far in its simplest form on a GPU. Step 1 of 4.

A vertex whose distance is below a threshold waits in the near pile, any other in the far pile.
One launch is one superstep: a thread takes one vertex of near and relaxes all its arcs. What
improves goes into the next near pile, or into far. The end of the launch is the barrier. When
near is empty the host raises the threshold by delta and launches `split_far` (gpu/cuda/ladder.py).

Launch   a thread for each item of the pile that is read, any block size, no shared memory
Reads    indptr int64[n+1], indices int32[m], weights int32[m] >= 0; no path may pass 2^31 - 1
Writes   dist int32[n], piles of `room` items, counts
Full     an item that finds no room is dropped but counted; the host sees that and refuses

Many threads may improve one vertex at once: atomicMin lets the smallest win and returns what was there
before. An item whose vertex has improved since is stale; it is dropped when it comes up.
*/
#include "ladder/items.cuh"

__device__ void push(Item *pile, int *count, int room, Item item) {
    int place = atomicAdd(count, 1);
    if (place < room) pile[place] = item;
}

extern "C" __global__ void relax_near(const long long *indptr, const int *indices, const int *weights,
                                      int *dist, const Item *near, int near_count, Item *next, Item *far,
                                      int room, Counts *counts, long long threshold) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= near_count) return;
    Item mine = near[i];
    if (dist[mine.vertex] < mine.dist) return;  // stale
    for (long long arc = indptr[mine.vertex]; arc < indptr[mine.vertex + 1]; arc++) {
        Item item = {indices[arc], mine.dist + weights[arc]};
        if (item.dist < atomicMin(&dist[item.vertex], item.dist)) {
            if (item.dist < threshold) push(next, &counts->near, room, item);
            else push(far, &counts->far, room, item);
        }
    }
}

extern "C" __global__ void split_far(const int *dist, const Item *far, int far_count, Item *near, Item *left,
                                     int room, Counts *counts, long long threshold) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= far_count) return;
    Item mine = far[i];
    if (dist[mine.vertex] < mine.dist) return;  // stale
    if (mine.dist < threshold) {
        push(near, &counts->near, room, mine);
    } else {
        push(left, &counts->far, room, mine);
        atomicMin(&counts->nearest, mine.dist);
    }
}
