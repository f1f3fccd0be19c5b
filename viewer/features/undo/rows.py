"""Undo and redo of what a person sets; the rows. What is followed: `feature`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewer.action_rows import ActionRow
from viewer.features import Feature

if TYPE_CHECKING:
    from viewer.features.window import Window

UNDOABLE, REDOABLE = "undoable", "redoable"  # ActionRow.needs
FEATURE = Feature(
    "undo",
    (
        ActionRow(
            "undo",
            "&Undo",
            "edit",
            0,
            "Take back what was set last: a field, the source, colours, theme, layout, runs shown",
            "features.undo.undo",
            ("Ctrl+Z",),
            "undo",
            needs=UNDOABLE,
        ),
        ActionRow(
            "redo",
            "&Redo",
            "edit",
            0,
            "Set again what was taken back",
            "features.undo.redo",
            ("Ctrl+Shift+Z", "Ctrl+Y"),
            "redo",
            needs=REDOABLE,
        ),
    ),
)


def install(window: Window) -> Any:
    """Build the feature."""
    from viewer.features.undo.feature import UndoFeature

    return UndoFeature(window)
