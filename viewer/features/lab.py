"""Results of `sssp-scope lab run`: figures 8, 9 and 10 of the paper, one point a graph.

A point is the speedup of code A over code B. A file that grows is read again in the background. A
click opens the graph and makes both runs here, on one clock; runs of a GPU are made on the model
where the Run panel chooses no GPU.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QSignalBlocker, QTimer, pyqtSignal
from PyQt6.QtWidgets import QComboBox, QFormLayout, QLineEdit, QWidget

from gpu.errors import GpuError
from gpu.lab.records import Results
from gpu.lab.report import BASE, OTHER, Report
from gpu.record.trace import RunSettings
from gpu.record.workspace import reader_options
from gpu.schema import checked
from gpu.words import ratio_words
from viewer.common.background import Task
from viewer.common.later import later
from viewer.common.small_widgets import choice, label
from viewer.common.theme import THEMES, Theme
from viewer.feature import FeaturePart, Pairs, Window
from viewer.models.session import Notice
from viewer.plots.axes import LogAxis, NumberAxis, dress_axis
from viewer.plots.plot_items import bare_plot

SUFFIXES = (".jsonl", ".jsonl.gz")
HINT = "Drop a file of `sssp-scope lab run SUITE -o RESULTS.jsonl` onto the window."
FIGURES = {"degree": "degree", "diameter": "diameter, edges", "work": "work of B / work of A"}
LOOK_MS = 2000  # between two looks at a file that may grow
BOUND = re.compile(r"(degree|diameter)([<>])(\d+\.?\d*)$")


class LabPanel(QWidget):
    """The choosers and the scatter of one Report."""

    pair_requested = pyqtSignal(str, str, str)  # graph, codes A and B

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.report: Report | None = None
        self.graphs: list[str] = []  # of the points
        self.setAccessibleName("Lab")
        self.words, self.a, self.b = label(HINT), QComboBox(), QComboBox()
        figures = {key: f"Figure {number}: {key}" for number, key in enumerate(FIGURES, 8)}
        self.figure = choice(figures, "", "Figure")
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("all graphs; or: road degree>8 diameter<100")
        self._build_plot()
        self._build_frame()
        for chooser in (self.figure, self.a, self.b):
            chooser.currentIndexChanged.connect(self._draw)
        self.filter.textChanged.connect(self._draw)
        self.points.sigClicked.connect(self._click)
        self.apply_theme(THEMES["light"])

    def _build_plot(self) -> None:
        self._axes: dict[str, pg.AxisItem] = {"bottom": LogAxis(), "left": NumberAxis(True)}
        self.view = pg.PlotWidget(axisItems=self._axes)
        self.plot = bare_plot(self.view, "Lab")
        self.points = pg.ScatterPlotItem(size=7, hoverable=True, tip=self._tip)
        self._even = pg.InfiniteLine(0.0, angle=0)
        self._saved = pg.InfiniteLine((0.0, 0.0), angle=45)  # speedup = work saved
        for item in (self._even, self._saved, self.points):
            self.plot.addItem(item, ignoreBounds=item is not self.points)

    def _build_frame(self) -> None:
        form = QFormLayout(self)
        parts = {"Figure": self.figure, "A": self.a, "over B": self.b, "Graphs": self.filter}
        for name, part in parts.items():
            part.setAccessibleName(name)
            form.addRow(name, part)
        form.addRow(self.view)
        form.addRow(self.words)
        self.setMinimumSize(240, 300)

    def apply_theme(self, theme: Theme) -> None:
        """Recolour everything."""
        self.view.setBackground(theme.plot)
        self.points.setBrush(pg.mkBrush(theme.data.a))
        self.points.setPen(pg.mkPen(None))
        for line in (self._even, self._saved):
            line.setPen(pg.mkPen(theme.border))
        for axis in self._axes.values():
            dress_axis(axis, theme, self.font())

    def show_report(self, report: Report) -> None:
        """Draw results; the choices stay where the codes are still there."""
        self.report = report
        for chooser, usual in ((self.a, BASE), (self.b, OTHER)):
            chosen = chooser.currentText() or usual
            with QSignalBlocker(chooser):
                chooser.clear()
                chooser.addItems(report.codes)
                chooser.setCurrentIndex(max(0, chooser.findText(chosen)))
        self._draw()

    def _draw(self) -> None:
        if self.report is None:
            return
        report, key = self.report, self.figure.currentData()
        a, b = self.a.currentText(), self.b.currentText()
        graphs, speedups = report.ratios(b, a)
        if key == "work":
            known = dict(zip(*report.ratios(b, a, work=True), strict=True))
            x = np.array([known.get(graph, 0.0) for graph in graphs])
        else:
            x = report.fact(graphs, key)
        kept = np.flatnonzero(self._kept(graphs) & (x > 0))
        self.graphs, values = [graphs[k] for k in kept], speedups[kept]
        y = np.log10(np.maximum(values, 1e-9))
        self.points.setData(np.log10(x[kept]), y, data=self.graphs)
        self._saved.setVisible(key == "work")
        self._axes["left"].setLabel("A is faster, times")
        self._axes["bottom"].setLabel(FIGURES[key])
        self._axes["bottom"].resizeEvent()  # puts the label into the middle
        self.plot.autoRange()
        words = f"{report.head.suite}: {len(kept):,} of {len(report.results.graphs):,} graphs"
        if len(kept):
            slower = f"{np.count_nonzero(values < 1):,}"
            words += f", mean speedup {ratio_words(values.mean())}, A slower on {slower}"
        self.words.setText(f"{words}; {len(report.results.failed):,} failed. Click a point.")

    def _kept(self, graphs: list[str]) -> np.ndarray:
        """Return which graphs the filter keeps: words of the name, and bounds."""
        assert self.report is not None
        kept = np.ones(len(graphs), bool)
        for word in self.filter.text().lower().split():
            bound = BOUND.match(word)
            if bound is None:
                kept &= np.array([word in graph.lower() for graph in graphs], bool)
            else:
                more = self.report.fact(graphs, bound[1]) - float(bound[3])
                kept &= more > 0 if bound[2] == ">" else more < 0
        return kept

    def _tip(self, x: float, y: float, data: str) -> str:
        return f"{data}: {ratio_words(10**y)}. Click to compare both runs."

    def _click(self, _item: object, points: Any, _event: object) -> None:
        self.pair_requested.emit(points[0].data(), self.a.currentText(), self.b.currentText())


class LabFeature(FeaturePart):
    """Reads RESULTS, and makes the runs behind a point again."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._path, self._size = Path(), 0
        self._task: Task | None = None
        self._pair: list[RunSettings] = []  # A and B, to be made once the graph is here
        self._graph = 0, 0  # n and m of the graph that they are for
        self._look = QTimer(self)
        self._look.setInterval(LOOK_MS)
        self._look.timeout.connect(self._read)
        for signal in (window.session.graph_changed, window.controller.running_changed):
            signal.connect(lambda *_: later(self, self._go_on))

    def make_panel(self, _dock: str) -> QWidget:
        """Return the panel."""
        panel = LabPanel()
        panel.pair_requested.connect(partial(self.compare, panel))
        return panel

    def open_file(self, path: str, _options: dict[str, Any] | None) -> bool:
        """Show RESULTS, by their suffix; return whether they are."""
        if not path.endswith(SUFFIXES):
            return False
        self._path, self._size = Path(path), -1
        self._read()
        self._look.start()
        return True

    def close(self) -> None:
        """Stop reading."""
        self._look.stop()
        if self._task is not None:
            self._task.give_up()

    def _read(self) -> None:
        """Read the file, again if it has grown."""
        size = self._path.stat().st_size if self._path.exists() else 0
        if self._task is None and size != self._size:
            self._size, found = size, list[Report]()
            self._task = Task(lambda: found.append(Report(Results(self._path))), self)
            self._task.ended.connect(partial(self._have_read, found))

    def _have_read(self, found: list[Report], problem: BaseException | None) -> None:
        self._task = None
        if isinstance(problem, GpuError | OSError):
            self._look.stop()
            self._window.session.set_notice(Notice("error", f"{problem}."))
        elif problem is not None:
            raise problem
        else:
            panel = self._window.show_dock("lab")
            assert isinstance(panel, LabPanel)
            later(self, partial(panel.show_report, found[0]))

    def compare(self, panel: LabPanel, graph: str, a: str, b: str) -> None:
        """Open a graph and make both runs on it."""
        assert panel.report is not None
        results, chosen = panel.report.results, self._window.run_panel.run_settings()
        facts = results.graphs[graph]
        first = {x.code: x.settings for x in results.runs if x.graph == graph and x.settings}
        if not {a, b} <= first.keys():
            words = f"{a} or {b} is no code of this program: it cannot be run here."
            self._window.session.set_notice(Notice("info", words))
            return
        both = [first[c] | {"source": facts.source, "probe": chosen.probe} for c in (a, b)]
        for settings in both:
            if settings.get("engine") == "cuda" != chosen.engine:
                settings.update(engine="model", device="")
        try:
            self._pair = [checked(RunSettings, settings) for settings in both]
        except GpuError as error:
            self._window.session.set_notice(Notice("error", f"{self._path}: {error}."))
            return
        self._graph, here = (facts.n, facts.m), self._window.session.graph
        if here is not None and (here.n, here.m) == self._graph:
            self._go_on()
        else:
            options = reader_options(facts.options)
            self._window.controller.open_named(facts.place, self._path.parent, options)

    def _go_on(self) -> None:
        """Make the runs once their graph is here and no run goes on."""
        window, graph, pairs = self._window, self._window.session.graph, self._window.part(Pairs)
        if not self._pair or window.controller.running or window.controller.opening:
            return
        (a, b), self._pair = self._pair, []
        if pairs is not None and graph is not None and (graph.n, graph.m) == self._graph:
            window.controller.set_source(a.source)
            pairs.make_pair(a, b)  # else a person has opened another one


install = LabFeature
