"""The modelled Near-Far: supersteps over two piles, resumable inside a superstep.

A superstep costs the barrier and the trips of its first wave once (`superstep_ns`,
measured), then as many waves as the near pile needs, each the whole device wide and with
the same trips as a wave of ADDS: a hop, its arcs, a push. A wave reads its distances
first and relaxes then, so that within a wave nobody sees what the others write, as on
the device; between waves of one superstep they do. A vertex enters next near at most once
a superstep and far at most once until the next split (marks), so both piles hold at most
n entries.

Splitting far is a superstep of its own: entries below the old threshold were improved
into near since and are dropped, those below the new one become near. Where far begins
beyond the next threshold, the threshold moves on by whole deltas at once.
"""

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled_inline, compiled_lean
from gpu.model.machine import FINISHED, OVERFLOW, RUNNING

PASS_START, PASS_RUNNING, PASS_END = range(3)
BUCKET_SWITCHED, DELTA_BY_HAND, ENDED = 4, 16, 32
FAR_BYTES = 8.0  # read an entry, write an entry

PILES = np.dtype(
    [
        ("t_ns", "<f8"),
        ("next_sample_ns", "<f8"),
        ("period_ns", "<f8"),
        ("threshold", "<f8"),  # near is below, weight units
        ("delta", "<f8"),
        ("superstep_ns", "<f8"),
        ("hop_ns", "<f8"),
        ("push_ns", "<f8"),
        ("arc_ns", "<f8"),
        ("byte_ns", "<f8"),
        ("mean_degree", "<f8"),
        ("unreached", "<f8"),
        ("near", "<i8"),  # vertices in the near pile
        ("next", "<i8"),  # in the next near pile
        ("far", "<i8"),
        ("place", "<i8"),  # of the near pile, processed
        ("superstep", "<i8"),
        ("processed", "<i8"),
        ("relaxed", "<i8"),
        ("improved", "<i8"),
        ("switches", "<i8"),
        ("sequence", "<i8"),
        ("lanes", "<i8"),
        ("workers", "<i8"),
        ("overflow_arc", "<i8"),
        ("overflow_tail", "<i8"),
        ("phase", "<i4"),
        ("status", "<i4"),
        ("flags", "<i4"),
        ("reason", "<i4"),
        ("delta_changes", "<i4"),
        ("by_hand", "<i4"),
        ("vertices", "<i4"),  # probe level 2
    ],
    align=True,
)


@compiled_lean
def advance(piles, state, samples, most_relaxed):  # type: ignore[no-untyped-def]
    """Advance until `samples` is full, `most_relaxed` arcs are relaxed, or the run ends.

    piles : gpu.model.near_far.Piles; state : PILES (1,); samples : SAMPLE, written from 0.
    Returns the number of samples written.
    """
    s = state[0]
    written = 0
    until = s.relaxed + most_relaxed
    s.status = RUNNING
    while s.relaxed < until and written < len(samples):
        if s.phase == PASS_START:
            if s.t_ns >= s.next_sample_ns:
                write_sample(s, samples[written])
                written += 1
                s.next_sample_ns = s.t_ns + s.period_ns
            s.t_ns += s.superstep_ns
            s.place, s.phase = 0, PASS_RUNNING
        elif s.phase == PASS_RUNNING:
            _wave(piles, s)
            if s.status == OVERFLOW:
                break
            if s.place == s.near:
                s.phase = PASS_END
        else:
            for place in range(s.next):
                piles.near[place] = piles.following[place]
            s.near, s.next = s.next, 0
            s.superstep += 1
            if s.near == 0 and not _split(piles, s):
                s.status = FINISHED
                s.flags |= ENDED
                write_sample(s, samples[written])
                written += 1
                break
            s.phase = PASS_START
    return written


@compiled_inline
def _wave(piles, s):  # type: ignore[no-untyped-def]
    """Process one device-wide wave of the near pile."""
    first = s.place
    last = min(s.near, first + len(piles.snapshot))
    arcs, longest = 0, 0
    for place in range(first, last):
        vertex = piles.near[place]
        piles.snapshot[place - first] = piles.dist[vertex]
        degree = piles.indptr[vertex + 1] - piles.indptr[vertex]
        arcs += degree
        longest = max(longest, degree)
        if s.vertices:
            piles.times[vertex] += 1
    s.processed += last - first
    s.relaxed += arcs
    hub_ns = ((longest + s.lanes - 1) // s.lanes) * s.hop_ns
    trips_ns = s.hop_ns + s.push_ns if first > 0 else 0.0
    s.t_ns += trips_ns + max(s.hop_ns, arcs * s.arc_ns, hub_ns)
    s.place = last
    for place in range(first, last):
        _relax(piles, s, piles.near[place], piles.snapshot[place - first])


@compiled_inline
def _relax(piles, s, vertex, from_dist):  # type: ignore[no-untyped-def]
    """Relax the arcs of one vertex; sort what improved into next near or far."""
    dist, now = piles.dist, np.int64(s.t_ns)
    for arc in range(piles.indptr[vertex], piles.indptr[vertex + 1]):
        to = piles.indices[arc]
        reached = from_dist + piles.weights[arc]
        known = dist[to]
        if reached < known:
            if s.vertices:
                piles.last_ns[to] = now
                if known == s.unreached:
                    piles.first_ns[to] = now
            dist[to] = reached
            s.improved += 1
            if dist[to] < s.threshold:
                if piles.near_mark[to] != s.superstep + 1:
                    piles.near_mark[to] = s.superstep + 1
                    piles.following[s.next] = to
                    s.next += 1
            elif piles.far_mark[to] == 0:
                piles.far_mark[to] = 1
                piles.far[s.far] = to
                s.far += 1
        elif known == s.unreached and reached >= s.unreached:
            s.status, s.overflow_arc, s.overflow_tail = OVERFLOW, arc, vertex
            return


@compiled_inline
def _split(piles, s):  # type: ignore[no-untyped-def]
    """Move the threshold on and refill near from far; False when far is used up."""
    lowest = np.inf
    kept = 0
    for place in range(s.far):
        vertex = piles.far[place]
        if piles.dist[vertex] < s.threshold:
            piles.far_mark[vertex] = 0
        else:
            lowest = min(lowest, np.float64(piles.dist[vertex]))
            piles.far[kept] = vertex
            kept += 1
    s.t_ns += s.superstep_ns + s.far * FAR_BYTES * s.byte_ns
    s.far = kept
    if kept == 0:
        return False
    s.threshold += s.delta * max(1.0, np.floor((lowest - s.threshold) / s.delta) + 1.0)
    if s.threshold <= lowest:  # float rounding: a delta too small to move the threshold
        s.threshold = np.nextafter(lowest, np.inf)
    kept = 0
    for place in range(s.far):
        vertex = piles.far[place]
        if piles.dist[vertex] < s.threshold:
            piles.far_mark[vertex] = 0
            piles.near[s.near] = vertex
            s.near += 1
        else:
            piles.far[kept] = vertex
            kept += 1
    s.far = kept
    s.switches += 1
    s.flags |= BUCKET_SWITCHED
    return True


@compiled_lean
def write_sample(s, sample):  # type: ignore[no-untyped-def]
    """Fill one SAMPLE at the start of a superstep; flags start again from here."""
    sample.t_ns = np.int64(s.t_ns)
    sample.head_bucket = s.switches
    sample.bucket_switches = s.switches
    sample.processed_vertices = s.processed
    sample.relaxed_edges = s.relaxed
    sample.improved = s.improved
    sample.delta = s.delta
    sample.base = s.threshold - s.delta
    sample.assigned_edges = s.near * s.mean_degree
    sample.assigned_vertices = s.near
    sample.busy_workers = min(s.workers, np.int64(np.ceil(s.near * s.mean_degree / s.lanes)))
    sample.open_buckets = 1
    sample.flags = s.flags | (DELTA_BY_HAND if s.by_hand else 0)
    sample.reason = s.reason
    sample.delta_changes = s.delta_changes
    sample.sequence = s.sequence
    sample.occupancy[0] = s.near
    sample.occupancy[1] = s.far
    s.sequence += 1
    s.flags = 0
