"""The projector's theme, and the sizes that no stylesheet says.

The switch of themes is the window's own (`MainWindow.set_theme`); this feature follows it with
what is measured in pixels of text: icons of the toolbar.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewer.features import Feature

if TYPE_CHECKING:
    from viewer.common.theme import Theme
    from viewer.features.window import Window

TOOLBAR_ICON = 20  # pixels, at the reference text size
FEATURE = Feature("themes")


def install(window: Window) -> Any:
    """Build the feature."""
    from PyQt6.QtCore import QSize
    from PyQt6.QtWidgets import QToolBar

    from viewer.common.text_size import scaled

    class ThemesFeature:
        """Puts on what belongs to a theme beside colours."""

        def use_projector(self) -> None:
            """Large and strong."""
            window.choose_theme("projector")

        def apply_theme(self, _theme: Theme) -> None:
            """Make icons as large as the text asks."""
            bar = window.as_widget().findChild(QToolBar)
            if bar is not None:
                bar.setIconSize(QSize(scaled(TOOLBAR_ICON), scaled(TOOLBAR_ICON)))

    feature = ThemesFeature()
    feature.apply_theme(window.theme)
    return feature
