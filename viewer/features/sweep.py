"""Time and work against Δ: figures 4 and 7 of the paper, for this graph.

Both curves are shares of their own least value, on logarithmic axes: 1 is the best of each, and the
distance between the two lowest points is the point of the paper: the least work is not the least
time. ● marks the best time, ■ the least work; left of the shaded edge pushes go beyond the ring
(clipping). The controller's own run is a line at its time, over every Δ that it used. A click on a
point makes that run in the window.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QCursor
from PyQt6.QtWidgets import QHBoxLayout, QLineEdit, QProgressBar, QToolTip, QVBoxLayout, QWidget

from gpu.algorithms import find
from gpu.cli.command_line import sweep_words
from gpu.errors import GpuError, ParameterError
from gpu.graph import CSRGraph
from gpu.study import sweep
from gpu.study.sweep import DELTA, SweepPlan, SweepPoint
from gpu.words import percent, short, time_words
from viewer.common.background import run_command
from viewer.common.glossary import explain
from viewer.common.small_widgets import centred_hint, hint_or_page, label, panel_column, run_button
from viewer.common.theme import SPACING, THEMES, Theme
from viewer.feature import FeaturePart, Window
from viewer.models.session import Notice
from viewer.models.sweep import SweepModel
from viewer.plots.axes import LogAxis, NumberAxis, dress_axis
from viewer.plots.plot_items import bare_plot

HINT = (
    "Sweep Δ: run the chosen algorithm with many bucket widths, and see that the least work and "
    "the least time are at different ones."
)
NEAR_PIXELS = 16  # of the pointer, to be on a point
POINT_PIXELS, MARK_PIXELS = 6, 13
CLIPPED_INK = 34  # opacity of the clipped part, of 255
ROOM = 0.06  # of an axis, beyond its data
PAGES = "Web pages (*.html)"


def write_page(graph: CSRGraph, plan: SweepPlan, path: str) -> None:
    """Write the page; any thread, which may be given up. Raises GpuError."""
    from gpu.formats import save_graph

    with TemporaryDirectory(prefix="sssp-scope-") as folder:
        file = Path(folder, "graph.npz")
        save_graph(graph, file)
        words = sweep_words(plan.settings, plan.knob, plan.values)
        run_command("sweep", str(file), *words, "--page", path, "--quiet")


class SweepPanel(QWidget):
    """The chooser, the two curves and what they say."""

    sweep_requested = pyqtSignal(str)  # values as typed, "" for the usual ones
    cancel_requested = pyqtSignal()
    run_requested = pyqtSignal(object)  # SweepPoint

    def __init__(self, model: SweepModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._theme = THEMES["light"]
        self._shown: list[SweepPoint] = []
        self.setAccessibleName("Sweep")
        self._build_controls()
        self._build_plot()
        self._build_frame()
        self._connect()
        self.apply_theme(self._theme)
        self.show_sweep()

    # --- build

    def _build_controls(self) -> None:
        self.values = QLineEdit()
        self.values.setPlaceholderText("auto")
        self.values.setAccessibleName("Values of the sweep, with commas between")
        self.values.setToolTip("Values with commas between; empty: doublings around the usual one")
        self.values.setMinimumWidth(60)
        self.button = run_button("Sweep")
        self.button.setAccessibleDescription("Run the chosen algorithm once for each value")
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(4)
        self.words = label()
        self.words.setToolTip(
            "Work: vertices processed for each one settled; 1 is perfect\n\n"
            + explain("clipped", "controller")
        )

    def _build_plot(self) -> None:
        self._axes: dict[str, pg.AxisItem] = {"bottom": LogAxis(), "left": NumberAxis(True)}
        self.view = pg.PlotWidget(axisItems=self._axes)
        self.plot = bare_plot(self.view, "Sweep")
        self.plot.setMouseEnabled(x=False, y=False)
        self.plot.layout.setContentsMargins(0, 8, 12, 0)
        self._clipped = pg.LinearRegionItem(movable=False)
        self._clipped.hide()
        self._path = pg.PlotDataItem()
        self._curves = {key: pg.PlotDataItem() for key in ("time", "work", "disorder")}
        self._marks = {key: pg.ScatterPlotItem() for key in self._curves}
        self._here = pg.ScatterPlotItem()
        for item in (self._clipped, self._path, *self._curves.values(), *self._marks.values()):
            self.plot.addItem(item, ignoreBounds=True)
        self.plot.addItem(self._here, ignoreBounds=True)
        self._legend = label()
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        self._legend.setToolTip(explain("processed", "wasted", "controller", "clipped"))

    def _build_frame(self) -> None:
        controls = QHBoxLayout()
        controls.addWidget(self.values, 1)
        controls.addWidget(self.button)
        self.hint = centred_hint(HINT)
        page = QWidget()
        inside = QVBoxLayout(page)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(SPACING // 2)
        for part in (self._legend, self.view, self.words):
            inside.addWidget(part, 1 if part is self.view else 0)
        pages = QWidget()
        self._pages = hint_or_page(pages, self.hint, page)
        column = panel_column(self)
        column.addLayout(controls)
        column.addWidget(self.bar)
        column.addWidget(pages, 1)
        self.setMinimumSize(240, 300)

    def _connect(self) -> None:
        self.button.clicked.connect(self._press)
        self.values.returnPressed.connect(self._press)
        self._model.changed.connect(self.show_sweep)
        self.view.scene().sigMouseMoved.connect(self._hover)
        self.view.scene().sigMouseClicked.connect(self._click)

    def apply_theme(self, theme: Theme) -> None:
        """Recolour everything."""
        self._theme = theme
        self.view.setBackground(theme.plot)
        for axis in self._axes.values():
            dress_axis(axis, theme, self.font())
        self.show_sweep()

    def show_sweep(self) -> None:
        """Draw what the model has."""
        model = self._model
        self.button.setText("Cancel" if model.running else "Sweep")
        self.button.setEnabled(not model.cancelling)
        self.values.setEnabled(not model.running)
        self.bar.setVisible(model.running)
        self.bar.setValue(round(1000 * model.fraction))
        self._shown = [p for p in model.points if p.value is not None and not p.failure]
        self.hint.setText(f"Sweeping {model.graph_name}…" if model.running else HINT)
        self._pages.setCurrentIndex(1 if self._shown else 0)
        if self._shown:
            self._draw()
        self.words.setText(self.summary_text())
        self.setAccessibleDescription(self.words.text())

    def summary_text(self) -> str:
        """Return what the curves say, in words, for people and for screen readers."""
        model = self._model
        marks, plan = model.findings, model.plan
        failed = [point for point in model.points if point.failure or point.certificate]
        if plan is None or marks.best_time is None or marks.best_work is None:
            return failed[0].failure or "wrong distances" if failed else ""
        name, best, least = self._knob_word(), marks.best_time, marks.best_work
        words = (
            f"{find(plan.settings.algorithm).title} on {model.graph_name}: "
            f"best time {time_words(best.time_ns)} "
            f"({model.clock_words(best.clock)}) at {name} = "
            f"{short(best.value or 0)}, with {_ratio(best.work, least.work)} the least work. Least "
            f"work at {short(least.value or 0)}, in {_ratio(least.time_ns, best.time_ns)} the best "
            "time."
        )
        if marks.clip is not None:
            edge = short(marks.clip.value or 0)
            words += f" Up to {name} = {edge} the buckets do not reach far enough."
        if marks.controller is not None:
            own, policy = marks.controller, plan.settings.policy
            whose = policy.name if policy is not None else "Automatic Δ"
            words += (
                f" {whose}: {_ratio(own.time_ns, best.time_ns)} the best time, "
                f"{_ratio(own.work, least.work)} the least work."
            )
        if failed:
            words += f" {len(failed)} failed: {failed[0].failure or failed[0].certificate}."
        return words

    # --- drawing

    def _draw(self) -> None:
        theme, plan = self._theme, self._model.plan
        assert plan is not None
        x = np.log10([point.value or 1.0 for point in self._shown])
        errors = [point.distance_error or 0.0 for point in self._shown]
        least = min(filter(None, errors), default=0.0)  # 0 has no logarithm
        ys = {
            "time": _shares([point.time_ns for point in self._shown]),
            "work": _shares([point.processed_vertices for point in self._shown]),
            "disorder": _shares(errors, least or 1.0),
        }
        self._curves["disorder"].setVisible(least > 0.0)
        data = theme.data
        colours = {"time": data.time, "work": data.work, "disorder": data.relaxed}
        marked = {"time": ("o", self._model.findings.best_time), "disorder": ("t", None)}
        marked["work"] = ("s", self._model.findings.best_work)
        for key, curve in self._curves.items():
            pen = pg.mkPen(colours[key], width=theme.line_width)
            symbol, point = marked[key]
            curve.setData(x, ys[key], pen=pen, symbol=symbol, symbolSize=POINT_PIXELS)
            curve.setSymbolBrush(pg.mkBrush(colours[key]))
            curve.setSymbolPen(pg.mkPen(None))
            place = [k for k, shown in enumerate(self._shown) if shown is point]
            self._marks[key].setData(
                x[place],
                ys[key][place],
                symbol=symbol,
                size=MARK_PIXELS,
                brush=pg.mkBrush(None),
                pen=pg.mkPen(colours[key], width=2),
            )
        self._draw_clip(x)
        self._draw_controller()
        self._here.setData([], [])
        top = max(float(y.max()) for y in ys.values())
        span = max(float(x[-1] - x[0]), 0.3)
        self.plot.setXRange(x[0] - ROOM * span, x[-1] + ROOM * span, padding=0)
        self.plot.setYRange(-ROOM * max(top, 0.3), max(top, 0.3) * (1 + ROOM), padding=0)
        self._axes["bottom"].setLabel(f"{self._knob_word()}, logarithmic")
        self._axes["left"].setLabel("× the smallest")
        self._show_legend(colours)

    def _draw_clip(self, x: np.ndarray) -> None:
        clip, theme = self._model.findings.clip, self._theme
        self._clipped.setVisible(clip is not None)
        if clip is not None:
            edge = math.log10(clip.value or 1.0)
            self._clipped.setRegion((float(x[0]) - 9.0, edge))
            tint = pg.mkColor(theme.data.clipped)
            tint.setAlpha(CLIPPED_INK)
            self._clipped.setBrush(tint)
            for line in self._clipped.lines:
                line.setPen(pg.mkPen(theme.data.clipped))

    def _draw_controller(self) -> None:
        marks, best = self._model.findings, self._model.findings.best_time
        own = marks.controller
        visible = own is not None and best is not None and bool(own.path_delta)
        self._path.setVisible(visible)
        if not visible:
            return
        assert own is not None
        assert best is not None
        unit = (best.value or 1.0) / (best.delta or 1.0)  # from Δ to the knob
        x = np.log10(np.array(own.path_delta) * unit)
        y = np.full(len(x), math.log10(own.time_ns / best.time_ns))
        colour = self._theme.data.controller
        self._path.setData(x, y, pen=pg.mkPen(colour, width=2), symbol="d", symbolSize=7)
        self._path.setSymbolBrush(pg.mkBrush(colour))
        self._path.setSymbolPen(pg.mkPen(None))

    def _show_legend(self, colours: dict[str, str]) -> None:
        data, found = self._theme.data, self._model.findings
        entries = [(colours["time"], "● time"), (colours["work"], "■ work")]
        if self._curves["disorder"].isVisible():
            entries.append((colours["disorder"], "▼ disorder"))
        if found.controller is not None:
            entries.append((data.controller, "◆ automatic Δ"))
        if found.clip is not None:
            entries.append((data.clipped, "▒ clipped"))
        words = (
            f'<span style="color:{ink}">{name[0]}</span>{name[1:].replace(" ", "&nbsp;")}'
            for ink, name in entries
        )
        self._legend.setText(" &nbsp; ".join(words))

    # --- the pointer

    def _hover(self, scene_pos: Any) -> None:
        point = self._point_at(scene_pos)
        self.view.setCursor(
            Qt.CursorShape.PointingHandCursor if point else Qt.CursorShape.ArrowCursor
        )
        words = f"{self._words_of(point)}. Click to run it." if point is not None else ""
        QToolTip.showText(QCursor.pos(), words, self.view)

    def _click(self, event: Any) -> None:
        point = self._point_at(event.scenePos())
        if point is not None and event.button() == Qt.MouseButton.LeftButton:
            event.accept()
            self.run_requested.emit(point)

    def _press(self) -> None:
        if self._model.running:
            self.cancel_requested.emit()
        else:
            self.sweep_requested.emit(self.values.text().strip())

    def _point_at(self, scene_pos: Any) -> SweepPoint | None:
        box, best, nearest = self.plot.getViewBox(), None, float(NEAR_PIXELS)
        for curve in self._curves.values():
            xs, ys = curve.getData()
            for k, (x, y) in enumerate(zip(xs, ys, strict=True) if xs is not None else ()):
                place = box.mapViewToScene(pg.Point(x, y))
                away = math.hypot(place.x() - scene_pos.x(), place.y() - scene_pos.y())
                if away < nearest and k < len(self._shown):
                    best, nearest = self._shown[k], away
        return best

    def _words_of(self, point: SweepPoint) -> str:
        clipped = f", {percent(point.clip_share)} clipped" if point.clip_share else ""
        return (
            f"{self._knob_word()} = {short(point.value or 0)}: {time_words(point.time_ns)} "
            f"({self._model.clock_words(point.clock)}), work {point.work:.2f}{clipped}"
        )

    def _knob_word(self) -> str:
        """Return what was swept: Δ, or a knob of a sweep from a lesson or a file."""
        plan = self._model.plan
        return "Δ" if plan is None or plan.knob == DELTA else plan.knob.replace("_", " ")


def _shares(values: Sequence[float], least: float = 1.0) -> np.ndarray:
    """Return logarithms of values by the smallest; those below `least` count as that."""
    numbers = np.maximum(np.asarray(values, float), least)
    return np.log10(numbers / numbers.min())


def _ratio(value: float, least: float) -> str:
    return f"{value / max(least, 1):.2f} ×"


class SweepFeature(FeaturePart):
    """Makes the panel; plans what is to be swept."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.model = window.sweep
        self.model.failed.connect(self._report)
        self.model.changed.connect(window.enable_actions)

    def make_panel(self, _dock: str) -> QWidget:
        """Return the panel."""
        panel = SweepPanel(self.model)
        panel.sweep_requested.connect(self.start)
        panel.cancel_requested.connect(self.model.cancel)
        panel.run_requested.connect(self.open_run)
        return panel

    def show(self) -> None:
        """Show the panel and sweep Δ at once, unless a sweep runs."""
        panel = self._window.show_dock("sweep")
        assert isinstance(panel, SweepPanel)
        if not self.model.running:
            panel.button.click()

    def needs(self) -> dict[str, bool]:
        """Whether there is a sweep to export."""
        return {"swept": self.model.plan is not None and bool(self.model.points)}

    def export_page(self) -> None:
        """Ask where to write the sweep as a page."""
        self._window.files.ask_save("Export sweep as web page", PAGES, ".html", self.save_page)

    def save_page(self, path: str) -> None:
        """Have a process of its own make every run again and write the page."""
        graph, plan = self._swept_graph(), self.model.plan
        if graph is None or plan is None:
            return
        here = graph.with_positions(self._window.session.positions)
        self._window.files.save_in_background(path, lambda to: write_page(here, plan, to))

    def start(self, values: str) -> None:
        """Sweep Δ with the Run panel's settings; values as typed, "" for the usual."""
        graph = self._window.session.graph
        if graph is None or self._window.session.arcs_missing:
            self._report("the graph is not here yet; wait for it")
            return
        try:
            settings = replace(self._window.run_panel.run_settings(), delta=None)
            plan = sweep.make_plan(graph, settings, DELTA, _numbers(values))
        except GpuError as error:
            self._report(str(error))
            return
        self.model.start(graph, plan)

    def open_run(self, point: SweepPoint) -> None:
        """Make the run of a point again, in the window, with the Run panel's probe level."""
        if self._swept_graph() is None:
            return
        chosen = self._window.run_panel.run_settings()
        settings = replace(point.settings, probe=chosen.probe)
        if self.model.recorded_on:  # on a machine that is not here
            settings = replace(settings, engine=chosen.engine, device=chosen.device)
        self._window.controller.start_run(settings, None)

    def _swept_graph(self) -> CSRGraph | None:
        """Return the graph shown; say so where the sweep was made on another one."""
        graph = self._window.session.graph
        if graph is not None and graph.hash == self.model.graph_hash:
            return graph
        words = f"This sweep was made on {self.model.graph_name}."
        self._window.session.set_notice(Notice("info", words, "Open that graph again first."))
        return None

    def _report(self, words: str) -> None:
        self._window.session.set_notice(Notice("error", f"No sweep: {words}"))


def _numbers(text: str) -> tuple[float, ...] | None:
    """Read "1, 2.5 40"; None where nothing is typed. Raises ParameterError."""
    if not text:
        return None
    try:
        return tuple(map(float, text.replace(";", " ").replace(",", " ").split()))
    except ValueError:
        raise ParameterError(f"{text!r}; allowed: numbers with commas or blanks between") from None


install = SweepFeature
