// lanes.cuh: what near_far_lanes.cu brings. All 32 lanes of a warp call each function together.
#pragma once
#include "ladder/items.cuh"

#define ALL_LANES 0xffffffffu

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
    unsigned lane = threadIdx.x % 32;
    unsigned who = __ballot_sync(ALL_LANES, mine);
    if (who == 0) return;
    int place = 0;
    if (lane == 0) place = atomicAdd(pile.count, __popc(who));
    place = __shfl_sync(ALL_LANES, place, 0) + __popc(who & ((1u << lane) - 1));
    if (mine && place < pile.room) put(pile.items + place, item);
    else if (mine && place < pile.most) put(pile.beyond + place, item);
}

__device__ void sort(bool mine, const Piles &piles, Item item) {
    push(mine && item.dist < piles.threshold, piles.next, item);
    push(mine && item.dist >= piles.threshold, piles.far, item);
}

// The sum of `value` over this lane and those before it.
__device__ int prefix_sum(int value) {
    int lane = threadIdx.x % 32;
    for (int reach = 1; reach < 32; reach *= 2) {
        int other = __shfl_up_sync(ALL_LANES, value, reach);
        if (lane >= reach) value += other;
    }
    return value;
}

// The lane that has arc number `place` of the warp; `ends` is each lane's prefix sum.
__device__ int owner_of(int place, int ends) {
    int owner = 0;
    for (int half = 16; half > 0; half /= 2) {
        int end = __shfl_sync(ALL_LANES, ends, owner + half - 1);
        if (end <= place) owner += half;
    }
    return owner;
}

// This lane's item, number `place` of a list; false where there is none, or it is stale.
__device__ bool take(const int *dist, const Item *list, int count, int place, Item &mine) {
    if (place >= count) return false;
    mine = look(list + place);
    return look(dist + mine.vertex) == mine.dist;
}

// The arcs of 32 vertices of near, from number `base` on, an arc a lane.
__device__ void relax_warp(const Graph &graph, const Item *near, int count, int base, const Piles &piles) {
    int lane = threadIdx.x % 32;
    Item mine = {0, 0};
    long long first = 0;
    int degree = 0;
    if (take(graph.dist, near, count, base + lane, mine)) {
        first = graph.indptr[mine.vertex];
        degree = (int)(graph.indptr[mine.vertex + 1] - first);
    }
    int ends = prefix_sum(degree);
    int arcs = __shfl_sync(ALL_LANES, ends, 31);
    for (int start = 0; start < arcs; start += 32) {
        int place = start + lane;
        int owner = owner_of(place, ends);
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
