/*
policy.cuh: a policy in the place of ADDS' own controller, compiled with -DPOLICY; the twin of
gpu/model/policy.py.

A policy is  TWIN void rule(Seen &c, double processing, double waiting, double produced,
                            double produced_far, double produced_tail, double switched)
It may set c.delta, c.open_heads and c.m1 to c.m8; gpu/policy.py says what it reads and when.
*/
#pragma once
#include "scheduler.cuh"

#ifdef POLICY
enum { CHANGED = 9, BAD_DELTA = 5, BAD_HEADS = 6 };  // as in gpu.policy

struct Seen {  // gpu.policy.SEEN
    double delta, open_heads, m1, m2, m3, m4, m5, m6, m7, m8;
    double min_open, max_open, floor, ceiling, clip_ceiling, clip_far_share;
    double low_processing, low_total, high_processing, high_total, unit, windows, line;
};

struct Steered : Controller {  // gpu.model.policy.STEERED, but for its addresses
    long long switched, fault;  // fault : what the policy set and cannot be, or 0
    Seen seen;
};

// A product that no compiler makes part of a fused multiply-add: both engines round alike.
#ifdef __CUDA_ARCH__
TWIN double times(double a, double b) { return __dmul_rn(a, b); }
#else
TWIN double times(double a, double b) { return a * b; }
#endif
TWIN double pick(bool test, double a, double b) { return test ? a : b; }

// POLICY_SOURCE
#line 1 "policy.cuh, after the policy"

// Once the weights are known; `unit`: mean weight / mean degree.
TWIN void begin_policy(Steered &c, double unit) {
    c.switched = 0;
    c.fault = 0;
    c.seen = {};
    c.seen.min_open = c.min_open;
    c.seen.max_open = c.max_open;
    c.seen.floor = c.floor_delta;
    c.seen.ceiling = c.ceiling;
    c.seen.clip_ceiling = c.clip_ceiling;
    c.seen.clip_far_share = c.clip_far_share;
    c.seen.low_processing = c.low_processing;
    c.seen.low_total = c.low_total;
    c.seen.high_processing = c.high_processing;
    c.seen.high_total = c.high_total;
    c.seen.unit = unit;
}

TWIN int decide(Steered &c, long long processing, long long waiting, long long produced,
                long long produced_far, long long produced_tail, int switched) {
    c.window_ended = 0;
    c.switched += switched;
    c.sum_processing += processing;
    c.sum_waiting += waiting;
    c.sweeps += 1;
    if (c.sweeps < WINDOW_SWEEPS) return NONE;
    double busy = (double)c.sum_processing / c.sweeps, wait = (double)c.sum_waiting / c.sweeps;
    double moved = (double)c.switched;
    c.sum_processing = 0;
    c.sum_waiting = 0;
    c.switched = 0;
    c.sweeps = 0;
    c.window_ended = 1;
    if (c.by_hand == 1 || c.fault != 0) return NONE;
    Seen &seen = c.seen;
    seen.delta = c.delta;
    seen.open_heads = c.open_heads;
    rule(seen, busy, wait, (double)produced, (double)produced_far, (double)produced_tail, moved);
    seen.windows += 1.0;
    double heads = seen.open_heads;
    if (!(seen.delta >= NARROWEST && seen.delta <= WIDEST)) {
        c.fault = BAD_DELTA;
    } else if (!(heads >= 1.0 && heads <= c.max_open) || heads != floor(heads)) {
        c.fault = BAD_HEADS;
    } else if (seen.delta != c.delta || heads != c.open_heads) {
        c.delta = seen.delta;
        c.inverse_delta = 1.0 / seen.delta;
        c.open_heads = (int)heads;
        return CHANGED;
    }
    return NONE;
}
#else
typedef Controller Steered;
TWIN void begin_policy(Steered &, double) {}
#endif
