"""The bar above the graph while two runs are compared: what differs, in a sentence and cautions.

What can be done with the two is behind one button: the actions of the menu Compare.
"""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction, QResizeEvent
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from gpu.study.compare_words import verdict
from viewer.common.glossary import explain, mentioned
from viewer.common.small_widgets import chip, label, wrapped_label
from viewer.common.text_size import scaled
from viewer.common.theme import SPACING, Theme
from viewer.models.comparison import ComparisonModel

SMALL = 600  # pixels of a window's height, at the reference text size


class CompareBar(QFrame):
    """Sentence, cautions and a menu; hidden while nothing is compared."""

    def __init__(
        self, pair: ComparisonModel, actions: Sequence[QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._pair = pair
        self._allowed = True  # the simple screen has a sentence of its own
        self._build()
        menu = QMenu(self)
        menu.addActions(actions)
        self.more.setMenu(menu)
        pair.pair_changed.connect(self._show_pair)
        pair.words_changed.connect(self._show_words)
        self._show_words()
        self.hide()  # until it stands in the window: else it flashes as a window of its own

    def _build(self) -> None:
        self.setObjectName("compare_bar")
        self.setAccessibleName("Comparison")
        self.words, self.cautions = label(), wrapped_label()
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.more = chip("⋯", "How the graph shows the two runs; swap them, end")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        row, column = QHBoxLayout(self), QVBoxLayout()
        row.setContentsMargins(SPACING + 2, SPACING // 2 + 2, SPACING + 2, SPACING // 2 + 2)
        row.setSpacing(SPACING)
        column.setSpacing(SPACING // 2)
        column.addWidget(self.words)
        column.addWidget(self.cautions)
        row.addLayout(column, 1)
        row.addWidget(self.more, 0, Qt.AlignmentFlag.AlignTop)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.setStyleSheet(f"CompareBar {{ border-bottom: 1px solid {theme.border}; }}")
        self._show_words()

    def allow(self, shown: bool) -> None:
        """Be shown while two runs are compared, or never."""
        self._allowed = shown
        self.setVisible(self._pair.active and shown)

    def _show_pair(self) -> None:
        self.allow(self._allowed)
        self._show_words()

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Say less in a small window."""
        super().resizeEvent(a0)
        self._show_words()

    def _show_words(self) -> None:
        """Show the whole comparison, in a small window its verdict and the whole as a tooltip."""
        summary, pair, around = self._pair.summary(), self._pair.sides(), self.window()
        if summary is None or pair is None or around is None:
            return
        brief = around.height() < scaled(SMALL)
        meant = explain(*mentioned(summary.words))
        self.words.setText(verdict(*pair, summary.numbers) if brief else summary.words)
        self.words.setToolTip(f"{summary.whole}\n\n{meant}" if brief else meant)
        self.cautions.setText(" ".join(summary.cautions))
        self.cautions.setVisible(bool(summary.cautions) and not brief)
        self.setAccessibleDescription(summary.whole)
