"""A ring around whatever has the focus, for who moves by keys.

Fusion shows the focus of fields, and not that of a map, a plot, or a button without a frame. The
ring appears with the first Tab and goes with the next click, as in browsers. It is a sheet over
the window, so that no part's own drawing changes.
"""

from __future__ import annotations

from PyQt6 import sip
from PyQt6.QtCore import QEvent, QObject, QRect, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QApplication, QWidget

from viewer.common.theme import Theme

WIDTH = 2  # pixels, outside of what has the focus where there is room
ROUND = 3.0  # pixels, radius of its corners
MOVES = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide)


class FocusRing(QWidget):
    """Follows the focus inside one window."""

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName("Where the focus is")
        self._window, self._colour = window, theme.accent
        self._watched: list[QWidget] = []  # what has the focus, and what it lies in
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._follow)
        self.hide()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._colour = theme.accent
        self.update()

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Draw the ring."""
        inset = WIDTH / 2
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._colour), WIDTH))
        ring = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        painter.drawRoundedRect(ring, ROUND, ROUND)

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Follow what has the focus where it goes."""
        if a1 is not None and a1.type() in MOVES:
            self._place()
        return False

    def _follow(self, _before: QWidget | None, now: QWidget | None) -> None:
        for part in self._watched:
            if not sip.isdeleted(part):
                part.removeEventFilter(self)
        self._watched = []
        if sip.isdeleted(self._window):
            return  # the window goes, and takes the focus from its parts on the way
        by_keys = self._window.testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        while by_keys and now is not None and now.window() is self._window:
            self._watched.append(now)
            now.installEventFilter(self)
            now = now.parentWidget()
        self._place()

    def _place(self) -> None:
        room = self._room()
        self.setVisible(not room.isEmpty())
        if not room.isEmpty():
            self.setGeometry(room)
            self.raise_()

    def _room(self) -> QRect:
        """Return where the ring goes in the window, empty for nowhere."""
        if not self._watched or sip.isdeleted(self._watched[0]):
            return QRect()
        room = self._watched[0].rect()
        for part in self._watched[:-1]:
            room = room.translated(part.pos()) & part.parentWidget().rect()  # type: ignore[union-attr]
        if room.isEmpty() or not self._watched[0].isVisible() or len(self._watched) == 1:
            return QRect()
        return room.adjusted(-WIDTH, -WIDTH, WIDTH, WIDTH) & self._window.rect()
