"""The comparison at work: from a wish to a second run, from two runs to what the window shows.

The engine process makes one run at a time. What is asked for while it is busy waits: first the
run that is to be B, then reruns without probes of measured runs, whose times alone may be
compared. A run that was already made with the same settings is taken as it is.

While B is being made, the cursor stays at its newest sample, so that both runs are seen to
work on one clock, until somebody moves it. If B was over in a blink, both are replayed.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

from PyQt6.QtCore import QTimer
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QWidget

from gpu.algorithms import find
from gpu.algorithms.all_pairs import same_rows
from gpu.engine import checked_settings
from gpu.errors import GpuError
from gpu.record.trace import RunSettings
from gpu.study.compare_words import name_of
from gpu.words import distance
from viewer.action_set import keys_of
from viewer.common.later import later
from viewer.common.theme import Theme
from viewer.controller import BLINK_S
from viewer.docks import SIMPLE
from viewer.feature import Pairs, Window
from viewer.features.compare.bar import CompareBar
from viewer.features.compare.runs import RunsPanel
from viewer.features.compare.view import PairView
from viewer.frame.copied_commands import copy_run
from viewer.models.comparison import STOPS, rival_of, rivals_of
from viewer.models.session import Notice, Offer, RunRecord

COMPARED = "the same graph, show both together"
BEHIND = (  # actions behind the bar's button
    "pair_split",
    "pair_difference",
    "pair_single",
    "swap_runs",
    "end_comparison",
)
PUBLISHED = "as_published"  # key of a parameter
LONGER = 20.0  # times: beside so long a run the curves of the other are a line
START = "One run took {:,.0f} times as long: the plots show its start, a double click shows all."
FACTORS = (("Half the Δ", 0.5), ("Twice the Δ", 2.0), ("Δ / 8", 0.125), ("Δ × 8", 8.0))


class CompareFeature(Pairs):
    """Owns the bar of the comparison and the second graph; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.model = window.comparison
        self._waiting: RunSettings | None = None  # to be B, once the engine is free
        self._after_a: RunSettings | None = None  # to be B, once A is over and proved
        self._tried: list[RunSettings] = []  # reruns without probes, asked for once
        self._follows = self._moves = False  # the cursor follows B; it is we who move it
        self._started_at = 0.0
        self._new_a: RunRecord | None = None  # goes on; there is a B already
        window.build_plots()
        self.bar = CompareBar(self.model, [window.actions_by_key[key] for key in BEHIND])
        self.view = PairView(window, self.model, self.bar)
        for plot in window.plots.values():
            plot.set_comparison(self.model)
        self._connect()
        self.apply_theme(window.theme)
        self._show_current()
        if self.model.active:  # a workspace was opened before this was built
            self.model.pair_changed.emit()

    def _connect(self) -> None:
        window, model = self._window, self.model
        # the user asks
        others = window.actions_by_key.menu("compare_other")
        others.aboutToShow.connect(self._fill_others)
        others.triggered.connect(self._compare_row)
        window.notice_bar.offer_taken.connect(self._bring_back)
        window.docks.named.connect(lambda name: self.bar.allow(name != SIMPLE))
        self.bar.allow(window.docks.arrangement != SIMPLE)
        # the models change
        window.session.current_changed.connect(self._show_current)
        window.session.run_changed.connect(self._take_change)
        window.session.samples_appended.connect(self._take_growth)
        window.playback.cursor_changed.connect(self._let_go)
        window.controller.running_changed.connect(self._pump_soon)
        model.pair_changed.connect(self._show_pair)
        model.words_changed.connect(self._pump_soon)

    def make_panel(self, _dock: str) -> QWidget:
        """Return the table of runs."""
        panel = RunsPanel(self._window.session, self.model)
        panel.show_requested.connect(self._window.controller.show_run)
        panel.compare_requested.connect(self.model.compare_or_say)
        panel.delete_requested.connect(self._delete)
        panel.copy_requested.connect(partial(copy_run, self._window.session))
        return panel

    def needs(self) -> dict[str, bool]:
        """Say whether there is a run to compare with, alone, or whether two are compared."""
        able, active = self._basis() is not None, self.model.active
        return {"comparable": able, "alone": able and not active, "comparing": active}

    def apply_theme(self, theme: Theme) -> None:
        """Pass a theme on."""
        self.bar.apply_theme(theme)
        self.view.apply_theme(theme)

    # --- handlers of the rows

    def compare_rival(self) -> None:
        """Lay the algorithm chosen last, or the first other one, upon the current run."""
        rival = rival_of(self._window.session.current, self.model.rival)
        if rival is not None:
            self.compare_algorithm(rival.key)

    def _delete(self, record: RunRecord) -> None:
        self._window.session.remove_run(record)
        offers = (Offer("Bring it back", record),)
        words = f"Deleted: {name_of(record.settings)} on {record.graph_reference.name}."
        self._window.session.set_notice(Notice("info", words, offers=offers))

    def _bring_back(self, what: object) -> None:
        if isinstance(what, RunRecord):
            self._window.session.add_run(what, show=False)
            self._window.controller.show_run(what)

    # --- wishes

    def compare_algorithm(self, key: str) -> None:
        """Make B from the current run with another algorithm, its Δ automatic."""
        basis = self._basis()
        if basis is not None:
            chosen = self._window.run_panel.choices().parameters.get(key, {})
            chosen = same_rows(chosen, basis.settings.parameters)
            self.make_b(replace(basis.settings, algorithm=key, delta=None, parameters=chosen))

    def compare_delta(self, delta: float | None) -> None:
        """Make B from the current run with another Δ, held still; None: an automatic one."""
        basis = self._basis()
        if basis is None:
            return
        row, parameters = basis.algorithm, basis.settings.parameters
        if delta is not None:
            parameters = {**parameters, **row.still}
        elif any(parameters.get(key) == value for key, value in row.still.items()):
            parameters = {key: parameters[key] for key in parameters if key not in row.still}
        self.make_b(replace(basis.settings, delta=delta, parameters=parameters))

    # --- a second run is made

    def _basis(self) -> RunRecord | None:
        """Return the run that another may be made from: the current one, on the graph shown."""
        record, graph = self._window.session.current, self._window.session.graph
        if record is None or graph is None or graph.hash != record.graph_reference.hash:
            return None
        return record if record.state != "failed" else None

    def make_b(self, settings: RunSettings) -> None:
        """Run B beside the current run, which is made here too where it was recorded."""
        graph, basis = self._window.session.graph, self._basis()
        if graph is None or basis is None:
            return
        first: RunSettings | None = None  # A, to be made here in place of a recorded one
        try:
            if basis.recorded_on:
                settings = self._here(settings)
                first = checked_settings(graph, self._here(basis.settings))
            settings = checked_settings(graph, settings)
        except GpuError as error:
            self._window.session.set_notice(Notice("error", str(error)))
            return
        if first is not None:
            made_here = self._existing(first, basis)
            if made_here is None:
                self.make_pair(first, settings)
                return
            self._window.session.set_current(made_here)
        self._waiting = settings
        self._pump()

    def make_pair(self, a: RunSettings, b: RunSettings) -> None:
        """Run A, then B."""
        controller = self._window.controller
        if not controller.running:
            controller.start_run(a, self._window.run_panel.choices().samples_per_second)
            self._after_a = b if controller.running else None

    def before_run(self) -> None:
        """Have B made again after A: here, as A is set, or because it was stopped."""
        a, b, self._after_a = self._window.run_panel.run_settings(), self.model.b, None
        shown = self.model.a
        if b is None or shown is None or b.algorithm.result != find(a.algorithm).result:
            return
        if b.recorded_on and shown.settings.algorithm != a.algorithm:
            return
        before = self._here(b.settings) if b.recorded_on else b.settings
        probe = a.probe if before.engine == a.engine else before.probe
        again = replace(before, source=a.source, numbers=a.numbers, probe=probe)
        if b.recorded_on or b.state == "stopped" or again != b.settings:
            self._after_a = again

    def _here(self, settings: RunSettings) -> RunSettings:
        """Return the settings of a recorded run for the machine of the Run panel."""
        chosen = self._window.run_panel.run_settings()
        return replace(settings, engine=chosen.engine, device=chosen.device)

    def _pump_soon(self, _news: object = None) -> None:
        if self._waiting is not None or self.model.missing_reruns():
            QTimer.singleShot(0, self._pump)

    def _pump(self) -> None:
        if self._window.controller.running:
            return
        settings, self._waiting = self._waiting, None
        if settings is not None:
            self._start_b(settings)
            return
        missing = [run for run in self.model.missing_reruns() if run not in self._tried]
        if missing:
            self._tried.append(missing[0])
            self._window.controller.start_run(missing[0], show=False)

    def _start_b(self, settings: RunSettings) -> None:
        basis = self._basis()
        if basis is None or basis.state not in ("finished", "stopped"):
            return
        existing = self._existing(settings, basis)
        if existing is not None:
            self.model.compare_or_say(existing)
            return
        pace = self._window.run_panel.choices().samples_per_second
        before = len(self._window.session.runs)
        self._window.playback.pause()
        self._window.controller.start_run(settings, pace, show=False)
        if len(self._window.session.runs) > before:
            self._follows, self._started_at = True, time.monotonic()
            self.model.compare_or_say(self._window.session.runs[-1])

    def _existing(self, settings: RunSettings, basis: RunRecord) -> RunRecord | None:
        graph = basis.graph_reference.hash
        for run in self._window.session.runs:
            alike = run.settings == settings and run.graph_reference.hash == graph
            if alike and run is not basis and run.state == "finished" and not run.recorded_on:
                return run
        return None

    # --- the models changed

    def _show_current(self, _record: RunRecord | None = None) -> None:
        record = self._window.session.current
        self._new_a = record if record is not None and record.running else None
        rival = rival_of(record, self.model.rival)
        action = self._window.actions_by_key["compare_rival"]
        row = self._window.actions_by_key.table["compare_rival"]
        keys = f" ({', '.join(keys_of(row))})"
        action.setText(f"&Compare with {rival.title}" if rival is not None else row.text)
        action.setIconText(row.label)  # as wide for any name: buttons beside it stay in place
        words = f"Run {rival.title} on" if rival is not None else "Run another algorithm on"
        action.setToolTip(f"{words} {COMPARED}{keys}")

    def _show_pair(self) -> None:
        self._show_length()
        self._window.playback.fit()
        self._window.status_bar.show_run(self._window.session.current)
        self._show_start()
        self._follows = self._follows and self.model.b is not None and self.model.b.running
        self._window.enable_actions()

    def _show_length(self) -> None:
        b = self.model.b
        end = 0.0
        if self.model.active and b is not None and len(b.samples):
            end = float(b.samples["t_ns"][-1])
        self._window.playback.set_least(end)

    def _show_start(self) -> None:
        """Show the time of the shorter run where the other is much longer."""
        playback, sides = self._window.playback, self.model.sides() or ()
        *short, long = sorted(side.time_ns for side in sides if side.finished) or [0.0]
        if short and playback.fitted and long > LONGER * short[0] > 0:
            playback.set_view(0.0, 2 * short[0])
            self._window.status_bar.showMessage(START.format(long / short[0]), STOPS[1])

    def _take_growth(self, record: RunRecord, _first: int, _last: int) -> None:
        if record is not self.model.b:
            return
        self._show_length()
        if self._follows:
            self._moves = True
            self._window.playback.set_cursor(float(record.samples["t_ns"][-1]))
            self._moves = False

    def _take_change(self, record: RunRecord) -> None:
        ended = not record.running
        if record is self.model.b and ended and self._follows:
            self._follows = False
            self._rest_where_they_differ(time.monotonic() - self._started_at < BLINK_S)
        if record is self._new_a and ended:
            self._new_a = None
            later(self, self._rest_after_a)  # the controller may replay it first
        if record is self._window.session.current:
            self._window.enable_actions()
            if ended and (record.state != "finished" or record.verification is not None):
                after, self._after_a = self._after_a, None
                self._waiting = (record.state == "finished" and after) or self._waiting
                self._pump_soon()

    def _rest_after_a(self) -> None:
        if self.model.active and self.model.b is not None and not self.model.b.running:
            self._rest_where_they_differ(self._window.playback.playing)

    def _rest_where_they_differ(self, blink: bool) -> None:
        """Leave the cursor where the two differ most; after a replay, if nobody saw them run."""
        telling = self.model.telling_ns
        if telling is None:
            return
        if blink and self._window.controller.replay_short:
            self._window.playback.replay(telling)
            self._window.status_bar.showMessage(*STOPS)
        else:
            self._window.playback.set_cursor(telling)
        self._show_start()

    def _let_go(self, _cursor_ns: float) -> None:
        if not self._moves:
            self._follows = False

    # --- the menu "Compare with"

    def _fill_others(self) -> None:
        menu, basis = self._window.actions_by_key.menu("compare_other"), self._basis()
        menu.clear()
        if basis is None:
            return
        for row in rivals_of(basis):
            self._add_row(row.title, row.summary, ("algorithm", row.key))
        title, parameters = basis.algorithm.title, basis.settings.parameters
        knobs = {knob.key: knob for knob in basis.algorithm.parameters}
        if PUBLISHED in knobs and not parameters.get(PUBLISHED, False):
            self._add_row(f"{title}, as published", knobs[PUBLISHED].help, (PUBLISHED, None))
        if not basis.algorithm.bucketed or not len(basis.samples):
            return
        menu.addSeparator()
        delta = basis.settings.delta or float(basis.samples["delta"][-1])
        for words, factor in FACTORS:
            tip = f"{title} again, with Δ held at {distance(delta * factor)}"
            self._add_row(f"{words}: {distance(delta * factor)}", tip, ("delta", delta * factor))
        if basis.settings.delta is not None:
            self._add_row("Automatic Δ", "The algorithm chooses Δ", ("delta", None))

    def _add_row(self, words: str, tip: str, data: tuple[str, object]) -> None:
        menu = self._window.actions_by_key.menu("compare_other")
        menu.setToolTipsVisible(True)
        action = QAction(words, menu)
        action.setToolTip(tip)
        action.setStatusTip(tip)
        action.setData(data)
        b = self.model.b
        now = (b.settings.algorithm, b.settings.delta) if b is not None else ()
        action.setCheckable(data[1] is not None and data[1] in now)
        action.setChecked(action.isCheckable())
        menu.addAction(action)

    def _compare_row(self, action: QAction) -> None:
        (kind, value), basis = action.data(), self._basis()
        if kind == "algorithm":
            self.compare_algorithm(value)
        elif kind == "delta":
            self.compare_delta(value)
        elif basis is not None:
            parameters = {**basis.settings.parameters, PUBLISHED: True}
            self.make_b(replace(basis.settings, parameters=parameters))


install = CompareFeature
