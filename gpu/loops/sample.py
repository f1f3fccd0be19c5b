"""What compiled loops write for others to read: a SAMPLE, the times of a vertex."""

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled_inline
from gpu.loops.codes import DELTA_BY_HAND, SAMPLE
from gpu.loops.log import record


@compiled_inline
def fill_sample(s, log, sample, assigned, busy):  # type: ignore[no-untyped-def]
    """Fill one SAMPLE from a state; flags start again from here. Occupancy is the caller's.

    assigned : vertices handed out and not finished; busy : workers
    """
    sample.t_ns = np.int64(s.t_ns)
    sample.head_bucket = s.head
    sample.bucket_switches = s.switches
    sample.processed_vertices = s.processed
    sample.relaxed_edges = s.relaxed
    sample.improved = s.improved
    sample.delta = s.delta
    sample.base = s.base
    sample.assigned_edges = assigned * s.mean_degree
    sample.assigned_vertices = assigned
    sample.busy_workers = busy
    sample.open_buckets = 1
    sample.flags = s.flags | (DELTA_BY_HAND if s.by_hand else 0)
    sample.reason = s.reason
    sample.delta_changes = s.delta_changes
    sample.distance_error = s.distance_error
    sample.error_vertices = s.error_vertices
    sample.sequence = s.sequence
    record(log, s.t_ns, SAMPLE, -1, s.sequence, 0, 0.0)
    s.sequence += 1
    s.flags = 0


@compiled_inline
def note_processed(arrays, s, vertex, dist, base):  # type: ignore[no-untyped-def]
    """Count a vertex that is processed with `dist`: from level 1 its error, from 2 its times.

    base : lowest distance of the lowest bucket in which something waits, weight units
    """
    s.processed += 1
    if s.errors:
        s.distance_error += max(np.float64(dist) - base, 0.0)
        s.error_vertices += 1
    if s.vertices:
        arrays.times[vertex] += 1


@compiled_inline
def note_improved(arrays, s, vertex, current):  # type: ignore[no-untyped-def]
    """Keep the time at which a vertex got a better distance than `current`: probe level 2."""
    if s.vertices:
        arrays.last_ns[vertex] = np.int64(s.t_ns)
        if current == s.unreached:
            arrays.first_ns[vertex] = np.int64(s.t_ns)
