"""Workspaces in the window: save and open; saved runs; a named file runs by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewer.action_rows import ActionRow
from viewer.features import Feature

if TYPE_CHECKING:
    from viewer.features.window import Window

FEATURE = Feature(
    "workspace",
    (
        ActionRow(
            "open_workspace",
            "Open &workspace or run…",
            "file",
            0,
            "Open a workspace (.ssspw) or a saved run (.npz); it needs no GPU",
            "features.workspace.ask_open",
            ("Ctrl+Shift+O",),
        ),
        ActionRow(
            "save_workspace",
            "Save works&pace…",
            "file",
            1,
            "Save graph reference, runs, layout and cursor in one file that opens elsewhere",
            "features.workspace.ask_save",
            ("Ctrl+Alt+S",),
        ),
    ),
)


def install(window: Window) -> Any:
    """Build the feature."""
    from viewer.features.workspace.feature import WorkspaceFeature

    return WorkspaceFeature(window)
