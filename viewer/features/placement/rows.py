"""Where the vertices stand: as in the file, as a map, by forces, in lanes or on rings.

The engine process finds the places (`gpu.placement.placements`), with progress and Cancel; what is
drawn stays until they are there, and stays for good if it is given up. What was found once is kept
(`gpu.placement.cache`), so that a second time costs no wait.

Lanes and rings show the distances of the run that is shown: the lanes are the buckets of the Δ
with which it began, or several of them where there are too many to tell apart; it is said.
"""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature

OWN = "own"
KINDS = (  # key, text, tooltip, what it needs
    (OWN, "As in the &file", "Draw the vertices at the positions that came with them", "placed"),
    ("pivot_mds", "As a &map", "Place vertices by hops from a few of them (PivotMDS)", "movable"),
    ("fr", "By f&orces", "Let arcs pull and vertices push: up to 10,000 vertices", "pushable"),
    ("lanes", "In bucket &lanes", "A column for each bucket of this run's Δ", "distances"),
    ("rings", "On distance &rings", "Circles of equal distance around the source", "distances"),
)
FEATURE = Feature(
    "placement",
    tuple(
        ActionRow(
            f"arrange_{key}",
            f"Arrange: {text}",
            "view",
            2,
            tip,
            "place",
            (f"Ctrl+Alt+{place}",),
            checkable=True,
            group="placement",
            argument=key,
            needs=needs,
        )
        for place, (key, text, tip, needs) in enumerate(KINDS, 1)
    ),
)
