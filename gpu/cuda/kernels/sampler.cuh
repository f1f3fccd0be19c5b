/*
sampler.cuh: the courier warp of ADDS: a SAMPLE each period out of the manager's state, and the
host's wishes into it. The manager never waits for it.
*/
#pragma once
#include "reader.cuh"

struct Sampler {
    ManagerShared &s;
    Stats before = {}, now = {};
    u64 switches = 0;
    u32 raises = 0, cuts = 0;

    DEVICE bool runs() const { return look(s.status) == RUNNING; }

    // Word `lane` of a SAMPLE (gpu.record.trace).
    DEVICE u64 word(u64 t, u64 sequence) {
        const volatile ManagerShared &v = s;
        u32 lane = lane_id(), head = v.head, assigned = v.assigned;
        now = sum_totals();
        u64 pushes = now.improved - before.improved, clipped = now.clipped - before.clipped;
        float clip_share = pushes ? (float)clipped / pushes : 0.f;
        u32 flags = (v.raises != raises ? DELTA_RAISED : 0) | (v.cuts != cuts ? DELTA_LOWERED : 0) |
                    (v.switches != switches ? BUCKET_SWITCHED : 0) | (clipped ? CLIPPED : 0) |
                    (v.c.by_hand ? DELTA_BY_HAND : 0);
        if (lane >= 13 && lane < 29) {
            u32 offset = (lane - 13) * 2;
            return two_words(waiting(head, offset), waiting(head, offset + 1));
        }
        switch (lane) {
            case 0: return t;
            case 1: return head;
            case 2: return v.switches;
            case 3: return now.processed;
            case 4: return now.relaxed;
            case 5: return now.improved;
            case 6: return double_bits(v.c.delta);
            case 7: return double_bits(v.base);
            case 8: return two_words(float_bits(RUN.band_low), float_bits(RUN.band_high));
            case 9: return two_words(__float_as_uint(clip_share), edges_of(assigned));
            case 10: return two_words(assigned, v.busy);
            case 11: return two_words(v.c.open_heads, flags);
            case 12: return two_words(v.c.by_hand ? BY_HAND : v.reason, v.delta_changes);
            case 29: return sequence;
            case 30: return double_bits(now.error);
            case 31: return now.measured;
            default: return 0;
        }
    }

    // Items of the bucket `offset` after the head that nobody has been given.
    DEVICE u32 waiting(u32 head, u32 offset) const {
        u32 slot = (head + offset) % RUN.buckets;
        u32 count = look(s.reserved[slot]) - look(s.read[slot]);
        return offset < RUN.buckets && (int)count > 0 ? count : 0;
    }

    // What the next sample tells changes of.
    DEVICE void sent() {
        before = now;
        raises = look(s.raises);
        cuts = look(s.cuts);
        switches = look(s.switches);
    }
};

// The courier warp, until the manager has ended.
__device__ __noinline__ void carry_samples(ManagerShared &s) {
    Sampler sampler{s};
    carry(s.wishes, sampler);
}
