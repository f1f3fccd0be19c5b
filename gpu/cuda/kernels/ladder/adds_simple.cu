/*
adds_simple.cu: ADDS in its simplest form. Step 1 of 3; after it: adds_pool.cu, adds_rounds.cu.

The idea  An improved vertex waits in one of 32 buckets, each delta wide; bucket b is in slot b % 32.
          Workers (blocks 1, 2, ...) only write to buckets. The manager (block 0) alone reads them: it
          hands the items of the two lowest buckets to idle workers, and doubles or halves delta to
          keep them just busy. No worker waits for another.
Bucket    An array, and counters that only grow. A writer reserves a place, writes its item, fences
          and adds one to `written`. Where written equals reserved, every item can be read.
Finished  A bucket is finished when all items that were reserved are done; "empty" is not enough,
          because a worker may still push into it. The run ends when all buckets are finished.

Launch    adds<<<1 + workers, THREADS, cooperative>>>, workers <= THREADS; all blocks are resident.
          `state`, `orders`, `written` and dist[source] are zero, other distances 2^31 - 1; delta is
          2^shift, from 2^least to 2^most; weights >= 0, no path longer than 2^31 - 1
*/
#include "ladder/items.cuh"

#define SLOTS 32
#define OPEN 2                    // buckets that are handed out at the same time, from the head on
#define THREADS 256               // of a block; thread w of the manager serves worker w
#define SMALLEST 32               // items for a worker, if there are as many
#define REST 6                    // moves of the head between two changes of delta
#define LIMIT_CYCLES (1ll << 38)  // about two minutes

enum End { RUNNING, FINISHED, FULL, LATE };

struct Order {  // items of a bucket for one worker, and what it needs to sort its own
    int bucket, first, count, head, shift;
    int working;     // 1 from the manager: go on; 0 from the worker: all is done
    long long base;  // lowest distance of the head
};

struct Run {
    const long long *indptr;
    const int *indices, *weights;
    int *dist;
    int *ended, *reserved;  // reserved and written: one a slot
    Order *orders;          // one a worker
    Item *items;
    int room, *written;
};

struct Manager {  // shared memory of block 0
    int done[SLOTS], read[SLOTS], ready[SLOTS], reserved[SLOTS];  // items; read: handed out
    int piece[SLOTS];  // items that a worker is given
    int head, shift, rest, idle, ended;
    long long base;
    float load;  // items of open buckets that are not done; smoothed
};

// ---- buckets: adds_pool.cu has other ones ----

#ifndef POOL
__device__ Item *place_of(const Run &run, int slot, int place) {  // null: there is no room
    return place < run.room ? run.items + slot * (long long)run.room + place : nullptr;
}

__device__ void count_written(const Run &run, int slot, int) { atomicAdd(&run.written[slot], 1); }

// One thread of the manager. It reads `written` first: where a later `reserved` is no larger,
// nothing that was reserved by then is still to be written.
__device__ void look_at_bucket(const Run &run, Manager &m, int slot) {
    int written = peek(&run.written[slot]);
    __threadfence();
    m.reserved[slot] = peek(&run.reserved[slot]);
    m.ready[slot] = written == m.reserved[slot] ? written : m.read[slot];
}
#endif

__device__ void push(const Run &run, const Order &order, Item item) {
    long long first = order.bucket != order.head;  // 1: the head may just be retiring
    long long offset = max(first, min((item.dist - order.base) >> order.shift, SLOTS - 1ll));
    int slot = (int)((order.head + offset) % SLOTS);
    int place = atomicAdd(&run.reserved[slot], 1);
    if (Item *to = place_of(run, slot, place)) {
        poke(to, item);
        __threadfence();
        count_written(run, slot, place);
    } else {
        poke(run.ended, (int)FULL);  // for this bucket is never finished
    }
}

// ---- a worker: in adds_rounds.cu it goes on by itself with some of what it improves ----

__device__ void improved(const Run &run, const Order &order, Item item);

__device__ void relax(const Run &run, const Order &order, Item item) {
    if (peek(&run.dist[item.vertex]) < item.dist) return;  // stale: a better item does the rest
    for (long long arc = run.indptr[item.vertex]; arc < run.indptr[item.vertex + 1]; arc++) {
        Item next = {run.indices[arc], item.dist + run.weights[arc]};
        if (next.dist < atomicMin(&run.dist[next.vertex], next.dist)) improved(run, order, next);
    }
}

#ifndef ROUNDS
__device__ void improved(const Run &run, const Order &order, Item item) { push(run, order, item); }

__device__ void process(const Run &run, const Order &order) {
    int i = threadIdx.x;
    if (i < order.count) relax(run, order, peek(place_of(run, order.bucket % SLOTS, order.first + i)));
}
#endif

__device__ void work(const Run &run, Order *mine) {
    __shared__ Order order;
    for (;;) {
        if (threadIdx.x == 0) {
            while (!peek(&mine->working) && !peek(run.ended)) __nanosleep(50);
            __threadfence();
            order = peek(mine);
        }
        __syncthreads();
        if (!order.working) return;
        process(run, order);
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();  // for the block: its pushes are seen before its report
            poke(&mine->working, 0);
        }
    }
}

// ---- the manager ----

// One thread: move the head past finished buckets; returns by how many, SLOTS when all are finished.
__device__ int retire(Manager &m) {
    int moved = 0;
    for (; moved < SLOTS; moved++) {
        int slot = (m.head + moved) % SLOTS;
        if (m.done[slot] != m.reserved[slot]) break;
    }
    m.head += moved;
    m.base += (long long)moved << m.shift;
    return moved;
}

// One thread: double delta while the workers starve, halve it while they are flooded.
__device__ void steer(Manager &m, int moved, int threads, int least, int most) {
    m.load *= 0.875f;
    for (int slot = m.head; slot < m.head + OPEN; slot++)
        m.load += (m.reserved[slot % SLOTS] - m.done[slot % SLOTS]) / 8.f;
    m.rest -= min(m.rest, moved);
    if (m.rest > 0) return;
    if (m.load < threads / 4 && m.shift < most) m.shift++;
    else if (m.load > threads && m.shift > least) m.shift--;
    else return;
    m.rest = REST;
}

// The thread of an idle worker: cut a piece for it, while others cut theirs. Count 0: nothing is left.
__device__ Order cut(Manager &m) {
    for (int bucket = m.head; bucket < m.head + OPEN; bucket++) {
        int slot = bucket % SLOTS;
        int first = atomicAdd(&m.read[slot], m.piece[slot]);
        int count = min(m.piece[slot], m.ready[slot] - first);
        if (count > 0) return {bucket, first, count, m.head, m.shift, 0, m.base};
    }
    return {};
}

__device__ void manage(const Run &run, int workers, int source, int shift, int least, int most) {
    __shared__ Manager m;
    int thread = threadIdx.x;
    long long begun = clock64();
    for (int i = thread; i < (int)(sizeof m / 4); i += THREADS) ((int *)&m)[i] = 0;
    __syncthreads();
    if (thread < SLOTS) look_at_bucket(run, m, thread);
    if (thread == 0) push(run, {0, 0, 0, 0, shift, 0, 0}, {source, 0});
    m.shift = shift;
    Order mine = {};  // what the worker has; count 0: it is idle
    Order *to = &run.orders[thread];
    while (!m.ended) {
        bool idle = thread < workers && !peek(&to->working);
        if (idle) {
            atomicAdd(&m.idle, 1);
            atomicAdd(&m.done[mine.bucket % SLOTS], mine.count);
        }
        __threadfence();
        __syncthreads();  // the reports are read, now the counters: so no push of the idle is missed
        if (thread < SLOTS) {
            m.read[thread] = min(m.read[thread], m.ready[thread]);  // more were asked for than there are
            look_at_bucket(run, m, thread);
            int share = (m.ready[thread] - m.read[thread]) / max(m.idle, 1) + 1;
            m.piece[thread] = min(max(share, SMALLEST), THREADS);
        }
        __syncthreads();
        if (thread == 0) {
            int moved = retire(m);
            steer(m, moved, workers * THREADS, least, most);
            m.idle = 0;
            m.ended = moved == SLOTS ? FINISHED : peek(run.ended);
            if (clock64() - begun > LIMIT_CYCLES) m.ended = LATE;
            if (m.ended) poke(run.ended, m.ended);
        }
        __syncthreads();
        if (idle) mine = cut(m);
        if (idle && mine.count > 0) {
            poke(to, mine);
            __threadfence();  // the worker sees `working` last
            poke(&to->working, 1);
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
adds(const long long *indptr, const int *indices, const int *weights, int *dist, int source,
     int *state, Order *orders, Item *items, int room, int *written, int shift, int least, int most) {
    Run run = {indptr, indices, weights, dist, state, state + 1, orders, items, room, written};
    if (blockIdx.x == 0) manage(run, gridDim.x - 1, source, shift, least, most);
    else work(run, &orders[blockIdx.x - 1]);
}
