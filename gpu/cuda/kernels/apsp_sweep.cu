/*
apsp_sweep.cu: all pairs with one bit a vertex: delta-stepping (`delta_*`) and our own (`fast_*`).

Launch   NAME_shared   row and bits in shared memory: 4 n + 4 words (delta: 8 words) + list
         NAME_mixed    bits in shared memory, the row in the output
         NAME_global   both in global memory, for more than a million vertices
         <<<any, THREADS, dynamic>>>(job)
Reads    rows, arcs       Writes   out, progress, at probe level 2 begun, ended, rounds

A bit says that a vertex was improved and has not been processed since. A round has two halves
with a barrier after each. *Collect*: a thread scans words that are its own, so taking bits out
needs no atomics; vertices nearer than `edge` go to a list of LIST places, the others
stay. *Relax*: LANES threads a vertex of the list, a whole warp for a vertex of many arcs; what
improves gets its bit. So a vertex is never in the list twice, nothing can overflow, and what
does not fit the list waits for the next round.

Where nothing is nearer than `edge`: delta-stepping first relaxes the heavy arcs of everything
that was taken since the bucket was opened (a second bit), then opens the bucket of the nearest
waiting vertex; `fast` has no heavy arcs and puts the edge at delta beyond the nearest. No
empty bucket is ever looked at.
*/
#include "apsp_row.cuh"

#define LIST 1024u
#define LANES 4u      // threads that share one vertex's arcs
#define HUB 128u      // arcs from which on a whole warp does
#define UNROLL 4

extern __shared__ u32 DYNAMIC[];

template <bool SMALL> struct ListOf { typedef u32 Item; };
template <> struct ListOf<true> { typedef unsigned short Item; };  // a row in shared memory: n < 65,536

template <bool SPLIT, bool ROW_SHARED, bool BITS_SHARED> struct Sweep {
    typedef typename ListOf<ROW_SHARED>::Item Item;
    Block &block;
    const Job &job;
    Shared &s;
    u32 *row, *waiting, *heavy;
    Item *list;
    u32 edge, light, phase = 0;

    __device__ __forceinline__ Sweep(Block &block) : block(block), job(block.job), s(block.s) {
        u32 *next = DYNAMIC;
        if (ROW_SHARED) row = next, next += job.n;
        if (BITS_SHARED) {
            waiting = next, next += job.words;
            if (SPLIT) heavy = next, next += job.words;
        } else {
            waiting = job.bits + (u64)blockIdx.x * 2 * job.words;
            heavy = waiting + job.words;
        }
        list = (Item *)next;
    }

    __device__ __forceinline__ void start() {
        if (!ROW_SHARED) row = block.output();
        for (u32 w = threadIdx.x; w < job.words; w += THREADS) {
            waiting[w] = 0;
            if (SPLIT) heavy[w] = 0;
        }
        block.fill(row);  // has a barrier
        u32 source = job.first + s.row;
        if (threadIdx.x == 0) waiting[source >> 5] = 1u << (source & 31);
        light = as_light(s.delta);
        edge = as_edge(s.delta, 0);
        phase = 0;
        __syncthreads();
    }

    // The heaviest light arc, as bits.
    __device__ __forceinline__ u32 as_light(double delta) const {
        if (delta >= value_of(UNREACHED)) return UNREACHED;
        return WEIGHT_FLOAT ? __float_as_uint(__double2float_rd(delta)) : (u32)floor(delta);
    }

    // The end of a bucket, as bits, beyond `nearest` whatever rounding says.
    __device__ __forceinline__ u32 as_edge(double value, u32 nearest) const {
        u32 bits = UNREACHED;
        if (value < value_of(UNREACHED))
            bits = WEIGHT_FLOAT ? __float_as_uint((float)value) : (u32)ceil(value);
        return max(bits, nearest + 1);
    }

    // All threads, before a barrier: bits below `edge` (all of them where HEAVY) to the list.
    // Returns the nearest that this thread left behind.
    template <bool HEAVY> __device__ __forceinline__ u32 collect() {
        u32 nearest = UNREACHED;
        u32 *bits = HEAVY ? heavy : waiting;
#pragma unroll 1
        for (u32 w = threadIdx.x; w < job.words; w += THREADS) {
            u32 word = bits[w], taken = HEAVY ? word : 0;
            if (word == 0) continue;
            if (!HEAVY)
                for (u32 left = word; left != 0; left &= left - 1) {
                    u32 bit = __ffs(left) - 1, known = look(row + w * 32 + bit);
                    if (known < edge) taken |= 1u << bit;
                    else nearest = min(nearest, known);
                }
            if (taken == 0) continue;
            u32 place = atomicAdd(&s.count[phase], (u32)__popc(taken)), late = 0;
            for (u32 left = taken; left != 0; left &= left - 1, place++) {
                u32 bit = __ffs(left) - 1;
                if (place < LIST) list[place] = (Item)(w * 32 + bit);
                else late |= 1u << bit;
            }
            bits[w] = (word & ~taken) | late;
            if (SPLIT && !HEAVY) heavy[w] |= taken & ~late;
        }
        return nearest;
    }

    __device__ __forceinline__ void relax(u32 known, uint2 to) {
        u32 reach = plus(known, to.y), there = look(row + to.x);
        if (reach < there) {
            if (reach < atomicMin(row + to.x, reach)) {
                atomicOr(waiting + (to.x >> 5), 1u << (to.x & 31));
                block.counts.improved += 1;
            }
        } else if (reach >= UNREACHED && there == UNREACHED) {
            block.counts.suspect = true;
        }
    }

    // Arcs [first, end) of one vertex by `lanes` threads, of which this is number `lane`.
    template <bool HEAVY>
    __device__ __forceinline__ void relax_arcs(u32 known, u32 first, u32 end, u32 lane, u32 lanes) {
#pragma unroll 1
        for (u32 base = first + lane; base < end; base += lanes * UNROLL) {
            uint2 to[UNROLL];
            bool real[UNROLL];
#pragma unroll
            for (int j = 0; j < UNROLL; j++) {
                u32 a = base + j * lanes;
                real[j] = a < end;
                to[j] = real[j] ? __ldg(job.arcs + a) : make_uint2(0, 0);
            }
#pragma unroll
            for (int j = 0; j < UNROLL; j++) {
                if (!real[j] || (SPLIT && (to[j].y > light) != HEAVY)) continue;
                block.counts.relaxed += 1;
                relax(known, to[j]);
            }
        }
    }

    // All threads, before a barrier: the arcs of the `count` vertices of the list.
    template <bool HEAVY> __device__ __forceinline__ void relax_list(u32 count) {
        const u32 lane = threadIdx.x & 31, part = lane % LANES;
#pragma unroll 1
        for (u32 base = (threadIdx.x & ~31u) / LANES; base < count; base += THREADS / LANES) {
            u32 place = base + lane / LANES, known = 0;
            uint2 arcs = make_uint2(0, 0);
            if (place < count) {
                u32 vertex = list[place];
                arcs = __ldg(job.rows + vertex);
                known = look(row + vertex);
            }
            u32 hubs = __ballot_sync(ALL_LANES, part == 0 && arcs.y - arcs.x > HUB);
            while (hubs != 0) {
                u32 owner = __ffs(hubs) - 1;
                u32 from = __shfl_sync(ALL_LANES, known, owner);
                u32 first = __shfl_sync(ALL_LANES, arcs.x, owner);
                u32 end = __shfl_sync(ALL_LANES, arcs.y, owner);
                relax_arcs<HEAVY>(from, first, end, lane, 32);
                if (lane / LANES == owner / LANES) arcs.x = arcs.y;
                hubs &= hubs - 1;
            }
            relax_arcs<HEAVY>(known, arcs.x, arcs.y, part, LANES);
        }
        if (threadIdx.x == 0) s.count[phase ^ 1] = 0;
        block.poll();
    }

    // One round, both halves. Returns how many vertices were in the list; `nearest` is that
    // of this thread.
    template <bool HEAVY> __device__ __forceinline__ u32 round(u32 &nearest) {
        nearest = collect<HEAVY>();
        __syncthreads();
        u32 count = s.count[phase];
        if (threadIdx.x == 0) s.lowest = UNREACHED;
        relax_list<HEAVY>(min(count, LIST));
        phase ^= 1;
        __syncthreads();
        return count;
    }

    // All threads: the nearest waiting vertex of the block.
    __device__ __forceinline__ u32 nearest_of_all(u32 mine) {
#pragma unroll
        for (int reach = 16; reach > 0; reach /= 2) mine = min(mine, __shfl_xor_sync(ALL_LANES, mine, reach));
        if ((threadIdx.x & 31) == 0 && mine != UNREACHED) atomicMin(&s.lowest, mine);
        __syncthreads();
        return s.lowest;
    }

    // All threads: one source; false where the host wants an end.
    __device__ __forceinline__ bool run() {
        u64 processed = 0;
        u32 rounds = 0, switches = 0, nearest;
        bool taken = false;
        start();
        for (;;) {
            u32 count = round<false>(nearest);
            rounds += 1;
            processed += min(count, LIST);
            if (*(volatile u32 *)&s.quit) return false;
            if (count > 0) {
                taken = true;
                continue;
            }
            if (SPLIT && taken) {
                u32 unused;
                do {
                    count = round<true>(unused);
                    rounds += 1;
                } while (count > LIST);
                taken = false;
                continue;
            }
            u32 lowest = nearest_of_all(nearest);
            if (lowest == UNREACHED) break;
            double at = value_of(lowest);
            edge = as_edge(SPLIT ? (floor(at / s.delta) + 1.0) * s.delta : at + s.delta, lowest);
            switches += 1;
        }
        if (__syncthreads_or(block.counts.suspect)) check_range(&job, &s, row);
        if (ROW_SHARED) block.write_out(row);
        __syncthreads();
        block.close(processed, rounds, switches);
        return true;
    }
};

template <bool SPLIT, bool ROW_SHARED, bool BITS_SHARED>
__device__ __forceinline__ void all_sources(const Job *given) {
    __shared__ Job job;
    __shared__ Shared shared;
    if (threadIdx.x < sizeof(Job) / 4) ((u32 *)&job)[threadIdx.x] = ((const u32 *)given)[threadIdx.x];
    __syncthreads();
    Block block(job, shared);
    block.open();
    __syncthreads();
    Sweep<SPLIT, ROW_SHARED, BITS_SHARED> sweep(block);
    while (block.take())
        if (!sweep.run()) return;
}

#define KERNEL(name, split, row, bits)                                                    \
    extern "C" __global__ void __launch_bounds__(THREADS) name(const Job *job) {          \
        all_sources<split, row, bits>(job);                                               \
    }
KERNEL(delta_shared, true, true, true)
KERNEL(delta_mixed, true, false, true)
KERNEL(delta_global, true, false, false)
KERNEL(fast_shared, false, true, true)
KERNEL(fast_mixed, false, false, true)
KERNEL(fast_global, false, false, false)

extern "C" __global__ void begin(Clock *clock) { clock->origin_ns = now_ns(); }
