"""The status bar: state of the newest run, what is drawn, whether it is right, which engine.

Progress shows only for what takes longer than `PATIENCE_MS`, with a Cancel button.
"""

from __future__ import annotations

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtGui import QShowEvent
from PyQt6.QtWidgets import QProgressBar, QPushButton, QSizePolicy, QStatusBar, QWidget

from gpu.words import SENTENCE, in_sight
from viewer.common.elided import ElidedLabel
from viewer.common.glossary import explain, mentioned
from viewer.common.later import once
from viewer.common.theme import SPACING, Theme
from viewer.models.run_words import state_words, verified_words
from viewer.models.session import PROGRESS_DONE, RunRecord, SessionModel

PATIENCE_MS = 300  # what is over sooner shows no bar
PROGRESS_STEPS = 1000
READY = "Ready"
BAR_WIDTH = 140  # pixels


class StatusBar(QStatusBar):
    """Follows the session; asks for `cancel_requested`."""

    cancel_requested = pyqtSignal()

    def __init__(self, session: SessionModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._theme: Theme | None = None
        self._detailed = True
        self._build()
        self._timer = once(self, self._show_bar, PATIENCE_MS)
        self._connect()
        self.show_run(session.current)

    def _build(self) -> None:
        self.setSizeGripEnabled(False)
        self._state, self._drawn = _words(), _words()
        self._verified, self._engine = _words(), _words()
        self._bar = QProgressBar()
        self._bar.setRange(0, PROGRESS_STEPS)
        self._bar.setTextVisible(False)
        self._bar.setFixedSize(BAR_WIDTH, 10)
        self._bar.setAccessibleName("Progress")
        self._cancel = QPushButton("Cancel")
        self._cancel.setFlat(True)
        self._cancel.setToolTip("Give up what is under way")
        self._state.setContentsMargins(SPACING, 0, 0, 0)
        for part in (self._state, self._bar, self._cancel):
            self.addWidget(part)
        self.addWidget(QWidget(), 1)
        self._bar.hide()
        self._cancel.hide()
        for part, name in (
            (self._drawn, "What is drawn"),
            (self._verified, "Verification"),
            (self._engine, "Engine"),
        ):
            part.setAccessibleName(name)
            part.setContentsMargins(SPACING, 0, SPACING, 0)
            self.addPermanentWidget(part)

    def _connect(self) -> None:
        self._cancel.clicked.connect(self.cancel_requested)
        self.messageChanged.connect(self._give_room)
        self._session.progress_changed.connect(self._show_progress)
        self._session.current_changed.connect(self.show_run)
        self._session.run_changed.connect(self._show_changed_run)
        self._session.waiting_changed.connect(lambda: self.show_run(self._shown))

    def showEvent(self, a0: QShowEvent | None) -> None:
        """Let no hint stay: Qt would show it and the words that it replaced on one another."""
        self.clearMessage()
        super().showEvent(a0)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self.show_run(self._shown)

    def show_engine(self, words: str, detail: str) -> None:
        """Say which engine and device there is; `detail`, how far its times can be trusted."""
        self._engine.setText(words)
        self._engine.detail = detail

    def show_drawn(self, words: str) -> None:
        """Say how much of the graph is drawn."""
        self._drawn.setText(words)

    def show_details(self, shown: bool) -> None:
        """Say what is drawn, whether it is right and by what engine, or only the state."""
        self._detailed = shown
        self._give_room(self.currentMessage())

    def progress_shown(self) -> bool:
        """Whether the bar and its Cancel button are on screen."""
        return not self._bar.isHidden()

    def _show_progress(self, fraction: float, words: str) -> None:
        if fraction >= PROGRESS_DONE:
            self._timer.stop()
            self._bar.hide()
            self._cancel.hide()
            self.show_run(self._shown)
            return
        is_known = fraction >= 0
        self._bar.setMaximum(PROGRESS_STEPS if is_known else 0)
        self._bar.setValue(int(fraction * PROGRESS_STEPS) if is_known else 0)
        self._state.setText(in_sight(words))
        if not self.progress_shown() and not self._timer.isActive():
            self._timer.start()

    def _give_room(self, hint: str) -> None:
        """Give a hint the whole bar while it is shown: it would be cut in the middle of a word."""
        for part in (self._drawn, self._verified, self._engine):
            part.setVisible(self._detailed and not hint)

    def _show_bar(self) -> None:
        self.clearMessage()  # a hint had the whole bar
        self._bar.show()
        self._cancel.show()

    def _show_changed_run(self, record: RunRecord) -> None:
        if record is self._session.current or not record.running:
            self.show_run(record)

    def show_run(self, record: RunRecord | None) -> None:
        """Tell of a run from now on, or of none."""
        self._shown = record
        if self._session.progress >= PROGRESS_DONE:
            nothing = self._session.waiting or READY
            self._state.setText(nothing if record is None else state_words(record))
        words, level = verified_words(record)
        if record is not None and record.recorded_on and words:
            words = f"Recording: {words}"
        self._verified.setText(words)
        proofs = record.verification if record is not None else None
        detail = in_sight(proofs.detail if proofs is not None else words, SENTENCE)
        meant = [explain(term) for term in mentioned(words)]
        self._verified.detail = "\n\n".join([detail, *meant])
        if self._theme is not None:
            colour = getattr(self._theme, level)
            self._verified.setStyleSheet(f"color: {colour}")


def _words() -> ElidedLabel:
    """Return a label as wide as its words, that ends in an ellipsis where there is no room."""
    label = ElidedLabel(role="")
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    return label
