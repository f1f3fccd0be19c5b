"""The recording of every event (probe level 3): one growing buffer, written by compiled loops.

A `Log` travels in the bundle of arrays of a run. `on` is an empty tuple below level 3 and (1,)
at it: the length of a tuple is part of its type, so a loop is compiled twice, and in the
version without recording every `record` is nothing at all. That is why levels 0 to 2 cost what
they cost before, and why the schedule is the same at every level: recording only reads.

A loop asks `lacks_room` before each piece of work, with the most events that the piece can
write; where they do not fit it returns LOG_FULL and `grown` gives it a larger buffer, as a dry
pool is dealt with. A recording that passes MOST_EVENTS is an error and says what to do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpu.compiled import compiled_lean, plain
from gpu.errors import ParameterError
from gpu.graph import CSRGraph
from gpu.loops.codes import PUSH, RESERVE, WRITTEN
from gpu.record.events import MANAGER, MOST_ARCS, EventKind
from gpu.record.trace import EVENT, Probe

FIRST_ROOM = 4096  # events
MOST_EVENTS = 1 << 22  # 168 MB
ARC_EVENTS = 8  # of one arc at most: relax, improve, clip, block, reserve, push, written, leave


class Log(NamedTuple):
    """Where events go; E places."""

    on: tuple[int, ...]  # () or (1,)
    rows: np.ndarray  # EVENT (E,)
    written: np.ndarray  # int64 (1,): events written


def make_log(probe: int) -> Log:
    """Return an empty log, one that records at probe level 3 only."""
    on = probe >= Probe.EVENTS
    rows = np.zeros(FIRST_ROOM if on else 1, EVENT).view(np.recarray)
    return Log((1,) if on else (), rows, np.zeros(1, np.int64))


def grown(log: Log) -> Log:
    """Return the log with twice the places; ParameterError past MOST_EVENTS."""
    count = int(log.written[0])
    if len(log.rows) >= MOST_EVENTS:
        raise ParameterError(
            f"the recording passes {MOST_EVENTS:,} events; take a smaller graph or fewer sources, "
            "or record per-vertex times (level 2) instead of every event"
        )
    rows = np.zeros(2 * len(log.rows), EVENT).view(np.recarray)
    rows[:count] = log.rows[:count]
    return log._replace(rows=rows)


def events_of(log: Log) -> np.ndarray | None:
    """Return what was recorded, EVENT (e,), or None below level 3."""
    return log.rows[: int(log.written[0])].view(np.ndarray).copy() if log.on else None


def note(log: Log, t_ns: float, kind: EventKind, a: int = 0, b: int = 0, c: float = 0.0) -> None:
    """Record one event of the manager from Python, between two slices."""
    if log.on:
        plain(record)(log, float(t_ns), int(kind), MANAGER, int(a), int(b), float(c))


def check_probe(probe: int, graph: CSRGraph) -> None:
    """Refuse to record every event of a large graph: ParameterError."""
    if probe >= Probe.EVENTS and graph.m > MOST_ARCS:
        raise ParameterError(
            f"{graph.name} has {graph.m:,} arcs; every event (level 3) is recorded on graphs of up "
            f"to {MOST_ARCS:,}: take a smaller graph, or record per-vertex times (level 2)"
        )


@compiled_lean
def record(log, t_ns, kind, worker, a, b, c):  # type: ignore[no-untyped-def]
    """Write one event, or nothing where the log is not on."""
    if len(log.on) > 0:
        row = log.rows[log.written[0]]
        log.written[0] += 1
        row.t_ns = np.int64(t_ns)
        row.kind = kind
        row.worker = worker
        row.a = a
        row.b = b
        row.c = c


@compiled_lean
def record_push(log, t_ns, worker, vertex, bucket, place, dist):  # type: ignore[no-untyped-def]
    """Write the three events of a push into a ring: fewer calls compile faster."""
    if len(log.on) > 0:
        record(log, t_ns, RESERVE, worker, place, bucket, 0.0)
        record(log, t_ns, PUSH, worker, vertex, bucket, dist)
        record(log, t_ns, WRITTEN, worker, place, bucket, np.float64(place + 1))


@compiled_lean
def lacks_room(log, events):  # type: ignore[no-untyped-def]
    """Whether so many further events do not fit."""
    if len(log.on) > 0:
        return log.written[0] + events > len(log.rows)
    return False
