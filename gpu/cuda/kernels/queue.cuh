/*
queue.cuh: the bucket queue, written by many workers, read by the manager alone (Wang,
Fussell, Lin: "A Fast Work-Efficient SSSP Algorithm for GPUs", PPoPP 2021, section 5.2).

A slot of the ring is an endless row of items. Item `p` of a slot lies in the pool block that
`table` names for block number p >> BLOCK_SHIFT; only the manager allocates and frees blocks. A
writer reserves places by an atomic add, finds the blocks (a small cache in shared memory, keyed by
the block number, which never comes back: no invalidation), writes its items, fences and adds to the
write-completed counter of every SEGMENT items that it touched. The last warp of a block, which has
the least to do, reserves, fences and counts for all of it, while the others are in the next round.

A writer that is ahead of the manager waits for its block; the manager never waits for a
writer, so this ends, or the run's status says that the pool is dry, or its time is over.
*/
#pragma once
#include "common.cuh"

#define BLOCK_SHIFT 14
#define BLOCK_ITEMS (1u << BLOCK_SHIFT)
#define SEGMENT 64u
#define BLOCK_SEGMENTS (BLOCK_ITEMS / SEGMENT)
#define NOWHERE 0xffffffffu
#define WRITTEN (1u << 16)  // in `taken`: an item of the block is written; below: copied out

DEVICE u32 table_entry(u32 number, u32 block) { return (number & 0xffffu) << 16 | block; }

// Where a slot's block `number` is named.
DEVICE u32 *table_at(u32 slot, u32 number) {
    return RUN.table + slot * (RUN.table_mask + 1) + (number & RUN.table_mask);
}

// The pool block of a slot's block `number`, or NOWHERE when the run ends meanwhile, or its time.
DEVICE u32 block_of(u32 slot, u32 number) {
    for (u32 turns = 0;;) {
        u32 entry = peek(table_at(slot, number));
        if (entry != NOWHERE && entry >> 16 == (number & 0xffffu)) return entry & 0xffffu;
        if (peek(&RUN.state->published.status) != RUNNING) return NOWHERE;
        if (++turns % PATIENCE == 0 && is_late()) return NOWHERE;
    }
}

// Items of a pool block are written, and fenced.
DEVICE void count_written(u32 block, u32 items) {
    if (block != NOWHERE && items > 0) add(RUN.taken + block, items * WRITTEN);
}

// One lane queues one item by itself: the slow way, where no room is left in shared memory.
__device__ __noinline__ void push_alone(u32 slot, Item item) {
    u32 place = atomicAdd(&RUN.slots[slot].reserved, 1u);
    u32 block = block_of(slot, place >> BLOCK_SHIFT);
    if (block == NOWHERE) return;
    u32 at = block << BLOCK_SHIFT | (place & (BLOCK_ITEMS - 1));
    poke(RUN.items + at, item);
    fence();
    add(RUN.written + at / SEGMENT, 1u);
    count_written(block, 1);
}

#define OUT_ROOM (WEIGHT_WIDE ? 896 : 1024)  // items that a block collects

struct OutBuffer {  // in shared memory, one a worker block
    Item item[OUT_ROOM];
    u32 where[OUT_ROOM];  // slot << 16 | rank among the items for that slot
    u32 count[32];        // items for each slot
    u32 first[32], blocks[32][2];
    u32 cached_number[32], cached_block[32];
};

DEVICE u32 cached_block(OutBuffer &out, u32 slot, u32 number) {
    if (out.cached_number[slot] != number) {
        u32 block = block_of(slot, number);
        if (block == NOWHERE) return NOWHERE;
        out.cached_block[slot] = block;
        out.cached_number[slot] = number;
    }
    return out.cached_block[slot];
}

// All threads, after a barrier: write `used` collected items to their buckets.
__device__ __noinline__ void flush(OutBuffer &out, u32 used) {
    u32 mine = 0, first = 0;
    if (warp_id() == THREADS / 32 - 1) {  // lane b reserves for slot b
        u32 slot = lane_id();
        mine = out.count[slot];
        if (mine > 0) {
            first = atomicAdd(&RUN.slots[slot].reserved, mine);
            out.count[slot] = 0;
            out.first[slot] = first;
            u32 low = first >> BLOCK_SHIFT, high = (first + mine - 1) >> BLOCK_SHIFT;
            out.blocks[slot][0] = cached_block(out, slot, low);
            out.blocks[slot][1] = high == low ? out.blocks[slot][0] : cached_block(out, slot, high);
        }
    }
    __syncthreads();
#pragma unroll 1
    for (u32 i = threadIdx.x; i < used; i += THREADS) {
        u32 slot = out.where[i] >> 16, place = out.first[slot] + (out.where[i] & 0xffffu);
        u32 block = out.blocks[slot][(place >> BLOCK_SHIFT) != (out.first[slot] >> BLOCK_SHIFT)];
        if (block != NOWHERE)
            poke(RUN.items + (block << BLOCK_SHIFT | (place & (BLOCK_ITEMS - 1))), out.item[i]);
    }
    __syncthreads();
    if (mine > 0) {
        fence();  // for the block: what all threads wrote before the barrier
        u32 low = min(mine, BLOCK_ITEMS - first % BLOCK_ITEMS);
        count_written(out.blocks[lane_id()][0], low);
        count_written(out.blocks[lane_id()][1], mine - low);
    }
    while (mine > 0) {  // lane b of the last warp: count what is written, segment by segment
        u32 part = min(mine, SEGMENT - first % SEGMENT), slot = lane_id();
        u32 block = out.blocks[slot][(first >> BLOCK_SHIFT) != (out.first[slot] >> BLOCK_SHIFT)];
        if (block != NOWHERE) {
            u32 at = block << BLOCK_SHIFT | (first & (BLOCK_ITEMS - 1));
            add(RUN.written + at / SEGMENT, part);
        }
        first += part;
        mine -= part;
    }
}
