"""Other computers to run on, over ssh. What happens: `feature`."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature

FEATURE = Feature(
    "computers",
    (
        ActionRow(
            "another_computer",
            "&Another computer…",
            "run",
            3,
            "Run on another computer over ssh: name it, test it, remove it",
            "ask",
        ),
    ),
)
