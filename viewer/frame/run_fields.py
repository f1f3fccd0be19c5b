"""Input fields of the Run panel: Δ on a log scale, a knob of an algorithm, the graph."""

from __future__ import annotations

import math
from typing import Any

from PyQt6.QtCore import QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtGui import QStandardItemModel, QValidator, QWheelEvent
from PyQt6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QSpinBox,
    QWidget,
)

from gpu.algorithms import Parameter
from gpu.graph import CSRGraph
from gpu.record.workspace import reader_options
from gpu.words import SENTENCE, in_sight
from sample_graphs import CATALOGUE
from viewer.common.glossary import capital
from viewer.common.small_widgets import packed
from viewer.common.theme import SPACING
from viewer.models.session import SessionModel

DELTA_LOW, DELTA_HIGH = 1e-6, 2.0**31  # weight units
FIELD_WIDTH = 52  # pixels: no field asks for more, the column gives what there is
HUGE = 2**31 - 1
DRAWN = "drawing"  # the chooser's row for the drawing, while one draws


class Steady:
    """A field that the wheel does not change: it scrolls the form."""

    def wheelEvent(self, a0: QWheelEvent | None) -> None:
        """Pass it on."""
        if a0 is not None:
            a0.ignore()


class NumberField(Steady, QSpinBox):
    """A whole number."""


class DeltaSpin(Steady, QDoubleSpinBox):
    """A positive number of any size; a step doubles or halves it, like the controller."""

    def __init__(self) -> None:
        super().__init__()
        self.setDecimals(9)
        self.setRange(DELTA_LOW, DELTA_HIGH)
        self.setValue(1.0)
        self.setKeyboardTracking(False)
        self.setMinimumWidth(FIELD_WIDTH)
        self.setAccessibleName("Δ, bucket width")

    def stepBy(self, steps: int) -> None:
        """Multiply by two to the power of `steps`."""
        self.setValue(self.value() * 2.0**steps)

    def textFromValue(self, v: float) -> str:
        """Show six significant digits: 0.03125, 1024, 2.1e+07."""
        return f"{v:.6g}"

    def valueFromText(self, text: str | None) -> float:
        """Read any notation of Python's; keep the value where there is no number."""
        number = _number(text)
        return self.value() if math.isnan(number) else number

    def validate(self, text: str | None, pos: int) -> tuple[Any, str, int]:
        """Accept any finite number above zero; anything else may become one."""
        state = QValidator.State
        good = 0 < _number(text) < math.inf
        return (state.Acceptable if good else state.Intermediate), text or "", pos


def _number(text: str | None) -> float:
    try:
        return float(text or "")
    except ValueError:
        return math.nan


def knob_field(knob: Parameter, value: Any) -> QCheckBox | QSpinBox:
    """Return the field of a knob; below its least value stands what None means."""
    field: QCheckBox | QSpinBox
    if knob.kind == "bool":
        field = QCheckBox(knob.title)
        field.setChecked(bool(value))
    else:
        field = number_field(knob.low - (knob.default is None), knob.high, knob.title)
        field.setValue(field.minimum() if value is None else int(value))
        field.setSpecialValueText(knob.automatic if knob.default is None else "")
    field.setAccessibleName(knob.title)
    field.setToolTip(sentence(knob.help))
    return field


def knob_value(knob: Parameter, field: QCheckBox | QSpinBox) -> Any:
    """Return what the field of a knob says; None where the engine chooses."""
    if isinstance(field, QCheckBox):
        return field.isChecked()
    automatic = knob.default is None and field.value() == field.minimum()
    return None if automatic else field.value()


def number_field(low: float, high: float, name: str) -> QSpinBox:
    """Return a whole-number field with steps that fit its size."""
    field = NumberField()
    field.setAccessibleName(name)
    field.setRange(int(low), int(min(high, HUGE)))
    field.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
    field.setKeyboardTracking(False)
    field.setMinimumWidth(FIELD_WIDTH)
    field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return field


class Choice(Steady, QComboBox):
    """A list of (key, title, tooltip); it shrinks below its longest title."""

    def __init__(self, rows: list[tuple[str, str, str]], name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for index, (key, title, tip) in enumerate(rows):
            self.addItem(title, key)
            self.setItemData(index, tip, Qt.ItemDataRole.ToolTipRole)

    def choose(self, key: str) -> None:
        """Select the row called `key`, where there is one, without a signal."""
        index = self.findData(key)
        if index >= 0:
            with QSignalBlocker(self):
                self.setCurrentIndex(index)

    def allow(self, problems: dict[str, str | None], tips: dict[str, str]) -> None:
        """Grey out rows by key, saying why; choose one that is allowed in place of such a one."""
        rows = self.model()
        assert isinstance(rows, QStandardItemModel)
        for index in range(self.count()):
            key = self.itemData(index)
            tip = problems[key] or tips[key]
            self.setItemData(index, tip, Qt.ItemDataRole.ToolTipRole)
            item = rows.item(index)
            assert item is not None
            item.setEnabled(problems[key] is None)
        able = [key for key, problem in problems.items() if problem is None]
        if able and self.currentData() not in able:
            self.choose(able[0])


class GraphChoice(Choice):
    """The graphs that were opened, then the samples."""

    wanted = pyqtSignal(str, object)  # what to open, and the options it is read by

    def __init__(self, session: SessionModel) -> None:
        rows = [(key, sample.title, sample.sentence) for key, sample in CATALOGUE.items()]
        super().__init__(rows, "Graph")
        self._session = session
        self._options: dict[str, dict[str, Any]] = {}  # of the graphs that were opened
        self.activated.connect(self._choose)
        session.graph_changed.connect(self.show_graph)
        self.show_graph()

    @property
    def sample(self) -> str:
        """The key of the sample that is shown, "" for another graph."""
        key = self.currentData()
        return str(key) if key in CATALOGUE else ""

    def show_drawing(self, on: bool) -> None:
        """Name the drawing in the place of the session's graph, while one draws."""
        with QSignalBlocker(self):
            self._list(DRAWN, "This drawing") if on else self.removeItem(self.findData(DRAWN))
        self.choose(DRAWN) if on else self.show_graph()

    def _choose(self) -> None:
        key = self.currentData()
        if key != DRAWN:
            self.wanted.emit(f"sample:{key}" if self.sample else key, self._options.get(key))

    def _list(self, key: str, name: str) -> None:
        """Put a graph first; it takes the place of one of the same name."""
        for place in (self.findData(key), self.findText(name)):
            if self.itemData(place) not in CATALOGUE:
                self.removeItem(place)
        self.insertItem(0, name, key)

    def show_graph(self) -> None:
        """Choose the graph that is here."""
        graph = self._session.graph
        if graph is None:
            return
        origin = graph.provenance.origin
        key = sample_key(origin)
        if not key:
            self._options[origin] = reader_options(graph.provenance.options)
            with QSignalBlocker(self):
                self._list(origin, graph.name)
        self.choose(key or origin)
        self.setToolTip(in_sight(origin, SENTENCE))


def sample_key(origin: str) -> str:
    """Return the key of the sample that a graph was made by, "" for another graph."""
    key = origin.removeprefix("sample:").split("?")[0]
    return key if origin.startswith("sample:") and key in CATALOGUE else ""


def graph_words(graph: CSRGraph) -> str:
    """Return what a sample is, or the format of a file and what its reader met."""
    from gpu.formats import READERS

    key = sample_key(graph.provenance.origin)
    if key:
        return sentence(CATALOGUE[key].sentence)
    reader = READERS.get(graph.provenance.format)
    title = reader.title if reader is not None else graph.provenance.format
    words = "; ".join(graph.provenance.notes)
    return words if title in words else f"{title}; {words}".removesuffix("; ")


def sentence(words: str) -> str:
    """Return words of a registry as a sentence on their own: a capital first, no full stop."""
    return capital(words.removesuffix("."))


def say(label: QLabel, words: str) -> None:
    """Show words, or hide the label where there are none."""
    label.setText(words)
    label.setVisible(bool(words))


def heading(text: str, first: QWidget) -> QLabel:
    """Return the title of a group of fields, which names the first of them.

    On Linux a screen reader takes the name of a list of choices from its label alone.
    """
    label = QLabel(text)
    label.setProperty("role", "heading")
    label.setContentsMargins(0, SPACING, 0, 0)
    label.setBuddy(first)
    return label


def beside(*parts: QWidget) -> QWidget:
    """Return fields side by side."""
    whole = QWidget()
    packed(QHBoxLayout(whole), *parts, spacing=SPACING)
    return whole
