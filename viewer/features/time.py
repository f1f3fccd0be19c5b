"""The speed of playback and whether edges are drawn: both are remembered.

The speed of a replay is no choice of a person and is not kept.
"""

from __future__ import annotations

from viewer.feature import FeaturePart, Window
from viewer.models.playback import MAX_SPEED, MIN_SPEED

SPEED, EDGES = "playback/speed", "graph/edges"


class TimeFeature(FeaturePart):
    """Keeps speed and edges in the settings."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        window.build_plots()
        settings, playback = window.settings, window.playback
        speed = settings.value(SPEED, 1.0)
        if isinstance(speed, int | float) and MIN_SPEED <= speed <= MAX_SPEED:
            playback.restore_speed(float(speed))
        window.graph_view.set_edges(settings.value(EDGES, True) is not False)
        playback.speed_changed.connect(self._keep_speed)
        window.graph_view.edges_changed.connect(self._keep_edges)
        self._mark_edges()

    def set_edges(self, on: bool) -> None:
        """Draw edges, or vertices alone."""
        self._window.graph_view.set_edges(on)

    def _keep_speed(self, _speed: float) -> None:
        self._window.settings.set_value(SPEED, self._window.playback.speed)

    def _keep_edges(self, shown: bool) -> None:
        self._window.settings.set_value(EDGES, shown)
        self._mark_edges()

    def _mark_edges(self) -> None:
        edges = self._window.graph_view.picture.edges
        self._window.actions_by_key["edges"].setChecked(edges)


install = TimeFeature
