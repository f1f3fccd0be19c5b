/*
async_herald.cuh: the herald, one warp of a block, which alone talks with the rest of the grid.

It tells how much the block has (a report: near, all, a version, near here and now) and what waits
nearest in it; it hears the threshold and how many blocks are idle; and it gives what waits in the
ring to idle blocks, or takes what others gave, in packets through a ring in device memory.

What travels stays counted where it began, and a block reports what it has made before it gives any
of it away, so reports never add up to less than there is. Reports that add up to nothing and do not
change between two readings mean that nothing is left.
*/
#pragma once
#include "async_far.cuh"

#define PACKETS 1024u  // places for packets, each of up to 32 entries
#define FLOOD 128u     // entries in the ring from which whole packets go to every idle block

struct Herald {
    u32 version = 0;
    int near_told = -1, all_told = 0, here_told = 0;
    Dist nearest_told = 0;
    int given = 0;  // near entries given to others less those taken

    // All lanes: report what is new. Returns how much near there is here.
    DEVICE int tell() {
        int near = __shfl_sync(ALL_LANES, (int)look(S.net[0]), 0);
        int all = __shfl_sync(ALL_LANES, (int)look(S.net[1]), 0);
        int here = near - given;
        Dist nearest = lane_id() < WARPS ? look(S.own[lane_id()].nearest) : NO_DIST;
        nearest = least_over_lanes(nearest);
        bool changed = near != near_told || all != all_told || here != here_told;
        version += changed;
        if (lane_id() == 0 && (changed || nearest != nearest_told)) {
            poke(RUN.assign + blockIdx.x, (u64)nearest);
            poke(RUN.reports + blockIdx.x, make_uint4(near, all, version, here));
        }
        near_told = near;
        all_told = all;
        here_told = here;
        nearest_told = nearest;
        return here;
    }

    // All lanes: lane 0 has threshold, idle blocks, status; lane 1 the packets' ends; 2 the stride.
    DEVICE uint4 hear() {
        uint4 heard = make_uint4(0, 0, 0, 0);
        if (lane_id() < 3) heard = peek((const uint4 *)RUN.table + lane_id());
        if (lane_id() == 0 && (heard.x | heard.y) != 0) {  // the pacer has begun
            leave(S.threshold, (Dist)((u64)heard.y << 32 | heard.x));
            leave(S.idle_blocks, heard.z);
            if (heard.w != RUNNING) leave(S.status, heard.w);
        }
        if (lane_id() == 2) leave(S.stride, (u64)heard.y << 32 | heard.x);
        __syncwarp();
        return heard;
    }

    DEVICE void work() {
        for (;;) {
            uint4 heard = hear();
            int here = tell();
            if (__shfl_sync(ALL_LANES, heard.w, 0) != RUNNING) return;
            u32 idle = __shfl_sync(ALL_LANES, heard.z, 0);
            u32 head = __shfl_sync(ALL_LANES, heard.x, 1);
            u32 under_way = __shfl_sync(ALL_LANES, heard.y, 1) - head;
            // Few packets under way, small ones, keep a narrow frontier together; a wide one is to
            // reach every idle block at once.
            bool flooded = __any_sync(ALL_LANES, waiting() >= FLOOD);
            u32 most_under_way = flooded ? idle : (idle + 3) / 4;
            if (here > (int)RUN.keep && under_way < most_under_way)
                give(flooded ? 32u : RUN.chunk_largest);
            else if (here < (int)RUN.chunk_smallest && under_way != 0) take(head);
        }
    }

    // ---- packets --------------------------------------------------------------------
    // The word of a place: 2 x rounds of the ring when it is free, one more when it is full, << 8,
    // and the number of entries.

    DEVICE Vertex *entries_of(u32 packet) {
        return (Vertex *)RUN.far + (u64)(packet & (PACKETS - 1)) * 32;
    }
    DEVICE u32 *word_of(u32 packet) { return (u32 *)RUN.slots + (packet & (PACKETS - 1)); }
    DEVICE u32 phase_of(u32 packet) { return packet / PACKETS * 2 & 0xffffffu; }

    // All lanes: up to `most` entries of the ring, for whoever takes them.
    DEVICE void give(u32 most) {
        u32 first;
        u32 got = claim(most, most, first);
        if (got == 0) return;
        Vertex entry = {};
        if (lane_id() < got) entry = get(first + lane_id());
        tell();
        fence();  // what we have made is reported before others see it
        u32 packet = add_for_all(RUN.table + POOL_TAIL, 1);
        u32 turns = 0;
        while (peek(word_of(packet)) >> 8 != phase_of(packet) && !gives_up(turns)) {}
        __syncwarp();
        if (lane_id() < got) poke(entries_of(packet) + lane_id(), entry);
        __syncwarp();
        fence();
        u32 full = (phase_of(packet) + 1) << 8 | got;
        if (lane_id() == 0) poke(word_of(packet), full);
        given += got;
    }

    DEVICE void take(u32 packet) {
        bool ours = false;
        if (lane_id() == 0) ours = atomicCAS(RUN.table + POOL_HEAD, packet, packet + 1) == packet;
        if (!__shfl_sync(ALL_LANES, ours, 0)) return;
        u32 word = 0;
        bool full = false;
        for (u32 turns = 0; !full && !gives_up(turns);) {
            word = peek(word_of(packet));
            full = word >> 8 == phase_of(packet) + 1;
        }
        if (!__all_sync(ALL_LANES, full)) return;
        fence();
        u32 got = __shfl_sync(ALL_LANES, word & 0xffu, 0);
        Vertex entry = {};
        if (lane_id() < got) entry = peek(entries_of(packet) + lane_id());
        __syncwarp();
        fence();
        u32 free = (phase_of(packet) + 2 & 0xffffffu) << 8;
        if (lane_id() == 0) poke(word_of(packet), free);
        given -= got;
        u32 first = add_for_all(&S.ends[1], got);  // a herald's 32 have room: RING_SAFE
        if (lane_id() < got) put(first + lane_id(), entry);
        __syncwarp();
    }
};
