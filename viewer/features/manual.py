"""The manual and the glossary, in a dialog of their own; F1 opens the page of the focused panel.

The prose about panels is a file (`assets/manual/panels.md`), or a feature's docstring. The rest is
made from what the program says elsewhere: words from the glossary, commands from the table of
actions, an algorithm's page from the essay in its file, machines from the presets. So the manual
and the tooltips agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape, unescape
from importlib import import_module
from importlib.resources import files
from inspect import getdoc

from PyQt6.QtCore import QSignalBlocker, QSize, Qt
from PyQt6.QtGui import QFont
from PyQt6.QtWidgets import (
    QApplication,
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QSplitter,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gpu.algorithms import ALGORITHMS, Algorithm, essay
from gpu.devices import PRESETS
from gpu.lessons.markdown import to_html
from viewer.action_set import keys_of, plain
from viewer.actions import Menu
from viewer.common.glossary import TERMS, Term, capital
from viewer.common.small_widgets import wrapped_label
from viewer.common.text_size import scaled
from viewer.common.theme import SPACING, Theme
from viewer.feature import FeaturePart, Window
from viewer.features import FEATURES
from viewer.frame.help_dialogs import MOUSE

PANELS, ALGORITHM_PAGES, COMMANDS, GLOSSARY = "Panels", "Algorithms", "Commands", "Glossary"
MICE = {"graph": "Graph", "delta": "Plots", "parallelism": "Plots", "work": "Plots"}
MICE |= {"buckets": "Plots", "draw": "Drawing"}  # page -> group of what a mouse does there
ALL_WORDS = "words"  # key of the glossary as one page
HEADING = re.compile(r"^# (\w+): (.+)$", re.MULTILINE)
EMPHASIS = re.compile(r"[*`]")
TAG = re.compile(r"<[^>]*>")
PART = re.compile(r"^(\S.*?)\s{2,}(?=\S)")  # of an essay: a name, and what belongs to it beside it
MACHINES = "machines"  # key of the page of modelled machines
SIZE = (860, 560)  # pixels, at the reference text size
INDENT = 14  # pixels, the same
LEFT = 250  # pixels, the same: the contents
MARGIN = 2 * SPACING  # pixels around a page
KEY = Qt.ItemDataRole.UserRole
DOCK = "dock_"
FIRST = "start"
PAGES = {"graph_view": "graph", "compare_bar": "compare", "draw_page": "draw"}  # object names


@dataclass(frozen=True)
class Page:
    """One page: where it stands, its title, its body as HTML."""

    key: str
    group: str
    title: str
    body: str

    @property
    def text(self) -> str:
        """Title and body as plain words, for the search."""
        return f"{self.title} {unescape(TAG.sub(' ', self.body))}".casefold()


def pages_of(menus: Iterable[Menu]) -> dict[str, Page]:
    """Return every page by key, in order: panels, algorithms, commands by menu, the glossary."""
    prose = _prose()
    pages = [_panel(key, title, text) for key, (title, text) in prose.items()]
    pages += [*map(_algorithm, ALGORITHMS.values()), _machines(), *map(_menu, menus)]
    words = [f"{_entry(term)}<p>Source: {escape(term.source)}.</p>" for term in in_order()]
    pages.append(Page(ALL_WORDS, GLOSSARY, "All words", "".join(words)))
    return {page.key: page for page in pages}


def first_paragraphs() -> dict[str, str]:
    """Return the first paragraph of each panel's page, as plain words, by panel."""
    return {
        key: " ".join(EMPHASIS.sub("", text.strip().split("\n\n")[0]).split())
        for key, (_, text) in _prose().items()
    }


def _prose() -> dict[str, tuple[str, str]]:
    """Return (title, Markdown) by panel; a heading reads "# key: Title".

    A panel that is not in the file has the docstring of its feature.
    """
    text = files("assets").joinpath("manual", "panels.md").read_text(encoding="utf-8")
    parts = HEADING.split(text)[1:]
    keys, titles, bodies = parts[::3], parts[1::3], parts[2::3]
    prose = {key: (title, body) for key, title, body in zip(keys, titles, bodies, strict=True)}
    for feature in FEATURES:
        for key, title in feature.docks.items():
            if key not in prose:
                prose[key] = (title, getdoc(import_module(f"viewer.features.{feature.key}")) or "")
    return prose


def in_order() -> list[Term]:
    """Return the glossary by its words."""
    return sorted(TERMS, key=lambda term: term.words.casefold())


def matching(pages: Mapping[str, Page], text: str) -> list[Page]:
    """Return the pages that hold every word of a text; those whose title does come first."""
    words = text.casefold().split()
    hits = [page for page in pages.values() if all(word in page.text for word in words)]
    return sorted(hits, key=lambda page: not all(w in page.title.casefold() for w in words))


def _panel(key: str, title: str, text: str) -> Page:
    parts = [to_html(text)]
    mouse = MOUSE.get(MICE.get(key, ""), {})
    if mouse:
        parts.append(f"<h3>Mouse and keys</h3>{_table(mouse.items())}")
    words = [term for term in in_order() if key in term.seen]
    if words:
        parts += ["<h3>Words</h3>", *map(_entry, words)]
    return Page(key, PANELS, title, "".join(parts))


def _algorithm(row: Algorithm) -> Page:
    """Return the page of an algorithm: its line in the Run panel, then its essay."""
    parts = [f"<p><i>{escape(capital(row.summary))}.</i></p>"]
    for part in essay(row.key).strip().split("\n\n"):
        name = PART.match(part)
        words = escape(" ".join(part[name.end() if name else 0 :].split()))
        parts.append(f"<p><b>{escape(name[1])}.</b> {words}</p>" if name else f"<p>{words}</p>")
    return Page(f"algorithm_{row.key}", ALGORITHM_PAGES, row.title, "".join(parts))


def _machines() -> Page:
    """Return the page of the machines that are modelled."""
    words = "A modelled machine runs the same algorithm. Its times are computed, not measured: "
    words += "compare them with times of the same machine only."
    rows = [(preset.name, preset.sentence) for preset in PRESETS.values()]
    return Page(MACHINES, ALGORITHM_PAGES, "Modelled machines", f"<p>{words}</p>{_table(rows)}")


def _menu(menu: Menu) -> Page:
    lines = [
        (plain(action.text), action.tooltip, ", ".join(keys_of(action))) for action in menu.actions
    ]
    return Page(f"menu_{menu.key}", COMMANDS, f"{plain(menu.title)} menu", _table(lines))


def _entry(term: Term) -> str:
    return f"<p><b>{escape(capital(term.words))}</b>. {escape(term.meaning)}</p>"


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    lines = []
    for first, *others in rows:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in others)
        lines.append(f"<tr><td><b>{escape(first)}</b></td>{cells}</tr>")
    return f'<table cellpadding="4">{"".join(lines)}</table>'


class ManualDialog(QDialog):
    """Pages by contents and by search; it stays open beside the window."""

    def __init__(self, pages: Mapping[str, Page], theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._pages, self._theme = pages, theme
        self._items: dict[str, QTreeWidgetItem] = {}  # of the contents, by page
        self.shown = ""  # the key of the page that is shown
        self.setWindowTitle("Manual")
        self._build()
        self.search.textChanged.connect(self._list)
        self.contents.currentItemChanged.connect(self._choose)
        self._list("")

    def _build(self) -> None:
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search")
        self.search.setAccessibleName("Search the manual")
        self.search.setClearButtonEnabled(True)
        self.contents = QTreeWidget()
        self.contents.setHeaderHidden(True)
        self.contents.setIndentation(scaled(INDENT))
        self.contents.setAccessibleName("Contents")
        self.nothing = wrapped_label()
        self.nothing.setText("No page has all of these words.")
        self.page = QTextBrowser()
        self.page.setOpenLinks(False)
        self.page.setAccessibleName("Page")
        side = QWidget()
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        for part in (self.search, self.nothing, self.contents):
            column.addWidget(part)
        split = QSplitter()
        split.addWidget(side)
        split.addWidget(self.page)
        split.setSizes([scaled(LEFT), scaled(SIZE[0] - LEFT)])
        split.setChildrenCollapsible(False)
        QHBoxLayout(self).addWidget(split)
        screen, size = self.screen(), QSize(*map(scaled, SIZE))
        self.resize(size.boundedTo(screen.availableSize()) if screen is not None else size)

    def show_page(self, key: str) -> None:
        """Show a page and mark it in the contents; the search is over."""
        self.search.clear()
        self.contents.setCurrentItem(self._items.get(key))
        self._show(key)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self._show(self.shown)

    def _list(self, text: str) -> None:
        """List the pages with all these words, in their groups; show the best one."""
        hits = matching(self._pages, text) if text.strip() else list(self._pages.values())
        keys = {page.key for page in hits}
        groups: dict[str, QTreeWidgetItem] = {}
        with QSignalBlocker(self.contents):
            self.contents.clear()
            self._items = {}
            for page in self._pages.values():
                if page.key in keys:
                    if page.group not in groups:
                        groups[page.group] = self._group(page.group)
                    item = QTreeWidgetItem(groups[page.group], [page.title])
                    item.setData(0, KEY, page.key)
                    self._items[page.key] = item
            self.contents.expandAll()
        self.nothing.setVisible(not hits)
        best = hits[0].key if text.strip() and hits else self.shown
        self.contents.setCurrentItem(self._items.get(best))
        self._show(best)

    def _group(self, title: str) -> QTreeWidgetItem:
        group = QTreeWidgetItem(self.contents, [title])
        group.setFlags(Qt.ItemFlag.ItemIsEnabled)
        bold = QFont(self.font())
        bold.setBold(True)
        group.setFont(0, bold)
        return group

    def _choose(self, item: QTreeWidgetItem | None, _before: object = None) -> None:
        if item is not None and item.data(0, KEY):
            self._show(item.data(0, KEY))

    def _show(self, key: str) -> None:
        page, document = self._pages.get(key), self.page.document()
        if page is None or document is None:
            return
        self.shown = key
        style = f"a {{ color: {self._theme.accent}; text-decoration: none; }}"
        document.setDefaultStyleSheet(style)
        document.setDocumentMargin(MARGIN)
        self.page.setHtml(f"<h2>{escape(page.title)}</h2>{page.body}")
        for word in self.search.text().split()[:1]:
            self.page.find(word)  # selects it, in sight


class ManualFeature(FeaturePart):
    """Opens the manual; a panel's title has the first paragraph of its page as a tooltip."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.dialog: ManualDialog | None = None
        for key, words in first_paragraphs().items():
            if key in window.docks.by_key:
                window.docks.by_key[key].setToolTip(words)

    def open(self) -> None:
        """Show the page of the panel that has the focus, or how to begin."""
        self._show(page_of(QApplication.focusWidget()))

    def open_glossary(self) -> None:
        """Show every word."""
        self._show(ALL_WORDS)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        if self.dialog is not None:
            self.dialog.apply_theme(theme)

    def close(self) -> None:
        """The window closes."""
        if self.dialog is not None:
            self.dialog.close()

    def _show(self, key: str) -> None:
        if self.dialog is None:
            window = self._window
            pages = pages_of(window.actions_by_key.menus)
            self.dialog = ManualDialog(pages, window.theme, window.as_widget())
        self.dialog.show_page(key)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()
        self.dialog.search.setFocus()


def page_of(widget: QWidget | None) -> str:
    """Return the key of the page about the panel that a widget belongs to."""
    while widget is not None:
        name = widget.objectName()
        if name.startswith(DOCK):
            return name.removeprefix(DOCK)
        if name in PAGES:
            return PAGES[name]
        widget = widget.parentWidget()
    return FIRST


install = ManualFeature
