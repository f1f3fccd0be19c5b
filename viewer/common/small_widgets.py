"""Small widgets that several panels and dialogs have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QFrame,
    QHeaderView,
    QLabel,
    QLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedLayout,
    QTableWidget,
    QTableWidgetItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from viewer.common.theme import SPACING

L = TypeVar("L", bound=QLayout)


class OnePress(QObject):
    """Lets a double click press once: Run would turn into Stop, and Draw would close again."""

    def __init__(self, *buttons: QAbstractButton) -> None:
        super().__init__(buttons[0])
        for button in buttons:
            button.installEventFilter(self)

    def eventFilter(self, _button: QObject | None, a1: QEvent | None) -> bool:
        """Stop the second press."""
        return a1 is not None and a1.type() == QEvent.Type.MouseButtonDblClick


def run_button(words: str) -> QPushButton:
    """Return a main button, as Run; a double click presses it once."""
    button = QPushButton(words)
    button.setProperty("role", "primary")
    OnePress(button)
    return button


def centred_hint(words: str = "", margin: int = 2 * SPACING) -> QLabel:
    """Return what a panel says, quietly and in its middle, while it has nothing to show."""
    hint = label(words, "muted")
    hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
    hint.setMargin(margin)
    return hint


def wrapped_label() -> QLabel:
    """Return a quiet label that takes more lines where it is narrow: nothing of it is cut."""
    quiet = label(role="muted")
    quiet.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return quiet


def label(words: str = "", role: str = "") -> QLabel:
    """Return words that wrap, as they are."""
    made = QLabel(words)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setWordWrap(True)
    if role:
        made.setProperty("role", role)
    return made


def scroller(inside: QWidget | None = None, *, across: bool = False) -> QScrollArea:
    """Return an area that scrolls downwards, and `across` only if it is to."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    if not across:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    if inside is not None:
        area.setWidget(inside)
    return area


def panel_column(owner: QWidget) -> QVBoxLayout:
    """Return the column of a panel's parts, with the margins of all panels."""
    column = QVBoxLayout(owner)
    column.setContentsMargins(SPACING, SPACING // 2, SPACING, SPACING // 2)
    column.setSpacing(SPACING // 2)
    return column


def packed(layout: L, *parts: QWidget, spacing: int = -1) -> L:
    """Return a layout without margins, with these parts in it; -1: the style's own spacing."""
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(spacing)
    for part in parts:
        layout.addWidget(part)
    return layout


def hint_or_page(owner: QWidget, hint: QWidget, page: QWidget) -> QStackedLayout:
    """Return the two pages of a panel: its hint while it is empty (0), what it shows (1)."""
    pages = QStackedLayout(owner)
    pages.addWidget(hint)
    pages.addWidget(page)
    return pages


def fill(table: QTableWidget, rows: Sequence[Sequence[str]]) -> None:
    """Put words into a table."""
    table.setRowCount(len(rows))
    for row, cells in enumerate(rows):
        for column, words in enumerate(cells):
            table.setItem(row, column, QTableWidgetItem(words))


def plain_table(columns: Sequence[str], name: str) -> QTableWidget:
    """Return a table whose rows are chosen one at a time, without a grid; `name` is spoken."""
    table = QTableWidget(0, len(columns))
    table.setHorizontalHeaderLabels(columns)
    table.setAccessibleName(name)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setShowGrid(False)
    down, across = table.verticalHeader(), table.horizontalHeader()
    assert down is not None
    assert across is not None
    down.hide()
    across.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    across.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
    return table


def chip(text: str, tip: str, checkable: bool = False) -> QToolButton:
    """Return a small flat button for a panel's header."""
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    button.setCheckable(checkable)
    button.setProperty("role", "chip")
    return button


def choice(rows: dict[Any, str], chosen: Any, name: str) -> QComboBox:
    """Return a list of titles by key; `chosen` is shown, or the first; `name` is spoken."""
    box = QComboBox()
    for key, title in rows.items():
        box.addItem(title, key)
    places = list(rows)
    box.setCurrentIndex(places.index(chosen) if chosen in places else 0)
    box.setAccessibleName(name)
    return box
