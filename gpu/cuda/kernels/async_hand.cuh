/*
async_hand.cuh: a hand, a warp that relaxes.

It works in turns at what is near and its own, and takes from the block's ring when that is less
than a turn. What improves stays with it up to a turn, or up to MINE where no other warp is idle;
the rest goes to the ring, and what is not below the threshold to its far pile.

Short    A turn of few vertices: 2^spread lanes for each (the mean degree, rounded up), a lane an
         arc. Two trips to the cache: arcs together with whether the vertex is stale; atomics
         together with the far ends' rows. What else changes around the warp is loaded while the
         atomics are under way.
Long     More vertices than a turn, or many arcs: all lanes share the arcs (relax.cuh). A long row
         is halved into the ring first, again and again, while others are idle.
*/
#pragma once
#include "async_far.cuh"

#define PIECE_FLAG 0x80000000u  // part of a row: another entry counts the vertex as processed
#define PIECE 256u              // arcs of a part, where others are idle
#define LONG_PIECE (16 * PIECE)
#define IDLE_NS 20
#define HAND_OVER_LOOPS 64u  // between two sums of the counts, probe level 1 on

struct Hand {
    static constexpr bool QUEUES_LOSERS = false;
    u32 count = 0;  // near entries in S.mine
    u32 spread = spread_of(), turn = 32u >> spread, keep = turn;
    Dist threshold = 0;
    Counts counts = {0, 0, 0, 0};
    u32 ticks = 0;  // when this turn began
    Ticks clock = {LEVEL >= 2 ? RUN.state->start_ns : 0, LEVEL >= 2 ? now_ns() : 0};

    static DEVICE bool takes(bool real, Dist) { return real; }

    // All lanes: what the long way has improved.
    DEVICE void push(bool won, u32 vertex, Dist dist, uint2 row) {
        counts.improved += won;
        if (__any_sync(ALL_LANES, won))
            count = push_out(won, vertex, dist, row, threshold, count, keep);
    }

    // ---- short ----------------------------------------------------------------------

    // All lanes: turns over what is mine, `take` of them to begin with, until nothing is or
    // something else is to be done.
    DEVICE void relax_short(u32 take, Vertex v) {
        const u32 warp = warp_id();
        const u32 rank = lane_id() & ((1u << spread) - 1);
        const u32 group = lane_id() >> spread;
        Own &own = S.own[warp];
        Vertex *const mine = S.mine[warp];
        int near_change = 0;
        int all_change = 0;
        for (;;) {
            if (LEVEL >= 2) ticks = clock.now();
            count = 0;
            bool piece = v.id & PIECE_FLAG;
            v.id &= ~PIECE_FLAG;
            Dist known = group < take ? peek(RUN.dist + v.id) : 0;
            v.first += rank;
            bool first = true, more, leave;
            do {
                bool real = v.first < v.end;
                Arc to = real ? arc_at(RUN.arcs + v.first) : Arc{0, 0};
                bool valid = known == v.dist;
                real = real && valid;
                count_vertex(counts, first && valid && rank == 0 && !piece, v.id);
                counts.relaxed += real;
                Dist reach = real ? plus(v.dist, to.weight) : NO_DIST, old = 0;
                uint2 row = make_uint2(0, 0);
                if (reach < UNREACHED) {
                    old = atomicMin(RUN.dist + to.head, reach);
                    row = __ldg(RUN.rows + to.head);
                } else if (real && peek(RUN.dist + to.head) == UNREACHED) {
                    note_overflow(v.first);
                }
                // Meanwhile: what has changed around us. Lanes may read it at different times.
                bool ended;
                threshold = look_at_threshold(ended);
                bool wanted = (int)waiting() > 0;
                bool others_rest = look(S.idle_warps) > 0;
                Dist nearest = look(own.nearest), beyond_at = look(own.beyond_at);
                u32 far = look(own.far);
                bool won = reach < old;
                bool near = won && reach < threshold;
                note_improved(won, to.head, old, ticks);
                counts.improved += won;
                u32 all = __ballot_sync(ALL_LANES, won), nears = __ballot_sync(ALL_LANES, near);
                near_change += __popc(nears);
                all_change += __popc(all);
                if (nears != 0) {
                    u32 most = max(count, __any_sync(ALL_LANES, others_rest) ? turn : MINE);
                    u32 place = count + rank_in(nears);
                    u32 total = count + __popc(nears);
                    if (near && place < most) mine[place] = Vertex{to.head, reach, row.x, row.y};
                    if (total > most) {
                        account(near_change, all_change);
                        near_change = 0;
                        all_change = 0;
                        bool shared = near && place >= most;
                        u32 at = reserve(total - most);
                        if (at != EMPTY) {
                            if (shared) put(at + place - most, {to.head, reach, row.x, row.y});
                        } else {
                            near_change -= total - most;
                            put_far(shared, to.head, reach, row);
                            far = look(own.far);
                            nearest = look(own.nearest);
                        }
                        total = most;
                    }
                    count = total;
                }
                u32 fars = all & ~nears;
                if (fars != 0) {
                    bool away = won && !near;
                    Dist lowest = least_over_lanes(away ? reach : NO_DIST);
                    if (far > PILE - 32 || __any_sync(ALL_LANES, away && reach >= beyond_at)) {
                        put_far(away, to.head, reach, row);
                    } else {
                        u32 place = far + rank_in(fars);
                        if (away) S.pile[warp][place] = Vertex{to.head, reach, row.x, row.y};
                        if (lane_id() == 0) own.far = far + __popc(fars);
                        if (lane_id() == 0) own.nearest = min(nearest, lowest);
                    }
                    nearest = min(nearest, lowest);
                }
                first = false;
                v.first += 1u << spread;
                more = valid && v.first < v.end;
                leave = ended || nearest < threshold || (wanted && count < turn) || count > turn;
            } while (__any_sync(ALL_LANES, more));
            near_change -= take;
            all_change -= take;
            take = count;
            __syncwarp();
            if (take == 0 || __any_sync(ALL_LANES, leave)) break;
            v = {0, NO_DIST, 0, 0};
            if (group < take) v = mine[group];
            __syncwarp();
            if (__any_sync(ALL_LANES, v.degree() > LONG_TURN << spread)) break;
        }
        account(near_change, all_change);
    }

    // ---- long -----------------------------------------------------------------------

    // All lanes: halves of long rows to the ring, where others take them.
    DEVICE void halve(Vertex &v) {
        bool others = look(S.idle_warps) > 0 || look(S.idle_blocks) > 0;
        u32 longest = __any_sync(ALL_LANES, others) ? PIECE : LONG_PIECE;
        while (__any_sync(ALL_LANES, v.degree() > longest)) {
            bool cuts = v.degree() > longest;
            u32 who = __ballot_sync(ALL_LANES, cuts);
            u32 first = reserve(__popc(who));
            if (first == EMPTY) return;
            account(__popc(who), __popc(who));
            if (cuts) {
                u32 middle = v.first + v.degree() / 2;
                put(first + rank_in(who), Vertex{v.id | PIECE_FLAG, v.dist, middle, v.end});
                v.end = middle;
            }
            __syncwarp();
        }
    }

    // All lanes: `take` vertices that are mine, one a lane.
    DEVICE void relax_long(u32 take) {
        if (LEVEL >= 2) ticks = clock.now();
        Vertex v = {0, NO_DIST, 0, 0};
        bool valid = lane_id() < take;
        if (valid) v = S.mine[warp_id()][lane_id()];
        __syncwarp();
        count = 0;
        bool piece = v.id & PIECE_FLAG;
        v.id &= ~PIECE_FLAG;
        valid = valid && peek(RUN.dist + v.id) == v.dist;
        if (!valid) v.end = v.first;
        halve(v);
        count_vertex(counts, valid && !piece, v.id);
        u32 scan = prefix_sum(v.degree(), 32);
        if (lane_id() == 31) counts.relaxed += scan;
        relax_rows(v, v.dist, scan, 32, *this);
        account(-(int)take, -(int)take);
    }

    // All lanes: what is mine beyond a turn, to those that have nothing.
    DEVICE void share() {
        u32 first = reserve(count - turn);
        if (first == EMPTY) return;
        if (lane_id() >= turn && lane_id() < count)
            put(first + lane_id() - turn, S.mine[warp_id()][lane_id()]);
        __syncwarp();
        count = turn;
    }

    // All lanes: less than a turn is mine: take what waits in the ring. Returns how many are mine.
    DEVICE u32 top_up() {
        u32 first;
        u32 got = claim(turn - count, MINE - count, first);
        if (lane_id() < got) S.mine[warp_id()][count + lane_id()] = get(first + lane_id());
        __syncwarp();
        return count + got;
    }

    // All lanes: what became near because the threshold has moved, where there is room for it.
    DEVICE void look_at_far() {
        const Own &own = S.own[warp_id()];
        if (look(own.nearest) >= threshold) return;
        bool room = __any_sync(ALL_LANES, waiting() < RING_SAFE / 2);
        if (count > 0 && !room) return;
        if (look(own.beyond_min) < threshold && room) count = look_beyond(threshold, count, keep);
        else count = look_through_pile(threshold, count, keep);
    }

    DEVICE void work() {
        bool resting = false;
        u32 turns = 0;
        for (u32 loops = 0;; loops++) {
            threshold = __shfl_sync(ALL_LANES, look(S.threshold), 0);
            if (__any_sync(ALL_LANES, look(S.status) != RUNNING)) break;
            bool others_rest = __shfl_sync(ALL_LANES, look(S.idle_warps), 0) > 0;
            keep = others_rest ? turn : MINE;
            look_at_far();
            if (count > turn && others_rest) share();
            u32 take = count;
            if (take < turn && __any_sync(ALL_LANES, (int)waiting() > 0)) take = top_up();
            if ((take == 0) != resting) {
                resting = take == 0;
                if (lane_id() == 0) atomicAdd(&S.idle_warps, resting ? 1u : -1u);
            }
            if (LEVEL >= 1 && loops % HAND_OVER_LOOPS == 0)
                hand_counts_over(counts, RUN.stats + blockIdx.x);
            if (take == 0) {
                if (LEVEL >= 2) clock.now();
                if (__any_sync(ALL_LANES, lane_id() == 0 && gives_up(turns))) break;
                __nanosleep(IDLE_NS);
                continue;
            }
            Vertex v = {0, NO_DIST, 0, 0};
            if (lane_id() >> spread < take) v = S.mine[warp_id()][lane_id() >> spread];
            __syncwarp();
            bool is_long = __any_sync(ALL_LANES, v.degree() > LONG_TURN << spread);
            if (take > turn || is_long) relax_long(take);
            else relax_short(take, v);
        }
        hand_counts_over(counts, RUN.stats + blockIdx.x);
    }
};
