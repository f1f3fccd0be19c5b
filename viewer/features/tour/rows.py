"""The tour, from the Help menu and from the line of prepared starts."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature

FEATURE = Feature(
    "tour",
    (
        ActionRow(
            "tour",
            "&Tour of the window",
            "help",
            1,
            "Six stops on the panels themselves, two minutes; it can be left at each",
            "begin",
        ),
    ),
)
