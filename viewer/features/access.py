"""For people who do not see all of it: the moment in words, less motion, a ring around the focus.

The words are those that a screen reader gets from each part, `summary_text` of a panel and the
description of the map, so both say the same. Fusion draws no focus around a map, a plot or a button
without a frame; the ring does. It appears with the first Tab and goes with the next click.
"""

from __future__ import annotations

from typing import cast

from PyQt6 import sip
from PyQt6.QtCore import QEvent, QObject, QRect, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen, QTextCursor
from PyQt6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from gpu.words import thousands
from viewer.common.text_size import scaled
from viewer.common.theme import Theme
from viewer.feature import FeaturePart, Window
from viewer.models.settings import STILL
from viewer.plots.live import LivePanel

WIDTH = 2  # pixels, outside the focused part where there is room
ROUND = 3.0  # pixels, radius of its corners
MOVES = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide)
SIZE = (640, 420)  # pixels at the reference text size


class FocusRing(QWidget):
    """A sheet over the window with a ring around the focused part."""

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName("Where the focus is")
        self._window, self._colour = window, theme.accent
        self._watched: list[QWidget] = []  # the focused part and its parents
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._follow)
        self.hide()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._colour = theme.accent
        self.update()

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Draw the ring."""
        inset = WIDTH / 2
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._colour), WIDTH))
        ring = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        painter.drawRoundedRect(ring, ROUND, ROUND)

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Follow the focused part where it moves."""
        if a1 is not None and a1.type() in MOVES:
            self._place()
        return False

    def _follow(self, _before: QWidget | None, now: QWidget | None) -> None:
        for part in self._watched:
            if not sip.isdeleted(part):
                part.removeEventFilter(self)
        self._watched = []
        if sip.isdeleted(self._window):
            return  # the window is being deleted
        by_keys = self._window.testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        while by_keys and now is not None and now.window() is self._window:
            self._watched.append(now)
            now.installEventFilter(self)
            now = now.parentWidget()
        self._place()

    def _place(self) -> None:
        room = self._room()
        self.setVisible(not room.isEmpty())
        if not room.isEmpty():
            self.setGeometry(room)
            self.raise_()

    def _room(self) -> QRect:
        """Return where the ring goes in the window, empty for nowhere."""
        if not self._watched or sip.isdeleted(self._watched[0]):
            return QRect()
        room = self._watched[0].rect()
        for part in self._watched[:-1]:
            room = room.translated(part.pos()) & part.parentWidget().rect()  # type: ignore[union-attr]
        if room.isEmpty() or not self._watched[0].isVisible() or len(self._watched) == 1:
            return QRect()
        return room.adjusted(-WIDTH, -WIDTH, WIDTH, WIDTH) & self._window.rect()


class AccessFeature(FeaturePart):
    """Describes, and keeps still."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.focus = FocusRing(window.as_widget(), window.theme)
        self._obey(window.settings.value(STILL, False) is True)

    def apply_theme(self, theme: Theme) -> None:
        """Take another theme."""
        self.focus.apply_theme(theme)

    def describe(self) -> None:
        """Show the moment in words, in a window of its own."""
        MomentDialog(self.moment_words(), self._window.as_widget()).open()

    def moment_words(self) -> str:
        """Return a paragraph for the graph, the time, and each panel that has something to say."""
        window = self._window
        window.build_plots()
        graph = window.session.graph
        parts = []
        if graph is not None:
            size = f"{thousands(graph.n)} vertices, {thousands(graph.m)} edges"
            source = graph.id_of(window.session.source)
            parts.append(f"Graph: {graph.name}, {size}, source {source}. {self._map_words()}")
        summary = window.comparison.summary()
        if summary is not None:
            parts.append(f"Comparison: {summary.words}")
        for dock in window.docks.by_key.values():
            words = described(dock.widget())
            if words:
                parts.append(f"{dock.windowTitle() or 'Time'}: {words}")
        return "\n\n".join(f"{part.rstrip('.')}." for part in parts)

    def set_still(self, still: bool) -> None:
        """Move less, or as usual; remembered."""
        self._window.settings.set_value(STILL, still)
        self._obey(still)

    def _map_words(self) -> str:
        view = self._window.graph_view
        view.flush()
        view.grab()  # the legend is found while the map is painted
        return view.map_text()

    def _obey(self, still: bool) -> None:
        self._window.playback.still = still
        self._window.controller.replay_short = not still
        self._window.as_widget().setAnimated(not still)
        self._window.actions_by_key["still"].setChecked(still)


def described(panel: QWidget | None) -> str:
    """Return what a panel says of itself, else what the first of its parts does."""
    if panel is None:
        return ""
    for part in (panel, *panel.findChildren(QWidget)):
        if isinstance(part, LivePanel):
            part.flush()
        speaks = getattr(part, "summary_text", None)
        words = cast(str, speaks()) if callable(speaks) else part.accessibleDescription()
        if words:
            return words
    return ""


class MomentDialog(QDialog):
    """The words, to be read, selected and copied."""

    def __init__(self, words: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("This moment in words")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = QPlainTextEdit(words)
        self.text.setReadOnly(True)
        self.text.setAccessibleName("This moment in words")
        self.text.setAccessibleDescription(words)
        self.text.setTabChangesFocus(True)
        flags = Qt.TextInteractionFlag.TextSelectableByKeyboard
        self.text.setTextInteractionFlags(self.text.textInteractionFlags() | flags)
        self.text.moveCursor(QTextCursor.MoveOperation.Start)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(self.text)
        column.addWidget(buttons)
        self.resize(*map(scaled, SIZE))
        self.text.setFocus()


install = AccessFeature
