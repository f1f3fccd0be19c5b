"""Questions of a lesson as widgets. Each emits `answered` with its answer, or None.

    number   a slider with a spin box, logarithmic if the question says so; "?" until it is touched
    choice   a radio button for each choice
    vertex   a click in the graph, which the window passes on, or the vertex's name typed
    bucket   the same, whole
    schedule a game in a panel of its own
    curve    a slider for each value of a sweep

Each works with the keyboard alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from PyQt6.QtCore import QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent, QMouseEvent
from PyQt6.QtWidgets import (
    QButtonGroup,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QSlider,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from gpu.graph import CSRGraph
from gpu.lessons.answers import formatted
from gpu.lessons.lesson import Question
from gpu.lessons.quantities import decimals_of
from gpu.study.play import Score
from viewer.common.small_widgets import label, packed
from viewer.common.text_size import scaled

TICKS = 1000  # of a slider
DIGITS = 3  # of a number that the slider gives
muted = partial(label, role="muted")
UNSET = "?"  # of a number that nobody has given yet
CURVE_HEIGHT = 130  # pixels at the reference text size


class QuestionWidget(QWidget):
    """Base: a column; `answered` carries a float, a list of floats, or None."""

    answered = pyqtSignal(object)

    def __init__(self, question: Question) -> None:
        super().__init__()
        self.question = question
        self.stops: list[QWidget] = []  # what Tab stops at, in order
        self.column = packed(QVBoxLayout(self))

    def show_given(self, given: Any) -> None:
        """Show an answer that was given before."""


class NumberQuestion(QuestionWidget):
    """A slider and a spin box that say the same."""

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.slider = GrooveSlider(Qt.Orientation.Horizontal)
        self.box = NumberBox()
        self.box.setDecimals(decimals_of(question.answer))
        values = round((question.high - question.low) * 10 ** self.box.decimals())
        self.slider.setRange(0, TICKS if self._logarithmic else min(TICKS, values) or TICKS)
        self.slider.setAccessibleName("Your answer, as a slider")
        self._unset = question.low - 10.0 ** -self.box.decimals()  # under what can be answered
        self.box.setRange(self._unset, question.high)
        self.box.setSpecialValueText(UNSET)
        self.box.setGroupSeparatorShown(True)
        self.box.setSuffix(f" {question.unit}" if question.unit else "")
        self.box.setAccessibleName("Your answer")
        row = QHBoxLayout()
        for words in (formatted(question.low), formatted(question.high)):
            row.addWidget(muted(words))
        row.insertWidget(1, self.slider, 1)
        self.column.addLayout(row)
        self.column.addWidget(self.box)
        self.stops = [self.slider, self.box]
        self.slider.valueChanged.connect(self._slid)
        self.slider.sliderReleased.connect(lambda: self._slid(self.slider.value()))
        self.box.valueChanged.connect(self._typed)
        with QSignalBlocker(self.slider), QSignalBlocker(self.box):
            self.slider.setValue(self.slider.maximum() // 2)
            self.box.setValue(self._unset)

    def show_given(self, given: Any) -> None:
        """Show a number."""
        if isinstance(given, int | float):
            with QSignalBlocker(self.slider), QSignalBlocker(self.box):
                self.box.setValue(given)
                self.slider.setValue(self._tick(given))

    @property
    def _logarithmic(self) -> bool:
        return self.question.logarithmic and self.question.low > 0

    def _tick(self, value: float) -> int:
        low, high = self.question.low, self.question.high
        share = (value - low) / (high - low)
        if self._logarithmic:
            share = math.log(max(value, low) / low) / math.log(high / low)
        return round(self.slider.maximum() * share)

    def _slid(self, tick: int) -> None:
        low, high, share = self.question.low, self.question.high, tick / self.slider.maximum()
        value = low * (high / low) ** share if self._logarithmic else low + (high - low) * share
        with QSignalBlocker(self.box):
            self.box.setValue(float(f"{value:.{DIGITS}g}"))
        self.answered.emit(self.box.value())

    def _typed(self, value: float) -> None:
        if value < self.question.low:
            self.answered.emit(None)
            return
        with QSignalBlocker(self.slider):
            self.slider.setValue(self._tick(value))
        self.answered.emit(value)


class GrooveSlider(QSlider):
    """A slider whose handle comes to where its groove is pressed."""

    def mousePressEvent(self, ev: QMouseEvent | None) -> None:
        """Take the handle there; it can be dragged on."""
        if ev is not None and ev.button() == Qt.MouseButton.LeftButton:
            handle = self.style().pixelMetric(QStyle.PixelMetric.PM_SliderLength)  # type: ignore[union-attr]
            at, room = ev.position().toPoint().x() - handle // 2, self.width() - handle
            self.setValue(QStyle.sliderValueFromPosition(0, self.maximum(), at, room))
        super().mousePressEvent(ev)


class NumberBox(QDoubleSpinBox):
    """A spin box without zeros at the end of a number; what is typed takes the place of "?"."""

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Take a key; beside the "?" no digit would be a number."""
        if self.text() == UNSET:
            self.selectAll()
        super().keyPressEvent(event)

    def textFromValue(self, v: float) -> str:
        """Return "1.5" of 1.50, "160" of 160.00."""
        words = f"{v:,.{self.decimals()}f}"
        return words.rstrip("0").rstrip(".") if "." in words else words


class ChoiceWords(QLabel):
    """The words of a choice: they wrap, which those of a radio button cannot; a click chooses."""

    def __init__(self, words: str, button: QRadioButton) -> None:
        super().__init__(words)
        self._button = button
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)

    def mousePressEvent(self, ev: QMouseEvent | None) -> None:
        """Choose."""
        if self.isEnabled():
            self._button.setFocus()
            self._button.click()


class ChoiceQuestion(QuestionWidget):
    """One radio button a choice; the answer is the number of the one pressed."""

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.group = QButtonGroup(self)
        self.group.idClicked.connect(lambda number: self.answered.emit(float(number)))
        self.said: list[ChoiceWords] = []
        for place, words in enumerate(question.choices):
            button = QRadioButton()
            button.setAccessibleName(words)
            self.group.addButton(button, place)
            row, said = QHBoxLayout(), ChoiceWords(words, button)
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(said, 1)
            self.column.addLayout(row)
            self.said.append(said)
            self.stops.append(button)

    def show_given(self, given: Any) -> None:
        """Check a choice."""
        button = self.group.button(int(given)) if isinstance(given, int | float) else None
        if button is not None:
            button.setChecked(True)

    def show_right(self, right: float | None) -> None:
        """Tick the right choice, once the answer is judged; None before."""
        for place, words in enumerate(self.question.choices):
            self.said[place].setText(f"✓ {words}" if place == right else words)


class VertexQuestion(QuestionWidget):
    """Says which vertex was clicked; its name may be typed instead."""

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.graph: CSRGraph | None = None  # knows the names
        self.field = QLineEdit()
        self.field.setPlaceholderText("name of a vertex")
        self.field.setAccessibleName("Name of a vertex")
        self.column.addWidget(muted("Click a vertex in the graph, or type its name:"))
        self.column.addWidget(self.field)
        self.field.textEdited.connect(self._typed)
        self.stops = [self.field]

    def choose(self, vertex: int) -> None:
        """Take a click in the graph."""
        self.show_given(vertex)
        self.answered.emit(float(vertex))

    def show_given(self, given: Any) -> None:
        """Show the name of a vertex."""
        if isinstance(given, int | float) and self.graph is not None:
            self.field.setText(str(self.graph.id_of(int(given))))

    def _typed(self, words: str) -> None:
        from gpu.errors import GpuError

        try:
            found = self.graph.vertex_of(words.strip()) if self.graph is not None else None
        except GpuError:
            found = None
        self.answered.emit(None if found is None else float(found))


class ScheduleQuestion(QuestionWidget):
    """A button that opens the game, and what the last game came to."""

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.play, self.words = QPushButton("Play"), muted("Not played yet.")
        self.column.addWidget(self.play)
        self.column.addWidget(self.words)
        self.stops = [self.play]

    def take(self, score: Score) -> None:
        """Take a game that is over as the answer."""
        given = float(getattr(score, self.question.goal))
        self.show_given(given)
        self.answered.emit(given)

    def show_given(self, given: Any) -> None:
        """Show what a game came to."""
        if isinstance(given, int | float):
            self.words.setText(f"Your last game: {formatted(given)} {self.question.unit}")


class CurveQuestion(QuestionWidget):
    """A vertical slider for each value of a sweep; only higher or lower counts."""

    def __init__(self, question: Question, values: Sequence[float]) -> None:
        super().__init__(question)
        grid = QGridLayout()
        grid.setSpacing(0)
        self.sliders: list[QSlider] = []
        for column, value in enumerate(values):
            words = formatted(value)
            slider = QSlider(Qt.Orientation.Vertical)
            slider.setRange(0, TICKS)
            slider.setSingleStep(TICKS // 20)
            slider.setValue(TICKS // 2)
            slider.setMinimumHeight(scaled(CURVE_HEIGHT))
            slider.setAccessibleName(f"Time at Δ = {words}, higher is longer")
            slider.valueChanged.connect(self._moved)
            self.sliders.append(slider)
            grid.addWidget(slider, 0, column, Qt.AlignmentFlag.AlignHCenter)
            grid.addWidget(muted(words), 1, column, Qt.AlignmentFlag.AlignHCenter)
        self.stops = [*self.sliders]
        self.column.addWidget(muted("Time ↑ at each Δ →"))
        self.column.addLayout(grid)

    def show_given(self, given: Any) -> None:
        """Show heights, as many as there are values."""
        if isinstance(given, list) and len(given) == len(self.sliders):
            for slider, height in zip(self.sliders, given, strict=True):
                with QSignalBlocker(slider):
                    slider.setValue(round(TICKS * height))

    def _moved(self) -> None:
        self.answered.emit([slider.value() / TICKS for slider in self.sliders])


def make_question(question: Question, values: Sequence[float] = ()) -> QuestionWidget:
    """Return the widget of a question; `values` are those of a curve's sweep."""
    if question.kind == "curve":
        return CurveQuestion(question, values)
    kinds = {
        "number": NumberQuestion,
        "choice": ChoiceQuestion,
        "vertex": VertexQuestion,
        "bucket": NumberQuestion,
        "schedule": ScheduleQuestion,
    }
    return kinds[question.kind](question)
