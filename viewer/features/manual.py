"""The manual and the glossary, in a dialog of their own; F1 opens the part of the focused panel.

The prose about panels is a file (`assets/manual/panels.md`), or a feature's docstring. The rest is
made from what the program says elsewhere: words from the glossary, an algorithm's part from the
essay in its file, machines from the presets. So the manual and the tooltips agree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from importlib import import_module
from importlib.resources import files
from inspect import getdoc

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QTextCursor
from PyQt6.QtWidgets import (
    QApplication,
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gpu.algorithms import ALGORITHMS, Algorithm, essay
from gpu.devices import PRESETS
from gpu.lessons.markdown import to_html
from viewer.common.glossary import TERMS, Term, capital
from viewer.common.small_widgets import wrapped_label
from viewer.common.text_size import scaled
from viewer.common.theme import SPACING
from viewer.feature import FeaturePart, Window
from viewer.features import FEATURES
from viewer.frame.help_dialogs import MOUSE, html_table

MICE = {"graph": "Graph", "delta": "Plots", "parallelism": "Plots", "work": "Plots"}
MICE |= {"buckets": "Plots", "draw": "Drawing"}  # part -> group of what a mouse does there
ALL_WORDS, MACHINES, FIRST = "words", "machines", "start"  # keys of parts
HEADING = re.compile(r"^# (\w+): (.+)$", re.MULTILINE)
NAMED = re.compile(r"^(\S.*?)\s{2,}(?=\S)")  # of an essay: a name, and what belongs to it beside it
SIZE = (860, 560)  # pixels, at the reference text size
LEFT = 200  # pixels, the same: the contents
DOCK = "dock_"
PARTS = {"graph_view": "graph", "compare_bar": "compare", "draw_page": "draw"}  # by object name


@dataclass(frozen=True)
class Part:
    """One part of the manual: its key, its title, its body as HTML."""

    key: str
    title: str
    body: str


def parts() -> list[Part]:
    """Return all of the manual, in order: panels, algorithms, machines, words."""
    made = [_panel(key, title, text) for key, (title, text) in _prose().items()]
    made += [*map(_algorithm, ALGORITHMS.values()), _machines()]
    words = [f"{_entry(term)}<p>Source: {escape(term.source)}.</p>" for term in in_order()]
    return [*made, Part(ALL_WORDS, "All words", "".join(words))]


def _prose() -> dict[str, tuple[str, str]]:
    """Return (title, Markdown) by panel; a heading reads "# key: Title".

    A panel that is not in the file has the docstring of its feature.
    """
    text = files("assets").joinpath("manual", "panels.md").read_text(encoding="utf-8")
    pieces = HEADING.split(text)[1:]
    keys, titles, bodies = pieces[::3], pieces[1::3], pieces[2::3]
    prose = {key: (title, body) for key, title, body in zip(keys, titles, bodies, strict=True)}
    for feature in FEATURES:
        for key, title in feature.docks.items():
            if key not in prose:
                prose[key] = (title, getdoc(import_module(f"viewer.features.{feature.key}")) or "")
    return prose


def in_order() -> list[Term]:
    """Return the glossary by its words."""
    return sorted(TERMS, key=lambda term: term.words.casefold())


def _panel(key: str, title: str, text: str) -> Part:
    html = [to_html(text)]
    mouse: Mapping[str, str] = MOUSE.get(MICE.get(key, ""), {})
    if mouse:
        html.append(f"<h3>Mouse and keys</h3>{html_table(mouse.items(), 4)}")
    words = [term for term in in_order() if key in term.seen]
    if words:
        html += ["<h3>Words</h3>", *map(_entry, words)]
    return Part(key, title, "".join(html))


def _algorithm(row: Algorithm) -> Part:
    html = [f"<p><i>{escape(capital(row.summary))}.</i></p>"]
    for piece in essay(row.key).strip().split("\n\n"):
        name = NAMED.match(piece)
        words = " ".join(piece[name.end() if name else 0 :].split())
        html.append(to_html(f"**{name[1]}.** {words}" if name else words))
    return Part(f"algorithm_{row.key}", row.title, "".join(html))


def _machines() -> Part:
    words = "A modelled machine runs the same algorithm. Its times are computed, not measured: "
    words += "compare them with times of the same machine only."
    rows = [(preset.name, preset.sentence) for preset in PRESETS.values()]
    return Part(MACHINES, "Modelled machines", f"<p>{words}</p>{html_table(rows, 4)}")


def _entry(term: Term) -> str:
    return f"<p><b>{escape(capital(term.words))}</b>. {escape(term.meaning)}</p>"


class ManualDialog(QDialog):
    """One text with its contents beside it, and a field that finds words in it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Manual")
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find; Enter goes on")
        self.search.setAccessibleName("Search the manual")
        self.search.setClearButtonEnabled(True)
        self.nothing = wrapped_label()
        self.contents = QListWidget()
        self.contents.setAccessibleName("Contents")
        self.page = QTextBrowser()
        self.page.setOpenLinks(False)
        self.page.setAccessibleName("Text")
        html = []
        for part in parts():
            item = QListWidgetItem(part.title, self.contents)
            item.setData(Qt.ItemDataRole.UserRole, part.key)
            html.append(f'<h2><a name="{part.key}">{escape(part.title)}</a></h2>{part.body}')
        self.page.document().setDocumentMargin(2 * SPACING)  # type: ignore[union-attr]
        self.page.setHtml("".join(html))
        self._arrange()
        self.search.textChanged.connect(self._find_first)
        self.search.returnPressed.connect(self._find_next)
        self.contents.currentItemChanged.connect(self._go)

    def _arrange(self) -> None:
        side = QVBoxLayout()
        for part in (self.search, self.nothing, self.contents):
            side.addWidget(part)
            part.setFixedWidth(scaled(LEFT))
        row = QHBoxLayout(self)
        row.addLayout(side)
        row.addWidget(self.page, 1)
        screen, size = self.screen(), QSize(*map(scaled, SIZE))
        self.resize(size.boundedTo(screen.availableSize()) if screen is not None else size)

    @property
    def shown(self) -> str:
        """The key of the part that was gone to."""
        item = self.contents.currentItem()
        return item.data(Qt.ItemDataRole.UserRole) if item is not None else ""

    def show_part(self, key: str) -> None:
        """Go to a part."""
        for row in range(self.contents.count()):
            item = self.contents.item(row)
            if item is not None and item.data(Qt.ItemDataRole.UserRole) == key:
                self.contents.setCurrentRow(row)
                self._go()

    def _go(self, *_: object) -> None:
        self.page.scrollToAnchor(self.shown)

    def _find_first(self) -> None:
        self.page.moveCursor(QTextCursor.MoveOperation.Start)
        self._find_next()

    def _find_next(self) -> None:
        """Select the next place of the words, from the top after the last one."""
        words = self.search.text().strip()
        there = not words or self.page.find(words)
        if not there:
            self.page.moveCursor(QTextCursor.MoveOperation.Start)
            there = self.page.find(words)
        self.nothing.setText("" if there else f"{words} is not in the manual.")


class ManualFeature(FeaturePart):
    """Opens the manual."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.dialog: ManualDialog | None = None

    def open(self) -> None:
        """Show the part about the panel that has the focus or all the room, or how to begin."""
        part, gathered = part_of(QApplication.focusWidget()), self._window.docks.arrangement
        alone = part == FIRST and gathered in self._window.docks.by_key
        self._show(gathered if alone else part)

    def open_glossary(self) -> None:
        """Show every word."""
        self._show(ALL_WORDS)

    def close(self) -> None:
        """The window closes."""
        if self.dialog is not None:
            self.dialog.close()

    def _show(self, key: str) -> None:
        if self.dialog is None:
            self.dialog = ManualDialog(self._window.as_widget())
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()
        self.dialog.show_part(key)
        self.dialog.search.setFocus()


def part_of(widget: QWidget | None) -> str:
    """Return the key of the part about the panel that a widget belongs to."""
    while widget is not None:
        name = widget.objectName()
        if name.startswith(DOCK):
            return name.removeprefix(DOCK)
        if name in PARTS:
            return PARTS[name]
        widget = widget.parentWidget()
    return FIRST


install = ManualFeature
