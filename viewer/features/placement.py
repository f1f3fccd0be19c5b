"""Where the vertices stand: as in the file, as a map, by forces, in lanes or on rings.

The engine process computes the places (`gpu.placement`), with progress and Cancel; until they are
there the picture stays. They are kept, so a second time costs no wait. Lanes and rings show the
distances of the run shown: a lane is a bucket of the Δ with which it began, or several buckets if
there are too many to tell apart; the bar says so.
"""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QTimer

from gpu.placement.by_distance import lane_buckets
from gpu.placement.small import MOST, auto_kind, fits
from gpu.words import distance, thousands
from viewer.feature import FeaturePart, Window
from viewer.models.session import PROGRESS_DONE, Notice, RunRecord

OWN = "own"
KINDS = (OWN, "pivot_mds", *MOST, "lanes", "rings")


class PlacementFeature(FeaturePart):
    """Knows the placement shown (`shown`) and the one under way (`waiting_for`, "" for none)."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.shown, self.waiting_for = "", ""
        session = window.session
        session.graph_changed.connect(self._take_graph)
        session.positions_changed.connect(self._take_positions)
        session.progress_changed.connect(self._take_progress)
        session.current_changed.connect(self._ask_needs)
        session.run_changed.connect(self._ask_needs)
        self._take_graph()

    def needs(self) -> dict[str, bool]:
        """Say which placements there can be."""
        graph, record = self._window.session.graph, self._record()
        free = graph is not None and graph.n > 0 and not self._window.controller.running
        return {
            "movable": free,
            "placed": free and graph is not None and graph.positions is not None,
            **{kind: free and graph is not None and fits(graph, kind) for kind in MOST},
            "distances": free and record is not None,
        }

    # --- handlers of the rows

    def place(self, kind: str) -> None:
        """Place the vertices in another way: a key of KINDS."""
        record = self._record()
        if kind == OWN:
            self._place_as_in_file()
        elif kind == "lanes":
            self._place_in_lanes(record)
        elif kind != "rings":
            self._ask(kind)
        elif record is not None:
            self._ask(kind, record.dist)

    def _place_as_in_file(self) -> None:
        graph = self._window.session.graph
        if graph is not None and graph.positions is not None:
            if self.waiting_for:
                self._window.controller.cancel()
            self.waiting_for = ""
            self._window.session.set_positions(graph.positions)
            self._show(OWN)

    def _place_in_lanes(self, record: RunRecord | None) -> None:
        """Columns of buckets."""
        if record is None or record.dist is None:
            self._show(self.shown)
            return
        delta = self._delta_of(record)
        if delta is not None and self._ask("lanes", record.dist, delta[0] * delta[1]):
            many = f"{thousands(delta[1])} buckets" if delta[1] > 1 else "a bucket"
            words = f"Each lane is {many} of Δ = {distance(delta[0])}, with which this run began."
            self._window.session.set_notice(Notice("info", words))
        elif delta is None:
            self._ask("lanes", record.dist)

    # --- asking

    def _record(self) -> RunRecord | None:
        """Return the run shown, if it has the distances of the graph shown."""
        record, graph = self._window.session.current, self._window.session.graph
        if record is None or graph is None or record.trace is None or record.dist is None:
            return None
        return record if record.dist.shape == (graph.n,) else None

    def _delta_of(self, record: RunRecord) -> tuple[float, int] | None:
        """Return Δ where the run began, and how many such buckets share a lane; None for none."""
        if not record.algorithm.bucketed or record.dist is None or not len(record.samples):
            return None
        delta = float(record.settings.delta or record.samples["delta"][0])
        return (delta, lane_buckets(record.dist, delta)) if delta > 0 else None

    def _ask(self, kind: str, dist: np.ndarray | None = None, delta: float | None = None) -> bool:
        accepted = self._window.controller.place(kind, dist, delta)
        self.waiting_for = kind if accepted else ""
        self._show(self.shown)  # until it is there
        return accepted

    # --- the session changed

    def _take_graph(self) -> None:
        graph = self._window.session.graph
        self.waiting_for = ""
        if graph is None:
            self._show("")
        elif graph.positions is not None:
            self._show(OWN)
        else:
            self._show(auto_kind(graph))

    def _take_positions(self) -> None:
        if self.waiting_for:
            kind, self.waiting_for = self.waiting_for, ""
            self._show(kind)

    def _take_progress(self, fraction: float, _words: str) -> None:
        if fraction >= PROGRESS_DONE and self.waiting_for:
            QTimer.singleShot(0, self._look_whether_given_up)  # the positions come after this

    def _look_whether_given_up(self) -> None:
        if self._window.session.progress >= PROGRESS_DONE:
            self.waiting_for = ""
            self._show(self.shown)

    def _ask_needs(self, _record: object = None) -> None:
        self._window.enable_actions()

    def _show(self, kind: str) -> None:
        self.shown = kind
        for key in KINDS:
            self._window.actions_by_key[f"arrange_{key}"].setChecked(key == kind)
        self._window.enable_actions()


install = PlacementFeature
