/*
apsp_row.cuh: what the all-pairs kernels share: the job, one source at a time, counters, Stop.

A block takes a source from a counter, works on its row alone, writes the row out and takes the
next; blocks never wait for each other, so a grid of any size is right. The row is in shared
memory where it fits (an atomic min there takes nanoseconds), else it is the row of the output
itself. Indices into the output are 64 bits wide.

Progress    one 64-byte slot a block, written by nobody else, after each source; the host fetches
            all of them when it wants a sample.
Stop        one word, looked at every POLL_CYCLES by one thread of a block, and with it the clock:
            a source has a limit. Both are in device memory: reads of host memory wait behind the
            rows that leave it.
Overflow    a sum past the range is left out. It matters only if its vertex stays unreached: the
            arcs are searched for one into such a vertex when the source is done.
*/
#pragma once
#include "numbers.cuh"

#define POLL_CYCLES 200000  // a tenth of a millisecond

struct Progress {  // of one block, totals
    u64 done, processed, relaxed, improved, rounds, switches;
    u32 running, overflowed;  // the second: whether some answer needs an arc that was left out
    u64 timed_out;  // whether a source took longer than the limit
};

struct Control {  // written by the host while kernels run
    u64 origin_ns;
    double delta;  // for sources begun from now on
    u32 stop, limit_ms;  // the second: of one source
};

struct Job {  // one chunk of sources: gpu.cuda.apsp_records.JOB, the same bytes
    const uint2 *rows;  // first and end arc of each vertex
    const ArcWords *arcs;
    const u32 *tails;   // of each arc
    Dist *out;          // count rows of n distances
    u32 *bits;          // 3 * words a block, where they do not fit shared memory
    u32 *taken;         // rows of this chunk that somebody has
    Progress *progress;
    const Control *control;
    u64 *begun, *ended;  // probe level 2, of this chunk's sources, ns
    u32 *rounds;
    u32 first, count, n, m, words, unused;
};

static_assert(sizeof(Job) == 112, "Job and gpu.cuda.apsp_records.JOB differ in size");
static_assert(sizeof(Progress) == 64, "Progress is one cache line");

struct Counts {  // of one thread and one source
    u32 relaxed, improved;
    bool suspect;
};

struct Shared {  // beside the row, the bits and the list
    u32 row, count[2];
    Dist lowest;
    u32 quit;
    double delta;
    u64 relaxed, improved;
    Progress total;  // thread 0's
    long long polled;
    u64 begun_ns;  // this source
};

// All threads: where some sum passed the range, look for a vertex that has no other way.
static __device__ __noinline__ void check_range(const Job *job, Shared *s, const Dist *row) {
    for (u32 v = threadIdx.x; v < job->n; v += THREADS) {
        if (look(row[v]) >= UNREACHED) continue;
        uint2 arcs = job->rows[v];
        for (u32 a = arcs.x; a < arcs.y; a++)
            if (look(row[job->arcs[a].x]) >= UNREACHED) s->total.overflowed = 1;
    }
}

// One block's view of the job.
struct Block {
    const Job &job;
    Shared &s;
    Counts counts = {0, 0, false};

    DEVICE void open() {
        if (threadIdx.x != 0) return;
        s.total = *(job.progress + blockIdx.x);  // a chunk goes on where the one before ended
        s.polled = clock64();
        s.quit = look(job.control->stop);
    }

    // Thread 0, now and then: whether the host wants an end, or the source's time is over.
    DEVICE void poll() {
        if (threadIdx.x != 0 || clock64() - s.polled < POLL_CYCLES) return;
        s.polled = clock64();
        if (look(job.control->stop)) leave(s.quit, 1u);
        u64 limit_ms = look(job.control->limit_ms);
        if (now_ns() - s.begun_ns <= limit_ms * 1000000) return;
        leave(s.quit, 1u);
        s.total.timed_out = 1;
        post();
    }

    DEVICE bool has_quit() const { return look(s.quit); }

    // All threads: the next row, or false where there is none left or the host wants an end.
    DEVICE bool take() {
        if (threadIdx.x == 0) {
            s.row = s.quit ? job.count : atomicAdd(job.taken, 1u);
            s.count[0] = 0;
            s.count[1] = 0;
            s.relaxed = 0;
            s.improved = 0;
            s.begun_ns = now_ns();
            s.delta = look(job.control->delta);
            if (s.row < job.count) {
                s.total.running = 1;
                if (LEVEL >= 1) post();
                if (LEVEL >= 2) job.begun[s.row] = now_ns() - job.control->origin_ns;
            }
        }
        __syncthreads();
        counts = {0, 0, false};
        return s.row < job.count;
    }

    // All threads: a source is done: its row goes to where the host fetches it, unless it is there.
    DEVICE void close(const Dist *row, bool is_output, u64 processed, u32 rounds, u32 switches) {
        if (__syncthreads_or(counts.suspect)) check_range(&job, &s, row);
        Dist *to = output();
        for (u32 v = threadIdx.x; v < job.n && !is_output; v += THREADS) __stcs(to + v, row[v]);
        __syncthreads();
        u32 relaxed = sum_over_lanes(counts.relaxed);
        u32 improved = sum_over_lanes(counts.improved);
        if (lane_id() == 0) {
            atomicAdd(&s.relaxed, (u64)relaxed);
            atomicAdd(&s.improved, (u64)improved);
        }
        __syncthreads();
        if (threadIdx.x != 0) return;
        s.total.processed += processed;
        s.total.relaxed += s.relaxed;
        s.total.improved += s.improved;
        s.total.rounds += rounds;
        s.total.switches += switches;
        s.total.done += 1;
        s.total.running = 0;
        if (LEVEL >= 2) {
            job.ended[s.row] = now_ns() - job.control->origin_ns;
            job.rounds[s.row] = rounds;
        }
        post();
    }

    DEVICE void post() {
        volatile u64 *to = (volatile u64 *)(job.progress + blockIdx.x);
        const u64 *from = (const u64 *)&s.total;
        for (int word = 0; word < 8; word++) to[word] = from[word];
    }

    DEVICE Dist *output() const { return job.out + (u64)s.row * job.n; }

    // All threads: every distance unreached, the source 0.
    DEVICE void fill(Dist *row) {
        for (u32 v = threadIdx.x; v < job.n; v += THREADS) row[v] = UNREACHED;
        __syncthreads();
        if (threadIdx.x == 0) row[job.first + s.row] = 0;
    }
};

extern __shared__ Dist DYNAMIC[];

// The body of a kernel: sources until none is left. `Search` has `bool run()`, one source; false
// where the host wants an end.
template <class Search> DEVICE void all_sources(const Job *given) {
    __shared__ Job job;
    __shared__ Shared shared;
    const u32 *words = (const u32 *)given;
    if (threadIdx.x < sizeof(Job) / 4) ((u32 *)&job)[threadIdx.x] = words[threadIdx.x];
    __syncthreads();
    Block block{job, shared};
    block.open();
    __syncthreads();
    Search search{block};
    while (block.take())
        if (!search.run()) return;
}

extern "C" __global__ void begin(Control *control) { control->origin_ns = now_ns(); }
