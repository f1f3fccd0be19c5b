"""One line above the picture: what happened and what to do; never a dialog.

What a notice offers are buttons. An information goes by itself after `INFO_SECONDS`.
"""

from __future__ import annotations

from functools import partial

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpu.words import in_sight
from viewer.common.foreign_words import button_words
from viewer.common.icons import stroke_icon
from viewer.common.later import once
from viewer.common.small_widgets import label
from viewer.common.theme import LIGHT, SPACING, Theme, mix
from viewer.models.session import Notice, Offer, SessionModel

INFO_SECONDS = 8.0
ICON_PIXELS = 18
LONGEST = 2000  # characters of a notice
TINT = 0.12  # share of the level's colour in the bar's background


class NoticeBar(QFrame):
    """The session's notice, hidden while there is none."""

    offer_taken = pyqtSignal(object)  # Offer.what of the button that was pressed

    def __init__(self, session: SessionModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._theme = LIGHT
        self._build()
        self._timer = once(self, self._dismiss)
        self._button.clicked.connect(self._dismiss)
        session.notice_changed.connect(self._show_notice)
        self._show_notice(session.notice)

    def _build(self) -> None:
        self.setObjectName("notice_bar")
        self.setAccessibleName("Notice")
        self._icon, self._words = QLabel(), label()
        self._words.setMinimumWidth(1)  # one long word would widen the window
        self._words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._button = QToolButton()
        self._button.setAutoRaise(True)
        self._button.setIconSize(QSize(14, 14))
        self._button.setToolTip("Dismiss")
        self._button.setAccessibleName("Dismiss")
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACING + 2, 5, SPACING, 5)
        self.offers: list[QPushButton] = []
        self._offers = QHBoxLayout()
        self._offers.addStretch(1)
        middle = QVBoxLayout()
        middle.addWidget(self._words)
        middle.addLayout(self._offers)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addLayout(middle, 1)
        row.addWidget(self._button, 0, Qt.AlignmentFlag.AlignVCenter)

    def text(self) -> str:
        """Return what is shown."""
        return self._words.text()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self._button.setIcon(stroke_icon("close", theme.text, theme.muted))
        self._show_notice(self._session.notice)

    def _show_notice(self, notice: Notice | None) -> None:
        self._timer.stop()
        self.setVisible(notice is not None)
        self._show_offers(notice.offers if notice is not None else ())
        if notice is None:
            return
        words = notice.words
        if notice.advice and words and words[-1] not in ".!?:":
            words += "."
        said = " ".join(part for part in (words, notice.advice) if part)
        self._words.setText(in_sight(said, LONGEST))
        self._colour(notice.level)
        if notice.level == "info" and not notice.offers:
            self._timer.start(int(INFO_SECONDS * 1000))

    def _show_offers(self, offers: tuple[Offer, ...]) -> None:
        for button in self.offers:
            self._offers.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.offers = [QPushButton(button_words(offer.words)) for offer in offers]
        for place, (button, offer) in enumerate(zip(self.offers, offers, strict=True)):
            button.setAccessibleName(in_sight(offer.words).rstrip("…"))
            button.clicked.connect(partial(self._take, offer))
            self._offers.insertWidget(place, button)
            button.show()  # now, not when the layout next finds time

    def _take(self, offer: Offer, _checked: bool = False) -> None:
        notice = self._session.notice
        self.offer_taken.emit(offer.what)
        if self._session.notice is notice:
            self._dismiss()

    def _colour(self, level: str) -> None:
        theme = self._theme
        colour = {"info": theme.accent, "warning": theme.warning, "error": theme.error}[level]
        self._icon.setPixmap(stroke_icon(level, colour, colour).pixmap(ICON_PIXELS, ICON_PIXELS))
        self.setStyleSheet(
            f"#notice_bar {{ background: {mix(theme.window, colour, TINT)}; border: none;"
            f" border-left: 3px solid {colour}; }}"
        )

    def _dismiss(self) -> None:
        self._session.set_notice(None)
