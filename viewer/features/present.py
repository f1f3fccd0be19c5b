"""Presenting: full screen and large; the window stands as before when it ends.

Esc ends it. Ctrl+plus and Ctrl+minus change the size of the text. The keys of playback and of a
lesson's pages (PgUp, PgDn: what a clicker sends) work as in the window.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PyQt6.QtCore import QByteArray, QRect, Qt
from PyQt6.QtGui import QShortcut
from PyQt6.QtWidgets import QToolBar

from viewer.docks import ARRANGEMENTS, SIMPLE
from viewer.feature import FeaturePart, Window
from viewer.models.session import Notice

PROJECTOR = "projector"
READABLE = 0.022  # of the screen's height: text that row 10 reads
LEAST_TEXT = 12  # pixels
STEPS = {"Ctrl++": 1.1, "Ctrl+=": 1.1, "Ctrl+-": 1 / 1.1}  # of the height of the text


@dataclass(frozen=True)
class Before:
    """How the window stood; `arrangements`: the lasting one, then the one shown."""

    theme: str
    arrangements: tuple[str, str]
    docks: QByteArray
    window: Qt.WindowState
    place: QRect


class PresentFeature(FeaturePart):
    """On and off; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._before: Before | None = None
        self._text = LEAST_TEXT  # pixels
        self._keys: list[QShortcut] = []
        self._told = False  # how one leaves

    def toggle(self) -> None:
        """Begin, or end."""
        self.close() if self._before else self.begin()

    def back(self) -> bool:
        """End the presentation."""
        was_on = self._before is not None
        self.close()
        return was_on

    def begin(self) -> None:
        """Full screen and large; remember how the window stood."""
        window, main = self._window, self._window.as_widget()
        self._trigger("draw_leave")
        self._before = Before(
            window.theme.name,
            (window.docks.base, window.docks.arrangement),
            main.saveState(),
            main.windowState(),
            main.geometry(),
        )
        window.modes.presenting = True
        tell = Notice("info", "Esc or F5 goes back.") if not self._told else None
        window.session.set_notice(tell)  # the one before is the person's, not the class's
        self._told = True
        screen = main.screen()
        height = screen.size().height() if screen is not None else main.height()
        self._text = round(READABLE * height)
        self._scale(1.0)
        for keys, factor in STEPS.items():
            key = QShortcut(keys, main)
            key.activated.connect(partial(self._scale, factor))
            self._keys.append(key)
        self._show_bars(False)
        if screen is not None and self._before.window == Qt.WindowState.WindowNoState:
            main.setGeometry(screen.geometry())  # where no window manager does that
        main.showFullScreen()
        shown, turn = window.docks.arrangement, window.actions_by_key.find("lesson_next")
        if turn is None or not turn.isEnabled():  # a lesson has widths of its own
            window.docks.choose(SIMPLE if shown in ARRANGEMENTS else shown)  # shares of the width
        main.setFocus()

    def close(self) -> None:
        """Put the window back as it was. Idempotent."""
        before, self._before = self._before, None
        if before is None:
            return
        window, main = self._window, self._window.as_widget()
        self._trigger("draw_leave")
        window.modes.presenting = False
        window.session.set_notice(None)
        while self._keys:
            self._keys.pop().deleteLater()
        base, shown = before.arrangements
        window.docks.mark(base)
        if window.docks.has(shown):
            window.docks.mark(shown)
        self._show_bars(True)
        main.setWindowState(before.window)
        if before.window == Qt.WindowState.WindowNoState:
            main.setGeometry(before.place)
        window.set_theme(before.theme)
        if window.docks.arrangement == shown:
            main.restoreState(before.docks)
        else:
            window.docks.choose(base)

    def _scale(self, factor: float) -> None:
        """Make the text larger or smaller."""
        self._text = max(round(self._text * factor), LEAST_TEXT)
        self._window.set_theme(PROJECTOR, self._text)

    def _show_bars(self, shown: bool) -> None:
        main = self._window.as_widget()
        for bar in (main.menuBar(), main.findChild(QToolBar, "toolbar"), main.statusBar()):
            if bar is not None:
                bar.setVisible(shown)


install = PresentFeature
