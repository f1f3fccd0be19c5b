/*
async_pacer.cuh: the pacer, one warp of the grid, which moves the threshold; and the courier.

The pacer reads the reports of all blocks again and again. Where they have less near than `target`,
and something is far, the threshold goes to a stride beyond the nearest that is far: before near is
empty, so that nobody waits, and late enough that little is processed in vain. Then blocks have
`settle` readings of time to find what has become near.
*/
#pragma once
#include "async_herald.cuh"

#define REPORTS_A_LANE 6  // blocks that one warp can look after, in warps
#define READINGS_A_LOOK 32u  // readings between two looks at the clock and at what went wrong

struct PacerShared {  // written by the pacer, for the courier; wishes the other way
    Wishes wishes;
    u32 near, far, busy_blocks, status, moves;
    double threshold, stride;
};

// How far the threshold moves at a time: the host's, or factor x mean weight / mean degree.
DEVICE double first_stride() {
    if (RUN.rule.given > 0.0) return RUN.rule.given;
    double degree = larger(RUN.mean_degree, TINY_DEGREE);
    return usable_width(RUN.rule.start_factor * RUN.mean_weight / degree, !WEIGHT_FLOAT);
}

struct Pacer {
    PacerShared &p;
    double automatic = first_stride(), stride = automatic, threshold = automatic;
    Dist bits = as_threshold(automatic);
    u32 settle = 0, moves = 0, readings = 0, quiet = 0, versions_before = 0, status = RUNNING;
    // the reports, added up
    u32 near, all, versions, idle;
    Dist nearest;
    bool begun;  // block 0, which has the source, has reported

    DEVICE void read_reports() {
        uint4 told[REPORTS_A_LANE];
        u64 waits[REPORTS_A_LANE];
        for (int i = 0; i < REPORTS_A_LANE; i++) {
            u32 block = i * 32 + lane_id();
            told[i] = make_uint4(0, 0, 0, 1);
            waits[i] = NO_DIST;
            if (block < RUN.workers) {
                told[i] = peek(RUN.reports + block);
                waits[i] = peek(RUN.assign + block);
            }
        }
        near = 0;
        all = 0;
        versions = 0;
        idle = 0;
        nearest = NO_DIST;
        for (int i = 0; i < REPORTS_A_LANE; i++) {
            near += told[i].x;
            all += told[i].y;
            versions += told[i].z;
            idle += told[i].w == 0;
            if (told[i].z != 0) nearest = min(nearest, (Dist)waits[i]);
        }
        near = sum_over_lanes(near);
        all = sum_over_lanes(all);
        versions = sum_over_lanes(versions);
        idle = sum_over_lanes(idle);
        begun = __shfl_sync(ALL_LANES, told[0].z, 0) != 0;
    }

    // A stride beyond the nearest that is far, or just past it where a stride is lost in rounding.
    DEVICE void move_threshold() {
        nearest = least_over_lanes(nearest);
        bool known = nearest < UNREACHED;
        if (known) threshold = larger(threshold, value_of(nearest));
        threshold += stride;
        bits = max(bits, as_threshold(threshold));
        if (known && bits <= nearest) bits = nearest + 1;
        settle = RUN.flush_rounds;
        moves += 1;
    }

    DEVICE void look_around() {
        const volatile PacerShared &wishes = p;
        double held = wishes.wishes.delta;
        stride = held > 0.0 ? held : automatic;
        u32 fault = peek(RUN.table + FAULT);
        if (wishes.wishes.stop) status = wishes.wishes.stop;
        if (fault != RUNNING) status = fault;
        status = __shfl_sync(ALL_LANES, status, 0);
        stride = __shfl_sync(ALL_LANES, stride, 0);
    }

    DEVICE void tell() {
        u64 far_bits = as_threshold(stride);
        uint4 told = make_uint4((u32)bits, (u32)((u64)bits >> 32), idle, status);
        if (lane_id() == 0) poke((uint4 *)RUN.table, told);
        if (lane_id() == 1) poke((u64 *)(RUN.table + STRIDE), far_bits);
        if (LEVEL >= 1 && lane_id() == 2) {
            volatile PacerShared &to = p;
            to.near = (int)near > 0 ? near : 0;
            to.far = (int)(all - near) > 0 ? all - near : 0;
            to.busy_blocks = RUN.workers - idle;
            to.moves = moves;
            to.threshold = threshold;
            to.stride = stride;
        }
    }

    DEVICE void work() {
        while (status == RUNNING) {
            read_reports();
            readings += 1;
            if (settle > 0) settle -= 1;
            bool same = quiet == 0 || versions == versions_before;
            quiet = all == 0 && begun && same ? quiet + 1 : 0;
            versions_before = versions;
            if (quiet >= 3) status = FINISHED;
            else if (readings % READINGS_A_LOOK == 0) look_around();
            if (begun && settle == 0 && near < RUN.buckets && all > near) move_threshold();
            tell();
        }
        if (lane_id() == 0) end();
    }

    DEVICE void end() {
        bool by_hand = look(p.wishes.delta) > 0.0;
        leave_record(status, moves, stride, threshold - stride, START, by_hand);
        RUN.state->sweeps = readings;
        leave(p.status, status);
    }
};

// What the courier tells the host.
struct AsyncSampler {
    PacerShared &p;
    u32 moves = 0;

    DEVICE bool runs() const { return look(p.status) == RUNNING; }
    DEVICE void sent() { moves = look(p.moves); }

    // Word `lane` of a SAMPLE (gpu.record.trace).
    DEVICE u64 word(u64 t, u64 sequence) const {
        const volatile PacerShared &v = p;
        Stats now = sum_totals();
        bool held = v.wishes.delta > 0.0;
        u32 flags = (v.moves != moves ? BUCKET_SWITCHED : 0) | (held ? DELTA_BY_HAND : 0);
        switch (lane_id()) {
            case 0: return t;
            case 1: case 2: return v.moves;
            case 3: return now.processed;
            case 4: return now.relaxed;
            case 5: return now.improved;
            case 6: return double_bits(v.stride);
            case 7: return double_bits(v.threshold - v.stride);
            case 9: return two_words(0, edges_of(v.near));
            case 10: return two_words(v.near, v.busy_blocks);
            case 11: return two_words(1, flags);
            case 12: return two_words(held ? BY_HAND : START, 0);
            case 13: return two_words(v.near, v.far);
            case 29: return sequence;
            default: return 0;
        }
    }
};
