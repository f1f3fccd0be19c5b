"""Notes; the rows. What a note is: `gpu.record.notes`, where they are: `viewer.models.notes`."""

from __future__ import annotations

from typing import Any

from viewer.actions import ActionRow
from viewer.feature import Feature


def _row(key: str, text: str, tooltip: str, keys: str, handler: str, **more: Any) -> ActionRow:
    return ActionRow(key, text, "edit", 1, tooltip, handler, (keys,), **more)


FEATURE = Feature(
    "notes",
    (
        _row(
            "note_moment",
            "&Note at the cursor…",
            "Pin a line of text to this moment of the run",
            "N",
            "ask_at_cursor",
            needs="run",
        ),
        _row(
            "note_vertex",
            "Note at a &vertex…",
            "Pin a line of text to the vertex under the pointer, or to one that you name",
            "Shift+N",
            "ask_at_vertex",
            needs="graph",
        ),
        _row(
            "notes",
            "N&otes",
            "List the notes of this run and its graph; go to them, change them",
            "Ctrl+Shift+N",
            "window.toggle_dock",
            argument="notes",
        ),
    ),
    (("notes", "Notes"),),
)
