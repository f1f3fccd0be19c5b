"""Where the vertices stand: as in the file, as a map, by forces, in lanes or on rings.

The engine process computes the places (`gpu.placement`), with progress and Cancel; until they are
there the picture stays. They are kept, so a second time costs no wait. Lanes and rings show the
distances of the run shown: a lane is a bucket of the Δ with which it began, or several buckets if
there are too many to tell apart; the bar says so.
"""

from __future__ import annotations

from gpu.placement.by_distance import lane_buckets
from gpu.placement.small import MOST, fits
from gpu.words import distance, thousands
from viewer.feature import FeaturePart, Window
from viewer.models.session import Notice, RunRecord


class PlacementFeature(FeaturePart):
    """Asks for places; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        session = window.session
        session.current_changed.connect(window.enable_actions)
        session.run_changed.connect(window.enable_actions)

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

    def place(self, kind: str) -> None:
        """Place the vertices: "own" (as in the file), or a key of `gpu.placement.placements`."""
        session, controller, record = self._window.session, self._window.controller, self._record()
        if kind == "own" and session.graph is not None:
            session.set_positions(session.graph.positions)
        elif kind == "lanes" and record is not None:
            self._place_in_lanes(record)
        elif kind != "rings":
            controller.place(kind)
        elif record is not None:
            controller.place(kind, record.dist)

    def _record(self) -> RunRecord | None:
        """Return the run shown, if it has the distances of the graph shown."""
        record, graph = self._window.session.current, self._window.session.graph
        if record is None or graph is None or record.trace is None or record.dist is None:
            return None
        return record if record.dist.shape == (graph.n,) else None

    def _place_in_lanes(self, record: RunRecord) -> None:
        """Columns of buckets of the Δ with which the run began."""
        controller, dist = self._window.controller, record.dist
        delta = record.settings.delta
        if delta is None and record.algorithm.bucketed and len(record.samples):
            delta = float(record.samples["delta"][0])
        if dist is None or not delta or not record.algorithm.bucketed:
            controller.place("lanes", dist)
            return
        count = lane_buckets(dist, delta)
        if controller.place("lanes", dist, delta * count):
            many = f"{thousands(count)} buckets" if count > 1 else "a bucket"
            words = f"Each lane is {many} of Δ = {distance(delta)}, with which this run began."
            self._window.session.set_notice(Notice("info", words))


install = PlacementFeature
