/*
async_block.cuh: what the warps of a block share: counts, the threshold, and the ring.

Ring     Near entries that any warp of the block may take. A place is reserved by an atomic add on
         the tail and claimed by compare-and-swap on the head, both for many entries at a time. An
         entry is there when its vertex is; its taker writes EMPTY back. Nobody reserves while more
         than RING_SAFE wait: each warp may then still add 32.
Votes    Lanes may read a word that other warps write at different times, so a warp votes on it.
Counts   `net`: entries and items that began here less those that ended here, near ones and all. A
         warp adds what it makes before others can see it, and takes off what it has processed in
         the same addition as what came of it or in a later one.
*/
#pragma once
#include "courier.cuh"
#include "relax.cuh"

#define RING 2048u  // entries, a power of two
#define RING_SAFE (RING - THREADS)
#define MINE 32u  // near entries of a warp's own
#define PILE (WEIGHT_WIDE ? 96u : 128u)
#define EMPTY 0xffffffffu

struct alignas(16) Own {  // of one warp
    Dist nearest;    // of all that is far here, a lower bound; NO_DIST: nothing is
    Dist beyond_at;  // from here on far items go to chunks in device memory
    Dist beyond_min;
    u32 far;  // entries in the pile
    u32 chunk, fill, free_chunk;
};

struct BlockShared {
    Vertex ring[RING];
    Vertex mine[WARPS][MINE];
    Vertex pile[WARPS][PILE];
    Own own[WARPS];
    u64 stride;     // as a distance: how far the threshold moves at a time
    Dist threshold; // `look_at_threshold` loads it and the next together
    u32 status;
    alignas(8) u32 ends[2];  // of the ring: head, tail
    u32 net[2];              // near, all
    u32 idle_warps, idle_blocks;
};

// gpu.cuda.async_near_far.shared_bytes reckons with these.
static_assert(sizeof(Own) == (WEIGHT_WIDE ? 48 : 32), "Own and the launcher differ in size");
constexpr u32 ENTRIES = RING + WARPS * (MINE + PILE);
static_assert(sizeof(BlockShared) <= sizeof(Vertex) * ENTRIES + WARPS * sizeof(Own) + 80,
              "BlockShared is larger than the launcher says");

extern __shared__ uint4 ROOM[];
#define S (*(BlockShared *)ROOM)

// The lowest distance that is not below a threshold.
DEVICE Dist as_threshold(double value) {
    return value >= value_of(UNREACHED) ? UNREACHED : dist_up(value);
}

// All lanes: so many more began here than ended.
DEVICE void account(int near, int all) {
    if (lane_id() < 2) {
        int value = lane_id() ? all : near;
        if (value) atomicAdd(&S.net[lane_id()], (u32)value);
    }
    __syncwarp();
}

DEVICE u32 waiting() {
    u64 ends = look(*(const u64 *)S.ends);
    return (u32)(ends >> 32) - (u32)ends;
}

// Words of RUN.table that the grid shares; each line has one writer or is added to.
enum { STATUS = 3, POOL_HEAD = 4, POOL_TAIL = 5, STRIDE = 8, CHUNKS_USED = 32, FAULT = 40 };

DEVICE bool gives_up(u32 &turns) { return gives_up(RUN.table + STATUS, turns); }

// The threshold, and whether the run has ended: by one load where both fit one.
DEVICE Dist look_at_threshold(bool &ended) {
    if (WEIGHT_WIDE) {
        ended = look(S.status) != RUNNING;
        return look(S.threshold);
    }
    u64 both = look(*(const u64 *)&S.threshold);
    ended = (u32)(both >> 32) != RUNNING;
    return (Dist)both;
}

DEVICE u64 &row_word(Vertex &entry) { return *(u64 *)&entry.first; }

// One lane: shared memory keeps the order of a warp's stores and loads, so the vertex comes last.
DEVICE void put(u32 place, Vertex entry) {
    Vertex &at = S.ring[place & (RING - 1)];
    for (u32 turns = 0; look(at.id) != EMPTY;)
        if (gives_up(turns)) return;
    leave(at.dist, entry.dist);
    leave(row_word(at), row_word(entry));
    leave(at.id, entry.id);
}

// One lane. Where it gives up: an entry of no vertex.
DEVICE Vertex get(u32 place) {
    Vertex &at = S.ring[place & (RING - 1)];
    Vertex entry;
    for (u32 turns = 0; (entry.id = look(at.id)) == EMPTY;)
        if (gives_up(turns)) return {0, NO_DIST, 0, 0};
    entry.dist = look(at.dist);
    row_word(entry) = look(row_word(at));
    leave(at.id, EMPTY);
    return entry;
}

// All lanes: take a warp's part of what waits, at least `least_wanted` and at most `most`; returns
// how many, `first` is the place of the first.
DEVICE u32 claim(u32 least_wanted, u32 most, u32 &first) {
    u32 take = 0;
    u32 head = 0;
    if (lane_id() == 0) {
        for (;;) {
            u64 ends = look(*(const u64 *)S.ends);
            head = (u32)ends;
            u32 there = (u32)(ends >> 32) - head;
            take = 0;
            if ((int)there <= 0) break;
            take = min(there, min(most, max(least_wanted, there / WARPS)));
            if (atomicCAS(&S.ends[0], head, head + take) == head) break;
        }
    }
    first = __shfl_sync(ALL_LANES, head, 0);
    return __shfl_sync(ALL_LANES, take, 0);
}

// All lanes: the first of so many places, or EMPTY where the ring is full.
DEVICE u32 reserve(u32 wanted) {
    u32 place = EMPTY;
    if (lane_id() == 0 && waiting() <= RING_SAFE) place = atomicAdd(&S.ends[1], wanted);
    return __shfl_sync(ALL_LANES, place, 0);
}
