/*
lanes.cuh: what a thread knows of its warp, and what the lanes of a warp do together.
A function is for one thread, unless it says "all lanes" or "all threads".
*/
#pragma once

#define DEVICE __device__ __forceinline__
#define ALL_LANES 0xffffffffu

typedef unsigned int u32;
typedef unsigned long long u64;

DEVICE u32 lane_id() { return threadIdx.x & 31; }
DEVICE u32 warp_id() { return threadIdx.x >> 5; }
DEVICE u32 lanes_below() { return (1u << lane_id()) - 1; }

DEVICE u64 now_ns() {
    u64 t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
}

// What other threads change meanwhile, in shared memory or in a block's own row.
template <class Word> DEVICE Word look(const Word &at) { return *(const volatile Word *)&at; }
template <class Word> DEVICE void leave(Word &at, Word value) { *(volatile Word *)&at = value; }

// All lanes: one value of all of theirs; by one instruction where the device has it.
template <class Word, class Fold, class Reduce>
DEVICE Word over_lanes(Word value, Fold fold, Reduce reduce) {
#if __CUDA_ARCH__ >= 800
    if constexpr (sizeof(Word) == 4) return reduce(value);
#endif
    for (int reach = 16; reach > 0; reach /= 2)
        value = fold(value, __shfl_xor_sync(ALL_LANES, value, reach));
    return value;
}
template <class Word> DEVICE Word sum_over_lanes(Word value) {
    auto reduce = [](auto mine) { return __reduce_add_sync(ALL_LANES, mine); };
    return over_lanes(value, [](Word a, Word b) { return a + b; }, reduce);
}
template <class Word> DEVICE Word least_over_lanes(Word value) {
    auto reduce = [](auto mine) { return __reduce_min_sync(ALL_LANES, mine); };
    return over_lanes(value, [](Word a, Word b) { return min(a, b); }, reduce);
}
template <class Word> DEVICE Word most_over_lanes(Word value) {
    auto reduce = [](auto mine) { return __reduce_max_sync(ALL_LANES, mine); };
    return over_lanes(value, [](Word a, Word b) { return max(a, b); }, reduce);
}

// All lanes: add once for all; returns what was there before. Of `laneid` the compiler knows that
// one lane adds; of `lane_id` it believes that many do, and sums up for them first.
DEVICE u32 add_for_all(u32 *at, u32 value) {
    u32 before = 0, lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    if (lane == 0) before = atomicAdd(at, value);
    return __shfl_sync(ALL_LANES, before, 0);
}

// How many lanes of `who` stand before this one.
DEVICE u32 rank_in(u32 who) { return __popc(who & lanes_below()); }

// All lanes: a place for each lane of `who`, counted by `counter`.
DEVICE u32 places(u32 who, u32 *counter) {
    return add_for_all(counter, __popc(who)) + rank_in(who);
}

// The sum over this lane and those before it, among the first `lanes` lanes, a power of two.
DEVICE u32 prefix_sum(u32 value, u32 lanes) {
#pragma unroll 1
    for (u32 reach = 1; reach < lanes; reach *= 2) {
        u32 other = __shfl_up_sync(ALL_LANES, value, reach);
        if (lane_id() >= reach) value += other;
    }
    return value;
}

// The lane whose vertex has arc number `place` of the row of all arcs.
DEVICE u32 owner_of(u32 place, u32 scan, u32 lanes) {
    u32 found = 0;
#pragma unroll 1
    for (u32 half = lanes / 2; half > 0; half /= 2)
        if (__shfl_sync(ALL_LANES, scan, found + half - 1) <= place) found += half;
    return found;
}
