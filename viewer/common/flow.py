"""A row of widgets that takes another line where it is narrow: nothing is cut at large text."""

from __future__ import annotations

from PyQt6.QtCore import QPoint, QRect, QSize, Qt
from PyQt6.QtWidgets import QLayout, QLayoutItem, QWidget

from viewer.common.theme import SPACING


class FlowLayout(QLayout):
    """Items from left to right, in as many lines as they need."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setSpacing(SPACING)

    def addItem(self, a0: QLayoutItem | None) -> None:
        """Take an item; `addWidget` calls this."""
        if a0 is not None:
            self._items.append(a0)

    def count(self) -> int:
        """Return how many items there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item by its place."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Give an item back."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Return none: it is as large as its items."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Return True: fewer pixels across are more lines."""
        return True

    def heightForWidth(self, a0: int) -> int:
        """Return the height of all lines at a width."""
        return self._places(QRect(0, 0, a0, 0))[1]

    def sizeHint(self) -> QSize:
        """Return the size of one line."""
        margins = self.contentsMargins()
        shown = [item.sizeHint().width() for item in self._items if not item.isEmpty()]
        width = sum(shown) + self.spacing() * max(len(shown) - 1, 0)
        width += margins.left() + margins.right()
        return QSize(width, self.heightForWidth(width))

    def minimumSize(self) -> QSize:
        """Return the room of the widest item."""
        margins, least = self.contentsMargins(), QSize()
        for item in self._items:
            if not item.isEmpty():
                least = least.expandedTo(item.minimumSize())
        return least.grownBy(margins)

    def setGeometry(self, a0: QRect) -> None:
        """Put every item in its place."""
        super().setGeometry(a0)
        for item, place in self._places(a0)[0]:
            item.setGeometry(place)

    def _places(self, room: QRect) -> tuple[list[tuple[QLayoutItem, QRect]], int]:
        """Return where each item stands in a room, and how high that is with its margins."""
        margins, inner = self.contentsMargins(), room.marginsRemoved(self.contentsMargins())
        shown = [item for item in self._items if not item.isEmpty()]
        high = max((item.sizeHint().height() for item in shown), default=0)  # of each line
        places: list[tuple[QLayoutItem, QRect]] = []
        at = inner.topLeft()
        for item in shown:
            size = item.sizeHint().boundedTo(QSize(inner.width(), high))
            if at.x() > inner.left() and at.x() + size.width() > inner.right() + 1:
                at = QPoint(inner.left(), at.y() + high + self.spacing())
            places.append((item, QRect(at + QPoint(0, (high - size.height()) // 2), size)))
            at += QPoint(size.width() + self.spacing(), 0)
        return places, at.y() + high - inner.top() + margins.top() + margins.bottom()
