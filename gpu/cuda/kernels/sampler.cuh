/*
sampler.cuh: the courier warp of ADDS: a SAMPLE each period out of the manager's state, and the
host's wishes into it. The manager never waits for it.
*/
#pragma once
#include "manager_shared.cuh"

struct Sampler {
    const Run &run;
    ManagerShared &s;

    __device__ Sampler(const Run &run, ManagerShared &s) : run(run), s(s) {}

    // The courier warp: samples out, wishes in, until the manager has ended.
    __device__ __noinline__ void carry() {
        volatile ManagerShared &v = s;
        u64 sequence = 0, next = 0, poll = 0, switches = 0;
        u32 raises = 0, cuts = 0;
        Totals before = {0, 0, 0, 0};
        while (v.status == RUNNING) {
            u64 t = now_ns() - s.start_ns;
            if (t >= poll) {
                if (lane_id() == 0) read_wishes(run, s.wishes);
                if (t > run.limit_ns && lane_id() == 0) s.wishes.stop = TIMED_OUT;
                poll = t + HOST_POLL_NS;
            }
            __syncwarp();
            if (LEVEL >= 1 && t >= next) {
                next = max(next + run.period_ns, t);
                Totals now = sum_totals(run);
                u64 pushes = now.improved - before.improved, clipped = now.clipped - before.clipped;
                u32 flags = (v.raises != raises ? DELTA_RAISED : 0) |
                            (v.cuts != cuts ? DELTA_LOWERED : 0) |
                            (v.switches != switches ? BUCKET_SWITCHED : 0) |
                            (clipped ? CLIPPED : 0) | (v.c.by_hand ? DELTA_BY_HAND : 0);
                u64 word = sample_word(v, t, sequence, now, flags, pushes ? (float)clipped / pushes : 0.f);
                if (__all_sync(ALL_LANES, send_sample(run, sequence, word))) {
                    sequence += 1;
                    before = now;
                    raises = v.raises;
                    cuts = v.cuts;
                    switches = v.switches;
                }
            }
            __nanosleep(COURIER_PAUSE_NS);
        }
    }

    // Word `lane` of a SAMPLE (gpu.record.trace).
    __device__ __forceinline__ u64 sample_word(volatile ManagerShared &v, u64 t, u64 sequence,
                                               const Totals &now, u32 flags, float clip_share) {
        u32 lane = lane_id(), head = v.head, assigned = v.assigned;
        if (lane >= 13 && lane < 29) {
            u32 waiting[2];
            for (int i = 0; i < 2; i++) {
                u32 offset = (lane - 13) * 2 + i, slot = (head + offset) % run.buckets;
                u32 count = v.reserved[slot] - v.read[slot];
                waiting[i] = offset < run.buckets && (int)count > 0 ? count : 0;
            }
            return two_words(waiting[0], waiting[1]);
        }
        switch (lane) {
            case 0: return t;
            case 1: return head;
            case 2: return v.switches;
            case 3: return now.processed;
            case 4: return now.relaxed;
            case 5: return now.improved;
            case 6: return __double_as_longlong(v.c.delta);
            case 7: return __double_as_longlong(v.base);
            case 8: return two_words(float_bits(run.band_low), float_bits(run.band_high));
            case 9: return two_words(__float_as_uint(clip_share), float_bits(assigned * run.mean_degree));
            case 10: return two_words(assigned, v.busy);
            case 11: return two_words(v.c.open_heads, flags);
            case 12: return two_words(v.c.by_hand ? BY_HAND : v.reason, v.delta_changes);
            case 29: return sequence;
            default: return 0;
        }
    }
};
