/*
manager_shared.cuh: what the warps of the manager block know together, in shared memory.

The manager's warps write it between their barriers; the courier warp reads it as it is, for
samples: what it sees may be a sweep old.
*/
#pragma once
#include "courier.cuh"
#include "queue.cuh"
#include "worker.cuh"

#define MANAGER_THREADS (THREADS - 32)
#define MANAGER_WARPS (THREADS / 32 - 1)
#define LAST_WARP (MANAGER_WARPS - 1)
#define LOOKERS (MANAGER_THREADS - 32)  // threads that read workers' reports
#define REPORTS 3                       // each
#define MAX_WORKERS (LOOKERS * REPORTS)
#define MAX_OPEN LAST_WARP  // a warp for each bucket that is looked at
#define READING_WORDS 8

struct Sums {
    u32 idle, load, kept, pad;
};

struct ManagerShared {
    Controller c;
    Wishes wishes;
    double base;
    u64 switches, start_ns;
    Sums sums[2];
    u32 head, old_head, status, moved, unfinished, quiet_sweeps, wish_seen, reason, delta_changes;
    u32 raises, cuts, idle_now, assigned, busy, open_pieces, kept_mark, free_top, sweep, courier_done;
    u32 from[MAX_OPEN], available[MAX_OPEN], address[MAX_OPEN];
    u32 reserved[32], read[32], mark[32];
    u32 allocated[32], freed[32], block[32], block_number[32];
    u32 handed[MAX_WORKERS];
    unsigned short idle_list[MAX_WORKERS];
    unsigned char number[MAX_WORKERS];
};

DEVICE void manager_barrier() {
    asm volatile("bar.sync 1, %0;" ::"n"(MANAGER_THREADS) : "memory");
}
