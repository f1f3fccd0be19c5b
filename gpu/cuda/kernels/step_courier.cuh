/*
step_courier.cuh: the courier of algorithms that run in supersteps.

Block 0 logs a superstep as three 16-byte stores to device memory, each with the record's
number, and waits for none of them. The courier, a block of its own, makes a SAMPLE of every
record whose three numbers agree and fences once for all; one that was overwritten is left out.
Counts are summed when the samples leave, so they may be a few supersteps ahead.
*/
#pragma once
#include "courier.cuh"

#define LOG_RECORDS 4096u

// The courier block's one warp: samples out, wishes in, until the run ends.
struct Courier {
    Wishes wishes = {0, 0, 0.0};
    u64 sequence = 0;
    u32 next = 1, switches = 0;

    DEVICE void listen() {
        u32 seen = wishes.delta_version;
        read_wishes(wishes);
        if (lane_id() > 0) return;
        if (wishes.delta_version != seen) poke(&RUN.state->hand_delta, wishes.delta);
        bool late = now_ns() - RUN.state->start_ns > RUN.limit_ns;
        u32 status = late ? (u32)TIMED_OUT : wishes.stop;
        if (status) atomicCAS(&RUN.state->published.status, (u32)RUNNING, status);
    }

    // Hand over every record that is whole; one fence for all of them.
    DEVICE void send() {
        Stats now = sum_totals();
        u64 read = peek_host(&RUN.host->samples_read), before = sequence;
        for (u32 batch = 0; batch < 64; batch++) {
            const uint4 *at = (const uint4 *)RUN.readings + ((next - 1) & (LOG_RECORDS - 1)) * 3;
            uint4 a = peek(at), b = peek(at + 1), c = peek(at + 2);
            u32 number = a.x;
            if (number < next || b.x != number || c.x != number) break;
            next = number + 1;
            if (sequence - read > RUN.ring_mask) continue;
            u64 *place = RUN.ring + (sequence & RUN.ring_mask) * 32;
            poke_host(place + lane_id(), sample_word(a, b, c, now));
            sequence += 1;
            switches = b.w;
        }
        if (sequence == before) return;
        __threadfence_system();
        __syncwarp();
        if (lane_id() == 0) poke_host(&RUN.host->samples_written, sequence);
    }

    // Word `lane` of a SAMPLE (gpu.record.trace).
    DEVICE u64 sample_word(uint4 a, uint4 b, uint4 c, const Stats &now) {
        bool held = HAS_DELTA && wishes.delta > 0.0;
        u32 flags = (b.w != switches ? BUCKET_SWITCHED : 0) | (held ? DELTA_BY_HAND : 0);
        switch (lane_id()) {
            case 0: return two_words(b.y, b.z);
            case 1: case 2: return b.w;
            case 3: return now.processed;
            case 4: return now.relaxed;
            case 5: return now.improved;
            case 6: return double_bits(from_one_word(c.w));
            case 7: return two_words(c.y, c.z);
            case 9: return two_words(0, edges_of(a.y));
            case 10: return two_words(a.y, a.w);
            case 11: return two_words(1, flags);
            case 12: return two_words(held ? BY_HAND : (HAS_DELTA ? START : NONE), 0);
            case 13: return two_words(a.y, a.z);
            case 29: return sequence;
            case 30: return double_bits(now.error);
            case 31: return now.measured;
            default: return 0;
        }
    }

    DEVICE void carry() {
        u64 poll = 0;
        while (peek(&RUN.state->published.status) == RUNNING) {
            u64 t = now_ns();
            if (t >= poll) {
                listen();
                poll = t + HOST_POLL_NS;
            }
            __syncwarp();
            if (LEVEL >= 1) send();
            __nanosleep(COURIER_PAUSE_NS);
        }
        if (LEVEL >= 1) send();
    }
};
