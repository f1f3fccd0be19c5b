"""Exploring Δ: sweep it, see both curves, open a run from a point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewer.action_rows import ActionRow
from viewer.features import Feature

if TYPE_CHECKING:
    from viewer.features.window import Window

FEATURE = Feature(
    "sweep",
    (
        ActionRow(
            "sweep",
            "S&weep Δ…",
            "run",
            1,
            "Run the chosen algorithm over many bucket widths and compare time and work",
            "features.sweep.show",
            ("Ctrl+Shift+W",),
            needs="graph",
        ),
        ActionRow(
            "copy_sweep",
            "Copy s&weep as command",
            "edit",
            1,
            "Copy a line for a shell that makes this sweep again, value by value",
            "features.sweep.copy_command",
            ("Ctrl+Alt+C",),
            needs="swept",
        ),
    ),
    (("sweep", "Sweep"),),
)


def install(window: Window) -> Any:
    """Build the feature."""
    from viewer.features.sweep.feature import SweepFeature

    return SweepFeature(window)
