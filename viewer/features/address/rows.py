"""One action of the File menu."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature

FEATURE = Feature(
    "address",
    (
        ActionRow(
            "open_address",
            "Open a&ddress…",
            "file",
            1,
            "Fetch a graph from http:// or https://, once its size was said",
            "ask",
        ),
    ),
    opens_files=True,
)
