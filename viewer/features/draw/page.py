"""The page that takes the graph's place while one draws: tools, canvas, a table of arcs, Run.

Where the page is wide the table stands beside the canvas, else under it. The line at the bottom
says what is selected, what was just done and what cannot be done; a screen reader finds it as the
description of the canvas.
"""

from __future__ import annotations

from collections.abc import Iterable

from PyQt6.QtCore import QEvent, QSignalBlocker, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QAction, QKeyEvent, QKeySequence, QResizeEvent
from PyQt6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QToolBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpu.errors import ParameterError
from viewer.common.text_size import scaled
from viewer.common.theme import LIGHT, SPACING, Theme
from viewer.features.draw.canvas import DrawCanvas
from viewer.features.draw.drawing import DrawingModel
from viewer.features.draw.keys import described
from viewer.features.draw.table import ArcsTable

WIDE = 560  # pixels, at the reference text size: from here on the table stands beside
FOOT = 430  # pixels: from here on the words stand beside the buttons
FIELD = 64  # pixels, at least, of a field
SIDE, BELOW = 210, 170  # pixels: the table's width beside, its height below
KINDS = ((False, "Whole numbers"), (True, "Decimals"))
WAYS = ((True, "Directed arcs"), (False, "Undirected edges"))


class DrawPage(QWidget):
    """See the module docstring."""

    use_requested = pyqtSignal()
    watch_requested = pyqtSignal()
    leave_requested = pyqtSignal()
    save_requested = pyqtSignal()

    def __init__(
        self, model: DrawingModel, theme: Theme = LIGHT, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("draw_page")
        self.model = model
        self._theme: Theme | None = None
        self._refused = False  # the line says what cannot be done
        self.canvas = DrawCanvas(model, theme)
        self.table = ArcsTable(model)
        self._build()
        self._connect()
        self._show_drawing()
        self._show_selection()

    def _build(self) -> None:
        self.setAccessibleName("Draw a graph")
        self.bar = QToolBar("Drawing tools")
        self.bar.setIconSize(QSize(20, 20))
        self.split = QSplitter()
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.canvas)
        self.split.addWidget(self._make_side())
        self.split.setStretchFactor(0, 1)
        self.words = QLabel()
        self.words.setObjectName("draw_words")
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.words.setMinimumHeight(2 * self.words.fontMetrics().lineSpacing())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.split, 1)
        self.foot = self._make_foot()
        column.addLayout(self.foot)

    def _make_side(self) -> QWidget:
        side = QWidget()
        self.name, self.ways, self.kinds = QLineEdit(), QComboBox(), QComboBox()
        self.name.setMaxLength(32)
        self.name.setAccessibleName("Name of the drawing")
        self.ways.setAccessibleName("Direction of the arcs")
        self.kinds.setAccessibleName("Kind of the weights")
        for box, rows in ((self.ways, WAYS), (self.kinds, KINDS)):
            for value, title in rows:
                box.addItem(title, value)
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            box.setMinimumContentsLength(9)
        self.form = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self.form.setContentsMargins(SPACING, SPACING, SPACING, SPACING)
        self.form.setSpacing(SPACING - 2)
        self.titles: list[QLabel] = []
        for title, field in (("Name", self.name), ("Arcs", self.ways), ("Weights", self.kinds)):
            field.setMinimumWidth(scaled(FIELD))  # else the page could never become narrow again
            row, label = QHBoxLayout(), QLabel(title)
            label.setBuddy(field)
            self.titles.append(label)
            row.addWidget(label)
            row.addWidget(field, 1)
            self.form.addLayout(row, 1)
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self.form)
        column.addWidget(self.table, 1)
        return side

    def _make_foot(self) -> QBoxLayout:
        self.use = QPushButton("Use and run")
        self.use.setProperty("role", "primary")
        self.use.setToolTip("Give this graph to the window and run the chosen algorithm on it")
        self.watch = QPushButton("Watch")
        self.watch.setToolTip("Run on this graph and step through every single event")
        self.watch.setAccessibleName("Use and watch every event")
        self.leave = QPushButton("Close")
        self.leave.setToolTip("Go back to the graph; what is drawn is kept")
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACING // 2)  # three in a dock 300 pixels wide
        buttons.addStretch(1)
        for button in (self.leave, self.watch, self.use):
            buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        foot = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        foot.setContentsMargins(SPACING, SPACING // 2, SPACING, SPACING // 2)
        foot.setSpacing(SPACING)
        foot.addWidget(self.words, 1)
        foot.addLayout(buttons)
        return foot

    def _connect(self) -> None:
        model = self.model
        self.use.clicked.connect(self.use_requested)
        self.watch.clicked.connect(self.watch_requested)
        self.leave.clicked.connect(self.leave_requested)
        self.name.editingFinished.connect(self._take_name)
        self.ways.activated.connect(lambda row: model.set_directed(WAYS[row][0]))
        self.kinds.activated.connect(self._take_kind)
        self.canvas.said.connect(self.say)
        self.canvas.refused.connect(self.refuse)
        self.table.arcs.refused.connect(self.refuse)
        model.changed.connect(self._show_drawing)
        model.selection_changed.connect(self._show_selection)

    def fill_bar(self, groups: Iterable[Iterable[QAction]]) -> None:
        """Put actions into the bar of tools, a line between groups."""
        for k, group in enumerate(groups):
            if k:
                self.bar.addSeparator()
            for action in group:
                self.bar.addAction(action)
                button = self.bar.widgetForAction(action)
                if isinstance(button, QToolButton):
                    button.setAccessibleName(action.text().replace("&", "").split("\t")[0])
                    if action.menu() is not None:
                        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours and the text size of a theme."""
        self._theme = theme
        self.canvas.apply_theme(theme)
        self.table.fit_text()
        self.words.setMinimumHeight(2 * self.words.fontMetrics().lineSpacing())
        self._arrange()
        self._colour_words()

    # --- what is said

    def say(self, words: str) -> None:
        """Say what happened."""
        self._tell(words, refused=False)

    def refuse(self, words: str) -> None:
        """Say what cannot be done, and why."""
        self._tell(words, refused=True)

    def _tell(self, words: str, *, refused: bool) -> None:
        self._refused = refused
        self.words.setText(words)
        self.canvas.setAccessibleDescription(words)
        self._colour_words()

    def _colour_words(self) -> None:
        if self._theme is not None:
            colour = self._theme.error if self._refused else self._theme.muted
            self.words.setStyleSheet(f"#draw_words {{ color: {colour}; }}")

    def _show_selection(self) -> None:
        model = self.model
        self.say(described(model.drawing, model.selected_vertices, model.selected_arcs))

    def _show_drawing(self) -> None:
        drawing = self.model.drawing
        if self.name.text() != drawing.name:
            self.name.setText(drawing.name)
        for box, value in ((self.ways, drawing.directed), (self.kinds, drawing.decimals)):
            with QSignalBlocker(box):
                box.setCurrentIndex(box.findData(value))
        for button in (self.use, self.watch):
            button.setEnabled(bool(drawing.vertices))
        self._show_selection()

    # --- what is asked

    def _take_name(self) -> None:
        try:
            self.model.set_name(self.name.text())
        except ParameterError as error:
            self.refuse(str(error))
            self.name.setText(self.model.drawing.name)

    def _take_kind(self, row: int) -> None:
        try:
            changed = self.model.set_decimals(KINDS[row][0])
        except ParameterError as error:
            self._show_drawing()
            self.refuse(str(error))
            return
        if changed:
            self.say(f"{changed} weights were rounded; Undo brings them back.")

    # --- room

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Put the table beside the canvas or under it."""
        super().resizeEvent(a0)
        self._arrange()

    def _arrange(self) -> None:
        row, column = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self.foot.setDirection(row if self.width() >= scaled(FOOT) else column)
        beside = self.width() >= scaled(WIDE)
        flat = not beside and self.width() >= scaled(FOOT)
        self.form.setDirection(row if flat else column)
        widest = max(label.sizeHint().width() for label in self.titles)
        for label in self.titles:
            label.setVisible(not flat)
            label.setMinimumWidth(widest)
        way = Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical
        if self.split.orientation() != way or not self.split.property("arranged"):
            self.split.setOrientation(way)
            self.split.setProperty("arranged", True)
            part = scaled(SIDE if beside else BELOW)
            whole = self.width() if beside else self.height()
            self.split.setSizes([max(whole - part, part), part])

    def event(self, a0: QEvent | None) -> bool:
        """Keep Ctrl+S, here the key that saves the drawing, from the window."""
        override = isinstance(a0, QKeyEvent) and a0.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(a0, QKeyEvent) and a0.matches(QKeySequence.StandardKey.Save):
            a0.accept()
            return True
        return super().event(a0)

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Keys that nothing on the page wants go no further: they would move the timeline."""
        assert a0 is not None
        if a0.matches(QKeySequence.StandardKey.Save):
            self.save_requested.emit()
        a0.accept()
