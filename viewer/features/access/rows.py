"""Two actions of the View menu."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature

FEATURE = Feature(
    "access",
    (
        ActionRow(
            "describe",
            "Describe this &moment",
            "view",
            4,
            "Say in words what the map and every panel show at the cursor",
            "describe",
            ("Ctrl+I",),
            needs="graph",
        ),
        ActionRow(
            "still",
            "Less mo&tion",
            "view",
            4,
            "Playback goes in steps of half a second, and menus and panels do not slide",
            "set_still",
            checkable=True,
        ),
    ),
)
