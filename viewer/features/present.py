"""The presentation at work: it puts the window back as it was when it ends.

While it lasts, one event filter of the application sees the keys first: Esc ends it (where marks
of measuring are set, it takes them away first), B blanks, Ctrl+plus and Ctrl+minus change the size
of the text, which begins at a share of the screen's height, and what clickers send
(Page Up and Down, and the arrows while a lesson is open) turns the pages of the lesson. Otherwise
the arrows, Home, End and Space are playback's, wherever the focus is: no list changes before a
class. A key typed into a field is the field's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PyQt6.QtCore import QByteArray, QEvent, QObject, Qt
from PyQt6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PyQt6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QToolBar,
    QWidget,
)

from viewer.docks import SIMPLE
from viewer.feature import FeaturePart, Microscope, Window

if TYPE_CHECKING:
    from viewer.plots.timeline import Timeline

PROJECTOR = "projector"
READABLE = 0.022  # of the screen's height: text that row 10 reads
LEAST_TEXT = 12  # pixels
LARGER = {Qt.Key.Key_Plus: 1.1, Qt.Key.Key_Equal: 1.1, Qt.Key.Key_Minus: 1 / 1.1}
FIELDS = (QLineEdit, QAbstractSpinBox, QTextEdit, QPlainTextEdit)
PLAYBACK = (
    Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Space,
)  # fmt: skip
FORWARD, BACK = (Qt.Key.Key_Right, Qt.Key.Key_PageDown), (Qt.Key.Key_Left, Qt.Key.Key_PageUp)


PAGES = (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp)


class Curtain(QWidget):
    """A black sheet over the whole window."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAccessibleName("Blank screen; any key returns")
        self.setCursor(Qt.CursorShape.BlankCursor)
        self.hide()

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Fill with black."""
        QPainter(self).fillRect(self.rect(), Qt.GlobalColor.black)


class PresentFeature(FeaturePart):
    """On and off; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._before: tuple[str, str, str, QByteArray, Qt.WindowState] | None = None
        self._text = 0  # height of the text, pixels
        self.curtain = Curtain(window.as_widget())

    @property
    def on(self) -> bool:
        """Whether a presentation goes on."""
        return self._window.modes.presenting

    def needs(self) -> dict[str, bool]:
        """Say whether a presentation is going on."""
        return {"presenting": self.on}

    def toggle(self) -> None:
        """Begin, or end."""
        self.end() if self.on else self.begin()

    def begin(self) -> None:
        """Full screen and large; remember how the window stood."""
        window, main = self._window, self._window.as_widget()
        self._before = (
            window.theme.name,
            window.docks.base,
            window.docks.arrangement,
            main.saveState(),
            main.windowState(),
        )
        window.modes.presenting = True
        window.session.set_notice(None)  # it is the person's, not the class's
        screen = main.screen()
        height = screen.size().height() if screen is not None else main.height()
        self._write_larger(max(round(READABLE * height), LEAST_TEXT))
        if not self._lesson_open():
            window.docks.choose(SIMPLE)
        self._show_bars(False)
        main.showFullScreen()
        app = QApplication.instance()
        assert app is not None
        app.installEventFilter(self)
        window.enable_actions()

    def end(self) -> None:
        """Put the window back as it was. Idempotent."""
        if not self.on or self._before is None:
            return
        app = QApplication.instance()
        assert app is not None
        app.removeEventFilter(self)
        window, main = self._window, self._window.as_widget()
        theme, base, arrangement, state, window_state = self._before
        window.modes.presenting, self._before = False, None
        self.curtain.hide()
        self._show_bars(True)
        main.setWindowState(window_state)
        window.set_theme(theme)
        for name in (base, arrangement):
            window.docks.mark(name)
        main.restoreState(state)
        window.enable_actions()
        window.modes.presentation_ended.emit()

    def _write_larger(self, pixels: int) -> None:
        """Write everything in this height."""
        self._text = pixels
        self._window.set_theme(PROJECTOR, pixels)

    def close(self) -> None:
        """The window closes: remember the theme that was there before."""
        self.end()

    def blank(self) -> None:
        """Black, until any key or click."""
        if self.on:
            self.curtain.setGeometry(self._window.as_widget().rect())
            self.curtain.show()
            self.curtain.raise_()

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """See keys and mouse first, while a presentation goes on."""
        pressed = isinstance(a1, QMouseEvent) and a1.type() == QEvent.Type.MouseButtonPress
        if pressed and self.curtain.isVisible():
            self.curtain.hide()
            return True
        if isinstance(a1, QKeyEvent) and a1.type() == QEvent.Type.KeyPress:
            return self._press(a1)
        return False

    def _press(self, event: QKeyEvent) -> bool:
        """Return whether the key was ours."""
        if self.curtain.isVisible():
            self.curtain.hide()
            return True
        if event.key() == Qt.Key.Key_Escape:
            measure = self._window.playback.measure
            measure.clear() if measure.active else self.end()
            return True
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and event.key() in LARGER:
            factor = LARGER[Qt.Key(event.key())]
            self._write_larger(max(round(self._text * factor), LEAST_TEXT))
            return True
        if event.modifiers() != Qt.KeyboardModifier.NoModifier or self._typing():
            return False
        if event.key() == Qt.Key.Key_B:
            self.blank()
        elif event.key() in self._page_keys():
            key = "lesson_next" if event.key() in FORWARD else "lesson_back"
            self._window.actions_by_key[key].trigger()
        elif event.key() in PLAYBACK and not self._choosing(event):
            self._window.build_plots()
            cast("Timeline", self._window.plots["timeline"]).keyPressEvent(event)
        else:
            return False
        return True

    def _typing(self) -> bool:
        focused = QApplication.focusWidget()
        return isinstance(focused, FIELDS) or (
            isinstance(focused, QComboBox) and focused.isEditable()
        )

    def _choosing(self, event: QKeyEvent) -> bool:
        """Whether a list is open, a drawing is made, or Space presses a button."""
        focused = QApplication.focusWidget()
        pressed = event.key() == Qt.Key.Key_Space and isinstance(focused, QAbstractButton)
        popup = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        return popup is not None or pressed or self._window.modes.drawing

    def _page_keys(self) -> tuple[Qt.Key, ...]:
        """Return what turns the pages of a lesson; while events are seen, arrows step them."""
        if not self._lesson_open():
            return ()
        scope = self._window.part(Microscope)
        watched = scope is not None and scope.events_done is not None
        return PAGES if watched else FORWARD + BACK

    def _lesson_open(self) -> bool:
        turn = self._window.actions_by_key.find("lesson_next")
        return turn is not None and turn.isEnabled()

    def _show_bars(self, shown: bool) -> None:
        main = self._window.as_widget()
        for bar in (main.menuBar(), main.findChild(QToolBar, "toolbar"), main.statusBar()):
            if bar is not None:
                bar.setVisible(shown)


install = PresentFeature
