/*
prepare.cu: what happens before an algorithm starts.

pack_rows, pack_arcs   once a graph: row bounds and (head, weight) pairs, side by side
find_owners            once a graph: of each piece of 2^PIECE_SHIFT arcs in one row, whose row it is
begin                  once a run, inside the measured time: clears what the plan wants, clock at 0
*/
#include "common.cuh"

extern "C" __global__ void pack_rows(const long long *indptr, uint2 *rows, u32 n) {
    for (u32 v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x)
        rows[v] = make_uint2((u32)indptr[v], (u32)indptr[v + 1]);
}

extern "C" __global__ void pack_arcs(const u32 *indices, const Dist *weights, ArcWords *arcs,
                                     u32 m) {
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

// A block for each array at first, so that small ones are cleared beside each other.
__device__ void clear(const Run &run) {
    u64 step = gridDim.x * (u64)blockDim.x;
    for (u32 k = 0; k < run.clears; k++) {
        u32 word = run.clear_to[k], block = (blockIdx.x + k) % gridDim.x;
        for (u64 i = block * (u64)blockDim.x + threadIdx.x; i < run.clear_words[k]; i += step)
            run.clear_at[k][i] = make_uint4(word, word, word, word);
    }
}

extern "C" __global__ void begin(const Run *given) {
    const Run &run = *given;
    u64 at = blockIdx.x * (u64)blockDim.x + threadIdx.x, step = gridDim.x * (u64)blockDim.x;
    if (blockIdx.x == 0) {
        for (u32 i = threadIdx.x; i < sizeof(State) / 8; i += blockDim.x) ((u64 *)run.state)[i] = 0;
        __syncthreads();
        if (threadIdx.x == 0) run.state->start_ns = now_ns();
    }
    for (u64 v = at; v < run.n; v += step) {
        run.dist[v] = UNREACHED;
        if (LEVEL < 2) continue;
        run.ticks[v] = make_uint2(NEVER, NEVER);
        run.times[v] = 0;
    }
    for (u64 b = at; b < run.pool_blocks; b += step)
        run.free_blocks[b] = run.pool_blocks - 1 - (u32)b;
    clear(run);
}
