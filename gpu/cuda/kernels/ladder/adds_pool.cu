/*
adds_pool.cu: ADDS whose buckets share their memory. Step 2 of 3; before it: adds_simple.cu.

What is new
Pool      In step 1 each bucket has places for all that the run may push to it. Now a bucket is a
          row of blocks, which the manager takes from a pool as the bucket grows and gives back when
          the bucket is finished. The manager stays a block ahead; a writer that is faster waits for
          its block. The wait ends with the block, or with the run, when the pool is empty.
Written   is counted a block: the manager reads whole blocks while others write further on.

Launch    as step 1, but `room` is in blocks, and `written` is the memory of the struct Pool
*/
#define POOL
__device__ struct Item *place_of(const struct Run &run, int slot, int place);
__device__ void count_written(const struct Run &run, int slot, int place);
__device__ void look_at_bucket(const struct Run &run, struct Manager &m, int slot);
#include "ladder/adds_simple.cu"

#define BLOCK 256  // items
#define LOOKED 16  // blocks of a bucket that one sweep looks at

struct Pool {
    int *written;            // items in each block
    int *free, *free_count;  // blocks that no bucket has
    int *taken, *returned;   // by slot: blocks so far
    int *table;              // by slot and number: the block, -1 as long as there is none
    int most;                // blocks of a slot in the whole run
};

__device__ Pool pool_of(const Run &run) {
    int blocks = run.room;
    int *free = run.written + blocks;
    int *count = free + blocks;
    return {run.written, free, count, count + 1, count + 1 + SLOTS, count + 1 + 2 * SLOTS, 8 * blocks};
}

__device__ Item *place_of(const Run &run, int slot, int place) {
    Pool pool = pool_of(run);
    int number = place / BLOCK;
    if (number >= pool.most) return nullptr;
    const int *block = &pool.table[slot * pool.most + number];
    while (peek(block) < 0) {
        if (peek(run.ended)) return nullptr;
        __nanosleep(50);
    }
    return run.items + peek(block) * (long long)BLOCK + place % BLOCK;
}

__device__ void count_written(const Run &run, int slot, int place) {
    Pool pool = pool_of(run);
    atomicAdd(&pool.written[peek(&pool.table[slot * pool.most + place / BLOCK])], 1);
}

// All SLOTS lanes: the whole blocks of a finished bucket go back to the pool.
__device__ void give_back(const Pool &pool, const Manager &m, int slot) {
    int done = m.done[slot] == m.reserved[slot] ? m.reserved[slot] / BLOCK : 0;
    for (; pool.returned[slot] < done; pool.returned[slot]++) {
        int block = pool.table[slot * pool.most + pool.returned[slot]];
        pool.free[atomicAdd(pool.free_count, 1)] = block;
    }
    __syncwarp();
}

// One lane: blocks for all that is reserved, and one more.
__device__ void take(const Run &run, const Pool &pool, int slot, int reserved) {
    for (; pool.taken[slot] < min(reserved / BLOCK + 2, pool.most); pool.taken[slot]++) {
        int left = atomicSub(pool.free_count, 1) - 1;
        if (left < 0) {
            atomicAdd(pool.free_count, 1);
            if (pool.taken[slot] * BLOCK < reserved) poke(run.ended, (int)FULL);  // a writer waits
            return;
        }
        int block = pool.free[left];
        poke(&pool.written[block], 0);
        __threadfence();
        poke(&pool.table[slot * pool.most + pool.taken[slot]], block);
    }
}

__device__ void look_at_bucket(const Run &run, Manager &m, int slot) {
    Pool pool = pool_of(run);
    give_back(pool, m, slot);
    int &ready = m.ready[slot];
    int &reserved = m.reserved[slot];
    ready = m.read[slot];
    for (int looked = 0; looked < LOOKED; looked++) {
        int number = ready / BLOCK;
        int written = 0;
        if (number < pool.taken[slot]) written = peek(&pool.written[pool.table[slot * pool.most + number]]);
        __threadfence();
        reserved = peek(&run.reserved[slot]);
        int end = number * BLOCK + written;
        if (written == BLOCK || end == reserved) ready = end;
        if (written < BLOCK) break;
    }
    take(run, pool, slot, reserved);
}
