"""Presenting to a room: full screen, large type, a blank screen, a dot to point with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewer.action_rows import ActionRow
from viewer.features import Feature

if TYPE_CHECKING:
    from viewer.features.window import Window

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
            "features.present.toggle",
            ("F5",),
        ),
        ActionRow(
            "blank",
            "&Blank the screen",
            "view",
            3,
            "Black, until any key or click",
            "features.present.blank",
            needs=PRESENTING,
            hint="B",
        ),
        ActionRow(
            "pointer",
            "Pointer &dot",
            "view",
            3,
            "A dot that follows the mouse, to point with",
            "features.present.toggle_dot",
            needs=PRESENTING,
            hint="P",
        ),
    ),
)


def install(window: Window) -> Any:
    """Build the feature."""
    from viewer.features.present.feature import PresentFeature

    return PresentFeature(window)
