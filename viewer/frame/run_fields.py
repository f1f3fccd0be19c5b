"""Input fields of the Run panel: Δ on a log scale, a knob of a registry row, a sample."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from PyQt6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QStandardItemModel
from PyQt6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gpu.algorithms import Algorithm, Parameter
from gpu.graph import CSRGraph
from gpu.words import SENTENCE, in_sight
from sample_graphs import CATALOGUE
from viewer.common.glossary import explain
from viewer.common.small_widgets import chip
from viewer.common.theme import SPACING, Theme
from viewer.models.run_choices import PROBES, probe_problem
from viewer.models.session import SessionModel

DELTA_LOW, DELTA_HIGH = 1e-6, 2.0**31  # weight units
LABEL_WIDTH = 72  # pixels: the longest label of one line
FIELD_WIDTH = 52  # pixels: no field asks for more, the column gives what there is
WIDEST = 340  # pixels that the panel takes at most without being asked
HUGE = 2**31 - 1
FILE = "file"  # the chooser's row for a graph that is no sample
HELD = "Δ is given, so it stays as it is. Tick Automatic to let the controller move it."


class DeltaSpin(QDoubleSpinBox):
    """A positive number of any size; a step doubles or halves it, like the controller."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDecimals(9)
        self.setRange(DELTA_LOW, DELTA_HIGH)
        self.setValue(1.0)
        self.setKeyboardTracking(False)
        self.setMinimumWidth(FIELD_WIDTH)

    def stepBy(self, steps: int) -> None:
        """Multiply by two to the power of `steps`."""
        self.setValue(self.value() * 2.0**steps)

    def textFromValue(self, v: float) -> str:
        """Show six significant digits: 0.03125, 1024, 2.1e+07."""
        return f"{v:.6g}"

    def valueFromText(self, text: str | None) -> float:
        """Read what `textFromValue` writes."""
        try:
            return float(text or "")
        except ValueError:
            return self.value()

    def validate(self, text: str | None, pos: int) -> tuple[Any, str, int]:
        """Accept any finite number above zero; anything else may become one."""
        from PyQt6.QtGui import QValidator

        try:
            good = 0 < float(text or "") < math.inf
        except ValueError:
            good = False
        state = QValidator.State
        return (state.Acceptable if good else state.Intermediate), text or "", pos


class ParameterForm(QWidget):
    """One field for each Parameter of a registry row; rare ones fold away under *Advanced*."""

    changed = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rare = QWidget()
        self._rare.hide()
        self._usual_form, self._rare_form, self._kept_form = _form(), _form(), _form()
        fold = QVBoxLayout(self._rare)
        fold.setContentsMargins(0, 0, 0, 0)
        fold.setSpacing(SPACING - 3)
        fold.addLayout(self._rare_form)
        fold.addLayout(self._kept_form)
        self.advanced = chip("Advanced", "Show what is rarely changed", checkable=True)
        self.advanced.setProperty("role", "fold")
        self.advanced.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACING - 3)
        column.addLayout(self._usual_form)
        column.addWidget(self.advanced)
        column.addWidget(self._rare)
        self.advanced.toggled.connect(self._show_fold)
        self.changed.connect(self._show_fold)
        self._fields: dict[str, QWidget] = {}
        self._row: Algorithm | None = None
        self._unshown: dict[str, Any] = {}

    def show_algorithm(self, row: Algorithm, values: dict[str, Any], engine: str = "") -> None:
        """Build the fields of `row`, filled from `values`, else from the defaults.

        Knobs that do nothing on `engine` keep their values and are not shown.
        """
        for form in (self._usual_form, self._rare_form):
            while form.rowCount():
                form.removeRow(0)
        self._row, self._fields = row, {}
        shown = [knob for knob in row.parameters if not engine or knob.concerns(engine)]
        self._unshown = {
            knob.key: values.get(knob.key, knob.default)
            for knob in row.parameters
            if knob not in shown
        }
        for parameter in shown:
            field = self._make(parameter, values.get(parameter.key, parameter.default))
            tip = knob_tip(parameter)
            field.setToolTip(tip)
            field.setAccessibleName(parameter.title)
            self._fields[parameter.key] = field
            form = self._rare_form if parameter.rare else self._usual_form
            if isinstance(field, QCheckBox):
                form.addRow(field)
            else:
                form.addRow(field_label(parameter.title, tip), field)
        self._show_fold()

    def add_rare(self, label: QLabel, field: QWidget) -> None:
        """Fold away a field that every algorithm has."""
        label.setBuddy(field)
        self._kept_form.addRow(label, field)

    def hold(self, fixed: bool) -> None:
        """Offer the knobs that move Δ, or not: a Δ that is given stays."""
        row = self._row
        for knob in row.parameters if row is not None else ():
            if row is not None and knob.key in row.still and knob.key in self._fields:
                self._fields[knob.key].setEnabled(not fixed)
                self._fields[knob.key].setToolTip(HELD if fixed else knob_tip(knob))

    def _show_fold(self) -> None:
        """Say on the button whether a folded value is another than it is by itself."""
        knobs = self._row.parameters if self._row is not None else ()
        rare = [knob for knob in knobs if knob.rare and knob.key in self._fields]
        moved = sum(self._read(knob) != knob.default for knob in rare)
        opened = self.advanced.isChecked()
        self._rare.setVisible(opened)
        self.advanced.setArrowType(Qt.ArrowType.DownArrow if opened else Qt.ArrowType.RightArrow)
        self.advanced.setText(f"Advanced ({moved} changed)" if moved else "Advanced")

    def algorithm_key(self) -> str:
        """Return the key of the row that is shown, "" before the first."""
        return self._row.key if self._row is not None else ""

    def field(self, key: str) -> QWidget:
        """Return the field of a parameter."""
        return self._fields[key]

    def values(self) -> dict[str, Any]:
        """Return what the fields say, by key; None where the engine chooses."""
        if self._row is None:
            return {}
        knobs = {knob.key: knob for knob in self._row.parameters}
        return {
            key: self._unshown[key] if key in self._unshown else self._read(knob)
            for key, knob in knobs.items()
        }

    def _read(self, parameter: Parameter) -> Any:
        field = self._fields[parameter.key]
        if isinstance(field, QCheckBox):
            return field.isChecked()
        assert isinstance(field, QSpinBox | QDoubleSpinBox)
        automatic = parameter.default is None and field.value() == field.minimum()
        return None if automatic else field.value()

    def _make(self, parameter: Parameter, value: Any) -> QWidget:
        if parameter.kind == "bool":
            box = QCheckBox(parameter.title)
            box.setChecked(bool(value))
            box.toggled.connect(self.changed)
            return box
        field: QSpinBox | QDoubleSpinBox
        if parameter.kind == "int":
            field = number_field(parameter.low - (parameter.default is None), parameter.high)
            field.setValue(field.minimum() if value is None else int(value))
        else:
            field = QDoubleSpinBox()
            field.setDecimals(6)
            field.setRange(parameter.low - (parameter.default is None), parameter.high)
            field.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
            field.setValue(field.minimum() if value is None else float(value))
        if parameter.default is None:
            field.setSpecialValueText(parameter.automatic)
        field.setSuffix(f" {parameter.unit}" if parameter.unit else "")
        field.setMinimumWidth(FIELD_WIDTH)
        field.valueChanged.connect(self.changed)
        return field


KNOB_TERMS = {  # what the glossary says of a knob, beside its own help
    "dynamic_delta": "controller",
    "buckets": "ring",
    "workers": "worker",
    "open_heads": "open",
    "drop_stale": "stale",
}


def knob_tip(knob: Parameter) -> str:
    """Return what a knob does, and what its word means."""
    term = KNOB_TERMS.get(knob.key)
    words = sentence(knob.help)
    return f"{words}\n\n{explain(term)}" if term is not None else words


def _form() -> QFormLayout:
    form = QFormLayout()
    form.setContentsMargins(0, 0, 0, 0)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
    form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
    form.setHorizontalSpacing(SPACING)
    form.setVerticalSpacing(SPACING - 3)
    return form


def number_field(low: float, high: float) -> QSpinBox:
    """Return a whole-number field with steps that fit its size."""
    field = QSpinBox()
    field.setRange(int(low), int(min(high, HUGE)))
    field.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
    field.setKeyboardTracking(False)
    field.setMinimumWidth(FIELD_WIDTH)
    field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return field


def choice_field(rows: list[tuple[str, str, str]], name: str) -> QComboBox:
    """Return a combo box of (key, title, tooltip); it shrinks below its longest title."""
    field = QComboBox()
    shrink(field, name)
    for row in rows:
        add_choice(field, *row)
    return field


def shrink(field: QComboBox, name: str) -> None:
    """Name a combo box, and let it be narrower than its longest title."""
    field.setAccessibleName(name)
    field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    field.setMinimumContentsLength(8)
    field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)


class GraphChoice(QComboBox):
    """The samples, and the graph that is shown where it is none of them."""

    sample_chosen = pyqtSignal(str)  # a key of the catalogue

    def __init__(self, session: SessionModel) -> None:
        super().__init__()
        self._session = session
        shrink(self, "Graph")
        for key, sample in CATALOGUE.items():
            add_choice(self, key, sample.title, sample.sentence)
        self.activated.connect(self._choose)
        session.graph_changed.connect(self._show_graph)
        self._show_graph()

    @property
    def sample(self) -> str:
        """The key of the sample that is shown, "" for another graph."""
        key = self.currentData()
        return "" if key == FILE else str(key)

    def _choose(self) -> None:
        if self.sample:
            self.sample_chosen.emit(self.sample)

    def _show_graph(self) -> None:
        graph = self._session.graph
        if graph is None:
            return
        origin = graph.provenance.origin
        key = sample_key(origin)
        with QSignalBlocker(self):
            old = self.findData(FILE)
            if old >= 0:
                self.removeItem(old)
            if not key:
                self.insertItem(0, graph.name, FILE)
            choose(self, key or FILE)
        self.setToolTip(in_sight(origin, SENTENCE))


def sample_key(origin: str) -> str:
    """Return the key of the sample that a graph was made by, "" for another graph."""
    key = origin.removeprefix("sample:").split("?")[0]
    return key if origin.startswith("sample:") and key in CATALOGUE else ""


def add_choice(field: QComboBox, key: str, title: str, tip: str) -> None:
    """Add a row to a combo box."""
    field.addItem(title, key)
    field.setItemData(field.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)


def choose(field: QComboBox, key: str) -> bool:
    """Select the row called `key` without a signal; False where there is none."""
    index = field.findData(key)
    if index >= 0:
        with QSignalBlocker(field):
            field.setCurrentIndex(index)
    return index >= 0


def allow(field: QComboBox, index: int, tip: str, allowed: bool) -> None:
    """Let a row be chosen, or grey it out; `tip` says what it is, or why it cannot be."""
    field.setItemData(index, tip, Qt.ItemDataRole.ToolTipRole)
    rows = field.model()
    assert isinstance(rows, QStandardItemModel)
    item = rows.item(index)
    assert item is not None
    item.setEnabled(allowed)


def allow_probes(field: QComboBox, engine: str, arcs: int, sources: int = 1) -> None:
    """Grey out what cannot be recorded; where that was chosen, choose the closest that can."""
    able = []
    for index, (probe, _, tip) in enumerate(PROBES):
        problem = probe_problem(probe, engine, arcs, sources)
        allow(field, index, problem or tip, problem is None)
        able += [str(int(probe))] if problem is None else []
    if field.currentData() not in able:
        choose(field, able[-1])


def field_label(text: str, tip: str = "") -> QLabel:
    """Return the label of a field, all of one width."""
    label = QLabel(text)
    label.setMinimumWidth(max(LABEL_WIDTH, label.minimumSizeHint().width()))
    label.setToolTip(tip)
    return label


def hint_label(text: str = "") -> QLabel:
    """Return a quiet line of help that wraps."""
    label = QLabel(text)
    label.setProperty("role", "muted")
    label.setWordWrap(True)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return label


def say(label: QLabel, words: str, problem: Theme | None) -> None:
    """Show words, or nothing; in a theme's colour of errors where one is given."""
    label.setText(words)
    label.setVisible(bool(words))
    label.setStyleSheet(f"color: {problem.error}" if problem is not None else "")


def show_all(parts: Iterable[QWidget], shown: bool) -> None:
    """Show widgets, or hide them."""
    for part in parts:
        part.setVisible(shown)


def sentence(words: str) -> str:
    """Return words of a registry as a sentence on their own: a capital first, no full stop."""
    return words[:1].upper() + words[1:].removesuffix(".")


def file_words(graph: CSRGraph) -> str:
    """Return the format of a file and what its reader met."""
    from gpu.formats import READERS

    reader = READERS.get(graph.provenance.format)
    title = reader.title if reader is not None else graph.provenance.format
    return "; ".join((title, *graph.provenance.notes))


class WideEnough(QScrollArea):
    """Scrolls up and down, and asks for the width of what is in it, up to WIDEST.

    So nothing is cut on the right when a theme, a font or an algorithm needs more room; where
    type is so large that even WIDEST is too little, it scrolls sideways as well.
    """

    narrow = False  # the window is small: scroll sideways

    def minimumSizeHint(self) -> QSize:
        """Return the least width that cuts nothing, with room for the bar beside it."""
        inside = self.widget()
        bar = self.verticalScrollBar()
        if self.narrow:
            return QSize(LABEL_WIDTH, super().minimumSizeHint().height())
        if inside is None or bar is None:
            return super().minimumSizeHint()
        width = inside.minimumSizeHint().width() + bar.sizeHint().width()
        return QSize(min(width, WIDEST), super().minimumSizeHint().height())

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Tell the layout around when what is inside asks for another size, or got too little."""
        if event is not None and event.type() in {QEvent.Type.LayoutRequest, QEvent.Type.Resize}:
            self.updateGeometry()
        return super().eventFilter(watched, event)


def order_tabs(panel: QWidget) -> None:
    """Let Tab go through a panel as it reads: in the order in which its layouts hold fields."""
    parts = [part for part in _in_order(panel.layout()) if part.focusPolicy()]
    for before, after in pairwise(parts):
        QWidget.setTabOrder(before, after)


def _in_order(layout: QLayout | None) -> Iterator[QWidget]:
    for place in range(layout.count() if layout is not None else 0):
        item = layout.itemAt(place) if layout is not None else None
        widget = item.widget() if item is not None else None
        if item is not None and widget is None:
            yield from _in_order(item.layout())
        elif isinstance(widget, QScrollArea):
            inside = widget.widget()
            yield from _in_order(inside.layout() if inside is not None else None)
        elif widget is not None:
            yield widget
            yield from _in_order(widget.layout())


def heading(text: str) -> QLabel:
    """Return the title of a group of fields."""
    label = QLabel(text)
    label.setProperty("role", "heading")
    return label


def field_grid(title: str, first: QWidget) -> QGridLayout:
    """Return a group of labelled fields under a title, which names the first of them.

    On Linux a screen reader takes the name of a list of choices from its label alone.
    """
    grid = QGridLayout()
    grid.setHorizontalSpacing(SPACING)
    grid.setVerticalSpacing(SPACING - 3)
    grid.setColumnStretch(1, 1)
    label = heading(title)
    label.setBuddy(first)
    grid.addWidget(label, 0, 0, 1, 2)
    return grid


def field_row(*parts: QWidget) -> QHBoxLayout:
    """Return fields side by side."""
    row = QHBoxLayout()
    row.setSpacing(SPACING)
    for part in parts:
        row.addWidget(part)
    return row


def add_field(grid: QGridLayout, row: int, label: QLabel, widget: QWidget) -> None:
    """Add a label and its field to a group."""
    label.setBuddy(widget)
    grid.addWidget(label, row, 0)
    grid.addWidget(widget, row, 1)
