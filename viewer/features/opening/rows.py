"""Prepared starts: two recorded comparisons and a recorded sweep, each one click away."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature, Opening

ROADS, MESH = "roads", "mesh"  # names of recordings


def _row(key: str, text: str, tooltip: str, handler: str, argument: str | None = None) -> ActionRow:
    return ActionRow(key, text, "help", 1, tooltip, handler, argument=argument)


FEATURE = Feature(
    "opening",
    (
        _row(
            "recorded_roads",
            "Recorded on a GPU: &roads",
            "ADDS and Near-Far on the roads of a city: sooner, with more work",
            "show",
            ROADS,
        ),
        _row(
            "recorded_mesh",
            "Recorded on a GPU: &mesh",
            "ADDS and Near-Far on a 3-D mesh: sooner, and less work",
            "show",
            MESH,
        ),
        _row(
            "recorded_sweep",
            "Recorded on a GPU: s&weep of Δ",
            "Time and work against Δ on the roads of a city: least work is not least time",
            "show_sweep",
        ),
    ),
    provides=Opening,
)
