/*
near_far_persistent.cu: Near-Far in one launch. Step 3 of 4; before it: near_far_lanes.cu.

What is new
One      In step 2 a superstep is a launch, and the host reads the counts before it knows whether there
launch   is another: about ten microseconds, where the work of a narrow frontier is two. Now the
         blocks stay on the device to the end and decide for themselves, all the same, because all
         look at the same counts after the same barrier.
Barrier  `wait_for_all`: each block adds one to a counter and waits until all have. So every block must
         be resident: the launch is cooperative, and the host asks how many fit.
Turns    A count cannot be set to zero while others still read it. So near has three, by turns: one is
         read, one is added to, one is cleared; far and `nearest` have two, one a pile, and a
         barrier after one is cleared.

Launch   near_far<<<at most as many blocks as are resident, up to 1,024, cooperative>>>; `state` zero but for
         near[0] = 1; the first item of near is the source, at 0; dist[source] = 0, others 2^31 - 1
Full     an item that finds no room is dropped, and `full` set: the host then refuses the answer
Reading  what other blocks write is read as volatile: past the level-1 cache, which is a block's own
*/
#define ALL_LANES 0xffffffffu
#define LIMIT_CYCLES (1ll << 38)  // about two minutes: a block is lost, the launch ends with an error

struct Item {
    int vertex, dist;
};

struct State {
    int near[3], far[2], nearest[2], full, supersteps;
    unsigned arrived;
};

struct Graph {
    const long long *indptr;
    const int *indices, *weights;
};

struct Piles {
    Item *next, *far;
    int *next_count, *far_count, *full;
    int room;
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

extern "C" __global__ void __launch_bounds__(1024)
near_far(const long long *indptr, const int *indices, const int *weights, int *dist, Item *near, Item *far,
         int room, State *state, long long delta) {
    Graph graph = {indptr, indices, weights};
    bool leader = blockIdx.x == 0 && threadIdx.x == 0;
    int warps = gridDim.x * (blockDim.x / 32);
    int warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    int side = 0;  // the far pile that waits
    unsigned target = 0;
    long long threshold = delta;
    bool after_split = false;
    for (int step = 0;; step++) {
        int near_count = min(look(&state->near[step % 3]), room);
        int far_count = min(look(&state->far[side]), room);
        if (near_count == 0 && far_count == 0) break;
        bool split = near_count == 0;
        if (split) {
            threshold += delta;
            // The last split found nothing: to the bucket of the nearest that it saw.
            if (after_split) threshold = (look(&state->nearest[side]) / delta + 1) * delta;
        }
        int fills = split ? side ^ 1 : side;  // the far pile that is pushed to
        Piles piles = {near + (step + 1) % 2 * (long long)room, far + fills * (long long)room,
                       &state->near[(step + 1) % 3], &state->far[fills], &state->full, room, threshold};
        if (leader) {
            state->near[(step + 2) % 3] = 0;
            state->supersteps += !split;
        }
        if (split) {  // nobody pushes to the other pile before it is empty
            if (leader) {
                state->far[fills] = 0;
                state->nearest[fills] = 0x7fffffff;
            }
            wait_for_all(&state->arrived, target);
        }
        const Item *list = split ? far + side * (long long)room : near + step % 2 * (long long)room;
        int count = split ? far_count : near_count;
        for (int base = warp * 32; base < count; base += warps * 32) {
            if (split) split_warp(dist, list, count, base, piles, &state->nearest[fills]);
            else relax_warp(graph, dist, list, count, base, piles);
        }
        wait_for_all(&state->arrived, target);
        side = fills;
        after_split = split;
    }
}
