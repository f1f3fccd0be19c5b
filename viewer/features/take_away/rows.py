"""Taking things away: a panel as picture or table, all runs, a film, a command line."""

from __future__ import annotations

from typing import Any

from viewer.actions import ActionRow
from viewer.feature import Feature


def _row(key: str, text: str, tooltip: str, *keys: str, **more: Any) -> ActionRow:
    menu, needs = more.pop("menu", "file"), more.pop("needs", "trace")
    handler = "" if more.get("submenu") else f"{key}"
    return ActionRow(key, text, menu, 1, tooltip, handler, keys, needs=needs, **more)


FEATURE = Feature(
    "take_away",
    (
        _row(
            "export_panel",
            "Export pane&l",
            "Save one panel as PNG, as SVG, or its numbers as CSV",
            submenu=True,
            needs="",
        ),
        _row("export_runs", "Export all &runs…", "Write one line a run, or every sample of all"),
        _row("export_film", "Export &film…", "Write this run as GIF or MP4", "Ctrl+Alt+M"),
        _row(
            "export_page",
            "Export as &web page…",
            "Write this run, or both that are compared, as one page that plays in any browser",
        ),
        _row(
            "copy_command",
            "Copy as co&mmand",
            "Copy a line for a shell that makes this run again",
            "Ctrl+Shift+C",
            menu="edit",
            needs="run",
        ),
    ),
)
