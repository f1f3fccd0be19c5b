"""What a stop looks like: a border around the widget, and beside it a card with words."""

from __future__ import annotations

from PyQt6.QtCore import QPoint, QRect, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from viewer.common.small_widgets import chip
from viewer.common.text_size import scaled
from viewer.common.theme import SPACING, Theme
from viewer.features.tour.stops import Stop

WIDTH = 320  # pixels, at the reference text size
GAP = 10  # pixels between the widget and its card
LINE = 4  # pixels of the border


class Border(QWidget):
    """A border around a part of the window; clicks go through."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.colour = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint the border."""
        painter = QPainter(self)
        painter.setPen(QPen(QColor(self.colour), LINE))
        painter.drawRect(self.rect().adjusted(LINE // 2, LINE // 2, -LINE // 2, -LINE // 2))


class Bubble(QFrame):
    """The card of a stop."""

    next_requested = pyqtSignal()
    back_requested = pyqtSignal()
    skip_requested = pyqtSignal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("tour_bubble")
        self.setAccessibleName("Tour of the window")
        self.title, self.words, self.count = QLabel(), QLabel(), QLabel()
        self.title.setProperty("role", "strong")
        self.words.setWordWrap(True)
        self.count.setProperty("role", "muted")
        self.skip, self.back = chip("Skip", "Leave the tour (Esc)"), chip("Back", "The stop before")
        self.next = QPushButton("Next")
        self.next.setProperty("role", "primary")
        foot = QHBoxLayout()
        foot.addWidget(self.count, 1)
        for button in (self.skip, self.back, self.next):
            foot.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACING, SPACING, 2 * SPACING, SPACING)
        for part in (self.title, self.words):
            column.addWidget(part)
        column.addLayout(foot)
        self.next.clicked.connect(self.next_requested)
        self.back.clicked.connect(self.back_requested)
        self.skip.clicked.connect(self.skip_requested)
        self.hide()

    def show_stop(self, stop: Stop, place: int, count: int) -> None:
        """Say what a stop is about; `place` from 0."""
        self.title.setText(stop.title)
        self.words.setText(stop.words)
        self.count.setText(f"{place + 1} of {count}")
        self.back.setEnabled(place > 0)
        self.next.setText("Next" if place < count - 1 else "Done")
        self.setAccessibleDescription(f"{stop.title}. {stop.words}")

    def stand_beside(self, target: QRect, room: QSize) -> None:
        """Stand where the target is not hidden, inside a window of size `room`."""
        self.setFixedWidth(min(scaled(WIDTH), room.width()))
        layout = self.layout()
        assert layout is not None
        self.resize(self.width(), layout.totalHeightForWidth(self.width()))
        self.move(place_beside(target, self.size(), room))

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.setStyleSheet(
            f"#tour_bubble {{ background: {theme.window}; border: 2px solid {theme.accent};"
            " border-radius: 4px; }"
        )

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Esc leaves, arrows turn, Enter goes on."""
        known = {
            Qt.Key.Key_Escape: self.skip_requested,
            Qt.Key.Key_Right: self.next_requested,
            Qt.Key.Key_Return: self.next_requested,
            Qt.Key.Key_Enter: self.next_requested,
            Qt.Key.Key_Left: self.back_requested,
        }
        if a0 is not None and Qt.Key(a0.key()) in known:
            known[Qt.Key(a0.key())].emit()
        else:
            super().keyPressEvent(a0)


def place_beside(target: QRect, size: QSize, room: QSize) -> QPoint:
    """Return where a card of a size stands in a window: right, left, above, below, or inside."""
    beside = (
        QPoint(target.right() + GAP, target.top()),
        QPoint(target.left() - GAP - size.width(), target.top()),
        QPoint(target.left(), target.top() - GAP - size.height()),
        QPoint(target.left(), target.bottom() + GAP),
    )
    inside = QRect(QPoint(0, 0), room)
    for corner in beside:
        y = min(max(corner.y(), 0), room.height() - size.height())
        for moved in (QPoint(corner.x(), y), corner):
            card = QRect(moved, size)
            if inside.contains(card) and not card.intersects(target):
                return moved
    middle = target.center() - QPoint(size.width() // 2, size.height() // 2)
    most = QPoint(room.width() - size.width(), room.height() - size.height())
    return QPoint(min(max(middle.x(), 0), most.x()), min(max(middle.y(), 0), most.y()))
