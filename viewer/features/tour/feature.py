"""The tour at work: from stop to stop over the real panels, with the recorded pair on them.

It begins with the runs that the window opens on, so that its words are true of what is seen; a run
that was shown before is shown again when it ends. Panels that a stop needs are shown. Nothing is
locked: a person may use the window meanwhile, and leave at any stop.
"""

from __future__ import annotations

from PyQt6.QtCore import QPoint, QRect, QTimer
from PyQt6.QtWidgets import QWidget

from viewer.common.later import later
from viewer.common.theme import Theme
from viewer.docks import FIRST
from viewer.feature import FeaturePart, Opening, Window
from viewer.features.tour.bubble import Border, Bubble
from viewer.features.tour.stops import STOPS
from viewer.models.session import RunRecord

DOCK = "dock_"
FOLLOW_MS = 60  # between two looks at where the panel is: docks and bars take their room late


class TourFeature(FeaturePart):
    """Leads through the stops; `place` is the one that is shown, -1 for none."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        main = window.as_widget()
        self.place = -1
        self._before: RunRecord | None = None
        self._layout = ""
        self.border, self.bubble = Border(main), Bubble(main)
        self.bubble.next_requested.connect(lambda: self.go(self.place + 1))
        self.bubble.back_requested.connect(lambda: self.go(self.place - 1))
        self.bubble.skip_requested.connect(self.end)
        self._follow = QTimer(self)
        self._follow.setInterval(FOLLOW_MS)
        self._follow.timeout.connect(self._stand)
        self.apply_theme(window.theme)

    def begin(self) -> None:
        """Show the recorded pair and the first stop."""
        window, current = self._window, self._window.session.current
        if self.place >= 0:
            return
        self._before = current if current is not None and not current.recorded_on else None
        self._layout = window.docks.arrangement
        opening = window.part(Opening)
        if opening is not None:
            opening.show_again()
        window.docks.choose(FIRST)
        later(self, lambda: self.go(0))  # once the docks stand

    def go(self, place: int) -> None:
        """Show a stop; past the last one the tour ends."""
        if place >= len(STOPS):
            self.end()
        elif place >= 0:
            self.place = place
            self._show_stop()

    def end(self) -> None:
        """Leave; what was shown before is shown again. Idempotent."""
        if self.place < 0:
            return
        self.place, before, self._before = -1, self._before, None
        window = self._window
        self._follow.stop()
        self.border.hide()
        self.bubble.hide()
        if self._layout != window.docks.arrangement:
            window.docks.choose(self._layout)
        if before is not None and before in window.session.runs:
            window.controller.show_run(before)

    def close(self) -> None:
        """The window closes."""
        self.end()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.border.colour = theme.accent
        self.bubble.apply_theme(theme)
        self.border.setGeometry(QRect())  # the card has another size: it stands anew
        self._stand()

    def _show_stop(self) -> None:
        stop = STOPS[self.place]
        if stop.place.startswith(DOCK):
            self._window.show_dock(stop.place.removeprefix(DOCK))
            self._window.docks[stop.place.removeprefix(DOCK)].raise_()
        self.bubble.show_stop(stop, self.place, len(STOPS))
        self.border.show()
        self.bubble.show()
        self.border.setGeometry(QRect())
        self._stand()
        self._follow.start()
        self.bubble.next.setFocus()

    def _stand(self) -> None:
        """Stand beside the panel, wherever it is by now."""
        target = self.target()
        if self.place < 0 or target is None:
            return
        main = self._window.as_widget()
        rect = QRect(target.mapTo(main, QPoint(0, 0)), target.size())
        if rect == self.border.geometry() and main.rect().contains(self.bubble.geometry()):
            return
        self.border.setGeometry(rect)
        self.bubble.stand_beside(rect, main.size())
        self.border.raise_()
        self.bubble.raise_()

    def target(self) -> QWidget | None:
        """Return what the stop points at, None where it is not there."""
        if self.place < 0:
            return None
        found = self._window.as_widget().findChild(QWidget, STOPS[self.place].place)
        return found if found is not None and found.isVisible() else self._window.graph_view


install = TourFeature
