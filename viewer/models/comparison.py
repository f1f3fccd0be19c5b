"""Two runs on one clock: run B beside the session's current run A, and the difference in words.

Measured times are compared at probe level 0 only: `missing_reruns` returns the runs to make again
without probes. Any run of the session with the same settings at level 0 counts as such a rerun.
"""

from __future__ import annotations

import operator
from dataclasses import replace

from PyQt6.QtCore import QObject, pyqtSignal

from gpu.algorithms import ALGORITHMS, Algorithm
from gpu.record.trace import Probe, RunSettings
from gpu.study.compare import CompareError, Side, obstacle, telling_moment
from gpu.study.compare_words import Summary, names, summarise
from viewer.common.glossary import capital
from viewer.common.later import once
from viewer.models.session import Notice, RunRecord, SessionModel

PAIR_VIEWS = ("split", "difference", "single")  # how the graph shows two runs
LIVE_MS = 400  # between two looks at runs that go on
STOPS = ("It stops where the two runs differ most; Play goes on.", 10_000)  # for so many ms


class ComparisonModel(QObject):
    """A, B and the clock that they share; see the module docstring."""

    pair_changed = pyqtSignal()  # another A or B, or none
    words_changed = pyqtSignal()  # the summary says something else
    view_changed = pyqtSignal(str)  # one of PAIR_VIEWS

    def __init__(self, session: SessionModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._a: RunRecord | None = session.current  # the current run before the newest change
        self.b: RunRecord | None = None
        self.rival = ""  # key of the algorithm that was B last, recordings aside
        self.view = PAIR_VIEWS[0]
        self._kept: dict[int, tuple[tuple[object, ...], Side]] = {}
        self._live = once(self, self.words_changed.emit, LIVE_MS)
        session.current_changed.connect(self._take_current)
        session.run_removed.connect(self._drop)
        session.run_changed.connect(self._take_change)
        session.samples_appended.connect(self._take_growth)

    @property
    def a(self) -> RunRecord | None:
        """The run that the panels show, None where nothing is compared."""
        return self._session.current if self.b is not None else None

    @property
    def active(self) -> bool:
        """Whether two runs are compared."""
        return self.a is not None

    @property
    def letters(self) -> dict[int, str]:
        """Return "A" and "B" by run_id; empty where nothing is compared."""
        if self.a is None or self.b is None:
            return {}
        return {self.a.run_id: "A", self.b.run_id: "B"}

    @property
    def names(self) -> tuple[str, str]:
        """What to call A and B: algorithm, or what differs."""
        pair = self.sides()
        return names(*pair) if pair is not None else ("", "")

    def sides(self) -> tuple[Side, Side] | None:
        """Return A and B as `gpu.study.compare` sees them."""
        if self.a is None or self.b is None:
            return None
        return self._side(self.a), self._side(self.b)

    def _side(self, record: RunRecord) -> Side:
        """Return a side; of a run that ended it is kept, with what was counted of it."""
        kept = self._kept.get(record.run_id)
        key = (record.trace, record.verification, record.state)
        same = kept is not None and all(map(operator.is_, kept[0], key))
        if kept is None or record.trace is None or not same:
            kept = self._kept[record.run_id] = (key, side_of(record))
        return kept[1]

    def summary(self) -> Summary | None:
        """Return what differs, in words; None where nothing is compared."""
        pair = self.sides()
        if pair is None or self.a is None or self.b is None:
            return None
        twins = [self.rerun_of(record) for record in (self.a, self.b)]
        quoted = [side_of(twin) if twin is not None else None for twin in twins]
        return summarise(*pair, (quoted[0], quoted[1]))

    def missing_reruns(self) -> list[RunSettings]:
        """Return what must run again without probes before measured times may be compared."""
        runs = [run for run in (self.a, self.b) if run is not None]
        if not all(run.state == "finished" for run in runs):
            return []
        mine = [run for run in runs if _probed(run) and not run.recorded_on]
        missing = [run for run in mine if self.rerun_of(run) is None]
        return [replace(run.settings, probe=int(Probe.OFF)) for run in missing]

    # --- wishes

    def compare_with(self, record: RunRecord) -> None:
        """Take a run as B; raise CompareError where it cannot stand beside the current one."""
        current = self._session.current
        if current is None or record is current:
            raise CompareError("choose another run than the one that is shown")
        problem = obstacle(side_of(current), side_of(record))
        if problem:
            raise CompareError(problem)
        self._a = current
        self._set_b(record)

    def compare_or_say(self, record: RunRecord) -> None:
        """Take a run as B; say why where that is not possible."""
        try:
            self.compare_with(record)
        except CompareError as error:
            self._session.set_notice(Notice("warning", f"{capital(str(error))}."))

    def compare_again(self, pair: tuple[RunRecord | None, RunRecord | None]) -> None:
        """Compare A and B of before again, where A is still shown and B is still there."""
        a, b = pair
        if b in self._session.runs and self._session.current is a:
            self.compare_or_say(b)

    def swap(self) -> None:
        """A becomes B, B becomes A."""
        if self.b is not None:
            self._session.set_current(self.b)

    def end(self) -> None:
        """Show A alone."""
        if self.b is not None:
            self._set_b(None)

    @property
    def telling_ns(self) -> float | None:
        """When the two differ most, ns; None while that is not known, or never."""
        pair = self.sides()
        if pair is None or not all(side.finished for side in pair):
            return None
        return telling_moment(*pair) or None

    def set_view(self, view: str) -> None:
        """Show the graph of two runs in another way: one of PAIR_VIEWS."""
        if view != self.view and view in PAIR_VIEWS:
            self.view = view
            self.view_changed.emit(view)

    # --- the session changed

    def _take_current(self, record: RunRecord | None) -> None:
        before, self._a = self._a, record
        if self.b is None:
            return
        if record is self.b:
            kept = before in self._session.runs
            self._set_b(before if kept else None)
        elif record is None or obstacle(side_of(record), side_of(self.b)):
            self._set_b(None)
        else:
            self._set_b(self.b)

    def _drop(self, record: RunRecord) -> None:
        self._kept.pop(record.run_id, None)
        if record is self.b:
            self._set_b(None)

    def _take_change(self, record: RunRecord) -> None:
        if self.active:  # any run may be a rerun of one of the two
            self.words_changed.emit()

    def _take_growth(self, record: RunRecord, _first: int, _last: int) -> None:
        if (record is self.b or record is self.a) and not self._live.isActive():
            self._live.start()

    def _set_b(self, record: RunRecord | None) -> None:
        self.b = record
        if record is not None and not record.recorded_on:
            self.rival = record.settings.algorithm
        self._kept = {key: kept for key, kept in self._kept.items() if key in self.letters}
        self._live.stop()
        self.pair_changed.emit()
        self._session.notes.show_pair(record)
        self.words_changed.emit()

    def rerun_of(self, record: RunRecord) -> RunRecord | None:
        """Return the same run without probes, where one is in the session."""
        if not _probed(record):
            return None
        settings = replace(record.settings, probe=int(Probe.OFF))
        graph = record.graph_reference.hash
        reruns = (
            run
            for run in self._session.runs
            if run.settings == settings
            and run.graph_reference.hash == graph
            and run.state == "finished"
            and run.recorded_on == record.recorded_on
        )
        return next(reruns, None)


def rivals_of(record: RunRecord) -> list[Algorithm]:
    """Return the algorithms that could have run in its place, ablations last."""
    engine, row = record.settings.engine, record.algorithm
    rivals = [
        other
        for other in ALGORITHMS.values()
        if other.key != row.key and other.result == row.result and other.problem(engine) is None
    ]
    return sorted(rivals, key=lambda other: bool(other.fixed))


def rival_of(record: RunRecord | None, chosen: str) -> Algorithm | None:
    """Return the chosen algorithm, else the first other one on the same engine; None for none."""
    return min(rivals_of(record) if record else [], key=lambda row: row.key != chosen, default=None)


def side_of(record: RunRecord) -> Side:
    """Return a run of the window as `gpu.study.compare` sees it; what is not final is left out."""
    trace = record.trace
    return Side(
        record.settings,
        record.graph_reference,
        record.samples,
        record.clock,
        record.state,
        trace.dist if trace is not None else None,
        trace.vertices if trace is not None else None,
        record.verification,
        trace.environment if trace is not None else None,
        record.errors,
    )


def _probed(record: RunRecord) -> bool:
    return record.clock == "measured" and record.settings.probe > Probe.OFF
