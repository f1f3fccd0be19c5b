"""Words from files where people see them: plain, on one line, never taken for HTML."""

from __future__ import annotations

import textwrap
from functools import partial
from typing import Any

from PyQt6.QtCore import QEvent, QObject, QPoint, Qt
from PyQt6.QtGui import QCursor
from PyQt6.QtWidgets import QLabel, QProxyStyle

from gpu.words import in_sight

TIP_LINE = 60  # characters of a line of a tooltip
BESIDE = QPoint(2, 20)  # where it begins, pixels from the pointer


class PlainStyle(QProxyStyle):
    """A style in which labels are plain text, and tooltips, which are labels, have short lines."""

    def polish(self, what: Any) -> Any:
        """Take a widget (or palette, or application) before it is first shown."""
        if isinstance(what, QLabel) and what.textFormat() == Qt.TextFormat.AutoText:
            what.setTextFormat(Qt.TextFormat.PlainText)
            if what.windowType() == Qt.WindowType.ToolTip:
                what.installEventFilter(self)
        return super().polish(what)

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Fold the lines of a tooltip; Qt makes one line of each paragraph, as wide as that is."""
        seen = a1 is not None and a1.type() in (QEvent.Type.Show, QEvent.Type.Resize)
        if seen and isinstance(a0, QLabel):
            folded = folded_lines(a0.text())
            if folded != a0.text():
                a0.setWordWrap(False)
                a0.setText(folded)
                a0.adjustSize()
                if (screen := a0.screen()) is not None:  # Qt has placed it by its long lines
                    last = screen.availableGeometry().bottomRight() - a0.rect().bottomRight()
                    at = QCursor.pos() + BESIDE
                    above = at.y() - a0.height() - 2 * BESIDE.y()
                    a0.move(min(at.x(), last.x()), at.y() if at.y() <= last.y() else above)
        return False


def folded_lines(words: str) -> str:
    """Return words in lines of at most TIP_LINE characters; what is no word is not broken."""
    fill = partial(textwrap.fill, width=TIP_LINE, break_long_words=False, break_on_hyphens=False)
    return "\n".join(fill(line) if len(line) > TIP_LINE else line for line in words.split("\n"))


def button_words(words: str) -> str:
    """Return words for a button, tab or menu, where & would mark a key."""
    return in_sight(words).replace("&", "&&")


def title_words(words: str) -> str:
    """Return words for a window's title, where [*] would mark unsaved work."""
    return in_sight(words).replace("[*]", "[*][*]")
