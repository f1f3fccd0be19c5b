"""One line above the picture: what happened and what to do; never a dialog.

It shows the session's notice and asks the session to forget it when dismissed. What a notice
offers are buttons; pressing one says which (`offer_taken`) and the notice goes. An information goes
by itself after `INFO_SECONDS`; a warning, an error or an offer stays.
"""

from __future__ import annotations

from functools import partial

from PyQt6.QtCore import QSize, Qt, QTimer, pyqtSignal
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
from viewer.common.theme import SPACING, Theme, mix
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
        self._theme: Theme | None = None
        self._build()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._dismiss)
        self._button.clicked.connect(self._dismiss)
        session.notice_changed.connect(self._show_notice)
        self._show_notice(session.notice)

    def _build(self) -> None:
        self.setObjectName("notice_bar")
        self.setAccessibleName("Notice")
        self._icon, self._words = QLabel(), QLabel()
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._button = QToolButton()
        self._button.setAutoRaise(True)
        self._button.setIconSize(QSize(14, 14))
        self._button.setToolTip("Dismiss")
        self._button.setAccessibleName("Dismiss")
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACING + 2, 5, SPACING, 5)
        row.setSpacing(SPACING)
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
        if notice is None:
            self._show_offers(None)
            return
        words = notice.words
        if notice.advice and words and words[-1] not in ".!?:":
            words += "."
        said = " ".join(part for part in (words, notice.advice) if part)
        self._words.setText(in_sight(said, LONGEST))
        self._show_offers(notice)
        self._colour(notice.level)
        if notice.level == "info" and not notice.offers:
            self._timer.start(int(INFO_SECONDS * 1000))

    def _show_offers(self, notice: Notice | None) -> None:
        for button in self.offers:
            self._offers.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.offers = [self._offer(offer) for offer in (notice.offers if notice else ())]

    def _offer(self, offer: Offer) -> QPushButton:
        button = QPushButton(button_words(offer.words))
        button.setAccessibleName(in_sight(offer.words).rstrip("…"))
        button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        button.clicked.connect(partial(self._take, offer))
        self._offers.insertWidget(self._offers.count() - 1, button)
        button.show()  # now, not when the layout next finds time
        return button

    def _take(self, offer: Offer, _checked: bool = False) -> None:
        self._dismiss()
        self.offer_taken.emit(offer.what)

    def _colour(self, level: str) -> None:
        theme = self._theme
        if theme is None:
            return
        colour = {"info": theme.accent, "warning": theme.warning, "error": theme.error}[level]
        self._icon.setPixmap(stroke_icon(level, colour, colour).pixmap(ICON_PIXELS, ICON_PIXELS))
        self.setStyleSheet(
            f"#notice_bar {{ background: {mix(theme.window, colour, TINT)}; border: none;"
            f" border-left: 3px solid {colour}; }}"
        )

    def _dismiss(self) -> None:
        self._session.set_notice(None)
