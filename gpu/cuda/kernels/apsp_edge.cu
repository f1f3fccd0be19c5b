/*
apsp_edge.cu: all pairs by edges: a block relaxes every arc of its source, round after round.

Launch   edge_shared or edge_global<<<any, THREADS>>>(job); the first with a row of dynamic
         shared memory. `begin` once before the first chunk.
Reads    tails, arcs      Writes   out, progress, at probe level 2 begun, ended, rounds

All threads learn at a round's closing barrier (`__syncthreads_or`) whether it changed anything:
no flag is set, reset and raced for.
*/
#include "apsp_row.cuh"

#define UNROLL 4
#define GLANCE 64  // turns between two looks at Stop inside a round

template <bool ROW_SHARED> struct Rounds {
    Block &block;
    Dist *row = DYNAMIC;

    // One round of one thread: whether it lowered a distance.
    DEVICE bool relax_share() {
        const Job &job = block.job;
        bool changed = false;
        u32 turn = 0;
        for (u32 base = threadIdx.x; base < job.m; base += THREADS * UNROLL) {
            u32 tail[UNROLL];
            Arc to[UNROLL];
            for (int j = 0; j < UNROLL; j++) {
                u32 a = base + j * THREADS;
                bool real = a < job.m;
                tail[j] = real ? __ldg(job.tails + a) : 0;
                to[j] = real ? arc_at(job.arcs + a) : Arc{0, NO_DIST};
            }
            for (int j = 0; j < UNROLL; j++) {
                if (to[j].weight == NO_DIST) continue;
                Dist known = look(row[tail[j]]);
                if (known >= UNREACHED) continue;
                Dist reach = plus(known, to[j].weight), there = look(row[to[j].head]);
                if (reach < there) {
                    bool won = reach < atomicMin(row + to[j].head, reach);
                    block.counts.improved += won;
                    changed |= won;
                } else if (reach >= UNREACHED && there == UNREACHED) {
                    block.counts.suspect = true;
                }
            }
            if (++turn % GLANCE != 0) continue;
            block.poll();
            if (block.has_quit()) break;
        }
        return changed;
    }

    // All threads: one source; false where the host wants an end.
    DEVICE bool run() {
        if (!ROW_SHARED) row = block.output();
        block.fill(row);
        __syncthreads();
        u32 rounds = 0;
        for (bool going = true; going; rounds++) {
            bool changed = relax_share();
            block.poll();
            going = __syncthreads_or(changed);
            if (__syncthreads_or(block.has_quit())) return false;
        }
        if (threadIdx.x == 0) block.s.relaxed = (u64)block.job.m * rounds;
        block.close(row, !ROW_SHARED, (u64)block.job.n * rounds, rounds, 0);
        return true;
    }
};

#define KERNEL(name, shared)                                                              \
    extern "C" __global__ void __launch_bounds__(THREADS) name(const Job *job) {          \
        all_sources<Rounds<shared>>(job);                                                 \
    }
KERNEL(edge_shared, true)
KERNEL(edge_global, false)
