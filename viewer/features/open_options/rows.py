"""Opening a graph otherwise than usual: direction, weights. What happens: `feature`."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature

FROM_FILE = "graph_file"  # ActionRow.needs: the graph shown was read from a file

FEATURE = Feature(
    "open_options",
    (
        ActionRow(
            "open_with_options",
            "Open wit&h options…",
            "file",
            0,
            "Open a graph file and choose its direction and its weights",
            "ask_open",
            ("Ctrl+Alt+O",),
        ),
        ActionRow(
            "reopen_with_options",
            "Reopen with op&tions…",
            "file",
            0,
            "Read the graph that is open again, with another direction or other weights",
            "ask_reopen",
            ("Ctrl+Alt+R",),
            needs=FROM_FILE,
        ),
    ),
)
