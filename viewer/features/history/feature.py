"""A history of what one looked at, as a browser has one of pages.

It is no part of undo: to look elsewhere changes nothing. A zoom by ten notches of a wheel or a long
drag is one step: it ends when nothing has moved for `REST_MS` and no button is held. What moves by
itself (a run that grows, the window of time that follows the cursor) is no step. Another graph, or
other places of its vertices, begins a new history; of another run, windows of time are passed over.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtWidgets import QApplication

from viewer.feature import FeaturePart, Window
from viewer.graph.canvas import Sight
from viewer.models.playback import Range

REST_MS = 500  # after which a movement is over
LIMIT = 100  # views kept, each way


@dataclass(frozen=True)
class View:
    """What is looked at; None for all of it.

    run_id : whose time it is, None for none ; time_ns : shown by the plots
    sight : where on the map ; pair : how two runs are seen ; edges : whether arcs are drawn
    """

    run_id: int | None
    time_ns: Range | None
    sight: Sight | None
    pair: str
    edges: bool


class HistoryFeature(FeaturePart):
    """Goes back and forward; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._past: list[View] = []
        self._future: list[View] = []
        self._going = False  # it is we who move
        self._known = self._now()
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self._settle)
        window.playback.view_leaving.connect(self._leave)
        window.graph_view.camera_leaving.connect(self._leave)
        window.graph_view.edges_changed.connect(self._move_on)
        window.comparison.view_changed.connect(self._move_on)
        window.session.graph_changed.connect(self._forget)
        window.session.positions_changed.connect(self._forget)

    def needs(self) -> dict[str, bool]:
        """Say whether there is anything to go back to, and forward."""
        return {
            "looked_before": bool(self._past) or self._rest.isActive(),
            "looked_after": bool(self._future),
        }

    def back(self) -> None:
        """Look where one looked before."""
        self._settle(ended=True)
        if self._past:
            self._future.append(self._known)
            self._go(self._past.pop())

    def forward(self) -> None:
        """Look again where one looked before going back."""
        self._settle(ended=True)
        if self._future:
            self._past.append(self._known)
            self._go(self._future.pop())

    def close(self) -> None:
        """The window closes."""
        self._rest.stop()

    # --- a person looks elsewhere

    def _leave(self) -> None:
        """Know what is looked at until now, and wait until the movement is over."""
        if self._going:
            return
        if not self._rest.isActive():
            self._known = replace(self._now(), pair=self._known.pair, edges=self._known.edges)
        self._move_on()

    def _move_on(self, _news: object = None) -> None:
        if not self._going:
            begins = not self._rest.isActive()
            self._rest.start()
            if begins:
                self._window.enable_actions()

    def _settle(self, ended: bool = False) -> None:
        """Take a movement that is over as one step."""
        if not self._rest.isActive() and ended:
            return
        if not ended and QApplication.mouseButtons() != Qt.MouseButton.NoButton:
            self._rest.start()
            return
        self._rest.stop()
        now = self._now()
        if now != self._known:
            self._past = [*self._past[1 - LIMIT :], self._known]
            self._future.clear()
            self._known = now
        self._window.enable_actions()

    def _forget(self) -> None:
        self._rest.stop()
        self._past.clear()
        self._future.clear()
        self._known = self._now()

    # --- what is looked at

    def _now(self) -> View:
        window = self._window
        run, playback = window.session.current, window.playback
        return View(
            None if run is None else run.run_id,
            None if playback.fitted else playback.view_ns,
            window.graph_view.sight,
            window.comparison.view,
            window.graph_view.picture.edges,
        )

    def _go(self, view: View) -> None:
        window = self._window
        self._going = True
        try:
            window.comparison.set_view(view.pair)
            window.graph_view.set_edges(view.edges)
            window.graph_view.put_sight(view.sight)
            run = window.session.current
            if run is not None and run.run_id == view.run_id:
                if view.time_ns is None:
                    window.playback.fit()
                else:
                    window.playback.set_view(*view.time_ns)
        finally:
            self._going = False
        self._known = self._now()
        window.enable_actions()


install = HistoryFeature
