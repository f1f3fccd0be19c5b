"""The modelled all-pairs runs: blocks that each have a source of their own.

Blocks share only the device's throughput. The block whose turn comes first takes an *event*, a
round over its source or a part of one, and gets its next turn when that is paid for. A round costs
one dependent trip, then the trips of its waves (WAVE_ROUNDS arcs a lane, in flight together) or the
block's share of the device's arc throughput, whichever is longer. Pushes cost nothing.

*Edges* rounds relax every arc, until nothing changes. *Sweeps* scan bits of waiting vertices, take
those nearer than `edge`, as many as the list holds, and relax them; when none is left, either the
heavy arcs follow (`split`), or `edge` moves on past the nearest that waits. Within a wave or a
sweep, distances are read before any is written.
"""

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled_inline, compiled_lean, compiled_part
from gpu.loops import codes
from gpu.loops.log import ARC_EVENTS, lacks_room, record
from gpu.loops.plus import plus
from gpu.loops.sample import fill_sample
from gpu.loops.state import state_dtype

EDGES, SWEEP, HEAVY, ENDING, FREE = range(5)  # what a block does next
EVENT_ARCS = 1 << 16  # arcs of one event, at most about

BLOCK = np.dtype(
    [
        ("when_ns", "<f8"),  # its next event; infinite where no source is left
        ("delta", "<f8"),  # in force for its source
        ("edge", "<f8"),  # below it vertices are taken
        ("row", "<i8"),
        ("arc", "<i8"),  # arcs of the round already relaxed
        ("rounds", "<i8"),
        ("doing", "<i4"),
        ("changed", "<i4"),  # this round lowered a distance
    ],
    align=True,
)

STATE = state_dtype(
    ("hop_ns", "<f8"),
    ("arc_ns", "<f8"),
    ("first", "<i8"),  # source of row 0
    ("next_row", "<i8"),
    ("running", "<i8"),
    ("done", "<i8"),
    ("rounds", "<i8"),
    ("effort", "<i8"),  # of this simulation, about arcs: what a slice is cut by
    ("lanes", "<i8"),
    ("wave", "<i8"),
    ("edges", "<i4"),
    ("split", "<i4"),  # light and heavy arcs
)


@compiled_lean
def advance(run, state, samples, most):  # type: ignore[no-untyped-def]
    """Advance until `samples` is full, about `most` arcs are relaxed, or the run ends."""
    s = state[0]
    written = 0
    until = s.effort + most
    s.status = codes.RUNNING
    room = ARC_EVENTS * len(run.indices) + 4 * run.dist.shape[1] + 64  # events of one turn
    while s.effort < until and written < len(samples):
        if lacks_room(run.log, room):
            s.status = codes.LOG_FULL
            break
        at = 0
        for block in range(1, len(run.blocks)):
            if run.blocks[block].when_ns < run.blocks[at].when_ns:
                at = block
        b = run.blocks[at]
        if b.when_ns == np.inf:
            s.status = codes.FINISHED
            s.flags |= codes.ENDED
            write_sample(run, s, samples[written])
            written += 1
            break
        s.t_ns = b.when_ns
        if s.t_ns >= s.next_sample_ns:
            write_sample(run, s, samples[written])
            written += 1
            s.next_sample_ns = s.t_ns + s.period_ns
            continue
        s.effort += len(run.blocks)
        if b.doing == EDGES:
            _edge_event(run, s, b, at)
        elif b.doing in (SWEEP, HEAVY):
            _sweep_event(run, s, b, at)
        else:
            _change_source(run, s, b, at)
    return written


@compiled_inline
def _change_source(run, s, b, at):  # type: ignore[no-untyped-def]
    """Close the block's source, if it has one, and take the next that nobody has."""
    n = run.dist.shape[1]
    if b.doing == ENDING:
        if s.vertices:
            run.last_ns[s.first + b.row] = np.int64(s.t_ns)
            run.times[s.first + b.row] = b.rounds
        s.running -= 1
        s.done += 1
        b.doing = FREE
        record(run.log, s.t_ns, codes.SOURCE_DONE, at, s.first + b.row, b.rounds, 0.0)
    if s.next_row == len(run.dist):
        b.when_ns = np.inf
        return
    b.row = s.next_row
    s.next_row += 1
    s.running += 1
    source = s.first + b.row
    record(run.log, s.t_ns, codes.SOURCE, at, source, 0, 0.0)
    if s.vertices:
        run.first_ns[source] = np.int64(s.t_ns)
    for vertex in range(n):
        run.dist[b.row, vertex] = run.unreached[0]
    run.dist[b.row, source] = 0
    b.arc, b.rounds, b.changed = 0, 0, 0
    b.delta = b.edge = s.delta
    if s.edges:
        b.doing = EDGES
    else:
        b.doing = SWEEP
        run.bits[0, at, source >> 5] |= np.uint32(1) << np.uint32(source & 31)
        record(run.log, s.t_ns, codes.PUSH, at, source, at, 0.0)
    s.effort += n // 8
    b.when_ns += s.hop_ns * (1 + n // (16 * s.wave))


@compiled_inline
def _edge_event(run, s, b, at):  # type: ignore[no-untyped-def]
    """Relax the next arcs of a round; a round that changed nothing is the last."""
    m = len(run.indices)
    if b.arc == 0:
        record(run.log, s.t_ns, codes.ROUND, at, s.first + b.row, b.rounds, np.float64(m))
    first, last = b.arc, min(m, b.arc + max(EVENT_ARCS // s.wave, 1) * s.wave)
    for start in range(first, last, s.wave):
        end = min(last, start + s.wave)
        for arc in range(start, end):
            run.snapshot[arc - start] = run.dist[b.row, run.tails[arc]]
        for arc in range(start, end):
            tail = np.int64(run.tails[arc])
            _relax(run, s, b, at, tail, run.snapshot[arc - start], arc)
    arcs = last - first
    s.relaxed += arcs
    s.effort += arcs
    _pay(s, b, arcs)
    b.arc = last
    if last == m:
        record(run.log, s.t_ns, codes.ROUND_DONE, at, s.first + b.row, b.rounds, 1.0)
        b.rounds += 1
        s.rounds += 1
        s.processed += run.dist.shape[1]
        b.arc = 0
        if b.changed == 0:
            b.doing = ENDING
        b.changed = 0


@compiled_inline
def _sweep_event(run, s, b, at):  # type: ignore[no-untyped-def]
    """Take what waits below the edge and relax it, or the heavy arcs of what was taken."""
    heavy = 1 if b.doing == HEAVY else 0
    count, arcs, lowest = 0, 0, np.inf
    record(run.log, s.t_ns, codes.ROUND, at, s.first + b.row, b.rounds, 0.0)
    for word in range(run.bits.shape[2]):
        bits, vertex, left = run.bits[heavy, at, word], word << 5, np.uint32(0)
        while bits != 0:
            if bits & 1:
                current = run.dist[b.row, vertex]
                if (heavy or current < b.edge) and count < len(run.taken):
                    run.taken[count], run.snapshot[count] = vertex, current
                    count += 1
                    kind = codes.RESUME if heavy else codes.POP
                    record(run.log, s.t_ns, kind, at, vertex, at, np.float64(current))
                else:
                    left |= np.uint32(1) << np.uint32(vertex & 31)
                    lowest = min(lowest, np.float64(current))
            bits >>= np.uint32(1)
            vertex += 1
        if s.split and not heavy:
            run.bits[1, at, word] |= run.bits[0, at, word] & ~left
        run.bits[heavy, at, word] = left
    for place in range(count):
        tail = np.int64(run.taken[place])
        if s.split and not heavy:
            current = np.float64(run.snapshot[place])
            record(run.log, s.t_ns, codes.DEFER, at, tail, at, current)
        for arc in range(run.indptr[tail], run.indptr[tail + 1]):
            if s.split == 0 or (run.weights[arc] > b.delta) == (heavy == 1):
                arcs += 1
                _relax(run, s, b, at, tail, run.snapshot[place], arc)
    s.relaxed += arcs
    s.effort += arcs + run.bits.shape[2]
    _pay(s, b, arcs)
    record(run.log, s.t_ns, codes.ROUND_DONE, at, s.first + b.row, b.rounds, 0.0)
    b.rounds += 1
    s.rounds += 1
    if heavy:
        if count < len(run.taken):
            b.doing = SWEEP
            record(run.log, s.t_ns, codes.PHASE, at, 0, at, 0.0)
        return
    s.processed += count
    if count > 0:
        b.changed = 1
    elif s.split and b.changed:
        b.doing, b.changed = HEAVY, 0
        record(run.log, s.t_ns, codes.PHASE, at, 1, at, 0.0)
    elif lowest == np.inf:
        b.doing = ENDING
    else:
        _move_on(s, b, lowest)
        record(run.log, s.t_ns, codes.EDGE, at, s.first + b.row, s.switches, b.edge)


@compiled_inline
def _move_on(s, b, lowest):  # type: ignore[no-untyped-def]
    """Put the edge beyond the nearest vertex that waits: a bucket's end, or delta further."""
    b.edge = lowest + b.delta
    if s.split:
        b.edge = (np.floor(lowest / b.delta) + 1.0) * b.delta
    if b.edge <= lowest:  # rounding: a delta too small to move it
        b.edge = np.nextafter(lowest, np.inf)
    s.switches += 1
    s.flags |= codes.BUCKET_SWITCHED


@compiled_inline
def _relax(run, s, b, at, tail, current, arc):  # type: ignore[no-untyped-def]
    """Relax one arc for block `at`, which marks what improved unless it goes by edges."""
    if current == run.unreached[0]:
        record(run.log, s.t_ns, codes.RELAX, at, arc, tail, np.inf)
        return
    to = run.indices[arc]
    reach = plus(current, run.weights[arc])
    record(run.log, s.t_ns, codes.RELAX, at, arc, tail, np.float64(reach))
    there = run.dist[b.row, to]
    if reach < there:
        run.dist[b.row, to] = reach
        s.improved += 1
        new = np.float64(run.dist[b.row, to])
        record(run.log, s.t_ns, codes.IMPROVE, at, to, arc, new)
        if s.edges == 0:
            bit = np.uint32(1) << np.uint32(to & 31)
            if run.bits[0, at, to >> 5] & bit == 0:
                record(run.log, s.t_ns, codes.PUSH, at, to, at, new)
            run.bits[0, at, to >> 5] |= bit
        else:
            b.changed = 1
    elif there == run.unreached[0]:
        s.overflowed = 1


@compiled_inline
def _pay(s, b, arcs):  # type: ignore[no-untyped-def]
    """Charge a block for `arcs` arcs."""
    waves = (arcs + s.wave - 1) // s.wave
    b.when_ns += s.hop_ns + max(waves * s.hop_ns, arcs * s.arc_ns * s.running)


@compiled_part
def write_sample(run, s, sample):  # type: ignore[no-untyped-def]
    """Fill one SAMPLE; flags start again from here."""
    per_round = s.running / max(s.rounds, 1)
    vertices = np.int64(min(s.processed * per_round, 2147483647.0))
    fill_sample(s, run.log, sample, vertices, s.running)
    sample.assigned_edges = s.relaxed * per_round
    sample.open_buckets = 0 if s.edges else min(s.running, 1)
    sample.occupancy[0] = len(run.dist) - s.running - s.done
    sample.occupancy[1] = s.running
    sample.occupancy[2] = s.done
