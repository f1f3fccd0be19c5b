"""A text field on the canvas, where the name or weight stands that is edited.

Enter takes the text, Escape leaves it; moving the focus away takes it too. A text that is refused
keeps the field open, and `refused` says why; moving the focus away then changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent
from PyQt6.QtWidgets import QLineEdit, QWidget

from gpu.errors import ParameterError
from viewer.common.text_size import scaled
from viewer.common.theme import LIGHT, Theme

LEAST_WIDTH, ROOM = 54, 22  # pixels, at the reference text size


class FieldInPlace(QLineEdit):
    """One field, used for whatever is edited now."""

    refused = pyqtSignal(str)  # why the text cannot be taken

    def __init__(self, canvas: QWidget) -> None:
        super().__init__(canvas)
        self.setObjectName("field_in_place")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._take: Callable[[str], None] | None = None
        self._middle = QPoint()
        self._theme = LIGHT
        self.problem = ""  # why the text was refused, "" if it was not
        self.hide()
        self.textChanged.connect(self._place)
        self.textEdited.connect(lambda _text: self._show_problem(""))

    @property
    def active(self) -> bool:
        """Whether something is being edited."""
        return self._take is not None

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self._show_problem(self.problem)

    def edit(self, middle: QPoint, name: str, text: str, take: Callable[[str], None]) -> None:
        """Edit `text` around a place of the canvas.

        name : for screen readers; take : called with the new text, raises ParameterError
        """
        self._take, self._middle = take, middle
        self.setAccessibleName(name)
        self.setText(text)
        self.selectAll()
        self._show_problem("")
        self._place()
        self.show()
        self.raise_()
        self.setFocus()

    def leave(self) -> None:
        """Stop editing and change nothing."""
        if self._take is None:
            return
        self._take = None
        had_focus = self.hasFocus()
        self.hide()
        parent = self.parentWidget()
        if had_focus and parent is not None:
            parent.setFocus()

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Take the text on Enter, leave on Escape; other keys go no further than the field."""
        assert a0 is not None
        if a0.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._commit()
        elif a0.key() == Qt.Key.Key_Escape:
            self._show_problem("")
            self.leave()
        else:
            super().keyPressEvent(a0)
        a0.accept()

    def focusOutEvent(self, a0: QFocusEvent | None) -> None:
        """Take the text if it is allowed; the field's own menu is no reason."""
        super().focusOutEvent(a0)
        if self.active and a0 is not None and a0.reason() != Qt.FocusReason.PopupFocusReason:
            self._commit(leaving=True)

    def _commit(self, leaving: bool = False) -> None:
        take = self._take
        if take is None:
            return
        try:
            take(self.text())
        except ParameterError as error:
            self._show_problem(str(error))
            self.refused.emit(str(error))
            if not leaving:
                return
        if self._take is take:  # it asks for nothing more
            self.leave()

    def _place(self) -> None:
        metrics = QFontMetrics(self.font())
        width = max(metrics.horizontalAdvance(self.text()) + scaled(ROOM), scaled(LEAST_WIDTH))
        size = self.sizeHint()
        self.resize(width, size.height())
        self.move(self._middle - QPoint(width // 2, size.height() // 2))

    def _show_problem(self, words: str) -> None:
        self.problem = words
        self.setAccessibleDescription(words)
        self.setToolTip(words)
        theme = self._theme
        edge = theme.error if words else theme.accent
        self.setStyleSheet(
            f"#field_in_place {{ color: {theme.text}; background: {theme.base}; border: 2px solid"
            f" {edge}; border-radius: 4px; padding: 1px 2px; }}"
        )
