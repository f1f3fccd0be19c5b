"""The command palette: find any action by typing a part of its name, press Enter.

The typed letters may be anywhere in the words, in order ("swdl" matches "Sweep Δ"); letters at the
start of a word or next to each other count more. With nothing typed the actions stand as in the
menus, those used last on top. An action that cannot be used now is greyed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PyQt6.QtCore import QEvent, QModelIndex, QObject, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QAction, QFont, QFontMetrics, QKeyEvent, QPainter, QPalette
from PyQt6.QtWidgets import (
    QDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from viewer.action_set import keys_of, plain
from viewer.actions import Action
from viewer.common.theme import SPACING
from viewer.feature import FeaturePart

WIDTH, MOST_ROWS = 560, 12  # pixels; rows seen at once
ROW_MARGIN = 4  # pixels above and below its words
ENTRY = Qt.ItemDataRole.UserRole
MOVING_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
RECENT, MOST_RECENT = "palette_recent", 5  # key in Settings


@dataclass(frozen=True)
class Entry:
    """One row: words to find it by, where it stands, its keys, and what it does."""

    words: str
    place: str
    keys: str
    action: QAction


class Palette(QDialog):
    """The list and its field; emits the entry that was chosen and closes."""

    chosen = pyqtSignal(object)  # Entry

    def __init__(self, entries: Sequence[Entry], recent: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self._entries = sorted(entries, key=lambda entry: _rank(entry, recent))
        self.setWindowTitle("Commands")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(min(WIDTH, max(parent.width() - 4 * SPACING, 240)))
        self.field = QLineEdit()
        self.field.setPlaceholderText("Type what you want to do")
        self.field.setAccessibleName("Find a command")
        self.field.setClearButtonEnabled(True)
        self.rows = QListWidget()
        self.rows.setAccessibleName("Commands")
        self.rows.setUniformItemSizes(True)
        self.rows.setItemDelegate(_RowPainter(self.rows))
        self.rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.rows.setMinimumHeight(MOST_ROWS * (self.fontMetrics().height() + 12))
        self.rows.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.about = QLabel()
        self.about.setProperty("role", "muted")
        self.about.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(*([SPACING] * 4))
        for part in (self.field, self.rows, self.about):
            column.addWidget(part)
        self.field.textChanged.connect(self._fill)
        self.field.returnPressed.connect(self._choose)
        self.rows.itemClicked.connect(self._choose_row)
        self.rows.currentItemChanged.connect(self._tell)
        self.field.installEventFilter(self)
        self._fill("")

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Let the arrow keys of the field move in the list."""
        if isinstance(a1, QKeyEvent) and a1.key() in MOVING_KEYS:
            if a1.type() == QEvent.Type.KeyPress:
                self.rows.keyPressEvent(a1)
            return True
        return super().eventFilter(a0, a1)

    def _fill(self, typed: str) -> None:
        self.rows.clear()
        scored = [(match(typed, f"{e.place} {e.words}"), e) for e in self._entries]
        found = [(score, entry) for score, entry in scored if score is not None]
        if typed:
            found.sort(key=lambda pair: -pair[0])
        for _, entry in found:
            item = QListWidgetItem(self.rows)
            item.setData(ENTRY, entry)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{entry.words}, {entry.place}")
        if self.rows.count():
            self.rows.setCurrentRow(0)
        else:
            self.about.setText(f"Nothing is called {typed!r}. Try a shorter word.")

    def _tell(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            action: QAction = item.data(ENTRY).action
            now = "" if action.isEnabled() else " (not now: nothing here to use it on)"
            self.about.setText((action.statusTip() or action.toolTip()) + now)

    def _choose(self) -> None:
        item = self.rows.currentItem()
        if item is not None:
            self._choose_row(item)

    def _choose_row(self, item: QListWidgetItem) -> None:
        entry: Entry = item.data(ENTRY)
        if entry.action.isEnabled():
            self.accept()
            self.chosen.emit(entry)


class _RowPainter(QStyledItemDelegate):
    """Words, then where they stand; the keys at the right. A widget a row took 0.2 s to open."""

    def sizeHint(self, option: QStyleOptionViewItem, _index: QModelIndex) -> QSize:
        """Return one line and its margins; the list gives the width."""
        return QSize(0, option.fontMetrics.height() + 2 * ROW_MARGIN)

    def paint(
        self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex
    ) -> None:
        """Draw one row, over what the style draws below it."""
        super().paint(painter, option, index)
        assert painter is not None
        entry: Entry = index.data(ENTRY)
        group = QPalette.ColorGroup.Active
        words = group if entry.action.isEnabled() else QPalette.ColorGroup.Disabled
        role = QPalette.ColorRole
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        text, muted = (
            (role.HighlightedText, role.HighlightedText)
            if chosen
            else (role.Text, role.PlaceholderText)
        )
        place = option.rect.adjusted(SPACING, 0, -SPACING, 0)
        bold = QFont(option.font)
        bold.setWeight(QFont.Weight.DemiBold)
        pieces = (
            (entry.keys, bold, option.palette.color(group, text)),
            (entry.words, option.font, option.palette.color(words, text)),
            (entry.place, option.font, option.palette.color(group, muted)),
        )
        for said, font, colour in pieces:
            painter.setFont(font)
            painter.setPen(colour)
            metrics = QFontMetrics(font)
            side = Qt.AlignmentFlag.AlignRight if font is bold else Qt.AlignmentFlag.AlignLeft
            shown = metrics.elidedText(said, Qt.TextElideMode.ElideRight, max(place.width(), 0))
            painter.drawText(place, side | Qt.AlignmentFlag.AlignVCenter, shown)
            taken = metrics.horizontalAdvance(shown) + 2 * SPACING if shown else 0
            if font is bold:
                place.setRight(place.right() - taken)
            else:
                place.setLeft(place.left() + taken)


def match(typed: str, words: str) -> float | None:
    """Return how well letters fit words, None where they are not all there in order."""
    score, place, last = 0.0, 0, -2
    low = words.casefold()
    for letter in typed.casefold().replace(" ", ""):
        found = low.find(letter, place)
        if found < 0:
            return None
        start = _start_of_word(low, letter, place)
        if found != last + 1 and start >= 0:
            found = start
        score += 3.0 if found == last + 1 else 0.0
        score += 2.0 if found == 0 or not low[found - 1].isalnum() else 0.0
        place, last = found + 1, found
    return score - 0.01 * len(words)


def _start_of_word(words: str, letter: str, first: int) -> int:
    """Return the next place where a word starts with the letter, -1 where none does."""
    for place in range(first, len(words)):
        if words[place] == letter and (place == 0 or not words[place - 1].isalnum()):
            return place
    return -1


def _rank(entry: Entry, recent: Sequence[str]) -> int:
    """Sort what was used last to the top; the sort keeps the rest."""
    name = entry.words
    return recent.index(name) if name in recent else len(recent)


class PaletteFeature(FeaturePart):
    """See the module docstring."""

    def show(self) -> Palette:
        """Show the palette over the self._window."""
        known = self._window.settings.value(RECENT, [])
        recent = [str(name) for name in known] if isinstance(known, list) else []
        palette = Palette(self.entries(), recent, self._window.as_widget())
        palette.chosen.connect(self._use)
        palette.open()
        return palette

    def entries(self) -> list[Entry]:
        """Return every action that is not a submenu, and the entries of submenus."""
        return [
            entry
            for menu in self._window.actions_by_key.menus
            for action in menu.actions
            if action.key != "palette"
            for entry in self._entries(action, plain(menu.title))
        ]

    def _entries(self, action: Action, menu: str) -> list[Entry]:
        actions = self._window.actions_by_key
        if not action.submenu:
            keys = ", ".join(keys_of(action))
            return [Entry(plain(action.text), menu, keys, actions[action.key])]
        submenu = actions.menu(action.key)
        submenu.aboutToShow.emit()  # some submenus are filled as they open
        return [
            Entry(f"{plain(action.text)}: {plain(inner.text())}", menu, "", inner)
            for inner in submenu.actions()
            if inner.text() and not inner.isSeparator()
        ]

    def _use(self, entry: Entry) -> None:
        words = entry.words
        known = self._window.settings.value(RECENT, [])
        before = known if isinstance(known, list) else []
        kept = [words, *(name for name in before if name != words)][:MOST_RECENT]
        self._window.settings.set_value(RECENT, kept)
        entry.action.trigger()


install = PaletteFeature
