"""Timeline: one cursor for every panel, and everything that moves it.

    Space          play, pause            1 2 3 4        step by sample, bucket switch,
    Left, Right    step                                  Δ change, superstep
    Home, End      to the ends            Ctrl+Down, Up  slower, faster
    Ctrl+Left,     to the mark before,    I, O           begin, end the range here
    Ctrl+Right     the next mark          R              repeat or not
    L              follow the live run    Esc            forget marks of measuring, then the range

The keys work while the timeline has the focus, and from everywhere in the window where
no field wants them itself. The label always says which clock it is: modelled or measured.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

import numpy as np
from PyQt6.QtCore import QEvent, QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent, QResizeEvent
from PyQt6.QtWidgets import QVBoxLayout

from gpu.words import time_unit
from viewer.common.theme import SPACING
from viewer.models.playback import STEP_KINDS, StepKind, works_in_supersteps
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
    """Overview, transport buttons, step kind, speed, loop, time, live."""

    TITLE = "Timeline"
    HINT = "Press Run: the timeline then moves every panel through the run."

    step_kind_changed = pyqtSignal(str)  # what the user wants a step to be, a StepKind

    def _build(self) -> None:
        self.marks = Marks()
        self._b_work = TimeSeries()
        self.wanted_kind: StepKind = "sample"  # what a step is in runs that have it
        self._pilot: Pilot | None = None
        self._icon_colour = ""
        self.overview = Overview(self._session, self._playback)
        self.controls = Controls()
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING, SPACING // 2, SPACING, SPACING // 2)
        column.setSpacing(SPACING // 2)
        column.addWidget(self.overview)
        column.addLayout(self.controls)
        self.buttons, self.kind_box = self.controls.buttons, self.controls.kind_box
        self.speed_box, self.live_button = self.controls.speed_box, self.controls.live_button
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
        buttons["loop"].clicked.connect(playback.set_looping)
        self.speed_box.valueChanged.connect(playback.set_speed)
        self.live_button.clicked.connect(playback.set_following)
        self.kind_box.currentIndexChanged.connect(self._choose_row)
        # the model moved -> the timeline shows
        playback.playing_changed.connect(self._show_playing)
        playback.speed_changed.connect(self._show_speed)
        playback.loop_changed.connect(self._show_loop)
        playback.following_changed.connect(self.live_button.setChecked)
        playback.duration_changed.connect(self._mark_dirty)
        self._show_speed(playback.pace)
        self._show_loop()
        self.live_button.setChecked(playback.following)

    # ---- what the user can do -----------------------------------------------------------

    @property
    def step_kind(self) -> StepKind:
        """What a step is now: what is wanted, or a sample where the run has none of those."""
        return STEP_KINDS[self.kind_box.currentIndex()]

    def choose_step(self, kind: StepKind) -> None:
        """Step by something else from now on; raise ValueError where there is none such."""
        if kind not in STEP_KINDS:
            raise ValueError(f"step by {kind!r}; allowed: {', '.join(STEP_KINDS)}")
        self.wanted_kind = kind
        self._show_kind(self._record)
        self.step_kind_changed.emit(kind)

    def hand_over(self, pilot: Pilot | None) -> None:
        """Let somebody else step and play, by the same keys and buttons; None: as ever."""
        self._pilot = pilot
        self._show_kind(self._record)

    def toggle(self) -> None:
        """Play, or pause if playing."""
        (self._pilot or self._playback).toggle()

    def step_back(self) -> None:
        """Step to the sample, superstep, switch, change or event before."""
        self._step(-1)

    def step_forward(self) -> None:
        """Step to the next sample, superstep, switch, change or event."""
        self._step(+1)

    def _step(self, direction: int) -> None:
        if self._pilot is not None:
            self._pilot.step(direction)
        else:
            self._playback.step(self.step_kind, direction)

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
        """Forget the marks of measuring or, where there are none, the range."""
        if self._playback.measure.active:
            self._playback.measure.clear()
        else:
            self._playback.clear_loop()

    def _toggle_loop(self) -> None:
        self._playback.set_looping(not self._playback.looping)

    def _go_to_mark(self, direction: int) -> None:
        place = self.marks.neighbour(self._playback.cursor_ns, direction)
        if place is not None:
            self._playback.pause()
            self._playback.set_cursor(place)

    def _toggle_live(self) -> None:
        if self.live_button.isEnabled():
            self._playback.set_following(not self._playback.following)

    def _choose_row(self, row: int) -> None:
        kind = STEP_KINDS[row]
        if kind != self.wanted_kind:
            self.choose_step(kind)

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
            KEY.Key_I: self._playback.mark_in,
            KEY.Key_O: self._playback.mark_out,
            KEY.Key_R: self._toggle_loop,
            KEY.Key_Escape: self.forget,
        }
        digits = (KEY.Key_1, KEY.Key_2, KEY.Key_3, KEY.Key_4)
        for digit, kind in zip(digits, STEP_KINDS, strict=True):
            plain[digit] = partial(self.choose_step, kind)
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
        """Take Esc for marks and range, while there are any, before the window's Stop takes it."""
        override = isinstance(a0, QKeyEvent) and a0.type() == QEvent.Type.ShortcutOverride
        marked = self._playback.loop_ns is not None or self._playback.measure.active
        if override and marked:
            assert isinstance(a0, QKeyEvent)
            if a0.key() == KEY.Key_Escape:
                a0.accept()
                return True
        return super().event(a0)

    # ---- what it shows ------------------------------------------------------------------

    def _reset(self, record: RunRecord | None) -> None:
        self.marks = Marks()
        self._show_kind(record)
        self._show_state(record)

    def _show_change(self, record: RunRecord) -> None:
        super()._show_change(record)
        if record is self._record:
            self._show_state(record)

    def _show_state(self, record: RunRecord | None) -> None:
        self.live_button.setEnabled(record is not None and record.running)
        for widget in (*self.buttons.values(), self.overview):
            widget.setEnabled(record is not None)

    def _show_kind(self, record: RunRecord | None) -> None:
        """Show the kind of step that is wanted, or the nearest that this run has."""
        able = record is not None and works_in_supersteps(record)
        self.controls.enable_kind("superstep", able)
        self.kind_box.setEnabled(self._pilot is None)
        kind = self.wanted_kind if able or self.wanted_kind != "superstep" else "sample"
        with QSignalBlocker(self.kind_box):
            self.kind_box.setCurrentIndex(STEP_KINDS.index(kind))

    def _show_playing(self, playing: bool) -> None:
        name = "pause" if playing else "play"
        self.buttons["play"].setIcon(transport_icon(name, self._theme))

    def _show_speed(self, speed: float) -> None:
        with QSignalBlocker(self.speed_box):
            self.speed_box.setValue(speed)

    def _show_loop(self) -> None:
        self.buttons["loop"].setChecked(self._playback.looping)
        self._schedule()

    def _consume(self, samples: np.ndarray) -> None:
        self.marks.append(samples)

    def _draw_data(self) -> None:
        self.overview.show_data(self.marks, self._b_work if self._b is not None else None)

    def _reset_b(self, record: RunRecord | None) -> None:
        self._b_work = TimeSeries()

    def _consume_b(self, times_ns: np.ndarray, samples: np.ndarray) -> None:
        self._b_work.append(times_ns, samples["assigned_edges"])

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
