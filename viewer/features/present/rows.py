"""Presenting to a room: full screen, large type, a blank screen, a dot to point with."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature

PRESENTING = "presenting"  # ActionRow.needs
FEATURE = Feature(
    "present",
    (
        ActionRow(
            "present",
            "P&resent",
            "view",
            3,
            "Full screen in the projector's theme; again, or Esc, goes back",
            "toggle",
            ("F5",),
        ),
        ActionRow(
            "blank",
            "&Blank the screen",
            "view",
            3,
            "Black, until any key or click",
            "blank",
            needs=PRESENTING,
            hint="B",
        ),
        ActionRow(
            "pointer",
            "Pointer &dot",
            "view",
            3,
            "A dot that follows the mouse, to point with",
            "toggle_dot",
            needs=PRESENTING,
            hint="P",
        ),
    ),
)
