"""Workspaces in the window: save and open; saved runs; a named file runs by itself."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature, Workspaces

FEATURE = Feature(
    "workspace",
    (
        ActionRow(
            "open_workspace",
            "Open &workspace or run…",
            "file",
            0,
            "Open a workspace (.ssspw) or a saved run (.npz); it needs no GPU",
            "ask_open",
            ("Ctrl+Shift+O",),
        ),
        ActionRow(
            "save_workspace",
            "Save works&pace…",
            "file",
            1,
            "Save graph reference, runs, layout and cursor in one file that opens elsewhere",
            "ask_save",
            ("Ctrl+Alt+S",),
        ),
    ),
    provides=Workspaces,
    opens_files=True,
)
