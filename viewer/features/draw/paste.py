"""An edge list as text: typed or pasted, read while it is typed, every mistake with its line."""

from __future__ import annotations

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QFontDatabase, QIcon, QKeySequence, QShortcut, QTextCursor
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
from viewer.features.draw.text import MOST_PROBLEMS, Load, Parsed, parse_edges

EXAMPLE = "S -> A 10\nS -> B 1\nB -> A 1"
HELP = (
    "One arc a line: tail, head, weight (1 if there is none). Arrows (->), lines for both ways "
    "(--), commas, tabs or blanks part them; DIMACS, Matrix Market, Pajek and TNTP are read too. "
    "Ctrl+Enter draws it."
)
DRAW_KEYS = ("Ctrl+Return", "Ctrl+Enter")  # Enter begins another line
WAIT_MS = 120  # after a key, before the text is read
PROBLEM_LINES = 6  # shown at once


class PasteDialog(QDialog):
    """Asks for a text; `taken` hands over what it says."""

    taken = pyqtSignal(object)  # Parsed

    def __init__(self, text: str, parent: QWidget, load: Load | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Paste an edge list")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.parsed, self._load = Parsed(), load
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
        column.setSpacing(SPACING)
        help_ = QLabel(HELP)
        help_.setWordWrap(True)
        help_.setProperty("role", "muted")
        self.text = QPlainTextEdit()
        self.text.setAccessibleName("Edge list")
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        size = QApplication.font().pointSizeF()
        if size > 0:
            font = self.text.font()
            font.setPointSizeF(size)
            self.text.setFont(font)
        self.text.setPlaceholderText(EXAMPLE)
        self.text.setTabChangesFocus(True)
        self.text.textChanged.connect(self._wait.start)
        self.found = QLabel()
        self.found.setWordWrap(True)
        self.found.setAccessibleName("What was read")
        self.found.setTextFormat(Qt.TextFormat.PlainText)
        self.found.setMinimumHeight(self.found.fontMetrics().lineSpacing() * 2)
        buttons = QDialogButtonBox()
        self.draw = QPushButton("Draw it")
        self.draw.setProperty("role", "primary")
        self.draw.setToolTip("Draw what the text says (Ctrl+Enter)")
        self.draw.setDefault(True)
        for key in DRAW_KEYS:
            QShortcut(QKeySequence(key), self, self._take)
        buttons.addButton(self.draw, QDialogButtonBox.ButtonRole.AcceptRole)
        cancel = buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        if cancel is not None:
            cancel.setIcon(QIcon())
        buttons.accepted.connect(self._take)
        buttons.rejected.connect(self.reject)
        for part in (help_, self.text, self.found, buttons):
            column.addWidget(part, 1 if part is self.text else 0)

    def _read(self) -> None:
        """Read the text, say what it is or what is wrong with it."""
        self._wait.stop()
        self.parsed = parse_edges(self.text.toPlainText(), self._load)
        problems, graph = self.parsed.problems, self.parsed.graph
        n = graph.n if graph is not None else len(self.parsed.names)
        m = graph.m if graph is not None else len(self.parsed.arcs)
        if problems:
            more = len(problems) - PROBLEM_LINES
            shown = problems[:PROBLEM_LINES]
            if more > 0:
                rest = f"at least {more}" if len(problems) > MOST_PROBLEMS else str(more)
                shown = [*shown, f"… and {rest} more."]
            self.found.setText("\n".join(shown))
        elif n:
            kind = "edge" if self.parsed.undirected else "arc"
            words = f"{n} {'vertex' if n == 1 else 'vertices'}, {m} {kind}{'' if m == 1 else 's'}"
            self.found.setText(f"{words}. Undo brings back what is drawn now.")
        else:
            self.found.setText("Nothing yet.")
        self.found.setProperty("role", "strong" if problems else "muted")
        style = self.found.style()
        if style is not None:
            style.polish(self.found)
        self.draw.setEnabled(bool(n) and not problems)

    def _take(self) -> None:
        self._read()
        if self.draw.isEnabled():
            self.taken.emit(self.parsed)
            self.accept()
