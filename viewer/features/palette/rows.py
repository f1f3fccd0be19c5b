"""The command palette: every action of the window, menus' own rows included, by name."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature

FEATURE = Feature(
    "palette",
    (
        ActionRow(
            "palette",
            "&Command palette…",
            "help",
            0,
            "Find and use any action by typing a part of its name",
            "show",
            ("Ctrl+Shift+P",),
        ),
    ),
)
