"""Where one looked, back and forward; the rows."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature

BACK, FORWARD = "looked_before", "looked_after"  # ActionRow.needs
FEATURE = Feature(
    "history",
    (
        ActionRow(
            "look_back",
            "&Back to the view before",
            "view",
            0,
            "Zoom and place of plots and map as they were, and how two runs were seen",
            "back",
            ("Alt+Left",),
            needs=BACK,
        ),
        ActionRow(
            "look_forward",
            "For&ward again",
            "view",
            0,
            "The view that was left by going back",
            "forward",
            ("Alt+Right",),
            needs=FORWARD,
        ),
    ),
)
