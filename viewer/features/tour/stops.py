"""Where the tour stops, as data: a widget by its object name, and what is said of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stop:
    """One stop.

    place : object name of the widget that is pointed at; a dock's is "dock_" and its key
    """

    place: str
    title: str
    words: str


STOPS = (
    Stop(
        "graph_view",
        "The graph",
        "Every dot is a vertex: a crossing of a city's roads. Its colour is its distance from the "
        "star, grey was not reached yet at the moment shown. Point at one for its numbers; a click "
        "lets the next run start there, the wheel zooms.",
    ),
    Stop(
        "compare_bar",
        "Two runs, one sentence",
        "A is ADDS, B is Near-Far, on one clock. Who was sooner, with how much work, and why that "
        "paid, with the numbers. Align them by share settled to see them at the same distance.",
    ),
    Stop(
        "dock_parallelism",
        "Parallelism",
        "How many edges the GPU has in hand. The shaded band is what keeps its workers fed: below "
        "it they starve. A climbs into the band and stays; B falls to nothing before each barrier.",
    ),
    Stop(
        "dock_buckets",
        "Buckets",
        "Vertices that wait, darker where they are many. A sorts them by distance into a ring of "
        "buckets, B into two piles: a near one that it empties and a far one that it puts off.",
    ),
    Stop(
        "dock_timeline",
        "Time",
        "One cursor for every panel. Space plays, Left and Right step, Home and End go to the "
        "ends; drag in any plot. The window opens where the two runs differ most.",
    ),
    Stop(
        "dock_run",
        "Your turn",
        "Run makes both runs on this machine. Choose another graph, algorithm or Δ; or take a "
        "lesson (F2), draw a graph of your own (Ctrl+D), sweep Δ (Ctrl+Shift+W).",
    ),
)
