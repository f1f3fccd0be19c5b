"""The state of a run at any of its events, forwards and backwards; no Qt.

A `Replay` applies the events of probe level 3 one after the other to a `State`. It knows nothing of
any algorithm: the events carry all of it (`gpu.record.events`). Backwards goes by check points: a
copy of the state every `SPACING` events, and forward from there.
"""

from __future__ import annotations

import pickle
from collections.abc import Collection

import numpy as np

from gpu.errors import ParameterError
from gpu.graph import CSRGraph
from gpu.record.events import EventKind
from gpu.record.trace import Trace
from gpu.replay.rules import apply
from gpu.replay.state import State

SPACING = 256  # events between two check points
MOST_POINTS = 128  # check points kept; the spacing grows with the trace


class Replay:
    """Events of one run with a position among them; `state` is after `position` events."""

    def __init__(self, graph: CSRGraph, events: np.ndarray, ring: int = 0) -> None:
        """Take EVENT (e,) of a run on `graph`; `ring`: slots of ADDS's ring of buckets.

        Raises ParameterError where there are no events.
        """
        if len(events) == 0:
            raise ParameterError("no events: run with probe level 3 on the model engine")
        self.graph, self.events = graph, events
        self.position = 0
        self.state = State.before(graph.n, graph.m, ring=ring)
        self._spacing = max(SPACING, -(-len(events) // MOST_POINTS))
        self._points = {0: pickle.dumps(self.state)}

    @classmethod
    def of(cls, graph: CSRGraph, trace: Trace) -> Replay:
        """Return the replay of a trace of level 3; ParameterError where it has no events."""
        events = trace.events if trace.events is not None else np.zeros(0)
        return cls(graph, events, int(trace.settings.parameters.get("buckets", 0)))

    def __len__(self) -> int:
        return len(self.events)

    def go(self, position: int) -> State:
        """Move to just after `position` events, clamped; return the state there."""
        position = min(max(position, 0), len(self.events))
        start = max(k for k in self._points if k <= position)
        if position < self.position or start > self.position:
            self.position = start
            self.state = pickle.loads(self._points[start])  # noqa: S301, our own
        while self.position < position:
            apply(self.state, self.graph, self.events[self.position])
            self.position += 1
            if self.position % self._spacing == 0 and self.position not in self._points:
                self._points[self.position] = pickle.dumps(self.state)
        return self.state

    def step(self, count: int = 1) -> State:
        """Move by so many events, negative backwards."""
        return self.go(self.position + count)

    def at_time(self, t_ns: float) -> int:
        """Return the position after every event up to an instant."""
        return int(np.searchsorted(self.events["t_ns"], t_ns, side="right"))

    def find(self, kinds: EventKind | Collection[EventKind], direction: int = 1) -> int | None:
        """Return the position just after the next (or last) event of some kinds, or None."""
        chosen = [kinds] if isinstance(kinds, EventKind) else list(kinds)
        start, end = (self.position, len(self)) if direction > 0 else (0, max(self.position - 1, 0))
        places = np.flatnonzero(np.isin(self.events["kind"][start:end], chosen))
        if not len(places):
            return None
        return start + int(places[0 if direction > 0 else -1]) + 1
