"""What to run: graph, source, algorithm with its knobs and Δ, machine, how closely to record.

The panel owns the choices that have no other home (`RunChoices`). Graph and source are the
session's. Algorithms, devices and samples come from their tables: no line here names one.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from PyQt6.QtCore import QSignalBlocker, QSize, pyqtSignal
from PyQt6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gpu.algorithms import ALGORITHMS, Algorithm
from gpu.algorithms.all_pairs import ROWS
from gpu.errors import GpuError
from gpu.numbers import type_for
from gpu.record.trace import RunSettings
from gpu.words import in_sight, thousands
from sample_graphs import CATALOGUE, FIRST_SAMPLE, LARGEST, SMALLEST
from viewer.common.glossary import explain
from viewer.common.small_widgets import chip, packed, run_button, scroller, wrapped_label
from viewer.common.text_size import scaled
from viewer.common.theme import SPACING
from viewer.frame.run_fields import (
    Choice,
    DeltaSpin,
    GraphChoice,
    beside,
    graph_words,
    heading,
    knob_field,
    knob_value,
    number_field,
    sample_key,
    say,
    sentence,
)
from viewer.models.machines import Machine, machines, problem_of
from viewer.models.run_choices import (
    NUMBERS,
    PACES,
    PROBES,
    RunChoices,
    probe_problem,
    room_words,
    sources_of,
)
from viewer.models.session import SessionModel

NARROW, WIDEST = 160, 340  # pixels that the panel takes at least, and at most unless asked
SMALL_WINDOW = 760  # pixels, at the reference text size
PROBE_ROWS = [(str(int(probe)), title, tip) for probe, title, tip in PROBES]


class RunPanel(QWidget):
    """The form; its Run button is also its Stop button."""

    run_requested = pyqtSignal()
    stop_requested = pyqtSignal()
    open_requested = pyqtSignal(str, object)  # a path or "sample:...", options of its reader
    browse_requested = pyqtSignal()
    source_requested = pyqtSignal(int)  # 0-based index
    choices_changed = pyqtSignal()

    def __init__(self, session: SessionModel) -> None:
        super().__init__()
        self._session = session
        self._parameters: dict[str, dict[str, Any]] = {}
        self._row: Algorithm | None = None  # whose knobs are shown
        self.knobs: dict[str, QCheckBox | QSpinBox] = {}
        self._rare: list[QWidget] = []  # of the knobs, those under Advanced
        self._running, self._has_room, self._drawn = False, True, False
        self._build_fields()
        self._lay_out()
        self._connect()
        self.set_choices(RunChoices())
        self.show_graph()

    def _build_fields(self) -> None:
        self._graph = GraphChoice(self._session)
        self._browse = QPushButton("File…")
        self._browse.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._browse.setToolTip("Open a graph file")
        self._size = number_field(SMALLEST, LARGEST, "Vertices")
        self._size.setValue(CATALOGUE[self._graph.sample or FIRST_SAMPLE].default_n)
        self._seed = number_field(0, 2**31 - 1, "Seed")
        self._seed.setValue(1)
        self._source = QLineEdit()
        self._source.setAccessibleName("Source")
        rows = [(row.key, row.title, row.summary) for row in ALGORITHMS.values()]
        self._algorithm = Choice(rows, "Algorithm")
        self._automatic, self._delta = QCheckBox("Automatic"), DeltaSpin()
        self._automatic.setToolTip("On: the algorithm chooses the first Δ. Off: you do")
        self._machines = machines()
        rows = [(one.device, one.title, one.sentence) for one in self._machines.values()]
        self._device = Choice(rows, "Device")
        self._pace = Choice([(key, title, "") for key, title, _ in PACES], "Pace")
        self._probe = Choice(PROBE_ROWS, "Record")
        self._numbers = Choice(list(NUMBERS), "Numbers")
        self._about, self._counts, self._algorithm_about = (wrapped_label() for _ in range(3))
        self._room, self._problem, self._closest = (wrapped_label() for _ in range(3))
        self._problem.setProperty("role", "error")
        self._advanced = chip("Advanced", "Show what is rarely changed", checkable=True)
        self._run = run_button("Run")

    def _lay_out(self) -> None:
        inside = QWidget()
        self._form = QFormLayout(inside)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        self._form.setSpacing(SPACING - 3)
        self._delta_row = beside(self._automatic, self._delta)
        rows: tuple[QWidget | tuple[str, str, QWidget], ...] = (
            heading("Graph", self._graph),
            beside(self._graph, self._browse),
            self._about,
            ("Vertices", "How large to make the sample", self._size),
            self._counts,
            ("Source", "The vertex to start from, by its own name; or click one", self._source),
            self._problem,
            heading("Algorithm", self._algorithm),
            self._algorithm,
            self._algorithm_about,
            ("Δ", explain("delta"), self._delta_row),
            self._room,
            self._closest,
            heading("Machine", self._device),
            self._device,
            ("Pace", "How fast the model may go while you watch", self._pace),
            self._advanced,
            ("Seed", "Another seed, another graph of the same kind", self._seed),
            ("Record", "How much to record; adds no modelled time", self._probe),
            ("Numbers", "What distances are computed in", self._numbers),
        )
        for row in rows:
            self._add(self._form.rowCount(), *(row if isinstance(row, tuple) else ("", "", row)))
        self._scroll = scroller(inside, across=True)
        self._foot = QVBoxLayout()
        self._foot.setContentsMargins(SPACING, 0, SPACING, SPACING)
        self._foot.addWidget(self._run)
        whole = packed(QVBoxLayout(self))
        whole.addWidget(self._scroll, 1)
        whole.addLayout(self._foot)

    def _add(self, place: int, words: str, tip: str, field: QWidget) -> None:
        """Insert a row: a label with its field, or the field alone."""
        if not words or isinstance(field, QCheckBox):
            self._form.insertRow(place, field)
            return
        label = QLabel(words)
        label.setToolTip(tip)
        self._form.insertRow(place, label, field)
        label.setBuddy(field)

    def _connect(self) -> None:
        # the user asks
        self._run.clicked.connect(self._press_run)
        self._browse.clicked.connect(self.browse_requested)
        self._graph.wanted.connect(self.open_requested)
        self._size.valueChanged.connect(self._resize_sample)
        self._seed.valueChanged.connect(self._resize_sample)
        self._source.editingFinished.connect(self._read_source)
        self._source.textEdited.connect(lambda: say(self._problem, ""))
        # the choices change
        self._algorithm.currentIndexChanged.connect(self._change_row)
        self._device.currentIndexChanged.connect(self._change_row)
        self._automatic.toggled.connect(self._change)
        self._delta.valueChanged.connect(self._change)
        self._probe.currentIndexChanged.connect(self._take_wish)
        for field in (self._probe, self._pace, self._numbers):
            field.currentIndexChanged.connect(self._change)
        self._advanced.toggled.connect(self._show_advanced)
        # the session changes
        self._session.graph_changed.connect(self.show_graph)
        self._session.source_changed.connect(self._show_source)

    def minimumSizeHint(self) -> QSize:
        """Return a width that cuts nothing; beyond WIDEST the form scrolls aside."""
        inside, bar = self._scroll.widget(), self._scroll.verticalScrollBar()
        assert inside is not None
        assert bar is not None
        width = inside.minimumSizeHint().width() + bar.sizeHint().width()
        around = self.window()
        small = around is not None and around is not self and around.width() < scaled(SMALL_WINDOW)
        return QSize(NARROW if small else min(width, WIDEST), super().minimumSizeHint().height())

    # --- what the panel says

    def choices(self) -> RunChoices:
        """Return what is chosen now."""
        return RunChoices(
            self._algorithm.currentData(),
            self._device.currentData(),
            None if self._automatic.isChecked() else self._delta.value(),
            int(self._probe.currentData()),
            self._pace.currentData(),
            {**self._parameters, **self._shown_parameters()},
            self._numbers.currentData(),
        )

    def set_choices(self, choices: RunChoices) -> None:
        """Show other choices."""
        self._parameters = dict(choices.parameters)
        self._row = None
        with QSignalBlocker(self._automatic), QSignalBlocker(self._delta):
            self._automatic.setChecked(choices.delta is None)
            if choices.delta is not None:
                self._delta.setValue(choices.delta)
        self._algorithm.choose(choices.algorithm)
        self._device.choose(choices.device)
        self._wish = str(choices.probe)  # how closely to record, where that is possible
        self._probe.choose(self._wish)
        self._pace.choose(choices.pace)
        self._numbers.choose(choices.numbers)
        self._change_row()

    def run_settings(self) -> RunSettings:
        """Return the settings of the run that is asked for, on the session's source."""
        return self.choices().settings(self._session.source)

    def set_running(self, running: bool) -> None:
        """Turn the Run button into a Stop button, and back."""
        self._running = running
        self._run.setText("Stop" if running else "Run")
        self._run.setToolTip("End the run now (Esc)" if running else "Run it (Ctrl+R, F9)")
        self._enable_run()

    def show_drawing(self, on: bool) -> None:
        """Say nothing of the session's graph while one draws: Run takes the drawing."""
        self._drawn = on
        self._graph.show_drawing(on)
        for words in (self._about, self._counts):
            words.setHidden(on)
        self._form.setRowVisible(self._size, self._is_sized())
        self._change_row()

    # --- slots

    def _press_run(self) -> None:
        if self._running:
            self.stop_requested.emit()
        elif self._source.isHidden() or self._read_source():
            self.run_requested.emit()

    def _resize_sample(self) -> None:
        if self._graph.sample:
            size, seed = self._size.value(), self._seed.value()
            self.open_requested.emit(f"sample:{self._graph.sample}?n={size}&seed={seed}", None)

    def _read_source(self) -> bool:
        """Ask for the source that is typed; return whether there is such a vertex."""
        graph = self._session.graph
        if graph is None:
            return False
        try:
            vertex = graph.vertex_of(self._source.text().strip())
        except GpuError as error:
            say(self._problem, str(error))
            return False
        say(self._problem, "")
        self.source_requested.emit(vertex)
        return True

    def _shown_parameters(self) -> dict[str, dict[str, Any]]:
        """Return what the knobs say; those that do nothing on this machine keep their values."""
        row = self._row
        if row is None:
            return {}
        kept = self._parameters.get(row.key, {})
        shown = {
            knob.key: knob_value(knob, self.knobs[knob.key])
            if knob.key in self.knobs
            else kept.get(knob.key, knob.default)
            for knob in row.parameters
        }
        return {row.key: shown}

    def _machine(self) -> Machine:
        return self._machines[self._device.currentData()]

    def _change_row(self) -> None:
        """Another algorithm or machine: show what goes with it."""
        self._parameters |= self._shown_parameters()
        rows = ALGORITHMS.values()
        self._algorithm.allow(
            {row.key: problem_of(row, self._machine()) for row in rows},
            {row.key: row.summary for row in rows},
        )
        row = self._row = ALGORITHMS[self._algorithm.currentData()]
        say(self._algorithm_about, sentence(row.summary))
        self._show_knobs(row)
        self._show_advanced()
        self._form.setRowVisible(self._delta_row, row.bucketed)
        one = row.result == "row"  # else the knobs choose them
        self._form.setRowVisible(self._source, one and not self._drawn)
        self._change()
        self.updateGeometry()

    def _show_knobs(self, row: Algorithm) -> None:
        for field in self.knobs.values():
            self._form.removeRow(field)
        self.knobs, self._rare = {}, []
        values = self._parameters.get(row.key, {})
        for knob in row.parameters:
            if not knob.concerns(self._machine().engine):
                continue
            field = knob_field(knob, values.get(knob.key, knob.default))
            below = self._seed if knob.rare else self._room
            place = self._form.getWidgetPosition(below)[0] or 0
            self._add(place, knob.title, field.toolTip(), field)
            changed = field.toggled if isinstance(field, QCheckBox) else field.valueChanged
            changed.connect(self._change)
            self.knobs[knob.key] = field
            if knob.rare:
                self._rare.append(field)
        usual = [field for field in self.knobs.values() if field not in self._rare]
        order: list[QWidget] = [self._automatic, self._delta, *usual, self._device, self._pace]
        order += [self._advanced, *self._rare, self._seed, self._probe, self._numbers, self._run]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)

    def _show_advanced(self) -> None:
        opened = self._advanced.isChecked()
        for field in (*self._rare, self._probe, self._numbers):
            self._form.setRowVisible(field, opened)
        self._form.setRowVisible(self._seed, opened and self._is_sized())
        self._advanced.setText("Advanced ▾" if opened else "Advanced ▸")

    def _is_sized(self) -> bool:
        """Whether the graph is a sample with a size and a seed."""
        graph = self._session.graph
        key = sample_key(graph.provenance.origin) if graph is not None else self._graph.sample
        return bool(key) and not CATALOGUE[key].fixed and not self._drawn

    def _change(self) -> None:
        self._delta.setVisible(not self._automatic.isChecked())
        row = self._row
        for key in row.still if row is not None else ():  # nothing moves a Δ that is given
            if key in self.knobs:
                self.knobs[key].setEnabled(self._automatic.isChecked())
        self._show_room()
        self.choices_changed.emit()

    def _take_wish(self) -> None:
        self._wish = self._probe.currentData()

    def _show_room(self) -> None:
        """Say what the result takes before it is taken; where it does not fit, do not run."""
        graph, choices = self._session.graph, self.choices()
        n, m = (graph.n, graph.m) if graph is not None else (0, 0)
        words, had_room, self._has_room = "", self._has_room, True
        if graph is not None and n:
            self._name_first()
            each = type_for(graph, choices.numbers).itemsize
            words, self._has_room = room_words(choices, n, each)
        say(self._room, words if self._has_room else "")
        if not (self._has_room and had_room):
            say(self._problem, "" if self._has_room else words)
        sources = sources_of(choices, n) or 1
        engine = self._machine().engine
        problems = {key: probe_problem(int(key), engine, m, sources) for key, _, _ in PROBE_ROWS}
        tips = {key: tip for key, _, tip in PROBE_ROWS}
        self._probe.allow(dict(reversed(problems.items())), tips)
        if problems[self._wish] is None:
            self._probe.choose(self._wish)
        say(self._closest, problems[self._wish] or "")
        self._enable_run()

    def _name_first(self) -> None:
        """Say beside the first source what the graph calls it, where that is not its index."""
        graph, field = self._session.graph, self.knobs.get(ROWS[0])
        if graph is not None and isinstance(field, QSpinBox) and field.value() < graph.n:
            name = graph.id_of(field.value())
            field.setSuffix(f" = vertex {in_sight(str(name))}" if name != field.value() else "")

    def show_graph(self) -> None:
        """Show what the graph is, also after another one was called off."""
        graph = self._session.graph
        if graph is None:
            self._enable_run()
            self._counts.setText("No graph yet")
            return
        self._show_room()
        self._graph.show_graph()
        with QSignalBlocker(self._size), QSignalBlocker(self._seed):
            if sample_key(graph.provenance.origin):
                self._size.setValue(int(graph.provenance.options.get("n") or graph.n))
                self._seed.setValue(int(graph.provenance.options.get("seed", 1)))
        self._form.setRowVisible(self._size, self._is_sized())
        self._show_advanced()
        self._about.setText(graph_words(graph))
        kind = "whole" if graph.integer else "decimal"
        counts = f"{thousands(graph.n)} vertices, {thousands(graph.m)} edges"
        self._counts.setText(f"{counts}, {kind} weights")
        self._show_source(self._session.source)

    def _show_source(self, vertex: int) -> None:
        graph = self._session.graph
        if graph is None or not graph.n:
            return
        with QSignalBlocker(self._source):
            self._source.setText(str(graph.id_of(vertex)))
        if self._has_room:
            say(self._problem, "")

    def _enable_run(self) -> None:
        able = self._has_room and bool(self._session.graph and self._session.graph.n)
        self._run.setEnabled(self._running or able)
