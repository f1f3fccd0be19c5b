"""The microscope in the window: every event of a small run, step by step."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature, Microscope


def _row(
    key: str, text: str, tooltip: str, handler: str, argument: str | int | None, *shortcuts: str
) -> ActionRow:
    return ActionRow(
        key, text, "playback", 3, tooltip, handler, shortcuts, needs="events", argument=argument
    )


FEATURE = Feature(
    "microscope",
    (
        ActionRow(
            "microscope",
            "&Microscope",
            "run",
            1,
            "Run the graph shown, or a part of it if it is large, and watch every single event",
            "open",
            ("Ctrl+Shift+M",),
        ),
        ActionRow(
            "microscope_leave",
            "&Leave the microscope",
            "run",
            1,
            "Go back to the panels, the graph and the run that were there before",
            "leave",
            needs="microscope",
        ),
        _row("event_next", "Next e&vent", "Go to the next event of the run", "model.step", 1, "."),
        _row("event_back", "Event &before", "Go to the event before", "model.step", -1, ","),
        _row(
            "event_improve",
            "Next i&mprovement",
            "Go to the next improved distance",
            "seek",
            "improve",
            "Alt+.",
        ),
        _row(
            "event_head",
            "Next &head",
            "Go to where the head bucket moves on",
            "seek",
            "head",
            "Alt+,",
        ),
        _row(
            "event_delta", "Next Δ or &open heads", "Go to the next decision on Δ", "seek", "delta"
        ),
        _row(
            "event_play",
            "Play even&ts",
            "Let events go by, or stop",
            "model.toggle",
            None,
            "Ctrl+.",
        ),
    ),
    (("microscope", "Microscope"), ("code", "Code")),
    provides=Microscope,
)
