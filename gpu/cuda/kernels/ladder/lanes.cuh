// lanes.cuh: what near_far_lanes.cu brings. All 32 lanes of a warp call each function together.
#pragma once
#include "ladder/items.cuh"
#include "lanes.cuh"

struct Graph {
    const long long *indptr;
    const int *indices, *weights;
    int *dist;
};

struct Pile {  // an item that finds no room is dropped but counted
    Item *items;
    int *count;
    int room;
    Item *beyond;  // for places from `room` to `most`: see near_far_one_block.cu
    int most;
};

struct Piles {
    Pile next, far;
    long long threshold;  // below it: next
};

// Lanes with `mine` push their item: one atomic a warp.
__device__ void push(bool mine, const Pile &pile, Item item) {
    unsigned who = __ballot_sync(ALL_LANES, mine);
    if (who == 0) return;
    int place = (int)places(who, (unsigned *)pile.count);
    if (mine && place < pile.room) poke(pile.items + place, item);
    else if (mine && place < pile.most) poke(pile.beyond + place, item);
}

__device__ void sort(bool mine, const Piles &piles, Item item) {
    push(mine && item.dist < piles.threshold, piles.next, item);
    push(mine && item.dist >= piles.threshold, piles.far, item);
}

// This lane's item, number `place` of a list; false where there is none, or it is stale.
__device__ bool take(const int *dist, const Item *list, int count, int place, Item &mine) {
    if (place >= count) return false;
    mine = peek(list + place);
    return peek(dist + mine.vertex) == mine.dist;
}

// The arcs of 32 vertices of near, from number `base` on, an arc a lane.
__device__ void relax_warp(const Graph &graph, const Item *near, int count, int base, const Piles &piles) {
    int lane = (int)lane_id();
    Item mine = {0, 0};
    long long first = 0;
    int degree = 0;
    if (take(graph.dist, near, count, base + lane, mine)) {
        first = graph.indptr[mine.vertex];
        degree = (int)(graph.indptr[mine.vertex + 1] - first);
    }
    unsigned ends = prefix_sum(degree, 32);  // of this lane's arcs and those of lanes before it
    int arcs = __shfl_sync(ALL_LANES, (int)ends, 31);
    for (int start = 0; start < arcs; start += 32) {
        int place = start + lane;
        int owner = owner_of(place, ends, 32);
        long long arc = __shfl_sync(ALL_LANES, first + degree - ends, owner) + place;
        int from = __shfl_sync(ALL_LANES, mine.dist, owner);
        Item item = {0, 0};
        bool won = false;
        if (place < arcs) {
            item = {graph.indices[arc], from + graph.weights[arc]};
            won = item.dist < atomicMin(&graph.dist[item.vertex], item.dist);
        }
        sort(won, piles, item);
    }
}

// 32 items of far, from number `base` on, by the new threshold; the least that stays goes to `nearest`.
__device__ void split_warp(const Graph &graph, const Item *far, int count, int base, const Piles &piles,
                           int *nearest) {
    Item mine = {0, 0};
    bool valid = take(graph.dist, far, count, base + (int)threadIdx.x % 32, mine);
    sort(valid, piles, mine);
    if (valid && mine.dist >= piles.threshold) atomicMin(nearest, mine.dist);
}
