"""The wiring of `viewer.features.time.rows`: menu states, and what is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from viewer.models.playback import MAX_SPEED, MIN_SPEED, STEP_KINDS, StepKind

if TYPE_CHECKING:
    from viewer.features.window import Window
    from viewer.plots.timeline import Timeline

SPEED, STEP, LOOP, EDGES = "playback/speed", "playback/step", "playback/loop", "graph/edges"


class TimeFeature:
    """Keeps the menus of time true, and brings back what was chosen."""

    def __init__(self, window: Window) -> None:
        window.build_plots()
        self._window, self._playback = window, window.playback
        self._timeline = cast("Timeline", window.plots["timeline"])
        self._restore()
        self._timeline.step_kind_changed.connect(self._keep_step)
        self._playback.speed_changed.connect(self._keep_speed)
        self._playback.loop_changed.connect(self._keep_loop)
        self._show_states()

    # --- handlers of the rows

    def step_by_sample(self) -> None:
        """A step is a sample."""
        self._timeline.choose_step("sample")

    def step_by_switch(self) -> None:
        """A step is a bucket switch."""
        self._timeline.choose_step("switch")

    def step_by_delta(self) -> None:
        """A step is a change of Δ."""
        self._timeline.choose_step("delta")

    def step_by_superstep(self) -> None:
        """A step is a superstep, where the run has any."""
        self._timeline.choose_step("superstep")

    def set_looping(self, on: bool) -> None:
        """Repeat the range, or do not."""
        self._playback.set_looping(on)

    def set_edges(self, on: bool) -> None:
        """Draw edges, or vertices alone."""
        self._window.graph_view.set_edges(on)
        self._window.settings.set_value(EDGES, on)
        self._show_states()

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

    def _show_states(self) -> None:
        actions = self._window.actions_by_key
        actions[f"step_by_{self._timeline.wanted_kind}"].setChecked(True)
        actions["loop"].setChecked(self._playback.looping)
        actions["edges"].setChecked(self._window.graph_view.picture.edges)
