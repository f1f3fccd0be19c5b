"""Undo and redo of what a person sets; the rows. What is followed: `feature`."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature

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
            "undo",
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
            "redo",
            ("Ctrl+Shift+Z", "Ctrl+Y"),
            "redo",
            needs=REDOABLE,
        ),
    ),
)
