"""The window of the manual: contents and search on the left, the page on the right."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from PyQt6.QtCore import Qt, QUrl
from PyQt6.QtGui import QFont, QTextCursor, QTextDocument
from PyQt6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSplitter,
    QTextBrowser,
    QTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from viewer.common.text_size import scaled
from viewer.common.theme import SPACING, Theme
from viewer.features.manual.pages import Page, matching

SIZE = (860, 560)  # pixels, at the reference text size
INDENT = 14  # pixels, the same
LEFT = 250  # pixels, the same: the contents
MARGIN = 2 * SPACING  # pixels around a page
MOST_MARKS = 200  # words found that are marked in a page
KEY = Qt.ItemDataRole.UserRole


class ManualDialog(QDialog):
    """Pages by contents, by search, by the links in them; it stays open beside the window."""

    def __init__(self, pages: Mapping[str, Page], theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._pages, self._theme, self._shown = pages, theme, ""
        self.setWindowTitle("Manual")
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search")
        self.search.setAccessibleName("Search the manual")
        self.search.setClearButtonEnabled(True)
        self.contents = QTreeWidget()
        self.contents.setHeaderHidden(True)
        self.contents.setIndentation(scaled(INDENT))
        self.contents.setAccessibleName("Contents")
        self.nothing = QLabel("No page has all of these words.")
        self.nothing.setProperty("role", "muted")
        self.nothing.setWordWrap(True)
        self.page = QTextBrowser()
        self.page.setOpenLinks(False)
        self.page.setAccessibleName("Page")
        side = QWidget()
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACING)
        for part in (self.search, self.nothing):
            column.addWidget(part)
        column.addWidget(self.contents, 1)
        split = QSplitter()
        split.addWidget(side)
        split.addWidget(self.page)
        split.setSizes([scaled(LEFT), scaled(SIZE[0] - LEFT)])
        split.setChildrenCollapsible(False)
        row = QHBoxLayout(self)
        row.addWidget(split)
        self._fit()
        self.search.textChanged.connect(self._list)
        self.contents.currentItemChanged.connect(self._choose)
        self.page.anchorClicked.connect(self._follow)
        self._list("")

    def show_page(self, key: str) -> None:
        """Show a page and mark it in the contents; the search is over."""
        self.search.clear()
        item = self._item(key)
        if item is not None:
            self.contents.setCurrentItem(item)
        self._show(key)

    @property
    def shown(self) -> str:
        """The key of the page that is shown."""
        return self._shown

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self._show(self._shown)

    def _fit(self) -> None:
        screen = self.screen()
        width, height = map(scaled, SIZE)
        if screen is not None:
            room = screen.availableSize()
            width, height = min(width, room.width()), min(height, room.height())
        self.resize(width, height)

    def _list(self, asked: str) -> None:
        """List the pages that fit what is asked, in their groups; show the best."""
        found = matching(self._pages, asked) if asked.strip() else list(self._pages.values())
        kept = {page.key for page in found}
        self.contents.blockSignals(True)
        self.contents.clear()
        for page in self._pages.values():
            if page.key in kept:
                item = QTreeWidgetItem(self._group(page.group), [page.title])
                item.setData(0, KEY, page.key)
        self.contents.expandAll()
        self.contents.blockSignals(False)
        self.nothing.setVisible(not found)
        best = found[0].key if asked.strip() and found else self._shown
        self.contents.setCurrentItem(self._item(best))
        self._show(best)

    def _group(self, title: str) -> QTreeWidgetItem:
        for place in range(self.contents.topLevelItemCount()):
            item = self.contents.topLevelItem(place)
            if item is not None and item.text(0) == title:
                return item
        group = QTreeWidgetItem(self.contents, [title])
        group.setFlags(Qt.ItemFlag.ItemIsEnabled)
        bold = QFont(self.font())
        bold.setBold(True)
        group.setFont(0, bold)
        return group

    def _item(self, key: str) -> QTreeWidgetItem | None:
        for place in range(self.contents.topLevelItemCount()):
            group = self.contents.topLevelItem(place)
            for below in range(group.childCount() if group is not None else 0):
                item = group.child(below) if group is not None else None
                if item is not None and item.data(0, KEY) == key:
                    return item
        return None

    def _choose(self, item: QTreeWidgetItem | None, _before: object = None) -> None:
        if item is not None and item.data(0, KEY):
            self._show(item.data(0, KEY))

    def _follow(self, url: QUrl) -> None:
        if url.toString() in self._pages:
            self.show_page(url.toString())

    def _show(self, key: str) -> None:
        page = self._pages.get(key)
        if page is None:
            return
        self._shown = key
        style = f"a {{ color: {self._theme.accent}; text-decoration: none; }}"
        document = self.page.document()
        if document is not None:
            document.setDefaultStyleSheet(style)
            document.setDocumentMargin(MARGIN)
        self.page.setHtml(f"<h2>{escape(page.title)}</h2>{page.body}")
        self._mark(self.search.text().split())

    def _mark(self, words: list[str]) -> None:
        """Mark the words found, and bring the first into sight."""
        marks: list[QTextEdit.ExtraSelection] = []
        document = self.page.document()
        for word in words:
            place = QTextCursor(document)
            while document is not None and len(marks) < MOST_MARKS:
                place = document.find(word, place, QTextDocument.FindFlag(0))
                if place.isNull():
                    break
                mark = QTextEdit.ExtraSelection()
                mark.cursor = place
                mark.format.setBackground(self.palette().highlight())
                mark.format.setForeground(self.palette().highlightedText())
                marks.append(mark)
        self.page.setExtraSelections(marks)
        if marks:
            top = QTextCursor(marks[0].cursor)
            top.clearSelection()
            self.page.setTextCursor(top)
