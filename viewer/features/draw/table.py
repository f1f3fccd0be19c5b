"""The arcs as a table beside the canvas: tail, head and weight, each to be typed over.

It is the same drawing: what is selected here is selected there. The last row is empty; typed into,
it becomes an arc as soon as tail and head are there. A name that is new becomes a vertex, so a
whole graph can be typed here. Delete takes the selected arcs away (the window's action).
"""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    Qt,
    pyqtSignal,
)
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from gpu.errors import ParameterError
from viewer.common.text_size import scaled
from viewer.features.draw.drawing import Arc, DrawingModel
from viewer.features.draw.keys import free_place
from viewer.features.draw.rules import read_weight, weight_words

Role = Qt.ItemDataRole
TAIL, HEAD, WEIGHT = 0, 1, 2
TITLES = {True: ("From", "To", "Weight"), False: ("End", "End", "Weight")}
NEW = "new arc"
EDIT_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2)


class ArcsModel(QAbstractTableModel):
    """The arcs of a drawing, and an empty row."""

    refused = pyqtSignal(str)  # what could not be done, and why

    def __init__(self, drawing: DrawingModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._drawing = drawing
        self._rows: tuple[Arc, ...] = drawing.drawing.arcs
        self._begun = ["", "", ""]  # what the empty row holds so far
        drawing.changed.connect(self._follow)

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        """Return the number of arcs, and one."""
        return 0 if parent is not None and parent.isValid() else len(self._rows) + 1

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        """Return 3."""
        return 0 if parent is not None and parent.isValid() else 3

    def data(self, index: QModelIndex, role: int = Role.DisplayRole) -> Any:
        """Return what stands in a cell."""
        column = index.column()
        if role == Role.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column == WEIGHT else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        new = index.row() >= len(self._rows)
        if role == Role.AccessibleTextRole:
            return f"{NEW}, {TITLES[True][column]}" if new else self._text(index.row(), column)
        if role not in (Role.DisplayRole, Role.EditRole):
            return None
        if not new:
            return self._text(index.row(), column)
        shown = self._begun[column]
        return shown or ("+" if role == Role.DisplayRole and column == TAIL else "")

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        """Return the title of a column, the number of a row."""
        if role != Role.DisplayRole:
            return None
        if orientation == Qt.Orientation.Vertical:
            return section + 1 if section < len(self._rows) else "+"
        return TITLES[self._drawing.drawing.directed][section]

    def flags(self, index: QModelIndex) -> Qt.ItemFlag:
        """Every cell can be typed over."""
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def setData(self, index: QModelIndex, value: Any, role: int = Role.EditRole) -> bool:
        """Take what was typed; say why where it cannot be taken."""
        text = str(value).strip()
        if role != Role.EditRole or text == (self.data(index, Role.EditRole) or ""):
            return False
        try:
            if index.row() < len(self._rows):
                self._change(self._rows[index.row()], index.column(), text)
            else:
                self._begin(index.column(), text)
        except ParameterError as error:
            self.refused.emit(str(error))
            return False
        return True

    def key_at(self, row: int) -> int:
        """Return the key of the arc in a row, -1 for the empty one."""
        return self._rows[row].key if 0 <= row < len(self._rows) else -1

    def rows_of(self, keys: frozenset[int]) -> list[int]:
        """Return the rows of arcs."""
        return [row for row, arc in enumerate(self._rows) if arc.key in keys]

    def _text(self, row: int, column: int) -> str:
        arc, by_key = self._rows[row], self._drawing.drawing.by_key
        if column == WEIGHT:
            return weight_words(arc.weight)
        return by_key[arc.tail if column == TAIL else arc.head].name

    def _change(self, arc: Arc, column: int, text: str) -> None:
        if column == WEIGHT:
            self._drawing.set_weight([arc.key], read_weight(text))
            return
        with self._drawing.together("ends of an arc"):
            key = self._vertex(text)
            tail, head = (key, arc.head) if column == TAIL else (arc.tail, key)
            self._drawing.set_ends(arc.key, tail, head)

    def _begin(self, column: int, text: str) -> None:
        """Take a part of a new arc; make it once both ends are there."""
        if column == WEIGHT:
            read_weight(text)
        self._begun[column] = text
        tail, head, weight = self._begun
        if not (tail and head):
            self.dataChanged.emit(self.index(len(self._rows), 0), self.index(len(self._rows), 2))
            return
        value = read_weight(weight or "1")
        self._begun = ["", "", ""]
        with self._drawing.together(f"arc {tail} → {head}"):
            self._drawing.add_arc(self._vertex(tail), self._vertex(head), value)

    def _vertex(self, name: str) -> int:
        """Return the key of a vertex; one that is not there yet is added."""
        drawing = self._drawing.drawing
        name = " ".join(name.split())
        found = drawing.key_of_name.get(name)
        if found is not None:
            return found
        last = drawing.vertices[-1] if drawing.vertices else None
        x, y = free_place(drawing, last.x if last else 0.0, last.y if last else 0.0)
        return self._drawing.add_vertex(x, y, name)

    def _follow(self) -> None:
        before, now = self._rows, self._drawing.drawing.arcs
        if len(before) == len(now):
            self._rows = now
            self.dataChanged.emit(self.index(0, 0), self.index(len(now), 2))
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, 2)
        elif len(now) == len(before) + 1 and now[:-1] == before:
            self.beginInsertRows(QModelIndex(), len(before), len(before))
            self._rows = now
            self.endInsertRows()
        else:
            self.beginResetModel()
            self._rows = now
            self.endResetModel()


class ArcsTable(QTableView):
    """The table; its selection is the drawing's."""

    def __init__(self, drawing: DrawingModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawing = drawing
        self.arcs = ArcsModel(drawing, self)
        self._following = False
        self.setModel(self.arcs)
        self.setAccessibleName("Arcs")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        self.setTabKeyNavigation(False)  # Tab leaves the table, arrows move in it
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setFrameShape(QTableView.Shape.NoFrame)
        across, down = self.horizontalHeader(), self.verticalHeader()
        assert across is not None
        assert down is not None
        across.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        across.setHighlightSections(False)
        down.setVisible(False)
        self.setMinimumSize(scaled(150), scaled(90))
        self.fit_text()
        drawing.selection_changed.connect(self._show_selection)
        self.arcs.modelReset.connect(self._show_selection)
        self.arcs.rowsInserted.connect(self._show_selection)

    def fit_text(self) -> None:
        """Make rows as high as the text needs."""
        down = self.verticalHeader()
        assert down is not None
        down.setMinimumSectionSize(0)
        down.setDefaultSectionSize(self.fontMetrics().height() + scaled(6))

    def event(self, e: QEvent | None) -> bool:
        """Keep F2, which begins to edit, from the window's shortcuts."""
        override = isinstance(e, QKeyEvent) and e.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(e, QKeyEvent) and e.key() in EDIT_KEYS and not e.modifiers():
            e.accept()
            return True
        return super().event(e)

    def keyPressEvent(self, e: QKeyEvent | None) -> None:
        """Edit on Enter and F2."""
        idle = self.state() != QAbstractItemView.State.EditingState
        if e is not None and e.key() in EDIT_KEYS and not e.modifiers() and idle:
            self.edit(self.currentIndex())
            e.accept()
        else:
            super().keyPressEvent(e)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Select in the drawing what is selected here."""
        super().selectionChanged(selected, deselected)
        chosen = self.selectionModel()
        if self._following or chosen is None:
            return
        keys = {self.arcs.key_at(index.row()) for index in chosen.selectedRows()} - {-1}
        self._following = True
        try:
            self._drawing.select([], keys)
        finally:
            self._following = False

    def _show_selection(self) -> None:
        """Select here what is selected in the drawing."""
        chosen = self.selectionModel()
        if self._following or chosen is None:
            return
        self._following = True
        try:
            rows = self.arcs.rows_of(self._drawing.selected_arcs)
            picked = QItemSelection()
            for row in rows:
                picked.select(self.arcs.index(row, 0), self.arcs.index(row, 2))
            chosen.select(picked, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            if rows and not self.hasFocus():
                self.scrollTo(self.arcs.index(rows[0], 0))
        finally:
            self._following = False
