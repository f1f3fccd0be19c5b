"""Words of strangers where people see them: plain, on one line, what is seen being what is there.

Names of graphs, vertices and devices, sentences of errors and titles of lessons come from files.
Qt takes a text that looks like HTML for HTML in every label and every tooltip, unless it is told
otherwise; `PlainStyle` tells it, once for the whole program. A label that is to be rich says so
itself (`setTextFormat`), and escapes what is not its own. `gpu.words.in_sight` does the rest for
names; here is what only buttons and titles need.
"""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QLabel, QProxyStyle

from gpu.words import in_sight


class PlainStyle(QProxyStyle):
    """A style in which labels are plain text; tooltips are labels."""

    def polish(self, what: Any) -> Any:
        """Take a widget (or palette, or application) before it is first shown."""
        if isinstance(what, QLabel) and what.textFormat() == Qt.TextFormat.AutoText:
            what.setTextFormat(Qt.TextFormat.PlainText)
        return super().polish(what)


def button_words(words: str) -> str:
    """Return words for a button, tab or menu, where & would mark a key."""
    return in_sight(words).replace("&", "&&")


def title_words(words: str) -> str:
    """Return words for a window's title, where [*] would mark unsaved work."""
    return in_sight(words).replace("[*]", "[*][*]")
