"""The timeline's buttons, boxes and reading: how they look and how they fold.

One row where there is room; two where there is less; in the narrowest docks the buttons
for which a key and a menu row are as near are left out.
"""

from __future__ import annotations

import math

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QIcon
from PyQt6.QtWidgets import (
    QBoxLayout,
    QDoubleSpinBox,
    QHBoxLayout,
    QToolButton,
)

from viewer.common.elided import ElidedLabel
from viewer.common.icons import stroke_icon
from viewer.common.small_widgets import chip
from viewer.common.text_size import scaled
from viewer.common.theme import SPACING, Theme, mix
from viewer.models.playback import MAX_SPEED, MIN_SPEED

BUTTONS = (
    ("start", "To the start (Home)"),
    ("back", "Step back (Left)"),
    ("play", "Play or pause (Space)"),
    ("forward", "Step forward (Right)"),
    ("end", "To the end (End)"),
    ("mark_back", "To the mark before (Ctrl+Left)"),
    ("mark_forward", "To the next mark (Ctrl+Right)"),
)
SPARED = ("start", "end", "mark_back", "mark_forward")  # hidden where it is narrow
ONE_ROW = 680  # pixels from which all controls stand in one row
ALL_BUTTONS = 400  # pixels from which there is room for those spared
BUTTON, ICON = (23, 26), 16  # pixels, of a transport button at the reference text size
SPEED_WIDTH = 76  # pixels, the same
SPEED_STEPS = (1.0, 2.0, 5.0, 10.0)  # times a power of ten


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
        self.setToolTip(
            "Speed: 1× shows the whole run in ten seconds; slower and faster by Ctrl+Down, Ctrl+Up"
        )

    def textFromValue(self, v: float) -> str:
        """Return the number without trailing zeros."""
        return f"{v:g}" if v >= 1e-3 else f"{v:.4f}".rstrip("0")


class Controls(QBoxLayout):
    """All controls under the overview; `fit_into` folds them."""

    def __init__(self) -> None:
        super().__init__(QBoxLayout.Direction.TopToBottom)
        self.setSpacing(SPACING)
        self.time_label = ElidedLabel(role="strong")
        self.time_label.setAccessibleName("Time at the cursor, and length of the run")
        self.buttons = {key: _button(key, tip) for key, tip in BUTTONS}
        self.speed_box = SpeedBox()
        self.live_button = chip("Live", "Follow the newest sample (L)", checkable=True)
        first, second = QHBoxLayout(), QHBoxLayout()
        first.setSpacing(0)
        for button in self.buttons.values():
            first.addWidget(button)
        first.addSpacing(SPACING)
        first.addWidget(self.time_label, 1)
        second.setSpacing(SPACING)
        second.addWidget(self.speed_box)
        second.addWidget(self.live_button)
        second.addStretch(1)
        self.addLayout(first, 1)
        self.addLayout(second)

    def apply_theme(self, theme: Theme) -> None:
        """Draw the icons in the theme's colours, all as large as the text asks."""
        for key, button in self.buttons.items():
            button.setIcon(transport_icon(key, theme))
            button.setFixedSize(QSize(*map(scaled, BUTTON)))
            button.setIconSize(QSize(scaled(ICON), scaled(ICON)))
        self.speed_box.setFixedWidth(scaled(SPEED_WIDTH))

    def minimumSize(self) -> QSize:
        """Return the folded width also while all is in one row: who shrinks it makes it fold."""
        least = super().minimumSize()
        rows = [self.itemAt(place) for place in range(self.count())]
        folded = max(row.minimumSize().width() for row in rows if row is not None)
        return QSize(min(least.width(), folded), least.height())

    def fit_into(self, width: int) -> None:
        """Fold for a width in pixels."""
        wide, direction = width >= scaled(ONE_ROW), QBoxLayout.Direction
        self.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        for key in SPARED:
            self.buttons[key].setVisible(width >= scaled(ALL_BUTTONS))
        side = Qt.AlignmentFlag.AlignLeft if wide else Qt.AlignmentFlag.AlignRight
        self.time_label.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)


def transport_icon(name: str, theme: Theme) -> QIcon:
    """Return an icon of `assets/icons` in the colour of a theme's text, faded when disabled."""
    return stroke_icon(name, theme.text, mix(theme.text, theme.window, 0.6))


def next_speed(speed: float, direction: int) -> float:
    """Return the next of …, 0.1, 0.2, 0.5, 1, 2, 5, 10 up (+1) or down (-1), within bounds."""
    power = 10.0 ** math.floor(math.log10(speed) + 1e-9)
    steps = [power * step / 10 for step in SPEED_STEPS[:3]] + [power * s for s in SPEED_STEPS]
    if direction > 0:
        nearest = next(step for step in steps if step > speed * (1 + 1e-9))
    else:
        nearest = next(step for step in reversed(steps) if step < speed * (1 - 1e-9))
    return min(max(round(nearest, 6), MIN_SPEED), MAX_SPEED)


def _button(key: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setAutoRaise(True)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
