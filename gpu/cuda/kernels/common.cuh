/*
common.cuh: what every kernel but those of all pairs shares: the run's record, loads and stores
that other blocks see, and the limit of time. Options of compilation: gpu/cuda/module.py.
*/
#pragma once
#include "numbers.cuh"
#include "scheduler.cuh"

#define PIECE_SHIFT 10  // arcs of a piece of a long row, as a power of two
#define CLEARS 8        // arrays that `begin` clears at most
#define NO_ARC 0xffffffffu  // the lane has none

enum Status { RUNNING, FINISHED, STOPPED, POOL_DRY, TIMED_OUT };

struct Stats {  // one a worker, totals; 64 bytes
    u64 processed, relaxed, improved, clipped;
    u64 measured;  // vertices whose distance errors are in `error`, from probe level 1 on
    double error;
    u64 unused[2];
};

struct Slot {  // one ring slot of the bucket queue; counters only grow, and wrap
    u32 reserved, completed, unused[6];
};

struct Published {  // what the manager tells the workers; torn reads only mis-sort
    double base, inverse_delta;
    u32 head, idle_workers, status;
    u32 marks;  // the head's slot, 5 bits, below a number that no other head or delta has
};

struct State {  // zeroed by `begin`, read by the host after the run
    Published published;
    u64 start_ns, end_ns;
    u32 overflowed;  // 2: an arc was left out because its sum passes the range
    u32 left_out;    // one of those arcs
    u32 barrier_arrived, barrier_round, sweeps, readings;
    u64 head_bucket, bucket_switches;
    double delta, base;
    u32 open_buckets, reason, delta_changes, status;
    u32 pool_used, supersteps, by_hand, wide_supersteps;
    u32 near_count[3], far_count[2], side, mode, step_status[3];
    alignas(8) Dist far_min;
    u32 settled_count[2];
    double threshold, hand_delta;
    u32 gave_up, line;  // 1: somebody waited until the time was over; see policy.cuh
};

struct HostControl {  // pinned memory; the host writes the first line, the kernel the second
    u32 stop, delta_version;
    double delta_by_hand;  // 0: the controller drives
    u64 samples_read;
    u64 unused[5];
    u64 samples_written;
    u64 unused_after[7];
};
static_assert(sizeof(HostControl) == 128, "HostControl and gpu.cuda.records.HOST_CONTROL differ");

struct Run {  // gpu.cuda.records.RUN, the same bytes
    const uint2 *rows;  // first and end arc of each vertex
    const ArcWords *arcs;  // Arc
    Dist *dist;
    uint2 *ticks;  // first and last, of TICK_NS, probe level 2; NEVER where it did not happen
    int *times;
    Item *items;      // of the buckets; of supersteps: Vertex, the near piles
    u32 *written;     // per SEGMENT items; of delta-stepping: Dist a vertex, see step_piles.cuh
    u32 *taken;       // per pool block: items written << 16 | items copied out by workers
    u32 *table;       // per slot and block number: number's low half << 16 | pool block
    u32 *free_blocks;
    Slot *slots;
    u64 *assign;
    uint4 *reports;
    Stats *stats;
    State *state;
    HostControl *host;
    u64 *ring;        // pinned SAMPLE records
    int *readings;
    Item *far;        // supersteps: two piles, and the settled one
    u32 *owners;      // adds: whose row a piece of arcs lies in, see worker.cuh
    Controller controller;
    StartRule rule;
    double mean_degree, mean_weight, band_low, band_high;
    u64 period_ns, limit_ns, weight_max;  // the last: bits of the largest weight
    uint4 *clear_at[CLEARS];  // what `begin` clears
    u32 n, m, source, workers, threads, buckets, as_published, drop_stale;
    u32 pool_blocks, table_mask, ring_mask, readings_room, chunk_smallest, chunk_largest;
    u32 keep, flush_rounds, pile_room, wide_enter, wide_leave, clears;
    u32 clear_words[CLEARS], clear_to[CLEARS];  // words of 16 bytes; 0, or all bits
};

static_assert(sizeof(Run) == RUN_BYTES, "Run and gpu.cuda.records.RUN differ in size");
static_assert(sizeof(State) == STATE_BYTES, "State and gpu.cuda.records.STATE differ in size");

extern "C" {
__constant__ Run RUN;  // filled by the launcher
}

// Loads and stores that go to the level-2 cache, where other blocks meet them: words, 16 bytes at
// once, and larger records word by word.
template <class Record> DEVICE Record peek(const Record *at) {
    static_assert(sizeof(Record) == 4 || sizeof(Record) % 8 == 0, "a record of whole words");
    Record value;
    if constexpr (sizeof(Record) == 4) {
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(*(u32 *)&value) : "l"(at));
    } else if constexpr (sizeof(Record) == 8) {
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(*(u64 *)&value) : "l"(at));
    } else if constexpr (sizeof(Record) == 16) {
        uint4 &v = *(uint4 *)&value;
        asm volatile("ld.volatile.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at));
    } else {
        for (int k = 0; k < sizeof(Record) / 8; k++) ((u64 *)&value)[k] = peek((const u64 *)at + k);
    }
    return value;
}
template <class Record> DEVICE void poke(Record *at, Record value) {
    if constexpr (sizeof(Record) == 4) {
        u32 word = *(u32 *)&value;
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(word) : "memory");
    } else if constexpr (sizeof(Record) == 8) {
        u64 word = *(u64 *)&value;
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(word) : "memory");
    } else if constexpr (sizeof(Record) == 16) {
        uint4 v = *(uint4 *)&value;
        asm volatile("st.volatile.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(at), "r"(v.x), "r"(v.y),
                     "r"(v.z), "r"(v.w) : "memory");
    } else {
        for (int k = 0; k < sizeof(Record) / 8; k++) poke((u64 *)at + k, ((const u64 *)&value)[k]);
    }
}

// Loads that later ones wait for: what was written before the value they see is seen too.
template <class Word> DEVICE Word peek_acquire(const Word *at) {
    Word value;
    if constexpr (sizeof(Word) == 4)
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    else asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
    return value;
}
DEVICE uint4 peek_acquire(const uint4 *at) {
    uint4 v;
    asm volatile("ld.acquire.gpu.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at) : "memory");
    return v;
}

// What this thread, and what it saw of others, wrote before is seen before what it writes next.
DEVICE void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

// Add without waiting for an answer. With atomicAdd the kernel was 4 to 7 % slower on roads.
DEVICE void add(u32 *at, u32 value) {
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}
DEVICE void add(u64 *at, u64 value) {
    asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}

// Host memory: the host may change it at any time, and reads what is written.
DEVICE u64 peek_host(const u64 *at) {
    u64 value;
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(at));
    return value;
}
DEVICE void poke_host(u64 *at, u64 value) {
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}

// Whoever waits looks at the run's status and at the clock, so that it ends whatever was lost.
#define PATIENCE 64u  // turns of a wait between two looks at the clock

DEVICE bool is_late() {
    if (now_ns() - RUN.state->start_ns <= RUN.limit_ns) return false;
    poke(&RUN.state->gave_up, 1u);
    return true;
}

// Out of line: where a wait stands in the way of a hop, code is dear.
__device__ __noinline__ bool has_ended(u32 *status) {
    if (peek(status) != RUNNING) return true;
    if (!is_late()) return false;
    atomicCAS(status, (u32)RUNNING, (u32)TIMED_OUT);
    return true;
}
DEVICE bool gives_up(u32 *status, u32 &turns) {
    return ++turns % PATIENCE == 0 && has_ended(status);
}

// A sum passes the range and the arc is left out: the host judges at the end whether the answer
// needs it. With a bare store instead of this, ADDS was 3 to 5 % slower where nothing overflows.
__device__ __noinline__ void note_overflow(u32 arc) {
    if (atomicExch(&RUN.state->overflowed, 1u) == 0) {
        RUN.state->left_out = arc;
        fence();
        poke(&RUN.state->overflowed, 2u);
    }
}

// One thread, at the end of a run of one open bucket.
DEVICE void leave_record(u32 status, u32 switches, double delta, double base, u32 reason,
                         bool by_hand) {
    State &state = *RUN.state;
    state.end_ns = now_ns();
    state.status = status;
    state.head_bucket = switches;
    state.bucket_switches = switches;
    state.delta = delta;
    state.base = base;
    state.open_buckets = 1;
    state.reason = reason;
    state.by_hand = by_hand;
}

// Probe level 2: what is remembered of each vertex. Times are those of the round's start, read
// once a round: a clock read and a 64-bit word at each improvement cost up to half of the run.
#define TICK_NS 32
#define NEVER 0xffffffffu

DEVICE u32 ticks_since(u64 start_ns) {
    return LEVEL >= 2 ? (u32)((now_ns() - start_ns) / TICK_NS) : 0;
}
// The same for who asks at least every four seconds: the low half of the timer is read fast, the
// whole of it took a tenth of a round.
struct Ticks {
    u64 start_ns, last_ns;
    DEVICE u32 now() {
        u32 low;
        asm volatile("mov.u32 %0, %globaltimer_lo;" : "=r"(low));
        last_ns += low - (u32)last_ns;
        return (u32)((last_ns - start_ns) / TICK_NS);
    }
};
// Both by a predicate: the branches that the compiler makes cost 2 to 4 % on roads and grids.
DEVICE void note_processed(bool did, u32 vertex) {
    if (LEVEL >= 2)
        asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p red.global.add.u32 [%0], 1;}" ::
                     "l"((u32 *)RUN.times + vertex), "r"((u32)did));
}
DEVICE void note_improved(bool did, u32 vertex, Dist old, u32 ticks) {
    if (LEVEL >= 2)  // of two at a time either may stay: a round apart. The host takes the later
        asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p st.global.u32 [%0], %2;}" ::
                     "l"((u32 *)(RUN.ticks + vertex) + (old != UNREACHED)), "r"((u32)did),
                     "r"(ticks));
}
