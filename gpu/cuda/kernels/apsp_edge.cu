/*
apsp_edge.cu: all pairs by edges: a block relaxes every arc of its source, round after round.

Launch   edge_shared or edge_global<<<any, THREADS>>>(job); the first with a row of dynamic
         shared memory. `begin` once before the first chunk.
Reads    tails, arcs      Writes   out, progress, at probe level 2 begun, ended, rounds

Whether a round changed anything is known to all threads at its closing barrier
(`__syncthreads_or`), so that there is no flag to be set, reset and raced for. Threads take arcs
in turn, UNROLL of each thread's in flight; a look saves most atomics.
*/
#include "apsp_row.cuh"

#define UNROLL 4
#define GLANCE 64  // turns between two looks at Stop inside a round

extern __shared__ Dist DYNAMIC[];

// One round of one thread: whether it lowered a distance.
__device__ __forceinline__ bool relax_share(Block &block, Dist *row, bool &quit) {
    const Job &job = block.job;
    bool changed = false;
    u32 turn = 0;
#pragma unroll 1
    for (u32 base = threadIdx.x; base < job.m; base += THREADS * UNROLL) {
        u32 tail[UNROLL];
        Arc to[UNROLL];
#pragma unroll
        for (int j = 0; j < UNROLL; j++) {
            u32 a = base + j * THREADS;
            bool real = a < job.m;
            tail[j] = real ? __ldg(job.tails + a) : 0;
            to[j] = real ? arc_at(job.arcs + a) : Arc{0, NO_DIST};
        }
#pragma unroll
        for (int j = 0; j < UNROLL; j++) {
            if (to[j].weight == NO_DIST) continue;
            Dist known = look(row + tail[j]);
            if (known >= UNREACHED) continue;
            Dist reach = plus(known, to[j].weight), there = look(row + to[j].head);
            if (reach < there) {
                bool won = reach < atomicMin(row + to[j].head, reach);
                block.counts.improved += won;
                changed |= won;
            } else if (reach >= UNREACHED && there == UNREACHED) {
                block.counts.suspect = true;
            }
        }
        if (++turn % GLANCE == 0) {
            block.poll();
            quit = block.has_quit();
            if (quit) break;
        }
    }
    return changed;
}

template <bool ROW_SHARED> __device__ __forceinline__ void all_sources(const Job *given) {
    __shared__ Job job;
    __shared__ Shared shared;
    if (threadIdx.x < sizeof(Job) / 4) ((u32 *)&job)[threadIdx.x] = ((const u32 *)given)[threadIdx.x];
    __syncthreads();
    Block block(job, shared);
    block.open();
    __syncthreads();
    while (block.take()) {
        Dist *row = ROW_SHARED ? DYNAMIC : block.output();
        block.fill(row);
        __syncthreads();
        u32 rounds = 0;
        bool going = true, quit = false;
        while (going) {
            bool changed = relax_share(block, row, quit);
            block.poll();
            quit |= block.has_quit();
            rounds += 1;
            going = __syncthreads_or(changed || LOSE == LOST_QUIET);
            quit = __syncthreads_or(quit);
            if (quit) return;
        }
        if (__syncthreads_or(block.counts.suspect)) check_range(&job, &shared, row);
        if (threadIdx.x == 0) shared.relaxed = (u64)job.m * rounds;
        if (ROW_SHARED) block.write_out(row);
        __syncthreads();
        block.close((u64)job.n * rounds, rounds, 0);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) edge_shared(const Job *job) { all_sources<true>(job); }
extern "C" __global__ void __launch_bounds__(THREADS) edge_global(const Job *job) { all_sources<false>(job); }

extern "C" __global__ void begin(Control *control) { control->origin_ns = now_ns(); }
