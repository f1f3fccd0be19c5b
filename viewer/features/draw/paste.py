"""An edge list as text: typed or pasted, read while it is typed, every mistake with its line."""

from __future__ import annotations

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QFontDatabase, QKeySequence, QShortcut, QTextCursor
from PyQt6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from viewer.common.text_size import scaled
from viewer.common.theme import SPACING
from viewer.features.draw.text import Parsed, parse_edges

EXAMPLE = "S -> A 10\nS -> B 1\nB -> A 1"
HELP = (
    "One edge a line: tail, head, weight (1 if there is none). Arrows (->), lines for both ways "
    "(--), commas, tabs or blanks part them. Ctrl+Enter draws it."
)
DRAW_KEYS = ("Ctrl+Return", "Ctrl+Enter")  # Enter begins another line
WAIT_MS = 120  # after a key, before the text is read
PROBLEM_LINES = 6  # shown at once


class PasteDialog(QDialog):
    """Asks for a text; `taken` hands over what it says."""

    taken = pyqtSignal(object)  # Parsed

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Paste an edge list")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.parsed = Parsed()
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.setInterval(WAIT_MS)
        self._wait.timeout.connect(self._read)
        self._build()
        self.text.setPlainText(text)
        self.text.moveCursor(QTextCursor.MoveOperation.End)
        self.text.setFocus()
        self._read()
        self.resize(scaled(440), scaled(380))

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*([2 * SPACING] * 4))
        help_ = QLabel(HELP)
        help_.setWordWrap(True)
        help_.setProperty("role", "muted")
        self.text = QPlainTextEdit()
        self.text.setAccessibleName("Edge list")
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        if QApplication.font().pointSizeF() > 0:
            font.setPointSizeF(QApplication.font().pointSizeF())
        self.text.setFont(font)
        self.text.setPlaceholderText(EXAMPLE)
        self.text.setTabChangesFocus(True)
        self.text.textChanged.connect(self._wait.start)
        self.found = QLabel()
        self.found.setWordWrap(True)
        self.found.setAccessibleName("Result of reading")
        self.found.setTextFormat(Qt.TextFormat.PlainText)
        self.found.setMinimumHeight(self.found.fontMetrics().lineSpacing() * 2)
        self.draw = QPushButton("Draw it")
        self.draw.setProperty("role", "primary")
        self.draw.setToolTip("Draw this edge list (Ctrl+Enter)")
        self.draw.setDefault(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(self.draw, QDialogButtonBox.ButtonRole.AcceptRole)
        for key in DRAW_KEYS:
            QShortcut(QKeySequence(key), self, self._take)
        buttons.accepted.connect(self._take)
        buttons.rejected.connect(self.reject)
        for part in (help_, self.text, self.found, buttons):
            column.addWidget(part, 1 if part is self.text else 0)

    def _read(self) -> None:
        """Read the text; show its size, or its mistakes."""
        self._wait.stop()
        self.parsed = parse_edges(self.text.toPlainText())
        problems, n, m = self.parsed.problems, len(self.parsed.names), len(self.parsed.arcs)
        words = "Nothing yet."
        if problems:
            more = len(problems) - PROBLEM_LINES
            rest = [f"… and {more} more."] if more > 0 else []
            words = "\n".join([*problems[:PROBLEM_LINES], *rest])
        elif n:
            size = f"{n} {'vertex' if n == 1 else 'vertices'}, {m} {'edge' if m == 1 else 'edges'}"
            words = f"{size}. Undo brings back the present drawing."
        self.found.setText(words)
        self.draw.setEnabled(bool(n) and not problems)

    def _take(self) -> None:
        self._read()
        if self.draw.isEnabled():
            self.taken.emit(self.parsed)
            self.accept()
