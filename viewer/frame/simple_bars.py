"""The bars of the simple screen: the graph and the verdict above, playback, Δ and Run below.

`viewer.features.simple` connects their buttons and says what they show.
"""

from __future__ import annotations

import math
from functools import partial
from html import escape

from PyQt6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QFont, QKeyEvent
from PyQt6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSlider,
    QToolButton,
    QWhatsThis,
    QWidget,
)

from gpu.words import distance, time_unit
from viewer.common.elided import ElidedLabel
from viewer.common.icons import stroke_icon
from viewer.common.later import later
from viewer.common.small_widgets import OnePress, chip, packed, panel_column, run_button
from viewer.common.text_size import scaled
from viewer.common.theme import SPACING, Theme
from viewer.frame.run_fields import GraphChoice
from viewer.models.playback import PlaybackModel
from viewer.models.run_words import time_pair
from viewer.models.session import SessionModel

STRIP_STEPS = 2000
OCTAVES, NOTCHES = 6, 8  # Δ goes so many doublings up and down, in steps of an eighth
RECORDED, HERE = "recorded", "here"


class TopBar(QWidget):
    """Graph, Open, Lessons, All controls; below, the verdict and where it comes from."""

    def __init__(self, session: SessionModel) -> None:
        super().__init__()
        self.graph = GraphChoice(session)
        self.graph.setMinimumContentsLength(22)  # characters: the samples' titles
        self.open = _button("Open…", "Open a graph file (Ctrl+O)")
        self.lessons = _button("Lessons", "Learn how this works, step by step (F2)")
        self.controls = _button("All controls ▸", "Show every control and plot (Ctrl+Shift+A)")
        self.verdict, self.whence = ElidedLabel(role="strong"), QLabel()
        self.verdict.setAccessibleName("Verdict")
        self.whence.setProperty("role", "muted")
        self.more = QToolButton()
        self.more.setAutoRaise(True)
        self.more.setToolTip("The whole comparison, with its numbers")
        self.more.setAccessibleName("The whole comparison")
        self.more.clicked.connect(self._show_all)
        self._lay_out()

    def _lay_out(self) -> None:
        self.choices = QWidget()  # hidden while presenting
        label = QLabel("Graph")
        label.setBuddy(self.graph)
        above = packed(QHBoxLayout(self.choices), label, self.graph, self.open)
        below = QHBoxLayout()
        above.addStretch(1)
        for part in (self.lessons, self.controls):
            above.addWidget(part)
        below.addWidget(self.verdict, 1)
        below.addWidget(self.whence)
        below.addWidget(self.more)
        column = panel_column(self)
        column.addWidget(self.choices)
        column.addLayout(below)

    def say(self, verdict: str, whence: str, whole: str) -> None:
        """Show the verdict, whose runs it is about, and what opens at the info button."""
        self.verdict.setText(verdict)
        self.verdict.detail = verdict
        self.whence.setText(whence)
        changed = whole != self.more.accessibleDescription()
        self.more.setAccessibleDescription(whole)
        self.more.setEnabled(bool(whole))
        sheet = QApplication.activePopupWidget()
        if changed and sheet is not None and sheet.inherits("QWhatsThat"):
            self._show_all()
        self.setAccessibleDescription(f"{verdict} {whence}")

    def apply_theme(self, theme: Theme) -> None:
        """Take colours and text size of a theme."""
        self.more.setIcon(stroke_icon("info", theme.text, theme.border))
        self.more.setIconSize(QSize(scaled(16), scaled(16)))
        self.whence.updateGeometry()
        font = QFont(self.font())
        font.setPixelSize(scaled(15))
        self.verdict.setFont(font)
        self.verdict.setMinimumHeight(self.verdict.fontMetrics().height() + 2)

    def _show_all(self) -> None:
        """Show all words on a sheet that any key or click closes."""
        corner = self.more.mapToGlobal(self.more.rect().bottomLeft())
        words = escape(self.more.accessibleDescription())
        QWhatsThis.showText(corner, f"<p>{words}</p>", self.more)
        if (sheet := QApplication.activePopupWidget()) is not None:
            sheet.installEventFilter(self)
            later(sheet, partial(sheet.removeEventFilter, self), QApplication.doubleClickInterval())

    def eventFilter(self, _sheet: QObject | None, a1: QEvent | None) -> bool:
        """Keep the second press of a double click on the info button from the sheet."""
        return a1 is not None and a1.type() == QEvent.Type.MouseButtonPress


class PassingSlider(QSlider):
    """A slider that leaves the keys of playback to the window."""

    def keyPressEvent(self, ev: QKeyEvent | None) -> None:
        """Pass every key on: Left and Right step through the run."""
        if ev is not None:
            ev.ignore()


class DeltaSlider(QSlider):
    """Δ on a log scale around a base; tells a value that is tried from one that is chosen."""

    tried = pyqtSignal(float)  # Δ, while it is held
    chosen = pyqtSignal(float)  # Δ, once it is let go of, or a key was pressed

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.base = 0.0  # the Δ in the middle; 0: not yet known
        self.setRange(-OCTAVES * NOTCHES, OCTAVES * NOTCHES)
        self.setPageStep(NOTCHES)
        self.setTracking(False)  # its value changes when it is let go of
        self.setAccessibleName("Δ, bucket width")
        self.setToolTip("Bucket width: drag, and see what it does")
        self.sliderMoved.connect(lambda: self.tried.emit(self.delta))
        self.valueChanged.connect(lambda: self.chosen.emit(self.delta))

    @property
    def delta(self) -> float:
        """The Δ that it stands at, in three digits: 6,440, not 6,439.23."""
        return float(f"{(self.base or 1.0) * 2.0 ** (self.sliderPosition() / NOTCHES):.3g}")

    def show_delta(self, delta: float) -> None:
        """Stand at a Δ, unless somebody holds it."""
        if not self.isSliderDown() and delta > 0 and self.base:
            with QSignalBlocker(self):
                self.setValue(round(NOTCHES * math.log2(delta / self.base)))


class BottomBar(QWidget):
    """Play, the strip of time, Δ with auto, and Run or the switch between two pairs of runs."""

    def __init__(self, playback: PlaybackModel) -> None:
        super().__init__()
        self._playback = playback
        self._theme: Theme | None = None
        self.play = QToolButton()
        self.play.setAutoRaise(True)
        self.play.setToolTip("Play or pause (Space)")
        self.play.setAccessibleName("Play or pause")
        OnePress(self.play)
        self.strip = PassingSlider(Qt.Orientation.Horizontal)
        self.strip.setRange(0, STRIP_STEPS)
        self.strip.setAccessibleName("Time in the run")
        self.strip.setToolTip("Time in the run (Left, Right)")
        self.time = QLabel()
        self.label, self.delta, self.value = QLabel("Δ"), DeltaSlider(), QLabel()
        self.label.setBuddy(self.delta)
        self.auto = chip("auto", "Let the algorithm choose Δ and change it", checkable=True)
        self.pairs = {
            RECORDED: chip("recorded", "The runs recorded on a GPU", checkable=True),
            HERE: chip("here", "The runs made on this machine", checkable=True),
        }
        self.run = run_button("Run it here")
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACING, SPACING // 2, SPACING, SPACING // 2)
        row.setSpacing(SPACING)
        groups: tuple[tuple[QWidget, ...], ...] = (
            (self.play, self.strip, self.time),
            (self.label, self.delta, self.value, self.auto),
            (*self.pairs.values(), self.run),
        )
        for number, group in enumerate(groups):
            row.addSpacing(2 * SPACING if number else 0)
            for part in group:
                row.addWidget(part)
        row.setStretch(row.indexOf(self.strip), 3)
        row.setStretch(row.indexOf(self.delta), 1)
        for slider in (self.strip, self.delta):
            slider.setMinimumWidth(40)
            slider.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def _connect(self) -> None:
        self.strip.valueChanged.connect(self._seek)
        self.delta.tried.connect(self.say_delta)
        self.delta.chosen.connect(self.say_delta)
        self._playback.cursor_changed.connect(self.show_time)
        self._playback.duration_changed.connect(self.show_time)
        self._playback.view_changed.connect(self.show_time)
        self._playback.playing_changed.connect(self._show_playing)

    def say_delta(self, delta: float) -> None:
        """Say what Δ is, in a width that does not jump."""
        self.value.setText(distance(delta) if delta > 0 else "")

    def show_pairs(self, shown: str, there: bool) -> None:
        """Offer to switch between recorded runs and those made here, where there are both."""
        for name, button in self.pairs.items():
            button.setVisible(there)
            button.setChecked(name == shown)

    def show_running(self, running: bool) -> None:
        """Let the button stop a run."""
        self.run.setText("Stop" if running else "Run it here")
        self.run.setToolTip("End the run now (Esc)" if running else "Run on this machine (Ctrl+R)")

    def apply_theme(self, theme: Theme) -> None:
        """Take colours and text size of a theme."""
        self._theme = theme
        self._show_playing(self._playback.playing)
        self.play.setIconSize(QSize(scaled(16), scaled(16)))
        widest = self.fontMetrics().horizontalAdvance
        self.value.setMinimumWidth(widest("8.88e+8"))
        self.time.setMinimumWidth(widest("88.888 ms"))
        self.run.setMinimumWidth(widest("Run it here") + scaled(36))

    def _seek(self, step: int) -> None:
        self._playback.pause()
        self._playback.set_cursor(step / STRIP_STEPS * self._playback.duration_ns)

    def show_time(self, _news: object = None) -> None:
        """Stand at the cursor."""
        now, whole = self._playback.cursor_ns, self._playback.duration_ns
        first, last = self._playback.view_ns
        if not self.strip.isSliderDown():
            with QSignalBlocker(self.strip):
                self.strip.setValue(round(STRIP_STEPS * now / whole) if whole else 0)
        words = time_pair(now, whole, last - first)[0]
        self.time.setText(f"{words} {time_unit(whole).word}" if whole else "")

    def _show_playing(self, playing: bool) -> None:
        if self._theme is not None:
            name = "pause" if playing else "play"
            self.play.setIcon(stroke_icon(name, self._theme.text, self._theme.border))


def _button(words: str, tip: str) -> QPushButton:
    button = QPushButton(words)
    button.setToolTip(tip)
    return button
