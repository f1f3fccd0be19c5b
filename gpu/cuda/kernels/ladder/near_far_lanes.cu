/*
near_far_lanes.cu: Near-Far whose lanes all have an arc. Step 2 of 4; before it: near_far_simple.cu.

What is new
Lanes    In step 1 a thread with a vertex of 200 arcs keeps 31 others waiting that had one of 2: the
         lanes of a warp go on together. Now a warp takes 32 vertices, lays their arcs end to end
         (a prefix sum over their degrees) and deals them out, an arc a lane. A lane finds whose
         arc it has by a binary search in the prefix sums. Work is then what the arcs cost.
Pushing  An atomic a warp and pile, not one an item: the lanes that push count themselves by a ballot.

Launch   as step 1, by the same host loop; the threads of a block are a multiple of 32, and no
         thread leaves before the end: all 32 lanes take part in every shuffle and ballot
*/
#define ALL_LANES 0xffffffffu

struct Item {
    int vertex, dist;
};

struct Counts {  // of the piles that this launch fills
    int near, far, nearest;
};

// All lanes: those with `mine` push their item.
__device__ void push(bool mine, Item *pile, int *count, int room, int vertex, int dist) {
    unsigned lane = threadIdx.x % 32;
    unsigned who = __ballot_sync(ALL_LANES, mine);
    if (who == 0) return;
    int place = 0;
    if (lane == 0) place = atomicAdd(count, __popc(who));
    place = __shfl_sync(ALL_LANES, place, 0) + __popc(who & ((1u << lane) - 1));
    if (mine && place < room) pile[place] = {vertex, dist};
}

// All lanes: the sum of `value` over this lane and those before it.
__device__ int prefix_sum(int value) {
    int lane = threadIdx.x % 32;
    for (int reach = 1; reach < 32; reach *= 2) {
        int other = __shfl_up_sync(ALL_LANES, value, reach);
        if (lane >= reach) value += other;
    }
    return value;
}

// All lanes: the lane that has arc number `place` of the warp; `ends` is each lane's prefix sum.
__device__ int owner_of(int place, int ends) {
    int owner = 0;
    for (int half = 16; half > 0; half /= 2) {
        int end = __shfl_sync(ALL_LANES, ends, owner + half - 1);
        if (end <= place) owner += half;
    }
    return owner;
}

extern "C" __global__ void relax_near(const long long *indptr, const int *indices, const int *weights,
                                      int *dist, const Item *near, int near_count, Item *next, Item *far,
                                      int room, Counts *counts, long long threshold) {
    int lane = threadIdx.x % 32;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Item mine = {0, 0};
    long long first = 0;
    int degree = 0;  // of a lane without a vertex, or with a stale one
    if (i < near_count) {
        mine = near[i];
        if (dist[mine.vertex] == mine.dist) {
            first = indptr[mine.vertex];
            degree = (int)(indptr[mine.vertex + 1] - first);
        }
    }
    int ends = prefix_sum(degree);
    int arcs = __shfl_sync(ALL_LANES, ends, 31);
    for (int start = 0; start < arcs; start += 32) {
        int place = start + lane;
        int owner = owner_of(place, ends);
        long long arc = __shfl_sync(ALL_LANES, first + degree - ends, owner) + place;
        int from = __shfl_sync(ALL_LANES, mine.dist, owner);
        int v = 0;
        int reach = 0;
        bool won = false;
        if (place < arcs) {
            v = indices[arc];
            reach = from + weights[arc];
            won = reach < atomicMin(&dist[v], reach);
        }
        push(won && reach < threshold, next, &counts->near, room, v, reach);
        push(won && reach >= threshold, far, &counts->far, room, v, reach);
    }
}

extern "C" __global__ void split_far(const int *dist, const Item *far, int far_count, Item *near, Item *left,
                                     int room, Counts *counts, long long threshold) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Item mine = {0, 0};
    bool valid = false;
    if (i < far_count) {
        mine = far[i];
        valid = dist[mine.vertex] == mine.dist;
    }
    bool stays = valid && mine.dist >= threshold;
    push(valid && !stays, near, &counts->near, room, mine.vertex, mine.dist);
    push(stays, left, &counts->far, room, mine.vertex, mine.dist);
    if (stays) atomicMin(&counts->nearest, mine.dist);
}
