/*
near_far_lanes.cu: Near-Far whose lanes all have an arc. Step 2 of 4; before it: near_far_simple.cu.

What is new, in lanes.cuh
Lanes    In step 1 a thread with a vertex of 200 arcs keeps 31 others waiting that had one of 2: the
         lanes of a warp go on together. Now a warp takes 32 vertices, lays their arcs end to end
         (a prefix sum over their degrees) and deals them out, an arc a lane. A lane finds whose
         arc it has by a binary search in the prefix sums. Work is then what the arcs cost.
Pushing  An atomic a warp and pile, not one an item: the lanes that push count themselves by a ballot.

Launch   as step 1, in whole warps: all 32 lanes take part in every shuffle and ballot
*/
#include "ladder/lanes.cuh"

extern "C" __global__ void relax_near(const long long *indptr, const int *indices, const int *weights,
                                      int *dist, const Item *near, int near_count, Item *next, Item *far,
                                      int room, Counts *counts, long long threshold) {
    Graph graph = {indptr, indices, weights, dist};
    Piles piles = {{next, &counts->near, room}, {far, &counts->far, room}, threshold};
    int base = blockIdx.x * blockDim.x + threadIdx.x / 32 * 32;
    relax_warp(graph, near, near_count, base, piles);
}

extern "C" __global__ void split_far(int *dist, const Item *far, int far_count, Item *near, Item *left,
                                     int room, Counts *counts, long long threshold) {
    Graph graph = {nullptr, nullptr, nullptr, dist};
    Piles piles = {{near, &counts->near, room}, {left, &counts->far, room}, threshold};
    int base = blockIdx.x * blockDim.x + threadIdx.x / 32 * 32;
    split_warp(graph, far, far_count, base, piles, &counts->nearest);
}
