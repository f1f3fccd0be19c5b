"""A label that says as much as there is room for, and the whole of it in its tooltip."""

from __future__ import annotations

import re
from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QPainter
from PyQt6.QtWidgets import QLabel, QSizePolicy

# where a sentence may end: before a bracket, or outside of one
PARTS = re.compile(r" \(|(?: ·|; |, |: | from | at |(?: and)? by | against | modelled)(?![^(]*\))")


class ElidedLabel(QLabel):
    """One line that ends with a part of its sentence, or in an ellipsis, where there is no room.

    The tooltip has it whole.

    detail : what the tooltip says, after the words if these are cut
    """

    def __init__(self, text: str = "", role: str = "muted") -> None:
        super().__init__(text)
        self.detail = ""
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(24)

    def paintEvent(self, event: Any) -> None:
        """Draw as much of the text as fits."""
        room, shown = self.contentsRect(), self.shown()
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(room, int(self.alignment()), shown)
        whole = shown == self.text() or self.text() in self.detail
        cut = "" if whole else self.text()
        tip = "\n\n".join(filter(None, (cut, self.detail)))
        if self.toolTip() != tip:
            self.setToolTip(tip)

    def shown(self) -> str:
        """Return what is drawn of the text: all, a part, or what an ellipsis ends."""
        width, room = self.fontMetrics().horizontalAdvance, self.contentsRect().width()
        for end in reversed([part.start() for part in PARTS.finditer(self.text())]):
            if width(self.text()) > room >= width(self.text()[:end]):
                return self.text()[:end]
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room)
