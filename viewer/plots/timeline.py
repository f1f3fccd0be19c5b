"""Timeline: one cursor for every panel, and everything that moves it.

    Space          play, pause            Left, Right    step by sample
    Home, End      to the ends            Ctrl+Down, Up  slower, faster
    Ctrl+Left,     to the mark before,    L              follow the live run
    Ctrl+Right     the next mark          Esc            forget marks of measuring

The keys work while the timeline has the focus, and from everywhere in the window where
no field wants them itself. The label always says which clock it is: modelled or measured.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from PyQt6.QtCore import QEvent, QSignalBlocker, Qt
from PyQt6.QtGui import QKeyEvent, QResizeEvent
from PyQt6.QtWidgets import QVBoxLayout

from gpu.words import time_unit
from viewer.common.theme import SPACING
from viewer.models.run_words import readout, run_words, time_pair
from viewer.models.session import RunRecord
from viewer.plots.live import PairPanel
from viewer.plots.marks import Marks
from viewer.plots.overview import Overview
from viewer.plots.series import TimeSeries
from viewer.plots.timeline_controls import Controls, next_speed, transport_icon

KEY, CTRL = Qt.Key, Qt.KeyboardModifier.ControlModifier


class Pilot(Protocol):
    """Who steps and plays in place of the samples, such as the microscope through events."""

    def step(self, direction: int) -> None:
        """Go one further (+1) or back (-1)."""

    def toggle(self) -> None:
        """Play, or pause if playing."""


class Timeline(PairPanel):
    """Overview, transport buttons, speed, time, live."""

    TITLE = "Timeline"
    HINT = "Press Run: the timeline then moves every panel through the run."

    def _build(self) -> None:
        self.marks = Marks()
        self._b_work = TimeSeries()
        self._pilot: Pilot | None = None
        self._icon_colour = ""
        self.overview = Overview(self._session, self._playback)
        self.controls = Controls()
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING, SPACING // 2, SPACING, SPACING // 2)
        column.setSpacing(SPACING // 2)
        column.addWidget(self.overview)
        column.addLayout(self.controls)
        self.buttons, self.speed_box = self.controls.buttons, self.controls.speed_box
        self.live_button = self.controls.live_button
        self.time_label = self.controls.time_label
        self._keys = self._key_table()
        self._connect_controls()

    def _connect_controls(self) -> None:
        playback, buttons = self._playback, self.buttons
        # the user asks -> the model moves
        for key, act in (
            ("start", self.to_start),
            ("back", self.step_back),
            ("play", self.toggle),
            ("forward", self.step_forward),
            ("end", self.to_end),
            ("mark_back", self.mark_back),
            ("mark_forward", self.mark_forward),
        ):
            buttons[key].clicked.connect(act)
        self.speed_box.valueChanged.connect(playback.set_speed)
        self.live_button.clicked.connect(playback.set_following)
        # the model moved -> the timeline shows
        playback.playing_changed.connect(self._show_playing)
        playback.speed_changed.connect(self._show_speed)
        playback.following_changed.connect(self.live_button.setChecked)
        playback.duration_changed.connect(self._mark_dirty)
        self._show_speed(playback.pace)
        self.live_button.setChecked(playback.following)

    # ---- what the user can do -----------------------------------------------------------

    def hand_over(self, pilot: Pilot | None) -> None:
        """Let somebody else step and play, by the same keys and buttons; None: as ever."""
        self._pilot = pilot

    def toggle(self) -> None:
        """Play, or pause if playing."""
        (self._pilot or self._playback).toggle()

    def step_back(self) -> None:
        """Step to the sample or event before."""
        self._step(-1)

    def step_forward(self) -> None:
        """Step to the next sample or event."""
        self._step(+1)

    def _step(self, direction: int) -> None:
        (self._pilot or self._playback).step(direction)

    def mark_back(self) -> None:
        """Go to the mark before the cursor."""
        self._go_to_mark(-1)

    def mark_forward(self) -> None:
        """Go to the next mark."""
        self._go_to_mark(+1)

    def to_start(self) -> None:
        """Put the cursor at the start."""
        self._playback.set_cursor(0.0)

    def to_end(self) -> None:
        """Put the cursor at the end."""
        self._playback.set_cursor(self._playback.duration_ns)

    def faster(self) -> None:
        """Play at the next speed up of 1, 2, 5, 10…"""
        self._playback.set_speed(next_speed(self._playback.pace, +1))

    def slower(self) -> None:
        """Play at the next speed down of 1, 2, 5, 10…"""
        self._playback.set_speed(next_speed(self._playback.pace, -1))

    def forget(self) -> None:
        """Forget the marks of measuring."""
        self._playback.measure.clear()

    def _go_to_mark(self, direction: int) -> None:
        place = self.marks.neighbour(self._playback.cursor_ns, direction)
        if place is not None:
            self._playback.pause()
            self._playback.set_cursor(place)

    def _toggle_live(self) -> None:
        if self.live_button.isEnabled():
            self._playback.set_following(not self._playback.following)

    # ---- keys -----------------------------------------------------------------------------

    def _key_table(self) -> dict[tuple[Qt.Key, bool], Callable[[], object]]:
        """Return what a key does, by key and whether Ctrl is down."""
        plain = {
            KEY.Key_Space: self.toggle,
            KEY.Key_Left: self.step_back,
            KEY.Key_Right: self.step_forward,
            KEY.Key_Home: self.to_start,
            KEY.Key_End: self.to_end,
            KEY.Key_L: self._toggle_live,
            KEY.Key_Escape: self.forget,
        }
        with_ctrl = {
            KEY.Key_Left: self.mark_back,
            KEY.Key_Right: self.mark_forward,
            KEY.Key_Up: self.faster,
            KEY.Key_Down: self.slower,
        }
        return {
            **{(key, False): act for key, act in plain.items()},
            **{(key, True): act for key, act in with_ctrl.items()},
        }

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Obey the keys of the module docstring."""
        action = None
        if a0 is not None and not a0.modifiers() & Qt.KeyboardModifier.AltModifier:
            action = self._keys.get((Qt.Key(a0.key()), bool(a0.modifiers() & CTRL)))
        if action is None:
            super().keyPressEvent(a0)
        else:
            action()

    def event(self, a0: QEvent | None) -> bool:
        """Take Esc while there are marks of measuring, before the window's Stop takes it."""
        override = isinstance(a0, QKeyEvent) and a0.type() == QEvent.Type.ShortcutOverride
        if override and self._playback.measure.active:
            assert isinstance(a0, QKeyEvent)
            if a0.key() == KEY.Key_Escape:
                a0.accept()
                return True
        return super().event(a0)

    # ---- what it shows ------------------------------------------------------------------

    def _reset(self, record: RunRecord | None) -> None:
        self.marks = Marks()
        self._show_state(record)

    def _show_change(self, record: RunRecord) -> None:
        super()._show_change(record)
        if record is self._record:
            self._show_state(record)

    def _show_state(self, record: RunRecord | None) -> None:
        self.live_button.setEnabled(record is not None and record.running)
        for widget in (*self.buttons.values(), self.overview):
            widget.setEnabled(record is not None)

    def _show_playing(self, playing: bool) -> None:
        name = "pause" if playing else "play"
        self.buttons["play"].setIcon(transport_icon(name, self._theme))

    def _show_speed(self, speed: float) -> None:
        with QSignalBlocker(self.speed_box):
            self.speed_box.setValue(speed)

    def _consume(self, samples: np.ndarray) -> None:
        self.marks.append(samples)

    def _draw_data(self) -> None:
        self.overview.show_data(self.marks, self._b_work if self._b is not None else None)

    def _reset_b(self, record: RunRecord | None) -> None:
        self._b_work = TimeSeries()

    def _consume_b(self, samples: np.ndarray) -> None:
        self._b_work.append(samples["t_ns"].astype(np.float64), samples["assigned_edges"])

    def _draw_cursor(self) -> None:
        self.overview.update()
        self.time_label.setText(self._time_words())
        self.time_label.detail = self._record.clock_words if self._record is not None else ""

    def _time_words(self) -> str:
        if self._record is None:
            return "no run yet"
        playback = self._playback
        first, last = playback.view_ns
        now, whole = time_pair(playback.cursor_ns, playback.duration_ns, last - first)
        recorded = "recorded, " if self._record.recorded_on else ""
        clock = f"{recorded}{self._record.clock}"  # the device stands in the card above the map
        return f"{now} / {whole} {time_unit(playback.duration_ns).word} {clock}"

    def _colour(self) -> None:
        if self._icon_colour != self._theme.text:
            self._icon_colour = self._theme.text
            self.controls.apply_theme(self._theme)
            self._show_playing(self._playback.playing)
            self.overview.apply_theme(self._theme)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Put the controls in one row where there is room, else in two."""
        super().resizeEvent(event)
        self.controls.fit_into(self.width())

    def summary_text(self) -> str:
        """Return run, time, Δ and settled share at the cursor, and the number of the sample."""
        if self._record is None:
            return self.HINT
        number, count = self._playback.sample_index + 1, len(self._record.samples)
        words = f"{run_words(self._record, self._playback)}, sample {number} of {count}"
        measured = readout(self._session, self._playback, self._pair)
        return words if measured is None else f"{words}. {measured.words}"
