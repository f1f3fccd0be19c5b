"""Named layouts: five ways to stand, each for one thing that a person does.

What stands where is data in `viewer.docks`. Choosing a layout puts it up as designed; what a
person moves afterwards is remembered until the next one is chosen, over the end of the program
too (the window keeps Qt's state of its docks, with a version that a new dock changes).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewer.action_rows import ActionRow
from viewer.docks import FIRST, LAYOUTS
from viewer.features import Feature

if TYPE_CHECKING:
    from viewer.features.window import Window

NAME = "layout"  # key in Settings
FEATURE = Feature(
    "arrangements",
    (
        *(
            ActionRow(
                f"layout_{key}",
                f"Layout &{place}: {layout.title}",
                "view",
                1,
                layout.tip,
                f"features.arrangements.use_{key}",
                (f"Ctrl+{place}",),
                checkable=True,
                group="layout",
            )
            for place, (key, layout) in enumerate(LAYOUTS.items(), 1)
        ),
    ),
)


def install(window: Window) -> Any:
    """Build the feature."""
    from PyQt6.QtCore import QObject, pyqtSignal

    class LayoutsFeature(QObject):
        """Puts up a layout, remembers its name."""

        leaving = pyqtSignal()  # another one is about to be put up
        chosen = pyqtSignal(str)

        def use(self, name: str) -> None:
            """Put a layout up as designed."""
            self.leaving.emit()
            window.docks.arrange(name)
            self.mark(name)
            self.chosen.emit(name)

        def mark(self, name: str) -> None:
            """Say which layout this is."""
            window.docks.layout = name
            window.settings.set_value(NAME, name)
            window.actions_by_key[f"layout_{name}"].setChecked(True)

        def use_explore(self) -> None:
            """Every plot."""
            self.use("explore")

        def use_compare(self) -> None:
            """Two runs."""
            self.use("compare")

        def use_lesson(self) -> None:
            """Room for words."""
            self.use("lesson")

        def use_present(self) -> None:
            """Large."""
            self.use("present")

        def use_pairs(self) -> None:
            """A matrix."""
            self.use("pairs")

        def use_microscope(self) -> None:
            """Every event."""
            self.use("microscope")

        def reset(self) -> None:
            """Put the layout that is chosen up anew."""
            self.use(window.docks.layout)

    feature = LayoutsFeature(window.as_widget())
    known = window.settings.value(NAME, FIRST)
    feature.mark(known if known in LAYOUTS else FIRST)
    return feature
