/*
prepare.cu: what happens before an algorithm starts.

pack_rows, pack_arcs   once a graph: row bounds and (head, weight) pairs, side by side
find_owners            once a graph: for each piece of 2^PIECE_SHIFT arcs that lies in one row, whose
begin                  once a run, inside the measured time: every distance unreached, weights
                       summed for the initial delta, queues and counters at zero, the clock at 0
scout                  before `begin`, by one block: what lies around the source (scout.cuh)
*/
#include "scout.cuh"

extern "C" __global__ void pack_rows(const long long *indptr, uint2 *rows, u32 n) {
    for (u32 v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x)
        rows[v] = make_uint2((u32)indptr[v], (u32)indptr[v + 1]);
}

extern "C" __global__ void pack_arcs(const u32 *indices, const Dist *weights, ArcWords *arcs, u32 m) {
    for (u64 a = blockIdx.x * (u64)blockDim.x + threadIdx.x; a < m; a += gridDim.x * blockDim.x)
        arcs[a] = {indices[a], weights[a]};
}

extern "C" __global__ void find_owners(const uint2 *rows, u32 *owners, u32 n) {
    for (u32 v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
        uint2 row = rows[v];
        u32 piece = (row.x + (1u << PIECE_SHIFT) - 1) >> PIECE_SHIFT;
        for (; piece < row.y >> PIECE_SHIFT; piece++) owners[piece] = v;
    }
}

#define ARCS_A_LOAD (WEIGHT_WIDE ? 1 : 2)  // of 16 bytes

__device__ void sum_weights(const Run &run, u64 at, u64 step) {
    u64 sum = 0;
    double total = 0.0;
    Dist most = 0;
    for (u64 place = at; place < run.m / ARCS_A_LOAD; place += step) {
        uint4 words = __ldg((const uint4 *)run.arcs + place);
        Dist first = WEIGHT_WIDE ? (Dist)((u64)words.w << 32 | words.z) : words.y, second = WEIGHT_WIDE ? 0 : words.w;
        most = max(most, max(first, second));
        if (WEIGHT_FLOAT || WEIGHT_WIDE) total += value_of(first) + value_of(second);
        else sum += (u64)first + second;
    }
    if (at == 0 && run.m % ARCS_A_LOAD) {
        Dist last = run.arcs[run.m - 1].y;
        most = max(most, last);
        if (WEIGHT_FLOAT || WEIGHT_WIDE) total += value_of(last);
        else sum += last;
    }
    for (int reach = 16; reach > 0; reach /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, reach);
        total += __shfl_xor_sync(ALL_LANES, total, reach);
        most = max(most, __shfl_xor_sync(ALL_LANES, most, reach));
    }
    if (lane_id() != 0) return;
    if (WEIGHT_FLOAT || WEIGHT_WIDE) atomicAdd(&run.state->weight_total, total);
    else atomicAdd(&run.state->weight_sum, sum);
    atomicMax(&run.state->weight_max, most);
}

// The launcher has cleared `state` and stats just before, on the same stream.
extern "C" __global__ void begin(const Run *given) {
    const Run &run = *given;
    u64 at = blockIdx.x * (u64)blockDim.x + threadIdx.x, step = gridDim.x * (u64)blockDim.x;
    if (at == 0) run.state->start_ns = now_ns();
    for (u64 v = at; v < run.n; v += step) {
        run.dist[v] = UNREACHED;
        if (LEVEL >= 2) run.first_ticks[v] = run.last_ticks[v] = NEVER, run.times[v] = 0;
    }
    for (u64 b = at; b < run.pool_blocks; b += step) run.free_blocks[b] = run.pool_blocks - 1 - (u32)b;
    sum_weights(run, at, step);
}

// Before `begin`, in place of the launcher's clearing: one block clears and looks around.
extern "C" __global__ void scout(const Run *given, uint4 *cleared, u32 words) {
    __shared__ Scout shared;
    for (u32 i = threadIdx.x; i < words; i += blockDim.x) cleared[i] = make_uint4(0, 0, 0, 0);
    shared.look(*given);
}
