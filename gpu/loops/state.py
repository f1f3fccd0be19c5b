"""The state of a loop: one record, whose first fields are the same for every algorithm.

All that a loop knows is in a record and a bundle of arrays, so stopping, stepping, a dragged delta
and growing an array happen between two calls.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.engine import RunBuffers
from gpu.graph import CSRGraph
from gpu.numbers import unreached
from gpu.record.trace import SAMPLE, Probe, RunSettings

NO_SAMPLES_NS = 1e300  # a period that never comes: probe level 0

COMMON = (
    ("t_ns", "<f8"),  # since the start of the run
    ("next_sample_ns", "<f8"),
    ("period_ns", "<f8"),
    ("mean_degree", "<f8"),
    ("unreached", "<f8"),  # the distance type's; the nearest number for int64
    ("delta", "<f8"),  # in force, weight units
    ("base", "<f8"),  # lowest distance of the head bucket, weight units
    ("head", "<i8"),  # absolute number of the head bucket
    ("switches", "<i8"),
    ("processed", "<i8"),
    ("relaxed", "<i8"),
    ("improved", "<i8"),
    ("sequence", "<i8"),  # of the next sample
    ("distance_error", "<f8"),  # as in a SAMPLE
    ("error_vertices", "<i8"),
    ("delta_changes", "<i4"),
    ("overflowed", "<i4"),  # an arc was left out: its sum passes the range
    ("by_hand", "<i4"),  # a person holds delta
    ("reason", "<i4"),
    ("flags", "<i4"),  # since the last sample
    ("status", "<i4"),  # see `gpu.loops.codes`
    ("errors", "<i4"),  # whether distance errors are summed: from probe level 1
    ("vertices", "<i4"),  # whether per-vertex times are kept: from probe level 2
)


def state_dtype(*own: tuple[Any, ...]) -> np.dtype:
    """Return the record of a loop: the common fields, then its own."""
    return np.dtype([*COMMON, *own], align=True)


def make_state(
    dtype: np.dtype, graph: CSRGraph, settings: RunSettings, default_ns: float
) -> np.ndarray:
    """Return a state record (1,) that knows the graph and when to sample; 0 ns: always."""
    state, period_ns = np.zeros(1, dtype), float(settings.sample_period_ns or default_ns)
    if settings.probe == Probe.OFF:
        period_ns = NO_SAMPLES_NS
    state["period_ns"] = period_ns
    state["next_sample_ns"] = 0.0 if period_ns < NO_SAMPLES_NS else NO_SAMPLES_NS
    state["mean_degree"] = graph.mean_degree
    state["unreached"] = unreached(graph.weights.dtype)
    state["errors"] = settings.probe >= Probe.SAMPLES
    state["vertices"] = settings.probe >= Probe.VERTICES
    return state.view(np.recarray)


def records(length: int, dtype: np.dtype) -> Any:
    """Return zeroed records that compiled code and Python read by field name."""
    return np.zeros(length, dtype).view(np.recarray)


def sample_buffer(samples: int) -> np.ndarray:
    """Return SAMPLE (samples,) as a recarray, what compiled code writes by field name."""
    buffer: np.ndarray = records(samples, SAMPLE)
    return buffer


Array = np.ndarray
Seven = tuple[Array, Array, Array, Array, Array, Array, Array]


def graph_arrays(graph: CSRGraph, buffers: RunBuffers) -> Seven:
    """Return what each bundle begins with: indptr, indices, weights, dist, per-vertex arrays."""
    return graph.indptr, graph.indices, graph.weights, buffers.dist, *vertex_arrays(buffers)


def vertex_arrays(buffers: RunBuffers) -> tuple[Array, Array, Array]:
    """Return the arrays of probe level 2, or stand-ins of one element."""
    if buffers.vertices is None:
        return np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int32)
    kept = buffers.vertices
    return kept.first_reached_ns, kept.last_improved_ns, kept.times_processed


def reach_source(arrays: Any, settings: RunSettings) -> None:
    """Give the source its distance, and from probe level 2 its times."""
    arrays.dist[settings.source] = 0
    if settings.probe >= Probe.VERTICES:
        arrays.first_ns[settings.source] = arrays.last_ns[settings.source] = 0
