"""Questions of a lesson as widgets: each says by `answered` what its user means, None: nothing yet.

    number   a slider with a spin box, logarithmic where the question says so
    choice   a radio button a choice
    vertex   a click in the graph, which the window hands in, or its name typed
    bucket   a row of buckets to click
    curve    heights dragged over the values of a sweep, or moved by the arrow keys

Each works with keys alone, and says its question as its accessible name.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from PyQt6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF
from PyQt6.QtWidgets import (
    QButtonGroup,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QRadioButton,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpu.graph import CSRGraph
from gpu.lessons.answers import formatted
from gpu.lessons.lesson import Question
from viewer.text_size import scaled
from viewer.theme import LIGHT, SPACING, Theme

TICKS = 1000  # of a slider
BUCKETS_A_ROW = 8
MOST_BUCKETS = 64


class QuestionWidget(QWidget):
    """Base: a column; `answered` brings a float, a list of floats, or None."""

    answered = pyqtSignal(object)

    def __init__(self, question: Question) -> None:
        super().__init__()
        self.question = question
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)

    def show_given(self, given: Any) -> None:
        """Show an answer that was given before."""

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""


class NumberQuestion(QuestionWidget):
    """A slider and a spin box that say the same."""

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, TICKS)
        self.slider.setAccessibleName("Your answer, as a slider")
        self.box = QDoubleSpinBox()
        self.box.setDecimals(0 if question.high - question.low >= 10 else 2)
        self.box.setRange(question.low, question.high)
        self.box.setGroupSeparatorShown(True)
        self.box.setSuffix(f" {question.unit}" if question.unit else "")
        self.box.setAccessibleName("Your answer")
        self.box.setKeyboardTracking(False)
        row = QHBoxLayout()
        for words in (formatted(question.low), formatted(question.high)):
            label = QLabel(words)
            label.setProperty("role", "muted")
            row.addWidget(label)
        row.insertWidget(1, self.slider, 1)
        self.column.addLayout(row)
        self.column.addWidget(self.box)
        self.slider.valueChanged.connect(self._slid)
        self.box.valueChanged.connect(self._typed)
        with QSignalBlocker(self.slider), QSignalBlocker(self.box):
            self.slider.setValue(TICKS // 2)
            self.box.setValue(self._value(0.5))

    def show_given(self, given: Any) -> None:
        """Show a number."""
        if isinstance(given, int | float):
            with QSignalBlocker(self.slider), QSignalBlocker(self.box):
                self.box.setValue(given)
                self.slider.setValue(round(TICKS * self._share(given)))

    @property
    def _logarithmic(self) -> bool:
        return self.question.logarithmic and self.question.low > 0

    def _value(self, share: float) -> float:
        low, high = self.question.low, self.question.high
        if self._logarithmic:
            return float(low * (high / low) ** share)
        return low + (high - low) * share

    def _share(self, value: float) -> float:
        low, high = self.question.low, self.question.high
        if self._logarithmic:
            return math.log(max(value, low) / low) / math.log(high / low)
        return (value - low) / (high - low)

    def _slid(self, tick: int) -> None:
        with QSignalBlocker(self.box):
            self.box.setValue(self._value(tick / TICKS))
        self.answered.emit(self.box.value())

    def _typed(self, value: float) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(TICKS * self._share(value)))
        self.answered.emit(value)


class ChoiceQuestion(QuestionWidget):
    """One radio button a choice."""

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.group = QButtonGroup(self)
        for place, words in enumerate(question.choices):
            button = QRadioButton(words.replace("&", "&&"))
            self.group.addButton(button, place)
            self.column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        self.group.idClicked.connect(lambda place: self.answered.emit(float(place)))

    def show_given(self, given: Any) -> None:
        """Check a choice."""
        button = self.group.button(int(given)) if isinstance(given, int | float) else None
        if button is not None:
            button.setChecked(True)


class VertexQuestion(QuestionWidget):
    """Says which vertex was clicked; its name may be typed instead."""

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self._graph: CSRGraph | None = None
        self.said = QLabel("Click a vertex in the graph, or type its name:")
        self.said.setProperty("role", "muted")
        self.said.setWordWrap(True)
        self.field = QLineEdit()
        self.field.setPlaceholderText("name of a vertex")
        self.field.setAccessibleName("Name of a vertex")
        self.column.addWidget(self.said)
        self.column.addWidget(self.field)
        self.field.textEdited.connect(self._typed)

    def set_graph(self, graph: CSRGraph | None) -> None:
        """Know the names."""
        self._graph = graph

    def choose(self, vertex: int) -> None:
        """Take a click in the graph."""
        self.show_given(vertex)
        self.answered.emit(float(vertex))

    def show_given(self, given: Any) -> None:
        """Show the name of a vertex."""
        if isinstance(given, int | float) and self._graph is not None:
            self.field.setText(str(self._graph.id_of(int(given))))

    def _typed(self, words: str) -> None:
        from gpu.errors import GpuError

        try:
            found = self._graph.vertex_of(words.strip()) if self._graph is not None else None
        except GpuError:
            found = None
        self.answered.emit(None if found is None else float(found))


class BucketQuestion(QuestionWidget):
    """One button a bucket, low to high, drawn as a row of cells."""

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        low, high = int(question.low), int(question.high)
        grid = QGridLayout()
        grid.setSpacing(2)
        self.group = QButtonGroup(self)
        for place, bucket in enumerate(range(low, min(high, low + MOST_BUCKETS - 1) + 1)):
            cell = QToolButton()
            cell.setText(str(bucket))
            cell.setCheckable(True)
            cell.setMinimumSize(scaled(38), scaled(34))
            cell.setAccessibleName(f"Bucket {bucket}")
            self.group.addButton(cell, bucket)
            grid.addWidget(cell, place // BUCKETS_A_ROW, place % BUCKETS_A_ROW)
        grid.setColumnStretch(BUCKETS_A_ROW, 1)
        label = QLabel("Buckets, the nearest distances first")
        label.setProperty("role", "muted")
        self.column.addWidget(label)
        self.column.addLayout(grid)
        self.group.idClicked.connect(lambda bucket: self.answered.emit(float(bucket)))

    def show_given(self, given: Any) -> None:
        """Check a bucket."""
        button = self.group.button(int(given)) if isinstance(given, int | float) else None
        if button is not None:
            button.setChecked(True)


class CurveQuestion(QuestionWidget):
    """Heights over the values of a sweep; `truth` is laid upon them once it is known."""

    def __init__(self, question: Question, values: Sequence[float]) -> None:
        super().__init__(question)
        self.canvas = CurveCanvas([formatted(value) for value in values])
        self.canvas.setAccessibleName(
            "Your curve: time over Δ. Left and right choose a point, up and down move it."
        )
        self.column.addWidget(self.canvas)
        self.canvas.changed.connect(lambda: self.answered.emit(list(self.canvas.heights)))

    def show_given(self, given: Any) -> None:
        """Show heights, as many as there are values."""
        if isinstance(given, list) and len(given) == len(self.canvas.heights):
            self.canvas.heights = list(given)
            self.canvas.update()

    def show_truth(self, times: Sequence[float]) -> None:
        """Lay the measured times upon the drawn ones: on a scale of their logarithms."""
        logs = [math.log(max(time, 1.0)) for time in times]
        low, high = min(logs), max(logs)
        span = (high - low) or 1.0
        self.canvas.truth = [0.05 + 0.9 * (one - low) / span for one in logs]
        self.canvas.update()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.canvas.theme = theme
        self.canvas.update()


class CurveCanvas(QWidget):
    """Points at equal steps, 0..1 high, dragged by the mouse or moved by keys."""

    changed = pyqtSignal()
    STEP = 0.05

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.names, self.theme = list(names), LIGHT
        self.heights = [0.5] * len(self.names)
        self.truth: list[float] = []
        self.chosen = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(scaled(190))

    def sizeHint(self) -> QSize:
        """Wide and low."""
        return QSize(scaled(320), scaled(200))

    def place(self, index: int, height: float) -> QPointF:
        """Return where a point of that height lies, pixels of the widget."""
        room, count = self._room(), max(1, len(self.names) - 1)
        return QPointF(
            room.left() + room.width() * index / count, room.bottom() - height * room.height()
        )

    def _room(self) -> QRectF:
        below = 2 * self.fontMetrics().height()
        return QRectF(self.rect()).adjusted(3 * SPACING, SPACING, -2 * SPACING, -below - SPACING)

    def mousePressEvent(self, a0: QMouseEvent | None) -> None:
        """Take hold of the nearest point."""
        if a0 is not None:
            self._drag(a0.position())

    def mouseMoveEvent(self, a0: QMouseEvent | None) -> None:
        """Draw on: every point passed takes the pointer's height."""
        if a0 is not None and a0.buttons() & Qt.MouseButton.LeftButton:
            self._drag(a0.position())

    def _drag(self, at: QPointF) -> None:
        room = self._room()
        share = (at.x() - room.left()) / max(1.0, room.width())
        self.chosen = min(max(round(share * (len(self.names) - 1)), 0), len(self.names) - 1)
        self._set((room.bottom() - at.y()) / max(1.0, room.height()))

    def _set(self, height: float) -> None:
        if self.isEnabled():
            self.heights[self.chosen] = min(max(height, 0.0), 1.0)
            self.update()
            self.changed.emit()

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Left, right choose; up, down move."""
        if a0 is None:
            return
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(a0.key()))
        lift = {Qt.Key.Key_Up: self.STEP, Qt.Key.Key_Down: -self.STEP}.get(Qt.Key(a0.key()))
        if step is not None:
            self.chosen = min(max(self.chosen + step, 0), len(self.names) - 1)
            self.update()
        elif lift is not None:
            self._set(self.heights[self.chosen] + lift)
        else:
            super().keyPressEvent(a0)

    def focusInEvent(self, a0: QFocusEvent | None) -> None:
        """Show which point the keys move."""
        super().focusInEvent(a0)
        self.update()

    def paintEvent(self, _event: Any) -> None:
        """Axes, the names of the values, the curve drawn, the curve found."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, room = self.theme, self._room()
        painter.fillRect(self.rect(), QColor(theme.plot))
        painter.setPen(QPen(QColor(theme.border), 1.0))
        painter.drawLine(room.bottomLeft(), room.bottomRight())
        painter.drawLine(room.bottomLeft(), room.topLeft())
        self._paint_words(painter, room)
        self._paint_line(painter, self.heights, theme.series[0], dots=True)
        if self.truth:
            self._paint_line(painter, self.truth, theme.series[1], dots=False)

    def _paint_words(self, painter: QPainter, room: QRectF) -> None:
        painter.setPen(QColor(self.theme.muted))
        metrics = self.fontMetrics()
        high, free = metrics.height(), -1e9
        for index, name in enumerate(self.names):
            at, wide = self.place(index, 0.0), metrics.horizontalAdvance(name)
            if at.x() - wide / 2 > free:
                painter.drawText(QPointF(at.x() - wide / 2, at.y() + high), name)
                free = at.x() + wide / 2 + SPACING
        words = "Δ →   blue: yours, orange: the runs" if self.truth else "Δ →   drag the points"
        painter.drawText(QPointF(room.left(), room.bottom() + 2 * high), words)
        painter.save()
        painter.translate(2 * SPACING, room.center().y() + metrics.horizontalAdvance("time →") / 2)
        painter.rotate(-90)
        painter.drawText(QPointF(0, 0), "time →")
        painter.restore()

    def _paint_line(
        self, painter: QPainter, heights: list[float], colour: str, *, dots: bool
    ) -> None:
        points = [self.place(index, height) for index, height in enumerate(heights)]
        painter.setPen(QPen(QColor(colour), 2.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(points))
        painter.setBrush(QColor(colour))
        for index, point in enumerate(points if dots else []):
            chosen = self.hasFocus() and index == self.chosen
            painter.drawEllipse(point, 7 if chosen else 4, 7 if chosen else 4)


def make_question(question: Question, values: Sequence[float] = ()) -> QuestionWidget:
    """Return the widget of a question; `values` are those of a curve's sweep."""
    if question.kind == "curve":
        return CurveQuestion(question, values)
    kinds = {
        "number": NumberQuestion,
        "choice": ChoiceQuestion,
        "vertex": VertexQuestion,
        "bucket": BucketQuestion,
    }
    return kinds[question.kind](question)
