"""Timeline: one cursor for every panel, and everything that moves it.

Keys, while the timeline has the focus: Space plays and pauses, Left and Right step by
the chosen kind, Home and End go to the ends, L follows the live run.
The label always says which clock it is: modelled or measured.
"""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QSignalBlocker, QSize, Qt
from PyQt6.QtGui import QKeyEvent, QResizeEvent
from PyQt6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
)

from viewer.models.playback import MAX_SPEED, MIN_SPEED, STEP_KINDS, StepKind
from viewer.models.session import RunRecord
from viewer.series import StepSeries, TimeSeries
from viewer.theme import SPACING
from viewer.units import time_number, time_unit
from viewer.widgets.icons import transport_icon
from viewer.widgets.live import LivePanel
from viewer.widgets.overview import Overview
from viewer.widgets.plot_base import chip
from viewer.widgets.plot_items import ElidedLabel

STEP_WORDS = {"sample": "sample", "switch": "bucket switch", "delta": "Δ change"}
FINEST = 2000  # parts of the window of time that the time label can tell apart
ONE_ROW = 640  # pixels from which all controls stand in one row
BUTTON = QSize(23, 26)  # pixels, of a transport button


class SpeedBox(QDoubleSpinBox):
    """Speed as a factor: "0.25×"; steps by the leading digit."""

    def __init__(self) -> None:
        super().__init__()
        self.setDecimals(4)
        self.setRange(MIN_SPEED, MAX_SPEED)
        self.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
        self.setKeyboardTracking(False)
        self.setSuffix("×")
        self.setAccessibleName("Speed; 1 shows the whole run in ten seconds")
        self.setToolTip("Speed: 1× shows the whole run in ten seconds")

    def textFromValue(self, v: float) -> str:
        """Return the number without trailing zeros."""
        return f"{v:g}" if v >= 1e-4 else f"{v:.4f}"


class Timeline(LivePanel):
    """Overview, transport buttons, step kind, speed, time, live."""

    TITLE = "Timeline"
    HINT = "Press Run: the timeline then moves every panel through the run."

    def _build(self) -> None:
        self._work, self._deltas = TimeSeries(), StepSeries()
        self._icon_colour = ""
        self.overview = Overview(self._playback)
        self.time_label = ElidedLabel(role="strong", elide=Qt.TextElideMode.ElideLeft)
        self.time_label.setAccessibleName("Time at the cursor, and length of the run")
        self._build_buttons()
        self._build_choices()
        self._build_controls()
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING, SPACING // 2, SPACING, SPACING // 2)
        column.setSpacing(SPACING // 2)
        column.addWidget(self.overview)
        column.addLayout(self.controls)
        self._connect_controls()

    def _build_controls(self) -> None:
        first, second = QHBoxLayout(), QHBoxLayout()
        first.setSpacing(0)
        for button in self.buttons.values():
            first.addWidget(button)
        first.addSpacing(SPACING)
        first.addWidget(self.time_label, 1)
        second.setSpacing(SPACING)
        for widget in (QLabel("Step"), self.kind_box, self.speed_box, self.live_button):
            second.addWidget(widget)
        second.addStretch(1)
        self.controls = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self.controls.setSpacing(SPACING)
        self.controls.addLayout(first, 1)
        self.controls.addLayout(second)

    def _build_buttons(self) -> None:
        self.buttons: dict[str, QToolButton] = {}
        for key, tip in (
            ("start", "To the start (Home)"),
            ("back", "Step back (Left)"),
            ("play", "Play or pause (Space)"),
            ("forward", "Step forward (Right)"),
            ("end", "To the end (End)"),
        ):
            button = QToolButton()
            button.setAutoRaise(True)
            button.setFixedSize(BUTTON)
            button.setIconSize(QSize(16, 16))
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.buttons[key] = button

    def _build_choices(self) -> None:
        self.kind_box = QComboBox()
        self.kind_box.setAccessibleName("What a step is")
        self.kind_box.setToolTip("What the step buttons look for")
        for kind in STEP_KINDS:
            self.kind_box.addItem(STEP_WORDS[kind], kind)
        self.speed_box = SpeedBox()
        self.speed_box.setFixedWidth(74)
        self.live_button = chip("Live", "Follow the newest sample (L)", checkable=True)

    def _connect_controls(self) -> None:
        playback = self._playback
        # the user asks -> the model moves
        self.buttons["start"].clicked.connect(self.to_start)
        self.buttons["back"].clicked.connect(self.step_back)
        self.buttons["play"].clicked.connect(playback.toggle)
        self.buttons["forward"].clicked.connect(self.step_forward)
        self.buttons["end"].clicked.connect(self.to_end)
        self.speed_box.valueChanged.connect(playback.set_speed)
        self.live_button.clicked.connect(playback.set_following)
        # the model moved -> the timeline shows
        playback.playing_changed.connect(self._show_playing)
        playback.speed_changed.connect(self._show_speed)
        playback.following_changed.connect(self.live_button.setChecked)
        playback.duration_changed.connect(self._mark_dirty)
        self._show_speed(playback.speed)
        self.live_button.setChecked(playback.following)

    # ---- what the user can do -----------------------------------------------------------

    @property
    def step_kind(self) -> StepKind:
        """What a step is now."""
        return STEP_KINDS[self.kind_box.currentIndex()]

    def step_back(self) -> None:
        """Step to the sample, switch or change before."""
        self._playback.step(self.step_kind, -1)

    def step_forward(self) -> None:
        """Step to the next sample, switch or change."""
        self._playback.step(self.step_kind, +1)

    def to_start(self) -> None:
        """Put the cursor at the start."""
        self._playback.set_cursor(0.0)

    def to_end(self) -> None:
        """Put the cursor at the end."""
        self._playback.set_cursor(self._playback.duration_ns)

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Obey the keys of the module docstring."""
        keys = {
            Qt.Key.Key_Space: self._playback.toggle,
            Qt.Key.Key_Left: self.step_back,
            Qt.Key.Key_Right: self.step_forward,
            Qt.Key.Key_Home: self.to_start,
            Qt.Key.Key_End: self.to_end,
            Qt.Key.Key_L: self._toggle_live,
        }
        action = keys.get(Qt.Key(a0.key())) if a0 is not None else None
        if action is None:
            super().keyPressEvent(a0)
        else:
            action()

    def _toggle_live(self) -> None:
        if self.live_button.isEnabled():
            self._playback.set_following(not self._playback.following)

    # ---- what it shows ------------------------------------------------------------------

    def _reset(self, record: RunRecord | None) -> None:
        self._work, self._deltas = TimeSeries(), StepSeries()
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
        times = samples["t_ns"].astype(np.float64)
        self._work.append(times, samples["assigned_edges"])
        self._deltas.append(times, samples["delta"])

    def _draw_data(self) -> None:
        clock = self._record.clock if self._record is not None else "modelled"
        self.overview.show_data(self._work, self._deltas, clock)

    def _draw_cursor(self) -> None:
        self.overview.update()
        self.time_label.setText(self._time_words())

    def _time_words(self) -> str:
        if self._record is None:
            return "no run yet"
        unit = time_unit(self._playback.duration_ns)
        first, last = self._playback.view_ns
        now = time_number(self._playback.cursor_ns, unit, (last - first) / FINEST)
        whole = time_number(self._playback.duration_ns, unit)
        return f"{now} / {whole} {unit.word} {self._record.clock}"

    def _colour(self) -> None:
        if self._icon_colour != self._theme.text:
            self._icon_colour = self._theme.text
            for key, button in self.buttons.items():
                button.setIcon(transport_icon(key, self._theme))
            self._show_playing(self._playback.playing)
            self.overview.apply_theme(self._theme)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Put the controls in one row where there is room, else in two."""
        super().resizeEvent(event)
        wide = self.width() >= ONE_ROW
        direction = QBoxLayout.Direction
        self.controls.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        side = Qt.AlignmentFlag.AlignLeft if wide else Qt.AlignmentFlag.AlignRight
        self.time_label.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)

    def summary_text(self) -> str:
        """Return the time at the cursor, the sample, and whether it plays or follows."""
        if self._record is None:
            return self.HINT
        state = (
            "following the run"
            if self._playback.following
            else "playing"
            if self._playback.playing
            else "paused"
        )
        number, count = self._playback.sample_index + 1, len(self._record.samples)
        return f"{self._time_words()}, sample {number} of {count}, {state}"
