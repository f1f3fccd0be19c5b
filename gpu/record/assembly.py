"""Check that the parts of a trace agree; done once, where it is assembled from a file.

A trace that passes can be shown, replayed and exported. Each fault is one TraceError in words.
"""

from __future__ import annotations

import numpy as np

from gpu.algorithms import ALGORITHMS, find
from gpu.algorithms.all_pairs import ROWS, source_range
from gpu.errors import ParameterError, TraceError
from gpu.numbers import check_choice
from gpu.record.events import MANAGER, EventKind
from gpu.record.trace import NEVER, PART_ENTRIES, REASON_WORDS, VERTEX_TYPES, Flag, Probe, Trace

LARGEST_COUNT = 2**62  # differences of any two, and one more, are int64; as nanoseconds 146 years
RANGES: tuple[tuple[tuple[str, ...], float, float], ...] = (  # columns of SAMPLE
    (("t_ns", "processed_vertices", "relaxed_edges", "improved"), 0, LARGEST_COUNT),
    (("bucket_switches", "sequence"), 0, LARGEST_COUNT),
    (("head_bucket",), -1, LARGEST_COUNT),
    (("reason",), 0, len(REASON_WORDS) - 1),
    (("flags",), 0, int(~Flag(0))),
    (("assigned_vertices", "busy_workers", "open_buckets", "occupancy"), 0, 2**31),
    (("error_vertices",), 0, LARGEST_COUNT),
    (("distance_error",), 0, float(np.finfo(np.float64).max)),
    (("delta", "assigned_edges"), 0, np.inf),  # axes are made of them
)
MOST_WORKERS = 1 << 24
OF_A_VERTEX = (
    *("PUSH", "POP", "STALE", "SKIP", "IMPROVE", "CLIP", "STAY", "COLLECT", "LEAVE"),
    *("DEFER", "RESUME"),
)
OF_A_SOURCE = ("SOURCE", "ROUND", "SOURCE_DONE", "ROUND_DONE", "EDGE")
WHOLE_C = ("WRITTEN", "ASSIGN", "FINISH")  # kinds whose c is a count
LARGEST_C = 2.0**53


def check_trace(trace: Trace) -> None:
    """Raise TraceError, naming the first part that does not fit the others."""
    _check_settings(trace)
    _check_distances(trace)
    check_samples(trace.samples)
    _check_vertices(trace)
    if trace.events is not None:
        _check_events(trace, trace.events)


def _check_settings(trace: Trace) -> None:
    settings, n = trace.settings, trace.graph.n
    try:
        row = find(settings.algorithm)
        check_choice(settings.numbers)
    except ParameterError as error:
        raise TraceError(f"settings: {error}") from error
    if settings.engine not in {engine for one in ALGORITHMS.values() for engine in one.engines}:
        raise TraceError(f"settings: no engine {settings.engine!r}")
    if settings.source >= n:
        raise TraceError(f"source {settings.source}; allowed: 0 to {n - 1}, the vertices")
    try:
        ours = {parameter.key for parameter in row.parameters}  # others are of another version
        row.checked_parameters({k: v for k, v in settings.parameters.items() if k in ours})
        if row.result == "matrix" and set(ROWS) <= set(settings.parameters):
            source_range(settings.parameters, n)
    except ParameterError as error:
        raise TraceError(f"settings, parameters: {error}") from error


def _check_distances(trace: Trace) -> None:
    dist, graph, first = trace.dist, trace.graph, trace.settings.source
    matrix = ALGORITHMS[trace.settings.algorithm].result == "matrix"
    shape = " x ".join(map(str, dist.shape))
    if (dist.dtype.kind == "i") != graph.integer:
        raise TraceError(f"distances are {dist.dtype}, and its graph's weights are not")
    if dist.ndim != (2 if matrix else 1):
        kind = "a matrix" if matrix else "one row"
        raise TraceError(f"dist has shape {shape}; allowed: {kind}, {trace.settings.algorithm}")
    if dist.shape[-1] != graph.n:
        raise TraceError(f"dist has {dist.shape[-1]} of {graph.n} entries")
    if matrix and not 1 <= len(dist) <= graph.n - first:
        raise TraceError(f"dist has shape {shape} on {graph.n} vertices from source {first} on")
    reached = trace.environment.get("reached")
    if reached is not None and (type(reached) is not int or not 0 <= reached <= dist.size):
        raise TraceError(f"environment, reached = {reached!r}; allowed: 0 to {dist.size}")
    faulty = matrix and isinstance(trace.environment.get("variant"), str)  # a lesson's listing
    rows = max(1, PART_ENTRIES // graph.n)
    for part in np.split(dist, range(rows, len(dist), rows)) if matrix else (dist,):
        if not faulty and not (part >= 0).all():  # also of NaN
            raise TraceError("a distance is negative or no number; allowed: 0 or more")


def check_samples(samples: np.ndarray) -> None:
    """Raise TraceError where SAMPLE (k,) are not such as an engine makes."""
    if not len(samples):
        raise TraceError("it has no samples")
    if (np.diff(samples["t_ns"]) < 0).any():
        raise TraceError("time runs backwards in its samples")
    for names, low, high in RANGES:
        for name in names:
            values = samples[name]
            if not ((values >= low) & (values <= high)).all():  # also of NaN
                worst = values.max() if values.max() > high else values.min()
                raise TraceError(f"{name} of a sample is {worst}; allowed: {low} to {high}")


def _check_vertices(trace: Trace) -> None:
    if trace.vertices is None:
        return
    for name in VERTEX_TYPES:
        times = getattr(trace.vertices, name)
        if len(times) != trace.graph.n:
            raise TraceError(f"{name} has {len(times)} of {trace.graph.n} entries")
        if (times < (0 if name == "times_processed" else NEVER)).any():
            raise TraceError(f"{name} of a vertex is below what it can be")


def _check_events(trace: Trace, events: np.ndarray) -> None:
    n, m = trace.graph.n, trace.graph.m
    kinds, a, b, c = (events[name] for name in ("kind", "a", "b", "c"))
    if trace.settings.probe != Probe.EVENTS:
        raise TraceError(f"it has events at probe {trace.settings.probe}; allowed: probe 3")
    if (np.diff(events["t_ns"], prepend=0) < 0).any():
        raise TraceError("time runs backwards in its events")
    if not np.isin(kinds, [int(kind) for kind in EventKind]).all():
        raise TraceError(f"an event is of unknown kind; allowed: 1 to {max(EventKind)}")
    if not ((events["worker"] >= MANAGER) & (events["worker"] < MOST_WORKERS)).all():
        raise TraceError(f"an event is of an unknown worker; allowed: -1 to {MOST_WORKERS - 1}")
    if np.isnan(c).any():
        raise TraceError("c of an event is no number")
    for names, column, low, high, what in (
        ((*OF_A_VERTEX, *OF_A_SOURCE), a, 0, n, "vertex"),
        (("RELAX",), a, 0, m, "arc"),
        (("RELAX",), b, 0, n, "vertex"),
        (("IMPROVE",), b, -1, m, "arc"),
        (("SAMPLE",), a, 0, len(trace.samples), "sample"),
        (("DELTA",), a, 0, len(REASON_WORDS), "reason"),
        (("OPEN",), b, 0, len(REASON_WORDS), "reason"),
        (WHOLE_C, c, 0, LARGEST_C, "count"),
    ):
        values = column[np.isin(kinds, [int(EventKind[name]) for name in names])]
        wrong = values[(values < low) | (values >= high)]
        if len(wrong):
            raise TraceError(f"an event names {what} {wrong[0]}; allowed: {low} to {high - 1:g}")
