/*
worker.cuh: a worker block of ADDS.

It waits for an assignment, copies those of its items that are not stale into its own queue in
shared memory and drains that queue in rounds of up to THREADS vertices, with one barrier each. An
improved vertex of its own bucket, or of an earlier one, stays in the queue and is processed in the
next round, about a microsecond later. In a round of few vertices each warp goes on with what it
improved for TURNS turns: half of a hop was the round around it. Everything else, and what exceeds
`keep` while other workers are idle, is collected and written to the buckets. Only when queue and
collection are empty does it count its items as completed: until then its bucket cannot retire.

While others are idle nobody sits on work: a row of SPLIT_DEGREE arcs or more is queued in
pieces (an item may name a piece of arcs instead of a vertex), hubs not begun and what exceeds
`keep` go back to the buckets.
*/
#pragma once
#include "queue.cuh"
#include "relax.cuh"

#define QUEUE_ROOM 1024u  // items, a power of two
#define PIECE 0x80000000u  // an item that is no vertex: PIECE | number of a piece of arcs
#define PIECE_ARCS (1u << PIECE_SHIFT)
#define SPLIT_DEGREE (4 * PIECE_ARCS)
#define LONG_ROW 256u  // arcs, beyond which a row is the whole block's
#define OWN 8u  // vertices that a warp goes on with at most, each of a lane an arc
#define OWN_DEGREE (32 / OWN)
#define NARROW (WARPS * OWN)  // vertices, up to which warps go on in a round

struct Round {  // three by turns: this one, the last (being read), the next (being cleared)
    Published published;  // what the manager said while it lasted
    u32 kept, sent, hubs;
    u32 ticks;  // when it ended, probe level 2
};

__shared__ struct WorkerShared {
    Vertex queue[QUEUE_ROOM];
    Vertex own[TURNS > 1 ? NARROW : 1];  // what warps go on with
    OutBuffer out;
    alignas(16) Round rounds[3];
    u32 hub_item[THREADS];
    Dist hub_dist[THREADS];
    u64 order;
    u32 fresh;  // items of the order
} S;

DEVICE uint2 row_of(u32 item) {
    u32 first = (item & ~PIECE) << PIECE_SHIFT;
    return item & PIECE ? make_uint2(first, first + PIECE_ARCS) : __ldg(RUN.rows + item);
}

// An assignment: number 8 bits, bucket's low 8, count 16, address of the first item 32.
DEVICE u64 make_order(u32 number, u32 bucket, u32 count, u32 address) {
    return (u64)(number << 24 | (bucket & 0xffu) << 16 | count) << 32 | address;
}

DEVICE u32 number_of(u64 order) { return (u32)(order >> 56); }
DEVICE u32 count_of(u64 order) { return (u32)(order >> 32) & 0xffffu; }

// One thread: what the manager says, to shared memory; where the device can, nobody waits for it
// before the end of the round.
DEVICE void fetch(Published &to, const Published *from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 "cp.async.cg.shared.global [%0+16], [%1+16], 16;" ::
                 "r"((u32)__cvta_generic_to_shared(&to)), "l"(from) : "memory");
#else
    to = peek(from);
#endif
}

// The lowest distance that does not stay with a worker of a bucket: as published, every one. By
// rounding, a vertex at a bucket's edge may count as one of the bucket beside it: no fault.
__device__ __noinline__ Dist first_that_leaves(u32 phase, u32 bucket) {
    if (RUN.as_published) return 0;
    const Published &told = S.rounds[phase].published;
    double first = told.base + ((int)(bucket - told.head) + 1) / told.inverse_delta;
    return first < value_of(UNREACHED) ? dist_up(larger(first, 0.0)) : UNREACHED;
}

struct Worker {
    // Workers of 768 threads are those of ADDS as published; the authors' code for whole numbers
    // queues what lost the race to improve its vertex as well.
    static constexpr bool QUEUES_LOSERS = THREADS == 768 && !WEIGHT_FLOAT && !WEIGHT_WIDE;
    // the queue and the collection, the same on every thread
    u32 head = 0, tail = 0, used = 0, room = 0, phase = 0, bucket = 0;
    Dist leaves_at = 0;
    u32 idle = 0, status = 0, marks = 0;  // of what the manager said last
    u32 done = 0, kept_total = 0, ticks = 0;
    u64 handed_ns = 0;
    Ticks clock = {0, 0};  // the last thread's is the block's
    Counts counts = {0, 0, 0, 0, 0, 0.f};

    static DEVICE bool takes(bool real, Dist) { return real; }
    DEVICE const Published &told() const { return S.rounds[before(phase)].published; }
    DEVICE double base() const { return told().base; }

    // All lanes: queue what improved, here or for the buckets.
    DEVICE void push(bool won, u32 vertex, Dist dist, uint2 row) {
        counts.improved += won;
        bool keep = won && dist < leaves_at;
        u32 keepers = __ballot_sync(ALL_LANES, keep);
        if (keepers != 0) {
            u32 place = places(keepers, &S.rounds[phase].kept);
            keep = keep && place < room;
            if (keep) S.queue[(tail + place) & (QUEUE_ROOM - 1)] = {vertex, dist, row.x, row.y};
        }
        bool leaves = won && !keep;
        u32 leavers = __ballot_sync(ALL_LANES, leaves);
        if (leavers != 0) collect(leavers, leaves, vertex, dist);
    }

    // All lanes: collect what leaves the worker for the buckets.
    DEVICE void collect(u32 leavers, bool leaves, u32 vertex, Dist dist) {
        u32 place = used + places(leavers, &S.rounds[phase].sent);
        if (!leaves) return;
        int raw = raw_offset(value_of(dist), told().base, told().inverse_delta);
        u32 slot = told().marks % 32 + push_offset(raw, bucket, told().head, RUN.buckets);
        if (slot >= RUN.buckets) slot -= RUN.buckets;
        counts.clipped += clips(raw, RUN.buckets);
        if (place < OUT_ROOM) {
            S.out.item[place] = {vertex, dist};
            S.out.where[place] = slot << 16 | atomicAdd(&S.out.count[slot], 1u);
        } else {
            push_alone(slot, {vertex, dist});
        }
    }

    // What was pushed because it had looked better: another's atomic was first.
    DEVICE void lost(bool did) { counts.improved -= did; }

    // All threads: begin a round that takes `take` items off the queue.
    DEVICE void begin_round(u32 take) {
        if (threadIdx.x == THREADS - 1) {  // the last warp has the least to do
            *(uint4 *)&S.rounds[after(phase)].kept = make_uint4(0, 0, 0, 0);
            poke(RUN.reports + blockIdx.x - 1, make_uint4(done, tail - head, kept_total, 0));
            fetch(S.rounds[phase].published, &RUN.state->published);
        }
        u32 stays = tail - head - take;
        room = QUEUE_ROOM - (tail - head);
        if (idle > 0) room = min(room, RUN.keep > stays ? RUN.keep - stays : 0);
    }

    // All threads: end it; what was pushed becomes visible to all. Returns how many hubs it found.
    DEVICE u32 end_round(u32 take) {
        if constexpr (__CUDA_ARCH__ >= 800) asm volatile("cp.async.wait_all;" ::: "memory");
        if (LEVEL >= 2 && threadIdx.x == THREADS - 1) S.rounds[phase].ticks = clock.now();
        __syncthreads();
        uint4 said = *(const uint4 *)&S.rounds[phase].published.head;
        uint4 counted = *(const uint4 *)&S.rounds[phase].kept;
        idle = said.y;
        status = said.z;
        if (said.w != marks) leaves_at = first_that_leaves(phase, bucket);
        marks = said.w;
        ticks = counted.w;
        u32 kept = min(counted.x, room);
        used = min(used + counted.y, OUT_ROOM);
        head += take;
        tail += kept;
        kept_total += kept;
        phase = after(phase);
        return counted.z;
    }

    // All threads: one round over `take` vertices, dealt to the warps by turns.
    DEVICE void round(u32 take) {
        begin_round(take);
        bool narrow = TURNS > 1 && take <= NARROW;
        u32 share = narrow ? OWN : take <= WARPS ? 1 : 1u << (32 - __clz((take - 1) / WARPS));
        u32 spread = __clz(share) - 26;
        Vertex vertex;
        bool mine = dealt(take, lane_id() >> spread, share, vertex);
        if (__any_sync(ALL_LANES, vertex.degree() > LONG_TURN << spread)) {
            relax_many(take, share);
        } else if (narrow && !QUEUES_LOSERS &&
                   !__any_sync(ALL_LANES, vertex.degree() > OWN_DEGREE)) {
            go_on(vertex, mine);
        } else if (warp_id() < take) {
            relax_few(vertex, mine, spread, counts, *this);
        }
        u32 hubs = end_round(take);
        if (hubs > 0) relax_hubs(hubs);
    }

    // The warp's vertex number `place` of `share` in a round, if there is one.
    DEVICE bool dealt(u32 take, u32 place, u32 share, Vertex &vertex) {
        u32 at = place * WARPS + warp_id();
        bool mine = place < share && at < take;
        vertex = {};
        if (mine) vertex = S.queue[(head + at) & (QUEUE_ROOM - 1)];
        return mine;
    }

    // All lanes: turns over at most OWN vertices of few arcs, an arc a lane, and over what comes of
    // them. Roads and grids are chains of such turns: every instruction here is time.
    DEVICE void go_on(Vertex vertex, bool valid) {
        u32 rank = threadIdx.x % OWN_DEGREE;
        for (u32 turn = 1;; turn++) {
            u32 arc = vertex.first + rank;
            bool real = valid && arc < vertex.end;
            Dist known = valid ? peek(RUN.dist + vertex.id) : 0;
            Arc to = real ? arc_at(RUN.arcs + arc) : Arc{0, 0};
            if (RUN.drop_stale && known != vertex.dist) real = valid = false;
            Dist reach = plus(known, to.weight), old = 0;
            uint2 row = make_uint2(0, 0);
            if (real) {
                old = atomicMin(RUN.dist + to.head, reach);
                row = __ldg(RUN.rows + to.head);
            }
            count_vertex(counts, valid && rank == 0, vertex.id, known, base());
            counts.relaxed += real;
            bool won = reach < old;  // never where there is no arc
            note_improved(won, to.head, old, ticks);
            bool stays = won && reach < leaves_at && row.y - row.x <= OWN_DEGREE && turn < TURNS;
            u32 ours = __ballot_sync(ALL_LANES, stays), place = rank_in(ours);
            stays = stays && place < OWN;
            if (stays) S.own[warp_id() * OWN + place] = {to.head, reach, row.x, row.y};
            counts.improved += stays;
            bool overflows = (old == UNREACHED) & !won;
            if (__any_sync(ALL_LANES, (won & !stays) | overflows)) {
                push(won && !stays, to.head, reach, row);
                if (overflows) note_overflow(arc);
            }
            if (ours == 0) break;
            __syncwarp();
            vertex = S.own[threadIdx.x / OWN_DEGREE];
            valid = lane_id() / OWN_DEGREE < min(__popc(ours), OWN);
            __syncwarp();
        }
    }

    // All lanes: `share` vertices of the round, a lane each; hubs are put aside.
    DEVICE void relax_many(u32 take, u32 share) {
        Vertex vertex;
        bool mine = dealt(take, lane_id(), share, vertex);
        if (vertex.degree() > LONG_ROW) {
            u32 hub = atomicAdd(&S.rounds[phase].hubs, 1u);
            S.hub_item[hub] = vertex.id;
            S.hub_dist[hub] = vertex.dist;
            mine = false;
            vertex.end = vertex.first;
        }
        __syncwarp();
        relax_warp(vertex, mine, share, counts, *this);
    }

    // ---- hubs, and what is left to others -------------------------------------------

    // All threads: vertices of many arcs, and pieces of such, one after the other. While others
    // are idle, long rows are left to them in pieces, and so are the hubs not begun.
    DEVICE void relax_hubs(u32 hubs) {
        for (u32 hub = 0; hub < hubs; hub++) {
            if (idle > 0 && hubs - hub > RUN.chunk_smallest) {
                give_hubs_after(hub, hubs);
                hubs = hub + 1;
            }
            u32 item = S.hub_item[hub];
            Dist dist = S.hub_dist[hub];
            uint2 row = row_of(item);
            u32 id = item & PIECE ? __ldg(RUN.owners + (item & ~PIECE)) : item;
            uint2 given = make_uint2(row.y, row.y);  // what others will relax
            if (idle > 0 && row.y - row.x >= SPLIT_DEGREE) given = give_pieces(row, dist);
            bool counted = item & PIECE;
            for (u32 first = row.x, end; first < row.y; first = end) {
                if (status != RUNNING) return;
                if (used > OUT_ROOM / 2) flush_all();
                if (first == given.x) first = given.y;
                end = min(first + THREADS * UNROLL, first < given.x ? given.x : row.y);
                counted = relax_slice(id, dist, first, end, counted);
            }
        }
        __syncthreads();  // the list of hubs is free again
        if (idle > 0) share_queue();
    }

    // All threads: the hubs after number `hub` go back to the buckets.
    DEVICE void give_hubs_after(u32 hub, u32 hubs) {
        u32 place = hub + 1 + threadIdx.x;
        bool mine = place < hubs;
        give(mine, mine ? S.hub_item[place] : 0, mine ? S.hub_dist[place] : 0, hubs - hub - 1);
        flush_all();
    }

    // All threads: the whole pieces of a row go to the buckets; returns their first and end arc.
    DEVICE uint2 give_pieces(uint2 row, Dist dist) {
        u32 first = (row.x + PIECE_ARCS - 1) & ~(PIECE_ARCS - 1);
        u32 last = row.y & ~(PIECE_ARCS - 1);
        u32 piece = first >> PIECE_SHIFT;
        u32 end = last >> PIECE_SHIFT;
#pragma unroll 1
        for (; piece < end; piece += THREADS) {
            u32 place = piece + threadIdx.x;
            give(place < end, PIECE | place, dist, min(end - piece, THREADS));
        }
        flush_all();
        return make_uint2(first, last);
    }

    // All threads: a round over arcs [first, end) of one vertex, end - first <= THREADS * UNROLL.
    // Returns whether the vertex is counted as processed by now: once, where it is not stale.
    DEVICE bool relax_slice(u32 id, Dist dist, u32 first, u32 end, bool counted) {
        begin_round(0);
        Dist known = peek(RUN.dist + id);
        bool stale = RUN.drop_stale && known != dist;  // the newer item does the rest
        if (threadIdx.x == 0 && !stale) {
            count_vertex(counts, !counted, id, known, base());
            counts.relaxed += end - first;
            counted = true;
        }
        relax_span(stale ? NO_DIST : known, first, end, *this);
        end_round(0);
        return counted;
    }

    // All threads, between rounds: `count` items to the collection, one a thread.
    DEVICE void give(bool mine, u32 item, Dist dist, u32 count) {
        if (used + count > OUT_ROOM) flush_all();
        collect(__ballot_sync(ALL_LANES, mine), mine, item, dist);
        used += count;
        __syncthreads();
        if (threadIdx.x == 0) S.rounds[phase].sent = 0;
        __syncthreads();
    }

    // All threads: what is beyond `keep` in the queue goes back to the buckets.
    DEVICE void share_queue() {
        while (tail - head > RUN.keep) {
            u32 count = min(tail - head - RUN.keep, THREADS);
            Vertex last = S.queue[(tail - 1 - threadIdx.x) & (QUEUE_ROOM - 1)];
            give(threadIdx.x < count, last.id, last.dist, count);
            tail -= count;
        }
    }

    DEVICE void flush_all() {
        flush(S.out, used);
        used = 0;
    }

    // All threads: process what the queue holds until it is empty and everything is written.
    DEVICE void drain() {
        u32 since = 0;
        while (status == RUNNING) {
            bool waiting = head != tail;
            bool feed = idle > 0 && ++since >= RUN.flush_rounds;
            if (used > 0 && (!waiting || feed || used > OUT_ROOM / 2)) {
                flush_all();
                since = 0;
            }
            if (!waiting) break;
            round(min(tail - head, (u32)THREADS));
        }
    }

    // All threads: wait for the next assignment; false when the run has ended, or its time.
    DEVICE bool take_order(u64 &order) {
        __syncthreads();  // nobody reads what one thread is about to write
        u32 at = before(phase);
        if (threadIdx.x == THREADS - 1) {
            Published now;
            bool leave;
            u32 turns = 0;
            do {
                order = peek_acquire(RUN.assign + blockIdx.x - 1);
                now = peek(&RUN.state->published);
                leave = now.status != RUNNING || (++turns % PATIENCE == 0 && is_late());
                if (LEVEL >= 2) clock.now();
            } while (number_of(order) == done && !leave);
            S.order = leave ? 0 : order;  // of nothing
            S.fresh = 0;
            S.rounds[at].published = now;
            if (LEVEL >= 2) S.rounds[at].ticks = clock.now();
        }
        __syncthreads();
        order = S.order;
        const Published &seen = told();
        idle = seen.idle_workers;
        status = seen.status;
        marks = seen.marks;
        ticks = S.rounds[at].ticks;
        u32 count = count_of(order), address = (u32)order;
        if (count == 0) return false;
        bucket = seen.head + (((u32)(order >> 48) - seen.head) & 0xffu);
        if (bucket - seen.head > 127) bucket -= 256;  // the head has moved past it meanwhile
        copy_fresh(address, count);
        leaves_at = first_that_leaves(at, bucket);
        __syncthreads();
        head = 0;
        tail = S.fresh;
        if (threadIdx.x == 0) add(RUN.taken + (address >> BLOCK_SHIFT), count);
        return true;
    }

    // All threads: the items of an order to the queue, but those that are stale by now.
    DEVICE void copy_fresh(u32 address, u32 count) {
        for (u32 i = threadIdx.x; (i & ~31u) < count; i += THREADS) {
            bool fresh = i < count;
            Item item = {};
            uint2 row = make_uint2(0, 0);
            if (fresh) {
                item = peek(RUN.items + address + i);
                row = row_of(item.vertex);
                if (RUN.drop_stale && !(item.vertex & PIECE))
                    fresh = peek(RUN.dist + item.vertex) == item.dist;
            }
            u32 place = places(__ballot_sync(ALL_LANES, fresh), &S.fresh);
            if (fresh) S.queue[place] = {item.vertex, item.dist, row.x, row.y};
        }
    }

    DEVICE void work() {
        if (threadIdx.x < 32) {
            S.out.count[threadIdx.x] = 0;
            S.out.cached_number[threadIdx.x] = NOWHERE;
        }
        if (threadIdx.x < 3) *(uint4 *)&S.rounds[threadIdx.x].kept = make_uint4(0, 0, 0, 0);
        if (LEVEL >= 2) clock = {RUN.state->start_ns, now_ns()};
        u64 order;
        while (take_order(order)) {
            drain();
            u64 now = LEVEL >= 1 ? now_ns() : 0;
            bool due = LEVEL >= 1 && now - handed_ns >= RUN.period_ns / 2;
            if (__any_sync(ALL_LANES, due || counts.relaxed > (1u << 26))) {
                hand_counts_over(counts, RUN.stats + blockIdx.x - 1);
                handed_ns = now;
            }
            done = number_of(order);
            if (threadIdx.x == 0) {
                u32 count = count_of(order);  // what was pushed is fenced by `flush`
                add(&RUN.slots[bucket % RUN.buckets].completed, count);
                poke(RUN.reports + blockIdx.x - 1, make_uint4(done, 0, kept_total, 0));
            }
        }
        hand_counts_over(counts, RUN.stats + blockIdx.x - 1);
    }
};
