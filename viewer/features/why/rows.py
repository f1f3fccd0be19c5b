"""Why Δ changed: the log of the controller's decisions, and a score for who drives by hand."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature

FEATURE = Feature(
    "why",
    (
        ActionRow(
            "why",
            "Why did Δ c&hange?",
            "run",
            1,
            "Every change of Δ with its reason and numbers",
            "window.toggle_dock",
            ("Ctrl+Shift+Y",),
            needs="run",
            argument="why",
        ),
    ),
    (("why", "Why Δ changed"),),
)
