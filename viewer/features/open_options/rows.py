"""Opening a graph otherwise than usual: direction, weights. What happens: `open_options_parts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewer.action_rows import ActionRow
from viewer.features import Feature

if TYPE_CHECKING:
    from viewer.features.window import Window

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
            "features.open_options.ask_open",
            ("Ctrl+Alt+O",),
        ),
        ActionRow(
            "reopen_with_options",
            "Reopen with op&tions…",
            "file",
            0,
            "Read the graph that is open again, with another direction or other weights",
            "features.open_options.ask_reopen",
            ("Ctrl+Alt+R",),
            needs=FROM_FILE,
        ),
    ),
)


def install(window: Window) -> Any:
    """Build the feature."""
    from viewer.features.open_options.feature import OpenOptions

    return OpenOptions(window)
