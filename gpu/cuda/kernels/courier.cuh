/*
courier.cuh: the one warp that talks with the host, so that nobody else waits for the bus.

It reads Stop and a delta held by hand from pinned memory and leaves them in shared memory,
where the manager looks in passing. From probe level 1 on it writes a SAMPLE each period: one
8-byte word a lane, a system fence, then the count of samples written. When the host has not
read far enough, samples are left out; their totals are in the next one.
*/
#pragma once
#include "common.cuh"

enum Flag {
    DELTA_RAISED = 1, DELTA_LOWERED = 2, BUCKET_SWITCHED = 4, CLIPPED = 8, DELTA_BY_HAND = 16
};

#define COURIER_PAUSE_NS 500
#define HOST_POLL_NS 20000  // between two looks at Stop and at the delta held by hand

struct Wishes {  // of the host, in shared memory; stop : the status to end with, or 0
    u32 stop, delta_version;
    double delta;
};

__device__ __forceinline__ u64 two_words(u32 low, u32 high) { return (u64)high << 32 | low; }

__device__ __forceinline__ void read_wishes(const Run &run, volatile Wishes &wishes) {
    u64 word = peek_host((const u64 *)&run.host->stop);
    if ((u32)(word >> 32) != wishes.delta_version) {
        wishes.delta = __longlong_as_double(peek_host((const u64 *)&run.host->delta_by_hand));
        __threadfence_block();
        wishes.delta_version = (u32)(word >> 32);
    }
    if ((u32)word != 0) wishes.stop = STOPPED;
}

// All lanes: hand one SAMPLE over, word `lane` of its 32; false where the ring is full.
__device__ __forceinline__ bool send_sample(const Run &run, u64 sequence, u64 word) {
    u64 read = peek_host(&run.host->samples_read);
    if (sequence - read > run.ring_mask) return false;
    poke_host(run.ring + (sequence & run.ring_mask) * 32 + lane_id(), word);
    __threadfence_system();
    __syncwarp();
    if (lane_id() == 0) poke_host(&run.host->samples_written, sequence + 1);
    return true;
}

struct Totals {
    u64 processed, relaxed, improved, clipped;
};

__device__ __forceinline__ u64 sum_over_lanes(u64 value) {
#pragma unroll
    for (int reach = 16; reach > 0; reach /= 2) value += __shfl_xor_sync(ALL_LANES, value, reach);
    return value;
}

__device__ __forceinline__ Totals sum_totals(const Run &run) {
    Totals t = {0, 0, 0, 0};
    for (u32 worker = lane_id(); worker < run.workers; worker += 32) {
        const Stats *s = run.stats + worker;
        t.processed += peek(&s->processed);
        t.relaxed += peek(&s->relaxed);
        t.improved += peek(&s->improved);
        t.clipped += peek(&s->clipped);
    }
    t.processed = sum_over_lanes(t.processed);
    t.relaxed = sum_over_lanes(t.relaxed);
    t.improved = sum_over_lanes(t.improved);
    t.clipped = sum_over_lanes(t.clipped);
    return t;
}
