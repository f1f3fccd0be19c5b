"""Moments of a run that a lesson can point at: the words of `Seek.to`, as times.

"start", "end"      the first and the last sample
"peak"              most edges assigned
"first_change"      Δ changes for the first time; the start where it never does
0.25                a share of the run
"event:CLIP"        the first event of that kind (probe 3); "event:CLIP:3" the third
"""

from __future__ import annotations

import numpy as np

from gpu.errors import ParameterError
from gpu.lessons.quantities import events_of
from gpu.record.events import EventKind
from gpu.record.trace import Trace

WORDS = ("start", "end", "peak", "first_change")
EVENT = "event:"


def moment_ns(trace: Trace, to: str | float) -> int:
    """Return the time of a moment, ns since the start. ParameterError where there is none."""
    samples = trace.samples
    if isinstance(to, int | float):
        if not 0 <= to <= 1:
            raise ParameterError(f"to = {to}; allowed: a share from 0 to 1")
        return round(to * trace.time_ns)
    if to.startswith(EVENT):
        return int(events_of(trace)["t_ns"][event_index(trace, to)])
    if to == "end":
        return trace.time_ns
    if to == "peak":
        return int(samples["t_ns"][int(np.argmax(samples["assigned_edges"]))])
    if to == "first_change":
        changed = np.flatnonzero(samples["delta_changes"] > 0)
        return int(samples["t_ns"][changed[0]]) if len(changed) else 0
    if to == "start":
        return 0
    raise ParameterError(f"to = {to!r}; allowed: {', '.join(WORDS)}, event:KIND, or 0 to 1")


def event_index(trace: Trace, to: str) -> int:
    """Return the place in `trace.events` of "event:KIND" or "event:KIND:n". ParameterError."""
    kind, _, number = to.removeprefix(EVENT).partition(":")
    if kind not in EventKind.__members__ or not (number or "1").isdigit():
        raise ParameterError(f"to = {to!r}; allowed: {EVENT}KIND or {EVENT}KIND:3")
    places = np.flatnonzero(events_of(trace)["kind"] == EventKind[kind])
    count = int(number or 1)
    if not 1 <= count <= len(places):
        raise ParameterError(f"to = {to!r}: the run has {len(places)} events of kind {kind}")
    return int(places[count - 1])
