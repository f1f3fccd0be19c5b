"""The simple screen: two maps, three plots, one sentence, and the seven things to touch.

It is the arrangement "simple": two bars (`viewer.frame.simple_bars`) take the place of the toolbar,
the Run panel and the timeline. *Run it here* makes the pair that is shown on this machine: once A
is over and proved, the other algorithm follows. The recorded pair is kept, to switch back to.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QToolBar, QWidget

from gpu.graph import CSRGraph
from gpu.record.reach import SAMPLE
from gpu.study.compare_words import verdict
from gpu.words import in_sight, thousands
from viewer.common.later import later
from viewer.common.theme import Theme
from viewer.controller import first_source
from viewer.docks import SIMPLE
from viewer.feature import Opening, Screen, Window
from viewer.frame.simple_bars import HERE, RECORDED, BottomBar, TopBar
from viewer.models.comparison import STOPS
from viewer.models.run_words import state_words, verified_words
from viewer.models.session import RunRecord
from viewer.models.settings import STILL

HELD_PACE = 30.0  # samples a second, while Δ is held
PLAYED = "played"  # key in Settings: the recording has played by itself
KEPT = "The runs on this graph are in the panel Runs (Ctrl+Shift+R)."
PLAY_AFTER_MS = 1500  # once both maps and every plot are there
Pair = tuple[RunRecord, RunRecord]


class SimpleFeature(Screen):
    """Owns the two bars; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.top, self.bottom = TopBar(window.session), BottomBar(window.playback)
        main = window.as_widget()
        self._bars = [
            _tool_bar(main, self.top, "simple_top", Qt.ToolBarArea.TopToolBarArea),
            _tool_bar(main, self.bottom, "simple_bottom", Qt.ToolBarArea.BottomToolBarArea),
        ]
        self._pairs: dict[str, Pair] = {}  # shown before, of the graph that is shown
        self._follows = False  # the other algorithm is to follow the run that goes on
        self._delta: tuple[float | None] | None = None  # to run with, once the engine is free
        self._connect()
        self.apply_theme(window.theme)
        self._show_bars(window.docks.arrangement)

    def _connect(self) -> None:
        window, top, bottom = self._window, self.top, self.bottom
        # the user asks
        top.graph.wanted.connect(self._open)
        for button, key in (
            (top.open, "open"),
            (top.lessons, "lessons"),
            (top.controls, "all_controls"),
            (bottom.play, "play"),
        ):
            button.clicked.connect(partial(self._trigger, key))
        for name, choice in bottom.pairs.items():
            choice.clicked.connect(partial(self._show_kept, name))
        bottom.run.clicked.connect(self._run_or_stop)
        bottom.auto.clicked.connect(lambda: self._choose_delta(None))
        bottom.delta.sliderPressed.connect(partial(self._hold, True))
        bottom.delta.sliderReleased.connect(partial(self._hold, False))
        bottom.delta.tried.connect(self._steer)
        bottom.delta.chosen.connect(self._choose_delta)
        window.status_bar.cancel_requested.connect(top.graph.show_graph)
        # the models change
        session, comparison = window.session, window.comparison
        window.docks.named.connect(self._show_bars)
        session.graph_changed.connect(self._forget)
        session.current_changed.connect(self._take_current)
        session.run_changed.connect(self._take_change)
        session.run_added.connect(self._take_run)
        session.source_changed.connect(self._say)
        session.samples_appended.connect(self._show_delta)
        window.modes.drawing_changed.connect(self._show_drawing)
        comparison.pair_changed.connect(self._take_pair)
        comparison.words_changed.connect(self._say)
        window.playback.cursor_changed.connect(self._show_delta)
        window.controller.running_changed.connect(self._take_running)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.top.apply_theme(theme)
        self.bottom.apply_theme(theme)

    # --- the screen comes and goes

    @property
    def on(self) -> bool:
        """Whether the simple screen is shown."""
        return self._window.docks.arrangement == SIMPLE

    def _show_bars(self, _name: str) -> None:
        window = self._window
        for bar in self._bars:
            bar.setVisible(self.on)
        self.top.choices.setVisible(not window.modes.presenting)
        tools = window.as_widget().findChild(QToolBar, "toolbar")
        if tools is not None:
            tools.setVisible(not self.on and not window.modes.presenting)
        window.status_bar.show_details(not self.on)
        if self.on:
            self.bottom.strip.setFocus()  # it passes the keys of playback on
            self._say()
        else:
            window.as_widget().setFocus()  # not the next field: the bars had it

    def _open(self, what: str, options: dict[str, Any] | None) -> None:
        opening = self._window.part(Opening)
        if opening is None or not opening.open_sample(what.removeprefix("sample:")):
            self._window.open_path(what, options)

    def _show_drawing(self) -> None:
        """Name the drawing, which has no time and no Δ yet."""
        drawing = self._window.modes.drawing
        self.top.graph.show_drawing(drawing)
        self.bottom.play.setEnabled(self._shown is not None)
        self.bottom.strip.setEnabled(not drawing)
        self.bottom.time.setText("") if drawing else self.bottom.show_time()
        self._show_delta()
        self._say()

    def _play_once(self) -> None:
        """Play the recording at the very first start, unless less motion is asked for."""
        window, current = self._window, self._window.session.current
        settings = window.settings
        played = settings.value(PLAYED, False) or settings.value(STILL, False) or not self.on
        if played or current is None or not current.recorded_on or window.controller.running:
            return
        if not window.complete:
            later(self, self._play_once, PLAY_AFTER_MS)
            return
        settings.set_value(PLAYED, True)
        window.playback.replay(window.comparison.telling_ns)
        window.status_bar.showMessage(*STOPS)

    # --- words

    def _say(self, _news: object = None) -> None:
        """Say what the runs shown tell."""
        if not self.on:
            return
        window = self._window
        current, pair = window.session.current, window.comparison.sides()
        if window.modes.drawing:
            self.top.say("Draw a graph, then run it here.", "", "")
            return
        if current is None:
            if (graph := window.session.graph) is not None:
                kept = graph.name in {run.graph_reference.name for run in window.session.runs}
                words = KEPT if kept else "There is no run on this graph yet."
                self.top.say(words, _graph_words(graph, window.session.source), "")
            return
        summary = window.comparison.summary()
        if pair is not None and summary is not None:
            whence = _whence(current, window.comparison.b)
            self.top.say(verdict(*pair, summary.numbers), whence, summary.whole)
            return
        self.top.say(state_words(current), _whence(current), verified_words(current)[0])

    # --- runs

    def before_run(self) -> None:
        """Remember whether the other algorithm is to follow; after a pair it does by itself."""
        self._follows = self.on and self._window.comparison.a is None

    def _run_or_stop(self) -> None:
        """Make what is shown on this machine, or end the run that goes on."""
        window, current = self._window, self._shown
        if window.controller.running:
            window.controller.stop()
        else:
            self._run(current.settings.delta if current is not None else None)

    def _run(self, delta: float | None) -> None:
        """Run A as it was set, at another Δ."""
        window, panel, current = self._window, self._window.run_panel, self._window.session.current
        chosen = replace(panel.choices(), delta=delta)  # none is kept from another graph
        if current is not None:
            algorithm = current.settings.algorithm
            made = chosen.parameters | {algorithm: current.settings.parameters}
            chosen = replace(chosen, algorithm=algorithm, parameters=made)
        panel.set_choices(chosen)
        window.start_run()

    def _take_run(self, record: RunRecord) -> None:
        """Runs made here are compared with each other, not with what was recorded elsewhere."""
        current = self._window.session.current
        if not record.recorded_on and current is not None and current.recorded_on:
            self._window.comparison.end()

    def _take_change(self, record: RunRecord) -> None:
        """Once the run asked for is over and proved, have the other algorithm compared with it."""
        if record is not self._window.session.current:
            return
        self._say()
        if not self._follows or record.running:
            return
        if record.state != "finished" or record.verification is not None:
            self._follows = False
            if record.state == "finished":
                later(self, lambda: self._trigger("compare_rival"))

    def _take_running(self, running: bool) -> None:
        self.bottom.show_running(running)
        self._show_delta()
        if not running and self._delta is not None:
            later(self, self._run_waiting)

    # --- recorded | here

    def _forget(self) -> None:
        self._pairs = {}
        self.bottom.delta.base = 0.0
        panel = self._window.run_panel
        if self.on:  # a Δ by hand was of another graph
            panel.set_choices(replace(panel.choices(), delta=None))
        self._take_pair()

    def _take_current(self, record: RunRecord | None) -> None:
        if record is not None and record.recorded_on:
            later(self, self._play_once, PLAY_AFTER_MS)
        self.bottom.play.setEnabled(record is not None)
        self.bottom.auto.setChecked(record is None or record.settings.delta is None)
        self._show_delta()
        self._take_pair()

    def _take_pair(self) -> None:
        """Keep a pair that was recorded, or made here, whole."""
        a, b = self._window.comparison.a, self._window.comparison.b
        if a is not None and b is not None and bool(a.recorded_on) == bool(b.recorded_on):
            self._pairs[RECORDED if a.recorded_on else HERE] = (a, b)
        current = self._window.session.current
        shown = RECORDED if current is not None and current.recorded_on else HERE
        both = RECORDED in self._pairs and (HERE in self._pairs or shown == HERE)
        self.bottom.show_pairs(shown, both)
        self._say()

    def _show_kept(self, name: str, _checked: bool = False) -> None:
        """Show the recorded pair, or the one made here, where the two differ most."""
        window, kept = self._window, self._pairs.get(name)
        if kept is None:
            self._take_pair()
            return
        a, b = kept
        window.comparison.end()
        window.session.set_current(a)
        window.comparison.compare_or_say(b)
        telling = window.comparison.telling_ns
        if telling is not None:
            window.playback.set_cursor(telling)

    # --- Δ

    @property
    def _shown(self) -> RunRecord | None:
        """The run whose Δ is shown: none while one draws."""
        return None if self._window.modes.drawing else self._window.session.current

    @property
    def _steered(self) -> bool:
        """Whether the run shown goes on and takes a Δ from outside."""
        current = self._window.session.current
        return current is not None and current.running and current.algorithm.dynamic

    def _show_delta(self, _news: object = None, *_more: object) -> None:
        """Stand where Δ is at the cursor, around the Δ that the first run on this graph had."""
        current, bottom = self._shown, self.bottom
        bucketed = current is not None and current.algorithm.bucketed
        bottom.delta.setEnabled(bucketed)
        bottom.auto.setEnabled(bucketed)
        if current is None or not bucketed:
            bottom.say_delta(0.0)
            return
        deltas = current.samples["delta"]
        now = current.settings.delta or 0.0  # before the first sample
        bottom.delta.base = bottom.delta.base or float(deltas[-1] if len(deltas) else now)
        if len(deltas):
            now = float(deltas[min(max(self._window.playback.sample_index, 0), len(deltas) - 1)])
        if not bottom.delta.isSliderDown():
            bottom.delta.show_delta(now)
            bottom.say_delta(now)
        if not self._steered:
            bottom.auto.setChecked(current.settings.delta is None)

    def _hold(self, held: bool) -> None:
        """Slow a run that goes on, while Δ is held."""
        if self._steered:
            chosen = self._window.run_panel.choices().samples_per_second
            self._window.controller.set_pace(HELD_PACE if held else chosen)

    def _steer(self, delta: float) -> None:
        if self._steered:
            self.bottom.auto.setChecked(False)
            self._window.controller.set_delta(delta)

    def _choose_delta(self, delta: float | None) -> None:
        """Have the run that goes on take this Δ, None its own, or run again at it."""
        if not self._steered:
            self._delta = (delta,)
            if not self._window.controller.running:
                self._run_waiting()
        elif delta is None:
            self._window.controller.release_delta()
        else:
            self._steer(delta)

    def _run_waiting(self) -> None:
        waiting, self._delta = self._delta, None
        if waiting is not None:
            self._run(waiting[0])


def _tool_bar(main: QWidget, inside: QWidget, name: str, area: Qt.ToolBarArea) -> QToolBar:
    """Return a fixed bar across the whole window."""
    bar = QToolBar(inside.accessibleName() or name)
    bar.setObjectName(name)
    bar.setMovable(False)
    bar.setStyleSheet("QToolBar { border: none; background: palette(window); }")
    bar.addWidget(inside)
    bar.toggleViewAction().setVisible(False)  # type: ignore[union-attr]
    main.addToolBar(area, bar)  # type: ignore[attr-defined]
    return bar


def _graph_words(graph: CSRGraph, source: int) -> str:
    """Return how large a graph is, where runs on it start, and why a file's do."""
    size = f"{thousands(graph.n)} vertices, {thousands(graph.m)} edges"
    if not graph.n:
        return size
    own = not graph.provenance.origin.startswith(SAMPLE)
    why = " (it reaches many)" if own and 0 < source == first_source(graph) else ""
    return f"{size}; starts from {in_sight(str(graph.id_of(source)), 32)}{why}"


def _whence(record: RunRecord, other: RunRecord | None = None) -> str:
    """Return where a run was made, and whether what is shown was verified."""
    proofs = [verified_words(run) for run in (record, other) if run is not None]
    missing = next((words for words, colour in proofs if colour != "success"), "✓ verified")
    if record.recorded_on:
        where = f"recorded on an {record.recorded_on.removeprefix('NVIDIA ')}"
    else:
        device = in_sight(record.settings.device)
        where = f"made here, {record.clock} {device}".strip()
    return ", ".join(filter(None, (where, missing)))


install = SimpleFeature
