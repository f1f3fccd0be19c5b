"""The recording of every event (probe level 3): one growing buffer, written by compiled loops.

`Log.on` is () below level 3, else (1,). The length of a tuple is part of its type, so a loop is
compiled twice, and `record` is nothing in the version without recording. A loop calls `lacks_room`
before each piece of work, and returns LOG_FULL where its events do not fit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import extending
from numba.core import types

from gpu.compiled import compiled_part
from gpu.errors import ParameterError
from gpu.graph import CSRGraph
from gpu.record.events import MANAGER, MOST_ARCS, EventKind
from gpu.record.trace import EVENT, Probe

FIRST_ROOM = 4096  # events
MOST_EVENTS = 1 << 22  # 168 MB
ARC_EVENTS = 8  # of one arc at most: relax, improve, clip, block, reserve, push, written, leave
WHOLE, NUMBER = types.int64, types.float64
FIELDS = (NUMBER, WHOLE, WHOLE, WHOLE, WHOLE, NUMBER)  # what `record` writes, as compiled code


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
        record(log, float(t_ns), int(kind), MANAGER, int(a), int(b), float(c))


def check_probe(probe: int, graph: CSRGraph) -> None:
    """Refuse to record every event of a large graph: ParameterError."""
    if probe >= Probe.EVENTS and graph.m > MOST_ARCS:
        raise ParameterError(
            f"{graph.name} has {graph.m:,} edges; every event (level 3) is recorded on graphs of "
            f"up to {MOST_ARCS:,}: take a smaller graph, or record per-vertex times (level 2)"
        )


def record(log, t_ns, kind, worker, a, b, c):  # type: ignore[no-untyped-def]
    """Write one event, or nothing where the log is not on; integers may be of any type."""
    if len(log.on) > 0:
        _write(log, t_ns, kind, worker, a, b, c)


def _write(log, t_ns, kind, worker, a, b, c):  # type: ignore[no-untyped-def]
    row = log.rows[log.written[0]]
    log.written[0] += 1
    row.t_ns = np.int64(t_ns)
    row.kind = kind
    row.worker = worker
    row.a = a
    row.b = b
    row.c = c


@extending.type_callable(record)
def _type_of_record(context):  # type: ignore[no-untyped-def]
    def of_arguments(log, t_ns, kind, worker, a, b, c):  # type: ignore[no-untyped-def]
        return types.void(log, *FIELDS)

    return of_arguments


@extending.lower_builtin(record, types.BaseTuple, *FIELDS)
def _code_of_record(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    """Where the log is not on there is nothing to call, and so nothing to compile."""
    if len(signature.args[0].types[0]) > 0:
        context.compile_internal(builder, _write, signature, arguments)
    return context.get_dummy_value()


@compiled_part
def lacks_room(log, events):  # type: ignore[no-untyped-def]
    """Whether so many further events do not fit."""
    if len(log.on) > 0:
        return log.written[0] + events > len(log.rows)
    return False
