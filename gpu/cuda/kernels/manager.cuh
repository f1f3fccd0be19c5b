/*
manager.cuh: the manager block of ADDS; all its warps but the last, which is the courier.

A sweep has two phases with a barrier after each:

look     every thread reads workers' reports; one warp for each of the first buckets reads its
         write-completed counters, fences and reads `reserved` again, and so knows how far it
         is readable; the last warp reads every slot's counters, retires the head, frees and
         allocates pool blocks
assign   every thread gives one idle worker its piece; the last warp asks the controller
*/
#pragma once
#include "reader.cuh"

struct Manager : Reader {
    // Workers share with the idle only what they were given; as published they never do.
    DEVICE void publish(u32 idle) {
        Published *to = &RUN.state->published;
        if (RUN.as_published) idle = 0;
        poke((double2 *)to, make_double2(M.base, M.c.inverse_delta));
        u32 marks = (M.head + M.delta_changes) << 5 | M.head % RUN.buckets;
        poke((uint4 *)&to->head, make_uint4(M.head, idle, M.status, marks));
    }

    // Before the first sweep: the source goes into the head.
    __device__ __noinline__ void start() {
        for (u32 i = threadIdx.x; i < sizeof(ManagerShared) / 4; i += THREADS) ((u32 *)&M)[i] = 0;
        __syncthreads();
        if (threadIdx.x < 32) M.block_number[threadIdx.x] = NOWHERE;
        if (threadIdx.x == 0) {
            M.start_ns = RUN.state->start_ns;
            M.idle_now = RUN.workers;
            M.status = RUNNING;
            M.reason = START;
            M.free_top = RUN.pool_blocks;
            (Controller &)M.c = RUN.controller;
            double largest = value_of((Dist)RUN.weight_max);
            set_weights(M.c, RUN.mean_weight, largest, RUN.mean_degree, RUN.rule);
            begin_policy(M.c, RUN.mean_weight / larger(RUN.mean_degree, TINY_DEGREE));
        }
        __syncthreads();  // the courier too
        if (warp_id() != LAST_WARP) return;
        serve_pool();
        if (lane_id() == 0) {
            u32 block = block_of(0, 0);
            poke(RUN.items + (block << BLOCK_SHIFT), Item{RUN.source, 0});
            reach_source();
            poke(&RUN.slots[0].reserved, 1u);
            M.reserved[0] = 1;
            M.mark[0] = 1;
            publish(RUN.workers);
            fence();
            poke(RUN.written + block * BLOCK_SEGMENTS, 1u);
            poke(RUN.taken + block, WRITTEN);
        }
        __syncwarp();
    }

    // Every warp but the last: workers' reports, and how far its bucket is readable.
    DEVICE void look(Sums &sums, u32 head) {
        uint4 report[REPORTS];
        for (u32 i = 0; i < REPORTS; i++) {
            u32 worker = i * LOOKERS + threadIdx.x;
            if (worker < RUN.workers) report[i] = peek(RUN.reports + worker);
        }
        if (warp_id() < RUN.buckets) find_readable(head, warp_id());
        u32 load = 0, kept = 0;
        for (u32 i = 0; i < REPORTS; i++) {
            u32 worker = i * LOOKERS + threadIdx.x;
            bool ours = worker < RUN.workers, idle = ours && report[i].x == M.number[worker];
            if (ours && !idle) load += report[i].y ? report[i].y : M.handed[worker];
            if (ours) kept += report[i].z;
            u32 place = places(__ballot_sync(ALL_LANES, idle), &sums.idle);
            if (idle) M.idle_list[place] = (unsigned short)worker;
        }
        load = sum_over_lanes(load);
        kept = sum_over_lanes(kept);
        if (lane_id() == 0) {
            atomicAdd(&sums.load, load);
            atomicAdd(&sums.kept, kept);
        }
    }

    // Last warp: move the head on while it is finished and something waits further on. One
    // 8-byte load sees both counters of a slot at one instant; two quiet sweeps make the end
    // sure across slots, because between them only an assignment could start new work.
    DEVICE void retire() {
        u32 lane = lane_id();
        u64 both = lane < RUN.buckets ? peek((const u64 *)&RUN.slots[lane].reserved) : 0;
        u32 reserved = (u32)both, completed = (u32)(both >> 32);
        M.reserved[lane] = reserved;
        __syncwarp();
        u32 waiting = __ballot_sync(ALL_LANES, !head_is_finished(reserved, completed));
        u32 slot = (M.head + lane) % RUN.buckets;
        u32 turned = __ballot_sync(ALL_LANES, lane < RUN.buckets && (waiting >> slot & 1));
        u32 moved = turned ? __ffs(turned) - 1 : 0;
        __syncwarp();
        if (lane == 0) {
            M.unfinished = __popc(waiting);
            M.moved = moved;
            if (moved > 0) {
                M.head += moved;
                M.switches += 1;
#pragma unroll 1
                for (u32 i = 0; i < moved; i++) M.base += M.c.delta;
                publish(M.idle_now);
            }
        }
        __syncwarp();
    }

    // All threads: `pieces` of `size` items, of `part` that stand together, to the idle from
    // number `taken` of the list on.
    DEVICE void hand_out(u32 part, u32 address, u32 size, u32 bucket, u32 taken, u32 pieces) {
        for (u32 i = threadIdx.x; i < pieces; i += MANAGER_THREADS) {
            u32 worker = M.idle_list[taken + i], count = min(size, part - i * size);
            u32 number = (M.number[worker] + 1) & 0xff;
            M.number[worker] = (unsigned char)number;
            M.handed[worker] = count;
            u64 order = make_order(number, bucket, count, address + i * size);
            poke(RUN.assign + worker, order);
        }
    }

    // All threads: pieces for idle workers, highest priority first; returns vertices handed out.
    DEVICE u32 assign(u32 idle, u32 open, u32 &left) {
        u32 handed = 0, taken = 0;
        for (u32 step = 0; step < open && taken < idle; step++) {
            u32 place = M.moved + step;  // the buckets were looked at from the old head
            u32 available = place < MAX_OPEN ? M.available[place] : 0;
            if (available == 0) continue;
            u32 blocks = M.more[place], gone = 0, waits = available + blocks * BLOCK_ITEMS;
            bool few = !RUN.as_published && waits < 128 * RUN.workers;  // a narrow frontier
            u32 size = chunk_size(waits, idle - taken, RUN.chunk_smallest,
                                  few ? RUN.chunk_largest / 4 : RUN.chunk_largest);
            for (u32 k = 0; k <= blocks && taken < idle; k++) {
                u32 part = k == 0 ? available : BLOCK_ITEMS;
                u32 address = k == 0 ? M.address[place] : M.more_at[place][k - 1];
                u32 pieces = min((part + size - 1) / size, idle - taken);
                hand_out(part, address, size, M.head + step, taken, pieces);
                gone += min(pieces * size, part);
                taken += pieces;
            }
            if (warp_id() == LAST_WARP && lane_id() == 0)
                M.read[(M.head + step) % RUN.buckets] = M.from[place] + gone;
            handed += gone;
        }
        left = idle - taken;
        return handed;
    }

    DEVICE void hear_host() {
        volatile Wishes &wishes = M.wishes;
        if (wishes.stop) M.status = wishes.stop;
        u32 version = wishes.delta_version;
        if (version == M.wish_seen) return;
        M.wish_seen = version;
        double before = M.c.delta, wanted = wishes.delta;
        if (wanted > 0.0) take_over(M.c, wanted);
        else hand_back(M.c);
        note_delta(before);
    }

    DEVICE void note_delta(double before) {
        if (M.c.delta == before) return;
        M.delta_changes += 1;
        (M.c.delta > before ? M.raises : M.cuts) += 1;
    }

    // Last warp: read the gauges, ask the controller, look for the end, tell the workers.
    DEVICE void control(const Sums &sums, u32 handed, u32 idle) {
        __syncwarp();
        u32 lane = lane_id(), slot = (M.head + lane) % RUN.buckets;
        bool ours = lane < RUN.buckets;
        u32 fresh = ours ? M.reserved[slot] - M.mark[slot] : 0;
        u32 wait = ours && lane < M.c.open_heads ? M.reserved[slot] - M.read[slot] : 0;
        if ((int)wait < 0) wait = 0;  // handed out since the counters were read
        u32 produced = sum_over_lanes(fresh) + sums.kept - M.kept_mark;
        u32 waiting = sum_over_lanes(wait);
        u32 far = most_over_lanes(lane > FAR_BUCKETS ? fresh : 0);
        u32 tail = RUN.buckets > 2 ? __shfl_sync(ALL_LANES, fresh, RUN.buckets - 1) : 0;
        u32 processing = sums.load + handed;
        if (lane == 0) {
            double before = M.c.delta;
            int reason = decide(M.c, processing, waiting, produced, far, tail, M.moved > 0);
            if (reason != NONE) M.reason = reason;
            note_delta(before);
            hear_host();
            M.assigned = processing;
            M.busy = RUN.workers - idle;
            M.quiet_sweeps = quiet(handed, M.busy, M.unfinished, M.quiet_sweeps);
            if (M.quiet_sweeps >= QUIET_SWEEPS) M.status = FINISHED;
#ifdef POLICY
            if (M.c.fault) M.status = M.c.fault;
#endif
            if (LEVEL >= 1 && M.sweep < RUN.readings_room) {
                uint4 *to = (uint4 *)RUN.readings + (u64)M.sweep * 2;  // gpu.cuda.records.READING
                u32 switched = (M.moved > 0) | (M.c.by_hand << 1);
                to[0] = make_uint4(processing, waiting, produced, far);
                to[1] = make_uint4(tail, switched, reason, float_bits(M.c.delta));
            }
            M.idle_now = idle;
            publish(idle);
        }
        __syncwarp();
        if (M.c.window_ended) {
            M.mark[lane] = M.reserved[lane];
            if (lane == 0) M.kept_mark = sums.kept;
        }
    }

    DEVICE void manage() {
        for (u32 sweep = 0;; sweep++) {
            Sums &sums = M.sums[sweep & 1];
            u32 head = M.old_head;
            if (warp_id() == LAST_WARP) {
                retire();
                serve_pool();
            } else {
                look(sums, head);
            }
            manager_barrier();
            u32 left;
            u32 handed = assign(sums.idle, M.c.open_heads, left);
            if (warp_id() == LAST_WARP) {
                if (lane_id() == 0) {
                    M.sums[~sweep & 1] = {0, 0, 0, 0};
                    M.sweep = sweep;
                }
                control(sums, handed, left);
                if (lane_id() == 0) M.old_head = M.head;
            }
            manager_barrier();
            if (M.status != RUNNING) break;
        }
        if (threadIdx.x == 0) leave_record();
    }

    DEVICE void leave_record() {
        State &state = *RUN.state;
        ::leave_record(M.status, M.switches, M.c.delta, M.base, M.reason, M.c.by_hand);
        state.head_bucket = M.head;
        state.open_buckets = M.c.open_heads;
        state.delta_changes = M.delta_changes;
        state.sweeps = M.sweep + 1;
        state.pool_used = RUN.pool_blocks - M.free_top;
        state.readings = min(M.sweep + 1, RUN.readings_room);
#ifdef POLICY
        state.line = (u32)M.c.seen.line;
        state.threshold = M.c.fault == BAD_HEADS ? M.c.seen.open_heads : M.c.seen.delta;
#endif
    }
};
