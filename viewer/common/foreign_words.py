"""Words of strangers where people see them: plain, on one line, what is seen being what is there.

Names of graphs, vertices and devices, sentences of errors and titles of lessons come from files.
Qt takes a text that looks like HTML for HTML in every label and every tooltip, unless it is told
otherwise; `PlainStyle` tells it, once for the whole program. A label that is to be rich says so
itself (`setTextFormat`), and escapes what is not its own. `gpu.words.in_sight` does the rest for
names; here is what only buttons, titles and tooltips need.
"""

from __future__ import annotations

import textwrap
from typing import Any

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtWidgets import QLabel, QProxyStyle

from gpu.words import in_sight

TIP_LINE = 60  # characters of a line of a tooltip
TIP_ABOVE = 30  # pixels from where Qt puts a tip, below the pointer, to above the pointer


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
                _put(a0, folded)
        return False


def folded_lines(words: str) -> str:
    """Return words in lines of at most TIP_LINE characters; what is no word is not broken."""
    lines = (
        textwrap.fill(line, TIP_LINE, break_long_words=False, break_on_hyphens=False)
        if len(line) > TIP_LINE
        else line
        for line in words.split("\n")
    )
    return "\n".join(lines)


def _put(tip: QLabel, words: str) -> None:
    """Show other words, smaller, and beside the pointer where the tip had been moved for room."""
    old, screen = tip.geometry(), tip.screen()
    tip.setWordWrap(False)
    tip.setText(words)
    tip.adjustSize()
    if screen is None:
        return
    room, new = screen.availableGeometry(), tip.geometry()
    if old.right() >= room.right() - 1:
        new.moveRight(room.right())
    if new.bottom() > room.bottom():
        new.moveBottom(min(room.bottom(), old.top() - TIP_ABOVE))
    tip.move(new.topLeft())


def button_words(words: str) -> str:
    """Return words for a button, tab or menu, where & would mark a key."""
    return in_sight(words).replace("&", "&&")


def title_words(words: str) -> str:
    """Return words for a window's title, where [*] would mark unsaved work."""
    return in_sight(words).replace("[*]", "[*][*]")
