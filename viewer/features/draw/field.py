"""A field on the canvas, right where the weight or the name stands.

Enter and Tab take what is typed, Escape leaves it. What cannot be taken keeps the field open, with
the sentence that says why under it; moving the focus away then leaves everything as it was.
"""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QEvent, QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QFontMetrics, QKeyEvent
from PyQt6.QtWidgets import QLabel, QLineEdit, QWidget

from gpu.errors import ParameterError
from viewer.common.text_size import scaled
from viewer.common.theme import Theme, mix

LEAST_WIDTH, ROOM = 54, 22  # pixels, at the reference text size
MESSAGE_WIDTH = 260


class FieldInPlace(QLineEdit):
    """One field, used for whatever is edited now."""

    ended = pyqtSignal(bool)  # whether it was left by Tab, to go on with what follows
    refused = pyqtSignal(str)  # why what was typed cannot be taken

    def __init__(self, canvas: QWidget) -> None:
        super().__init__(canvas)
        self.setObjectName("field_in_place")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._take: Callable[[str], None] | None = None
        self._middle = QPoint()
        self._theme: Theme | None = None
        self._message = QLabel(canvas)
        self._message.setObjectName("field_message")
        self._message.setWordWrap(True)
        self._message.hide()
        self.hide()
        self.textChanged.connect(self._place)
        self.textEdited.connect(lambda _text: self._show_problem(""))

    @property
    def active(self) -> bool:
        """Whether something is being edited."""
        return self._take is not None

    @property
    def problem(self) -> str:
        """The sentence under the field, "" where all is well."""
        return self._message.text() if self._message.isVisibleTo(self.parentWidget()) else ""

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self._show_problem(self.problem)

    def edit(
        self, middle: QPoint, name: str, text: str, take: Callable[[str], None], typed: str = ""
    ) -> None:
        """Begin to edit.

        middle : pixels of the canvas; name : for screen readers
        take : called with the text, raises ParameterError where it cannot be taken
        typed : what has been typed already, in place of `text`
        """
        self._take, self._middle = take, middle
        self.setAccessibleName(name)
        self.setText(typed or text)
        if typed:
            self.setCursorPosition(len(typed))
        else:
            self.selectAll()
        self._show_problem("")
        self._place()
        self.show()
        self.raise_()
        self.setFocus()

    def leave(self) -> None:
        """Stop editing; nothing changes."""
        self._end(False)

    def event(self, a0: QEvent | None) -> bool:
        """See Tab before the focus moves."""
        tabs = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
        pressed = isinstance(a0, QKeyEvent) and a0.type() == QEvent.Type.KeyPress
        if pressed and isinstance(a0, QKeyEvent) and a0.key() in tabs:
            self._commit(tab=a0.key() == tabs[0])
            return True
        return super().event(a0)

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Take on Enter, leave on Escape; other keys are for the text and go no further."""
        assert a0 is not None
        if a0.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._commit()
        elif a0.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(a0)
        a0.accept()

    def focusOutEvent(self, a0: object) -> None:
        """Take what is typed if it can be; a menu of the field's own is no leaving."""
        super().focusOutEvent(a0)  # type: ignore[arg-type]
        reason = a0.reason() if hasattr(a0, "reason") else None
        if self.active and reason != Qt.FocusReason.PopupFocusReason:
            self._commit(leaving=True)

    def _commit(self, tab: bool = False, leaving: bool = False) -> None:
        if self._take is None:
            return
        try:
            self._take(self.text())
        except ParameterError as error:
            if leaving:
                self._end(False)
            else:
                self._show_problem(str(error))
            self.refused.emit(str(error))
            return
        self._end(tab)

    def _end(self, tab: bool) -> None:
        if self._take is None:
            return
        self._take = None
        self._message.hide()
        had_focus = self.hasFocus()
        self.hide()
        parent = self.parentWidget()
        if had_focus and parent is not None:
            parent.setFocus()
        self.ended.emit(tab)

    def _place(self) -> None:
        metrics = QFontMetrics(self.font())
        width = max(metrics.horizontalAdvance(self.text()) + scaled(ROOM), scaled(LEAST_WIDTH))
        size = self.sizeHint()
        self.resize(width, size.height())
        self.move(self._middle - QPoint(width // 2, size.height() // 2))

    def _show_problem(self, words: str) -> None:
        theme = self._theme
        self._message.setVisible(bool(words))
        self._message.setText(words)
        self.setAccessibleDescription(words)
        if theme is None:
            return
        edge = theme.error if words else theme.accent
        self.setStyleSheet(
            f"#field_in_place {{ color: {theme.text}; background: {theme.base}; border: 2px solid"
            f" {edge}; border-radius: 4px; padding: 1px 2px; }}"
        )
        pale = mix(theme.base, theme.error, 0.1)
        self._message.setStyleSheet(
            f"#field_message {{ color: {theme.text}; background: {pale};"
            f" border: 1px solid {theme.error}; border-radius: 4px; padding: 4px 6px; }}"
        )
        parent = self.parentWidget()
        if words and parent is not None:
            width = min(scaled(MESSAGE_WIDTH), parent.width() - 8)
            self._message.resize(width, self._message.heightForWidth(width))
            left = min(max(4, self.x()), parent.width() - width - 4)
            below = self.geometry().bottom() + 4
            above = self.y() - self._message.height() - 4
            fits = below + self._message.height() < parent.height()
            self._message.move(left, below if fits or above < 0 else above)
            self._message.raise_()
