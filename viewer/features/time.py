"""Playback in the menus: which kind of step, speed and loop are on; they are remembered.

So is whether edges are drawn. The speed of a replay is no choice of a person and is not kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from viewer.feature import FeaturePart, Window
from viewer.models.playback import MAX_SPEED, MIN_SPEED, STEP_KINDS, StepKind

if TYPE_CHECKING:
    from viewer.plots.timeline import Timeline

SPEED, STEP, LOOP, EDGES = "playback/speed", "playback/step", "playback/loop", "graph/edges"


class TimeFeature(FeaturePart):
    """Keeps the menus of time true, and brings back what was chosen."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        window.build_plots()
        self._playback = window.playback
        self._timeline = cast("Timeline", window.plots["timeline"])
        self._restore()
        self._timeline.step_kind_changed.connect(self._keep_step)
        self._playback.speed_changed.connect(self._keep_speed)
        self._playback.loop_changed.connect(self._keep_loop)
        window.graph_view.edges_changed.connect(self._keep_edges)
        self._show_states()

    def set_edges(self, on: bool) -> None:
        """Draw edges, or vertices alone."""
        self._window.graph_view.set_edges(on)

    # --- remembered

    def _restore(self) -> None:
        settings = self._window.settings
        speed, step = settings.value(SPEED, 1.0), settings.value(STEP, "sample")
        if isinstance(speed, int | float) and MIN_SPEED <= speed <= MAX_SPEED:
            self._playback.restore_speed(float(speed))
        if step in STEP_KINDS:
            self._timeline.choose_step(cast(StepKind, step))
        self._playback.set_looping(settings.value(LOOP, False) is True)
        self._window.graph_view.set_edges(settings.value(EDGES, True) is not False)

    def _keep_step(self, kind: str) -> None:
        self._window.settings.set_value(STEP, kind)
        self._show_states()

    def _keep_speed(self, _speed: float) -> None:
        self._window.settings.set_value(SPEED, self._playback.speed)

    def _keep_loop(self) -> None:
        self._window.settings.set_value(LOOP, self._playback.looping)
        self._show_states()

    def _keep_edges(self, shown: bool) -> None:
        self._window.settings.set_value(EDGES, shown)
        self._show_states()

    def _show_states(self) -> None:
        actions = self._window.actions_by_key
        actions[f"step_by_{self._timeline.wanted_kind}"].setChecked(True)
        actions["loop"].setChecked(self._playback.looping)
        actions["edges"].setChecked(self._window.graph_view.picture.edges)


install = TimeFeature
