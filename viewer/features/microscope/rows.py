"""The microscope in the window: every event of a small run, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewer.action_rows import ActionRow
from viewer.features import Feature

if TYPE_CHECKING:
    from viewer.features.window import Window


def _row(key: str, text: str, section: int, tooltip: str, *shortcuts: str) -> ActionRow:
    return ActionRow(
        key,
        text,
        "playback",
        section,
        tooltip,
        f"features.microscope.{key}",
        shortcuts,
        needs="events",
    )


FEATURE = Feature(
    "microscope",
    (
        ActionRow(
            "microscope",
            "&Microscope",
            "run",
            1,
            "Run the graph shown, if it is small, else an example, and watch every single event",
            "features.microscope.open",
            ("Ctrl+Shift+M",),
        ),
        ActionRow(
            "microscope_leave",
            "&Leave the microscope",
            "run",
            1,
            "Go back to the arrangement of panels that was there before",
            "features.microscope.leave",
            needs="microscope",
        ),
        _row("event_next", "Next e&vent", 3, "Go to the next event of the run", "."),
        _row("event_back", "Event &before", 3, "Go to the event before", ","),
        _row("event_improve", "Next i&mprovement", 3, "Go to the next improved distance", "Alt+."),
        _row("event_head", "Next &head", 3, "Go to where the head bucket moves on", "Alt+,"),
        _row("event_delta", "Next Δ or &open heads", 3, "Go to the next decision on Δ"),
        _row("event_play", "Play even&ts", 3, "Let events go by, or stop", "Ctrl+."),
    ),
    (("microscope", "Microscope"), ("code", "Code")),
)


def install(window: Window) -> Any:
    """Build the feature."""
    from viewer.features.microscope.feature import MicroscopeFeature

    return MicroscopeFeature(window)
