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

DEVICE u64 two_words(u32 low, u32 high) { return (u64)high << 32 | low; }

// The edges of so many vertices, as a SAMPLE has them.
DEVICE u32 edges_of(u32 vertices) { return float_bits(vertices * RUN.mean_degree); }

DEVICE void read_wishes(volatile Wishes &wishes) {
    u64 word = peek_host((const u64 *)&RUN.host->stop);
    if ((u32)(word >> 32) != wishes.delta_version) {
        wishes.delta = as_double(peek_host((const u64 *)&RUN.host->delta_by_hand));
        __threadfence_block();
        wishes.delta_version = (u32)(word >> 32);
    }
    if ((u32)word != 0) wishes.stop = STOPPED;
}

// All lanes: hand one SAMPLE over, word `lane` of its 32; false where the ring is full.
DEVICE bool send_sample(u64 sequence, u64 word) {
    u64 read = peek_host(&RUN.host->samples_read);
    if (sequence - read > RUN.ring_mask) return false;
    poke_host(RUN.ring + (sequence & RUN.ring_mask) * 32 + lane_id(), word);
    __threadfence_system();
    __syncwarp();
    if (lane_id() == 0) poke_host(&RUN.host->samples_written, sequence + 1);
    return true;
}

// All lanes: wishes in and samples out, until the run ends.
// Source has   bool runs()   u64 word(u64 t, u64 sequence), this lane's of a SAMPLE
//              void sent()   that SAMPLE has left
template <class Source> DEVICE void carry(Wishes &wishes, Source &source) {
    u64 start = RUN.state->start_ns, sequence = 0, next = 0, poll = 0;
    while (__any_sync(ALL_LANES, source.runs())) {
        u64 t = __shfl_sync(ALL_LANES, now_ns() - start, 0);
        if (t >= poll) {
            if (lane_id() == 0) {
                read_wishes(wishes);
                if (t > RUN.limit_ns) leave(wishes.stop, (u32)TIMED_OUT);
            }
            poll = t + HOST_POLL_NS;
        }
        __syncwarp();
        if (LEVEL >= 1 && t >= next) {
            next = max(next + RUN.period_ns, t);
            u64 word = source.word(t, sequence);
            if (__all_sync(ALL_LANES, send_sample(sequence, word))) {
                sequence += 1;
                source.sent();
            }
        }
        __nanosleep(COURIER_PAUSE_NS);
    }
}

// All lanes: the counts of all workers.
DEVICE Stats sum_totals() {
    Stats t = {};
    for (u32 worker = lane_id(); worker < RUN.workers; worker += 32) {
        Stats s = peek(RUN.stats + worker);
        t.processed += s.processed;
        t.relaxed += s.relaxed;
        t.improved += s.improved;
        t.clipped += s.clipped;
        t.measured += s.measured;
        t.error += s.error;
    }
    t.processed = sum_over_lanes(t.processed);
    t.relaxed = sum_over_lanes(t.relaxed);
    t.improved = sum_over_lanes(t.improved);
    t.clipped = sum_over_lanes(t.clipped);
    t.measured = sum_over_lanes(t.measured);
    t.error = sum_over_lanes(t.error);
    return t;
}
