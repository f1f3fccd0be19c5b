/*
reader.cuh: the manager's side of the bucket queue: how far it can be read, which blocks it has;
and what the warps of the manager block know together.

Blocks are allocated one ahead of the writers and freed once every item of the oldest is handed
out and copied. An item can be handed out when the write-completed counter of its segment says
that the whole segment is written, or, in the last segment, everything reserved so far. Where many
wait, blocks that are written whole are handed out together: half of a wide graph's run was
handing out stale items block by block, one a sweep.
*/
#pragma once
#include "courier.cuh"
#include "policy.cuh"
#include "queue.cuh"
#include "worker.cuh"

#define MANAGER_THREADS (THREADS - 32)
#define MANAGER_WARPS (THREADS / 32 - 1)
#define LAST_WARP (MANAGER_WARPS - 1)
#define LOOKERS (MANAGER_THREADS - 32)  // threads that read workers' reports
#define REPORTS 3                       // each
#define MAX_WORKERS (LOOKERS * REPORTS)
#define MAX_OPEN LAST_WARP  // a warp for each bucket that is looked at
#define STRETCH (32 * 4 * SEGMENT)  // items that a warp looks at together
#define MOST_FREED 4                // blocks of a slot that a sweep frees

struct Sums {
    u32 idle, load, kept, pad;
};

struct Gauges {
    Wishes wishes;
    double base;
    u64 switches, start_ns;
    Sums sums[2];
    u32 head, old_head, status, moved, unfinished, quiet_sweeps, wish_seen, reason, delta_changes;
    u32 raises, cuts, idle_now, assigned, busy, kept_mark, free_top, sweep;
};

// Words, all 0 at first but what `Manager::start` sets. Written by the manager's warps between their
// barriers. The courier warp reads it as it is, for samples: what it sees may be a sweep old.
struct ManagerShared : Gauges {
    Steered c;
    u32 from[MAX_OPEN], available[MAX_OPEN], address[MAX_OPEN];
    u32 more[MAX_OPEN], more_at[MAX_OPEN][32];  // whole blocks after those, and their items
    u32 reserved[32], read[32], mark[32];
    u32 allocated[32], freed[32], block[32], block_number[32];
    u32 handed[MAX_WORKERS];
    unsigned short idle_list[MAX_WORKERS];
    unsigned char number[MAX_WORKERS];
};

static_assert(sizeof(ManagerShared) <= sizeof(WorkerShared), "no block is both: one place");
#define M (*(ManagerShared *)&S)

DEVICE void manager_barrier() { asm volatile("bar.sync 1, %0;" ::"n"(MANAGER_THREADS) : "memory"); }

struct Reader {
    // Last warp: give every slot the blocks that writers will soon want; free those read.
    __device__ __noinline__ void serve_pool() {
        u32 slot = lane_id();
        bool ours = slot < RUN.buckets;
        for (u32 i = 0; ours && i < MOST_FREED; i++) {
            if (M.freed[slot] == M.read[slot] >> BLOCK_SHIFT) break;  // else its oldest is handed out
            u32 block = block_of(slot, M.freed[slot] & (0xffffffffu >> BLOCK_SHIFT));
            if (block == NOWHERE || peek(RUN.taken + block) % WRITTEN != BLOCK_ITEMS) break;
            RUN.free_blocks[atomicAdd(&M.free_top, 1u)] = block;
            M.freed[slot] = (M.freed[slot] + 1) & (0xffffffffu >> BLOCK_SHIFT);
        }
        __syncwarp();
        // blocks allocated so far are [.., allocated); writers need reserved's, we stay one ahead
        u32 wanted = ours ? (M.reserved[slot] >> BLOCK_SHIFT) + 2 - M.allocated[slot] : 0;
        wanted &= 0xffffffffu >> BLOCK_SHIFT;
        if (wanted > 0xffff) wanted = 0;
        while (__any_sync(ALL_LANES, wanted > 0)) {
            u32 block = NOWHERE;
            if (wanted > 0) {
                u32 top = atomicSub(&M.free_top, 1u);
                if (top == 0 || top > RUN.pool_blocks) {  // dry
                    atomicAdd(&M.free_top, 1u);
                    if (wanted > 1) M.status = POOL_DRY;  // writers wait for it
                    wanted = 0;
                } else {
                    block = RUN.free_blocks[top - 1];
                    poke(RUN.taken + block, 0u);
                }
            }
            clear_counters(block);
            fence();
            if (block != NOWHERE) {
                u32 number = M.allocated[slot];
                poke(table_at(slot, number), table_entry(number, block));
                M.allocated[slot] = (number + 1) & (0xffffffffu >> BLOCK_SHIFT);
                wanted -= 1;
            }
            __syncwarp();
        }
    }

    // All lanes: the write-completed counters of each lane's block, by all lanes together.
    DEVICE void clear_counters(u32 block) {
        for (u32 fresh = __ballot_sync(ALL_LANES, block != NOWHERE); fresh; fresh &= fresh - 1) {
            u32 one = __shfl_sync(ALL_LANES, block, __ffs(fresh) - 1);
            uint4 *counts = (uint4 *)(RUN.written + one * BLOCK_SEGMENTS);
            for (u32 i = lane_id(); i < BLOCK_SEGMENTS / 4; i += 32)
                poke(counts + i, make_uint4(0, 0, 0, 0));
        }
        __syncwarp();
    }

    // One warp: how many blocks of a slot, from `number` on, are written whole; lane k looks at the
    // k-th.
    __device__ __noinline__ u32 whole_blocks(u32 slot, u32 number, u32 step) {
        u32 lane = lane_id(), mine = number + lane;
        u32 allocated = (M.allocated[slot] - number) & (0xffffffffu >> BLOCK_SHIFT);
        bool whole = lane < allocated;
        if (whole) {
            u32 entry = peek(table_at(slot, mine));
            u32 block = entry & 0xffffu;
            whole = entry != NOWHERE && entry >> 16 == (mine & 0xffffu) &&
                    peek_acquire(RUN.taken + block) / WRITTEN == BLOCK_ITEMS;
            if (lane > 0) M.more_at[step][lane - 1] = block << BLOCK_SHIFT;
        }
        u32 others = __ballot_sync(ALL_LANES, !whole);
        return others ? __ffs(others) - 1 : 32;
    }

    // One warp: how far a stretch of a slot's block is readable; `start` is a multiple of four
    // segments. Ends at the block's end.
    DEVICE u32 readable_from(u32 start, u32 read, u32 block, u32 slot) {
        u32 lane = lane_id(), first = start % BLOCK_ITEMS / SEGMENT + lane * 4;
        bool inside = first < BLOCK_SEGMENTS;
        uint4 four = make_uint4(0, 0, 0, 0);
        const u32 *counters = RUN.written + block * BLOCK_SEGMENTS + first;
        if (inside) four = peek_acquire((const uint4 *)counters);
        u32 reserved = peek(&RUN.slots[slot].reserved);
        reserved = __shfl_sync(ALL_LANES, reserved, 0);
        u32 counts[4] = {four.x, four.y, four.z, four.w};
        u32 from = start + lane * 4 * SEGMENT, end = from + 4 * SEGMENT;
        bool full = inside;
        for (int i = 0; i < 4; i++)
            if (full && counts[i] != SEGMENT) {
                full = false;
                u32 at = from + i * SEGMENT;
                at = (int)(read - at) > 0 ? read : at;
                end = readable_end(at, reserved, counts[i], SEGMENT);
            }
        u32 partial = __ballot_sync(ALL_LANES, !full);
        u32 lane_of_end = partial ? __ffs(partial) - 1 : 31;
        if (!inside) end = from;  // the block's end
        return __shfl_sync(ALL_LANES, end, lane_of_end);
    }

    // One warp: how many items of the bucket `step` after `head` can be handed out.
    DEVICE void find_readable(u32 head, u32 step) {
        u32 lane = lane_id(), slot = (head + step) % RUN.buckets, read = M.read[slot];
        u32 number = read >> BLOCK_SHIFT;
        if (M.block_number[slot] != number) {
            // One that is not allocated yet has nothing written in it.
            u32 block = M.allocated[slot] == number ? NOWHERE : block_of(slot, number);
            if (__any_sync(ALL_LANES, block == NOWHERE)) {
                if (lane == 0) M.available[step] = M.more[step] = 0;
                return;
            }
            __syncwarp();
            if (lane == 0) {
                M.block[slot] = block;
                M.block_number[slot] = number;
            }
            __syncwarp();
        }
        u32 block = M.block[slot];
        u32 start = (read / SEGMENT & ~3u) * SEGMENT, whole = 0;
        u32 end = readable_from(start, read, block, slot);
        if (end == start + STRETCH || (end != read && end % BLOCK_ITEMS == 0)) {  // many wait
            whole = whole_blocks(slot, number, step);
            if (whole > 0) end = (number + 1) << BLOCK_SHIFT;
        }
        if (lane == 0) {
            M.more[step] = whole > 0 ? whole - 1 : 0;
            M.from[step] = read;
            M.available[step] = end - read;
            M.address[step] = block << BLOCK_SHIFT | (read & (BLOCK_ITEMS - 1));
        }
    }
};
