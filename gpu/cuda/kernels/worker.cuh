/*
worker.cuh: a worker block of ADDS.

It waits for an assignment (one 64-bit word: number, bucket, count, address), copies the items
into its own queue in shared memory and drains that queue in rounds of up to THREADS vertices.
An improved vertex of its own bucket, or of an earlier one, stays in the queue and is processed
in the next round, about a microsecond later (`stays_with_worker`); everything else, and what
exceeds `keep` while other workers are idle, is collected and written to the buckets. Only when
queue and collection are empty does it count its items as completed: until then its bucket
cannot retire.

One barrier a round. Counts that a round adds to stand in one of three places by turns: this
round's, the last one's (being read), the next one's (being cleared).
*/
#pragma once
#include "queue.cuh"
#include "relax.cuh"

#define QUEUE_ROOM 2048u  // items, a power of two
#define LEAVE_COUNT 0xffffu

struct WorkerShared {
    u64 queue[QUEUE_ROOM];
    OutBuffer out;
    Published published[3];
    u32 kept[3], sent[3], hubs[3];
    u32 hub_vertex[32], hub_dist[32];
    u64 order;
};

// An assignment: number 8 bits, bucket's low 8, count 16, address of the first item 32.
__device__ __forceinline__ u64 make_order(u32 number, u32 bucket, u32 count, u32 address) {
    return (u64)(number << 24 | (bucket & 0xffu) << 16 | count) << 32 | address;
}

struct Worker {
    const Run &run;
    WorkerShared &s;
    // the queue and the collection, the same on every thread
    u32 head = 0, tail = 0, used = 0, room = 0, phase = 0, bucket = 0;
    Published seen;
    u32 done = 0, kept_total = 0;
    // this warp's counts since they were last handed over; lane 0's are used
    u32 processed = 0, relaxed = 0, improved = 0, clipped = 0;

    __device__ Worker(const Run &run, WorkerShared &s) : run(run), s(s) {}

    // All lanes: queue what improved, here or for the buckets.
    __device__ __forceinline__ void push(bool won, u32 vertex, u32 dist) {
        u32 winners = __ballot_sync(ALL_LANES, won);
        if (winners == 0) return;
        improved += __popc(winners);
        int raw = won ? raw_offset(value_of(dist), seen.base, seen.inverse_delta) : 0;
        bool keep = won && stays_with_worker(raw, bucket, seen.head);
        u32 keepers = __ballot_sync(ALL_LANES, keep);
        if (keepers != 0) {
            u32 place = 0;
            if (lane_id() == 0) place = atomicAdd(&s.kept[phase], (u32)__popc(keepers));
            place = __shfl_sync(ALL_LANES, place, 0) + __popc(keepers & lanes_below());
            keep = keep && place < room;
            if (keep) s.queue[(tail + place) & (QUEUE_ROOM - 1)] = packed(vertex, dist);
        }
        bool leaves = won && !keep;
        u32 leavers = __ballot_sync(ALL_LANES, leaves);
        if (leavers == 0) return;
        if (LEVEL >= 1) clipped += __popc(__ballot_sync(ALL_LANES, leaves && clips(raw, run.buckets)));
        u32 place = 0;
        if (lane_id() == 0) place = atomicAdd(&s.sent[phase], (u32)__popc(leavers));
        place = used + __shfl_sync(ALL_LANES, place, 0) + __popc(leavers & lanes_below());
        if (!leaves) return;
        u32 slot = (seen.head + push_offset(raw, bucket, seen.head, run.buckets)) % run.buckets;
        if (place < OUT_ROOM) {
            s.out.item[place] = packed(vertex, dist);
            s.out.where[place] = slot << 16 | atomicAdd(&s.out.count[slot], 1u);
        } else {
            push_alone(run, slot, packed(vertex, dist));
        }
    }

    // All threads: begin a round that takes `take` items off the queue.
    __device__ __forceinline__ void begin_round(u32 take) {
        u32 next = phase == 2 ? 0 : phase + 1;
        if (threadIdx.x == 0) {
            s.kept[next] = s.sent[next] = s.hubs[next] = 0;
            poke(run.reports + blockIdx.x - 1, make_uint4(done, tail - head, kept_total, 0));
        }
        u32 stays = tail - head - take;
        room = QUEUE_ROOM - (tail - head);
        if (seen.idle_workers > 0) room = min(room, run.keep > stays ? run.keep - stays : 0);
    }

    // All threads: end it; what was pushed becomes visible to all.
    __device__ __forceinline__ void end_round(u32 take, const Published &fresh) {
        if (threadIdx.x == 0) s.published[phase] = fresh;
        __syncthreads();
        u32 kept = min(s.kept[phase], room);
        seen = s.published[phase];
        used = min(used + s.sent[phase], OUT_ROOM);
        head += take;
        tail += kept;
        kept_total += kept;
        phase = phase == 2 ? 0 : phase + 1;
    }

    __device__ __forceinline__ Published look() const {
        Published p;
        const Published *at = &run.state->published;
        double2 widths = peek((const double2 *)at);
        uint4 rest = peek((const uint4 *)&at->head);
        p.base = widths.x, p.inverse_delta = widths.y;
        p.head = rest.x, p.idle_workers = rest.y, p.status = rest.z, p.unused = 0;
        return p;
    }

    // All threads: one round over `take` vertices, dealt to the warps.
    __device__ __forceinline__ void round(u32 take) {
        begin_round(take);
        Published fresh;
        if (threadIdx.x == 0) fresh = look();
        u32 share = (take + THREADS / 32 - 1) / (THREADS / 32);
        u32 place = warp_id() * share + lane_id();
        bool mine = lane_id() < share && place < take;
        Vertex vertex = {0, 0, 0, 0};
        if (mine) {
            u64 item = s.queue[(head + place) & (QUEUE_ROOM - 1)];
            vertex.id = (u32)item;
            vertex.dist = (u32)(item >> 32);
            u32 known = peek(run.dist + vertex.id);
            uint2 row = __ldg(run.rows + vertex.id);
            if (run.drop_stale) mine = known == vertex.dist;
            vertex.dist = known;
            if (mine) {
                vertex.first = row.x, vertex.end = row.y;
                note_processed(run, vertex.id);
            }
        }
        processed += __popc(__ballot_sync(ALL_LANES, mine));
        if (vertex.degree() > HUB_DEGREE) {
            u32 hub = atomicAdd(&s.hubs[phase], 1u);
            if (hub < 32) {
                s.hub_vertex[hub] = vertex.id, s.hub_dist[hub] = vertex.dist;
                vertex.end = vertex.first;
            }
        }
        __syncwarp();
        relaxed += relax_warp(run, vertex, *this);
        u32 ended = phase;
        end_round(take, fresh);
        u32 hubs = min(s.hubs[ended], 32u);
        if (hubs > 0) relax_hubs(hubs);
    }

    // All threads: the vertices of many arcs, a round for each THREADS x UNROLL arcs.
    __device__ __forceinline__ void relax_hubs(u32 hubs) {
        for (u32 hub = 0; hub < hubs; hub++) {
            u32 id = s.hub_vertex[hub], dist = s.hub_dist[hub];
            uint2 row = __ldg(run.rows + id);
            if (warp_id() == 0) relaxed += row.y - row.x;
            for (u32 first = row.x; first < row.y; first += THREADS * UNROLL) {
                if (seen.status != RUNNING) return;
                if (used > OUT_ROOM / 2) flush_all();
                begin_round(0);
                Published fresh;
                if (threadIdx.x == 0) fresh = look();
                relax_span(run, id, dist, first, min(row.y, first + THREADS * UNROLL), *this);
                end_round(0, fresh);
            }
        }
        __syncthreads();  // the list of hubs is free again
    }

    __device__ __forceinline__ void flush_all() {
        flush(run, s.out, used);
        used = 0;
    }

    // All threads: process what the queue holds until it is empty and everything is written.
    __device__ __forceinline__ void drain() {
        u32 since = 0;
        while (seen.status == RUNNING) {
            bool waiting = head != tail;
            bool feed = seen.idle_workers > 0 && ++since >= run.flush_rounds;
            if (used > 0 && (!waiting || feed || used > OUT_ROOM / 2)) {
                flush_all();
                since = 0;
            }
            if (!waiting) break;
            round(min(tail - head, (u32)THREADS));
        }
    }

    __device__ __forceinline__ void hand_counts_over() {
        if (lane_id() == 0) {
            Stats *to = run.stats + blockIdx.x - 1;
            atomicAdd(&to->processed, (u64)processed);
            atomicAdd(&to->relaxed, (u64)relaxed);
            atomicAdd(&to->improved, (u64)improved);
            if (LEVEL >= 1) {
                atomicAdd(&to->pushes, (u64)improved);
                atomicAdd(&to->clipped, (u64)clipped);
            }
        }
        processed = relaxed = improved = clipped = 0;
    }

    __device__ __forceinline__ void prepare() {
        if (threadIdx.x < 32) s.out.count[threadIdx.x] = 0, s.out.cached_number[threadIdx.x] = NOWHERE;
        if (threadIdx.x < 3) s.kept[threadIdx.x] = s.sent[threadIdx.x] = s.hubs[threadIdx.x] = 0;
        __syncthreads();
    }

    __device__ __forceinline__ void work() {
        prepare();
        for (;;) {
            __syncthreads();  // nobody reads what thread 0 is about to write
            if (threadIdx.x == 0) {
                u64 order;
                do order = peek(run.assign + blockIdx.x - 1);
                while ((u32)(order >> 56) == done);
                s.order = order;
                s.published[phase == 0 ? 2 : phase - 1] = look();
                __threadfence();
            }
            __syncthreads();
            u64 order = s.order;
            seen = s.published[phase == 0 ? 2 : phase - 1];
            u32 count = (u32)(order >> 32) & 0xffffu, address = (u32)order;
            if (count == LEAVE_COUNT) break;
            bucket = seen.head + (((u32)(order >> 48) - seen.head) & 0xffu);
            if (bucket - seen.head > 127) bucket -= 256;  // the head has moved past it meanwhile
            head = 0, tail = count;
            for (u32 i = threadIdx.x; i < count; i += THREADS) s.queue[i] = peek(run.items + address + i);
            __syncthreads();
            if (threadIdx.x == 0) atomicAdd(run.taken + (address >> BLOCK_SHIFT), count);
            drain();
            if (LEVEL >= 1 || relaxed > (1u << 28)) hand_counts_over();
            done = (u32)(order >> 56);
            if (threadIdx.x == 0) {
                __threadfence();
                atomicAdd(&run.slots[bucket % run.buckets].completed, count);
                poke(run.reports + blockIdx.x - 1, make_uint4(done, 0, kept_total, 0));
            }
        }
        hand_counts_over();
    }
};
