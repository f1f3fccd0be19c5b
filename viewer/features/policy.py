"""A scheduler of one's own: its source, errors at their line, and what to do with it.

The text is kept when the panel closes and when the program ends; an example comes as an edit, so
that undo brings back what was there. It is never read from a workspace or a saved run.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFontDatabase, QTextCursor, QTextFormat
from PyQt6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from gpu.algorithms import ALGORITHMS
from gpu.errors import GpuError
from gpu.files import write_whole
from gpu.policy import Policy, own_policy, translated
from gpu.study.sweep import make_plan
from viewer.common.later import later
from viewer.common.small_widgets import packed, wrapped_label
from viewer.common.theme import Theme
from viewer.feature import FeaturePart, Pairs, Window
from viewer.models.session import RunRecord

KEPT = "policy"  # key of the settings: name and text
FIRST = "doubling.py"
UNDER = [""] * 2  # under the numbers, where the text has its scroll bar
COLUMNS = 66  # characters that the editor has at first, where the window has room
BUTTONS = {  # name: tooltip
    "Run": "Run ADDS with this policy on the graph shown",
    "Compare with ADDS": "Run this policy, then ADDS itself, and show both",
    "Sweep": "This policy over the curve of constant widths Δ",
    "Save…": "Write this text to a file, as for sssp-scope policy",
    "Examples": "Schedulers to begin with; undo brings your text back",
}


class Lines(QPlainTextEdit):
    """Plain text in a fixed font, a line a row."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(True)
        self.setAccessibleName(name)


class Editor(Lines):
    """A policy's text; `numbers` shows those of its lines; one line can be marked."""

    def __init__(self) -> None:
        super().__init__("The policy's source")
        self.numbers = Lines("Numbers of lines")
        self.numbers.setEnabled(False)
        self.numbers.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.numbers.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.numbers.setFixedWidth(self.fontMetrics().horizontalAdvance("000000"))
        self.blockCountChanged.connect(self._number)
        self.updateRequest.connect(self._follow)  # also where it scrolls
        self._number(1)

    def _number(self, lines: int) -> None:
        rows = [f"{line:>3}" for line in range(1, lines + 1)]
        self.numbers.setPlainText("\n".join(rows + UNDER))

    def _follow(self) -> None:
        own, other = self.verticalScrollBar(), self.numbers.verticalScrollBar()
        if own is not None and other is not None:
            other.setValue(own.value())

    def mark(self, line: int, ink: QColor) -> None:
        """Mark a line, 1-based, and go there; 0: none."""
        marks = []
        document = self.document()
        if line and document is not None:
            one = QTextEdit.ExtraSelection()
            one.cursor = QTextCursor(document.findBlockByNumber(line - 1))
            one.format.setBackground(ink)
            one.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
            marks = [one]
            self.setTextCursor(one.cursor)
        self.setExtraSelections(marks)


class PolicyPanel(QWidget):
    """The editor, its buttons, and a line that says what is wrong."""

    asked = pyqtSignal(str)  # one of BUTTONS, or the name of an example

    def __init__(self) -> None:
        super().__init__()
        self.editor, self.words = Editor(), wrapped_label()
        self.buttons = {name: QPushButton(name) for name in BUTTONS}
        row = QGridLayout()
        for place, (name, button) in enumerate(self.buttons.items()):
            button.setToolTip(BUTTONS[name])
            row.addWidget(button, place // 3, place % 3)
            if name != "Examples":
                button.clicked.connect(partial(self.asked.emit, name))
        menu = QMenu(self)
        for name in examples():
            menu.addAction(name, partial(self.asked.emit, name))
        self.buttons["Examples"].setMenu(menu)
        column = QVBoxLayout(self)
        column.addLayout(row)
        column.addLayout(packed(QHBoxLayout(), self.editor.numbers, self.editor, spacing=0))
        column.addWidget(self.words)
        self.setMinimumSize(260, 200)

    def say(self, words: str, theme: Theme) -> None:
        """Say something; where it names a line, mark it."""
        ink = QColor(theme.error)
        ink.setAlpha(80)
        line = words.partition(", line ")[2].partition(":")[0]
        self.words.setText(words)
        self.editor.mark(int(line) if line.isdecimal() else 0, ink)


class PolicyFeature(FeaturePart):
    """Runs, compares and sweeps what is written; saves and keeps it."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        kept: Any = window.settings.value(KEPT)
        good = isinstance(kept, list) and len(kept) == 2 and all(isinstance(x, str) for x in kept)
        self.name, self.text = map(str, kept if good else (FIRST, examples()[FIRST]))
        self.panel: PolicyPanel | None = None
        window.session.run_changed.connect(self._heard)

    def make_panel(self, _dock: str) -> QWidget:
        """Return a panel with the text that was there."""
        self.panel = panel = PolicyPanel()
        panel.editor.setPlainText(self.text)
        self._tell(f"{self.name}: asked at the end of every eight sweeps. F1 explains it.")
        panel.editor.textChanged.connect(self._take_text)
        panel.asked.connect(self.do)
        later(panel, partial(self._widen, panel.editor))
        return panel

    def _widen(self, editor: Editor) -> None:
        """Give the text its columns, and at most the half of the window."""
        main = self._window.as_widget()
        wide = editor.fontMetrics().horizontalAdvance("0") * COLUMNS + editor.numbers.width()
        dock = self._window.docks["policy"]
        main.resizeDocks([dock], [min(wide, main.width() // 2)], Qt.Orientation.Horizontal)

    def _take_text(self) -> None:
        if self.panel is not None:
            self.text = self.panel.editor.toPlainText()

    def close(self) -> None:
        """Keep the text for the next start."""
        self._window.settings.set_value(KEPT, [self.name, self.text])

    def do(self, what: str) -> None:
        """Do what a button says, or show an example."""
        if what == "Save…":
            name = self.name.removesuffix(".py")
            self._window.files.ask_save("Save", "Policies (*.py)", ".py", self.save, name)
        elif what in BUTTONS:
            self._run(what)
        else:
            self.name = what
            self._tell(what)
            if self.panel is not None:
                self.panel.editor.selectAll()  # an edit, which can be undone
                self.panel.editor.insertPlainText(examples()[what])

    def save(self, path: str) -> None:
        """Write the text."""
        text = self.text.encode()

        def write(to: str) -> None:
            write_whole(to, text)
            self.name = Path(path).name

        self._window.files.save_in_background(path, write)

    def _tell(self, words: str) -> None:
        if self.panel is not None:
            self.panel.say(words, self._window.theme)

    def _run(self, what: str) -> None:
        window, graph = self._window, self._window.session.graph
        policy = own_policy(self.name, self.text)
        try:
            translated(policy)
            chosen = window.run_panel.run_settings()
            if not ALGORITHMS[chosen.algorithm].dynamic:
                chosen = replace(chosen, algorithm="adds", parameters={})
            settings = replace(chosen, delta=None, policy=policy)
            if graph is None or window.session.arcs_missing:
                raise GpuError("the graph is not here yet; wait for it")
            if what == "Sweep":
                window.sweep.start(graph, make_plan(graph, settings))
                if "sweep" in window.docks.by_key:
                    window.show_dock("sweep")
                return
        except GpuError as error:
            self._tell(f"{error}.")
            return
        self._tell(f"{self.name}: running")
        pairs = window.part(Pairs) if what == "Compare with ADDS" else None
        if pairs is not None:
            pairs.make_pair(settings, replace(settings, policy=None))
        else:
            window.controller.start_run(settings, window.run_panel.choices().samples_per_second)

    def _heard(self, run: RunRecord) -> None:
        """Say how a run of this policy ended."""
        if not run.running and run.settings.policy == Policy(self.name, self.text):
            self._tell(f"{run.failure}." if run.failure else f"{self.name}: {run.state}")


def examples() -> dict[str, str]:
    """Return the policies that travel with the program, by name."""
    folder = files("assets").joinpath("policies")
    found = sorted(folder.iterdir(), key=lambda one: one.name)
    return {one.name: one.read_text("utf-8") for one in found if one.name.endswith(".py")}


install = PolicyFeature
