"""The manual and the glossary, in the Help menu."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature

FEATURE = Feature(
    "manual",
    (
        ActionRow(
            "manual",
            "&Manual",
            "help",
            0,
            "What each panel shows and how it is read; opens at the panel that has the focus",
            "open",
            ("F1",),
        ),
        ActionRow(
            "glossary",
            "&Glossary",
            "help",
            0,
            "Every word of the program, explained",
            "open_glossary",
        ),
    ),
)
