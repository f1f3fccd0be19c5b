"""What to run: graph, device, algorithm and its knobs, source, Δ, how closely to record.

Everything about algorithms comes from `gpu.algorithms.ALGORITHMS`, about devices from
`viewer.models.machines`, about samples from the catalogue: no line here names one of them.
The panel owns the wishes (`RunChoices`) that have no other home; graph and source live
in the session, and a change of either by anybody shows here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PyQt6.QtCore import QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gpu.algorithms import ALGORITHMS
from gpu.errors import GpuError
from gpu.numbers import type_for
from gpu.record.trace import RunSettings
from gpu.words import thousands
from sample_graphs import CATALOGUE, FIRST_SAMPLE, LARGEST, SMALLEST
from viewer.common.elided import ElidedLabel
from viewer.common.glossary import explain
from viewer.common.text_size import scaled
from viewer.common.theme import SPACING, Theme
from viewer.frame.run_fields import (
    DeltaSpin,
    GraphChoice,
    ParameterForm,
    WideEnough,
    add_field,
    allow,
    allow_probes,
    choice_field,
    choose,
    field_grid,
    field_label,
    field_row,
    file_words,
    hint_label,
    number_field,
    order_tabs,
    sample_key,
    say,
    sentence,
    show_all,
)
from viewer.models.machines import Machine, machines, problem_of
from viewer.models.run_choices import (
    NUMBERS,
    PACES,
    PROBES,
    RunChoices,
    differences,
    room_words,
    sources_of,
)
from viewer.models.session import SessionModel

SMALL_WINDOW = 760  # pixels, at the reference text size
SIZE_WIDTH = 76  # pixels, at the reference text size: 1048576 is not cut
STALE = "The picture shows {}. Press Run."


class RunPanel(QWidget):
    """The form; its Run button is also its Stop button."""

    run_requested = pyqtSignal()
    stop_requested = pyqtSignal()
    open_requested = pyqtSignal(str)  # "sample:..."
    browse_requested = pyqtSignal()
    source_requested = pyqtSignal(int)  # 0-based index
    choices_changed = pyqtSignal()

    def __init__(self, session: SessionModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._parameters: dict[str, dict[str, Any]] = {}
        self._theme: Theme | None = None
        self._running, self._what = False, ""
        self._build()
        self._connect()
        self.set_choices(RunChoices())
        self._show_graph()

    def _build(self) -> None:
        self._build_graph_fields()
        self._build_machine_fields()
        self._fold_away()
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(SPACING + 2, SPACING // 2, SPACING + 2, SPACING // 2)
        column.setSpacing(SPACING)
        for group in (self._graph_group(), self._algorithm_group(), self._record_group()):
            column.addLayout(group)
        column.addStretch(1)
        scroll = self._scroll = WideEnough()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(inside)
        self._run = QPushButton("Run")
        self._run.setProperty("role", "primary")
        self._run.setMinimumHeight(34)
        self._stale = hint_label("")
        self._stale.setAlignment(Qt.AlignmentFlag.AlignCenter)
        kept = self._stale.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # Run stays where it is
        self._stale.setSizePolicy(kept)
        self._stale.hide()
        foot = self._foot = QVBoxLayout()
        foot.setContentsMargins(SPACING + 2, SPACING // 2, SPACING + 2, SPACING)
        foot.setSpacing(SPACING // 2)
        foot.addWidget(self._stale)
        foot.addWidget(self._run)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(scroll, 1)
        whole.addLayout(foot)

    def _build_graph_fields(self) -> None:
        self._graph = GraphChoice(self._session)
        self._browse = QPushButton("File…")
        self._browse.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._browse.setToolTip("Open a graph file")
        self._size = number_field(SMALLEST, LARGEST)
        self._size.setAccessibleName("Vertices")
        self._size.setValue(CATALOGUE[self._graph.sample or FIRST_SAMPLE].default_n)
        self._seed = number_field(0, 2**31 - 1)
        self._seed.setAccessibleName("Seed")
        self._seed.setValue(1)
        self._about = hint_label()
        self._counts = hint_label()
        self._source = QLineEdit()
        self._source.setAccessibleName("Source")
        self._source_problem = hint_label()

    def _build_machine_fields(self) -> None:
        self._machines = machines()
        rows = [(one.device, one.title, one.sentence) for one in self._machines.values()]
        self._device = choice_field(rows, "Device")
        rows = [(row.key, row.title, row.summary) for row in ALGORITHMS.values()]
        self._algorithm = choice_field(rows, "Algorithm")
        self._device_about, self._algorithm_about = hint_label(), hint_label()
        self._form = ParameterForm()
        self._room, self._has_room = hint_label(), True
        self._automatic = QCheckBox("Automatic")
        self._automatic.setToolTip("On: the algorithm chooses the first Δ. Off: you do")
        self._delta = DeltaSpin()
        self._delta.setAccessibleName("Δ, bucket width")
        self._delta_label = field_label("Δ", explain("delta"))
        self._probe = choice_field(
            [(str(int(p)), title, tip) for p, title, tip in PROBES], "Record"
        )
        self._pace = choice_field([(key, title, "") for key, title, _ in PACES], "Pace")
        self._numbers = choice_field(list(NUMBERS), "Numbers")

    def _graph_group(self) -> QGridLayout:
        grid = field_grid("Graph", self._graph)
        grid.addLayout(field_row(self._graph, self._browse), 1, 0, 1, 2)
        grid.addWidget(self._about, 2, 0, 1, 2)
        self._size_label = field_label("Vertices", "How large to make the sample")
        add_field(grid, 3, self._size_label, self._size)
        grid.addWidget(self._counts, 5, 0, 1, 2)
        label = field_label("Source", "The vertex to start from, by its own number")
        grid.addWidget(label, 6, 0)
        pick = ElidedLabel("or click one")
        pick.shorter = "or click"
        self._source_parts = (label, self._source, pick)
        source = field_row(self._source, pick)
        source.setStretch(0, 2)
        source.setStretch(1, 3)
        grid.addLayout(source, 6, 1)
        grid.addWidget(self._source_problem, 7, 0, 1, 2)
        return grid

    def _algorithm_group(self) -> QGridLayout:
        grid = field_grid("Algorithm", self._algorithm)
        grid.addWidget(self._algorithm, 1, 0, 1, 2)
        grid.addWidget(self._algorithm_about, 2, 0, 1, 2)
        grid.addWidget(self._delta_label, 3, 0)
        grid.addLayout(field_row(self._automatic, self._delta), 3, 1)
        grid.addWidget(self._form, 4, 0, 1, 2)
        grid.addWidget(self._room, 5, 0, 1, 2)
        return grid

    def _record_group(self) -> QGridLayout:
        grid = field_grid("Machine", self._device)
        grid.addWidget(self._device, 1, 0, 1, 2)
        grid.addWidget(self._device_about, 2, 0, 1, 2)
        pace = field_label("Pace", "How fast the model may go while you watch")
        add_field(grid, 3, pace, self._pace)
        return grid

    def _fold_away(self) -> None:
        """Put what is rarely changed under Advanced."""
        self._seed_label = field_label("Seed", "Another seed, another graph of the same kind")
        record = field_label("Record", "How closely to watch; costs no modelled time")
        numbers = field_label("Numbers", "What distances are computed in")
        for label, field in (
            (self._seed_label, self._seed),
            (record, self._probe),
            (numbers, self._numbers),
        ):
            self._form.add_rare(label, field)

    def _connect(self) -> None:
        # the user asks
        self._run.clicked.connect(self._press_run)
        self._browse.clicked.connect(self.browse_requested)
        self._graph.sample_chosen.connect(self._choose_sample)
        self._size.valueChanged.connect(self._resize_sample)
        self._seed.valueChanged.connect(self._resize_sample)
        self._source.editingFinished.connect(self._read_source)
        self._source.textEdited.connect(self._forget_source_problem)
        # the choices change
        self._algorithm.currentIndexChanged.connect(self._change_algorithm)
        self._device.currentIndexChanged.connect(self._change_machine)
        self._automatic.toggled.connect(self._change)
        self._delta.valueChanged.connect(self._change)
        self._form.changed.connect(self._change)
        self._probe.currentIndexChanged.connect(self._change)
        self._pace.currentIndexChanged.connect(self._change)
        self._numbers.currentIndexChanged.connect(self._change)
        # the session changes
        self._session.graph_changed.connect(self._show_graph)
        self._session.source_changed.connect(self._show_source)

    # --- what the panel says

    def choices(self) -> RunChoices:
        """Return what is chosen now."""
        algorithm = self._algorithm.currentData()
        return RunChoices(
            algorithm,
            self._device.currentData(),
            None if self._automatic.isChecked() else self._delta.value(),
            int(self._probe.currentData()),
            self._pace.currentData(),
            {**self._parameters, algorithm: self._form.values()},
            self._numbers.currentData(),
        )

    def set_choices(self, choices: RunChoices) -> None:
        """Show other choices."""
        self._parameters = dict(choices.parameters)
        with QSignalBlocker(self._automatic), QSignalBlocker(self._delta):
            self._automatic.setChecked(choices.delta is None)
            if choices.delta is not None:
                self._delta.setValue(choices.delta)
        choose(self._algorithm, choices.algorithm)
        choose(self._device, choices.device)
        choose(self._probe, str(choices.probe))
        choose(self._pace, choices.pace)
        choose(self._numbers, choices.numbers)
        self._show_machine()
        self._show_algorithm()
        self._change()

    def run_settings(self) -> RunSettings:
        """Return the settings of the run that is asked for, on the session's source."""
        return self.choices().settings(self._session.source)

    def show_pictured(self, made: Sequence[RunSettings]) -> None:
        """Say at Run where none of the runs that are shown has the settings chosen here."""
        chosen = self.run_settings()
        differs = [differences(chosen, one) for one in made]
        least = min(differs, key=len, default=[])
        self._stale.setText(
            STALE.format(f"another {least[0]}" if len(least) == 1 else "other settings")
        )
        self._stale.setToolTip(f"Unlike what is chosen here: {', '.join(least)}" if least else "")
        self._stale.setVisible(bool(made) and all(differs))

    def set_running(self, running: bool) -> None:
        """Turn the Run button into a Stop button, and back."""
        self._running = running
        self._run.setText("Stop" if running else f"Run {self._what}".rstrip())
        self._run.setToolTip("End the run now (Esc)" if running else "Run it (Ctrl+R, F9)")
        self._enable_run()

    def name_what(self, words: str) -> None:
        """Say at Run what it would run, where that is not the graph named above; "" for that."""
        self._what = words
        self.set_running(self._running)

    def fit_window(self, width: int) -> None:
        """Scroll sideways in a small window."""
        self._scroll.narrow = width < scaled(SMALL_WINDOW)
        self._scroll.updateGeometry()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self._size.setMinimumWidth(scaled(SIZE_WIDTH))
        self._show_source_problem("")

    # --- slots

    def _press_run(self) -> None:
        if self._running:
            self.stop_requested.emit()
        elif self._source.isHidden() or self._read_source():
            self.run_requested.emit()

    def _choose_sample(self, key: str) -> None:
        self.open_requested.emit(f"sample:{key}")

    def _resize_sample(self) -> None:
        if self._graph.sample:
            size, seed = self._size.value(), self._seed.value()
            self.open_requested.emit(f"sample:{self._graph.sample}?n={size}&seed={seed}")

    def _read_source(self) -> bool:
        graph = self._session.graph
        if graph is None:
            return False
        try:
            vertex = graph.vertex_of(self._source.text().strip())
        except GpuError as error:
            self._show_source_problem(str(error))
            return False
        self._show_source_problem("")
        self.source_requested.emit(vertex)
        return True

    def _change_algorithm(self) -> None:
        self._parameters.update(self._form_parameters())
        self._show_algorithm()
        self._change()

    def _change_machine(self) -> None:
        self._parameters.update(self._form_parameters())
        self._show_machine()
        self._show_algorithm()
        self._change()

    def _machine(self) -> Machine:
        return self._machines[self._device.currentData()]

    def _show_machine(self) -> None:
        """Grey out what the machine cannot run; where that was chosen, choose the first it can."""
        able = []
        for index in range(self._algorithm.count()):
            row = ALGORITHMS[self._algorithm.itemData(index)]
            problem = problem_of(row, self._machine())
            allow(self._algorithm, index, problem or row.summary, problem is None)
            if problem is None:
                able.append(row.key)
        if able and self._algorithm.currentData() not in able:
            choose(self._algorithm, able[0])

    def _form_parameters(self) -> dict[str, dict[str, Any]]:
        key = self._form.algorithm_key()
        return {key: self._form.values()} if key else {}

    def _change(self) -> None:
        self._delta.setEnabled(not self._automatic.isChecked())
        self._form.hold(not self._automatic.isChecked())
        self._device_about.setText(sentence(self._machine().sentence))
        self._show_room()
        self.choices_changed.emit()

    def _show_room(self) -> None:
        """Say what the result takes before it is taken; where it does not fit, do not run."""
        graph, choices = self._session.graph, self.choices()
        n, m = (graph.n, graph.m) if graph is not None else (0, 0)
        words, self._has_room = "", True
        if graph is not None and n:
            each = type_for(graph, choices.numbers).itemsize
            words, self._has_room = room_words(choices, n, each)
        say(self._room, words, None if self._has_room else self._theme)
        allow_probes(self._probe, self._machine().engine, m, sources_of(choices, n) or 1)
        self._enable_run()

    def _show_algorithm(self) -> None:
        row = ALGORITHMS[self._algorithm.currentData()]
        self._algorithm_about.setText(sentence(row.summary))
        self._form.show_algorithm(row, self._parameters.get(row.key, {}), self._machine().engine)
        self._form.hold(not self._automatic.isChecked())
        show_all((self._delta_label, self._automatic, self._delta), row.bucketed)
        show_all(self._source_parts, row.result == "row")  # else the sources are in the form
        order_tabs(self)

    def _show_graph(self) -> None:
        graph = self._session.graph
        if graph is None:
            self._enable_run()
            self._counts.setText("No graph yet")
            return
        self._show_room()
        self._show_origin(sample_key(graph.provenance.origin))
        kind = "whole" if graph.integer else "decimal"
        counts = f"{thousands(graph.n)} vertices, {thousands(graph.m)} edges"
        self._counts.setText(f"{counts}, {kind} weights")
        self._show_source(self._session.source)

    def _show_origin(self, key: str) -> None:
        """Show the size and seed of the sample that the graph was made by, or say what it is."""
        graph = self._session.graph
        assert graph is not None
        with QSignalBlocker(self._size), QSignalBlocker(self._seed):
            if key:
                self._size.setValue(int(graph.provenance.options.get("n") or graph.n))
                self._seed.setValue(int(graph.provenance.options.get("seed", 1)))
        sized = (self._size_label, self._size, self._seed_label, self._seed)
        show_all(sized, bool(key) and not CATALOGUE[key].fixed)
        self._about.setText(sentence(CATALOGUE[key].sentence) if key else file_words(graph))

    def _show_source(self, vertex: int) -> None:
        graph = self._session.graph
        if graph is None or not graph.n:
            return
        with QSignalBlocker(self._source):
            self._source.setText(str(graph.id_of(vertex)))
        self._show_source_problem("")

    def _forget_source_problem(self) -> None:
        self._show_source_problem("")

    def _show_source_problem(self, words: str) -> None:
        say(self._source_problem, words, self._theme)

    def _enable_run(self) -> None:
        able = self._has_room and bool(self._session.graph and self._session.graph.n)
        self._run.setEnabled(self._running or able)
