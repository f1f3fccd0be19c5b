/*
policy.cuh: a policy in the place of ADDS' own controller, compiled with -DPOLICY; the twin of
gpu/model/policy.py.

A policy, as gpu/policy.py translates it, is a function `rule`: it may set c.delta, c.open_heads and
c.m1 to c.m8.
*/
#pragma once
#include "scheduler.cuh"

#ifdef POLICY
enum { CHANGED = 9, BAD_DELTA = 5, BAD_HEADS = 6 };  // as in gpu.policy

struct Seen {  // gpu.policy.OWN, and the line
    double delta, open_heads, m1, m2, m3, m4, m5, m6, m7, m8, unit, windows, line;
};

struct Steered : Controller {
    long long fault;  // what the policy set and cannot be, or 0
    Seen seen;
};

// A product that no compiler makes part of a fused multiply-add: both engines round alike.
#ifdef __CUDA_ARCH__
TWIN double times(double a, double b) { return __dmul_rn(a, b); }
#else
TWIN double times(double a, double b) { return a * b; }
#endif
TWIN double over(double a, double b) { return a / b; }
TWIN double real(double a) { return a; }

// POLICY_SOURCE

// Once the weights are known; `unit`: mean weight / mean degree.
TWIN void begin_policy(Steered &c, double unit) {
    c.dynamic = 0;
    c.fault = 0;
    c.seen = {};
    c.seen.unit = unit;
}

TWIN int decide(Steered &c, long long processing, long long waiting, long long produced,
                long long produced_far, long long produced_tail, int switched) {
    int sweeps = c.sweeps + 1;
    double busy = (double)(c.sum_processing + processing) / sweeps;
    double wait = (double)(c.sum_waiting + waiting) / sweeps;
    double moved = (double)(c.stretch_switches + switched);
    Controller &own = c;  // not dynamic: it sums, and decides nothing
    decide(own, processing, waiting, produced, produced_far, produced_tail, switched);
    if (!c.window_ended || c.by_hand == 1 || c.fault != 0) return NONE;
    c.stretch_switches = 0;
    Seen &seen = c.seen;
    seen.delta = c.delta;
    seen.open_heads = c.open_heads;
    rule(seen, c, busy, wait, produced, produced_far, produced_tail, moved);
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
