"""The microscope's panel: step through events, read what each does, see workers and buckets.

Buttons and keys move the model; the sentence stands in large type; the board below is painted by
`Board`. Nothing here knows an algorithm.
"""

from __future__ import annotations

from PyQt6.QtCore import QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpu.record.events import EventKind
from gpu.words import in_sight, time_words
from viewer.common.elided import ElidedLabel
from viewer.common.small_widgets import centred_hint, choice, hint_or_page, label, packed, scroller
from viewer.common.theme import LIGHT, SPACING, Theme
from viewer.features.microscope.board import Board
from viewer.features.microscope.model import MicroscopeModel
from viewer.plots.key import EVENT_KEY, Key

GOALS: tuple[tuple[str, str, tuple[EventKind, ...]], ...] = (  # what one may seek; (): any
    ("event", "Any event", ()),
    ("improve", "Improvement", (EventKind.IMPROVE,)),
    ("head", "Head or threshold", (EventKind.HEAD, EventKind.SPLIT, EventKind.EDGE)),
    ("delta", "Change of Δ", (EventKind.DELTA, EventKind.OPEN)),
    ("step", "Superstep or round", (EventKind.SUPERSTEP, EventKind.ROUND)),
    ("work", "Work handed out", (EventKind.ASSIGN, EventKind.SOURCE, EventKind.POP)),
    ("waste", "Wasted item", (EventKind.STALE, EventKind.SKIP)),
)
RECORD = "Run and record every event"
LEAVE_TIP = "Back to the panels that were there before"
EVERY_TIP = "Step also to where a bucket's memory and counters change: blocks, resv_ptr, WCC, CWC"
LAST_TIP = "Back to the last one of this kind (Left: any event)"
NEXT_TIP = "On to the next one of this kind (Right: any event)"
SENTENCE_LINES = 2  # kept free, so that nothing jumps
DEVICE = "Classroom GPU"
REPEAT_MS = 700  # a button held so long steps on; a busy machine sees a click later than it ends


class MicroscopePanel(QWidget):
    """Shows a MicroscopeModel; see the module docstring."""

    record_requested = pyqtSignal()  # run with every event
    example_requested = pyqtSignal()  # record an example
    leave_requested = pyqtSignal()

    def __init__(self, model: MicroscopeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setAccessibleName("Microscope")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._build()
        self._connect()
        self.apply_theme(LIGHT)
        self._show_replay()

    def _build(self) -> None:
        self.back, self.forward = self._button("◀", LAST_TIP), self._button("▶", NEXT_TIP)
        self.play = self._button("Play", "Let events go by (Space)")
        self.goal = choice({key: title for key, title, _ in GOALS}, "", "What to look for")
        self.goal.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.goal.setMinimumContentsLength(8)
        self.leave = self._button("Leave", LEAVE_TIP)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Event")
        self.every = QCheckBox("Stop at counters")
        self.every.setToolTip(EVERY_TIP)
        self.where = ElidedLabel()
        self.sentence = label()
        self.sentence.setAccessibleName("What happens")
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.board = Board(self._model)
        self._arrange(scroller(self.board))

    def _arrange(self, scroll: QScrollArea) -> None:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(SPACING, SPACING // 2, SPACING, 0)
        column.setSpacing(SPACING // 2 + 1)
        steps = (self.back, self.goal, self.forward, self.play, self.leave)
        where = packed(QHBoxLayout(), self.slider, self.where)
        where.setStretch(0, 2)
        where.setStretch(1, 3)
        column.addLayout(packed(QHBoxLayout(), *steps))
        column.addLayout(where)
        column.addWidget(self.every)
        column.addWidget(self.sentence)
        column.addWidget(scroll, 1)
        self.key = Key(EVENT_KEY)
        column.addWidget(self.key)
        self._scroll = scroll
        self._pages = hint_or_page(self, self._empty_page(), page)
        self.setMinimumSize(260, 200)

    def _empty_page(self) -> QWidget:
        self.problem = centred_hint(margin=0)
        self.record = QPushButton(RECORD)
        self.record.setToolTip("Run the graph shown on the Classroom GPU with every event kept")
        self.example = QPushButton("Open an example: figure 6")
        self.example.setToolTip("Record the paper's example with nine vertices")
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(2 * SPACING, SPACING, 2 * SPACING, SPACING)
        column.addStretch(1)
        column.addWidget(self.problem)
        for part in (self.record, self.example):
            column.addWidget(part, 0, Qt.AlignmentFlag.AlignCenter)
        column.addStretch(2)
        return page

    def _button(self, words: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(words)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setAutoRepeat(words in "◀▶")
        button.setAutoRepeatDelay(REPEAT_MS)
        return button

    def _connect(self) -> None:
        model = self._model
        self.back.clicked.connect(lambda: self.seek(-1))
        self.forward.clicked.connect(lambda: self.seek(1))
        self.play.clicked.connect(model.toggle)
        self.leave.clicked.connect(self.leave_requested)
        self.every.toggled.connect(model.set_every)
        self.goal.currentIndexChanged.connect(self._show_event)
        self.slider.valueChanged.connect(self._slide)
        self.record.clicked.connect(self.record_requested)
        self.example.clicked.connect(self.example_requested)
        model.moved.connect(self._show_event)
        self.board.lit.connect(self._reveal, Qt.ConnectionType.QueuedConnection)  # type: ignore[call-arg]
        model.replay_changed.connect(self._show_replay)
        model.words_changed.connect(self._show_words)
        model.playing_changed.connect(lambda on: self.play.setText("Pause" if on else "Play"))

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme, and room for the sentence in its type."""
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * 1.2)
        self.sentence.setFont(font)
        lines = self.sentence.fontMetrics().lineSpacing() * SENTENCE_LINES
        self.sentence.setMinimumHeight(lines)
        self.board.apply_theme(theme)
        self.key.apply_theme(theme)

    def seek(self, direction: int) -> None:
        """Go to the next (+1) or last (-1) event of the kind chosen."""
        if self._wanted():
            self._model.seek(self._wanted(), direction)
        else:
            self._model.step(direction)

    def _wanted(self) -> tuple[EventKind, ...]:
        return GOALS[max(self.goal.currentIndex(), 0)][2]

    def _slide(self, number: int) -> None:
        if number != self._model.number:
            self._model.pause()
            self._model.go_to_number(number)

    def _show_replay(self) -> None:
        replay = self._model.replay
        self._pages.setCurrentIndex(0 if replay is None else 1)
        self._show_words()
        if replay is not None:
            self._show_event()
        self.setAccessibleDescription(self._model.summary_text())

    def _show_words(self) -> None:
        """Say what is under way, or why there are no events, and offer what there is to do."""
        model = self._model
        idle = not model.under_way
        self.problem.setText(model.words)
        self.record.setVisible(idle and not model.refused)
        self.example.setVisible(idle and model.refused)
        self.setAccessibleDescription(model.summary_text())

    def _show_event(self) -> None:
        model, replay = self._model, self._model.replay
        if replay is None or model.state is None:
            return
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, model.count)
            self.slider.setValue(model.number)
        self.every.setChecked(model.every)
        device = model.record.settings.device if model.record is not None else ""
        own = "its own run on the " if device == DEVICE else ""
        when = f"{time_words(model.state.t_ns)}, {own}{in_sight(device)}"
        self.where.setText(f"event {model.number:,} of {model.count:,} · {when}")
        self.sentence.setText(model.sentence or "Nothing has happened yet.")
        kinds = self._wanted()
        there = replay.find(kinds, -1), replay.find(kinds, 1)
        self.back.setEnabled(there[0] is not None if kinds else model.position > 0)
        self.forward.setEnabled(there[1] is not None if kinds else model.number < model.count)
        self.setAccessibleDescription(model.summary_text())

    def _reveal(self, top: int, bottom: int) -> None:
        middle, half = (top + bottom) // 2, (bottom - top) // 2 + SPACING
        self._scroll.ensureVisible(0, middle, 0, half)
