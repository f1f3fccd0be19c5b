"""A row of widgets that takes another line where it is narrow: nothing is cut at large text."""

from __future__ import annotations

from PyQt6.QtCore import QRect, QSize, Qt
from PyQt6.QtWidgets import QLayout, QLayoutItem, QWidget

from viewer.common.theme import SPACING


class FlowLayout(QLayout):
    """Items from left to right, in as many lines as they need; of a line's height in its middle."""

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
        return self._laid(QRect(0, 0, a0, 0), move=False)

    def sizeHint(self) -> QSize:
        """Return the size of one line."""
        shown = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() + self.spacing() for size in shown) - self.spacing()
        return self._with_margins(QSize(width, max((size.height() for size in shown), default=0)))

    def minimumSize(self) -> QSize:
        """Return the room of the widest item."""
        least = QSize()
        for item in self._items:
            if not item.isEmpty():
                least = least.expandedTo(item.minimumSize())
        return self._with_margins(least)

    def setGeometry(self, a0: QRect) -> None:
        """Put every item in its place."""
        super().setGeometry(a0)
        self._laid(a0, move=True)

    def _with_margins(self, size: QSize) -> QSize:
        margins = self.contentsMargins()
        across, down = margins.left() + margins.right(), margins.top() + margins.bottom()
        return size + QSize(across, down)

    def _laid(self, room: QRect, move: bool) -> int:
        """Lay items into a room, or only find out how high that is; return the height."""
        inner = room.marginsRemoved(self.contentsMargins())
        lines: list[list[QLayoutItem]] = [[]]
        used = 0
        for item in self._items:
            if item.isEmpty():
                continue
            width = item.sizeHint().width()
            if lines[-1] and used + width > inner.width():
                lines.append([])
                used = 0
            lines[-1].append(item)
            used += width + self.spacing()
        top = inner.top()
        for line in lines:
            high = max((item.sizeHint().height() for item in line), default=0)
            left = inner.left()
            for item in line:
                size = item.sizeHint().boundedTo(QSize(inner.width(), high))
                if move:
                    above = top + (high - size.height()) // 2
                    item.setGeometry(QRect(left, above, size.width(), size.height()))
                left += size.width() + self.spacing()
            top += high + self.spacing()
        margins = self.contentsMargins()
        return top - self.spacing() - inner.top() + margins.top() + margins.bottom()
