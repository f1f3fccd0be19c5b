/*
scheduler.cuh: the twin of gpu/scheduler.py and gpu/delta.py.

The same decisions from the same inputs: gpu/scheduler_vectors.json holds what Python, Numba and
this header, compiled for the host and for the device, must all give. The two Python modules say
what each rule means and where it comes from.

Differs  counters are 32-bit and wrap: every rule uses differences or compares for equality,
         which wrapping keeps. Python's exact integers agree below 2^32. What stays with a worker
         is asked by distance (worker.cuh).
*/
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define TWIN __host__ __device__ __forceinline__
#else
#include <cmath>
#define TWIN inline
#endif

typedef unsigned int u32;
typedef unsigned long long u64;

// ---- gpu/scheduler.py ---------------------------------------------------------------

enum { QUIET_SWEEPS = 2, FAR_OFFSET = 2147483647 };

TWIN int clamp_int(int value, int low, int high) {
    return value < low ? low : (value > high ? high : value);
}

TWIN int raw_offset(double dist, double base, double inverse_delta) {
    double offset = (dist - base) * inverse_delta;
#if defined(__CUDA_ARCH__) && LEVEL < 2  // a conversion there stays in its range; level 2 spills
    return __double2int_rd(offset);
#endif
    offset = floor(offset);
    offset = offset < -2147483648.0 ? -2147483648.0 : offset;
    return (int)(offset > 2147483647.0 ? 2147483647.0 : offset);
}

TWIN int push_offset(int raw, u32 from_bucket, u32 head, int buckets) {
    int offset = clamp_int(raw, 0, buckets - 1);
    return offset == 0 && from_bucket != head ? 1 : offset;
}

TWIN bool clips(int raw, int buckets) { return raw > buckets - 1; }

TWIN u32 readable_end(u32 read, u32 reserved, u32 written, u32 segment) {
    u32 start = read - read % segment;
    if (written == segment) return start + segment;
    if (start + written == reserved) return reserved;
    return read;
}

TWIN bool head_is_finished(u32 reserved, u32 completed) { return completed == reserved; }

TWIN int chunk_size(int available, int idle_workers, int smallest, int largest) {
    int share = (available + idle_workers - 1) / idle_workers;
    int size = share > smallest ? share : smallest;
    size = size < largest ? size : largest;
    return size < available ? size : available;
}

TWIN int quiet(int assigned, int busy_workers, u32 unfinished, int quiet_sweeps) {
    return assigned == 0 && busy_workers == 0 && unfinished == 0 ? quiet_sweeps + 1 : 0;
}

// ---- gpu/delta.py -------------------------------------------------------------------

#define C_NEAR_FAR 32.0
#define NARROWEST 1.0020841800044864e-292  // 2^-970, 2^970: inverses and rings are float64 numbers
#define WIDEST 9.979201547673599e291
#define CLIP_TAIL_SHARE 0.65
#define TINY_DEGREE 1e-9

enum { FAR_BUCKETS = 6, CLIP_MIN_ITEMS = 64, WINDOW_SWEEPS = 8 };
enum { SETTLE_SWITCHES = 6, SMALL_SWITCHES = 7 };

enum Reason {
    NONE, START, STARVED_OPEN, STARVED_RAISE, FLOODED_CLOSE, FLOODED_LOWER, CLIPPING, BY_HAND,
    PROBING
};

struct Controller {  // gpu.delta.CONTROLLER, the same bytes
    double delta, inverse_delta, floor, ceiling, clip_ceiling;
    double low_processing, low_total, high_processing, high_total, clip_far_share;
    long long sum_processing, sum_waiting, settle_left;
    long long quiet_items, queued, small_items, stretch_items, stretch_switches;
    int sweeps, open_heads, min_open, max_open, dynamic, by_hand, probing, window_ended;
};

TWIN double larger(double a, double b) { return a > b ? a : b; }
TWIN double smaller(double a, double b) { return a < b ? a : b; }

TWIN double usable_width(double value, bool integer) {
    if (!(value > 0.0)) return 1.0;
    return smaller(larger(value, integer ? 1.0 : NARROWEST), WIDEST);
}

TWIN double near_far_delta(double mean_weight, double mean_degree, bool integer) {
    return usable_width(C_NEAR_FAR * mean_weight / larger(mean_degree, TINY_DEGREE), integer);
}

TWIN double power_of_two(double value) { return exp2(floor(log2(value) + 0.5)); }

// What `gpu.delta.start` derives from the weights. The rest of the record comes from the host.
struct StartRule {  // chosen by the host; factors are x mean weight / mean degree
    double start_factor, start_floor, ceiling_factor, floor_share;  // floor: x initial delta
    double given;  // the delta that the user fixed, 0 for automatic
    int dynamic, integer;
};

TWIN void set_weights(Controller &c, double mean_weight, double max_weight, double mean_degree,
                      const StartRule &rule) {
    double unit = mean_weight / larger(mean_degree, TINY_DEGREE);
    double wanted = larger(rule.start_factor * unit, rule.start_floor);
    double start = power_of_two(usable_width(wanted, rule.integer));
    if (!rule.dynamic) start = near_far_delta(mean_weight, mean_degree, rule.integer);
    if (rule.given > 0.0) start = rule.given;
    c.delta = start;
    c.inverse_delta = 1.0 / start;
    c.floor = larger(rule.integer ? 1.0 : start / 1048576.0, rule.floor_share * start);
    c.ceiling = larger(start, smaller(rule.ceiling_factor * unit, WIDEST));
    c.clip_ceiling = 2.0 * larger(start, smaller(max_weight, WIDEST));
}

TWIN void change_delta(Controller &c, double delta) {
    c.delta = delta;
    c.inverse_delta = 1.0 / delta;
    c.settle_left = SETTLE_SWITCHES;
    c.stretch_items = 0;
    c.stretch_switches = 0;
}

TWIN int decide(Controller &c, long long processing, long long waiting, long long produced,
                long long produced_far, long long produced_tail, int switched) {
    c.window_ended = 0;
    c.settle_left = c.settle_left > switched ? c.settle_left - switched : 0;
    c.stretch_switches += switched;
    c.sum_processing += processing;
    c.sum_waiting += waiting;
    c.sweeps += 1;
    if (c.sweeps < WINDOW_SWEEPS) return NONE;
    int sweeps = c.sweeps;
    double busy = (double)c.sum_processing, total = (double)(c.sum_processing + c.sum_waiting);
    c.sum_processing = 0;
    c.sum_waiting = 0;
    c.sweeps = 0;
    c.window_ended = 1;
    c.queued += produced;
    c.stretch_items += produced;
    if (c.dynamic == 0 || c.by_hand == 1) return NONE;
    double raised = c.delta * 2.0;
    bool clipping = produced >= CLIP_MIN_ITEMS && (produced_tail > CLIP_TAIL_SHARE * produced ||
                     produced_far > c.clip_far_share * produced);
    if (clipping && raised <= c.clip_ceiling) {
        change_delta(c, raised);
        c.floor = raised;
        return CLIPPING;
    }
    if (c.small_items > 0 && c.stretch_switches >= SMALL_SWITCHES) {
        bool small = c.stretch_items < c.stretch_switches * c.small_items;
        c.stretch_items = 0;
        c.stretch_switches = 0;
        if (small && raised <= c.ceiling) {
            c.delta = raised;
            c.inverse_delta = 1.0 / raised;
            return STARVED_RAISE;
        }
    }
    if (c.queued < c.quiet_items || (c.settle_left > 0 && c.probing == 0)) return NONE;
    if (busy < c.low_processing * sweeps && total < c.low_total * sweeps) {
        if (c.open_heads < c.max_open) {
            c.open_heads += 1;
            return STARVED_OPEN;
        }
        if (raised > c.ceiling) {
            c.probing = 0;
            return NONE;
        }
        change_delta(c, raised);
        return c.probing == 1 ? PROBING : STARVED_RAISE;
    }
    c.probing = 0;
    if (busy > c.high_processing * sweeps && total > c.high_total * sweeps) {
        if (c.open_heads > c.min_open) {
            c.open_heads -= 1;
            return FLOODED_CLOSE;
        }
        double lowered = c.delta * 0.5;
        if (lowered >= c.floor) {
            change_delta(c, lowered);
            return FLOODED_LOWER;
        }
    }
    return NONE;
}

TWIN void take_over(Controller &c, double delta) {
    c.delta = delta;
    c.inverse_delta = 1.0 / delta;
    c.by_hand = 1;
}

TWIN void hand_back(Controller &c) {
    c.by_hand = 0;
    c.settle_left = SETTLE_SWITCHES;
    c.sum_processing = 0;
    c.sum_waiting = 0;
    c.sweeps = 0;
}
