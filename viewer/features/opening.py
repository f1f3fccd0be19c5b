"""The opening: runs recorded on a real GPU, shown while this machine gets ready to make its own.

A recording needs no engine and no compiler: its runs, and the places of the vertices, are in the
package. So the first picture is there with the first paint. The engine process makes the graph from
its name and seed; it replaces its outline. A recording is read once: before the first paint, or
later on a thread, and shown in turns of the event loop, so no click waits for it.

*Run* makes the runs here: the recorded comparison ends, and once the first run is over the other
algorithm follows, if that is the pair that was shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout

from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.record.recording import load_recording
from gpu.record.trace import RECORDED_ON
from gpu.study.compare import Side, telling_moment
from gpu.study.sweep_saved import sweep_from_dict
from viewer.common.background import Task
from viewer.common.flow import FlowLayout
from viewer.common.later import later
from viewer.common.small_widgets import chip
from viewer.common.theme import SPACING, Theme, mix
from viewer.docks import FIRST
from viewer.feature import Opening, Window
from viewer.models.session import GraphOutline, Notice, RunRecord

TINT = 0.10  # share of the accent in the background
OTHERS = {  # action: its words, what they promise
    "recorded_roads": ("Roads", "Sooner, with more work"),
    "recorded_mesh": ("A mesh", "Sooner, and less work"),
    "recorded_sweep": ("Sweep", "Time and work against Δ: least work is not least time"),
}
FIRST_ID = -1_000_000  # recorded runs count down from here, far from those of files
MOST_RUNS = 100  # of a recording
ROADS, MESH = "roads", "mesh"  # names of recordings
SWEEP = "sweep"  # the arrangement with the sweep in it, large


class OpeningCard(QFrame):
    """Words, the prepared starts, and a button that makes the runs here."""

    run_requested = pyqtSignal()
    other_requested = pyqtSignal(str)  # a key of OTHERS

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("opening_card")
        self.setAccessibleName("What is shown")
        self.words = QLabel()
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.others = {key: chip(words, tip) for key, (words, tip) in OTHERS.items()}
        self.run = QPushButton("Run here")
        self.run.setProperty("role", "primary")
        self.run.setToolTip("Make both runs on this machine (Ctrl+R)")
        row = FlowLayout(self)
        row.setContentsMargins(SPACING + 2, 3, SPACING, 3)
        row.addWidget(self.words)
        for key, button in self.others.items():
            button.setCheckable(True)
            button.clicked.connect(lambda _on, key=key: self.other_requested.emit(key))
            row.addWidget(button)
        row.addWidget(self.run)
        self.run.clicked.connect(self.run_requested)

    def show_words(self, words: str, chosen: str) -> None:
        """Say what is shown; `chosen` is the prepared start that it is, a key of OTHERS."""
        self.words.setText(words)
        for key, button in self.others.items():
            button.setChecked(key == chosen)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.setStyleSheet(
            f"#opening_card {{ background: {mix(theme.window, theme.accent, TINT)}; border: none;"
            f" border-left: 3px solid {theme.accent}; }}"
        )


@dataclass(frozen=True)
class Unpacked:
    """A recorded pair, ready to be shown; `telling_ns`: when the two differ most, on A's clock."""

    outline: GraphOutline
    records: tuple[RunRecord, ...]
    telling_ns: float

    def is_of(self, graph: CSRGraph | None) -> bool:
        """Whether that is its graph, or the outline of it."""
        return graph is not None and (graph.n, graph.m) == (self.outline.n, self.outline.m)


def unpacked(name: str) -> Unpacked:
    """Read a recording of ours. Raises GpuError, OSError."""
    recording = load_recording(str(_file(f"{name}.npz")))
    first = FIRST_ID - (ROADS, MESH).index(name) * MOST_RUNS
    runs = enumerate(recording.runs)
    a, b = (Side.of(trace) for trace in recording.runs[:2])
    return Unpacked(
        GraphOutline.of(recording.graph, recording.positions),
        tuple(RunRecord.from_trace(first - place, trace) for place, trace in runs),
        telling_moment(a, b),
    )


class OpeningFeature(Opening):
    """Shows recordings; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._unpacked: dict[str, Unpacked] = {}  # those read so far
        self._reading: dict[str, Task] = {}
        self._wanted: tuple[str, Callable[[Unpacked], None] | None] = (ROADS, None)
        self._requests = 0  # how many: only the last one is shown
        self._waiting = False  # for the end of a run that the other algorithm is to follow
        self._card: OpeningCard | None = None
        window.session.current_changed.connect(self._show_card)
        window.session.run_added.connect(self._take_run)
        window.session.run_changed.connect(self._take_change)
        window.docks.named.connect(self._show_card)
        window.modes.presentation_ended.connect(self._show_card)

    # --- handlers

    def begin(self) -> bool:
        """Show the first recording; False where it is not in this installation."""
        try:
            recording = self._unpacked[ROADS] = unpacked(ROADS)
        except (GpuError, OSError) as error:
            self._say(error)
            return False
        for put in (self._put_graph, self._put_runs, self._put_pair):
            put(recording)
        return True

    def show(self, name: str) -> None:
        """Show a recorded comparison at its most telling moment."""
        if self._window.docks.arrangement == SWEEP:
            self._window.docks.choose(FIRST)
        self._show(name)

    def show_sweep(self) -> None:
        """Show the recorded sweep of Δ, large, beside its graph."""
        self._show(ROADS, self._put_sweep)

    def _put_sweep(self, _found: Unpacked) -> None:
        saved = json.loads(_file("sweep.json").read_text(encoding="utf-8"))
        self._window.sweep.show_saved(sweep_from_dict(saved), str(saved.get(RECORDED_ON, "")))
        self._window.docks.choose(SWEEP)

    def close(self) -> None:
        """Give up what is being read; the window closes."""
        for task in self._reading.values():
            task.give_up()

    def before_run(self) -> None:
        """Remember whether the other algorithm is to follow: it does after the pair shown."""
        current = self._window.session.current
        pair = current is not None and current.recorded_on and self._window.comparison.active
        chosen = self._window.run_panel.choices().algorithm
        self._waiting = bool(pair) and current is not None and current.settings.algorithm == chosen

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        if self._card is not None:
            self._card.apply_theme(theme)
        self._show_card()

    # --- a recording

    def _show(self, name: str, then: Callable[[Unpacked], None] | None = None) -> None:
        """Show a recorded pair, and what belongs to it, once it is read."""
        self._requests += 1
        self._wanted = (name, then)
        if name in self._unpacked:
            self._put_all()
        elif name not in self._reading:
            result: list[Unpacked] = []  # what the thread leaves here
            task = self._reading[name] = Task(lambda: result.append(unpacked(name)), self)
            task.ended.connect(partial(self._have_read, name, result))

    def _have_read(self, name: str, result: list[Unpacked], problem: BaseException | None) -> None:
        del self._reading[name]
        if result:
            self._unpacked[name] = result[0]
        if isinstance(problem, GpuError | OSError):
            self._say(problem)
        elif problem is not None:
            raise problem
        elif name == self._wanted[0]:
            self._put_all()

    def _put_all(self) -> None:
        """Show what is wanted, a part in each turn of the event loop, unless more is asked for."""
        request, (name, then) = self._requests, self._wanted
        parts = [self._put_graph, self._put_runs, self._put_pair, *([then] if then else [])]

        def put_next() -> None:
            if parts and request == self._requests:
                parts.pop(0)(self._unpacked[name])
                later(self, put_next)

        put_next()

    def _put_graph(self, recording: Unpacked) -> None:
        if not recording.is_of(self._window.session.graph):
            self._window.controller.show_graph(recording.outline)

    def _put_runs(self, recording: Unpacked) -> None:
        session = self._window.session
        if not recording.is_of(session.graph):
            return
        session.set_source(recording.records[0].settings.source)
        for record in recording.records:
            if record not in session.runs:
                session.add_run(record, show=False)
        session.set_current(recording.records[0])

    def _put_pair(self, recording: Unpacked) -> None:
        window = self._window
        if window.session.current is recording.records[0]:
            window.comparison.set_align("time")
            window.comparison.compare_or_say(recording.records[1])
            window.playback.set_cursor(recording.telling_ns)

    def _say(self, problem: Exception) -> None:
        self._window.session.set_notice(Notice("warning", f"No recording: {problem}."))

    # --- runs made here

    def _run_here(self) -> None:
        """Make what is shown here: by the recording's algorithm, Δ and parameters, both of them."""
        window, panel = self._window, self._window.run_panel
        sides = [run for run in (window.session.current, window.comparison.b) if run is not None]
        recorded = {run.settings.algorithm: run.settings for run in sides if run.recorded_on}
        if recorded:
            chosen = panel.choices()
            first = next(iter(recorded.values()))
            recorded_parameters = {key: one.parameters for key, one in recorded.items()}
            parameters = {**chosen.parameters, **recorded_parameters}
            kept = replace(
                chosen, algorithm=first.algorithm, delta=first.delta, parameters=parameters
            )
            panel.set_choices(kept)
        window.start_run()

    def _take_run(self, record: RunRecord) -> None:
        """Runs made here are compared with each other, not with what was recorded elsewhere."""
        current = self._window.session.current
        if not record.recorded_on and current is not None and current.recorded_on:
            self._window.comparison.end()

    def _take_change(self, record: RunRecord) -> None:
        """Once the run asked for is over and proved, have the other algorithm compared with it."""
        if not self._waiting or record is not self._window.session.current or record.running:
            return
        if record.state != "finished" or record.verification is not None:
            self._waiting = False
            compare = self._window.actions_by_key.find("compare_rival")
            if record.state == "finished" and compare is not None:
                QTimer.singleShot(0, compare.trigger)

    # --- the card

    def _show_card(self, _news: object = None) -> None:
        record = self._window.session.current
        name = next((key for key, kept in self._unpacked.items() if record in kept.records), "")
        shown = bool(name) and not self._window.modes.presenting
        if shown and self._card is None:
            self._card = self._make_card()
        if self._card is None:
            return
        self._card.setVisible(shown)
        if shown and record is not None:
            swept = self._window.docks.arrangement == SWEEP
            device = record.recorded_on.removeprefix("NVIDIA ")
            chosen = "recorded_sweep" if swept else f"recorded_{name}"
            self._card.show_words(f"Recorded on an {device}:", chosen)

    def _make_card(self) -> OpeningCard:
        window, card = self._window, OpeningCard()
        centre = window.notice_bar.parentWidget()
        column = centre.layout() if centre is not None else None
        assert isinstance(column, QVBoxLayout)
        column.insertWidget(column.indexOf(window.notice_bar) + 1, card)
        card.run_requested.connect(self._run_here)
        card.other_requested.connect(lambda key: window.actions_by_key[key].trigger())
        card.apply_theme(window.theme)
        return card


def _file(name: str) -> Traversable:
    return files("assets").joinpath("recordings", name)


install = OpeningFeature
