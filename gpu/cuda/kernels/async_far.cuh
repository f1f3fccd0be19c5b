/*
async_far.cuh: what is far, of one warp: a pile in shared memory, beyond it chunks in device memory.

No other warp writes or reads it, so it needs no atomics. The pile holds entries with their rows.
Where it overflows, its farther half goes to the chunks, and so does what is pushed that far from
then on; the chunks are looked through again when the threshold reaches the nearest of them.

Near entries go to the warp's own list up to `keep`, then to the ring, and where the ring is full
back to far: `nearest` says so, and the warp looks again.
*/
#pragma once
#include "async_block.cuh"

#define CHUNK 64u  // items
#define NO_CHUNK 0xffffffffu
#define STRIDES_IN_PILE 8.0  // what was beyond and less than so many strides away goes to the pile

DEVICE Item *chunk_at(u32 chunk) { return RUN.items + (u64)chunk * CHUNK; }

// All lanes: another chunk to fill, in front of the list; none left: the run ends.
DEVICE void begin_chunk(Own &own) {
    u32 fresh = own.free_chunk;
    u32 before = own.chunk;
    __syncwarp();
    if (fresh != NO_CHUNK) {
        u32 next = peek(RUN.written + fresh);
        if (lane_id() == 0) own.free_chunk = next;
    } else {
        fresh = add_for_all(RUN.table + CHUNKS_USED, 1);
        if (fresh >= RUN.pile_room / CHUNK) {
            if (lane_id() == 0) poke(RUN.table + FAULT, (u32)POOL_DRY);
            fresh = 0;
        }
    }
    if (lane_id() == 0) {
        poke(RUN.written + fresh, before);
        own.chunk = fresh;
        own.fill = 0;
    }
    __syncwarp();
}

__device__ __noinline__ void put_beyond(bool goes, u32 vertex, Dist dist) {
    Own &own = S.own[warp_id()];
    u32 who = __ballot_sync(ALL_LANES, goes);
    if (who == 0) return;
    Dist lowest = least_over_lanes(goes ? dist : NO_DIST);
    u32 wanted = __popc(who);
    u32 rank = rank_in(who);
    u32 fill = own.fill;
    u32 room = CHUNK - fill;
    if (goes && rank < room) poke(chunk_at(own.chunk) + fill + rank, Item{vertex, dist});
    fill += wanted;
    if (wanted > room) {
        begin_chunk(own);
        if (goes && rank >= room) poke(chunk_at(own.chunk) + rank - room, Item{vertex, dist});
        fill = wanted - room;
    }
    __syncwarp();
    if (lane_id() == 0) {
        own.fill = fill;
        own.beyond_min = min(own.beyond_min, lowest);
        own.nearest = min(own.nearest, lowest);
    }
    __syncwarp();
}

// All lanes: what is farther than the mean of the pile goes beyond, until 32 more have room.
__device__ __noinline__ void spill() {
    Own &own = S.own[warp_id()];
    Vertex *pile = S.pile[warp_id()];
    u32 count = own.far;
    while (count > PILE - 32) {
        double sum = 0.0;
        Dist most = 0;
#pragma unroll 1
        for (u32 i = lane_id(); i < count; i += 32) {
            Dist dist = pile[i].dist;
            sum += value_of(dist);
            most = max(most, dist);
        }
        sum = sum_over_lanes(sum);
        most = most_over_lanes(most);
        Dist beyond_at = min(dist_down(sum / count), most);
        u32 left = 0;
        for (u32 base = 0; base < count; base += 32) {
            bool there = base + lane_id() < count;
            Vertex entry = {};
            if (there) entry = pile[base + lane_id()];
            bool stays = there && entry.dist < beyond_at;
            put_beyond(there && !stays, entry.id, entry.dist);
            u32 who = __ballot_sync(ALL_LANES, stays);
            if (stays) pile[left + rank_in(who)] = entry;
            left += __popc(who);
            __syncwarp();
        }
        count = left;
        if (lane_id() == 0) own.beyond_at = beyond_at;
    }
    if (lane_id() == 0) own.far = count;
    __syncwarp();
}

__device__ __noinline__ void put_far(bool goes, u32 vertex, Dist dist, uint2 row) {
    Own &own = S.own[warp_id()];
    bool beyond = goes && dist >= own.beyond_at;
    if (__any_sync(ALL_LANES, beyond)) put_beyond(beyond, vertex, dist);
    goes = goes && !beyond;
    u32 who = __ballot_sync(ALL_LANES, goes);
    if (who == 0) return;
    if (own.far > PILE - 32) spill();
    u32 count = own.far;
    Dist lowest = least_over_lanes(goes ? dist : NO_DIST);
    if (goes) S.pile[warp_id()][count + rank_in(who)] = Vertex{vertex, dist, row.x, row.y};
    __syncwarp();
    if (lane_id() == 0) {
        own.far = count + __popc(who);
        own.nearest = min(own.nearest, lowest);
    }
    __syncwarp();
}

// All lanes: near entries, counted already; `count` are the warp's own. Returns how many are then.
DEVICE u32 put_near(bool near, u32 vertex, Dist dist, uint2 row, u32 count, u32 keep) {
    u32 who = __ballot_sync(ALL_LANES, near);
    if (who == 0) return count;
    keep = max(count, keep);
    u32 place = count + rank_in(who);
    u32 total = count + __popc(who);
    bool shared = near && place >= keep;
    if (near && !shared) S.mine[warp_id()][place] = Vertex{vertex, dist, row.x, row.y};
    if (total > keep) {
        u32 first = reserve(total - keep);
        if (first != EMPTY) {
            if (shared) put(first + place - keep, Vertex{vertex, dist, row.x, row.y});
        } else {
            account(-(int)(total - keep), 0);
            put_far(shared, vertex, dist, row);
        }
    }
    __syncwarp();
    return min(total, keep);
}

// All lanes: what improved. Returns how many near entries are the warp's own.
__device__ __noinline__ u32 push_out(bool won, u32 vertex, Dist dist, uint2 row, Dist threshold,
                                     u32 count, u32 keep) {
    bool near = won && dist < threshold;
    u32 all = __ballot_sync(ALL_LANES, won);
    u32 nears = __ballot_sync(ALL_LANES, near);
    account(__popc(nears), __popc(all));
    count = put_near(near, vertex, dist, row, count, keep);
    if (all != nears) put_far(won && !near, vertex, dist, row);
    return count;
}

// All lanes: what of the pile is below the threshold. Returns how many are the warp's own.
__device__ __noinline__ u32 look_through_pile(Dist threshold, u32 count, u32 keep) {
    Own &own = S.own[warp_id()];
    Vertex *pile = S.pile[warp_id()];
    u32 old = own.far;
    u32 left = 0;
    bool full = false;
    Dist lowest = NO_DIST;
    for (u32 base = 0; base < old; base += 32) {
        bool stays = base + lane_id() < old;
        Vertex entry = {};
        if (stays) entry = pile[base + lane_id()];
        __syncwarp();
        Dist dist = entry.dist;
        bool near = stays && dist < threshold;
        u32 who = __ballot_sync(ALL_LANES, near);
        if (who != 0 && !full) {
            u32 most = max(count, keep);
            u32 place = count + rank_in(who);
            u32 total = count + __popc(who);
            u32 first = EMPTY;
            bool shared = near && place >= most;
            if (total > most) {
                first = reserve(total - most);
                full = first == EMPTY;
            }
            account((full ? min(total, most) : total) - count, 0);  // before others can take it
            if (near && !shared) S.mine[warp_id()][place] = entry;
            if (shared && !full) put(first + place - most, entry);
            count = min(total, most);
            stays = stays && (!near || (shared && full));
        }
        u32 stay = __ballot_sync(ALL_LANES, stays);
        if (stays) {
            pile[left + rank_in(stay)] = entry;
            lowest = min(lowest, dist);
        }
        left += __popc(stay);
        __syncwarp();
    }
    lowest = least_over_lanes(lowest);
    if (lane_id() == 0) {
        own.far = left;
        own.nearest = min(lowest, own.beyond_min);
    }
    __syncwarp();
    return count;
}

// All lanes: every chunk, and then the pile.
__device__ __noinline__ u32 look_beyond(Dist threshold, u32 count, u32 keep) {
    Own &own = S.own[warp_id()];
    u32 at = own.chunk;
    u32 items = own.fill;
    double reach = value_of(threshold) + STRIDES_IN_PILE * value_of((Dist)look(S.stride));
    __syncwarp();
    if (lane_id() == 0) {
        own.chunk = NO_CHUNK;
        own.fill = CHUNK;
        own.beyond_min = NO_DIST;
        own.beyond_at = as_threshold(reach);
    }
    __syncwarp();
    // Where chunks have run out, warps share one and a list has no end: the status does.
    while (at != NO_CHUNK && !__any_sync(ALL_LANES, look(S.status) != RUNNING)) {
        u32 next = peek(RUN.written + at);
        for (u32 base = 0; base < items; base += 32) {
            bool there = base + lane_id() < items;
            Item item = {};
            if (there) item = peek(chunk_at(at) + base + lane_id());
            bool fresh = there && peek(RUN.dist + item.vertex) == item.dist;
            uint2 row = fresh ? __ldg(RUN.rows + item.vertex) : make_uint2(0, 0);
            u32 stale = __popc(__ballot_sync(ALL_LANES, there && !fresh));
            bool near = fresh && item.dist < threshold;
            u32 nears = __popc(__ballot_sync(ALL_LANES, near));
            account((int)nears, -(int)stale);
            count = put_near(near, item.vertex, item.dist, row, count, keep);
            put_far(fresh && !near, item.vertex, item.dist, row);
        }
        if (lane_id() == 0) {
            poke(RUN.written + at, own.free_chunk);
            own.free_chunk = at;
        }
        __syncwarp();
        at = next;
        items = CHUNK;
    }
    return look_through_pile(threshold, count, keep);
}
