/*
worker.cuh: a worker block of ADDS.

It waits for an assignment, copies those of its items that are not stale into its own queue in
shared memory and drains that queue in rounds of up to THREADS vertices. An improved vertex of its
own bucket, or of an earlier one, stays in the queue and is processed in the next round, about a
microsecond later. In a round of few vertices each warp goes on with what it improved for TURNS
turns: half of a hop was the round around it. Everything else, and what exceeds `keep` while other
workers are idle, is collected and written to the buckets. Only when queue and collection are empty
does it count its items as completed: until then its bucket cannot retire.

While others are idle nobody sits on work: a row of SPLIT_DEGREE arcs or more is queued in
pieces (an item may name a piece of arcs instead of a vertex), hubs not begun and what exceeds
`keep` go back to the buckets.

One barrier a round. Counts that a round adds to stand in one of three places by turns: this
round's, the last one's (being read), the next one's (being cleared).
*/
#pragma once
#include "queue.cuh"
#include "relax.cuh"

#define QUEUE_ROOM 1024u  // items, a power of two
#define PIECE 0x80000000u  // an item that is no vertex: PIECE | number of a piece of arcs
#define PIECE_ARCS (1u << PIECE_SHIFT)
#define SPLIT_DEGREE (4 * PIECE_ARCS)
#define LONG_ROW 256u  // arcs, beyond which a row is the whole block's
#ifndef TURNS
#define TURNS 4  // of a warp in a round
#endif
#define OWN 8u   // vertices that a warp goes on with at most, each of a lane an arc
#define NARROW (WARPS * OWN)  // vertices, up to which warps go on in a round

struct WorkerShared {
    Vertex queue[QUEUE_ROOM];
    OutBuffer out;
    alignas(16) Published published[3];
    u32 kept[3], sent[3], hubs[3];
    u32 hub_item[THREADS];
    Dist hub_dist[THREADS];
    u64 order, clock_ns;
    u32 fresh;  // items of the order
};

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
#define LEAVE 0ull  // an order of nothing

DEVICE Published look_at(const Published *at) {
    double2 widths = peek((const double2 *)at);
    uint4 rest = peek((const uint4 *)&at->head);
    return {widths.x, widths.y, rest.x, rest.y, rest.z, 0};
}

// One thread: the same to shared memory; where the device can, nobody waits until `fetched`.
DEVICE void fetch_16(void *to, const void *from) {
    u32 at = (u32)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
}
DEVICE void fetch(Published &to, const Published *from) {
    if constexpr (__CUDA_ARCH__ >= 800) {
        fetch_16(&to, from);
        fetch_16(&to.head, &from->head);
    } else {
        to = look_at(from);
    }
}

DEVICE void fetched() {
    if constexpr (__CUDA_ARCH__ >= 800) asm volatile("cp.async.wait_all;" ::: "memory");
}

// The lowest distance that does not stay with a worker of a bucket: as published, every one. By
// rounding, a vertex at a bucket's edge may count as one of the bucket beside it, which is no fault.
__device__ __noinline__ Dist first_that_leaves(Published seen, u32 bucket) {
    if (RUN.as_published) return 0;
    double first = seen.base + ((int)(bucket - seen.head) + 1) / seen.inverse_delta;
    return first < value_of(UNREACHED) ? dist_up(larger(first, 0.0)) : UNREACHED;
}

// All lanes: collect what leaves the worker for the buckets; returns whether it was clipped.
__device__ __noinline__ bool collect(WorkerShared &s, bool leaves, u32 vertex,
                                     Dist dist, double base, double inverse_delta, u32 head,
                                     u32 bucket, u32 used, u32 phase) {
    u32 place = used + places(__ballot_sync(ALL_LANES, leaves), &s.sent[phase]);
    if (!leaves) return false;
    int raw = raw_offset(value_of(dist), base, inverse_delta);
    u32 slot = (head + push_offset(raw, bucket, head, RUN.buckets)) % RUN.buckets;
    if (place < OUT_ROOM) {
        s.out.item[place] = {vertex, dist};
        s.out.where[place] = slot << 16 | atomicAdd(&s.out.count[slot], 1u);
    } else {
        push_alone(slot, {vertex, dist});
    }
    return clips(raw, RUN.buckets);
}

struct Worker {
    // Workers of 768 threads are those of ADDS as published; the authors' code for whole numbers
    // queues what lost the race to improve its vertex as well.
    static constexpr bool QUEUES_LOSERS = THREADS == 768 && !WEIGHT_FLOAT && !WEIGHT_WIDE;
    WorkerShared &s;
    // the queue and the collection, the same on every thread
    u32 head = 0, tail = 0, used = 0, room = 0, phase = 0, bucket = 0;
    Dist leaves_at = 0;
    Published seen;
    u32 done = 0, kept_total = 0, ticks = 0;
    u64 handed_ns = 0;
    u32 own = 0;  // vertices that this warp goes on with
    bool goes_on = false;
    Ticks clock = {0, 0};
    Counts counts = {0, 0, 0, 0, 0, 0.f};

    static DEVICE bool takes(bool real, Dist) { return real; }
    DEVICE double base() const { return seen.base; }

    // All lanes: queue what improved, here or for the buckets.
    DEVICE void push(bool won, u32 vertex, Dist dist, uint2 row) {
        bool keep = won && dist < leaves_at, mine = false;
        counts.improved += won;
        if (goes_on) {
            mine = keep && row.y - row.x <= 32 / OWN;
            u32 ours = __ballot_sync(ALL_LANES, mine), place = own + rank_in(ours);
            mine = mine && place < OWN;
            if (mine) own_at(place) = {vertex, dist, row.x, row.y};
            own = min(own + __popc(ours), OWN);
            keep = keep && !mine;
            if (!__any_sync(ALL_LANES, won && !mine)) return;
        }
        u32 keepers = __ballot_sync(ALL_LANES, keep);
        if (keepers != 0) {
            u32 place = places(keepers, &s.kept[phase]);
            keep = keep && place < room;
            if (keep) s.queue[(tail + place) & (QUEUE_ROOM - 1)] = {vertex, dist, row.x, row.y};
        }
        bool leaves = won && !keep && !mine;
        if (__any_sync(ALL_LANES, leaves))
            counts.clipped += collect(s, leaves, vertex, dist, seen.base, seen.inverse_delta,
                                      seen.head, bucket, used, phase);
    }

    // What was pushed because it had looked better: another's atomic was first.
    DEVICE void lost(bool did) { counts.improved -= did; }

    // One thread: nothing is pushed yet in a round.
    DEVICE void clear_counts(u32 at) {
        s.kept[at] = 0;
        s.sent[at] = 0;
        s.hubs[at] = 0;
    }

    // All threads: begin a round that takes `take` items off the queue.
    DEVICE void begin_round(u32 take) {
        if (LEVEL >= 2) ticks = clock.now();
        if (threadIdx.x == THREADS - 1) {  // the last warp has the least to do
            clear_counts(after(phase));
            poke(RUN.reports + blockIdx.x - 1, make_uint4(done, tail - head, kept_total, 0));
            fetch(s.published[phase], &RUN.state->published);
        }
        u32 stays = tail - head - take;
        room = QUEUE_ROOM - NARROW - (tail - head);
        if (seen.idle_workers > 0) room = min(room, RUN.keep > stays ? RUN.keep - stays : 0);
    }

    // All threads: end it; what was pushed becomes visible to all.
    DEVICE void end_round(u32 take) {
        fetched();
        __syncthreads();
        u32 kept = min(s.kept[phase], room);
        Published now = s.published[phase];
        bool moved = now.head != seen.head || now.inverse_delta != seen.inverse_delta;
        seen = now;
        if (moved) leaves_at = first_that_leaves(seen, bucket);
        used = min(used + s.sent[phase], OUT_ROOM);
        head += take;
        tail += kept;
        kept_total += kept;
        phase = after(phase);
    }

    // All threads: one round over `take` vertices, dealt to the warps.
    DEVICE void round(u32 take) {
        begin_round(take);
        u32 share = take <= WARPS ? 1 : 1u << (32 - __clz((take - 1) / WARPS));
        u32 spread = __clz(share) - 26, place = warp_id() * share + (lane_id() >> spread);
        Vertex vertex = {};
        if (place < take) vertex = s.queue[(head + place) & (QUEUE_ROOM - 1)];
        if (__any_sync(ALL_LANES, vertex.degree() > LONG_TURN << spread)) relax_many(take, share);
        else if (warp_id() * share < take) go_on(vertex, place < take, spread, take <= NARROW);
        u32 ended = phase;
        end_round(take);
        u32 hubs = s.hubs[ended];
        if (hubs > 0) relax_hubs(hubs);
    }

    // What a warp goes on with stands behind the head of the queue, where the queue never reaches.
    DEVICE Vertex &own_at(u32 place) {
        return s.queue[(head - 1 - warp_id() * OWN - place) & (QUEUE_ROOM - 1)];
    }

    // All lanes: turns over a few vertices, 2^spread lanes for each, and over what comes of them.
    DEVICE void go_on(Vertex vertex, bool valid, u32 spread, bool narrow) {
        for (u32 turn = 1;; turn++) {
            own = 0;
            goes_on = narrow && turn < TURNS;
            relax_few(vertex, valid, spread, counts, *this);
            if (own == 0) break;
            __syncwarp();
            spread = own == 1 ? 5 : __clz(own - 1) - 27;
            u32 place = lane_id() >> spread;
            valid = place < own;
            vertex = {};
            if (valid) vertex = own_at(place);
            __syncwarp();
            if (LEVEL >= 2) ticks = clock.now();
        }
        goes_on = false;
    }

    // All lanes: `share` vertices of the round, a lane each; hubs are put aside.
    DEVICE void relax_many(u32 take, u32 share) {
        u32 place = warp_id() * share + lane_id();
        bool mine = lane_id() < share && place < take;
        Vertex vertex = {};
        if (mine) vertex = s.queue[(head + place) & (QUEUE_ROOM - 1)];
        if (vertex.degree() > LONG_ROW) {
            u32 hub = atomicAdd(&s.hubs[phase], 1u);
            s.hub_item[hub] = vertex.id;
            s.hub_dist[hub] = vertex.dist;
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
            if (seen.idle_workers > 0 && hubs - hub > RUN.chunk_smallest) {
                give_hubs_after(hub, hubs);
                hubs = hub + 1;
            }
            u32 item = s.hub_item[hub];
            Dist dist = s.hub_dist[hub];
            uint2 row = row_of(item);
            u32 id = item & PIECE ? __ldg(RUN.owners + (item & ~PIECE)) : item;
            uint2 given = make_uint2(row.y, row.y);  // what others will relax
            if (seen.idle_workers > 0 && row.y - row.x >= SPLIT_DEGREE)
                given = give_pieces(row, dist);
            bool counted = item & PIECE;
            for (u32 first = row.x, end; first < row.y; first = end) {
                if (seen.status != RUNNING) return;
                if (used > OUT_ROOM / 2) flush_all();
                if (first == given.x) first = given.y;
                end = min(first + THREADS * UNROLL, first < given.x ? given.x : row.y);
                counted = relax_slice(id, dist, first, end, counted);
            }
        }
        __syncthreads();  // the list of hubs is free again
        if (seen.idle_workers > 0) share_queue();
    }

    // All threads: the hubs after number `hub` go back to the buckets.
    DEVICE void give_hubs_after(u32 hub, u32 hubs) {
        u32 keep = hub + 1;
        u32 place = keep + threadIdx.x;
        bool mine = place < hubs;
        give(mine, mine ? s.hub_item[place] : 0, mine ? s.hub_dist[place] : 0, hubs - keep);
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
        collect(s, mine, item, dist, seen.base, seen.inverse_delta, seen.head, bucket, used, phase);
        used += count;
        __syncthreads();
        if (threadIdx.x == 0) s.sent[phase] = 0;
        __syncthreads();
    }

    // All threads: what is beyond `keep` in the queue goes back to the buckets.
    DEVICE void share_queue() {
        while (tail - head > RUN.keep) {
            u32 count = min(tail - head - RUN.keep, THREADS);
            Vertex last = s.queue[(tail - 1 - threadIdx.x) & (QUEUE_ROOM - 1)];
            give(threadIdx.x < count, last.id, last.dist, count);
            tail -= count;
        }
    }

    DEVICE void flush_all() {
        flush(s.out, used);
        used = 0;
    }

    // All threads: process what the queue holds until it is empty and everything is written.
    DEVICE void drain() {
        u32 since = 0;
        while (seen.status == RUNNING) {
            bool waiting = head != tail;
            bool feed = seen.idle_workers > 0 && ++since >= RUN.flush_rounds;
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
        __syncthreads();  // nobody reads what thread 0 is about to write
        u32 at = before(phase);
        if (threadIdx.x == 0) {
            Published now;
            bool leave;
            u32 turns = 0;
            do {
                order = peek_acquire(RUN.assign + blockIdx.x - 1);
                now = look_at(&RUN.state->published);
                leave = now.status != RUNNING || (++turns % PATIENCE == 0 && is_late());
                if (LEVEL >= 2) clock.now();
            } while (number_of(order) == done && !leave);
            s.order = leave ? LEAVE : order;
            s.fresh = 0;
            s.published[at] = now;
            if (LEVEL >= 2) s.clock_ns = clock.last_ns;
        }
        __syncthreads();
        order = s.order;
        seen = s.published[at];
        if (LEVEL >= 2) clock.last_ns = s.clock_ns;
        u32 count = count_of(order);
        u32 address = (u32)order;
        if (count == 0) return false;
        bucket = seen.head + (((u32)(order >> 48) - seen.head) & 0xffu);
        if (bucket - seen.head > 127) bucket -= 256;  // the head has moved past it meanwhile
        copy_fresh(address, count);
        leaves_at = first_that_leaves(seen, bucket);
        __syncthreads();
        head = 0;
        tail = s.fresh;
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
            u32 place = places(__ballot_sync(ALL_LANES, fresh), &s.fresh);
            if (fresh) s.queue[place] = {item.vertex, item.dist, row.x, row.y};
        }
    }

    DEVICE void work() {
        if (threadIdx.x < 32) {
            s.out.count[threadIdx.x] = 0;
            s.out.cached_number[threadIdx.x] = NOWHERE;
        }
        if (threadIdx.x < 3) clear_counts(threadIdx.x);
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
