/*
apsp_sweep.cu: all pairs with bits: delta-stepping (`delta_*`) and our own (`fast_*`).

Launch   NAME_shared   row and bits in shared memory: n distances + 8 words (delta: 12 words) + list
         NAME_mixed    bits in shared memory, the row in the output
         NAME_global   both in global memory, for a million vertices and more
         <<<any, THREADS, dynamic>>>(job)
Reads    rows, arcs       Writes   out, progress, at probe level 2 begun, ended, rounds

A bit says that a vertex was improved and has not been processed since: `near` where its
distance is below `edge`, else `far`. A round has two halves with a barrier after each.
*Collect*: a thread empties words of `near` that are its own into a list of LIST places.
*Relax*: LANES threads a vertex of the list, a whole warp for a vertex of many arcs; what improves
gets its bit. So a vertex is never in the list twice, and nothing can overflow.
Delta-stepping has a third bit: taken since the bucket was opened, heavy arcs still to relax.
*/
#include "apsp_row.cuh"

#define LIST 1024u    // vertices of a round
#define LANES 4u      // threads that share one vertex's arcs
#define FEW 2         // arcs of a thread in flight, where LANES threads share a vertex
#define MANY 4        // where a warp does
#define HUB 128u      // arcs from which on a whole warp does

template <bool SMALL> struct ListOf { typedef u32 Place; };
template <> struct ListOf<true> { typedef unsigned short Place; };  // shared row: n < 65,536

template <bool SPLIT, bool ROW_SHARED, bool BITS_SHARED> struct Sweep {
    typedef typename ListOf<ROW_SHARED>::Place Place;
    Block &block;
    const Job &job;
    Shared &s;
    Dist *row;
    u32 *near, *far, *heavy;
    Place *list;
    double end;        // of the near range, weight units
    Dist edge, light;  // as bits: below it is near; the heaviest light arc
    u32 phase = 0;

    DEVICE Sweep(Block &block) : block(block), job(block.job), s(block.s) {
        if (ROW_SHARED) row = DYNAMIC;
        u32 *next = (u32 *)(DYNAMIC + (ROW_SHARED ? job.n : 0));
        if (BITS_SHARED) {
            near = next;
            next += (SPLIT ? 3 : 2) * job.words;
        } else {
            near = job.bits + (u64)blockIdx.x * 3 * job.words;
        }
        far = near + job.words;
        heavy = far + job.words;
        list = (Place *)next;
    }

    DEVICE void start() {
        if (!ROW_SHARED) row = block.output();
        for (u32 w = threadIdx.x; w < job.words; w += THREADS) {
            near[w] = 0;
            far[w] = 0;
            if (SPLIT) heavy[w] = 0;
        }
        block.fill(row);  // has a barrier
        u32 source = job.first + s.row;
        if (threadIdx.x == 0) near[source >> 5] = 1u << (source & 31);
        end = s.delta;
        light = UNREACHED;
        if (end < value_of(UNREACHED)) light = dist_down(end);
        edge = as_edge(end, 0);
        phase = 0;
        __syncthreads();
    }

    // The end of a bucket, as bits, beyond `nearest` whatever rounding says.
    DEVICE Dist as_edge(double value, Dist nearest) const {
        Dist bits = UNREACHED;
        if (value < value_of(UNREACHED)) bits = WEIGHT_FLOAT ? dist_near(value) : dist_up(value);
        return max(bits, nearest + 1);
    }

    // All threads, before a barrier: the bits of `near`, or of `heavy`, to the list.
    template <bool HEAVY> DEVICE void collect() {
        u32 *bits = HEAVY ? heavy : near;
        const u32 lane = lane_id();
        for (u32 base = threadIdx.x & ~31u; base < job.words; base += THREADS) {
            u32 w = base + lane, word = w < job.words ? bits[w] : 0;
            if (__ballot_sync(ALL_LANES, word != 0) == 0) continue;
            u32 mine = __popc(word), scan = mine;
            for (u32 reach = 1; reach < 32; reach *= 2) {
                u32 other = __shfl_up_sync(ALL_LANES, scan, reach);
                if (lane >= reach) scan += other;
            }
            u32 place = 0, late = 0;
            if (lane == 31) place = atomicAdd(&s.count[phase], scan);
            place = __shfl_sync(ALL_LANES, place, 31) + scan - mine;
            for (u32 left = word; left != 0; left &= left - 1, place++) {
                u32 bit = __ffs(left) - 1;
                if (place < LIST) list[place] = (Place)(w * 32 + bit);
                else late |= 1u << bit;
            }
            if (word == 0) continue;
            bits[w] = late;
            if (SPLIT && !HEAVY) heavy[w] |= word & ~late;
        }
    }

    // All threads, between barriers: `far` sorted again after the edge moved from `before`. Sets
    // s.lowest to the nearest that stays; returns whether this thread saw one become near.
    DEVICE bool sort_far(Dist before) {
        const u32 lane = lane_id();
        Dist lowest = UNREACHED;
        bool found = false;
        for (u32 w = threadIdx.x / 32; w < job.words; w += THREADS / 32) {
            u32 word = look(far[w]);
            if (word == 0) continue;
            bool set = word >> lane & 1;
            Dist known = set ? look(row[w * 32 + lane]) : 0;
            bool close = set && known >= before && known < edge, stays = set && known >= edge;
            if (stays) lowest = min(lowest, known);
            u32 moved = __ballot_sync(ALL_LANES, close), kept = __ballot_sync(ALL_LANES, stays);
            found |= moved != 0;
            __syncwarp();  // all lanes have read the word
            if (lane == 0) {
                far[w] = kept;
                if (moved != 0) near[w] |= moved;
            }
        }
        lowest = least_over_lanes(lowest);
        if (lane == 0 && lowest != UNREACHED) atomicMin(&s.lowest, lowest);
        return found;
    }

    // All threads: move the edge until something is near; false where nothing is left, or time.
    DEVICE bool advance() {
        Dist before = edge;
        double next = end + s.delta;
        for (;;) {
            end = next;
            edge = as_edge(end, before - 1);
            if (threadIdx.x == 0) s.lowest = UNREACHED;
            block.poll();
            __syncthreads();
            bool found = __syncthreads_or(sort_far(before));
            Dist lowest = s.lowest;
            bool quit = block.has_quit();
            __syncthreads();  // before the next round, or turn, writes it
            if (found) return true;
            if (lowest == UNREACHED || quit) return false;
            double at = value_of(lowest);
            next = SPLIT ? (floor(at / s.delta) + 1.0) * s.delta : at + s.delta;
            if (as_edge(next, 0) <= lowest) next = value_after(lowest);
        }
    }

    DEVICE void relax(Dist known, Arc to) {
        Dist reach = plus(known, to.weight), there = look(row[to.head]);
        if (reach < there) {
            if (reach < atomicMin(row + to.head, reach)) {
                atomicOr((reach < edge ? near : far) + (to.head >> 5), 1u << (to.head & 31));
                block.counts.improved += 1;
            }
        } else if (reach >= UNREACHED && there == UNREACHED) {
            block.counts.suspect = true;
        }
    }

    // Arcs [first, end) of one vertex by `lanes` threads, of which this is number `lane`.
    template <bool HEAVY, int UNROLL>
    DEVICE void relax_arcs(Dist known, u32 first, u32 end, u32 lane, u32 lanes) {
        for (u32 base = first + lane; base < end; base += lanes * UNROLL) {
            Arc to[UNROLL];
            bool real[UNROLL];
            for (int j = 0; j < UNROLL; j++) {
                u32 a = base + j * lanes;
                real[j] = a < end;
                to[j] = real[j] ? arc_at(job.arcs + a) : Arc{0, 0};
            }
            for (int j = 0; j < UNROLL; j++) {
                if (!real[j] || (SPLIT && (to[j].weight > light) != HEAVY)) continue;
                block.counts.relaxed += 1;
                relax(known, to[j]);
            }
        }
    }

    // All threads, before a barrier: the arcs of the `count` vertices of the list.
    template <bool HEAVY> DEVICE void relax_list(u32 count) {
        const u32 lane = lane_id(), part = lane % LANES;
        for (u32 base = (threadIdx.x & ~31u) / LANES; base < count; base += THREADS / LANES) {
            u32 place = base + lane / LANES;
            Dist known = 0;
            uint2 arcs = make_uint2(0, 0);
            if (place < count) {
                u32 vertex = list[place];
                arcs = __ldg(job.rows + vertex);
                known = look(row[vertex]);
            }
            u32 hubs = __ballot_sync(ALL_LANES, part == 0 && arcs.y - arcs.x > HUB);
            while (hubs != 0) {
                u32 owner = __ffs(hubs) - 1;
                Dist from = __shfl_sync(ALL_LANES, known, owner);
                u32 first = __shfl_sync(ALL_LANES, arcs.x, owner);
                u32 end = __shfl_sync(ALL_LANES, arcs.y, owner);
                relax_arcs<HEAVY, MANY>(from, first, end, lane, 32);
                if (lane / LANES == owner / LANES) arcs.x = arcs.y;
                hubs &= hubs - 1;
            }
            relax_arcs<HEAVY, FEW>(known, arcs.x, arcs.y, part, LANES);
        }
        if (threadIdx.x == 0) s.count[phase ^ 1] = 0;
        block.poll();
    }

    // One round, both halves. Returns how many vertices wanted to be in the list.
    template <bool HEAVY> DEVICE u32 round() {
        collect<HEAVY>();
        __syncthreads();
        u32 count = s.count[phase];
        relax_list<HEAVY>(min(count, LIST));
        phase ^= 1;
        __syncthreads();
        return count;
    }

    // All threads: one source; false where the host wants an end.
    DEVICE bool run() {
        u64 processed = 0;
        u32 rounds = 0, switches = 0;
        bool taken = false;
        start();
        for (;;) {
            u32 count = round<false>();
            rounds += 1;
            processed += min(count, LIST);
            if (block.has_quit()) return false;
            if (count > 0) {
                taken = true;
                continue;
            }
            if (SPLIT && taken) {
                do {
                    count = round<true>();
                    rounds += 1;
                } while (count > LIST && !block.has_quit());
                taken = false;
                continue;
            }
            if (!advance()) break;
            switches += 1;
        }
        if (block.has_quit()) return false;
        block.close(row, !ROW_SHARED, processed, rounds, switches);
        return true;
    }
};

#define KERNEL(name, split, row, bits)                                                    \
    extern "C" __global__ void __launch_bounds__(THREADS) name(const Job *job) {          \
        all_sources<Sweep<split, row, bits>>(job);                                        \
    }
KERNEL(delta_shared, true, true, true)
KERNEL(delta_mixed, true, false, true)
KERNEL(delta_global, true, false, false)
KERNEL(fast_shared, false, true, true)
KERNEL(fast_mixed, false, false, true)
KERNEL(fast_global, false, false, false)
