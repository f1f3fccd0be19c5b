"""Where the microscope stands: a position among the events of the current run.

The position and the window's cursor are one: stepping an event moves the cursor to its time, and
moving the cursor goes to the last event at or before it. Several events may happen at one instant;
stepping among them leaves the cursor where it is.

The event shown is the last one that happened, `position - 1`; `state` is after it. Stepping skips
samples and, unless `every` is set, changes of a queue's memory and counters (`COUNTERS`). Events
are numbered as one steps. Recordings of more than `MOST_EVENTS` are not opened: a seek would take
seconds.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from gpu.graph import CSRGraph
from gpu.record.events import MOST_ARCS, EventKind
from gpu.replay.explain import explain
from gpu.replay.replay import Replay
from gpu.replay.state import State
from gpu.words import thousands
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel

MOST_EVENTS = 300_000
COUNTERS = (
    EventKind.BLOCK_TAKEN,
    EventKind.BLOCK_FREED,
    EventKind.RESERVE,
    EventKind.WRITTEN,
    EventKind.FINISH,
    EventKind.COLLECT,
)
LEAST_MS, MOST_MS = 200, 1200  # between two events that go by; a class reads each of a short run
PLAYED_MS = 60_000  # the time of a whole run between these
NO_EVENTS = "This run recorded no events: run it once more and record every one."
NO_RUN = "No run yet: run this graph and record every event."
TOO_MANY = "{count:,} events are too many for the microscope: it opens up to {most:,}."
TOO_LARGE = "has {arcs} edges: every event is recorded of up to {most}. Esc goes back."
NO_EDGES = "has no edges: nothing happens on it."
OTHER_GRAPH = "This run is on another graph than the one shown."


class MicroscopeModel(QObject):
    """Follows session and playback; see the module docstring."""

    replay_changed = pyqtSignal()  # another run, or none
    words_changed = pyqtSignal()  # what is said where there is no replay
    moved = pyqtSignal()  # another event is shown, or they are counted otherwise
    playing_changed = pyqtSignal(bool)

    def __init__(self, session: SessionModel, playback: PlaybackModel) -> None:
        super().__init__()
        self.session, self._playback = session, playback
        self.replay: Replay | None = None
        self.record: RunRecord | None = None
        self.problem = NO_RUN
        self.under_way = ""  # what is being done so that there will be events
        self.refused = False  # whether the graph shown cannot be recorded
        self.sentence = ""
        self.counts = np.zeros(0, np.int64)  # by kind, up to the event shown
        self.every = False  # whether one also steps to COUNTERS
        self._watched = True  # else nothing is replayed: a long run takes seconds
        self._kinds = np.zeros(0, np.int64)
        self._stops = np.zeros(0, np.int64)  # positions to which one steps, ascending
        self._follow = True  # whether a move of the cursor is somebody else's
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)
        session.current_changed.connect(self._show_run)
        session.run_changed.connect(self._show_change)
        session.graph_changed.connect(lambda: self._show_run(session.current))
        playback.cursor_changed.connect(self._show_cursor)
        self._show_run(session.current)

    # --- what is shown

    @property
    def words(self) -> str:
        """What is under way, or why there are no events."""
        return self.under_way or self.problem

    def set_under_way(self, words: str) -> None:
        """Say what is being done so that there will be events; "" for nothing."""
        if words != self.under_way:
            self.under_way = words
            self.words_changed.emit()

    def refuse(self, graph: CSRGraph) -> None:
        """Say why a graph is not recorded."""
        why = TOO_LARGE.format(arcs=thousands(graph.m), most=thousands(MOST_ARCS))
        self.problem = f"{graph.name} {why if graph.m else NO_EDGES}"
        self.refused = True
        self.words_changed.emit()

    @property
    def state(self) -> State | None:
        """The state after the event shown, None where there is no recording."""
        return self.replay.state if self.replay is not None else None

    @property
    def position(self) -> int:
        """How many events have happened."""
        return self.replay.position if self.replay is not None else 0

    @property
    def number(self) -> int:
        """How many of the events to which one steps have happened."""
        return int(np.searchsorted(self._stops, self.position, side="right"))

    @property
    def count(self) -> int:
        """How many events there are to which one steps."""
        return len(self._stops)

    @property
    def shown(self) -> np.void | None:
        """The event shown, EVENT, or None before the first."""
        if self.replay is None or self.replay.position == 0:
            return None
        event: np.void = self.replay.events[self.replay.position - 1]
        return event

    @property
    def kind(self) -> EventKind | None:
        """The kind of the event shown."""
        event = self.shown
        return None if event is None else EventKind(int(event["kind"]))

    @property
    def source_shown(self) -> int:
        """All pairs: the source of the worker that acts (else the last one begun); else -1."""
        state, event = self.state, self.shown
        if state is None or event is None or not state.rows:
            return -1
        hand = state.workers.get(int(event["worker"]))
        if hand is not None and hand.source >= 0:
            return hand.source
        return next(reversed(state.rows))

    def distances(self) -> np.ndarray | None:
        """Return the tentative distances now, float64 (n,)."""
        state = self.state
        return None if state is None else state.distances(self.source_shown)

    # --- moving

    def go(self, position: int) -> None:
        """Show the state after so many events, clamped; the cursor comes along."""
        replay = self.replay
        if replay is None:
            return
        position = min(max(position, 0), len(replay))
        self._place(position)
        event = self.shown
        self._follow = False
        self._playback.set_cursor(float(event["t_ns"]) if event is not None else 0.0)
        self._follow = True

    def step(self, direction: int) -> None:
        """Go to the next event to which one steps, or back to the one before."""
        if self.replay is None:
            return
        self.pause()
        self.go(self._next(direction))

    def go_to_number(self, number: int) -> None:
        """Show the state after so many of the events to which one steps, clamped."""
        number = min(max(number, 0), self.count)
        self.go(int(self._stops[number - 1]) if number else 0)

    def watch(self, watched: bool) -> None:
        """Follow the cursor, or stand still because nobody looks."""
        self._watched, cursor_ns = watched, self._playback.cursor_ns
        if not self.position or (self.state is not None and self.state.t_ns != cursor_ns):
            self._show_cursor(cursor_ns)  # else it stands there, among events of one instant

    def set_every(self, every: bool) -> None:
        """Also step to what is done to the queues' memory and counters, or not."""
        if every != self.every:
            self.every = every
            self._find_stops()
            self.moved.emit()

    def _next(self, direction: int) -> int:
        """Return the position of the next stop (+1) or the one before (-1)."""
        stops, position = self._stops, self.position
        if direction > 0:
            after = int(np.searchsorted(stops, position, side="right"))
            return int(stops[after]) if after < len(stops) else position
        before = int(np.searchsorted(stops, position, side="left"))
        return int(stops[before - 1]) if before else 0

    def _find_stops(self) -> None:
        passed = (EventKind.SAMPLE,) if self.every else (EventKind.SAMPLE, *COUNTERS)
        self._stops = np.flatnonzero(~np.isin(self._kinds, passed)) + 1

    def seek(self, kinds: Collection[EventKind], direction: int = 1) -> bool:
        """Go to the next event of some kinds, or the last one; False where there is none."""
        target = self.replay.find(kinds, direction) if self.replay is not None else None
        self.pause()
        if target is None:
            return False
        self.go(target)
        return True

    # --- playing

    @property
    def playing(self) -> bool:
        """Whether events go by by themselves."""
        return self._timer.isActive()

    def play(self) -> None:
        """Let events go by, from the first if the last is shown."""
        if self.replay is None or self.playing:
            return
        self._playback.pause()
        if self.number >= self.count:
            self.go(0)
        self._timer.start(min(max(PLAYED_MS // max(self.count, 1), LEAST_MS), MOST_MS))
        self.playing_changed.emit(True)

    def pause(self) -> None:
        """Stand still."""
        if self.playing:
            self._timer.stop()
            self.playing_changed.emit(False)

    def toggle(self) -> None:
        """Play, or pause if playing."""
        self.pause() if self.playing else self.play()

    def _tick(self) -> None:
        if self.replay is None or self.number >= self.count:
            self.pause()
            return
        self.go(self._next(1))

    # --- the models change

    def _show_run(self, record: RunRecord | None) -> None:
        self.pause()
        self.refused = False
        self.record, self.replay, self.sentence = record, None, ""
        self.counts = np.zeros(max(EventKind) + 1, np.int64)
        self.problem = NO_RUN if record is None else record.failure or NO_EVENTS
        trace, graph = (record.trace if record is not None else None), self.session.graph
        if trace is not None and trace.events is not None and len(trace.events):
            if graph is None or (graph.n, graph.m) != (trace.graph.n, trace.graph.m):
                self.problem = OTHER_GRAPH
            elif len(trace.events) > MOST_EVENTS:
                self.problem = TOO_MANY.format(count=len(trace.events), most=MOST_EVENTS)
            else:
                self.problem, self.replay = "", Replay.of(graph, trace)
                self._kinds = np.asarray(trace.events["kind"], np.int64)
                self._find_stops()
        self.replay_changed.emit()
        self._show_cursor(self._playback.cursor_ns)

    def _show_change(self, record: RunRecord) -> None:
        ended = not record.running and self.replay is None
        if record is self.session.current and (ended or self.record is not record):
            self._show_run(record)

    def _show_cursor(self, cursor_ns: float) -> None:
        if self._follow and self._watched and self.replay is not None:
            self.pause()
            self._place(self.replay.at_time(cursor_ns))

    def _place(self, position: int) -> None:
        replay, record = self.replay, self.record
        assert replay is not None
        assert record is not None
        self.sentence = ""
        if position > 0:
            before = replay.go(position - 1)
            self.sentence = explain(
                replay.graph, before, replay.events, position - 1, record.algorithm
            )
        replay.go(position)
        self.counts = np.bincount(self._kinds[:position], minlength=max(EventKind) + 1)
        self.moved.emit()

    def count_of(self, kinds: Collection[EventKind], only: Collection[int] | None = None) -> int:
        """Return how many events of some kinds there were up to the one shown.

        only : of those, the ones whose a is one of these; None for all
        """
        if self.replay is None:
            return 0
        if only is None:
            return sum(int(self.counts[kind]) for kind in kinds)
        so_far = self.replay.events[: self.position]
        return int((np.isin(so_far["kind"], list(kinds)) & np.isin(so_far["a"], list(only))).sum())

    def summary_text(self) -> str:
        """Return where one stands and what happens there, for screen readers."""
        if self.replay is None:
            return self.words
        return f"Event {self.number} of {self.count}. {self.sentence}"
