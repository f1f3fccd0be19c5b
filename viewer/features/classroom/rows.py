"""What a class answered: one action of the Help menu."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature

FEATURE = Feature(
    "classroom",
    (
        ActionRow(
            "class_results",
            "Results of a &class…",
            "help",
            2,
            "Put a folder of results files together: one table, and what the class predicted",
            "ask",
        ),
    ),
)
