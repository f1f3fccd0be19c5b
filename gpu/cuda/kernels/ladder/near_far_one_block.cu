/*
near_far_one_block.cu: Near-Far as wide as its frontier. Step 4 of 4; before it: near_far_persistent.cu.

What is new
Alone    On a road network most supersteps have a few dozen vertices, and a barrier of all blocks
         takes longer than their arcs. Now a frontier of up to SMALL vertices stays in block 0: in
         shared memory, with a barrier of that block alone, while the others wait at theirs.
Wide     A larger one is copied to where all blocks find it; they share it as in step 3, until it is
         down to half of SMALL (half, so that it does not go to and fro).
One code `Frontier` says where near lies and who works at it; the supersteps are the same.

Launch, Full, Reading as in step 3.
After it ../near_far.cu, the kernel that is measured: lanes by the mean degree instead of a search where a
         list is short, loads and atomics of several arcs in flight together, the far end's row along with
         its atomic, pushes of a wide superstep collected in shared memory, hubs by a whole block,
         float weights, probes, and a word with the host. What each brought: gpu/lab/LOG.md
*/
#define ALL_LANES 0xffffffffu
#define LIMIT_CYCLES (1ll << 38)  // about two minutes: a block is lost, the launch ends with an error
#define SMALL 1024  // vertices of a frontier in shared memory

struct Item {
    int vertex, dist;
};

struct State {
    int near[3], far[2], nearest[2], full, supersteps;
    unsigned arrived;
    int side, done;  // told by block 0 to the others, with the threshold
    long long threshold;
};

struct Graph {
    const long long *indptr;
    const int *indices, *weights;
};

struct Frontier {  // near, and who works at it
    Item *lists;     // two of `room` items
    int *counts;     // three
    int room, block, blocks;
};

struct Position {  // where the run stands, the same on all threads that work
    int side;  // the far pile that waits
    long long threshold;
    bool after_split;
    unsigned target;  // arrivals at the barrier of all blocks
};

struct Piles {
    Item *next, *beyond, *far;  // beyond: where items of next lie that find no room in it
    int *next_count, *far_count, *full;
    int next_room, room;
    long long threshold;
};

__device__ int look(const int *at) { return *(const volatile int *)at; }

__device__ Item look(const Item *at) { return {look(&at->vertex), look(&at->dist)}; }

// All threads of all blocks: what was written before is seen after.
__device__ void wait_for_all(unsigned *arrived, unsigned &target) {
    __syncthreads();
    target += gridDim.x;
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        long long begun = clock64();
        while (look((const int *)arrived) - (int)target < 0) {
            __nanosleep(20);
            if (clock64() - begun > LIMIT_CYCLES) __trap();
        }
        __threadfence();
    }
    __syncthreads();
}

// All lanes: those with `mine` push their item.
__device__ void push(bool mine, Item *pile, int *count, const Piles &piles, Item item) {
    unsigned lane = threadIdx.x % 32;
    unsigned who = __ballot_sync(ALL_LANES, mine);
    if (who == 0) return;
    int place = 0;
    if (lane == 0) place = atomicAdd(count, __popc(who));
    place = __shfl_sync(ALL_LANES, place, 0) + __popc(who & ((1u << lane) - 1));
    if (!mine) return;
    if (pile == piles.next && place >= piles.next_room) pile = piles.beyond;
    if (place < piles.room) pile[place] = item;
    else *piles.full = 1;
}

// All lanes: to the next near pile, or to far.
__device__ void sort(bool mine, const Piles &piles, Item item) {
    push(mine && item.dist < piles.threshold, piles.next, piles.next_count, piles, item);
    push(mine && item.dist >= piles.threshold, piles.far, piles.far_count, piles, item);
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

// All lanes: the arcs of 32 vertices from `base` on, an arc a lane.
__device__ void relax_warp(const Graph &graph, int *dist, const Item *near, int count, int base,
                           const Piles &piles) {
    int lane = threadIdx.x % 32;
    Item mine = {0, 0};
    long long first = 0;
    int degree = 0;  // of a lane without a vertex, or with a stale one
    if (base + lane < count) {
        mine = look(near + base + lane);
        if (look(dist + mine.vertex) == mine.dist) {
            first = graph.indptr[mine.vertex];
            degree = (int)(graph.indptr[mine.vertex + 1] - first);
        }
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
            won = item.dist < atomicMin(&dist[item.vertex], item.dist);
        }
        sort(won, piles, item);
    }
}

// All lanes: 32 items of far from `base` on, sorted by the new threshold; stale ones fall out.
__device__ void split_warp(const int *dist, const Item *far, int count, int base, const Piles &piles,
                           int *nearest) {
    int place = base + (int)threadIdx.x % 32;
    Item mine = {0, 0};
    bool valid = false;
    if (place < count) {
        mine = look(far + place);
        valid = look(dist + mine.vertex) == mine.dist;
    }
    sort(valid, piles, mine);
    if (valid && mine.dist >= piles.threshold) atomicMin(nearest, mine.dist);
}

__device__ void wait_for_workers(const Frontier &frontier, State *state, Position &at) {
    if (frontier.blocks == 1) __syncthreads();
    else wait_for_all(&state->arrived, at.target);
}

// Supersteps and splits by the blocks of `frontier`, until near is empty and far too, or near has more
// than `most` or, after the first superstep, at most `least`; returns how many are near.
__device__ int work(const Graph &graph, int *dist, Item *near, Item *far, int room, State *state,
                    const Frontier &frontier, int &step, int most, int least, long long delta, Position &at) {
    bool leader = frontier.block == 0 && threadIdx.x == 0;
    int warps = frontier.blocks * (blockDim.x / 32);
    int warp = frontier.block * (blockDim.x / 32) + threadIdx.x / 32;
    for (step = 0;; step++) {
        int near_count = min(look(&frontier.counts[step % 3]), room);
        int far_count = min(look(&state->far[at.side]), room);
        if (near_count == 0 && far_count == 0) return 0;
        if (near_count > most || (step > 0 && near_count > 0 && near_count <= least)) return near_count;
        bool split = near_count == 0;
        if (split) {
            at.threshold += delta;
            // The last split found nothing: to the bucket of the nearest that it saw.
            if (at.after_split) at.threshold = (look(&state->nearest[at.side]) / delta + 1) * delta;
        }
        int fills = split ? at.side ^ 1 : at.side;  // the far pile that is pushed to
        Piles piles = {frontier.lists + (step + 1) % 2 * (long long)frontier.room, near,
                       far + fills * (long long)room, &frontier.counts[(step + 1) % 3], &state->far[fills],
                       &state->full, frontier.room, room, at.threshold};
        if (leader) {
            frontier.counts[(step + 2) % 3] = 0;
            state->supersteps += !split;
        }
        if (split) {  // nobody pushes to the other pile before it is empty
            if (leader) {
                state->far[fills] = 0;
                state->nearest[fills] = 0x7fffffff;
            }
            wait_for_workers(frontier, state, at);
        }
        const Item *list = frontier.lists + step % 2 * (long long)frontier.room;
        if (split) list = far + at.side * (long long)room;
        int count = split ? far_count : near_count;
        for (int base = warp * 32; base < count; base += warps * 32) {
            if (split) split_warp(dist, list, count, base, piles, &state->nearest[fills]);
            else relax_warp(graph, dist, list, count, base, piles);
        }
        wait_for_workers(frontier, state, at);
        at.side = fills;
        at.after_split = split;
    }
}

// Block 0, all threads: items from one place to another.
__device__ void copy(const Item *from, Item *to, int count) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = look(from + i);
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(1024)
near_far(const long long *indptr, const int *indices, const int *weights, int *dist, Item *near, Item *far,
         int room, State *state, long long delta) {
    __shared__ Item small[2 * SMALL];
    __shared__ int small_counts[3];
    Graph graph = {indptr, indices, weights};
    Frontier alone = {small, small_counts, SMALL, 0, 1};
    Frontier wide = {near, state->near, room, (int)blockIdx.x, (int)gridDim.x};
    Position at = {0, delta, false, 0};
    int step = 0;
    int count = 1;  // the source
    for (;;) {
        if (blockIdx.x == 0) {
            copy(near + step % 2 * (long long)room, small, count);
            if (threadIdx.x < 3) small_counts[threadIdx.x] = threadIdx.x == 0 ? count : 0;
            __syncthreads();
            count = work(graph, dist, near, far, room, state, alone, step, SMALL, 0, delta, at);
            // The first SMALL of them; those beyond are in `near` already.
            copy(small + step % 2 * SMALL, near, min(count, SMALL));
            if (threadIdx.x == 0) {
                state->near[0] = count;
                state->near[1] = state->near[2] = 0;
                state->side = at.side;
                state->threshold = at.threshold;
                state->done = count == 0;
            }
        }
        wait_for_all(&state->arrived, at.target);
        if (look(&state->done)) break;
        at.side = look(&state->side);
        at.threshold = *(volatile long long *)&state->threshold;
        at.after_split = false;
        count = work(graph, dist, near, far, room, state, wide, step, room, SMALL / 2, delta, at);
        if (count == 0) break;
        wait_for_all(&state->arrived, at.target);  // all have seen the counts that block 0 goes on with
    }
}
