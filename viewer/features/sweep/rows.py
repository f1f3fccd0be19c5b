"""Exploring Δ: sweep it, see both curves, open a run from a point."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature

FEATURE = Feature(
    "sweep",
    (
        ActionRow(
            "sweep",
            "S&weep Δ…",
            "run",
            1,
            "Run the chosen algorithm over many bucket widths and compare time and work",
            "show",
            ("Ctrl+Shift+W",),
            needs="graph",
        ),
        ActionRow(
            "copy_sweep",
            "Copy s&weep as command",
            "edit",
            1,
            "Copy a line for a shell that makes this sweep again, value by value",
            "copy_command",
            ("Ctrl+Alt+C",),
            needs="swept",
        ),
        ActionRow(
            "sweep_page",
            "Export s&weep as web page…",
            "file",
            1,
            "Record every run of this sweep, and write them as one page with a slider",
            "export_page",
            needs="swept",
        ),
    ),
    (("sweep", "Sweep"),),
)
