"""Measuring: the keys, and the strip below the graph with both marks and a small table.

The strip is as wide as the graph and as high as its lines. If both marks leave no room for the
clock's name and *Copy*, these are left out, so large text asks for no wider window. Columns that do
not fit stand in a second band; with two runs, which take four lines, only the copy and the tooltip
have them, because the maps need the height.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from PyQt6.QtCore import QEvent, QRect, QSize, Qt, QTimer
from PyQt6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PyQt6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QToolButton,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from gpu.study.interval import QUANTITIES
from gpu.words import time_unit, time_words
from viewer.common.elided import ElidedLabel
from viewer.common.glossary import explain
from viewer.common.small_widgets import chip
from viewer.common.text_size import scaled, small_font
from viewer.common.theme import LIGHT, SPACING, Theme
from viewer.docks import PLOTS
from viewer.feature import FeaturePart, Window
from viewer.models.comparison import ComparisonModel
from viewer.models.measure import MeasureModel
from viewer.models.playback import PlaybackModel
from viewer.models.readout import Readout, readout
from viewer.models.session import Notice, SessionModel
from viewer.plots.live import REFRESH_MS

FAR = 10  # samples that a mark moves with Ctrl
APART, LEAST = 18, 40  # pixels: between two columns; the least of one
COPY = "Copy what is measured, as a table"
COPY_ALL = f"{COPY}: also what has no room here"
LOW = 420  # pixels, at the reference text size: in a lower middle two runs have two rows
LARGEST = 10_000  # pixels
STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: +1}


class MeasureStrip(QFrame):
    """Shows what is measured; hidden while nothing is. See the module docstring."""

    def __init__(
        self, session: SessionModel, playback: PlaybackModel, pair: ComparisonModel
    ) -> None:
        super().__init__()
        self._session, self._playback, self._pair = session, playback, pair
        self.setAccessibleName("Measured between the marks")
        self.marks = tuple(MarkButton(place, playback.measure) for place in range(2))
        self.note = ElidedLabel()
        self.copy_button = chip("Copy", COPY)
        self.end_button = chip("✕", "Take the marks away")
        self.cells = Cells()
        self._put_away = False  # the graph above it is not shown
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(REFRESH_MS)
        self._build()
        self._connect()
        self.setVisible(playback.measure.active)

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(SPACING // 2)
        for mark in self.marks:
            head.addWidget(mark)
        head.addWidget(self.note, 1)
        head.addStretch()
        head.addWidget(self.copy_button)
        head.addWidget(self.end_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING, SPACING // 2, SPACING, SPACING // 2)
        column.setSpacing(SPACING // 2)
        column.addLayout(head)
        column.addWidget(self.cells)
        self._fold()

    def _connect(self) -> None:
        playback, pair = self._playback, self._pair
        for place, mark in enumerate(self.marks):
            mark.clicked.connect(partial(self._go, place))
        playback.measure.changed.connect(self._show_marks)
        for news in (
            playback.cursor_changed,
            playback.duration_changed,
            pair.pair_changed,
            pair.clocks_changed,
            self._session.run_changed,
            self._session.samples_appended,
        ):
            news.connect(self._schedule)
        self._timer.timeout.connect(self.refresh)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.setStyleSheet(f"MeasureStrip {{ border-top: 1px solid {theme.border}; }}")
        self.cells.apply_theme(theme)

    def refresh(self) -> None:
        """Read off anew, now."""
        self._timer.stop()
        result = readout(self._session, self._playback, self._pair)
        if result is None:
            return
        for button, mark in zip(self.marks, self._playback.measure.marks, strict=True):
            button.show_words("cursor" if mark is None else time_words(mark, result.unit))
        self._fold()
        self.note.setText(self._note(result))
        above = self.parentWidget()
        low = above is not None and above.height() < scaled(LOW)
        self.cells.show_rows(result.rows()[: 2 if low else None])  # A and B alone
        left_out = (low and result.b is not None) or len(self.cells.places()) < len(QUANTITIES)
        self.copy_button.setToolTip(COPY_ALL if left_out else COPY)
        self.setToolTip(result.words if left_out else "")
        self.setAccessibleDescription(result.words)

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Show of the head what there is room for."""
        super().resizeEvent(a0)
        self._fold()

    def changeEvent(self, a0: QEvent | None) -> None:
        """The same for another size of text."""
        super().changeEvent(a0)
        if a0 is not None and a0.type() == QEvent.Type.FontChange:
            self._fold()

    def _fold(self) -> None:
        """Show of the head what this width has room for."""
        gap = SPACING // 2
        least = sum(part.sizeHint().width() + gap for part in (*self.marks, self.end_button))
        least += 2 * SPACING  # its margins
        self.setMinimumWidth(least)
        for part in (self.copy_button, self.note):
            width = part.minimumWidth() if part is self.note else part.sizeHint().width()
            least += width + gap
            part.setVisible(least <= self.width())

    def _note(self, result: Readout) -> str:
        run = self._session.current
        clock = run.clock_words if run is not None else ""
        if result.b is None:
            return clock
        return f"{result.area} between the curves · {clock}"

    def put_away(self, away: bool) -> None:
        """Hide it while no graph is shown above it."""
        self._put_away = away
        self._show_marks()

    def _show_marks(self) -> None:
        self.setVisible(self._playback.measure.active and not self._put_away)
        self._schedule()

    def _schedule(self, *_: object) -> None:
        if self._playback.measure.active and not self._timer.isActive():
            self._timer.start()

    def _go(self, place: int) -> None:
        mark = self._playback.measure.marks[place]
        if mark is not None:
            self._playback.set_cursor(mark)


class MarkButton(QToolButton):
    """One mark: click goes there, Left and Right move it by a sample, Delete takes it away."""

    def __init__(self, place: int, measure: MeasureModel) -> None:
        super().__init__()
        self._place, self._measure = place, measure
        self.setProperty("role", "chip")
        self.setToolTip(
            f"Mark {place + 1}: click to go there; Left and Right move it by a sample, "
            f"with Ctrl by {FAR}; Delete takes it away"
        )
        self.show_words("cursor")

    def show_words(self, words: str) -> None:
        """Say where it stands."""
        self.setText(f"{self._place + 1}: {words}")
        self.setAccessibleName(f"Mark {self._place + 1} at {words}")

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Move the mark, or take it away."""
        if a0 is None or self._measure.marks[self._place] is None:
            super().keyPressEvent(a0)
        elif a0.key() in STEPS:
            far = FAR if a0.modifiers() & Qt.KeyboardModifier.ControlModifier else 1
            self._measure.step(self._place, far * STEPS[Qt.Key(a0.key())])
        elif a0.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._measure.remove(self._place)
        else:
            super().keyPressEvent(a0)


class Cells(QWidget):
    """The table: a column for each quantity, in as many bands as the width asks for."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[tuple[str, tuple[str, ...]]] = []
        self._theme = LIGHT
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self._fit()

    def show_rows(self, rows: list[tuple[str, tuple[str, ...]]]) -> None:
        """Show rows (name, values in the order of QUANTITIES)."""
        if rows != self._rows:
            self._rows = rows
            self._fit()

    def sizeHint(self) -> QSize:
        """Return the height of all bands."""
        return QSize(200, self.places()[-1].bottom() + 1)

    def minimumSizeHint(self) -> QSize:
        """Return the same: nothing is cut."""
        return self.sizeHint().boundedTo(QSize(80, LARGEST))

    def places(self) -> list[QRect]:
        """Return where each column that is shown stands, title and all rows."""
        lead, height = self._lead(), self._band_height()
        left, top, boxes = lead, 0, []
        for width in self._widths():
            if left > lead and left + width > self.width():
                if len(self._rows) > 1:
                    break
                left, top = lead, top + height
            boxes.append(QRect(left, top, width, height))
            left += width + APART
        return boxes

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Take as many bands as this width asks for."""
        super().resizeEvent(a0)
        self._fit()

    def changeEvent(self, a0: QEvent | None) -> None:
        """Take the room of another size of text."""
        super().changeEvent(a0)
        if a0 is not None and a0.type() == QEvent.Type.FontChange:
            self._fit()

    def event(self, a0: QEvent | None) -> bool:
        """Explain the quantity under the pointer."""
        if isinstance(a0, QHelpEvent) and a0.type() == QEvent.Type.ToolTip:
            columns = zip(QUANTITIES, self.places(), strict=False)
            over = next((one.term for one, box in columns if box.contains(a0.pos())), None)
            QToolTip.showText(a0.globalPos(), explain(over) if over else "", self)
            return True
        return super().event(a0)

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Draw titles small, values below each other, the names of rows before each band."""
        painter, theme, line = QPainter(self), self._theme, self._line()
        inks = {"A": theme.runs[0], "B": theme.runs[1]}
        for place, (box, one) in enumerate(zip(self.places(), QUANTITIES, strict=False)):
            painter.setFont(small_font(self.font()))
            painter.setPen(QColor(theme.muted))
            painter.drawText(box.left(), box.top(), box.width(), line, 0, one.title)
            painter.setFont(self._strong())
            for number, (name, values) in enumerate(self._rows, 1):
                top = box.top() + number * line
                painter.setPen(QColor(theme.text))
                painter.drawText(box.left(), top, box.width(), line, 0, values[place])
                if box.left() == self._lead():
                    painter.setPen(QColor(inks.get(name, theme.muted)))
                    painter.drawText(0, top, self._lead(), line, 0, name)

    def _fit(self) -> None:
        self.updateGeometry()
        self.update()

    def _strong(self) -> QFont:
        font = QFont(self.font())
        font.setBold(True)
        return font

    def _line(self) -> int:
        return QFontMetrics(self._strong()).height() + 1

    def _band_height(self) -> int:
        return (len(self._rows) + 1) * self._line() + SPACING // 2

    def _lead(self) -> int:
        """Return the room of the rows' names."""
        metrics = QFontMetrics(self._strong())
        widest = max((metrics.horizontalAdvance(name) for name, _ in self._rows), default=0)
        return widest + APART if widest else 0

    def _widths(self) -> list[int]:
        """Return how wide each column must be, pixels."""
        titles, values = QFontMetrics(small_font(self.font())), QFontMetrics(self._strong())
        columns = zip(QUANTITIES, *(row for _, row in self._rows), strict=True)
        return [
            max(titles.horizontalAdvance(one.title), *map(values.horizontalAdvance, cells), LEAST)
            for one, *cells in columns
        ]


class MeasureFeature(FeaturePart):
    """Puts marks, shows and copies what lies between them."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._measure = window.playback.measure
        self.strip = MeasureStrip(window.session, window.playback, window.comparison)
        centre = window.graph_view.parentWidget()
        column = centre.layout() if centre is not None else None
        assert isinstance(column, QVBoxLayout)
        column.addWidget(self.strip)
        self.strip.apply_theme(window.theme)
        window.modes.drawing_changed.connect(lambda: self.strip.put_away(window.modes.drawing))
        self.strip.copy_button.clicked.connect(self.copy)
        self.strip.end_button.clicked.connect(self._measure.clear)
        self._measure.changed.connect(window.enable_actions)
        for key in PLOTS:
            for row in ("mark_1", "mark_2"):
                window.docks.offer(key, window.actions_by_key[row])
        window.comparison.clocks_changed.connect(self._know_b)
        window.comparison.pair_changed.connect(self._know_b)
        self._know_b()

    def needs(self) -> dict[str, bool]:
        """Say whether anything is measured."""
        return {"measuring": self._measure.active}

    def apply_theme(self, theme: Theme) -> None:
        """Pass a theme on."""
        self.strip.apply_theme(theme)

    def put(self, place: int) -> None:
        """Put mark 1 (place 0) or 2 (place 1) at the sample nearest to the cursor; say so."""
        cursor = self._window.playback.cursor_ns
        self._measure.put(place, cursor)
        mark = self._measure.marks[place]
        assert mark is not None
        unit = time_unit(self._window.playback.duration_ns)
        stands, cursor_words = time_words(mark, unit), time_words(cursor, unit)
        if stands != cursor_words:
            words = f"Mark {place + 1} is at {stands}, the sample nearest to {cursor_words}."
            self._window.session.set_notice(Notice("info", words))

    def copy(self) -> None:
        """Put the table on the clipboard."""
        window = self._window
        result, clipboard = (
            readout(window.session, window.playback, window.comparison),
            QApplication.clipboard(),
        )
        if result is not None and clipboard is not None:
            clipboard.setText(result.text())

    def _know_b(self) -> None:
        """Let marks past the end of A stand at samples of B."""
        pair = self._window.comparison
        if pair.b is not None:
            self._measure.set_more_instants(pair.clocks.to_a(pair.b.samples["t_ns"]))
        else:
            self._measure.set_more_instants(np.zeros(0))


install = MeasureFeature
