"""A matrix of distances as a picture, with the progress of its sources on the row axis.

    wheel          zoom about the pointer      double click   all of it
    click          choose row and column       arrows         the cell beside (Shift: ten further)
    + - 0          zoom, all of it             Home End       first, last column

The picture is `MatrixLook`'s, the colours are those of the graph view. Rows whose source waits at
the cursor are left blank, so time runs down the picture; what is unreached has a grey of its own.
"""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PyQt6.QtWidgets import QWidget

from viewer.common.colormaps import table_for
from viewer.common.text_size import scaled, small_font
from viewer.common.theme import THEMES, Theme, mix
from viewer.features.matrix.look import MatrixLook
from viewer.models.matrix import BEGUN, RUNNING, WAITING, MatrixModel, SourceStates, name_of
from viewer.models.session import RunRecord, SessionModel
from viewer.raster.matrix import Grid, colour_index, grid_of, packed_pixels

STRIP, GAP, TICK = 9, 3, 4  # pixels: progress of the sources, between things, a tick
GUTTER = 46  # pixels at the reference text size: names of rows
WHEEL_ZOOM, KEY_ZOOM = 1.0015, 1.25
FAR = 10  # cells of an arrow with Shift
ARROWS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class MatrixCanvas(QWidget):
    """Shows one run's matrix through the model's window; asks the model for what a person does."""

    pointed = pyqtSignal(int, int)  # row, column under the pointer; -1, -1: none

    def __init__(
        self, session: SessionModel, model: MatrixModel, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._model = session, model
        self._theme: Theme = THEMES["light"]
        self.look = MatrixLook(self)
        self.top = 1.0  # where the colour map ends
        self.states: SourceStates | None = None
        self._image: QImage | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(scaled(GUTTER) + 60, 70)
        self.setAccessibleName("Matrix of distances")
        self.look.changed.connect(self._forget_image)
        model.cell_changed.connect(self.update)
        model.window_changed.connect(self._show_window)

    # --- what is shown

    def show_record(self, record: RunRecord | None) -> None:
        """Show the matrix of a run, or of none."""
        self._look_at(record)
        self._forget_image()

    def show_states(self, states: SourceStates | None) -> None:
        """Show what the sources do at the cursor."""
        self.states = states
        self.update()

    def show_top(self, top: float) -> None:
        """Let the colour map end at a distance."""
        if top != self.top:
            self.top = top
            self._forget_image()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self._forget_image()

    @property
    def grid(self) -> Grid:
        """How the window is cut into the pixels that there are."""
        ratio = self.devicePixelRatioF()
        room = self.picture_rect()
        return grid_of(self._model.window, int(room.height() * ratio), int(room.width() * ratio))

    def picture_rect(self) -> QRect:
        """Return where the picture is, in pixels of this widget."""
        left = scaled(GUTTER) + STRIP + 2 * GAP
        below = self.fontMetrics().height() + TICK + GAP
        return QRect(
            left, GAP + 1, max(8, self.width() - left - GAP - 1), max(8, self.height() - below - 4)
        )

    def _look_at(self, record: RunRecord | None) -> None:
        self.look.show(record, self.grid if record is not None else None)

    def _show_window(self) -> None:
        self._look_at(self.look.record)
        self._forget_image()

    def _forget_image(self, _news: object = None) -> None:
        self._image = None
        self.update()

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Look at the matrix through as many pixels as there are now."""
        super().resizeEvent(a0)
        self._look_at(self.look.record)

    # --- places

    def entry_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return the row and column under a point; of a block of entries, its first."""
        room, grid = QRectF(self.picture_rect()), self.look.grid
        if grid is None or not room.contains(x, y):
            return None
        height, width = grid.shape
        pixel_row = min(int((y - room.top()) / room.height() * height), height - 1)
        pixel_column = min(int((x - room.left()) / room.width() * width), width - 1)
        row = grid.window.first_row + pixel_row * grid.row_step
        return row, grid.window.first_column + pixel_column * grid.column_step

    def cell_rect(self, row: int, column: int) -> QRectF | None:
        """Return the block of an entry, None where it is not in the picture."""
        place, grid, room = self.look.pixel(row, column), self.look.grid, self.picture_rect()
        if place is None or grid is None:
            return None
        tall, wide = room.height() / grid.shape[0], room.width() / grid.shape[1]
        return QRectF(room.left() + place[1] * wide, room.top() + place[0] * tall, wide, tall)

    # --- painting

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint picture, progress, axes and the chosen cell."""
        painter = QPainter(self)
        room = self.picture_rect()
        painter.fillRect(room, QColor(self._theme.plot))
        if self.look.grid is not None:
            self._paint_picture(painter, room)
            self._paint_sources(painter, room)
            self._paint_axes(painter, room)
            self._paint_cell(painter, room)
        edge = self._theme.accent if self.hasFocus() else self._theme.border
        painter.setPen(QColor(edge))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(room.adjusted(-1, -1, 0, 0))
        painter.end()

    def _paint_picture(self, painter: QPainter, room: QRect) -> None:
        image = self._picture()
        if image is None or self.look.grid is None:
            return
        painter.drawImage(QRectF(room), image)
        height = self.look.grid.shape[0]
        paper = QColor(self._theme.plot)
        for first, last in runs_of(self._worst(height) == WAITING):
            top = room.top() + room.height() * first / height
            bottom = room.top() + room.height() * last / height
            painter.fillRect(QRectF(room.left(), top, room.width(), bottom - top), paper)

    def _picture(self) -> QImage | None:
        """Return the picture in colours, made anew only where something in it has changed."""
        if self._image is None and self.look.mean.size:
            index = colour_index(self.look.mean, self.top)
            pixels = np.ascontiguousarray(packed_pixels(index, table_for("distance", self._theme)))
            height, width = pixels.shape
            kind = QImage.Format.Format_RGB32
            image = QImage(pixels.data, width, height, 4 * width, kind)  # type: ignore[call-overload]
            self._image = image.copy()
        return self._image

    def _worst(self, count: int) -> np.ndarray:
        """Return for `count` equal parts of the rows the state to show: running before all."""
        window = self._model.window
        if self.states is None or not count:
            return np.full(count, WAITING, np.uint8)
        state = self.states.state[window.first_row : window.first_row + window.rows]
        if not len(state):
            return np.full(count, WAITING, np.uint8)
        starts = np.minimum(np.arange(count) * len(state) // count, len(state) - 1)
        low, high = np.minimum.reduceat(state, starts), np.maximum.reduceat(state, starts)
        working = np.logical_or.reduceat(state == RUNNING, starts)
        mixed = (low == WAITING) & (high != WAITING)
        shown: np.ndarray = np.where(working | mixed, RUNNING, high).astype(np.uint8)
        shown[(high == BEGUN) & ~working] = BEGUN
        return shown

    def _paint_sources(self, painter: QPainter, room: QRect) -> None:
        colours = [QColor(colour) for colour in state_colours(self._theme)]
        shown = self._worst(room.height())
        left = room.left() - STRIP - GAP
        for state, colour in enumerate(colours):
            for first, last in runs_of(shown == state):
                painter.fillRect(left, room.top() + first, STRIP, last - first, colour)

    def _paint_axes(self, painter: QPainter, room: QRect) -> None:
        painter.setFont(small_font(self.font()))
        metrics = painter.fontMetrics()
        painter.setPen(QColor(self._theme.muted))
        window, record = self._model.window, self._model.record
        first_source = record.settings.source if record is not None else 0
        wide = scaled(GUTTER) - 2
        places = max(1, int(room.height() / (2.5 * metrics.height())))
        for row in places_of(window.first_row, window.rows, places):
            y = room.top() + room.height() * (row + 0.5 - window.first_row) / window.rows
            box = QRectF(0, y - metrics.height() / 2, wide, metrics.height())
            box.moveTop(min(max(box.top(), 0.0), float(self.height()) - box.height()))
            name = metrics.elidedText(
                name_of(self._session, first_source + row), Qt.TextElideMode.ElideLeft, wide
            )
            painter.drawText(
                box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), name
            )
        places = max(1, int(room.width() / (1.6 * wide)))
        for column in places_of(window.first_column, window.columns, places):
            share = (column + 0.5 - window.first_column) / window.columns
            x = room.left() + room.width() * share
            painter.drawLine(QPointF(x, room.bottom() + 1), QPointF(x, room.bottom() + TICK))
            name = metrics.elidedText(
                name_of(self._session, column), Qt.TextElideMode.ElideLeft, 2 * wide
            )
            width = metrics.horizontalAdvance(name)
            left = min(max(x - width / 2, room.left()), room.right() - width)
            painter.drawText(QPointF(left, room.bottom() + TICK + 1 + metrics.ascent()), name)

    def _paint_cell(self, painter: QPainter, room: QRect) -> None:
        """Paint two hairlines through the chosen row and column, and a box where they meet."""
        model = self._model
        row = self.cell_rect(model.row, model.window.first_column)
        column = self.cell_rect(model.window.first_row, model.column) if model.column >= 0 else None
        for colour, width in ((self._theme.plot, 3), (self._theme.text, 1)):
            painter.setPen(QPen(QColor(colour), width))
            if row is not None:
                y = row.center().y()
                painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
            if column is not None:
                x = column.center().x()
                painter.drawLine(QPointF(x, room.top()), QPointF(x, room.bottom()))
        box = self.cell_rect(model.row, model.column) if model.column >= 0 else None
        if box is not None:
            box = box.united(QRectF(box.center() - QPointF(3, 3), box.center() + QPointF(3, 3)))
            painter.setPen(QPen(QColor(self._theme.plot), 3))
            painter.drawRect(box)
            painter.setPen(QPen(QColor(self._theme.text), 1))
            painter.drawRect(box)

    # --- mouse and keys

    def wheelEvent(self, a0: QWheelEvent | None) -> None:
        """Zoom about the pointer."""
        entry = self.entry_at(a0.position().x(), a0.position().y()) if a0 is not None else None
        if a0 is not None and entry is not None:
            self._model.zoom(WHEEL_ZOOM ** -a0.angleDelta().y(), *entry)
            a0.accept()

    def mousePressEvent(self, a0: QMouseEvent | None) -> None:
        """Choose row and column."""
        entry = self.entry_at(a0.position().x(), a0.position().y()) if a0 is not None else None
        if a0 is not None and entry is not None and a0.button() == Qt.MouseButton.LeftButton:
            self._model.choose(*entry)

    def mouseMoveEvent(self, a0: QMouseEvent | None) -> None:
        """Say what is under the pointer."""
        if a0 is not None:
            self.pointed.emit(*(self.entry_at(a0.position().x(), a0.position().y()) or (-1, -1)))

    def mouseDoubleClickEvent(self, a0: QMouseEvent | None) -> None:
        """Show all of it."""
        self._model.fit()

    def leaveEvent(self, a0: QEvent | None) -> None:
        """Nothing is under the pointer."""
        self.pointed.emit(-1, -1)
        super().leaveEvent(a0)

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Move the cell, zoom."""
        if a0 is None or a0.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().keyPressEvent(a0)
            return
        key, model = a0.key(), self._model
        far = FAR if a0.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
        middle = (model.row, max(model.column, 0))
        if key in ARROWS:
            rows, columns = ARROWS[Qt.Key(key)]
            grid = self.look.grid
            steps = (grid.row_step, grid.column_step) if grid is not None else (1, 1)
            model.move(rows * far * steps[0], columns * far * steps[1])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            model.zoom(1 / KEY_ZOOM, *middle)
        elif key == Qt.Key.Key_Minus:
            model.zoom(KEY_ZOOM, *middle)
        elif key == Qt.Key.Key_0:
            model.fit()
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            model.choose_column(0 if key == Qt.Key.Key_Home else model.whole.columns - 1)
        else:
            super().keyPressEvent(a0)


def state_colours(theme: Theme) -> tuple[str, str, str, str]:
    """Return the colours of a waiting, running and finished source, and of one merely begun."""
    at_work, done = theme.data.tentative, theme.data.settled
    return theme.grid, at_work, done, mix(theme.plot, at_work, 0.5)


def runs_of(mask: np.ndarray) -> list[tuple[int, int]]:
    """Return [first, last) of each stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8)))
    return [(int(first), int(last)) for first, last in edges.reshape(-1, 2)]


def places_of(first: int, count: int, most: int) -> list[int]:
    """Return at most about `most` places of a range, round numbers where there are many."""
    step = max(1, -(-count // max(most, 1)))
    power = 10 ** (len(str(step)) - 1)
    step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= step)
    begin = -(-first // step) * step
    return list(range(begin, first + count, step))
