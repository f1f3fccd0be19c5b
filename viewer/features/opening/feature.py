"""Shows what was recorded on a real GPU, while this machine gets ready to make runs of its own.

A recording needs no engine and no compiler: its runs, and where the vertices are, are in the
package. So the first picture is there with the first paint. The graph itself is made by the engine
process, from its name and seed, and takes the place of its outline when it is there.

Run makes the runs here: the recorded comparison ends, and once the first run is over the other
algorithm follows, if that is the pair that was shown.
"""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from importlib.resources.abc import Traversable

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QVBoxLayout

from gpu.errors import GpuError
from gpu.record.recording import Recording, load_recording
from gpu.record.trace import RECORDED_ON
from gpu.study.sweep_saved import sweep_from_dict
from viewer.common.theme import Theme
from viewer.docks import FIRST
from viewer.feature import Opening, Window
from viewer.features.opening.card import OpeningCard
from viewer.features.opening.rows import ROADS
from viewer.models.outline import GraphOutline
from viewer.models.session import Notice, RunRecord

FIRST_ID = -1_000_000  # recorded runs count down from here, far from those of files
MOST_RUNS = 100  # of a recording
SWEEP = "sweep"  # the arrangement with the sweep in it, large


class OpeningFeature(Opening):
    """Shows recordings; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._recordings: dict[str, Recording] = {}  # those read so far
        self._records: dict[str, list[RunRecord]] = {}  # and their runs
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
        return self._show(ROADS)

    def show(self, name: str) -> None:
        """Show a recorded comparison at its most telling moment."""
        if self._window.docks.arrangement == SWEEP:
            self._window.docks.choose(FIRST)
        self._show(name)

    def show_sweep(self) -> None:
        """Show the recorded sweep of Δ, large, beside its graph."""
        if self._show(ROADS):
            told = json.loads(_file("sweep.json").read_text(encoding="utf-8"))
            self._window.sweep.show_saved(sweep_from_dict(told), str(told.get(RECORDED_ON, "")))
            self._window.docks.choose(SWEEP)

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

    def _show(self, name: str) -> bool:
        """Show a recorded pair; say why, and return False, where it cannot be read."""
        try:
            records = self._records_of(name)
        except (GpuError, OSError) as error:
            self._window.session.set_notice(Notice("warning", f"No recording: {error}."))
            return False
        window, session = self._window, self._window.session
        wanted, graph = self._recordings[name], session.graph
        if graph is None or (graph.n, graph.m) != (wanted.graph.n, wanted.graph.m):
            window.controller.show_graph(GraphOutline.of(wanted.graph, wanted.positions))
        session.set_source(records[0].settings.source)
        for record in records:
            if record not in session.runs:
                session.add_run(record, show=False)
        session.set_current(records[0])
        window.comparison.compare_or_say(records[1])
        telling = window.comparison.telling_ns
        if telling is not None:
            window.playback.set_cursor(telling)
        return True

    def _records_of(self, name: str) -> list[RunRecord]:
        if name not in self._records:
            recording = self._recordings[name] = load_recording(str(_file(f"{name}.npz")))
            first = FIRST_ID - len(self._records) * MOST_RUNS
            self._records[name] = [
                RunRecord.from_trace(first - place, trace)
                for place, trace in enumerate(recording.runs)
            ]
        return self._records[name]

    # --- runs made here

    def _run_here(self) -> None:
        """Make what is shown here: by the recording's algorithm, Δ and parameters, both of them."""
        window, panel = self._window, self._window.run_panel
        sides = [run for run in (window.session.current, window.comparison.b) if run is not None]
        recorded = {run.settings.algorithm: run.settings for run in sides if run.recorded_on}
        if recorded:
            chosen = panel.choices()
            first = next(iter(recorded.values()))
            given = {key: one.parameters for key, one in recorded.items()}
            parameters = {**chosen.parameters, **given}
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
        name = next((key for key, kept in self._records.items() if record in kept), "")
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
        tour = window.actions_by_key.find("tour")
        card.tour.setVisible(tour is not None)
        if tour is not None:
            card.tour_requested.connect(tour.trigger)
        card.apply_theme(window.theme)
        return card


def _file(name: str) -> Traversable:
    return files("assets").joinpath("recordings", name)


install = OpeningFeature
