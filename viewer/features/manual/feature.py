"""Opens the manual, at the page of what has the focus; a panel's title says its first paragraph."""

from __future__ import annotations

from PyQt6.QtWidgets import QApplication, QWidget

from viewer.common.theme import Theme
from viewer.feature import FeaturePart, Window
from viewer.features.manual.dialog import ManualDialog
from viewer.features.manual.pages import ALL_WORDS, first_paragraphs, pages_of

DOCK = "dock_"
FIRST = "start"
PAGES = {"graph_view": "graph", "compare_bar": "compare", "draw_page": "draw"}  # object names


class ManualFeature(FeaturePart):
    """See the module docstring."""

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
    """Return the key of the page about what a widget is part of."""
    while widget is not None:
        name = widget.objectName()
        if name.startswith(DOCK):
            return name.removeprefix(DOCK)
        if name in PAGES:
            return PAGES[name]
        widget = widget.parentWidget()
    return FIRST


install = ManualFeature
