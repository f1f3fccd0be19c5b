"""Timeline: one cursor for every panel, and everything that moves it.

    Space          play, pause            Left, Right    step by sample
    Home, End      to the ends            Ctrl+Down, Up  slower, faster
    Ctrl+Left,     to the mark before,    L              follow the live run
    Ctrl+Right     the next mark          Esc            forget marks of measuring

The keys work while the timeline has the focus, and from everywhere in the window where
no field wants them itself. The label always says which clock it is: modelled or measured.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from PyQt6.QtCore import QEvent, QSignalBlocker, QSize, Qt
from PyQt6.QtGui import QIcon, QKeyEvent, QResizeEvent
from PyQt6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QLayout, QToolButton

from gpu.words import time_unit
from viewer.common.elided import ElidedLabel
from viewer.common.icons import stroke_icon
from viewer.common.small_widgets import chip, panel_column
from viewer.common.text_size import scaled
from viewer.common.theme import SPACING, mix
from viewer.models.playback import MAX_SPEED, MIN_SPEED
from viewer.models.run_words import readout, run_words, time_pair
from viewer.models.session import RunRecord
from viewer.plots.live import LivePanel
from viewer.plots.marks import Marks
from viewer.plots.overview import Overview
from viewer.plots.series import TimeSeries

KEY, CTRL = Qt.Key, Qt.KeyboardModifier.ControlModifier
BUTTONS = {  # icon: method, tip
    "start": ("to_start", "To the start (Home)"),
    "back": ("step_back", "Step back (Left)"),
    "play": ("toggle", "Play or pause (Space)"),
    "forward": ("step_forward", "Step forward (Right)"),
    "end": ("to_end", "To the end (End)"),
    "mark_back": ("mark_back", "To the previous mark (Ctrl+Left)"),
    "mark_forward": ("mark_forward", "To the next mark (Ctrl+Right)"),
}
SPARED = ("start", "end", "mark_back", "mark_forward")  # hidden where it is narrow
ALL_BUTTONS = 480  # pixels from which there is room for those spared
BUTTON, ICON = (23, 26), 16  # pixels, of a transport button at the reference text size
SPEED_WIDTH = 76  # pixels, the same
SPEED_TIP = "Speed: 1× shows the whole run in ten seconds; half and double by Ctrl+Down, Ctrl+Up"
KEYS = {  # key, whether Ctrl is down: method
    (KEY.Key_Space, False): "toggle",
    (KEY.Key_Left, False): "step_back",
    (KEY.Key_Right, False): "step_forward",
    (KEY.Key_Home, False): "to_start",
    (KEY.Key_End, False): "to_end",
    (KEY.Key_L, False): "toggle_live",
    (KEY.Key_Escape, False): "forget",
    (KEY.Key_Left, True): "mark_back",
    (KEY.Key_Right, True): "mark_forward",
    (KEY.Key_Up, True): "faster",
    (KEY.Key_Down, True): "slower",
}


class Pilot(Protocol):
    """Steps and plays in place of the samples, such as the microscope through events."""

    def step(self, direction: int) -> None:
        """Go one further (+1) or back (-1)."""

    def toggle(self) -> None:
        """Play, or pause if playing."""


class SpeedBox(QDoubleSpinBox):
    """Speed as a factor, without trailing zeros: "0.25×"."""

    def __init__(self) -> None:
        super().__init__()
        self.setDecimals(4)
        self.setRange(MIN_SPEED, MAX_SPEED)
        self.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
        self.setKeyboardTracking(False)
        self.setSuffix("×")
        self.setAccessibleName("Speed; 1 shows the whole run in ten seconds")
        self.setToolTip(SPEED_TIP)

    def textFromValue(self, v: float) -> str:
        """Return the number without trailing zeros."""
        return f"{v:g}" if v >= 1e-3 else f"{v:.4f}".rstrip("0")


class Timeline(LivePanel):
    """Overview, transport buttons, speed, time, live."""

    TITLE = "Timeline"
    HINT = "Press Run: the timeline then moves every panel through the run."

    def _build(self) -> None:
        self.marks = Marks()
        self._b_work = TimeSeries()
        self._pilot: Pilot | None = None
        self._icon_colour = ""
        self.overview = Overview(self._session, self._playback)
        self.buttons = {icon: QToolButton() for icon in BUTTONS}
        self.time_label = ElidedLabel(role="strong")
        self.time_label.setAccessibleName("Time at the cursor, and length of the run")
        self.speed_box = SpeedBox()
        self.live_button = chip("Live", "Follow the newest sample (L)", checkable=True)
        buttons, row, column = QHBoxLayout(), QHBoxLayout(), panel_column(self)
        buttons.setSpacing(0)
        for icon, (method, tip) in BUTTONS.items():
            button = self.buttons[icon]
            button.setAutoRaise(True)
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(getattr(self, method))
            buttons.addWidget(button)
        row.setSpacing(SPACING)
        row.addLayout(buttons)
        row.addWidget(self.time_label, 1)
        row.addWidget(self.speed_box)
        row.addWidget(self.live_button)
        column.setSizeConstraint(QLayout.SizeConstraint.SetMaximumSize)  # no room round the bar
        column.addWidget(self.overview)
        column.addLayout(row)
        self._connect_controls()

    def _connect_controls(self) -> None:
        playback = self._playback
        self.speed_box.valueChanged.connect(playback.set_speed)
        self.live_button.clicked.connect(playback.set_following)
        playback.playing_changed.connect(self._show_playing)
        playback.speed_changed.connect(self._show_speed)
        playback.following_changed.connect(self.live_button.setChecked)
        playback.duration_changed.connect(self._mark_dirty)
        self._show_speed(playback.speed)
        self.live_button.setChecked(playback.following)

    # ---- what the user can do -----------------------------------------------------------

    def hand_over(self, pilot: Pilot | None) -> None:
        """Let a pilot step and play, by the same keys and buttons; None: as ever."""
        self._pilot = pilot

    def toggle(self) -> None:
        """Play, or pause if playing."""
        (self._pilot or self._playback).toggle()

    def step_back(self) -> None:
        """Step to the sample or event before."""
        (self._pilot or self._playback).step(-1)

    def step_forward(self) -> None:
        """Step to the next sample or event."""
        (self._pilot or self._playback).step(+1)

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
        """Play twice as fast."""
        self._playback.set_speed(2 * self._playback.speed)

    def slower(self) -> None:
        """Play half as fast."""
        self._playback.set_speed(self._playback.speed / 2)

    def forget(self) -> None:
        """Forget the marks of measuring."""
        self._playback.measure.clear()

    def toggle_live(self) -> None:
        """Follow the run that goes on, or let go of it."""
        if self.live_button.isEnabled():
            self._playback.set_following(not self._playback.following)

    def _go_to_mark(self, direction: int) -> None:
        place = self.marks.neighbour(self._playback.cursor_ns, direction)
        if place is not None:
            self._playback.pause()
            self._playback.set_cursor(place)

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Obey the keys of the module docstring."""
        method = None
        if a0 is not None and not a0.modifiers() & Qt.KeyboardModifier.AltModifier:
            method = KEYS.get((Qt.Key(a0.key()), bool(a0.modifiers() & CTRL)))
        if method is None:
            super().keyPressEvent(a0)
        else:
            getattr(self, method)()

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

    def _reset(self, place: int) -> None:
        if place:
            self._b_work = TimeSeries()
        else:
            self.marks = Marks()
            self._show_state()

    def _consume(self, place: int, samples: np.ndarray) -> None:
        if place:
            self._b_work.append(samples["t_ns"], samples["assigned_edges"])
        else:
            self.marks.append(samples)

    def _show_change(self, record: RunRecord) -> None:
        super()._show_change(record)
        self._show_state()

    def _show_state(self) -> None:
        self.live_button.setEnabled(self._record is not None and self._record.running)
        for widget in (*self.buttons.values(), self.overview):
            widget.setEnabled(self._record is not None)

    def _icon(self, name: str) -> QIcon:
        return stroke_icon(name, self._theme.text, mix(self._theme.text, self._theme.window, 0.6))

    def _show_playing(self, playing: bool) -> None:
        self.buttons["play"].setIcon(self._icon("pause" if playing else "play"))

    def _show_speed(self, speed: float) -> None:
        with QSignalBlocker(self.speed_box):
            self.speed_box.setValue(speed)

    def _draw_data(self) -> None:
        self.overview.show_data(self.marks, self._b_work if self.comparing else None)

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
        if self._icon_colour == self._theme.text:
            return
        self._icon_colour = self._theme.text
        for name, button in self.buttons.items():
            button.setIcon(self._icon(name))
            button.setFixedSize(QSize(*map(scaled, BUTTON)))
            button.setIconSize(QSize(scaled(ICON), scaled(ICON)))
        self.speed_box.setFixedWidth(scaled(SPEED_WIDTH))
        self._show_playing(self._playback.playing)
        self.overview.apply_theme(self._theme)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Leave buttons out where it is narrow."""
        super().resizeEvent(event)
        for key in SPARED:
            self.buttons[key].setVisible(self.width() >= scaled(ALL_BUTTONS))

    def summary_text(self) -> str:
        """Return run, time, Δ and settled share at the cursor, and the number of the sample."""
        if self._record is None:
            return self.HINT
        number, count = self._playback.sample_index + 1, len(self._record.samples)
        words = f"{run_words(self._record, self._playback)}, sample {number} of {count}"
        measured = readout(self._session, self._playback, self._pair)
        return words if measured is None else f"{words}. {measured.words}"
